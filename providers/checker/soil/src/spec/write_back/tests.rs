use proptest::prelude::*;

use super::*;
use crate::diagnostic::Diagnostics;
use crate::source::FileId;

const FUNCTION: &str =
    "---\nname: f\n---\nWords.\n\n```rust\nprose\n```\n\n```test t\n() => 1\n```\n";
const PROJECT: &str = "---\nname: p\n---\n```decisions\na: b\n```\nMore.\n";

fn container(text: &str) -> Container {
    let mut diagnostics = Diagnostics::new();
    let found = Container::read(FileId::new(0), text.as_bytes(), &mut diagnostics);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    found.expect("the text has a frontmatter")
}

#[test]
fn a_signature_comes_before_the_first_reserved_block() {
    let expected = FUNCTION.replace("```test", "```soil-sig @agent\nf : I64\n```\n\n```test");
    assert_eq!(
        with_signature(FUNCTION, &container(FUNCTION), "f : I64\n"),
        expected
    );
}

#[test]
fn clarifications_stand_in_one_section_at_the_end() {
    let first = with_clarification(FUNCTION, "Why?", "So.\nReally.").expect("it fits");
    assert_eq!(
        first,
        format!("{FUNCTION}\n## Clarifications\n\n- **Q:** Why?\n  **A:** So.\n  Really.\n")
    );
    let second = with_clarification(&first, "And?", "No.").expect("it fits");
    assert_eq!(second, format!("{first}- **Q:** And?\n  **A:** No.\n"));
    let behind =
        with_clarification(&format!("{first}\n## Notes\n\nX.\n"), "And?", "No.").expect("it fits");
    assert_eq!(behind, format!("{second}\n## Notes\n\nX.\n"));
}

#[test]
fn a_decision_is_the_last_entry_of_its_block() {
    let rejected = ["c (d)".to_owned()];
    let expected = PROJECT.replace(
        "a: b\n",
        "a: b\nlocal: use the\u{e9} clock\n  rejected: c (d)\n",
    );
    let found = with_decision(
        PROJECT,
        &container(PROJECT),
        "local",
        "use the\u{e9}\nclock",
        &rejected,
    );
    assert_eq!(found, Ok(expected));
    let refused = |label: &str, text: &str| {
        with_decision(PROJECT, &container(PROJECT), label, text, &[]).is_err()
    };
    for label in ["", " a", "a:b", "a\nb", "```"] {
        assert!(refused(label, "x"), "{label}");
    }
    assert!(refused("x", " \n"));
    let nowhere = with_decision(FUNCTION, &container(FUNCTION), "a", "b", &[]);
    assert_eq!(nowhere, Err(WriteBackError::NoDecisions));
}

#[test]
fn lines_that_leave_their_item_are_refused() {
    for line in [
        "```test x",
        "~~~",
        "# H",
        "- a",
        "* a",
        "+ a",
        "1. a",
        "> q",
        "<div>",
        "---",
        "===",
    ] {
        let answer = format!("first\n{line}");
        let found = with_clarification(FUNCTION, "Q", &answer);
        assert!(
            matches!(found, Err(WriteBackError::LeavesItem { .. })),
            "{line}"
        );
    }
    assert_eq!(
        with_clarification(FUNCTION, " ", "a"),
        Err(WriteBackError::Empty { what: "question" })
    );
}

proptest! {
    /// Whatever an answer says, the blocks of the file and its hashes of formal and test parts stay.
    #[test]
    fn an_answer_changes_no_block(answer in "([a-z#`~>*+=| -]{0,12}\n?){1,4}", question in "[a-z`# -]{1,12}") {
        let before = container(FUNCTION);
        if let Ok(text) = with_clarification(FUNCTION, &question, &answer) {
            let after = container(&text);
            prop_assert_eq!(after.fences, before.fences, "{}", text);
            prop_assert!(text.starts_with(FUNCTION));
        }
    }
}
