//! Refused patches as diagnostics: one entry for each code, with every report in the result.

use lonis_diagnostics::{Code, Diagnostic, Failure, Span};
use serde_json::{Value, json};

use crate::diagnose::During;
use crate::patch::document::DocumentError;
use crate::patch::engine::StageError;
use crate::patch::failure::Failure as Refusal;
use crate::patch::report::Report;

/// The most ranges of one refusal.
const MAX_SPANS: usize = 20;

/// Says why a document cannot be read.
pub(super) fn unreadable(error: &DocumentError, during: During<'_>) -> Failure {
    match error {
        DocumentError::Shape(refusal) => of_document(refusal, during),
        DocumentError::Paths(reports) => refused(reports, 0, during),
    }
}

/// Says what is wrong with a document as a whole.
pub(super) fn of_document(refusal: &Refusal, during: During<'_>) -> Failure {
    diagnosed(refusal, during, None).into()
}

/// Says why ops give nothing.
pub(super) fn staging(error: StageError, during: During<'_>) -> Failure {
    match error {
        StageError::Refused { reports, omitted } => refused(&reports, omitted, during),
        StageError::Files(error) => during.fail(error),
    }
}

/// One entry for each code, the first op's first; every report stands in the result.
fn refused(reports: &[Report], omitted: usize, during: During<'_>) -> Failure {
    let Some((first, rest)) = reports.split_first() else {
        return during
            .diagnostic(Code::PatchNoEffect, "the patch changes nothing")
            .into();
    };
    let values: Vec<Value> = reports.iter().map(Report::to_value).collect();
    let failure = rest.iter().fold(
        Failure::from(diagnosed(&first.failure, during, Some(first))),
        |failure, report| failure.and(diagnosed(&report.failure, during, Some(report))),
    );
    failure.with_result(json!({"reports": values, "omitted": {"reports": omitted}}))
}

/// Hands over the facts that the code of a refusal declares.
fn diagnosed(refusal: &Refusal, during: During<'_>, report: Option<&Report>) -> Diagnostic {
    let code = refusal
        .code()
        .parse()
        .unwrap_or(Code::DiagnosticCatalogMiss);
    let mut facts = refusal.facts();
    if let Some(report) = report {
        facts.insert("ordinal".to_owned(), json!(report.ordinal));
        facts.insert("path".to_owned(), json!(report.path));
        facts.insert("op".to_owned(), json!(report.op));
        facts.insert("conflicts".to_owned(), json!([report.to_value()]));
    }
    let message = match report {
        Some(report) => {
            let near: Vec<String> = report.nearest.iter().map(|it| format!("`{it}`")).collect();
            let near = if near.is_empty() {
                String::new()
            } else {
                format!(", perhaps {} is meant", near.join(" or "))
            };
            format!("`{}` of `{}`: {refusal}{near}", report.op, report.path)
        }
        None => match refusal {
            Refusal::Schema { pointer, rule } if !pointer.is_empty() => {
                format!("`{pointer}`: {rule}")
            }
            refusal => refusal.to_string(),
        },
    };
    let mut diagnostic = during.diagnostic(code, message);
    for (name, value) in facts {
        let members = code
            .entry()
            .parameters
            .iter()
            .find(|member| member.name == name);
        if members.is_some_and(|member| member.kind.accepts(&value)) {
            diagnostic = diagnostic.with(&name, value);
        }
    }
    match report {
        Some(report) => located(diagnostic, refusal, &report.path),
        None => diagnostic,
    }
}

/// Names the ranges that are to blame, the first of them as the cause.
fn located(diagnostic: Diagnostic, refusal: &Refusal, path: &str) -> Diagnostic {
    let spans = refusal.spans().iter().take(MAX_SPANS).map(|span| Span {
        source: path.to_owned(),
        start_line: span.start_line,
        start_column: span.start_column,
        end_line: span.end_line,
        end_column: span.end_column,
    });
    spans
        .enumerate()
        .fold(diagnostic, |diagnostic, (at, span)| {
            if at == 0 {
                diagnostic.at(span)
            } else {
                diagnostic.beside(span)
            }
        })
}
