//! Other people's programs that offer several tools: what is believed, what is refused, what is asked how often.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use lonis_core::limits::Bound;
use lonis_core::{Call, SubprocessProvider, Tool, ToolRegistry};
use lonis_schema::{Determinism, ErrorKind, SideEffects, ToolError, ToolId};
use misbehave::Handshake;
use serde_json::{Value, json};

use crate::process::support::limits;

fn provider(options: &[&str]) -> SubprocessProvider {
    let program = lonis_core::process::Program::new(misbehave::program()).with_args(options);
    SubprocessProvider::of_program(program)
}

fn facts(error: &ToolError) -> (&str, u8) {
    (error.kind().as_str(), error.exit_code())
}

#[test]
fn a_surface_is_read_and_its_tools_are_called_by_their_native_names() {
    let provider = provider(&["tools=echo+exit"]);
    assert_eq!(provider.manifest().expect("a manifest").name, "misbehave");
    let names: Vec<String> = provider
        .tools()
        .expect("a list")
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(names, ["misbehave.echo", "misbehave.exit"]);
    let mut registry = ToolRegistry::new();
    assert_eq!(
        provider
            .register_all(&mut registry)
            .expect("they are registered"),
        []
    );
    let id = ToolId::new("misbehave:echo").expect("an id");
    let blocks = registry.invoke(&id, json!({"n": 1})).expect("it echoes");
    assert_eq!(blocks[0].render_human(), r#"result: {"n":1}"#);
}

#[test]
fn an_unknown_protocol_stops_everything_before_a_call() {
    let provider = provider(&["manifest=wrong-protocol"]);
    let mut registry = ToolRegistry::new();
    let called = provider
        .tool("misbehave.echo")
        .expect("the name is fine")
        .invoke(json!(1));
    for error in [
        provider.manifest().expect_err("99"),
        provider.tools().expect_err("99"),
        provider.describe("misbehave.echo").expect_err("99"),
        provider.register_all(&mut registry).expect_err("99"),
        called.expect_err("99"),
    ] {
        assert_eq!(facts(&error), ("unsupported_protocol", 69));
    }
    assert!(registry.is_empty());
    for manifest in ["protocol-0", "unknown-keys"] {
        let manifest = provider_with("manifest", manifest).manifest();
        assert!(manifest.is_ok(), "{manifest:?}");
    }
}

fn provider_with(step: &str, variant: &str) -> SubprocessProvider {
    provider(&[&format!("{step}={variant}"), "tools=echo"])
}

#[test]
fn a_document_of_the_wrong_shape_names_what_is_wrong() {
    for (step, variant, part) in [
        ("manifest", "missing-key", "`description`"),
        ("manifest", "array", "manifest is not usable"),
        ("manifest", "duplicate-key", "duplicate key `name`"),
        ("manifest", "text", "manifest is not usable"),
        ("manifest", "two-values", "manifest is not usable"),
        ("list", "missing-key", "`tools`"),
        ("list", "missing-name", "`name`"),
        ("list", "text", "tool list is not usable"),
        ("describe", "missing-key", "`description`"),
        ("describe", "bad-word", "mostly"),
        (
            "describe",
            "text",
            "contract of tool `misbehave.echo` is not usable",
        ),
    ] {
        let provider = provider_with(step, variant);
        let error = match step {
            "manifest" => provider.manifest().expect_err(variant),
            "list" => provider.tools().expect_err(variant),
            _ => provider.describe("misbehave.echo").expect_err(variant),
        };
        assert_eq!(
            facts(&error),
            ("invalid_output", 9),
            "{step} {variant}: {error}"
        );
        assert!(error.message().contains(part), "{step} {variant}: {error}");
    }
}

#[test]
fn odd_names_are_left_out_one_by_one() {
    let provider = provider_with("list", "odd-names");
    let listing = provider.listing().expect("a list");
    let ids: Vec<&str> = listing.tools.iter().map(|tool| tool.id.as_str()).collect();
    assert_eq!(ids, ["x:ok", "a:b", "provider:bare", "ü:ß", "a b:c/d"]);
    let mut registry = ToolRegistry::new();
    let refused = provider
        .register_all(&mut registry)
        .expect("the others are registered");
    assert_eq!((registry.len(), refused.len()), (5, 12));
    let collision = refused
        .iter()
        .find(|refusal| refusal.native == "a:b")
        .expect("it is listed");
    assert_eq!(facts(&collision.error), ("already_registered", 1));
    assert!(
        collision.error.message().contains("`a.b` and `a:b`"),
        "{collision}"
    );
}

#[test]
fn an_unusable_name_is_refused_without_a_run() {
    let mut handshake = Handshake::new().expect("a handshake");
    let provider = provider(&[&handshake.argument()]);
    for name in ["", "a..b", "--help", "-x", "a\0b", "a\u{1b}b"] {
        for error in [
            provider.describe(name).expect_err("unusable"),
            provider.tool(name).expect_err("unusable"),
        ] {
            assert_eq!(facts(&error), ("invalid_input", 2), "{name:?}");
        }
    }
    assert_eq!(handshake.heard(), []);
}

#[test]
fn a_second_tool_for_one_id_is_refused_and_named() {
    let mut registry = ToolRegistry::new();
    provider(&["tools=echo"])
        .register_all(&mut registry)
        .expect("they are registered");
    let refused = provider(&["tools=echo+exit"])
        .register_all(&mut registry)
        .expect("the other is registered");
    let names: Vec<&str> = refused
        .iter()
        .map(|refusal| refusal.native.as_str())
        .collect();
    assert_eq!((names, registry.len()), (vec!["misbehave.echo"], 2));
}

#[test]
fn the_contract_is_the_described_one() {
    let described = provider_with("describe", "read-only")
        .tool("misbehave.echo")
        .expect("a tool")
        .contract();
    let contract = described.expect("a contract");
    assert_eq!(
        (contract.determinism(), contract.side_effects()),
        (Determinism::Deterministic, SideEffects::ReadOnly)
    );
    assert!(
        provider_with("describe", "id")
            .describe("misbehave.echo")
            .is_ok(),
        "either spelling is right"
    );
    let error = provider_with("describe", "other")
        .describe("misbehave.echo")
        .expect_err("another tool");
    assert_eq!(facts(&error), ("invalid_output", 9));
    let tool = provider_with("describe", "other")
        .tool("misbehave.echo")
        .expect("a tool");
    assert_eq!(
        tool.try_contract().expect_err("another tool").kind(),
        error.kind()
    );
    assert_eq!(tool.contract(), None);
    assert!(
        error.message().contains("`misbehave.echo`")
            && error.message().contains("misbehave.somebody-else"),
        "{error}"
    );
}

#[test]
fn the_described_schema_holds_before_a_call() {
    let tool = provider_with("describe", "schema")
        .tool("misbehave.echo")
        .expect("a tool");
    let error = tool
        .invoke(json!({"word": 7}))
        .expect_err("a number is no word");
    assert_eq!(facts(&error), ("invalid_input", 2));
    assert_eq!(
        error
            .details()
            .map(|details| details.to_value()["pointer"].clone()),
        Some(json!("/word"))
    );
    assert!(tool.invoke(json!({"word": "hello"})).is_ok());
    for variant in [
        "bad-schema",
        "remote-schema",
        "array-schema",
        "other",
        "text",
    ] {
        let tool = provider_with("describe", variant)
            .tool("misbehave.echo")
            .expect("a tool");
        assert!(
            tool.invoke(json!({"word": 7})).is_ok(),
            "{variant}: a contract that is of no use stops no call"
        );
    }
}

#[test]
fn limits_of_a_provider_hold_for_every_step() {
    let provider =
        provider_with("manifest", "ok").with_limits(limits(&[(Bound::MaxStderrBytes, 1024)]));
    let noisy = provider.tool("misbehave.noise,bytes=1025").expect("a tool");
    let error = noisy.invoke(Value::Null).expect_err("over 1 KiB");
    assert_eq!(facts(&error), ("output_limit_exceeded", 7));
    assert_eq!(
        error
            .details()
            .map(|details| details.to_value()["limit_bytes"].clone()),
        Some(json!(1024))
    );

    let provider = provider_with("manifest", "hang").with_timeout_millis(300);
    assert_eq!(
        facts(&provider.manifest().expect_err("it hangs")),
        ("timeout", 7)
    );
    let provider = provider_with("list", "flood");
    assert_eq!(
        facts(&provider.tools().expect_err("it floods")),
        ("output_limit_exceeded", 7)
    );
}

/// Makes a provider that answers from a script and writes down what it was started with.
fn script(folder: &Path, body: &str) -> SubprocessProvider {
    let path = folder.join("provider");
    let log = folder.join("asked");
    let text = format!("#!/bin/sh\necho \"$@\" >> {}\n{body}\n", log.display());
    std::fs::write(folder.join("new"), text).expect("written");
    std::fs::set_permissions(folder.join("new"), std::fs::Permissions::from_mode(0o755))
        .expect("made executable");
    std::fs::rename(folder.join("new"), &path).expect("renamed");
    SubprocessProvider::new(path)
}

const ANSWERS: &str = r#"
case "$*" in
  *manifest*|M) echo '{"name":"s","version":"1","description":"d","provider_type":"x","protocol_version":"0","tools":["a.b"]}';;
  *list*|L) echo '[{"name":"a.b"}]';;
  *describe*|D*) echo '{"name":"a.b","description":"d","input_schema":"i/v1","output_schema":"o/v1","determinism":"deterministic","side_effects":"none","cost":"low"}';;
  *) cat >/dev/null;;
esac"#;

fn asked(folder: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(folder.join("asked")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

#[test]
fn every_step_can_have_arguments_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let provider = script(folder.path(), ANSWERS)
        .with_manifest_args(["M"])
        .with_tools_list_args(["L"])
        .with_describe_args(["D"])
        .with_call_args(["C"]);
    let tool = provider
        .tool(&provider.tools().expect("a list")[0].name)
        .expect("a tool");
    tool.invoke(json!(null)).expect("it runs");
    assert_eq!(asked(folder.path()), ["M", "L", "D a.b", "C a.b"]);
}

#[test]
fn an_answer_is_kept_until_the_executable_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let provider = script(folder.path(), ANSWERS);
    let described = || {
        asked(folder.path())
            .iter()
            .filter(|line| line.contains("describe"))
            .count()
    };
    for _ in 0..2 {
        provider.describe("a.b").expect("a contract");
        provider
            .clone()
            .tool("a.b")
            .expect("a tool")
            .contract()
            .expect("the same");
    }
    assert_eq!(described(), 1);
    script(folder.path(), &format!("{ANSWERS}\n# changed"));
    provider.describe("a.b").expect("a contract");
    assert_eq!(described(), 2);
}

#[test]
fn answers_can_be_stored_and_handed_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = script(folder.path(), ANSWERS);
    first.describe("a.b").expect("a contract");
    first.tools().expect("a list");
    let stored = first.answers();
    assert_eq!(
        (stored.tools_list.as_deref(), stored.contracts.len()),
        (Some(r#"[{"name":"a.b"}]"#), 1)
    );
    let runs = asked(folder.path()).len();
    let second = SubprocessProvider::new(folder.path().join("provider")).with_answers(stored);
    assert_eq!(
        second.describe("a.b").expect("kept"),
        first.describe("a.b").expect("kept")
    );
    assert_eq!(asked(folder.path()).len(), runs);
}

#[test]
fn a_provider_that_is_not_there_is_unavailable() {
    let provider = SubprocessProvider::new("/nonexistent/provider");
    assert!(!provider.availability().is_ready());
    assert_eq!(
        provider.manifest().expect_err("missing").kind(),
        &ErrorKind::Unavailable
    );
    let call = provider
        .tool("a.b")
        .expect("the name is fine")
        .start(Call::new(json!(null)));
    assert_eq!(call.expect_err("missing").kind(), &ErrorKind::Unavailable);
}

#[test]
fn a_tool_can_be_given_another_id() {
    let id = ToolId::new("mine:echo").expect("an id");
    let provider = provider(&["tools=echo"]).with_id("misbehave.echo", id.clone());
    let mut registry = ToolRegistry::new();
    provider
        .register_all(&mut registry)
        .expect("they are registered");
    assert!(
        registry
            .get(&id)
            .is_some_and(|tool| tool.contract().is_some())
    );
}
