//! What `stage` is asked for: a document, a diff, or the inverse of an applied session.

use std::collections::BTreeMap;

use lonis_diagnostics::{Code, Failure};
use serde_json::Value;

use super::refusal;
use crate::commands::place::Place;
use crate::diagnose::During;
use crate::engine::Status;
use crate::event::Fact;
use crate::identity::{Domain, Identity};
use crate::patch::diff::{self, DiffError, import};
use crate::patch::document::{Document, Op, Rounded};
use crate::patch::engine::{Rules, StageError, stage, stage_diff};
use crate::patch::files::{Files, SnapshotFiles};
use crate::patch::outcome::Outcome;
use crate::patch::revert::inverse;
use crate::request::Request;
use crate::session_id::SessionId;
use crate::snapshot::change::difference;
use crate::store::stored::StoredObjects;

/// A patch as it was asked for, and what the log will say of it.
pub(super) struct Asked {
    /// What it is, as it was received.
    pub(super) document: Identity,
    pub(super) intent: String,
    pub(super) provenance: Option<BTreeMap<String, String>>,
    source: Source,
}

enum Source {
    Ops(Vec<Op>),
    Diff(String),
}

impl Asked {
    /// Reads the one member of the three that is there.
    pub(super) fn read(
        request: &Request,
        place: &Place<'_>,
        store: &StoredObjects<'_>,
        during: During<'_>,
    ) -> Result<Self, Failure> {
        match (&request.patch, &request.diff, &request.revert) {
            (Some(patch), None, None) => Self::document(patch, &request.rounded, during),
            (None, Some(diff), None) => Ok(Self {
                document: diff::identity(diff),
                intent: "a unified diff".to_owned(),
                provenance: None,
                source: Source::Diff(diff.clone()),
            }),
            (None, None, Some(session)) => Self::revert(session, place, store, during),
            _ => {
                let message = "expected exactly one of `patch`, `diff` and `revert`";
                let diagnostic = during.diagnostic(Code::ToolInvalidInput, message);
                Err(diagnostic
                    .with("pointer", "")
                    .with("expected", "exactly one of `patch`, `diff` and `revert`")
                    .into())
            }
        }
    }

    fn document(patch: &Value, rounded: &Rounded, during: During<'_>) -> Result<Self, Failure> {
        let document = Document::read(patch)
            .map_err(|error| refusal::unreadable(&error, during))?
            .marking(rounded);
        let identity = Document::identity(patch)
            .map_err(|error| during.diagnostic(Code::WireSerialization, error.to_string()))?;
        Ok(Self {
            document: identity,
            intent: document.intent,
            provenance: document
                .provenance
                .and_then(|value| serde_json::from_value(value).ok()),
            source: Source::Ops(document.ops),
        })
    }

    /// The inverse of what a session applied. Its identity is that of its normal form on what was applied, so that it is
    /// known before the present files are looked at.
    fn revert(
        session: &str,
        place: &Place<'_>,
        store: &StoredObjects<'_>,
        during: During<'_>,
    ) -> Result<Self, Failure> {
        let id = SessionId::new(session).map_err(|error| during.fail(error))?;
        let reverted = place.session(id.clone(), &Request::default())?;
        let facts = reverted.log.events().iter().map(|event| &event.fact);
        let applied = facts.rev().find_map(|fact| match fact {
            Fact::Applied(applied) => Some(applied),
            _ => None,
        });
        let Some(applied) = applied.filter(|_| reverted.record.status == Status::Applied) else {
            let status = reverted.record.status.word();
            let message =
                format!("session `{id}` is {status}, and only an applied one is reverted");
            let diagnostic = during.diagnostic(Code::ToolInvalidInput, message);
            return Err(diagnostic
                .with("pointer", "/revert")
                .with("expected", "the id of an applied session")
                .with("received", session)
                .into());
        };
        let fail = |error| during.fail(error);
        let changes = difference(store, &applied.base, &applied.target).map_err(fail)?;
        let ops = inverse(store, &changes).map_err(fail)?;
        let files = SnapshotFiles::open(store, &applied.target).map_err(fail)?;
        let normal = stage(&files, &Rules::default(), &ops);
        let normal = normal.map_err(|error| refusal::staging(error, during))?;
        Ok(Self {
            document: Identity::of(Domain::PatchDocument, normal.normal_form.as_bytes()),
            intent: format!("revert of `{id}`"),
            provenance: None,
            source: Source::Ops(ops),
        })
    }

    /// Runs what is asked for on files.
    pub(super) fn run<F: Files>(
        &self,
        files: &F,
        rules: &Rules<'_>,
        during: During<'_>,
    ) -> Result<Outcome, Failure> {
        let staged = match &self.source {
            Source::Ops(ops) => stage(files, rules, ops),
            Source::Diff(diff) => match import(files, diff) {
                Ok(imported) => stage_diff(files, rules, imported),
                Err(DiffError::Shape(failure)) => {
                    return Err(refusal::of_document(&failure, during));
                }
                Err(DiffError::Files(error)) => Err(StageError::Files(error)),
            },
        };
        staged.map_err(|error| refusal::staging(error, during))
    }
}
