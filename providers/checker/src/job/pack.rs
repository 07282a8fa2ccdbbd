//! The bundle of a job: what a model may read.

use std::fmt::Write as _;

use soil::diagnostic::Code;
use soil::document::Writer;
use soil::hash::Digest;
use soil::json::Json;
use soil::testing::{CaseArgument, Expectation, TestCase, spec_cases};

use super::record::{Hash, SpecHashes};
use crate::failure::Failure;
use crate::project::{InScope, Named, Project, SpecFile};

/// A bundle before it is written.
#[derive(Debug)]
pub(crate) struct Packed {
    /// Paths and texts.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Tokens of all of it.
    pub(crate) estimate: u64,
    /// How many candidates did not fit.
    pub(crate) dropped: u64,
}

/// Why writing to a text cannot fail.
const GROWS: &str = "a text takes all that is written to it";

/// Counts the tokens of a text by the rule of the contract.
const fn tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

impl Packed {
    /// Packs the bundle of a definition, whose spec reads.
    ///
    /// # Errors
    /// `budget-too-small`, when spec, decisions and tests do not fit.
    pub(crate) fn of(
        project: &Project,
        named: Named<'_>,
        hashes: SpecHashes,
        budget: u64,
    ) -> Result<Self, Failure> {
        let mut files = Vec::new();
        let spec_file = named.function.spec.as_ref();
        if let Some(file) = spec_file {
            files.push(("spec.md".to_owned(), file.text.bytes.to_vec()));
        }
        let decisions = project.decisions(named.module);
        if !decisions.is_empty() {
            let text = decisions_text(&decisions, &named.module.name);
            files.push(("decisions.md".to_owned(), text.into_bytes()));
        }
        let function = spec_file.and_then(SpecFile::function);
        let cases = function.map_or(Ok(Vec::new()), |(_, function)| {
            spec_cases(function, &named.program_name())
        });
        let cases = cases.map_err(|error| Failure::new(Code::TrTestSyntax, error.to_string()))?;
        files.push(("tests.json".to_owned(), tests_text(&cases).into_bytes()));
        let mandatory: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        let needed = tokens(mandatory);
        if needed > budget {
            let message = format!(
                "the spec, its tests and its decisions take {needed} tokens, the budget is {budget}"
            );
            return Err(Failure::new(Code::BudgetTooSmall, message));
        }
        let mut used = needed;
        let mut packed: Vec<String> = files.iter().map(|(path, _)| path.clone()).collect();
        let mut dropped: Vec<(String, u64)> = Vec::new();
        for (path, bytes) in candidates(named) {
            let size = tokens(bytes.len());
            if dropped.is_empty() && used + size <= budget {
                used += size;
                packed.push(path.clone());
                files.push((path, bytes));
            } else {
                dropped.push((path, size));
            }
        }
        let manifest = Manifest {
            definition: named.full_name(),
            budget,
            packed: &packed,
            dropped: &dropped,
            hashes,
        };
        let total: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        let estimate = tokens(total + manifest.text(0).len());
        files.push((
            "bundle.json".to_owned(),
            manifest.text(estimate).into_bytes(),
        ));
        Ok(Self {
            files,
            estimate,
            dropped: dropped.len() as u64,
        })
    }

    /// Gives the digest of all paths and texts, sorted by path.
    pub(crate) fn digest(&self) -> Hash {
        let mut files: Vec<(&[u8], &[u8])> = self
            .files
            .iter()
            .map(|(path, bytes)| (path.as_bytes(), &bytes[..]))
            .collect();
        files.sort_unstable();
        Hash(Digest::of(
            files.into_iter().flat_map(|(path, bytes)| [path, bytes]),
        ))
    }

    /// Gives the text of the manifest.
    pub(crate) fn manifest(&self) -> &[u8] {
        self.files.last().map_or(&[], |(_, bytes)| bytes)
    }
}

/// Lists what is kept as far as the budget goes, the most useful first.
fn candidates(named: Named<'_>) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    if let Some(body) = &named.function.body {
        found.push(("previous.soil".to_owned(), body.bytes.to_vec()));
    }
    if let Some(spec) = &named.module.spec {
        found.push(("module.md".to_owned(), spec.text.bytes.to_vec()));
    }
    found
}

fn decisions_text(decisions: &[InScope<'_>], module: &str) -> String {
    let mut text = "# Decisions\n\n".to_owned();
    for (is_projects, heading) in [
        (true, "## project".to_owned()),
        (false, format!("## module {module}")),
    ] {
        let mut own = decisions
            .iter()
            .filter(|one| one.is_projects == is_projects)
            .peekable();
        if own.peek().is_none() {
            continue;
        }
        text.push_str(&heading);
        text.push_str("\n\n");
        for one in own {
            let decision = one.decision;
            writeln!(text, "- **{}** — {}", decision.label.value, decision.text).expect(GROWS);
            for reason in &decision.rejected {
                writeln!(text, "  rejected: {reason}").expect(GROWS);
            }
        }
        text.push('\n');
    }
    text
}

struct Manifest<'m> {
    definition: String,
    budget: u64,
    packed: &'m [String],
    dropped: &'m [(String, u64)],
    hashes: SpecHashes,
}

impl Manifest<'_> {
    fn text(&self, estimate: u64) -> String {
        let mut writer = Writer::new();
        writer.object(|writer| {
            writer.key("definition").string(&self.definition);
            writer.key("budget").number(self.budget);
            writer.key("estimate").number(estimate);
            writer.key("packed").array(|writer| {
                for path in self.packed {
                    writer.string(path);
                }
            });
            writer.key("dropped").array(|writer| {
                for (path, tokens) in self.dropped {
                    writer.object(|writer| {
                        writer.key("item").string(path);
                        writer.key("reason").string("budget");
                        writer.key("tokens").number(*tokens);
                    });
                }
            });
            writer.key("oracle").tag("None");
            writer.key("spec_hashes").object(|writer| {
                writer.key("formal").string(&self.hashes.formal.to_string());
                writer.key("test").string(&self.hashes.test.to_string());
                writer.key("prose").string(&self.hashes.prose.to_string());
            });
        });
        writer.finish_document()
    }
}

/// Writes the cases as `soil test` reads them.
fn tests_text(cases: &[TestCase]) -> String {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("cases").array(|writer| {
            for case in cases {
                writer.object(|writer| case_members(writer, case));
            }
        });
    });
    writer.finish_document()
}

fn case_members(writer: &mut Writer, case: &TestCase) {
    writer.key("name").string(&case.name);
    writer.key("def").string(&case.definition);
    writer.key("binds").array(|writer| {
        for bind in &case.binds {
            writer.object(|writer| {
                writer.key("bind").string(&bind.name);
                writer.key("ctor").string(&bind.constructor);
                writer.key("args").array(|writer| {
                    for json in &bind.arguments {
                        write(writer, json);
                    }
                });
            });
        }
    });
    writer.key("args").array(|writer| {
        for argument in &case.arguments {
            match argument {
                CaseArgument::Binding(name) => writer.variant("Binding", |writer| {
                    writer.key("name").string(name);
                }),
                CaseArgument::Json(json) => writer.tagged("Json", |writer| write(writer, json)),
            }
        }
    });
    writer.key("expect");
    match &case.expected {
        Expectation::Value(json) => writer.tagged("Value", |writer| write(writer, json)),
        Expectation::Panic => writer.tag("Panic"),
    }
    writer.key("xfail").boolean(case.is_xfail);
}

fn write(writer: &mut Writer, json: &Json) {
    match json {
        Json::Null => writer.raw("null"),
        Json::Boolean(value) => writer.boolean(*value),
        Json::Number(text) => writer.raw(text),
        Json::Text(text) => writer.string(text),
        Json::Array(entries) => writer.array(|writer| {
            for json in entries {
                write(writer, json);
            }
        }),
        Json::Object(members) => writer.object(|writer| {
            for (key, json) in members {
                write(writer.key(key), json);
            }
        }),
    }
}
