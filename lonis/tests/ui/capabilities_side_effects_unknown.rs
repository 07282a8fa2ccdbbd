use lonis::{Capabilities, LonisCapabilities};

#[derive(LonisCapabilities)]
#[lonis(tool_id = "acme:kv:get", description = "Reads one key.", determinism = "deterministic", side_effects = "some", cost = "low")]
struct Get;

fn is_a_tool<T: Capabilities>() {}

fn main() {
    is_a_tool::<Get>();
}
