//! Files to try edits on: versions that follow each other, and whole files with definitions.
//!
//! Without a folder they are drawn from a seed; with `LONIS_PROOF_CORPUS` they are the files below it, of which folders
//! `NAME-1.2.3` with one name are versions that follow each other.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::generated::Draw;

/// The longest file that is tried.
const MAX_BYTES: u64 = 200_000;

/// One file before and after.
pub(crate) struct Pair {
    pub(crate) path: String,
    pub(crate) before: String,
    pub(crate) after: String,
}

fn folder() -> Option<PathBuf> {
    std::env::var_os("LONIS_PROOF_CORPUS").map(PathBuf::from)
}

/// Calls back with pairs until it says that it has enough.
pub(crate) fn pairs(mut take: impl FnMut(Pair) -> bool) {
    let Some(folder) = folder() else {
        let mut draw = Draw::new(7);
        loop {
            let before = source(&mut draw);
            let after = drifted(&mut draw, &before);
            let path = "f.rs".to_owned();
            if !take(Pair {
                path,
                before,
                after,
            }) {
                return;
            }
        }
    };
    for [old, new] in versions(&folder) {
        for path in below(&old) {
            let name = path.strip_prefix(&old).unwrap();
            let (Ok(before), Ok(after)) = (
                fs::read_to_string(&path),
                fs::read_to_string(new.join(name)),
            ) else {
                continue;
            };
            let path = name.file_name().unwrap().to_str().unwrap_or("f").to_owned();
            let is_other = before != after && !before.contains('\0');
            if is_other
                && !take(Pair {
                    path,
                    before,
                    after,
                })
            {
                return;
            }
        }
    }
}

/// Calls back with the name and text of files that end in one of some extensions.
pub(crate) fn files(extensions: &[&str], mut take: impl FnMut(&str, &str) -> bool) -> bool {
    let Some(folder) = folder() else {
        return false;
    };
    for path in below(&folder) {
        let name = path.file_name().unwrap().to_str().unwrap_or_default();
        let is_meant = name
            .rsplit_once('.')
            .is_some_and(|(_, found)| extensions.contains(&found));
        if let (true, Ok(text)) = (is_meant, fs::read_to_string(&path))
            && !take(name, &text)
        {
            break;
        }
    }
    true
}

/// Folders of one name and two versions, each with the next.
fn versions(folder: &Path) -> Vec<[PathBuf; 2]> {
    let mut named: BTreeMap<String, Vec<(Vec<u64>, PathBuf)>> = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap_or_default()
            .to_owned();
        let Some(at) = name
            .match_indices('-')
            .map(|(at, _)| at)
            .find(|at| name[at + 1..].starts_with(|digit: char| digit.is_ascii_digit()))
        else {
            continue;
        };
        let version = name[at + 1..]
            .split(['.', '+', '-'])
            .map(|part| part.parse().unwrap_or(0))
            .collect();
        named
            .entry(name[..at].to_owned())
            .or_default()
            .push((version, path));
    }
    let mut pairs = Vec::new();
    for mut versions in named.into_values() {
        versions.sort();
        pairs.extend(
            versions
                .windows(2)
                .map(|pair| [pair[0].1.clone(), pair[1].1.clone()]),
        );
    }
    pairs
}

/// All files below a folder that are not long, in one order on every machine.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            match path.symlink_metadata() {
                Ok(stat) if stat.is_dir() => open.push(path),
                Ok(stat) if stat.is_file() && stat.len() <= MAX_BYTES => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// A text as code is: blocks that look like each other, names that come back, blank lines.
pub(crate) fn source(draw: &mut Draw) -> String {
    let mut text = vec!["//! What this file is for.\n\nuse std::fmt;\n".to_owned()];
    for number in 0..draw.below(12) + 3 {
        let head = format!("fn job_{number}(input: &str) -> Option<u32> {{\n");
        text.push(format!("\n/// Does it, number {number}.\n{head}"));
        for _ in 0..=draw.below(8) {
            let value = draw.below(5);
            text.push(match draw.below(6) {
                0 => format!("    if input.len() > {value} {{\n        return None;\n    }}\n"),
                1 => format!("    let value = input.len() + {value};\n"),
                2 => "    let value = input.trim();\n".to_owned(),
                3 => format!("    println!(\"{{value}} {value}\");\n"),
                4 => "\n".to_owned(),
                _ => format!("    for item in 0..{value} {{\n        drop(item);\n    }}\n"),
            });
        }
        text.push("    Some(1)\n}\n".to_owned());
    }
    text.concat()
}

/// The text after a few edits.
fn drifted(draw: &mut Draw, before: &str) -> String {
    let mut lines: Vec<String> = before.lines().map(str::to_owned).collect();
    for _ in 0..=draw.below(4) {
        let at = draw.below(lines.len());
        let indent: String = lines[at]
            .chars()
            .take_while(|letter| *letter == ' ')
            .collect();
        let line = format!(
            "{indent}let fresh_{} = {};",
            draw.below(1000),
            draw.below(9)
        );
        match draw.below(3) {
            0 => drop(lines.remove(at)),
            1 => lines[at] = line,
            _ => lines.insert(at, line),
        }
    }
    lines.join("\n") + "\n"
}
