//! Clauses around definitions.

use super::*;
use crate::program::Clause;

fn guard(definition: &str, requires: &[(&str, &str)], ensures: &[(&str, &str)]) -> GuardTexts {
    let clauses = |texts: &[(&str, &str)]| {
        let texts = texts.iter();
        texts
            .map(|(label, predicate)| Clause {
                label: (*label).to_owned(),
                predicate: (*predicate).to_owned(),
            })
            .collect()
    };
    GuardTexts {
        definition: definition.to_owned(),
        requires: clauses(requires),
        ensures: clauses(ensures),
    }
}

const TAKE: &str =
    "take : (have : U64) -> (want : U64) -> panic U64\ntake have want = have - want\n";

#[test]
fn a_broken_requires_blames_the_caller() {
    let caller = "f : (x : U64) -> panic U64\nf x = 1 + take 3 x\n";
    let guards = vec![guard("take", &[("enough", "want <= have")], &[])];
    let program = program(&[TAKE, caller], guards);
    assert_eq!(
        run_in(&program, Bounds::default(), "f", &["2"]).as_deref(),
        Ok("2")
    );
    let raised = run_in(&program, Bounds::default(), "f", &["5"]).expect_err("it is broken");
    assert_eq!(raised.kind, RaiseKind::RequiresViolation);
    assert_eq!(raised.label.as_deref(), Some("enough"));
    assert_eq!(raised.blame, Some(Blame::Caller(Some("t::f".to_owned()))));
    assert_eq!(raised.code().text(), "guard-requires");
    let raised =
        run_in(&program, Bounds::default(), "take", &["3", "5"]).expect_err("it is broken");
    assert_eq!(raised.blame, Some(Blame::Caller(None)));
}

#[test]
fn a_broken_ensures_blames_the_callee() {
    let guards = vec![guard(
        "take",
        &[],
        &[("little", "result < 5"), ("sum", "result + want == have")],
    )];
    let program = program(&[TAKE], guards);
    assert_eq!(
        run_in(&program, Bounds::default(), "take", &["7", "3"]).as_deref(),
        Ok("4")
    );
    let raised =
        run_in(&program, Bounds::default(), "take", &["9", "3"]).expect_err("it is broken");
    assert_eq!(raised.kind, RaiseKind::EnsuresViolation);
    assert_eq!(raised.blame, Some(Blame::Callee("t::take".to_owned())));
    assert_eq!(raised.code().text(), "guard-ensures");
}

#[test]
fn a_clause_that_fails_is_an_error_of_its_own() {
    let guards = vec![guard("take", &[("sum", "have + want >= 0")], &[])];
    let program = program(&[TAKE], guards);
    let raised = run_in(
        &program,
        Bounds::default(),
        "take",
        &["18446744073709551615", "1"],
    );
    let raised = raised.expect_err("the sum overflows");
    assert_eq!(raised.kind, RaiseKind::GuardError);
    assert_eq!(raised.label.as_deref(), Some("sum"));
    assert!(raised.message.contains("overflow"), "{}", raised.message);
}

#[test]
fn predicates_know_what_they_matched() {
    let first = "first : (o : Option I64) -> I64\nfirst o =\n  match o with\n  | Some x -> x\n  | None -> 0\n";
    let clauses = [
        ("kept", "o is Some(x) implies result == x"),
        ("empty", "o is None implies result == 0"),
        ("either", "o is Some or not (o is Some)"),
        ("shadows", "o is Some(first) implies first == result"),
    ];
    let program = program(&[first], vec![guard("first", &[], &clauses)]);
    for (argument, expected) in [
        (r#"{"tag":"Some","value":4}"#, "4"),
        (r#"{"tag":"None"}"#, "0"),
    ] {
        assert_eq!(
            run_in(&program, Bounds::default(), "first", &[argument]).as_deref(),
            Ok(expected)
        );
    }
}

#[test]
fn an_entry_that_is_guarded_guards_no_other() {
    // Inside itself, and inside its own clause, the function takes what its clause forbids outside.
    let down = "down : (n : I64) -> I64\ndown n = if n <= 0 then 0 else down (n - 10)\n";
    let guards = vec![guard(
        "down",
        &[("positive", "n > 0")],
        &[("zero", "result == down (0 - 5)")],
    )];
    let program = program(&[down], guards);
    assert_eq!(
        run_in(&program, Bounds::default(), "down", &["25"]).as_deref(),
        Ok("0")
    );
    assert!(run_in(&program, Bounds::default(), "down", &["-1"]).is_err());
}

#[test]
fn clauses_wait_until_all_arguments_are_there() {
    let add = "add : (a : I64) -> (b : I64) -> panic I64\nadd a = fun b -> a + b\n";
    let user = "f : (x : I64) -> panic I64\nf x =\n  let half = add x in\n  half 2\n";
    let program = program(&[add, user], vec![guard("add", &[("below", "a < b")], &[])]);
    assert_eq!(
        run_in(&program, Bounds::default(), "f", &["1"]).as_deref(),
        Ok("3")
    );
    assert!(run_in(&program, Bounds::default(), "f", &["3"]).is_err());
}

#[test]
fn a_definition_without_parameters_is_guarded_too() {
    let five = "five : I64\nfive = 5\n";
    for (requires, ensures, expected) in [
        ("1 <= 2", "result == 5", Ok("5")),
        ("2 <= 1", "result == 5", Err(RaiseKind::RequiresViolation)),
        ("1 <= 2", "result == 6", Err(RaiseKind::EnsuresViolation)),
    ] {
        let guards = vec![guard("five", &[("first", requires)], &[("then", ensures)])];
        let program = program(&[five], guards);
        let found = run_in(&program, Bounds::default(), "five", &[]);
        let found = found.as_deref().map_err(|raised| raised.kind);
        assert_eq!(found, expected, "{requires}, {ensures}");
    }
}
