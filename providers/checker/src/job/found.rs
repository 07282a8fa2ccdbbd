//! `found.json`: the arguments on which properties failed, which later runs and the gate try first.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use soil::eval::Bounds;
use soil::hash::Digest;
use soil::json::Json;

use super::directory::Directory;
use super::record::{Hash, Limits};
use crate::failure::Failure;
use crate::project::{Row, TestOptions, TestRun};

const NAME: &str = "found.json";

/// The most that is kept of one property.
const MAX_KEPT: usize = 32;

/// Arguments by property, in the order in which they were found.
///
/// # Wire shape
/// `{"found":[{"property":S,"args":[S]}]}`, each argument as canonical text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FoundValues {
    found: Vec<FoundValue>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FoundValue {
    property: String,
    args: Vec<String>,
}

impl FoundValues {
    /// Reads what a job found, with its digest; what does not read is as if nothing was found.
    ///
    /// # Errors
    /// `io`, when it cannot be read.
    pub(crate) fn read(directory: &Directory) -> Result<(Self, Hash), Failure> {
        let bytes = directory.read(NAME)?.unwrap_or_default();
        let values = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok((values, Hash(Digest::of([bytes]))))
    }

    /// Gives what tests run with under some limits, these values first.
    pub(crate) fn options(&self, limits: Limits) -> TestOptions {
        TestOptions {
            bounds: Bounds {
                fuel: limits.fuel,
                cells: limits.cells,
                depth: usize::try_from(limits.depth).unwrap_or(usize::MAX),
            },
            run_fuel: limits.run_fuel,
            kept: self.kept(),
        }
    }

    /// Adds the arguments on which a property failed, unless they are there.
    fn add(&mut self, property: &str, arguments: &[String]) {
        let own = self.found.iter().filter(|value| value.property == property);
        let (count, is_known) = own.fold((0, false), |(count, is_known), value| {
            (count + 1, is_known || value.args == arguments)
        });
        if !is_known && count < MAX_KEPT {
            self.found.push(FoundValue {
                property: property.to_owned(),
                args: arguments.to_vec(),
            });
        }
    }

    /// Gives the arguments of each property as JSON.
    fn kept(&self) -> BTreeMap<String, Vec<Vec<Json>>> {
        let mut kept: BTreeMap<String, Vec<Vec<Json>>> = BTreeMap::new();
        for value in &self.found {
            let read = |text: &String| Json::read(text.as_bytes()).ok();
            if let Some(arguments) = value.args.iter().map(read).collect() {
                kept.entry(value.property.clone())
                    .or_default()
                    .push(arguments);
            }
        }
        kept
    }

    /// Keeps what a run found beside what is kept.
    ///
    /// # Errors
    /// `io`, when it cannot be written.
    pub(crate) fn keep(mut self, run: &TestRun, directory: &Directory) -> Result<(), Failure> {
        let before = self.clone();
        for row in &run.rows {
            if let Row::Property(report) = row
                && let Some(found) = &report.counterexample
            {
                self.add(&report.name, &found.arguments);
            }
        }
        if self == before {
            return Ok(());
        }
        let text = serde_json::to_string(&self).expect("texts are JSON");
        directory.replace(NAME, text.as_bytes())
    }
}
