//! How small the counterexamples of planted bugs become, beside the smallest ones that there are.

use super::run_one;

/// A property that does not hold, with the arguments of its smallest counterexample.
struct Bug {
    binders: &'static [&'static str],
    predicate: String,
    smallest: String,
}

fn bug(binders: &'static [&'static str], predicate: String, smallest: String) -> Bug {
    Bug {
        binders,
        predicate,
        smallest,
    }
}

fn repeated(item: &str, count: usize) -> String {
    vec![item; count].join(",")
}

/// Bugs at bounds of numbers, at lengths, at one variant, at a relation of two arguments and at an element.
fn bugs() -> Vec<Bug> {
    let mut bugs = Vec::new();
    for bound in [1, 7, 42, 100, 999, 12_345, 1_000_000] {
        bugs.push(bug(
            &["x : I64"],
            format!("x < {bound}"),
            format!("[{bound}]"),
        ));
        bugs.push(bug(
            &["x : I64"],
            format!("x > 0 - {bound}"),
            format!("[-{bound}]"),
        ));
        bugs.push(bug(
            &["x : I64", "y : I64"],
            format!("x > {bound} implies y <= x"),
            format!("[{},{}]", bound + 1, bound + 2),
        ));
        bugs.push(bug(
            &["xs : List I64", "x : I64"],
            format!("x < {bound} or list_len xs < 2"),
            format!("[[0,0],{bound}]"),
        ));
    }
    for count in 1..=6 {
        bugs.push(bug(
            &["xs : List I64"],
            format!("list_len xs < {count}"),
            format!("[[{}]]", repeated("0", count)),
        ));
        bugs.push(bug(
            &["t : Utf8"],
            format!("utf8_len t < {count}"),
            format!("[\"{}\"]", "a".repeat(count)),
        ));
    }
    for (binders, predicate, smallest) in [
        (&["x : U8"][..], "x < 200", "[200]"),
        (&["x : U64"], "x < 3", "[3]"),
        (&["x : BigInt"], "x < 5", "[5]"),
        (&["x : I64", "y : I64"], "x <= y", "[0,-1]"),
        (&["x : I64", "y : I64"], "x - y == y - x", "[0,1]"),
        (
            &["o : Option I64"],
            "o is None",
            "[{\"tag\":\"Some\",\"value\":0}]",
        ),
        (
            &["r : Result I64 Bool"],
            "r is Ok",
            "[{\"tag\":\"Err\",\"value\":true}]",
        ),
        (&["b : Bool", "x : I64"], "b is True or x < 3", "[false,3]"),
        (
            &["m : Map U8 Bool"],
            "map_len m < 1",
            "[[{\"key\":0,\"value\":true}]]",
        ),
        (&["b : Bytes"], "bytes_len b < 2", "[\"AAA=\"]"),
    ] {
        bugs.push(bug(binders, predicate.to_owned(), smallest.to_owned()));
    }
    bugs
}

#[test]
fn counterexamples_become_small() {
    let mut ratios = Vec::new();
    for bug in bugs() {
        let report = run_one(&[], bug.binders, &bug.predicate);
        let details = report
            .details
            .unwrap_or_else(|| panic!("`{}` fails", bug.predicate));
        let shown = details.actual.split(" (shrunk").next().unwrap_or_default();
        let found = shown
            .rsplit_once(" at ")
            .map_or("", |(_, arguments)| arguments);
        // In thousandths, since sizes are whole numbers of bytes.
        ratios.push((
            found.len() * 1_000 / bug.smallest.len(),
            bug.predicate,
            found.to_owned(),
        ));
    }
    assert_eq!(ratios.len(), 50);
    ratios.sort();
    let (median, ..) = ratios[ratios.len() / 2];
    println!(
        "median size {median} thousandths of the smallest, worst {:?}",
        ratios.last()
    );
    assert!(median <= 1_200, "{ratios:#?}");
}
