//! What a host learns before it calls.

use std::process::Command;

use serde_json::{Value, json};

use crate::program::PROGRAM;

#[test]
fn each_tool_says_how_long_it_may_take() {
    let listed = Command::new(PROGRAM)
        .args(["tools", "list", "--mode", "json"])
        .env_clear()
        .output()
        .unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let tools = listed["tools"].as_array().unwrap().iter();
    let told: Vec<(&Value, &Value)> = tools
        .map(|tool| (&tool["name"], &tool["suggested_timeout_millis"]))
        .collect();
    for (name, millis) in [
        ("session.begin", 5_000),
        ("session.stage", 305_000),
        ("session.test", 305_000),
        ("session.apply", 60_000),
        ("session.gc", 5_000),
    ] {
        assert!(told.contains(&(&json!(name), &json!(millis))), "{told:?}");
    }
}
