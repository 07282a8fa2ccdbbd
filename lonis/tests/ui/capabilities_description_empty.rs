use lonis::{Capabilities, LonisCapabilities};

#[derive(LonisCapabilities)]
#[lonis(tool_id = "acme:kv:get", description = "", determinism = "deterministic", side_effects = "none", cost = "low")]
struct Get;

fn is_a_tool<T: Capabilities>() {}

fn main() {
    is_a_tool::<Get>();
}
