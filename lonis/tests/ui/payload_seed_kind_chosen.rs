use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
enum Acme {
    #[lonis_payload(kind = "result")]
    Found { text: String },
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
