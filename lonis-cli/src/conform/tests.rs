//! Whole examinations: the example providers keep every rule, and each way to misbehave breaks the rules it should.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lonis::Json;
use lonis::limits::{Bound, Limits};
use lonis::process::Program;

use super::report::{Report, Verdict};
use super::{Choices, Target, conform};

fn examine(program: Program, choices: &Choices) -> Report {
    let target = Target::new("under-test", program);
    conform(&target, choices, &std::env::temp_dir()).unwrap()
}

/// The names of the rules that fall short somewhere.
fn short(report: &Report) -> BTreeSet<&'static str> {
    let short = report
        .rows
        .iter()
        .filter(|row| matches!(row.verdict, Verdict::FallsShort(_)));
    short.map(|row| row.rule.name()).collect()
}

fn human(report: &Report) -> String {
    let mut text = Vec::new();
    report.write_human(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../providers/examples")
        .join(name)
}

/// Whether a program is there; a test that needs one that is not says so and ends.
fn has(program: &str) -> bool {
    let found = Program::new(program).resolve().is_ok();
    if !found {
        println!("skipped: `{program}` is not on PATH");
    }
    found
}

#[test]
fn the_examples_keep_every_rule() {
    for (name, needs) in [
        ("csv/lonis-csv", "python3"),
        ("markdown/lonis-markdown", "node"),
        ("weblog/lonis-weblog", "jq"),
    ] {
        if has(needs) {
            let report = examine(Program::new(example(name)), &Choices::default());
            assert_eq!(short(&report), BTreeSet::new(), "{}", human(&report));
            assert_eq!(report.error(), None);
            let called = report.rows.iter().filter(|row| row.rule.name() == "call");
            assert!(
                called
                    .map(|row| &row.verdict)
                    .all(|verdict| *verdict == Verdict::Holds),
                "{}",
                human(&report)
            );
        }
    }
}

/// Examines `misbehave` with these arguments, its tools claiming to be harmless so that they are called.
fn misbehaving(arguments: &[&str]) -> Report {
    let limits = Limits::new().with(Bound::TimeoutMillis, 10_000).unwrap();
    let program = Program::new(misbehave::program())
        .with_args(arguments.iter().copied())
        .with_limits(limits);
    examine(program, &Choices::default())
}

/// Notes a case in which other rules fell short than expected.
fn check(
    wrong: &mut Vec<String>,
    case: &str,
    found: &BTreeSet<&str>,
    expected: &[&str],
    report: &Report,
) {
    if *found != expected.iter().copied().collect() {
        wrong.push(format!(
            "{case}: {found:?}, not {expected:?}\n{}",
            human(report)
        ));
    }
}

#[test]
fn each_fault_of_the_surface_is_found() {
    let mut wrong = Vec::new();
    for (argument, expected) in [
        ("manifest=ok", &[][..]),
        ("manifest=protocol-0", &[]),
        ("manifest=bom", &[]),
        ("manifest=unknown-keys", &[]),
        ("manifest=null-optional", &[]),
        ("list=bare-array", &[]),
        ("list=unknown-keys", &[]),
        ("describe=id", &[]),
        ("manifest=wrong-protocol", &["protocol"]),
        ("manifest=text", &["manifest"]),
        ("manifest=two-values", &["manifest"]),
        ("manifest=truncated", &["manifest"]),
        ("manifest=bad-utf8", &["manifest"]),
        ("manifest=scalar", &["manifest"]),
        ("manifest=array", &["manifest"]),
        ("manifest=silent", &["manifest"]),
        ("manifest=missing-key", &["manifest"]),
        ("manifest=null-list", &["manifest"]),
        ("manifest=duplicate-key", &["manifest"]),
        ("manifest=fail", &["manifest"]),
        ("manifest=error", &["manifest"]),
        ("manifest=flood", &["manifest"]),
        ("manifest=hang", &["manifest"]),
        ("manifest=grandchild", &["manifest"]),
        ("manifest=differs", &["tools-agree"]),
        ("list=missing-name", &["tools-list"]),
        ("list=missing-key", &["tools-list"]),
        ("list=text", &["tools-list"]),
        ("list=error", &["tools-list"]),
        ("list=odd-names", &["tool-names", "tools-agree"]),
        ("list=long-name", &["tool-names", "tools-agree"]),
        ("describe=other", &["describe"]),
        ("describe=bad-word", &["describe"]),
        ("describe=missing-key", &["describe"]),
        ("describe=fail", &["describe"]),
        ("describe=array-schema", &["contract-clean"]),
    ] {
        let report = misbehaving(&[
            "tools=error,kind=invalid_input,exit=2,exit_code=2",
            argument,
        ]);
        let mut found = short(&report);
        found.remove("input-schema-given");
        check(&mut wrong, argument, &found, expected, &report);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_fault_of_a_call_is_found() {
    let mut wrong = Vec::new();
    for (tool, expected) in [
        ("blocks", &[][..]),
        ("blocks,form=array", &["ndjson-lines"]),
        ("malformed,case=blank-lines", &["ndjson-lines"]),
        ("paced,millis=150", &[]),
        ("paced,millis=150,flush=no", &["ndjson-flush"]),
        ("blocks,form=pretty", &["ndjson-lines"]),
        ("blocks,stderr_bytes=90", &["quiet"]),
        ("blocks,exit=5", &["error-alone", "error-shape"]),
        ("malformed,case=text", &["call"]),
        ("malformed,case=comma", &["call"]),
        ("malformed,case=second-bom", &["call"]),
        ("malformed,case=truncated-line", &["call"]),
        ("malformed,case=duplicate-deep", &["call"]),
        ("malformed,case=unknown-marker", &["call"]),
        ("malformed,case=internally-tagged", &["call"]),
        ("malformed,case=bad-stamp", &["blocks-clean"]),
        ("malformed,case=broken-bounds", &["blocks-clean"]),
        ("malformed,case=empty-kind", &["blocks-clean"]),
        ("malformed,case=bare-identity", &[]),
        ("bad-utf8", &["call"]),
        ("deep", &["call"]),
        ("banner", &["call"]),
        ("exact,bytes=2000000", &["call", "empty-input"]),
        ("exit-held,millis=60000", &["leaves-nothing"]),
        ("facts", &["deterministic"]),
        ("die", &["call", "empty-input", "large-input"]),
        ("exit", &["error-shape"]),
        ("noise,bytes=900", &["error-shape"]),
        ("error,form=no-code", &["error-shape"]),
        ("error,exit_code=0", &["error-code", "error-kind"]),
        ("error,before=1", &["error-alone", "error-kind"]),
        ("error", &["error-kind"]),
        ("error,kind=invalid_input,exit=2,exit_code=2", &[]),
    ] {
        // A name may carry options, which is how one list offers a mode in any of its forms.
        let report = misbehaving_tool(tool);
        let mut found = short(&report);
        // What `misbehave` does not do on purpose here: look at its input, describe it, and name its modes.
        for rule in ["input-schema-given", "bad-json", "block-kinds"] {
            found.remove(rule);
        }
        check(&mut wrong, tool, &found, expected, &report);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Examines one tool, whose contract claims that it is deterministic and touches nothing.
fn misbehaving_tool(tool: &str) -> Report {
    misbehaving(&[&format!("tools={tool}"), "describe=claims-pure"])
}

#[test]
fn a_schema_is_tried_on_the_tool() {
    let report = misbehaving(&["tools=blocks", "describe=schema"]);
    assert_eq!(
        short(&report),
        BTreeSet::from(["bad-input", "bad-json"]),
        "{}",
        human(&report)
    );
    let report = misbehaving(&["tools=blocks", "describe=bad-schema"]);
    assert!(
        short(&report).contains("input-schema"),
        "{}",
        human(&report)
    );
}

#[test]
fn a_tool_that_may_change_something_is_called_on_request_alone() {
    let handshake = misbehave::Handshake::new().unwrap();
    let log = handshake.folder().join("log-of-calls");
    let log_argument = format!("log={}", log.display());
    let examined = |inputs| {
        let program =
            Program::new(misbehave::program()).with_args(["tools=exit-unread", &log_argument]);
        examine(
            program,
            &Choices {
                inputs,
                ..Choices::default()
            },
        )
    };
    let calls = || {
        std::fs::read_to_string(&log)
            .unwrap()
            .matches("pid leader")
            .count()
    };
    let report = examined(Vec::new());
    assert!(
        human(&report).contains("its contract says `mutates-external`"),
        "{}",
        human(&report)
    );
    assert_eq!(calls(), 0);
    examined(vec![(
        Some("misbehave.exit-unread".to_owned()),
        Json::parse("{}").unwrap(),
    )]);
    assert!(calls() > 0);
}

#[test]
fn tools_are_chosen_by_name() {
    let program = || Program::new(misbehave::program()).with_args(["tools=exit+blocks"]);
    let chosen = |tool: &str| {
        let choices = Choices {
            tools: vec![tool.to_owned()],
            ..Choices::default()
        };
        conform(
            &Target::new("x", program()),
            &choices,
            &std::env::temp_dir(),
        )
    };
    let report = chosen("misbehave.exit").unwrap();
    assert!(
        report
            .rows
            .iter()
            .all(|row| row.tool.is_empty() || row.tool == "misbehave.exit")
    );
    let error = chosen("misbehave.nothing").unwrap_err();
    assert_eq!(error.exit_code(), 3);
}

#[test]
fn an_input_is_given_for_all_tools_or_for_one() {
    for (text, name, json) in [
        ("{\"a\":\"b=c\"}", None, "{\"a\":\"b=c\"}"),
        ("acme.get={\"a\":1}", Some("acme.get"), "{\"a\":1}"),
        ("7", None, "7"),
    ] {
        let (found, input) = Choices::parse_input(text).unwrap();
        assert_eq!((found.as_deref(), input.text()), (name, json), "{text}");
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "[1]").unwrap();
    let text = format!("acme.get=@{}", file.path().display());
    assert_eq!(Choices::parse_input(&text).unwrap().1.text(), "[1]");
    for text in ["{", "a={", "@/no/such/file"] {
        assert_eq!(
            Choices::parse_input(text).unwrap_err().exit_code(),
            2,
            "{text}"
        );
    }
}
