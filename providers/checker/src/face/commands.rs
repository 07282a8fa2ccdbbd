//! The commands, a file for each.

mod check;
mod fix;
mod hash;
mod infer;
mod lex;
mod parse;
mod print;
mod rename;
mod run;
mod search;
mod test;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use soil::check::{CheckOptions, Checked, Depth, check};
use soil::diagnostic::Diagnostics;
use soil::document::Writer;
use soil::program::Program;
use soil::source::{FileId, Sources};

use super::{Answer, Options, input};
use crate::failure::Failure;

/// A command.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Gives the tokens of a file.
    Lex(File),
    /// Gives the tree of a file.
    Parse(File),
    /// Gives what the definitions of a program refer to.
    Rename(Manifest),
    /// Gives types, rows and facts of a program.
    Infer(Manifest),
    /// Does what `infer` does, and judges matches too.
    Check(Manifest),
    /// Gives a file in its one canonical text.
    Print(File),
    /// Gives the hashes of a program's definitions.
    Hash(Manifest),
    /// Gives a file of a program with the edits applied that need no decision.
    Fix(fix::Fix),
    /// Finds definitions of a program by their type.
    Search(search::Search),
    /// Runs a definition of a program.
    Run(run::Run),
    /// Runs the cases of a bundle.
    Test(test::Test),
}

/// The file that a command reads.
#[derive(Debug, clap::Args)]
pub(super) struct File {
    /// A file of definitions.
    #[arg(value_name = "FILE")]
    path: PathBuf,
}

/// The program that a command reads.
#[derive(Debug, clap::Args)]
pub(super) struct Manifest {
    /// The program's `program.json`.
    #[arg(value_name = "PROGRAM")]
    path: PathBuf,
}

/// Runs a command.
pub(super) fn run(command: &Command, options: Options) -> Result<Answer, Failure> {
    match command {
        Command::Lex(file) => lex::run(&file.path),
        Command::Parse(file) => parse::run(&file.path),
        Command::Rename(program) => rename::run(&program.path, options),
        Command::Infer(program) => infer::run(&program.path, options),
        Command::Check(program) => check::run(&program.path, options),
        Command::Print(file) => print::run(&file.path),
        Command::Hash(program) => hash::run(&program.path, options),
        Command::Fix(fix) => fix::run(fix),
        Command::Search(search) => search::run(search),
        Command::Run(run) => run::run(run, options),
        Command::Test(test) => test::run(test, options),
    }
}

/// The version of the contract that the commands keep.
const CONTRACT: u64 = 1;

/// Gives the versions of face and language.
pub(super) fn version() -> String {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("soil0_cli").number(CONTRACT);
        writer.key("soil0").string(env!("CARGO_PKG_VERSION"));
    });
    writer.finish_document()
}

/// Checks a program and gives what is made of it where nothing was reported.
fn of_program(
    path: &Path,
    depth: Depth,
    options: Options,
    document: impl FnOnce(&Checked<'_>) -> String,
) -> Result<Answer, Failure> {
    let program = input::program(path)?;
    let checked = checked(&program, depth, options)?;
    Ok(Answer::new(document(&checked)))
}

/// Checks a program in which nothing may be reported.
fn checked(program: &Program, depth: Depth, options: Options) -> Result<Checked<'_>, Failure> {
    let is_rich = options.is_rich;
    let mut checked = check(program, CheckOptions { depth, is_rich });
    if checked.diagnostics.is_empty() {
        return Ok(checked);
    }
    if options.is_human && !is_rich {
        // People see the edits too, which are looked for where something is wrong only.
        let is_rich = true;
        checked = check(program, CheckOptions { depth, is_rich });
    }
    Err(Failure {
        diagnostics: checked.diagnostics,
        sources: program.sources.clone(),
    })
}

/// A file that a command reads alone, with the number that reports about it have.
struct Single {
    path: String,
    bytes: Arc<[u8]>,
}

impl Single {
    const ID: FileId = FileId::new(0);

    fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = input::source(path)?;
        Ok(Self {
            path: input::shown(path),
            bytes: bytes.into(),
        })
    }

    /// Ends the command where something was reported.
    fn refuse(&self, diagnostics: Diagnostics) -> Result<(), Failure> {
        if diagnostics.is_empty() {
            return Ok(());
        }
        let mut sources = Sources::new();
        sources.add(&*self.path, Arc::clone(&self.bytes));
        Err(Failure {
            diagnostics,
            sources,
        })
    }
}
