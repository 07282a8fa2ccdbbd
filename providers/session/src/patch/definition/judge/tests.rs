use super::{Parts, errors, inverse, tree_of};
use crate::patch::definition::Language;
use crate::patch::splice::{Splice, spliced};

const RUST: &str = "use std::fmt;\n\n/// A doc.\n#[derive(Debug)]\npub struct Held {\n    value: u32,\n}\n\nimpl Held {\n    fn value(&self) -> u32 {\n        // A comment.\n\n        self.value\n    }\n}\n\nconst TEXT: &str = r#\"\nfn quoted() {}\n\nfn more() {}\n\"#;\n\nfn last() {\n    if true {\n        call(\"a\");\n    }\n\n    else_too();\n}\n";
const PYTHON: &str = "\"\"\"Words.\n\nMore words.\n\"\"\"\nimport os\n\n@decorated\ndef first(value):\n    if value:\n        return 1\n\n    return 2\n\ntry:\n    first(1)\n\nexcept OSError:\n    pass\n\nclass Held:\n    def method(self):\n        return {\n            'a': 1,\n        }\n\n\nLAST = 3\n";
const SCRIPT: &str = "import { a } from 'b';\n\nexport function first(value) {\n  return `one\n\nconst two = ${value}\n\nthree`;\n}\n\nclass Held {\n  method() {\n    return /[/\"]/.test('x');\n  }\n\n  other() {}\n}\n\nif (a) {\n  first(1);\n}\n\nelse {\n  first(2);\n}\n\nconst last = () => 3;\n";
const GO: &str = "package a\n\nimport \"fmt\"\n\nconst text = `\nfunc quoted() {\n\nfunc other() {}\n`\n\n// First says it.\nfunc First() {\n\tfmt.Println(\"a\")\n}\n\ntype Held struct {\n\tvalue int\n}\n\nfunc (h Held) Value() int {\n\treturn h.value\n}\n";
const C: &str = "#include <stdio.h>\n\n/* A comment.\n\nint quoted(void);\n\n*/\nstatic int first(int value) {\n    return value + 1;\n}\n\n#ifdef ONE\n\nint one = 1;\n\n#endif\n\nstruct held {\n    int value;\n};\n\nint main(void) {\n    return first(2);\n}\n";
const JAVA: &str = "package a;\n\nimport b.C;\n\n/** A doc. */\npublic class Held {\n    private int value = 1;\n\n    public int value() {\n        return value;\n    }\n}\n\nclass Other {\n    void method() {}\n}\n\ninterface Last {\n    void method();\n}\n";

const LANGUAGES: [(Language, &str); 6] = [
    (Language::Rust, RUST),
    (Language::Python, PYTHON),
    (Language::JavaScript, SCRIPT),
    (Language::Go, GO),
    (Language::C, C),
    (Language::Java, JAVA),
];

/// Lines that are put in: some are code, most break what stands around them.
const INSERTED: &[&str] = &[
    "",
    "}\n",
    "{\n",
    "\"\n",
    "'\n",
    "`\n",
    "/*\n",
    "*/\n",
    "\"\"\"\n",
    "\"#\n",
    ")\n",
    "x = 1;\n",
    "    call(2);\n",
    "\n\nfn added() {}\n\n",
    "#endif\n",
    "else {\n",
];

fn count(language: Language, text: &[u8]) -> usize {
    errors(tree_of(language, text, None).root_node()).len()
}

/// Every line of a text in turn with lines before it, and in its place.
fn edits(text: &str) -> Vec<Splice> {
    let mut edits = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        for inserted in INSERTED {
            edits.push(Splice::new(start..start, inserted.as_bytes()));
            edits.push(Splice::new(start..end, inserted.as_bytes()));
        }
        start = end;
    }
    edits
}

#[test]
fn what_is_judged_clean_in_parts_has_no_more_errors_as_a_whole() {
    for (language, text) in LANGUAGES {
        // A long tail, so that a part is a small one.
        let text = text.repeat(2);
        let before = count(language, text.as_bytes());
        let mut clean = 0;
        for splice in edits(&text) {
            let splices = [splice];
            let after = spliced(text.as_bytes(), &splices);
            let parts = Parts {
                language,
                before: text.as_bytes(),
                after: &after,
            };
            if parts.are_clean(&splices) {
                clean += 1;
                assert!(
                    count(language, &after) <= before,
                    "{language:?}: {:?} at {} of\n{text}",
                    String::from_utf8_lossy(&splices[0].bytes),
                    splices[0].start,
                );
            }
        }
        assert!(
            clean > 50,
            "{language:?}: only {clean} were judged in parts"
        );
    }
}

#[test]
fn two_changes_are_judged_apart_or_as_one() {
    let text = "fn one() {}\n\nfn two() {}\n\nfn three() {}\n\n".repeat(4);
    let second = text.find("two").unwrap();
    let third = text.find("three").unwrap();
    let last = text.rfind("two").unwrap();
    let splices = [
        Splice::new(second..second + 3, b"2_is_long".as_slice()),
        Splice::new(third..third + 5, b"t".as_slice()),
        Splice::new(last..last + 3, b"second".as_slice()),
    ];
    let after = spliced(text.as_bytes(), &splices);
    let parts = Parts {
        language: Language::Rust,
        before: text.as_bytes(),
        after: &after,
    };
    let around = parts.around(&splices);
    let texts: Vec<(&str, &str)> = around
        .iter()
        .map(|(before, piece)| {
            let piece = std::str::from_utf8(&after[piece.clone()]).unwrap();
            (&text[before.clone()], piece)
        })
        .collect();
    assert_eq!(
        texts,
        [
            ("fn two() {}\n\n", "fn 2_is_long() {}\n\n"),
            ("fn three() {}\n\n", "fn t() {}\n\n"),
            ("fn two() {}\n\n", "fn second() {}\n\n"),
        ]
    );
    assert!(!parts.are_clean(&splices), "`2_is_long` is no name");
    let back = spliced(&after, &inverse(text.as_bytes(), &splices));
    assert_eq!(String::from_utf8_lossy(&back), text);
}
