//! The command face of Soil, `lonis-checker soil …`.
//!
//! A command reads files and gives an [`Answer`] or a [`Failure`]; [`output`] alone writes. An answer is one document on
//! stdout and nothing on stderr, a failure one document of diagnostics on stderr; with `--human` it is shown in its source.

mod arguments;
mod commands;
mod human;
mod input;
mod output;

use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};

use crate::failure::{Failure, OK};
use crate::mode::Output;
pub(crate) use arguments::Arguments;
use arguments::Options;
pub(crate) use human::{Severity, labelled};
pub(crate) use output::{answer as write, answer_people, ask, error as write_error, show};
use soil::diagnostic::Code;
use soil::document::Detail;

/// What a command gives.
#[derive(Debug)]
struct Answer {
    /// What stands on stdout.
    text: Vec<u8>,
    /// The exit code.
    code: u8,
}

impl Answer {
    fn new(text: impl Into<Vec<u8>>) -> Self {
        let text = text.into();
        Self { text, code: OK }
    }
}

/// Runs a command and gives its exit code.
pub(crate) fn run(mut arguments: Arguments, output: Output) -> u8 {
    arguments.options = arguments.options.in_mode(output);
    // A bug is a document like any other failure, so the hook must not write beside it.
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(|| asked(&arguments)));
    end(result.unwrap_or_else(|_| Err(bug())), arguments.options)
}

/// Gives what is asked for.
fn asked(arguments: &Arguments) -> Result<Answer, Failure> {
    if arguments.version {
        return Ok(Answer::new(commands::version()));
    }
    match &arguments.command {
        Some(command) => commands::run(command, arguments.options),
        None => Err(Failure::usage(
            "`soil` needs a command; `--help` lists them",
        )),
    }
}

/// Ends with what the reader of arguments has to say of words: help, or why they are refused, as their command says it.
pub(crate) fn refuse(error: &clap::Error, words: &[OsString]) -> u8 {
    let (output, words) = Output::parted(words);
    let is_of = |position: usize, known: &[&str]| {
        let word = words.get(position);
        word.is_some_and(|word| known.iter().any(|known| word == known))
    };
    if !error.use_stderr() && !is_of(0, &["soil"]) {
        return match output::answer(error.to_string().as_bytes()) {
            Ok(()) => OK,
            Err(failure) => {
                show(&failure);
                failure.tool_exit_code()
            }
        };
    }
    if is_of(0, &["soil"]) {
        let mut own = words.iter().take_while(|word| **word != "--");
        let options = Options {
            is_rich: false,
            is_human: own.any(|word| *word == "--human"),
        };
        let options = options.in_mode(output);
        let said = if error.use_stderr() {
            Err(arguments::reason(error).into())
        } else {
            Ok(Answer::new(error.to_string()))
        };
        return end(said, options);
    }
    let failure = Failure::from(arguments::reason(error));
    let is_for_hosts = is_of(0, &["job"]) && !is_of(1, &["list", "show"]);
    if is_for_hosts || output.is_json() {
        output::error(&failure.document(Detail::Rich));
    } else {
        show(&failure);
    }
    failure.tool_exit_code()
}

/// Ends a call of `trellis` that is none.
pub(crate) fn refuse_trellis() -> u8 {
    let failure = Failure::usage("`trellis` is called as `trellis call DEF JSON…`");
    show(&failure);
    failure.exit_code()
}

fn end(result: Result<Answer, Failure>, options: Options) -> u8 {
    let written = result.and_then(|answer| {
        output::answer(&answer.text)?;
        Ok(answer.code)
    });
    written.unwrap_or_else(|failure| {
        output::fail(&failure, options);
        failure.exit_code()
    })
}

fn bug() -> Failure {
    Failure::new(
        Code::Internal,
        "the checker has a bug that this input shows",
    )
}
