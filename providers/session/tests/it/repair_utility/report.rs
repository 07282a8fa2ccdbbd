//! What is counted of the attempts, and whether it is accepted.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::agent::Arm;
use super::binomial::{interval_bp, rate_bp};
use super::play::Attempt;

/// What the figures are no evidence of.
const STATEMENT: &str = "one scripted agent with one table of strategies, shown a failure in three ways; this is no evidence about language models";

/// The pairs of arms that are compared.
const PAIRS: [(Arm, Arm); 3] = [
    (Arm::Message, Arm::Entry),
    (Arm::Message, Arm::Full),
    (Arm::Entry, Arm::Full),
];

/// The largest cost of the full entry, in thousandths of that of the message.
const MAX_COST_MILLI: u64 = 4_000;

/// The attempts of one corpus, and the least rate of exact recovery that is accepted.
#[derive(Debug)]
pub(crate) struct Corpus<'a> {
    pub(crate) name: &'static str,
    pub(crate) attempts: &'a [Attempt],
    pub(crate) least_exact_bp: u64,
}

/// What the report is about, by hash.
#[derive(Debug)]
pub(crate) struct Identities {
    pub(crate) agent: String,
    pub(crate) catalog: String,
    pub(crate) documents: BTreeMap<&'static str, String>,
    pub(crate) seed: String,
}

/// The whole report.
pub(crate) fn report(
    identities: &Identities,
    corpora: &[Corpus<'_>],
    planted: &BTreeMap<&'static str, Vec<Attempt>>,
) -> Value {
    let counted: BTreeMap<&str, Value> = corpora
        .iter()
        .map(|corpus| (corpus.name, counted(corpus.attempts)))
        .collect();
    let planted: BTreeMap<&str, Value> = planted
        .iter()
        .map(|(name, attempts)| (*name, safety(attempts.iter())))
        .collect();
    let reasons: Vec<String> = corpora
        .iter()
        .flat_map(|corpus| refusals(corpus, &counted[corpus.name]))
        .chain(unseen(&planted))
        .collect();
    json!({
        "schema": "genesis/repair-utility-report-v0.1",
        "statement": STATEMENT,
        "token_profile": "genesis/utf8-byte-token-v0.1",
        "agent": {
            "sha256": identities.agent,
            "runtime": "python 3, its standard library alone",
            "model": null,
            "decoding": "deterministic",
            "context": "one request, no memory",
            "max_turns": 2,
        },
        "catalog_identity_sha256": identities.catalog,
        "documents": identities.documents,
        "seed": identities.seed,
        "corpora": counted,
        "planted": planted,
        "accepted": reasons.is_empty(),
        "reasons": reasons,
    })
}

fn of_arm(attempts: &[Attempt], arm: Arm) -> impl Iterator<Item = &Attempt> {
    attempts.iter().filter(move |one| one.arm == arm.name())
}

fn is_review(attempt: &Attempt) -> bool {
    attempt.family == "review-required"
}

fn counted(attempts: &[Attempt]) -> Value {
    let arms: BTreeMap<&str, Value> = Arm::ALL
        .into_iter()
        .map(|arm| {
            (
                arm.name(),
                arm_counts(&of_arm(attempts, arm).collect::<Vec<_>>()),
            )
        })
        .collect();
    let differences: Vec<Value> = PAIRS
        .into_iter()
        .map(|(first, second)| difference(attempts, first, second))
        .collect();
    let fired = |family: &str| -> BTreeSet<&str> {
        of_arm(attempts, Arm::Message)
            .filter(|one| one.family == family)
            .flat_map(|one| one.handlers.iter().flatten().map(String::as_str))
            .collect()
    };
    let families: BTreeSet<&str> = attempts.iter().map(|one| &*one.family).collect();
    let handlers: BTreeMap<&str, BTreeSet<&str>> = families
        .into_iter()
        .map(|family| (family, fired(family)))
        .collect();
    let tokens = |arm: &str| arms[arm]["tokens"].as_u64().unwrap();
    let cost = tokens("full") * 1_000 / tokens("message").max(1);
    json!({
        "arms": arms,
        "cost_full_to_message_milli": cost,
        "differences": differences,
        "handlers_of_message": handlers,
    })
}

fn arm_counts(attempts: &[&Attempt]) -> Value {
    let (review, repairable): (Vec<&Attempt>, Vec<&Attempt>) =
        attempts.iter().copied().partition(|one| is_review(one));
    let exact = repairable.iter().filter(|one| one.exact).count();
    let abstained = review.iter().filter(|one| one.abstained).count();
    let tokens: usize = attempts.iter().map(|one| one.tokens).sum();
    let mut counts = safety(attempts.iter().copied());
    let members = counts.as_object_mut().expect("counts are an object");
    let turns: usize = attempts.iter().map(|one| one.codes.len()).sum();
    members.insert("exact_recovery".to_owned(), share(exact, repairable.len()));
    members.insert("safe_abstention".to_owned(), share(abstained, review.len()));
    members.insert("turns".to_owned(), json!(turns));
    members.insert("tokens".to_owned(), json!(tokens));
    let each = tokens.checked_div(exact);
    members.insert("tokens_per_exact_recovery".to_owned(), json!(each));
    counts
}

/// The counts that have to be zero.
fn safety<'a>(attempts: impl Iterator<Item = &'a Attempt>) -> Value {
    let attempts: Vec<&Attempt> = attempts.collect();
    let count = |is: fn(&Attempt) -> bool| attempts.iter().filter(|one| is(one)).count();
    json!({
        "over_repair": count(|one| one.over_repair),
        "policy_broadening": count(|one| one.policy_broadening),
        "regression": count(|one| one.regression),
    })
}

fn share(count: usize, of: usize) -> Value {
    json!({
        "count": count,
        "of": of,
        "rate_bp": rate_bp(count, of),
        "interval_bp": interval_bp(count, of),
    })
}

/// How the exact recovery of two arms differs, by the cases that only one of them recovers.
fn difference(attempts: &[Attempt], first: Arm, second: Arm) -> Value {
    let pairs: Vec<(&Attempt, &Attempt)> = of_arm(attempts, first)
        .zip(of_arm(attempts, second))
        .filter(|(one, _)| !is_review(one))
        .collect();
    let only = |is: fn(&(&Attempt, &Attempt)) -> bool| pairs.iter().filter(|pair| is(pair)).count();
    let only_first = only(|(one, other)| one.exact && !other.exact);
    let only_second = only(|(one, other)| other.exact && !one.exact);
    let signed = |count: usize| i64::try_from(count).expect("a corpus has few cases");
    let (of, differing) = (signed(pairs.len()).max(1), signed(only_first + only_second));
    let [low, high] = if differing == 0 {
        [0, 0]
    } else {
        let [low, high] = interval_bp(only_second, only_first + only_second);
        let low = (differing * (2 * i64::from(low) - 10_000)).div_euclid(of);
        let high = -(-differing * (2 * i64::from(high) - 10_000)).div_euclid(of);
        [low, high]
    };
    json!({
        "first": first.name(),
        "second": second.name(),
        "only_first": only_first,
        "only_second": only_second,
        "difference_bp": (signed(only_second) - signed(only_first)) * 10_000 / of,
        "interval_bp": [low, high],
        "claimed": low > 0 || high < 0,
    })
}

/// Why a corpus is not accepted.
fn refusals(corpus: &Corpus<'_>, counted: &Value) -> Vec<String> {
    let full = &counted["arms"]["full"];
    let number = |value: &Value| value.as_u64().unwrap();
    let mut found = Vec::new();
    let mut need = |holds: bool, what: String| {
        if !holds {
            found.push(format!("{}: {what}", corpus.name));
        }
    };
    let least = corpus.least_exact_bp;
    let exact = number(&full["exact_recovery"]["rate_bp"]);
    need(
        exact >= least,
        format!("exact recovery of `full` is {exact}, at least {least}"),
    );
    let abstained = number(&full["safe_abstention"]["rate_bp"]);
    need(
        abstained == 10_000,
        format!("safe abstention of `full` is {abstained}"),
    );
    for name in ["over_repair", "policy_broadening", "regression"] {
        let count = number(&full[name]);
        need(count == 0, format!("{name} of `full` is {count}"));
    }
    let cost = number(&counted["cost_full_to_message_milli"]);
    need(
        cost <= MAX_COST_MILLI,
        format!("`full` costs {cost} thousandths of `message`"),
    );
    for (family, fired) in counted["handlers_of_message"].as_object().unwrap() {
        let is_fair = fired.as_array().is_some_and(|fired| !fired.is_empty());
        need(
            is_fair,
            format!("no strategy fires for `{family}` in `message`"),
        );
    }
    found
}

/// The planted faults that their count does not show.
fn unseen(planted: &BTreeMap<&str, Value>) -> Vec<String> {
    [
        ("over-edits", "over_repair"),
        ("breaks-checks", "regression"),
        ("broadens", "policy_broadening"),
    ]
    .into_iter()
    .filter(|(agent, metric)| planted[agent][metric].as_u64() == Some(0))
    .map(|(agent, metric)| format!("planted: {metric} does not show `{agent}`"))
    .collect()
}
