use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
#[lonis_payload(namespace = "")]
enum Acme {
    Message,
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
