//! Reading as much of a project as one draft needs.
//!
//! What a draft can reach is found by the words in it: a file that no word names is not opened, so that a call costs what the
//! draft reaches and not what the project holds. Words are more than names, so too much may be read and never too little.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use soil::program::Text;
use soil::source::FileId;
use soil::spec::{self, Content, Location};
use soil::syntax::Names;

use super::Project;
use super::assemble::{split, words_of};
use super::folder::{Folder, Listing};
use super::load::Loader;
use crate::failure::Failure;

/// What is known of a file before it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'k> {
    /// The path below the root.
    pub(crate) path: &'k str,
    /// Whether it counts for every draft: decisions, declared types, and bodies that hold something else than they promise.
    pub(crate) is_for_all: bool,
    /// A body up to its equation.
    pub(crate) head: Option<&'k str>,
}

/// What a project is read for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reacher<'d> {
    /// The module of the definition.
    pub(crate) module: &'d str,
    /// Its name.
    pub(crate) name: &'d str,
    /// What stands for its body.
    pub(crate) draft: &'d str,
}

/// What becomes of the functions that a draft does not reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// They are left out, which changes nothing for a draft that checks and has no hole.
    Absent,
    /// They have their signatures, so that reports can name them and holes can be filled with them.
    Signatures,
}

impl Project {
    /// Reads what a draft reaches of a project whose files are known.
    ///
    /// # Errors
    /// As [`Project::load`].
    pub(crate) fn load_reached(
        root: &Path,
        known: &[Known<'_>],
        reacher: Reacher<'_>,
        others: Others,
    ) -> Result<Self, Failure> {
        let mut loader = Loader::open(root)?;
        let project = loader.project.name.clone();
        let mut walk = Walk::new(known, &project, reacher);
        walk.walk(&mut loader.folder);
        let texts = walk.texts;
        let mut listings: BTreeMap<&str, Listing> = BTreeMap::new();
        for one in known {
            let (folder, name) = split_path(one.path);
            let is_own = module_of(folder, &project) == reacher.module;
            let is_read = match name {
                "_module.tr" => is_own,
                _ => one.is_for_all || texts.contains_key(one.path),
            };
            if !is_read {
                let Some(text) = one.stub().filter(|_| others == Others::Signatures) else {
                    continue;
                };
                loader.given.insert(one.path.to_owned(), text);
            }
            let listing = listings.entry(folder).or_default();
            listing.files.push(name.to_owned());
        }
        let read = texts.into_iter();
        loader
            .given
            .extend(read.map(|(path, text)| (path.to_owned(), text)));
        loader.load_listed(&listings)
    }
}

impl Project {
    /// Leaves out the specs and bodies that are not known, as if their files were not there.
    pub(crate) fn keep(&mut self, is_known: impl Fn(&str) -> bool) {
        for module in &mut self.modules {
            module.types.retain(|_, spec| is_known(&spec.text.path));
            module.private = module.private.take().filter(|text| is_known(&text.path));
            for function in module.functions.values_mut() {
                function.spec = function
                    .spec
                    .take()
                    .filter(|spec| is_known(&spec.text.path));
                function.body = function.body.take().filter(|text| is_known(&text.path));
            }
            let functions = &mut module.functions;
            functions.retain(|_, one| one.spec.is_some() || one.body.is_some());
        }
    }
}

impl<'k> Known<'k> {
    /// Gives the name that the file promises; none for one that counts for all or is no function's.
    fn promised(&self) -> Option<&'k str> {
        let (stem, ending) = split_path(self.path).1.rsplit_once('.')?;
        let is_function = matches!(ending, "tr" | "soil") && !stem.starts_with('_');
        (is_function && !self.is_for_all).then_some(stem)
    }

    /// Makes a body with a hole out of the known part of one; places in that part stay what they are.
    fn stub(&self) -> Option<Text> {
        let text = format!("{}{} = ?not_read\n", self.head?, self.promised()?);
        Some(Text::new(self.path, text.into_bytes()))
    }
}

/// Gives the folder and the name of a file.
fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Gives the module that a folder is.
fn module_of<'n>(folder: &'n str, project: &'n str) -> &'n str {
    if folder.is_empty() { project } else { folder }
}

/// Finds the files that the words of a draft name, those that their words name, and so on.
struct Walk<'k, 'd> {
    by_name: HashMap<&'k str, Vec<&'k str>>,
    private: HashMap<&'k str, &'k str>,
    project: &'d str,
    reacher: Reacher<'d>,
    seen: HashSet<String>,
    /// Files that were named and not read yet.
    named: Vec<&'k str>,
    texts: HashMap<&'k str, Text>,
}

impl<'k, 'd> Walk<'k, 'd> {
    fn new(known: &[Known<'k>], project: &'d str, reacher: Reacher<'d>) -> Self {
        let mut walk = Self {
            by_name: HashMap::new(),
            private: HashMap::new(),
            project,
            reacher,
            seen: HashSet::new(),
            named: Vec::new(),
            texts: HashMap::new(),
        };
        for one in known {
            let (folder, name) = split_path(one.path);
            if let Some(promised) = one.promised() {
                walk.by_name.entry(promised).or_default().push(one.path);
            } else if name == "_private.soil" {
                walk.private.insert(folder, one.path);
                if module_of(folder, project) == reacher.module {
                    walk.named.push(one.path);
                }
            } else if one.is_for_all && name.strip_suffix(".soil").is_some() {
                walk.named.push(one.path);
            }
        }
        walk.note(reacher.name);
        walk.note(reacher.draft);
        walk
    }

    /// Notes the files that the words of a text name.
    fn note(&mut self, text: &str) {
        for word in split(text) {
            if self.seen.contains(word) {
                continue;
            }
            self.seen.insert(word.to_owned());
            if let Some(paths) = self.by_name.get(word) {
                self.named.extend(paths);
            }
        }
    }

    fn walk(&mut self, folder: &mut Folder) {
        while let Some(path) = self.named.pop() {
            if self.texts.contains_key(path) {
                continue;
            }
            // What cannot be read is told by who reads it next.
            let Ok(bytes) = folder.read(path) else {
                continue;
            };
            let (beside, name) = split_path(path);
            self.named.extend(self.private.get(beside));
            let text = String::from_utf8_lossy(&bytes).into_owned();
            match name.strip_suffix(".tr") {
                Some(stem) => self.note_clauses(path, stem, &text),
                None => self.note(&text),
            }
            self.texts.insert(path, Text::new(path, bytes));
        }
    }

    /// Notes what the clauses of a function call, and the properties of the one that the draft is of.
    fn note_clauses(&mut self, path: &str, stem: &str, text: &str) {
        let location = Location::of_path(path, self.project);
        let found = spec::read(FileId::new(0), text.as_bytes(), location, &mut Names::new());
        let Some(Content::Function(function)) = found.spec.map(|spec| spec.content) else {
            return;
        };
        let module = module_of(split_path(path).0, self.project);
        let is_target = stem == self.reacher.name && module == self.reacher.module;
        for word in words_of(text, &function, is_target) {
            self.note(word);
        }
    }
}

#[cfg(test)]
mod tests;
