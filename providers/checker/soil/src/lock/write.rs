//! Writing locks.

use std::collections::BTreeMap;

use super::json::{LockText, quoted, row};
use super::{
    Assurance, FunctionChecks, LOCK_FORMAT, Lock, LockBody, LockError, LockedSpec, Lowering,
    NamedHash, Oracle, TestResult, TestRow,
};
use crate::hash::Digest;
use crate::spec::SpecKind;

impl Lock {
    /// Gives the text of the lock.
    ///
    /// Whether a definition that serves as oracle is accepted is asked of the function.
    ///
    /// # Errors
    /// `lock-accepted-untested`, `lock-kind-shape`, `lock-oracle-unaccepted`.
    pub fn write(&self, is_accepted: impl Fn(&str) -> bool) -> Result<String, LockError> {
        self.check_shape()?;
        self.check_acceptance()?;
        self.check_oracles(is_accepted)?;
        let mut text = LockText::new();
        text.document(|text| self.members(text));
        Ok(text.finish())
    }

    fn check_shape(&self) -> Result<(), LockError> {
        let kind = self.body.kind();
        let misfit = |section| Err(LockError::KindShape { kind, section });
        let has_decisions = matches!(kind, SpecKind::Module | SpecKind::Project);
        if !has_decisions && !self.spec.decisions.is_empty() {
            return misfit("decisions");
        }
        if self.spec.test.is_some() != (kind == SpecKind::Function) {
            return misfit("hashes");
        }
        Ok(())
    }

    fn check_acceptance(&self) -> Result<(), LockError> {
        let (types_ok, holes, tests): (bool, u64, &[TestRow]) = match &self.body {
            LockBody::Function { checks, tests, .. } => (checks.types_ok, checks.holes, tests),
            LockBody::Type { checks, tests, .. } => (checks.types_ok, 0, tests),
            LockBody::Module { exports_ok } => (*exports_ok, 0, &[]),
            LockBody::Project => (true, 0, &[]),
        };
        let failed = tests.iter().find(|row| row.result != TestResult::Pass);
        let is_untested = tests.is_empty() && self.body.kind() == SpecKind::Function;
        let reason = match failed {
            _ if !self.accepted => return Ok(()),
            _ if !types_ok => "its types do not fit".to_owned(),
            _ if holes > 0 => format!("{holes} holes are left"),
            Some(row) => format!("the test `{}` is {}", row.name, row.result.text()),
            None if is_untested => "it has no tests".to_owned(),
            None => return Ok(()),
        };
        let name = self.name.clone();
        Err(LockError::AcceptedUntested { name, reason })
    }

    fn check_oracles(&self, is_accepted: impl Fn(&str) -> bool) -> Result<(), LockError> {
        let LockBody::Function { oracles, .. } = &self.body else {
            return Ok(());
        };
        let mut names = oracles.iter().filter_map(|oracle| match oracle {
            Oracle::Definition { name, .. } => Some(name),
            _ => None,
        });
        match names.find(|name| !is_accepted(name)) {
            Some(name) => Err(LockError::OracleUnaccepted { name: name.clone() }),
            None => Ok(()),
        }
    }

    fn members(&self, text: &mut LockText) {
        text.raw("lock_format", &LOCK_FORMAT.to_string());
        text.string("name", &self.name);
        text.string("kind", self.body.kind().text());
        text.raw(
            "versions",
            &row(&[("trellis", &self.trellis), ("soil", &self.soil)]),
        );
        text.object("spec", |text| self.spec.members(text));
        match &self.body {
            LockBody::Function {
                lowering,
                checks,
                tests,
                oracles,
            } => {
                match lowering {
                    Some(lowering) => text.object("lowering", |text| lowering.members(text)),
                    None => text.raw("lowering", "null"),
                }
                text.object("checks", |text| checks.members(text));
                text.rows("tests", tests.iter().map(test_row));
                text.rows("oracles", oracles.iter().map(oracle_row));
            }
            LockBody::Type {
                checks,
                tests,
                cycle_hash,
            } => {
                text.object("checks", |text| {
                    text.string("types", ok_or_error(checks.types_ok));
                    assurances(text, "invariants", &checks.invariants);
                });
                text.rows("tests", tests.iter().map(test_row));
                text.optional(
                    "cycle_hash",
                    cycle_hash.map(|hash| hash.to_string()).as_deref(),
                );
            }
            LockBody::Module { exports_ok } => {
                text.object("checks", |text| {
                    text.string("exports", ok_or_error(*exports_ok));
                });
            }
            LockBody::Project => text.object("checks", |_| {}),
        }
        text.raw("accepted", if self.accepted { "true" } else { "false" });
    }
}

fn ok_or_error(is_ok: bool) -> &'static str {
    if is_ok { "ok" } else { "error" }
}

fn assurances(text: &mut LockText, key: &str, clauses: &BTreeMap<String, Assurance>) {
    text.object(key, |text| {
        for (label, assurance) in clauses {
            text.string(label, assurance.text());
        }
    });
}

fn test_row(test: &TestRow) -> String {
    row(&[
        ("name", &test.name),
        ("tier", test.tier.text()),
        ("mode", test.mode.text()),
        ("origin", test.origin.text()),
        ("result", test.result.text()),
    ])
}

fn oracle_row(oracle: &Oracle) -> String {
    match oracle {
        Oracle::Reference { path, hash } => row(&[
            ("kind", "reference"),
            ("path", path),
            ("hash", &hash.to_string()),
        ]),
        Oracle::Cli { command, hash } => row(&[
            ("kind", "cli"),
            ("command", command),
            ("hash", &hash.to_string()),
        ]),
        Oracle::Definition { name, formal_hash } => {
            let hash = formal_hash.to_string();
            row(&[
                ("kind", "definition"),
                ("name", name),
                ("formal_hash", &hash),
            ])
        }
    }
}

fn named_hash(entry: &NamedHash) -> String {
    row(&[("name", &entry.name), ("hash", &entry.hash.to_string())])
}

impl LockedSpec {
    fn members(&self, text: &mut LockText) {
        text.string("provenance", self.provenance.text());
        text.object("hashes", |text| {
            text.string("formal", &self.formal.to_string());
            text.optional(
                "test",
                self.test.map(|hash: Digest| hash.to_string()).as_deref(),
            );
            text.string("prose", &self.prose.to_string());
        });
        let state = if self.is_review_suggested {
            "review-suggested"
        } else {
            "fresh"
        };
        text.string("prose_state", state);
        let blocks = self.blocks.iter();
        text.rows(
            "blocks",
            blocks.map(|block| row(&[("block", &block.block), ("author", block.author.text())])),
        );
        text.raw("pinned", if self.pinned { "true" } else { "false" });
        text.rows(
            "escape_hatches",
            self.escape_hatches.iter().map(|word| quoted(word)),
        );
        if !self.decisions.is_empty() {
            text.object("decisions", |text| {
                for (label, hash) in &self.decisions {
                    text.string(label, &hash.to_string());
                }
            });
        }
    }
}

impl Lowering {
    fn members(&self, text: &mut LockText) {
        text.string("soil_hash", &self.soil_hash.to_string());
        text.string("provenance", self.provenance.text());
        text.optional("provider", self.provider.as_deref());
        text.optional("model", self.model.as_deref());
        text.rows(
            "private_helpers",
            self.private_helpers.iter().map(named_hash),
        );
        text.rows("calls", self.calls.iter().map(named_hash));
        text.object("decisions", |text| {
            text.string("scope_hash", &self.scope_hash.to_string());
            let applied = self.applied.iter().map(|decision| {
                let hash = decision.hash.to_string();
                row(&[
                    ("scope", &decision.scope),
                    ("label", &decision.label),
                    ("hash", &hash),
                ])
            });
            text.rows("applied", applied);
        });
    }
}

impl FunctionChecks {
    fn members(&self, text: &mut LockText) {
        text.string("types", ok_or_error(self.types_ok));
        text.string("termination", self.termination.text());
        assurances(text, "refinements", &self.refinements);
        text.raw("holes", &self.holes.to_string());
    }
}
