//! Evidence opened again: whatever it says is held against what it has to be about.

use serde_json::json;

use super::{About, ENGINE, Evidence, EvidenceError, Kind, ObligationResult, is_hermetic, reuse};
use crate::identity::{Domain, Identity};
use crate::policy::Obligation;
use crate::store::objects::{ObjectError, ReadObjects};

/// A member with what it has to be and what it is.
type Differs = (&'static str, String, String);

impl Evidence {
    /// Reads evidence of a passed run and checks all that it says against what it has to be about.
    ///
    /// # Errors
    /// An object that cannot be had, or one that says something else.
    pub fn checked(
        objects: &impl ReadObjects,
        identity: &Identity,
        about: About,
        obligations: &[Obligation],
    ) -> Result<Result<Self, EvidenceError>, ObjectError> {
        let bytes = objects.read(Domain::Evidence, identity)?;
        let wrong = |(field, expected, observed): Differs| EvidenceError {
            evidence: *identity,
            field: field.to_owned(),
            expected,
            observed,
        };
        let evidence: Self = match serde_json::from_slice(&bytes) {
            Ok(evidence) => evidence,
            Err(error) => {
                let shape = ("schema", Domain::Evidence.schema(), error.to_string());
                return Ok(Err(wrong(shape)));
            }
        };
        if let Some(differs) = evidence
            .differs(about)
            .or_else(|| evidence.breaks(obligations))
        {
            return Ok(Err(wrong(differs)));
        }
        for (result, obligation) in evidence.results.iter().zip(obligations) {
            if let Some(differs) = kept(objects, result)? {
                return Ok(Err(wrong(differs)));
            }
            if let Some(origin) = &result.reused_from
                && !reuse::stands(objects, (&evidence.snapshot, result), origin, obligation)?
            {
                let expected = format!("a passed result of `{}`", result.name);
                let differs = ("reused_from", expected, origin.to_string());
                return Ok(Err(wrong(differs)));
            }
        }
        Ok(Ok(evidence))
    }

    /// The first member of the whole that is another one.
    fn differs(&self, about: About) -> Option<Differs> {
        let (ok, vacuous) = (
            self.results.iter().all(|result| result.ok),
            self.results.is_empty(),
        );
        let text = |value: &dyn std::fmt::Display| value.to_string();
        let pairs = [
            ("schema", Domain::Evidence.schema(), self.schema.clone()),
            ("snapshot", text(&about.snapshot), text(&self.snapshot)),
            ("policy", text(&about.policy), text(&self.policy)),
            (
                "obligation_set",
                text(&about.obligation_set),
                text(&self.obligation_set),
            ),
            ("engine", ENGINE.to_owned(), self.engine.name.clone()),
            ("ok", text(&ok), text(&self.ok)),
            ("vacuous", text(&vacuous), text(&self.vacuous)),
            (
                "hermetic",
                text(&is_hermetic(&self.results)),
                text(&self.hermetic),
            ),
            ("verdict", text(&self.outcome()), text(&self.verdict)),
        ];
        pairs
            .into_iter()
            .find(|(_, expected, observed)| expected != observed)
    }

    /// The first result that is not a pass of its obligation under its limits.
    fn breaks(&self, obligations: &[Obligation]) -> Option<Differs> {
        if self.results.len() != obligations.len() {
            return Some((
                "results",
                format!("{} declared", obligations.len()),
                format!("{} ran", self.results.len()),
            ));
        }
        let mut pairs = self.results.iter().zip(obligations);
        pairs.find_map(|(result, obligation)| breaks(result, obligation))
    }
}

fn breaks(result: &ObligationResult, obligation: &Obligation) -> Option<Differs> {
    let kind = if obligation.argv.is_some() {
        Kind::Command
    } else {
        Kind::Tool
    };
    let named = obligation.tool.as_deref();
    let named = named.or_else(|| Some(obligation.argv.as_ref()?.first()?.as_str()));
    let none: [&str; 0] = [];
    let pairs = [
        ("name", json!(obligation.name), json!(result.name)),
        (
            "declaration",
            json!(obligation.declaration()),
            json!(result.declaration),
        ),
        ("kind", json!(kind), json!(result.kind)),
        ("tool", json!(named), json!(result.tool.name)),
        ("limits", obligation.shown_limits(), result.limits.clone()),
        ("ok", json!(true), json!(result.ok)),
        ("code", json!(null), json!(result.code)),
        ("signal", json!(null), json!(result.signal)),
        ("mutated", json!(none), json!(result.mutated)),
        (
            "scratch",
            json!(obligation.scratch),
            json!(result.scratch.paths),
        ),
    ];
    let differs = pairs
        .into_iter()
        .find(|(_, expected, observed)| expected != observed);
    if let Some((field, expected, observed)) = differs {
        return Some((field, expected.to_string(), observed.to_string()));
    }
    let is_expected = match (kind, result.exit) {
        (Kind::Command, Some(exit)) => obligation.expected_exit.contains(&exit),
        (Kind::Command, None) => false,
        // How the program of a tool ends is for the host to judge.
        (Kind::Tool, _) => true,
    };
    (!is_expected).then(|| {
        let expected = json!(obligation.expected_exit).to_string();
        ("exit", expected, json!(result.exit).to_string())
    })
}

/// Opens the outputs of a result.
fn kept(
    objects: &impl ReadObjects,
    result: &ObligationResult,
) -> Result<Option<Differs>, ObjectError> {
    for (field, output) in [("stdout", &result.stdout), ("stderr", &result.stderr)] {
        let bytes = objects.read(Domain::Blob, &output.blob)?.len() as u64;
        if bytes != output.bytes {
            let (expected, observed) = (bytes.to_string(), output.bytes.to_string());
            return Ok(Some((field, expected, observed)));
        }
    }
    Ok(None)
}
