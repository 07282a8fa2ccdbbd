//! Expressions.

use super::{Context, Inferer, Local, PendingHole, PendingLiteral, Place};
use crate::builtins::Builtins;
use crate::names::Referent;
use crate::program::prelude;
use crate::syntax::Name;
use crate::syntax::tree::{Arm, Binder, Binding, ExprId, ExprKind, Ident, List, Literal, LocalId};
use crate::types::store::{Node, RowId, Ty};

impl Inferer<'_, '_> {
    /// Finds the type of an expression; with an expected type that is given back, whatever was found.
    ///
    /// The bodies of `let` are followed without going deeper.
    pub(super) fn expr(&mut self, mut id: ExprId, expected: Option<Ty>) -> Ty {
        let mark = self.scope.len();
        while let ExprKind::Let {
            is_rec,
            bindings,
            body,
        } = self.tree[id].kind
        {
            self.bindings(is_rec, bindings);
            id = body;
        }
        let ty = self.part(id, expected);
        self.scope.truncate(mark);
        if self.exceeded_at.is_none() && self.store.exceeded().is_some() {
            self.exceeded_at = Some(self.span(id));
        }
        ty
    }

    fn part(&mut self, id: ExprId, expected: Option<Ty>) -> Ty {
        if self.exceeded_at.is_some() {
            return Ty::ERROR;
        }
        match self.tree[id].kind {
            ExprKind::Let { body, .. } => self.expr(body, expected),
            ExprKind::Fun { params, body } => self.lambda(id, params, body, expected),
            ExprKind::If {
                condition,
                then_branch,
                else_branch,
            } => {
                self.expr(condition, Some(Ty::BOOL));
                let first = self.branch(then_branch, expected, None);
                self.branch(else_branch, expected, first);
                expected.or(first).unwrap_or(Ty::ERROR)
            }
            ExprKind::Match { scrutinee, arms } => self.arms(id, scrutinee, arms, expected),
            ExprKind::Or { lhs, rhs } | ExprKind::And { lhs, rhs } => {
                self.expr(lhs, Some(Ty::BOOL));
                self.expr(rhs, Some(Ty::BOOL));
                self.demand(id, Ty::BOOL, expected)
            }
            ExprKind::Not { operand } => {
                self.expr(operand, Some(Ty::BOOL));
                self.demand(id, Ty::BOOL, expected)
            }
            ExprKind::Comparison { operator, lhs, rhs } => {
                self.comparison(id, operator, lhs, rhs);
                self.demand(id, Ty::BOOL, expected)
            }
            ExprKind::Arithmetic { operator, lhs, rhs } => {
                let ty = self.arithmetic(id, operator, lhs, rhs, expected);
                self.demand(id, ty, expected)
            }
            ExprKind::Negate { operand } => {
                let ty = self.negation(id, operand);
                self.demand(id, ty, expected)
            }
            ExprKind::Apply { .. } => self.apply(id, expected),
            ExprKind::Path { fields, .. } => {
                let ty = self.path(id, fields, expected);
                self.demand(id, ty, expected)
            }
            ExprKind::Qualified { .. } | ExprKind::Constructor { .. } => self.global(id, expected),
            ExprKind::Record { base, fields } => self.record(id, base, fields, expected),
            ExprKind::Literal(literal) => self.literal(id, literal, expected),
            ExprKind::Annotation { expr, ty } => {
                let ty = self.annotated(ty);
                self.expr(expr, Some(ty));
                self.demand(id, ty, expected)
            }
            ExprKind::Hole { name } => self.hole(id, name, expected),
            ExprKind::Error => expected.unwrap_or(Ty::ERROR),
        }
    }

    /// Checks a branch against what is expected or what the branch before it is.
    fn branch(&mut self, id: ExprId, expected: Option<Ty>, before: Option<Ty>) -> Option<Ty> {
        let ty = self.expr(id, expected.or(before));
        // A branch that is not known says nothing about the others.
        before.or_else(|| (!self.store.is_error(ty)).then_some(ty))
    }

    fn arms(&mut self, id: ExprId, scrutinee: ExprId, arms: List<Arm>, expected: Option<Ty>) -> Ty {
        let tree = self.tree;
        let matched = self.expr(scrutinee, None);
        self.matches.push((id, matched));
        let mut first = None;
        for arm in &tree[arms] {
            let mark = self.scope.len();
            self.pattern(arm.pattern, matched);
            first = self.branch(arm.body, expected, first);
            self.scope.truncate(mark);
        }
        expected.or(first).unwrap_or(Ty::ERROR)
    }

    fn bindings(&mut self, is_rec: bool, bindings: List<Binding>) {
        if is_rec {
            self.recursive_bindings(bindings);
            return;
        }
        let tree = self.tree;
        let found: Vec<(LocalId, Binding, Local)> = tree
            .bound(bindings)
            .map(|(local, binding)| (local, binding, self.value(binding.value)))
            .collect();
        for (local, binding, Local { ty, is_generic }) in found {
            if binding.binder.is_some() {
                self.bind(local, ty, is_generic);
            }
        }
    }

    /// Finds the type of a value and generalises it.
    fn value(&mut self, id: ExprId) -> Local {
        let level = self.store.level;
        let errors = self.diagnostics.len() + self.diagnostics.suppressed();
        let (literals, operations) = (self.literals.len(), self.operations.len());
        self.store.level = level + 1;
        let ty = self.expr(id, None);
        self.store.level = level;
        if self.diagnostics.len() + self.diagnostics.suppressed() > errors {
            self.store.poison_above(ty, level);
        }
        for position in literals..self.literals.len() {
            self.store.keep_at(level, self.literals[position].ty);
        }
        for position in operations..self.operations.len() {
            self.store.keep_at(level, self.operations[position].ty);
        }
        let is_generic = self.store.generalise(ty, level);
        Local { ty, is_generic }
    }

    fn recursive_bindings(&mut self, bindings: List<Binding>) {
        let tree = self.tree;
        self.groups.push(bindings);
        for (local, binding) in tree.bound(bindings) {
            if binding.binder.is_some() {
                let ty = self.store.fresh();
                self.bind(local, ty, false);
            }
        }
        for (local, binding) in tree.bound(bindings) {
            let ty = self.locals[local.index()].map(|local| local.ty);
            if let ExprKind::Fun { .. } | ExprKind::Error = tree[binding.value].kind {
                self.expr(binding.value, ty);
                continue;
            }
            let span = self.span(binding.value);
            let message = "the right side of `let rec` has to be a lambda".to_owned();
            self.report(crate::diagnostic::Code::TypeMismatch, span, message);
            let found = self.expr(binding.value, None);
            if let Some(ty) = ty {
                // It was reported already; what is known of it serves its uses.
                let _ = self.store.unify(ty, found);
            }
        }
    }

    fn lambda(
        &mut self,
        id: ExprId,
        params: List<Binder>,
        body: ExprId,
        expected: Option<Ty>,
    ) -> Ty {
        let arrows = expected.and_then(|ty| self.arrows(ty, params.len()));
        let is_expected = arrows.is_some();
        let (domains, result) = if let Some((domains, result)) = arrows {
            (domains, Some(result))
        } else {
            let fresh = (0..params.len()).map(|_| (self.store.fresh(), self.store.fresh_row()));
            (fresh.collect(), None)
        };
        for ((local, _), (domain, _)) in self.tree.params(params).zip(&domains) {
            self.bind(local, *domain, false);
        }
        let row = domains.last().map_or(RowId::EMPTY, |(_, row)| *row);
        let outer = self.context;
        self.context = self.contexts.len();
        self.contexts.push(Context { row });
        let result = self.expr(body, result);
        self.context = outer;
        if is_expected {
            return expected.unwrap_or(Ty::ERROR);
        }
        let arrows = domains.iter().rev();
        let ty = arrows.fold(result, |result, (domain, row)| {
            self.store.arrow(*domain, *row, result)
        });
        self.demand(id, ty, expected)
    }

    /// Gives domains and rows of so many arrows, and what is behind them, if the type has that many.
    fn arrows(&self, mut ty: Ty, count: usize) -> Option<(Vec<(Ty, RowId)>, Ty)> {
        let mut domains = Vec::with_capacity(count);
        for _ in 0..count {
            let Node::Arrow {
                domain,
                row,
                codomain,
            } = self.store.node(ty)
            else {
                return None;
            };
            domains.push((domain, row));
            ty = codomain;
        }
        Some((domains, ty))
    }

    /// Finds the type of a name and its fields.
    pub(super) fn path(&mut self, id: ExprId, fields: List<Ident>, expected: Option<Ty>) -> Ty {
        let mut ty = self.named(id);
        if self.referents.expr(id) == Referent::Unknown && fields.is_empty() {
            self.note_unknown(id, expected);
        }
        for (position, field) in self.tree.path_fields(fields) {
            ty = self.field(id, ty, position, field);
        }
        ty
    }

    /// Gives the type of what a name means, with new variables where it is general.
    pub(super) fn named(&mut self, id: ExprId) -> Ty {
        let referent = self.referents.expr(id);
        self.is_recursive |= referent == Referent::Definition(self.id);
        self.referent_type(id, referent)
    }

    /// Gives the type of something at a place, with new variables where it is general.
    pub(super) fn referent_type(&mut self, id: ExprId, referent: Referent) -> Ty {
        match referent {
            Referent::Unknown => Ty::ERROR,
            Referent::Local(local) => match self.locals[local.index()] {
                Some(Local { ty, is_generic }) => {
                    if is_generic {
                        let instance = self.store.specialise(ty);
                        if self.options.is_rich {
                            self.instances.push((local, instance));
                        }
                        instance
                    } else {
                        ty
                    }
                }
                None => Ty::ERROR,
            },
            Referent::Definition(definition) if definition == self.id => self.own_type(true),
            referent => self.general(id, referent),
        }
    }

    /// Gives the type of something global with new variables; notes what a use asks of them.
    fn general(&mut self, id: ExprId, referent: Referent) -> Ty {
        let environment = self.environment;
        match referent {
            Referent::Definition(definition) => {
                let scheme = self.program[definition].scheme;
                let schemes = &self.program.schemes;
                self.store.instantiate(scheme, schemes, environment)
            }
            Referent::Prelude(definition) => {
                let scheme = prelude()[definition].scheme;
                self.store
                    .instantiate(scheme, &prelude().schemes, environment)
            }
            Referent::Builtin(builtin) => {
                let builtins = Builtins::get();
                let scheme = builtins.scheme(builtin);
                let ty = self
                    .store
                    .instantiate(scheme, &builtins.schemes, environment);
                if builtin.needs_order() {
                    self.order_needed(id, ty);
                }
                ty
            }
            Referent::Operation(owner, operation) => self.operation_type(id, owner, operation),
            Referent::Constructor(_) | Referent::Local(_) | Referent::Unknown => Ty::ERROR,
        }
    }

    /// Finds the type of a qualified name or a constructor that is not applied.
    fn global(&mut self, id: ExprId, expected: Option<Ty>) -> Ty {
        match self.referents.expr(id) {
            Referent::Constructor(constructor) => self.construct(id, constructor, None, expected),
            Referent::Unknown => {
                self.note_unknown(id, expected);
                expected.unwrap_or(Ty::ERROR)
            }
            _ => {
                let ty = self.named(id);
                self.demand(id, ty, expected)
            }
        }
    }

    fn literal(&mut self, id: ExprId, literal: Literal, expected: Option<Ty>) -> Ty {
        match literal {
            Literal::Float(text) => {
                let is_finite = self.text(text).parse::<f64>().is_ok_and(f64::is_finite);
                if !is_finite {
                    self.report_out_of_range(Place::Expr(id), text, "F64");
                }
                self.demand(id, Ty::F64, expected)
            }
            Literal::Text(_) => self.demand(id, Ty::UTF8, expected),
            Literal::Int(digits) => self.integer(Place::Expr(id), digits, expected),
        }
    }

    /// Finds the type of an integer literal, or keeps it until the body is known.
    pub(super) fn integer(&mut self, place: Place, digits: Name, expected: Option<Ty>) -> Ty {
        let ty = expected.unwrap_or_else(|| self.store.fresh());
        let literal = PendingLiteral { place, digits, ty };
        if self.store.is_variable(ty) {
            self.literals.push(literal);
        } else {
            self.resolve_literal(literal);
        }
        ty
    }

    fn hole(&mut self, id: ExprId, name: Name, expected: Option<Ty>) -> Ty {
        let ty = expected.unwrap_or_else(|| self.store.fresh());
        let from = self.scope.len().saturating_sub(super::hole::MAX_SCOPE);
        if self.holes.len() >= super::hole::MAX_HOLES {
            self.report_too_many_holes(id);
            return ty;
        }
        self.holes.push(PendingHole {
            expr: id,
            name,
            ty,
            context: self.context,
            scope: self.scope[from..].to_vec(),
        });
        ty
    }
}
