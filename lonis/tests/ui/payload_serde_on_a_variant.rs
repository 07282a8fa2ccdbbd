use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
enum Acme {
    #[serde(rename = "done")]
    Ready,
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
