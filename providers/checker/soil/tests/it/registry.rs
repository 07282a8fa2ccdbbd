//! The examples of the registry that are drafts: each gets one code.

use soil::check::{CheckOptions, check};
use soil::diagnostic::Code;
use soil::document::{self, Detail};
use soil::program::Program;

use crate::project::{places, program};

/// Reads the table of a file of the registry's examples.
fn table(path: &str) -> Option<toml::Table> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../registry/examples/");
    let text = std::fs::read_to_string(format!("{folder}{path}.toml")).ok()?;
    Some(toml::from_str(&text).expect("a file of the registry is TOML"))
}

/// Gives the codes whose example is a draft, with that draft.
pub(crate) fn drafts() -> Vec<(Code, String)> {
    let mut drafts = Vec::new();
    for code in Code::ALL {
        let Some(example) = table(code.text()) else {
            continue;
        };
        let run = &example["bad"]
            .get("steps")
            .and_then(|steps| steps.get(0)?.get("run"));
        let words = run.and_then(|words| words.as_array());
        if words.is_some_and(|words| words[..2] == ["soil".into(), "check".into()]) {
            let text = example["bad"]["files"]["main/f.soil"].as_str();
            drafts.push((*code, text.expect("a draft is text").to_owned()));
        }
    }
    drafts
}

/// Reads a draft of an example in the program that all of them have.
pub(crate) fn among_neighbours(draft: &str) -> Program {
    let base = table("base/program").expect("the base is there");
    let file = |path: &'static str| (path, base[path].as_str().expect("a file is text"));
    program(&[
        file("left/_private.soil"),
        file("left/twin.soil"),
        file("right/twin.soil"),
        ("main/f.soil", draft),
        file("main/later.soil"),
    ])
}

/// The document about each draft is the same on a second run, on another thread, and wherever a file had another text before.
#[test]
fn documents_about_each_code_are_the_same_again() {
    let document = |draft: &str| {
        let program = among_neighbours(draft);
        let checked = check(&program, CheckOptions::RICH);
        let errors = checked.diagnostics.clone();
        let errors = document::errors(errors, &program.sources, Detail::RichPlain);
        format!("{}{errors}", document::checked(&checked))
    };
    let drafts = drafts();
    assert!(drafts.len() > 30, "{}", drafts.len());
    let shown = |(_, text): &(Code, String)| document(&places(text).0);
    let first: Vec<String> = drafts.iter().map(shown).collect();
    let mut again: Vec<String> = std::thread::scope(|scope| {
        let other = scope.spawn(|| drafts.iter().rev().map(shown).collect());
        other.join().expect("the thread ends")
    });
    again.reverse();
    assert_eq!(again, first);
    for ((code, _), document) in drafts.iter().zip(&first) {
        assert!(
            document.contains(&format!("\"code\":\"{code}\"")),
            "{document}"
        );
    }
}
