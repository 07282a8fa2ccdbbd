//! The few settings of git that decide which files are tracked or ignored.
//!
//! Reads the format of git's configuration files: sections, quoted values, comments, continued lines, plain includes.
//! Conditional includes are not followed.

use std::path::{Path, PathBuf};

use crate::beneath::read_any;

/// How deep includes may lead.
const MAX_INCLUDES: u32 = 8;

/// The longest configuration file that is read.
const MAX_CONFIG_BYTES: u64 = 4 * 1024 * 1024;

/// Where git's own configuration lies on this machine; comes in as a value.
#[derive(Debug, Clone, Default)]
pub struct GitEnvironment {
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, where set.
    pub config_home: Option<PathBuf>,
    /// Configuration of the whole machine.
    pub system_config: Option<PathBuf>,
}

impl GitEnvironment {
    /// As git itself would find it in this process.
    pub fn of_process() -> Self {
        let path = |name| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        Self {
            home: path("HOME"),
            config_home: path("XDG_CONFIG_HOME"),
            system_config: Some(PathBuf::from("/etc/gitconfig")),
        }
    }

    fn user_directory(&self) -> Option<PathBuf> {
        let below_home = || self.home.as_ref().map(|home| home.join(".config"));
        Some(self.config_home.clone().or_else(below_home)?.join("git"))
    }

    /// The configuration files outside a repository, the weakest first.
    fn files(&self) -> Vec<PathBuf> {
        let user = self
            .user_directory()
            .map(|directory| directory.join("config"));
        let home = self.home.as_ref().map(|home| home.join(".gitconfig"));
        self.system_config
            .clone()
            .into_iter()
            .chain(user)
            .chain(home)
            .collect()
    }
}

/// Settings that matter here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitSettings {
    /// Whether the file system has an executable bit.
    pub(super) file_mode: bool,
    /// Whether ignore rules disregard case.
    pub(super) ignore_case: bool,
    /// The user's own ignore rules.
    pub(super) excludes_file: Option<PathBuf>,
    /// Length of the hashes in the index.
    pub(super) hash_bytes: usize,
}

impl GitSettings {
    /// Reads the settings that hold for a repository whose common directory is given.
    pub(super) fn read(environment: &GitEnvironment, common: Option<&Path>) -> Self {
        let mut settings = Self {
            file_mode: true,
            ignore_case: false,
            excludes_file: environment
                .user_directory()
                .map(|directory| directory.join("ignore")),
            hash_bytes: 20,
        };
        let own = common.map(|common| common.join("config"));
        for file in environment.files().into_iter().chain(own) {
            settings.read_file(environment, &file, 0);
        }
        settings
    }

    fn read_file(&mut self, environment: &GitEnvironment, file: &Path, depth: u32) {
        // A file that is missing or cannot be read sets nothing, as for git where it is optional.
        let Some(text) = read_text(file) else {
            return;
        };
        for (key, value) in parse(&text) {
            match key.as_str() {
                "core.filemode" => self.file_mode = is_true(value.as_deref()),
                "core.ignorecase" => self.ignore_case = is_true(value.as_deref()),
                "core.excludesfile" => {
                    self.excludes_file = value
                        .filter(|value| !value.is_empty())
                        .and_then(|value| resolve(environment, file, &value));
                }
                "extensions.objectformat" => {
                    self.hash_bytes = if value.as_deref() == Some("sha256") {
                        32
                    } else {
                        20
                    };
                }
                "include.path" if depth < MAX_INCLUDES => {
                    let path = value.and_then(|value| resolve(environment, file, &value));
                    if let Some(path) = path {
                        self.read_file(environment, &path, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Reads a text file that the user or the system keeps for git; `None` where there is none that can be read.
pub(super) fn read_text(file: &Path) -> Option<String> {
    let bytes = read_any(file, MAX_CONFIG_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn resolve(environment: &GitEnvironment, file: &Path, value: &str) -> Option<PathBuf> {
    match value.strip_prefix("~/") {
        Some(rest) => Some(environment.home.as_ref()?.join(rest)),
        None => Some(file.parent()?.join(value)),
    }
}

fn is_true(value: Option<&str>) -> bool {
    match value {
        None => true,
        Some(value) => {
            let value = value.to_ascii_lowercase();
            matches!(value.as_str(), "true" | "yes" | "on")
                || value.parse::<i64>().is_ok_and(|number| number != 0)
        }
    }
}

/// Keys as `section.name` or `section.subsection.name`, section and name in lowercase; a key without `=` has no value.
fn parse(text: &str) -> Vec<(String, Option<String>)> {
    let mut settings = Vec::new();
    let mut section = String::new();
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    for line in joined.lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let Some((name, rest)) = rest.split_once(']') else {
                continue;
            };
            section = match name.split_once(char::is_whitespace) {
                Some((name, sub)) => {
                    format!(
                        "{}.{}",
                        name.to_ascii_lowercase(),
                        sub.trim().trim_matches('"')
                    )
                }
                None => name.to_ascii_lowercase(),
            };
            line = rest.trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name.trim(), Some(unquote(value.trim()))),
            None => (line, None),
        };
        settings.push((format!("{section}.{}", name.to_ascii_lowercase()), value));
    }
    settings
}

/// A value without quotes, escapes and the comment behind it.
fn unquote(value: &str) -> String {
    let mut text = String::new();
    let mut kept = 0;
    let mut quoted = false;
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => match characters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => {}
            },
            other => text.push(other),
        }
        if quoted || !text.ends_with(char::is_whitespace) {
            kept = text.len();
        }
    }
    text.truncate(kept);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_git_writes_them() {
        let text = "# c\n[core]\n\tfileMode = false ; no\n\texcludesFile = \"~/a b\\\"c\" # x\n[extensions] objectFormat=sha256\n\
                    [Include \"Sub\"]\n path = \\\nx\n[core] bare\n";
        let found = parse(text);
        let expected = [
            ("core.filemode", Some("false")),
            ("core.excludesfile", Some("~/a b\"c")),
            ("extensions.objectformat", Some("sha256")),
            ("include.Sub.path", Some("x")),
            ("core.bare", None),
        ];
        assert_eq!(found.len(), expected.len());
        for ((key, value), (expected_key, expected_value)) in found.iter().zip(expected) {
            assert_eq!(
                (key.as_str(), value.as_deref()),
                (expected_key, expected_value)
            );
        }
    }

    #[test]
    fn a_later_file_wins_and_an_include_stands_where_it_is_named() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text).unwrap();
        write(
            ".gitconfig",
            "[core]\nfilemode = no\n[include]\npath = more\n",
        );
        write("more", "[core]\nexcludesfile = ~/mine\nignorecase\n");
        write("config", "[core]\nfilemode = 1\n");
        let environment = GitEnvironment {
            home: Some(home.path().to_owned()),
            ..GitEnvironment::default()
        };
        let settings = GitSettings::read(&environment, Some(home.path()));
        assert!(settings.file_mode && settings.ignore_case);
        assert_eq!(settings.excludes_file, Some(home.path().join("mine")));
    }
}
