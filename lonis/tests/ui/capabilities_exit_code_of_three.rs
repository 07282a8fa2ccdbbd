use lonis::{Capabilities, LonisCapabilities};

#[derive(LonisCapabilities)]
#[lonis(tool_id = "acme:kv:get", exit_codes = [("too_cold", 12, 13)])]
struct Get;

fn is_a_tool<T: Capabilities>() {}

fn main() {
    is_a_tool::<Get>();
}
