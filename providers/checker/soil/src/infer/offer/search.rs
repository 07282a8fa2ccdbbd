//! Constructors, records, and calls with what is in scope.

use super::{Head, ITSELF, MAX_STEPS, Position, Search};
use crate::diagnostic::CandidateOrigin;
use crate::environment::{ConstructorId, Field, Payload};
use crate::infer::{Inferer, hole};
use crate::types::store::{Node, Ty};

/// How much farther a call is for each argument that it has twice, which is rarely meant.
const REPEATED: usize = 1 << 8;

/// Says how near a call is: its arguments, of which fewer are nearer, and the function, if that is being defined.
fn call_nearness(head: &Head, chosen: &[(String, usize)]) -> usize {
    let arguments: usize = chosen.iter().map(|(_, nearness)| nearness + 1).sum();
    let repeated = |position: &usize| {
        let (text, _) = &chosen[*position];
        chosen[..*position].iter().any(|(other, _)| other == text)
    };
    let repeats = (0..chosen.len()).filter(repeated).count();
    let own = if head.nearness == ITSELF { ITSELF } else { 0 };
    own + arguments + repeats * REPEATED
}

impl Inferer<'_, '_> {
    /// Fills the arguments of a call with what is in scope, in all ways that fit.
    pub(super) fn search_arguments(
        &mut self,
        search: &mut Search,
        head: &Head,
        domains: &[Ty],
        chosen: &mut Vec<(String, usize)>,
    ) {
        let Some(domain) = domains.get(chosen.len()).copied() else {
            let arguments: Vec<&str> = chosen.iter().map(|(text, _)| text.as_str()).collect();
            let term = format!("{} {}", head.text, arguments.join(" "));
            let found = Head {
                from: CandidateOrigin::Search,
                is_fresh: false,
                nearness: call_nearness(head, chosen),
                ..head.clone()
            };
            self.add_term(search, &found, term, Vec::new());
            return;
        };
        for atom in 0..search.atoms.len() {
            if self.store.steps() > MAX_STEPS {
                return;
            }
            self.store.step(0);
            let snapshot = self.store.snapshot();
            let ty = search.atoms[atom].ty;
            if self.store.unify(domain, ty).is_ok() {
                chosen.push((search.atoms[atom].text.clone(), search.atoms[atom].nearness));
                self.search_arguments(search, head, domains, chosen);
                chosen.pop();
            }
            self.store.rollback(snapshot);
        }
        for text in self.empty_constructors(domain) {
            if self.store.steps() > MAX_STEPS {
                return;
            }
            self.store.step(0);
            chosen.push((text, search.atoms.len()));
            self.search_arguments(search, head, domains, chosen);
            chosen.pop();
        }
    }

    /// Lists the constructors of a type that carry nothing.
    fn empty_constructors(&self, ty: Ty) -> Vec<String> {
        let Node::Type { id, .. } = self.store.node(ty) else {
            return Vec::new();
        };
        let variants = self.environment.variants(id).unwrap_or_default();
        let empty = variants
            .iter()
            .enumerate()
            .filter(|(_, variant)| matches!(variant.payload, Payload::Empty));
        let ids = empty.filter_map(|(position, _)| self.environment.constructor_at(id, position));
        ids.map(|id| self.program.constructor_text(id)).collect()
    }

    /// Offers the constructors and the record of the goal.
    pub(super) fn try_constructors(&mut self, search: &mut Search) {
        if search.position == Position::Function {
            return self.try_applied_constructors(search);
        }
        let environment = self.environment;
        let Node::Type { id, .. } = self.store.node(search.goal) else {
            return;
        };
        let arguments = self.type_arguments(search.goal);
        let head = |text: String| Head {
            text,
            ty: search.goal,
            names: Vec::new(),
            from: CandidateOrigin::Constructor,
            is_fresh: false,
            nearness: 0,
        };
        if let Some(fields) = environment.record_fields(id) {
            let mut taken = search.taken.clone();
            let head = head(String::new());
            let (text, holes) = self.skeleton(fields, &arguments, &mut taken);
            self.add_term(search, &head, text, holes);
            return;
        }
        let count = environment.variants(id).map_or(0, <[_]>::len);
        let heads: Vec<(ConstructorId, Head)> = (0..count)
            .filter_map(|variant| environment.constructor_at(id, variant))
            .map(|id| (id, head(self.program.constructor_text(id))))
            .collect();
        for (constructor, head) in heads {
            if self.store.steps() > MAX_STEPS {
                return;
            }
            self.store.step(0);
            let mut taken = search.taken.clone();
            match &environment.variant(constructor).payload {
                Payload::Empty => self.add_term(search, &head, head.text.clone(), Vec::new()),
                Payload::Value(shape) => {
                    let payload = self.store.shaped(shape, &arguments, environment, 0);
                    let named = Head {
                        names: vec![Some("value".to_owned())],
                        ..head
                    };
                    self.add_call(search, &named, &[payload]);
                }
                Payload::Record(fields) => {
                    let (text, holes) = self.skeleton(fields, &arguments, &mut taken);
                    let term = format!("{} {text}", head.text);
                    self.add_term(search, &head, term, holes);
                }
            }
        }
    }

    /// Offers the constructors that may be applied to what stands behind a hole.
    fn try_applied_constructors(&mut self, search: &mut Search) {
        let environment = self.environment;
        let Node::Arrow {
            domain, codomain, ..
        } = self.store.node(search.goal)
        else {
            return;
        };
        let Node::Type { id, .. } = self.store.node(codomain) else {
            return;
        };
        let arguments = self.type_arguments(codomain);
        for variant in 0..environment.variants(id).map_or(0, <[_]>::len) {
            let constructor = environment.constructor_at(id, variant);
            let Some(constructor) = constructor.filter(|_| self.store.steps() <= MAX_STEPS) else {
                return;
            };
            let Payload::Value(shape) = &environment.variant(constructor).payload else {
                continue;
            };
            self.store.step(0);
            let snapshot = self.store.snapshot();
            let payload = self.store.shaped(shape, &arguments, environment, 0);
            if self.store.unify(domain, payload).is_ok() {
                let text = self.program.constructor_text(constructor);
                let head = Head {
                    text,
                    ty: search.goal,
                    names: Vec::new(),
                    from: CandidateOrigin::Constructor,
                    is_fresh: false,
                    nearness: 0,
                };
                self.add_term(search, &head, head.text.clone(), Vec::new());
            }
            self.store.rollback(snapshot);
        }
    }

    /// Makes a record literal whose values are holes.
    fn skeleton(
        &mut self,
        fields: &[Field],
        arguments: &[Ty],
        taken: &mut Vec<String>,
    ) -> (String, Vec<(String, String)>) {
        let mut texts = Vec::new();
        let mut holes = Vec::new();
        for field in fields.iter().filter(|field| field.ignored.is_none()) {
            let name = self.text(field.name).to_owned();
            let hole = hole::free_hole(&name, taken);
            texts.push(format!("{name} = ?{hole}"));
            let ty = self
                .store
                .shaped(&field.shape, arguments, self.environment, 0);
            holes.push((hole, self.show_alone(ty)));
        }
        (format!("{{ {} }}", texts.join(", ")), holes)
    }
}
