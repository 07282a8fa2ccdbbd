//! The examples of the codes: the bad text gets its code, at its place, and no other; the good one is accepted.

use soil::check::{CheckOptions, check};
use soil::config;
use soil::diagnostic::example::{Example, NEIGHBOURS, Reader, TYPES, examples};
use soil::diagnostic::{Code, Diagnostic, Params};
use soil::eval::{Bounds, InvokeError, Machine, Unit, invoke};
use soil::json::Json;
use soil::lock::Lock;
use soil::program::{Clause, GuardTexts, Program, ProgramTexts, Text};
use soil::source::{FileId, Span};
use soil::spec::{self, Content, Location};
use soil::syntax::Names;
use soil::testing::{
    MAX_RUN_FUEL, PropertyOptions, Suite, preflight, run_property, spec_cases, spec_guard,
    unevaluated_clauses, unfalsified_clauses, unmet_premise,
};

use crate::project::{places, program_with};
use crate::running::Nowhere;

type Found = (Code, Option<Span>);

fn found(diagnostics: impl IntoIterator<Item = Diagnostic>) -> Vec<Found> {
    let diagnostics = diagnostics.into_iter();
    diagnostics.map(|found| (found.code, found.span)).collect()
}

/// Reads the text of an example, and gives what is said of it.
fn read(reader: Reader, text: &str) -> Vec<Found> {
    match reader {
        Reader::Draft => checked("main/f.soil", text),
        Reader::Private => checked("main/_private.soil", text),
        Reader::Run => run(text),
        Reader::Spec(path) => read_spec(path, text),
        Reader::Place => {
            let folder = text.rsplit_once('/').map_or("p", |(folder, _)| folder);
            read_spec(text, &format!("---\nname: {folder}\n---\nWords.\n"))
        }
        Reader::Testing => tested(text),
        Reader::Settings => {
            let (config, diagnostics) = config::read(FileId::new(0), text.as_bytes());
            let other = config::check_toolchain(FileId::new(0), &config, "0.3.0");
            found(diagnostics.into_sorted().into_iter().chain(other))
        }
        Reader::Lock => match Lock::read(locked(text).as_bytes()) {
            Ok(_) => Vec::new(),
            Err(error) => vec![(error.code(), None)],
        },
        Reader::LockWriter => {
            let lock = Lock::read(locked(text).as_bytes()).expect("only writing is refused");
            let written = lock.write(|_| false);
            written
                .err()
                .map(|error| (error.code(), None))
                .into_iter()
                .collect()
        }
    }
}

fn checked(path: &str, text: &str) -> Vec<Found> {
    let (behind, before) = NEIGHBOURS.split_last().expect("there are some");
    let mut files = before.to_vec();
    files.push((path, text));
    files.push(*behind);
    let program = program_with(TYPES, &files, &[]);
    found(
        check(&program, CheckOptions::RICH)
            .diagnostics
            .into_sorted(),
    )
}

/// Splits clauses and the call off a definition.
fn run(text: &str) -> Vec<Found> {
    let (mut definition, mut call) = (String::new(), None);
    let mut guard = GuardTexts {
        definition: "f".to_owned(),
        requires: Vec::new(),
        ensures: Vec::new(),
    };
    let clause = |text: &str| {
        let (label, predicate) = text.split_once(": ").expect("a clause has a label");
        Clause {
            label: label.to_owned(),
            predicate: predicate.to_owned(),
        }
    };
    for line in text.lines() {
        if let Some(arguments) = line.strip_prefix("$ f ") {
            call = Some(Json::read(arguments.as_bytes()).expect("the arguments are JSON"));
        } else if let Some(text) = line.strip_prefix("requires ") {
            guard.requires.push(clause(text));
        } else if let Some(text) = line.strip_prefix("ensures ") {
            guard.ensures.push(clause(text));
        } else {
            definition = format!("{definition}{line}\n");
        }
    }
    let program = of_texts(&definition, guard);
    let checked = check(&program, CheckOptions::default());
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let unit = Unit::compile(&checked);
    let Some(Json::Array(arguments)) = call else {
        panic!("a call has a list of arguments: {text}");
    };
    let bounds = Bounds::default();
    match invoke(&unit, &program, "f", &arguments, Box::new(Nowhere), bounds) {
        Ok(_) => Vec::new(),
        Err(InvokeError::Usage(_)) => vec![(Code::Usage, None)],
        Err(InvokeError::Malformed(_)) => vec![(Code::MalformedInput, None)],
        Err(InvokeError::Unfilled(unfilled)) => {
            vec![(Code::UnfilledHole, unfilled.hole.map(|(_, span)| span))]
        }
        Err(InvokeError::Raised(raised)) => vec![(raised.code(), None)],
    }
}

fn of_texts(definition: &str, guard: GuardTexts) -> Program {
    let has_clauses = !(guard.requires.is_empty() && guard.ensures.is_empty());
    let texts = ProgramTexts {
        root_module: "m".to_owned(),
        definitions: vec![Text::new("m/f.soil", definition.as_bytes())],
        guards: has_clauses.then_some(guard).into_iter().collect(),
        derives_properties: true,
        ..ProgramTexts::default()
    };
    Program::read(&texts).expect("the clauses make sense")
}

fn read_spec(path: &str, text: &str) -> Vec<Found> {
    let location = Location::of_path(path, "p");
    let read = spec::read(FileId::new(0), text.as_bytes(), location, &mut Names::new());
    let mut diagnostics = read.diagnostics;
    if let Some(spec) = &read.spec {
        spec::check_tags(spec, |tag| tag == "a", &mut diagnostics);
    }
    found(diagnostics.into_sorted())
}

/// Says what preflight, cases and derived properties say of a function.
fn tested(text: &str) -> Vec<Found> {
    let location = Location::of_path("m/f.tr", "p");
    let read = spec::read(FileId::new(0), text.as_bytes(), location, &mut Names::new());
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    let Some(Content::Function(spec)) = read.spec.map(|spec| spec.content) else {
        panic!("the spec of a function: {text}");
    };
    let (_, body) = text.split_once("```soil\n").expect("it has a body");
    let (body, _) = body.split_once("```").expect("the fence is closed");
    let program = of_texts(body, spec_guard(&spec, "f", text));
    let checked = check(&program, CheckOptions::default());
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let unit = Unit::compile(&checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    let cases = spec_cases(&spec, "f").expect("the cases are JSON");
    let suite = Suite::prepare(&mut machine, &unit, &program, &cases).expect("the cases fit");
    let target = program.find_definition("f").expect("it is there");
    let mut all = preflight(&mut machine, &unit, &program, target, &suite);
    if !all.is_empty() {
        return found(all);
    }
    let mut fuel = MAX_RUN_FUEL;
    suite.run(&mut machine, &mut fuel);
    all.extend(unevaluated_clauses(&machine));
    for property in &program.properties {
        let options = PropertyOptions::default();
        let report = run_property(&mut machine, &unit, &program, property, &options, &mut fuel);
        all.extend(unmet_premise(&report.expect("integers are drawn")));
    }
    all.extend(unfalsified_clauses(
        &mut machine,
        &unit,
        &program,
        target,
        3,
        &mut fuel,
    ));
    found(all)
}

/// A lock of a function that has passed its test, one line of it replaced.
fn locked(line: &str) -> String {
    let zero = format!("sha256:{}", "0".repeat(64));
    let mut lines = vec![
        "{\n".to_owned(),
        "  \"lock_format\": 1,\n".to_owned(),
        "  \"name\": \"f\",\n".to_owned(),
        "  \"kind\": \"function\",\n".to_owned(),
        "  \"versions\": { \"trellis\": \"0.3.0\", \"soil\": \"0.3.0\" },\n".to_owned(),
        "  \"spec\": { \"provenance\": \"human\", \"hashes\": {\n".to_owned(),
        format!("      \"formal\": \"{zero}\",\n"),
        format!("      \"test\": \"{zero}\",\n"),
        format!("      \"prose\": \"{zero}\" }}, \"prose_state\": \"fresh\", \"blocks\": [], \"pinned\": true, \"escape_hatches\": [] }},\n"),
        "  \"lowering\": null,\n".to_owned(),
        "  \"checks\": { \"types\": \"ok\", \"termination\": \"verified\", \"refinements\": {}, \"holes\": 0 },\n".to_owned(),
        "  \"tests\": [{ \"name\": \"small#1\", \"tier\": \"expect\", \"mode\": \"sandboxed\", \"origin\": \"spec\", \"result\": \"pass\" }],\n".to_owned(),
        "  \"oracles\": [],\n".to_owned(),
        "  \"accepted\": true\n".to_owned(),
        "}\n".to_owned(),
    ];
    let (key, _) = line.split_once(':').expect("a line of a lock has a key");
    let position = lines
        .iter()
        .position(|own| own.starts_with(&format!("{key}:")));
    line.clone_into(&mut lines[position.expect("a lock has the key")]);
    lines.concat()
}

#[test]
fn the_bad_text_gets_its_code_at_its_place_and_the_good_one_none() {
    let mut wrong = Vec::new();
    for Example {
        code,
        reader,
        bad,
        good,
    } in examples()
    {
        let (plain, spans) = places(bad);
        let mut found = read(*reader, &plain);
        if *code == Code::PreflightVacuousRequires {
            // No case meets the clause, so that each is outside of the domain too.
            found.retain(|(code, _)| *code != Code::PreflightCaseOutsideDomain);
        }
        if found != [(*code, spans.first().copied())] {
            wrong.push(format!("{code}: {found:?}\n{bad}"));
        }
        let (plain, spans) = places(good);
        let found = read(*reader, &plain);
        if !found.is_empty() || !spans.is_empty() {
            wrong.push(format!("{code} mended: {found:?}\n{good}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Reads what a draft of an example gets, with what is said for programs.
fn drafts() -> impl Iterator<Item = (Code, Vec<Diagnostic>)> {
    let drafts = examples().filter(|example| example.reader == Reader::Draft);
    drafts.map(|example| {
        let (plain, _) = places(example.bad);
        let (behind, before) = NEIGHBOURS.split_last().expect("there are some");
        let mut files = before.to_vec();
        files.push(("main/f.soil", &*plain));
        files.push(*behind);
        let program = program_with(TYPES, &files, &[]);
        let found = check(&program, CheckOptions::RICH).diagnostics;
        (example.code, found.into_sorted())
    })
}

#[test]
fn a_code_has_the_facts_that_its_schema_tells() {
    for (code, found) in drafts() {
        for found in found {
            let facts = found.params.as_deref().map(Params::name);
            assert_eq!(facts, code.params_name(), "{code}");
        }
    }
}
