//! How a command answers: text for people, or documents.

use std::ffi::OsString;

use clap::ValueEnum;

/// How a command answers, wherever on the command line that is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct Output {
    /// Prints the document instead of text, where there is text.
    #[arg(long = "json", global = true)]
    is_json: bool,
    /// Says the same as `lonis` does: `json` and `ndjson` are `--json`.
    #[arg(long, global = true, value_enum, value_name = "MODE")]
    mode: Option<Mode>,
}

/// A mode of `lonis`, which hands it on in front of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Text for people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON value a line.
    Ndjson,
}

impl Output {
    /// Says whether documents are asked for.
    pub(crate) const fn is_json(self) -> bool {
        self.is_json || matches!(self.mode, Some(Mode::Json | Mode::Ndjson))
    }

    /// Says whether text is asked for in so many words.
    pub(crate) const fn is_human(self) -> bool {
        !self.is_json && matches!(self.mode, Some(Mode::Human))
    }

    /// Parts a command line that may not even be readable into how to answer, and all other words; those behind `--` are no options.
    pub(crate) fn parted(words: &[OsString]) -> (Self, Vec<&OsString>) {
        let mut output = Self::default();
        let mut others = Vec::new();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            if text == "--" {
                others.push(word);
                others.extend(rest);
                break;
            }
            let mode = text.strip_prefix("--mode=").map(str::to_owned);
            if text == "--json" {
                output.is_json = true;
            } else if text == "--mode" || mode.is_some() {
                let next = || Some(rest.next()?.to_string_lossy().into_owned());
                let mode = mode.or_else(next).unwrap_or_default();
                output.mode = Mode::from_str(&mode, false).ok().or(output.mode);
            } else {
                others.push(word);
            }
        }
        (output, others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_to_answer_is_said_anywhere_before_the_end_of_options() {
        let (json, human) = ((true, false), (false, true));
        for (words, expected, others) in [
            (&["check"][..], (false, false), &["check"][..]),
            (&["--mode", "json", "check"], json, &["check"]),
            (&["check", "--mode=ndjson", "m"], json, &["check", "m"]),
            (&["--json", "check"], json, &["check"]),
            (&["check", "--mode", "human"], human, &["check"]),
            (&["check", "--mode", "human", "--json"], json, &["check"]),
            (
                &["--mode", "json", "check", "--mode=human"],
                human,
                &["check"],
            ),
            (&["check", "--mode"], (false, false), &["check"]),
            (&["check", "--mode", "xml"], (false, false), &["check"]),
            (
                &["run", "f", "--", "--json", "--mode=json"],
                (false, false),
                &["run", "f", "--", "--json", "--mode=json"],
            ),
        ] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let (output, found) = Output::parted(&words);
            assert_eq!((output.is_json(), output.is_human()), expected, "{words:?}");
            assert_eq!(found, others, "{words:?}");
        }
    }
}
