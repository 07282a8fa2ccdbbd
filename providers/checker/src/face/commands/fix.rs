//! `soil fix`: a file of a program with the edits applied that need no decision.

use std::path::PathBuf;

use soil::check::{CheckOptions, check};
use soil::diagnostic::{Diagnostics, Edit, EditKind, apply};
use soil::source::FileId;

use crate::face::{Answer, input};
use crate::failure::Failure;

/// What `fix` is given.
#[derive(Debug, clap::Args)]
pub(in crate::face) struct Fix {
    /// The program's `program.json`.
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// The file, as the program names it.
    #[arg(long, value_name = "FILE")]
    file: String,
}

pub(super) fn run(fix: &Fix) -> Result<Answer, Failure> {
    let program = input::program(&fix.program)?;
    let mut files = program.files.iter().filter(|file| file.is_listed);
    let found = files.find_map(|file| {
        let source = program.sources.get(file.id)?;
        (*source.path == *fix.file).then_some((file.id, source))
    });
    let Some((file, source)) = found else {
        let message = format!("`{}` is none of the program's `defs`", fix.file);
        return Err(Failure::usage(&message));
    };
    let checked = check(&program, CheckOptions::RICH);
    let edits = machine_edits(file, &source.bytes, checked.diagnostics);
    let fixed = apply(file, &source.bytes, &edits);
    Ok(Answer::new(fixed.unwrap_or_else(|| source.bytes.to_vec())))
}

/// Chooses the edits of a file that need no decision, in the order of documents; one that overlaps an earlier one waits for the next run.
fn machine_edits(file: FileId, bytes: &[u8], diagnostics: Diagnostics) -> Vec<Edit> {
    let mut chosen = Vec::new();
    for diagnostic in diagnostics.into_sorted() {
        let is_meant = |edit: &Edit| {
            edit.kind == EditKind::Machine && edit.splices.iter().all(|splice| splice.file == file)
        };
        let Some(edit) = diagnostic.edits.into_iter().find(is_meant) else {
            continue;
        };
        if chosen.contains(&edit) {
            continue;
        }
        chosen.push(edit);
        if apply(file, bytes, &chosen).is_none() {
            chosen.pop();
        }
    }
    chosen
}
