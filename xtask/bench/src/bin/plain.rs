//! The child of the benchmark as a Rust program, linked statically: where there is no C compiler it stands in for the C
//! one, and it is what a tiny program of this language costs.

use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;

const BLOCK: &str = include_str!("../../children/block.json");

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.first().map(String::as_str) {
        None | Some("exit") => Ok(()),
        Some("echo") => echo(),
        Some("blocks") => blocks(
            words
                .get(1)
                .and_then(|count| count.parse().ok())
                .unwrap_or(0),
            words.len() > 2,
        ),
        Some(_) => Err(io::Error::other("not a mode of this child")),
    };
    ExitCode::from(u8::from(result.is_err()))
}

fn echo() -> io::Result<()> {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    io::stdout().write_all(&bytes)
}

fn blocks(count: u64, each: bool) -> io::Result<()> {
    let mut stdout = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for _ in 0..count {
        stdout.write_all(BLOCK.as_bytes())?;
        if each {
            stdout.flush()?;
        }
    }
    stdout.flush()
}
