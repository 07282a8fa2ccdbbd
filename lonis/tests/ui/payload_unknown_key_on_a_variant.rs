use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
#[lonis_payload(namespace = "acme")]
enum Acme {
    #[lonis_payload(namespace = "other")]
    Ready,
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
