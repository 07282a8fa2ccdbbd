use serde_json::json;

use super::super::fixture::check;
use super::{Table, append, make, remove, set};

const FILE: &str = "# head\nname: x # n\non:\n  push:\n    branches: [main, 'dev'] # br\nlist:\n  - a # first\n  - b: 1\n    # about c\n    c: 2\n  -\nempty:\n# about run\nrun: |\n  one\n\n  two\n\nquoted: \"q\"  # qc\nflow: {a: 1, b}\n";

const TABLE: Table = Table {
    name: "f.yaml",
    file: FILE,
};

#[test]
fn values_are_set() {
    TABLE.gives([
        (set("/name", json!("z")), TABLE.edited("x # n", "z # n")),
        (
            set("/name", json!("yes")),
            TABLE.edited("x # n", "\"yes\" # n"),
        ),
        (set("/name", json!(null)), TABLE.edited("x # n", "null # n")),
        (
            set("/name", json!({"a": [1, {"b": 2, "c": "d"}]})),
            TABLE.edited("x # n", "# n\n  a:\n    - 1\n    - b: 2\n      c: d"),
        ),
        (set("/name", json!([])), TABLE.edited("x # n", "[] # n")),
        (
            set("/name", json!("l1\nl2\n")),
            TABLE.edited("x # n", "| # n\n  l1\n  l2"),
        ),
        (
            set("/on/push", json!(true)),
            TABLE.edited("push:\n    branches: [main, 'dev'] # br", "push: true # br"),
        ),
        (
            set("/on/push/branches/1", json!("it's")),
            TABLE.edited("'dev'", "'it''s'"),
        ),
        (
            set("/on/push/branches", json!(["x y"])),
            TABLE.edited("[main, 'dev']", "[x y]"),
        ),
        (set("/list/0", json!(7)), TABLE.edited("- a #", "- 7 #")),
        (
            set("/list/1/b", json!({"k": "v"})),
            TABLE.edited("b: 1", "b:\n      k: v"),
        ),
        (
            set("/list/1", json!("s")),
            TABLE.edited("- b: 1\n    # about c\n    c: 2", "- s"),
        ),
        (
            set("/list/2", json!({"a": 1, "b": 2})),
            TABLE.edited("  -\nempty", "  - a: 1\n    b: 2\nempty"),
        ),
        (
            set("/list/0", json!({"a": 1, "b": 2})),
            TABLE.edited("- a # first", "- # first\n    a: 1\n    b: 2"),
        ),
        (
            set("/list", json!([1, 2])),
            TABLE.edited(
                "- a # first\n  - b: 1\n    # about c\n    c: 2\n  -",
                "- 1\n  - 2",
            ),
        ),
    ]);
}

#[test]
fn values_are_set_between_brackets_and_below_nothing() {
    TABLE.gives([
        (set("/empty", json!(1)), TABLE.edited("empty:", "empty: 1")),
        (
            set("/empty", json!([1])),
            TABLE.edited("empty:", "empty:\n  - 1"),
        ),
        (
            set("/run", json!("x\ny")),
            TABLE.edited("|\n  one\n\n  two", "|-\n  x\n  y"),
        ),
        (
            set("/run", json!("x")),
            TABLE.edited("|\n  one\n\n  two", "x"),
        ),
        (
            set("/quoted", json!("a\tb")),
            TABLE.edited("\"q\"", "\"a\\tb\""),
        ),
        (set("/flow/a", json!([1])), TABLE.edited("a: 1", "a: [1]")),
        (set("/flow/b", json!(2)), TABLE.edited("b}", "b: 2}")),
        (set("/flow/c", json!("x")), TABLE.edited("b}", "b, c: x}")),
        (set("/new", json!("v")), format!("{FILE}new: v\n")),
        (
            set("/on/pull", json!(null)),
            TABLE.edited("# br\n", "# br\n  pull: null\n"),
        ),
        (
            set("/list/1/d", json!("e")),
            TABLE.edited("c: 2\n", "c: 2\n    d: e\n"),
        ),
        (
            make("/on/p/q", &json!([1])),
            TABLE.edited("# br\n", "# br\n  p:\n    q:\n      - 1\n"),
        ),
        (
            json!({ "op": "set-key", "pointer": "/list/1/b", "value": 3, "old": 1 }),
            TABLE.edited("b: 1", "b: 3"),
        ),
    ]);
}

#[test]
fn what_is_set_follows_the_file() {
    check(
        "f.yml",
        "a: 1\r\n",
        set("/b", json!(1)),
        Ok("a: 1\r\nb: 1\r\n"),
    );
    check("f.yml", "a: 1", set("/b", json!(1)), Ok("a: 1\nb: 1"));
    check(
        "f.yml",
        "\u{feff}ü: é # ß\n",
        set("/ü", json!("ö")),
        Ok("\u{feff}ü: ö # ß\n"),
    );
    check("f.yml", "a: {}\n", set("/a/b", json!(1)), Ok("a: {b: 1}\n"));
    check(
        "f.yml",
        "a:\n- 1\n",
        set("/a", json!({"b": 1})),
        Ok("a:\n  b: 1\n"),
    );
    check(
        "f.yml",
        "a:\n- 1\n",
        set("/b", json!([1])),
        Ok("a:\n- 1\nb:\n- 1\n"),
    );
    check(
        "f.yml",
        "---\na: 1\n...\n",
        set("/b", json!(1)),
        Ok("---\na: 1\nb: 1\n...\n"),
    );
    check(
        "f.yml",
        "a: |+\n  x\n\nb: 1\n",
        set("/a", json!("z")),
        Ok("a: z\nb: 1\n"),
    );
    check("f.yml", "1: a\n", set("/1", json!("b")), Ok("1: b\n"));
    check("f.yml", "5\n", set("", json!([1])), Ok("- 1\n"));
}

#[test]
fn keys_and_items_are_removed() {
    TABLE.gives([
        (remove("/name"), TABLE.edited("name: x # n\n", "")),
        (
            remove("/on"),
            TABLE.edited("on:\n  push:\n    branches: [main, 'dev'] # br\n", ""),
        ),
        (
            remove("/on/push"),
            TABLE.edited(
                "on:\n  push:\n    branches: [main, 'dev'] # br",
                "on: {} # br",
            ),
        ),
        (remove("/on/push/branches/0"), TABLE.edited("main, ", "")),
        (remove("/on/push/branches/1"), TABLE.edited(", 'dev'", "")),
        (remove("/list/0"), TABLE.edited("  - a # first\n", "")),
        (
            remove("/list/1"),
            TABLE.edited("  - b: 1\n    # about c\n    c: 2\n", ""),
        ),
        (remove("/list/1/b"), TABLE.edited("- b: 1\n", "-\n")),
        (remove("/list/1/c"), TABLE.edited("    c: 2\n", "")),
        (remove("/list/2"), TABLE.edited("  -\n", "")),
        (remove("/empty"), TABLE.edited("empty:\n", "")),
        (remove("/run"), TABLE.edited("run: |\n  one\n\n  two\n", "")),
        (remove("/flow/b"), TABLE.edited(", b", "")),
        (remove("/flow"), TABLE.edited("flow: {a: 1, b}\n", "")),
    ]);
    check("f.yml", "- a: 1\n  b: 2\n", remove("/0/a"), Ok("- b: 2\n"));
    check("f.yml", "a: 1\nb: 2", remove("/b"), Ok("a: 1"));
    check("f.yml", "a: 1\n", remove("/a"), Ok("{}\n"));
    check(
        "f.yml",
        "a:\n  - 1\nb: 2\n",
        remove("/a/0"),
        Ok("a: []\nb: 2\n"),
    );
}

#[test]
fn items_are_appended() {
    TABLE.gives([
        (
            append("/list", &json!("z")),
            TABLE.edited("  -\nempty", "  -\n  - z\nempty"),
        ),
        (
            append("/list", &json!({"a": 1, "b": [2]})),
            TABLE.edited("  -\nempty", "  -\n  - a: 1\n    b:\n      - 2\nempty"),
        ),
        (
            append("/list", &json!([1, 2])),
            TABLE.edited("  -\nempty", "  -\n  - - 1\n    - 2\nempty"),
        ),
        (
            append("/list", &json!("1")),
            TABLE.edited("  -\nempty", "  -\n  - \"1\"\nempty"),
        ),
        (
            append("/list", &json!("")),
            TABLE.edited("  -\nempty", "  -\n  - \"\"\nempty"),
        ),
        (
            append("/list", &json!("a: b")),
            TABLE.edited("  -\nempty", "  -\n  - \"a: b\"\nempty"),
        ),
        (
            append("/list", &json!({})),
            TABLE.edited("  -\nempty", "  -\n  - {}\nempty"),
        ),
        (
            append("/on/push/branches", &json!("x")),
            TABLE.edited("'dev']", "'dev', x]"),
        ),
        (
            append("/on/push/branches", &json!({"a": null})),
            TABLE.edited("'dev']", "'dev', {a: null}]"),
        ),
        (
            append("/on/push/branches", &json!(1.5)),
            TABLE.edited("'dev']", "'dev', 1.5]"),
        ),
    ]);
    check(
        "f.yml",
        "- - a\n  - b\n",
        append("/0", &json!(1)),
        Ok("- - a\n  - b\n  - 1\n"),
    );
    check(
        "f.yml",
        "- 1 # c\n",
        append("", &json!(2)),
        Ok("- 1 # c\n- 2\n"),
    );
    check(
        "f.yml",
        "a: [\n  1,\n  2\n]\n",
        append("/a", &json!(3)),
        Ok("a: [\n  1,\n  2,\n  3\n]\n"),
    );
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let marked = "a: &x {k: 1}\nb: *x\nc: !!str 1\n? d\n: 1\ne:\n  <<: *x\nf: [g: 1]\nh: &y 1\ni:\n  j: &z 1\nk: *z\n";
    for (op, code) in [
        (set("/a", json!(1)), "patch/format-unsupported"),
        (set("/a/k", json!(1)), "patch/format-unsupported"),
        (set("/b", json!(1)), "patch/format-unsupported"),
        (set("/b/k", json!(1)), "patch/format-unsupported"),
        (set("/c", json!(1)), "patch/format-unsupported"),
        (set("/d", json!(2)), "patch/format-unsupported"),
        (set("/f/0/g", json!(2)), "patch/format-unsupported"),
        (remove("/h"), "patch/format-unsupported"),
        (remove("/i"), "patch/format-unsupported"),
        (set("/e/k", json!(1)), "ok"),
        (remove("/q"), "patch/pointer-missing"),
        (append("/e", &json!(1)), "patch/pointer-type"),
    ] {
        if code == "ok" {
            let expected = marked.replacen("  <<: *x\n", "  <<: *x\n  k: 1\n", 1);
            check("f.yaml", marked, op, Ok(&expected));
        } else {
            check("f.yaml", marked, op, Err(code));
        }
    }
    TABLE.cannot_read(&["a: 1\na: 2\n", "a: [1\n", "a: b: c\n", "\tx: 1\n- a\n"]);
    check(
        "f.yaml",
        "a: 1\n---\nb: 2\n",
        set("/a", json!(1)),
        Err("patch/format-unsupported"),
    );
    check(
        "f.yaml",
        "# only\n",
        set("/a", json!(1)),
        Err("patch/pointer-type"),
    );
    let deep = "[".repeat(10_000);
    check(
        "f.yaml",
        &deep,
        set("/a", json!(1)),
        Err("patch/format-parse"),
    );
    check(
        "f.json",
        &deep,
        set("/a", json!(1)),
        Err("patch/format-parse"),
    );
    check(
        "f.toml",
        format!("a = {deep}"),
        set("/a", json!(1)),
        Err("patch/format-parse"),
    );
}
