//! The log: where it goes, what is in it, and what never is.

use serde_json::Value;

use crate::program::{Place, misbehave};

fn place() -> Place {
    let place = Place::new().with("TOKEN", "hunter22-from-outside");
    place.config(&format!(
        "[tools.\"t:x\"]\ndescription = ''\nmapping = 'blocks'\nenv = {{ T = 'env:TOKEN' }}\n\
         command = ['{}', 'blocks', 'count=2']\n[[policy]]\ndecide = 'allow'\n\
         [providers.none]\ncommand = '/no/such/program'\n",
        misbehave().display()
    ));
    place
}

const CALL: [&str; 3] = ["call", "t:x", r#"{"swordfish":1}"#];

#[test]
fn nothing_is_logged_unless_it_is_asked_for() {
    for place in [
        place(),
        place().with("LONIS_LOG", ""),
        place().with("LONIS_LOG_FILE", "log"),
    ] {
        place.run(&CALL).ok();
        assert!(!place.path("work/log").exists());
    }
}

#[test]
fn people_see_lines_on_stderr_up_to_the_level() {
    for (level, seen, unseen) in [
        ("error", "", "log["),
        (
            "info",
            "log[info] call.ended tool=\"t:x\" blocks=2",
            "log[debug]",
        ),
        ("debug", "log[debug] call.program program=", "log[trace]"),
        ("trace", "log[trace] call.block number=2", "hunter22"),
    ] {
        let run = place().with("LONIS_LOG", level).run(&CALL);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(
            run.stderr.contains(seen) && !run.stderr.contains(unseen),
            "{level}: {run:?}"
        );
        assert!(run.stdout.starts_with("result: "), "{run:?}");
    }
    let failed = place().with("LONIS_LOG", "error").run(&["call", "no:such"]);
    assert!(
        failed
            .stderr
            .contains("log[error] command.failed kind=\"not_found\" exit_code=3"),
        "{failed:?}"
    );
}

#[test]
fn programs_find_lines_of_json_in_the_file_alone() {
    for mode in ["json", "ndjson"] {
        let place = place()
            .with("LONIS_LOG", "trace")
            .with("LONIS_LOG_FILE", "log");
        for words in [&CALL[..], &["tools", "list"]] {
            let run = place.run(&[&["--mode", mode], words].concat());
            assert!(run.code == 0 && !run.stderr.contains("log["), "{run:?}");
        }
        let log = std::fs::read_to_string(place.path("work/log")).unwrap();
        let events: Vec<Value> = log
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let named = |name: &str| {
            let found = events.iter().find(|event| event["event"] == name);
            found.unwrap_or_else(|| panic!("no {name}: {log}"))
        };
        assert_eq!(named("policy.decided")["answer"], "allow");
        assert_eq!(named("call.ended")["exit_code"], 0);
        let known = |event: &&Value| event["event"] == "provider.known" && event["name"] == "none";
        assert_eq!(events.iter().find(known).unwrap()["state"], "unavailable");
        for event in &events {
            assert!(
                event["time"].as_str().unwrap().ends_with('Z') && event["pid"].is_u64(),
                "{event}"
            );
        }
        for secret in ["hunter22", "swordfish", "count=2"] {
            assert!(!log.contains(secret), "{secret}: {log}");
        }
    }
}

#[test]
fn what_is_wrong_with_the_asking_is_a_note() {
    let run = place().with("LONIS_LOG", "loud").run(&CALL);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stderr
            .starts_with("note: nothing is logged: in `LONIS_LOG` `loud` is no level"),
        "{run:?}"
    );
    let place = place()
        .with("LONIS_LOG", "info")
        .with("LONIS_LOG_FILE", "/no/such/folder/log");
    let run = place.run(&[&["--mode", "json"], &CALL[..]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stderr
            .starts_with("{\"note\":\"nothing is logged to `/no/such/folder/log`"),
        "{run:?}"
    );
}
