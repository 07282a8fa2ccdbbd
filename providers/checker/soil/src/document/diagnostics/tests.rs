use super::*;
use crate::diagnostic::{Code, EditKind, LimitParams, Params};
use crate::source::Span;

#[test]
fn plain_document() {
    let mut sources = Sources::new();
    let file = sources.add("sensors/f.soil", *b"ab\ncd");
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(
        Diagnostic::at(Code::Shadowing, file, Span::new(3, 5), "`cd` is taken")
            .with_note_at(file, Span::new(0, 2), "here")
            .with_edit(Edit::new(
                EditKind::Machine,
                "rename",
                file,
                Span::new(3, 5),
                "ce",
            )),
    );
    diagnostics.push(Diagnostic::new(Code::Usage, "no \"file\""));
    assert_eq!(
        errors(diagnostics, &sources, Detail::Plain),
        concat!(
            r#"{"errors":[{"code":"usage","message":"no \"file\"","file":{"tag":"None"},"span":{"tag":"None"},"notes":[]},"#,
            r#"{"code":"shadowing","message":"`cd` is taken","file":{"tag":"Some","value":"sensors/f.soil"},"#,
            r#""span":{"tag":"Some","value":{"start":3,"end":5,"line":2,"col":1}},"notes":[{"message":"here","#,
            r#""file":{"tag":"Some","value":"sensors/f.soil"},"span":{"tag":"Some","value":{"start":0,"end":2,"line":1,"col":1}}}]}]}"#,
            "\n"
        )
    );
}

#[test]
fn rich_members_come_last() {
    let mut sources = Sources::new();
    let file = sources.add("f.soil", *b"x");
    let other = sources.add("g.soil", *b"y");
    let span = Span::new(0, 1);
    let limit = LimitParams {
        limit: "nesting",
        max: 500,
        seen: 501,
    };
    let mut edit = Edit::new(EditKind::Choice, "both", file, span, "a");
    edit.splices
        .extend(Edit::new(EditKind::Choice, "", other, span, "b").splices);
    let diagnostic = Diagnostic::at(Code::LimitExceeded, file, span, "deep")
        .with_params(Params::Limit(limit))
        .with_edit(edit);
    let document = errors(diagnostic.into(), &sources, Detail::Rich);
    let expected = concat!(
        r#""notes":[],"repair_class":"simplify","spec_ref":"soil0-cli#8.5","params":{"limit":"nesting","max":500,"seen":501},"#,
        r#""edits":[{"title":"both","kind":"choice","splices":[{"start":0,"end":1,"text":"a"},"#,
        r#"{"file":"g.soil","start":0,"end":1,"text":"b"}]}]}]}"#,
        "\n"
    );
    assert!(document.ends_with(expected), "{document}");
}

#[test]
fn a_document_is_cut_off_and_says_so() {
    let mut sources = Sources::new();
    let file = sources.add("f.soil", *b"x");
    let many = |count: u32, message: &str| {
        let mut diagnostics = Diagnostics::new();
        for start in 0..count {
            diagnostics.push(Diagnostic::at(
                Code::UnknownName,
                file,
                Span::new(start, start),
                message,
            ));
        }
        errors(diagnostics, &sources, Detail::RichPlain)
    };
    let short = many(1_200, "short");
    assert_eq!(short.matches("\"code\"").count(), 50);
    assert!(short.ends_with("],\"suppressed\":1150}\n"));
    let long = many(50, &"é".repeat(4_000));
    assert!(long.len() < MAX_DOCUMENT_BYTES + 4_096, "{}", long.len());
    assert!(long.contains("\"suppressed\":"));
}
