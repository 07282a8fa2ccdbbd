//! Command lines, files and inputs that are refused.

use crate::job_root::checker;
use crate::program::{Project, Run, examples};

fn refused(folder: &std::path::Path, words: &[&str], expected: &[&str]) -> Run {
    let run = Run::soil(folder, words);
    assert_eq!(run.places(), expected, "{words:?}: {run:?}");
    assert_eq!(run.code, 2, "{words:?}");
    run
}

#[test]
fn a_wrong_command_line_is_usage() {
    for words in [
        &[][..],
        &["chek", "program.json"],
        &["check"],
        &["check", "program.json", "more"],
        &["check", "program.json", "--loud"],
        &["run", "program.json"],
        &["run", "program.json", "--entry", "nowhere"],
        &["run", "program.json", "--entry", "clamp", "--args", "[1]"],
        &["fix", "program.json", "--file", "sensors/none.soil"],
        &["search", "program.json", "--type", "Nowhere"],
        &["search", "program.json", "--type", "List"],
        &["search", "program.json", "--type", "(I64"],
    ] {
        refused(&examples(), words, &["usage -"]);
    }
}

#[test]
fn each_face_refuses_words_in_its_own_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |words: &[&str]| Run::of(checker(folder.path(), words).output().expect("it starts"));
    for words in [
        &["job", "open"][..],
        &["job", "close"],
        &["job", "open", "f", "--budget", "1"],
        &["check", "--loud", "--json"],
        &["job", "list", "--json", "--loud"],
    ] {
        let refused = run(words);
        let error = refused.errors()[0].clone();
        assert_eq!(refused.code, 2, "{words:?}");
        assert_eq!(error["code"], "usage", "{words:?}");
        // The documents of tools name the class and the rule, those of the language do not.
        assert_eq!(error["repair_class"], "fix-call", "{words:?}");
    }
    for words in [
        &["check", "--loud"][..],
        &["chek"],
        &["job", "list", "--loud"],
    ] {
        let refused = run(words);
        assert_eq!(
            (refused.code, refused.stdout.as_str()),
            (2, ""),
            "{words:?}"
        );
        assert!(refused.stderr.starts_with("error[usage]: "), "{refused:?}");
    }
    assert_eq!(run(&["soil", "chek"]).errors()[0].get("repair_class"), None);
}

#[test]
fn what_could_have_been_meant_is_a_note() {
    let run = refused(&examples(), &["chek", "program.json"], &["usage -"]);
    let notes = run.errors()[0]["notes"].clone();
    assert!(
        notes[0]["message"].to_string().contains("`check`"),
        "{notes}"
    );
}

#[test]
fn help_is_an_answer() {
    for words in [&["--help"][..], &["check", "--help"]] {
        let run = Run::soil(&examples(), words);
        assert!(run.answer().contains("Usage:"), "{run:?}");
    }
}

#[test]
fn files_that_cannot_be_read_are_io() {
    for command in ["lex", "parse", "print"] {
        refused(&examples(), &[command, "none.soil"], &["io none.soil"]);
        refused(&examples(), &[command, "sensors"], &["io sensors"]);
    }
    for command in ["rename", "infer", "check", "hash"] {
        refused(&examples(), &[command, "none.json"], &["io none.json"]);
    }
}

#[test]
fn every_file_that_is_missing_is_named() {
    let manifest = r#"{"types":"none.json","defs":["m/f.soil","m/g.soil"],"sigs":["h.soil"]}"#;
    let project = Project::new(&[("program.json", manifest), ("m/g.soil", "")]);
    refused(
        project.path(),
        &["check", "program.json"],
        &["io none.json", "io m/f.soil", "io h.soil"],
    );
}

#[test]
fn inputs_of_another_shape_are_malformed() {
    for manifest in [
        "",
        "{",
        "[]",
        r#"{"types":"env.json"}"#,
        r#"{"types":"env.json","defs":[1]}"#,
        r#"{"types":"env.json","defs":[],"more":1}"#,
        r#"{"types":"env.json","types":"env.json","defs":[]}"#,
        r#"{"types":"env.json","defs":[],"guards":[{"def":"f"}]}"#,
    ] {
        let project = Project::new(&[("program.json", manifest)]);
        refused(
            project.path(),
            &["check", "program.json"],
            &["malformed-input program.json"],
        );
    }
    for types in ["", "{}", r#"{"types":[{"name":"T"}]}"#] {
        let project = Project::new(&[("env.json", types)]);
        project.write("env.json", types);
        refused(
            project.path(),
            &["check", "program.json"],
            &["malformed-input env.json"],
        );
    }
}

#[test]
fn nesting_without_end_is_malformed() {
    let deep = "[".repeat(1_000_000);
    let project = Project::new(&[("program.json", &deep)]);
    refused(
        project.path(),
        &["check", "program.json"],
        &["malformed-input program.json"],
    );
}

#[test]
fn a_definition_that_stands_later_is_out_of_order() {
    let project = Project::new(&[
        ("m/two.soil", "two : I64\ntwo = one\n"),
        ("m/one.soil", "one : I64\none = 1\n"),
    ]);
    refused(
        project.path(),
        &["check", "program.json"],
        &["forward-reference m/two.soil 16..19"],
    );
}

#[test]
fn the_worse_of_two_exit_codes_wins() {
    let project = Project::new(&[
        ("m/two.soil", "two : I64\ntwo = one + \"\"\n"),
        ("m/one.soil", "one : I64\none = 1\n"),
    ]);
    let run = project.soil(&["check", "program.json"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.places().len(), 2, "{run:?}");
}

#[test]
fn a_text_that_breaks_the_language_ends_with_1() {
    for (command, text, expected) in [
        ("lex", "f : @", "stray-character f.soil 4..5"),
        ("parse", "f : I64\nf = ", "parse-expected f.soil 12..12"),
        ("print", "g : I64\ng = 1\n", "name-mismatch f.soil 0..1"),
    ] {
        let project = Project::new(&[("f.soil", text)]);
        let run = project.soil(&[command, "f.soil"]);
        assert_eq!(
            (run.code, run.places()),
            (1, vec![expected.to_owned()]),
            "{command}"
        );
    }
}

#[test]
fn a_text_past_its_bound_is_refused_and_not_read_whole() {
    let long = format!("f : I64\nf = {}1\n", " ".repeat(1 << 20));
    let project = Project::new(&[("m/f.soil", &long)]);
    for words in [&["lex", "m/f.soil"][..], &["check", "program.json"]] {
        let run = project.soil(words);
        assert_eq!(run.code, 1);
        assert!(
            run.places()[0].starts_with("limit-exceeded m/f.soil"),
            "{run:?}"
        );
    }
}

#[test]
fn a_program_may_read_signatures_alone() {
    let manifest =
        r#"{"types":"env.json","defs":["m/two.soil"],"sigs":["m/one.soil","m/bad.soil"]}"#;
    let project = Project::new(&[
        ("program.json", manifest),
        ("m/two.soil", "two : I64\ntwo = one\n"),
        ("m/one.soil", "one : I64\none = \"no number\"\n"),
        ("m/bad.soil", "bad : ("),
    ]);
    let run = project.soil(&["check", "program.json"]);
    assert!(run.answer().contains("\"two\""), "{run:?}");
    assert!(!run.answer().contains("\"one\""), "{run:?}");
}

#[test]
fn files_in_the_folder_itself_belong_to_its_module() {
    let project = Project::new(&[
        ("top/env.json", r#"{"types":[]}"#),
        (
            "top/program.json",
            r#"{"types":"env.json","defs":["one.soil","m/one.soil","two.soil"]}"#,
        ),
        ("top/one.soil", "one : I64\none = 1\n"),
        ("top/m/one.soil", "one : I64\none = 2\n"),
        ("top/two.soil", "two : I64\ntwo = top::one + m::one\n"),
    ]);
    for folder in ["top", "."] {
        let path = if folder == "top" {
            "program.json"
        } else {
            "top/program.json"
        };
        let run = Run::soil(
            &project.path().join(folder),
            &["run", path, "--entry", "two"],
        );
        assert_eq!(run.answer(), "3\n");
    }
}
