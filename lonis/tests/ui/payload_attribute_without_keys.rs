use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
#[lonis_payload]
enum Acme {
    #[lonis_payload("answer")]
    Answer,
    Message,
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
