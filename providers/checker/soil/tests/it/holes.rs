//! Holes: what is in scope, what fits, and that every term that is offered holds.

use serde_json::Value;
use soil::check::{CheckOptions, CheckedDefinition, check};
use soil::diagnostic::Diagnostic;
use soil::document;
use soil::print;
use soil::program::{Program, ProgramTexts, Text};
use soil::source::{FileId, Span};
use soil::syntax::tree::{ExprId, ExprKind, Tree};
use soil::syntax::{Names, Part, parse_expr};

use crate::corpus;
use crate::project::{program, shown};

/// Checks a program richly and gives its document.
fn document(program: &Program) -> Value {
    let checked = check(program, CheckOptions::RICH);
    let found: Vec<Diagnostic> = checked.diagnostics.clone().into_sorted();
    assert!(found.is_empty(), "{:#?}", shown(program, &found));
    serde_json::from_str(&document::checked(&checked)).expect("a document is JSON")
}

/// Gives the holes of all definitions.
fn holes(document: &Value) -> Vec<&Value> {
    let definitions = document["defs"].as_array().expect("a list");
    let holes = definitions
        .iter()
        .filter_map(|definition| definition["checks"]["holes"].as_array());
    holes.flatten().collect()
}

fn terms(hole: &Value) -> Vec<&Value> {
    let terms = hole["fit"]["terms"].as_array().expect("a list");
    terms.iter().collect()
}

fn texts(hole: &Value) -> Vec<&str> {
    let terms = terms(hole).into_iter();
    terms
        .map(|term| term["term"].as_str().expect("a text"))
        .collect()
}

/// Checks the first terms that are offered for the only hole of a definition, and the row.
fn offers(text: &str, row: &str, expected: &[&str]) {
    let helper = (
        "main/helper.soil",
        "helper : (amount : I64) -> (label : Utf8) -> Utf8\nhelper amount label = label\n",
    );
    let document = document(&program(&[helper, ("main/f.soil", text)]));
    let holes = holes(&document);
    let [hole] = holes[..] else {
        panic!("one hole: {text}");
    };
    assert_eq!(hole["fit"]["row"], row, "{text}");
    let texts = texts(hole);
    let count = expected.len().min(texts.len());
    assert_eq!(texts[..count], *expected, "{text}\n{texts:#?}");
}

#[test]
fn terms_that_fit() {
    offers(
        "f : (x : I64) -> (y : I64) -> I64\nf x y = x + ?h\n",
        "",
        &["y", "x"],
    );
    offers(
        "f : (p : Point) -> (s : Stored) -> F64\nf p s = ?h\n",
        "",
        &["s.reading.value"],
    );
    offers(
        "f : (l : Utf8) -> Shape\nf l = ?h\n",
        "",
        &["Empty", "f l", "Circle ?value", "f ?l"],
    );
    offers(
        "f : (n : I64) -> (l : Utf8) -> Utf8\nf n l = utf8_trim ?h\n",
        "",
        &[
            "l",
            "(utf8_trim l)",
            "(helper n l)",
            "(utf8_concat l l)",
            "(f n l)",
        ],
    );
    offers(
        "f : (c : Clock) -> io I64\nf c = ?h\n",
        "io",
        &["clock_now c", "f c"],
    );
    offers(
        "f : (c : Clock) -> (d : I64) -> I64\nf c d = ?h\n",
        "",
        &["d"],
    );
    offers(
        "f : (g : I64 -> e I64) -> (x : I64) -> e I64\nf g x = ?h\n",
        "e",
        &["x", "g x", "f g x"],
    );
    offers(
        "f : (g : I64 -> e I64) -> (xs : List I64) -> e (List I64)\nf g xs = list_map (fun x -> ?h) xs\n",
        "e",
        &["x", "g x"],
    );
    offers(
        "f : (x : Option I64) -> I64\nf x = match x with | None -> 0 | Some y -> ?h\n",
        "",
        &["y", "f x", "f None", "f ?x"],
    );
}

/// A `let` makes the type of a hole general; its uses say what is asked for, where they agree.
#[test]
fn terms_that_fit_in_a_general_value() {
    offers(
        "f : (xs : List I64) -> (label : Utf8) -> I64\nf xs label = let count = ?h in count + list_len xs\n",
        "",
        &["utf8_len label", "list_len xs"],
    );
    offers(
        "f : (xs : List I64) -> (label : Utf8) -> Utf8\nf xs label = let same = fun x -> ?h in helper (same 1) (same label)\n",
        "",
        &["list_fold ?f ?start ?xs"],
    );
}

#[test]
fn constructors_that_may_be_applied() {
    offers(
        "f : (x : I64) -> Result I64 I64\nf x = ?h x\n",
        "",
        &["Err", "Ok", "f"],
    );
    offers("f : (x : I64) -> Shape\nf x = ?h x\n", "", &["f"]);
}

#[test]
fn a_function_comes_last_where_it_is_defined() {
    offers(
        "f : (x : I64) -> I64\nf x = let rec go = fun n -> let m = n - 1 in ?h in go x\n",
        "panic",
        &["m", "n", "x", "f m", "go m"],
    );
}

#[test]
fn what_is_in_scope_has_its_type() {
    let text = "f : (a : List b) -> I64\nf a = let g = fun x -> x in match list_len a with | 0 -> 1 | n -> ?h\n";
    let document = document(&program(&[("main/f.soil", text)]));
    let holes = holes(&document);
    let scope = holes[0]["in_scope"].as_array().expect("a list");
    let names: Vec<&str> = scope
        .iter()
        .map(|local| local["name"].as_str().expect("a text"))
        .collect();
    assert_eq!(names, ["n", "g", "a"]);
    assert_eq!(scope[0]["ty"]["value"]["name"], "I64");
    let identity = &scope[1]["ty"]["value"];
    assert_eq!(identity["dom"], identity["cod"]);
    assert_eq!(identity["dom"]["tag"], "SVar");
    assert_eq!(scope[2]["ty"]["value"]["args"][0]["value"]["name"], "b");
}

/// A file whose subexpressions are cut out, with the texts that it needs.
struct Corpus {
    texts: ProgramTexts,
    file: usize,
}

/// The files of the example project, and those like the prelude's.
fn corpora() -> Vec<Corpus> {
    let basis = ProgramTexts {
        definitions: corpus::basis(),
        ..ProgramTexts::default()
    };
    [corpus::examples(), basis]
        .into_iter()
        .flat_map(|texts| {
            (0..texts.definitions.len()).map(move |file| {
                let texts = texts.clone();
                Corpus { texts, file }
            })
        })
        .collect()
}

/// Lists the subexpressions of a definition that are cut out.
fn subexpressions(tree: &Tree) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut open = vec![tree.definitions[0].body];
    while let Some(id) = open.pop() {
        found.push(id);
        tree.for_each_part(id, |part| open.push(part));
    }
    found
}

fn with_text(corpus: &Corpus, text: String) -> Program {
    let mut texts = corpus.texts.clone();
    let path = texts.definitions[corpus.file].path.clone();
    texts.definitions[corpus.file] = Text::new(path, text.into_bytes());
    // What stands later does not matter, and takes time.
    texts.definitions.truncate(corpus.file + 1);
    Program::read(&texts).expect("the type environment makes sense")
}

fn spliced(text: &str, span: Span, part: &str) -> String {
    let (start, end) = (span.start as usize, span.end as usize);
    format!("{}{part}{}", &text[..start], &text[end..])
}

#[test]
fn cut_holes_are_filled() {
    let (mut tried, mut found) = (0, 0);
    let mut lost = Vec::new();
    for corpus in corpora() {
        let bytes = &corpus.texts.definitions[corpus.file].bytes;
        let text = String::from_utf8(bytes.to_vec()).expect("it is UTF-8");
        let whole = with_text(&corpus, text.clone());
        let file = &whole.files[corpus.file];
        for id in subexpressions(&file.tree) {
            let cut = spliced(&text, file.tree[id].span, "?cut");
            let program = with_text(&corpus, cut.clone());
            if !check(&program, CheckOptions::default())
                .diagnostics
                .is_empty()
            {
                continue;
            }
            let document = document(&program);
            let all = holes(&document);
            let hole = all.iter().find(|hole| hole["name"] == "cut");
            let hole = hole.expect("the hole is listed");
            for term in terms(hole) {
                assert_holds(&corpus, &cut, term, all.len());
            }
            let is_offered = matches!(
                file.tree[id].kind,
                ExprKind::Path { .. }
                    | ExprKind::Constructor { .. }
                    | ExprKind::Record { .. }
                    | ExprKind::Apply { .. }
            );
            if is_offered {
                tried += 1;
                let original = print::expr(&file.tree, &whole.names, id);
                let texts = texts(hole);
                let mut first = texts.iter().take(5);
                if first.any(|term| is_instance(&original, term)) {
                    found += 1;
                } else {
                    lost.push((original, cut));
                }
            }
        }
    }
    println!("{found} of {tried} cut expressions are among the first five terms");
    assert!(tried > 100, "{tried}");
    assert!(found * 100 >= tried * 85, "{found} of {tried}: {lost:#?}");
}

/// Puts a term in the place of the hole: the text checks, with exactly the holes that the term lists.
fn assert_holds(corpus: &Corpus, cut: &str, term: &Value, holes_before: usize) {
    let text = term["term"].as_str().expect("a text");
    let filled = cut.replacen("?cut", text, 1);
    let program = with_text(corpus, filled.clone());
    let checked = check(&program, CheckOptions::default());
    let reports: Vec<Diagnostic> = checked.diagnostics.clone().into_sorted();
    assert!(
        reports.is_empty(),
        "{filled}\n{:#?}",
        shown(&program, &reports)
    );
    let listed = term["holes"].as_array().map_or(0, Vec::len);
    let count: usize = checked
        .definitions
        .iter()
        .map(CheckedDefinition::hole_count)
        .sum();
    assert_eq!(count, holes_before - 1 + listed, "{filled}");
}

/// Says whether an expression is a term, or one with something in the place of its holes.
fn is_instance(original: &str, term: &str) -> bool {
    let mut names = Names::new();
    let mut tree = Tree::new();
    let mut read = |text: &str| {
        let part = Part {
            file: FileId::new(0),
            bytes: text.as_bytes(),
            range: 0..text.len(),
        };
        parse_expr(part, &mut names, &mut tree).expect("it reads")
    };
    let (original, term) = (read(original), read(term));
    matches_term(&tree, &names, original, term)
}

fn matches_term(tree: &Tree, names: &Names, original: ExprId, term: ExprId) -> bool {
    match (tree[original].kind, tree[term].kind) {
        (_, ExprKind::Hole { .. }) => true,
        (
            ExprKind::Apply { function, argument },
            ExprKind::Apply {
                function: head,
                argument: hole,
            },
        ) => matches_term(tree, names, function, head) && matches_term(tree, names, argument, hole),
        (
            ExprKind::Record { fields, base: None },
            ExprKind::Record {
                fields: others,
                base: None,
            },
        ) => tree[fields].iter().all(|field| {
            let mut others = tree[others].iter();
            let other = others.find(|other| other.field.name == field.field.name);
            other.is_some_and(|other| matches_term(tree, names, field.value, other.value))
        }),
        _ => print::expr(tree, names, original) == print::expr(tree, names, term),
    }
}
