//! Changes of a golden case that no review may let pass, each found by the rules whoever blessed it.

use serde_json::{Value, json};

use super::case::Golden;

/// A change: what it is, which case it is made of, and how.
pub(crate) type Mutation = (&'static str, &'static str, fn(&mut Golden));

fn entry(case: &mut Golden) -> &mut Value {
    &mut case.seen.stdout["diagnostics"][0]
}

fn lines<'a>(case: &'a mut Golden, width: &str) -> &'a mut Vec<String> {
    case.seen.human.get_mut(width).unwrap()
}

/// The changes.
pub(crate) const ALL: &[Mutation] = &[
    ("a path of the machine is told", "stale-base", |case| {
        let message = json!("1 path changed in `/home/me/shop`");
        case.seen.stdout["error"]["message"] = message.clone();
        entry(case)["message"] = message;
    }),
    ("a path is told to people alone", "unverified", |case| {
        for width in ["24", "96", "160"] {
            lines(case, width).push("/home/me/shop/a.txt".to_owned());
        }
    }),
    (
        "what needs a review is allowed",
        "policy-file-edit",
        |case| {
            entry(case)["repair_plan"]["authorization"]["automatic_allowed"] = json!(true);
        },
    ),
    ("a plan may change the policy", "bound-exceeded", |case| {
        entry(case)["repair_plan"]["authorization"]["policy_change_allowed"] = json!(true);
    }),
    (
        "a plan may drop an obligation",
        "obligation-failed",
        |case| {
            entry(case)["repair_plan"]["action"]["obligationEffect"] = json!("suppress");
        },
    ),
    ("a prompt has authority", "text-not-found", |case| {
        entry(case)["repair_plan"]["guardrails"]["promptAuthority"] = json!("full");
    }),
    ("a proposal applies itself", "bound-exceeded", |case| {
        entry(case)["repair_plan"]["policy_diff"]["auto_apply"] = json!(true);
    }),
    ("a condition is gone", "lock-busy", |case| {
        entry(case)["repair_plan"]["action"]["preconditions"] = json!(["it is so"]);
    }),
    ("a member is gone", "usage", |case| {
        entry(case).as_object_mut().unwrap().remove("likely_causes");
    }),
    ("a member is added", "usage", |case| {
        entry(case)["remark"] = json!("try again");
    }),
    ("another exit code", "text-ambiguous", |case| {
        case.seen.exit = Some(1);
    }),
    ("another severity", "link-escape", |case| {
        entry(case)["severity"] = json!("hint");
    }),
    (
        "an identity in place of its placeholder",
        "path-escape",
        |case| {
            entry(case)["catalog_identity_sha256"] = json!(lonis_diagnostics::CATALOG_IDENTITY);
        },
    ),
    ("a fact that is not declared", "session-not-found", |case| {
        entry(case)["parameters"]["secret"] = json!("x");
    }),
    ("a code that is split", "recovery-conflict", |case| {
        let first = &mut lines(case, "24")[0];
        *first = first.replace("recovery-", "recovery- ");
    }),
    ("a width that says less", "stale-base-disjoint", |case| {
        lines(case, "24").pop();
    }),
    ("a line that is too wide", "unverified", |case| {
        let all = lines(case, "24").join(" ");
        *lines(case, "24") = all
            .replace(" cause:", "\ncause:")
            .replace(" next:", "\nnext:")
            .lines()
            .map(str::to_owned)
            .collect();
    }),
    ("text beside the envelope", "config-invalid", |case| {
        case.seen.stderr.push_str("warning\n");
    }),
    ("another code of the host", "protocol-version", |case| {
        case.seen.stderr = case
            .seen
            .stderr
            .replace("provider/protocol-version", "tool/timeout");
    }),
    ("the class of another case", "toml-malformed", |case| {
        case.class = String::from("malformed JSON input");
    }),
    ("the id of another case", "toml-malformed", |case| {
        case.id = String::from("json-malformed");
    }),
];
