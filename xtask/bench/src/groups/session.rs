//! Capturing a workspace, beside git and beside a walk that only looks; editing it, and writing a result back.

mod apply;
mod commands;
mod repository;

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::Instant;
use std::{env, fs};

use lonis_session::command::Command;
use lonis_session::commands::{Surroundings, run};
use lonis_session::file_set::{FileSetRules, GitEnvironment};
use lonis_session::snapshot::capture;
use lonis_session::snapshot::live::LiveTree;
use lonis_session::snapshot::stat_cache::StatCache;
use lonis_session::store::disk::RootDisk;
use lonis_session::store::layout;
use lonis_session::store::objects::ObjectMap;
use lonis_session::store::stored::StoredObjects;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use serde_json::{Value, json};

use crate::case::Case;
use crate::kit::Kit;
use crate::report::Fact;
use repository::{Repository, file};

/// Files of the repositories that are measured: a small one and an ordinary one.
const SIZES: [usize; 2] = [1_000, 20_000];

/// Files of the repository whose capture is looked at for memory.
const LARGE: usize = 100_000;

/// What an edit of one file costs, in memory.
pub(super) fn edits(_kit: &Kit, _absent: &mut Vec<String>) -> Vec<Case> {
    commands::edits()
}

/// What only reads.
pub(super) fn readers(kit: &Kit, _absent: &mut Vec<String>) -> Vec<Case> {
    commands::readers(kit)
}

/// The capture of a small repository.
pub(super) fn small(kit: &Kit, _absent: &mut Vec<String>) -> Vec<Case> {
    captures(kit, SIZES[0])
}

/// The capture of an ordinary repository.
pub(super) fn ordinary(kit: &Kit, _absent: &mut Vec<String>) -> Vec<Case> {
    captures(kit, SIZES[1])
}

/// What a patch costs in an ordinary repository.
pub(super) fn stages(kit: &Kit, _absent: &mut Vec<String>) -> Vec<Case> {
    commands::stages(&Repository::of(kit, SIZES[1]))
}

/// What the workspace of a test costs in an ordinary repository.
pub(super) fn tests(kit: &Kit, _absent: &mut Vec<String>) -> Vec<Case> {
    commands::tests(&Repository::of(kit, SIZES[1]))
}

/// What is written back.
pub(super) fn applies(kit: &Kit, _absent: &mut Vec<String>) -> Vec<Case> {
    apply::cases(kit)
}

fn captures(kit: &Kit, files: usize) -> Vec<Case> {
    let repository = Repository::of(kit, files);
    let add = format!("git: add -A, {files} files");
    let add_again = format!("git: add -A again, {files} files");
    let status = format!("git: status, {files} files");
    let walk = format!("plain: openat and fstatat, {files} files");
    let of = |act: fn(&Path) -> Result<(), String>| {
        let repository = repository.clone();
        move || {
            let root = repository.known()?;
            timed(|| act(root))
        }
    };
    let (fresh, added) = (repository.clone(), repository.clone());
    let (touched, walked) = (repository.clone(), repository.clone());
    let mut round = 0;
    let (first, nothing) = (1_200_000.0 * share(files), 80_000.0 * share(files));
    vec![
        Case::of_samples(format!("ours: first begin, {files} files"), move || {
            fresh.without(".lonis", |root| timed(|| begin(root)))
        })
        .at_most_reach(1.0 / 3.0, 1.0 / 5.0, &add)
        .micros_at_most(first),
        Case::of_samples(add, move || {
            added.without(".git", |root| {
                git(root, &["init", "-q"])?;
                timed(|| git(root, &["add", "-A"]))
            })
        }),
        Case::of_samples(format!("ours: nothing changed, {files} files"), {
            let repository = repository.clone();
            move || {
                let root = repository.known()?;
                // What another case changed is known from here on.
                begin(root)?;
                timed(|| begin(root))
            }
        })
        .at_most(2.0, &status)
        .at_most(1.6, &walk)
        .at_most(1.0, &add_again)
        .micros_at_most(nothing),
        Case::of_samples(
            format!("ours: one file changed, {files} files"),
            move || {
                round += 1;
                let root = touched.known()?;
                let text = format!("{round}\n");
                fs::write(root.join(file(0)), text).map_err(|error| error.to_string())?;
                timed(|| begin(root))
            },
        )
        .micros_at_most(nothing + 10_000.0),
        Case::of_samples(add_again, of(|root| git(root, &["add", "-A"]))),
        Case::of_samples(status, of(|root| git(root, &["status", "--porcelain"]))),
        Case::of_samples(walk, move || {
            let root = walked.known()?;
            timed(|| match look_at_all(root) {
                seen if seen >= files => Ok(()),
                seen => Err(format!("{seen} files are seen")),
            })
        }),
    ]
}

/// The part of the ordinary repository that a repository is; what is asked of a time is asked of that.
fn share(files: usize) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a count of files is far below 2^52"
    )]
    let share = files as f64 / SIZES[1] as f64;
    share
}

/// The peak of a process that captures a large repository for the first time; and what its store takes.
pub(super) fn facts(kit: &Kit) -> Result<Vec<Fact>, String> {
    let root = kit.subfolder("session-large");
    repository::plant(&root, LARGE, 200)?;
    let own = env::current_exe().map_err(|error| error.to_string())?;
    let peak = finished(Process::new(own).arg("begun").arg(&root))?;
    let kibibytes: f64 = peak.trim().parse().map_err(|_| "the peak is not told")?;
    let mut content = 0;
    for number in 0..LARGE {
        let file = fs::metadata(root.join(file(number))).map_err(|error| error.to_string())?;
        content += file.len();
    }
    let allowed = content + content / 10 + 200 * LARGE as u64;
    let stored = bytes_below(&root.join(".lonis/session/objects"))?;
    #[expect(clippy::cast_precision_loss, reason = "these bytes are far below 2^52")]
    let growth = stored as f64 / allowed as f64;
    Ok(vec![
        Fact {
            name: format!("ours: peak of a first begin, {LARGE} files"),
            value: kibibytes / 1024.0,
            unit: "MiB",
            at_most: Some(300.0),
        },
        Fact {
            name: format!("ours: objects over 1.1 x content and 200 B a file, {LARGE} files"),
            value: growth,
            unit: "x",
            at_most: Some(1.0),
        },
    ])
}

/// Captures a directory, and gives the most memory that this process has held, in KiB.
pub(crate) fn peak_of_begin(root: &Path) -> Result<usize, String> {
    begin(root)?;
    let text = fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"));
    let peak = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    peak.ok_or_else(|| "the peak is not told".to_owned())
}

/// The length of all files in a directory.
fn bytes_below(directory: &Path) -> Result<u64, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut bytes = 0;
    for entry in fs::read_dir(directory).map_err(failed)? {
        bytes += entry
            .and_then(|entry| entry.metadata())
            .map_err(failed)?
            .len();
    }
    Ok(bytes)
}

/// What `begin` does with the live tree: capture, store, cache.
fn begin(root: &Path) -> Result<(), String> {
    let captured = || -> Result<(), Box<dyn std::error::Error>> {
        let live = LiveTree::open(root, GitEnvironment::default())?;
        let disk = RootDisk::open(root)?;
        layout::prepare(&disk)?;
        let began = capture::file_system_time(&live, &disk)?;
        let cache = StatCache::load(&disk);
        let mut store = StoredObjects::open(&disk)?;
        let captured = capture::store(
            &live,
            &FileSetRules::default(),
            &cache,
            &mut store,
            &ObjectMap::new(),
        )?;
        captured.remember(began, &cache, &disk)?;
        Ok(())
    };
    captured().map_err(|error| format!("the tree cannot be captured: {error}"))
}

/// Runs a command of the engine; a failure is told with its code and all that is known of it.
fn run_command(
    root: &Path,
    session: &str,
    command: Command,
    mut input: Value,
) -> Result<Value, String> {
    input["root"] = json!(root);
    if command.has_session() {
        input["session"] = json!(session);
    }
    run(command, &input, &Surroundings::of_process()).map_err(|failure| {
        let told = failure.envelope(None);
        let message = failure.cause().message();
        let parameters = &told["diagnostics"][0]["parameters"];
        format!("{}: {message}: {parameters}", failure.code())
    })
}

/// Nanoseconds of what succeeds; what does not says why.
fn timed<T>(act: impl FnOnce() -> Result<T, String>) -> Result<f64, String> {
    let start = Instant::now();
    let _given = act()?;
    #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a short time")]
    let nanos = start.elapsed().as_nanos() as f64;
    Ok(nanos)
}

fn remove(path: &Path) -> Result<(), String> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("`{}` cannot be removed: {error}", path.display()))
        }
        _ => Ok(()),
    }
}

fn git(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let mut command = Process::new("git");
    command
        .args(arguments)
        .current_dir(root)
        .env("GIT_CONFIG_NOSYSTEM", "1");
    finished(&mut command).map(drop)
}

/// Runs a program to its end and gives what it wrote; one that fails is told with what it wrote to stderr.
fn finished(command: &mut Process) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    let ended = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("`{name}` cannot be run: {error}"))?;
    if ended.status.success() {
        return Ok(String::from_utf8_lossy(&ended.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&ended.stderr);
    Err(format!("`{name}`: {}: {}", ended.status, stderr.trim()))
}

/// Counts the files below a directory, each looked at, as the cheapest program would.
fn look_at_all(root: &Path) -> usize {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(root) = rustix::fs::open(root, flags, Mode::empty()) else {
        return 0;
    };
    let mut seen = 0;
    let mut open: Vec<OwnedFd> = vec![root];
    while let Some(directory) = open.pop() {
        for entry in Dir::read_from(&directory).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if [c".", c"..", c".git", c".lonis"].contains(&name) {
                continue;
            }
            if entry.file_type() == FileType::Directory {
                let inner = rustix::fs::openat(&directory, name, flags, Mode::empty());
                open.extend(inner);
            } else {
                let flags = AtFlags::SYMLINK_NOFOLLOW;
                let stat = rustix::fs::statat(directory.as_fd(), name, flags);
                seen += usize::from(stat.is_ok());
            }
        }
    }
    seen
}
