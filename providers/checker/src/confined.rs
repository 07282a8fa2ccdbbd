//! What the programs that a project names run under: hard bounds, no network, an environment of their own.
//!
//! References and shell sessions are the project's own text, so whoever runs the tests of a project runs them. They get
//! `PATH`, a private home and temporary folder, and nothing else of the caller's environment; what they leave running is
//! ended with them.

mod running;

use std::fmt;

use lonis::limits::{Bound, Limits};
use lonis::process::{Captured, ProcessError, Program, Status};

pub(crate) use running::{capture, capture_all, width};

/// The bounds of one run, for all of its processes together where the bound is about processes.
///
/// # Units and bounds
/// 30 s of time and of processor, 4 MiB of output and 256 KiB of errors, 1 GiB of memory, 64 processes, files of at
/// most 64 MiB, 256 MiB in private folders.
const BOUNDS: [(Bound, u64); 9] = [
    (Bound::TimeoutMillis, 30_000),
    (Bound::MaxCpuMillis, 30_000),
    (Bound::KillGraceMillis, 0),
    (Bound::MaxStdoutBytes, 4 << 20),
    (Bound::MaxStderrBytes, 256 << 10),
    (Bound::MaxMemoryBytes, 1 << 30),
    (Bound::MaxProcesses, 64),
    (Bound::MaxFileBytes, 64 << 20),
    (Bound::MaxPrivateBytes, 256 << 20),
];

/// The most characters of a program's own words that a message shows.
const MAX_SAID_CHARACTERS: usize = 300;

/// Puts a program under the bounds.
pub(crate) fn confined(program: Program) -> Program {
    let none = Limits::new();
    let limits = BOUNDS.into_iter().fold(none, |limits, (bound, value)| {
        limits.with_nearest(bound, value)
    });
    program
        .with_base_env()
        .without_network()
        .with_limits(limits)
}

/// Why a program gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ConfinedError {
    /// It was not started, or not left to end by itself.
    #[error("{0}")]
    Process(ProcessError),
    /// It failed.
    #[error("ended with {}{}", How(*status), Words(said))]
    Failed {
        /// How it ended.
        status: Status,
        /// The last line that it wrote about it.
        said: String,
    },
}

/// Gives what a program wrote to stdout, if it ended well.
///
/// # Errors
/// When it was not started, was ended, or failed.
pub(crate) fn answer(captured: Captured) -> Result<Vec<u8>, ConfinedError> {
    judge(&captured)?;
    Ok(captured.stdout)
}

/// Says whether a program ended well.
///
/// # Errors
/// As [`answer`] gives them.
pub(crate) fn judge(captured: &Captured) -> Result<(), ConfinedError> {
    if let Some(error) = &captured.failure {
        return Err(ConfinedError::Process(error.clone()));
    }
    match captured.outcome.status {
        Some(status) if !status.is_success() => Err(ConfinedError::Failed {
            status,
            said: last_line(&captured.stderr),
        }),
        _ => Ok(()),
    }
}

/// Gives the last line of a program's errors that says anything, fit for a message.
fn last_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let mut lines = text.lines().rev().map(str::trim);
    shown(lines.find(|line| !line.is_empty()).unwrap_or_default())
}

/// Makes a foreign text fit for a message: short, and without characters that drive a terminal.
pub(crate) fn shown(text: &str) -> String {
    let mut characters = text.chars();
    let kept = characters.by_ref().take(MAX_SAID_CHARACTERS);
    let mut shown: String = kept
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

struct How(Status);

impl fmt::Display for How {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.0.signal_name()) {
            (Status::Signaled(_), Some(name)) => formatter.write_str(name),
            (status, _) => write!(formatter, "status {}", status.code()),
        }
    }
}

struct Words<'a>(&'a str);

impl fmt::Display for Words<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(formatter, ": {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives why a script gave no answer under a bound of its own; nothing where the network cannot be closed off.
    fn refused(script: &str, bound: Bound, limit: u64) -> Option<String> {
        let program = confined(Program::new("sh").with_args(["-c", script]));
        let limits = Limits::new().with_nearest(bound, limit);
        let limits = limits.over(program.limits());
        let captured = capture(&program.with_limits(limits), b"");
        match answer(captured).expect_err("it is ended or fails") {
            ConfinedError::Process(error @ ProcessError::NetworkNotClosed { .. }) => {
                println!("skipped: {error}");
                None
            }
            error => Some(error.to_string()),
        }
    }

    #[test]
    fn each_bound_is_held() {
        for (bound, _) in BOUNDS {
            let program = confined(Program::new("sh"));
            assert!(program.limits().value(bound).is_some(), "{bound}");
        }
        let grows = "x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done";
        let forks = "for i in 1 2 3 4 5 6 7 8; do sleep 60 & done; wait";
        let fills = "while :; do cat /bin/sh >> \"$HOME/full\"; done";
        let cases = [
            (
                "sleep 60",
                Bound::TimeoutMillis,
                200,
                "no end within 200 ms",
            ),
            (
                "while :; do :; done",
                Bound::MaxCpuMillis,
                300,
                "`max_cpu_millis` is over its limit",
            ),
            (
                grows,
                Bound::MaxMemoryBytes,
                64 << 20,
                "`max_memory_bytes` is over its limit",
            ),
            (
                forks,
                Bound::MaxProcesses,
                4,
                "`max_processes` is over its limit of 4",
            ),
            (
                fills,
                Bound::MaxPrivateBytes,
                1 << 20,
                "`max_private_bytes` is over its limit",
            ),
            (
                "echo 12345",
                Bound::MaxStdoutBytes,
                5,
                "stdout is over its limit of 5 bytes",
            ),
            (
                "echo 12345 >&2",
                Bound::MaxStderrBytes,
                5,
                "stderr is over its limit of 5 bytes",
            ),
        ];
        for (script, bound, limit, expected) in cases {
            let Some(reason) = refused(script, bound, limit) else {
                return;
            };
            assert!(reason.starts_with(expected), "{reason}");
        }
    }

    #[test]
    fn the_words_of_a_program_are_short_and_drive_no_terminal() {
        let says = "printf 'first\\n\\033[31mred\\007%0400d\\n\\n' 7 >&2; exit 9";
        let Some(reason) = refused(says, Bound::TimeoutMillis, 30_000) else {
            return;
        };
        assert!(
            reason.starts_with("ended with status 9:  [31mred 000"),
            "{reason}"
        );
        assert!(
            reason.ends_with('…') && reason.chars().count() < 350,
            "{reason}"
        );
        let silent = refused("exit 9", Bound::TimeoutMillis, 30_000);
        assert_eq!(silent.as_deref(), Some("ended with status 9"));
    }
}
