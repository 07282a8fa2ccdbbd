//! The program `lonis`.

mod builtins;
mod catalog;
mod cli;
mod colour;
mod commands;
mod confirm;
mod conform;
mod counted;
mod external;
mod input;
mod log;
mod map;
mod mode;
mod output;
mod plain_words;
mod progress;
mod record;
mod signals;
mod surroundings;
mod units;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

/// Longer than any removal takes that comes to an end at all.
const REMOVAL_PATIENCE: Duration = Duration::from_mins(1);

fn main() -> ExitCode {
    if let Some(code) = lonis::process::launch_if_asked() {
        return code;
    }
    lonis::process::survive_file_size_signal();
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut output = output::Output::new(mode::of(&args));
    log::begin(&mut output);
    let result = commands::dispatch(&args, &mut output);
    signals::hurry_if_caught();
    let code = match result {
        Ok(code) => output.finish(code),
        Err(error) => output.fail(&error),
    };
    signals::end_if_caught();
    // All is said; what a tool has filled its private folder with does not stay behind.
    signals::with_nothing_to_end(|| lonis::process::finish_removals(REMOVAL_PATIENCE));
    ExitCode::from(code)
}
