//! Surroundings and inputs that are odd, broken, huge or shared: always an answer, never a panic.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::program::{Place, Run, misbehave};

const PROVIDER: &str = r#"#!/bin/sh
case "$*" in
*manifest) printf '{"name":"p","version":"1","description":"d","provider_type":"x","protocol_version":"0","tools":["p.t"]}' ;;
*"tools list") printf '{"tools":[{"name":"p.t"}]}' ;;
*) echo asked >&2; exit 3 ;;
esac
"#;

fn ids(run: &Run) -> Vec<String> {
    let list = run.json();
    let tools = list["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|row| row["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn arguments_that_are_not_utf8_are_usage_errors_or_kept() {
    let place = Place::new();
    let odd = OsStr::from_bytes(b"\xff\xfe");
    let name: OsString = [OsStr::new("@"), odd].into_iter().collect();
    std::fs::write(place.path("work").join(odd), "[1]").unwrap();
    let run = |words: &[&OsStr]| {
        let mut command = place.command(&["--mode", "json"]);
        Run::of(command.args(words).output().unwrap())
    };
    let (call, echo) = (OsStr::new("call"), OsStr::new("lonis:builtin:echo"));
    let kept = run(&[call, echo, &name]);
    assert_eq!(kept.code, 0, "{kept:?}");
    for words in [
        &[call, odd][..],
        &[odd],
        &[call, echo, odd],
        &[OsStr::new("tools"), OsStr::new("describe"), odd],
        &[OsStr::new("schema"), odd],
        &[call, echo, OsStr::new("1"), OsStr::new("--timeout"), odd],
        &[OsStr::new("--mode"), odd],
        &[OsStr::new("providers"), OsStr::new("add"), odd, odd],
    ] {
        let refused = run(words);
        assert_eq!(
            (refused.error().kind().as_str(), refused.code),
            ("invalid_input", 2),
            "{words:?}"
        );
    }
    let hash = run(&[OsStr::new("hash"), odd]);
    assert_eq!(hash.code, 0, "{hash:?}");
}

#[test]
fn folders_whose_paths_are_not_utf8_are_used_or_passed_over() {
    let place = Place::new();
    let odd = place.path("work").join(OsStr::from_bytes(b"\xff"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::copy(place.script("p", PROVIDER), odd.join("lonis-odd")).unwrap();
    let run = Run::of(
        place
            .command(&["--mode", "json", "tools", "list"])
            .env("LONIS_PROVIDER_PATH", &odd)
            .current_dir(&odd)
            .output()
            .unwrap(),
    );
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("not UTF-8"), "{run:?}");
    let trusted = {
        std::fs::write(odd.join("lonis.toml"), "").unwrap();
        let mut command = place.command(&["--mode", "json", "trust"]);
        Run::of(command.current_dir(&odd).output().unwrap())
    };
    assert_eq!(trusted.error().kind().as_str(), "io");
}

#[test]
fn hostile_files_in_a_provider_folder_are_no_providers() {
    let place = Place::new();
    place.script("good", PROVIDER);
    for name in [
        "Upper",
        "a b",
        "x\u{1b}[2J",
        "-dash",
        "",
        "x\ny",
        &"n".repeat(100),
    ] {
        place.script(name, PROVIDER);
    }
    let folder = place.path("providers");
    symlink("lonis-loop", folder.join("lonis-loop")).unwrap();
    symlink("..", folder.join("lonis-up")).unwrap();
    symlink("/nowhere/at/all", folder.join("lonis-gone")).unwrap();
    std::fs::write(folder.join("lonis-plain"), PROVIDER).unwrap();
    let open = place.script("open", PROVIDER);
    std::fs::set_permissions(open, std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(folder.join("lonis-pipe"))
            .status()
            .unwrap()
            .success()
    );

    let list = place.run(&["--mode", "json", "tools", "list"]);
    assert_eq!(
        ids(&list),
        ["lonis:builtin:echo", "lonis:builtin:version", "p:t"]
    );
    let rows = place.run(&["--mode", "json", "providers", "list"]).json();
    let state = |name: &str| {
        let rows = rows["providers"].as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == name);
        row.map(|row| row["state"].as_str().unwrap().to_owned())
    };
    for (name, wanted) in [
        ("good", Some("ready")),
        ("Upper", Some("skipped")),
        ("loop", Some("skipped")),
        ("gone", Some("skipped")),
        ("plain", Some("skipped")),
        ("open", Some("skipped")),
        ("up", None),
        ("pipe", None),
    ] {
        assert_eq!(state(name).as_deref(), wanted, "{name}: {rows}");
    }
    let human = place.run(&["providers", "list"]);
    let odd = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    assert_eq!(human.code, 0);
    assert!(
        !human.stdout.contains(odd) && !human.stderr.contains(odd),
        "{human:?}"
    );
}

#[test]
fn homes_that_cannot_be_used_cost_only_what_is_in_them() {
    for home in ["", "relative", "/dev/null", "/proc/1/nothing"] {
        let place = Place::new();
        place.script("p", PROVIDER);
        let run = |words: &[&str]| {
            let mut command = place.command(&["--mode", "json"]);
            Run::of(command.args(words).env("HOME", home).output().unwrap())
        };
        let list = run(&["tools", "list"]);
        assert_eq!(list.code, 0, "{home:?}: {list:?}");
        assert_eq!(ids(&list).len(), 3);
        assert_eq!(run(&["call", "lonis:builtin:echo", "1"]).code, 0);
        let added = run(&["providers", "add", "x", "/bin/true"]);
        assert_ne!(added.code, 0, "{home:?}: {added:?}");
        added.error();
        std::fs::write(place.path("work/lonis.toml"), "").unwrap();
        let trusted = run(&["trust"]);
        assert_eq!(trusted.error().kind().as_str(), "io", "{home:?}");
    }
}

#[test]
fn a_cache_that_cannot_be_written_or_read_only_costs_time() {
    let place = Place::new();
    place.script("p", PROVIDER);
    let cache = place.path("home/.cache/lonis");
    std::fs::create_dir_all(&cache).unwrap();
    // A folder in the place of the file: also a superuser can neither read it nor rename over it.
    std::fs::create_dir(cache.join("discovery-v1")).unwrap();
    for _ in 0..2 {
        assert_eq!(
            ids(&place.run(&["--mode", "json", "tools", "list"]).ok()).len(),
            3
        );
    }
    let left: Vec<_> = std::fs::read_dir(&cache).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    std::fs::remove_dir(cache.join("discovery-v1")).unwrap();
    for garbage in [&b"\0\xff\n\n\n"[..], b"x", &[b'\n'; 4096]] {
        std::fs::write(cache.join("discovery-v1"), garbage).unwrap();
        assert_eq!(
            ids(&place.run(&["--mode", "json", "tools", "list"]).ok()).len(),
            3
        );
    }
}

#[test]
fn programs_at_once_on_one_cache_and_one_store_lose_nothing() {
    let place = Place::new();
    place.script("p", PROVIDER);
    let folders: Vec<_> = (0..8).map(|at| place.path(&format!("work/{at}"))).collect();
    for folder in &folders {
        std::fs::create_dir(folder).unwrap();
        std::fs::write(folder.join("lonis.toml"), "").unwrap();
    }
    let start = |words: &[&str], folder: &std::path::Path| {
        place.command(words).current_dir(folder).spawn().unwrap()
    };
    let work = place.path("work");
    let lists: Vec<_> = (0..6)
        .map(|_| start(&["--mode", "json", "tools", "list"], &work))
        .collect();
    let trusts: Vec<_> = folders
        .iter()
        .map(|folder| start(&["trust"], folder))
        .collect();
    let adds: Vec<_> = (0..6)
        .map(|at| {
            let program = place.path("providers/lonis-p");
            let name = format!("n{at}");
            start(
                &["providers", "add", &name, program.to_str().unwrap()],
                &work,
            )
        })
        .collect();
    for child in lists.into_iter().chain(trusts).chain(adds) {
        let run = Run::of(child.wait_with_output().unwrap());
        assert_eq!(run.code, 0, "{run:?}");
    }
    let store = place.run(&["--mode", "json", "trust", "--list"]).json();
    assert_eq!(store["files"].as_array().unwrap().len(), folders.len());
    let rows = place.run(&["--mode", "json", "providers", "list"]).json();
    let added = rows["providers"].as_array().unwrap().iter();
    assert_eq!(
        added.filter(|row| row["source"] == "user file").count(),
        6,
        "{rows}"
    );
}

#[test]
fn deep_and_huge_inputs_are_refused_with_their_limit() {
    let place = Place::new();
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    for words in [
        &["call", "lonis:builtin:echo"][..],
        &["hash"],
        &["validate", "--as", "result"],
    ] {
        let run = place.run_with_stdin(&[&["--mode", "json"], words].concat(), deep.as_bytes());
        let error = run.fails("invalid_input", 2);
        assert!(error.message().contains("127"), "{words:?}: {error:?}");
    }
    place
        .run_with_stdin(&["--mode", "json", "validate"], deep.as_bytes())
        .fails("invalid_input", 2);
    // Longer than what is read by one byte, and without a block on the disk.
    let huge = place.path("work/huge");
    std::fs::File::create(&huge)
        .unwrap()
        .set_len((64 << 20) + 1)
        .unwrap();
    for words in [
        &["call", "lonis:builtin:echo", "@huge"][..],
        &["hash", "huge"],
        &["validate", "huge"],
        &["validate", "--as", "contract", "huge"],
    ] {
        let error = place
            .run(&[&["--mode", "json"], words].concat())
            .fails("limit_exceeded", 7);
        assert!(error.message().contains("67108864"), "{words:?}: {error:?}");
    }
    let file = place.path("work/lonis.toml");
    std::fs::File::create(&file)
        .unwrap()
        .set_len((1 << 20) + 1)
        .unwrap();
    place
        .run(&["--mode", "json", "trust"])
        .fails("invalid_config", 2);
}

#[test]
fn every_way_of_lying_in_discovery_is_a_row_with_its_reason() {
    let place = Place::new();
    place.link("bad", &misbehave());
    place.script("silent", "#!/bin/sh\nexit 0\n");
    place.script("garbage", "#!/bin/sh\nprintf '\\000\\377\\033[2J'\n");
    place.script(
        "deep",
        "#!/bin/sh\nhead -c 100000 /dev/zero | tr '\\000' '['\n",
    );
    place.script("flood", "#!/bin/sh\nexec yes\n");
    place.script("noshebang", "echo no\n");
    place.script("gone", "#!/nowhere/interpreter\n");
    place.script(
        "error",
        "#!/bin/sh\necho '{\"kind\":\"teapot\",\"message\":\"x\",\"exit_code\":0}' >&2; exit 1\n",
    );
    let rows = place.run(&["--mode", "json", "providers", "list"]).json();
    let kind = |name: &str| {
        let rows = rows["providers"].as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        assert_eq!(row["state"], "unavailable", "{row}");
        row["reason"]["kind"].as_str().unwrap().to_owned()
    };
    for (name, wanted) in [
        ("silent", "invalid_output"),
        ("garbage", "invalid_output"),
        ("deep", "invalid_output"),
        ("flood", "output_limit_exceeded"),
        ("noshebang", "unavailable"),
        ("gone", "unavailable"),
        ("error", "teapot"),
    ] {
        assert_eq!(kind(name), wanted, "{name}");
    }
    let list = place.run(&["tools", "list"]);
    assert_eq!(list.code, 0);
    assert!(!list.stderr.contains('\u{1b}'), "{list:?}");
}

#[test]
fn what_stands_where_a_file_should_is_named_and_not_waited_for() {
    let make_pipe = |path: &std::path::Path| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    };
    let place = Place::new();
    let pipe = place.path("pipe");
    make_pipe(&pipe);
    let config = |text: &str| place.config(text);
    // A value and a schema that come from files.
    config(
        "[tools.\"t:x\"]\ndescription = ''\ncommand = 'cat'\nenv = { A = 'file:../../../pipe' }\n",
    );
    let run = place.run(&["--mode", "json", "call", "t:x", "{}"]);
    assert!(run.error().message().contains("a named pipe"), "{run:?}");
    config(
        "[tools.\"t:x\"]\ndescription = ''\ncommand = 'cat'\ninput_json_schema = '../../../pipe'\n",
    );
    let run = place.run(&["--mode", "json", "tools", "list"]);
    assert_eq!(run.error().kind().as_str(), "invalid_config", "{run:?}");
    assert!(run.error().message().contains("a named pipe"), "{run:?}");
    // The file itself.
    let named = Place::new().with("LONIS_CONFIG", pipe.to_str().unwrap());
    let run = named.run(&["--mode", "json", "tools", "list"]);
    assert_eq!(run.error().kind().as_str(), "invalid_config", "{run:?}");
    let device = Place::new().with("LONIS_CONFIG", "/dev/zero");
    let run = device.run(&["--mode", "json", "tools", "list"]);
    assert!(run.error().message().contains("a device"), "{run:?}");
    // What is kept between runs: a cache that cannot be read is none, a trust store that cannot be read trusts nothing.
    let place = Place::new();
    make_pipe(&place.path("home/.cache/lonis/discovery-v1"));
    place.run(&["--mode", "json", "tools", "list"]).ok();
    for name in ["trust.json", "trust.lock"] {
        let place = Place::new();
        make_pipe(&place.path("home/.local/state/lonis").join(name));
        std::fs::write(place.path("work/lonis.toml"), "").unwrap();
        let run = place.run(&["--mode", "json", "trust"]);
        assert_ne!(run.code, 0, "{name}: {run:?}");
        assert!(run.error().message().contains("trust"), "{name}: {run:?}");
    }
}

#[test]
fn what_a_tool_has_filled_is_gone_when_the_program_ends() {
    let place = Place::new();
    std::fs::create_dir(place.path("temporary")).unwrap();
    let temporary = place.path("temporary").display().to_string();
    place.config(
        "[tools.\"t:x\"]\ndescription = ''\nbounds = { timeout_millis = 120000 }\n\
         command = ['python3', '-IS', '-c', 'for n in range(60000): open(str(n), \"w\").close()']\n",
    );
    let run = place.with("TMPDIR", temporary);
    let called = run.run(&["--mode", "json", "call", "t:x", "{}"]);
    assert_eq!(called.code, 0, "{called:?}");
    let left = std::fs::read_dir(run.path("temporary")).unwrap().count();
    assert_eq!(left, 0, "{called:?}");
}
