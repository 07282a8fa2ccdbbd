//! `serve`: a kept provider that answers line by line, and breaks that protocol as `serve=` says.

use std::io::{BufRead, stdin};
use std::time::Duration;

use crate::announce::Announcer;
use crate::block;
use crate::options::{Failure, Options};
use crate::output::Output;

/// What a kept provider does wrong in each call, or in its greeting.
pub(crate) const WAYS: &[&str] = &[
    "ok",
    "no-hello",
    "late-hello",
    "wrong-protocol",
    "wrong-tools",
    "malformed",
    "text",
    "oversized",
    "bad-utf8",
    "duplicate-id",
    "wrong-id",
    "no-done",
    "after-done",
    "hang",
    "ignore-cancel",
    "die",
    "exit",
    "exit-after",
    "grow",
    "remembers",
    "stderr-flood",
    "close-output",
];

/// One line of the host, as far as this fixture has to understand it.
struct Frame<'a> {
    call: Option<&'a str>,
    cancel: Option<&'a str>,
    input: &'a str,
    is_bye: bool,
}

/// The state that a well-behaved provider would not keep between calls.
struct Server<'a> {
    way: &'a str,
    announcer: &'a Announcer,
    stdout: Output,
    calls: u64,
    hoard: Vec<u8>,
}

pub(crate) fn serve(options: &Options, announcer: &Announcer) -> Result<u8, Failure> {
    let way = options.text("serve", "ok");
    if !WAYS.contains(&way) {
        return Err(Failure::Usage(format!(
            "`serve` is one of {WAYS:?}, not `{way}`"
        )));
    }
    let stdout = Output::stdout(options.number("chunk", 0)?)?;
    let mut server = Server {
        way,
        announcer,
        stdout,
        calls: 0,
        hoard: Vec::new(),
    };
    server.greet()?;
    for line in stdin().lock().lines() {
        let line = line?;
        let frame = Frame::read(&line);
        if frame.is_bye {
            announcer.step("bye");
            return Ok(0);
        }
        if let Some(id) = frame.cancel {
            server.cancel(id)?;
        }
        if let Some(id) = frame.call {
            announcer.step(&format!("call {id}"));
            if let Some(code) = server.call(id, frame.input)? {
                return Ok(code);
            }
        }
    }
    Ok(0)
}

impl Server<'_> {
    fn greet(&mut self) -> Result<(), Failure> {
        let protocol = if self.way == "wrong-protocol" {
            "lonis.keep/v99"
        } else {
            "lonis.keep/v1"
        };
        let hash = if self.way == "wrong-tools" { "f" } else { "0" }.repeat(64);
        match self.way {
            "no-hello" => std::thread::sleep(Duration::from_mins(1)),
            "late-hello" => std::thread::sleep(Duration::from_secs(4)),
            _ => {}
        }
        let hello = format!(
            "{{\"hello\":{{\"protocol\":\"{protocol}\",\"name\":\"misbehave\",\"version\":\"1.0.0\",\"tools_hash\":\"{hash}\"}}}}"
        );
        Ok(self.stdout.line(&hello)?)
    }

    /// One call; an exit code ends the process.
    fn call(&mut self, id: &str, input: &str) -> Result<Option<u8>, Failure> {
        self.calls += 1;
        match self.way {
            "malformed" => self.stdout.line("{\"block\":")?,
            "text" => self.stdout.line("working on it")?,
            "oversized" => self.oversized(id)?,
            "bad-utf8" => self.stdout.send(b"{\"block\":\"\xff\"}\n")?,
            "wrong-id" => self.finish("\"somebody-else\"", input)?,
            "no-done" => self.block(id, input)?,
            "hang" | "ignore-cancel" => {
                self.block(id, input)?;
                self.announcer.step("hanging");
                if self.way == "hang" {
                    std::thread::sleep(Duration::from_mins(1));
                }
            }
            "die" => rustix::process::kill_process(
                rustix::process::getpid(),
                rustix::process::Signal::KILL,
            )?,
            "exit" => return Ok(Some(5)),
            "stderr-flood" => {
                Output::stderr(0)?.flood(b"a log line of thirty-two bytes.\n", u64::MAX)?;
            }
            "close-output" => {
                rustix::stdio::dup2_stdout(
                    std::fs::OpenOptions::new().write(true).open("/dev/null")?,
                )?;
                self.stdout = Output::stdout(0)?;
            }
            "grow" => {
                self.hoard.resize(self.hoard.len() + 16 * 1_048_576, 1);
                self.finish(id, input)?;
            }
            "remembers" => self.finish(id, &format!("{{\"calls\":{}}}", self.calls))?,
            _ => self.finish(id, input)?,
        }
        match self.way {
            "duplicate-id" => self.done(id)?,
            "after-done" => self.block(id, input)?,
            "exit-after" if self.calls >= 2 => return Ok(Some(0)),
            _ => {}
        }
        Ok(None)
    }

    fn cancel(&mut self, id: &str) -> Result<(), Failure> {
        self.announcer.step(&format!("cancel {id}"));
        if self.way == "ignore-cancel" {
            return Ok(());
        }
        let error = block::error("cancelled", "the host cancelled", 1);
        Ok(self.stdout.line(&format!(
            "{{\"fail\":{id},\"error\":{error},\"effect\":\"none\"}}"
        ))?)
    }

    fn oversized(&mut self, id: &str) -> Result<(), Failure> {
        self.stdout.send(format!("{{\"block\":{id},\"value\":\""))?;
        self.stdout.flood(b"x", 1 << 30)?;
        Ok(self.stdout.line("\"}")?)
    }

    fn finish(&mut self, id: &str, input: &str) -> Result<(), Failure> {
        self.block(id, input)?;
        self.done(id)
    }

    fn block(&mut self, id: &str, output: &str) -> Result<(), Failure> {
        let block = block::result("kept", output);
        Ok(self
            .stdout
            .line(&format!("{{\"block\":{id},\"value\":{block}}}"))?)
    }

    fn done(&mut self, id: &str) -> Result<(), Failure> {
        Ok(self
            .stdout
            .line(&format!("{{\"done\":{id},\"effect\":\"none\"}}"))?)
    }
}

impl<'a> Frame<'a> {
    fn read(line: &'a str) -> Self {
        Self {
            call: member(line, "call"),
            cancel: member(line, "cancel"),
            input: member(line, "input").unwrap_or("null"),
            is_bye: member(line, "bye").is_some(),
        }
    }
}

/// The text of a top-level member's value in one line of well-formed JSON.
///
/// The host under test writes well-formed lines, so depth and strings are all that has to be followed.
fn member<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let bytes = line.as_bytes();
    let (mut depth, mut index, mut start) = (0_u32, 0, None);
    while index < bytes.len() {
        match bytes[index] {
            b'"' => {
                let end = string_end(bytes, index);
                let is_key = depth == 1 && start.is_none() && bytes.get(end) == Some(&b':');
                if is_key && &line[index + 1..end - 1] == name {
                    start = Some(end + 1);
                }
                index = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return start.map(|start| &line[start..index]),
            b'}' | b']' => depth -= 1,
            b',' if depth == 1 && start.is_some() => return start.map(|start| &line[start..index]),
            _ => {}
        }
        index += 1;
    }
    None
}

/// The index behind the closing quote of the string that opens here.
fn string_end(bytes: &[u8], open: usize) -> usize {
    let mut index = open + 1;
    while index < bytes.len() && bytes[index] != b'"' {
        index += if bytes[index] == b'\\' { 2 } else { 1 };
    }
    (index + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_found_at_the_top_alone() {
        let line = r#"{"call":"c-1","input":{"call":"no","a":["}",1]},"tool":"x"}"#;
        assert_eq!(member(line, "call"), Some("\"c-1\""));
        assert_eq!(member(line, "input"), Some(r#"{"call":"no","a":["}",1]}"#));
        assert_eq!(member(line, "tool"), Some("\"x\""));
        assert_eq!(member(line, "bye"), None);
        assert_eq!(member(r#"{"cancel":7}"#, "cancel"), Some("7"));
    }
}
