//! Programs: a type environment and an ordered list of files, callee before caller.
//!
//! A caller reads a [`Manifest`], fetches the texts that it names, and hands them in as [`ProgramTexts`]; [`Program::read`]
//! then parses all of them and knows every definition by module and name. Nothing is checked yet: [`crate::check`]
//! does that.

mod guard;
mod lower;
mod manifest;
mod prelude;
mod property;
mod trivial;
mod visible;

use std::collections::HashMap;
use std::sync::Arc;

pub use guard::{Guard, GuardClause};
pub use manifest::{Clause, GuardTexts, Manifest};
pub use prelude::{PreludeFile, prelude, prelude_digest, prelude_files};
pub use property::{Property, PropertyTexts};

use crate::builtins::BuiltinId;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::environment::{self, Environment};
use crate::source::{FileId, Sources, Span};
use crate::syntax::tree::{self, Tree, TypeKind};
use crate::syntax::{FileShape, Name, Names, parse};
use crate::table::ByName;
use crate::types::{Scheme, Schemes, WrittenVariables};
use crate::values::unfit_defaults;

/// The number of a definition within its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionId(u32);

impl DefinitionId {
    /// Gives the position among all definitions, in program order.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A named text of a program.
#[derive(Clone, Debug)]
pub struct Text {
    /// The path as the program gives it.
    pub path: Arc<str>,
    /// The bytes.
    pub bytes: Arc<[u8]>,
}

impl Text {
    /// Names a text.
    pub fn new(path: impl Into<Arc<str>>, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
        }
    }
}

/// All texts of a program.
#[derive(Clone, Debug, Default)]
pub struct ProgramTexts {
    /// The type environment; without one only built-in and kernel types are known.
    pub types: Option<Text>,
    /// The module of files that stand in no folder.
    pub root_module: String,
    /// The files of definitions, callee before caller.
    pub definitions: Vec<Text>,
    /// Files of which only the signatures are read.
    pub signatures: Vec<Text>,
    /// Clauses that guard definitions.
    pub guards: Vec<GuardTexts>,
    /// What holds for all values.
    pub properties: Vec<PropertyTexts>,
    /// What declared types say of their values, each over `self`; judged as clauses are, and never run.
    pub invariants: Vec<PropertyTexts>,
    /// Whether ensures give properties of their own.
    pub derives_properties: bool,
}

/// A program that cannot be judged at all, with the texts that its diagnostics speak of.
#[derive(Clone, Debug)]
pub struct Refused {
    /// What is wrong with the inputs.
    pub diagnostics: Diagnostics,
    /// The texts.
    pub sources: Sources,
}

/// Where the definitions of a file come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// From its text.
    Written,
    /// From a predicate: its binders may take any name and its arms are not judged.
    Lowered,
    /// From a clause of a spec: as `Lowered`, and it may call what is total alone.
    Clause,
    /// From a predicate that is read as another definition too, so that nothing is reported about it.
    Silent,
}

/// A file of a program.
#[derive(Clone, Debug)]
pub struct ProgramFile {
    /// Its number among the sources.
    pub id: FileId,
    /// The folder that it stands in.
    pub module: Name,
    /// Whether its definitions are checked; of others only the signatures count.
    pub is_listed: bool,
    /// Where its definition comes from.
    pub role: Role,
    /// What it holds.
    pub tree: Arc<Tree>,
}

/// A definition of a program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramDefinition {
    /// The position of its file among the files of the program.
    pub file: usize,
    /// Its position in the tree of the file.
    pub position: usize,
    /// Its module.
    pub module: Name,
    /// Its name, with `_` when it is private.
    pub name: Name,
    /// Where the name stands.
    pub name_span: Span,
    /// Whether only its own folder sees it.
    pub is_private: bool,
    /// Its type.
    pub scheme: Scheme,
    /// The definition before it that has the same name.
    previous: Option<DefinitionId>,
    /// The definition of the module that has the name already.
    pub(crate) first: Option<DefinitionId>,
}

/// A file that holds no definition, though its name promises one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unreadable {
    pub(crate) name: Name,
    pub(crate) file: FileId,
    pub(crate) is_listed: bool,
}

/// The files of a program by their paths, as far as a program with the same names can take them over.
#[derive(Debug, Default)]
struct KnownFiles<'p>(HashMap<&'p str, (&'p Arc<[u8]>, &'p Arc<Tree>)>);

impl<'p> KnownFiles<'p> {
    fn of(program: &'p Program) -> Self {
        let reported = &program.syntax_diagnostics;
        if reported.suppressed() > 0 {
            return Self::default();
        }
        // What was reported about a file has to be reported again.
        let reported: Vec<Option<FileId>> = reported.iter().map(|one| one.file).collect();
        let files = program.files.iter().filter(|file| {
            file.is_listed && file.role == Role::Written && !reported.contains(&Some(file.id))
        });
        let known = files.filter_map(|file| {
            let source = program.sources.get(file.id)?;
            Some((&*source.path, (&source.bytes, &file.tree)))
        });
        Self(known.collect())
    }

    fn tree_of(&self, text: &Text) -> Option<Arc<Tree>> {
        let (bytes, tree) = self.0.get(&*text.path)?;
        let is_same = Arc::ptr_eq(bytes, &text.bytes) || **bytes == text.bytes;
        is_same.then(|| Arc::clone(tree))
    }
}

/// A program whose texts were read.
#[derive(Clone, Debug)]
pub struct Program {
    /// The texts.
    pub sources: Sources,
    /// The names in them.
    pub names: Names,
    /// The types.
    pub environment: Arc<Environment>,
    /// The files in program order, those read for their signatures last.
    pub files: Vec<Arc<ProgramFile>>,
    /// The types of all definitions.
    pub schemes: Schemes,
    /// Clauses that guard definitions.
    pub guards: Vec<Guard>,
    /// What holds for all values; those derived from ensures stand last.
    pub properties: Vec<Property>,
    /// What lexer and parser reported.
    pub(crate) syntax_diagnostics: Diagnostics,
    pub(crate) unreadable: Vec<Unreadable>,
    definitions: Vec<ProgramDefinition>,
    definitions_by_name: ByName<DefinitionId>,
    modules: ByName<()>,
    builtins: ByName<BuiltinId>,
    /// The prelude's definitions by their names here; empty for the prelude itself.
    prelude: ByName<DefinitionId>,
}

impl Program {
    /// Reads the texts of a program.
    ///
    /// # Errors
    /// `malformed-input`, when the type environment or a guard cannot be read. What is wrong in files of definitions is kept
    /// for the document.
    pub fn read(texts: &ProgramTexts) -> Result<Self, Box<Refused>> {
        let mut names = Names::new();
        let environment = match &texts.types {
            None => Environment::kernel_in(&mut names),
            Some(text) => declared(text, &mut names)?,
        };
        Self::read_in(texts, environment, names)
    }

    /// Reads the texts of a program whose types are known already, with the names that they are known by.
    ///
    /// # Errors
    /// `malformed-input`, when a guard cannot be read.
    pub fn read_in(
        texts: &ProgramTexts,
        environment: Environment,
        names: Names,
    ) -> Result<Self, Box<Refused>> {
        let program = Self::empty(Arc::new(environment), names);
        program.with_prelude().filled(texts, &KnownFiles::default())
    }

    /// Reads the texts of a program most of which another one has, with the types and the names of that one.
    ///
    /// A listed file of the other that has the same path and text, and about which nothing was reported, is not read again.
    ///
    /// # Errors
    /// `malformed-input`, when a guard cannot be read.
    pub fn read_from(known: &Self, texts: &ProgramTexts) -> Result<Self, Box<Refused>> {
        let program = Self::empty(Arc::clone(&known.environment), known.names.clone());
        program.with_prelude().filled(texts, &KnownFiles::of(known))
    }

    /// Lets a program see the prelude, which is a program itself.
    fn with_prelude(mut self) -> Self {
        for (text, id) in prelude::names() {
            let name = self.names.intern(text);
            self.prelude.set(name, Some(id));
        }
        self
    }

    /// Reads texts into an empty program.
    fn filled(
        mut self,
        texts: &ProgramTexts,
        known: &KnownFiles<'_>,
    ) -> Result<Self, Box<Refused>> {
        let program = &mut self;
        for text in &texts.definitions {
            program.add_file(text, &texts.root_module, true, known);
        }
        for text in &texts.signatures {
            program.add_file(text, &texts.root_module, false, known);
        }
        guard::resolve(program, &texts.guards)?;
        property::resolve(program, &texts.properties, texts.derives_properties)?;
        property::resolve_invariants(program, &texts.invariants)?;
        Ok(self)
    }

    fn empty(environment: Arc<Environment>, mut names: Names) -> Self {
        let mut builtins = ByName::new();
        for (name, id) in crate::builtins::intern(&mut names) {
            builtins.set(name, Some(id));
        }
        Self {
            sources: Sources::new(),
            names,
            environment,
            files: Vec::new(),
            schemes: Schemes::new(),
            guards: Vec::new(),
            properties: Vec::new(),
            syntax_diagnostics: Diagnostics::new(),
            unreadable: Vec::new(),
            definitions: Vec::new(),
            definitions_by_name: ByName::new(),
            modules: ByName::new(),
            builtins,
            prelude: ByName::new(),
        }
    }

    fn add_file(
        &mut self,
        text: &Text,
        root_module: &str,
        is_listed: bool,
        known: &KnownFiles<'_>,
    ) {
        let id = self
            .sources
            .add(Arc::clone(&text.path), Arc::clone(&text.bytes));
        let shape = FileShape::of_path(&text.path);
        let tree = known.tree_of(text).unwrap_or_else(|| {
            let parsed = parse(id, &text.bytes, shape, &mut self.names);
            if is_listed {
                self.syntax_diagnostics.append(parsed.diagnostics);
            }
            Arc::new(parsed.tree)
        });
        let module = module_of(&text.path).unwrap_or(root_module);
        let module = self.names.intern(module);
        self.modules.set(module, Some(()));
        let file = self.files.len();
        for (position, definition) in tree.definitions.iter().enumerate() {
            // A file read for its signature alone is left out where that does not read.
            if is_listed || reads(&tree, definition.signature) {
                self.add_definition(&tree, definition, (file, position), module);
            }
        }
        if let FileShape::Public { stem } = shape {
            self.cover_stem(stem, id, is_listed);
        }
        self.files.push(Arc::new(ProgramFile {
            id,
            module,
            is_listed,
            role: Role::Written,
            tree,
        }));
    }

    fn add_definition(
        &mut self,
        tree: &Tree,
        definition: &tree::Definition,
        (file, position): (usize, usize),
        module: Name,
    ) {
        let mut variables = WrittenVariables::default();
        let signature = definition.signature;
        let scheme = self
            .schemes
            .add(tree, signature, &self.environment, &mut variables);
        let name = definition.name.name;
        let count = self.definitions.len();
        let id = u32::try_from(count).expect("a program in memory has fewer than 2^32 definitions");
        // What has the name of another one of its module is reported and means nothing, so that a name has one meaning in each.
        let first = {
            let mut known = self.definitions_named(name);
            known.find(|known| self[*known].module == module && self[*known].name == name)
        };
        let previous = match first {
            Some(_) => None,
            None => self.definitions_by_name.set(name, Some(DefinitionId(id))),
        };
        self.definitions.push(ProgramDefinition {
            file,
            position,
            module,
            name,
            name_span: definition.name.span,
            is_private: self.names[name].starts_with('_'),
            scheme,
            previous,
            first,
        });
    }

    /// Makes the name that a file promises mean what the file holds, or remembers that it holds nothing.
    fn cover_stem(&mut self, stem: &str, file: FileId, is_listed: bool) {
        let name = self.names.intern(stem);
        let last = self.definitions.last().copied();
        match last.filter(|last| last.file == self.files.len()) {
            Some(last) if last.name != name && self.definitions_by_name.get(name).is_none() => {
                let index = self.definitions.len() - 1;
                let id = u32::try_from(index).ok().map(DefinitionId);
                self.definitions_by_name.set(name, id);
            }
            Some(_) => {}
            None => self.unreadable.push(Unreadable {
                name,
                file,
                is_listed,
            }),
        }
    }

    /// Gives the program with another text of one file, and what lexer and parser report about that.
    ///
    /// None where the file would define other names.
    pub(crate) fn with_text(&self, file: FileId, bytes: Vec<u8>) -> Option<(Self, Diagnostics)> {
        let index = self.files.iter().position(|known| known.id == file)?;
        let mut changed = self.clone();
        let source = self.sources.get(file)?;
        let shape = FileShape::of_path(&source.path);
        let parsed = parse(file, &bytes, shape, &mut changed.names);
        let known = &self.files[index];
        if known.role != Role::Written {
            return None;
        }
        let names = |tree: &Tree| -> Vec<Name> {
            let definitions = tree.definitions.iter();
            definitions.map(|definition| definition.name.name).collect()
        };
        if names(&parsed.tree) != names(&known.tree) {
            return None;
        }
        changed.sources.replace(file, bytes);
        for definition in &mut changed.definitions {
            if definition.file == index {
                let signature = parsed.tree.definitions[definition.position].signature;
                let mut variables = WrittenVariables::default();
                definition.scheme = changed.schemes.add(
                    &parsed.tree,
                    signature,
                    &changed.environment,
                    &mut variables,
                );
            }
        }
        changed.files[index] = Arc::new(ProgramFile {
            tree: Arc::new(parsed.tree),
            ..**known
        });
        Some((changed, parsed.diagnostics))
    }

    /// Says whether another text of a file takes names away that something still uses; none where it defines the same names.
    pub(crate) fn lost_names(&self, file: FileId, bytes: &[u8]) -> Option<bool> {
        let known = self.files.iter().find(|known| known.id == file)?;
        let mut names = self.names.clone();
        let shape = FileShape::of_path(&self.sources.get(file)?.path);
        let changed = parse(file, bytes, shape, &mut names).tree;
        let defined = |tree: &Tree| -> Vec<Name> {
            let definitions = tree.definitions.iter();
            definitions.map(|definition| definition.name.name).collect()
        };
        let (before, after) = (defined(&known.tree), defined(&changed));
        if before == after {
            return None;
        }
        let lost: Vec<Name> = before
            .into_iter()
            .filter(|name| !after.contains(name))
            .collect();
        let others = self.files.iter().filter(|other| other.id != file);
        let mut trees = others.map(|other| &*other.tree).chain([&changed]);
        Some(trees.any(|tree| tree.uses_any(&lost)))
    }

    /// Lists the definitions in program order, those read for their signatures last.
    pub fn definitions(&self) -> impl Iterator<Item = (DefinitionId, &ProgramDefinition)> {
        (0..).map(DefinitionId).zip(&self.definitions)
    }

    /// Gives the file of a definition.
    pub fn file_of(&self, id: DefinitionId) -> &ProgramFile {
        &self.files[self[id].file]
    }

    /// Says whether nothing was reported about a text when it was read.
    pub fn is_sound(&self, file: FileId) -> bool {
        let reported = &self.syntax_diagnostics;
        reported.suppressed() == 0 && reported.iter().all(|one| one.file != Some(file))
    }

    /// Gives the tree's definition.
    pub fn written(&self, id: DefinitionId) -> &tree::Definition {
        &self.file_of(id).tree.definitions[self[id].position]
    }

    /// Finds the definition that an input names, bare or as `module::name`.
    ///
    /// None when there is none, or a bare name has several.
    pub fn find_definition(&self, text: &str) -> Option<DefinitionId> {
        let (module, name) = match text.split_once("::") {
            Some((module, name)) => (Some(self.names.get(module)?), name),
            None => (None, text),
        };
        let mut found = self.definitions_named(self.names.get(name)?);
        let fits = |id: &DefinitionId| {
            let is_written = self.file_of(*id).role == Role::Written;
            is_written && module.is_none_or(|module| self[*id].module == module)
        };
        let first = found.find(fits)?;
        found.find(fits).is_none().then_some(first)
    }
}

impl std::ops::Index<DefinitionId> for Program {
    type Output = ProgramDefinition;

    fn index(&self, id: DefinitionId) -> &ProgramDefinition {
        &self.definitions[id.index()]
    }
}

/// Gives the name of the folder that a path stands in; none where that is the root, or outside it.
fn module_of(path: &str) -> Option<&str> {
    let (folder, _) = path.rsplit_once('/')?;
    let mut folders = Vec::new();
    for part in folder.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                folders.pop();
            }
            part => folders.push(part),
        }
    }
    folders.pop()
}

/// Says whether no part of a written type is an error node.
pub(crate) fn reads(tree: &Tree, ty: tree::TypeId) -> bool {
    match tree[ty].kind {
        TypeKind::Error => false,
        TypeKind::Variable { .. } => true,
        TypeKind::Refined { base, .. } => reads(tree, base),
        TypeKind::Constructor { arguments, .. } => {
            tree[arguments].iter().all(|id| reads(tree, *id))
        }
        TypeKind::Arrow {
            domain, codomain, ..
        } => reads(tree, domain) && reads(tree, codomain),
    }
}

/// Makes the report about an input that cannot be read.
pub(crate) fn refused(text: &Text, message: &str) -> Refused {
    let mut sources = Sources::new();
    let file = sources.add(Arc::clone(&text.path), Arc::clone(&text.bytes));
    let mut diagnostic = Diagnostic::new(Code::MalformedInput, message);
    diagnostic.file = Some(file);
    Refused {
        diagnostics: Diagnostics::from(diagnostic),
        sources,
    }
}

/// Reads the declared types.
fn declared(text: &Text, names: &mut Names) -> Result<Environment, Box<Refused>> {
    let environment = environment::read(&text.bytes, names)
        .map_err(|error| Box::new(refused(text, &error.to_string())))?;
    if let Some((owner, field)) = unfit_defaults(&environment, names).first() {
        let (owner, field) = (&names[environment[*owner].name], &names[*field]);
        let message = format!("type `{owner}`: the default of `{field}` is no value of its type");
        return Err(Box::new(refused(text, &message)));
    }
    Ok(environment)
}

#[cfg(test)]
mod tests;
