use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
enum Acme {
    #[lonis_payload(kind = "a")]
    #[lonis_payload(kind = "b")]
    Ready,
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
