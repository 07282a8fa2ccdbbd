//! Constructors, records, and calls with what is in scope.

use super::{Head, MAX_STEPS, Search};
use crate::diagnostic::CandidateOrigin;
use crate::environment::{ConstructorId, Field, Payload};
use crate::infer::{Inferer, hole};
use crate::types::store::{Node, Ty};

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
                nearness: chosen.iter().map(|(_, nearness)| nearness).sum(),
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
