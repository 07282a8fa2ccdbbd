//! Checking a program: names, types, rows and matches of all its definitions.
//!
//! [`check`] gives a [`Checked`], which holds the diagnostics, what documents say of each definition, and what those who run
//! the program need to know: what each name means ([`Referents`]), and the types by which operators, literals and
//! records work ([`Facts`]).

mod trial;

pub use crate::facts::{ExprFact, Facts, PatternFact};
pub use crate::verdict::{Obligation, ObligationKind, Site, Termination};

use crate::diagnostic::Diagnostics;
use crate::infer::{Inferred, Input, Options, Workspace, infer};
use crate::names::{References, Referents, Scope, Unresolved, resolve, settle};
use crate::program::{DefinitionId, Program, Role};
use crate::source::FileId;
use crate::types::ClosedTypes;

/// How far a program is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Names only.
    Names,
    /// Names, types and rows.
    Types,
    /// All of it, matches too.
    #[default]
    Matches,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckOptions {
    /// How far the program is checked.
    pub depth: Depth,
    /// Whether documents are rich: reports have edits that were tried, holes have terms that fit.
    pub is_rich: bool,
}

impl CheckOptions {
    /// Asks for all of it, with rich documents.
    pub const RICH: Self = Self {
        depth: Depth::Matches,
        is_rich: true,
    };
}

/// A definition that was checked.
#[derive(Clone, Debug)]
pub struct CheckedDefinition {
    /// The definition.
    pub id: DefinitionId,
    /// What it refers to.
    pub references: References,
    /// Whether nothing was reported about it, by lexer and parser aside.
    pub is_sound: bool,
    pub(crate) inferred: Option<Inferred>,
}

impl CheckedDefinition {
    /// Says whether the definition was judged; one whose signature does not read or that reached a bound was not.
    pub const fn is_judged(&self) -> bool {
        self.inferred.is_some()
    }

    /// Gives whether it is known to come to an end.
    pub fn termination(&self) -> Option<Termination> {
        self.inferred.as_ref().map(|inferred| inferred.termination)
    }

    /// Gives the places at which it may raise though its row does not say so.
    pub fn obligations(&self) -> &[Obligation] {
        let inferred = self.inferred.as_ref();
        inferred.map_or(&[], |inferred| &inferred.obligations)
    }

    /// Counts its holes.
    pub fn hole_count(&self) -> usize {
        let inferred = self.inferred.as_ref();
        inferred.map_or(0, |inferred| inferred.holes.len())
    }
}

/// What is known of a program after it was checked.
#[derive(Debug)]
pub struct Checked<'p> {
    /// The program.
    pub program: &'p Program,
    /// The definitions in program order, those read for their signatures left out.
    pub definitions: Vec<CheckedDefinition>,
    /// Those made out of predicates.
    pub lowered: Vec<CheckedDefinition>,
    /// What was reported, by lexer and parser too.
    pub diagnostics: Diagnostics,
    /// What names mean, for each file of the program.
    pub referents: Vec<Referents>,
    /// What was learned of nodes, for each file of the program.
    pub facts: Vec<Facts>,
    /// The types that facts name.
    pub closed: ClosedTypes,
    options: CheckOptions,
}

impl Checked<'_> {
    /// Says what was asked for.
    pub const fn options(&self) -> CheckOptions {
        self.options
    }
}

/// Checks a program.
pub fn check(program: &Program, options: CheckOptions) -> Checked<'_> {
    let files = || program.files.iter();
    let mut checked = Checked {
        program,
        definitions: Vec::new(),
        lowered: Vec::new(),
        diagnostics: program.syntax_diagnostics.clone(),
        referents: files().map(|file| Referents::new(&file.tree)).collect(),
        facts: files().map(|file| Facts::new(&file.tree)).collect(),
        closed: ClosedTypes::default(),
        options,
    };
    let mut tables = Tables::new();
    for (id, definition) in program.definitions() {
        let file = definition.file;
        if !program.files[file].is_listed {
            continue;
        }
        let target = Target {
            program,
            id,
            referents: &mut checked.referents[file],
            facts: &mut checked.facts[file],
            closed: &mut checked.closed,
        };
        let found = target.check(options, &mut tables);
        let role = program.files[file].role;
        let is_sound = found.diagnostics.is_empty();
        if role != Role::Silent {
            let first = checked.diagnostics.len();
            checked.diagnostics.append(found.diagnostics);
            set_roots(&mut checked.diagnostics, first, &found.unresolved);
        }
        let definitions = match role {
            Role::Written => &mut checked.definitions,
            Role::Lowered | Role::Clause | Role::Silent => &mut checked.lowered,
        };
        definitions.push(CheckedDefinition {
            id,
            references: found.references,
            is_sound,
            inferred: found.inferred,
        });
    }
    if options.is_rich {
        trial::keep_what_holds(program, &mut checked.diagnostics, options);
    } else {
        trial::leave_out(&mut checked.diagnostics);
    }
    checked
}

/// Checks the definitions of one file, without offering edits or terms.
fn file_diagnostics(program: &Program, file: FileId, options: CheckOptions) -> Diagnostics {
    let options = CheckOptions {
        is_rich: false,
        ..options
    };
    let mut diagnostics = Diagnostics::new();
    let mut tables = Tables::new();
    let mut closed = ClosedTypes::default();
    let Some(position) = program.files.iter().position(|known| known.id == file) else {
        return diagnostics;
    };
    let tree = &program.files[position].tree;
    let (mut referents, mut facts) = (Referents::new(tree), Facts::new(tree));
    for (id, definition) in program.definitions() {
        if definition.file == position {
            let target = Target {
                program,
                id,
                referents: &mut referents,
                facts: &mut facts,
                closed: &mut closed,
            };
            diagnostics.append(target.check(options, &mut tables).diagnostics);
        }
    }
    diagnostics
}

/// Tables that are made once for many definitions.
struct Tables {
    scope: Scope,
    workspace: Workspace,
}

impl Tables {
    fn new() -> Self {
        Self {
            scope: Scope::default(),
            workspace: Workspace::new(),
        }
    }
}

/// A definition with what checking it fills.
struct Target<'p, 'c> {
    program: &'p Program,
    id: DefinitionId,
    referents: &'c mut Referents,
    facts: &'c mut Facts,
    closed: &'c mut ClosedTypes,
}

/// What checking a definition gives.
struct Found {
    references: References,
    inferred: Option<Inferred>,
    diagnostics: Diagnostics,
    /// The names that did not resolve; their reports come first.
    unresolved: Vec<Unresolved>,
}

impl Target<'_, '_> {
    fn check(self, options: CheckOptions, tables: &mut Tables) -> Found {
        let program = self.program;
        let mut resolved = resolve(program, self.id, self.referents, &mut tables.scope);
        let mut inferred = None;
        let mut found = Diagnostics::new();
        if options.depth > Depth::Names {
            let input = Input {
                program,
                id: self.id,
                referents: self.referents,
                resolved: &resolved,
                facts: self.facts,
                closed: self.closed,
                options: Options {
                    judges_matches: options.depth == Depth::Matches,
                    is_rich: options.is_rich && program.file_of(self.id).role == Role::Written,
                    reports_redundant: program.file_of(self.id).role == Role::Written,
                },
            };
            (inferred, found) = infer(input, &mut tables.workspace);
        }
        let judged = inferred.as_ref().map(|inferred| &inferred.candidates[..]);
        let file = program.file_of(self.id).id;
        settle(&mut resolved, judged.unwrap_or_default(), file);
        let mut diagnostics = resolved.diagnostics;
        diagnostics.append(found);
        Found {
            references: resolved.references,
            inferred,
            diagnostics,
            unresolved: resolved.unresolved,
        }
    }
}

/// Lets reports about names that a file would define, if it did read, follow from the first report about that file.
fn set_roots(diagnostics: &mut Diagnostics, first: usize, unresolved: &[Unresolved]) {
    for unresolved in unresolved {
        let Some(cause) = unresolved.cause else {
            continue;
        };
        let root = diagnostics
            .iter()
            .position(|diagnostic| diagnostic.file == Some(cause));
        let position = first + unresolved.diagnostic;
        if let Some(diagnostic) = diagnostics.iter_mut().nth(position) {
            diagnostic.root = root;
        }
    }
}
