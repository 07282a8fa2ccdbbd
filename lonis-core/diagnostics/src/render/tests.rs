use super::*;
use crate::{Code, Span};
use serde_json::json;

fn failing() -> Failure {
    Diagnostic::new(
        Code::ObligationExitStatus,
        "session/stage",
        "`unit` ended with 1",
    )
    .with("name", "unit")
    .with("exit", 1)
    .with("tail", "a\u{1b}[31m\nb\n")
    .into()
}

fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = after.split_once('m').map_or("", |(_, behind)| behind);
    }
    out + rest
}

#[test]
fn three_fields_then_the_quoted_output() {
    let text = human(&failing(), 96, Style::Plain);
    assert_eq!(
        text,
        "error[obligation/exit-status]: session/stage failed for unit\n\
         cause: `unit` ended with 1\n\
         next: stage a further patch that corrects what the command reports\n\
         \x20     1 | a [31m\n\
         \x20     2 | b\n"
    );
}

#[test]
fn code_never_split() {
    for width in [1, 24, 40, 96, 160, 400] {
        let text = human(&failing(), width, Style::Plain);
        assert!(
            text.starts_with("error[obligation/exit-status]:"),
            "{width}"
        );
        let limit = width.clamp(MIN_WIDTH, MAX_WIDTH);
        for line in text.lines().skip(1) {
            assert!(
                line.chars().count() <= limit || !line.trim().contains(' '),
                "{width}: {line}"
            );
        }
    }
}

#[test]
fn strip_ansi_equal() {
    for width in [24, 96, 160] {
        let failure = Failure::from(
            Diagnostic::new(Code::SessionUnverified, "session/apply", "not tested")
                .with_fact("session", "s"),
        );
        let coloured = human(&failure, width, Style::Coloured);
        assert!(coloured.contains('\u{1b}'));
        assert_eq!(plain(&coloured), human(&failure, width, Style::Plain));
    }
}

#[test]
fn the_subject_is_the_span_then_a_known_fact() {
    let new = || {
        Diagnostic::new(
            Code::SessionConfigInvalid,
            "session/begin",
            "`files.x` is no key",
        )
    };
    let span = Span {
        source: "lonis-session.toml".to_owned(),
        start_line: 3,
        start_column: 1,
        end_line: 3,
        end_column: 2,
    };
    for (diagnostic, expected) in [
        (new().at(span), "for lonis-session.toml:3:1\n"),
        (new().with_fact("session", "s"), "for s\n"),
        (new(), "for <unknown>\n"),
        (new().with_fact("path", "a\nb\u{7}c"), "for a b c\n"),
    ] {
        let text = human(&diagnostic.into(), 160, Style::Plain);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_command_is_shown_with_its_parameters() {
    let failure = Diagnostic::new(Code::SessionUnverified, "session/apply", "not tested")
        .with_fact("session", "fix")
        .into();
    let text = human(&failure, 160, Style::Plain);
    assert!(
        text.contains(
            "next: run the obligations on the current snapshot: `lonis-session test fix`\n"
        ),
        "{text}"
    );
}

#[test]
fn a_long_field_ends_with_an_ellipsis() {
    let long = "x ".repeat(2000);
    let shown = field(&long);
    assert_eq!(shown.chars().count(), MAX_FIELD_CHARS);
    assert!(shown.ends_with('…'));
}

#[test]
fn the_width_comes_from_columns_within_bounds() {
    for (text, expected) in [
        (None, 96),
        (Some("10"), 24),
        (Some("80"), 80),
        (Some("900"), 160),
        (Some("x"), 96),
    ] {
        assert_eq!(width_of(text), expected, "{text:?}");
    }
}

#[test]
fn nested_facts_are_looked_through_in_order() {
    let value = json!({"facts": {"legacy_context": {"path": "deep"}}, "error": {"path": "other"}});
    assert_eq!(find(&value, SUBJECT_KEYS).as_deref(), Some("deep"));
    assert_eq!(
        find(&json!([{"x": 1}, {"path": "second"}]), SUBJECT_KEYS),
        None.or(Some("second".to_owned()))
    );
}
