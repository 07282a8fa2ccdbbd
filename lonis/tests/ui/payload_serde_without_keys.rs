use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
enum Acme {
    Search {
        #[serde]
        query: String,
    },
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
