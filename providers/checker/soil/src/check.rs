//! Checking a program: names, types, rows and matches of all its definitions.

mod facts;
mod verdict;

pub use facts::{ExprFact, Facts, PatternFact};
pub use verdict::{Obligation, ObligationKind, Site, Termination};

use crate::diagnostic::Diagnostics;
use crate::infer::{Inferred, Input, Options, Workspace, infer};
use crate::names::{References, Referents, Scope, Unresolved, resolve, settle};
use crate::program::{DefinitionId, Program, Role};
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
    /// Whether holes get terms that fit.
    pub offers_fits: bool,
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
    };
    let mut scope = Scope::default();
    let mut workspace = Workspace::new();
    for (id, definition) in program.definitions() {
        if !program.files[definition.file].is_listed {
            continue;
        }
        let role = program.files[definition.file].role;
        let referents = &mut checked.referents[definition.file];
        let mut resolved = resolve(program, id, referents, &mut scope);
        let mut inferred = None;
        let mut found = Diagnostics::new();
        if options.depth > Depth::Names {
            let input = Input {
                program,
                id,
                referents,
                resolved: &resolved,
                facts: &mut checked.facts[definition.file],
                closed: &mut checked.closed,
                options: Options {
                    judges_matches: options.depth == Depth::Matches,
                    offers_fits: options.offers_fits,
                    reports_redundant: role == Role::Written,
                },
            };
            (inferred, found) = infer(input, &mut workspace);
        }
        let judged = inferred.as_ref().map(|inferred| &inferred.candidates[..]);
        let file = program.files[definition.file].id;
        settle(&mut resolved, judged.unwrap_or_default(), file);
        let is_sound = resolved.diagnostics.is_empty() && found.is_empty();
        if role != Role::Silent {
            let first = checked.diagnostics.len();
            checked.diagnostics.append(resolved.diagnostics);
            set_roots(&mut checked.diagnostics, first, &resolved.unresolved);
            checked.diagnostics.append(found);
        }
        let definitions = match role {
            Role::Written => &mut checked.definitions,
            Role::Lowered | Role::Silent => &mut checked.lowered,
        };
        definitions.push(CheckedDefinition {
            id,
            references: resolved.references,
            is_sound,
            inferred,
        });
    }
    checked
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
