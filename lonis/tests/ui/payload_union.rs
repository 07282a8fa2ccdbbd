use lonis::BlockPayload;

#[derive(BlockPayload)]
union Acme {
    small: u8,
    large: u64,
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
