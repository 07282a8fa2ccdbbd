//! Functions whose arguments come in another order, or are one too many.

use crate::types::store::{Node, RowId, Store, Ty};

/// The most parameters whose orders are tried.
const MAX_REORDERED: usize = 6;

/// The parameters of a function, what its last call performs, and its result.
struct Spine {
    domains: Vec<Ty>,
    row: RowId,
    result: Ty,
}

impl Spine {
    fn of(store: &Store, mut ty: Ty) -> Self {
        let mut domains = Vec::new();
        let mut last = RowId::EMPTY;
        while let Node::Arrow {
            domain,
            row,
            codomain,
        } = store.node(ty)
        {
            domains.push(domain);
            last = row;
            ty = codomain;
        }
        Self {
            domains,
            row: last,
            result: ty,
        }
    }
}

/// Says whether a function fits when its arguments come in another order.
pub(super) fn fits_reordered(store: &mut Store, own: Ty, goal: Ty) -> bool {
    let (own, goal) = (Spine::of(store, own), Spine::of(store, goal));
    let count = goal.domains.len();
    if own.domains.len() != count || !(2..=MAX_REORDERED).contains(&count) {
        return false;
    }
    store.unify(own.result, goal.result).is_ok()
        && store.unify_rows(own.row, goal.row)
        && assign(store, &own.domains, &goal.domains, &mut vec![false; count])
}

/// Finds for each parameter of the goal one that is not taken yet.
fn assign(store: &mut Store, own: &[Ty], goal: &[Ty], taken: &mut [bool]) -> bool {
    let Some((wanted, rest)) = goal.split_first() else {
        return true;
    };
    for (position, domain) in own.iter().enumerate() {
        if taken[position] {
            continue;
        }
        let snapshot = store.snapshot();
        taken[position] = true;
        if store.unify(*domain, *wanted).is_ok() && assign(store, own, rest, taken) {
            store.commit(snapshot);
            return true;
        }
        taken[position] = false;
        store.rollback(snapshot);
    }
    false
}

/// Says whether a function fits once one of its parameters has its argument.
pub(super) fn fits_partly(store: &mut Store, own: Ty, goal: Ty) -> bool {
    let (own, goal) = (Spine::of(store, own), Spine::of(store, goal));
    if own.domains.len() != goal.domains.len() + 1 {
        return false;
    }
    // A value that is asked for says nothing of what making it may perform.
    let is_value = goal.domains.is_empty();
    if store.unify(own.result, goal.result).is_err()
        || !(is_value || store.unify_rows(own.row, goal.row))
    {
        return false;
    }
    (0..own.domains.len()).any(|given| {
        let snapshot = store.snapshot();
        let others = own.domains.iter().enumerate();
        let mut others = others.filter(|(position, _)| *position != given);
        let fits = goal.domains.iter().all(|wanted| {
            let other = others.next();
            other.is_some_and(|(_, domain)| store.unify(*domain, *wanted).is_ok())
        });
        store.rollback(snapshot);
        fits
    })
}
