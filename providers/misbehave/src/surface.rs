//! The provider surface: manifest, list, describe and call, each with its own ways to go wrong.

mod describe;
mod list;
mod manifest;

use std::ffi::OsStr;
use std::time::Duration;

use crate::announce::Announcer;
use crate::block;
use crate::keep;
use crate::modes::{self, MODES};
use crate::options::{Failure, Options};
use crate::output::Output;
use crate::run::Run;

/// Native names are the modes with this in front.
const PREFIX: &str = "misbehave.";

/// One question to the surface.
struct Question {
    options: Options,
    announcer: Announcer,
}

/// Answers what stands behind `--mode MODE`.
pub(crate) fn answer(
    words: &[&str],
    options: Options,
    descriptors: Vec<i32>,
) -> Result<u8, Failure> {
    if let ["call", name] = words {
        return call(name, options, descriptors);
    }
    let announcer = Announcer::open(&options, "provider")?;
    announcer.step(&words.join(" "));
    let question = Question { options, announcer };
    std::thread::sleep(question.options.millis("delay_millis", 0)?);
    match words {
        ["manifest"] => manifest::answer(&question),
        ["tools", "list"] => list::answer(&question),
        ["tools", "describe", name] => describe::answer(&question, name),
        ["serve"] => keep::serve(&question.options, &question.announcer),
        _ => fail(
            &block::error(
                "invalid_input",
                &format!("no such command `{}`", words.join(" ")),
                2,
            ),
            2,
        ),
    }
}

/// Runs the mode that the tool's name says; options may follow the name: `misbehave.exit,code=7`.
fn call(name: &str, mut options: Options, descriptors: Vec<i32>) -> Result<u8, Failure> {
    let mut parts = name.split(',');
    let native = parts.next().unwrap_or_default();
    if let Some(part) = parts.find(|part| !options.take(OsStr::new(part))) {
        return Err(Failure::Usage(format!("`{part}` in `{name}` is no option")));
    }
    let listed = list::ODD_NAMES.contains(&native) && options.text("list", "ok") == "odd-names";
    let mode = if listed {
        "echo"
    } else {
        native.strip_prefix(PREFIX).unwrap_or(native)
    };
    match modes::find(mode) {
        Some(mode) => Run::new(mode.name, options, descriptors)?.perform(),
        None => unknown_tool(name),
    }
}

fn unknown_tool(name: &str) -> Result<u8, Failure> {
    fail(
        &block::error("not_found", &format!("no tool `{name}`"), 3),
        3,
    )
}

fn fail(error: &str, code: u8) -> Result<u8, Failure> {
    Output::stderr(0)?.line(error)?;
    Ok(code)
}

impl Question {
    /// The tools on offer with what they do: those of `tools=NAME+NAME,key=value`, or all modes.
    fn tools(&self) -> Result<Vec<(String, &'static str)>, Failure> {
        let Some(chosen) = self.options.raw("tools") else {
            return Ok(MODES
                .iter()
                .map(|mode| (format!("{PREFIX}{}", mode.name), mode.summary))
                .collect());
        };
        let offer = |name: &str| {
            let mode = name.split(',').next().and_then(modes::find);
            let mode = mode.ok_or_else(|| Failure::Usage(format!("no mode `{name}` to offer")))?;
            Ok((format!("{PREFIX}{name}"), mode.summary))
        };
        chosen.to_string_lossy().split('+').map(offer).collect()
    }

    fn print(&self, text: impl AsRef<[u8]>) -> Result<u8, Failure> {
        Output::stdout(self.options.number("chunk", 0)?)?.send(text)?;
        Ok(0)
    }

    /// The ways to go wrong that every step of discovery has; a step's own come first.
    fn common(&self, variant: &str, good: &str) -> Result<u8, Failure> {
        match variant {
            "ok" => self.print(format!("{good}\n")),
            "bom" => self.print(format!("\u{feff}{good}\r\n")),
            "text" => self.print("the surface, in words\n"),
            "two-values" => self.print(format!("{good}\n{good}\n")),
            "truncated" => self.print(&good[..good.len() / 2]),
            "bad-utf8" => self.print([good.as_bytes(), b"\xff"].concat()),
            "scalar" => self.print("42\n"),
            "silent" => Ok(0),
            "fail" => Ok(5),
            "error" => fail(&block::error("teapot", "short and stout", 3), 3),
            "hang" => {
                self.announcer.step("ready");
                std::thread::sleep(Duration::from_mins(1));
                Ok(0)
            }
            "flood" => {
                Output::stdout(0)?.flood(b" ", u64::MAX)?;
                Ok(0)
            }
            other => Err(Failure::Usage(format!("no variant `{other}` of this step"))),
        }
    }
}

/// A JSON array of these strings.
fn quoted_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!(
        "[{}]",
        names.map(block::quote).collect::<Vec<_>>().join(",")
    )
}
