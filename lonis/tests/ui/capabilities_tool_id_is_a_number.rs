use lonis::{Capabilities, LonisCapabilities};

#[derive(LonisCapabilities)]
#[lonis(tool_id = 5, version = "1.0.0")]
struct Get;

fn is_a_tool<T: Capabilities>() {}

fn main() {
    is_a_tool::<Get>();
}
