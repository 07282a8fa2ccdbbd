//! The program `lonis-checker`: the command face of Soil, and a provider for hosts.

use std::process::ExitCode;

fn main() -> ExitCode {
    lonis::process::survive_file_size_signal();
    let mut words = std::env::args_os();
    let program = words.next().unwrap_or_default();
    lonis_checker::run(&program, &words.collect::<Vec<_>>())
}
