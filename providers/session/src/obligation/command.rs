//! Commands: programs of the machine or of the tree, started directly.

use std::path::{Path, PathBuf};

use lonis::process::Program;

use super::attempt::Attempt;
use super::fault::Fault;
use super::place::{Place, Variables};
use super::running;
use crate::evidence::RanTool;
use crate::policy::{Network, Obligation};
use crate::program_hash::ProgramHashes;

/// Whether an obligation runs a program that stands in the tree itself.
pub(super) fn is_of_tree(obligation: &Obligation) -> bool {
    of_tree(obligation).is_some()
}

/// The path of a program that stands in the tree itself.
pub(super) fn of_tree(obligation: &Obligation) -> Option<&str> {
    word(obligation).filter(|command| command.contains('/') && !command.starts_with('/'))
}

fn word(obligation: &Obligation) -> Option<&str> {
    Some(obligation.argv.as_ref()?.first()?.as_str())
}

/// The command as it is looked for: a program of the tree is named from the root.
fn command(obligation: &Obligation, root: &Path) -> PathBuf {
    let command = word(obligation).unwrap_or_default();
    if is_of_tree(obligation) {
        root.join(command)
    } else {
        PathBuf::from(command)
    }
}

/// What evidence says of the program; one of the tree stands at `of_tree`.
pub(super) fn ran(
    hashes: &ProgramHashes,
    obligation: &Obligation,
    of_tree: Option<&Path>,
) -> RanTool {
    let environment = super::place::environment(obligation);
    let command = of_tree.unwrap_or_else(|| Path::new(word(obligation).unwrap_or_default()));
    let mut program = Program::new(command);
    if let Some(path) = environment.get("PATH") {
        program = program.with_path(path);
    }
    RanTool {
        name: word(obligation).unwrap_or_default().to_owned(),
        blake3: program.resolve().ok().and_then(|found| hashes.of(&found)),
        ..RanTool::default()
    }
}

/// Runs the command of an obligation to its end; an error is one of the runner itself.
pub(super) fn run(
    place: &Place<'_>,
    obligation: &Obligation,
    environment: &Variables,
    ran: RanTool,
) -> Result<Attempt, String> {
    let captured = running::capture(&program(place, obligation, environment));
    let outcome = &captured.outcome;
    if let Some(left) = outcome.left_behind.first() {
        return Err(format!("process {} cannot be ended", left.pid));
    }
    let seen = (outcome.stdout_bytes, outcome.stderr_bytes);
    let fault = match (&captured.failure, outcome.status) {
        (Some(error), _) => Some(Fault::of_process(&ran.name, error, seen)?),
        (None, None) => Some(Fault::unavailable(&ran.name, "it left no status")),
        (None, Some(status)) => {
            let expected = obligation.expected_exit.clone();
            match status.signal() {
                Some(signal) => Some(
                    Fault::new("obligation/signal", format!("signal {signal} ended it"))
                        .with("signal", signal)
                        .with("expected", expected),
                ),
                None if !expected.contains(&status.code()) => Some(
                    Fault::new(
                        "obligation/exit-status",
                        format!("exit code {}", status.code()),
                    )
                    .with("exit", status.code())
                    .with("expected", expected),
                ),
                None => None,
            }
        }
    };
    // With the rule, a program that has a status was started where there is no network.
    let is_closed_off = obligation.network == Network::Deny && outcome.status.is_some();
    Ok(Attempt {
        tool: ran,
        stdout: captured.stdout,
        stderr: captured.stderr,
        outcome: captured.outcome,
        fault,
        is_closed_off,
    })
}

fn program(place: &Place<'_>, obligation: &Obligation, environment: &Variables) -> Program {
    let arguments = obligation.argv.iter().flatten().skip(1);
    let mut program = Program::new(command(obligation, place.root))
        .with_args(arguments)
        .with_base_env()
        .with_cwd(place.directory(obligation))
        .with_confinement(place.confinement.clone());
    if let Some(view) = &place.view {
        let view = match &place.of_tree {
            Some(file) => view.clone().with_program_at(file),
            None => view.clone(),
        };
        program = program.with_view(view);
    }
    if let Some(above) = place.ceiling() {
        program = program.with_env("GIT_CEILING_DIRECTORIES", above);
    }
    for (name, value) in environment {
        program = program.with_env(name, value);
    }
    if obligation.network == Network::Deny {
        program = program.without_network();
    }
    if !environment.contains_key("PATH") {
        program = program.without_env("PATH");
    }
    program.with_limits(obligation.limits())
}
