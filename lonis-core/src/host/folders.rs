//! Provider folders: which there are, and which executables in them are providers by their name.
//!
//! Nothing is started here. A folder, or a file in it, that everyone may write to is passed over: whoever can replace
//! the file could otherwise run programs as the user.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::name::ProviderName;
use super::source::{Skipped, Source};
use crate::FileIdentity;

const PREFIX: &str = "lonis-";
/// Write permission for everyone. A sticky folder such as `/tmp` has it too, and is no place for programs either.
const WRITABLE_BY_ALL: u32 = 0o002;
const EXECUTABLE: u32 = 0o111;

/// An executable that stands in a provider folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Its name, without `lonis-`.
    pub(super) name: ProviderName,
    /// Its path in the folder, links not resolved.
    pub(super) path: PathBuf,
    /// The file that stands there.
    pub(super) file: FileIdentity,
}

/// What the folders hold.
#[derive(Debug, Default)]
pub(super) struct Folders {
    /// The executables, folder by folder, by name within one; a later one of a name already seen is left out.
    pub(super) found: Vec<Found>,
    /// Executables that an earlier one of the same name hides.
    pub(super) hidden: Vec<Found>,
    /// What was passed over, and why.
    pub(super) passed_over: Vec<PassedOver>,
}

/// A folder, or a file in one, that is not used.
#[derive(Debug)]
pub(super) struct PassedOver {
    pub(super) path: PathBuf,
    pub(super) why: String,
    /// Whether somebody may have put it there to be run; other reasons are told to those who ask.
    pub(super) is_unsafe: bool,
}

impl PassedOver {
    /// What is kept of it.
    pub(super) fn into_skipped(self) -> Skipped {
        let file = self.path.file_name().unwrap_or_default().to_string_lossy();
        let (name, folder) = match (file.strip_prefix(PREFIX), self.path.parent()) {
            (Some(name), Some(folder)) => (name.to_owned(), folder.to_path_buf()),
            _ => (self.path.to_string_lossy().into_owned(), self.path.clone()),
        };
        Skipped {
            name,
            source: Source::Folder(folder),
            why: self.why,
        }
    }
}

/// Returns the folders that are searched, in order.
///
/// Those of `LONIS_PROVIDER_PATH`, then `$XDG_DATA_HOME/lonis/providers`, then the one of the running program.
pub fn search_path(environment: &Environment) -> Vec<PathBuf> {
    let named = environment
        .variable("LONIS_PROVIDER_PATH")
        .into_iter()
        .flat_map(std::env::split_paths);
    let own = environment
        .data_folder()
        .map(|folder| folder.join("providers"));
    let beside = environment
        .executable()
        .and_then(Path::parent)
        .map(Path::to_path_buf);
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in named
        .filter(|folder| folder.is_absolute())
        .chain(own)
        .chain(beside)
    {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// Lists the providers in `folders` by their file names.
pub(super) fn scan(folders: &[PathBuf]) -> Folders {
    let mut result = Folders::default();
    for folder in folders {
        scan_one(folder, &mut result);
    }
    result
}

/// Returns the first executable `lonis-NAME` in the search path.
pub fn find(folders: &[PathBuf], name: &ProviderName) -> Option<PathBuf> {
    scan(folders)
        .found
        .into_iter()
        .find(|found| found.name == *name)
        .map(|found| found.path)
}

/// Returns the names of all executables in the search path.
pub fn find_all(folders: &[PathBuf]) -> Vec<String> {
    scan(folders)
        .found
        .into_iter()
        .map(|found| found.name.to_string())
        .collect()
}

/// Returns why an executable of this name that stands in the search path is not used, with its path.
pub fn why_skipped(folders: &[PathBuf], name: &ProviderName) -> Option<String> {
    let file_name = format!("{PREFIX}{name}");
    scan(folders)
        .passed_over
        .into_iter()
        .find(|passed| passed.path.ends_with(&file_name))
        .map(|passed| format!("`{}` is skipped: {}", passed.path.display(), passed.why))
}

fn scan_one(folder: &Path, result: &mut Folders) {
    // A folder that is not there, or not ours to read, holds no providers for us.
    let Ok(metadata) = fs::metadata(folder) else {
        return;
    };
    if !metadata.is_dir() {
        return;
    }
    if metadata.permissions().mode() & WRITABLE_BY_ALL != 0 {
        result.pass_over(
            folder.to_path_buf(),
            "everyone may write to the folder",
            true,
        );
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let named = |entry: DirEntry| Some((entry.file_name().into_string().ok()?, entry));
    let mut named: Vec<(String, DirEntry)> = entries
        .flatten()
        .filter_map(named)
        .filter(|(name, _)| name.starts_with(PREFIX))
        .collect();
    if named.is_empty() {
        return;
    }
    named.sort_by(|(left, _), (right, _)| left.cmp(right));
    let earlier: BTreeSet<ProviderName> = result
        .found
        .iter()
        .map(|found| found.name.clone())
        .collect();
    for (name, entry) in named {
        consider(&name, &entry, &earlier, result);
    }
}

/// Looks at a file of a folder; `earlier` are the names that folders before it have.
fn consider(
    file_name: &str,
    entry: &DirEntry,
    earlier: &BTreeSet<ProviderName>,
    result: &mut Folders,
) {
    let path = entry.path();
    let name = ProviderName::new(&file_name[PREFIX.len()..]);
    // From within the open folder, which is half the work of a look by the whole path.
    let metadata = match entry.metadata() {
        Ok(link) if link.is_symlink() => fs::metadata(&path),
        looked => looked,
    };
    let metadata = match metadata {
        Ok(metadata) => metadata,
        // A link that leads nowhere, or round in circles.
        Err(error) => return result.pass_over(path, error.to_string(), false),
    };
    if !metadata.is_file() {
        return;
    }
    let mode = metadata.permissions().mode();
    if mode & EXECUTABLE == 0 {
        // Something like `lonis-words.md` beside a program is not meant to be one.
        if name.is_ok() {
            result.pass_over(path, "it is not executable", false);
        }
        return;
    }
    if mode & WRITABLE_BY_ALL != 0 {
        return result.pass_over(path, "everyone may write to it", true);
    }
    match name {
        Ok(name) => {
            let file = FileIdentity::of_metadata(&path, &metadata);
            let found = Found { name, path, file };
            if earlier.contains(&found.name) {
                result.hidden.push(found);
            } else {
                result.found.push(found);
            }
        }
        Err(error) => result.pass_over(path, error.to_string(), true),
    }
}

impl Folders {
    fn pass_over(&mut self, path: PathBuf, why: impl Into<String>, is_unsafe: bool) {
        self.passed_over.push(PassedOver {
            path,
            why: why.into(),
            is_unsafe,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, name: &str, mode: u32) {
        let path = folder.join(name);
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn names(found: &[Found]) -> Vec<&str> {
        found.iter().map(|found| found.name.as_str()).collect()
    }

    #[test]
    fn executables_by_name_and_the_first_folder_wins() {
        let first = tempfile::tempdir().unwrap();
        let second = tempfile::tempdir().unwrap();
        file(first.path(), "lonis-words", 0o755);
        file(first.path(), "lonis-alpha", 0o700);
        file(first.path(), "lonis-data", 0o644);
        file(first.path(), "other", 0o755);
        file(second.path(), "lonis-words", 0o755);
        file(second.path(), "lonis-zeta", 0o755);
        let scanned = scan(&[first.path().into(), second.path().into(), "/nowhere".into()]);
        assert_eq!(names(&scanned.found), ["alpha", "words", "zeta"]);
        assert_eq!(names(&scanned.hidden), ["words"]);
        assert_eq!(scanned.found[1].path, first.path().join("lonis-words"));
        let passed: Vec<(&str, bool)> = scanned
            .passed_over
            .iter()
            .map(|passed| (passed.why.as_str(), passed.is_unsafe))
            .collect();
        assert_eq!(passed, [("it is not executable", false)]);
    }

    #[test]
    fn a_link_that_leads_nowhere_or_in_circles_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        for (name, target) in [("lonis-gone", "/nowhere"), ("lonis-round", "lonis-round")] {
            std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
        }
        std::os::unix::fs::symlink(".", folder.path().join("lonis-folder")).unwrap();
        let scanned = scan(&[folder.path().into()]);
        assert!(scanned.found.is_empty());
        let skipped: Vec<String> = scanned
            .passed_over
            .into_iter()
            .map(|passed| passed.into_skipped().name)
            .collect();
        assert_eq!(skipped, ["gone", "round"]);
    }

    #[test]
    fn what_everyone_may_write_is_passed_over_with_a_note() {
        let folder = tempfile::tempdir().unwrap();
        file(folder.path(), "lonis-open", 0o777);
        file(folder.path(), "lonis-Upper", 0o755);
        let scanned = scan(&[folder.path().into()]);
        assert!(scanned.found.is_empty());
        assert_eq!(scanned.passed_over.len(), 2, "{:?}", scanned.passed_over);

        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let scanned = scan(&[folder.path().into()]);
        assert!(
            scanned.passed_over[0].is_unsafe
                && scanned.passed_over[0].why.contains("everyone may write"),
            "{:?}",
            scanned.passed_over
        );
    }

    #[test]
    fn the_search_path_has_only_absolute_folders_each_once() {
        let environment = Environment::new("/w")
            .with_variable("LONIS_PROVIDER_PATH", "/a:relative:/b:/a")
            .with_variable("HOME", "/h")
            .with_executable("/b/lonis");
        let wanted: Vec<PathBuf> = ["/a", "/b", "/h/.local/share/lonis/providers"]
            .map(PathBuf::from)
            .into();
        assert_eq!(search_path(&environment), wanted);
    }
}
