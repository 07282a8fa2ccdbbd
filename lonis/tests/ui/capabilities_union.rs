use lonis::{Capabilities, LonisCapabilities};

#[derive(LonisCapabilities)]
#[lonis(tool_id = "acme:kv:get")]
union Get {
    small: u8,
    large: u64,
}

fn is_a_tool<T: Capabilities>() {}

fn main() {
    is_a_tool::<Get>();
}
