//! What expressions mean.

use super::*;

#[test]
fn arithmetic_is_exact_or_raises() {
    let binary = |ty: &str, operator: &str| {
        format!("f : (a : {ty}) -> (b : {ty}) -> panic {ty}\nf a b = a {operator} b\n")
    };
    let cases = [
        ("I64", "+", "1", "2", "3"),
        ("I64", "-", "1", "2", "-1"),
        ("I64", "*", "-3", "4", "-12"),
        ("I64", "/", "7", "2", "3"),
        ("I64", "/", "-7", "2", "-4"),
        ("I64", "/", "7", "-2", "-4"),
        ("I64", "/", "-8", "2", "-4"),
        ("I64", "%", "-7", "2", "1"),
        ("I64", "%", "7", "-2", "-1"),
        ("I64", "%", "-8", "2", "0"),
        ("I64", "%", "-9223372036854775808", "-1", "0"),
        ("I8", "%", "-128", "-1", "0"),
        (
            "U64",
            "+",
            "18446744073709551614",
            "1",
            "18446744073709551615",
        ),
        ("U8", "/", "255", "2", "127"),
        ("F64", "+", "0.1", "0.2", "0.30000000000000004"),
        ("F64", "/", "1", "0", "\"Inf\""),
        ("F64", "/", "0", "0", "\"NaN\""),
        ("F64", "%", "-7", "2", "1.0"),
        ("F64", "%", "7.5", "-2", "-0.5"),
        (
            "BigInt",
            "*",
            "9007199254740991",
            "9007199254740991",
            "\"81129638414606663681390495662081\"",
        ),
        ("BigInt", "/", "-7", "2", "-4"),
        ("BigInt", "%", "-7", "2", "1"),
        ("BigInt", "/", "-8", "2", "-4"),
        ("BigInt", "%", "7", "-2", "-1"),
        ("BigInt", "-", "1", "2", "-1"),
    ];
    for (ty, operator, left, right, expected) in cases {
        gives(&[&binary(ty, operator)], &[left, right], expected);
    }
    let faults = [
        ("I64", "+", "9223372036854775807", "1", "overflow"),
        ("I64", "-", "-9223372036854775808", "1", "overflow"),
        ("I64", "*", "4611686018427387904", "2", "overflow"),
        ("I64", "/", "-9223372036854775808", "-1", "overflow"),
        ("I8", "/", "-128", "-1", "overflow"),
        ("I8", "+", "127", "1", "overflow"),
        ("U8", "*", "16", "16", "overflow"),
        ("U8", "-", "0", "1", "overflow"),
        ("U64", "-", "0", "1", "overflow"),
        ("I32", "-", "-2147483648", "1", "overflow"),
        ("I64", "/", "1", "0", "divide-by-zero"),
        ("U16", "%", "1", "0", "divide-by-zero"),
        ("BigInt", "/", "1", "0", "divide-by-zero"),
        ("BigInt", "%", "1", "0", "divide-by-zero"),
    ];
    for (ty, operator, left, right, expected) in faults {
        raises(&[&binary(ty, operator)], &[left, right], expected);
    }
}

#[test]
fn negation_raises_where_there_is_no_result() {
    let negate = |ty: &str| format!("f : (a : {ty}) -> panic {ty}\nf a = -a\n");
    gives(&[&negate("I64")], &["5"], "-5");
    gives(&[&negate("F64")], &["0"], "-0.0");
    gives(&[&negate("BigInt")], &["5"], "-5");
    gives(&[&negate("U8")], &["0"], "0");
    raises(&[&negate("U8")], &["1"], "overflow");
    raises(&[&negate("I16")], &["-32768"], "overflow");
    raises(&[&negate("I64")], &["-9223372036854775808"], "overflow");
}

#[test]
fn conditions_stop_early() {
    let stop =
        "f : (a : Bool) -> (b : Bool) -> panic Bool\nf a b = a and not b or b and 1 / 0 == 1\n";
    gives(&[stop], &["true", "false"], "true");
    gives(&[stop], &["false", "false"], "false");
    raises(&[stop], &["false", "true"], "divide-by-zero");
    let value = "f : (a : Bool) -> (b : Bool) -> Bool\nf a b =\n  let c = not (a or b) in\n  if not c and (a or not b)\n  then c == a\n  else c\n";
    for (a, b, expected) in [
        ("true", "true", "false"),
        ("true", "false", "false"),
        ("false", "true", "false"),
        ("false", "false", "true"),
    ] {
        gives(&[value], &[a, b], expected);
    }
}

#[test]
fn comparisons_follow_the_one_order() {
    let compare = |ty: &str, operator: &str| {
        format!("f : (a : {ty}) -> (b : {ty}) -> Bool\nf a b = a {operator} b\n")
    };
    let cases = [
        ("F64", "<", "-0.0", "0.0", "true"),
        ("F64", "==", "\"NaN\"", "\"NaN\"", "true"),
        ("F64", ">", "\"NaN\"", "\"Inf\"", "true"),
        ("Utf8", "<", "\"a\"", "\"aa\"", "true"),
        ("U64", ">", "18446744073709551615", "1", "true"),
        ("List I64", "<=", "[1,2]", "[1]", "false"),
        (
            "Shape",
            "<",
            r#"{"tag":"Circle","value":9}"#,
            r#"{"tag":"Box","value":{"w":0,"h":0}}"#,
            "true",
        ),
        ("Point", "<", r#"{"x":9,"y":1}"#, r#"{"x":1,"y":2}"#, "true"),
        (
            "Option Bool",
            "!=",
            r#"{"tag":"None"}"#,
            r#"{"tag":"Some","value":true}"#,
            "true",
        ),
        ("Unit", ">=", "null", "null", "true"),
    ];
    for (ty, operator, left, right, expected) in cases {
        gives(&[&compare(ty, operator)], &[left, right], expected);
    }
}

#[test]
fn matches_take_the_first_arm_that_fits() {
    let area = "f : (s : Shape) -> panic I64\nf s =\n  match s with\n  | Dot -> 0\n  | Circle 1 -> 3\n  | Circle r -> r * r * 3\n  | Box { w, h = 0 } -> w\n  | Box { h, .. } -> h\n";
    gives(&[area], &[r#"{"tag":"Dot"}"#], "0");
    gives(&[area], &[r#"{"tag":"Circle","value":1}"#], "3");
    gives(&[area], &[r#"{"tag":"Circle","value":5}"#], "75");
    gives(&[area], &[r#"{"tag":"Box","value":{"w":4,"h":0}}"#], "4");
    gives(&[area], &[r#"{"tag":"Box","value":{"w":4,"h":7}}"#], "7");
    let nested = "f : (o : Option (Option I64)) -> I64\nf o =\n  match o with\n  | Some (Some 7) -> 1\n  | None -> 2\n  | Some None -> 3\n  | _ -> 4\n";
    gives(
        &[nested],
        &[r#"{"tag":"Some","value":{"tag":"Some","value":7}}"#],
        "1",
    );
    gives(&[nested], &[r#"{"tag":"None"}"#], "2");
    gives(
        &[nested],
        &[r#"{"tag":"Some","value":{"tag":"None"}}"#],
        "3",
    );
    gives(
        &[nested],
        &[r#"{"tag":"Some","value":{"tag":"Some","value":8}}"#],
        "4",
    );
    let literals = "f : (a : Utf8) -> (x : F64) -> Utf8\nf a x =\n  match a with\n  | \"one\" -> (match x with | 0.0 -> \"zero\" | _ -> \"some\")\n  | \"two\" -> a\n  | other -> other\n";
    gives(&[literals], &["\"one\"", "0.0"], "\"zero\"");
    gives(&[literals], &["\"one\"", "-0.0"], "\"some\"");
    gives(&[literals], &["\"two\"", "1"], "\"two\"");
    gives(&[literals], &["\"x\"", "1"], "\"x\"");
}

#[test]
fn records_are_made_read_and_updated() {
    let turn = "f : (l : Line) -> Line\nf l = { l with to = { l.to with x = l.from.y }, from = { x = l.to.x, y = l.to.same } }\n";
    gives(
        &[turn],
        &[r#"{"from":{"x":1,"y":2},"to":{"x":3,"y":4}}"#],
        r#"{"from":{"y":3,"x":3},"to":{"y":4,"x":2}}"#,
    );
    let hidden = "f : (p : Point) -> Utf8\nf p =\n  match p with\n  | { x, .. } -> utf8_concat p.unit (I64::show (x + p.same))\n";
    let panicking = hidden.replace("-> Utf8", "-> panic Utf8");
    gives(&[&panicking], &[r#"{"x":2,"y":0}"#], "\"cm4\"");
    let boxed = "f : (w : I64) -> Shape\nf w = Box { h = w, w = 1 }\n";
    gives(&[boxed], &["2"], r#"{"tag":"Box","value":{"w":1,"h":2}}"#);
}

#[test]
fn functions_are_values() {
    let add = "add : (a : I64) -> (b : I64) -> panic I64\nadd a b = a + b\n";
    gives(
        &[
            add,
            "f : (x : I64) -> panic I64\nf x =\n  let more = add 3 in\n  more (more x)\n",
        ],
        &["1"],
        "7",
    );
    gives(
        &["f : (xs : List I64) -> panic (List I64)\nf xs = list_map (fun x -> x * 2) xs\n"],
        &["[1,2,3]"],
        "[2,4,6]",
    );
    gives(
        &["f : (xs : List (Option I64)) -> List Utf8\nf xs = list_map Option::show xs\n"],
        &[r#"[{"tag":"None"},{"tag":"Some","value":1}]"#],
        r#"["{\"tag\":\"None\"}","{\"tag\":\"Some\",\"value\":1}"]"#,
    );
    gives(
        &[
            "pick : (first : Bool) -> (I64 -> panic I64)\npick first = if first then fun x -> x + 1 else fun x -> x - 1\n",
            "f : (x : I64) -> panic I64\nf x = pick True x * pick False x\n",
        ],
        &["10"],
        "99",
    );
    gives(
        &[
            "f : (x : I64) -> panic I64\nf x =\n  let twice = fun g a -> g (g a) in\n  twice (twice (fun n -> n + x)) 0\n",
        ],
        &["5"],
        "20",
    );
    gives(
        &[
            "f : (a : I64) -> (b : I64) -> panic (List I64)\nf a b = list_append (list_append list_empty (I64::sub a b)) (list_fold I64::add 0 (list_append (list_append list_empty a) b))\n",
        ],
        &["9", "4"],
        "[5,13]",
    );
}

#[test]
fn the_functions_of_a_group_call_each_other() {
    let group = "f : (n : I64) -> div panic (List Bool)\nf n =\n  let one = 1 in\n  let rec even = fun k -> if k == 0 then True else odd (k - one)\n  and odd = fun k -> if k == 0 then False else even (k - one)\n  in\n  list_map (fun k -> even (k + n)) (list_append (list_append list_empty 0) 1)\n";
    gives(&[group], &["100000"], "[true,false]");
    let escaping = "f : (n : I64) -> div panic I64\nf n =\n  let rec down = fun k acc -> if k == 0 then acc else list_fold (fun a x -> down x (a + x)) acc (list_append list_empty (k - 1))\n  in\n  down n 0\n";
    gives(&[escaping], &["4"], "6");
}

#[test]
fn definitions_without_parameters_are_computed_once() {
    let table = "table : List I64\ntable = list_append (list_append list_empty 10) 20\n";
    let user = "f : (n : I64) -> div panic I64\nf n =\n  let rec go = fun left acc -> if left == 0 then acc else go (left - 1) (acc + list_nth table 1)\n  in\n  go n 0\n";
    gives(&[table, user], &["1000"], "20000");
    let program = super::program(&["f : I64\nf = if True then 1 else f\n"], Vec::new());
    assert_eq!(
        run_in(&program, Bounds::default(), "f", &[]).as_deref(),
        Ok("1")
    );
}

#[test]
fn the_prelude_keeps_order() {
    let sorted =
        "f : (xs : List I64) -> List I64\nf xs = list_sort_by I64::compare (list_reverse xs)\n";
    gives(&[sorted], &["[3,1,2,9,-4,0,3]"], "[-4,0,1,2,3,3,9]");
    let others = "f : (o : Option I64) -> (r : Result I64 Utf8) -> panic (Result (Option I64) Utf8)\nf o r = result_map (fun x -> option_map (fun y -> x + y) o) r\n";
    gives(
        &[others],
        &[r#"{"tag":"Some","value":1}"#, r#"{"tag":"Ok","value":2}"#],
        r#"{"tag":"Ok","value":{"tag":"Some","value":3}}"#,
    );
    gives(
        &[others],
        &[r#"{"tag":"None"}"#, r#"{"tag":"Err","value":"e"}"#],
        r#"{"tag":"Err","value":"e"}"#,
    );
    let kept = "f : (xs : List I64) -> List I64\nf xs = list_filter (fun x -> x > 1) xs\n";
    gives(&[kept], &["[3,1,2]"], "[3,2]");
}

/// What stays in its place is still read by the arguments that change, and by the next round.
#[test]
fn loops_keep_the_arguments_that_stay() {
    for (body, argument, expected) in [
        (
            "let rec go = fun xs left out -> if left <= 0 then out else go xs (left - 1) (list_concat out (list_append xs left)) in list_len (go (list_append list_empty 7) n list_empty)",
            "3",
            "6",
        ),
        (
            "let rec go = fun a b left -> if left <= 0 then a - b else go b a (left - 1) in go n 10 3",
            "1",
            "9",
        ),
        (
            "let rec go = fun a left -> if left <= 0 then a else let same = a in go same (left - 1) in go n 4",
            "5",
            "5",
        ),
        (
            "let rec go = fun a left g -> if left <= 0 then g left else go a (left - 1) (fun x -> g x + a) in go n 3 (fun x -> x)",
            "2",
            "6",
        ),
        (
            "let rec go = fun a b left -> if left <= 0 then a * 10 + b else go (a + b) b (left - 1) in go n 1 3",
            "2",
            "51",
        ),
    ] {
        let text = format!("f : (n : I64) -> div panic I64\nf n = {body}\n");
        gives(&[&text], &[argument], expected);
    }
}

#[test]
fn a_trace_names_the_calls_that_wait() {
    let inner = "inner : (x : I64) -> panic I64\ninner x = 1 / x\n";
    let outer = "f : (x : I64) -> panic I64\nf x = 1 + inner x\n";
    let raised = raises(&[inner, outer], &["0"], "divide-by-zero");
    assert_eq!(raised.trace, ["t::f", "t::inner"]);
    assert_eq!(
        raised.to_string(),
        "divide-by-zero: the right side of `/` is 0"
    );
    let deep = "f : (x : I64) -> div panic I64\nf x = if x == 0 then 1 / 0 else 1 + f (x - 1)\n";
    let raised = raises(&[deep], &["500"], "divide-by-zero");
    assert_eq!(raised.trace.len(), 64);
    let own = raises(
        &["f : (x : Utf8) -> panic I64\nf x = panic x\n"],
        &["\"no\""],
        "panic",
    );
    assert_eq!(own.message, "no");
}
