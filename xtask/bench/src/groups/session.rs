//! Capturing a workspace, beside git and beside a walk that only looks; editing it, and writing a result back.

mod apply;
mod commands;

use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::Instant;

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

use crate::case::{Case, Clock};
use crate::kit::Kit;
use crate::report::Fact;

/// Files of the repositories that are measured: a small one and an ordinary one.
const SIZES: [usize; 2] = [1_000, 20_000];

/// Files of the repository whose capture is looked at for memory.
const LARGE: usize = 100_000;

/// The mean length of a file: 20,000 of them are 190 MB.
const MEAN_BYTES: u64 = 9_500;

/// How many files lie in one directory.
const IN_ONE_DIRECTORY: usize = 20;

pub(super) fn cases(kit: &Kit, _absent: &mut Vec<String>) -> Vec<Case> {
    SIZES
        .into_iter()
        .flat_map(|files| of_size(kit, files))
        .chain(apply::cases(kit))
        .chain(commands::cases(
            kit,
            &planted(kit, "commands", SIZES[1], MEAN_BYTES),
        ))
        .collect()
}

fn of_size(kit: &Kit, files: usize) -> Vec<Case> {
    // Two repositories alike: in one git tracks everything, in the other nothing is stored yet.
    let known = planted(kit, "known", files, MEAN_BYTES);
    let fresh = planted(kit, "fresh", files, MEAN_BYTES);
    let added = planted(kit, "added", files, MEAN_BYTES);
    let added_all = git(&known, &["add", "-A"]);
    // What begins here is in the store and in the stat cache for the cases below.
    let warm = added_all
        .and_then(|()| begin(&known))
        .and_then(|()| begin(&known));
    let add = format!("git: add -A, {files} files");
    let add_again = format!("git: add -A again, {files} files");
    let status = format!("git: status, {files} files");
    let walk = format!("plain: openat and fstatat, {files} files");
    let walked = known.clone();
    let again = known.clone();
    let touched = known.clone();
    let mut round = 0;
    let (first, nothing) = (1_200_000.0 * share(files), 80_000.0 * share(files));
    vec![
        Case::of_samples(format!("ours: first begin, {files} files"), move || {
            remove(&fresh.join(".lonis"))?;
            timed(|| begin(&fresh))
        })
        .at_most_reach(1.0 / 3.0, 1.0 / 5.0, &add)
        .micros_at_most(first),
        Case::of_samples(add, move || {
            remove(&added.join(".git"))?;
            git(&added, &["init", "-q"])?;
            timed(|| git(&added, &["add", "-A"]))
        }),
        Case::of_samples(format!("ours: nothing changed, {files} files"), move || {
            warm.clone()?;
            timed(|| begin(&again))
        })
        .at_most(2.0, &status)
        .at_most(1.6, &walk)
        .at_most(1.0, &add_again)
        .micros_at_most(nothing),
        Case::of_samples(
            format!("ours: one file changed, {files} files"),
            move || {
                round += 1;
                let text = format!("{round}\n");
                fs::write(touched.join(file(0)), text).map_err(|error| error.to_string())?;
                timed(|| begin(&touched))
            },
        )
        .micros_at_most(nothing + 10_000.0),
        Case::of_samples(add_again, {
            let known = known.clone();
            move || timed(|| git(&known, &["add", "-A"]))
        }),
        Case::of_samples(status, move || {
            timed(|| git(&known, &["status", "--porcelain"]))
        }),
        Case::new(
            walk,
            Clock::Wall,
            move || look_at_all(&walked),
            move |seen| *seen == files,
        ),
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

/// The peak of this process, which held no more before: the first capture of a large repository; and what its store takes.
pub(super) fn facts(kit: &Kit) -> Result<Vec<Fact>, String> {
    let root = planted(kit, "large", LARGE, 200);
    remove(&root.join(".lonis"))?;
    begin(&root)?;
    let mut content = 0;
    for number in 0..LARGE {
        let file = fs::metadata(root.join(file(number))).map_err(|error| error.to_string())?;
        content += file.len();
    }
    let allowed = content + content / 10 + 200 * LARGE as u64;
    let stored = bytes_below(&root.join(".lonis/session/objects"))?;
    #[expect(clippy::cast_precision_loss, reason = "these bytes are far below 2^52")]
    let growth = stored as f64 / allowed as f64;
    let text = fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    Ok(vec![
        Fact {
            name: format!("ours: peak of a first begin, {LARGE} files"),
            value: kibibytes.ok_or("the peak is not told")? / 1024.0,
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
        let mut captured = capture::store(
            &live,
            &FileSetRules::default(),
            &cache,
            &mut store,
            &ObjectMap::new(),
        )?;
        let known = captured.stat_cache(began);
        if known != cache {
            known.save(&disk)?;
        }
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
    finished(&mut command)
}

/// Runs a program to its end; one that fails is told with what it wrote to stderr.
fn finished(command: &mut Process) -> Result<(), String> {
    let name = command.get_program().display().to_string();
    let ended = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| format!("`{name}` cannot be run: {error}"))?;
    if ended.status.success() {
        return Ok(());
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

/// Where a file of a repository lies.
fn file(number: usize) -> String {
    let directory = number / IN_ONE_DIRECTORY;
    format!("d{}/s{}/file{number}.rs", directory / 10, directory % 10)
}

/// A repository of text files whose content and length are drawn from a fixed seed.
fn planted(kit: &Kit, name: &str, files: usize, mean_bytes: u64) -> PathBuf {
    let root = kit.subfolder(&format!("session-{name}-{files}"));
    if root.join("d0").is_dir() {
        return root;
    }
    let mut random = fastrand::Rng::with_seed(7);
    for number in 0..files {
        let path = root.join(file(number));
        // A file that cannot be written shows in the count of the walk.
        let _ = fs::create_dir_all(path.parent().unwrap_or(&root));
        let length = random.u64(0..=mean_bytes * 2);
        let _ = fs::write(path, text(&mut random, length));
    }
    // Without a repository the first `git add` fails, and says so.
    let _ = git(&root, &["init", "-q"]);
    root
}

fn text(random: &mut fastrand::Rng, length: u64) -> String {
    const WORDS: [&str; 8] = [
        "let ", "fn ", "self.", "return ", "{\n", "}\n", "value", "(0x",
    ];
    let length = usize::try_from(length).unwrap_or(0);
    let mut text = String::with_capacity(length + 16);
    while text.len() < length {
        text.push_str(WORDS[random.usize(0..WORDS.len())]);
        text.push_str(&random.u32(0..1000).to_string());
    }
    text.truncate(length);
    text
}
