//! The document of tests.

use soil::document::{Detail, Writer, list};
use soil::testing::{CaseReport, Counterexample, Details, PropertyReport, Verdict};

use super::{Row, TestRun};

impl Row {
    /// Gives the name of the test.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Case(report) | Self::Differential(report) | Self::Cram(report) => &report.name,
            Self::Property(report) => &report.name,
        }
    }

    /// Gives what came of it.
    pub(crate) const fn verdict(&self) -> Verdict {
        match self {
            Self::Case(report) | Self::Differential(report) | Self::Cram(report) => report.verdict,
            Self::Property(report) => report.verdict,
        }
    }

    /// Gives what was expected and what came, where that is not as it should be.
    pub(crate) const fn details(&self) -> Option<&Details> {
        match self {
            Self::Case(report) | Self::Differential(report) | Self::Cram(report) => {
                report.details.as_ref()
            }
            Self::Property(report) => report.details.as_ref(),
        }
    }

    /// Writes the row; rich, it names the first difference, the trace and the counterexample.
    ///
    /// # Wire shape
    /// `{"name":…,"result":…,"details":Option {"expected","actual"}}`
    pub(crate) fn write(&self, writer: &mut Writer, is_rich: bool) {
        writer.object(|writer| {
            writer.key("name").string(self.name());
            writer.key("result").string(self.verdict().text());
            writer
                .key("details")
                .option(self.details(), |writer, details| {
                    writer.object(|writer| {
                        writer.key("expected").string(&details.expected);
                        writer.key("actual").string(&details.actual);
                    });
                });
            if is_rich {
                self.rich(writer);
            }
        });
    }

    fn rich(&self, writer: &mut Writer) {
        let trace = match self {
            Self::Case(report) | Self::Differential(report) | Self::Cram(report) => {
                let CaseReport {
                    difference, trace, ..
                } = report;
                if let Some(difference) = difference {
                    writer.key("difference").string(difference);
                }
                trace
            }
            Self::Property(PropertyReport {
                counterexample,
                trace,
                ..
            }) => {
                if let Some(found) = counterexample {
                    writer.key("counterexample");
                    example(writer, found);
                }
                trace
            }
        };
        if !trace.is_empty() {
            texts(writer.key("trace"), trace);
        }
    }
}

impl TestRun {
    /// Gives the document of the results.
    ///
    /// # Wire shape
    /// `{"cases":[…]}`, with `warnings` where there are any.
    pub(crate) fn document(&self, detail: Detail) -> String {
        let mut writer = Writer::new();
        writer.object(|writer| {
            writer.key("cases").array(|writer| {
                for row in &self.rows {
                    row.write(writer, detail == Detail::Rich);
                }
            });
            if !self.warnings.is_empty() {
                let warnings = self.warnings.clone();
                // What is cut off is for the owner of the spec, who sees all of it on the human face.
                let _ = list(writer.key("warnings"), warnings, &self.sources, detail);
            }
        });
        writer.finish_document()
    }

    /// Says whether every test ran and came out as it should.
    pub(crate) fn is_good(&self) -> bool {
        self.errors.is_empty() && self.rows.iter().all(|row| row.verdict().is_good())
    }
}

/// Writes a counterexample; values travel as texts, so that a reader of JSON changes none of them.
fn example(writer: &mut Writer, found: &Counterexample) {
    writer.object(|writer| {
        texts(writer.key("args"), &found.arguments);
        if let Some(seed) = found.seed {
            writer.key("seed").number(seed);
        }
        writer.key("generator").string(found.generator);
        writer.key("steps").number(found.steps as u64);
        texts(writer.key("original"), &found.original);
    });
}

fn texts(writer: &mut Writer, list: &[String]) {
    writer.array(|writer| list.iter().for_each(|text| writer.string(text)));
}
