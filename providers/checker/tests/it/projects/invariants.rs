//! What declared types say of their values: judged as clauses are, and tested by nothing.

use super::Root;

const HALF: &str = "half : (x : I64) -> panic I64\nhalf x = x / 2\n";

/// A type `Share` of one body, with one invariant.
fn share(body: &str, invariant: &str) -> String {
    format!(
        "---\nname: Share\n---\n\nA share.\n\n```soil-type\ntype {body}\n```\n\n```invariant\n{invariant}\n```\n"
    )
}

#[test]
fn an_invariant_is_a_warning_since_nothing_tests_it() {
    for (body, invariant) in [
        ("Share = { of : I64 }", "some: self.of > 0"),
        (
            "Share = { of : I64 }",
            "some: self.of > 1 implies self.of > 0",
        ),
        ("Share = { of : List I64 }", "some: list_len self.of > 0"),
        ("Share a = { of : a, at : I64 }", "some: self.at > 0"),
        // What an invariant is about hides what has its name.
        ("Share = { self : I64 }", "some: self.self > 0"),
    ] {
        let root = Root::new(&[("m/share.tr", &share(body, invariant))]);
        assert_eq!(root.errors(), [""; 0], "{body} {invariant}");
        assert_eq!(
            root.listed("warnings"),
            ["unsupported-invariant-property m/share.tr `some`"],
            "{body} {invariant}"
        );
    }
}

#[test]
fn an_invariant_is_judged_as_a_clause_is() {
    for (body, invariant, expected) in [
        (
            "Share = { of : I64 }",
            "some: self.of > most",
            "unknown-name m/share.tr `most`",
        ),
        (
            "Share = { of : I64 }",
            "some: self.off > 0",
            "unknown-field m/share.tr `off`",
        ),
        (
            "Share = { of : Utf8 }",
            "some: self.of > 0",
            "type-mismatch m/share.tr `0`",
        ),
        (
            "Share = { of : I64 }",
            "some: half self.of > 0",
            "effect-violation m/share.tr `half self.of`",
        ),
    ] {
        let root = Root::new(&[
            ("m/share.tr", &share(body, invariant)),
            ("m/half.soil", HALF),
        ]);
        assert_eq!(root.errors(), [expected], "{body} {invariant}");
    }
}

#[test]
fn a_declaration_that_makes_no_sense_hides_what_its_invariant_would() {
    for body in ["Share = { of : Part }", "Share = Share"] {
        let root = Root::new(&[("m/share.tr", &share(body, "some: self.of > 0"))]);
        let errors = root.errors();
        assert_eq!(errors.len(), 1, "{body}: {errors:?}");
    }
}
