//! `soil fix`.

use crate::program::{Project, Run, examples};

/// Fixes a file, and checks what came out.
fn fixed(path: &str, before: &str, after: &str) {
    let project = Project::new(&[(path, before)]);
    let words = ["fix", "program.json", "--file", path];
    project.write(path, project.soil(&words).answer());
    // What edits leave of layout is the printer's to settle.
    assert_eq!(project.soil(&["print", path]).answer(), after, "{before}");
    project.soil(&["check", "program.json"]).answer();
}

#[test]
fn machine_edits_are_applied_and_hold() {
    fixed(
        "m/f.soil",
        "f : (o : Option I64) -> I64\nf o =\n  match o with\n  | Option::None -> 0\n  | Some n -> n\n  | _ -> 1\n",
        "f : (o : Option I64) -> I64\nf o =\n  match o with\n  | None -> 0\n  | Some n -> n\n",
    );
}

#[test]
fn a_file_without_mistakes_stays_as_it_is() {
    let file = "sensors/clamp.soil";
    let text = std::fs::read_to_string(examples().join(file)).expect("it is there");
    let run = Run::soil(&examples(), &["fix", "program.json", "--file", file]);
    assert_eq!(run.answer(), text);
}

#[test]
fn what_needs_a_decision_stays() {
    let file = "rejected/level_rank.soil";
    let text = std::fs::read_to_string(examples().join(file)).expect("it is there");
    let run = Run::soil(&examples(), &["fix", "rejected.json", "--file", file]);
    assert_eq!(run.answer(), text);
}
