//! Where things are: the root folder and the files that git keeps.

use std::path::{Path, PathBuf};

use crate::command::{self, Failure};

/// The folder of the root manifest.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask stands in a folder of the workspace")
        .to_path_buf()
}

/// Every file that git tracks or would track, relative to `root`, sorted.
pub(crate) fn files(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let listed = command::output(
        root,
        "git",
        &[
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ],
    )?;
    let mut files: Vec<PathBuf> = listed
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
        // A file that was removed but not yet staged is still listed.
        .filter(|name| root.join(name).is_file())
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}
