use proptest::prelude::*;

use super::*;

#[test]
fn edits_that_follow_each_other_are_one_list() {
    let base = b"one\ntwo\nthree\n";
    let mut edits = Edits::default();
    let mut now = base.to_vec();
    for splice in [
        Splice::new(4..7, "TWO and more"),
        Splice::new(0..0, "zero\n"),
        Splice::new(9..13, ""),
        Splice::new(5..5, "half\n"),
    ] {
        now = spliced(&now, std::slice::from_ref(&splice));
        edits.add(&[splice]);
    }
    assert_eq!(now, b"zero\nhalf\none\nand more\nthree\n");
    assert_eq!(spliced(base, &edits.minimal(base)), now);
    assert_eq!(edits.locate(8..14), Some(now.len() - 6..now.len()));
    assert_eq!(edits.locate(4..8), None);
}

#[test]
fn common_lines_are_not_rewritten() {
    let base = b"a\nb\nc\nd\n";
    let mut splices = Vec::new();
    refine(base, &Splice::new(0..8, "a\nB\nc\nD\n"), &mut splices);
    assert_eq!(
        splices,
        [Splice::new(2..4, "B\n"), Splice::new(6..8, "D\n")]
    );
    splices.clear();
    refine(base, &Splice::new(2..4, "b\n"), &mut splices);
    assert_eq!(splices, []);
}

#[test]
fn bytes_that_are_no_text_are_written_in_base64() {
    let text =
        serde_json::to_string(&[Splice::new(0..1, "a"), Splice::new(1..2, *b"\xff")]).unwrap();
    assert_eq!(
        text,
        r#"[{"start":0,"end":1,"text":"a"},{"start":1,"end":2,"base64":"/w=="}]"#
    );
}

proptest! {
    #[test]
    fn the_list_gives_what_the_steps_gave(
        base in "[ab\n]{0,24}",
        steps in proptest::collection::vec((0_usize..40, 0_usize..8, "[xy\n]{0,5}"), 0..8),
    ) {
        let mut edits = Edits::default();
        let mut now = base.clone().into_bytes();
        for (start, length, text) in steps {
            let start = start.min(now.len());
            let end = (start + length).min(now.len());
            let splice = Splice::new(start..end, text);
            now = spliced(&now, std::slice::from_ref(&splice));
            edits.add(&[splice]);
        }
        let list = edits.minimal(base.as_bytes());
        prop_assert!(list.windows(2).all(|pair| pair[0].end <= pair[1].start));
        prop_assert_eq!(spliced(base.as_bytes(), &list), now);
    }

    #[test]
    fn untouched_ranges_are_found_again(
        base in "[a-h\n]{4,24}",
        at in 0_usize..24,
        text in "[xy]{0,5}",
        length in 0_usize..4,
    ) {
        let start = at.min(base.len());
        let end = (start + length).min(base.len());
        let mut edits = Edits::default();
        let splice = Splice::new(start..end, text);
        let now = spliced(base.as_bytes(), std::slice::from_ref(&splice));
        edits.add(&[splice]);
        for from in 0..base.len() {
            for to in from + 1..=base.len() {
                match edits.locate(from..to) {
                    Some(found) => prop_assert_eq!(&now[found], &base.as_bytes()[from..to]),
                    None => prop_assert!(from < end.max(start + 1) && start < to),
                }
            }
        }
    }
}
