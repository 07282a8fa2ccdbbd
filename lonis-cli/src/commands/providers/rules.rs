//! What the files say about calls: the policy, and the limits of each registration.

use lonis::host::{Host, Registered, Standing};
use lonis::limits::Limits;
use serde::Serialize;

/// The rules in force.
#[derive(Serialize)]
pub(super) struct Rules {
    policy: Vec<Written>,
    limits: Vec<Held>,
}

/// One `[[policy]]` table.
#[derive(Serialize)]
struct Written {
    file: String,
    rule: usize,
    decides: String,
}

/// What a provider, one of its tools or a plain tool is held to beside the defaults.
#[derive(Serialize)]
struct Held {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    limits: Limits,
}

impl Rules {
    /// The rules in force, for all registrations or for one alone.
    pub(super) fn of(host: &Host, only: Option<&str>) -> Self {
        let policy = host.policy().rules().map(|(file, number, rule)| Written {
            file: file.to_string_lossy().into_owned(),
            rule: number,
            decides: rule.to_string(),
        });
        let mut limits = Vec::new();
        for one in host.registrations() {
            if one.standing != Standing::Active || only.is_some_and(|only| only != one.name) {
                continue;
            }
            let mut hold = |tool: Option<&str>, bounds: Limits| {
                if bounds.iter().next().is_some() {
                    limits.push(Held {
                        name: one.name.clone(),
                        tool: tool.map(str::to_owned),
                        limits: bounds,
                    });
                }
            };
            hold(None, one.execution.bounds);
            if let Registered::Provider(entry) = &one.what {
                for (native, tool) in &entry.tools {
                    let own = tool.execution.bounds;
                    if own.iter().next().is_some() {
                        hold(Some(native), own.over(&one.execution.bounds));
                    }
                }
            }
        }
        Self {
            policy: policy.collect(),
            limits,
        }
    }

    /// The lines for people: what it is about, and what is said.
    pub(super) fn rows(&self) -> Vec<[String; 3]> {
        let policy = self.policy.iter().map(|rule| {
            let place = format!("{}, rule {}", rule.file, rule.rule);
            ["policy".to_owned(), place, rule.decides.clone()]
        });
        let limits = self.limits.iter().map(|held| {
            let of = match &held.tool {
                Some(tool) => format!("{}, tool {tool}", held.name),
                None => held.name.clone(),
            };
            let values = held.limits.iter();
            let values = values.map(|(bound, value)| format!("{bound} {value}"));
            [
                "limits".to_owned(),
                of,
                values.collect::<Vec<_>>().join(", "),
            ]
        });
        policy.chain(limits).collect()
    }
}
