//! The golden diagnostics: each failure as the program tells it, in both forms.
//!
//! `LONIS_BLESS=1` writes what the program answers; what is done for it, tree and commands, is written by hand. What is
//! written has to hold the rules all the same.

mod case;
mod mutations;
mod rules;
mod seen;
mod served;
mod steps;

use std::fs;

use golden::Family;
use lonis_diagnostics::CATALOG_IDENTITY;
use serde_json::json;

pub(crate) use case::{Golden, Node, Step};
pub(crate) use seen::neutral;
pub(crate) use steps::Stage;

use case::folder;

/// The cases as they are kept, in the order of their names.
fn cases() -> Vec<(String, Golden)> {
    let cases = Family::named("diagnostics").cases();
    cases
        .iter()
        .map(|case| (case.name.clone(), case.parse()))
        .collect()
}

fn is_blessing() -> bool {
    std::env::var_os("LONIS_BLESS").is_some_and(|value| value == "1")
}

#[test]
fn golden_production_binary() {
    let family = Family::named("diagnostics");
    let pins = json!({"catalog_identity_sha256": CATALOG_IDENTITY});
    let pins = serde_json::to_string_pretty(&pins).unwrap() + "\n";
    family.assert_pinned("hashes.json", &pins);
    for (name, case) in cases() {
        let seen = seen::play(&case);
        let played = Golden { seen, ..case };
        family.assert_pinned(&format!("{name}.json"), &played.text());
    }
}

#[test]
fn every_golden_case_holds_the_rules() {
    if is_blessing() {
        // Another test writes the files now.
        return;
    }
    assert_eq!(rules::faults(&cases()), Vec::<String>::new());
    for (name, case) in cases() {
        let kept = fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
        assert_eq!(
            kept,
            case.text(),
            "{name}: holds something that is not read"
        );
    }
    assert_eq!(case::pinned_identity(), CATALOG_IDENTITY);
}

#[test]
fn each_mutation_of_a_golden_case_is_found() {
    if is_blessing() {
        return;
    }
    let kept = cases();
    for (what, id, mutate) in mutations::ALL {
        let mut cases = kept.clone();
        let (_, case) = cases
            .iter_mut()
            .find(|(name, _)| name == id)
            .unwrap_or_else(|| panic!("no case `{id}`"));
        let before = case.text();
        mutate(case);
        assert_ne!(case.text(), before, "{what}: nothing is changed");
        assert!(
            !rules::faults(&cases).is_empty(),
            "{what}: the rules find it"
        );
    }
}

#[test]
fn a_missing_case_is_found() {
    if is_blessing() {
        return;
    }
    let mut cases = cases();
    let at_least = |cases: &[(String, Golden)]| rules::faults(cases).is_empty();
    assert!(at_least(&cases));
    cases.retain(|(_, case)| case.entry()["primary_span"].is_null());
    cases.truncate(20);
    assert!(!at_least(&cases));
}
