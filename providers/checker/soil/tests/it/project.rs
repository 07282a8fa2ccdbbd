//! Small programs for tests.

use soil::check::{CheckOptions, Checked, check};
use soil::diagnostic::Diagnostic;
use soil::environment::{Environment, TypeEntry};
use soil::program::{Program, ProgramTexts, Text};
use soil::source::{FileId, Span};
use soil::syntax::tree::Tree;
use soil::syntax::{Names, Part, parse_declaration};

/// The types of the programs.
const TYPES: &[&str] = &[
    "type Level = | Low | Normal | High",
    "type Alarm = | Low | Loud",
    "type Point = { x : I64, y : I64 }",
    "type Place = { x : I64, y : I64 }",
    "type Reading = { sensor : Utf8, value : F64 }",
    "type Stored = { reading : Reading, seen : Bool ignored = True }",
    "type Pair a b = { first : a, second : b }",
    "type Tree a = | Leaf | Node (Tree a)",
    "type Shape = | Circle F64 | Box { width : F64, height : F64 } | Empty",
    "type Celsius = F64",
    "type Handle = opaque",
    "type Keeper = { handle : Handle, count : I64 }",
];

/// Gives the environment of the types above.
fn environment(types: &[&str], names: &mut Names) -> Environment {
    let mut environment = Environment::kernel_in(names);
    let mut entries = Vec::new();
    for text in types {
        let text = text.replace("ignored = True", "ignored = 1");
        let mut tree = Tree::new();
        let part = Part {
            file: FileId::new(0),
            bytes: text.as_bytes(),
            range: 0..text.len(),
        };
        let declaration = parse_declaration(part, names, &mut tree).expect("it reads");
        entries.push(TypeEntry::from_declaration(
            &declaration,
            &tree,
            names,
            None,
        ));
    }
    environment
        .declare(entries, names)
        .expect("they make sense");
    environment
}

/// Reads a program of files given as path and text.
pub(crate) fn program(files: &[(&str, &str)]) -> Program {
    program_with(TYPES, files, &[])
}

/// Reads a program with other types, and with files of which only the signatures are read.
pub(crate) fn program_with(
    types: &[&str],
    files: &[(&str, &str)],
    signatures: &[(&str, &str)],
) -> Program {
    let mut names = Names::new();
    let environment = environment(types, &mut names);
    let texts = |files: &[(&str, &str)]| {
        let texts = files.iter();
        texts
            .map(|(path, text)| Text::new(*path, text.as_bytes()))
            .collect()
    };
    let texts = ProgramTexts {
        definitions: texts(files),
        signatures: texts(signatures),
        root_module: "main".to_owned(),
        ..ProgramTexts::default()
    };
    Program::read_in(&texts, environment, names).expect("there are no guards")
}

/// Checks all of a program.
pub(crate) fn checked(program: &Program) -> Checked<'_> {
    check(program, CheckOptions::default())
}

/// Gives what was reported as code, file and marked text.
pub(crate) fn shown(program: &Program, diagnostics: &[Diagnostic]) -> Vec<String> {
    let shown = diagnostics.iter().map(|diagnostic| {
        let text = diagnostic
            .file
            .zip(diagnostic.span)
            .map(|(file, span)| marked(program, file, span));
        format!("{} {}", diagnostic.code, text.unwrap_or_default())
    });
    shown.collect()
}

fn marked(program: &Program, file: FileId, span: Span) -> String {
    let source = program
        .sources
        .get(file)
        .expect("it is a file of the program");
    let bytes = &source.bytes[span.range()];
    format!(
        "{}..{} `{}`",
        span.start,
        span.end,
        String::from_utf8_lossy(bytes)
    )
}

/// A text in which places are marked by `«…»`, with the spans of the places, in order of their starts.
pub(crate) fn places(text: &str) -> (String, Vec<Span>) {
    let mut plain = String::new();
    let mut spans: Vec<Span> = Vec::new();
    let mut open = Vec::new();
    for character in text.chars() {
        let at = u32::try_from(plain.len()).expect("it is short");
        match character {
            '«' => {
                open.push(spans.len());
                spans.push(Span::empty_at(at));
            }
            '»' => spans[open.pop().expect("it was opened")].end = at,
            other => plain.push(other),
        }
    }
    (plain, spans)
}
