//! What came of cases.

use crate::document::Writer;

/// What came of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It passed.
    Pass,
    /// It failed.
    Fail,
    /// It failed, as it has to.
    Xfail,
    /// It passed and should have failed.
    Xpass,
}

impl Verdict {
    /// Judges a test that has to fail or not.
    pub const fn of(passes: bool, is_xfail: bool) -> Self {
        match (passes, is_xfail) {
            (true, false) => Self::Pass,
            (false, false) => Self::Fail,
            (false, true) => Self::Xfail,
            (true, true) => Self::Xpass,
        }
    }

    /// Gives the word that stands in a document.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Xfail => "xfail",
            Self::Xpass => "xpass",
        }
    }

    /// Says whether the whole run is as it should be in spite of this.
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Pass | Self::Xfail)
    }
}

/// What was expected and what came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// Canonical text, or `panic`.
    pub expected: String,
    /// Canonical text, or `panic: kind: message`.
    pub actual: String,
}

/// What came of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseReport {
    /// The name of the case.
    pub name: String,
    /// What came of it.
    pub verdict: Verdict,
    /// What was expected and what came, where that is not as it should be.
    pub details: Option<Details>,
    /// The first place at which the two values differ.
    pub difference: Option<String>,
    /// The calls that were waiting when the case raised.
    pub trace: Vec<String>,
}

/// Writes the document about cases; rich, it names the first difference and the trace.
///
/// # Wire shape
/// `{"cases":[{"name","result","details":Option {"expected","actual"}}]}`
pub fn report(cases: &[CaseReport], is_rich: bool) -> String {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("cases").array(|writer| {
            for case in cases {
                writer.object(|writer| case_members(writer, case, is_rich));
            }
        });
    });
    writer.finish_document()
}

fn case_members(writer: &mut Writer, case: &CaseReport, is_rich: bool) {
    writer.key("name").string(&case.name);
    writer.key("result").string(case.verdict.text());
    writer.key("details");
    match &case.details {
        None => writer.tag("None"),
        Some(details) => writer.variant("Some", |writer| {
            writer.key("expected").string(&details.expected);
            writer.key("actual").string(&details.actual);
        }),
    }
    if !is_rich {
        return;
    }
    if let Some(difference) = &case.difference {
        writer.key("difference").string(difference);
    }
    if !case.trace.is_empty() {
        writer.key("trace").array(|writer| {
            for entry in &case.trace {
                writer.string(entry);
            }
        });
    }
}
