//! A lost bracket or word is one report, whatever it tore apart.

use crate::project::{checked, places, program, shown};

/// Checks that the marked token is all that is reported.
fn check(body: &str) {
    let text = format!(
        "f : (xs : List I64) -> (level : Level) -> (o : Option I64) -> I64\nf xs level o =\n{body}\n"
    );
    let (text, marks) = places(&text);
    let program = program(&[("main/f.soil", &text)]);
    let found = checked(&program).diagnostics.clone().into_sorted();
    let spans: Vec<_> = found
        .iter()
        .map(|report| report.span.expect("a place"))
        .collect();
    assert_eq!(spans, marks, "{text}\n{:#?}", shown(&program, &found));
}

#[test]
fn an_opening_bracket_that_was_lost_is_one_report() {
    for body in [
        // What stands behind the lost group belongs to the call, other groups too.
        "  let rec go = fun ys i rest -> if i <= 0 then 0 else go ys i - 1«)» (rest + 1) in\n  go xs 1 2",
        "  list_len (list_append (list_append xs 1) 2 + 3)«)»",
        "  list_len (list_append list_map (fun x -> x + 1) xs)«)» 2)",
        "  list_len (list_append (list_map (fun x -> x + 1) xs) 2 + 3)«)»",
        // A block as an operand.
        "  list_len (list_map «fun» x -> let y = x in y + 1) xs)",
        // Arms behind the group belong to the match around it.
        "  match level with\n  | Normal -> match o with | None -> 1 | Some x -> x«)»\n  | _ -> 3",
        "  match o with\n  | None -> (match level with | High -> 1 | Normal -> match o with | None -> 1 | Some x -> x) | _ -> 3«)»\n  | Some y -> y",
        // Its first part is a call.
        "  match level with\n  | High -> (match Some list_len xs«)» with | None -> 1 | Some x -> x)\n  | _ -> 3",
        // An annotation.
        "  list_len (list_concat xs (list_empty : List I64)) + list_len list_empty : List I64«)»",
    ] {
        check(body);
    }
}

#[test]
fn a_word_that_was_lost_is_one_report() {
    for body in [
        "  let n =\n    match o with\n    | None -> 1\n    | Some x -> x\n\n  «let» m = n + 1 in\n  m",
        "  let n =\n    if level == High\n    then 1\n    else 2\n  «let» m = n + 1 in\n  m",
    ] {
        check(body);
    }
}

/// A bracket too many is reported, and what is independent of it as well.
#[test]
fn other_mistakes_are_seen_beside_a_lost_bracket() {
    check("  let a = list_len (list_append xs 1 + 2)«)» in\n  a + «missing»");
}
