use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
#[serde(tag = "type")]
enum Acme {
    Ready,
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
