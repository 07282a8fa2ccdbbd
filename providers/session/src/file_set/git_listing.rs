//! The index as git itself lists it, where its file is not to be read here: a split index, or an extension that is not known.

use std::ffi::OsString;
use std::path::Path;

use lonis::limits::{Bound, Limits};
use lonis::process::{self, Program};

use super::git_config::GitEnvironment;
use super::git_index::{IndexEntry, IndexKind};

/// How long git may take to list an index.
const TIMEOUT_MILLIS: u64 = 60_000;

/// The longest list; an index of a million files makes half of it.
const MAX_LIST_BYTES: u64 = 256 * 1024 * 1024;

/// How much of what git says of a failure is told.
const MAX_ERROR_BYTES: u64 = 64 * 1024;

/// Asks git for the index of a repository.
///
/// # Errors
/// Why there is no list: git is not found, says no, or takes too long.
pub(super) fn entries(environment: &GitEnvironment, own: &Path) -> Result<Vec<IndexEntry>, String> {
    let limits = Limits::new()
        .with_nearest(Bound::TimeoutMillis, TIMEOUT_MILLIS)
        .with_nearest(Bound::MaxStdoutBytes, MAX_LIST_BYTES)
        .with_nearest(Bound::MaxStderrBytes, MAX_ERROR_BYTES);
    let mut directory = OsString::from("--git-dir=");
    directory.push(own);
    let arguments = ["ls-files", "-z", "-t", "--stage"].map(OsString::from);
    let mut git = Program::new("git")
        .with_args([directory])
        .with_args(arguments)
        .with_cwd(own)
        // Nothing of the repository is written, not even what git would write beside.
        .with_env("GIT_OPTIONAL_LOCKS", "0")
        .with_limits(limits);
    let homes = [
        ("HOME", &environment.home),
        ("XDG_CONFIG_HOME", &environment.config_home),
    ];
    for (name, directory) in homes {
        if let Some(directory) = directory {
            git = git.with_env(name, directory);
        }
    }
    let captured = process::run(&git, Vec::new())
        .into_result()
        .map_err(|error| format!("git cannot list it: {error}"))?;
    let status = captured.outcome.status;
    if !status.is_some_and(|status| status.signal().is_none() && status.code() == 0) {
        let said = String::from_utf8_lossy(&captured.stderr);
        let said = said.lines().next().unwrap_or_default();
        return Err(format!("git cannot list it: {said}"));
    }
    parse(&captured.stdout).ok_or_else(|| "git lists it in a form that is not known".to_owned())
}

/// Reads `ls-files -z -t --stage`: a letter, mode, hash and stage, a tab and the path, ended by NUL.
fn parse(listing: &[u8]) -> Option<Vec<IndexEntry>> {
    let mut entries: Vec<IndexEntry> = Vec::new();
    for line in listing
        .split(|byte| *byte == 0)
        .filter(|line| !line.is_empty())
    {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let (facts, path) = (std::str::from_utf8(&line[..tab]).ok()?, &line[tab + 1..]);
        let mut facts = facts.split(' ');
        let (letter, mode, hash) = (facts.next()?, facts.next()?, facts.next()?);
        let kind = match mode {
            "100644" | "100664" => IndexKind::File { executable: false },
            "100755" => IndexKind::File { executable: true },
            "120000" => IndexKind::Link,
            "160000" => IndexKind::Submodule {
                commit: hash.to_owned(),
            },
            _ => return None,
        };
        match entries.last() {
            Some(last) if *last.path > *path => return None,
            // The sides of a conflict are one path.
            Some(last) if *last.path == *path => {}
            _ => entries.push(IndexEntry {
                path: path.into(),
                kind,
                skip_worktree: letter == "S",
            }),
        }
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_git_prints_it() {
        let list = b"H 100644 ab 0\ta\0S 100755 cd 0\tb c\0M 100644 ef 1\td\0M 100644 ef 2\td\0H 160000 12 0\te\0H 120000 12 0\tf\xff\0";
        let entries = parse(list).unwrap();
        let shown: Vec<_> = entries
            .iter()
            .map(|entry| (&*entry.path, &entry.kind, entry.skip_worktree))
            .collect();
        let file = |executable| IndexKind::File { executable };
        let submodule = IndexKind::Submodule {
            commit: "12".to_owned(),
        };
        assert_eq!(
            shown,
            [
                (b"a".as_slice(), &file(false), false),
                (b"b c", &file(true), true),
                (b"d", &file(false), false),
                (b"e", &submodule, false),
                (b"f\xff", &IndexKind::Link, false),
            ]
        );
        for odd in [
            b"H 100644 ab 0\tb\0H 100644 ab 0\ta\0".as_slice(),
            b"H 100644 ab 0 a\0",
            b"H 040000 ab 0\ta\0",
            b"H\ta\0",
        ] {
            assert!(parse(odd).is_none(), "{odd:?}");
        }
    }
}
