//! Callees by relevance: half the budget holds as many right fits of cut holes as the order of paths does in all of it.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::job_root::Root;
use crate::program::Run;

/// The types of the project, whose names say nothing about those of the functions on them.
const TYPES: [&str; 12] = [
    "Barrel", "Carton", "Depot", "Engine", "Flask", "Gate", "Hopper", "Ingot", "Jar", "Kiln",
    "Ladle", "Mould",
];

/// The functions on each type: a word, the signature and the body, where `@` is the type and `~` the one in it.
const FUNCTIONS: [(&str, &str, &str); 6] = [
    ("grown", "(x : @) -> @", "x"),
    ("joined", "(x : @) -> (y : @) -> @", "y"),
    ("extent", "(x : @) -> I64", "x.size"),
    ("caption", "(x : @) -> Utf8", "x.label"),
    ("counted", "(xs : List @) -> I64", "list_len xs"),
    ("found", "(key : Utf8) -> (xs : List @) -> Option @", "None"),
];

/// Functions on numbers and texts alone.
const PLAIN: [(&str, &str, &str); 4] = [
    ("abridged", "(text : Utf8) -> Utf8", "text"),
    ("measured", "(text : Utf8) -> I64", "utf8_len text"),
    ("rounded", "(x : I64) -> I64", "x"),
    ("weighted", "(x : I64) -> (y : I64) -> I64", "y"),
];

/// Gives the name of a function on a type; the order of names is not the order of types.
fn name(word: &str, ty: usize) -> String {
    let turned = (ty * 7 + word.len() * 5) % TYPES.len();
    format!(
        "{}_{word}",
        char::from(b'a' + u8::try_from(turned).expect("a letter"))
    )
}

/// A definition that is to be lowered, with the body that it has in the end.
struct Target {
    name: String,
    signature: String,
    body: String,
}

fn targets() -> Vec<Target> {
    let targets = (0..TYPES.len()).map(|ty| {
        let on = |word: &str| name(word, ty);
        let (grown, joined, extent) = (on("grown"), on("joined"), on("extent"));
        let (caption, found, counted) = (on("caption"), on("found"), on("counted"));
        let bodies = [
            format!("rounded ({extent} ({joined} ({grown} x) y) + {extent} y)"),
            format!("measured ({caption} ({joined} x y)) + {counted} (list_append list_empty ({grown} y))"),
            format!(
                "match {found} ({caption} x) (list_append list_empty y) with | None -> 0 | Some z -> weighted ({extent} z) 1"
            ),
        ];
        Target {
            name: format!("target_{ty}"),
            signature: format!("(x : {0}) -> (y : {0}) -> I64", TYPES[ty]),
            body: bodies[ty % bodies.len()].clone(),
        }
    });
    targets.collect()
}

fn spec(name: &str, signature: &str) -> String {
    format!(
        "---\nname: {name}\n---\n\nSays something.\n\n```soil-sig\n{name} : {signature}\n```\n\n```property p\nforall x : I64\nx == x\n```\n"
    )
}

/// Gives the text of a body.
fn body(name: &str, signature: &str, body: &str) -> String {
    let mut text = format!("{name} : {signature}\n{name}");
    for param in signature
        .split(" -> ")
        .filter_map(|part| part.strip_prefix('('))
    {
        let (param, _) = param.split_once(' ').expect("a parameter has a type");
        write!(text, " {param}").expect("a text takes all");
    }
    format!("{text} = {body}\n")
}

/// Writes the project, and gives the bodies that may be called.
fn project() -> (Root, Vec<(String, String)>) {
    let mut files = Vec::new();
    let mut callees = Vec::new();
    for (ty, type_name) in TYPES.iter().enumerate() {
        let declared = format!("type {type_name} = {{ size : I64, label : Utf8, of_{ty} : I64 }}");
        files.push((
            format!("yard/{}.tr", type_name.to_lowercase()),
            format!("---\nname: {type_name}\n---\n\nA thing.\n\n```soil-type\n{declared}\n```\n"),
        ));
        for (word, signature, text) in FUNCTIONS {
            callees.push((name(word, ty), signature.replace('@', type_name), text));
        }
    }
    let plain = PLAIN.iter();
    callees.extend(
        plain.map(|(name, signature, text)| ((*name).to_owned(), (*signature).to_owned(), *text)),
    );
    let mut bodies = Vec::new();
    for (name, signature, text) in callees {
        let text = body(&name, &signature, text);
        files.push((format!("yard/{name}.tr"), spec(&name, &signature)));
        files.push((format!("yard/{name}.soil"), text.clone()));
        bodies.push((name, text));
    }
    for target in targets() {
        let path = format!("yard/{}.tr", target.name);
        files.push((path, spec(&target.name, &target.signature)));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    (Root::new(&files), bodies)
}

/// A packed file.
struct Packed {
    path: String,
    tokens: u64,
}

impl Packed {
    /// Gives the name of the definition that it is about.
    fn callee(&self) -> Option<&str> {
        self.path.strip_prefix("callees/")?.strip_suffix(".md")
    }
}

/// Packs a bundle and gives what is in it, in its order.
fn packed(root: &Root, target: &str, budget: u64) -> Vec<Packed> {
    let place = tempfile::tempdir().expect("a folder");
    let out = place.path().join("bundle");
    let budget = budget.to_string();
    let out_text = out.to_str().expect("a text");
    let words = [
        "context", target, "--out", out_text, "--json", "--budget", &budget,
    ];
    let run = root.run(&words);
    let document: Value = serde_json::from_str(run.answer()).expect("a document");
    let listed = document["manifest"]["packed"].as_array().expect("a list");
    let listed = listed.iter().map(|path| {
        let path = path.as_str().expect("a path").to_owned();
        let bytes = std::fs::metadata(out.join(&path))
            .expect("it is there")
            .len();
        Packed {
            path,
            tokens: bytes.div_ceil(4),
        }
    });
    listed.collect()
}

/// Cuts each call of a callee out of a body, and gives it with what is left.
fn cuts<'b>(body: &'b str, bodies: &'b [(String, String)]) -> Vec<(&'b str, String)> {
    let mut found = Vec::new();
    for (name, _) in bodies {
        for (at, _) in body.match_indices(&**name) {
            found.push((
                &**name,
                format!("{}?cut{}", &body[..at], &body[at + name.len()..]),
            ));
        }
    }
    found
}

/// Counts the cuts whose callee is among the first five fits, when the program has no more than some callees.
fn right_fits(
    root: &Root,
    target: &Target,
    bodies: &[(String, String)],
    visible: &BTreeSet<String>,
) -> usize {
    let shown = bodies.iter().filter(|(name, _)| visible.contains(name));
    let shown: Vec<String> = shown.map(|(name, _)| format!("{name}.soil")).collect();
    let cuts = cuts(&target.body, bodies).into_iter();
    let right = cuts.filter(|(callee, cut)| {
        if !visible.contains(*callee) {
            return false;
        }
        // What is packed is seen, and whatever else the body calls checks too.
        let called = bodies.iter().filter(|(name, _)| cut.contains(&**name));
        let called = called.map(|(name, _)| format!("{name}.soil"));
        let defs: BTreeSet<String> = shown.iter().cloned().chain(called).collect();
        let mut defs: Vec<String> = defs.into_iter().collect();
        defs.push("target.soil".to_owned());
        let text = body("target", &target.signature, cut);
        root.write("yard/target.soil", &text);
        let manifest = json!({"types": "env.json", "defs": defs});
        root.write("yard/program.json", &manifest.to_string());
        let run = Run::soil(
            &root.path().join("yard"),
            &["check", "program.json", "--rich"],
        );
        let document: Value = serde_json::from_str(run.answer()).expect("a document");
        let last = document["defs"].as_array().and_then(|defs| defs.last());
        let terms = &last.expect("a definition")["checks"]["holes"][0]["fit"]["terms"];
        let mut terms = terms.as_array().expect("a list").iter().take(5);
        terms.any(|term| {
            let term = term["term"].as_str().expect("a text");
            term.trim_start_matches('(').split(' ').next() == Some(*callee)
        })
    });
    right.count()
}

/// Writes the types in the form that programs take.
fn environment() -> String {
    let field = |name: &str, ty: &str| {
        let shape = json!({"tag": "SCon", "value": {"name": ty, "args": []}});
        json!({"name": name, "shape": shape, "ignored": {"tag": "None"}})
    };
    let types = TYPES.iter().enumerate().map(|(ty, name)| {
        let own = format!("of_{ty}");
        let fields = [
            field("size", "I64"),
            field("label", "Utf8"),
            field(&own, "I64"),
        ];
        json!({
            "name": name,
            "params": [],
            "strategy": {"tag": "Structural"},
            "body": {"tag": "Record", "value": {"fields": fields}},
        })
    });
    json!({"types": types.collect::<Vec<_>>()}).to_string()
}

#[test]
fn half_the_budget_by_relevance_is_as_good_as_all_of_it_by_path() {
    let (root, bodies) = project();
    root.write("yard/env.json", &environment());
    let (mut by_relevance, mut by_path, mut tried) = (0, 0, 0);
    for target in targets() {
        let whole = packed(&root, &target.name, 1_000_000);
        let first = whole.iter().position(|file| file.callee().is_some());
        let first = first.expect("there are callees");
        let mut callees: Vec<&Packed> = whole
            .iter()
            .filter(|file| file.callee().is_some())
            .collect();
        callees.sort_by(|left, right| left.path.cmp(&right.path));
        // The full budget has room for half of the callees.
        let always: u64 = whole[..first].iter().map(|file| file.tokens).sum();
        let budget: u64 = callees.iter().map(|file| file.tokens).sum::<u64>() / 2;
        let mut left = budget;
        let fitting = callees.iter().take_while(|file| {
            let fits = file.tokens <= left;
            left = left.saturating_sub(file.tokens);
            fits
        });
        let in_order: BTreeSet<String> = fitting
            .filter_map(|file| file.callee().map(str::to_owned))
            .collect();
        let half = packed(&root, &target.name, u64::midpoint(always, budget));
        let relevant: BTreeSet<String> = half
            .iter()
            .filter_map(|file| file.callee().map(str::to_owned))
            .collect();
        assert!(
            relevant.len() < in_order.len(),
            "half the budget holds fewer"
        );
        by_relevance += right_fits(&root, &target, &bodies, &relevant);
        by_path += right_fits(&root, &target, &bodies, &in_order);
        tried += cuts(&target.body, &bodies).len();
    }
    println!(
        "of {tried} cut calls {by_relevance} are fitted from callees by relevance at half the budget, {by_path} by path at all of it"
    );
    assert!(tried >= 50, "{tried}");
    assert!(
        by_relevance >= by_path,
        "{by_relevance} and {by_path} of {tried}"
    );
}
