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
        Some("blocks") => {
            let count = words.get(1).and_then(|count| count.parse().ok());
            let count = count.unwrap_or(0);
            match words.get(2).map(String::as_str) {
                Some("timed") => timed_blocks(count),
                word => blocks(count, word.is_some()),
            }
        }
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

/// Writes blocks with another time in each than in the one before.
fn timed_blocks(count: u64) -> io::Result<()> {
    let mut stdout = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let (head, tail) = BLOCK.split_once("00:00Z").unwrap_or((BLOCK, ""));
    for second in 0..count {
        let (minute, second) = (second / 60 % 60, second % 60);
        write!(stdout, "{head}{minute:02}:{second:02}Z{tail}")?;
    }
    stdout.flush()
}
