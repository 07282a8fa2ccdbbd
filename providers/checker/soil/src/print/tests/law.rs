//! The law of the printer: what is printed reads back as the same tree.

use proptest::collection::vec;
use proptest::prelude::*;

use super::generator;
use crate::document::tree_without_spans;
use crate::print::file;
use crate::source::FileId;
use crate::syntax::tree::{ExprId, ExprKind, Tree};
use crate::syntax::{FileShape, Names, parse};

/// Sequences of choices, many of them short.
fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![4 => vec(any::<u8>(), 0..40), 1 => vec(any::<u8>(), 40..160)]
}

fn read(text: &str, names: &mut Names) -> Result<Tree, TestCaseError> {
    let parsed = parse(FileId::new(0), text.as_bytes(), FileShape::Free, names);
    prop_assert!(
        parsed.diagnostics.is_empty(),
        "{text}\n{:?}",
        parsed.diagnostics
    );
    Ok(parsed.tree)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_text_reads_back(choices in choices()) {
        let mut names = Names::new();
        let tree = generator::tree(&choices, &mut names);
        let text = file(&tree, &names);
        let again = read(&text, &mut names)?;
        prop_assert_eq!(tree_without_spans(&again, &names), tree_without_spans(&tree, &names), "{}", text);
        prop_assert_eq!(file(&again, &names), text);
    }
}

/// The generator would prove nothing about the three difficult shapes if it never made them.
#[test]
fn the_generator_makes_the_difficult_shapes() {
    let mut seen = [false; 3];
    let mut state = 1_u64;
    for _ in 0..2_000 {
        let choices: Vec<u8> = (0..80).map(|_| next(&mut state)).collect();
        let tree = generator::tree(&choices, &mut Names::new());
        for id in tree.expr_ids() {
            match tree[id].kind {
                ExprKind::Let { bindings, .. } => seen[0] |= bindings.len() > 1,
                ExprKind::Match { arms, .. } => {
                    let (_, inner) = tree[arms].split_last().expect("a match has an arm");
                    let is_match = |body: ExprId| matches!(tree[body].kind, ExprKind::Match { .. });
                    seen[1] |= inner.iter().any(|arm| is_match(arm.body));
                }
                _ => {}
            }
        }
        seen[2] |= tree.predicate_count() > 3;
    }
    assert_eq!(seen, [true; 3]);
}

/// The next byte of a fixed sequence.
fn next(state: &mut u64) -> u8 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    state.to_be_bytes()[0]
}
