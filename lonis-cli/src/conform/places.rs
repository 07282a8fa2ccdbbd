//! Files for tools that take paths: a folder of samples, gone when the examination is over.

use std::io;
use std::path::{Path, PathBuf};

/// The samples, by name.
const SAMPLES: [(&str, &str); 4] = [
    ("sample.txt", "one line\nanother line\n"),
    ("sample.json", "{\"name\":\"sample\"}\n"),
    ("sample.csv", "name,count\nada,1\ngrace,2\n"),
    ("sample.md", "# Sample\n\n[broken](gone.md)\n"),
];

/// A folder with one file of each common sort.
#[derive(Debug)]
pub(crate) struct Places {
    folder: PathBuf,
    files: Vec<PathBuf>,
}

impl Places {
    /// Makes the folder below the directory given.
    ///
    /// # Errors
    /// What the system refuses.
    pub(crate) fn below(directory: &Path) -> io::Result<Self> {
        let mut number = 0_u32;
        let folder = loop {
            let folder = directory.join(format!("lonis-conform-{}-{number}", std::process::id()));
            match std::fs::create_dir(&folder) {
                Ok(()) => break folder,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        };
        let files = SAMPLES.map(|(name, _)| folder.join(name)).to_vec();
        let places = Self { folder, files };
        places
            .files
            .iter()
            .zip(SAMPLES)
            .try_for_each(|(file, (_, text))| std::fs::write(file, text))?;
        Ok(places)
    }

    /// The folder, then the files in it.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        let files = self.files.iter().map(PathBuf::as_path);
        std::iter::once(self.folder.as_path())
            .chain(files)
            .collect()
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        // What cannot be removed lies in the system's temporary folder, where somebody else sweeps.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
