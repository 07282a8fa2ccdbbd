//! What a draft is judged with: what it reaches is read, and its documents are those of the whole project.

use std::fs;

use serde_json::{Value, json};

use crate::job_root::{GOOD, Job, Root, draft};

const TARGET: &str = "---\nname: total\n---\n\nAdds up.\n\n```soil-sig\ntotal : (prices : List Price) -> panic I64\n```\n\n\
```requires\nfew: few_of prices\n```\n\n```test one\n([]) => 0\n([{\"cents\":3}]) => 3\n```\n\n\
```property same\nforall x : I64\ncapped x == capped (capped x)\n```\n";

const PRICE: &str =
    "---\nname: Price\n---\n\nA price.\n\n```soil-type\ntype Price = { cents : I64 }\n```\n";

fn spec(name: &str, signature: &str, more: &str) -> String {
    format!(
        "---\nname: {name}\n---\n\nSays total.\n\n```soil-sig\n{signature}\n```\n\n{more}```test t\n(1) => 1\n```\n"
    )
}

/// A project with functions that are near, far, odd and broken.
fn project() -> Root {
    let cents = spec("cents_of", "cents_of : (price : Price) -> I64", "");
    let capped = spec(
        "capped",
        "capped : (x : I64) -> I64",
        "```ensures\nlow: at_most result 100\n```\n\n",
    );
    let unlike = spec("unlike", "unlike : (x : I64) -> I64", "");
    Root::new(&[
        (
            "_project.tr",
            "---\nname: project\n---\n\nAll.\n\n```decisions\nmoney: in cents\n```\n",
        ),
        (
            "shop/_module.tr",
            "---\nname: shop\n---\n\nS.\n\n```exports\ntotal\n```\n\n```decisions\nempty: is zero\n```\n",
        ),
        ("shop/price.tr", PRICE),
        ("shop/total.tr", TARGET),
        (
            "shop/_private.soil",
            "_plus : (a : I64) -> (b : I64) -> panic I64\n_plus a b = add_up a b\n",
        ),
        ("shop/cents_of.tr", &cents),
        (
            "shop/cents_of.soil",
            "cents_of : (price : Price) -> I64\ncents_of price = price.cents\n",
        ),
        (
            "shop/few_of.soil",
            "few_of : (prices : List Price) -> Bool\nfew_of prices = shop::short prices\n",
        ),
        (
            "shop/short.soil",
            "short : (prices : List Price) -> Bool\nshort prices = list_len prices < 10\n",
        ),
        (
            "sums/add_up.soil",
            "-- first\nadd_up : (a : I64) -> (b : I64) -> panic I64\nadd_up a b = a + b\n",
        ),
        ("sums/capped.tr", &capped),
        (
            "sums/capped.soil",
            "capped : (x : I64) -> I64\ncapped x = if x < 100 then x else 100\n",
        ),
        (
            "sums/at_most.soil",
            "at_most : (x : I64) -> (y : I64) -> Bool\nat_most x y = x <= y\n",
        ),
        (
            "sums/short.soil",
            "short : (xs : List I64) -> Bool\nshort xs = list_len xs < 3\n",
        ),
        ("sums/_private.soil", "_secret : I64\n_secret = 1\n"),
        (
            "odd/promised.soil",
            "another : (x : I64) -> I64\nanother x = x\n",
        ),
        (
            "odd/two.soil",
            "two : I64\ntwo = 2\n\nthree : I64\nthree = 3\n",
        ),
        ("odd/broken.soil", "broken : (x : I64) -> \nbroken x = (x\n"),
        (
            "odd/half.soil",
            "half : (x : I64) -> I64\nhalf x = if x then\n",
        ),
        (
            "odd/wrong.soil",
            "wrong : (x : I64) -> I64\nwrong x = \"text\"\n",
        ),
        ("odd/unlike.tr", &unlike),
        (
            "odd/unlike.soil",
            "unlike : (x : U64) -> U64\nunlike x = x\n",
        ),
        (
            "odd/circle.soil",
            "circle : (prices : List Price) -> panic I64\ncircle prices = total prices\n",
        ),
    ])
}

/// Drafts by their right sides; those that check, those with holes, and those that do not.
const RIGHT: [&str; 23] = [
    "0",
    "list_fold (fun sum price -> _plus sum (cents_of price)) 0 prices",
    "list_fold (fun sum price -> sums::add_up sum price.cents) 0 prices",
    "if shop::short prices then 0 else capped 200",
    "?all",
    "list_fold (fun sum price -> _plus sum ?next) 0 prices",
    "let few = ?few in if few then 0 else capped ?much",
    "cents prices",
    "add_upp 1 2",
    "if short prices then 1 else 0",
    "cents_of prices",
    "let capped = 1 in capped",
    "let price = 1 in price",
    "sums::nothing 1",
    "nowhere::capped 1",
    "_secret",
    "another 1",
    "promised 1",
    "three",
    "broken 1",
    "half 1",
    "wrong 1",
    "unlike 1",
];

fn said(job: &Job, tool: &str) -> String {
    let _ = fs::remove_dir_all(job.path("cache"));
    fs::create_dir(job.path("cache")).expect("it is made");
    let run = job.call(tool, &json!({}));
    if run.code != 0 {
        return run.stderr;
    }
    let block: Value = serde_json::from_str(&run.stdout).expect("one block");
    block["payload"]["data"].to_string()
}

#[test]
fn documents_are_those_of_the_whole_project() {
    let root = project();
    for plain in [false, true] {
        let words = ["shop/total", "--turns", "1000", "--plain"];
        let job = root.open(&words[..if plain { 4 } else { 3 }]);
        // A job of plain documents differs in how they are written alone.
        let step = if plain { 5 } else { 1 };
        let rights = RIGHT.iter().chain(&["circle prices", "total prices"]);
        for right in rights.step_by(step) {
            let text =
                format!("total : (prices : List Price) -> panic I64\ntotal prices = {right}\n");
            job.document("write_soil", &draft(&text));
            for tool in ["check_types", "run_tests"] {
                let reached = said(&job, tool);
                // Without what was seen of the files, all of them are read.
                fs::remove_file(job.path("files.json")).expect("it is there");
                let whole = said(&job, tool);
                assert!(job.path("files.json").exists());
                assert_eq!(reached, whole, "{tool}: {right}");
            }
        }
    }
}

#[test]
fn citations_are_looked_up_without_what_no_decision_needs() {
    let root = project();
    let job = root.open(&["shop/total"]);
    let cite = |scope: &str, label: &str| {
        let citation = json!({"scope": {"tag": scope}, "label": label});
        json!({"soil": "total : (prices : List Price) -> panic I64\ntotal prices = 0", "decisions_applied": [citation]})
    };
    for (scope, label) in [("Project", "money"), ("Module", "empty")] {
        job.document("write_soil", &cite(scope, label));
    }
    for (scope, label) in [("Module", "money"), ("Project", "empty")] {
        let refused = job.refusal("write_soil", &cite(scope, label));
        assert_eq!(refused, (vec!["unknown-decision".to_owned()], 3));
    }
}

#[test]
fn a_wrong_callee_keeps_no_job_from_being_opened() {
    let guarded = spec(
        "g",
        "g : (x : I64) -> I64",
        "```requires\nr: low x\n```\n\n",
    );
    let low = spec("low", "low : (x : I64) -> Bool", "").replace("(1) => 1", "(1) => true");
    for body in [
        "low x = x < 5",
        "low x = nope x",
        "low x = 1",
        "low x = low x",
        "low x = ?later",
    ] {
        let body = format!("low : (x : I64) -> Bool\n{body}\n");
        let root = Root::new(&[
            ("shop/g.tr", &guarded),
            ("shop/low.tr", &low),
            ("shop/low.soil", &body),
        ]);
        let job = root.open(&["shop/g"]);
        job.write("g : (x : I64) -> I64\ng x = x");
        let run = job.call("check_types", &json!({}));
        let expected = match body.lines().last() {
            Some("low x = nope x") => "unknown-name",
            Some("low x = 1") => "type-mismatch",
            _ => {
                assert_eq!(run.code, 0, "{body}: {run:?}");
                continue;
            }
        };
        // It is the agent who is told, with the place.
        let error: Value = serde_json::from_str(&run.stderr).expect("one error");
        let found = &error["details"]["errors"][0];
        assert_eq!(found["code"], expected);
        assert_eq!(found["file"]["value"], "shop/low.soil");
    }
}

#[test]
fn what_comes_while_a_job_is_open_is_no_part_of_it() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let signature = GOOD.lines().next().expect("a signature");
    let local = format!(
        "{signature}\nclamp low high x =\n  let best = if x < low then low else x in\n  if best > high then high else best\n"
    );
    job.write(&local);
    let before = said(&job, "check_types");
    // Another job ends meanwhile with a definition of the name that a local has.
    root.write("shop/best.tr", &spec("best", "best : (x : I64) -> I64", ""));
    root.write("shop/best.soil", "best : (x : I64) -> I64\nbest x = x\n");
    root.run(&["refresh", "best"]).answer();
    // Nor does a look at all files see it, which another change of no meaning brings about.
    root.write("soil.toml", "# a remark\n");
    for _ in 0..2 {
        assert_eq!(said(&job, "check_types"), before);
    }
    job.write(&local.replace("else best", "else best x"));
    assert!(said(&job, "check_types").contains("type-mismatch"));
    job.write(&local);
    assert_eq!(job.close()["outcome"]["tag"], "Green");
    // The body is older than the name that it takes.
    let report: Value =
        serde_json::from_str(root.run(&["check", "--json"]).answer()).expect("it is JSON");
    assert_eq!(
        (&report["ok"], &report["warnings"][0]["code"]),
        (&json!(true), &json!("shadowing"))
    );
    // The next job has it on its menu, and its drafts look out for it.
    let job = root.open(&["clamp"]);
    job.write(&local);
    assert!(said(&job, "check_types").contains("\"shadowing\""));
}
