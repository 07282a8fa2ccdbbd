//! Whether a structured diagnostic helps an agent that was given a fair chance without it.
//!
//! One scripted agent is shown each failure in three ways. One case of each family runs for every change, and the report
//! is counted anew from the retained attempts; with `LONIS_PROOF` all cases run, and the attempts are byte for byte the
//! retained ones. `LONIS_BLESS=1` beside it writes them anew.

mod agent;
mod binomial;
mod corpus;
mod play;
mod report;

use std::collections::{BTreeMap, BTreeSet};

use golden::Family;
use lonis_diagnostics::CATALOG_IDENTITY;
use serde_json::{Value, json};

use agent::{Agent, Arm};
pub(crate) use corpus::hash;
use corpus::{Drawn, Scene, Workloads};
use play::{Attempt, Play};
use report::{Corpus, Identities};

/// The documents that the report is about.
const DOCUMENTS: [&str; 4] = ["attempts", "held-out", "sources", "workloads"];

/// The agents with a planted fault.
const PLANTED: [&str; 3] = ["over-edits", "breaks-checks", "broadens"];

/// The case that the planted agents are let loose on.
const PLANTED_CASE: &str = "list-json";

fn family() -> Family {
    Family::named("repair-utility")
}

fn core() -> Vec<Scene> {
    family().case("workloads").parse::<Workloads>().scenes()
}

fn held_out() -> Vec<Scene> {
    #[derive(serde::Deserialize)]
    struct Sources {
        sources: Vec<corpus::Source>,
    }
    let sources: Sources = family().case("sources").parse();
    let drawn: Drawn = family().case("held-out").parse();
    corpus::scenes(&sources.sources, &drawn.cases)
}

/// Plays the cases in each arm, on two threads.
fn attempts(scenes: &[Scene]) -> Vec<Attempt> {
    let agent = Agent::reference();
    let half = scenes.len() / 2;
    let (first, second) = scenes.split_at(half);
    let played = |scenes: &[Scene]| -> Vec<Attempt> {
        scenes
            .iter()
            .flat_map(|scene| {
                let play = Play::of(scene.clone());
                Arm::ALL.map(|arm| play.attempt(&agent, arm))
            })
            .collect()
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| played(second));
        let mut found = played(first);
        found.extend(other.join().expect("its assertions hold"));
        found
    })
}

fn planted() -> BTreeMap<&'static str, Vec<Attempt>> {
    let scene = core()
        .into_iter()
        .find(|scene| scene.case.id == PLANTED_CASE)
        .expect("the case is among them");
    let play = Play::of(scene);
    PLANTED
        .into_iter()
        .map(|fault| {
            let agent = Agent::planted(fault);
            (fault, vec![play.attempt(&agent, Arm::Full)])
        })
        .collect()
}

/// The attempts as they are kept: a line each.
fn attempts_text(core: &[Attempt], held_out: &[Attempt]) -> String {
    let lines = |attempts: &[Attempt]| -> String {
        let lines: Vec<String> = attempts
            .iter()
            .map(|one| lonis::canonical::text(&json!(one)).unwrap())
            .collect();
        lines.join(",\n")
    };
    format!(
        "{{\"core\":[\n{}\n],\"held_out\":[\n{}\n]}}\n",
        lines(core),
        lines(held_out)
    )
}

/// Draws the held-out cases from the agent and the sources.
fn drawn_text() -> String {
    let sources: Value = family().case("sources").parse();
    let agent = hash(&agent::source("agent.py"));
    let asked = json!({"agent_sha256": agent, "sources": sources["sources"]});
    let drawn: Value =
        serde_json::from_str(&agent::run("draw.py", &[], &asked.to_string())).unwrap();
    let cases: Vec<String> = drawn["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| lonis::canonical::text(case).unwrap())
        .collect();
    format!(
        "{{\"agent_sha256\":{},\"cases\":[\n{}\n],\"seed\":{}}}\n",
        drawn["agent_sha256"],
        cases.join(",\n"),
        drawn["seed"]
    )
}

fn identities() -> Identities {
    let document = |name: &'static str| {
        let value: Value = family().case(name).parse();
        (name, corpus::identity(&value))
    };
    let drawn: Value = family().case("held-out").parse();
    Identities {
        agent: hash(&agent::source("agent.py")),
        catalog: catalog_identity(),
        documents: DOCUMENTS.map(document).into(),
        seed: drawn["seed"].as_str().unwrap().to_owned(),
    }
}

/// The identity of the catalog that the attempts are of: the one in use where all of them were made now.
fn catalog_identity() -> String {
    let kept: Value = family().case("report").parse();
    match kept["catalog_identity_sha256"].as_str() {
        Some(kept) if !is_in_full() => kept.to_owned(),
        _ => CATALOG_IDENTITY.to_owned(),
    }
}

/// What the independent verifier finds wrong with a report and what it is about.
fn faults(report: &Value) -> Vec<String> {
    let documents: BTreeMap<&str, Value> = DOCUMENTS
        .into_iter()
        .map(|name| (name, family().case(name).parse()))
        .collect();
    let asked = json!({
        "agent": agent::source("agent.py"),
        "catalog_identity_sha256": report["catalog_identity_sha256"],
        "documents": documents,
        "report": report,
    });
    serde_json::from_str(&agent::run("verify.py", &[], &asked.to_string())).unwrap()
}

/// The figures for people: a line for each arm of each corpus, and for each pair of arms.
fn table(report: &Value) -> String {
    let mut lines = Vec::new();
    for (corpus, counted) in report["corpora"].as_object().unwrap() {
        for (arm, counts) in counted["arms"].as_object().unwrap() {
            let (exact, abstained) = (&counts["exact_recovery"], &counts["safe_abstention"]);
            lines.push(format!(
                "{corpus:9} {arm:8} exact {}/{} ({} bp {}), abstained {}/{}, over {}, broadened {}, red {}, {} bytes per exact",
                exact["count"],
                exact["of"],
                exact["rate_bp"],
                exact["interval_bp"],
                abstained["count"],
                abstained["of"],
                counts["over_repair"],
                counts["policy_broadening"],
                counts["regression"],
                counts["tokens_per_exact_recovery"],
            ));
        }
        for pair in counted["differences"].as_array().unwrap() {
            let is_claimed = pair["claimed"] == json!(true);
            lines.push(format!(
                "{corpus:9} {} to {}: {} bp {}, {}",
                pair["first"],
                pair["second"],
                pair["difference_bp"],
                pair["interval_bp"],
                if is_claimed {
                    "claimed"
                } else {
                    "nothing is claimed"
                }
            ));
        }
        let cost = &counted["cost_full_to_message_milli"];
        lines.push(format!(
            "{corpus:9} `full` costs {cost} thousandths of `message`"
        ));
    }
    lines.join("\n")
}

/// Says whether all of it runs, and not the core alone.
fn is_in_full() -> bool {
    crate::generated::cases(0, 1) == 1
}

#[derive(serde::Deserialize)]
struct Kept {
    core: Vec<Attempt>,
    held_out: Vec<Attempt>,
}

#[test]
fn repair_utility_report() {
    if !agent::is_there() {
        eprintln!("left out: no `python3` is here");
        return;
    }
    let family = family();
    let planted = planted();
    let kept: Kept = if is_in_full() {
        family.assert_pinned("held-out.json", &drawn_text());
        let (core, held_out) = (attempts(&core()), attempts(&held_out()));
        let again = attempts(&self::core());
        assert_eq!(attempts_text(&core, &[]), attempts_text(&again, &[]));
        family.assert_pinned("attempts.json", &attempts_text(&core, &held_out));
        Kept { core, held_out }
    } else {
        let kept: Kept = family.case("attempts").parse();
        holds_for_a_sample(&kept.core);
        kept
    };
    let corpora = [
        Corpus {
            name: "core",
            attempts: &kept.core,
            least_exact_bp: 8_500,
        },
        Corpus {
            name: "held_out",
            attempts: &kept.held_out,
            least_exact_bp: 8_000,
        },
    ];
    let report = report::report(&identities(), &corpora, &planted);
    println!("{}\n{}", table(&report), report["statement"]);
    // The hand-written cases are accepted; what is not of the drawn ones is said in the report.
    for reason in report["reasons"].as_array().unwrap() {
        assert!(
            reason.as_str().unwrap().starts_with("held_out: "),
            "{reason}"
        );
    }
    let text = serde_json::to_string_pretty(&report).unwrap() + "\n";
    family.assert_pinned("report.json", &text);
}

/// Plays one case of each family of the core twice, and finds what is kept of it.
///
/// What a failure says may be worded anew, so that the bytes differ; what comes of it stays.
fn holds_for_a_sample(kept: &[Attempt]) {
    let sample: Vec<Scene> = core().into_iter().step_by(3).collect();
    let families: BTreeSet<&str> = sample.iter().map(|scene| &*scene.case.family).collect();
    assert_eq!(families.len(), 6, "{families:?}");
    let (first, second) = (attempts(&sample), attempts(&sample));
    assert_eq!(
        attempts_text(&first, &[]),
        attempts_text(&second, &[]),
        "two runs are byte for byte one"
    );
    for found in first {
        let kept = kept
            .iter()
            .find(|one| (&one.case, &one.arm) == (&found.case, &found.arm))
            .unwrap_or_else(|| panic!("nothing is kept of `{}`", found.case));
        let tokens = kept.tokens;
        assert_eq!(Attempt { tokens, ..found }, *kept);
    }
}

#[test]
fn the_retained_report_is_verified_and_each_mutation_of_it_is_found() {
    if !agent::is_there() {
        eprintln!("left out: no `python3` is here");
        return;
    }
    let kept: Value = family().case("report").parse();
    assert_eq!(faults(&kept), Vec::<String>::new());
    let mutations = [
        ("/agent/sha256", json!("0".repeat(64))),
        ("/documents/attempts", json!("0".repeat(64))),
        ("/documents/held-out", json!("0".repeat(64))),
        ("/documents/sources", json!("0".repeat(64))),
        ("/documents/workloads", json!("0".repeat(64))),
        ("/seed", json!("0".repeat(64))),
        ("/corpora/core/arms/full/exact_recovery/count", json!(99)),
        (
            "/corpora/held_out/arms/message/exact_recovery/rate_bp",
            json!(1),
        ),
        (
            "/corpora/held_out/arms/full/exact_recovery/interval_bp/0",
            json!(1),
        ),
        ("/corpora/core/arms/full/tokens", json!(1)),
        (
            "/corpora/core/arms/full/tokens_per_exact_recovery",
            json!(1),
        ),
        ("/corpora/core/arms/message/turns", json!(1)),
        ("/corpora/core/cost_full_to_message_milli", json!(1)),
        ("/corpora/core/differences/0/claimed", json!("of course")),
        ("/corpora/held_out/handlers_of_message/version", json!([])),
        ("/planted/over-edits/over_repair", json!(0)),
        ("/accepted", json!(kept["accepted"] == false)),
        ("/statement", json!("evidence")),
    ];
    for (pointer, value) in mutations {
        let mut mutated = kept.clone();
        let place = mutated
            .pointer_mut(pointer)
            .unwrap_or_else(|| panic!("{pointer}"));
        assert_ne!(*place, value, "{pointer}");
        *place = value;
        assert!(!faults(&mutated).is_empty(), "{pointer} is not found");
    }
}

#[test]
fn held_out_cases_follow_from_the_agent() {
    if !agent::is_there() {
        eprintln!("left out: no `python3` is here");
        return;
    }
    family().assert_pinned("held-out.json", &drawn_text());
}
