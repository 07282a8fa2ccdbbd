//! Matches on what a map has for a key.

use super::super::code::{Instruction, Source};
use super::super::primitive::Builtin;
use super::function::Function;
use crate::names::Referent;
use crate::syntax::tree::{Arm, ExprId, ExprKind, PatternId, PatternKind};

/// The arms of a match on an option, each of which matches all that is left for it.
#[derive(Clone, Copy)]
struct Arms {
    /// The one for no value.
    none: ExprId,
    /// The one for a value, with the pattern that it is bound by, if any is written.
    some: ExprId,
    payload: Option<PatternId>,
}

impl Function<'_, '_, '_> {
    /// Evaluates a match of two plain arms on `map_get`, without making the option; says whether it is one.
    ///
    /// Steps and cells are those of the match as it is written.
    pub(super) fn looked_up(&mut self, scrutinee: ExprId, arms: &[Arm], to: Option<u32>) -> bool {
        let (Some((map, key)), Some(arms)) = (self.lookup(scrutinee), self.plain_arms(arms)) else {
            return false;
        };
        // The two applications and the name.
        for _ in 0..3 {
            self.node();
        }
        let (missing, end) = (self.label(), self.label());
        let found = self.register();
        let (map, key) = (self.operand(map), self.operand(key));
        self.emit(Instruction::MapValue {
            to: found,
            map,
            key,
            target: Self::target(missing),
        });
        let mark = self.mark();
        self.node();
        if let Some(payload) = arms.payload
            && matches!(self.part.tree[payload].kind, PatternKind::Bind { .. })
        {
            let local = self.part.tree.pattern_local(payload);
            self.bind(local, Source::register(found));
        }
        self.chosen(arms.some, to);
        if to.is_some() {
            self.emit(Instruction::Jump {
                target: Self::target(end),
            });
        }
        self.release(mark);
        self.put(missing);
        self.node();
        self.chosen(arms.none, to);
        self.put(end);
        true
    }

    fn chosen(&mut self, body: ExprId, to: Option<u32>) {
        match to {
            Some(to) => self.into(body, to),
            None => self.tail(body),
        }
    }

    /// Gives the arguments of a whole call of `map_get`.
    fn lookup(&self, id: ExprId) -> Option<(ExprId, ExprId)> {
        let tree = self.part.tree;
        let ExprKind::Apply { function, argument } = tree[id].kind else {
            return None;
        };
        let ExprKind::Apply {
            function,
            argument: map,
        } = tree[function].kind
        else {
            return None;
        };
        let ExprKind::Path { fields, .. } = tree[function].kind else {
            return None;
        };
        let Referent::Builtin(builtin) = self.part.referents.expr(function) else {
            return None;
        };
        let is_lookup = fields.is_empty() && builtin.name() == Builtin::MapGet.name();
        is_lookup.then_some((map, argument))
    }

    /// Tells the arms of a match apart, where a name or `_` is all that stands behind `Some`.
    fn plain_arms(&self, arms: &[Arm]) -> Option<Arms> {
        let [first, second] = arms else { return None };
        let tree = self.part.tree;
        // An option is `None`, variant 0, or `Some`, variant 1.
        let tags = [first, second].map(|arm| self.tag_of(arm.pattern));
        let (none, some) = match tags {
            [Some(0), Some(1)] => (first, second),
            [Some(1), Some(0)] => (second, first),
            _ => return None,
        };
        let PatternKind::Constructor { argument, .. } = tree[some.pattern].kind else {
            return None;
        };
        let is_plain = argument.is_none_or(|payload| {
            let kind = tree[payload].kind;
            matches!(kind, PatternKind::Wildcard | PatternKind::Bind { .. })
        });
        is_plain.then_some(Arms {
            none: none.body,
            some: some.body,
            payload: argument,
        })
    }
}
