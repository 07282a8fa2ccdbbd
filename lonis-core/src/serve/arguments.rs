//! The command line of a provider.

use std::ffi::OsString;

use lonis_schema::{ErrorKind, OutputMode, ToolError};

/// What a provider is asked for, and how it is to answer.
#[derive(Debug, PartialEq)]
pub(super) struct Request {
    pub(super) mode: OutputMode,
    pub(super) command: Command,
}

#[derive(Debug, PartialEq)]
pub(super) enum Command {
    Manifest,
    List,
    Describe(String),
    Call(String),
    Help,
    Version,
}

impl Request {
    /// Reads a command line. The mode is known even where the rest makes no sense, so that the error has its form.
    pub(super) fn parse(args: &[OsString]) -> (OutputMode, Result<Self, ToolError>) {
        let mut mode = Ok(OutputMode::Human);
        let mut words = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let Some(word) = arg.to_str() else {
                let error = usage(format!("argument `{}` is not UTF-8", arg.display()));
                return (mode.unwrap_or(OutputMode::Human), Err(error));
            };
            match word.strip_prefix("--mode") {
                Some("") => mode = read_mode(args.next().and_then(|value| value.to_str())),
                Some(value) if value.starts_with('=') => mode = read_mode(Some(&value[1..])),
                _ => words.push(word),
            }
        }
        match mode {
            Err(error) => (OutputMode::Human, Err(error)),
            Ok(mode) => (
                mode,
                Command::parse(&words).map(|command| Self { mode, command }),
            ),
        }
    }
}

impl Command {
    fn parse(words: &[&str]) -> Result<Self, ToolError> {
        match words {
            ["manifest"] => Ok(Self::Manifest),
            ["tools", "list"] => Ok(Self::List),
            ["tools", "describe", name] => Ok(Self::Describe((*name).to_owned())),
            ["call", name] => Ok(Self::Call((*name).to_owned())),
            ["help" | "-h" | "--help"] => Ok(Self::Help),
            ["--version"] => Ok(Self::Version),
            ["serve"] => Err(ToolError::new(
                ErrorKind::NotImplemented,
                "this provider does not stay alive",
            )),
            [] => Err(usage("no command given".to_owned())),
            words => Err(usage(format!(
                "`{}` is no command of a provider",
                words.join(" ")
            ))),
        }
    }
}

fn read_mode(value: Option<&str>) -> Result<OutputMode, ToolError> {
    let value = value.ok_or_else(|| usage("`--mode` has no value".to_owned()))?;
    value
        .parse()
        .map_err(|error| usage(format!("`--mode`: {error}")))
}

fn usage(message: String) -> ToolError {
    ToolError::new(ErrorKind::InvalidInput, message)
        .with_hint("commands: `manifest`, `tools list`, `tools describe NAME`, `call NAME`, each with `--mode MODE`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> (OutputMode, Result<Command, String>) {
        let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let (mode, request) = Request::parse(&args);
        (
            mode,
            request
                .map(|request| request.command)
                .map_err(|error| error.kind().to_string()),
        )
    }

    #[test]
    fn the_mode_may_stand_anywhere() {
        for line in [
            "--mode json tools list",
            "tools --mode json list",
            "tools list --mode=json",
        ] {
            assert_eq!(parse(line), (OutputMode::Json, Ok(Command::List)), "{line}");
        }
        assert_eq!(
            parse("call a.b"),
            (OutputMode::Human, Ok(Command::Call("a.b".to_owned())))
        );
        assert_eq!(
            parse("tools describe a.b").1,
            Ok(Command::Describe("a.b".to_owned()))
        );
    }

    #[test]
    fn a_wrong_line_keeps_its_mode() {
        for (line, mode) in [
            ("--mode ndjson", OutputMode::Ndjson),
            ("--mode json call", OutputMode::Json),
            ("call a b --mode json", OutputMode::Json),
            ("--mode loud manifest", OutputMode::Human),
            ("manifest --mode", OutputMode::Human),
            ("--modest", OutputMode::Human),
        ] {
            assert_eq!(
                parse(line),
                (mode, Err("invalid_input".to_owned())),
                "{line}"
            );
        }
        assert_eq!(
            parse("--mode ndjson serve"),
            (OutputMode::Ndjson, Err("not_implemented".to_owned()))
        );
    }
}
