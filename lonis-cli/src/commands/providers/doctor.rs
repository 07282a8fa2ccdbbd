//! `lonis providers doctor`: the steps of discovery with their times and errors, and what this machine can hold.

use std::time::Instant;

use lonis::host::{Registered, Standing};
use lonis::{ErrorKind, SubprocessProvider, ToolError};
use serde::Serialize;
use serde_json::json;

use super::machine;
use super::rules::Rules;
use crate::catalog;
use crate::counted::counted;
use crate::output::{DONE, Output};
use crate::progress::Progress;
use crate::signals::Busy;

/// One step of asking a provider.
#[derive(Serialize)]
struct Step {
    provider: String,
    #[serde(rename = "step")]
    name: &'static str,
    millis: f64,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ToolError>,
}

pub(super) fn run(name: Option<&str>, output: &mut Output) -> Result<u8, ToolError> {
    // First, since what it sees depends on nothing else having started a child.
    let machine = match name {
        None => Some(machine::examine()?),
        Some(_) => None,
    };
    let host = catalog::load()?;
    let names: Vec<String> = match name {
        Some(name) => vec![name.to_owned()],
        None => host
            .registrations()
            .iter()
            .filter(|one| {
                one.standing == Standing::Active && matches!(one.what, Registered::Provider(_))
            })
            .map(|one| one.name.clone())
            .collect(),
    };
    let rules = Rules::of(&host, name);
    let mut steps = Vec::new();
    for name in names {
        let _busy = Busy::begin();
        let _progress = Progress::begin(&format!("asking {name}"), output.mode());
        // Asked afresh: what is in the cache is what may be wrong.
        examine(&name, &host.provider(&name)?, &mut steps);
    }
    if output.mode().is_machine() {
        output.document(&json!({ "steps": steps, "rules": rules, "machine": machine }))?;
    } else {
        for step in &steps {
            let end = match &step.error {
                Some(error) => format!("{}: {}", error.kind(), error.message()),
                None => step.found.clone(),
            };
            output.fields(&[
                &step.provider,
                step.name,
                &format!("{:.1} ms", step.millis),
                &end,
            ])?;
        }
        for [sort, of, said] in rules.rows() {
            output.fields(&[&sort, &of, &said])?;
        }
        for (name, found) in machine.iter().flat_map(machine::Machine::rows) {
            output.fields(&["machine", &name, &found])?;
        }
    }
    let broken = steps.iter().filter(|step| step.error.is_some()).count();
    if broken > 0 {
        return Err(ToolError::new(
            ErrorKind::Unavailable,
            match broken {
                1 => "a step failed".to_owned(),
                many => format!("{many} steps failed"),
            },
        ));
    }
    Ok(DONE)
}

/// The four steps; one that fails ends them, since each needs the one before.
fn examine(name: &str, provider: &SubprocessProvider, steps: &mut Vec<Step>) {
    let mut take = |step, look: &dyn Fn() -> Result<String, ToolError>| {
        let start = Instant::now();
        let result = look();
        let millis = start.elapsed().as_secs_f64() * 1e3;
        let (found, error) = match result {
            Ok(found) => (found, None),
            Err(error) => (String::new(), Some(error)),
        };
        let goes_on = error.is_none();
        steps.push(Step {
            provider: name.to_owned(),
            name: step,
            millis,
            found,
            error,
        });
        goes_on
    };
    let _ = take("program", &|| {
        provider.identity().map(|identity| {
            identity
                .files()
                .next()
                .map(|file| file.path.display().to_string())
                .unwrap_or_default()
        })
    }) && take("manifest", &|| {
        provider
            .manifest()
            .map(|manifest| format!("{} {}", manifest.name, manifest.version))
    }) && take("tools list", &|| {
        provider.listing().map(|listing| {
            format!(
                "{}, {} left out",
                counted(listing.tools.len(), "tool"),
                listing.refused.len()
            )
        })
    }) && take("tools describe", &|| {
        let listing = provider.listing()?;
        for tool in &listing.tools {
            provider.describe(tool.name.as_str())?;
        }
        Ok(counted(listing.tools.len(), "contract"))
    });
}
