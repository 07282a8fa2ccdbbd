//! The ops of a diff: what each of its files does, in an order in which each finds what it needs.
//!
//! A diff speaks of one state before, so that a name may move onto one that moves away. Removals come first, then moves,
//! each when its goal is free, then what is made, then what is changed in place.

use std::collections::HashSet;
use std::sync::Arc;

use super::parse::{Fate, FileDiff, Hunk, Mode, Sign};
use super::place::{Placed, place};
use super::{DiffError, Imported};
use crate::identity::Identity;
use crate::patch::document::{Action, Content, Op, PreImage, ReplaceRange, check_link, read_path};
use crate::patch::failure::Failure;
use crate::patch::files::{Files, PathState};
use crate::patch::line::{self, Lines};
use crate::patch::outcome::Warning;
use crate::patch::report::Report;
use crate::patch::splice::{Splice, spliced};
use crate::patch::text::end_above;
use crate::path::WorkspacePath;
use crate::snapshot::tree::{Entry, TreeError};

/// How a report names what a file of a diff asks for.
const DIFF: &str = "diff";

/// Compiles the files of a diff.
pub(super) fn compile<F: Files>(files: &F, diffs: &[FileDiff]) -> Result<Imported, DiffError> {
    check_names(diffs)?;
    let mut plan = Plan::default();
    for (ordinal, diff) in diffs.iter().enumerate() {
        let mut compiler = Compiler {
            files,
            plan: &mut plan,
            diff,
        };
        match compiler.file() {
            Ok(()) => {}
            Err(Stop::Files(error)) => return Err(error.into()),
            Err(Stop::Refused(path, failure)) => {
                plan.reports
                    .push(Report::new(ordinal, DIFF, &path, *failure));
            }
        }
    }
    Ok(plan.finish())
}

/// Refuses a diff that speaks of more than one state of a name.
fn check_names(diffs: &[FileDiff]) -> Result<(), Failure> {
    let mut taken = HashSet::new();
    let mut made = HashSet::new();
    for diff in diffs {
        let old = diff.old.as_ref().filter(|_| diff.fate != Fate::Copied);
        let is_first = old.is_none_or(|old| taken.insert(old))
            && diff.new.as_ref().is_none_or(|new| made.insert(new));
        if !is_first {
            let name = diff.new.as_ref().or(diff.old.as_ref());
            return Err(Failure::DiffParse {
                line: diff.line,
                reason: format!("`{}` stands twice", name.map_or("", String::as_str)),
            });
        }
    }
    Ok(())
}

enum Stop {
    Refused(String, Box<Failure>),
    Files(TreeError),
}

impl From<TreeError> for Stop {
    fn from(error: TreeError) -> Self {
        Self::Files(error)
    }
}

/// A move, and what it would be if its goal never gets free.
struct Move {
    from: WorkspacePath,
    to: WorkspacePath,
    pre: Identity,
    edits: Vec<Op>,
    whole: Op,
}

#[derive(Default)]
struct Plan {
    removed: Vec<Op>,
    moved: Vec<Move>,
    made: Vec<Op>,
    edited: Vec<Op>,
    reports: Vec<Report>,
    warnings: Vec<Warning>,
}

impl Plan {
    fn finish(mut self) -> Imported {
        let mut moves = Vec::new();
        while !self.moved.is_empty() {
            let is_free = |index: usize| {
                let goal = &self.moved[index].to;
                let others = self
                    .moved
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != index);
                others
                    .into_iter()
                    .all(|(_, other)| !touches(goal, &other.from))
            };
            if let Some(index) = (0..self.moved.len()).find(|index| is_free(*index)) {
                let next = self.moved.remove(index);
                moves.push(op(
                    next.from,
                    Some(next.pre),
                    Action::MoveFile { to: next.to },
                ));
                self.edited.extend(next.edits);
            } else {
                // Names that change places: one of them is removed, and made anew at its goal.
                let first = self.moved.remove(0);
                self.removed
                    .push(op(first.from, Some(first.pre), Action::DeleteFile));
                self.made.push(first.whole);
            }
        }
        let ops = [self.removed, moves, self.made, self.edited].concat();
        Imported {
            ops,
            reports: self.reports,
            warnings: self.warnings,
        }
    }
}

/// Whether one path is the other or lies below it.
fn touches(left: &WorkspacePath, right: &WorkspacePath) -> bool {
    let lies_below = |path: &WorkspacePath, other: &WorkspacePath| {
        let rest = path.as_str().strip_prefix(other.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    lies_below(left, right) || lies_below(right, left)
}

fn op(path: WorkspacePath, pre: Option<Identity>, action: Action) -> Op {
    Op {
        path,
        pre: pre.map(PreImage::Blob),
        action,
        sent: None,
    }
}

/// What stands at the name before, as the diff needs it.
struct Before {
    path: WorkspacePath,
    entry: Entry,
    bytes: Arc<[u8]>,
}

struct Compiler<'p, F> {
    files: &'p F,
    plan: &'p mut Plan,
    diff: &'p FileDiff,
}

impl<F: Files> Compiler<'_, F> {
    fn file(&mut self) -> Result<(), Stop> {
        let diff = self.diff;
        let new = diff.new.as_deref().map(named).transpose()?;
        let old = diff.old.as_deref().map(named).transpose()?;
        let Some(old) = old else {
            let new = new.expect("a file that is made has a name after");
            let text: Vec<u8> = diff.hunks.iter().flat_map(added).collect();
            let made = make(new, text, diff.new_mode)?;
            self.plan.made.push(made);
            return Ok(());
        };
        let Some(before) = self.before(&old)? else {
            self.misplaced(old, new);
            return Ok(());
        };
        match (diff.fate, new) {
            (Fate::Removed, _) | (_, None) => self.remove(before),
            (Fate::Copied, Some(new)) => {
                let (bytes, _) = self.edited(&before, &new)?;
                let mode = diff.new_mode.unwrap_or_else(|| mode_of(&before.entry));
                self.plan.made.push(make(new, bytes, Some(mode))?);
                Ok(())
            }
            (fate, Some(new)) => self.keep(&before, new, fate == Fate::Renamed),
        }
    }

    /// What stands at a path before the patch, where the diff can be about it.
    fn before(&self, path: &WorkspacePath) -> Result<Option<Before>, TreeError> {
        let PathState::Leaf(entry) = self.files.state(path)? else {
            return Ok(None);
        };
        let says_link = self.diff.old_mode == Some(Mode::Link);
        // A link that only goes, moves or is copied needs no word of its mode.
        let is_edited = match self.diff.fate {
            Fate::Removed => false,
            Fate::Kept => true,
            _ => !self.diff.hunks.is_empty(),
        };
        if entry.is_link() && !says_link && is_edited {
            return Ok(None);
        }
        let path = path.clone();
        let bytes = self.files.blob(&entry.blob())?;
        Ok(Some(Before { path, entry, bytes }))
    }

    /// An op that the check of path states refuses, and says why.
    fn misplaced(&mut self, old: WorkspacePath, new: Option<WorkspacePath>) {
        let action = match (self.diff.fate, new) {
            (Fate::Renamed, Some(to)) => Action::MoveFile { to },
            (Fate::Removed, _) => Action::DeleteFile,
            _ => Action::SetExecutable { executable: false },
        };
        self.plan.edited.push(op(old, None, action));
    }

    fn remove(&mut self, before: Before) -> Result<(), Stop> {
        let kept = self.spliced(&before, &before.path)?;
        if !kept.is_empty() {
            let failure = Failure::DiffHunkMismatch {
                hunk: 1,
                line: self.diff.line,
                reason: "the file that is removed holds more than the diff says".to_owned(),
                closest: None,
                lines: Vec::new(),
            };
            return Err(refused(&before.path, failure));
        }
        let pre = before.entry.blob();
        self.plan
            .removed
            .push(op(before.path, Some(pre), Action::DeleteFile));
        Ok(())
    }

    /// A file that stays, under its name or another.
    fn keep(&mut self, before: &Before, new: WorkspacePath, is_moved: bool) -> Result<(), Stop> {
        let (bytes, ranges) = self.edited(before, &new)?;
        let pre = before.entry.blob();
        let mode = self.diff.new_mode.unwrap_or_else(|| mode_of(&before.entry));
        if before.entry.is_link() || mode == Mode::Link {
            // A link has no bytes to edit and moves by being made anew.
            let removed = op(before.path.clone(), Some(pre), Action::DeleteFile);
            self.plan.removed.push(removed);
            self.plan.made.push(make(new, bytes, Some(mode))?);
            return Ok(());
        }
        let mut edits: Vec<Op> = ranges
            .into_iter()
            .map(|range| op(new.clone(), Some(pre), Action::ReplaceRange(range)))
            .collect();
        if let Mode::File { executable } = mode
            && executable != before.entry.is_executable()
            && self.diff.old_mode != self.diff.new_mode
        {
            edits.push(op(
                new.clone(),
                Some(pre),
                Action::SetExecutable { executable },
            ));
        }
        if is_moved {
            let whole = make(new.clone(), bytes, Some(mode))?;
            let from = before.path.clone();
            self.plan.moved.push(Move {
                from,
                to: new,
                pre,
                edits,
                whole,
            });
        } else {
            self.plan.edited.extend(edits);
        }
        Ok(())
    }

    /// The bytes after the hunks.
    fn spliced(&mut self, before: &Before, path: &WorkspacePath) -> Result<Vec<u8>, Stop> {
        Ok(self.edited(before, path)?.0)
    }

    /// The bytes after the hunks, and the lines that they replace.
    fn edited(
        &mut self,
        before: &Before,
        path: &WorkspacePath,
    ) -> Result<(Vec<u8>, Vec<ReplaceRange>), Stop> {
        let hunks = &self.diff.hunks;
        let placed = place(&before.bytes, hunks);
        let placed = placed.map_err(|failure| refused(&before.path, failure))?;
        self.warn(&placed, path);
        let lines = Lines::of(&before.bytes);
        let mut splices = Vec::new();
        let mut ranges = Vec::new();
        for (hunk, placed) in hunks.iter().zip(&placed) {
            for run in runs(&before.bytes, &lines, hunk, *placed) {
                let range = lines.span(run.start, run.count);
                if before.bytes[range.clone()] == *run.text {
                    continue;
                }
                splices.push(Splice::new(range, run.text.clone()));
                ranges.push(ReplaceRange {
                    start_line: run.start + 1,
                    end_line: run.start + run.count,
                    text: String::from_utf8(run.text)
                        .expect("lines of a diff and line ends are UTF-8"),
                    old: None,
                    exact_newlines: true,
                });
            }
        }
        Ok((spliced(&before.bytes, &splices), ranges))
    }

    fn warn(&mut self, placed: &[Placed], path: &WorkspacePath) {
        let mut warn = |name, detail| {
            let path = path.clone();
            self.plan.warnings.push(Warning { name, path, detail });
        };
        for (index, (hunk, placed)) in self.diff.hunks.iter().zip(placed).enumerate() {
            let number = index + 1;
            let stated = if hunk.old_lines().next().is_none() {
                hunk.old_start + 1
            } else {
                hunk.old_start.max(1)
            };
            let stands = placed.start + 1;
            if stands != stated {
                warn(
                    "hunk-offset",
                    format!("hunk {number} stands at line {stands}, stated {stated}"),
                );
            }
            if hunk.is_miscounted {
                warn(
                    "hunk-count",
                    format!("hunk {number} has other counts than its header says"),
                );
            }
        }
    }
}

fn refused(path: &WorkspacePath, failure: Failure) -> Stop {
    Stop::Refused(path.to_string(), Box::new(failure))
}

fn named(name: &str) -> Result<WorkspacePath, Stop> {
    read_path(name).map_err(|failure| Stop::Refused(name.to_owned(), Box::new(failure)))
}

const fn mode_of(entry: &Entry) -> Mode {
    match entry {
        Entry::Link { .. } => Mode::Link,
        Entry::File { executable, .. } => Mode::File {
            executable: *executable,
        },
    }
}

/// A new file or link.
fn make(path: WorkspacePath, bytes: Vec<u8>, mode: Option<Mode>) -> Result<Op, Stop> {
    let content = match mode {
        Some(Mode::Link) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            check_link(&path, &text).map_err(|failure| refused(&path, failure))?;
            Content::Link(text)
        }
        _ => Content::Bytes(bytes),
    };
    let executable = matches!(mode, Some(Mode::File { executable: true }));
    Ok(op(
        path,
        None,
        Action::CreateFile {
            content,
            executable,
        },
    ))
}

fn added(hunk: &Hunk) -> impl Iterator<Item = u8> {
    hunk.new_lines().flat_map(|line| line.text.bytes())
}

/// Lines of the file, from 0, and what takes their place.
struct Run {
    start: usize,
    count: usize,
    text: Vec<u8>,
}

/// The maximal changed runs of a hunk.
fn runs(file: &[u8], lines: &Lines, hunk: &Hunk, placed: Placed) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut at = placed.start;
    let mut index = 0;
    while index < hunk.lines.len() {
        if hunk.lines[index].sign == Sign::Context {
            at += 1;
            index += 1;
            continue;
        }
        let changed = hunk.lines[index..]
            .iter()
            .take_while(|line| line.sign != Sign::Context);
        let changed: Vec<_> = changed.collect();
        index += changed.len();
        let count = changed
            .iter()
            .filter(|line| line.sign == Sign::Removed)
            .count();
        let new = changed.iter().filter(|line| line.sign == Sign::Added);
        let new: Vec<_> = new
            .map(|line| (line.text.as_bytes(), line.is_unended))
            .collect();
        let whole = if placed.is_exact {
            let texts = new.iter().map(|(text, _)| *text);
            texts.collect::<Vec<_>>().concat()
        } else {
            with_ends_of(file, lines, at..at + count, &new)
        };
        // Behind a last line without a line end a new one starts with that line's end.
        let is_behind = count == 0 && at == lines.count();
        let is_unended = !file.is_empty() && !file.ends_with(b"\n");
        let lead = if is_behind && is_unended {
            end_above(file, file.len())
        } else {
            Vec::new()
        };
        let text = [lead, whole].concat();
        runs.push(Run {
            start: at,
            count,
            text,
        });
        at += count;
    }
    runs
}

/// New lines with the line ends of those that they replace, else of the line above.
fn with_ends_of(
    file: &[u8],
    lines: &Lines,
    replaced: std::ops::Range<usize>,
    new: &[(&[u8], bool)],
) -> Vec<u8> {
    let mut above = end_above(file, lines.start(replaced.start));
    let mut text = Vec::new();
    for (index, (line, is_unended)) in new.iter().enumerate() {
        let own = (replaced.start + index < replaced.end)
            .then(|| line::end_of(&file[lines.range(replaced.start + index)]));
        let end = match own {
            Some(end) if !end.is_empty() => end.to_vec(),
            _ => above.clone(),
        };
        let is_last = index + 1 == new.len() && replaced.end == lines.count();
        let was_unended = !replaced.is_empty() && !file.ends_with(b"\n");
        text.extend_from_slice(line::body_of(line));
        if !(*is_unended || (is_last && was_unended)) {
            text.extend_from_slice(&end);
        }
        above = end;
    }
    text
}
