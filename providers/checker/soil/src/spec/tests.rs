use super::*;

type Report = (&'static str, Option<(u32, u32)>);

fn read_at(source: &str, location: Location<'_>) -> (ReadSpec, Vec<Report>) {
    let found = read(
        FileId::new(0),
        source.as_bytes(),
        location,
        &mut Names::new(),
    );
    let sorted = found.diagnostics.clone().into_sorted();
    let reports = sorted.iter().map(|diagnostic| {
        (
            diagnostic.code.text(),
            diagnostic.span.map(|span| (span.start, span.end)),
        )
    });
    let reports = reports.collect();
    (found, reports)
}

fn function(body: &str) -> (ReadSpec, Vec<Report>) {
    let source = format!("---\nname: f\n---\nWords.\n{body}");
    read_at(&source, Location::of_path("m/f.tr", "p"))
}

/// The length of what stands before the body of [`function`].
const HEAD: u32 = 23;

/// The codes of a body with the text that each is about.
fn codes(body: &str) -> Vec<(&'static str, &str)> {
    let (_, reports) = function(body);
    let shown = reports.into_iter().map(|(code, span)| {
        let text = span.map_or("-", |(start, end)| {
            &body[(start - HEAD) as usize..(end - HEAD) as usize]
        });
        (code, text)
    });
    shown.collect()
}

const TEST: &str = "```test t\n() => 1\n```\n";

#[test]
fn a_whole_function() {
    let body = concat!(
        "```soil-sig @agent\nf : (a : I64) -> panic I64\n```\n",
        "```requires\nnot zero: a != 0\n\npositive : 0 < a -- so far\n```\n",
        "```ensures\nbig: result > a\n```\n",
        "~~~test one xfail @agent\nwith now = fake_clock 1000 {\"a\": [1]}\n(now, -1, \"),\") => {\"x\":1}\n() => panic\n~~~\n",
        "```property p\nforall a : List I64\nforall b : I64\ntotal a == b\n  implies b > 0\n```\n",
        "```cram c\nwith file \"d/x.txt\" = \"y\\n\"\n$ cat d/x.txt\ny\n$ false\n[1]\n```\n",
        "```reference\nref/f.py::f_1\n```\n",
        "```allow\npartial ffi-raw\n```\n",
        "```rust\nfn prose() {}\n```\n",
    );
    let (found, reports) = function(body);
    assert_eq!(reports, []);
    let spec = found.spec.expect("the file reads");
    let Content::Function(function) = &spec.content else {
        panic!("it is a function")
    };
    assert!(function.signature.expect("there is one").is_agent);
    let labels: Vec<&str> = function
        .requires
        .iter()
        .map(|clause| clause.label.value.as_str())
        .collect();
    assert_eq!(labels, ["not zero", "positive"]);
    assert_eq!(function.ensures.len(), 1);
    let test = &function.tests[0];
    assert!(test.is_xfail && test.name.value == "one");
    assert_eq!(test.binds[0].constructor.value, "fake_clock");
    assert_eq!(test.binds[0].arguments[1].text, "{\"a\": [1]}");
    let first = &test.cases[0];
    assert!(matches!(&first.arguments[0], Argument::Bound(name) if name.value == "now"));
    assert!(matches!(&first.arguments[2], Argument::Json(json) if json.text == "\"),\""));
    assert!(matches!(&first.expected, Expected::Value(json) if json.text == "{\"x\":1}"));
    assert!(test.cases[1].panic_span().is_some());
    assert_eq!(function.properties[0].foralls.len(), 2);
    let cram = &function.crams[0];
    assert_eq!(cram.files[0].content, "y\n");
    let steps: Vec<(&str, &str, u8)> = cram
        .steps
        .iter()
        .map(|step| {
            (
                step.command.value.as_str(),
                step.output.as_str(),
                step.status,
            )
        })
        .collect();
    assert_eq!(steps, [("cat d/x.txt", "y\n", 0), ("false", "", 1)]);
    let python = ReferenceTarget::Python {
        path: "ref/f.py".to_owned(),
        symbol: "f_1".to_owned(),
    };
    assert_eq!(
        function
            .reference
            .as_ref()
            .map(|reference| &reference.target),
        Some(&python)
    );
    let allowed: Vec<Allowed> = function.allow.iter().map(|allowed| allowed.value).collect();
    assert_eq!(allowed, [Allowed::Partial, Allowed::FfiRaw]);
}

#[test]
fn frontmatter_rejections() {
    let location = Location::of_path("m/f.tr", "p");
    let cases: &[(&str, &[Report])] = &[
        ("name: f\n", &[("tr-missing-frontmatter", Some((0, 7)))]),
        ("", &[("tr-missing-frontmatter", Some((0, 9)))]),
        (
            "---\nname: f\n",
            &[("tr-frontmatter-syntax", Some((34, 34)))],
        ),
        (
            "---\nnam: f\nname: f\n---\nP.\n",
            &[("tr-unknown-frontmatter-key", Some((4, 7)))],
        ),
        (
            "---\nname: f\nname: f\n---\nP.\n",
            &[("tr-frontmatter-syntax", Some((12, 16)))],
        ),
        (
            "---\nname: a b\n---\nP.\n",
            &[("tr-frontmatter-syntax", Some((10, 13)))],
        ),
        (
            "---\nname f\n---\nP.\n",
            &[
                ("tr-frontmatter-syntax", Some((4, 10))),
                ("tr-missing-name", Some((0, 14))),
            ],
        ),
        (
            "---\ntags: [a]\n---\nP.\n",
            &[("tr-missing-name", Some((0, 17)))],
        ),
        (
            "---\nname: f\ntags: a\n---\nP.\n",
            &[("tr-frontmatter-syntax", Some((18, 19)))],
        ),
        (
            "---\nname: f\ntags: [a,]\n---\nP.\n",
            &[("tr-frontmatter-syntax", Some((21, 21)))],
        ),
        (
            "---\nname: g\ntags:\n  - a\n  - b-c\n---\nP.\n",
            &[("tr-name-mismatch", Some((10, 11)))],
        ),
    ];
    for (source, expected) in cases {
        let source = format!("{source}{TEST}");
        let (_, reports) = read_at(&source, location);
        let mut expected = expected.to_vec();
        expected.sort_by_key(|(_, span)| *span);
        assert_eq!(reports, expected, "{source}");
    }
    let (found, _) = read_at("---\nname: f\ntags:\n  - a\n  - b-c\n---\n", location);
    let tags = found.container.expect("it reads").frontmatter.tags;
    assert_eq!(tags.len(), 2);
}

#[test]
fn block_rejections() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("```test t\n() => 1\n", &[("tr-block-info", "```test t")]),
        ("```test\n() => 1\n```\n", &[("tr-block-info", "test")]),
        (
            "```test t @agent xfail\n() => 1\n```\n",
            &[("tr-block-info", "xfail")],
        ),
        (
            "```requires r\n```\n",
            &[
                ("tr-missing-test-block", "-"),
                ("tr-unnamed-params", "requires r"),
                ("tr-block-info", "r"),
            ],
        ),
        (
            "```allow xfail\n```\n",
            &[
                ("tr-missing-test-block", "-"),
                ("tr-block-info", "allow xfail"),
            ],
        ),
        (
            "```exports\nf\n```\n",
            &[("tr-missing-test-block", "-"), ("tr-block-kind", "exports")],
        ),
        (
            "```allow\n```\n```allow\n```\n",
            &[("tr-missing-test-block", "-"), ("tr-block-count", "allow")],
        ),
        (
            "```test a\n() => 1\n```\n```cram a\n$ x\n```\n",
            &[("tr-duplicate-test-name", "a")],
        ),
        (
            "- ```test t\n  () => 1\n  ```\n",
            &[("tr-missing-test-block", "-")],
        ),
        (
            "> ```test t\n> () => 1\n",
            &[("tr-missing-test-block", "-")],
        ),
        (
            "```test t\nwith x = fake_clock 1\n```\n",
            &[("tr-test-syntax", "test t")],
        ),
        (
            "```test t\n() => 1\nwith x = fake_clock 1\n```\n",
            &[("tr-test-syntax", "with x = fake_clock 1")],
        ),
        (
            "```test t\nwith x = fake_clock {\n() => 1\n```\n",
            &[("tr-test-syntax", "{")],
        ),
        ("```test t\n(now) => 1\n```\n", &[("tr-test-syntax", "now")]),
        ("```test t\n(1 => 1\n```\n", &[("tr-test-syntax", "=> 1")]),
        ("```test t\n(1) = 1\n```\n", &[("tr-test-syntax", "= 1")]),
        ("```test t\n(1) => 1 2\n```\n", &[("tr-test-syntax", "1 2")]),
        (
            "```test t\n(1) => {\"a\":}\n```\n",
            &[("tr-test-syntax", "{\"a\":}")],
        ),
        ("```test t\n1 => 1\n```\n", &[("tr-test-syntax", "1 => 1")]),
        (
            "```property p\nforall x I64\nf x == 1\n```\n",
            &[("tr-property-syntax", "x I64")],
        ),
        (
            "```property p\nforall x : i64 ->\nf x == 1\n```\n",
            &[("tr-property-syntax", "")],
        ),
        (
            "```property p\nforall x : I64\nf x ==\n```\n",
            &[("tr-property-syntax", "")],
        ),
        (
            "```property p\nforall x : I64 where x > 0\nf x == 1\n```\n",
            &[("unsupported-where-filter", "where")],
        ),
        (
            "```property p\nforall x : I64\nwhere x > 0\nf x == 1\n```\n",
            &[("unsupported-where-filter", "where")],
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(codes(body), *expected, "{body}");
    }
}

#[test]
fn session_rejections() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("```cram c\ncat x\n```\n", &[("tr-cram-syntax", "cat x")]),
        (
            "```cram c\nwith file \"../x\" = \"\"\n$ x\n```\n",
            &[("tr-cram-syntax", "with file \"../x\" = \"\"")],
        ),
        ("```cram c\n```\n", &[("tr-cram-syntax", "cram c")]),
    ];
    for (body, expected) in cases {
        assert_eq!(codes(body), *expected, "{body}");
    }
}

#[test]
fn files_of_a_session_stand_in_its_folder() {
    for path in ["", "/x", "x/", "a//b", ".", "..", "a/../b", "a\\u0000b"] {
        let file = format!("with file \"{path}\" = \"\"");
        let body = format!("```cram c\n{file}\n$ x\n```\n");
        assert_eq!(codes(&body), [("tr-cram-syntax", &*file)]);
    }
}

#[test]
fn rejections_beside_a_test() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("```soil-sig\ng : I64\n```\n", &[("tr-name-mismatch", "g")]),
        (
            "```soil-sig\nf : (a : I64) ->\n```\n",
            &[("tr-sig-syntax", "")],
        ),
        ("```soil-sig\nf (a : I64)\n```\n", &[("tr-sig-syntax", "(")]),
        (
            "```soil-sig\nf : I64 g : I64\n```\n",
            &[("tr-sig-syntax", ":")],
        ),
        (
            "```ensures\nlabel\n```\n```soil-sig\nf : I64\n```\n",
            &[("tr-predicate-syntax", "label")],
        ),
        (
            "```ensures\n: result == 1\n```\n```soil-sig\nf : I64\n```\n",
            &[("tr-predicate-syntax", ": result == 1")],
        ),
        (
            "```ensures\na: result = 1\n```\n```soil-sig\nf : I64\n```\n",
            &[("tr-predicate-syntax", "=")],
        ),
        (
            "```ensures\na: f 1\na: f 2\n```\n```soil-sig\nf : I64\n```\n",
            &[("tr-predicate-syntax", "a")],
        ),
        (
            "```requires\na: a == 1\n```\n```soil-sig\nf : I64 -> (a : I64) -> I64\n```\n",
            &[("tr-unnamed-params", "I64")],
        ),
        (
            "```reference\nf.py\n```\n",
            &[("tr-reference-syntax", "f.py")],
        ),
        (
            "```reference\n/f.py::g\n```\n",
            &[("tr-reference-syntax", "/f.py::g")],
        ),
        (
            "```reference\nf.py::g\ncli x\n```\n",
            &[("tr-reference-syntax", "reference")],
        ),
        (
            "```reference\ncli\n```\n",
            &[("tr-reference-syntax", "cli")],
        ),
        (
            "```allow\npartial more\n```\n",
            &[("tr-allow-unknown", "more")],
        ),
        (
            "```soil-sig\nf : A -> B\n```\n```test u\n(1) => panic\n```\n",
            &[("tr-panic-without-row", "panic")],
        ),
        (
            "```soil-sig\nf : A -> ffi B\n```\n```test u\n(1) => panic\n```\n",
            &[],
        ),
    ];
    for (body, expected) in cases {
        let body = format!("{body}{TEST}");
        assert_eq!(codes(&body), *expected, "{body}");
    }
    let (_, reports) = read_at(
        "---\nname: f\n---\n# Heading\n```test t\n() => 1\n```\n",
        Location::of_path("f.tr", "p"),
    );
    assert_eq!(reports, [("tr-missing-prose", None)]);
}

fn declared(block: &str) -> (ReadSpec, Vec<(&'static str, String)>) {
    let source = format!("---\nname: TimeSpan\n---\nWords.\n\n```soil-type\n{block}\n```\n");
    let (found, reports) = read_at(&source, Location::of_path("m/time_span.tr", "p"));
    let shown = reports.into_iter().map(|(code, span)| {
        let text = span.map_or("-", |(start, end)| &source[start as usize..end as usize]);
        (code, text.to_owned())
    });
    let shown = shown.collect();
    (found, shown)
}

#[test]
fn declared_types() {
    let cases = [
        ("type TimeSpan = opaque", "type TimeSpan = opaque"),
        (
            "type TimeSpan a = { f : List a, g : I64 ignored = 0,h : Utf8 ignored = j, j:Utf8 }",
            "type TimeSpan a = { f : List a, g : I64 ignored = 0, h : Utf8 ignored = j, j : Utf8 }",
        ),
        ("type TimeSpan = | A", "type TimeSpan = | A"),
        (
            "type TimeSpan = A | B (List I64) | C { f : I64 }",
            "type TimeSpan = | A | B (List I64) | C { f : I64 }",
        ),
        (
            "type TimeSpan = Map Utf8 I64",
            "type TimeSpan = Map Utf8 I64",
        ),
    ];
    for (block, expected) in cases {
        let mut names = Names::new();
        let source = format!("---\nname: TimeSpan\n---\nWords.\n\n```soil-type\n{block}\n```\n");
        let location = Location::of_path("m/time_span.tr", "p");
        let found = read(FileId::new(0), source.as_bytes(), location, &mut names);
        assert!(
            found.diagnostics.is_empty(),
            "{block}: {:?}",
            found.diagnostics
        );
        let spec = found.spec.expect("it reads");
        let Content::Type(content) = &spec.content else {
            panic!("it is a type")
        };
        let declaration = content.declaration.as_ref().expect("it is there");
        assert_eq!(
            crate::print::declaration(&spec.tree, &names, declaration),
            expected,
            "{block}"
        );
    }
}

#[test]
fn declared_type_rejections() {
    let cases = [
        ("type Other = opaque", "tr-name-mismatch", "Other"),
        ("TimeSpan = opaque", "tr-type-syntax", "TimeSpan"),
        (
            "type TimeSpan = { f : I64, f : I64 }",
            "tr-type-syntax",
            "f",
        ),
        ("type TimeSpan = | A | A", "tr-type-syntax", "A"),
        ("type TimeSpan a a = opaque", "tr-type-syntax", "a"),
        ("type TimeSpan = { f : a }", "tr-type-syntax", "a"),
        (
            "type TimeSpan = { f : I64 -> I64 }",
            "malformed-input",
            "I64 -> I64",
        ),
        (
            "type TimeSpan = { f : I64 ignored = g }",
            "tr-ignored-default",
            "g",
        ),
        (
            "type TimeSpan = { f : I64 ignored = (1) }",
            "tr-ignored-default",
            "(",
        ),
        ("type TimeSpan = { f : I64", "tr-type-syntax", ""),
        ("type TimeSpan =", "tr-type-syntax", ""),
    ];
    for (block, code, text) in cases {
        assert_eq!(declared(block).1, [(code, text.to_owned())], "{block}");
    }
    let two = declared("type TimeSpan = opaque\n```\n```soil-type\ntype TimeSpan = opaque").1;
    assert_eq!(two, [("tr-block-count", "soil-type".to_owned())]);
}

#[test]
fn modules_and_projects() {
    let module = |body: &str| {
        let source = format!("---\nname: m\n---\n{body}");
        let (_, reports) = read_at(&source, Location::of_path("m/_module.tr", "p"));
        let shown: Vec<(&str, String)> = reports
            .into_iter()
            .map(|(code, span)| {
                (
                    code,
                    span.map_or("-", |(start, end)| &source[start as usize..end as usize])
                        .to_owned(),
                )
            })
            .collect();
        shown
    };
    let one = |code: &'static str, text: &str| vec![(code, text.to_owned())];
    let exports = "```exports\nf\ntype T\nabstract type U\n```\n";
    assert_eq!(module(exports), []);
    assert_eq!(module("Words.\n"), one("tr-block-count", "-"));
    assert_eq!(
        module("```exports\ntype t\n```\n"),
        one("tr-exports-syntax", "type t")
    );
    assert_eq!(
        module("```exports\nf\nf\n```\n"),
        one("tr-exports-syntax", "f")
    );
    let decisions = |lines: &str| module(&format!("{exports}```decisions\n{lines}\n```\n"));
    assert_eq!(decisions("a: b\n  rejected: c\nd: e"), []);
    assert_eq!(decisions("a"), one("tr-decisions-syntax", "a"));
    assert_eq!(
        decisions("  rejected: c"),
        one("tr-decisions-syntax", "rejected: c")
    );
    assert_eq!(decisions("a: b\na: c"), one("tr-decisions-syntax", "a"));
    let project = "---\nname: p\n---\n```decisions\na: b\n```\n";
    assert_eq!(
        read_at(project, Location::of_path("_project.tr", "p")).1,
        []
    );
    let elsewhere = read_at(project, Location::of_path("p/_project.tr", "q")).1;
    assert_eq!(elsewhere, [("tr-project-location", None)]);
}

#[test]
fn tags_are_declared() {
    let (found, _) = function(TEST);
    let mut spec = found.spec.expect("it reads");
    spec.tags = vec![
        Spanned::new("known".to_owned(), Span::new(0, 1)),
        Spanned::new("new".to_owned(), Span::new(2, 3)),
    ];
    let mut diagnostics = Diagnostics::new();
    check_tags(&spec, |tag| tag == "known", &mut diagnostics);
    let codes: Vec<Code> = diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect();
    assert_eq!(codes, [Code::TrUndeclaredTag]);
}

#[test]
fn a_text_that_is_no_text() {
    let location = Location::of_path("f.tr", "p");
    let found = read(
        FileId::new(0),
        b"---\nname: \xff\n---\n",
        location,
        &mut Names::new(),
    );
    let codes: Vec<Code> = found
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect();
    assert_eq!(codes, [Code::MalformedInput]);
    let long = vec![b'-'; crate::source::MAX_SOURCE_BYTES + 1];
    let found = read(FileId::new(0), &long, location, &mut Names::new());
    let codes: Vec<Code> = found
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect();
    assert_eq!(codes, [Code::LimitExceeded]);
}
