//! Every error of the engine as a diagnostic of the catalog: the one place where codes are chosen.

use std::error::Error;
use std::io;

use lonis_diagnostics::{Code, Diagnostic, Failure, PolicyProposal};
use serde_json::{Value, json};

use crate::engine::FoldError;
use crate::event::MAX_LINE_BYTES;
use crate::file_set::{FileSetError, GlobError};
use crate::path::PathError;
use crate::policy::PolicyError;
use crate::session_id::SessionIdError;
use crate::snapshot::capture::CaptureError;
use crate::snapshot::manifest::ProjectionError;
use crate::snapshot::materialise::WorkspaceError;
use crate::snapshot::tree::TreeError;
use crate::store::layout::LayoutError;
use crate::store::lock::{LockError, Subject};
use crate::store::log::LogError;
use crate::store::objects::ObjectError;
use crate::store::segment::WriteError;

/// An error that has a code of the catalog.
pub trait Diagnose: Error {
    /// Chooses the code, and hands its facts over.
    fn diagnose(&self, operation: &str) -> Diagnostic;
}

/// Makes failures of errors that happen in one operation.
#[derive(Debug, Clone, Copy)]
pub struct During<'a>(pub &'a str);

impl During<'_> {
    /// Makes a failure of an error.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "it is what `map_err` hands over"
    )]
    pub fn fail<E: Diagnose>(self, error: E) -> Failure {
        error.diagnose(self.0).into()
    }

    /// Makes a diagnostic of a code.
    pub fn diagnostic(self, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.0, message)
    }
}

/// What the system said, without where.
fn reason(error: &io::Error) -> String {
    error.to_string()
}

impl Diagnose for SessionIdError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        Diagnostic::new(Code::SessionInvalidId, operation, self.to_string())
            .with("received", self.received.clone())
    }
}

impl Diagnose for PolicyError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::SessionConfigInvalid, operation, self.to_string())
            .with("key", self.key.clone())
            .with("expected", self.expected.clone())
            .with("received", self.received.clone());
        match &self.span {
            Some(span) => diagnostic.at((**span).clone()),
            None => diagnostic.with_fact("path", crate::file_set::POLICY_FILE),
        }
    }
}

impl Diagnose for GlobError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        Diagnostic::new(Code::SessionConfigInvalid, operation, self.to_string())
            .with("key", "files")
            .with("expected", "globs")
            .with("received", self.glob.clone())
    }
}

impl Diagnose for PathError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        Diagnostic::new(Code::SessionSnapshotPath, operation, self.to_string())
            .with("path", self.path.clone())
            .with("rule", self.rule.to_string())
    }
}

impl Diagnose for FileSetError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        let new = |code| Diagnostic::new(code, operation, self.to_string());
        match self {
            Self::Root { reason } => {
                new(Code::SessionRootUnavailable).with("reason", reason.clone())
            }
            Self::Index { path, reason } => new(Code::SessionFileSet)
                .with("reason", reason.clone())
                .with_fact("path", path.clone()),
            Self::Path(error) => error.diagnose(operation),
            Self::Link { path } => new(Code::SessionSnapshotEscape)
                .with("path", path.as_str())
                .with("rule", "the policy refuses links"),
            Self::Read { path, source } => new(Code::SessionSnapshotRead)
                .with("path", path.clone())
                .with("reason", reason(source)),
            Self::Unstable { path } => new(Code::SessionSnapshotUnstable)
                .with("path", path.clone())
                .with("reason", "it kept changing"),
            Self::Limit {
                key,
                limit,
                observed_at_least,
                largest,
            } => new(Code::SessionSnapshotLimit)
                .with("limit", *limit)
                .with("key", *key)
                .with("observed_at_least", *observed_at_least)
                .with("largest", largest_directories(largest))
                .proposing(PolicyProposal::Bound {
                    key: (*key).to_owned(),
                    from: (*limit).into(),
                    to: (*observed_at_least).into(),
                    policy_file: Vec::new(),
                }),
        }
    }
}

fn largest_directories(largest: &[(String, u64)]) -> Vec<Value> {
    largest
        .iter()
        .map(|(path, count)| json!({"path": path, "count": count}))
        .collect()
}

impl Diagnose for CaptureError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        match self {
            Self::FileSet(error) => error.diagnose(operation),
            Self::Read { path, source } => {
                Diagnostic::new(Code::SessionSnapshotRead, operation, self.to_string())
                    .with("path", path.as_str())
                    .with("reason", reason(source))
            }
            Self::Unstable { path } => {
                Diagnostic::new(Code::SessionSnapshotUnstable, operation, self.to_string())
                    .with("path", path.as_str())
                    .with("reason", "it kept changing")
            }
            Self::Tree(error) => error.diagnose(operation),
            Self::Write(error) => error.diagnose(operation),
        }
    }
}

impl Diagnose for TreeError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        match self {
            Self::Path(error) => error.diagnose(operation),
            Self::Malformed {
                identity, reason, ..
            } => Diagnostic::new(Code::SessionSnapshotMismatch, operation, self.to_string())
                .with("identity", identity.to_string())
                .with("observed", reason.clone()),
            Self::Object(error) => error.diagnose(operation),
        }
    }
}

impl Diagnose for ObjectError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        let new = |code| Diagnostic::new(code, operation, self.to_string());
        match self {
            Self::Missing { identity, .. } => new(Code::SessionSnapshotMissing)
                .with("identity", identity.to_string())
                .with("observed", "absent"),
            Self::Mismatch {
                identity, observed, ..
            } => new(Code::SessionSnapshotMismatch)
                .with("identity", identity.to_string())
                .with("observed", observed.clone()),
            Self::Read { path, source } => new(Code::SessionSnapshotRead)
                .with("path", path.clone())
                .with("reason", reason(source)),
        }
    }
}

impl Diagnose for WriteError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        let new = |code| Diagnostic::new(code, operation, self.to_string());
        match self {
            Self::Space { path, needed_bytes } => new(Code::SessionStoreSpace)
                .with("path", path.clone())
                .with("needed_bytes", *needed_bytes),
            Self::Write { path, source } => new(Code::SessionStoreWrite)
                .with("path", path.clone())
                .with("reason", reason(source)),
        }
    }
}

impl Diagnose for LayoutError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        let new = |code| Diagnostic::new(code, operation, self.to_string());
        match self {
            Self::Version { .. } => new(Code::SessionStateInvalid).with("rule", self.to_string()),
            Self::Io { path, source } => new(Code::SessionStoreWrite)
                .with("path", path.clone())
                .with("reason", reason(source)),
        }
    }
}

impl Diagnose for LogError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        let new = |code| Diagnostic::new(code, operation, self.to_string());
        match self {
            Self::Invalid { seq, rule, .. } => new(Code::SessionStateInvalid)
                .with("seq", *seq)
                .with("rule", rule.clone()),
            Self::Changed { session, events } => new(Code::SessionLogTampered)
                .with("events", *events)
                .with_fact("path", crate::store::layout::transaction(session)),
            Self::Length { observed } => new(Code::SessionLimit)
                .with("limit", MAX_LINE_BYTES)
                .with("observed", *observed)
                .with("key", "log line"),
            Self::Read {
                session, source, ..
            } => new(Code::IoRead)
                .with("os_error", reason(source))
                .with("path", crate::store::layout::transaction(session)),
            Self::Write { path, source } => new(Code::SessionStateWrite)
                .with("path", path.clone())
                .with("reason", reason(source)),
        }
    }
}

impl Diagnose for FoldError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        Diagnostic::new(Code::SessionStateInvalid, operation, self.to_string())
            .with("seq", self.seq)
            .with("rule", self.rule)
    }
}

impl Diagnose for LockError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        match self {
            Self::Busy {
                subject,
                owner,
                waited_millis,
            } => {
                let code = match subject {
                    Subject::Session(_) => Code::SessionLockBusy,
                    Subject::Store => Code::SessionApplyBusy,
                };
                Diagnostic::new(code, operation, self.to_string())
                    .with("owner", json!(owner))
                    .with("waited_millis", *waited_millis)
            }
            Self::Failed { source } => {
                Diagnostic::new(Code::SessionLockFailed, operation, self.to_string())
                    .with_fact("reason", reason(source))
            }
        }
    }
}

impl Diagnose for ProjectionError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        let paths: Vec<&str> = self
            .links
            .iter()
            .map(crate::path::WorkspacePath::as_str)
            .collect();
        Diagnostic::new(
            Code::SessionProjectionUnavailable,
            operation,
            self.to_string(),
        )
        .with("paths", json!(paths))
    }
}

impl Diagnose for WorkspaceError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        let new = |code| Diagnostic::new(code, operation, self.to_string());
        match self {
            Self::Tampered { paths } => {
                let paths: Vec<&str> = paths
                    .iter()
                    .map(crate::path::WorkspacePath::as_str)
                    .collect();
                new(Code::SessionWorkspaceTampered).with("paths", json!(paths))
            }
            Self::Folded { path, other } => new(Code::SessionSnapshotPath)
                .with("path", path.as_str())
                .with("other", other.as_str())
                .with("rule", "two paths are one name on this file system"),
            Self::Write { path, source } => new(Code::SessionWorkspaceWrite)
                .with("path", path.clone())
                .with("reason", reason(source)),
            Self::Object(error) => error.diagnose(operation),
            Self::Tree(error) => error.diagnose(operation),
        }
    }
}

impl Diagnose for crate::obligation::RunError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        match self {
            Self::Workspace(error) => error.diagnose(operation),
            Self::Runner { name, reason } => {
                Diagnostic::new(Code::SessionObligationError, operation, self.to_string())
                    .with("name", name.clone())
                    .with("reason", reason.clone())
            }
        }
    }
}

impl Diagnose for crate::evidence::EvidenceError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        Diagnostic::new(Code::SessionEvidenceInvalid, operation, self.to_string())
            .with("evidence", self.evidence.to_string())
            .with("field", self.field.clone())
            .with("expected", self.expected.clone())
            .with("observed", self.observed.clone())
    }
}

impl Diagnose for crate::store::journal::JournalError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        let new = |code| Diagnostic::new(code, operation, self.to_string());
        match self {
            Self::Damaged { rule, .. } => new(Code::SessionStateInvalid).with("rule", rule.clone()),
            Self::Io { path, source } => new(Code::SessionStateWrite)
                .with("path", path.clone())
                .with("reason", reason(source)),
        }
    }
}

impl Diagnose for crate::apply::ApplyError {
    fn diagnose(&self, operation: &str) -> Diagnostic {
        let new = |code| Diagnostic::new(code, operation, self.to_string());
        match self {
            Self::Conflict { conflict } => {
                new(Code::SessionApplyConflict).with("paths", json!([conflict]))
            }
            Self::Write { path, source } => new(Code::SessionApplyFailed)
                .with("path", path.clone())
                .with("reason", reason(source)),
            Self::Mismatch { path } => new(Code::SessionApplyMismatch)
                .with("path", path.as_str())
                .with("reason", "it does not hold what was written"),
            Self::Space { needed_bytes, .. } => {
                new(Code::SessionStoreSpace).with("needed_bytes", *needed_bytes)
            }
            Self::Object(error) => error.diagnose(operation),
            Self::Journal(error) => error.diagnose(operation),
            Self::Rollback { reason, conflicts } => new(Code::SessionRollbackFailed)
                .with("paths", json!(conflicts))
                .with("reason", reason.clone()),
        }
    }
}
