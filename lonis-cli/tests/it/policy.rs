//! Rules about calls: what is forbidden, what somebody has to agree to, and who can say otherwise.

use misbehave::Handshake;
use serde_json::json;

use crate::program::{Place, misbehave};

/// A plain tool of this id, effects and handshake.
fn tool(id: &str, effects: &str, handshake: &Handshake) -> String {
    format!(
        "[tools.\"{id}\"]\ndescription = ''\nside_effects = '{effects}'\nmapping = 'blocks'\n\
         command = ['{}', 'echo', '{}']\n",
        misbehave().display(),
        handshake.argument()
    )
}

#[test]
fn what_is_forbidden_is_never_started() {
    let mut handshake = Handshake::new().unwrap();
    let place = Place::new();
    place.config(&format!(
        "{}{}[[policy]]\nside_effects = ['destructive']\ndecide = 'deny'\n",
        tool("t:look", "read-only", &handshake),
        tool("t:wipe", "destructive", &handshake)
    ));
    for mode in ["json", "ndjson"] {
        let words = ["--mode", mode, "call", "t:wipe", "{}", "--yes"];
        let error = place.run(&words).fails("denied", 4);
        let details = error.details().unwrap().to_value();
        assert_eq!(details["policy"]["rule"], 1, "{details}");
        assert!(
            details["policy"]["file"]
                .as_str()
                .unwrap()
                .ends_with("lonis.toml")
        );
    }
    assert_eq!(handshake.heard(), []);
    place.run(&["call", "t:look", "{}"]).ok();
}

#[test]
fn what_somebody_has_to_agree_to_is_called_with_their_yes_alone() {
    let mut handshake = Handshake::new().unwrap();
    let place = Place::new();
    place.config(&format!(
        "{}[[policy]]\nids = ['t:*']\ndecide = 'ask'\n",
        tool("t:push", "network", &handshake)
    ));
    let words = ["--mode", "json", "call", "t:push", "[1]"];
    let error = place.run(&words).fails("confirmation_required", 4);
    let hint = error.details().unwrap().to_value()["hint"].clone();
    assert!(hint.as_str().unwrap().contains("--yes"), "{hint}");
    assert_eq!(handshake.heard(), []);
    let agreed = place.run(&[&words[..], &["--yes"]].concat()).ok();
    assert_eq!(agreed.json()[0]["payload"]["data"]["output"], json!([1]));
}

#[test]
fn a_project_file_narrows_and_never_widens() {
    let mut handshake = Handshake::new().unwrap();
    for (user, project, kind) in [
        ("deny", "allow", "denied"),
        ("ask", "allow", "confirmation_required"),
        ("allow", "deny", "denied"),
    ] {
        let place = Place::new();
        place.config(&format!(
            "{}[[policy]]\nids = ['*']\ndecide = '{user}'\n",
            tool("t:push", "network", &handshake)
        ));
        let file = place.path("work/lonis.toml");
        std::fs::write(
            &file,
            format!("[[policy]]\nids = ['t:push']\ndecide = '{project}'\n"),
        )
        .unwrap();
        place.run(&["trust"]).ok();
        place
            .run(&["--mode", "json", "call", "t:push", "{}"])
            .fails(kind, 4);
    }
    assert_eq!(handshake.heard(), []);
}

#[test]
fn what_a_provider_declares_is_what_is_judged() {
    let place = Place::new();
    let provider = |variant: &str| {
        format!(
            "[providers.bad]\ncommand = ['{}', 'tools=echo', 'describe={variant}']\n\
             [[policy]]\ndeterminism = ['nondeterministic']\nverification = ['none']\ndecide = 'deny'\n",
            misbehave().display()
        )
    };
    let words = ["--mode", "json", "call", "misbehave:echo", "[1]"];
    for (variant, is_denied) in [("ok", true), ("read-only", false), ("text", true)] {
        place.config(&provider(variant));
        let run = place.run(&words);
        if is_denied {
            run.fails("denied", 4);
        } else {
            run.ok();
        }
    }
}

#[test]
fn the_doctor_shows_the_rules_and_the_limits() {
    let place = Place::new();
    let file = "[providers.inner]\ncommand = 'LONIS'\nbounds = { timeout_millis = 20_000 }\n\
         tools.\"lonis:builtin:echo\" = { id = 'inner:echo', bounds = { max_processes = 8 } }\n\
         [[policy]]\nids = ['inner:*']\nverification = ['none', 'probed']\ndecide = 'ask'\n";
    place.config(&file.replace("LONIS", env!("CARGO_BIN_EXE_lonis")));
    let run = place
        .run(&["--mode", "json", "providers", "doctor", "inner"])
        .ok();
    let rules = &run.json()["rules"];
    let policy = &rules["policy"][0];
    assert_eq!(policy["rule"], 1);
    assert_eq!(
        policy["decides"],
        "ask, ids: inner:*, verification: none probed"
    );
    let limits = json!([
        { "name": "inner", "limits": { "timeout_millis": 20_000 } },
        { "name": "inner", "tool": "lonis:builtin:echo", "limits": { "timeout_millis": 20_000, "max_processes": 8 } },
    ]);
    assert_eq!(rules["limits"], limits);
    let shown = place.run(&["providers", "doctor", "inner"]).ok().stdout;
    assert!(
        shown.contains(
            "limits\tinner, tool lonis:builtin:echo\ttimeout_millis 20000, max_processes 8"
        ),
        "{shown}"
    );
    assert!(shown.contains("\task, ids: inner:*"), "{shown}");
}
