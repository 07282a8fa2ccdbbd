use lonis::BlockPayload;

#[derive(Debug, BlockPayload)]
#[expect(non_camel_case_types)]
enum Acme {
    FooBar,
    Other,
    foo_bar,
}

fn is_a_payload<T: BlockPayload>() {}

fn main() {
    is_a_payload::<Acme>();
}
