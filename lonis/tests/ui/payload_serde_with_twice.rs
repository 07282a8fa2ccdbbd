use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
enum Acme {
    Search {
        #[serde(with = "module", serialize_with = "function")]
        query: String,
    },
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
