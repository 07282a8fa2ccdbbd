//! The local test of termination.
//!
//! A function that only calls itself ends when every such call passes, in one fixed position, something smaller than its
//! parameter there: `x - c` where `x` is known to be above zero, or a part of a value that `x` was taken apart into.

use super::Inferer;
use crate::environment::Number;
use crate::names::{Referent, Referents};
use crate::syntax::tree::{
    ArithmeticOperator, Arm, Binding, ComparisonOperator, Definition, ExprId, ExprKind, List,
    Literal, LocalId, PatternId, PatternKind, Tree,
};
use crate::syntax::{Name, Names};
use crate::types::store::Node;

/// The most parameters that are looked at.
const MAX_PARAMS: usize = 64;

impl Inferer<'_, '_> {
    /// Says whether every recursion of the definition passes the local test.
    pub(super) fn recursion_ends(&self, definition: &Definition) -> bool {
        let own = Referent::Definition(self.id);
        if self.is_recursive {
            let params = self.tree.params(definition.params);
            let params: Vec<LocalId> = params.map(|(local, _)| local).collect();
            let position = definition.decreases.and_then(|measure| {
                let Referent::Local(local) = self.plain_name(measure)? else {
                    return None;
                };
                params.iter().position(|param| *param == local)
            });
            if !self.ends(own, &params, definition.body, position) {
                return false;
            }
        }
        self.groups.iter().all(|group| self.group_ends(*group))
    }

    fn plain_name(&self, id: ExprId) -> Option<Referent> {
        match self.tree[id].kind {
            ExprKind::Path { fields, .. } if fields.is_empty() => Some(self.referents.expr(id)),
            _ => None,
        }
    }

    fn group_ends(&self, group: List<Binding>) -> bool {
        let members: Vec<Referent> = self
            .tree
            .bound(group)
            .map(|(local, _)| Referent::Local(local))
            .collect();
        let mut values = self.tree[group].iter().map(|binding| binding.value);
        if let ([only], Some(value)) = (&members[..], values.clone().next()) {
            let ExprKind::Fun { params, body } = self.tree[value].kind else {
                return true;
            };
            let params = self.tree.params(params);
            let params: Vec<LocalId> = params.map(|(local, _)| local).collect();
            return self.ends(*only, &params, body, None);
        }
        !values.any(|value| self.mentions(value, &members))
    }

    fn mentions(&self, id: ExprId, members: &[Referent]) -> bool {
        let is_name = matches!(self.tree[id].kind, ExprKind::Path { .. });
        let mut found = is_name && members.contains(&self.referents.expr(id));
        self.tree.for_each_part(id, |part| {
            found = found || self.mentions(part, members);
        });
        found
    }

    fn ends(
        &self,
        function: Referent,
        params: &[LocalId],
        body: ExprId,
        position: Option<usize>,
    ) -> bool {
        let count = params.len().min(MAX_PARAMS);
        let all = if count == MAX_PARAMS {
            u64::MAX
        } else {
            (1 << count) - 1
        };
        let mut test = LocalTest {
            tree: self.tree,
            names: &self.program.names,
            referents: self.referents,
            function,
            params: &params[..count],
            numbers: params[..count]
                .iter()
                .map(|param| self.local_number(*param))
                .collect(),
            positions: position.map_or(all, |position| all & (1 << position.min(63))),
            above_zero: 0,
            smaller: Vec::new(),
            is_only_called: true,
            calls: 0,
        };
        test.expr(body);
        test.is_only_called && (test.calls == 0 || test.positions != 0)
    }

    fn local_number(&self, local: LocalId) -> Option<Number> {
        let ty = self.locals[local.index()]?.ty;
        match self.store.node(ty) {
            Node::Type { id, .. } => Number::of(id).filter(|number| number.is_integer()),
            _ => None,
        }
    }
}

struct LocalTest<'a> {
    tree: &'a Tree,
    names: &'a Names,
    referents: &'a Referents,
    function: Referent,
    params: &'a [LocalId],
    /// The types of parameters that are integers.
    numbers: Vec<Option<Number>>,
    /// The positions in which every call so far passes something smaller.
    positions: u64,
    /// The positions whose parameter is known to be above zero here.
    above_zero: u64,
    /// The variables that are part of a parameter's value.
    smaller: Vec<(LocalId, usize)>,
    is_only_called: bool,
    calls: usize,
}

impl LocalTest<'_> {
    fn expr(&mut self, id: ExprId) {
        match self.tree[id].kind {
            ExprKind::Path { .. } => {
                if self.referents.expr(id) == self.function {
                    self.is_only_called = false;
                }
            }
            ExprKind::Apply { .. } => self.call(id),
            ExprKind::If {
                condition,
                then_branch,
                else_branch,
            } => {
                self.expr(condition);
                let known = self.above_zero;
                self.above_zero = known | self.learned(condition, true);
                self.expr(then_branch);
                self.above_zero = known | self.learned(condition, false);
                self.expr(else_branch);
                self.above_zero = known;
            }
            ExprKind::Match { scrutinee, arms } => self.arms(scrutinee, arms),
            _ => self.tree.for_each_part(id, |part| self.expr(part)),
        }
    }

    fn call(&mut self, id: ExprId) {
        let mut arguments = Vec::new();
        let mut head = id;
        while let ExprKind::Apply { function, argument } = self.tree[head].kind {
            arguments.push(argument);
            head = function;
        }
        arguments.reverse();
        if self.plain(head) == Some(self.function) {
            self.calls += 1;
            let smaller = (0..self.params.len()).filter(|position| {
                let argument = arguments.get(*position);
                argument.is_some_and(|argument| self.is_smaller(*argument, *position))
            });
            let smaller: u64 = smaller.map(|position| 1 << position).sum();
            self.positions &= smaller;
        } else {
            self.expr(head);
        }
        for argument in arguments {
            self.expr(argument);
        }
    }

    /// Gives what a name without fields means.
    fn plain(&self, id: ExprId) -> Option<Referent> {
        match self.tree[id].kind {
            ExprKind::Path { fields, .. } if fields.is_empty() => Some(self.referents.expr(id)),
            _ => None,
        }
    }

    fn is_smaller(&self, argument: ExprId, position: usize) -> bool {
        let param = Referent::Local(self.params[position]);
        if let ExprKind::Arithmetic {
            operator: ArithmeticOperator::Subtract,
            lhs,
            rhs,
        } = self.tree[argument].kind
        {
            let is_known = self.above_zero & (1 << position) != 0;
            let is_positive = self.integer(rhs).is_some_and(|value| value > 0);
            return is_known && is_positive && self.plain(lhs) == Some(param);
        }
        let Some(Referent::Local(local)) = self.plain(argument) else {
            return false;
        };
        self.smaller.contains(&(local, position))
    }

    /// Gives the value of a literal; one that is too large is large.
    fn integer(&self, id: ExprId) -> Option<u64> {
        match self.tree[id].kind {
            ExprKind::Literal(Literal::Int(digits)) => Some(self.value(digits)),
            _ => None,
        }
    }

    fn value(&self, digits: Name) -> u64 {
        self.names[digits].parse().unwrap_or(u64::MAX)
    }

    /// Gives the positions whose parameter is above zero when a condition has a truth value.
    fn learned(&self, condition: ExprId, truth: bool) -> u64 {
        match self.tree[condition].kind {
            ExprKind::Not { operand } => self.learned(operand, !truth),
            ExprKind::And { lhs, rhs } if truth => {
                self.learned(lhs, true) | self.learned(rhs, true)
            }
            ExprKind::Or { lhs, rhs } if !truth => {
                self.learned(lhs, false) | self.learned(rhs, false)
            }
            ExprKind::Comparison { operator, lhs, rhs } => {
                let (param, literal, operator) = match (self.integer(lhs), self.integer(rhs)) {
                    (None, Some(literal)) => (lhs, literal, operator),
                    (Some(literal), None) => (rhs, literal, mirrored(operator)),
                    _ => return 0,
                };
                let operator = if truth { operator } else { negated(operator) };
                let Some(position) = self.position(param) else {
                    return 0;
                };
                self.bit_if(position, operator, literal)
            }
            _ => 0,
        }
    }

    /// Gives the position of a parameter that a name means.
    fn position(&self, id: ExprId) -> Option<usize> {
        let Some(Referent::Local(local)) = self.plain(id) else {
            return None;
        };
        self.params.iter().position(|param| *param == local)
    }

    /// Gives the bit of a position when a comparison of its parameter with a literal leaves it above zero.
    fn bit_if(&self, position: usize, operator: ComparisonOperator, literal: u64) -> u64 {
        let Some(number) = self.numbers[position] else {
            return 0;
        };
        let is_above = match operator {
            ComparisonOperator::Greater => true,
            ComparisonOperator::GreaterEqual | ComparisonOperator::Equal => literal > 0,
            ComparisonOperator::NotEqual => literal == 0 && number.is_unsigned(),
            ComparisonOperator::Less | ComparisonOperator::LessEqual => false,
        };
        u64::from(is_above) << position
    }

    fn arms(&mut self, scrutinee: ExprId, arms: List<Arm>) {
        self.expr(scrutinee);
        let position = self.position(scrutinee);
        let inherited: Vec<usize> = match self.plain(scrutinee) {
            Some(Referent::Local(local)) => {
                let parts = self.smaller.iter().filter(|(part, _)| *part == local);
                parts
                    .map(|(_, position)| *position)
                    .chain(position)
                    .collect()
            }
            _ => Vec::new(),
        };
        let known = self.above_zero;
        let mut later = 0;
        for arm in &self.tree[arms] {
            let mark = self.smaller.len();
            let mut here = later;
            if let PatternKind::Constructor {
                argument: Some(argument),
                ..
            } = self.tree[arm.pattern].kind
            {
                self.parts(argument, &inherited);
            }
            if let (PatternKind::Literal(Literal::Int(digits)), Some(position)) =
                (self.tree[arm.pattern].kind, position)
            {
                let value = self.value(digits);
                here |= self.bit_if(position, ComparisonOperator::Equal, value);
                later |= self.bit_if(position, ComparisonOperator::NotEqual, value);
            }
            self.above_zero = known | here;
            self.expr(arm.body);
            self.smaller.truncate(mark);
        }
        self.above_zero = known;
    }

    /// Notes the variables in a part of a pattern as smaller than the parameters at these positions.
    fn parts(&mut self, pattern: PatternId, positions: &[usize]) {
        let tree = self.tree;
        let mut note = |local: LocalId| {
            let parts = positions.iter().map(|position| (local, *position));
            self.smaller.extend(parts);
        };
        match tree[pattern].kind {
            PatternKind::Bind { .. } => note(tree.pattern_local(pattern)),
            PatternKind::Constructor {
                argument: Some(argument),
                ..
            } => self.parts(argument, positions),
            PatternKind::Record { fields, .. } => {
                for (local, field) in tree.matched(fields) {
                    if let Some(inner) = field.pattern {
                        self.parts(inner, positions);
                    } else {
                        let parts = positions.iter().map(|position| (local, *position));
                        self.smaller.extend(parts);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Gives the comparison with its sides swapped.
const fn mirrored(operator: ComparisonOperator) -> ComparisonOperator {
    use ComparisonOperator as Op;
    match operator {
        Op::Less => Op::Greater,
        Op::LessEqual => Op::GreaterEqual,
        Op::Greater => Op::Less,
        Op::GreaterEqual => Op::LessEqual,
        same => same,
    }
}

/// Gives the comparison that holds exactly when this one does not.
const fn negated(operator: ComparisonOperator) -> ComparisonOperator {
    use ComparisonOperator as Op;
    match operator {
        Op::Equal => Op::NotEqual,
        Op::NotEqual => Op::Equal,
        Op::Less => Op::GreaterEqual,
        Op::LessEqual => Op::Greater,
        Op::Greater => Op::LessEqual,
        Op::GreaterEqual => Op::Less,
    }
}
