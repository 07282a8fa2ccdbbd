//! What every case has to hold, whoever blessed it.

use std::collections::{BTreeMap, BTreeSet};

use lonis_diagnostics::{
    ActionKind, CATALOG_IDENTITY, CATALOG_PATH, CATALOG_VERSION, Code, Entry, Redactor,
};
use serde_json::{Value, json};

use super::case::{Golden, WIDTHS};
use super::seen::CATALOG_PLACEHOLDER;

/// The longest envelope of one entry, in bytes.
const MAX_ENVELOPE_BYTES: usize = 4_096;
/// The longest envelope of the half of all cases.
const MAX_MEDIAN_BYTES: usize = 3_200;
/// The fewest cases, and of them those that say where.
const MIN_CASES: usize = 24;
const MIN_LOCATED: usize = 16;

const ENVELOPE_MEMBERS: &[&str] = &[
    "diagnostic_catalog",
    "diagnostics",
    "diagnostics_schema",
    "error",
    "kind",
    "ok",
];
const ENTRY_MEMBERS: &[&str] = &[
    "blocking_capability",
    "candidate_fix",
    "catalog_identity_sha256",
    "catalog_version",
    "code",
    "documentation",
    "error_class",
    "exit_code",
    "id",
    "likely_causes",
    "message",
    "next_safe_action",
    "parameters",
    "phase",
    "primary_span",
    "related_spans",
    "repair_plan",
    "safe_repair_actions",
    "severity",
    "version",
];

/// Every rule that these cases break.
pub(crate) fn faults(cases: &[(String, Golden)]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut classes = BTreeSet::new();
    let mut lengths = Vec::new();
    let mut located = 0;
    for (name, case) in cases {
        let mut say = |fault: &str| faults.push(format!("{name}: {fault}"));
        if case.id != *name {
            say("its id is not the name of its file");
        }
        if !classes.insert(case.class.clone()) {
            say("its class has a case already");
        }
        if case.program == "lonis" {
            host(case, &mut say);
            continue;
        }
        envelope(case, &mut say);
        human(case, &mut say);
        lengths.push(length(&case.seen.stdout));
        located += usize::from(is_located(case));
    }
    if !cases.is_sorted_by(|left, right| left.1.id < right.1.id) {
        faults.push("the cases are not sorted by unique ids".to_owned());
    }
    if cases.len() < MIN_CASES {
        faults.push(format!("{} cases are too few", cases.len()));
    }
    if located < MIN_LOCATED {
        faults.push(format!("only {located} cases have a span or a path"));
    }
    lengths.sort_unstable();
    if lengths
        .get(lengths.len() / 2)
        .is_some_and(|median| *median > MAX_MEDIAN_BYTES)
    {
        faults.push("the half of the envelopes is too long".to_owned());
    }
    faults
}

/// Whether the first diagnostic says where: by a range, or by the path of a file.
fn is_located(case: &Golden) -> bool {
    let entry = case.entry();
    let paths = ["path", "paths", "overlapping", "disjoint", "conflicts"];
    let holds = |value: &Value| paths.iter().any(|name| !value[*name].is_null());
    !entry["primary_span"].is_null()
        || holds(&entry["parameters"])
        || holds(&case.seen.stdout["error"]["context"]["facts"])
}

/// The length of an envelope as it is sent.
fn length(envelope: &Value) -> usize {
    let text = lonis::canonical::text(envelope).unwrap();
    text.replace(CATALOG_PLACEHOLDER, CATALOG_IDENTITY).len()
}

/// Holds an error of `lonis` itself to its form: the kind of the wire contract, and the code that stands for it.
fn host(case: &Golden, say: &mut dyn FnMut(&str)) {
    let error: Value = serde_json::from_str(&case.seen.stderr).unwrap_or_default();
    let code: Option<Code> = error["details"]["code"]
        .as_str()
        .and_then(|code| code.parse().ok());
    let kind = error["kind"].as_str().unwrap_or_default();
    if !code.is_some_and(|code| code.entry().wire.contains(&kind)) {
        say("the code is not one of the kind");
    }
    if case.seen.exit.map(|exit| json!(exit)).as_ref() != Some(&error["exit_code"])
        || !case.seen.stdout.is_null()
    {
        say("the error is not the whole answer");
    }
    if Redactor::new().text(&case.seen.stderr) != case.seen.stderr {
        say("an absolute path is told");
    }
}

fn envelope(case: &Golden, say: &mut dyn FnMut(&str)) {
    let whole = &case.seen.stdout;
    let has_data = whole.get("data").is_some();
    let names: Vec<&str> = names(whole)
        .into_iter()
        .filter(|name| *name != "data")
        .collect();
    if names != ENVELOPE_MEMBERS {
        say("the envelope has other members");
    }
    let catalog = json!({"path": CATALOG_PATH, "version": CATALOG_VERSION, "identity_sha256": CATALOG_PLACEHOLDER});
    if whole["diagnostic_catalog"] != catalog {
        say("another catalog is named, or none by its placeholder");
    }
    if whole["ok"] != false || (whole["kind"] == "genesis/error-v0.2") == has_data {
        say("the kind is not that of a failure with or without a result");
    }
    if whole["error"]["code"] != case.entry()["code"]
        || whole["error"]["message"] != case.entry()["message"]
    {
        say("the error is not the first diagnostic");
    }
    if case
        .seen
        .exit
        .is_some_and(|exit| case.entry()["exit_code"] != exit)
    {
        say("the exit code is not that of the first diagnostic");
    }
    if !case.seen.stderr.is_empty() {
        say("something stands beside the envelope");
    }
    let mut scrubbed = whole.clone();
    Redactor::new().value(&mut scrubbed);
    if scrubbed != *whole {
        say("an absolute path is told");
    }
    let entries = whole["diagnostics"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let codes: BTreeSet<&str> = entries.iter().filter_map(|e| e["code"].as_str()).collect();
    if codes.len() != entries.len() || entries.is_empty() || entries.len() > 20 {
        say("there is not one entry a code");
    }
    for value in entries {
        match value["code"]
            .as_str()
            .and_then(|code| code.parse::<Code>().ok())
        {
            Some(code) => entry(value, code.entry(), say),
            None => say("a code is in no catalog"),
        }
    }
    if entries.len() == 1 && !has_data && length(whole) > MAX_ENVELOPE_BYTES {
        say("the envelope is too long");
    }
}

fn names(value: &Value) -> Vec<&str> {
    let members = value.as_object();
    let mut names: Vec<&str> = members
        .into_iter()
        .flat_map(|members| members.keys().map(String::as_str))
        .collect();
    names.sort_unstable();
    names
}

/// Holds an entry to what the catalog says of its code.
fn entry(value: &Value, entry: &Entry, say: &mut dyn FnMut(&str)) {
    if names(value) != ENTRY_MEMBERS {
        say("an entry has other members");
    }
    // The kind of a foreign error is kept with the code that its own program ended with.
    let is_foreign = entry.text == "tool/foreign-error";
    let fixed = [
        ("id", json!(entry.id())),
        ("error_class", json!(entry.code.family())),
        ("version", json!("v1")),
        ("catalog_version", json!(CATALOG_VERSION)),
        ("catalog_identity_sha256", json!(CATALOG_PLACEHOLDER)),
        ("severity", json!(entry.severity.as_str())),
        ("phase", json!(entry.phase.as_str())),
        ("documentation", entry.documentation()),
    ];
    for (name, expected) in fixed {
        if value[name] != expected {
            say(&format!("`{name}` is not what the catalog says"));
        }
    }
    if !is_foreign && value["exit_code"] != entry.exit_code {
        say("`exit_code` is not what the catalog says");
    }
    let count = |name: &str| value[name].as_array().map_or(0, Vec::len);
    if count("likely_causes") != entry.causes.len()
        || count("safe_repair_actions") != entry.actions.len()
    {
        say("causes or actions are missing");
    }
    for (shown, action) in value["safe_repair_actions"]
        .as_array()
        .into_iter()
        .flatten()
        .zip(entry.actions)
    {
        if shown["id"] != action.id || shown["automaticEligible"] == action.kind.requires_review() {
            say("an action is not that of the catalog");
        }
    }
    let declared = |name: &str| {
        let of_each = ["further", "omitted"];
        of_each.contains(&name) || entry.parameters.iter().any(|member| member.name == name)
    };
    if !names(&value["parameters"]).into_iter().all(declared) {
        say("a parameter is not declared");
    }
    plan(value, entry, say);
}

/// Holds a plan to its guards: nothing in it widens what a caller may do.
fn plan(value: &Value, entry: &Entry, say: &mut dyn FnMut(&str)) {
    let plan = &value["repair_plan"];
    let kind = entry.first_action().kind;
    let review = kind.requires_review();
    let guardrails = json!({
        "schema": "genesis/diagnostic-repair-guardrails-v0.1",
        "promptAuthority": "none",
        "policyBroadening": "separate-reviewed-diff",
        "obligationSuppression": "forbidden",
        "automaticActionPolicy": "catalog-eligible-only",
    });
    let authorization = json!({
        "automatic_allowed": !review,
        "policy_change_allowed": false,
        "obligation_suppression_allowed": false,
        "requires_review": review,
        "requires_separate_policy_diff": kind == ActionKind::PolicyReview,
    });
    if plan["guardrails"] != guardrails || plan["authorization"] != authorization {
        say("the plan allows more than the catalog does");
    }
    let action = &plan["action"];
    let conditions = |name: &str| action[name].as_array().map_or(0, Vec::len);
    let is_kept = matches!(
        action["obligationEffect"].as_str(),
        Some("preserve" | "rerun-required")
    );
    if action["requiresReview"] != review || action["automaticEligible"] == review || !is_kept {
        say("the action of the plan needs less than the catalog says");
    }
    if conditions("preconditions") < 2 || conditions("postconditions") < 2 {
        say("the action of the plan has too few conditions");
    }
    let diff = &plan["policy_diff"];
    let is_proposal = diff["status"] == "proposal"
        && diff["requires_review"] == true
        && diff["auto_apply"] == false;
    if !diff.is_null() && !is_proposal {
        say("the change of a policy is more than a proposal");
    }
    if plan["diagnostic_id"] != value["id"]
        || plan["catalog_identity_sha256"] != CATALOG_PLACEHOLDER
    {
        say("the plan is about something else");
    }
}

/// Holds the text for people to the widths, and to one wording at each.
fn human(case: &Golden, say: &mut dyn FnMut(&str)) {
    let asked: Vec<String> = WIDTHS.iter().map(ToString::to_string).collect();
    let mut keys: Vec<&String> = case.seen.human.keys().collect();
    keys.sort_by_key(|key| key.len());
    if keys != asked.iter().collect::<Vec<_>>() {
        say("a width has no text");
    }
    let head = format!("error[{}]:", case.code());
    let mut wordings = BTreeMap::new();
    for (width, lines) in &case.seen.human {
        let columns: usize = width.parse().unwrap_or(0);
        if !lines.first().is_some_and(|line| line.starts_with(&head)) {
            say("the text does not begin with the code, whole");
        }
        for label in ["cause:", "next:"] {
            if !lines.iter().any(|line| line.starts_with(label)) {
                say("the text lacks a field");
            }
        }
        for line in &lines[..fields(lines)] {
            let words = line
                .split_whitespace()
                .filter(|word| *word != "cause:" && *word != "next:");
            if line.chars().count() > columns && words.count() > 1 && !line.starts_with(&head) {
                say("a line is wider than asked for");
            }
        }
        let words: Vec<&str> = lines
            .iter()
            .flat_map(|line| line.split_whitespace())
            .collect();
        wordings.insert(words, width);
    }
    if wordings.len() != 1 {
        say("the widths differ in more than line ends");
    }
    let text = case
        .seen
        .human
        .values()
        .flatten()
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    if Redactor::new().text(&text) != text {
        say("an absolute path is told to people");
    }
}

/// How many lines the three fields have; what is quoted behind them keeps its own width.
fn fields(lines: &[String]) -> usize {
    let last = lines.iter().position(|line| line.starts_with("next:"));
    let last = last.unwrap_or(lines.len().saturating_sub(1));
    let continued = |line: &&String| line.starts_with("      ") && !line.contains(" | ");
    last + 1 + lines[last + 1..].iter().take_while(continued).count()
}
