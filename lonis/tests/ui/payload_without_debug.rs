use lonis::BlockPayload;

#[derive(BlockPayload)]
enum Acme {
    Ready,
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
