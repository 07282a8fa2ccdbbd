mod toml;
mod yaml;

use serde_json::{Value, json};

use super::fixture::check;

#[expect(
    clippy::needless_pass_by_value,
    reason = "a literal reads best where it is made"
)]
fn set(pointer: &str, value: Value) -> Value {
    json!({ "op": "set-key", "pointer": pointer, "value": value })
}

fn make(pointer: &str, value: &Value) -> Value {
    json!({ "op": "set-key", "pointer": pointer, "value": value, "create_parents": true })
}

fn append(pointer: &str, value: &Value) -> Value {
    json!({ "op": "append-item", "pointer": pointer, "value": value })
}

fn remove(pointer: &str) -> Value {
    json!({ "op": "remove-key", "pointer": pointer })
}

/// One file of a format, and what edits make of it.
struct Table {
    name: &'static str,
    file: &'static str,
}

impl Table {
    /// The file with one part of it changed.
    fn edited(&self, from: &str, to: &str) -> String {
        assert!(self.file.contains(from), "{from}");
        self.file.replacen(from, to, 1)
    }

    /// Each op gives what stands beside it.
    fn gives(&self, cases: impl IntoIterator<Item = (Value, String)>) {
        for (op, expected) in cases {
            check(self.name, self.file, op, Ok(&expected));
        }
    }

    /// Each op is refused with the code beside it.
    fn refuses(&self, cases: impl IntoIterator<Item = (Value, &'static str)>) {
        for (op, code) in cases {
            check(self.name, self.file, op, Err(code));
        }
    }

    /// Each text is none of the format.
    fn cannot_read(&self, texts: &[&str]) {
        for text in texts {
            let op = set("/a", json!(1));
            check(self.name, text, op, Err("patch/format-parse"));
        }
    }
}

#[test]
fn json_values_are_spliced() {
    let file = "{\n  // name\n  \"a\": 1, // one\n  \"b\": [1, 2],\n  \"c\": {}\n}\n";
    let edited = |from: &str, to: &str| file.replacen(from, to, 1);
    for (op, expected) in [
        (set("/a", json!(2)), edited("1, //", "2, //")),
        (set("/a", json!("x")), edited("1, //", "\"x\", //")),
        (set("/b/1", json!(null)), edited("1, 2", "1, null")),
        (
            set("/d", json!(true)),
            edited("\"c\": {}", "\"c\": {},\n  \"d\": true"),
        ),
        (set("/c/k", json!(1)), edited("{}", "{\n    \"k\": 1\n  }")),
        (
            json!({ "op": "append-item", "pointer": "/b", "value": 3 }),
            edited("1, 2", "1, 2, 3"),
        ),
        (
            json!({ "op": "remove-key", "pointer": "/a" }),
            edited("  \"a\": 1, // one\n", ""),
        ),
        (
            json!({ "op": "remove-key", "pointer": "/b/0" }),
            edited("1, 2", "2"),
        ),
        (
            json!({ "op": "remove-key", "pointer": "/b/1" }),
            edited("1, 2", "1"),
        ),
        (
            json!({ "op": "remove-key", "pointer": "/c" }),
            edited(",\n  \"c\": {}", ""),
        ),
        (
            json!({ "op": "set-key", "pointer": "/x/y", "value": 1, "create_parents": true }),
            edited("\"c\": {}", "\"c\": {},\n  \"x\": {\n    \"y\": 1\n  }"),
        ),
        (
            json!({ "op": "set-key", "pointer": "/a", "value": 2, "old": 1 }),
            edited("1, //", "2, //"),
        ),
    ] {
        check("f.json", file, op, Ok(&expected));
    }
    for (op, code) in [
        (
            json!({ "op": "set-key", "pointer": "/a", "value": 2, "old": 3 }),
            "patch/pre-image-mismatch",
        ),
        (set("/x/y", json!(1)), "patch/pointer-missing"),
        (
            json!({ "op": "remove-key", "pointer": "/x" }),
            "patch/pointer-missing",
        ),
        (
            json!({ "op": "remove-key", "pointer": "/b/2" }),
            "patch/pointer-missing",
        ),
        (
            json!({ "op": "append-item", "pointer": "/a", "value": 3 }),
            "patch/pointer-type",
        ),
        (
            json!({ "op": "append-item", "pointer": "/c", "value": 3 }),
            "patch/pointer-type",
        ),
        (set("/a/b", json!(1)), "patch/pointer-type"),
    ] {
        check("f.json", file, op, Err(code));
    }
    for broken in ["{\"a\": 1, \"a\": 2}", "{\"a\" 1}", ""] {
        check(
            "f.json",
            broken,
            set("/a", json!(1)),
            Err("patch/format-parse"),
        );
    }
    check(
        "f.txt",
        "a",
        set("/a", json!(1)),
        Err("patch/format-unsupported"),
    );
}
