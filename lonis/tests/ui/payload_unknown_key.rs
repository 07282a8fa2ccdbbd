use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
#[lonis_payload(prefix = "acme")]
enum Acme {
    Ready,
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
