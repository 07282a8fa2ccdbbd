use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
enum Acme {
    Search(),
    Ready,
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
