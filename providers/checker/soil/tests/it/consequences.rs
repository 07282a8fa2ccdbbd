//! What each edit of a file moves, and what it leaves alone.

use soil::hash::{Edge, soil_hash};
use soil::print;
use soil::source::FileId;
use soil::spec::{self, Content, Hashes, Location};
use soil::syntax::{FileShape, Names, parse};

const FUNCTION: &str = "---
name: half
---

Halves a number.

```soil-sig @agent
half : (x : I64) -> I64
```

```ensures
smaller: result <= x
```

```test small
(4) => 2
```
";

fn hashes(text: &str) -> Hashes {
    let location = Location::of_path("m/half.tr", "p");
    let found = spec::read(FileId::new(0), text.as_bytes(), location, &mut Names::new());
    assert!(
        found.diagnostics.is_empty(),
        "{text}: {:?}",
        found.diagnostics
    );
    found
        .spec
        .expect("a file without fault has a meaning")
        .hashes
}

/// Says which of the three hashes an edit moves.
fn moved(from: &str, to: &str) -> (bool, bool, bool) {
    assert!(FUNCTION.contains(from), "{from}");
    let (before, after) = (hashes(FUNCTION), hashes(&FUNCTION.replace(from, to)));
    (
        before.formal != after.formal,
        before.test != after.test,
        before.prose != after.prose,
    )
}

#[test]
fn an_edit_moves_the_hash_of_its_part_only() {
    let (formal, test, prose) = (
        (true, false, false),
        (false, true, false),
        (false, false, true),
    );
    let cases = [
        ("Halves", "Cuts in half", prose),
        (
            "Halves a number.\n",
            "Halves a number.\n\n```python\nx\n```\n",
            prose,
        ),
        ("(4) => 2", "(6) => 3", test),
        ("test small", "test small xfail", test),
        ("test small", "test  small ", (false, false, false)),
        ("I64\n```", "U64\n```", formal),
        ("soil-sig @agent", "soil-sig", formal),
        ("smaller", "less", formal),
    ];
    for (from, to, expected) in cases {
        assert_eq!(moved(from, to), expected, "{from} -> {to}");
    }
}

/// Hashes one body that refers to one definition.
fn body(text: &str, callee: &str) -> String {
    let mut names = Names::new();
    let parsed = parse(FileId::new(0), text.as_bytes(), FileShape::Free, &mut names);
    assert!(
        parsed.diagnostics.is_empty(),
        "{text}: {:?}",
        parsed.diagnostics
    );
    let form = print::hash_form(&parsed.tree, &names, &parsed.tree.definitions[0]);
    let edge = Edge {
        name: "g".to_owned(),
        referent: callee.to_owned(),
    };
    soil_hash(&form, &[edge]).to_string()
}

#[test]
fn a_body_is_hashed_by_what_it_does() {
    let text = "f : (x : I64) -> I64\nf x =\n  let y = g x in\n  match y with\n  | Some z -> z\n  | None -> x\n";
    let before = body(text, "sha256:1");
    let same = [
        "f : (x : I64) -> I64 -- a comment\nf a = let b = (g a) in match b with | Some c -> c | None -> a",
        "f : (x : I64)\n-> I64\nf x =\nlet z = g x in match z with | Some y -> y | None -> x",
    ];
    for other in same {
        assert_eq!(body(other, "sha256:1"), before, "{other}");
    }
    assert_ne!(
        body(text, "sha256:2"),
        before,
        "a callee's hash moves its callers"
    );
    let different = [
        text.replace("-> z", "-> x"),
        text.replace("(x : I64)", "(y : I64)"),
        text.replace("g x", "?h"),
    ];
    for other in different {
        assert_ne!(body(&other, "sha256:1"), before, "{other}");
    }
}

#[test]
fn decisions_move_their_entry_and_their_scope() {
    let read = |lines: &str| {
        let text = format!("---\nname: p\n---\n```decisions\n{lines}```\n");
        let location = Location::of_path("_project.tr", "p");
        let found = spec::read(FileId::new(0), text.as_bytes(), location, &mut Names::new());
        let spec = found.spec.expect("the file has a meaning");
        let Content::Project { decisions } = spec.content else {
            panic!("it is a project")
        };
        let scope = spec::scope_hash(
            decisions
                .iter()
                .map(|decision| decision.label.value.as_str()),
        );
        let entries: Vec<String> = decisions
            .iter()
            .map(|decision| decision.entry_hash().to_string())
            .collect();
        (scope, entries, spec.hashes)
    };
    let before = read("a: one\nb: two\n");
    let text = read("a: one\nb: two\n  rejected: three\n");
    assert_eq!(
        (before.0, &before.1[0], before.2),
        (text.0, &text.1[0], text.2)
    );
    assert_ne!(before.1[1], text.1[1]);
    let added = read("a: one\nb: two\nc: three\n");
    assert_ne!(before.0, added.0);
    assert_eq!((&before.1[..], before.2), (&added.1[..2], added.2));
    assert_eq!(before.2.test, None, "a project has no tests");
}
