//! Each op on whole paths and on definitions, at least twelve cases each.

use serde_json::{Value, json};

use super::fixture::{MemoryFiles, after, blob, check, run};

const FILES: [(&str, &str); 9] = [
    ("a", "one\n"),
    ("b*", "two\n"),
    ("c.bin", "\u{0}\u{1}"),
    ("d/x", "x\n"),
    ("d/y", "y\n"),
    ("e/only", "o\n"),
    ("empty", ""),
    ("l", "-> a"),
    ("m", "-> d"),
];

/// Ops, and what differs after them: a path with what stands there, or alone where nothing does. Else a code.
type Case<'c> = (Value, Result<Vec<(&'c str, Option<&'c str>)>, &'c str>);

fn check_all(cases: Vec<Case<'_>>) {
    assert!(cases.len() >= 12, "{}", cases.len());
    let files = MemoryFiles::new(&FILES);
    for (ops, expected) in cases {
        let ops = if ops.is_array() { ops } else { json!([ops]) };
        let got = run(&files, &ops).map(|outcome| after(&files, &outcome));
        match (got, expected) {
            (Err(reports), Err(code)) => assert_eq!(reports[0].failure.code(), code, "{ops}"),
            (Ok(got), Ok(changes)) => {
                let mut wanted =
                    FILES.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
                let mut wanted: std::collections::BTreeMap<_, _> =
                    wanted.iter_mut().map(std::mem::take).collect();
                for (path, text) in changes {
                    match text {
                        Some(text) => {
                            drop(wanted.insert(path.to_owned(), text.as_bytes().to_vec()));
                        }
                        None => drop(wanted.remove(path)),
                    }
                }
                assert_eq!(got, wanted, "{ops}");
            }
            (got, expected) => panic!(
                "{ops}: {:?}, expected {expected:?}",
                got.map_err(|reports| reports[0].to_value())
            ),
        }
    }
}

#[test]
fn files_are_created() {
    let create =
        |path: &str, content: Value| json!({"op": "create-file", "path": path, "content": content});
    let text = |path: &str| create(path, json!({"text": "t\n"}));
    check_all(vec![
        (text("n"), Ok(vec![("n", Some("t\n"))])),
        (text("n/o/p"), Ok(vec![("n/o/p", Some("t\n"))])),
        (text("d/z"), Ok(vec![("d/z", Some("t\n"))])),
        (create("n", json!({"text": ""})), Ok(vec![("n", Some(""))])),
        (
            create("n", json!({"base64": "AAE="})),
            Ok(vec![("n", Some("\u{0}\u{1}"))]),
        ),
        (
            create("n", json!({"link": "d/x"})),
            Ok(vec![("n", Some("-> d/x"))]),
        ),
        (
            create("d/n", json!({"link": "../a"})),
            Ok(vec![("d/n", Some("-> ../a"))]),
        ),
        (
            json!({"op": "create-file", "path": "n", "content": {"text": "t"}, "executable": true}),
            Ok(vec![("n*", Some("t"))]),
        ),
        (
            json!([text("n"), {"op": "replace-text", "path": "n", "find": "t", "replace": "u"}]),
            Ok(vec![("n", Some("u\n"))]),
        ),
        (text("a"), Err("patch/path-state-conflict")),
        (text("a/b"), Err("patch/path-state-conflict")),
        (text("d"), Err("patch/path-state-conflict")),
        (text("l"), Err("patch/path-state-conflict")),
        (text("m/n"), Err("patch/path-symlink")),
        (text("../n"), Err("patch/path")),
        (text("x/.git/y"), Err("patch/path")),
        (create("n", json!({"link": "/etc"})), Err("patch/path")),
        (create("n", json!({"link": "../x"})), Err("patch/path")),
        (create("n", json!({"base64": "A"})), Err("patch/schema")),
        (
            create("n", json!({"link": "a", "text": ""})),
            Err("patch/schema"),
        ),
        (
            json!([text("n"), text("n")]),
            Err("patch/path-state-conflict"),
        ),
    ]);
}

#[test]
fn files_are_replaced() {
    let replace = |path: &str, text: &str, pre: String| json!({"op": "replace-file", "path": path, "content": {"text": text}, "pre": pre});
    check_all(vec![
        (
            replace("a", "1\n", blob("one\n")),
            Ok(vec![("a", Some("1\n"))]),
        ),
        (replace("a", "", blob("one\n")), Ok(vec![("a", Some(""))])),
        (
            replace("b", "2\n", blob("two\n")),
            Ok(vec![("b*", Some("2\n"))]),
        ),
        (
            replace("c.bin", "text", blob("\u{0}\u{1}")),
            Ok(vec![("c.bin", Some("text"))]),
        ),
        (
            replace("empty", "full", blob("")),
            Ok(vec![("empty", Some("full"))]),
        ),
        (
            json!({"op": "replace-file", "path": "a", "content": {"base64": "AAE="}, "pre": blob("one\n")}),
            Ok(vec![("a", Some("\u{0}\u{1}"))]),
        ),
        (
            json!([{"op": "move-file", "path": "a", "to": "n", "pre": blob("one\n")}, replace("n", "1", blob("one\n"))]),
            Ok(vec![("a", None), ("n", Some("1"))]),
        ),
        (
            replace("a", "1", blob("two\n")),
            Err("patch/pre-image-mismatch"),
        ),
        (replace("a", "one\n", blob("one\n")), Err("patch/no-effect")),
        (
            replace("n", "1", blob("")),
            Err("patch/path-state-conflict"),
        ),
        (
            replace("d", "1", blob("")),
            Err("patch/path-state-conflict"),
        ),
        (replace("l", "1", blob("one\n")), Err("patch/path-symlink")),
        (
            json!({"op": "replace-file", "path": "a", "content": {"text": ""}}),
            Err("patch/schema"),
        ),
        (
            json!({"op": "replace-file", "path": "a", "content": {"link": "b"}, "pre": blob("one\n")}),
            Err("patch/schema"),
        ),
    ]);
}

#[test]
fn files_are_deleted() {
    let delete = |path: &str, pre: String| json!({"op": "delete-file", "path": path, "pre": pre});
    check_all(vec![
        (delete("a", blob("one\n")), Ok(vec![("a", None)])),
        (delete("b", blob("two\n")), Ok(vec![("b*", None)])),
        (
            delete("c.bin", blob("\u{0}\u{1}")),
            Ok(vec![("c.bin", None)]),
        ),
        (delete("d/x", blob("x\n")), Ok(vec![("d/x", None)])),
        (delete("e/only", blob("o\n")), Ok(vec![("e/only", None)])),
        (delete("empty", blob("")), Ok(vec![("empty", None)])),
        (delete("l", blob("a")), Ok(vec![("l", None)])),
        (
            json!([delete("e/only", blob("o\n")), {"op": "create-file", "path": "e", "content": {"text": "f"}}]),
            Ok(vec![("e/only", None), ("e", Some("f"))]),
        ),
        (
            json!([delete("a", blob("one\n")), {"op": "create-file", "path": "a/b", "content": {"text": "f"}}]),
            Ok(vec![("a", None), ("a/b", Some("f"))]),
        ),
        (delete("a", blob("")), Err("patch/pre-image-mismatch")),
        (delete("l", blob("one\n")), Err("patch/pre-image-mismatch")),
        (delete("d", blob("")), Err("patch/path-state-conflict")),
        (delete("n", blob("")), Err("patch/path-state-conflict")),
        (
            json!({"op": "delete-file", "path": "a"}),
            Err("patch/schema"),
        ),
        (
            json!([delete("a", blob("one\n")), delete("a", blob("one\n"))]),
            Err("patch/path-state-conflict"),
        ),
    ]);
}

#[test]
fn files_are_moved() {
    let moved = |path: &str, to: &str, pre: &str| json!({"op": "move-file", "path": path, "to": to, "pre": blob(pre)});
    check_all(vec![
        (
            moved("a", "n", "one\n"),
            Ok(vec![("a", None), ("n", Some("one\n"))]),
        ),
        (
            moved("b", "n", "two\n"),
            Ok(vec![("b*", None), ("n*", Some("two\n"))]),
        ),
        (
            moved("a", "n/o", "one\n"),
            Ok(vec![("a", None), ("n/o", Some("one\n"))]),
        ),
        (
            moved("a", "a/b", "one\n"),
            Ok(vec![("a", None), ("a/b", Some("one\n"))]),
        ),
        (
            moved("e/only", "e", "o\n"),
            Ok(vec![("e/only", None), ("e", Some("o\n"))]),
        ),
        (
            moved("c.bin", "d/c", "\u{0}\u{1}"),
            Ok(vec![("c.bin", None), ("d/c", Some("\u{0}\u{1}"))]),
        ),
        (
            json!([moved("a", "n", "one\n"), moved("n", "o", "one\n")]),
            Ok(vec![("a", None), ("o", Some("one\n"))]),
        ),
        (
            json!([moved("a", "A", "one\n")]),
            Ok(vec![("a", None), ("A", Some("one\n"))]),
        ),
        (moved("a", "b", "one\n"), Err("patch/path-state-conflict")),
        (moved("a", "d", "one\n"), Err("patch/path-state-conflict")),
        (moved("a", "l", "one\n"), Err("patch/path-state-conflict")),
        (moved("a", "m/n", "one\n"), Err("patch/path-symlink")),
        (moved("l", "n", "a"), Err("patch/path-symlink")),
        (moved("d", "n", ""), Err("patch/path-state-conflict")),
        (moved("a", "n", "two\n"), Err("patch/pre-image-mismatch")),
        (moved("a", "../n", "one\n"), Err("patch/path")),
        (moved("a", "a", "one\n"), Err("patch/no-effect")),
    ]);
}

#[test]
fn the_execute_bit_is_set() {
    let set = |path: &str, executable: bool| json!({"op": "set-executable", "path": path, "executable": executable});
    check_all(vec![
        (set("a", true), Ok(vec![("a", None), ("a*", Some("one\n"))])),
        (
            set("b", false),
            Ok(vec![("b*", None), ("b", Some("two\n"))]),
        ),
        (
            set("empty", true),
            Ok(vec![("empty", None), ("empty*", Some(""))]),
        ),
        (
            set("d/x", true),
            Ok(vec![("d/x", None), ("d/x*", Some("x\n"))]),
        ),
        (
            json!([set("a", true), {"op": "replace-text", "path": "a", "find": "one", "replace": "1"}]),
            Ok(vec![("a", None), ("a*", Some("1\n"))]),
        ),
        (
            json!([set("a", true), {"op": "move-file", "path": "a", "to": "n", "pre": blob("one\n")}]),
            Ok(vec![("a", None), ("n*", Some("one\n"))]),
        ),
        (
            json!({"op": "set-executable", "path": "a", "executable": true, "pre": blob("one\n")}),
            Ok(vec![("a", None), ("a*", Some("one\n"))]),
        ),
        (
            json!({"op": "set-executable", "path": "a", "executable": true, "pre": blob("")}),
            Err("patch/pre-image-mismatch"),
        ),
        (set("a", false), Err("patch/no-effect")),
        (set("b", true), Err("patch/no-effect")),
        (set("d", true), Err("patch/path-state-conflict")),
        (set("n", true), Err("patch/path-state-conflict")),
        (set("l", true), Err("patch/path-symlink")),
        (
            json!({"op": "set-executable", "path": "a"}),
            Err("patch/schema"),
        ),
        (
            json!({"op": "set-executable", "path": "a", "executable": 1}),
            Err("patch/schema"),
        ),
    ]);
}

const PYTHON: &str = "import os\n\n\ndef a():\n    return 1\n\n\nclass C:\n    x = 1\n\n    def m(self):\n        return a()\n\n    def n(self):\n        return 2\n";
const SCRIPT: &str =
    "export function f(a) {\n  return a;\n}\n\nconst g = () => f(1);\nlet h = 1, i = 2;\n";
const GO: &str =
    "package p\n\n// T holds.\ntype T struct{}\n\n// M does.\nfunc (t T) M() {}\n\nfunc f() {}\n";

fn path(names: &[&str]) -> Value {
    json!({"path": names})
}

#[test]
fn definitions_are_replaced() {
    let replace = |names: &[&str], text: &str| json!({"op": "replace-definition", "target": path(names), "text": text});
    for (file, before, op, expected) in [
        (
            "f.py",
            PYTHON,
            replace(&["a"], "def a():\n    return 3"),
            Ok(PYTHON.replace("return 1", "return 3")),
        ),
        (
            "f.py",
            PYTHON,
            replace(&["a"], "def a():\n    return 3\n\n"),
            Ok(PYTHON.replace("return 1", "return 3")),
        ),
        (
            "f.py",
            PYTHON,
            replace(&["C", "m"], "    def m(self):\n        pass"),
            Ok(PYTHON.replace("return a()", "pass")),
        ),
        (
            "f.py",
            PYTHON,
            replace(&["C", "m"], "def m(self):\n        pass"),
            Ok(PYTHON.replace("return a()", "pass")),
        ),
        (
            "f.py",
            PYTHON,
            replace(&["C", "x"], "x = 2"),
            Ok(PYTHON.replace("x = 1", "x = 2")),
        ),
        (
            "f.js",
            SCRIPT,
            replace(&["g"], "const g = () => f(2);"),
            Ok(SCRIPT.replace("f(1)", "f(2)")),
        ),
        (
            "f.js",
            SCRIPT,
            replace(&["h"], "h = 3"),
            Ok(SCRIPT.replace("h = 1", "h = 3")),
        ),
        (
            "f.js",
            SCRIPT,
            replace(&["f"], "/** d */\nexport function f(a) {}"),
            Ok(SCRIPT.replace(
                "export function f(a) {\n  return a;\n}",
                "/** d */\nexport function f(a) {}",
            )),
        ),
        (
            "f.go",
            GO,
            replace(&["T"], "type T struct{ a int }"),
            Ok(GO.replace("struct{}", "struct{ a int }")),
        ),
        (
            "f.go",
            GO,
            replace(&["T.M"], "func (t T) M() int { return 1 }"),
            Ok(GO.replace("M() {}", "M() int { return 1 }")),
        ),
        (
            "f.py",
            PYTHON,
            replace(&["a"], "def b():\n    pass"),
            Err("patch/syntax-regression"),
        ),
        (
            "f.py",
            PYTHON,
            replace(&["a"], "def a(:"),
            Err("patch/syntax-regression"),
        ),
        (
            "f.go",
            GO,
            replace(&["g"], "func g() {}"),
            Err("patch/definition-missing"),
        ),
    ] {
        check(file, before, op, expected.as_deref().map_err(|code| *code));
    }
    let crlf = PYTHON.replace('\n', "\r\n");
    check(
        "f.py",
        &crlf,
        replace(&["a"], "def a():\n    return 3"),
        Ok(&crlf.replace("return 1", "return 3")),
    );
}

#[test]
fn definitions_are_inserted() {
    let insert = |anchor: Value, text: &str| json!({"op": "insert-definition", "anchor": anchor, "text": text});
    for (file, before, op, expected) in [
        (
            "f.py",
            PYTHON,
            insert(json!({"after": path(&["a"])}), "def b():\n    pass"),
            Ok(PYTHON.replace("return 1\n", "return 1\n\n\ndef b():\n    pass\n")),
        ),
        (
            "f.py",
            PYTHON,
            insert(json!({"before": path(&["C"])}), "def b():\n    pass"),
            Ok(PYTHON.replace("class C", "def b():\n    pass\n\n\nclass C")),
        ),
        (
            "f.py",
            PYTHON,
            insert(json!({"into": path(&["C"])}), "def o(self):\n    pass"),
            Ok(format!("{PYTHON}\n    def o(self):\n        pass\n")),
        ),
        (
            "f.py",
            PYTHON,
            insert(
                json!({"before": path(&["C", "n"])}),
                "def o(self):\n    pass",
            ),
            Ok(PYTHON.replace("    def n", "    def o(self):\n        pass\n\n    def n")),
        ),
        (
            "f.py",
            PYTHON,
            insert(json!("last"), "def z():\n    pass"),
            Ok(format!("{PYTHON}\n\ndef z():\n    pass\n")),
        ),
        (
            "f.py",
            PYTHON,
            insert(json!("first"), "def z():\n    pass"),
            Ok(PYTHON.replace("def a", "def z():\n    pass\n\n\ndef a")),
        ),
        (
            "f.js",
            SCRIPT,
            insert(json!({"after": path(&["f"])}), "function k() {}"),
            Ok(SCRIPT.replace("}\n\nconst", "}\n\nfunction k() {}\n\nconst")),
        ),
        (
            "f.go",
            GO,
            insert(
                json!({"after": path(&["T.M"])}),
                "// N does.\nfunc (t T) N() {}",
            ),
            Ok(GO.replace("M() {}\n", "M() {}\n\n// N does.\nfunc (t T) N() {}\n")),
        ),
        (
            "f.go",
            GO,
            insert(json!("last"), "func z() {}"),
            Ok(format!("{GO}\nfunc z() {{}}\n")),
        ),
        (
            "f.py",
            "",
            insert(json!("last"), "def z():\n    pass"),
            Ok("def z():\n    pass\n".to_owned()),
        ),
        (
            "f.py",
            PYTHON,
            insert(json!({"into": path(&["a"])}), "x = 1"),
            Err("patch/path-state-conflict"),
        ),
        (
            "f.py",
            PYTHON,
            insert(json!({"after": path(&["q"])}), "def b():\n    pass"),
            Err("patch/definition-missing"),
        ),
        (
            "f.py",
            PYTHON,
            insert(json!("last"), "# nothing"),
            Err("patch/syntax-regression"),
        ),
        (
            "f.txt",
            PYTHON,
            insert(json!("last"), "def z():\n    pass"),
            Err("patch/language-unsupported"),
        ),
    ] {
        check(file, before, op, expected.as_deref().map_err(|code| *code));
    }
}

#[test]
fn definitions_are_deleted() {
    let delete = |names: &[&str]| json!({"op": "delete-definition", "target": path(names)});
    for (file, before, op, expected) in [
        (
            "f.py",
            PYTHON,
            delete(&["a"]),
            Ok(PYTHON.replace("def a():\n    return 1\n\n\n", "")),
        ),
        (
            "f.py",
            PYTHON,
            delete(&["C"]),
            Ok("import os\n\n\ndef a():\n    return 1\n".to_owned()),
        ),
        (
            "f.py",
            PYTHON,
            delete(&["C", "x"]),
            Ok(PYTHON.replace("    x = 1\n\n", "")),
        ),
        (
            "f.py",
            PYTHON,
            delete(&["C", "m"]),
            Ok(PYTHON.replace("    def m(self):\n        return a()\n\n", "")),
        ),
        (
            "f.py",
            PYTHON,
            delete(&["C", "n"]),
            Ok(PYTHON.replace("\n    def n(self):\n        return 2\n", "")),
        ),
        (
            "f.js",
            SCRIPT,
            delete(&["f"]),
            Ok(SCRIPT.replace("export function f(a) {\n  return a;\n}\n\n", "")),
        ),
        (
            "f.js",
            SCRIPT,
            delete(&["h"]),
            Ok(SCRIPT.replace("let h = 1, i = 2", "let i = 2")),
        ),
        (
            "f.js",
            SCRIPT,
            delete(&["i"]),
            Ok(SCRIPT.replace("let h = 1, i = 2", "let h = 1")),
        ),
        (
            "f.go",
            GO,
            delete(&["T"]),
            Ok(GO.replace("// T holds.\ntype T struct{}\n\n", "")),
        ),
        (
            "f.go",
            GO,
            delete(&["T.M"]),
            Ok(GO.replace("// M does.\nfunc (t T) M() {}\n\n", "")),
        ),
        (
            "f.go",
            GO,
            delete(&["f"]),
            Ok(GO.replace("\nfunc f() {}\n", "")),
        ),
        (
            "f.py",
            PYTHON,
            delete(&["C", "q"]),
            Err("patch/definition-missing"),
        ),
        (
            "f.py",
            "def a():\n  x = (\n\n\ndef b(:\n  pass\n",
            delete(&["a"]),
            Err("patch/definition-unparsable"),
        ),
    ] {
        check(file, before, op, expected.as_deref().map_err(|code| *code));
    }
}

#[test]
fn definitions_are_renamed() {
    let rename = |names: &[&str], to: &str| json!({"op": "rename-definition", "target": path(names), "to": to});
    for (file, before, op, expected) in [
        (
            "f.py",
            PYTHON,
            rename(&["a"], "b"),
            Ok(PYTHON.replace("a()", "b()")),
        ),
        (
            "f.py",
            PYTHON,
            rename(&["C"], "D"),
            Ok(PYTHON.replace("class C", "class D")),
        ),
        (
            "f.py",
            PYTHON,
            rename(&["C", "m"], "k"),
            Ok(PYTHON.replace("def m", "def k")),
        ),
        (
            "f.py",
            "def a():\n    return 'a' # a\n",
            rename(&["a"], "b"),
            Ok("def b():\n    return 'a' # a\n".to_owned()),
        ),
        (
            "f.js",
            SCRIPT,
            rename(&["f"], "k"),
            Ok(SCRIPT
                .replace("function f(", "function k(")
                .replace("f(1)", "k(1)")),
        ),
        (
            "f.js",
            SCRIPT,
            rename(&["g"], "k"),
            Ok(SCRIPT.replace("const g", "const k")),
        ),
        (
            "f.go",
            GO,
            rename(&["T"], "U"),
            Ok(GO.replace("type T", "type U").replace("(t T)", "(t U)")),
        ),
        (
            "f.go",
            GO,
            rename(&["f"], "g"),
            Ok(GO.replace("func f", "func g")),
        ),
        (
            "f.c",
            "int add(int a);\nint sum(void) { return add(1); }\n",
            rename(&["add"], "plus"),
            Ok("int plus(int a);\nint sum(void) { return plus(1); }\n".to_owned()),
        ),
        (
            "f.py",
            PYTHON,
            rename(&["a"], "C"),
            Err("patch/rename-conflict"),
        ),
        (
            "f.py",
            "def a(): pass\n\n\ndef f(a):\n    return a\n",
            rename(&["a"], "b"),
            Err("patch/rename-conflict"),
        ),
        (
            "f.py",
            "from x import a\n\n\ndef a(): pass\n",
            rename(&["a"], "b"),
            Err("patch/rename-conflict"),
        ),
        (
            "f.py",
            PYTHON,
            rename(&["a"], "no name"),
            Err("patch/schema"),
        ),
        (
            "f.py",
            PYTHON,
            rename(&["q"], "b"),
            Err("patch/definition-missing"),
        ),
    ] {
        check(file, before, op, expected.as_deref().map_err(|code| *code));
    }
}
