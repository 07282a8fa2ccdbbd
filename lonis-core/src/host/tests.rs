use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use lonis_schema::BlockPayload;

use super::*;

/// A provider in shell that counts how often it was asked for its list.
const PROVIDER: &str = r#"#!/bin/sh
case "$*" in
*manifest) printf '{"name":"counted","version":"1.2","description":"d","provider_type":"x","protocol_version":"0","tools":["a.b"]}' ;;
*"tools list") echo asked >> "COUNT"; printf '{"tools":[{"name":"a.b","description":"does b"},{"name":"a:b"},{"name":"--bad"},{"name":"lonis.x"}]}' ;;
*"tools describe a.b") echo described >> "COUNT"; printf '{"name":"a.b","description":"does b","input_schema":"a/v1","output_schema":"b/v1","determinism":"deterministic","side_effects":"read-only","cost":"low"}' ;;
*"call a.b") cat >/dev/null; printf '{"schema_version":"lonis.block/v1","attribution":{"identity":"a:b","provenance":{"when":"2026-08-10T12:00:00Z","producer":"a"}},"payload":{"kind":"message","data":{"content":"hello"}}}' ;;
esac
"#;

struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(fixture.path("home")).unwrap();
        fs::create_dir_all(fixture.path("providers")).unwrap();
        fixture
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn provider(&self, name: &str, text: &str) {
        let path = self.path("providers").join(format!("lonis-{name}"));
        let text = text.replace("COUNT", self.path("count").to_str().unwrap());
        // Made elsewhere and renamed into place, so that no running copy is written to.
        let fresh = self.path("fresh");
        fs::write(&fresh, text).unwrap();
        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&fresh, &path).unwrap();
    }

    fn host(&self) -> Host {
        let environment = Environment::new(self.folder.path())
            .with_variable("HOME", self.path("home"))
            .with_variable("LONIS_PROVIDER_PATH", self.path("providers"))
            .with_variable("PATH", "/usr/bin:/bin");
        Host::load(&environment).unwrap()
    }

    fn counted(&self, word: &str) -> usize {
        let text = fs::read_to_string(self.path("count")).unwrap_or_default();
        text.lines().filter(|line| *line == word).count()
    }

    /// Sets the provider's times back, since a file that changed just now is not kept in the cache.
    fn settle(&self, name: &str) {
        let path = self.path("providers").join(format!("lonis-{name}"));
        let past = SystemTime::now() - std::time::Duration::from_mins(1);
        fs::File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(past)
            .unwrap();
    }
}

fn ids(host: &Host) -> Vec<&str> {
    host.tools().iter().map(|tool| tool.id.as_str()).collect()
}

#[test]
fn tools_of_a_folder_are_listed_described_and_called() {
    let fixture = Fixture::new();
    fixture.provider("counted", PROVIDER);
    let host = fixture.host();
    assert_eq!(ids(&host), ["a:b"]);
    assert_eq!(host.tools()[0].version, "1.2");
    let tool = host.find("a:b").unwrap();
    assert_eq!(tool.contract().unwrap().cost().to_string(), "low");
    let blocks = tool.invoke(serde_json::json!({})).unwrap();
    assert_eq!(blocks[0].render_human(), "message: hello");
    let notes = host.notes().join("\n");
    for part in ["--bad", "both have the id", "host's own"] {
        assert!(notes.contains(part), "{part} in {notes}");
    }
}

#[test]
fn an_unknown_id_names_what_is_near() {
    let fixture = Fixture::new();
    fixture.provider("counted", PROVIDER);
    let host = fixture.host();
    let hint = |id: &str| {
        let error = host.find(id).err().unwrap();
        assert_eq!(error.exit_code(), 3);
        error.details().unwrap().to_value()["hint"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(hint("a.b"), "did you mean `a:b`?");
    assert_eq!(hint("a:c"), "did you mean `a:b`?");
    assert!(hint("something:else").contains("tools list"));
}

#[test]
fn a_broken_provider_hides_no_other_and_says_why() {
    let fixture = Fixture::new();
    fixture.provider("counted", PROVIDER);
    fixture.provider("broken", "#!/bin/sh\necho no json\n");
    fixture.provider("gone", "#!/nowhere/interpreter\n");
    let host = fixture.host();
    assert_eq!(ids(&host), ["a:b"]);
    let states: Vec<(&str, &str, Option<&str>)> = host
        .providers()
        .iter()
        .map(|row| {
            (
                row.name.as_str(),
                row.state.word(),
                row.reason.as_ref().map(|error| error.kind().as_str()),
            )
        })
        .collect();
    assert_eq!(
        states,
        [
            ("broken", "unavailable", Some("invalid_output")),
            ("counted", "ready", None),
            ("gone", "unavailable", Some("unavailable")),
        ]
    );
}

#[test]
fn answers_are_kept_until_the_executable_changes() {
    let fixture = Fixture::new();
    fixture.provider("counted", PROVIDER);
    fixture.settle("counted");
    // The change time cannot be set back, so that the first look may still come too soon after it.
    while fixture.counted("asked") < 20 {
        let before = fixture.counted("asked");
        let host = fixture.host();
        host.tools();
        if fixture.counted("asked") == before {
            break;
        }
    }
    let asked = fixture.counted("asked");
    assert!(asked < 20, "the answers were never kept");
    assert_eq!(ids(&fixture.host()), ["a:b"]);
    assert_eq!(fixture.counted("asked"), asked);

    for _ in 0..2 {
        let host = fixture.host();
        assert!(host.find("a:b").unwrap().contract().is_some());
        host.remember();
    }
    assert_eq!(fixture.counted("described"), 1);

    fixture.provider(
        "counted",
        &PROVIDER.replace("a.b", "a.c").replace("a:b", "x:y"),
    );
    assert_eq!(ids(&fixture.host()), ["a:c", "x:y"]);
}

#[test]
fn plain_tools_of_a_file_are_called_with_members_of_the_input() {
    let fixture = Fixture::new();
    let config = fixture.path("home/.config/lonis");
    fs::create_dir_all(&config).unwrap();
    fs::write(
        config.join(CONFIG_FILE),
        r#"
[tools."text:find"]
description = "Finds lines."
command = "grep"
args = ["-n", "--", { from = "pattern" }]
stdin = { from = "text" }
mapping = "lines"
exit_codes = { 1 = "no_match" }
input_json_schema = { type = "object", required = ["pattern", "text"], properties = { pattern = { type = "string" }, text = { type = "string" } } }
"#,
    )
    .unwrap();
    let host = fixture.host();
    let tool = host.find("text:find").unwrap();
    let call = |input: serde_json::Value| tool.invoke(input);
    let blocks = call(serde_json::json!({ "pattern": "b", "text": "a\nb\nbb\n" })).unwrap();
    let shown: Vec<String> = blocks
        .iter()
        .map(lonis_schema::Block::render_human)
        .collect();
    assert_eq!(
        shown,
        [r#"result: {"line":"2:b"}"#, r#"result: {"line":"3:bb"}"#]
    );
    let none = call(serde_json::json!({ "pattern": "z", "text": "a" })).unwrap();
    assert_eq!(none[0].payload().kind_name(), "outcome");
    let error = call(serde_json::json!({ "pattern": 5, "text": "a" })).unwrap_err();
    assert_eq!(error.details().unwrap().to_value()["pointer"], "/pattern");
    assert_eq!(tool.contract().unwrap().description(), "Finds lines.");
}

#[test]
fn a_missing_secret_makes_the_tool_unavailable_and_is_named_without_its_value() {
    let fixture = Fixture::new();
    let config = fixture.path("home/.config/lonis");
    fs::create_dir_all(&config).unwrap();
    fs::write(
        config.join(CONFIG_FILE),
        "[tools.\"a:b\"]\ndescription = ''\ncommand = 'cat'\nenv = { TOKEN = 'env:NOT_SET' }\n",
    )
    .unwrap();
    let error = fixture.host().find("a:b").err().unwrap();
    assert_eq!(error.kind().as_str(), "unavailable");
    assert!(error.message().contains("NOT_SET"), "{}", error.message());
}

#[test]
fn a_plain_tool_without_its_program_is_not_ready_and_keeps_its_id() {
    let fixture = Fixture::new();
    fixture.provider("counted", PROVIDER);
    fs::write(fixture.path("no-program"), "text").unwrap();
    let config = fixture.path("home/.config/lonis");
    fs::create_dir_all(&config).unwrap();
    let tool = |id: &str, rest: &str| format!("[tools.\"{id}\"]\ndescription = ''\n{rest}\n");
    let text = [
        tool("t:there", "command = 'cat'"),
        tool("t:missing", "command = 'no-such-program-anywhere'"),
        tool(
            "t:text",
            &format!("command = '{}'", fixture.path("no-program").display()),
        ),
        tool("t:secret", "command = 'cat'\nenv = { T = 'env:NOT_SET' }"),
        tool("t:off", "command = 'no-such-program'\nenabled = false"),
    ];
    fs::write(config.join(CONFIG_FILE), text.concat()).unwrap();
    let host = fixture.host();
    let rows: Vec<_> = host
        .providers()
        .iter()
        .map(|row| {
            let kind = row.reason.as_ref().map(|error| error.kind().as_str());
            (row.name.as_str(), row.state.word(), row.tools, kind)
        })
        .collect();
    let missing = Some("unavailable");
    assert_eq!(
        rows,
        [
            ("t:there", "ready", 1, None),
            ("t:missing", "unavailable", 0, missing),
            ("t:text", "unavailable", 0, missing),
            ("t:secret", "unavailable", 0, missing),
            ("t:off", "disabled", 0, None),
            ("counted", "ready", 1, None),
        ]
    );
    let called = host
        .find("t:missing")
        .unwrap()
        .invoke(serde_json::json!({}));
    assert_eq!(called.unwrap_err().kind().as_str(), "unavailable");
}

#[test]
fn a_program_is_examined_before_it_is_registered() {
    let fixture = Fixture::new();
    fixture.provider("counted", PROVIDER);
    let environment = Environment::new(Path::new("/")).with_variable("PATH", "/usr/bin:/bin");
    let name = ProviderName::new("counted").unwrap();
    let path = fixture
        .path("providers/lonis-counted")
        .to_str()
        .unwrap()
        .to_owned();
    let examined = Host::examine(&environment, &name, &[path]).unwrap();
    assert_eq!(examined.tools, ["a:b", "lonis:x"]);
    assert!(!examined.base_env, "the shell needs no more than PATH");
    assert!(Host::examine(&environment, &name, &["cat".to_owned()]).is_err());
}

#[test]
fn a_tool_that_is_known_is_found_without_asking_those_that_have_no_part_in_it() {
    let fixture = Fixture::new();
    fixture.provider("a", PROVIDER);
    // Before the other in every order, and noted whenever it is asked.
    fixture.provider("0other", "#!/bin/sh\necho other >> COUNT\nexit 1\n");
    fixture.settle("a");
    fixture.settle("0other");
    // The first look may come too soon after the change time of the file for its answers to be kept.
    let mut rounds = 0..20;
    let is_known = |round| {
        let before = fixture.counted("asked");
        let host = fixture.host();
        assert!(
            host.find("a:b").unwrap().contract().is_some(),
            "round {round}"
        );
        host.remember();
        assert_eq!(fixture.counted("other"), 0, "round {round}");
        fixture.counted("asked") == before
    };
    assert!(rounds.any(is_known), "the answers were never kept");
}

#[test]
fn a_script_is_asked_again_once_what_runs_it_is_another() {
    let fixture = Fixture::new();
    let interpreter = fixture.path("interpreter");
    let replace = || {
        // Made elsewhere and renamed into place, so that no running copy is written to.
        let fresh = fixture.path("fresh-interpreter");
        fs::copy("/bin/sh", &fresh).unwrap();
        fs::rename(&fresh, &interpreter).unwrap();
    };
    replace();
    let line = format!("#!{} -u\n", interpreter.display());
    fixture.provider("counted", &PROVIDER.replace("#!/bin/sh\n", &line));
    fixture.settle("counted");
    let is_known = |_| {
        let before = fixture.counted("asked");
        assert_eq!(ids(&fixture.host()), ["a:b"]);
        fixture.counted("asked") == before
    };
    // The first looks may come too soon after the change times of the files for the answers to be kept.
    assert!((0..20).any(is_known), "the answers were never kept");
    replace();
    assert!(
        !is_known(0),
        "the answers of another interpreter were taken"
    );
    assert!((0..20).any(is_known), "the answers were never kept again");
}

#[test]
fn providers_that_wait_do_not_hold_up_those_that_were_not_asked_yet() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // More than run at one time if none of them waits.
    let wanted = cores * 16 + 2;
    if wanted > 200 {
        println!("skipped: so many cores run all of them at one time");
        return;
    }
    let fixture = Fixture::new();
    let gate = fixture.path("gate");
    let (kind, mode) = (
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
    );
    rustix::fs::mknodat(rustix::fs::CWD, &gate, kind, mode, 0).unwrap();
    let ready = fixture.path("ready");
    fs::create_dir(&ready).unwrap();
    // Each run says that it is there, and then waits until the gate has been opened for all.
    let waiting = format!(
        "#!/bin/sh\n: > '{}'/$$\nread -r line < '{}'\nexit 1\n",
        ready.display(),
        gate.display()
    );
    for number in 0..wanted {
        fixture.provider(&format!("p{number}"), &waiting);
    }
    let patient = "[defaults]\nbounds = { timeout_millis = 60_000 }\n";
    fs::create_dir_all(fixture.path("home/.config/lonis")).unwrap();
    fs::write(fixture.path("home/.config/lonis/lonis.toml"), patient).unwrap();
    let host = fixture.host();
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| host.tools().len());
        let patience = std::time::Instant::now() + std::time::Duration::from_secs(50);
        let seen = || fs::read_dir(&ready).unwrap().count();
        while seen() < wanted && std::time::Instant::now() < patience {
            std::thread::yield_now();
        }
        let seen = seen();
        // Open for reading as well, so that a run that comes later finds it open too.
        let mut open = fs::File::options()
            .read(true)
            .write(true)
            .open(&gate)
            .unwrap();
        let lines = "go\n".repeat(2 * wanted);
        std::io::Write::write_all(&mut open, lines.as_bytes()).unwrap();
        assert_eq!(asking.join().unwrap(), 0);
        assert!(
            seen >= wanted,
            "{seen} of {wanted} runs were there at one time"
        );
    });
}
