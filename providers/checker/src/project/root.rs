//! Finding the root of a project.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use soil::diagnostic::Code;

use crate::failure::Failure;

/// The file that makes a folder a root.
pub(crate) const CONFIG: &str = "soil.toml";

/// The variable that names a root where no argument does.
pub(crate) const ROOT_VARIABLE: &str = "TRELLIS_ROOT";

/// Finds a root: the one that is given, else the one that the environment names, else the nearest one upward.
///
/// # Errors
/// `config-no-root`, when there is none.
pub(crate) fn find(
    given: Option<&Path>,
    environment: Option<&OsStr>,
    current: &Path,
) -> Result<PathBuf, Failure> {
    let named = given.or_else(|| environment.filter(|text| !text.is_empty()).map(Path::new));
    if let Some(root) = named {
        return Ok(current.join(root));
    }
    let mut folders = current.ancestors();
    let found = folders.find(|folder| folder.join(CONFIG).symlink_metadata().is_ok());
    found.map(Path::to_path_buf).ok_or_else(|| {
        let message = format!("neither this folder nor one above it has a `{CONFIG}`");
        Failure::new(Code::ConfigNoRoot, message)
    })
}

/// Takes the root that the input of a tool names, which has no folder of its own to start from.
///
/// # Errors
/// `usage`, when it is relative.
pub(crate) fn absolute(root: &str) -> Result<PathBuf, Failure> {
    let path = PathBuf::from(root);
    if path.is_absolute() {
        return Ok(path);
    }
    let message = format!("`root` is `{root}`, which is no absolute path");
    Err(Failure::new(Code::Usage, message))
}
