//! Values that come from `env:` and `file:` are shown and kept nowhere, whatever goes wrong.

use crate::program::{Place, Run};

const SECRET: &str = "hunter22-of-the-host";
const IN_FILE: &str = "correct-horse-of-the-file";

fn place() -> Place {
    let place = Place::new().with("TOKEN", SECRET);
    std::fs::create_dir_all(place.path("home/.config/lonis")).unwrap();
    std::fs::write(
        place.path("home/.config/lonis/token"),
        format!("{IN_FILE}\n"),
    )
    .unwrap();
    let tool = |id: &str, script: &str| {
        format!(
            "[tools.\"t:{id}\"]\ndescription = ''\ncommand = ['sh', '-c', '{script}']\n\
             env = {{ A = 'env:TOKEN', B = 'file:token', C = 'plain' }}\n"
        )
    };
    let provider = |name: &str, script: &str| {
        format!(
            "[providers.{name}]\ncommand = ['sh', '-c', '{script}']\nenv = {{ A = 'env:TOKEN', B = 'file:token' }}\n"
        )
    };
    place.config(
        &[
            tool("uses", "test -n \"$A$B\" && echo used"),
            tool("fails", "echo \"no access for $A and $B, but $C\" >&2; exit 4"),
            tool("dies", "echo \"$A\" \"$B\" >&2; kill -9 $$"),
            tool("hangs", "echo \"$A\" \"$B\" >&2; exec sleep 100"),
            tool("garbled", "printf \"\\\\377$A\"; echo \"$B\" >&2"),
            tool(
                "noted",
                "echo ok; echo \"{\\\"kind\\\":\\\"x\\\",\\\"message\\\":\\\"$A\\\",\\\"exit_code\\\":1}\" >&2",
            ),
            provider("broken", "echo \"$A $B\" >&2; exit 3"),
            provider("chatty", "echo \"$A $B is no JSON\""),
        ]
        .concat(),
    );
    place
}

fn says_nothing(run: &Run, words: &[&str]) {
    let all = format!("{run:?}");
    for secret in [SECRET, IN_FILE] {
        assert!(!all.contains(secret), "{words:?}: {all}");
    }
}

#[test]
fn a_tool_gets_its_secrets_and_nobody_sees_them() {
    let place = place();
    for mode in ["human", "json"] {
        let call = |id: &str| {
            let limit = if id == "t:hangs" { "1s" } else { "60s" };
            let words = [
                "--mode",
                mode,
                "call",
                id,
                "{}",
                "--timeout",
                limit,
                "--timing",
            ];
            let run = place.run(&words);
            says_nothing(&run, &words);
            run
        };
        let used = call("t:uses");
        assert!(used.code == 0 && used.stdout.contains("used"), "{used:?}");
        let failed = call("t:fails");
        assert_eq!(failed.code, 4);
        assert!(
            failed
                .stderr
                .contains("no access for *** and ***, but plain"),
            "{failed:?}"
        );
        assert_eq!(call("t:dies").code, 137);
        assert_eq!(call("t:hangs").code, 7);
        assert_eq!(call("t:garbled").code, 9);
        assert_eq!(call("t:noted").code, 0);
        for words in [
            &["tools", "list"][..],
            &["providers", "list"],
            &["providers", "doctor", "broken"],
            &["providers", "doctor", "chatty"],
            &["conform", "broken"],
            &["conform", "chatty"],
            &["tools", "describe", "t:uses"],
            &["call", "no:such", "{}"],
        ] {
            let words = [&["--mode", mode], words].concat();
            says_nothing(&place.run(&words), &words);
        }
    }
    let cache = std::fs::read(place.path("home/.cache/lonis/discovery-v1")).unwrap();
    let cache = String::from_utf8_lossy(&cache);
    assert!(
        !cache.contains(SECRET) && !cache.contains(IN_FILE),
        "{cache}"
    );
}

#[test]
fn one_that_is_missing_makes_the_tool_unavailable_by_name() {
    let place = Place::new();
    place.config(
        "[tools.\"t:env\"]\ndescription = ''\ncommand = 'cat'\nenv = { A = 'env:ABSENT' }\n\
         [tools.\"t:file\"]\ndescription = ''\ncommand = 'cat'\nenv = { A = 'file:absent' }\n",
    );
    for (id, name) in [("t:env", "ABSENT"), ("t:file", "absent")] {
        let error = place
            .run(&["--mode", "json", "call", id, "{}"])
            .fails("unavailable", 6);
        assert!(error.message().contains(name), "{error:?}");
    }
}

#[test]
fn a_value_on_the_command_line_is_not_repeated() {
    let place = Place::new();
    let words = [
        "call",
        "lonis:builtin:echo",
        "{}",
        "--env",
        "=hunter22-of-the-host",
    ];
    let run = place.run(&words);
    assert_eq!(run.code, 2);
    says_nothing(&run, &words);
}
