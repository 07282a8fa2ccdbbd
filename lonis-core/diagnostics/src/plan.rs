//! What may be done about a failure, and under which guards.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::catalog::{Action, ActionKind, CATALOG_IDENTITY, Entry};

/// The word of a command that stands for the id of a session.
const SESSION: &str = "{session}";

/// A change of a policy that a failure suggests; nothing in Lonis applies one.
#[derive(Debug, Clone, PartialEq)]
pub enum PolicyProposal {
    /// A capability that would have to be allowed.
    Allow {
        /// Its name, such as `network/connect`.
        capability: String,
        /// The bytes of the policy file, none where there is no file.
        policy_file: Vec<u8>,
    },
    /// A bound that would have to be raised.
    Bound {
        /// The key of the policy file.
        key: String,
        /// The value that holds.
        from: Value,
        /// The least value that would do.
        to: Value,
        /// The bytes of the policy file, none where there is no file.
        policy_file: Vec<u8>,
    },
}

impl PolicyProposal {
    /// Sets the bytes of the policy file that it would change.
    pub(crate) fn bind(&mut self, bytes: &[u8]) {
        let (Self::Allow { policy_file, .. } | Self::Bound { policy_file, .. }) = self;
        *policy_file = bytes.to_vec();
    }

    fn to_value(&self) -> Value {
        let (policy_file, mut proposal) = match self {
            Self::Allow {
                capability,
                policy_file,
            } => (
                policy_file,
                json!({"schema": "genesis/capability-policy-diff-v0.1", "operation": "add-allow", "capability": capability}),
            ),
            Self::Bound {
                key,
                from,
                to,
                policy_file,
            } => (
                policy_file,
                json!({
                    "schema": "genesis/capability-policy-diff-v0.2", "operation": "set-bound",
                    "key": key, "from": from, "to": to,
                }),
            ),
        };
        proposal["status"] = "proposal".into();
        proposal["base_policy_identity_sha256"] = sha256(policy_file).into();
        proposal["requires_review"] = true.into();
        proposal["auto_apply"] = false.into();
        proposal
    }
}

/// Writes the SHA-256 of bytes as 64 lowercase hex digits.
fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Writes the repair plan of a failure.
pub(crate) fn repair_plan(
    entry: &Entry,
    facts: &Map<String, Value>,
    proposal: Option<&PolicyProposal>,
) -> Value {
    let action = entry.first_action();
    let needs_review = action.kind.requires_review();
    json!({
        "schema": "genesis/diagnostic-repair-plan-v0.1",
        "diagnostic_id": entry.id(),
        "catalog_identity_sha256": CATALOG_IDENTITY,
        "action": plan_action(action, facts),
        "guardrails": {
            "schema": "genesis/diagnostic-repair-guardrails-v0.1",
            "promptAuthority": "none",
            "policyBroadening": "separate-reviewed-diff",
            "obligationSuppression": "forbidden",
            "automaticActionPolicy": "catalog-eligible-only",
        },
        "authorization": {
            "automatic_allowed": !needs_review,
            "policy_change_allowed": false,
            "obligation_suppression_allowed": false,
            "requires_review": needs_review,
            "requires_separate_policy_diff": action.kind == ActionKind::PolicyReview,
        },
        "policy_diff": proposal.map(PolicyProposal::to_value),
    })
}

fn plan_action(action: &Action, facts: &Map<String, Value>) -> Value {
    let kind = action.kind;
    let mut value = json!({
        "id": action.id,
        "description": filled(action.description, facts),
        "kind": kind.as_str(),
        "policyEffect": kind.policy_effect(),
        "obligationEffect": kind.obligation_effect(),
        "automaticEligible": !kind.requires_review(),
        "requiresReview": kind.requires_review(),
        "preconditions": kind.preconditions(),
        "postconditions": kind.postconditions(),
    });
    if let Some(command) = filled_command(action, facts) {
        value["command"] = json!(command);
    }
    value
}

/// Fills the parameters into the command of an action; without one of them there is no command.
pub(crate) fn filled_command(action: &Action, facts: &Map<String, Value>) -> Option<Vec<String>> {
    if action.command.is_empty() {
        return None;
    }
    let is_flag = |word: &str| word == SESSION && filled(word, facts).starts_with('-');
    let (flags, rest): (Vec<&str>, Vec<&str>) =
        action.command.iter().partition(|word| is_flag(word));
    // Behind `--` an id that begins with a dash is no flag.
    let separator = (!flags.is_empty()).then_some("--");
    let words = rest.into_iter().chain(separator).chain(flags);
    let words: Vec<String> = words.map(|word| filled(word, facts)).collect();
    let is_whole = !words.iter().any(|word| word.contains('{'));
    is_whole.then_some(words)
}

/// Puts facts in place of their names in braces; an unknown one stays as it stands.
pub(crate) fn filled(text: &str, facts: &Map<String, Value>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, behind)) = after.split_once('}') else {
            break;
        };
        out.push_str(before);
        match facts.get(name) {
            // The pointer to a whole document is empty; a reader would miss it.
            Some(Value::String(fact)) if fact.is_empty() && name == "pointer" => {
                out.push_str("(root)");
            }
            Some(Value::String(fact)) if fact.is_empty() => out.push_str("(empty)"),
            Some(Value::String(fact)) => out.push_str(fact),
            Some(fact) if fact.is_number() => out.push_str(&fact.to_string()),
            _ => {
                out.push('{');
                out.push_str(name);
                out.push('}');
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn parameters_are_filled_in_and_a_command_without_one_of_them_is_none() {
        let facts = json!({"session": "fix", "count": 3, "pointer": "", "argument": ""});
        let facts = facts.as_object().expect("an object");
        for (text, expected) in [
            ("a {session} b", "a fix b"),
            ("{count} of {other}", "3 of {other}"),
            ("{open", "{open"),
            ("plain", "plain"),
            ("at `{pointer}`", "at `(root)`"),
            ("of `{argument}`", "of `(empty)`"),
        ] {
            assert_eq!(filled(text, facts), expected, "{text}");
        }
        let action = Code::SessionUnverified.entry().first_action();
        let command = filled_command(action, facts).expect("the session is known");
        assert_eq!(command, ["lonis-session", "test", "fix"]);
        assert_eq!(filled_command(action, &Map::new()), None);
    }

    #[test]
    fn an_id_that_begins_with_a_dash_stands_behind_a_separator() {
        let facts = json!({"session": "-x"});
        let facts = facts.as_object().expect("an object");
        for (code, expected) in [
            (
                Code::SessionUnverified,
                &["lonis-session", "test", "--", "-x"][..],
            ),
            (
                Code::SessionStaleBase,
                &["lonis-session", "diff", "--to", "live", "--", "-x"],
            ),
        ] {
            let command = filled_command(code.entry().first_action(), facts);
            assert_eq!(command.expect("the session is known"), expected);
        }
    }

    #[test]
    fn a_proposal_binds_the_policy_file_and_is_never_applied() {
        let proposal = PolicyProposal::Bound {
            key: "files.max_files".to_owned(),
            from: 10.into(),
            to: 12.into(),
            policy_file: Vec::new(),
        };
        let plan = repair_plan(
            Code::SessionSnapshotLimit.entry(),
            &Map::new(),
            Some(&proposal),
        );
        let diff = &plan["policy_diff"];
        assert_eq!(
            diff["base_policy_identity_sha256"],
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(
            (&diff["auto_apply"], &diff["requires_review"]),
            (&json!(false), &json!(true))
        );
        assert_eq!(plan["authorization"]["automatic_allowed"], false);
        assert_eq!(plan["authorization"]["policy_change_allowed"], false);
    }
}
