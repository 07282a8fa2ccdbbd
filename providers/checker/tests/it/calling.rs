//! `run`: definitions of a project with real capabilities.

use serde_json::{Value, json};

use crate::job_root::Root;
use crate::outside::spec;

const CLAMP: &str = "clamp : (low : I64) -> (high : I64) -> (x : I64) -> I64\n\
    clamp low high x =\n  if x < low\n  then low\n  else\n    if x > high\n    then high\n    else x\n";
const READ: &str = "read : (fs : Fs) -> (path : Path) -> io (Result Bytes FsError)\nread fs path = fs_read_bytes fs path\n";
const HALF: &str = "half : (x : I64) -> panic I64\nhalf x = clamp 0 100 x / 0\n";
const HOLE: &str = "hole : (x : I64) -> I64\nhole x = ?later\n";
const WRONG: &str = "wrong : (x : I64) -> I64\nwrong x = \"x\"\n";
const CASE: &str = "```test some\n(1) => 1\n```\n";

fn project() -> Root {
    let one = |name: &str, signature: &str, blocks: &str| spec(name, signature, blocks);
    let clamp = one(
        "clamp",
        "(low : I64) -> (high : I64) -> (x : I64) -> I64",
        "```requires\nordered: low <= high\n```\n\n```test some\n(0, 1, 1) => 1\n```\n",
    );
    let read = one(
        "read",
        "(fs : Fs) -> (path : Path) -> io (Result Bytes FsError)",
        "```cram some\n$ true\n```\n",
    );
    Root::new(&[
        ("m/clamp.tr", &clamp),
        ("m/clamp.soil", CLAMP),
        ("m/read.tr", &read),
        ("m/read.soil", READ),
        ("m/half.tr", &one("half", "(x : I64) -> panic I64", CASE)),
        ("m/half.soil", HALF),
        ("m/hole.tr", &one("hole", "(x : I64) -> I64", CASE)),
        ("m/hole.soil", HOLE),
        ("w/wrong.tr", &one("wrong", "(x : I64) -> I64", CASE)),
        ("w/wrong.soil", WRONG),
        (
            "m/unwritten.tr",
            &one("unwritten", "(x : I64) -> I64", CASE),
        ),
        ("note", "hello"),
    ])
}

#[test]
fn a_definition_gives_its_canonical_result() {
    let root = project();
    for (words, expected) in [
        (&["clamp", "0", "10", "7"][..], "7"),
        (&["m/clamp", "0", "10", "77"], "10"),
        (&["clamp", "-5", "10", "-7"], "-5"),
        (&["--json", "clamp", " 0", "10", "7 "], "7"),
        (&["read", "\"note\""], r#"{"tag":"Ok","value":"aGVsbG8="}"#),
        (
            &["read", "\"gone\""],
            r#"{"tag":"Err","value":{"tag":"NotFound","value":{"path":"gone"}}}"#,
        ),
    ] {
        let run = root.run(&[&["run"], words].concat());
        assert_eq!(run.answer(), format!("{expected}\n"), "{words:?}");
    }
}

#[test]
fn what_gives_no_result_says_why() {
    let root = project();
    for (words, code, expected) in [
        (&["nothing"][..], 2, "usage"),
        (&["clamp"], 2, "usage"),
        (&["clamp", "1", "2", "3", "4"], 2, "usage"),
        (&["clamp", "1", "2", "x"], 1, "malformed-input"),
        (&["clamp", "1", "2", "\"x\""], 1, "malformed-input"),
        (
            &["clamp", "1", "2", "{\"a\":1,\"a\":1}"],
            1,
            "malformed-input",
        ),
        (&["clamp", "2", "1", "1"], 1, "guard-requires"),
        (&["half", "1"], 1, "runtime-panic"),
        (&["hole", "1"], 1, "unfilled-hole"),
        (&["wrong", "1"], 1, "type-mismatch"),
        (&["unwritten", "1"], 3, "no-draft"),
    ] {
        let run = root.run(&[&["run", "--json"], words].concat());
        let errors: Vec<Value> = run.errors();
        assert_eq!(
            (run.code, &errors[0]["code"]),
            (code, &json!(expected)),
            "{words:?}"
        );
        let shown = root.run(&[&["run"], words].concat());
        assert!(
            shown.stderr.starts_with(&format!("error[{expected}]: ")),
            "{shown:?}"
        );
        assert_eq!((shown.code, shown.stdout.as_str()), (code, ""));
    }
    // What is wrong elsewhere keeps nothing from running.
    assert_eq!(root.run(&["run", "clamp", "1", "2", "3"]).answer(), "2\n");
}
