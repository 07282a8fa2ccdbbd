//! A git repository of its own, with a git that knows of no user and no machine.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use lonis_session::file_set::GitEnvironment;

/// A folder with a home directory and, beside it, repositories.
pub(crate) struct Git {
    folder: tempfile::TempDir,
}

impl Git {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// What the engine is to take for this machine's git configuration.
    pub(crate) fn environment(&self) -> GitEnvironment {
        GitEnvironment {
            home: Some(self.path("home")),
            ..GitEnvironment::default()
        }
    }

    /// A new repository.
    pub(crate) fn repository(&self, name: &str, options: &[&str]) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(&path).unwrap();
        self.run(&path, &[&["init", "-q"], options].concat());
        path
    }

    /// Runs git and gives its output.
    pub(crate) fn run(&self, directory: &Path, arguments: &[&str]) -> Vec<u8> {
        let output = Command::new("git")
            .args([
                "-c",
                "protocol.file.allow=always",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(arguments)
            .current_dir(directory)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "a")
            .env("GIT_AUTHOR_EMAIL", "a@example.org")
            .env("GIT_COMMITTER_NAME", "a")
            .env("GIT_COMMITTER_EMAIL", "a@example.org")
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {error}");
        output.stdout
    }

    /// What git says belongs to a working tree and what exists as a file or link, escaped as the engine escapes.
    pub(crate) fn listed(&self, directory: &Path) -> Vec<String> {
        let output = self.run(
            directory,
            &[
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ],
        );
        let mut paths: Vec<String> = output
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .filter(|path| {
                let path = directory.join(OsStr::from_bytes(path));
                path.symlink_metadata().is_ok_and(|found| !found.is_dir())
            })
            .map(lonis_session::path::escaped)
            .collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

/// Writes a file and the directories above it.
pub(crate) fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
