//! `cargo xtask dist --order`: which functions the commonest commands run, for the linker to put side by side.
//!
//! A program of some megabytes starts by touching a page here and a page there, and each first touch of one costs about
//! what hundreds of instructions do. What runs at a start fits into a few pages if it stands together. The result is a linker
//! script, which may name what a program does not have: a function that is gone costs nothing but its place.

mod map;
mod steps;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::{build_with, target};
use crate::command::{Failure, say};
use map::{Map, Section};

/// The committed script.
const SCRIPT: &str = "lonis-cli/order.ld";

/// The command lines whose functions stand first, the commonest before the others.
const COMMANDS: [&[&str]; 5] = [
    &["tools", "list"],
    &[
        "call",
        "lonis:builtin:echo",
        r#"{"a":1}"#,
        "--mode",
        "ndjson",
    ],
    &["call", "order:cat", "--mode", "ndjson"],
    &["--version"],
    &["call", "order:none"],
];

/// What the commands find: a tool of another program, and nothing else.
const CONFIG: &str = r#"
[tools."order:cat"]
description = "Gives its input back."
command = ["cat"]
stdin = "json"
mapping = "json"
"#;

/// Longer functions stand behind all others.
const SHORT_BYTES: u64 = 4096;

const HEAD: &str = "\
/* The functions that the commonest commands run, in the order in which they first do.
   Written by `cargo xtask dist --order`; what a program does not have is passed over. */
SECTIONS
{
  .text.first :
  {
";
const TAIL: &str = "  }\n}\nINSERT BEFORE .text;\n";

/// Returns the committed script.
pub(super) fn script(root: &Path) -> PathBuf {
    root.join(SCRIPT)
}

/// Writes the script anew, from a program that is linked without one.
pub(super) fn write(root: &Path) -> Result<(), Failure> {
    let folder = target(root)?.join("dist/order");
    let map_file = folder.join("map");
    make(&folder)?;
    let option = format!("link-arg=-Wl,-Map={}", map_file.display());
    let program = build_with(root, &["-C", &option])?;
    let map = Map::read(&crate::command::read(&map_file)?)?;
    put(&folder.join("lonis.toml"), CONFIG)?;
    let (mut seen, mut sections) = (BTreeSet::new(), Vec::new());
    for words in COMMANDS {
        let before = sections.len();
        steps::follow(&program, words, &folder, |address| {
            if let Some((at, section)) = map.at(address)
                && seen.insert(at)
            {
                sections.push(section);
            }
        })?;
        let found = sections.len() - before;
        say(&format!("{}: {found} functions", words.join(" ")));
    }
    // What is long mostly runs in a few places, and would only keep the short ones apart.
    let (short, long): (Vec<_>, Vec<_>) = sections
        .into_iter()
        .partition(|section| section.bytes() <= SHORT_BYTES);
    put(&script(root), &written(&map, &[short, long].concat()))
}

/// The text of the script: a line for each section, none twice.
fn written(map: &Map, sections: &[&Section]) -> String {
    let mut text = HEAD.to_owned();
    let mut lines = BTreeSet::new();
    for line in sections.iter().filter_map(|section| section.pattern(map)) {
        if lines.insert(line.clone()) {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "    {line}");
        }
    }
    text + TAIL
}

fn make(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|source| Failure::File {
        path: folder.display().to_string(),
        source,
    })
}

fn put(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|source| Failure::File {
        path: path.display().to_string(),
        source,
    })
}
