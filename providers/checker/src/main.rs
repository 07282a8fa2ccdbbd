//! The program `lonis-checker`.

mod arguments;
mod face;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Part};

fn main() -> ExitCode {
    let code = match Arguments::try_parse() {
        Ok(Arguments {
            part: Part::Soil(arguments),
        }) => face::run(&arguments),
        Err(error) => face::refuse(&error),
    };
    ExitCode::from(code)
}
