//! Programs that were written to break a checker: each is answered in time, on a small stack, with codes of the list.

use std::fmt::Write;
use std::time::{Duration, Instant};

use soil::check::{CheckOptions, check};
use soil::diagnostic::{Code, Diagnostic, Params};
use soil::document::{self, Detail};
use soil::program::Program;

use crate::hostile::on_small_stack;
use crate::project::{program, program_with, shown};

/// How long one answer may take. A second in a build that is optimised; these tests are not.
const MAX_ANSWER: Duration = Duration::from_secs(20);

/// Checks a program richly and gives what was reported.
fn answer(program: &Program) -> Vec<Diagnostic> {
    let start = Instant::now();
    let checked = check(program, CheckOptions::RICH);
    let found = checked.diagnostics.clone();
    let errors = document::errors(found.clone(), &program.sources, Detail::RichPlain);
    assert!(errors.len() <= (64 << 10) + 1024, "{}", errors.len());
    let whole = document::checked(&checked);
    assert!(whole.len() < 64 << 20, "{}", whole.len());
    let elapsed = start.elapsed();
    assert!(elapsed < MAX_ANSWER, "{elapsed:?}");
    found.into_sorted()
}

/// Checks one definition on a small stack; gives what was reported as code and limit.
fn codes(text: String) -> Vec<(Code, Option<&'static str>)> {
    let found = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let filled = std::sync::Arc::clone(&found);
    on_small_stack(move || {
        let program = program(&[("main/f.soil", &text)]);
        let reports = answer(&program);
        let codes = reports.iter().map(|report| {
            let limit = match report.params.as_deref() {
                Some(Params::Limit(params)) => Some(params.limit),
                _ => None,
            };
            (report.code, limit)
        });
        filled.lock().expect("no one else").extend(codes);
    });
    let found = found.lock().expect("the thread has ended");
    found.clone()
}

fn limits(text: String, limit: &'static str) {
    assert_eq!(codes(text), [(Code::LimitExceeded, Some(limit))]);
}

#[test]
fn types_that_double_at_each_let() {
    let mut text = "f : I64\nf =\n  let p0 = fun k -> k 1 in\n".to_owned();
    for step in 1..60 {
        let before = step - 1;
        let _ = writeln!(text, "  let p{step} = fun k -> k p{before} p{before} in");
    }
    text.push_str("  1\n");
    limits(text, "unification_steps");
}

#[test]
fn types_that_double_without_copies() {
    // A lambda's parameter is not generalised, so that one type is shared; its text would have no end.
    let mut text = "f : I64 -> I64\nf x =\n  let rec g = fun p0 ->\n".to_owned();
    for step in 1..60 {
        let before = step - 1;
        let _ = writeln!(
            text,
            "  let p{step} = (fun a b k -> k a b) p{before} p{before} in"
        );
    }
    text.push_str("  ?hole in\n  x\n");
    limits(text, "unification_steps");
}

#[test]
fn aliases_that_double_at_each_step() {
    let mut types = vec!["type A0 = I64".to_owned()];
    for step in 1..60 {
        let before = step - 1;
        types.push(format!("type A{step} = Pair A{before} A{before}"));
    }
    types.push("type Pair a b = { first : a, second : b }".to_owned());
    let types: Vec<&str> = types.iter().map(String::as_str).collect();
    let text = "f : A59 -> I64\nf x = 1\n";
    let program = program_with(&types, &[("main/f.soil", text)], &[]);
    let found = answer(&program);
    assert_eq!(shown(&program, &found).len(), 1);
    assert_eq!(found[0].code, Code::LimitExceeded);
}

#[test]
fn nesting_up_to_the_bound() {
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    for text in [
        format!("f : I64\nf = {}\n", nested("(1 + ", "1", ")", 240)),
        format!("f : I64\nf = {}\n", nested("- ", "1", "", 240)),
        format!("f : Bool\nf = {}\n", nested("not ", "True", "", 240)),
        format!(
            "f : I64 -> I64\nf x = {}\n",
            nested("if x == 0 then 1 else ", "2", "", 480)
        ),
        format!(
            "f : I64 -> I64\nf x = {}\n",
            nested("match x with | 0 -> 1 | _ -> ", "2", "", 480)
        ),
        format!(
            "f : I64 -> I64\nf x = {}\n",
            nested("(fun y -> ", "1", ") x", 1)
        ),
    ] {
        assert_eq!(codes(text.clone()), [], "{}", &text[..80]);
    }
    // Names may not be taken twice, so that each level has its own.
    let mut lets = "f : I64\nf = ".to_owned();
    for level in 0..480 {
        let _ = write!(lets, "let x{level} = {level} in ");
    }
    lets.push_str("x479\n");
    assert_eq!(codes(lets), []);
    let mut lambdas = "f : I64\nf = let g = ".to_owned();
    for level in 0..240 {
        let _ = write!(lambdas, "fun x{level} -> ");
    }
    lambdas.push_str("1 in 2\n");
    assert_eq!(codes(lambdas), []);
    let patterns = format!(
        "f : Tree I64 -> I64\nf t = match t with | {} -> 1 | _ -> 2\n",
        nested("Node (", "Leaf", ")", 240)
    );
    assert_eq!(codes(patterns), []);
}

#[test]
fn types_that_grow_deep() {
    let mut text = "f : I64\nf = let p0 = 1 in ".to_owned();
    for level in 1..480 {
        let before = level - 1;
        let _ = write!(text, "let p{level} = Some (Some (Some p{before})) in ");
    }
    text.push_str("match p479 with | None -> 1 | Some _ -> 2\n");
    limits(text, "type_depth");
}

#[test]
fn a_sum_of_ten_thousand_variants() {
    let names: Vec<String> = (0..10_000).map(|index| format!("V{index}")).collect();
    let declaration = format!("type Big = | {}", names.join(" | "));
    let arms = |count: usize| -> String {
        let arms = names.iter().take(count).enumerate();
        let arms: Vec<String> = arms
            .map(|(index, name)| format!("  | {name} -> {index}\n"))
            .collect();
        arms.concat()
    };
    let whole = format!("f : Big -> I64\nf x =\n  match x with\n{}", arms(10_000));
    let program = |text: &str| program_with(&[&declaration], &[("main/f.soil", text)], &[]);
    assert_eq!(answer(&program(&whole)), []);
    let lacking = format!("f : Big -> I64\nf x =\n  match x with\n{}", arms(9_990));
    let found = answer(&program(&lacking));
    assert_eq!(found[0].code, Code::NonExhaustiveMatch);
    let notes: Vec<&str> = found[0]
        .notes
        .iter()
        .map(|note| note.message.as_str())
        .collect();
    assert_eq!(notes.len(), 8);
    assert_eq!(notes[0], "V9990");
    let repeated = format!(
        "f : Big -> I64\nf x =\n  match x with\n{}  | V5 -> 1\n",
        arms(10_000)
    );
    let found = answer(&program(&repeated));
    assert_eq!(found[0].code, Code::RedundantArm);
}

#[test]
fn a_match_whose_cases_multiply() {
    // Each arm looks at another field, so that the cases of all fields multiply.
    let fields: Vec<String> = (0..30).map(|index| format!("x{index} : Bool")).collect();
    let declaration = format!("type Wide = {{ {} }}", fields.join(", "));
    let arms: Vec<String> = (0..30)
        .map(|index| {
            let next = (index + 1) % 30;
            format!("  | {{ x{index} = True, x{next} = False, .. }} -> {index}\n")
        })
        .collect();
    let arms = arms.concat();
    let text = format!("f : Wide -> I64\nf w =\n  match w with\n{arms}");
    let program = program_with(&[&declaration], &[("main/f.soil", &text)], &[]);
    let found = answer(&program);
    assert_eq!(found.len(), 1);
    assert!(
        matches!(
            found[0].code,
            Code::LimitExceeded | Code::NonExhaustiveMatch
        ),
        "{:?}",
        found[0].code
    );
}

#[test]
fn many_mistakes_are_counted() {
    let calls: Vec<String> = (0..5_000).map(|index| format!("absent{index}")).collect();
    let body = calls
        .chunks(400)
        .map(|chunk| format!("({})", chunk.join(" + ")))
        .collect::<Vec<_>>()
        .join(" + ");
    let text = format!("f : I64\nf = {body}\n");
    let found = codes(text);
    assert!(found.iter().all(|(code, _)| *code == Code::UnknownName));
    assert!(found.len() >= 1_000, "{}", found.len());
}

#[test]
fn many_holes_are_cut() {
    let holes: Vec<String> = (0..1_200).map(|index| format!("?h{index}")).collect();
    let body = holes
        .chunks(300)
        .map(|chunk| format!("({})", chunk.join(" + ")))
        .collect::<Vec<_>>()
        .join(" + ");
    limits(format!("f : I64 -> I64\nf x = {body}\n"), "holes");
}

#[test]
fn a_chain_of_lambdas_against_the_text() {
    // Each function calls the next, and only the last one raises: what it performs travels back along the chain.
    let mut text = "f : I64 -> I64\nf x =\n  let rec g0 = fun y -> g1 y\n".to_owned();
    for index in 1..3_000 {
        let next = index + 1;
        let _ = writeln!(text, "  and g{index} = fun y -> g{next} y");
    }
    text.push_str("  and g3000 = fun y -> y + 1\n  in\n  g0 x\n");
    assert_eq!(codes(text), []);
}

#[test]
fn many_types_that_need_each_other() {
    let types: Vec<String> = (0..2_000)
        .map(|index| format!("type T{index} = {{ next : List T{} }}", (index + 1) % 2_000))
        .collect();
    let types: Vec<&str> = types.iter().map(String::as_str).collect();
    let text = "f : T0 -> T1 -> Bool\nf x y = x.next == list_append list_empty y\n";
    let program = program_with(&types, &[("main/f.soil", text)], &[]);
    assert_eq!(answer(&program), []);
}
