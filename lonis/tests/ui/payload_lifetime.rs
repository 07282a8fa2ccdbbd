use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
enum Acme<'a> {
    Search { query: &'a str },
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme<'static>>();
}
