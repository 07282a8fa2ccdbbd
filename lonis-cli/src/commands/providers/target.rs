//! The configuration file that is edited: read as the host reads it, and replaced as a whole.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use lonis::host::{CONFIG_FILE, Config, Environment, TrustStore, project_file};
use lonis::{ErrorKind, Timestamp, ToolError};
use toml_edit::DocumentMut;

/// Of a file that is made: what it says of programs and their variables is the user's own.
const NEW_FILE_MODE: u32 = 0o600;
const NEW_FOLDER_MODE: u32 = 0o700;

/// The file that is edited, and whether its trust is carried on.
pub(super) struct Target {
    pub(super) path: PathBuf,
    is_project: bool,
    /// What stood there when it was read: what is trusted is what was edited.
    before: Option<Vec<u8>>,
    /// Held until the new file stands, so that of two edits at once neither loses the other's.
    _lock: File,
}

impl Target {
    /// Finds the file, and waits until no other edit is under way in its folder.
    pub(super) fn of(environment: &Environment, is_project: bool) -> Result<Self, ToolError> {
        let path = if is_project {
            project_file(environment.directory())
                .unwrap_or_else(|| environment.directory().join(CONFIG_FILE))
        } else {
            let folder = environment.config_folder();
            folder
                .ok_or_else(|| {
                    ToolError::new(ErrorKind::Io, "there is no user file: `HOME` is not set")
                })?
                .join(CONFIG_FILE)
        };
        // A file that is a link is kept where it really stands, and the link is kept too.
        let path = fs::canonicalize(&path).unwrap_or(path);
        let folder = path.parent().unwrap_or(Path::new("/"));
        let lock = fs::DirBuilder::new()
            .recursive(true)
            .mode(NEW_FOLDER_MODE)
            .create(folder)
            .and_then(|()| File::open(folder))
            .and_then(|folder| folder.lock().map(|()| folder))
            .map_err(|error| not_written(&path, &error))?;
        Ok(Self {
            path,
            is_project,
            before: None,
            _lock: lock,
        })
    }

    /// The document as it stands, or an empty one; a file that the host would refuse is not edited.
    pub(super) fn read(&mut self) -> Result<DocumentMut, ToolError> {
        if !self.path.exists() {
            return Ok(DocumentMut::new());
        }
        let bytes = Config::bytes(&self.path).map_err(|error| ToolError::from(&error))?;
        Config::parse(&self.path, &bytes, None).or_else(|error| {
            // Only a path that starts at home could depend on it, and that is no fault of the file.
            Config::parse(&self.path, &bytes, Some(Path::new("/")))
                .map_err(|_| ToolError::from(&error))
        })?;
        let document = String::from_utf8_lossy(&bytes).parse().map_err(|error| {
            ToolError::new(
                ErrorKind::InvalidConfig,
                format!("`{}`: {error}", self.path.display()),
            )
        })?;
        self.before = Some(bytes);
        Ok(document)
    }

    /// Replaces the file and returns whether it is in force: the trust of a project file that was trusted, or is new, goes on.
    pub(super) fn write(
        &self,
        document: &DocumentMut,
        environment: &Environment,
    ) -> Result<bool, ToolError> {
        let text = document.to_string();
        if !self.is_project {
            self.replace(text.as_bytes())?;
            return Ok(true);
        }
        let store = environment.state_folder().map(TrustStore::in_folder);
        let trusting = store.filter(|store| {
            let before = self.before.as_deref();
            before.is_none_or(|bytes| store.trusts(&self.path, bytes).unwrap_or(false))
        });
        self.replace(text.as_bytes())?;
        let Some(store) = trusting else {
            return Ok(false);
        };
        store
            .add(&self.path, text.as_bytes(), &Timestamp::now())
            .map_err(|error| ToolError::new(ErrorKind::Io, error.to_string()))?;
        Ok(true)
    }

    fn replace(&self, text: &[u8]) -> Result<(), ToolError> {
        self.replaced(text)
            .map_err(|error| not_written(&self.path, &error))
    }

    /// Writes the new file beside the old one and puts it in its place, with the permissions of the old one.
    fn replaced(&self, text: &[u8]) -> io::Result<()> {
        let mode = fs::metadata(&self.path).map_or(NEW_FILE_MODE, |old| old.permissions().mode());
        let fresh = self
            .path
            .with_file_name(format!(".{CONFIG_FILE}.{}", std::process::id()));
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create(true)
            .truncate(true)
            .mode(NEW_FILE_MODE);
        let written = options
            .open(&fresh)
            .and_then(|mut file| {
                file.write_all(text)?;
                file.set_permissions(Permissions::from_mode(mode & 0o7777))?;
                file.sync_all()
            })
            .and_then(|()| fs::rename(&fresh, &self.path));
        if written.is_err() {
            // What is left is a file of ours that nothing reads.
            let _ = fs::remove_file(&fresh);
        }
        written
    }
}

fn not_written(path: &Path, error: &io::Error) -> ToolError {
    ToolError::new(
        ErrorKind::Io,
        format!("`{}` cannot be written: {error}", path.display()),
    )
}
