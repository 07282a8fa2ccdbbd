use lonis::{Capabilities, LonisCapabilities};

#[derive(LonisCapabilities)]
#[lonis(tool_id = "acme:kv:get")]
struct Get {
    #[lonis(version = "1.0.0")]
    path: String,
}

fn is_a_tool<T: Capabilities>() {}

fn main() {
    is_a_tool::<Get>();
}
