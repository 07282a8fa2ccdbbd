//! What a host knows of its own surroundings, as values: variables, working directory, its own executable.
//!
//! Nothing below this module asks the system for them, so that a test can give any surroundings and two hosts in one
//! process can differ. Where files are kept follows the XDG base directories.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// The surroundings that a [`Host`](super::Host) is loaded from.
///
/// # Example
/// ```
/// use lonis_core::host::Environment;
///
/// let environment = Environment::new("/src/app").with_variable("HOME", "/home/ada");
/// assert_eq!(environment.config_folder(), Some("/home/ada/.config/lonis".into()));
/// ```
#[derive(Debug, Clone)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    directory: PathBuf,
    executable: Option<PathBuf>,
}

impl Environment {
    /// Makes surroundings with a working directory and nothing else.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            variables: BTreeMap::new(),
            directory: directory.into(),
            executable: None,
        }
    }

    /// Takes the surroundings of this process as they are now.
    ///
    /// # Errors
    /// When the working directory is gone or may not be read.
    pub fn of_process() -> io::Result<Self> {
        Ok(Self {
            variables: std::env::vars_os().collect(),
            directory: std::env::current_dir()?,
            // A program that cannot find itself has no folder beside it to look in, and that is all it loses.
            executable: std::env::current_exe().and_then(without_links).ok(),
        })
    }

    /// Sets one variable.
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Sets the path of the running program, beside which providers are looked for.
    pub fn with_executable(mut self, executable: impl Into<PathBuf>) -> Self {
        self.executable = Some(executable.into());
        self
    }

    /// Returns the value of a variable; one that is set but empty counts as unset.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    /// Returns the value of a variable as it is, an empty one included: what `pass_env` hands on.
    pub fn passed(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
    }

    /// Returns the working directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the path of the running program, links resolved.
    pub fn executable(&self) -> Option<&Path> {
        self.executable.as_deref()
    }

    /// Returns the home folder, when it is known and absolute.
    pub fn home(&self) -> Option<PathBuf> {
        self.absolute("HOME")
    }

    /// Returns where the user file stands: `$XDG_CONFIG_HOME/lonis`.
    pub fn config_folder(&self) -> Option<PathBuf> {
        self.base("XDG_CONFIG_HOME", ".config")
    }

    /// Returns where the user's own providers stand: `$XDG_DATA_HOME/lonis`.
    pub fn data_folder(&self) -> Option<PathBuf> {
        self.base("XDG_DATA_HOME", ".local/share")
    }

    /// Returns where the trust store stands: `$XDG_STATE_HOME/lonis`.
    pub fn state_folder(&self) -> Option<PathBuf> {
        self.base("XDG_STATE_HOME", ".local/state")
    }

    /// Returns where the discovery cache stands: `$XDG_CACHE_HOME/lonis`.
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.base("XDG_CACHE_HOME", ".cache")
    }

    fn base(&self, name: &str, below_home: &str) -> Option<PathBuf> {
        let base = self
            .absolute(name)
            .or_else(|| Some(self.home()?.join(below_home)))?;
        Some(base.join("lonis"))
    }

    /// A relative path in such a variable is unset, by the XDG rules.
    fn absolute(&self, name: &str) -> Option<PathBuf> {
        self.variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    }
}

/// Resolves the links of a path to this program; on Linux the system names it without any.
fn without_links(executable: PathBuf) -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        Ok(executable)
    } else {
        std::fs::canonicalize(executable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_folders_follow_the_variables_then_home() {
        let at_home = Environment::new("/w").with_variable("HOME", "/h");
        assert_eq!(at_home.state_folder(), Some("/h/.local/state/lonis".into()));
        let chosen = at_home.clone().with_variable("XDG_STATE_HOME", "/s");
        assert_eq!(chosen.state_folder(), Some("/s/lonis".into()));
        for unset in ["", "relative/path"] {
            let ignored = at_home.clone().with_variable("XDG_CACHE_HOME", unset);
            assert_eq!(
                ignored.cache_folder(),
                Some("/h/.cache/lonis".into()),
                "{unset:?}"
            );
        }
        assert_eq!(Environment::new("/w").data_folder(), None);
        assert_eq!(
            Environment::new("/w")
                .with_variable("HOME", "h")
                .data_folder(),
            None
        );
    }
}
