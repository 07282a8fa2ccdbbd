//! A provider that breaks every promise on request.
//!
//! `misbehave MODE [key=value…]` runs one mode; `misbehave --list` prints all of them, from the table in `modes.rs`. As a
//! provider (`misbehave [key=value…] --mode json manifest`, …) it offers each mode as a tool, and `manifest=`, `list=`,
//! `describe=` and `serve=` choose how the surface itself misbehaves. Every mode ends by itself within a minute.

mod announce;
mod block;
mod keep;
mod modes;
mod options;
mod output;
mod run;
mod surface;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use options::{Failure, Options};
use run::Run;

fn main() -> ExitCode {
    let descriptors = modes::facts::open_descriptors();
    match start(descriptors) {
        Ok(code) => ExitCode::from(code),
        Err(Failure::Io(error)) if error.kind() == ErrorKind::BrokenPipe => {
            // Rust ignores the signal that ends any other program here. If raising it fails, the code says as much.
            let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
            ExitCode::from(141)
        }
        Err(failure) => {
            // Nobody is left to tell when stderr is closed too.
            let _ = writeln!(std::io::stderr(), "{failure}");
            ExitCode::from(if matches!(failure, Failure::Usage(_)) {
                64
            } else {
                74
            })
        }
    }
}

fn start(descriptors: Vec<i32>) -> Result<u8, Failure> {
    let (options, words) = Options::split(std::env::args_os().skip(1));
    let words: Vec<&str> = words
        .iter()
        .map(|word| word.to_str().unwrap_or_default())
        .collect();
    match words.as_slice() {
        ["--list"] => Ok(modes::print_list()?),
        ["--mode", _, rest @ ..] => surface::answer(rest, options, descriptors),
        [name, ..] => Run::new(name, options, descriptors)?.perform(),
        [] => Err(Failure::Usage(format!(
            "no mode given; {} prints all",
            program_name()
        ))),
    }
}

fn program_name() -> String {
    let name = std::env::args_os()
        .next()
        .unwrap_or_else(|| OsString::from("misbehave"));
    format!("`{} --list`", name.display())
}
