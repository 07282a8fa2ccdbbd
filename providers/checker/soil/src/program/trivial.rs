//! Predicates that say nothing.

use crate::syntax::tree::{
    ComparisonOperator, Ident, List, PredicateId, PredicateKind, TermId, TermKind, Tree,
};

/// Says whether a predicate holds by its form alone.
pub(super) fn always_holds(tree: &Tree, id: PredicateId) -> bool {
    match tree[id].kind {
        PredicateKind::Comparison { operator, lhs, rhs } => {
            let is_reflexive = matches!(
                operator,
                ComparisonOperator::Equal
                    | ComparisonOperator::LessEqual
                    | ComparisonOperator::GreaterEqual
            );
            is_reflexive && same_term(tree, lhs, rhs)
        }
        PredicateKind::Implies { lhs, rhs } => same(tree, lhs, rhs),
        PredicateKind::Or { lhs, rhs } => {
            is_negation(tree, lhs, rhs) || is_negation(tree, rhs, lhs)
        }
        _ => false,
    }
}

fn is_negation(tree: &Tree, id: PredicateId, of: PredicateId) -> bool {
    match tree[id].kind {
        PredicateKind::Not { operand } => same(tree, operand, of),
        _ => false,
    }
}

/// Says whether two predicates are written alike.
fn same(tree: &Tree, left: PredicateId, right: PredicateId) -> bool {
    use PredicateKind as K;
    match (tree[left].kind, tree[right].kind) {
        (K::Implies { lhs: a, rhs: b }, K::Implies { lhs: c, rhs: d })
        | (K::Or { lhs: a, rhs: b }, K::Or { lhs: c, rhs: d })
        | (K::And { lhs: a, rhs: b }, K::And { lhs: c, rhs: d }) => {
            same(tree, a, c) && same(tree, b, d)
        }
        (K::Not { operand: a }, K::Not { operand: b }) => same(tree, a, b),
        (
            K::Comparison {
                operator: first,
                lhs: a,
                rhs: b,
            },
            K::Comparison {
                operator: second,
                lhs: c,
                rhs: d,
            },
        ) => first == second && same_term(tree, a, c) && same_term(tree, b, d),
        (
            K::Is {
                scrutinee: a,
                type_name: first_type,
                constructor: first,
                ..
            },
            K::Is {
                scrutinee: b,
                type_name: second_type,
                constructor: second,
                ..
            },
        ) => first == second && first_type == second_type && same_term(tree, a, b),
        (
            K::Call {
                function: first,
                arguments: a,
            },
            K::Call {
                function: second,
                arguments: b,
            },
        ) => first.name == second.name && same_terms(tree, &tree[a], &tree[b]),
        _ => false,
    }
}

fn same_terms(tree: &Tree, left: &[TermId], right: &[TermId]) -> bool {
    let mut pairs = left.iter().zip(right);
    left.len() == right.len() && pairs.all(|(left, right)| same_term(tree, *left, *right))
}

fn same_term(tree: &Tree, left: TermId, right: TermId) -> bool {
    use TermKind as K;
    match (tree[left].kind, tree[right].kind) {
        (K::Literal(left), K::Literal(right)) => left == right,
        (
            K::Path {
                root: first,
                fields: a,
            },
            K::Path {
                root: second,
                fields: b,
            },
        ) => {
            let names = |fields: List<Ident>| tree[fields].iter().map(|field| field.name);
            first == second && names(a).eq(names(b))
        }
        (
            K::Arithmetic {
                operator: first,
                lhs: a,
                rhs: b,
            },
            K::Arithmetic {
                operator: second,
                lhs: c,
                rhs: d,
            },
        ) => first == second && same_term(tree, a, c) && same_term(tree, b, d),
        (
            K::Call {
                function: first,
                arguments: a,
            },
            K::Call {
                function: second,
                arguments: b,
            },
        ) => first.name == second.name && same_terms(tree, &tree[a], &tree[b]),
        _ => false,
    }
}
