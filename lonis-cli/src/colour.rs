//! Colour for people: the labels of what is said on stderr, only where a terminal shows it and nobody objects.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

/// The labels that lines of ours begin with. A line of somebody else's text is indented, so that it never has one.
const LABELS: &[(&str, Style)] = &[
    ("error:", AnsiColor::Red.on_default().bold()),
    ("note:", AnsiColor::Yellow.on_default().bold()),
    ("hint:", AnsiColor::Cyan.on_default().bold()),
];

/// Whether stderr is a terminal that shows colour, and neither `NO_COLOR` nor `TERM` speaks against it.
pub(crate) fn shows_on_stderr() -> bool {
    let stderr = io::stderr();
    stderr.is_terminal() && AutoStream::choice(&stderr) != ColorChoice::Never
}

/// Whether stdout is such a terminal.
pub(crate) fn shows_on_stdout() -> bool {
    let stdout = io::stdout();
    stdout.is_terminal() && AutoStream::choice(&stdout) != ColorChoice::Never
}

/// Puts the label of each line into its colour.
pub(crate) fn paint(text: &str) -> String {
    let mut painted = String::with_capacity(text.len() + 32);
    for line in text.split_inclusive('\n') {
        let label = LABELS
            .iter()
            .find_map(|(label, style)| Some((label, style, line.strip_prefix(label)?)));
        match label {
            Some((label, style, rest)) => {
                // Writing to a text cannot fail.
                let _ = write!(painted, "{style}{label}{style:#}{rest}");
            }
            None => painted.push_str(line),
        }
    }
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_alone_are_painted_and_only_at_the_start_of_a_line() {
        for (text, wanted) in [
            (
                "error: io: x\n",
                "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m io: x\n",
            ),
            (
                "hint: note: y\n",
                "\u{1b}[1m\u{1b}[36mhint:\u{1b}[0m note: y\n",
            ),
            ("  error: indented\n", "  error: indented\n"),
            ("", ""),
        ] {
            assert_eq!(paint(text), wanted);
        }
    }
}
