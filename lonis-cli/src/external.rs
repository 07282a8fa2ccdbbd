//! `lonis NAME …`: the program `lonis-NAME` of a provider folder in place of this one, as git and cargo do it.

use std::ffi::OsString;

use lonis::host::{ProviderName, find, find_all, search_path, why_skipped};
use lonis::{ErrorKind, ToolError, process};

use crate::surroundings;

/// Replaces this process; returns only with the reason why it could not.
pub(crate) fn run(mode: Option<OsString>, words: &[OsString], commands: &[String]) -> ToolError {
    let environment = match surroundings::read() {
        Ok(environment) => environment,
        Err(error) => return error,
    };
    let Some((name, arguments)) = words.split_first() else {
        return ToolError::new(ErrorKind::InvalidInput, "a command is missing");
    };
    let folders = search_path(&environment);
    let checked = name.to_str().and_then(|name| ProviderName::new(name).ok());
    let program = checked.as_ref().and_then(|name| find(&folders, name));
    let Some(program) = program else {
        let error = unknown(&name.to_string_lossy(), commands, &find_all(&folders));
        let skipped = checked.and_then(|name| why_skipped(&folders, &name));
        return match skipped {
            Some(why) => error.with_hint(why),
            None => error,
        };
    };
    // A mode in front of the name is the other program's first argument.
    let mode = mode
        .into_iter()
        .flat_map(|mode| [OsString::from("--mode"), mode]);
    let own = environment
        .executable()
        .map(|path| (OsString::from("LONIS_EXE"), path.as_os_str().to_owned()));
    let error = process::replace(&program, mode.chain(arguments.iter().cloned()), own);
    ToolError::new(
        ErrorKind::Unavailable,
        format!("`{}` cannot be started: {error}", program.display()),
    )
}

fn unknown(name: &str, commands: &[String], external: &[String]) -> ToolError {
    let error = ToolError::new(
        ErrorKind::InvalidInput,
        format!("`{}` is no command of lonis", name.escape_debug()),
    );
    let known = commands.iter().chain(external).map(String::as_str);
    match lonis::nearest(name, known, 1).first() {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None => error.with_hint(
            "`lonis help` lists the commands; others are `lonis-NAME` in a provider folder",
        ),
    }
}
