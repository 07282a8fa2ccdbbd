//! Types and rows of one definition.
//!
//! Expected types are pushed inward and settle what they can; literals are resolved after the body, operators after them,
//! rows last. What does not fit is reported where it stands and is then taken to be what its place asks for, so that one mistake
//! is reported once. Nothing of a body leaves its definition: callers see its signature alone.

mod apply;
mod convert;
mod definition;
mod edits;
mod effect;
mod explain;
mod expr;
mod fit;
mod hole;
mod matches;
mod mismatch;
mod offer;
mod operation;
mod pattern;
mod place;
mod record;
mod resolve;
mod termination;

pub(crate) use definition::{declared_row, infer};
pub(crate) use offer::Fit;

use hashbrown::HashSet;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::environment::Environment;
use crate::facts::Facts;
use crate::names::{Judged, Referents, Resolved};
use crate::program::{DefinitionId, Program, ProgramFile};
use crate::source::Span;
use crate::syntax::Name;
use crate::syntax::tree::{Binding, ExprId, List, LocalId, PatternId, Tree};
use crate::types::ClosedTypes;
use crate::types::store::{RowId, RowTail, Store, Ty, VariableNames};
use crate::verdict::{Obligation, Termination};

/// What was found out about a definition, beside its diagnostics.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inferred {
    pub(crate) termination: Termination,
    pub(crate) obligations: Vec<Obligation>,
    pub(crate) holes: Vec<Hole>,
    /// What was found out about candidates for unknown names.
    pub(crate) candidates: Vec<Judged>,
}

/// A hole with what belongs there.
#[derive(Clone, Debug)]
pub(crate) struct Hole {
    pub(crate) name: Name,
    pub(crate) span: Span,
    /// Its goal, as a signature in the form of documents.
    pub(crate) goal: Written,
    /// The locals in scope, nearest first.
    pub(crate) in_scope: Vec<(Name, Written)>,
    /// What may stand there, where that was asked for.
    pub(crate) fit: Option<Fit>,
}

/// A type in the form of documents, as JSON.
pub(crate) type Written = String;

/// What inference of one definition reads and fills.
pub(crate) struct Input<'p, 'f> {
    pub(crate) program: &'p Program,
    pub(crate) id: DefinitionId,
    pub(crate) referents: &'p Referents,
    pub(crate) resolved: &'p Resolved,
    pub(crate) facts: &'f mut Facts,
    pub(crate) closed: &'f mut ClosedTypes,
    pub(crate) options: Options,
}

/// What is asked for beyond a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Whether matches are judged.
    pub(crate) judges_matches: bool,
    /// Whether reports get edits, and holes terms that fit.
    pub(crate) is_rich: bool,
    /// Whether arms that are never reached are reported.
    pub(crate) reports_redundant: bool,
}

/// Tables that are made once for many definitions.
#[derive(Debug)]
pub(crate) struct Workspace {
    store: Store,
    locals: Vec<Option<Local>>,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        Self {
            store: Store::new(),
            locals: Vec::new(),
        }
    }
}

/// What is known of a local.
#[derive(Clone, Copy, Debug)]
struct Local {
    ty: Ty,
    /// Whether its type is copied at each use.
    is_generic: bool,
}

/// What a part of a definition performs: a body or a lambda.
#[derive(Clone, Copy, Debug)]
struct Context {
    row: RowId,
}

/// The number of a context.
type ContextId = usize;

/// The context of the body.
const BODY: ContextId = 0;

/// The context of a measure, which performs nothing that matters.
const MEASURE: ContextId = 1;

/// Something that performs a row.
#[derive(Clone, Copy, Debug)]
struct Performed {
    context: ContextId,
    /// The call or the operation.
    expr: ExprId,
    row: RowId,
    by: Performer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Performer {
    Overflow,
    DivZero,
    /// A call of this expression.
    Call(ExprId),
}

/// Where a literal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Expr(ExprId),
    Pattern(PatternId),
}

/// An integer literal whose type is not known yet.
#[derive(Clone, Copy, Debug)]
struct PendingLiteral {
    place: Place,
    digits: Name,
    ty: Ty,
}

/// An operation whose type has to end concrete.
#[derive(Clone, Copy, Debug)]
struct PendingOperation {
    expr: ExprId,
    ty: Ty,
    context: ContextId,
    kind: OperationKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperationKind {
    Add,
    Divide,
    Negate,
    Equal,
    Compare,
    Hash,
    Show,
}

/// A hole whose goal is not settled yet.
#[derive(Clone, Debug)]
struct PendingHole {
    expr: ExprId,
    name: Name,
    ty: Ty,
    context: ContextId,
    /// The locals in scope, outermost first.
    scope: Vec<LocalId>,
}

struct Inferer<'p, 'f> {
    program: &'p Program,
    environment: &'p Environment,
    file: &'p ProgramFile,
    tree: &'p Tree,
    id: DefinitionId,
    referents: &'p Referents,
    resolved: &'p Resolved,
    facts: &'f mut Facts,
    closed: &'f mut ClosedTypes,
    options: Options,
    store: &'f mut Store,
    locals: &'f mut Vec<Option<Local>>,
    /// What the variables of the signature stand for within the body.
    rigid_types: Vec<Ty>,
    rigid_rows: Vec<RowTail>,
    variables: VariableNames,
    scope: Vec<LocalId>,
    contexts: Vec<Context>,
    context: ContextId,
    performed: Vec<Performed>,
    literals: Vec<PendingLiteral>,
    operations: Vec<PendingOperation>,
    holes: Vec<PendingHole>,
    has_too_many_holes: bool,
    matches: Vec<(ExprId, Ty)>,
    /// The patterns that cannot match what they stand for; no match that holds one is judged.
    faulty: HashSet<PatternId>,
    /// Whether the definition refers to itself.
    is_recursive: bool,
    /// The groups of `let rec`.
    groups: Vec<List<Binding>>,
    /// Calls that are being looked at: each argument with the application that it belongs to.
    spine: Vec<(ExprId, ExprId)>,
    /// Unknown names with what their places ask for.
    unknown: Vec<fit::PendingName>,
    /// What the uses of locals with a general type made of it, for the terms that fit in a hole.
    instances: Vec<(LocalId, Ty)>,
    diagnostics: Diagnostics,
    /// Where a bound was reached.
    exceeded_at: Option<Span>,
}

impl Inferer<'_, '_> {
    fn report(&mut self, code: Code, span: Span, message: String) {
        let diagnostic = Diagnostic::at(code, self.file.id, span, message);
        self.push(diagnostic);
    }

    /// Keeps a report. Behind a bound nothing is known, and what is said there means nothing.
    fn push(&mut self, diagnostic: Diagnostic) {
        if self.store.exceeded().is_none() {
            self.diagnostics.push(diagnostic);
        }
    }

    fn span(&self, id: ExprId) -> Span {
        self.tree[id].span
    }

    fn text(&self, name: Name) -> &str {
        &self.program.names[name]
    }

    /// Gives a type as canonical text.
    fn show(&mut self, ty: Ty) -> String {
        let mut shower = crate::types::store::Shower {
            store: self.store,
            environment: self.environment,
            names: &self.program.names,
            variables: &mut self.variables,
        };
        shower.text(ty)
    }

    /// Gives a row as canonical text.
    fn show_row(&mut self, row: RowId) -> String {
        let mut shower = crate::types::store::Shower {
            store: self.store,
            environment: self.environment,
            names: &self.program.names,
            variables: &mut self.variables,
        };
        shower.row_text(row)
    }
}
