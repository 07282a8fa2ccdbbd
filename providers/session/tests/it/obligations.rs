//! What obligations are: commands and tools, what they see, what is told of them.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::program::{Root, code_of, create, patch, replace};
use crate::running::fed;

/// A tool that says where it runs and whether it finds a word, and one that fails.
const REGISTRY: &str = r#"
[tools."demo:look"]
description = "Says whether the file holds the word two."
version = "1.2.3"
command = "sh"
args = ["-c", '''
input=$(cat)
case "$input" in *"\"root\":\"$PWD\""*) here=true;; *) here=false;; esac
if grep -q two a.txt; then found=true; else found=false; fi
echo "{\"found\":$found,\"here\":$here,\"word\":\"$WORD\"}"
''']
mapping = "json"

[tools."demo:fails"]
description = "Fails."
command = "sh"
args = ["-c", "echo 'no such luck' >&2; exit 3"]
"#;

fn tools(policy: &str) -> (Root, String) {
    let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", policy)]);
    let registry = root.beside("lonis.toml");
    fs::write(&registry, REGISTRY).unwrap();
    let registry = registry.to_str().unwrap().to_owned();
    (root, registry)
}

#[test]
fn a_tool_of_the_registry_is_an_obligation() {
    let policy = "version = 1\n\n[[obligation]]\nname = \"looks\"\ntool = \"demo:look\"\n\
        env = { WORD = \"said\" }\nexpect = { pointer = \"/output/found\", equals = true }\n\n\
        [[obligation]]\nname = \"here\"\ntool = \"demo:look\"\n\
        expect = { pointer = \"/output/here\", equals = true }\n";
    let (root, registry) = tools(policy);
    let with = ["--providers", registry.as_str()];
    root.passes(&["begin", "s"]);

    let (code, refused) = root.run(&["test", "s"], &Value::Null);
    assert_eq!((code, code_of(&refused)), (6, "obligation/unavailable"));
    let result = &refused["data"]["results"][0];
    assert_eq!(result["code"], "obligation/unavailable");
    assert_eq!(result["tool"]["contract"], Value::Null);
    let entry = &refused["diagnostics"][0]["parameters"];
    assert_eq!(entry["command"], "demo:look");

    let (code, refused) = root.run(&[&with[..], &["test", "s"]].concat(), &Value::Null);
    assert_eq!(
        (code, code_of(&refused)),
        (30, "session/obligations-failed")
    );
    let results = &refused["data"]["results"];
    assert_eq!(results[0]["code"], "obligation/expectation", "{refused}");
    assert_eq!(
        (&results[1]["ok"], &results[1]["code"]),
        (&json!(true), &Value::Null)
    );
    let entry = &refused["diagnostics"][1]["parameters"];
    assert_eq!(entry["pointer"], "/output/found");
    assert_eq!(
        (&entry["expected"], &entry["observed"]),
        (&json!(true), &json!(false))
    );

    let words = [&with[..], &["stage", "s", "--patch", "-"]].concat();
    let (code, staged) = root.run(&words, &patch(&[replace("a.txt", "one", "two")]));
    assert_eq!(code, 0, "{staged}");
    let result = &staged["data"]["results"][0];
    assert_eq!(
        (&result["kind"], &result["tool"]["name"]),
        (&json!("tool"), &json!("demo:look"))
    );
    assert_eq!(result["tool"]["version"], "1.2.3");
    for hash in ["blake3", "contract"] {
        let text = result["tool"][hash].as_str().unwrap();
        assert!(text.len() >= 64, "{hash}: {text}");
    }
    assert_eq!(result["env_names"], json!(["PATH", "WORD"]));
    root.passes(&[&with[..], &["test", "s"]].concat());
    root.passes(&["apply", "s"]);
    assert_eq!(root.read("a.txt").unwrap(), "two\n");
}

#[test]
fn a_tool_that_fails_or_is_not_registered_says_so() {
    // What fails comes behind the entry of the run, what no patch can mend in front of it.
    for (tool, code, parameter, exits, at) in [
        ("demo:fails", "obligation/tool-error", "error", 30, 1),
        ("demo:none", "obligation/unavailable", "command", 6, 0),
    ] {
        let policy =
            format!("version = 1\n\n[[obligation]]\nname = \"calls\"\ntool = \"{tool}\"\n");
        let (root, registry) = tools(&policy);
        root.passes(&["begin", "s"]);
        let words = ["--providers", registry.as_str(), "test", "s"];
        let (exit, refused) = root.run(&words, &Value::Null);
        assert_eq!(exit, exits, "{tool}");
        assert_eq!(refused["data"]["results"][0]["code"], code, "{refused}");
        let entry = &refused["diagnostics"][at];
        assert_eq!(entry["code"], code);
        assert_ne!(entry["parameters"][parameter], Value::Null, "{entry}");
    }
}

#[test]
fn what_no_patch_can_mend_is_said_first() {
    let obligation = |name: &str, argv: &str| {
        format!("\n[[obligation]]\nname = \"{name}\"\nargv = [\"{argv}\"]\n")
    };
    let policy = ["false", "no-such-program", "false", "none-such"]
        .into_iter()
        .enumerate()
        .map(|(number, argv)| obligation(&format!("w{number}"), argv))
        .fold("version = 1\n".to_owned(), |policy, one| policy + &one);
    let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", &policy)]);
    root.passes(&["begin", "s"]);
    let staged = patch(&[replace("a.txt", "one", "two")]);
    for (words, input) in [
        (&["stage", "s", "--patch", "-"][..], &staged),
        (&["test", "s"], &Value::Null),
    ] {
        let (code, refused) = root.run(words, input);
        assert_eq!(code, 6, "{refused}");
        let entries = refused["diagnostics"].as_array().unwrap();
        let codes: Vec<&Value> = entries.iter().map(|entry| &entry["code"]).collect();
        let expected = [
            "obligation/unavailable",
            "session/obligations-failed",
            "obligation/exit-status",
        ];
        assert_eq!(codes, expected);
        let plan = &entries[0]["repair_plan"];
        assert_eq!(plan["action"]["kind"], "inspect", "{plan}");
        let further = |at: usize| &entries[at]["parameters"]["further"][0]["name"];
        assert_eq!((further(0), further(2)), (&json!("w3"), &json!("w2")));
        let failed = entries[1]["parameters"]["failed"].as_array().unwrap();
        assert_eq!(failed.len(), 4);
    }
}

#[test]
fn the_provider_takes_the_registry_as_a_configured_argument() {
    let policy = "version = 1\n\n[[obligation]]\nname = \"looks\"\ntool = \"demo:look\"\n";
    let (root, registry) = tools(policy);
    root.passes(&["begin", "s"]);
    let input = json!({"root": root.tree(), "session": "s", "progress": true});
    let (code, blocks) = called(&root, &["--providers", &registry], &input);
    assert_eq!(code, 0, "{blocks:?}");
    let kinds: Vec<&Value> = blocks
        .iter()
        .map(|block| &block["payload"]["kind"])
        .collect();
    assert_eq!(kinds, ["action", "action", "session.test"]);
    let statuses: Vec<&Value> = blocks[..2]
        .iter()
        .map(|block| &block["payload"]["data"]["status"])
        .collect();
    assert_eq!(statuses, ["running", "completed"]);
    for block in &blocks[..2] {
        assert_eq!(block["payload"]["data"]["target"], "looks");
        assert_eq!(block["payload"]["data"]["parameters"]["count"], 1);
    }
    assert_eq!(blocks[2]["payload"]["data"]["obligations_ok"], true);
}

#[test]
fn what_a_tool_says_of_a_secret_is_hidden_too() {
    let policy = "version = 1\n[redact]\npatterns = ['luck']\n\n[[obligation]]\nname = \"calls\"\ntool = \"demo:fails\"\n";
    let (root, registry) = tools(policy);
    root.passes(&["begin", "s"]);
    let words = ["--providers", registry.as_str(), "test", "s"];
    let (_, refused) = root.run(&words, &Value::Null);
    let text = refused.to_string();
    assert!(
        text.contains("no such <redacted>") && !text.contains("luck"),
        "{text}"
    );
}

/// Calls `session.test` of the provider, and gives its exit code and blocks.
fn called(root: &Root, configured: &[&str], input: &Value) -> (i32, Vec<Value>) {
    let mut command = root.command();
    command
        .args(configured)
        .args(["call", "session.test", "--mode", "ndjson"]);
    let output = fed(&mut command, input);
    let text = String::from_utf8(output.stdout).unwrap();
    let blocks = text.lines().map(|line| serde_json::from_str(line).unwrap());
    (output.status.code().unwrap(), blocks.collect())
}

#[test]
fn progress_tells_of_each_obligation_and_the_result_is_the_same() {
    let policy = "version = 1\n\n[[obligation]]\nname = \"passes\"\nargv = [\"true\"]\n\n\
        [[obligation]]\nname = \"fails\"\nargv = [\"false\"]\n";
    let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", policy)]);
    root.passes(&["begin", "s"]);
    let told = |progress: bool| {
        let input = json!({"root": root.tree(), "session": "s", "progress": progress});
        called(&root, &[], &input)
    };
    let (code, blocks) = told(true);
    assert_eq!(code, 30);
    let seen: Vec<(&Value, &Value)> = blocks
        .iter()
        .map(|block| {
            (
                &block["payload"]["data"]["target"],
                &block["payload"]["data"]["status"],
            )
        })
        .collect();
    let expected = [
        ("passes", "running"),
        ("passes", "completed"),
        ("fails", "running"),
        ("fails", "failed"),
    ];
    assert_eq!(seen.len(), expected.len());
    for ((target, status), expected) in seen.iter().zip(expected) {
        assert_eq!(
            (target.as_str(), status.as_str()),
            (Some(expected.0), Some(expected.1))
        );
    }
    assert_eq!(
        blocks[3]["payload"]["data"]["parameters"]["code"],
        "obligation/exit-status"
    );
    assert_eq!(told(false), (30, Vec::new()));
}

#[test]
fn a_command_sees_what_the_policy_names_and_nothing_else() {
    let script = "env | cut -d= -f1 | sort | tr '\\n' ' '; exit 9";
    let seen = |more: &str| {
        let policy = format!(
            "version = 1\n\n[[obligation]]\nname = \"env\"\nargv = [\"sh\", \"-c\", {script:?}]\n{more}"
        );
        let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", &policy)]);
        root.passes(&["begin", "s"]);
        let (_, refused) = root.run(&["test", "s"], &Value::Null);
        let result = refused["data"]["results"][0].clone();
        let tail = &refused["diagnostics"][0]["parameters"]["failed"][0]["tail"];
        let names = tail.as_str().unwrap_or_default().to_owned();
        assert_eq!(
            refused["diagnostics"][1]["parameters"]["exit"], 9,
            "{refused}"
        );
        (names, result)
    };
    let (names, result) = seen("");
    assert!(
        names.contains("GIT_CEILING_DIRECTORIES") && names.contains("PATH "),
        "{names}"
    );
    assert_eq!(result["env_names"], json!(["PATH"]));
    let absent = |names: &str, name: &str| !names.split(' ').any(|known| known == name);
    let (names, result) = seen("pass_env = []\nenv = { MINE = \"x\" }\n");
    assert_eq!(result["env_names"], json!(["MINE"]));
    // A shell may set a `PATH` of its own and not export it.
    assert!(absent(&names, "PATH") && !absent(&names, "MINE"), "{names}");
    let blake3 = result["tool"]["blake3"].as_str().unwrap();
    assert_eq!((blake3.len(), &result["tool"]["name"]), (64, &json!("sh")));
}

#[test]
fn secrets_of_the_environment_are_kept_nowhere() {
    let policy = "version = 1\n[redact]\npatterns = ['id-[0-9]+']\n\n[[obligation]]\nname = \"leaks\"\n\
        argv = [\"sh\", \"-c\", \"echo $API_TOKEN; echo id-17 >&2; exit 1\"]\n\
        pass_env = [\"PATH\", \"API_TOKEN\"]\n";
    let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", policy)]);
    root.passes(&["begin", "s"]);
    let mut command = root.command();
    command
        .args(["--json", "test", "s"])
        .env("API_TOKEN", "hunter2-and-more");
    let output = fed(&mut command, &Value::Null);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("<API_TOKEN>") && text.contains("<redacted>"),
        "{text}"
    );
    let envelope: Value = serde_json::from_str(&text).unwrap();
    let result = &envelope["data"]["results"][0];
    for output in ["stdout", "stderr"] {
        assert_eq!(result[output]["redacted"], true);
    }
    let mut stored: Vec<PathBuf> = vec![root.tree().join(".lonis")];
    let mut seen = 0;
    while let Some(path) = stored.pop() {
        if path.is_dir() {
            stored.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let holds = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
        assert!(
            !holds(b"hunter2-and-more") && !text.contains("hunter2"),
            "{path:?}"
        );
        seen += usize::from(holds(b"<API_TOKEN>"));
    }
    assert_eq!(seen, 1);
}

#[test]
fn what_a_run_changes_is_told_and_never_adopted() {
    let script =
        "echo more >> a.txt; rm b.txt; chmod +x c.txt; mkdir made; echo x > made/x; exit 0";
    let policy = format!(
        "version = 1\n\n[[obligation]]\nname = \"writes\"\nargv = [\"sh\", \"-c\", {script:?}]\n\n\
        [[obligation]]\nname = \"clean\"\nargv = [\"sh\", \"-c\", \"test -e b.txt && ! test -e made && ! test -x c.txt && test $(wc -l < a.txt) = 1\"]\n"
    );
    let files = [
        ("a.txt", "a\n"),
        ("b.txt", "b\n"),
        ("c.txt", "c\n"),
        ("lonis-session.toml", &policy),
    ];
    let root = Root::new(&files);
    root.passes(&["begin", "s"]);
    for _ in 0..2 {
        let (code, refused) = root.run(&["test", "s"], &Value::Null);
        assert_eq!(code, 30);
        let results = &refused["data"]["results"];
        assert_eq!(
            results[0]["code"], "obligation/mutated-snapshot",
            "{refused}"
        );
        assert_eq!(results[0]["mutated"], json!(["a.txt", "b.txt", "c.txt"]));
        assert_eq!(results[1]["ok"], true, "{refused}");
        let paths = &refused["diagnostics"][1]["parameters"]["paths"];
        assert_eq!(
            (&paths[1]["path"], &paths[1]["after"]),
            (&json!("b.txt"), &Value::Null)
        );
        assert_eq!(paths[2]["before"], paths[2]["after"]);
    }
    let (code, refused) = root.run(&["apply", "s"], &Value::Null);
    assert_eq!((code, code_of(&refused)), (30, "session/unverified"));
    assert_eq!(root.read("a.txt").unwrap(), "a\n");
}

#[test]
fn scratch_is_no_part_of_a_snapshot() {
    let policy = "version = 1\n\n[[obligation]]\nname = \"counts\"\nscratch = [\"kept\"]\n\
        argv = [\"sh\", \"-c\", \"echo x >> kept/log; test $(wc -l < kept/log) = 1\"]\n";
    let root = Root::new(&[("kept/mine", "x\n"), ("lonis-session.toml", policy)]);
    let (code, refused) = root.run(&["begin", "s"], &Value::Null);
    assert_eq!((code, code_of(&refused)), (2, "session/config-invalid"));
    assert_eq!(
        refused["diagnostics"][0]["parameters"]["key"],
        "obligation.0.scratch"
    );

    let policy = policy.replace("echo x >>", "mkdir -p kept; echo x >>");
    let root = Root::new(&[("a.txt", "x\n"), ("lonis-session.toml", &policy)]);
    root.passes(&["begin", "s"]);
    let words = ["stage", "s", "--patch", "-"];
    let (code, refused) = root.run(&words, &patch(&[create("kept/new", "n\n")]));
    assert_eq!((code, code_of(&refused)), (41, "policy/protected-path"));
    root.passes(&["test", "s"]);
    assert_eq!(
        root.passes(&["status", "s"])["transaction"]["verification"]["hermetic"],
        true
    );
    // What the first run left is there, and is told.
    let (code, warm) = root.run(&["test", "s"], &Value::Null);
    assert_eq!(
        (code, &warm["data"]["results"][0]["scratch"]["warm"]),
        (30, &json!(true))
    );
    root.passes(&["test", "s", "--fresh"]);
}
