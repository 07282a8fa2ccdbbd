//! How useful a callee is likely to be: by its types first, by calls then.

use std::collections::{HashMap, HashSet, VecDeque};

use soil::check::{CheckOptions, Depth, check};
use soil::environment::TypeId;
use soil::names::Referent;
use soil::program::{DefinitionId, Program};
use soil::types::{SchemeNode, SchemeType};

/// Steps from the definition that is lowered to all that it may call.
pub(super) struct Relevance {
    /// By declared type, how many declarations lie between it and the signature.
    types: HashMap<TypeId, usize>,
    /// By definition, how many calls lie between it and the previous body.
    calls: HashMap<DefinitionId, usize>,
}

impl Relevance {
    /// Looks at a program of the whole project; a definition without a body has no calls yet.
    pub(super) fn of(program: &Program, target: Option<DefinitionId>) -> Self {
        Self {
            types: target.map_or_else(HashMap::new, |target| types(program, target)),
            calls: target.map_or_else(HashMap::new, |target| calls(program, target)),
        }
    }

    /// Gives the rank of a definition; the least comes first.
    pub(super) fn rank(&self, program: &Program, id: DefinitionId) -> (usize, usize) {
        let own = named_types(program, id).into_iter();
        let nearest = own.filter_map(|ty| self.types.get(&ty)).min();
        let distance = self.calls.get(&id);
        let far = usize::MAX;
        (*nearest.unwrap_or(&far), *distance.unwrap_or(&far))
    }
}

/// Lists the declared types that a signature names; those of the language are in every other one and do not count.
fn named_types(program: &Program, id: DefinitionId) -> Vec<TypeId> {
    let mut found = Vec::new();
    let mut open: Vec<SchemeType> = vec![program[id].scheme.root];
    while let Some(ty) = open.pop() {
        match &program.schemes[ty] {
            SchemeNode::Arrow {
                domain, codomain, ..
            } => open.extend([*domain, *codomain]),
            SchemeNode::Type { id, start, len } => {
                if !id.is_kernel() {
                    found.push(*id);
                }
                open.extend(program.schemes.arguments(*start, *len));
            }
            _ => {}
        }
    }
    found
}

fn types(program: &Program, target: DefinitionId) -> HashMap<TypeId, usize> {
    let mut steps: HashMap<TypeId, usize> = HashMap::new();
    let mut open: VecDeque<(TypeId, usize)> = named_types(program, target)
        .into_iter()
        .map(|ty| (ty, 0))
        .collect();
    while let Some((ty, step)) = open.pop_front() {
        if ty.is_kernel() || steps.contains_key(&ty) {
            continue;
        }
        steps.insert(ty, step);
        let named = program.environment.named_types(ty);
        open.extend(named.into_iter().map(|ty| (ty, step + 1)));
    }
    steps
}

fn calls(program: &Program, target: DefinitionId) -> HashMap<DefinitionId, usize> {
    let options = CheckOptions {
        depth: Depth::Names,
        is_rich: false,
    };
    let checked = check(program, options);
    let called: HashMap<DefinitionId, HashSet<DefinitionId>> = checked
        .definitions
        .iter()
        .map(|one| {
            let references = one.references.sorted(&program.names);
            let called = references
                .into_iter()
                .filter_map(|(_, found)| match found.referent {
                    Referent::Definition(id) => Some(id),
                    _ => None,
                });
            (one.id, called.collect())
        })
        .collect();
    let mut steps: HashMap<DefinitionId, usize> = HashMap::new();
    let mut open = VecDeque::from([(target, 0)]);
    while let Some((id, step)) = open.pop_front() {
        if steps.contains_key(&id) {
            continue;
        }
        steps.insert(id, step);
        let next = called.get(&id).into_iter().flatten();
        open.extend(next.map(|id| (*id, step + 1)));
    }
    steps
}
