//! A program that is nothing but a launcher, for hosts whose own `main` is not theirs to change.

use std::process::ExitCode;

fn main() -> Result<ExitCode, &'static str> {
    let by_hand = "a host names this program with `lonis_core::process::name_launcher`";
    lonis_core::process::launch_if_asked().ok_or(by_hand)
}
