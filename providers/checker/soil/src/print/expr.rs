//! Expressions: over several lines in statement position, on one line elsewhere.

use super::Printer;
use super::locals::Scope;
use crate::syntax::Name;
use crate::syntax::tree::{Arm, Binder, Binding, ExprId, ExprKind, FieldValue, Ident, List};

/// How tightly the forms of an expression bind, from loose to tight.
mod level {
    pub(super) const BLOCK: u8 = 0;
    pub(super) const OR: u8 = 1;
    pub(super) const AND: u8 = 2;
    pub(super) const NOT: u8 = 3;
    pub(super) const COMPARISON: u8 = 4;
    pub(super) const SUM: u8 = 5;
    pub(super) const PRODUCT: u8 = 6;
    pub(super) const NEGATE: u8 = 7;
    pub(super) const APPLY: u8 = 8;
    pub(super) const ATOM: u8 = 9;
}

/// What stands on the lines of a `let`.
#[derive(Clone, Copy)]
struct LetParts {
    is_rec: bool,
    bindings: List<Binding>,
    body: ExprId,
}

impl Printer<'_> {
    /// Writes the body behind `=`, `->`, `then` or `else`: on the same line, or one level in on the next ones.
    pub(super) fn statement(&mut self, id: ExprId, level: usize) {
        if self.is_block(id) {
            self.line(level + 1);
            self.block(id, level + 1);
        } else {
            self.push(" ");
            self.inline(id);
        }
    }

    fn is_block(&self, id: ExprId) -> bool {
        matches!(
            self.tree[id].kind,
            ExprKind::Let { .. } | ExprKind::If { .. } | ExprKind::Match { .. }
        )
    }

    /// Writes an expression that begins its line.
    fn block(&mut self, id: ExprId, level: usize) {
        match self.tree[id].kind {
            ExprKind::Let {
                is_rec,
                bindings,
                body,
            } => {
                let parts = LetParts {
                    is_rec,
                    bindings,
                    body,
                };
                self.let_block(parts, level);
            }
            ExprKind::If {
                condition,
                then_branch,
                else_branch,
            } => {
                self.push("if ");
                self.inline(condition);
                self.line(level);
                self.push("then");
                self.statement(then_branch, level);
                self.line(level);
                self.push("else");
                self.statement(else_branch, level);
            }
            ExprKind::Match { scrutinee, arms } => {
                self.push("match ");
                self.inline(scrutinee);
                self.push(" with");
                self.arms(arms, |printer, arm, is_last| {
                    printer.line(level);
                    printer.arm_head(arm);
                    if printer.catches_arms(arm, is_last) {
                        printer.push(" ");
                        printer.inline_at(arm.body, level::OR);
                    } else {
                        printer.statement(arm.body, level);
                    }
                });
            }
            _ => self.inline(id),
        }
    }

    fn let_block(&mut self, parts: LetParts, level: usize) {
        let (scope, first) = self.open_let(parts);
        let mut number = first;
        let mut ends_line = true;
        for (position, binding) in self.tree[parts.bindings].iter().enumerate() {
            if position > 0 {
                self.line(level);
            }
            self.binding_head(parts, position, binding, &mut number);
            ends_line = self.let_value(binding.value, level);
        }
        if ends_line {
            self.push(" in");
        } else {
            self.line(level);
            self.push("in");
        }
        self.bind_let(parts, first);
        self.line(level);
        self.block(parts.body, level);
        self.locals.close(scope);
    }

    /// Writes a value of a `let` in statement position; true when it stays on the line.
    fn let_value(&mut self, value: ExprId, level: usize) -> bool {
        if let ExprKind::Fun { params, body } = self.tree[value].kind
            && self.is_block(body)
        {
            self.push(" ");
            let scope = self.fun_head(params);
            self.line(level + 1);
            self.block(body, level + 1);
            self.locals.close(scope);
            return false;
        }
        self.statement(value, level);
        !self.is_block(value)
    }

    /// Takes numbers for the binders of a `let`; those of a `let rec` are in scope at once.
    fn open_let(&mut self, parts: LetParts) -> (Scope, u32) {
        let binders = self.tree[parts.bindings]
            .iter()
            .filter(|binding| binding.binder.is_some());
        let first = self.locals.claim(binders.count());
        let scope = self.locals.open();
        if parts.is_rec {
            self.bind_all(parts, first);
        }
        (scope, first)
    }

    /// Brings the binders of a `let` without `rec` into scope, for its body.
    fn bind_let(&mut self, parts: LetParts, first: u32) {
        if !parts.is_rec {
            self.bind_all(parts, first);
        }
    }

    fn bind_all(&mut self, parts: LetParts, first: u32) {
        let binders = self.tree[parts.bindings]
            .iter()
            .filter_map(|binding| binding.binder);
        for (binder, number) in binders.zip(first..) {
            self.locals.bind_as(binder.name, number);
        }
    }

    /// Writes `let rec x =` or `and x =`.
    fn binding_head(
        &mut self,
        parts: LetParts,
        position: usize,
        binding: &Binding,
        number: &mut u32,
    ) {
        self.push(match (position, parts.is_rec) {
            (0, false) => "let ",
            (0, true) => "let rec ",
            _ => "and ",
        });
        match binding.binder {
            Some(_) if self.locals.are_numbered() => {
                self.number(*number);
                *number += 1;
            }
            Some(binder) => self.name(binder.name),
            None => self.push("_"),
        }
        self.push(" =");
    }

    /// Writes `fun a b ->` and brings the parameters into scope.
    fn fun_head(&mut self, params: List<Binder>) -> Scope {
        let scope = self.locals.open();
        for param in &self.tree[params] {
            self.locals.bind(param.name);
        }
        self.push("fun");
        for param in &self.tree[params] {
            self.push(" ");
            self.local(param.name);
        }
        self.push(" ->");
        scope
    }

    /// Writes the arms of a match, each in a scope of its own.
    fn arms(&mut self, arms: List<Arm>, write: impl Fn(&mut Self, &Arm, bool)) {
        let arms = &self.tree[arms];
        for (position, arm) in arms.iter().enumerate() {
            let scope = self.locals.open();
            self.bind_pattern(arm.pattern);
            write(self, arm, position + 1 == arms.len());
            self.locals.close(scope);
        }
    }

    /// Writes `| p ->`.
    fn arm_head(&mut self, arm: &Arm) {
        self.push("| ");
        self.pattern(arm.pattern);
        self.push(" ->");
    }

    /// Says whether the arms behind this one would become arms of a match in its body.
    fn catches_arms(&self, arm: &Arm, is_last: bool) -> bool {
        !is_last && self.tree.ends_in_match(arm.body)
    }

    /// Writes an expression on one line where any may stand.
    pub(super) fn inline(&mut self, id: ExprId) {
        self.inline_at(id, level::BLOCK);
    }

    /// Writes an expression on one line, in brackets if it binds less tightly than its place asks for.
    fn inline_at(&mut self, id: ExprId, least: u8) {
        let kind = self.tree[id].kind;
        let is_bracketed = expr_level(kind) < least;
        if is_bracketed {
            self.push("(");
        }
        match kind {
            ExprKind::Let { .. }
            | ExprKind::Fun { .. }
            | ExprKind::If { .. }
            | ExprKind::Match { .. } => self.inline_block(kind),
            _ => self.inline_operation(kind),
        }
        if is_bracketed {
            self.push(")");
        }
    }

    fn inline_block(&mut self, kind: ExprKind) {
        match kind {
            ExprKind::Let {
                is_rec,
                bindings,
                body,
            } => {
                let parts = LetParts {
                    is_rec,
                    bindings,
                    body,
                };
                self.inline_let(parts);
            }
            ExprKind::Fun { params, body } => {
                let scope = self.fun_head(params);
                self.push(" ");
                self.inline(body);
                self.locals.close(scope);
            }
            ExprKind::If {
                condition,
                then_branch,
                else_branch,
            } => {
                self.push("if ");
                self.inline(condition);
                self.push(" then ");
                self.inline(then_branch);
                self.push(" else ");
                self.inline(else_branch);
            }
            ExprKind::Match { scrutinee, arms } => {
                self.push("match ");
                self.inline(scrutinee);
                self.push(" with");
                self.arms(arms, |printer, arm, is_last| {
                    let least = if printer.catches_arms(arm, is_last) {
                        level::OR
                    } else {
                        level::BLOCK
                    };
                    printer.push(" ");
                    printer.arm_head(arm);
                    printer.push(" ");
                    printer.inline_at(arm.body, least);
                });
            }
            _ => {}
        }
    }

    fn inline_let(&mut self, parts: LetParts) {
        let (scope, first) = self.open_let(parts);
        let mut number = first;
        for (position, binding) in self.tree[parts.bindings].iter().enumerate() {
            if position > 0 {
                self.push(" ");
            }
            self.binding_head(parts, position, binding, &mut number);
            self.push(" ");
            self.inline(binding.value);
        }
        self.bind_let(parts, first);
        self.push(" in ");
        self.inline(parts.body);
        self.locals.close(scope);
    }

    fn inline_operation(&mut self, kind: ExprKind) {
        let own = expr_level(kind);
        match kind {
            ExprKind::Or { lhs, rhs } => self.infix((lhs, own), " or ", (rhs, own + 1)),
            ExprKind::And { lhs, rhs } => self.infix((lhs, own), " and ", (rhs, own + 1)),
            ExprKind::Comparison { operator, lhs, rhs } => {
                self.infix(
                    (lhs, own + 1),
                    &format!(" {} ", operator.text()),
                    (rhs, own + 1),
                );
            }
            ExprKind::Arithmetic { operator, lhs, rhs } => {
                self.infix(
                    (lhs, own),
                    &format!(" {} ", operator.text()),
                    (rhs, own + 1),
                );
            }
            ExprKind::Apply { function, argument } => {
                self.infix((function, own), " ", (argument, own + 1));
            }
            ExprKind::Not { operand } => {
                self.push("not ");
                self.inline_at(operand, own);
            }
            ExprKind::Negate { operand } => {
                self.push("-");
                self.inline_at(operand, own + 1);
            }
            _ => self.atom(kind),
        }
    }

    fn infix(&mut self, lhs: (ExprId, u8), operator: &str, rhs: (ExprId, u8)) {
        self.inline_at(lhs.0, lhs.1);
        self.push(operator);
        self.inline_at(rhs.0, rhs.1);
    }

    fn atom(&mut self, kind: ExprKind) {
        match kind {
            ExprKind::Path { root, fields } => {
                self.local(root);
                self.fields(fields);
            }
            ExprKind::Qualified { space, name } => {
                self.name(space);
                self.push("::");
                self.name(name);
            }
            ExprKind::Constructor { name } => self.name(name),
            ExprKind::Record { base, fields } => self.record(base, fields),
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Annotation { expr, ty } => {
                self.push("(");
                self.inline(expr);
                self.push(" : ");
                self.ty(ty);
                self.push(")");
            }
            ExprKind::Hole { name } => {
                self.push("?");
                self.name(name);
            }
            _ => self.push("?error"),
        }
    }

    fn fields(&mut self, fields: List<Ident>) {
        for field in &self.tree[fields] {
            self.push(".");
            self.name(field.name);
        }
    }

    /// Writes a path of a predicate, whose names are never local to the definition.
    pub(super) fn path(&mut self, root: Name, fields: List<Ident>) {
        self.name(root);
        self.fields(fields);
    }

    fn record(&mut self, base: Option<ExprId>, fields: List<FieldValue>) {
        self.push("{ ");
        if let Some(base) = base {
            self.inline(base);
            self.push(" with ");
        }
        for (position, field) in self.tree[fields].iter().enumerate() {
            if position > 0 {
                self.push(", ");
            }
            self.name(field.field.name);
            self.push(" = ");
            self.inline(field.value);
        }
        self.push(" }");
    }
}

fn expr_level(kind: ExprKind) -> u8 {
    match kind {
        ExprKind::Let { .. }
        | ExprKind::Fun { .. }
        | ExprKind::If { .. }
        | ExprKind::Match { .. } => level::BLOCK,
        ExprKind::Or { .. } => level::OR,
        ExprKind::And { .. } => level::AND,
        ExprKind::Not { .. } => level::NOT,
        ExprKind::Comparison { .. } => level::COMPARISON,
        ExprKind::Arithmetic { operator, .. } if operator.is_product() => level::PRODUCT,
        ExprKind::Arithmetic { .. } => level::SUM,
        ExprKind::Negate { .. } => level::NEGATE,
        ExprKind::Apply { .. } => level::APPLY,
        _ => level::ATOM,
    }
}
