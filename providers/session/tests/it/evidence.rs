//! Evidence is opened again before anything is written: what was edited by hand is refused with its own code.

use std::fs;

use lonis_session::event::{Event, Fact};
use lonis_session::evidence::Evidence;
use lonis_session::identity::{Domain, Identity};
use lonis_session::session_id::SessionId;
use lonis_session::store::disk::RootDisk;
use lonis_session::store::log::Log;
use lonis_session::store::objects::{ObjectMap, ReadObjects as _};
use lonis_session::store::stored::StoredObjects;
use serde_json::{Value, json};

use crate::program::{Root, code_of, create, patch, replace};

const POLICY: &str =
    "version = 1\n\n[[obligation]]\nname = \"says-two\"\nargv = [\"grep\", \"two\", \"a.txt\"]\n";

fn proved() -> Root {
    let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", POLICY)]);
    root.passes(&["begin", "s"]);
    root.stages("s", &[replace("a.txt", "one", "two")]);
    root
}

/// Puts forged evidence in the place of that of the last event, in a log that verifies.
fn forge(root: &Root, change: impl FnOnce(&mut Value)) {
    let disk = RootDisk::open(&root.tree()).unwrap();
    let id = SessionId::new("s").unwrap();
    let log = Log::read(&disk, &id).unwrap();
    let mut events = log.events().to_vec();
    let last = events.pop().unwrap();
    let Fact::Staged(mut candidate) = last.fact else {
        panic!("{:?}", last.fact);
    };
    let mut store = StoredObjects::open(&disk).unwrap();
    let bytes = store.read(Domain::Evidence, &candidate.evidence.unwrap());
    let mut value: Value = serde_json::from_slice(&bytes.unwrap()).unwrap();
    change(&mut value);
    let mut objects = ObjectMap::new();
    let text = lonis::canonical::text(&value).unwrap();
    let forged = objects.add(Domain::Evidence, text.into_bytes());
    store.add(&objects).unwrap();
    candidate.evidence = Some(forged);
    let event = Event::new(
        last.seq,
        last.prev,
        last.at,
        last.call,
        Fact::Staged(candidate),
    );
    let lines: String = events.iter().chain([&event]).map(Event::line).collect();
    let path = root.tree().join(".lonis/session/transactions/s/log.ndjson");
    fs::write(path, lines).unwrap();
}

/// A member that the answer names, where it stands, and what is put there: JSON, or nothing to take it away.
const FORGED: [(&str, &str, &str); 26] = [
    ("schema", "/schema", "\"genesis/other-v0.2\""),
    ("schema", "/more", "1"),
    ("schema", "/vacuous", ""),
    ("schema", "/results/0/reused_from", ""),
    ("schema", "/results/0/enforcement/more", "\"x\""),
    ("snapshot", "/snapshot", OTHER),
    ("policy", "/policy", OTHER),
    ("obligation_set", "/obligation_set", OTHER),
    ("engine", "/engine/name", "\"by hand\""),
    ("ok", "/ok", "false"),
    ("vacuous", "/vacuous", "true"),
    ("hermetic", "/hermetic", "false"),
    ("verdict", "/verdict", OTHER),
    ("results", "/results", "[]"),
    ("name", "/results/0/name", "\"other\""),
    ("declaration", "/results/0/declaration", OTHER),
    ("kind", "/results/0/kind", "\"tool\""),
    ("tool", "/results/0/tool/name", "\"true\""),
    ("limits", "/results/0/limits/timeout_millis", "1"),
    ("ok", "/results/0/ok", "false"),
    ("code", "/results/0/code", "\"obligation/timeout\""),
    ("exit", "/results/0/exit", "1"),
    ("signal", "/results/0/signal", "9"),
    ("mutated", "/results/0/mutated", "[\"a.txt\"]"),
    ("scratch", "/results/0/scratch/paths", "[\"x\"]"),
    ("stdout", "/results/0/stdout/bytes", "7"),
];

/// An identity of nothing in the store.
const OTHER: &str = "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"";

fn change(value: &mut Value, pointer: &str, to: &str) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = value.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    if to.is_empty() {
        parent.remove(name);
    } else {
        parent.insert(name.to_owned(), serde_json::from_str(to).unwrap());
    }
}

/// Makes what follows from the results fit them, as a forger who knows the formulas would.
fn fit(value: &mut Value, field: &str, pointer: &str) {
    if field == "schema" || field == "verdict" {
        return;
    }
    let results = value["results"].as_array().unwrap();
    let ok = results.iter().all(|result| result["ok"] == true);
    let vacuous = results.is_empty();
    if pointer.starts_with("/results") {
        (value["ok"], value["vacuous"]) = (json!(ok), json!(vacuous));
    }
    let evidence: Evidence = serde_json::from_value(value.clone()).unwrap();
    value["verdict"] = json!(evidence.outcome());
}

#[test]
fn each_member_of_forged_evidence_is_held_against_what_it_has_to_be() {
    for (field, pointer, to) in FORGED {
        let root = proved();
        forge(&root, |value| {
            change(value, pointer, to);
            fit(value, field, pointer);
        });
        let (code, refused) = root.run(&["apply", "s"], &Value::Null);
        let told = (code, code_of(&refused));
        assert_eq!(
            told,
            (50, "session/evidence-invalid"),
            "{pointer}: {refused}"
        );
        let named = &refused["diagnostics"][0]["parameters"]["field"];
        assert_eq!(named, field, "{pointer}: {refused}");
        assert_eq!(root.read("a.txt").unwrap(), "one\n");
    }
}

#[test]
fn a_run_of_the_whole_set_is_evidence_again_after_a_forged_one() {
    let root = proved();
    forge(&root, |value| change(value, "/verdict", OTHER));
    let (code, refused) = root.run(&["apply", "s"], &Value::Null);
    assert_eq!((code, code_of(&refused)), (50, "session/evidence-invalid"));
    root.passes(&["test", "s", "--fresh"]);
    root.passes(&["apply", "s"]);
}

#[test]
fn a_result_that_nobody_ran_is_taken_over_from_nowhere() {
    for own in [false, true] {
        let root = proved();
        let status = root.passes(&["status", "s"]);
        let before = status["transaction"]["verification"]["evidence"].to_string();
        let origin = if own { before } else { OTHER.to_owned() };
        forge(&root, |value| {
            change(value, "/results/0/reused_from", &origin);
            change(value, "/hermetic", "false");
            fit(value, "reused_from", "/results/0/reused_from");
        });
        let (exit, refused) = root.run(&["apply", "s"], &Value::Null);
        // The obligation allows no reuse, so that what passed before is no reason either.
        let code = if own {
            "session/evidence-invalid"
        } else {
            "session/snapshot-missing"
        };
        assert_eq!((exit, code_of(&refused)), (50, code), "{refused}");
    }
}

/// Flips a byte of a stored object, wherever it lies.
fn damage(root: &Root, domain: Domain, identity: &Identity) {
    let disk = RootDisk::open(&root.tree()).unwrap();
    let store = StoredObjects::open(&disk).unwrap();
    for segment in store.segments() {
        let Some(place) = segment.find(domain, identity) else {
            continue;
        };
        let path = root.tree().join(segment.path());
        let mut bytes = fs::read(&path).unwrap();
        bytes[usize::try_from(place.offset).unwrap()] ^= 1;
        fs::remove_file(&path).unwrap();
        fs::write(&path, bytes).unwrap();
    }
}

#[test]
fn a_log_an_object_an_output_and_a_policy_that_were_edited_have_their_codes() {
    let seen = |root: &Root| {
        let (code, refused) = root.run(&["apply", "s"], &Value::Null);
        assert_eq!(root.read("a.txt").unwrap(), "one\n");
        (code, code_of(&refused).to_owned())
    };
    let root = proved();
    let log = root.tree().join(".lonis/session/transactions/s/log.ndjson");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(
        &log,
        text.replacen("\"obligations_ok\":true", "\"obligations_ok\":null", 1),
    )
    .unwrap();
    assert_eq!(seen(&root), (50, "session/state-invalid".to_owned()));

    for member in ["evidence", "output", "policy"] {
        let root = proved();
        let status = root.passes(&["status", "s"])["transaction"].clone();
        let tested = root.passes(&["test", "s"]);
        let (domain, identity) = match member {
            "evidence" => (Domain::Evidence, &tested["evidence"]),
            "output" => (Domain::Blob, &tested["results"][0]["stdout"]["blob"]),
            _ => (Domain::Policy, &status["policy"]),
        };
        damage(&root, domain, &identity.as_str().unwrap().parse().unwrap());
        assert_eq!(
            seen(&root),
            (50, "session/snapshot-mismatch".to_owned()),
            "{member}"
        );
    }
}

#[test]
fn a_failing_attempt_revokes_nothing() {
    let root = proved();
    let before = root.passes(&["status", "s"])["transaction"].clone();
    let words = ["stage", "s", "--patch", "-"];
    let (code, refused) = root.run(&words, &patch(&[replace("a.txt", "two", "three")]));
    assert_eq!(
        (code, code_of(&refused)),
        (30, "session/obligations-failed")
    );
    assert_eq!(refused["data"]["attempt"], 1);
    let after = root.passes(&["status", "s"])["transaction"].clone();
    for member in [
        "current_snapshot",
        "patches",
        "patch_count",
        "verification",
        "status",
    ] {
        assert_eq!(after[member], before[member], "{member}");
    }
    assert_eq!(
        (&after["attempt_count"], &after["attempts"][0]["attempt"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(after["verification"]["hermetic"], true);

    // Without the gate the patch joins unverified, and a test proves it.
    let ungated = ["stage", "s", "--patch", "-", "--gate", "none"];
    let (code, staged) = root.run(&ungated, &patch(&[create("b.txt", "b\n")]));
    assert_eq!(
        (code, &staged["data"]["obligations_ok"]),
        (0, &Value::Null),
        "{staged}"
    );
    let (code, refused) = root.run(&["apply", "s"], &Value::Null);
    assert_eq!((code, code_of(&refused)), (30, "session/unverified"));
    root.passes(&["test", "s"]);
    root.passes(&["apply", "s"]);
    assert_eq!(root.read("a.txt").unwrap(), "two\n");
}

#[test]
fn the_policy_may_ask_for_more_than_a_pass() {
    for (policy, keys, code) in [
        (
            "[session]\nrequire_obligations = true\n",
            "",
            "policy/evidence-required",
        ),
        (
            "[session]\nrequire_hermetic = true\n",
            "\n[[obligation]]\nname = \"warm\"\nscratch = [\"kept\"]\nargv = [\"mkdir\", \"-p\", \"kept/x\"]\n",
            "policy/hermetic-required",
        ),
    ] {
        let policy = format!("version = 1\n{policy}{keys}");
        let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", &policy)]);
        root.passes(&["begin", "s"]);
        root.stages("s", &[replace("a.txt", "one", "two")]);
        root.passes(&["test", "s"]);
        let (exit, refused) = root.run(&["apply", "s"], &Value::Null);
        assert_eq!((exit, code_of(&refused)), (41, code), "{refused}");
        if code == "policy/hermetic-required" {
            root.passes(&["test", "s", "--fresh"]);
            root.passes(&["apply", "s"]);
        }
    }
}

#[test]
fn equal_outcomes_have_equal_verdicts_and_a_run_names_the_failures_before_it() {
    let read = |root: &Root, identity: &Value| -> Evidence {
        let disk = RootDisk::open(&root.tree()).unwrap();
        let store = StoredObjects::open(&disk).unwrap();
        Evidence::read(&store, &identity.as_str().unwrap().parse().unwrap()).unwrap()
    };
    let root = proved();
    let first = root.passes(&["test", "s"])["evidence"].clone();
    let second = root.passes(&["test", "s"])["evidence"].clone();
    let (first, second) = (read(&root, &first), read(&root, &second));
    assert_eq!(first.verdict, second.verdict);
    assert_eq!(first.failures_before, 0);

    let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", POLICY)]);
    root.passes(&["begin", "s"]);
    for expected in 0..3 {
        let (_, refused) = root.run(&["test", "s"], &Value::Null);
        let evidence = read(&root, &refused["data"]["evidence"]);
        assert_eq!((evidence.failures_before, evidence.ok), (expected, false));
    }
}
