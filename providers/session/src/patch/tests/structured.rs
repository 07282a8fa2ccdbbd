mod toml;
mod yaml;

use serde_json::{Value, json};

use super::fixture::{MemoryFiles, check, document, on_file, run_text};

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

#[test]
fn numbers_that_would_be_others_are_refused() {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    for (name, file) in [
        ("f.json", "{\"a\": 1, \"l\": []}\n"),
        ("f.toml", "a = 1\nl = []\n"),
        ("f.yaml", "a: 1\nl: []\n"),
    ] {
        let table = Table { name, file };
        for number in [
            "123456789012345678901234567890",
            "-9223372036854775809",
            "18446744073709551616",
        ] {
            for (op, pointer, value) in [
                ("set-key", "/a", number.to_owned()),
                ("set-key", "/a", format!("{{\"deep\": [{number}]}}")),
                ("append-item", "/l", number.to_owned()),
            ] {
                let op = json!({"op": op, "path": name, "pointer": pointer, "value": "here"});
                let text = document(&json!([op])).to_string();
                let text = text.replace("\"here\"", &value);
                let files = MemoryFiles::new(&[(name, file)]);
                let reports = run_text(&files, &text).unwrap_err();
                let codes: Vec<&str> = reports.iter().map(|one| one.failure.code()).collect();
                assert_eq!(codes, ["patch/format-unsupported"], "{text}");
            }
        }
        // What has an exponent is a double, and each format holds that.
        for number in ["1e+30", "-2.5e+300"] {
            let value = read(number);
            let written = if name == "f.yaml" && number == "1e+30" {
                "1.0e+30"
            } else {
                number
            };
            table.gives([(set("/a", value), table.edited("1", written))]);
        }
        let most = read("9223372036854775807");
        let least = read("-9223372036854775808");
        table.gives([
            (set("/a", most), table.edited("1", "9223372036854775807")),
            (set("/a", least), table.edited("1", "-9223372036854775808")),
            (set("/a", read("0.1")), table.edited("1", "0.1")),
            (
                set("/a", read("9007199254740991.0")),
                table.edited("1", "9007199254740991.0"),
            ),
        ]);
        let over = set("/a", read("9223372036854775808"));
        if name == "f.toml" {
            table.refuses([(over, "patch/format-unsupported")]);
        } else {
            table.gives([(over, table.edited("1", "9223372036854775808"))]);
        }
    }
    let yaml = Table {
        name: "f.yaml",
        file: "a: 1\n",
    };
    yaml.gives([
        (set("/a", read("1e-7")), "a: 1.0e-7\n".to_owned()),
        (set("/a", read("1.5e-9")), "a: 1.5e-9\n".to_owned()),
        (set("/a", read("1.5e-300")), "a: 1.5e-300\n".to_owned()),
    ]);
}

#[test]
fn an_edit_reaches_no_deeper_than_the_wire() {
    let pointer = |depth: usize| "/x".repeat(depth);
    let nested = |depth: usize| (0..depth).fold(json!(1), |value, _| json!([value]));
    for (name, file) in [
        ("f.json", "{\"x\": {}}\n"),
        ("f.toml", "y = 1\n"),
        ("f.yaml", "y: 1\n"),
    ] {
        for op in [
            make(&pointer(20_000), &json!(1)),
            make(&pointer(128), &json!(1)),
            make(&pointer(64), &nested(64)),
            append(&pointer(127), &json!(1)),
            set(&pointer(128), json!(1)),
            remove(&pointer(128)),
        ] {
            check(name, file, op, Err("patch/limit"));
        }
    }
    let mut deepest = make(&pointer(127), &json!(1));
    deepest["path"] = json!("f.json");
    let outcome = on_file("f.json", "{}\n", &json!([deepest]));
    assert!(outcome.is_ok(), "{outcome:?}");
    let mut listed = make(&pointer(126), &json!([]));
    listed["path"] = json!("f.yaml");
    let outcome = on_file("f.yaml", "y: 1\n", &json!([listed]));
    assert!(outcome.is_ok(), "{outcome:?}");
}

/// A key in each line, below the one above it.
fn stairs(count: usize) -> String {
    let lines: Vec<String> = (0..count).map(|depth| " ".repeat(depth) + "a:\n").collect();
    lines.concat()
}

#[test]
fn a_file_may_be_nested_as_deep_as_it_likes() {
    let bracketed = |open: &str, close: &str| open.repeat(20_000) + &close.repeat(20_000);
    let dotted = vec!["a"; 20_000].join(".");
    for (name, file) in [
        ("f.json", bracketed("[", "]")),
        ("f.json", bracketed("{\"a\":", "}")),
        ("f.toml", format!("a = {}\n", bracketed("[", "]"))),
        ("f.toml", format!("[{dotted}]\nb = 1\n")),
        ("f.toml", format!("[[{dotted}]]\nb = 1\n")),
        ("f.toml", format!("{dotted} = 1\n")),
        ("f.toml", format!("a = {{ {dotted} = 1 }}\n")),
        ("f.yaml", bracketed("[", "]")),
        ("f.yaml", bracketed("{a: ", "}")),
        ("f.yaml", "- ".repeat(20_000)),
        ("f.yaml", stairs(3_000)),
    ] {
        let mut op = set("/zz", json!(1));
        op["path"] = json!(name);
        let edited = on_file(name, &file, &json!([op]));
        assert!(edited.is_err(), "{name}: {}", &file[..20]);
    }
}
