//! Diagnostics for people.

#![expect(
    clippy::needless_raw_string_hashes,
    reason = "snapshots are rewritten in this form"
)]

use snapbox::{assert_data_eq, str};

use crate::program::{Project, Run, examples};

#[test]
fn a_match_is_shown_with_what_it_lacks() {
    let run = Run::soil(&examples(), &["check", "rejected.json", "--human"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert_data_eq!(
        run.stderr,
        str![[r#"
error[non-exhaustive-match]: [..]
 --> rejected/level_rank.soil:3:3
  |
3 | /   match level with
4 | |   | Low -> 0
5 | |   | Normal -> 1
  | |_______________^
  |
  = note: `High` is not matched
help: perhaps [..]
  |
5 |   | Normal -> 1 | High -> ?high
  |                 +++++++++++++++

1 error

"#]]
    );
}

#[test]
fn places_in_two_files_are_shown() {
    let project = Project::new(&[
        ("m/one.soil", "one : I64\none = 1\n"),
        (
            "m/two.soil",
            "two : (one : I64) -> I64\ntwo one = one + \"1\"\n",
        ),
    ]);
    let run = project.soil(&["--human", "check", "program.json"]);
    assert_data_eq!(
        run.stderr,
        str![[r#"
error[shadowing]: [..]
 --> m/two.soil:2:5
  |
2 | two one = one + "1"
  |     ^^^
  |
  = note: [..]
  |
 ::: m/one.soil:1:1
  |
1 | one : I64
  | ---
  |
help: [..]
  |
2 | two one2 = one2 + "1"
  |        +      +

error[type-mismatch]: [..]
 --> m/two.soil:2:17
  |
2 | two one = one + "1"
  |           ---   ^^^
  |           |
  |           [..]
  |
help: perhaps write `1`
  |
2 - two one = one + "1"
2 + two one = one + 1
  |
help: perhaps leave the hole `?value`
  |
2 - two one = one + "1"
2 + two one = one + ?value
  |

2 errors

"#]]
    );
}

#[test]
fn a_place_behind_the_last_newline_is_the_one_of_the_document() {
    let project = Project::new(&[("m/one.soil", "one : I64\none =\n")]);
    let document = project.soil(&["check", "program.json"]);
    let place = r#""span":{"tag":"Some","value":{"start":16,"end":16,"line":3,"col":1}}"#;
    assert!(document.stderr.contains(place), "{}", document.stderr);
    let run = project.soil(&["--human", "check", "program.json"]);
    assert_data_eq!(
        run.stderr,
        str![[r#"
error[parse-expected]: expected an expression, found the end of the text
 --> m/one.soil:3:1
...
1 error

"#]]
    );
}

#[test]
fn refusals_have_no_source() {
    let run = Run::soil(&examples(), &["chek", "--human"]);
    assert_data_eq!(
        run.stderr,
        str![[r#"
error[usage]: unrecognized subcommand `chek`
 |
 = note: a similar subcommand exists: `check`

1 error

"#]]
    );
    let run = Run::soil(&examples(), &["lex", "none.soil", "--human"]);
    assert_data_eq!(
        run.stderr,
        str![[r#"
error[io]: `none.soil` cannot be read: No such file or directory (os error 2)

1 error

"#]]
    );
    let run = Run::soil(&examples(), &["check", "env.json", "--human"]);
    assert_data_eq!(
        run.stderr,
        str![[r#"
error[malformed-input]: `$` lacks the key `defs`
--> env.json

1 error

"#]]
    );
}

#[test]
fn a_raise_is_shown_with_its_trace() {
    let words = [
        "run",
        "program.json",
        "--entry",
        "remove_units",
        "--args",
        "[3,5]",
        "--human",
    ];
    let run = Run::soil(&examples(), &words);
    assert_data_eq!(
        run.stderr,
        str![[r#"
error[runtime-panic]: overflow: the result of `-` is no U64
 |
 = note: stock::remove_units

1 error

"#]]
    );
}

#[test]
fn an_answer_is_the_same_for_people() {
    let plain = Run::soil(&examples(), &["check", "program.json"]);
    let human = Run::soil(&examples(), &["check", "program.json", "--human"]);
    assert_eq!(plain, human);
}

#[test]
fn no_text_drives_the_terminal() {
    let project = Project::new(&[("f.soil", "f : I64\nf = \"\u{1b}[2J\u{202e}\" @ \u{1b}[31m")]);
    std::fs::write(
        project.path().join("g.soil"),
        b"g : I64\ng = \xff\xfe + \"\xc3\"",
    )
    .expect("it is written");
    for file in ["f.soil", "g.soil"] {
        let words = ["parse", file, "--human"];
        let coloured = crate::program::command(project.path(), &words)
            .env("CLICOLOR_FORCE", "1")
            .output();
        let coloured = Run::of(coloured.expect("the program starts"));
        assert_eq!(coloured.code, 1);
        for text in ["\u{1b}[2J", "\u{1b}[31m", "\u{202e}"] {
            assert!(!coloured.stderr.contains(text), "{coloured:?}");
        }
        let plain = project.soil(&words);
        assert!(!plain.stderr.contains('\u{1b}'), "{plain:?}");
        assert!(plain.stderr.contains(file), "{plain:?}");
    }
}

#[test]
fn colour_is_for_terminals() {
    let words = ["check", "rejected.json", "--human"];
    let output = crate::program::command(&examples(), &words)
        .env("CLICOLOR_FORCE", "1")
        .output();
    let coloured = Run::of(output.expect("the program starts"));
    assert!(coloured.stderr.contains("\u{1b}["), "{coloured:?}");
    let plain = Run::soil(&examples(), &words);
    assert!(!plain.stderr.contains('\u{1b}'), "{plain:?}");
}

#[test]
fn only_so_many_are_shown() {
    let body = "@".repeat(3) + &" @".repeat(60);
    let project = Project::new(&[("f.soil", &body)]);
    let run = project.soil(&["lex", "f.soil", "--human"]);
    let last = run.stderr.lines().last();
    assert_eq!(last, Some("63 errors, 13 of them not shown"));
}

#[test]
fn a_word_that_is_missing_is_asked_for_and_help_that_cannot_be_written_is_an_error() {
    for words in [&[][..], &["job"]] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_lonis-checker"))
            .args(words)
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(
            said.contains("a command is missing; `--help` lists them"),
            "{said}"
        );
    }
    for words in [
        &["--help"][..],
        &["help"],
        &["check", "--help"],
        &["--version"],
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_lonis-checker"))
            .args(words)
            .stdout(full)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(8), "{words:?}: {said}");
        assert!(
            said.starts_with("error[io]: the answer cannot be written"),
            "{said}"
        );
    }
}
