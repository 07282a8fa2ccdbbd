//! Rows 51 to 54: the program as a host, and what it writes.

use std::fmt::Write;
use std::fs::File;
use std::process::Stdio;
use std::time::Duration;

use misbehave::Handshake;

use super::host::{Ends, GRACE_MILLIS, MEMORY_MIB, case, room};
use crate::program::{Place, Run, lonis, misbehave};

#[test]
fn case_51_a_block_that_was_not_written_is_a_failure() {
    case(MEMORY_MIB, |host| {
        for mode in ["human", "json", "ndjson"] {
            for stream in [&[][..], &["--stream"]] {
                for full in [false, true] {
                    let mut handshake = Handshake::new().unwrap();
                    let place = Place::new();
                    let endless = ["endless", "children=1"];
                    let brief = ["blocks", "count=1"];
                    let words = if stream.is_empty() { brief } else { endless };
                    place.config(&format!(
                        "[tools.\"t:x\"]\ndescription = ''\nmapping = 'blocks'\ncommand = ['{}', '{}', '{}']\n",
                        misbehave().display(),
                        words.join("', '"),
                        handshake.argument()
                    ));
                    let stdout = if full {
                        Stdio::from(File::options().write(true).open("/dev/full").unwrap())
                    } else {
                        Stdio::from(std::io::pipe().unwrap().1)
                    };
                    let words = [
                        &["--mode", mode, "call", "t:x", "{}", "--timeout", "60s"],
                        stream,
                    ]
                    .concat();
                    let mut command = place.command(&words);
                    command.stdout(stdout);
                    if mode == "human" {
                        let child = host.start(&mut command);
                        let output = host.takes(10_000, || child.wait_with_output().unwrap());
                        let run = Run::of(output);
                        assert_eq!(run.code, 8, "{run:?}");
                        assert!(run.stderr.starts_with("error: io: "), "{run:?}");
                        assert!(!run.stderr.contains("panicked"), "{run:?}");
                    } else {
                        host.program(&mut command, Ends::with("io", 8).within(10_000));
                    }
                    let patience = Duration::from_millis(GRACE_MILLIS) + room();
                    assert_eq!(
                        handshake.wait_gone(patience),
                        [],
                        "{mode} {stream:?} {full}"
                    );
                }
            }
        }
    });
}

/// Usage that fails, with the kind and code that it has.
const FAILURES: &[(&[&str], &str, u8)] = &[
    (&["tools", "describe", "no:such"], "not_found", 3),
    (&["schema", "nothing"], "not_found", 3),
    (&["call", "lonis:builtin:echo", "{"], "invalid_input", 2),
    (
        &["call", "lonis:builtin:echo", "@/no/such/file"],
        "invalid_input",
        2,
    ),
    (&["--frob"], "invalid_input", 2),
    (&[], "invalid_input", 2),
];

#[test]
fn case_52_every_failure_is_one_error() {
    case(MEMORY_MIB, |host| {
        let place = Place::new();
        // A second host knows each failing command as a plain program.
        let outer = Place::new();
        let mut tools = String::new();
        for (number, (words, ..)) in FAILURES.iter().enumerate() {
            let words = words.iter().map(|word| format!(", '{word}'"));
            writeln!(
                tools,
                "[tools.\"inner:{number}\"]\ndescription = ''\nstdin = 'none'\ncommand = '{}'\n\
                 args = ['--mode', 'json'{}]",
                lonis().display(),
                words.collect::<Vec<_>>().concat()
            )
            .unwrap();
        }
        outer.config(&tools);
        for (number, (words, kind, code)) in FAILURES.iter().enumerate() {
            for mode in ["json", "ndjson"] {
                let ends = Ends::with(kind, *code);
                let words = [&["--mode", mode], *words].concat();
                let run = host.program(&mut place.command(&words), ends);
                assert_eq!(run.stdout, "", "{words:?}");
                let id = format!("inner:{number}");
                let words = ["--mode", mode, "call", &id, "null"];
                let run = host.program(&mut outer.command(&words), ends.within(10_000));
                assert_eq!(run.stdout, "", "{words:?}");
            }
        }
    });
}

#[test]
fn case_53_output_is_shown_and_cannot_forge_a_line() {
    case(MEMORY_MIB, |host| {
        let place = Place::new();
        place.config(&format!(
            "[tools.\"t:forged\"]\ndescription = ''\nmapping = 'blocks'\ncommand = ['{}', 'forged']\n",
            misbehave().display()
        ));
        let echo = ["call", "lonis:builtin:echo", r#"{"greeting":"hello"}"#];
        let run = host.program(&mut place.command(&echo), Ends::well());
        assert_eq!(run.stdout, "result: {\"greeting\":\"hello\"}\n");
        let run = host.program(
            &mut place.command(&["call", "t:forged", "null"]),
            Ends::well(),
        );
        let odd = run
            .stdout
            .chars()
            .find(|letter| letter.is_control() && *letter != '\n');
        assert_eq!(odd, None, "{run:?}");
        assert!(run.stdout.contains("outcome"), "{run:?}");
        assert!(
            !run.stdout.lines().any(|line| line.starts_with("outcome")),
            "{run:?}"
        );
    });
}

#[test]
fn case_54_digits_are_kept_and_the_hash_is_that_of_the_double() {
    const DIGITS: &str = "12345678901234567890123";
    case(MEMORY_MIB, |host| {
        let place = Place::new();
        place.config(&format!(
            "[tools.\"t:cat\"]\ndescription = ''\ncommand = ['{}', 'cat']\n",
            misbehave().display()
        ));
        let input = format!("{{\"n\":{DIGITS}}}");
        let hash = lonis::Json::parse(r#"{"n":1.2345678901234568e22}"#)
            .unwrap()
            .content_hash();
        for id in ["lonis:builtin:echo", "t:cat"] {
            let words = ["--mode", "ndjson", "call", id, &input];
            let run = host.program(&mut place.command(&words), Ends::well());
            assert!(run.stdout.contains(DIGITS), "{run:?}");
            assert_eq!(
                run.json()["provenance"]["input_hash"],
                hash.as_str(),
                "{id}"
            );
        }
    });
}
