//! Terms that fit in a hole.
//!
//! What unifies with the goal after zero or more arguments is offered, and applications to what is in scope. The search counts
//! its steps, so that it gives the same everywhere; whatever it tries is taken back.

mod allowed;
mod goal;
mod menu;
mod search;

use hashbrown::{HashMap, HashSet};

use super::{ContextId, Inferer, PendingHole, Place};
use crate::diagnostic::CandidateOrigin;
use crate::names::Referent;
use crate::syntax::Name;
use crate::syntax::tree::{Effects, LocalId};
use crate::types::store::{Node, Ty};

/// The most steps that the search for one hole takes.
const MAX_STEPS: u64 = 20_000;

/// The most terms of one hole.
const MAX_TERMS: usize = 20;

/// The most arguments that are looked for among what is in scope.
const MAX_SEARCHED: usize = 4;

/// How near a function is to itself: a recursion is rarely meant where something else fits, so it comes behind that.
const ITSELF: usize = 1 << 16;

/// The most arguments that a term leaves open.
const MAX_ARGUMENTS: usize = 8;

/// What may stand in a hole's place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fit {
    /// The effects that are allowed there.
    pub(crate) row: String,
    pub(crate) terms: Vec<FitTerm>,
    /// Whether the search ended before it was through, or found more than are shown.
    pub(crate) is_cut: bool,
}

/// A term that fits.
#[derive(Clone, Debug)]
pub(crate) struct FitTerm {
    pub(crate) term: String,
    pub(crate) ty: String,
    pub(crate) from: CandidateOrigin,
    /// The holes that the term leaves, with their types.
    pub(crate) holes: Vec<(String, String)>,
    is_fresh: bool,
    nearness: usize,
}

/// What a place allows to be performed.
#[derive(Clone, Debug, Default)]
struct Allowed {
    effects: Effects,
    variables: Vec<u32>,
}

/// Something that a term may begin with.
#[derive(Clone, Debug)]
struct Head {
    text: String,
    ty: Ty,
    names: Vec<Option<String>>,
    from: CandidateOrigin,
    /// Whether it uses a local that nothing else uses.
    is_fresh: bool,
    nearness: usize,
}

/// What all holes of a definition have in common.
pub(super) struct Menu {
    /// The locals that the definition uses somewhere.
    used: HashSet<LocalId>,
    allowed: HashMap<ContextId, Allowed>,
    globals: Vec<Global>,
}

/// A definition or a builtin that may be called.
struct Global {
    text: String,
    name: Option<Name>,
    referent: Referent,
    nearness: usize,
}

/// What a hole is to the application around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    Function,
    Argument,
    Other,
}

/// The search for one hole.
struct Search {
    goal: Ty,
    allowed: Allowed,
    position: Position,
    /// The functions of each `let rec` within whose values the hole stands.
    recursive: HashSet<LocalId>,
    taken: Vec<String>,
    /// Locals and their fields.
    atoms: Vec<Head>,
    terms: Vec<FitTerm>,
}

impl Inferer<'_, '_> {
    /// Finds terms that fit in a hole.
    pub(super) fn offer(&mut self, hole: &PendingHole, menu: &mut Menu) -> Fit {
        let known = menu.allowed.get(&hole.context).cloned();
        let allowed = known.unwrap_or_else(|| self.allowed_in(hole.context));
        menu.allowed.insert(hole.context, allowed.clone());
        let row = self.allowed_text(&allowed);
        let saved = self.store.begin_budget();
        let snapshot = self.store.snapshot();
        let instances = self.instances.len();
        let route = self.route(self.span(hole.expr), Place::Expr(hole.expr));
        let (goal, locals) = self.goal(hole, &route);
        let mut search = Search {
            goal,
            allowed,
            position: self.position(hole, &route),
            recursive: self.recursive_locals(hole, &route),
            taken: self.hole_names(),
            atoms: Vec::new(),
            terms: Vec::new(),
        };
        self.gather_atoms(&mut search, hole, &locals, &menu.used);
        for head in search.atoms.clone() {
            self.try_head(&mut search, &head);
        }
        self.try_constructors(&mut search);
        for entry in &menu.globals {
            self.try_global(&mut search, hole, entry);
        }
        let is_spent = self.store.steps() > MAX_STEPS;
        self.store.rollback(snapshot);
        self.store.end_budget(&saved);
        self.instances.truncate(instances);
        let mut terms = search.terms;
        terms.sort_by(|left, right| left.rank().cmp(&right.rank()));
        terms.dedup_by(|right, left| right.term == left.term);
        let is_cut = is_spent || terms.len() > MAX_TERMS;
        terms.truncate(MAX_TERMS);
        Fit { row, terms, is_cut }
    }

    /// Gathers locals and up to two of their fields.
    fn gather_atoms(
        &mut self,
        search: &mut Search,
        hole: &PendingHole,
        types: &[Ty],
        used: &HashSet<LocalId>,
    ) {
        for (nearness, local) in hole.scope.iter().rev().enumerate() {
            let Some(binder) = self.tree.local_binder(*local) else {
                continue;
            };
            let is_generic = self.locals[local.index()].is_some_and(|known| known.is_generic);
            let ty = if is_generic {
                self.store.specialise(types[nearness])
            } else {
                types[nearness]
            };
            if self.store.steps() > MAX_STEPS || self.store.holds_error(ty) {
                continue;
            }
            let head = Head {
                text: self.text(binder.name).to_owned(),
                ty,
                names: Vec::new(),
                from: CandidateOrigin::Local,
                is_fresh: !used.contains(local),
                nearness: if search.recursive.contains(local) {
                    ITSELF
                } else {
                    nearness
                },
            };
            self.gather_fields(search, &head, 2);
            search.atoms.push(head);
        }
        // Locals come before their fields, whatever is nearer.
        search.atoms.sort_by_key(|head| head.from);
    }

    fn gather_fields(&mut self, search: &mut Search, head: &Head, depth: usize) {
        let environment = self.environment;
        let Node::Type { id, .. } = self.store.node(head.ty) else {
            return;
        };
        let arguments = self.type_arguments(head.ty);
        for field in environment.record_fields(id).unwrap_or_default() {
            if self.store.steps() > MAX_STEPS {
                return;
            }
            let ty = self.store.shaped(&field.shape, &arguments, environment, 0);
            let path = Head {
                text: format!("{}.{}", head.text, self.text(field.name)),
                ty,
                from: CandidateOrigin::Path,
                ..head.clone()
            };
            if depth > 1 {
                self.gather_fields(search, &path, depth - 1);
            }
            search.atoms.push(path);
        }
    }

    /// Offers a head with as few arguments as make it fit.
    fn try_head(&mut self, search: &mut Search, head: &Head) {
        if self.store.steps() > MAX_STEPS || self.store.is_error(head.ty) {
            return;
        }
        self.store.step(0);
        let snapshot = self.store.snapshot();
        let mut rest = head.ty;
        let mut domains = Vec::new();
        while domains.len() <= MAX_ARGUMENTS {
            if self.store.unify(search.goal, rest).is_ok() {
                self.add_call(search, head, &domains);
                break;
            }
            let Node::Arrow {
                domain,
                row,
                codomain,
            } = self.store.node(rest)
            else {
                break;
            };
            if !self.is_allowed(&search.allowed, row) {
                break;
            }
            domains.push(domain);
            rest = codomain;
        }
        self.store.rollback(snapshot);
    }

    /// Adds a call with holes as arguments, and calls with what is in scope.
    fn add_call(&mut self, search: &mut Search, head: &Head, domains: &[Ty]) {
        let mut taken = search.taken.clone();
        let mut term = head.text.clone();
        let mut holes = Vec::new();
        for (position, domain) in domains.iter().enumerate() {
            let name = head.names.get(position).cloned().flatten();
            let word = name.unwrap_or_else(|| format!("argument{}", position + 1));
            let hole = super::hole::free_hole(&word, &mut taken);
            term = format!("{term} ?{hole}");
            holes.push((hole, self.show_alone(*domain)));
        }
        self.add_term(search, head, term, holes);
        if !domains.is_empty() && domains.len() <= MAX_SEARCHED {
            let mut chosen = Vec::new();
            self.search_arguments(search, head, domains, &mut chosen);
        }
    }

    fn add_term(
        &mut self,
        search: &mut Search,
        head: &Head,
        term: String,
        holes: Vec<(String, String)>,
    ) {
        let is_call = term.contains(' ') && !term.starts_with('{');
        let term = if is_call && search.position == Position::Argument {
            format!("({term})")
        } else {
            term
        };
        let ty = self.show_alone(search.goal);
        search.terms.push(FitTerm {
            term,
            ty,
            from: head.from,
            holes,
            is_fresh: head.is_fresh,
            nearness: head.nearness,
        });
    }

    /// Shows a type whose unknown variables are named apart from those of other terms.
    fn show_alone(&mut self, ty: Ty) -> String {
        let variables = self.variables.clone();
        let text = self.show(ty);
        self.variables = variables;
        text
    }
}

impl FitTerm {
    /// Gives what terms are ordered by: fewer holes, unused locals, where they come from, nearest, bytes.
    fn rank(&self) -> (usize, bool, CandidateOrigin, usize, &str) {
        (
            self.holes.len(),
            !self.is_fresh,
            self.from,
            self.nearness,
            &self.term,
        )
    }
}
