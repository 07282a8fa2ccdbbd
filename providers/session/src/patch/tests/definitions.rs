use serde_json::{Value, json};

use super::fixture::{MemoryFiles, check, run};
use crate::patch::definition::{Language, Outline};
use crate::patch::failure::Failure;
use crate::patch::steps;
use crate::path::WorkspacePath;

const RUST: &str = "//! Docs.\n\nuse std::fmt;\n\n/// One.\n#[inline]\npub fn one() -> u8 {\n    1\n} // end\n\nstruct Two;\n\nimpl Two {\n    fn get(&self) -> u8 {\n        2\n    }\n\n    fn set(&mut self) {}\n}\n";

fn listed(language: &str, text: &str) -> Vec<String> {
    let outline = Outline::of(Language::named(language).unwrap(), text.as_bytes()).unwrap();
    assert!(
        outline.errors.is_empty(),
        "{language}: {:?}",
        outline.errors
    );
    let shown = |definition: &crate::patch::definition::Definition| {
        let text = &text[definition.range.clone()];
        format!(
            "{} {}: {}",
            definition.kind,
            definition.path.to_vec().join(">"),
            text.replace('\n', "|")
        )
    };
    outline.definitions.iter().map(shown).collect()
}

#[test]
fn each_language_has_its_definitions_and_what_belongs_to_them() {
    for (language, text, expected) in [
        (
            "rust",
            "// far\n\n// near\n#[test]\nfn a() {}\n",
            vec!["test a: // near|#[test]|fn a() {}"],
        ),
        (
            "rust",
            "impl<T> A for B<T> {\n    const C: u8 = 1; // c\n}\n",
            vec![
                "impl impl A for B<T>: impl<T> A for B<T> {|    const C: u8 = 1; // c|}",
                "const impl A for B<T>>C: const C: u8 = 1; // c",
            ],
        ),
        (
            "python",
            "#!/bin/python\n# doc\n@deco\ndef f():\n    pass\n\nX = 1\nclass C:\n    # m\n    def m(self):\n        pass\n",
            vec![
                "function f: # doc|@deco|def f():|    pass",
                "assignment X: X = 1",
                "class C: class C:|    # m|    def m(self):|        pass",
                "method C>m: # m|    def m(self):|        pass",
            ],
        ),
        (
            "javascript",
            "/** d */\nexport const f = () => 1; // t\nlet a = 1, b = 2;\nclass K { m() {} }\n",
            vec![
                "function f: /** d */|export const f = () => 1; // t",
                "const a: a = 1",
                "const b: b = 2",
                "class K: class K { m() {} }",
                "method K>m: m() {}",
            ],
        ),
        (
            "typescript",
            "export interface I { a: string }\ntype T = I;\nenum E { A }\n",
            vec![
                "interface I: export interface I { a: string }",
                "type T: type T = I;",
                "enum E: enum E { A }",
            ],
        ),
        (
            "tsx",
            "export function A() { return <b/>; }\n",
            vec!["function A: export function A() { return <b/>; }"],
        ),
        (
            "go",
            "package p\n\n// T is.\ntype T struct{}\n\nfunc (t *T) M() {}\n\nconst (\n\tA = 1\n\tB = 2\n)\n",
            vec![
                "type T: // T is.|type T struct{}",
                "method T.M: func (t *T) M() {}",
                "const A: A = 1",
                "const B: B = 2",
            ],
        ),
        (
            "java",
            "/** d */\n@X\npublic class A {\n    int f = 1;\n    A() {}\n    void m() {}\n}\n",
            vec![
                "class A: /** d */|@X|public class A {|    int f = 1;|    A() {}|    void m() {}|}",
                "field A>f: int f = 1;",
                "constructor A>A: A() {}",
                "method A>m: void m() {}",
            ],
        ),
        (
            "c",
            "#include <a.h>\n#define M 1\n// f\nint f(void);\nstruct S { int a; };\ntypedef int T;\nint f(void) { return 1; }\nstatic int v = 1;\n",
            vec![
                "macro M: #define M 1",
                "declaration f: // f|int f(void);",
                "struct S: struct S { int a; };",
                "typedef T: typedef int T;",
                "function f: int f(void) { return 1; }",
                "variable v: static int v = 1;",
            ],
        ),
    ] {
        assert_eq!(listed(language, text), expected, "{language}");
    }
}

#[test]
fn definitions_are_replaced_inserted_and_deleted() {
    let edited = |from: &str, to: &str| RUST.replacen(from, to, 1);
    let target = |path: Value| json!({ "path": path });
    let cases: Vec<(Value, String)> = vec![
        (
            json!({ "op": "replace-definition", "target": target(json!(["one"])), "text": "pub fn one() -> u8 {\n    11\n}" }),
            edited("    1\n} // end", "    11\n}"),
        ),
        (
            json!({ "op": "replace-definition", "target": target(json!(["one"])), "text": "/// New.\npub fn one() {}\n" }),
            edited(
                "/// One.\n#[inline]\npub fn one() -> u8 {\n    1\n} // end",
                "/// New.\npub fn one() {}",
            ),
        ),
        (
            json!({ "op": "replace-definition", "target": target(json!(["impl Two", "get"])), "text": "    fn get(&self) -> u8 {\n        3\n    }" }),
            edited("        2\n", "        3\n"),
        ),
        (
            json!({ "op": "delete-definition", "target": target(json!(["Two"])) }),
            edited("struct Two;\n\n", ""),
        ),
        (
            json!({ "op": "delete-definition", "target": target(json!(["impl Two", "set"])) }),
            edited("\n    fn set(&mut self) {}\n", ""),
        ),
        (
            json!({ "op": "insert-definition", "anchor": { "after": target(json!(["Two"])) }, "text": "struct Three;" }),
            edited("struct Two;\n", "struct Two;\n\nstruct Three;\n"),
        ),
        (
            json!({ "op": "insert-definition", "anchor": { "before": target(json!(["impl Two", "set"])) }, "text": "fn put() {\n    x();\n}" }),
            edited(
                "    fn set",
                "    fn put() {\n        x();\n    }\n\n    fn set",
            ),
        ),
        (
            json!({ "op": "insert-definition", "anchor": { "into": target(json!(["impl Two"])) }, "text": "fn put() {}" }),
            edited(
                "    fn set(&mut self) {}\n",
                "    fn set(&mut self) {}\n\n    fn put() {}\n",
            ),
        ),
        (
            json!({ "op": "insert-definition", "anchor": "first", "text": "fn zero() {}" }),
            edited("/// One.", "fn zero() {}\n\n/// One."),
        ),
        (
            json!({ "op": "insert-definition", "anchor": "last", "text": "fn end() {}" }),
            format!("{RUST}\nfn end() {{}}\n"),
        ),
        (
            json!({ "op": "replace-text", "find": "u8", "replace": "u16", "within": target(json!(["one"])) }),
            edited("u8", "u16"),
        ),
        (
            json!({ "op": "rename-definition", "target": target(json!(["Two"])), "to": "Pair" }),
            RUST.replace("struct Two", "struct Pair")
                .replace("impl Two", "impl Pair"),
        ),
    ];
    for (op, expected) in cases {
        check("f.rs", RUST, op, Ok(&expected));
    }
}

#[test]
fn edits_of_definitions_that_do_not_fit_are_refused() {
    let target = |path: Value| json!({ "path": path });
    let cases: Vec<(Value, &str)> = vec![
        (
            json!({ "op": "delete-definition", "target": target(json!(["on"])) }),
            "patch/definition-missing",
        ),
        (
            json!({ "op": "replace-definition", "target": target(json!(["one"])), "text": "pub fn one() {" }),
            "patch/syntax-regression",
        ),
        (
            json!({ "op": "replace-definition", "target": target(json!(["one"])), "text": "pub fn other() {}" }),
            "patch/syntax-regression",
        ),
        (
            json!({ "op": "insert-definition", "anchor": "last", "text": "// nothing" }),
            "patch/syntax-regression",
        ),
        (
            json!({ "op": "delete-definition", "target": { "path": ["one"], "old": "fn one() {}" } }),
            "patch/pre-image-mismatch",
        ),
        (
            json!({ "op": "rename-definition", "target": target(json!(["Two"])), "to": "fmt" }),
            "patch/rename-conflict",
        ),
        (
            json!({ "op": "delete-definition", "language": "cobol", "target": target(json!(["one"])) }),
            "patch/language-unsupported",
        ),
    ];
    for (op, expected) in cases {
        check("f.rs", RUST, op, Err(expected));
    }
    let twice = "#[cfg(a)]\nfn f() {}\n\n#[cfg(b)]\nfn f() {}\n";
    let op = |occurrence: Value| json!({ "op": "delete-definition", "target": { "path": ["f"], "occurrence": occurrence } });
    check(
        "f.rs",
        twice,
        op(json!({ "index": 2, "of": 2 })),
        Ok("#[cfg(a)]\nfn f() {}\n"),
    );
    check(
        "f.rs",
        twice,
        op(json!({ "index": 1, "of": 3 })),
        Err("patch/definition-ambiguous"),
    );
    check(
        "f.rs",
        "fn f( {\n",
        json!({ "op": "delete-definition", "target": { "path": ["f"] } }),
        Err("patch/definition-missing"),
    );
}

#[test]
fn a_missing_definition_names_its_neighbours() {
    let files = MemoryFiles::new(&[("a.rs", "fn first() {}\n"), ("b.rs", "fn second() {}\n")]);
    let ops =
        json!([{ "op": "delete-definition", "path": "a.rs", "target": { "path": ["second"] } }]);
    let report = run(&files, &ops).unwrap_err()[0].to_value();
    assert_eq!(report["elsewhere"], json!([{ "file": "b.rs", "line": 1 }]));
}

/// Targets nothing, in a file whose definitions are too many or too deep; gives the limit of the refusal and what was seen.
fn refused_by_limit(name: &str, text: &str) -> (u64, u64) {
    let files = MemoryFiles::new(&[(name, text)]);
    let op = json!({
        "op": "replace-definition", "path": name, "target": { "path": ["missing"] }, "text": "x",
    });
    let reports = run(&files, &json!([op])).unwrap_err();
    match &reports[0].failure {
        Failure::Limit {
            limit, observed, ..
        } => (*limit, *observed),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn definitions_that_lie_too_deep_are_counted_and_refused_by_name() {
    let depth = 20_000;
    for (name, open, close, names_each) in [
        ("f.rs", "fn f(){", "}", 1),
        ("f.rs", "mod m{", "}", 1),
        ("f.js", "class A { f() {", "}}", 2),
        ("f.java", "class A {", "}", 1),
        ("f.rs", "impl [();{", "}] {}", 1),
    ] {
        let text = open.repeat(depth) + &close.repeat(depth);
        let all = (depth * names_each) as u64;
        let (limit, observed) = refused_by_limit(name, &text);
        if open.starts_with("impl") {
            assert_eq!((limit, observed), (1024, 1025), "{open}");
            continue;
        }
        assert_eq!((limit, observed), (64, all), "{open}");
        let language = Language::of_path(&WorkspacePath::new(name).unwrap()).unwrap();
        let outline = Outline::of(language, text.as_bytes()).unwrap();
        let omitted = outline.cut.unwrap().omitted;
        assert_eq!(
            outline.definitions.len() + omitted,
            depth * names_each,
            "{open}"
        );
        assert_eq!(outline.definitions.len(), 64, "{open}");
    }
}

#[test]
fn definitions_of_a_file_are_bounded_in_number() {
    let text = format!("let {}z\n", "a,".repeat(250_000));
    assert_eq!(refused_by_limit("f.js", &text), (250_000, 250_001));
}

#[test]
fn definitions_side_by_side_on_one_line_keep_what_is_theirs() {
    let blanks = " ".repeat(100_000);
    let text = format!("{blanks}{}", "#[a] fn f(){} /* c */ ".repeat(20_000));
    let outline = Outline::of(Language::Rust, text.as_bytes()).unwrap();
    assert_eq!(outline.definitions.len(), 20_000);
    let first = &outline.definitions[0];
    assert_eq!(&text[first.range.clone()], "#[a] fn f(){}");
    let wrapped = "{".repeat(20_000) + &"fn g(){}".repeat(20_000) + &"}".repeat(20_000);
    let text = format!("fn f(){wrapped}");
    let outline = Outline::of(Language::Rust, text.as_bytes()).unwrap();
    assert_eq!(outline.definitions.len(), 20_001);
    let last = &outline.definitions[20_000];
    assert_eq!(
        (last.path.to_vec(), &*last.kind),
        (vec!["f".to_owned(), "g".to_owned()], "function")
    );
}

#[test]
fn a_rename_takes_steps_in_proportion_to_the_uses_of_the_name() {
    let uses = |count: usize, line: &str| {
        let text = format!("fn old() {{}}\n\n{}", line.repeat(count));
        let files = MemoryFiles::new(&[("a.rs", text)]);
        let op = json!({ "op": "rename-definition", "path": "a.rs", "target": { "path": ["old"] }, "to": "new" });
        steps::taken(|| {
            // A name that is bound again is refused, at the same cost.
            let _ = run(&files, &json!([op]));
        })
    };
    for line in [
        "fn use_it() { old(); }\n",
        "const USED: fn() = old;\n",
        "static USES: [fn(); 2] = [old, old];\n",
        "use there::old;\n",
    ] {
        let (few, many) = (uses(200, line), uses(800, line));
        assert!(few >= 200, "`{line}` counts {few} steps");
        assert!(many <= few * 5, "`{line}`: {few} steps become {many}");
    }
}
