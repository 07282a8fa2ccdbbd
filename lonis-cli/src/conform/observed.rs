//! One run of a provider as it was seen from outside, and what can be read from it without another run.

use std::fmt::Write;

use lonis::{ToolError, json};

/// Bytes of output that a report quotes.
const EXCERPT_BYTES: usize = 120;

/// What one run printed and how it ended.
#[derive(Debug, Clone)]
pub(crate) struct Observed {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) ending: Ending,
    /// Whether processes were left when the leader had gone.
    pub(crate) outlived: bool,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ending {
    Exited(u8),
    /// By this signal, which the host did not send.
    Signaled(i32),
    /// By the host, or not even started; the text says why.
    Stopped(String),
}

/// Where the error of a failed run was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundError {
    pub(crate) error: ToolError,
    /// Whether stderr held nothing else.
    pub(crate) stands_alone: bool,
}

impl Observed {
    pub(crate) fn succeeded(&self) -> bool {
        self.ending == Ending::Exited(0)
    }

    /// How it ended and what it said on stderr, for a report.
    pub(crate) fn how_it_ended(&self) -> String {
        let mut text = match &self.ending {
            Ending::Exited(code) => format!("exit code {code}"),
            Ending::Signaled(number) => format!("ended by signal {number}"),
            Ending::Stopped(why) => return why.clone(),
        };
        if !self.stderr.is_empty() {
            write!(text, ", stderr `{}`", excerpt(&self.stderr)).expect("a string takes any text");
        }
        text
    }

    /// The error of a failed run, looked for as a host does.
    ///
    /// # Errors
    /// Why there is none, for a report.
    pub(crate) fn error(&self) -> Result<FoundError, String> {
        let text = String::from_utf8_lossy(&self.stderr);
        let text = text.trim();
        if text.is_empty() {
            return Err(format!("nothing on stderr, {}", self.how_it_ended()));
        }
        let whole = ToolError::read(text);
        let last_line = text.lines().next_back().unwrap_or_default();
        match (whole, ToolError::read(last_line)) {
            (Ok(error), _) => Ok(FoundError {
                error,
                stands_alone: true,
            }),
            (Err(_), Ok(error)) => Ok(FoundError {
                error,
                stands_alone: false,
            }),
            (Err(_), Err(cause)) => Err(format!(
                "stderr ends in `{}`: {cause}",
                excerpt(last_line.as_bytes())
            )),
        }
    }

    /// The text of the one JSON value on stdout of a run that succeeded.
    ///
    /// # Errors
    /// What is there instead, for a report.
    pub(crate) fn document(&self) -> Result<&str, String> {
        if !self.succeeded() {
            return Err(self.how_it_ended());
        }
        json::document(&self.stdout)
            .map(|found| found.text())
            .map_err(|error| {
                format!(
                    "stdout is not one JSON value: {error}; it begins `{}`",
                    excerpt(&self.stdout)
                )
            })
    }
}

/// The beginning of an output on one line, control characters escaped: what a provider prints forges no report.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(EXCERPT_BYTES)];
    let escaped = String::from_utf8_lossy(cut)
        .trim_end()
        .escape_debug()
        .to_string();
    // Quotes forge nothing, and are what JSON is full of.
    let mut text = escaped.replace("\\\"", "\"").replace("\\'", "'");
    if cut.len() < bytes.len() {
        text.push('…');
    }
    text
}

#[cfg(test)]
pub(crate) fn ended(code: u8, stdout: &str, stderr: &str) -> Observed {
    Observed {
        stdout: stdout.into(),
        stderr: stderr.into(),
        ending: Ending::Exited(code),
        outlived: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: &str = r#"{"kind":"not_found","message":"no `a`","exit_code":3}"#;

    #[test]
    fn an_error_is_found_where_a_host_looks() {
        for (stderr, expected) in [
            (ERROR.to_owned(), Some(true)),
            (format!("\n {ERROR} \n"), Some(true)),
            (
                "{\n\"kind\":\"x\",\"message\":\"m\",\n\"exit_code\":3}".to_owned(),
                Some(true),
            ),
            (format!("starting\n{ERROR}\n\n"), Some(false)),
            (format!("{ERROR}\ndone"), None),
            (r#"{"kind":"not_found","message":"m"}"#.to_owned(), None),
            (r#"{"message":"m","exit_code":3}"#.to_owned(), None),
            (format!("[{ERROR}]"), None),
            ("Traceback".to_owned(), None),
            (String::new(), None),
        ] {
            let found = ended(3, "", &stderr).error();
            assert_eq!(
                found.as_ref().ok().map(|found| found.stands_alone),
                expected,
                "{stderr}: {found:?}"
            );
        }
    }

    #[test]
    fn a_document_is_one_value_of_a_run_that_succeeded() {
        assert_eq!(
            ended(0, "\u{feff} {\"a\":1}\r\n", "").document(),
            Ok("{\"a\":1}")
        );
        for (code, stdout) in [
            (1, "{}"),
            (0, ""),
            (0, "{} {}"),
            (0, "hello"),
            (0, "{\"a\":1,\"a\":2}"),
        ] {
            assert!(ended(code, stdout, "").document().is_err(), "{stdout}");
        }
    }

    #[test]
    fn an_excerpt_is_one_harmless_line() {
        assert_eq!(excerpt(b"a\nb\x1b[2J \"c\"\n"), "a\\nb\\u{1b}[2J \"c\"");
        assert_eq!(excerpt(&[b'x'; 500]).chars().count(), EXCERPT_BYTES + 1);
    }
}
