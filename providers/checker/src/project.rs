//! Projects: a root with its `soil.toml`, modules, specs, bodies and locks.
//!
//! [`Project::load`] reads all of it once, within bounds and without following a link; [`mod@assemble`] makes programs out of
//! it. What is wrong in a file is kept as a diagnostic, so that one bad file hides no other. The same bytes give the same
//! project, in whatever order a folder lists them.

mod assemble;
mod folder;
mod graph;
mod judge;
mod load;
mod reached;
mod reference;
mod root;
mod scope;
mod stamp;
mod testing;
mod types;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use soil::config::Config;
use soil::diagnostic::{Code, Diagnostics};
use soil::hash::Digest;
use soil::lock::{Lock, LockBody};
use soil::program::Text;
use soil::source::{FileId, Sources};
use soil::spec::{Container, Content, FunctionSpec, Spec};
use soil::syntax::Names;

use assemble::Bodies;
pub(crate) use assemble::{Assembled, Depends, assemble, words};
use folder::FolderError;
pub(crate) use judge::{Report, judge};
pub(crate) use reached::{Known, Others, Reacher};
pub(crate) use root::{ROOT_VARIABLE, absolute, find};
pub(crate) use scope::{InScope, PROJECT_SCOPE};
pub(crate) use stamp::Stamp;
pub(crate) use testing::{Row, TestOptions, TestRun, checked, run_checked};

use crate::failure::Failure;

/// A project whose files were read.
#[derive(Debug)]
pub(crate) struct Project {
    /// The root.
    pub(crate) root: PathBuf,
    /// The name of the root's folder.
    pub(crate) name: String,
    /// What `soil.toml` says.
    pub(crate) config: Config,
    /// The text of `soil.toml` among the sources.
    pub(crate) config_file: FileId,
    /// The texts of `soil.toml`, specs and locks; programs add those of bodies.
    pub(crate) sources: Sources,
    /// The names that specs were read with.
    pub(crate) names: Names,
    /// `_project.tr`.
    pub(crate) spec: Option<SpecFile>,
    /// The modules, sorted by name.
    pub(crate) modules: Vec<Module>,
    /// What is wrong in files taken alone, but for bodies.
    pub(crate) diagnostics: Diagnostics,
    /// What the files that were read looked like, by their paths.
    pub(crate) stamps: BTreeMap<String, Stamp>,
    /// The bodies as programs have them, once one was made.
    bodies: OnceLock<Bodies>,
    /// The program of all bodies, once it was asked for.
    whole: OnceLock<Assembled>,
}

/// A folder of definitions.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// The folder below the root; empty for the root itself.
    pub(crate) folder: String,
    /// The name: that of the folder.
    pub(crate) name: String,
    /// `_module.tr`.
    pub(crate) spec: Option<SpecFile>,
    /// The functions by name: each has a spec, a body, or both.
    pub(crate) functions: BTreeMap<String, Function>,
    /// The declared types by the names of their files.
    pub(crate) types: BTreeMap<String, SpecFile>,
    /// `_private.soil`.
    pub(crate) private: Option<Text>,
}

/// A function of a module.
#[derive(Debug, Default)]
pub(crate) struct Function {
    /// `<name>.tr`.
    pub(crate) spec: Option<SpecFile>,
    /// `<name>.soil`.
    pub(crate) body: Option<Text>,
    /// `<name>.lock`.
    pub(crate) lock: Option<LockFile>,
}

/// A `.tr` file that was read.
#[derive(Debug)]
pub(crate) struct SpecFile {
    /// The text among the sources.
    pub(crate) file: FileId,
    /// The path below the root, and the bytes.
    pub(crate) text: Text,
    /// The outer form.
    pub(crate) container: Option<Container>,
    /// The meaning; without the blocks that did not read.
    pub(crate) spec: Option<Spec>,
    /// Whether nothing was reported about it.
    pub(crate) is_sound: bool,
}

impl SpecFile {
    /// Gives the blocks of a function's file.
    pub(crate) fn function(&self) -> Option<(&Spec, &FunctionSpec)> {
        let spec = self.spec.as_ref()?;
        match &spec.content {
            Content::Function(function) => Some((spec, function)),
            _ => None,
        }
    }

    /// Gives the text, which is UTF-8 wherever a container was read.
    pub(crate) fn utf8(&self) -> &str {
        std::str::from_utf8(&self.text.bytes).unwrap_or_default()
    }
}

/// A lock that was read.
#[derive(Debug)]
pub(crate) struct LockFile {
    /// What it says; none where it is refused.
    pub(crate) lock: Option<Lock>,
}

impl LockFile {
    /// Gives the hash of the body that the lock speaks of.
    pub(crate) fn soil_hash(&self) -> Option<Digest> {
        match &self.lock.as_ref()?.body {
            LockBody::Function { lowering, .. } => Some(lowering.as_ref()?.soil_hash),
            _ => None,
        }
    }
}

/// A function with its names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'p> {
    /// The module.
    pub(crate) module: &'p Module,
    /// The function's name.
    pub(crate) name: &'p str,
    /// The function.
    pub(crate) function: &'p Function,
}

impl Named<'_> {
    /// Gives `<module>/<name>`.
    pub(crate) fn full_name(&self) -> String {
        format!("{}/{}", self.module.name, self.name)
    }

    /// Gives `<module>::<name>`, as programs know it.
    pub(crate) fn program_name(&self) -> String {
        format!("{}::{}", self.module.name, self.name)
    }
}

impl Module {
    /// Gives the path of one of its files below the root.
    pub(crate) fn path_of(&self, file_name: &str) -> String {
        if self.folder.is_empty() {
            file_name.to_owned()
        } else {
            format!("{}/{file_name}", self.folder)
        }
    }

    /// Lists its functions by name.
    pub(crate) fn functions(&self) -> impl Iterator<Item = Named<'_>> {
        let functions = self.functions.iter();
        functions.map(move |(name, function)| Named {
            module: self,
            name,
            function,
        })
    }
}

impl Project {
    /// Gives the module with this name.
    pub(crate) fn module(&self, name: &str) -> Option<&Module> {
        self.modules.iter().find(|module| module.name == name)
    }

    /// Lists all functions by module and name.
    pub(crate) fn functions(&self) -> impl Iterator<Item = Named<'_>> {
        self.modules.iter().flat_map(Module::functions)
    }

    /// Finds the function that an argument names: `<module>/<name>`, `<module>::<name>` as messages have it, or the name where it is
    /// unique.
    ///
    /// # Errors
    /// `usage`, when there is none, or a bare name has several.
    pub(crate) fn function(&self, text: &str) -> Result<Named<'_>, Failure> {
        let parts = text.split_once("::").or_else(|| text.split_once('/'));
        let (module, name) = parts.map_or((None, text), |(module, name)| (Some(module), name));
        let mut found = self.functions().filter(|named| {
            named.name == name && module.is_none_or(|module| named.module.name == module)
        });
        let Some(first) = found.next() else {
            let message = format!("`{text}` is no definition of the project");
            return Err(Failure::new(Code::Usage, message));
        };
        if let Some(other) = found.next() {
            let (first, other) = (first.full_name(), other.full_name());
            let message = format!("`{text}` is `{first}` and `{other}`");
            return Err(Failure::new(Code::Usage, message));
        }
        Ok(first)
    }

    /// Says whether the lock of a definition, by its name or `<module>/<name>`, says that it is accepted.
    pub(crate) fn is_accepted(&self, name: &str) -> bool {
        let lock = self.function(name).ok();
        let lock = lock.and_then(|named| named.function.lock.as_ref()?.lock.as_ref());
        lock.is_some_and(|lock| lock.accepted)
    }
}

/// Gives the path of a text for the sources.
fn shared(text: &Text) -> (Arc<str>, Arc<[u8]>) {
    (Arc::clone(&text.path), Arc::clone(&text.bytes))
}
