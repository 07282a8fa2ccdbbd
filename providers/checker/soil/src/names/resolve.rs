//! Walking a definition.

use super::scope::Scope;
use super::unresolved::Unresolved;
use super::{References, Referents};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::program::{DefinitionId, Program, ProgramFile};
use crate::source::Span;
use crate::syntax::Name;
use crate::syntax::tree::{
    Arm, Definition, ExprId, ExprKind, List, LocalId, PatternId, PatternKind, Tree,
};
use crate::types::WrittenVariables;

/// What looking up the names of a definition gives, beside the referents.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    pub(crate) references: References,
    pub(crate) diagnostics: Diagnostics,
    /// The reports about unknown names, which get candidates when types are known.
    pub(crate) unresolved: Vec<Unresolved>,
    /// The variables of the signature.
    pub(crate) variables: WrittenVariables,
}

/// Looks up all names of a definition.
///
/// The scope is empty before and after; it is handed in so that its table is made once for many definitions.
pub(crate) fn resolve(
    program: &Program,
    id: DefinitionId,
    referents: &mut Referents,
    scope: &mut Scope,
) -> Resolved {
    let file = program.file_of(id);
    let mut resolver = Resolver {
        program,
        file,
        tree: &file.tree,
        own: id,
        referents,
        scope,
        holes: Vec::new(),
        shadowings: Vec::new(),
        resolved: Resolved::default(),
    };
    resolver.definition(program.written(id));
    resolver.offer_fresh_names();
    resolver.resolved
}

pub(super) struct Resolver<'p> {
    pub(super) program: &'p Program,
    pub(super) file: &'p ProgramFile,
    pub(super) tree: &'p Tree,
    pub(super) own: DefinitionId,
    pub(super) referents: &'p mut Referents,
    pub(super) scope: &'p mut Scope,
    /// The holes so far, with their places.
    pub(super) holes: Vec<(Name, Span)>,
    /// The binders that take a name which is in scope, with their reports.
    pub(super) shadowings: Vec<(LocalId, usize)>,
    pub(super) resolved: Resolved,
}

impl Resolver<'_> {
    fn definition(&mut self, definition: &Definition) {
        self.check_definition_name(definition);
        self.signature(definition.signature);
        let mark = self.scope.mark();
        for (local, binder) in self.tree.params(definition.params) {
            self.bind(local, binder);
        }
        if let Some(measure) = definition.decreases {
            self.expr(measure);
        }
        self.expr(definition.body);
        self.scope.leave(mark);
    }

    pub(super) fn report(&mut self, code: Code, span: Span, message: String) -> usize {
        let diagnostic = Diagnostic::at(code, self.file.id, span, message);
        self.push(diagnostic)
    }

    /// Keeps a diagnostic and gives its position.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) -> usize {
        let position = self.resolved.diagnostics.push(diagnostic);
        position.unwrap_or(usize::MAX)
    }

    /// Looks up the names of an expression; the bodies of `let` are followed without going deeper.
    fn expr(&mut self, id: ExprId) {
        let mark = self.scope.mark();
        let mut next = Some(id);
        while let Some(id) = next {
            next = self.part(id);
        }
        self.scope.leave(mark);
    }

    /// Looks up the names of an expression up to its last part, which is given back.
    fn part(&mut self, id: ExprId) -> Option<ExprId> {
        let tree = self.tree;
        match tree[id].kind {
            ExprKind::Let { .. } => return Some(self.bindings(id)),
            ExprKind::Fun { params, body } => {
                for (local, binder) in tree.params(params) {
                    self.bind(local, binder);
                }
                return Some(body);
            }
            ExprKind::If {
                condition,
                then_branch,
                else_branch,
            } => {
                self.expr(condition);
                self.expr(then_branch);
                return Some(else_branch);
            }
            ExprKind::Match { scrutinee, arms } => {
                self.expr(scrutinee);
                self.arms(arms);
            }
            ExprKind::Or { lhs, rhs }
            | ExprKind::And { lhs, rhs }
            | ExprKind::Comparison { lhs, rhs, .. }
            | ExprKind::Arithmetic { lhs, rhs, .. }
            | ExprKind::Apply {
                function: lhs,
                argument: rhs,
            } => {
                self.expr(lhs);
                return Some(rhs);
            }
            ExprKind::Not { operand } | ExprKind::Negate { operand } => return Some(operand),
            ExprKind::Annotation { expr, ty } => {
                self.annotation(ty);
                return Some(expr);
            }
            ExprKind::Record { base, fields } => {
                if let Some(base) = base {
                    self.expr(base);
                }
                for field in &tree[fields] {
                    self.expr(field.value);
                }
            }
            ExprKind::Path { root, .. } => self.path(id, root),
            ExprKind::Qualified { space, name } => self.qualified(id, space, name),
            ExprKind::Constructor { name } => self.constructor(id, name),
            ExprKind::Hole { name } => self.hole(name, tree[id].span),
            ExprKind::Literal(_) | ExprKind::Error => {}
        }
        None
    }

    /// Looks up the names of a `let` but for its body, which is given back.
    fn bindings(&mut self, id: ExprId) -> ExprId {
        let tree = self.tree;
        let ExprKind::Let {
            is_rec,
            bindings,
            body,
        } = tree[id].kind
        else {
            return id;
        };
        if !is_rec {
            for binding in &tree[bindings] {
                self.expr(binding.value);
            }
        }
        for (local, binding) in tree.bound(bindings) {
            if let Some(binder) = binding.binder {
                self.bind(local, binder);
            }
        }
        if is_rec {
            for binding in &tree[bindings] {
                self.expr(binding.value);
            }
        }
        body
    }

    fn arms(&mut self, arms: List<Arm>) {
        let tree = self.tree;
        for arm in &tree[arms] {
            let mark = self.scope.mark();
            self.pattern(arm.pattern);
            self.expr(arm.body);
            self.scope.leave(mark);
        }
    }

    fn pattern(&mut self, id: PatternId) {
        let tree = self.tree;
        match tree[id].kind {
            PatternKind::Bind { .. } => {
                let local = tree.pattern_local(id);
                if let Some(binder) = tree.local_binder(local) {
                    self.bind(local, binder);
                }
            }
            PatternKind::Constructor {
                type_name,
                name,
                head,
                argument,
            } => {
                self.pattern_constructor(id, type_name, name, head);
                if let Some(argument) = argument {
                    self.pattern(argument);
                }
            }
            PatternKind::Record { fields, .. } => {
                for (local, field) in tree.matched(fields) {
                    match (field.pattern, tree.local_binder(local)) {
                        (Some(pattern), _) => self.pattern(pattern),
                        (None, Some(binder)) => self.bind(local, binder),
                        (None, None) => {}
                    }
                }
            }
            PatternKind::Wildcard | PatternKind::Literal(_) | PatternKind::Error => {}
        }
    }

    fn hole(&mut self, name: Name, span: Span) {
        let earlier = self.holes.iter().find(|(earlier, _)| *earlier == name);
        if let Some((_, earlier)) = earlier.copied() {
            let message = format!(
                "the hole `?{}` stands there twice",
                &self.program.names[name]
            );
            let diagnostic = Diagnostic::at(Code::Shadowing, self.file.id, span, message);
            self.push(diagnostic.with_note_at(self.file.id, earlier, "the first one is here"));
        }
        self.holes.push((name, span));
    }
}
