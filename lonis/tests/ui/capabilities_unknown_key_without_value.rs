use lonis::{Capabilities, LonisCapabilities};

#[derive(LonisCapabilities)]
#[lonis(verbose, tool_id = "acme:kv:get")]
struct Get;

fn is_a_tool<T: Capabilities>() {}

fn main() {
    is_a_tool::<Get>();
}
