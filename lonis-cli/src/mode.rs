//! Which output mode was asked for, read off the arguments before they are parsed.
//!
//! A usage error has to be shown in the mode that was asked for, even when nothing else of the arguments can be read.

use std::ffi::OsString;

use lonis::OutputMode;

/// The mode of the last `--mode` in front of `--`, human where there is none or none that can be read.
pub(crate) fn of(args: &[OsString]) -> OutputMode {
    let mut mode = OutputMode::Human;
    // A word that is no text is none of those that are looked for.
    let mut words = args.iter().map(|word| word.to_str().unwrap_or_default());
    while let Some(word) = words.next() {
        let value = match word {
            "--" => break,
            "--mode" => words.next(),
            other => other.strip_prefix("--mode="),
        };
        if let Some(parsed) = value.and_then(parse) {
            mode = parsed;
        }
    }
    mode
}

/// The value of a `--mode` that stands in front of everything else.
pub(crate) fn leading(args: &[OsString]) -> Option<OsString> {
    let first = args.first()?;
    if first == "--mode" {
        return args.get(1).cloned();
    }
    first.to_str()?.strip_prefix("--mode=").map(OsString::from)
}

pub(crate) fn parse(text: &str) -> Option<OutputMode> {
    match text {
        "human" => Some(OutputMode::Human),
        "json" => Some(OutputMode::Json),
        "ndjson" => Some(OutputMode::Ndjson),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_is_found_wherever_it_stands() {
        let cases: &[(&[&str], OutputMode)] = &[
            (&[], OutputMode::Human),
            (&["--mode", "json", "tools"], OutputMode::Json),
            (&["tools", "list", "--mode=ndjson"], OutputMode::Ndjson),
            (&["call", "a:b", "--", "--mode", "json"], OutputMode::Human),
            (&["--mode", "xml"], OutputMode::Human),
            (&["--mode"], OutputMode::Human),
            (&["--frob", "--mode", "json"], OutputMode::Json),
        ];
        for (words, wanted) in cases {
            let args: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(of(&args), *wanted, "{words:?}");
        }
    }
}
