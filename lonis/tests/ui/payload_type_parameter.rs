use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
enum Acme<T> {
    Search { query: T },
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme<String>>();
}
