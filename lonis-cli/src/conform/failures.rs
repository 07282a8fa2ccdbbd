//! How the provider fails: every failed run is kept, and the rules for errors are tried on all of them at once.

use lonis::ErrorKind;

use super::observed::{Ending, FoundError, Observed};
use super::report::{Report, Verdict};
use super::rule::Rule;

/// What a failed run was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    BadInput,
    UnknownTool,
    Other,
}

#[derive(Debug)]
struct Failure {
    what: String,
    cause: Cause,
    observed: Observed,
}

/// A rule, tried on one failed run; what was seen where it falls short.
type Check = fn(&Failure) -> Result<(), String>;

/// All failed runs so far.
#[derive(Debug, Default)]
pub(crate) struct Failures(Vec<Failure>);

impl Failures {
    /// Keeps a run if it failed by itself; how it was asked is `what`.
    pub(crate) fn add(&mut self, what: impl Into<String>, observed: Observed) {
        self.keep(what.into(), Cause::Other, observed);
    }

    pub(crate) fn add_unknown(&mut self, what: impl Into<String>, observed: Observed) {
        self.keep(what.into(), Cause::UnknownTool, observed);
    }

    pub(crate) fn add_bad_input(&mut self, what: impl Into<String>, observed: Observed) {
        self.keep(what.into(), Cause::BadInput, observed);
    }

    fn keep(&mut self, what: String, cause: Cause, observed: Observed) {
        if observed.refusal().is_ok() {
            self.0.push(Failure {
                what,
                cause,
                observed,
            });
        }
    }

    /// Adds the rows for errors.
    pub(crate) fn report(&self, report: &mut Report) {
        let rules: [(Rule, Check); 4] = [
            (Rule::ErrorShape, shape),
            (Rule::ErrorCode, code),
            (Rule::ErrorAlone, alone),
            (Rule::ErrorKind, kind),
        ];
        for (rule, check) in rules {
            let found = self
                .0
                .iter()
                .find_map(|failure| Some((failure, check(failure).err()?)));
            let verdict = match found {
                _ if self.0.is_empty() => Verdict::NotTested("no run failed".to_owned()),
                Some((failure, seen)) => Verdict::FallsShort(format!("{}: {seen}", failure.what)),
                None => Verdict::Holds,
            };
            report.add(rule, "", verdict);
        }
    }
}

impl Observed {
    /// Whether the provider refused by itself, with an exit code of its own.
    ///
    /// # Errors
    /// How it ended instead, for a report.
    pub(crate) fn refusal(&self) -> Result<(), String> {
        match self.ending {
            Ending::Exited(code) if code != 0 => Ok(()),
            _ => Err(self.how_it_ended()),
        }
    }

    /// Whether the provider ended by itself, in whatever way.
    ///
    /// # Errors
    /// How it ended instead, for a report.
    pub(crate) fn answer(&self) -> Result<(), String> {
        match self.ending {
            Ending::Exited(_) => Ok(()),
            Ending::Signaled(_) | Ending::Stopped(_) => Err(self.how_it_ended()),
        }
    }
}

fn shape(failure: &Failure) -> Result<(), String> {
    failure.observed.error().map(drop)
}

fn code(failure: &Failure) -> Result<(), String> {
    let Ok(FoundError { error, .. }) = failure.observed.error() else {
        return Ok(());
    };
    match failure.observed.ending {
        Ending::Exited(code) if code != error.exit_code() => Err(format!(
            "exit code {code}, but `exit_code` is {}",
            error.exit_code()
        )),
        _ => Ok(()),
    }
}

fn alone(failure: &Failure) -> Result<(), String> {
    let is_empty = matches!(failure.observed.stdout.trim_ascii(), b"" | b"[]");
    match failure.observed.error() {
        Ok(found) if !found.stands_alone => Err("stderr has more than the error".to_owned()),
        // A tool that streams may fail after its first blocks, but not because of an input that it could have checked.
        _ if !is_empty && failure.cause != Cause::Other => Err("stdout is not empty".to_owned()),
        _ => Ok(()),
    }
}

fn kind(failure: &Failure) -> Result<(), String> {
    let Ok(FoundError { error, .. }) = failure.observed.error() else {
        return Ok(());
    };
    let (kinds, code): (&[ErrorKind], u8) = match failure.cause {
        Cause::BadInput => (&[ErrorKind::InvalidInput, ErrorKind::BadInput], 2),
        Cause::UnknownTool => (&[ErrorKind::NotFound], 3),
        Cause::Other => return Ok(()),
    };
    if kinds.contains(error.kind()) && error.exit_code() == code {
        return Ok(());
    }
    Err(format!(
        "kind `{}` with {}",
        error.kind().as_str().escape_debug(),
        error.exit_code()
    ))
}

#[cfg(test)]
mod tests {
    use super::super::observed::ended;
    use super::*;

    fn short(cause: fn(&mut Failures, Observed), observed: Observed) -> Vec<Rule> {
        let mut failures = Failures::default();
        cause(&mut failures, observed);
        let mut report = Report::new("x");
        failures.report(&mut report);
        let short = report
            .rows
            .iter()
            .filter(|row| matches!(row.verdict, Verdict::FallsShort(_)));
        short.map(|row| row.rule).collect()
    }

    fn bad_input(failures: &mut Failures, observed: Observed) {
        failures.add_bad_input("bad input", observed);
    }

    #[test]
    fn each_fault_of_an_error_is_one_row() {
        let error = |kind: &str, code: u8| {
            format!(r#"{{"kind":"{kind}","message":"m","exit_code":{code}}}"#)
        };
        let good = error("invalid_input", 2);
        for (observed, expected) in [
            (ended(2, "", &good), vec![]),
            (ended(2, "[]\n", &good), vec![]),
            (ended(2, "", "Traceback"), vec![Rule::ErrorShape]),
            (ended(1, "", &good), vec![Rule::ErrorCode]),
            (
                ended(2, "", &error("invalid_input", 0)),
                vec![Rule::ErrorCode, Rule::ErrorKind],
            ),
            (
                ended(2, "", &format!("log\n{good}")),
                vec![Rule::ErrorAlone],
            ),
            (ended(2, "hello", &good), vec![Rule::ErrorAlone]),
            (ended(4, "", &error("oops", 4)), vec![Rule::ErrorKind]),
            (
                ended(2, "hello", "Traceback"),
                vec![Rule::ErrorShape, Rule::ErrorAlone],
            ),
        ] {
            assert_eq!(short(bad_input, observed.clone()), expected, "{observed:?}");
        }
    }

    #[test]
    fn a_run_that_did_not_fail_is_not_judged() {
        let mut report = Report::new("x");
        let mut failures = Failures::default();
        failures.add("a call", ended(0, "", "hello"));
        failures.report(&mut report);
        assert!(
            report
                .rows
                .iter()
                .all(|row| matches!(row.verdict, Verdict::NotTested(_)))
        );
    }
}
