//! What was found: one row for each rule and tool, as a table for people and as blocks for programs.

use std::io::{self, Write};

use lonis::kind::{Outcome, OutcomeStatus};
use lonis::{Attribution, Block, BlockKind, ErrorKind, SeedBlock, ToolError, write_text};
use serde_json::json;

use super::rule::{Level, Rule};

/// The identity that the blocks of a report carry.
const IDENTITY: &str = "lonis:conform";

/// The kind of a row's block.
const ROW_KIND: &str = "lonis.conformance";

/// Whether one rule holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Holds,
    /// What was seen instead.
    FallsShort(String),
    /// Why it could not be tried.
    NotTested(String),
}

impl Verdict {
    const fn word(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::FallsShort(_) => "falls_short",
            Self::NotTested(_) => "not_tested",
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Holds => "",
            Self::FallsShort(text) | Self::NotTested(text) => text,
        }
    }
}

impl From<Result<(), String>> for Verdict {
    fn from(result: Result<(), String>) -> Self {
        match result {
            Ok(()) => Self::Holds,
            Err(seen) => Self::FallsShort(seen),
        }
    }
}

/// One rule, tried on the provider or on one of its tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) rule: Rule,
    /// The tool's own name; empty for the provider as a whole.
    pub(crate) tool: String,
    pub(crate) verdict: Verdict,
}

/// Everything that was found about one provider.
#[derive(Debug, Clone, Default)]
pub(crate) struct Report {
    /// What the provider was called by.
    pub(crate) provider: String,
    pub(crate) rows: Vec<Row>,
}

/// How many rows there are of each sort.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) held: usize,
    pub(crate) required: usize,
    pub(crate) advised: usize,
    pub(crate) not_tested: usize,
}

impl Report {
    pub(crate) fn new(provider: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, rule: Rule, tool: &str, verdict: impl Into<Verdict>) {
        self.rows.push(Row {
            rule,
            tool: tool.to_owned(),
            verdict: verdict.into(),
        });
    }

    pub(crate) fn counts(&self) -> Counts {
        self.rows.iter().fold(Counts::default(), |mut counts, row| {
            match (&row.verdict, row.rule.level()) {
                (Verdict::Holds, _) => counts.held += 1,
                (Verdict::NotTested(_), _) => counts.not_tested += 1,
                (Verdict::FallsShort(_), Level::Required) => counts.required += 1,
                (Verdict::FallsShort(_), Level::Advised) => counts.advised += 1,
            }
            counts
        })
    }

    /// The error of the command; `None` when no required rule falls short.
    pub(crate) fn error(&self) -> Option<ToolError> {
        let counts = self.counts();
        (counts.required > 0).then(|| {
            let message = format!(
                "`{}` falls short of {} required rules",
                self.provider, counts.required
            );
            ToolError::new(ErrorKind::from("not_conforming"), message)
        })
    }

    /// The report as blocks: one for each row, then an outcome.
    pub(crate) fn blocks(&self) -> Vec<SeedBlock> {
        let attribution = Attribution::new(IDENTITY, IDENTITY);
        let block = |payload: BlockKind| Block::new(attribution.clone(), payload);
        let rows = self.rows.iter().map(|row| block(row.payload()));
        rows.chain([block(self.outcome().into())]).collect()
    }

    fn outcome(&self) -> Outcome {
        let counts = self.counts();
        let conforms = counts.required == 0;
        Outcome {
            status: if conforms { OutcomeStatus::Success } else { OutcomeStatus::Error },
            kind: if conforms { "conforms" } else { "not_conforming" }.to_owned(),
            message: self.summary(),
            details: Some(
                json!({
                    "provider": self.provider, "held": counts.held, "required_short": counts.required,
                    "advised_short": counts.advised, "not_tested": counts.not_tested,
                })
                .into(),
            ),
            exit_code: self.error().map(|error| error.exit_code()),
        }
    }

    /// Writes the table, then how to mend what falls short.
    ///
    /// # Errors
    /// What the writer refuses.
    pub(crate) fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        let rule_width = self
            .rows
            .iter()
            .map(|row| row.rule.name().len())
            .max()
            .unwrap_or(0);
        let tool_width = self
            .rows
            .iter()
            .map(|row| row.tool.chars().count())
            .max()
            .unwrap_or(0);
        for row in &self.rows {
            let line = format!(
                "{:<5} {:<rule_width$}  {:<tool_width$}",
                row.mark(),
                row.rule.name(),
                row.tool
            );
            let text = row.verdict.text();
            let separator = if text.is_empty() { "" } else { "  " };
            write_text(format!("{line}{separator}{text}").trim_end(), &mut *out)?;
        }
        let mut short: Vec<Rule> = self
            .rows
            .iter()
            .filter(|row| row.falls_short())
            .map(|row| row.rule)
            .collect();
        short.sort_unstable();
        short.dedup();
        if !short.is_empty() {
            writeln!(out, "\nto mend:")?;
        }
        for rule in short {
            writeln!(
                out,
                "  {} ({}): {}",
                rule.name(),
                rule.level().word(),
                rule.promise()
            )?;
            writeln!(out, "    {}", rule.mend())?;
        }
        write_text(&self.summary(), out)
    }

    fn summary(&self) -> String {
        let counts = self.counts();
        format!(
            "`{}`: {} rules hold, {} required and {} advised fall short, {} not tested",
            self.provider, counts.held, counts.required, counts.advised, counts.not_tested
        )
    }
}

impl Row {
    fn falls_short(&self) -> bool {
        matches!(self.verdict, Verdict::FallsShort(_))
    }

    fn mark(&self) -> &'static str {
        match (&self.verdict, self.rule.level()) {
            (Verdict::Holds, _) => "ok",
            (Verdict::NotTested(_), _) => "-",
            (Verdict::FallsShort(_), Level::Required) => "SHORT",
            (Verdict::FallsShort(_), Level::Advised) => "short",
        }
    }

    fn payload(&self) -> BlockKind {
        let mut data = json!({
            "rule": self.rule.name(), "level": self.rule.level().word(), "verdict": self.verdict.word(),
            "promise": self.rule.promise(),
        });
        if !self.tool.is_empty() {
            data["tool"] = json!(self.tool);
        }
        if !self.verdict.text().is_empty() {
            data["seen"] = json!(self.verdict.text());
        }
        if self.falls_short() {
            data["mend"] = json!(self.rule.mend());
        }
        BlockKind::Extension {
            kind: ROW_KIND.to_owned(),
            data: data.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut report = Report::new("./acme");
        report.add(Rule::Manifest, "", Verdict::Holds);
        report.add(
            Rule::Call,
            "acme.get",
            Verdict::NotTested("no input".to_owned()),
        );
        report.add(Rule::Quiet, "acme.get", Err("stderr `hi`".to_owned()));
        report
    }

    #[test]
    fn only_a_required_row_makes_the_command_fail() {
        let mut report = report();
        assert_eq!(report.error(), None);
        assert_eq!(
            report.counts(),
            Counts {
                held: 1,
                required: 0,
                advised: 1,
                not_tested: 1
            }
        );
        report.add(Rule::BadJson, "acme.get", Err("exit code 0".to_owned()));
        let error = report.error().unwrap();
        assert_eq!(
            (error.kind().as_str(), error.exit_code()),
            ("not_conforming", 1)
        );
    }

    #[test]
    fn the_table_shows_what_falls_short_and_how_to_mend_it() {
        let mut text = Vec::new();
        report().write_human(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let expected = "\
ok    manifest
-     call      acme.get  no input
short quiet     acme.get  stderr `hi`

to mend:
  quiet (advised): stderr stays empty where all went well
    keep log lines for failures
`./acme`: 1 rules hold, 0 required and 1 advised fall short, 1 not tested
";
        assert_eq!(text, expected);
    }

    #[test]
    fn blocks_say_the_same() {
        let blocks = report().blocks();
        let payloads: Vec<serde_json::Value> = blocks
            .iter()
            .map(|block| serde_json::to_value(block.payload()).unwrap())
            .collect();
        assert_eq!(payloads[2]["kind"], ROW_KIND);
        assert_eq!(payloads[2]["data"]["verdict"], "falls_short");
        assert_eq!(payloads[2]["data"]["mend"], Rule::Quiet.mend());
        assert_eq!(payloads[3]["data"]["status"], "success");
        assert_eq!(payloads[3]["data"]["details"]["advised_short"], 1);
    }
}
