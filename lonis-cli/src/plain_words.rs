//! The argument lists that programs use most, understood without building the parser.
//!
//! Building it takes longer than the rest of a builtin call. What is not understood here is no error: the parser gets
//! it, and a test holds that both understand the same.

use std::ffi::OsString;

use crate::cli::{Call, Command, Tools};
use crate::mode;

/// The command of an argument list without any option but `--mode` and `--stream`; `None` is for the parser to say.
pub(crate) fn command(args: &[OsString]) -> Option<Command> {
    let (mut words, mut modes, mut streams) = (Vec::with_capacity(args.len()), 0, 0);
    let mut args = args.iter();
    while let Some(word) = args.next() {
        match word.to_str()? {
            "--mode" => {
                mode::parse(args.next()?.to_str()?)?;
                modes += 1;
            }
            "--stream" => streams += 1,
            other if other.starts_with('-') => return None,
            _ => words.push(word),
        }
    }
    // What is given twice is a usage error, which is the parser's to tell.
    if modes > 1 || streams > 1 {
        return None;
    }
    let stream = streams == 1;
    match words.as_slice() {
        [tools, list] if !stream && *tools == "tools" && *list == "list" => {
            Some(Command::Tools(Tools::List))
        }
        [call, id, rest @ ..] if *call == "call" && rest.len() < 2 => Some(Command::Call(Call {
            id: id.to_str()?.to_owned(),
            input: rest.first().map(|input| (*input).clone()),
            stream,
            timeout: None,
            max_stdout: None,
            max_stderr: None,
            env: Vec::new(),
            cwd: None,
            timing: false,
            yes: false,
            record: None,
        })),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn what_is_understood_here_the_parser_understands_the_same() {
        let understood = [
            "tools list",
            "--mode json tools list",
            "tools --mode human list",
            "call a:b",
            "call a:b {}",
            "call a:b @file --mode ndjson",
            "call --stream a:b {}",
            "--mode ndjson call a:b {} --stream",
            "call help",
        ];
        for line in understood {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let here = command(&args).map(|command| format!("{command:?}"));
            let program = std::iter::once(OsString::from("lonis"));
            let there = Cli::try_parse_from(program.chain(args)).map(|cli| cli.command);
            assert_eq!(
                here,
                there.ok().map(|command| format!("{command:?}")),
                "{line}"
            );
            assert!(here.is_some(), "{line}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_parser() {
        let left = [
            "",
            "tools",
            "tools list more",
            "tools list --stream",
            "tools describe a:b",
            "call",
            "call a:b {} {}",
            "call a:b -1",
            "call a:b -",
            "call a:b --timeout 5s",
            "call -- a:b",
            "call a:b --help",
            "--mode json --mode json tools list",
            "--mode xml tools list",
            "tools list --mode",
            "hello call a:b",
        ];
        for line in left {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert!(command(&args).is_none(), "{line}");
        }
    }
}
