//! Definitions of real files, replaced, removed, renamed and put back: the same bytes, and no other definition touched.

use lonis_session::patch::definition::{Definition, Language, Outline};
use lonis_session::path::WorkspacePath;
use serde_json::{Value, json};

use crate::corpus::files;
use crate::memory::Memory;

const SAMPLES: [(&str, &str); 8] = [
    (
        "s.rs",
        "//! Docs.\n\nuse std::fmt;\n\n/// One.\n#[derive(Debug)]\npub struct One {\n    a: u8,\n}\n\nimpl One {\n    /// Gets.\n    pub fn get(&self) -> u8 {\n        self.a\n    }\n\n    fn set(&mut self, a: u8) {\n        self.a = a;\n    }\n}\n\nimpl fmt::Display for One {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        write!(f, \"{}\", self.a)\n    }\n}\n\nconst LIMIT: usize = 4; // why\nstatic NAME: &str = \"x\";\n\nenum Way {\n    In,\n    Out,\n}\n\nmacro_rules! twice {\n    ($x:expr) => {\n        $x * 2\n    };\n}\n\nfn last() -> usize {\n    LIMIT\n}\n",
    ),
    (
        "s.py",
        "\"\"\"Docs.\"\"\"\nimport os\n\nLIMIT = 3\n\n\n# About f.\n@staticmethod\ndef f(a):\n    \"\"\"Doc.\"\"\"\n    return a + 1\n\n\nclass C:\n    size = 1\n\n    def m(self):\n        def inner():\n            return 2\n        return inner()\n\n    async def n(self):\n        pass\n\n\ndef last():\n    return f(LIMIT)\n",
    ),
    (
        "s.js",
        "// Header.\n\nimport x from 'x';\n\n/** Adds. */\nexport function add(a, b) {\n  return a + b;\n}\n\nexport const twice = (n) => n * 2;\n\nclass K {\n  // about m\n  m() {\n    return 1;\n  }\n\n  static n() {}\n}\n\nlet one = 1, two = 2;\n\nfunction* many() {\n  yield one;\n}\n",
    ),
    (
        "s.ts",
        "import { a } from './a';\n\nexport interface Shape {\n  area(): number;\n  name: string;\n}\n\nexport type Id = string | number;\n\nenum Way {\n  In,\n  Out,\n}\n\n@deco\nexport class Box implements Shape {\n  name = 'box';\n  area(): number {\n    return 1;\n  }\n}\n\nexport const make = (n: number): Box => new Box();\n",
    ),
    (
        "s.tsx",
        "import React from 'react';\n\nexport function View(props: { a: string }) {\n  return <p className=\"x\">{props.a}</p>;\n}\n\nconst Other = () => <View a=\"b\" />;\n",
    ),
    (
        "s.go",
        "// Package p does.\npackage p\n\nimport \"fmt\"\n\n// Limit is.\nconst Limit = 3\n\nvar name = \"x\"\n\n// T holds.\ntype T struct {\n\ta int\n}\n\n// Get gets.\nfunc (t *T) Get() int {\n\treturn t.a\n}\n\nfunc main() {\n\tfmt.Println(Limit, name)\n}\n",
    ),
    (
        "S.java",
        "package p;\n\nimport java.util.List;\n\n/** Docs. */\npublic class S {\n    private int a = 1;\n\n    /** Makes. */\n    public S() {\n        this.a = 2;\n    }\n\n    @Override\n    public String toString() {\n        return \"\" + a;\n    }\n\n    enum Way { IN, OUT }\n\n    interface Job {\n        void run();\n    }\n}\n",
    ),
    (
        "s.c",
        "/* Header. */\n\n#include <stdio.h>\n\n#define LIMIT 3\n\nstruct point {\n    int x;\n};\n\ntypedef struct point point_t;\n\nstatic int count = 0;\n\nint add(int a, int b);\n\n/* Adds. */\nint add(int a, int b)\n{\n    return a + b;\n}\n\nint main(void)\n{\n    return add(LIMIT, count);\n}\n",
    ),
];

/// What became of the edits of some definitions.
#[derive(Debug, Default)]
struct Tally {
    tried: usize,
    replaced: usize,
    removed: usize,
    put_back_equal: usize,
    renamed: usize,
    refused: Vec<String>,
}

struct File<'t> {
    name: &'t str,
    text: &'t str,
    outline: Outline,
}

impl<'t> File<'t> {
    fn of(name: &'t str, text: &'t str) -> Option<Self> {
        let language = Language::of_path(&WorkspacePath::new(name).ok()?)?;
        let outline = Outline::of(language, text.as_bytes()).ok()?;
        outline.errors.is_empty().then_some(Self {
            name,
            text,
            outline,
        })
    }

    fn target(&self, definition: &Definition) -> Value {
        let occurrence = self.outline.occurrence(definition);
        json!({"path": definition.path.to_vec(), "kind": definition.kind,
            "occurrence": {"index": occurrence.index, "of": occurrence.of}})
    }

    /// The text after an op, or the code by which it is refused.
    fn after(&self, text: &str, op: &Value) -> Result<String, String> {
        let files = Memory::file(self.name, text);
        let after = files
            .sent(self.name, op)
            .map_err(|reports| format!("{}: {}", reports[0].failure.code(), reports[0].failure))?;
        Ok(String::from_utf8(after.bytes(self.name).to_vec()).unwrap())
    }

    /// The bytes of all definitions that a range does not touch.
    fn others(&self, text: &str, range: &std::ops::Range<usize>) -> Vec<String> {
        let definitions = self.outline.definitions.iter();
        let apart = definitions
            .filter(|other| other.range.end <= range.start || other.range.start >= range.end);
        let own = |other: &Definition| self.text[other.range.clone()].to_owned();
        apart
            .map(own)
            .filter(|own| !text.contains(own.as_str()))
            .collect()
    }

    fn replace(&self, definition: &Definition, tally: &mut Tally) {
        // A declarator that shares its statement takes no comment along, and a comment with code behind it belongs to none.
        let behind = self.text[definition.range.end..].lines().next();
        let is_alone = behind.is_none_or(|behind| behind.trim().is_empty());
        if definition.shares_statement || !is_alone {
            return;
        }
        let text = &self.text[definition.range.clone()];
        let comment = if self.name.contains(".py") {
            "  # marked"
        } else {
            " /* marked */"
        };
        let marked = format!("{text}{comment}");
        let op = |target: Value, text: &str| json!({"op": "replace-definition", "target": target, "text": text});
        let target = self.target(definition);
        let there = match self.after(self.text, &op(target.clone(), &marked)) {
            Ok(there) => there,
            Err(code) => {
                return tally.refused.push(format!(
                    "replace {} {:?}: {code}",
                    self.name, definition.path
                ));
            }
        };
        assert!(
            there.contains("marked"),
            "{}: {:?}",
            self.name,
            definition.path
        );
        assert_eq!(
            self.others(&there, &definition.range),
            Vec::<String>::new(),
            "{}",
            self.name
        );
        let back = self
            .after(&there, &op(target, text))
            .unwrap_or_else(|code| panic!("{} {:?}: {code}\n{there}", self.name, definition.path));
        assert_eq!(back, self.text, "{}: {:?}", self.name, definition.path);
        tally.replaced += 1;
    }

    fn remove(&self, definition: &Definition, tally: &mut Tally) {
        let delete = json!({"op": "delete-definition", "target": self.target(definition)});
        let gone = match self.after(self.text, &delete) {
            Ok(gone) => gone,
            Err(code) => {
                return tally.refused.push(format!(
                    "delete {} {:?}: {code}",
                    self.name, definition.path
                ));
            }
        };
        assert_eq!(
            self.others(&gone, &definition.range),
            Vec::<String>::new(),
            "{}: {:?}",
            self.name,
            definition.path
        );
        tally.removed += 1;
        // Put back behind the one before it in the same place, or before the one behind it.
        let siblings = self
            .outline
            .definitions
            .iter()
            .filter(|other| other.path.around() == definition.path.around());
        let siblings: Vec<&Definition> = siblings.collect();
        let Some(at) = siblings
            .iter()
            .position(|other| other.range == definition.range)
        else {
            return;
        };
        let anchor = match (
            at.checked_sub(1).map(|before| siblings[before]),
            siblings.get(at + 1),
        ) {
            (Some(before), _) if self.outline.occurrence(before).of == 1 => {
                json!({"after": self.target(before)})
            }
            (None, Some(behind)) if self.outline.occurrence(behind).of == 1 => {
                json!({"before": self.target(behind)})
            }
            _ => return,
        };
        let text = &self.text[definition.range.clone()];
        let indent = indent(self.text, definition.range.start);
        let insert =
            json!({"op": "insert-definition", "anchor": anchor, "text": format!("{indent}{text}")});
        if let Ok(back) = self.after(&gone, &insert) {
            tally.put_back_equal += usize::from(back == self.text);
        }
    }

    fn rename(&self, definition: &Definition, tally: &mut Tally) {
        let Some(name) = definition.name.clone() else {
            return;
        };
        let from = &self.text[name];
        let fresh = format!("{from}Qz");
        let op = |target: Value, to: &str| json!({"op": "rename-definition", "target": target, "to": to});
        // A name that is bound elsewhere too is refused, and that is right.
        let Ok(there) = self.after(self.text, &op(self.target(definition), &fresh)) else {
            return;
        };
        let mut target = self.target(definition);
        let last = definition.path.count() - 1;
        target["path"][last] = json!(definition.path.last().replacen(from, &fresh, 1));
        let back = self.after(&there, &op(target, from));
        if let Ok(back) = back {
            assert_eq!(back, self.text, "{}: {:?}", self.name, definition.path);
            tally.renamed += 1;
        }
    }
}

fn indent(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let blanks = &text[start..offset];
    if blanks.trim().is_empty() { blanks } else { "" }
}

fn try_all(name: &str, text: &str, tally: &mut Tally, most: usize) {
    let Some(file) = File::of(name, text) else {
        return;
    };
    for definition in &file.outline.definitions {
        if tally.tried == most {
            return;
        }
        tally.tried += 1;
        file.replace(definition, tally);
        file.remove(definition, tally);
        file.rename(definition, tally);
    }
}

#[test]
fn definitions_come_back_byte_for_byte() {
    let most = 1000;
    for (name, text) in SAMPLES {
        let extension = name.rsplit_once('.').unwrap().1;
        let mut tally = Tally::default();
        try_all(name, text, &mut tally, most);
        assert!(
            tally.replaced > 1 && tally.refused.is_empty(),
            "{name}: {tally:?}"
        );
        assert_eq!(tally.removed, tally.tried, "{name}: {tally:?}");
        let mut real = Tally::default();
        let has_corpus = files(&[extension], |name, text| {
            try_all(name, text, &mut real, most);
            real.tried < most
        });
        if has_corpus {
            let shown = &real.refused[..real.refused.len().min(5)];
            eprintln!(
                "{extension}: {} tried, {} replaced and put back, {} removed, {} of them inserted again byte for byte, {} renamed and back, {} refused {shown:?}",
                real.tried,
                real.replaced,
                real.removed,
                real.put_back_equal,
                real.renamed,
                real.refused.len(),
            );
        }
    }
}
