//! Programs that do not end, or make too much.

use super::*;

#[test]
fn endless_programs_end() {
    raises(
        &["f : (x : I64) -> div I64\nf x = f x\n"],
        &["1"],
        "fuel-exhausted",
    );
    raises(
        &["f : (x : I64) -> div panic I64\nf x = 1 + f x\n"],
        &["1"],
        "depth-exhausted",
    );
    let local =
        "f : (x : I64) -> div I64\nf x =\n  let rec loop = fun y -> loop y\n  in\n  loop x\n";
    raises(&[local], &["1"], "fuel-exhausted");
    raises(&["f : I64\nf = f + 1\n"], &[], "depth-exhausted");
}

#[test]
fn memory_is_counted() {
    let bounds = Bounds {
        fuel: u64::MAX,
        ..Bounds::default()
    };
    let exhausts = |text: &str, argument: &str| {
        let program = program(&[text], Vec::new());
        let raised = run_in(&program, bounds, "f", &[argument]).expect_err("it makes too much");
        assert_eq!(raised.kind, RaiseKind::MemoryExhausted, "{text}");
    };
    exhausts(
        "f : (t : Utf8) -> div Utf8\nf t = f (utf8_concat t t)\n",
        "\"0123456789\"",
    );
    exhausts(
        "f : (t : List Utf8) -> div (List Utf8)\nf t = f (list_concat t t)\n",
        "[\"a\"]",
    );
    exhausts(
        "f : (t : Shape) -> div Shape\nf t = f (Circle 1)\n",
        r#"{"tag":"Dot"}"#,
    );
    let big = "f : (n : BigInt) -> div BigInt\nf n = f (n * n)\n";
    raises(&[big], &["3"], "fuel-exhausted");
}

/// What an integer of any size costs is what is read and made of it, so that a million digits are within the bounds.
#[test]
fn a_million_digits_are_within_the_bounds() {
    let power = "f : (n : BigInt) -> div panic I64\nf n =\n  let rec power = fun count x -> if count == 0 then x else power (count - 1) (x * x) in\n";
    let shown = format!("{power}  utf8_len (BigInt::show (power 20 n))\n");
    // The quotes of what is no JSON integer count.
    gives(&[&shown], &["10"], "1048579");
    let divided = format!(
        "{power}  let whole = power 20 n in\n  let half = power 19 n in\n  if whole / half == half and whole % half == 0 then 1 else 0\n"
    );
    gives(&[&divided], &["7"], "1");
    let endless = format!(
        "{power}  let whole = power 20 n in\n  let rec go = fun count -> if whole / (whole - n) == 2 then count else go (count + 1) in\n  go 0\n"
    );
    raises(&[&endless], &["7"], "fuel-exhausted");
}

#[test]
fn deep_values_are_made_written_and_dropped() {
    let nest = "f : (n : I64) -> div panic Nat\nf n =\n  let rec go = fun left made -> if left == 0 then made else go (left - 1) (Next made)\n  in\n  go n Zero\n";
    let program = program(&[nest], Vec::new());
    let text = run_in(&program, Bounds::default(), "f", &["100000"]).expect("it fits");
    assert!(text.starts_with(r#"{"tag":"Next","value":{"tag":"Next""#));
    let bounds = Bounds {
        fuel: u64::MAX,
        ..Bounds::default()
    };
    let raised = run_in(&program, bounds, "f", &["2000000"]).expect_err("too many cells");
    assert_eq!(raised.kind, RaiseKind::MemoryExhausted);
    let compare = "f : (n : I64) -> div panic Bool\nf n =\n  let rec go = fun left made -> if left == 0 then made else go (left - 1) (Next made)\n  in\n  go n Zero == go n Zero\n";
    gives(&[compare], &["50000"], "true");
}

#[test]
fn closures_that_hold_each_other_are_dropped() {
    let chain = "f : (n : I64) -> div panic I64\nf n =\n  let rec go = fun left made -> if left == 0 then made 0 else go (left - 1) (fun x -> if x == 1 then made 1 else x)\n  in\n  go n (fun x -> x)\n";
    gives(&[chain], &["60000"], "0");
}

#[test]
fn tail_calls_take_no_depth() {
    let count = "f : (n : I64) -> div panic I64\nf n = if n == 0 then 0 else f (n - 1)\n";
    gives(&[count], &["100000"], "0");
    let through = "f : (n : I64) -> div panic I64\nf n =\n  let rec go = fun step left -> if left == 0 then 0 else (match step with | True -> go step (left - 1) | False -> 1)\n  in\n  go True n\n";
    gives(&[through], &["100000"], "0");
    let depth = "f : (n : I64) -> div panic I64\nf n = if n == 0 then 0 else 1 + f (n - 1)\n";
    gives(&[depth], &["19998"], "19998");
    raises(&[depth], &["20000"], "depth-exhausted");
}

#[test]
fn fuel_is_one_for_each_node() {
    let bounds = |fuel| Bounds {
        fuel,
        ..Bounds::default()
    };
    // The nodes are `a + b` and its two operands.
    let add = program(
        &["f : (a : I64) -> (b : I64) -> panic I64\nf a b = a + b\n"],
        Vec::new(),
    );
    assert!(run_in(&add, bounds(3), "f", &["1", "2"]).is_ok());
    assert!(run_in(&add, bounds(2), "f", &["1", "2"]).is_err());
    // `if`, the comparison with its two, and one branch.
    let choose = program(
        &["f : (a : I64) -> I64\nf a = if a < 0 then 0 else a\n"],
        Vec::new(),
    );
    for argument in ["-1", "1"] {
        assert!(run_in(&choose, bounds(5), "f", &[argument]).is_ok());
        assert!(run_in(&choose, bounds(4), "f", &[argument]).is_err());
    }
    // `let`, the value, the call of two arguments with five nodes, and the element that it reads.
    let nth = program(
        &["f : (xs : List I64) -> panic I64\nf xs =\n  let i = 0 in\n  list_nth xs i\n"],
        Vec::new(),
    );
    assert!(run_in(&nth, bounds(8), "f", &["[1]"]).is_ok());
    assert!(run_in(&nth, bounds(7), "f", &["[1]"]).is_err());
}

#[test]
fn the_longest_chains_that_are_read_run() {
    let nested = |open: &str, inner: &str, close: &str, count: usize| {
        let body = open.repeat(count) + inner + &close.repeat(count);
        format!("f : (x : I64) -> panic I64\nf x = {body}\n")
    };
    gives(&[&nested("1 + (", "x", ")", 200)], &["1"], "201");
    gives(
        &[&nested("if x == 0 then 0 else ", "x", "", 400)],
        &["1"],
        "1",
    );
    let lets: Vec<String> = (0..400)
        .map(|index| format!("let a{index} = x + {index} in "))
        .collect();
    let lets = lets.concat();
    gives(&[&nested(&lets, "a399", "", 1)], &["1"], "400");
}

/// What a call of a map builtin costs by the rules of the language, however the map is kept and whoever calls it.
#[test]
fn maps_have_their_price() {
    let m = r#"[{"key":"b","value":2},{"key":"a","value":1}]"#;
    let long = format!("\"{}\"", "k".repeat(17));
    let get = "f : (m : Map Utf8 I64) -> (k : Utf8) -> Option I64\nf m k = map_get m k\n";
    let named =
        "f : (m : Map Utf8 I64) -> (k : Utf8) -> Option I64\nf m k = let g = map_get in g m k\n";
    let insert = "f : (m : Map Utf8 I64) -> (k : Utf8) -> Map Utf8 I64\nf m k = map_insert m k 3\n";
    let remove = "f : (m : Map Utf8 I64) -> (k : Utf8) -> Map Utf8 I64\nf m k = map_remove m k\n";
    // Nodes, three steps of looking up among two for each 16 bytes of the key, one for what is made; a payload, or one slot.
    for (text, key, fuel, cells) in [
        (get, "\"b\"", 5 + 3, 48),
        (get, "\"c\"", 5 + 3, 0),
        (get, &*long, 5 + 6, 0),
        (named, "\"b\"", 7 + 3, 48),
        (insert, "\"b\"", 7 + 3 + 1, 16),
        (insert, &*long, 7 + 6 + 1, 16),
        (remove, "\"b\"", 5 + 3 + 1, 16),
    ] {
        let program = program(&[text], Vec::new());
        let run = |fuel, cells| {
            let bounds = Bounds {
                fuel,
                cells,
                ..Bounds::default()
            };
            let result = run_in(&program, bounds, "f", &[m, key]);
            result.map(drop).map_err(|raised| raised.kind)
        };
        assert_eq!(run(fuel, cells), Ok(()), "{text} {key}");
        assert_eq!(
            run(fuel - 1, cells),
            Err(RaiseKind::FuelExhausted),
            "{text} {key}"
        );
        if let Some(fewer) = cells.checked_sub(1) {
            assert_eq!(
                run(fuel, fewer),
                Err(RaiseKind::MemoryExhausted),
                "{text} {key}"
            );
        }
    }
}

/// A match on what a map has costs as much as one on a value of its own, with the two nodes that such a value takes besides.
#[test]
fn a_match_on_a_lookup_has_its_price() {
    let m = r#"[{"key":"b","value":2},{"key":"a","value":1}]"#;
    let f =
        |body: &str| format!("f : (m : Map Utf8 I64) -> (k : Utf8) -> panic I64\nf m k = {body}\n");
    let arms = [
        "| None -> 0 | Some v -> v + 1",
        "| Some v -> v + 1 | None -> 0",
        "| None -> 0 | Some _ -> 7",
        "| None -> 0 | _ -> 7",
        "| Some 2 -> 5 | Some v -> v | None -> 0",
        "| None -> f_of 1 | Some v -> f_of v",
    ];
    let called = "f_of : (x : I64) -> I64\nf_of x = if x == 1 then 3 else 4\n";
    for arms in arms {
        for (open, close) in [("", ""), ("1 + (", ")"), ("if m == m then ", " else 0")] {
            let direct = f(&format!("{open}match map_get m k with {arms}{close}"));
            let through = f(&format!(
                "let o = map_get m k in {open}match o with {arms}{close}"
            ));
            for key in ["\"a\"", "\"b\"", "\"c\""] {
                let used = |text: &str| used(&[called, text], &[m, key]);
                let (result, fuel, cells) = used(&direct);
                let (other, more_fuel, same_cells) = used(&through);
                assert_eq!(result, other, "{direct} {key}");
                assert_eq!((fuel + 2, cells), (more_fuel, same_cells), "{direct} {key}");
            }
        }
    }
}

#[test]
fn lambdas_have_their_price() {
    for (body, cells) in [
        ("let g = fun x -> x in g n", 32),
        ("let g = fun x -> x + n - n in g n", 48),
        ("let rec g = fun x -> x in g n", 32),
        (
            "let rec g = fun x -> if x < 0 then h x else x and h = fun x -> g n in g n",
            96,
        ),
        (
            "let rec g = fun x -> if x < 0 then list_fold (fun s y -> g y) x list_empty else x in g n",
            32,
        ),
    ] {
        let text = format!("f : (n : I64) -> div panic I64\nf n = {body}\n");
        let (result, _, spent) = used(&[&text], &["3"]);
        assert_eq!((result.as_str(), spent), ("3", cells), "{body}");
    }
}

/// The calls are counted by the one node that a second comparison has more than the first.
#[test]
fn a_sort_compares_no_more_than_a_halving_one() {
    let sort = |compare: &str| {
        format!(
            "f : (xs : List I64) -> panic (List I64)\nf xs = list_sort_by (fun a b -> {compare}) xs\n"
        )
    };
    let (plain, longer) = (sort("I64::compare a b"), sort("I64::compare (a : I64) b"));
    for len in (0..40_u32).chain([100]) {
        let rising: Vec<u32> = (0..len).collect();
        let falling = rising.iter().rev().copied().collect();
        let mixed = rising.iter().map(|number| number * 7_919 % 20_011 % 50);
        for numbers in [rising.clone(), falling, mixed.collect()] {
            let json = format!("{numbers:?}");
            let (sorted, fuel, _) = used(&[&plain], &[&json]);
            let (_, more_fuel, _) = used(&[&longer], &[&json]);
            let mut expected = numbers;
            expected.sort_unstable();
            assert_eq!(sorted.replace(',', ", "), format!("{expected:?}"));
            let levels = u64::from(len.max(1).next_power_of_two().trailing_zeros());
            let calls = more_fuel - fuel;
            assert!(calls <= u64::from(len) * levels, "{calls} calls for {json}");
        }
    }
}

/// Runs the last of some definitions; gives its result with the steps and the cells that it took.
fn used(definitions: &[&str], arguments: &[&str]) -> (String, u64, u64) {
    let program = program(definitions, Vec::new());
    let checked = checked(&program);
    let unit = Unit::compile(&checked);
    let id = program.find_definition("f").expect("the entry is there");
    let mut machine = Machine::new(&unit, Bounds::default());
    let (params, result) = parameters(&mut machine, &program, id);
    let values = arguments.iter().zip(&params).map(|(text, form)| {
        let json = Json::read(text.as_bytes()).expect("the argument is JSON");
        read(machine.forms(), *form, &json).expect("the argument is of its type")
    });
    let values = values.collect();
    machine.reset();
    let full = machine.meter;
    let value = machine.call(unit.entry(id).expect("it has code"), values);
    let value = value.expect("it has a result");
    let left = machine.meter;
    let text = write(
        machine.forms(),
        result,
        &value,
        &mut Meter::UNBOUNDED.clone(),
    );
    (
        text.expect("nothing is bounded"),
        full.fuel - left.fuel,
        full.cells - left.cells,
    )
}
