//! Why an expression has to have a type, and why it has another one.
//!
//! Nothing of this is kept while types are found: the way from the body to the place is looked for when there is
//! something to report.

use super::{Inferer, Place};
use crate::diagnostic::{PathStep, Side, Why};
use crate::names::Referent;
use crate::program::{DefinitionId, prelude};
use crate::source::{FileId, Span};
use crate::syntax::tree::{ExprId, ExprKind, PatternKind, Tree, TypeId, TypeKind};

/// The most steps that are shown.
const MAX_STEPS: usize = 8;

/// What asks a part of an expression for a type.
enum Demand {
    /// The expression itself is asked, and hands it on.
    Handed(Why),
    /// This place asks.
    Asked(Vec<(Option<FileId>, Span, Why)>),
    /// Nothing asks.
    None,
}

impl Inferer<'_, '_> {
    /// Gives the demands that met at a place, from the outermost one to the place and back to the origin of what is there.
    pub(super) fn demands(&self, place: Place) -> (Vec<PathStep>, usize) {
        let mut steps = self.expected_steps(place);
        steps.reverse();
        steps.extend(self.actual_steps(place));
        let elided = steps.len().saturating_sub(MAX_STEPS);
        if elided > 0 {
            // Both ends stay: the origins of the two sides.
            let middle = MAX_STEPS / 2;
            steps.drain(middle..middle + elided);
        }
        (steps, elided)
    }

    /// Lists what asks for the type of a place, innermost first.
    fn expected_steps(&self, place: Place) -> Vec<PathStep> {
        let step = |(file, span, why): (Option<FileId>, Span, Why)| PathStep {
            side: Side::Expected,
            file: file.filter(|file| *file != self.file.id),
            span,
            why,
        };
        let route = self.route(self.place_span(place), place);
        let mut steps = Vec::new();
        let mut first_branch = None;
        if let (Place::Pattern(_), Some(last)) = (place, route.last())
            && let ExprKind::Match { scrutinee, .. } = self.tree[*last].kind
        {
            steps.push(step((None, self.span(scrutinee), Why::Pattern)));
            return steps;
        }
        for pair in route.windows(2).rev() {
            let (parent, child) = (pair[0], pair[1]);
            match self.demand_of(parent, child) {
                Demand::Handed(why) => {
                    steps.push(step((None, self.span(child), why)));
                    let first = self.first_branch(parent).filter(|first| *first != child);
                    first_branch = first_branch.or(first);
                }
                Demand::Asked(asked) => {
                    steps.extend(asked.into_iter().map(step));
                    return steps;
                }
                Demand::None => {
                    if let Some(first) = first_branch {
                        steps.push(step((None, self.span(first), Why::Branch)));
                    }
                    return steps;
                }
            }
        }
        if let Some(span) = self.result_span() {
            steps.push(step((None, span, Why::Signature)));
        }
        steps
    }

    /// Lists the expressions from the body to the place, which is the last one; for a pattern the match is.
    pub(super) fn route(&self, target: Span, place: Place) -> Vec<ExprId> {
        let definition = self.program.written(self.id);
        let mut at = definition.body;
        if let Some(measure) = definition.decreases
            && self.span(measure).contains(target)
        {
            at = measure;
        }
        let mut route = vec![at];
        loop {
            if place == Place::Expr(at) {
                return route;
            }
            let mut next = None;
            self.tree.for_each_part(at, |part| {
                if next.is_none() && self.span(part).contains(target) {
                    next = Some(part);
                }
            });
            let Some(part) = next else {
                return route;
            };
            route.push(part);
            at = part;
        }
    }

    /// Gives the first of several branches.
    fn first_branch(&self, id: ExprId) -> Option<ExprId> {
        match self.tree[id].kind {
            ExprKind::If { then_branch, .. } => Some(then_branch),
            ExprKind::Match { arms, .. } => self.tree[arms].first().map(|arm| arm.body),
            _ => None,
        }
    }

    fn demand_of(&self, parent: ExprId, child: ExprId) -> Demand {
        let asked = |span: Span, why: Why| Demand::Asked(vec![(None, span, why)]);
        match self.tree[parent].kind {
            ExprKind::Let { body, .. } if body == child => Demand::Handed(Why::Result),
            ExprKind::Let {
                is_rec: true,
                bindings,
                ..
            } => {
                let mut bindings = self.tree[bindings].iter();
                let binding = bindings.find(|binding| binding.value == child);
                let binder = binding.and_then(|binding| binding.binder);
                binder.map_or(Demand::None, |binder| asked(binder.span, Why::Recursion))
            }
            ExprKind::Fun { .. } => Demand::Handed(Why::Result),
            ExprKind::If { condition, .. } if condition == child => {
                asked(self.span(child), Why::Condition)
            }
            ExprKind::Match { scrutinee, .. } if scrutinee == child => Demand::None,
            ExprKind::If { .. } | ExprKind::Match { .. } => Demand::Handed(Why::Branch),
            ExprKind::Or { .. } | ExprKind::And { .. } | ExprKind::Not { .. } => {
                asked(self.span(parent), Why::Operator)
            }
            ExprKind::Comparison { lhs, rhs, .. } | ExprKind::Arithmetic { lhs, rhs, .. } => {
                let other = if lhs == child { rhs } else { lhs };
                asked(self.span(other), Why::Operator)
            }
            ExprKind::Apply { function, argument } if argument == child => {
                let mut steps = vec![(None, self.span(child), Why::Argument)];
                steps.push(self.parameter_origin(function));
                Demand::Asked(steps)
            }
            ExprKind::Annotation { ty, .. } => asked(self.tree[ty].span, Why::Annotation),
            ExprKind::Record { fields, .. } => {
                let mut fields = self.tree[fields].iter();
                let field = fields.find(|field| field.value == child);
                field.map_or(Demand::None, |field| asked(field.field.span, Why::Field))
            }
            _ => Demand::None,
        }
    }

    /// Gives the head of a call and how many arguments it has.
    pub(super) fn head_of(&self, mut id: ExprId) -> (ExprId, usize) {
        let mut count = 0;
        while let ExprKind::Apply { function, .. } = self.tree[id].kind {
            count += 1;
            id = function;
        }
        (id, count)
    }

    /// Says where the type of the next argument of a function is stated.
    fn parameter_origin(&self, function: ExprId) -> (Option<FileId>, Span, Why) {
        let (head, position) = self.head_of(function);
        let written = |tree: &Tree, signature| {
            arrow_at(tree, signature, position).map(|(domain, _)| tree[domain].span)
        };
        self.stated_at(head, written)
            .unwrap_or((None, self.span(head), Why::Signature))
    }

    /// Says where a part of the type of a name is stated.
    fn stated_at(
        &self,
        head: ExprId,
        part: impl Fn(&Tree, TypeId) -> Option<Span>,
    ) -> Option<(Option<FileId>, Span, Why)> {
        match self.referents.expr_if_named(self.tree, head)? {
            Referent::Definition(id) => {
                let file = self.program.file_of(id);
                let span = part(&file.tree, self.program.written(id).signature)?;
                Some((Some(file.id), span, Why::Signature))
            }
            Referent::Local(local) => {
                let binder = self.tree.local_binder(local)?;
                Some((None, binder.span, Why::Binding))
            }
            _ => None,
        }
    }

    /// Gives the place at which the signature states the result of the equation.
    fn result_span(&self) -> Option<Span> {
        let definition = self.program.written(self.id);
        let count = definition.params.len();
        let ty = result_after(self.tree, definition.signature, count)?;
        Some(self.tree[ty].span)
    }

    /// Says where the type of what is there comes from.
    fn actual_steps(&self, place: Place) -> Vec<PathStep> {
        let (file, span, why) = match place {
            Place::Pattern(id) => {
                let why = match self.tree[id].kind {
                    PatternKind::Literal(_) => Why::Literal,
                    _ => Why::Pattern,
                };
                (None, self.tree[id].span, why)
            }
            Place::Expr(id) => self.origin(id),
        };
        vec![PathStep {
            side: Side::Actual,
            file: file.filter(|file| *file != self.file.id),
            span,
            why,
        }]
    }

    fn origin(&self, id: ExprId) -> (Option<FileId>, Span, Why) {
        let span = self.span(id);
        match self.tree[id].kind {
            ExprKind::Path { fields, .. } if !fields.is_empty() => {
                let last = self.tree[fields].last().map_or(span, |field| field.span);
                (None, last, Why::Field)
            }
            ExprKind::Path { .. } | ExprKind::Qualified { .. } => {
                let whole = |tree: &Tree, ty: TypeId| Some(tree[ty].span);
                let stated = self.stated_at(id, whole);
                stated.unwrap_or((None, span, Why::Signature))
            }
            ExprKind::Apply { .. } => {
                let (head, count) = self.head_of(id);
                let result = |tree: &Tree, signature| {
                    result_after(tree, signature, count).map(|ty| tree[ty].span)
                };
                match self.stated_at(head, result) {
                    Some((file, span, _)) => (file, span, Why::Result),
                    None => (None, self.span(head), Why::Result),
                }
            }
            ExprKind::Annotation { ty, .. } => (None, self.tree[ty].span, Why::Annotation),
            ExprKind::Literal(_)
            | ExprKind::Record { .. }
            | ExprKind::Fun { .. }
            | ExprKind::Constructor { .. } => (None, span, Why::Literal),
            _ => (None, span, Why::Operator),
        }
    }

    /// Gives the signature of the builtin or the definition of the prelude that is called at a place, or whose argument it
    /// is: neither has a place that a note could name.
    pub(super) fn foreign_signature_at(&self, place: Place) -> Option<String> {
        let Place::Expr(id) = place else {
            return None;
        };
        let route = self.route(self.span(id), place);
        let parent = route.len().checked_sub(2).map(|index| route[index]);
        let is_argument = |parent: &ExprId| matches!(self.tree[*parent].kind, ExprKind::Apply { argument, .. } if argument == id);
        let caller = parent.filter(is_argument);
        let caller = caller.and_then(|parent| self.foreign_signature(self.head_of(parent).0));
        caller.or_else(|| self.foreign_signature(self.head_of(id).0))
    }

    fn foreign_signature(&self, head: ExprId) -> Option<String> {
        match self.referents.expr_if_named(self.tree, head)? {
            Referent::Builtin(id) => Some(id.signature().to_owned()),
            Referent::Prelude(id) => Some(prelude_signature(id)),
            _ => None,
        }
    }
}

/// Says in words what a step is.
pub(super) fn step_text(step: &PathStep) -> String {
    let what = match step.why {
        Why::Signature => "the signature states it here",
        Why::Annotation => "the annotation states it here",
        Why::Argument => "it is an argument",
        Why::Result => "it is the result",
        Why::Branch => "the branches have one type",
        Why::Condition => "a condition is a `Bool`",
        Why::Operator => "the operator works on one type",
        Why::Pattern => "the pattern matches this",
        Why::Field => "the field has this type",
        Why::Literal => "it is written here",
        Why::Binding => "it is bound here",
        Why::Recursion => "it is the function that is bound here",
    };
    let side = match step.side {
        Side::Expected => "what is asked for",
        Side::Actual => "what is there",
    };
    format!("{side}: {what}")
}

fn prelude_signature(id: DefinitionId) -> String {
    let program = prelude();
    let name = &program.names[program[id].name];
    let signature = program.written(id).signature;
    let ty = crate::print::ty(&program.file_of(id).tree, &program.names, signature);
    format!("{name} : {ty}")
}

/// Gives the domain and the codomain of the arrow at a position of a signature.
fn arrow_at(tree: &Tree, mut ty: TypeId, position: usize) -> Option<(TypeId, TypeId)> {
    let mut left = position;
    loop {
        match tree[ty].kind {
            TypeKind::Refined { base, .. } => ty = base,
            TypeKind::Arrow {
                domain, codomain, ..
            } => {
                if left == 0 {
                    return Some((domain, codomain));
                }
                left -= 1;
                ty = codomain;
            }
            _ => return None,
        }
    }
}

/// Gives what a signature states behind so many arrows.
fn result_after(tree: &Tree, signature: TypeId, count: usize) -> Option<TypeId> {
    match count.checked_sub(1) {
        None => Some(signature),
        Some(last) => arrow_at(tree, signature, last).map(|(_, codomain)| codomain),
    }
}
