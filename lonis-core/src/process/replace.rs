//! Giving this process to another program: the user's own, not a tool.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;

/// Replaces this process with a program, which keeps its terminal, environment, directory and process number.
///
/// Nothing is bounded and nothing is cleared: this is for a program that the user named, such as an external
/// subcommand. It returns only when the program could not be started.
pub fn replace<A: AsRef<OsStr>>(
    program: &Path,
    arguments: impl IntoIterator<Item = A>,
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> io::Error {
    #[expect(
        clippy::disallowed_methods,
        reason = "this module is of the process layer"
    )]
    let mut command = std::process::Command::new(program);
    command.args(arguments).envs(variables).exec()
}
