use serde_json::json;

use super::super::fixture::check;
use super::{Table, append, make, remove, set};

const FILE: &str = "# head\nname = 'x' # n\n\"a b\".c = 1\n\n# about t\n[t] # th\nx = [1, 2] # xs\ny = { k = 1 }\nlong = [\n    1, # one\n    2,\n]\n\n[t.sub]\nq = 1979-05-27\n\n[[arr]]\nn = 1\n[[arr]]\nn = 2\n\n[u.v]\nd = 1.5\n";

const TABLE: Table = Table {
    name: "f.toml",
    file: FILE,
};

#[test]
fn values_are_set() {
    TABLE.gives([
        (set("/name", json!("y")), TABLE.edited("'x' #", "\"y\" #")),
        (set("/t/x", json!([3])), TABLE.edited("[1, 2]", "[3]")),
        (set("/t/x/1", json!("é")), TABLE.edited("1, 2", "1, \"é\"")),
        (
            set("/t/y/k", json!({"z": true})),
            TABLE.edited("k = 1", "k = { z = true }"),
        ),
        (
            set("/t/y/m n", json!(2)),
            TABLE.edited("k = 1", "k = 1, \"m n\" = 2"),
        ),
        (
            set("/t/z", json!(1.5)),
            TABLE.edited("    2,\n]\n", "    2,\n]\nz = 1.5\n"),
        ),
        (set("/a b/c", json!(2)), TABLE.edited("c = 1", "c = 2")),
        (
            set("/a b/d", json!(2)),
            TABLE.edited("c = 1", "c = 1\n\"a b\".d = 2"),
        ),
        (
            set("/new", json!("v")),
            TABLE.edited("c = 1", "c = 1\nnew = \"v\""),
        ),
        (
            set("/u/w", json!(1)),
            TABLE.edited("[u.v]", "[u]\nw = 1\n\n[u.v]"),
        ),
        (
            set("/u/v/d", json!("s\n\u{7f}")),
            TABLE.edited("1.5", "\"s\\n\\u007F\""),
        ),
        (
            set("/arr/1/m", json!([{"a": 1}])),
            TABLE.edited("n = 2", "n = 2\nm = [{ a = 1 }]"),
        ),
        (
            set("/t/long", json!([7, 8])),
            TABLE.edited("    1, # one\n    2,\n", "    7,\n    8,\n"),
        ),
        (
            set("/t/sub", json!({"r": 1, "s": []})),
            TABLE.edited("q = 1979-05-27", "r = 1\ns = []"),
        ),
        (
            make("/p/q/r", &json!(true)),
            format!("{FILE}\n[p]\nq = {{ r = true }}\n"),
        ),
        (
            make("/u/w", &json!({"e": 1})),
            format!("{FILE}\n[u.w]\ne = 1\n"),
        ),
        (
            make("/t/w", &json!({"e": 1})),
            TABLE.edited("    2,\n]\n", "    2,\n]\nw = { e = 1 }\n"),
        ),
        (
            json!({ "op": "set-key", "pointer": "/t/sub/q", "value": 1, "old": "1979-05-27" }),
            TABLE.edited("1979-05-27", "1"),
        ),
    ]);
    check("f.toml", "", set("/a", json!(1)), Ok("a = 1\n"));
    check("f.toml", "# c", set("/a", json!(1)), Ok("# c\na = 1\n"));
    check(
        "f.toml",
        "# c\n[t]\n",
        set("/a", json!(1)),
        Ok("a = 1\n\n# c\n[t]\n"),
    );
    check(
        "f.toml",
        "[t]\r\n",
        set("/t/a", json!(1)),
        Ok("[t]\r\na = 1\r\n"),
    );
    check(
        "f.toml",
        "\u{feff}a=1\r\n",
        set("/b", json!(1)),
        Ok("\u{feff}a=1\r\nb = 1\r\n"),
    );
    check("f.toml", "a = 1", set("/b", json!(2)), Ok("a = 1\nb = 2"));
    check(
        "f.toml",
        "  a = 1\n",
        set("/b", json!(2)),
        Ok("  a = 1\n  b = 2\n"),
    );
}

#[test]
fn keys_and_items_are_removed() {
    TABLE.gives([
        (remove("/name"), TABLE.edited("name = 'x' # n\n", "")),
        (remove("/a b"), TABLE.edited("\"a b\".c = 1\n", "")),
        (remove("/t/x"), TABLE.edited("x = [1, 2] # xs\n", "")),
        (remove("/t/x/0"), TABLE.edited("1, 2", "2")),
        (remove("/t/x/1"), TABLE.edited("1, 2", "1")),
        (remove("/t/y/k"), TABLE.edited("{ k = 1 }", "{}")),
        (remove("/t/long/0"), TABLE.edited("    1, # one\n", "")),
        (remove("/t/long/1"), TABLE.edited("    2,\n", "")),
        (
            remove("/t/long"),
            TABLE.edited("long = [\n    1, # one\n    2,\n]\n", ""),
        ),
        (
            remove("/t/sub"),
            TABLE.edited("[t.sub]\nq = 1979-05-27\n\n", ""),
        ),
        (remove("/arr/0"), TABLE.edited("[[arr]]\nn = 1\n", "")),
        (
            remove("/arr"),
            TABLE.edited("[[arr]]\nn = 1\n[[arr]]\nn = 2\n\n", ""),
        ),
        (remove("/u"), TABLE.edited("\n[u.v]\nd = 1.5\n", "")),
        (remove("/arr/1/n"), TABLE.edited("n = 2\n", "")),
    ]);
    check("f.toml", "a = 1\nb = 2", remove("/b"), Ok("a = 1"));
}

#[test]
fn items_are_appended() {
    TABLE.gives([
        (
            append("/t/x", &json!(3)),
            TABLE.edited("[1, 2]", "[1, 2, 3]"),
        ),
        (
            append("/t/x", &json!("a")),
            TABLE.edited("[1, 2]", "[1, 2, \"a\"]"),
        ),
        (
            append("/t/x", &json!([1])),
            TABLE.edited("[1, 2]", "[1, 2, [1]]"),
        ),
        (
            append("/t/x", &json!({"a": 1})),
            TABLE.edited("[1, 2]", "[1, 2, { a = 1 }]"),
        ),
        (
            append("/t/x", &json!(1.0)),
            TABLE.edited("[1, 2]", "[1, 2, 1.0]"),
        ),
        (
            append("/t/x", &json!(false)),
            TABLE.edited("[1, 2]", "[1, 2, false]"),
        ),
        (
            append("/t/long", &json!(3)),
            TABLE.edited("    2,\n", "    2,\n    3,\n"),
        ),
        (
            append("/arr", &json!({"n": 3})),
            TABLE.edited("n = 2\n", "n = 2\n\n[[arr]]\nn = 3\n"),
        ),
    ]);
    check(
        "f.toml",
        "a = []\n",
        append("/a", &json!(1)),
        Ok("a = [1]\n"),
    );
    check(
        "f.toml",
        "a = [ 1 ]\n",
        append("/a", &json!(2)),
        Ok("a = [ 1, 2 ]\n"),
    );
    check(
        "f.toml",
        "a = [\n1\n]\n",
        append("/a", &json!(2)),
        Ok("a = [\n1,\n2\n]\n"),
    );
    check(
        "f.toml",
        "a = [\n1 # one\n]\n",
        append("/a", &json!(2)),
        Ok("a = [\n1, # one\n2\n]\n"),
    );
}

#[test]
fn what_cannot_be_kept_is_refused() {
    TABLE.refuses([
        (set("/name", json!(null)), "patch/format-unsupported"),
        (set("/t", json!(1)), "patch/format-unsupported"),
        (set("/t", json!({"a": 1})), "patch/format-unsupported"),
        (set("/arr", json!([])), "patch/format-unsupported"),
        (set("/a b", json!({"d": 1})), "patch/format-unsupported"),
        (append("/arr", &json!(1)), "patch/format-unsupported"),
        (set("/name/x", json!(1)), "patch/pointer-type"),
        (append("/t", &json!(1)), "patch/pointer-type"),
        (append("/name", &json!(1)), "patch/pointer-type"),
        (set("/q/r", json!(1)), "patch/pointer-missing"),
        (remove("/q"), "patch/pointer-missing"),
        (remove("/arr/2"), "patch/pointer-missing"),
        (
            json!({ "op": "remove-key", "pointer": "/name", "old": "z" }),
            "patch/pre-image-mismatch",
        ),
    ]);
    TABLE.cannot_read(&["a = 1\na = 2\n", "a = \n", "[t\n", "a = 1\n[a]\n"]);
    let scattered = "[a]\nx = 1\n[b]\n[a.c]\ny = 1\n";
    check(
        "f.toml",
        scattered,
        remove("/a"),
        Err("patch/format-unsupported"),
    );
    check(
        "f.toml",
        "a.b = 1\nc = 2\na.d = 1\n",
        remove("/a"),
        Err("patch/format-unsupported"),
    );
}
