//! Whole programs from start to exit, with 1 KiB of JSON in and out where they take some.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::call::block_of;
use crate::case::{Case, Clock};
use crate::kit::{Kit, python, which};

const TINY: &str = "tiny static Rust program";
const TIMEOUT: &str = "timeout 5 cat";
const BWRAP: &str = "bwrap, minimal, around the echo child";
const PUBLISHED_LIST: &str = "published CLI: tools list";
const PUBLISHED_CALL: &str = "published CLI: builtin call";

/// One run of a program: what it is started with, and what it has to print.
struct Invocation {
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(&'static str, OsString)>,
    folder: PathBuf,
    input: Vec<u8>,
    expected: &'static str,
}

impl Invocation {
    fn run(&self) -> Option<Vec<u8>> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .envs(self.environment.iter().cloned())
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        // A program that does not read its input closes it.
        let _ = child.stdin.take()?.write_all(&self.input);
        let output = child.wait_with_output().ok()?;
        output.status.success().then_some(output.stdout)
    }

    fn case(self, name: &str) -> Case {
        let expected = self.expected;
        let is_right = move |printed: &Option<Vec<u8>>| {
            printed
                .as_deref()
                .is_some_and(|bytes| String::from_utf8_lossy(bytes).contains(expected))
        };
        Case::new(name, Clock::Wall, move || self.run(), is_right)
    }
}

/// What all programs of this group are started in.
struct Surroundings {
    folder: PathBuf,
    environment: Vec<(&'static str, OsString)>,
    block: String,
}

impl Surroundings {
    fn make(kit: &Kit) -> Self {
        let folder = kit.subfolder("cli");
        let config = folder.join("lonis.toml");
        let text = format!(
            "[tools.\"bench:echo\"]\ndescription = \"Gives its input back.\"\ncommand = {:?}\nargs = [\"echo\"]\nstdin = \"json\"\nmapping = \"blocks\"\n",
            kit.child
        );
        // A file that is missing shows as a call that fails.
        let _ = fs::write(&config, text);
        let environment = vec![
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", folder.clone().into()),
            ("LONIS_CONFIG", config.into()),
        ];
        Self {
            folder,
            environment,
            block: block_of(1024),
        }
    }

    fn of(&self, program: &Path, arguments: &[&str], expected: &'static str) -> Invocation {
        Invocation {
            program: program.to_owned(),
            arguments: arguments.iter().map(Into::into).collect(),
            environment: self.environment.clone(),
            folder: self.folder.clone(),
            input: self.block.clone().into_bytes(),
            expected,
        }
    }
}

pub(super) fn cases(kit: &Kit, absent: &mut Vec<String>) -> Vec<Case> {
    let around = Surroundings::make(kit);
    let mut cases = vec![
        around.of(&kit.plain, &["exit"], "").case(TINY),
        around
            .of(&kit.child, &["exit"], "")
            .case("static C program")
            .beside(TINY),
    ];
    match &kit.lonis {
        Some(lonis) => cases.extend(ours(&around, lonis)),
        None => absent.push("lonis".to_owned()),
    }
    match &kit.published {
        Some(published) => cases.extend(published_cases(&around, published)),
        None => absent.push("published CLI".to_owned()),
    }
    cases.extend(peers(&around, kit, absent));
    cases
}

fn ours(around: &Surroundings, lonis: &Path) -> Vec<Case> {
    let of =
        |name: &str, arguments: &[&str], expected| around.of(lonis, arguments, expected).case(name);
    let builtin = [
        "call",
        "lonis:builtin:echo",
        r#"{"a":1}"#,
        "--mode",
        "ndjson",
    ];
    vec![
        of("ours: --version", &["--version"], "lonis ").beside(TINY),
        of("ours: tools list", &["tools", "list"], "lonis:builtin:echo")
            .at_most_reach(0.75, 0.7, PUBLISHED_LIST)
            .at_most(1.25, TINY),
        of("ours: builtin call", &builtin, "lonis.block/v1")
            .at_most_reach(0.75, 0.7, PUBLISHED_CALL)
            .at_most(1.25, TINY),
        of(
            "ours: call of an echo child",
            &["call", "bench:echo", "--mode", "ndjson"],
            "lonis.block/v1",
        )
        .at_most(1.0, TIMEOUT)
        .at_most(0.5, BWRAP),
    ]
}

fn published_cases(around: &Surroundings, published: &Path) -> Vec<Case> {
    let builtin = [
        "--mode",
        "ndjson",
        "call",
        "lonis:builtin:echo",
        r#"{"a":1}"#,
    ];
    vec![
        around
            .of(published, &["tools", "list"], "lonis:builtin:echo")
            .case(PUBLISHED_LIST)
            .beside(TINY),
        around
            .of(published, &builtin, "lonis.block/v1")
            .case(PUBLISHED_CALL)
            .beside(TINY),
    ]
}

fn peers(around: &Surroundings, kit: &Kit, absent: &mut Vec<String>) -> Vec<Case> {
    let text = |path: Option<PathBuf>| path.map(|path| path.display().to_string());
    let child = kit.child.display().to_string();
    let cat = text(which("cat")).unwrap_or_default();
    let found = |name: &str| which(name);
    let wrapped: Vec<&str> = vec!["--ro-bind", "/", "/", "--dev", "/dev", &child, "echo"];
    let peers: Vec<(&str, Option<PathBuf>, Vec<&str>)> = vec![
        ("cat", found("cat"), vec![]),
        (TIMEOUT, found("timeout"), vec!["5", &cat]),
        (
            "timeout 5 around the echo child",
            found("timeout"),
            vec!["5", &child, "echo"],
        ),
        (BWRAP, found("bwrap"), wrapped),
        ("jq .", found("jq"), vec!["."]),
        (
            "python3 -IS, JSON in and out",
            python(),
            vec![
                "-IS",
                "-c",
                "import sys,json; print(json.dumps(json.load(sys.stdin)))",
            ],
        ),
        (
            "node, JSON in and out",
            found("node"),
            vec![
                "-e",
                "console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0,'utf8'))))",
            ],
        ),
    ];
    let mut cases = Vec::new();
    for (name, program, arguments) in peers {
        match program {
            None => absent.push(name.to_owned()),
            Some(program) => cases.push(
                around
                    .of(&program, &arguments, "lonis.block/v1")
                    .case(name)
                    .beside(TINY),
            ),
        }
    }
    cases
}
