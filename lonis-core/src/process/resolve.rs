//! From a command to the absolute path of a program, and from a refused start to what was wrong with it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};

use super::failure::{Unavailable, UnavailableReason};

/// Bytes of a file that are enough for its first line: the kernel reads no more of it either.
const HEAD_BYTES: u64 = 256;

/// Finds the program of a command.
///
/// A command with a slash is a path. Any other is looked for in the folders of `path`, the `PATH` that the child will
/// get, since what the tool itself would find is what is meant.
pub(crate) fn find(command: &Path, path: Option<&OsStr>) -> Result<PathBuf, Unavailable> {
    find_file(command, path).map(|(program, _)| program)
}

/// Finds the program of a command, and gives what was seen of it.
pub(crate) fn find_file(
    command: &Path,
    path: Option<&OsStr>,
) -> Result<(PathBuf, Metadata), Unavailable> {
    if command.as_os_str().as_bytes().contains(&b'/') {
        return match look(command) {
            Ok(metadata) => Ok((command.to_owned(), metadata)),
            Err(reason) => Err(Unavailable {
                program: command.to_owned(),
                reason,
            }),
        };
    }
    let mut found_flaw = None;
    for folder in path.map(std::env::split_paths).into_iter().flatten() {
        // The child starts in another directory, so a folder relative to ours would mean something else there.
        if !folder.is_absolute() {
            continue;
        }
        let candidate = folder.join(command);
        match look(&candidate) {
            Ok(metadata) => return Ok((candidate, metadata)),
            Err(UnavailableReason::NotFound { target: None }) => {}
            Err(reason) => {
                found_flaw.get_or_insert(Unavailable {
                    program: candidate,
                    reason,
                });
            }
        }
    }
    Err(found_flaw.unwrap_or_else(|| Unavailable {
        program: command.to_owned(),
        reason: UnavailableReason::NotOnPath,
    }))
}

/// Looks at a program once, and tells what that shows to be wrong with it.
fn look(program: &Path) -> Result<Metadata, UnavailableReason> {
    match fs::metadata(program) {
        Ok(metadata) if metadata.is_dir() => Err(UnavailableReason::IsDirectory),
        Ok(metadata) if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 => {
            Err(UnavailableReason::NotExecutable)
        }
        Ok(metadata) => Ok(metadata),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(UnavailableReason::NotExecutable)
        }
        Err(_) => Err(UnavailableReason::NotFound {
            target: fs::read_link(program).ok(),
        }),
    }
}

fn flaw(program: &Path) -> Option<UnavailableReason> {
    look(program).err()
}

/// Tells why the system would not execute a program that looked well.
///
/// `errno` is its answer to the exec itself; `None` is returned for an answer that is not about the program.
pub(crate) fn diagnose(program: &Path, errno: i32) -> Option<Unavailable> {
    use rustix::io::Errno;
    let reason = match Errno::from_raw_os_error(errno) {
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP => flaw(program).unwrap_or_else(|| {
            interpreter_flaw(program).unwrap_or(UnavailableReason::NotFound { target: None })
        }),
        Errno::ACCESS | Errno::PERM => flaw(program)
            .or_else(|| noexec_mount(program))
            .or_else(|| interpreter_flaw(program))
            .unwrap_or(UnavailableReason::NotExecutable),
        Errno::NOEXEC | Errno::LIBBAD => UnavailableReason::ExecFormat,
        _ => return None,
    };
    Some(Unavailable {
        program: program.to_owned(),
        reason,
    })
}

fn interpreter_flaw(program: &Path) -> Option<UnavailableReason> {
    let mut head = Vec::new();
    let file = fs::File::open(program).ok()?;
    file.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    let interpreter = interpreter(&head)?;
    Some(UnavailableReason::BadInterpreter { interpreter })
}

/// Returns the interpreter that the first line of a script names.
fn interpreter(head: &[u8]) -> Option<PathBuf> {
    let line = head
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    // A CR at the end of the line belongs to the name, for the kernel too: then it is what is wrong.
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t'));
    let word = words.find(|word| !word.is_empty())?;
    Some(PathBuf::from(OsString::from_vec(word.to_vec())))
}

fn noexec_mount(program: &Path) -> Option<UnavailableReason> {
    let flags = statvfs(program).ok()?.f_flag;
    if !flags.contains(StatVfsMountFlags::NOEXEC) {
        return None;
    }
    let mounts = fs::read("/proc/self/mounts").unwrap_or_default();
    let mount_point = mount_point(&fs::canonicalize(program).ok()?, &mounts);
    Some(UnavailableReason::NoexecMount { mount_point })
}

/// Returns the longest mount point that a path lies under; later mounts hide earlier ones of the same length.
fn mount_point(path: &Path, mounts: &[u8]) -> PathBuf {
    mounts
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.split(|byte| *byte == b' ').nth(1))
        .map(|field| PathBuf::from(OsString::from_vec(unescape(field))))
        .filter(|point| path.starts_with(point))
        .max_by_key(|point| point.as_os_str().len())
        .unwrap_or_else(|| PathBuf::from("/"))
}

/// Undoes the three octal digits that the kernel writes for blanks and backslashes.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&first, after)) = rest.split_first() {
        let octal = after.get(..3).filter(|_| first == b'\\');
        let value =
            octal.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        let (byte, after) = value.map_or((first, after), |value| (value, &after[3..]));
        text.push(byte);
        rest = after;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn executable(path: &Path, text: &str) {
        fs::write(path, text).expect("written");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("made executable");
    }

    #[test]
    fn every_flaw_has_its_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("directory")).expect("made");
        fs::write(at("plain"), "").expect("written");
        symlink("/nonexistent/target", at("dangling")).expect("linked");
        executable(&at("tool"), "");
        let check = |name: &str, expected: Option<UnavailableReason>| {
            let found = find(&at(name), None);
            assert_eq!(found.err().map(|error| error.reason), expected, "{name}");
        };
        check("tool", None);
        check("directory", Some(UnavailableReason::IsDirectory));
        check("plain", Some(UnavailableReason::NotExecutable));
        check(
            "missing",
            Some(UnavailableReason::NotFound { target: None }),
        );
        check(
            "plain/below",
            Some(UnavailableReason::NotFound { target: None }),
        );
        let target = Some(PathBuf::from("/nonexistent/target"));
        check("dangling", Some(UnavailableReason::NotFound { target }));
    }

    #[test]
    fn a_bare_name_is_looked_for_in_the_given_folders_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        fs::create_dir_all(first.join("tool")).expect("made");
        fs::create_dir(&second).expect("made");
        executable(&second.join("tool"), "");
        let path = std::env::join_paths([Path::new("relative"), &first, &second]).expect("joined");
        let found =
            find(Path::new("tool"), Some(&path)).expect("found behind a directory of that name");
        assert_eq!(found, second.join("tool"));

        let only_first = find(Path::new("tool"), Some(first.as_os_str())).expect_err("a directory");
        assert_eq!(only_first.reason, UnavailableReason::IsDirectory);
        for path in [None, Some(OsStr::new("")), Some(OsStr::new("relative"))] {
            let missing = find(Path::new("sh"), path).expect_err("nowhere");
            assert_eq!(missing.reason, UnavailableReason::NotOnPath);
            assert_eq!(missing.reason.word(), "not_found");
        }
    }

    #[test]
    fn the_first_line_names_the_interpreter() {
        let check = |head: &[u8], expected: Option<&str>| {
            assert_eq!(interpreter(head), expected.map(PathBuf::from), "{head:?}");
        };
        check(b"#!/bin/sh\necho", Some("/bin/sh"));
        check(b"#!  /usr/bin/env  python3\n", Some("/usr/bin/env"));
        check(b"#!/bin/sh\r\n", Some("/bin/sh\r"));
        check(b"#!/bin/sh", Some("/bin/sh"));
        check(b"#!\n", None);
        check(b"\x7fELF", None);
        check(b"", None);
    }

    #[test]
    fn mount_points_are_the_longest_that_fit() {
        let mounts =
            b"a / ext4 rw 0 0\nb /mnt/with\\040blank tmpfs noexec 0 0\nc /mnt tmpfs rw 0 0\n";
        let check = |path: &str, expected: &str| {
            assert_eq!(mount_point(Path::new(path), mounts), Path::new(expected));
        };
        check("/mnt/with blank/tool", "/mnt/with blank");
        check("/mnt/tool", "/mnt");
        check("/mntx/tool", "/");
        assert_eq!(mount_point(Path::new("/x"), b""), Path::new("/"));
    }
}
