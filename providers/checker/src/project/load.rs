//! Reading a root.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;
use std::sync::OnceLock;

use soil::config;
use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::lock::{Lock, LockError};
use soil::program::Text;
use soil::source::Sources;
use soil::spec::{self, Content, Location, SpecKind, check_tags};
use soil::syntax::Names;

use super::folder::{Folder, Listing};
use super::root::CONFIG;
use super::{FolderError, LockFile, Module, Project, SpecFile, shared};
use crate::failure::Failure;

impl Project {
    /// Reads all files of a project.
    ///
    /// # Errors
    /// `config-no-root` where no `soil.toml` is, `config-io` where it cannot be read, `io` and `limit-exceeded` where the
    /// root cannot be. All else is kept as a diagnostic of the project.
    pub(crate) fn load(root: &Path) -> Result<Self, Failure> {
        Loader::open(root)?.load()
    }
}

/// Gives the name of the root's folder, which a root such as `.` does not show.
fn name_of(root: &Path) -> String {
    let whole = root.canonicalize().ok();
    let name = whole.as_deref().unwrap_or(root).file_name();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn no_root(error: &FolderError) -> Failure {
    let code = match error {
        FolderError::Io { error, .. } if error.kind() == io::ErrorKind::NotFound => {
            Code::ConfigNoRoot
        }
        FolderError::Io { error, .. } if error.kind() == io::ErrorKind::NotADirectory => {
            Code::ConfigNoRoot
        }
        _ => Code::Io,
    };
    Failure::new(code, format!("the root {error}"))
}

fn no_config(error: &FolderError) -> Failure {
    match error {
        FolderError::Io { error, .. } if error.kind() == io::ErrorKind::NotFound => {
            Failure::new(Code::ConfigNoRoot, format!("the root has no `{CONFIG}`"))
        }
        _ => Failure::about(CONFIG, Code::ConfigIo, error.to_string()),
    }
}

/// A project whose files are being read.
pub(super) struct Loader {
    pub(super) project: Project,
    pub(super) folder: Folder,
    /// Texts that stand for those of files, by their paths.
    pub(super) given: HashMap<String, Text>,
}

impl Loader {
    /// Opens a root and reads what is said of it as a whole.
    ///
    /// # Errors
    /// As [`Project::load`].
    pub(super) fn open(root: &Path) -> Result<Self, Failure> {
        let mut folder = Folder::open(root).map_err(|error| no_root(&error))?;
        let bytes = folder.read(CONFIG).map_err(|error| no_config(&error))?;
        let mut sources = Sources::new();
        let config_file = sources.add(CONFIG, bytes.as_slice());
        let (config, diagnostics) = config::read(config_file, &bytes);
        let project = Project {
            root: root.to_path_buf(),
            name: name_of(root),
            config,
            config_file,
            sources,
            names: Names::new(),
            spec: None,
            modules: Vec::new(),
            diagnostics,
            stamps: BTreeMap::new(),
            bodies: OnceLock::new(),
            whole: OnceLock::new(),
        };
        Ok(Self {
            project,
            folder,
            given: HashMap::new(),
        })
    }

    /// Reads the listed files of the folders, and nothing else.
    ///
    /// # Errors
    /// As [`Project::load`].
    pub(super) fn load_listed(
        mut self,
        listings: &BTreeMap<&str, Listing>,
    ) -> Result<Project, Failure> {
        for (folder, listing) in listings {
            let name = if folder.is_empty() {
                self.project.name.clone()
            } else {
                (*folder).to_owned()
            };
            self.module(folder, &name, listing)?;
        }
        Ok(self.finish())
    }

    fn load(mut self) -> Result<Project, Failure> {
        let root = self.list("")?;
        let folders = root.folders.clone();
        let name = self.project.name.clone();
        self.module("", &name, &root)?;
        for folder in folders {
            let listing = self.list(&folder)?;
            self.module(&folder, &folder, &listing)?;
        }
        Ok(self.finish())
    }

    fn finish(mut self) -> Project {
        let modules = &mut self.project.modules;
        modules.sort_by(|left, right| left.name.cmp(&right.name));
        self.project.stamps = self.folder.into_stamps();
        self.project
    }

    fn list(&mut self, folder: &str) -> Result<Listing, Failure> {
        let listing = self.folder.list(folder).map_err(|error| ended(&error))?;
        for name in &listing.unreadable {
            let message = format!("the name `{name}` in `{folder}/` is not UTF-8");
            let is_ours = [".tr", ".soil", ".lock"]
                .iter()
                .any(|end| name.ends_with(end));
            if is_ours {
                self.project
                    .diagnostics
                    .push(Diagnostic::new(Code::Io, message));
            }
        }
        Ok(listing)
    }

    /// Reads a file; one that cannot be read is reported.
    fn text(&mut self, path: &str) -> Result<Option<Text>, Failure> {
        if let Some(text) = self.given.remove(path) {
            return Ok(Some(text));
        }
        match self.folder.read(path) {
            Ok(bytes) => Ok(Some(Text::new(path, bytes))),
            Err(error @ (FolderError::Entries | FolderError::Bytes)) => Err(ended(&error)),
            Err(error) => {
                let file = self.project.sources.add(path, Vec::new());
                let mut diagnostic = Diagnostic::new(Code::Io, error.to_string());
                diagnostic.file = Some(file);
                self.project.diagnostics.push(diagnostic);
                Ok(None)
            }
        }
    }

    /// Reads the files of a folder; one without any is no module.
    fn module(&mut self, folder: &str, name: &str, listing: &Listing) -> Result<(), Failure> {
        let mut module = Module {
            folder: folder.to_owned(),
            name: name.to_owned(),
            ..Module::default()
        };
        let mut is_empty = true;
        for file_name in &listing.files {
            let Some((stem, ending)) = file_name.rsplit_once('.') else {
                continue;
            };
            if !matches!(ending, "tr" | "soil") || stem.is_empty() {
                continue;
            }
            is_empty = false;
            let path = module.path_of(file_name);
            let Some(text) = self.text(&path)? else {
                continue;
            };
            match (stem, ending) {
                ("_private", "soil") => module.private = Some(text),
                (_, "soil") => {
                    let function = module.functions.entry(stem.to_owned()).or_default();
                    function.body = Some(text);
                }
                _ => self.spec(&mut module, stem, text),
            }
        }
        self.locks(&mut module, listing)?;
        if !is_empty {
            self.project.modules.push(module);
        }
        Ok(())
    }

    fn spec(&mut self, module: &mut Module, stem: &str, text: Text) {
        let project = &mut self.project;
        let (path, bytes) = shared(&text);
        let file = project.sources.add(path, bytes);
        let location = Location::of_path(&text.path, &project.name);
        let mut found = spec::read(file, &text.bytes, location, &mut project.names);
        if let Some(spec) = &found.spec {
            let tags = &project.config.tags;
            check_tags(spec, |tag| tags.contains_key(tag), &mut found.diagnostics);
        }
        let spec = SpecFile {
            file,
            text,
            is_sound: found.diagnostics.is_empty(),
            container: found.container,
            spec: found.spec,
        };
        project.diagnostics.append(found.diagnostics);
        let is_type = spec
            .spec
            .as_ref()
            .is_some_and(|spec| matches!(spec.content, Content::Type(_)));
        match stem {
            "_project" => project.spec = Some(spec),
            "_module" => module.spec = Some(spec),
            _ if is_type => {
                module.types.insert(stem.to_owned(), spec);
            }
            _ => {
                let function = module.functions.entry(stem.to_owned()).or_default();
                function.spec = Some(spec);
            }
        }
    }

    fn locks(&mut self, module: &mut Module, listing: &Listing) -> Result<(), Failure> {
        for file_name in &listing.files {
            let Some(stem) = file_name.strip_suffix(".lock") else {
                continue;
            };
            // A lock beside no spec and no body is another program's, such as `Cargo.lock`.
            let kind = match stem {
                "_module" if module.spec.is_some() => SpecKind::Module,
                "_project" if module.folder.is_empty() && self.project.spec.is_some() => {
                    SpecKind::Project
                }
                _ if module.types.contains_key(stem) => SpecKind::Type,
                _ if module.functions.contains_key(stem) => SpecKind::Function,
                _ => continue,
            };
            let path = module.path_of(file_name);
            let Some(text) = self.text(&path)? else {
                continue;
            };
            let lock = self.lock(&text, kind);
            if let Some(function) = module.functions.get_mut(stem) {
                function.lock = Some(lock);
            }
        }
        Ok(())
    }

    fn lock(&mut self, text: &Text, kind: SpecKind) -> LockFile {
        let (path, bytes) = shared(text);
        let file = self.project.sources.add(path, bytes);
        let lock = Lock::read(&text.bytes).and_then(|lock| {
            let found = lock.body.kind();
            if found == kind {
                return Ok(lock);
            }
            Err(LockError::Malformed(format!(
                "the lock is of a {}, the spec beside it of a {}",
                found.text(),
                kind.text()
            )))
        });
        let lock = lock.map_err(|error| {
            let mut diagnostic = Diagnostic::new(error.code(), error.to_string());
            diagnostic.file = Some(file);
            self.project.diagnostics.push(diagnostic);
        });
        LockFile { lock: lock.ok() }
    }
}

/// Makes the failure that a project is not read to its end.
fn ended(error: &FolderError) -> Failure {
    let code = match error {
        FolderError::Entries | FolderError::Bytes => Code::LimitExceeded,
        _ => Code::Io,
    };
    let diagnostics: Diagnostics = Diagnostic::new(code, error.to_string()).into();
    Failure {
        diagnostics,
        sources: Sources::new(),
    }
}
