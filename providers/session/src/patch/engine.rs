//! The engine: runs the ops of a patch on files in memory, all of them or none.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::definition::{self, Locate, Outline, Parsed};
use super::diff::Imported;
use super::document::{Action, Content, Op, ReplaceText};
use super::failure::Failure;
use super::files::Files;
use super::outcome::{Outcome, Warning};
use super::path_state;
use super::report::{MAX_REPORTS, Report, SeenIn};
use super::splice::{Splice, refine};
use super::structured;
use super::text;
use super::work::{Node, Work, WorkFile};
use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::snapshot::tree::TreeError;

/// What the frozen policy says about a patch.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// The most bytes of a file that an op edits.
    pub max_file_bytes: u64,
    /// Why no patch may touch a path, if so.
    pub protects: &'a dyn Fn(&WorkspacePath) -> Option<Failure>,
    /// Finds definitions of languages without a grammar here.
    pub locate: Option<&'a dyn Locate>,
}

impl std::fmt::Debug for Rules<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Rules")
            .field("max_file_bytes", &self.max_file_bytes)
            .finish_non_exhaustive()
    }
}

impl Default for Rules<'_> {
    fn default() -> Self {
        Self {
            max_file_bytes: 64 * 1024 * 1024,
            protects: &|_| None,
            locate: None,
        }
    }
}

/// Why a patch gives nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// Ops are refused; the first report is the first op's.
    #[error("{} ops are refused", reports.len() + omitted)]
    Refused {
        /// Why, at most [`MAX_REPORTS`], ascending by ordinal.
        reports: Vec<Report>,
        /// How many more there are.
        omitted: usize,
    },
    /// An object of the workspace cannot be read.
    #[error(transparent)]
    Files(#[from] TreeError),
}

/// Why one op does not run on.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It is refused.
    Refused(Box<Failure>),
    /// An object cannot be read.
    Files(TreeError),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Refused(Box::new(failure))
    }
}

impl From<TreeError> for Stop {
    fn from(error: TreeError) -> Self {
        Self::Files(error)
    }
}

/// Runs ops on files.
///
/// # Errors
/// [`StageError::Refused`] with every op that fails by itself; objects that cannot be read.
pub fn stage<F: Files>(files: &F, rules: &Rules<'_>, ops: &[Op]) -> Result<Outcome, StageError> {
    let checked = path_state::check(files, ops)?;
    let mut run = Run {
        rules,
        work: Work::new(files),
        tainted: checked.tainted,
        normal: Vec::with_capacity(ops.len()),
        blobs: Vec::new(),
        warnings: Vec::new(),
    };
    let mut reports = checked.reports;
    for (ordinal, op) in ops.iter().enumerate() {
        if let Some(report) = run.op(ordinal, op)? {
            reports.push(report);
            run.tainted
                .extend(path_state::paths(op).into_iter().cloned());
        }
    }
    if reports.is_empty() {
        let edited = run.work.text_edited();
        let more = edited.filter_map(|(path, file)| definition::more_errors(path, file));
        run.warnings.extend(more);
        let touched = run.work.touched();
        if !touched.is_empty() {
            return Ok(Outcome::new(&run.normal, touched, run.blobs, run.warnings));
        }
        let first = ops
            .first()
            .map_or(("patch", ""), |op| (op.action.name(), op.path.as_str()));
        reports.push(Report::new(0, first.0, first.1, Failure::NoEffect));
    }
    reports.sort_by_key(|report| report.ordinal);
    let omitted = reports.len().saturating_sub(MAX_REPORTS);
    reports.truncate(MAX_REPORTS);
    Err(StageError::Refused { reports, omitted })
}

/// Runs the ops of a diff on the files for which it was read.
///
/// # Errors
/// As [`stage`]; the files of the diff that are refused are among the reports.
pub fn stage_diff<F: Files>(
    files: &F,
    rules: &Rules<'_>,
    imported: Imported,
) -> Result<Outcome, StageError> {
    let Imported {
        ops,
        mut reports,
        warnings,
    } = imported;
    let refused_ops = match stage(files, rules, &ops) {
        Ok(mut outcome) if reports.is_empty() => {
            outcome.warnings.splice(0..0, warnings);
            return Ok(outcome);
        }
        Err(StageError::Refused { reports, omitted }) => (reports, omitted),
        Err(error) => return Err(error),
        Ok(_) => (Vec::new(), 0),
    };
    let is_cause = |report: &Report| report.failure != Failure::NoEffect;
    let has_own = !reports.is_empty();
    let of_ops = refused_ops.0.into_iter();
    reports.extend(of_ops.filter(|report| !has_own || is_cause(report)));
    let omitted = refused_ops.1 + reports.len().saturating_sub(MAX_REPORTS);
    reports.truncate(MAX_REPORTS);
    Err(StageError::Refused { reports, omitted })
}

/// Whether an op needs the definitions of its file, and the language that it names for them.
fn needs_outline(op: &Op) -> (bool, Option<&str>) {
    match &op.action {
        Action::Definition(edit) => (true, edit.language.as_deref()),
        Action::ReplaceText(text) => (text.within.is_some(), text.language.as_deref()),
        _ => (false, None),
    }
}

/// What an op does to one file, and what its normal form says beside the common members.
pub(crate) struct Compiled {
    pub(crate) splices: Vec<Splice>,
    pub(crate) members: Value,
    pub(crate) warnings: Vec<Warning>,
    /// What was parsed of the file as it will be.
    pub(crate) parsed: Option<Parsed>,
}

impl Compiled {
    /// An edit that looks at no syntax and warns of nothing.
    pub(crate) const fn plain(splices: Vec<Splice>, members: Value) -> Self {
        Self {
            splices,
            members,
            warnings: Vec::new(),
            parsed: None,
        }
    }
}

struct Run<'r, 'f, F> {
    rules: &'r Rules<'r>,
    work: Work<'f, F>,
    tainted: HashSet<WorkspacePath>,
    normal: Vec<Value>,
    blobs: Vec<(Identity, Arc<[u8]>)>,
    warnings: Vec<Warning>,
}

impl<F: Files> Run<'_, '_, F> {
    fn op(&mut self, ordinal: usize, op: &Op) -> Result<Option<Report>, StageError> {
        let paths = path_state::paths(op);
        if paths.iter().any(|path| self.tainted.contains(*path)) {
            return Ok(None);
        }
        let refused = paths
            .iter()
            .find_map(|path| Some((*path, (self.rules.protects)(path)?)));
        let (path, failure) = match refused {
            Some(refused) => refused,
            None => match self.run(op) {
                Ok(()) => return Ok(None),
                Err(Stop::Files(error)) => return Err(error.into()),
                Err(Stop::Refused(failure)) => (&op.path, *failure),
            },
        };
        let mut report = Report::new(ordinal, op.action.name(), path.as_str(), failure);
        if let Node::File(file) = self.work.node(&op.path)? {
            report.file = Some(file.blob);
        }
        report.seen_in = self.seen_in(op, &report.failure);
        report.retry = super::retry::whole(op, &report.failure);
        Ok(Some(report))
    }

    fn run(&mut self, op: &Op) -> Result<(), Stop> {
        match &op.action {
            Action::CreateFile {
                content,
                executable,
            } => self.create(&op.path, content, *executable),
            Action::DeleteFile => self.delete(op),
            Action::MoveFile { to } => self.move_file(op, to),
            Action::Definition(edit) if edit.is_rename() => {
                self.work.file(&op.path)?.check_pre(op.pre.as_ref())?;
                self.rename(op)
            }
            _ => self.edit(op),
        }
    }

    fn create(
        &mut self,
        path: &WorkspacePath,
        content: &Content,
        executable: bool,
    ) -> Result<(), Stop> {
        let members = match content {
            Content::Bytes(bytes) => {
                let bytes: Arc<[u8]> = bytes.as_slice().into();
                let file = WorkFile::made(bytes, executable);
                let content = self.content(&file.bytes);
                *self.work.node(path)? = Node::File(file);
                json!({ "content": content, "executable": executable })
            }
            Content::Link(text) => {
                *self.work.node(path)? = Node::Link(text.as_bytes().into());
                json!({ "content": { "link": text }, "executable": false })
            }
        };
        self.push("create-file", path, None, members);
        Ok(())
    }

    /// The bytes as an object, and how a normal form names them.
    fn content(&mut self, bytes: &Arc<[u8]>) -> Value {
        let blob = Identity::of(Domain::Blob, bytes);
        self.blobs.push((blob, Arc::clone(bytes)));
        json!({ "blob": blob, "bytes": bytes.len() })
    }

    fn delete(&mut self, op: &Op) -> Result<(), Stop> {
        let node = self.work.node(&op.path)?;
        let pre = match node {
            Node::File(file) => {
                file.check_pre(op.pre.as_ref())?;
                file.blob
            }
            Node::Link(text) => {
                let link = WorkFile::of_link(Arc::clone(text));
                link.check_pre(op.pre.as_ref())?;
                link.blob
            }
            Node::Absent => {
                return Err(Failure::PathState {
                    expected: "file or link",
                    actual: "absent",
                }
                .into());
            }
        };
        *node = Node::Absent;
        self.push("delete-file", &op.path, Some(pre), json!({}));
        Ok(())
    }

    fn move_file(&mut self, op: &Op, to: &WorkspacePath) -> Result<(), Stop> {
        let file = self.work.file(&op.path)?;
        file.check_pre(op.pre.as_ref())?;
        let moved = file.clone();
        *self.work.node(&op.path)? = Node::Absent;
        self.push("move-file", &op.path, Some(moved.blob), json!({ "to": to }));
        *self.work.node(to)? = Node::File(moved);
        Ok(())
    }

    fn edit(&mut self, op: &Op) -> Result<(), Stop> {
        let file = self.work.file(&op.path)?;
        file.check_pre(op.pre.as_ref())?;
        let outline = match needs_outline(op) {
            (true, language) => Some(definition::read(self.rules, &op.path, file, language)?),
            (false, _) => None,
        };
        let outline = outline.as_deref();
        let file = file.clone();
        let compiled = match &op.action {
            Action::ReplaceFile { content } => {
                let bytes: Arc<[u8]> = content.as_slice().into();
                let members = json!({ "content": self.content(&bytes) });
                let whole = Splice::new(0..file.bytes.len(), content.clone());
                let mut splices = Vec::new();
                refine(&file.bytes, &whole, &mut splices);
                Compiled::plain(splices, members)
            }
            Action::SetExecutable { executable } => {
                self.work.file(&op.path)?.executable = *executable;
                let members = json!({ "executable": executable });
                Compiled::plain(Vec::new(), members)
            }
            Action::ReplaceText(text) => self.replace_text(op, text, &file, outline)?,
            Action::ReplaceRange(range) => {
                let texts = [range.text.as_str(), range.old.as_deref().unwrap_or("")];
                text::check_text(&file.bytes, &texts)?;
                text::compile_range(&file, range)?
            }
            Action::Structured(edit) => {
                let text = structured::text_of(&file.bytes)?;
                structured::compile(&op.path, text, edit)?
            }
            Action::Definition(edit) => {
                let outline = outline.expect("what edits a definition was parsed");
                let files = self.work.files;
                definition::compile(self.rules, files, &op.path, &file.bytes, outline, edit)?
            }
            Action::CreateFile { .. } | Action::DeleteFile | Action::MoveFile { .. } => {
                unreachable!("ops on whole paths run by themselves")
            }
        };
        self.finish(op, &file, compiled)
    }

    fn finish(&mut self, op: &Op, before: &WorkFile, compiled: Compiled) -> Result<(), Stop> {
        let file = self.work.file(&op.path)?;
        file.splice(&compiled.splices);
        file.parsed = compiled.parsed.or_else(|| file.parsed.take());
        file.is_text_edited |=
            matches!(op.action, Action::ReplaceText(_) | Action::ReplaceRange(_));
        let observed = file.bytes.len() as u64;
        if observed > self.rules.max_file_bytes {
            let what = format!("the length of `{}`", op.path);
            let limit = self.rules.max_file_bytes;
            return Err(Failure::Limit {
                what,
                limit,
                observed,
            }
            .into());
        }
        self.warnings.extend(compiled.warnings);
        self.push(
            op.action.name(),
            &op.path,
            Some(before.blob),
            compiled.members,
        );
        Ok(())
    }

    fn replace_text(
        &self,
        op: &Op,
        text: &ReplaceText,
        file: &WorkFile,
        outline: Option<&Outline>,
    ) -> Result<Compiled, Stop> {
        text::check_text(&file.bytes, &[&text.find, &text.replace])?;
        let scope = match (&text.within, outline) {
            (Some(target), Some(outline)) => {
                definition::scope(self.work.files, &op.path, &file.bytes, outline, target)?
            }
            _ => 0..file.bytes.len(),
        };
        Ok(text::compile(op, text, &file.bytes, &scope)?)
    }

    fn rename(&mut self, op: &Op) -> Result<(), Stop> {
        let mut files = Vec::new();
        for path in path_state::paths(op) {
            let file = self.work.file(path)?;
            files.push((path.clone(), Arc::clone(&file.bytes), file.blob));
        }
        let edits = definition::rename(self.rules, self.work.files, op, &files)?;
        let pre = files[0].2;
        for (path, splices) in &edits.splices {
            self.work.file(path)?.splice(splices);
        }
        self.push("rename-definition", &op.path, Some(pre), edits.members);
        Ok(())
    }

    fn push(&mut self, op: &str, path: &WorkspacePath, pre: Option<Identity>, members: Value) {
        let mut normal = json!({ "ordinal": self.normal.len(), "op": op, "path": path });
        if let Some(pre) = pre {
            normal["pre"] = json!(format!("blob:{pre}"));
        }
        if let (Value::Object(normal), Value::Object(members)) = (&mut normal, members) {
            normal.extend(members);
        }
        self.normal.push(normal);
    }

    /// Looks for the quoted text, or the named state, in other states of the file.
    fn seen_in(&self, op: &Op, failure: &Failure) -> Option<SeenIn> {
        let matches = |bytes: &[u8]| match (&op.action, failure) {
            (Action::ReplaceText(text), Failure::TextNotFound { .. }) => {
                let whole = 0..bytes.len();
                !text::exact_ranges(bytes, &text.find, text.exact_newlines, &whole).is_empty()
            }
            (
                _,
                Failure::PreImage {
                    what: "file",
                    expected,
                    ..
                },
            ) => {
                *expected == format!("blob:{}", Identity::of(Domain::Blob, bytes))
                    || *expected == format!("sha256:{}", super::work::sha256(bytes))
            }
            _ => false,
        };
        if !matches!(
            failure,
            Failure::TextNotFound { .. } | Failure::PreImage { .. }
        ) {
            return None;
        }
        let earlier = self.work.files.earlier(&op.path);
        let seen = earlier
            .into_iter()
            .find(|earlier| matches(&earlier.bytes))?;
        Some(SeenIn {
            state: seen.state,
            changed_by: seen.changed_by,
        })
    }
}
