use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
#[lonis_payload(namespace = "A")]
enum Acme {
    Message(String),
    Search {
        #[serde(flatten)]
        query: String,
    },
    Übersicht,
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
