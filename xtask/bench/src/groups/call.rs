//! One call: 1 KiB or 1 MiB of JSON in and out over three pipes.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use command_group::CommandGroup;
use lonis::limits::{Bound, Limits};
use lonis::process::{self, Program};
use lonis::{Call, SubprocessTool, Tool, ToolId};
use serde_json::Value;
use wait_timeout::ChildExt;

use crate::case::{Case, Clock, Place};
use crate::kit::{Kit, which};

const UNBOUNDED: &str = "std: unbounded write, wait_with_output";
const BARE: &str = "std: bare spawn, no pipes";
const PUBLISHED: &str = "published crates: tool call";
const OURS: &str = "ours: process::run";
const TYPED: &str = "ours: tool call, typed block";

/// Returns a block whose text has this many bytes.
pub(super) fn block_of(bytes: usize) -> String {
    let made = |text: &str| {
        format!(
            r#"{{"schema_version":"lonis.block/v1","attribution":{{"identity":"tool:bench:echo","provenance":{{"when":"2026-03-01T12:00:00Z","producer":"bench:echo"}}}},"payload":{{"kind":"result","data":{{"output":{{"text":"{text}"}}}}}}}}"#
        )
    };
    let frame = made("").len();
    made(&"x".repeat(bytes.saturating_sub(frame)))
}

pub(super) fn cases(kit: &Kit, absent: &mut Vec<String>) -> Vec<Case> {
    let mut cases = small(kit);
    cases.extend(large(kit));
    cases.extend(sandboxed(kit, absent));
    cases
}

fn both(name: &str, operation: impl FnMut() -> usize + 'static, bytes: usize) -> Case {
    let bytes = move |seen: &usize| *seen == bytes;
    Case::new(name, Clock::Wall, operation, bytes).in_place(Place::SmallAndLarge)
}

/// A run of the process layer, whose input is its own.
fn run(name: &str, program: &Program, text: &str) -> Case {
    let (program, text, bytes) = (program.clone(), text.to_owned(), text.len());
    let run = move |input| process::run(&program, input).stdout.len();
    Case::on(
        name,
        Clock::Wall,
        move || text.clone(),
        run,
        move |seen| *seen == bytes,
    )
}

/// A call of a tool, whose input is its own.
fn typed(name: &str, program: Program, text: &str) -> Case {
    let tool = SubprocessTool::of_program(id(), program);
    let input = json(text);
    let call = move |input: lonis::Json| {
        let stream = tool.start(Call::new(input));
        stream.and_then(lonis::BlockStream::collect_blocks)
    };
    let is_right = |blocks: &Result<Vec<_>, _>| matches!(blocks, Ok(blocks) if blocks.len() == 1);
    Case::on(name, Clock::Wall, move || input.clone(), call, is_right)
}

/// 1 KiB from and to the child that hides nothing, then from and to a provider made with the facade.
fn small(kit: &Kit) -> Vec<Case> {
    let text = block_of(1024);
    let child = kit.child.clone();
    let program = program(&kit.child, &["echo"]);
    let mut cases = vec![
        run(OURS, &program, &text)
            .in_place(Place::SmallAndLarge)
            .at_most_reach(1.15, 1.0, UNBOUNDED)
            .at_most(1.7, BARE)
            .large_at_most(2.0),
        typed(TYPED, program.clone(), &text)
            .in_place(Place::SmallAndLarge)
            .at_most(1.05, OURS)
            .at_most(1.15, UNBOUNDED)
            .at_most(1.0 / 40.0, PUBLISHED)
            .large_at_most(2.0),
    ];
    cases.push(
        run("ours: process::run, tree by subreaper", &program, &text)
            .in_place(Place::Adopting)
            .at_most(1.15, UNBOUNDED)
            .beside(OURS),
    );
    cases.extend(peers(&child, &text));
    let provider = self::program(&kit.provider, &["--mode", "ndjson", "call", "bench:echo"]);
    let input = r#"{"text":"hello"}"#;
    cases.push(
        Case::new(
            "ours: tool call, Rust provider",
            Clock::Wall,
            {
                let tool = SubprocessTool::of_program(id(), provider);
                move || {
                    tool.start(Call::new(json(input)))
                        .and_then(lonis::BlockStream::collect_blocks)
                }
            },
            |blocks| matches!(blocks, Ok(blocks) if blocks.len() == 1),
        )
        .in_place(Place::Small)
        .beside("std: the same Rust provider"),
    );
    let provider = kit.provider.clone();
    cases.push(
        Case::new(
            "std: the same Rust provider",
            Clock::Wall,
            move || {
                let mut command = Command::new(&provider);
                command.args(["--mode", "ndjson", "call", "bench:echo"]);
                unbounded(command, input.as_bytes())
            },
            |seen| *seen > 100,
        )
        .in_place(Place::Small),
    );
    cases
}

fn id() -> ToolId {
    ToolId::new("bench:echo").expect("two segments")
}

fn json(text: &str) -> lonis::Json {
    lonis::Json::parse(text).expect("a text of ours is JSON")
}

pub(super) fn program(path: &Path, arguments: &[&str]) -> Program {
    Program::new(path.as_os_str()).with_args(arguments.iter().copied())
}

fn peers(child: &Path, text: &str) -> Vec<Case> {
    let bytes = text.len();
    let command = {
        let child = child.to_owned();
        move || {
            let mut command = Command::new(&child);
            command.arg("echo");
            command
        }
    };
    let input = text.as_bytes().to_vec();
    let (one, two, three) = (command.clone(), command.clone(), command);
    let (input_two, input_three) = (input.clone(), input.clone());
    let bare = child.to_owned();
    let published = published_core::SubprocessTool::new(
        published_schema::ToolId::new("bench:echo:block").expect("three segments"),
        child,
    )
    .with_args(vec!["echo".to_owned()]);
    let value: Value = serde_json::from_str(text).expect("a block is JSON");
    vec![
        both(UNBOUNDED, move || unbounded(one(), &input), bytes).large_at_most_any(),
        both(
            BARE,
            move || {
                let mut command = Command::new(&bare);
                command.stdin(Stdio::null()).stdout(Stdio::null());
                usize::from(
                    command
                        .arg("exit")
                        .status()
                        .is_ok_and(|status| status.success()),
                ) * bytes
            },
            bytes,
        )
        .large_at_most_any(),
        both(
            "std: two reader threads and wait-timeout",
            move || threads(two(), &input_two),
            bytes,
        )
        .beside(UNBOUNDED)
        .large_at_most_any(),
        both(
            "command-group: wait_with_output",
            move || grouped(three(), &input_three),
            bytes,
        )
        .beside(UNBOUNDED)
        .large_at_most_any(),
        Case::on(
            PUBLISHED,
            Clock::Wall,
            move || value.clone(),
            move |value| published_core::Tool::invoke(&published, value),
            |blocks| matches!(blocks, Ok(blocks) if blocks.len() == 1),
        )
        .in_place(Place::Small)
        .beside(UNBOUNDED),
    ]
}

fn piped(mut command: Command) -> Command {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn unbounded(command: Command, input: &[u8]) -> usize {
    let Ok(mut child) = piped(command).spawn() else {
        return 0;
    };
    let mut stdin = child.stdin.take();
    let written = stdin
        .as_mut()
        .is_some_and(|stdin| stdin.write_all(input).is_ok());
    drop(stdin);
    let output = child.wait_with_output();
    output.map_or(0, |output| output.stdout.len() * usize::from(written))
}

fn threads(command: Command, input: &[u8]) -> usize {
    let Ok(mut child) = piped(command).spawn() else {
        return 0;
    };
    let (Some(mut stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return 0;
    };
    let read = |mut pipe: Box<dyn Read + Send>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).map(|_| bytes)
        })
    };
    let (stdout, stderr) = (read(Box::new(stdout)), read(Box::new(stderr)));
    let written = stdin.write_all(input).is_ok();
    drop(stdin);
    let ended = child.wait_timeout(Duration::from_secs(5));
    let (Ok(Ok(stdout)), Ok(Ok(_))) = (stdout.join(), stderr.join()) else {
        return 0;
    };
    stdout.len() * usize::from(written && matches!(ended, Ok(Some(_))))
}

fn grouped(command: Command, input: &[u8]) -> usize {
    let Ok(mut child) = piped(command).group_spawn() else {
        return 0;
    };
    let mut stdin = child.inner().stdin.take();
    let written = stdin
        .as_mut()
        .is_some_and(|stdin| stdin.write_all(input).is_ok());
    drop(stdin);
    let output = child.wait_with_output();
    output.map_or(0, |output| output.stdout.len() * usize::from(written))
}

/// 1 MiB in and out.
fn large(kit: &Kit) -> Vec<Case> {
    const STD: &str = "std: unbounded, 1 MiB";
    let text = block_of(1 << 20);
    let bytes = text.len();
    let limits = Limits::new()
        .with(Bound::MaxStdoutBytes, 4 << 20)
        .expect("four mebibytes are allowed");
    let program = program(&kit.child, &["echo"]).with_limits(limits);
    let child = kit.child.clone();
    let input = text.clone();
    let unbounded = move || {
        let mut command = Command::new(&child);
        command.arg("echo");
        unbounded(command, input.as_bytes())
    };
    vec![
        run("ours: process::run, 1 MiB", &program, &text)
            .in_place(Place::Small)
            .at_most(1.15, STD),
        typed("ours: tool call, typed block, 1 MiB", program, &text)
            .in_place(Place::Small)
            .beside(STD),
        Case::new(STD, Clock::Wall, unbounded, move |seen| *seen == bytes).in_place(Place::Small),
    ]
}

/// What others put around a program to hold it.
fn sandboxed(kit: &Kit, absent: &mut Vec<String>) -> Vec<Case> {
    let Some(bwrap) = which("bwrap") else {
        absent.push("bwrap, minimal".to_owned());
        return Vec::new();
    };
    let text = block_of(1024);
    let bytes = text.len();
    let child = kit.child.clone();
    let wrapped = move || unbounded(wrap(&bwrap, &child), text.as_bytes());
    vec![
        Case::new("bwrap, minimal", Clock::Wall, wrapped, move |seen| {
            *seen == bytes
        })
        .in_place(Place::Small)
        .beside(UNBOUNDED),
    ]
}

fn wrap(bwrap: &PathBuf, child: &Path) -> Command {
    let mut command = Command::new(bwrap);
    command
        .args(["--ro-bind", "/", "/", "--dev", "/dev", "--die-with-parent"])
        .arg(child)
        .arg("echo");
    command
}
