//! Programs out of a project.
//!
//! A program of the whole project lists every body. One of a target lists its draft, the private definitions of its folder
//! and the bodies that it reaches; of every other function that has a body only the signature counts, so that what does
//! not read elsewhere never stands in its way.

mod origin;
mod signature;
mod words;

use std::collections::{BTreeMap, HashMap};

use soil::diagnostic::Diagnostics;
use soil::program::{Program, ProgramTexts, PropertyTexts, Text};
use soil::source::{FileId, Sources};
use soil::spec::{Content, Property};
use soil::syntax::FileShape;
use soil::testing::{spec_guard, spec_invariants, spec_properties};

use super::graph::{self, Graph, Order};
use super::{Named, Project, SpecFile};
use crate::failure::Failure;
use origin::{Origin, Origins};
use signature::Mismatch;
pub(crate) use words::words;
pub(super) use words::{split, words_of};

/// What a program is made for.
#[derive(Clone, Debug)]
pub(crate) enum Depends<'p> {
    /// All bodies, and all clauses and properties.
    Whole,
    /// One function, its clauses and its properties.
    Target {
        /// The function.
        named: Named<'p>,
        /// The text that stands for its body.
        draft: Option<Text>,
    },
    /// All clauses and properties, with these texts for the bodies of functions by their full names.
    Specs(&'p HashMap<String, Text>),
}

impl Depends<'_> {
    /// Says whether every file of the project is part of the program.
    const fn is_whole(&self) -> bool {
        matches!(self, Self::Whole | Self::Specs(_))
    }

    /// Gives the text that stands for the body of a function.
    fn draft(&self, named: Named<'_>) -> Option<&Text> {
        match self {
            Self::Whole => None,
            Self::Target {
                named: target,
                draft,
            } => draft
                .as_ref()
                .filter(|_| target.full_name() == named.full_name()),
            Self::Specs(stubs) => stubs.get(&named.full_name()),
        }
    }
}

/// A program of a project.
#[derive(Debug)]
pub(crate) struct Assembled {
    /// The program; behind its own texts its sources hold those of the project.
    pub(crate) program: Program,
    /// What is wrong in declarations, files that need each other, and bodies of another signature than their spec has.
    pub(crate) diagnostics: Diagnostics,
    origins: Origins,
}

impl Assembled {
    /// Gives the texts that placed diagnostics speak of.
    pub(crate) fn sources(&self) -> &Sources {
        &self.program.sources
    }

    /// Gives a file of the project as one of the sources of the program.
    pub(crate) fn project_file(&self, file: FileId) -> FileId {
        self.origins.project_file(file)
    }

    /// Makes a failure of reports that are placed.
    pub(crate) fn failure(&self, diagnostics: Diagnostics) -> Failure {
        Failure {
            diagnostics,
            sources: self.sources().clone(),
        }
    }

    /// Says whether a text was made out of the spec of a function that has no body yet.
    pub(crate) fn is_made(&self, file: FileId) -> bool {
        self.origins.is_part(file)
    }

    /// Gives the spec, as a file of the project, that a text of the program was made out of.
    pub(crate) fn spec_of(&self, file: FileId) -> Option<FileId> {
        self.origins.spec_of(file)
    }

    /// Moves reports about clauses and properties to the specs that these stand in.
    ///
    /// Reports that files stand in the wrong order are left out: those that need each other are reported as such.
    pub(crate) fn placed(&self, found: &Diagnostics) -> Diagnostics {
        self.origins.placed(found)
    }

    /// Moves reports about files of the project to where these stand among the sources of the program.
    pub(crate) fn of_project(&self, found: &Diagnostics) -> Diagnostics {
        self.origins.of_project(found)
    }
}

/// The bodies of a project, read once for all programs that are made of them.
#[derive(Debug)]
pub(super) struct Bodies {
    /// All of them in the order of modules and names, which no check asks for.
    program: Program,
    /// What is wrong in declared types.
    type_diagnostics: Diagnostics,
}

/// Gives the bodies of a project; the first who asks reads them.
fn bodies(project: &Project) -> Result<&Bodies, Failure> {
    if let Some(bodies) = project.bodies.get() {
        return Ok(bodies);
    }
    let mut names = project.names.clone();
    let (environment, type_diagnostics) = project.environment(&mut names);
    let written = project.modules.iter().flat_map(|module| {
        let functions = module.functions.values();
        module
            .private
            .iter()
            .chain(functions.filter_map(|one| one.body.as_ref()))
    });
    let texts = ProgramTexts {
        root_module: project.name.clone(),
        definitions: written.cloned().collect(),
        ..ProgramTexts::default()
    };
    let program = Program::read_in(&texts, environment, names)?;
    Ok(project.bodies.get_or_init(|| Bodies {
        program,
        type_diagnostics,
    }))
}

impl Project {
    /// Gives the bodies that hold just the definition that their files promise, by the paths of these, each up to its equation;
    /// those that would be more than `max_bytes` together are left out.
    ///
    /// # Errors
    /// As [`assemble`].
    pub(crate) fn heads(&self, max_bytes: usize) -> Result<BTreeMap<&str, &str>, Failure> {
        let program = &bodies(self)?.program;
        let mut heads = BTreeMap::new();
        let mut bytes_left = max_bytes;
        for file in &program.files {
            let Some(source) = program.sources.get(file.id) else {
                continue;
            };
            let [definition] = &file.tree.definitions[..] else {
                continue;
            };
            let name = &program.names[definition.name.name];
            let is_promised = FileShape::of_path(&source.path) == FileShape::Public { stem: name };
            if !is_promised || !program.is_sound(file.id) {
                continue;
            }
            let end = definition.equation_name.span.start as usize;
            let head = source.bytes.get(..end);
            let Some(head) = head.and_then(|head| std::str::from_utf8(head).ok()) else {
                continue;
            };
            if let Some(left) = bytes_left.checked_sub(head.len()) {
                bytes_left = left;
                heads.insert(&*source.path, head);
            }
        }
        Ok(heads)
    }

    /// Gives the program of all bodies; the first who asks makes it.
    ///
    /// # Errors
    /// As [`assemble`].
    pub(crate) fn whole(&self) -> Result<&Assembled, Failure> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole);
        }
        let whole = assemble(self, &Depends::Whole)?;
        Ok(self.whole.get_or_init(|| whole))
    }
}

/// A file of a program before it is ordered.
struct Candidate<'p> {
    text: Text,
    /// The function that it is the body of; none for private definitions.
    named: Option<Named<'p>>,
    /// Whether the text is made out of the spec of a function that has no body.
    is_made: bool,
}

/// Makes the program that something depends on.
///
/// # Errors
/// When an input of the program cannot be read; what is wrong in texts is kept for the document.
pub(crate) fn assemble(project: &Project, depends: &Depends<'_>) -> Result<Assembled, Failure> {
    let bodies = bodies(project)?;
    let candidates = candidates(project, depends);
    let texts = ProgramTexts {
        root_module: project.name.clone(),
        definitions: candidates.iter().map(|one| one.text.clone()).collect(),
        ..ProgramTexts::default()
    };
    let unordered = Program::read_from(&bodies.program, &texts)?;
    let order = order(&Graph::of(&unordered), &candidates, depends);
    let unlike = unlike(&unordered, &candidates, &order.files);
    let mut collected = Collected::new(project, &unordered, &candidates, &unlike);
    for file in &order.files {
        collected.list(*file);
    }
    for file in 0..candidates.len() {
        collected.add_signature(file, &order.files);
    }
    collected.add_clauses(&order.files, depends);
    let Collected { texts, origins, .. } = collected;
    let mut program = Program::read_from(&unordered, &texts)?;
    let origins = Origins::new(origins, add_texts(&mut program, project));
    let mut diagnostics = origins.of_project(&bodies.type_diagnostics);
    for circle in &order.circles {
        let paths = circle.iter().map(|file| &*candidates[*file].text.path);
        diagnostics.append(graph::circle(&program, &paths.collect::<Vec<_>>()));
    }
    for (_, mismatch) in unlike {
        diagnostics.push(mismatch.report(&program, &origins));
    }
    Ok(Assembled {
        program,
        diagnostics,
        origins,
    })
}

/// Puts the texts of the project behind those of a program, and gives the number of the first.
fn add_texts(program: &mut Program, project: &Project) -> usize {
    let first = program.sources.iter().count();
    for (_, source) in project.sources.iter() {
        let (path, bytes) = (source.path.clone(), source.bytes.clone());
        program.sources.add(path, bytes);
    }
    first
}

/// Lists the files that a program may have, in the order of modules and names.
fn candidates<'p>(project: &'p Project, depends: &Depends<'p>) -> Vec<Candidate<'p>> {
    let mut found = Vec::new();
    for module in &project.modules {
        if let Some(private) = &module.private {
            found.push(Candidate {
                text: private.clone(),
                named: None,
                is_made: false,
            });
        }
        for named in module.functions() {
            let body = depends.draft(named).or(named.function.body.as_ref());
            let (text, is_made) = match body {
                Some(body) => (body.clone(), false),
                None if !depends.is_whole() => continue,
                None => match made(named) {
                    Some(text) => (text, true),
                    None => continue,
                },
            };
            found.push(Candidate {
                text,
                named: Some(named),
                is_made,
            });
        }
    }
    found
}

/// Makes a body with a hole out of the signature of a function that has none yet.
fn made(named: Named<'_>) -> Option<Text> {
    let spec = named.function.spec.as_ref().filter(|spec| spec.is_sound)?;
    let (_, range) = signature_text(spec)?;
    let signature = &spec.utf8()[range];
    let text = format!("{signature}\n{} = ?not_written\n", named.name);
    let path = named.module.path_of(&format!("{}.soil", named.name));
    Some(Text::new(path, text.into_bytes()))
}

/// Gives the place of the signature in a spec.
fn signature_text(spec: &SpecFile) -> Option<(usize, std::ops::Range<usize>)> {
    let fences = &spec.container.as_ref()?.fences;
    let fence = fences.iter().find(|fence| fence.info.lang == "soil-sig")?;
    let range = fence.content.range();
    Some((range.start, range))
}

/// Gives the files that a program is made for: all, or that of the target and of the private definitions beside it.
fn wanted(candidates: &[Candidate<'_>], depends: &Depends<'_>) -> Vec<usize> {
    let files = 0..candidates.len();
    let Depends::Target { named, .. } = depends else {
        return files.collect();
    };
    let private = named.module.path_of("_private.soil");
    let is_wanted = |file: &usize| {
        let candidate = &candidates[*file];
        match &candidate.named {
            Some(other) => other.full_name() == named.full_name(),
            None => *candidate.text.path == *private,
        }
    };
    let mut found: Vec<usize> = files.filter(is_wanted).collect();
    // The target stands first, so that it can be told from what it needs.
    found.sort_by_key(|file| candidates[*file].named.is_none());
    found
}

/// Orders the files that a program needs: those it is made for, what they call, and what the clauses of all these name.
fn order(graph: &Graph, candidates: &[Candidate<'_>], depends: &Depends<'_>) -> Order {
    let mut from = wanted(candidates, depends);
    loop {
        let order = graph.order(from.iter().copied());
        let mut named: Vec<&str> = Vec::new();
        for file in &order.files {
            let is_target = from.first() == Some(file) || depends.is_whole();
            named.extend(candidates[*file].words(is_target));
        }
        named.sort_unstable();
        named.dedup();
        let is_missing = |file: &usize| {
            let name = candidates[*file].named.map(|named| named.name);
            let is_named = name.is_some_and(|name| named.binary_search(&name).is_ok());
            is_named && !order.files.contains(file)
        };
        let missing: Vec<usize> = (0..candidates.len()).filter(is_missing).collect();
        if missing.is_empty() {
            return order;
        }
        from.extend(missing);
    }
}

/// Finds the listed bodies whose signature is not that of their spec.
fn unlike(
    program: &Program,
    candidates: &[Candidate<'_>],
    files: &[usize],
) -> Vec<(usize, Mismatch)> {
    let written = files.iter().filter(|file| !candidates[**file].is_made);
    let found = written.filter_map(|file| {
        let mismatch = signature::mismatch(program, candidates[*file].named?)?;
        Some((*file, mismatch))
    });
    found.collect()
}

/// The texts of a program as they are put together.
struct Collected<'a, 'p> {
    project: &'p Project,
    unordered: &'a Program,
    candidates: &'a [Candidate<'p>],
    unlike: &'a [(usize, Mismatch)],
    texts: ProgramTexts,
    origins: Vec<Option<Origin>>,
}

impl<'a, 'p> Collected<'a, 'p> {
    fn new(
        project: &'p Project,
        unordered: &'a Program,
        candidates: &'a [Candidate<'p>],
        unlike: &'a [(usize, Mismatch)],
    ) -> Self {
        let texts = ProgramTexts {
            root_module: project.name.clone(),
            ..ProgramTexts::default()
        };
        Self {
            project,
            unordered,
            candidates,
            unlike,
            texts,
            origins: Vec::new(),
        }
    }

    fn list(&mut self, file: usize) {
        let candidate = &self.candidates[file];
        let spec = candidate
            .named
            .and_then(|named| named.function.spec.as_ref());
        let made = spec.filter(|_| candidate.is_made);
        let origin = made.and_then(|spec| {
            let (offset, _) = signature_text(spec)?;
            Some(Origin::new(spec.file, offset))
        });
        self.texts.definitions.push(candidate.text.clone());
        self.origins.push(origin);
    }

    fn add_signature(&mut self, file: usize, listed: &[usize]) {
        let candidate = &self.candidates[file];
        if candidate.named.is_some() && !listed.contains(&file) {
            self.texts.signatures.push(candidate.text.clone());
            self.origins.push(None);
        }
    }

    /// Adds the clauses of all listed functions, and the properties of those that the program is made for.
    fn add_clauses(&mut self, files: &[usize], depends: &Depends<'_>) {
        let mut properties = Vec::new();
        for file in files {
            let Some(named) = self.candidates[*file].named else {
                continue;
            };
            let is_unlike = self.unlike.iter().any(|(unlike, _)| unlike == file);
            let name = named.program_name();
            if is_unlike || self.unordered.find_definition(&name).is_none() {
                continue;
            }
            let Some(spec) = named.function.spec.as_ref().filter(|spec| spec.is_sound) else {
                continue;
            };
            let Some((whole, function)) = spec.function() else {
                continue;
            };
            let guard = spec_guard(function, &name, spec.utf8());
            if !guard.requires.is_empty() || !guard.ensures.is_empty() {
                let clauses = function.requires.iter().chain(&function.ensures);
                let origins =
                    clauses.map(|clause| Some(Origin::new(spec.file, clause.text.range().start)));
                self.origins.extend(origins);
                self.texts.guards.push(guard);
            }
            let is_target = match depends {
                Depends::Whole | Depends::Specs(_) => true,
                Depends::Target { named: target, .. } => target.full_name() == named.full_name(),
            };
            if is_target {
                let module = &named.module.name;
                let found =
                    spec_properties(whole, function, module, spec.utf8(), &self.project.names);
                properties.extend(
                    function
                        .properties
                        .iter()
                        .zip(found)
                        .map(|(property, texts)| (spec.file, property, texts)),
                );
            }
        }
        for (file, property, texts) in properties {
            self.add_property(file, property, texts);
        }
        self.texts.derives_properties = !matches!(depends, Depends::Whole);
        if matches!(depends, Depends::Whole) {
            self.add_invariants();
        }
    }

    /// Adds what declared types say of their values, but for those whose declaration is reported.
    fn add_invariants(&mut self) {
        let project = self.project;
        let is_reported = |file: &SpecFile| {
            let mut bodies = project.bodies.get().into_iter();
            bodies.any(|bodies| {
                let mut found = bodies.type_diagnostics.iter();
                found.any(|found| found.file == Some(file.file))
            })
        };
        for module in &project.modules {
            let files = module.types.values();
            let sound = files.filter(|file| file.is_sound && !is_reported(file));
            for file in sound {
                let Some(Content::Type(declared)) = file.spec.as_ref().map(|spec| &spec.content)
                else {
                    continue;
                };
                let texts = spec_invariants(declared, &module.name, file.utf8(), &project.names);
                for (clause, text) in declared.invariants.iter().zip(texts) {
                    let start = clause.text.range().start;
                    self.origins.extend([
                        Some(Origin::whole(file.file, clause.label.span)),
                        Some(Origin::new(file.file, start)),
                    ]);
                    self.texts.invariants.push(text);
                }
            }
        }
    }

    fn add_property(&mut self, file: FileId, property: &Property, texts: PropertyTexts) {
        let foralls = property.foralls.iter();
        self.origins
            .extend(foralls.map(|forall| Some(Origin::whole(file, forall.binder.span))));
        let start = property.text.range().start;
        self.origins.push(Some(Origin::new(file, start)));
        self.texts.properties.push(texts);
    }
}
