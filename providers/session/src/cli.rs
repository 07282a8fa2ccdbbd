//! The command line: the same commands for people, and one envelope a command with `--json`.

mod arguments;
mod ending;
pub(crate) mod human;
mod usage;

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::{CommandFactory as _, Parser as _};
use lonis::{ErrorKind, Json, MAX_INPUT_BYTES, ToolError};
use lonis_diagnostics::{Code, Diagnostic, Failure, nearest};
use serde_json::{Value, json};

use crate::commands::{self, Surroundings};
use crate::file_set::POLICY_FILE;
use crate::patch::diff::MAX_DIFF_BYTES;
use crate::patch::document::Rounded;

pub use arguments::Arguments;
use arguments::Part;
use ending::Ending;

/// The kind of an envelope that explains a code.
const EXPLAIN_KIND: &str = "genesis/diagnostic-v0.1";

/// What a command line gives: the kind of its result, its data, and how people see it.
struct Answer {
    kind: String,
    data: Value,
    text: String,
}

/// Runs a command line, the program's name first, and gives the exit code.
pub fn run(words: &[OsString]) -> u8 {
    match Arguments::try_parse_from(words) {
        Ok(arguments) => {
            let ending = Ending {
                is_json: arguments.json,
                kind: arguments.kind(),
                effect: arguments.effect(),
            };
            ending.tell(answer(&arguments))
        }
        Err(error) if error.use_stderr() => {
            let ending = Ending {
                is_json: is_json(words),
                ..Ending::default()
            };
            ending.tell(Err(usage::refusal(&error, words).into()))
        }
        Err(help) => Ending::default().show(&help.to_string()),
    }
}

/// Whether words that are refused ask for an envelope.
fn is_json(words: &[OsString]) -> bool {
    words
        .iter()
        .take_while(|word| *word != "--")
        .any(|word| word == "--json")
}

/// Whether a word is a command of the command line.
pub fn is_command(word: &str) -> bool {
    // The parser makes `help` by itself, and only as it runs.
    word == "help"
        || Arguments::command()
            .get_subcommands()
            .any(|command| command.get_name() == word)
}

fn answer(arguments: &Arguments) -> Result<Answer, Failure> {
    if let Part::Explain { code } = &arguments.part {
        return explain(code);
    }
    let Some((command, mut input)) = arguments.input() else {
        return Err(Diagnostic::new(
            Code::InvocationUsage,
            "session/arguments",
            "a command is missing",
        )
        .into());
    };
    if !arguments.json {
        stands(arguments.root.as_deref())?;
    }
    input["root"] = json!(root(arguments.root.as_deref())?);
    let mut rounded = Rounded::default();
    if let Some(path) = arguments.patch() {
        let text = patch(path)?;
        rounded = Rounded::of(text.text());
        input["patch"] = text.to_value();
    }
    if let Some(path) = arguments.diff() {
        input["diff"] = diff(path)?.into();
    }
    let providers = arguments
        .providers
        .as_deref()
        .map(std::path::absolute)
        .transpose()
        .map_err(|error| {
            let message = format!("the file of `--providers` cannot be found: {error}");
            let diagnostic = Diagnostic::new(Code::InvocationUsage, "session/arguments", message);
            Failure::from(diagnostic.with("argument", "--providers"))
        })?;
    let surroundings = Surroundings::of_process().with_providers(providers);
    let is_json = arguments.json;
    let data = commands::run_telling(command, &input, &rounded, &surroundings, &|progress| {
        // An envelope is all that machines get.
        if !is_json {
            human::tell(progress);
        }
    })?;
    let text = human::text(command, &data);
    Ok(Answer {
        kind: command.kind(),
        data,
        text,
    })
}

/// Reads the file of a patch; `-` is stdin.
fn patch(path: &Path) -> Result<Json, Failure> {
    let read = if path.as_os_str() == "-" {
        lonis::read_input(&mut io::stdin().lock())
    } else {
        lonis::read_input(&mut io::BufReader::new(opened(path)?))
    };
    read.map_err(|error| unread(path, &error))
}

/// Says why no document was read.
fn unread(path: &Path, error: &ToolError) -> Failure {
    let new = |code| Diagnostic::new(code, "session/stage", error.message());
    let diagnostic = match error.kind() {
        ErrorKind::Io => new(Code::IoRead)
            .with("path", path.to_string_lossy())
            .with("os_error", error.message()),
        ErrorKind::LimitExceeded => new(Code::PatchLimit)
            .with("key", "bytes")
            .with("limit", MAX_INPUT_BYTES)
            .with("observed", MAX_INPUT_BYTES + 1),
        _ => new(Code::PatchSchema)
            .with("pointer", "")
            .with("rule", "one JSON value"),
    };
    diagnostic.into()
}

/// Reads the file of a diff; `-` is stdin. One byte more than a diff may have is enough to refuse it.
fn diff(path: &Path) -> Result<String, Failure> {
    let limit = MAX_DIFF_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        opened(path)?.take(limit).read_to_end(&mut bytes)
    };
    read.map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let read = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = read.split(|byte| *byte == b'\n').count();
        let reason = "a byte that is not UTF-8";
        let message = format!("line {line} of the diff: {reason}");
        let diagnostic = Diagnostic::new(Code::PatchDiffParse, "session/stage", message);
        diagnostic.with("line", line).with("reason", reason).into()
    })
}

fn opened(path: &Path) -> Result<std::fs::File, Failure> {
    std::fs::File::open(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let message = format!("the file of the patch cannot be read: {error}");
    let diagnostic = Diagnostic::new(Code::IoRead, "session/stage", message);
    diagnostic
        .with("path", path.to_string_lossy())
        .with("os_error", error.to_string())
        .into()
}

/// Looks one code up, exactly.
fn explain(code: &str) -> Result<Answer, Failure> {
    let is_code = code
        .split_once('/')
        .is_some_and(|(family, name)| is_segment(family) && is_segment(name));
    let operation = "diagnostic/lookup";
    if !is_code {
        let diagnostic = Diagnostic::new(
            Code::DiagnosticLookupInvalid,
            operation,
            format!("`{}` is no code", code.escape_debug()),
        );
        return Err(diagnostic
            .with("received", code)
            .with("expected", "`family/name`")
            .into());
    }
    let found: Code = code.parse().map_err(|_| {
        let diagnostic = Diagnostic::new(
            Code::DiagnosticLookupNotFound,
            operation,
            format!("the catalog holds no code `{code}`"),
        );
        Failure::from(
            diagnostic
                .with("received", code)
                .with("nearest", json!(nearest(code, 3))),
        )
    })?;
    let entry = found.entry();
    let data = json!({
        "schema": EXPLAIN_KIND,
        "catalog_version": lonis_diagnostics::CATALOG_VERSION,
        "catalog_identity_sha256": lonis_diagnostics::CATALOG_IDENTITY,
        "lookup": code,
        "diagnostic": entry.published(),
    });
    Ok(Answer {
        kind: EXPLAIN_KIND.to_owned(),
        text: human::explained(entry),
        data,
    })
}

fn is_segment(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Names a given root that does not stand as it was typed: an envelope holds no path of the machine, a person needs it.
fn stands(given: Option<&Path>) -> Result<(), Failure> {
    let Some(given) = given else {
        return Ok(());
    };
    let reason = match std::fs::metadata(given) {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => "it is not a directory".to_owned(),
        Err(error) => error.to_string(),
    };
    let shown = given.display();
    let message = format!("the root `{shown}` cannot be a workspace: {reason}");
    let diagnostic = Diagnostic::new(Code::SessionRootUnavailable, "session/root", message);
    Err(diagnostic.with("reason", reason).into())
}

/// The root: as given, else the nearest directory upward with a policy file, else that with a repository, else this one.
fn root(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let unavailable = |error: io::Error| {
        let diagnostic = Diagnostic::new(
            Code::SessionRootUnavailable,
            "session/root",
            format!("the root cannot be found: {error}"),
        );
        Failure::from(diagnostic.with("reason", error.to_string()))
    };
    if let Some(given) = given {
        return std::path::absolute(given).map_err(unavailable);
    }
    let here = std::env::current_dir().map_err(unavailable)?;
    let holding = |is_there: fn(&Path) -> bool, name: &str| {
        here.ancestors()
            .find(|folder| is_there(&folder.join(name)))
            .map(Path::to_path_buf)
    };
    // A policy file that leads nowhere is refused where it stands, not passed over.
    Ok(holding(|path| path.symlink_metadata().is_ok(), POLICY_FILE)
        .or_else(|| holding(Path::exists, ".git"))
        .unwrap_or(here))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repair_commands_parse() {
        let mut seen = 0;
        for entry in lonis_diagnostics::entries() {
            for action in entry.actions {
                let words = action.command;
                if words.first() != Some(&"lonis-session") {
                    continue;
                }
                let filled = words.iter().map(|word| match *word {
                    "{session}" => "fix",
                    word => word,
                });
                let parsed = Arguments::try_parse_from(filled);
                assert!(parsed.is_ok(), "{}: {words:?}", entry.code);
                seen += 1;
            }
        }
        assert!(seen > 10, "{seen}");
    }
}
