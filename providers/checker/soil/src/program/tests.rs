use super::*;
use crate::check::{CheckOptions, check};

fn texts(definitions: &[(&str, &str)], signatures: &[(&str, &str)]) -> ProgramTexts {
    let of = |all: &[(&str, &str)]| {
        let all = all.iter();
        all.map(|(path, text)| Text::new(*path, text.as_bytes()))
            .collect()
    };
    ProgramTexts {
        root_module: "root".to_owned(),
        definitions: of(definitions),
        signatures: of(signatures),
        ..ProgramTexts::default()
    }
}

/// Gives what is reported, by path, code and place.
fn reported(program: &Program) -> Vec<String> {
    let checked = check(program, CheckOptions::default());
    let found = checked.diagnostics.iter().map(|one| {
        let source = one.file.and_then(|file| program.sources.get(file));
        let path = source.map(|source| source.path.to_string());
        format!("{path:?} {} {:?} {}", one.code, one.span, one.message)
    });
    found.collect()
}

#[test]
fn a_program_of_known_files_is_the_one_that_is_read_anew() {
    let one = ("m/one.soil", "one : (x : I64) -> I64\none x = x\n");
    let two = ("m/two.soil", "two : (x : I64) -> I64\ntwo x = one x\n");
    let changed = ("m/two.soil", "two : (x : Bool) -> Bool\ntwo x = x\n");
    let slip = ("m/slip.soil", "slip : (x : I64) -> I64\nslip x = (x\n");
    let private = ("m/_private.soil", "_p : (x : I64) -> I64\n_p x = two x\n");
    let known = texts(&[slip, private, two, one], &[]);
    let known = Program::read(&known).expect("no guard is wrong");
    let cases = [
        texts(&[one, two, private, slip], &[]),
        texts(&[one, changed, private], &[slip]),
        texts(&[private], &[one, two]),
        texts(&[two], &[]),
        texts(&[], &[]),
    ];
    for texts in &cases {
        let again = Program::read_from(&known, texts).expect("no guard is wrong");
        let anew = Program::read(texts).expect("no guard is wrong");
        assert_eq!(reported(&again), reported(&anew));
        let shown = |program: &Program| -> Vec<String> {
            let definitions = program.definitions();
            let shown = definitions.map(|(id, one)| {
                let tree = &program.file_of(id).tree;
                let ty = crate::print::ty(tree, &program.names, program.written(id).signature);
                format!("{}: {ty} {}", &program.names[one.name], one.file)
            });
            shown.collect()
        };
        assert_eq!(shown(&again), shown(&anew));
        for file in &again.files {
            let source = again.sources.get(file.id).expect("it is there");
            let is_shared = known
                .files
                .iter()
                .any(|other| Arc::ptr_eq(&other.tree, &file.tree));
            let is_known = [one, two, private].contains(&(&*source.path, utf8(&source.bytes)));
            assert_eq!(is_shared, is_known, "{}", source.path);
        }
    }
}

fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it is text")
}

/// Each definition that is added looks through those of its name: as many as there are modules, however often one repeats it.
#[test]
fn a_repeated_name_is_looked_through_once_for_each_module() {
    let repeated = |count: usize| "_p : I64\n_p = 1\n".repeat(count);
    let (many, few) = (repeated(500), repeated(3));
    let texts = texts(
        &[("m/_private.soil", &many), ("n/_private.soil", &few)],
        &[],
    );
    let program = Program::read(&texts).expect("no guard is wrong");
    let name = program.names.get("_p").expect("it is written");
    assert_eq!(program.definitions().count(), 503);
    assert_eq!(program.definitions_named(name).count(), 2);
    let checked = check(&program, CheckOptions::default());
    let found = &checked.diagnostics;
    assert_eq!(found.iter().count() + found.suppressed(), 499 + 2);
    for one in found.iter() {
        let places: Vec<_> = one
            .notes
            .iter()
            .map(|note| (note.file, note.span))
            .collect();
        let first = crate::source::Span::new(0, 2);
        assert_eq!(one.code, Code::Shadowing);
        assert_eq!(places, [(one.file, Some(first))]);
    }
}
