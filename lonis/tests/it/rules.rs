//! The derive stands below the schema crate and cannot ask it, so it has the rules of the wire contract once more. Here
//! the two are held together.

use lonis::{BlockKind, MAX_TOOL_ID_LENGTH, SchemaVersion, ToolContract, ToolId};
use proptest::prelude::*;

#[path = "../../../lonis-derive/src/check.rs"]
mod check;

#[test]
fn the_seed_kinds_are_the_same() {
    assert_eq!(check::SEED_KINDS, BlockKind::SEED_KINDS);
    assert!(
        BlockKind::SEED_KINDS
            .iter()
            .all(|kind| check::is_kind(kind))
    );
}

#[test]
fn the_limits_are_the_same() {
    let longest = format!("a:{}", "ä".repeat(MAX_TOOL_ID_LENGTH - 2));
    for id in [longest.clone(), longest + "b"] {
        assert_eq!(check::is_tool_id(&id), ToolId::new(id.as_str()).is_ok());
    }
    let holds = |description: usize, reference: usize, words: usize, name: usize| {
        let reference = "r".repeat(reference);
        ToolContract::new("a:b", "ä".repeat(description))
            .with_input_schema(reference.as_str())
            .with_output_schema(reference)
            .with_capabilities(vec!["ä".repeat(name); words])
            .check()
            .is_empty()
    };
    let limits = [
        check::MAX_DESCRIPTION_CHARS,
        check::MAX_REFERENCE_CHARS,
        check::MAX_CAPABILITIES,
        check::MAX_NAME_CHARS,
    ];
    let [description, reference, words, name] = limits;
    assert!(holds(description, reference, words, name));
    assert!(!holds(description + 1, reference, words, name));
    assert!(!holds(description, reference + 1, words, name));
    assert!(!holds(description, reference, words + 1, name));
    assert!(!holds(description, reference, words, name + 1));
}

proptest! {
    #[test]
    fn a_tool_id_is_one_for_both(text in r"[a:.\x00\x1f\x7f\u{80}\u{9f}ä ]{0,6}") {
        prop_assert_eq!(check::is_tool_id(&text), ToolId::new(text.as_str()).is_ok());
    }

    #[test]
    fn a_schema_version_is_one_for_both(text in r"[a0._A-]{0,2}/?v?[0-9x]{0,3}") {
        prop_assert_eq!(check::is_schema_version(&text), SchemaVersion::new(text.clone()).is_ok());
    }

    #[test]
    fn neither_rule_is_of_one_alphabet(text in any::<String>()) {
        prop_assert_eq!(check::is_tool_id(&text), ToolId::new(text.as_str()).is_ok());
        prop_assert_eq!(check::is_schema_version(&text), SchemaVersion::new(text.clone()).is_ok());
    }
}
