//! Names that could have been meant.

use super::Referent;
use super::resolve::Resolver;
use super::unresolved::{Place, Suggestion, Unresolved};
use crate::builtins::{BuiltinId, Builtins};
use crate::diagnostic::{Candidate, CandidateOrigin, Code, Diagnostic, NameParams, Params};
use crate::environment::{Operation, TypeId};
use crate::print;
use crate::program::{DefinitionId, prelude};
use crate::source::{FileId, Span};
use crate::syntax::Name;
use crate::syntax::tree::ExprKind;

/// The most unknown names of one definition for which candidates are looked for.
const MAX_SEARCHES: usize = 100;

/// The most candidates that wait for their types.
const MAX_SUGGESTIONS: usize = 32;

impl Resolver<'_> {
    /// Reports a name that does not resolve, and keeps its candidates until types are known.
    pub(super) fn unresolved(
        &mut self,
        code: Code,
        span: Span,
        message: String,
        place: Place,
        suggestions: Vec<Suggestion>,
    ) {
        let diagnostic = Diagnostic::at(code, self.file.id, span, message);
        self.unresolved_as(diagnostic, span, place, suggestions);
    }

    /// Pushes a report about a name that does not resolve, and keeps its candidates until types are known.
    pub(super) fn unresolved_as(
        &mut self,
        diagnostic: Diagnostic,
        span: Span,
        place: Place,
        mut suggestions: Vec<Suggestion>,
    ) {
        // Equal distances keep the order in which they were found: nearest scope, then bytes.
        suggestions.sort_by_key(|suggestion| suggestion.distance);
        suggestions.truncate(MAX_SUGGESTIONS);
        let (diagnostic, cause) = self.with_unreadable(diagnostic, place);
        let diagnostic = self.push(diagnostic);
        self.resolved.unresolved.push(Unresolved {
            place,
            span,
            diagnostic,
            cause,
            suggestions,
            hole: None,
        });
    }

    /// Says when a file exists that would define the name and does not read.
    fn with_unreadable(
        &self,
        diagnostic: Diagnostic,
        place: Place,
    ) -> (Diagnostic, Option<FileId>) {
        let Place::Expr(id) = place else {
            return (diagnostic, None);
        };
        let (ExprKind::Path { root: name, .. } | ExprKind::Qualified { name, .. }) =
            self.tree[id].kind
        else {
            return (diagnostic, None);
        };
        let unreadable = self.program.unreadable.iter();
        let mut unreadable = unreadable.filter(|unreadable| unreadable.name == name);
        let Some(unreadable) = unreadable.next() else {
            return (diagnostic, None);
        };
        let source = self.program.sources.get(unreadable.file);
        let path = source.map_or("", |source| &source.path);
        let mut diagnostic =
            diagnostic.with_note(format!("`{path}` would define it and does not read"));
        diagnostic.params = Some(Box::new(Params::Names(NameParams {
            candidates: Vec::new(),
            elsewhere: Some(path.to_owned()),
        })));
        let cause = unreadable.is_listed.then_some(unreadable.file);
        (diagnostic, cause)
    }

    fn may_search(&self) -> bool {
        self.resolved.unresolved.len() < MAX_SEARCHES
    }

    /// Finds visible values with a similar name.
    pub(super) fn similar_values(&self, text: &str) -> Vec<Suggestion> {
        let mut found = Vec::new();
        if !self.may_search() {
            return found;
        }
        let program = self.program;
        for (name, local) in self.scope.nearest_first() {
            let is_meant = self.scope.get(name) == Some(local);
            if is_meant && let Some(distance) = distance(text, &program.names[name]) {
                found.push(self.suggestion(Referent::Local(local), distance));
            }
        }
        let mut others = Vec::new();
        for (id, definition) in program.definitions() {
            if program.is_visible(id, self.file.module)
                && let Some(distance) = distance(text, &program.names[definition.name])
            {
                others.push(self.suggestion(Referent::Definition(id), distance));
            }
        }
        for id in BuiltinId::all() {
            if let Some(distance) = distance(text, id.name()) {
                others.push(self.suggestion(Referent::Builtin(id), distance));
            }
        }
        for (id, definition) in prelude().definitions() {
            let name = &prelude().names[definition.name];
            if let Some(distance) = distance(text, name) {
                others.push(self.suggestion(Referent::Prelude(id), distance));
            }
        }
        others.sort_by(|left, right| left.text.cmp(&right.text));
        found.append(&mut others);
        found
    }

    /// Finds definitions of a module with a similar name, or of any when there is no such module.
    pub(super) fn similar_members(&self, space: Name, text: &str) -> Vec<Suggestion> {
        let program = self.program;
        let mut found = Vec::new();
        if !self.may_search() {
            return found;
        }
        let is_known = program.has_module(space);
        for (id, definition) in program.definitions() {
            let is_there =
                !is_known || definition.module == space || program.names[definition.name] == *text;
            if !definition.is_private
                && is_there
                && let Some(distance) = distance(text, &program.names[definition.name])
            {
                found.push(self.suggestion(Referent::Definition(id), distance));
            }
        }
        found.sort_by(|left, right| left.text.cmp(&right.text));
        found
    }

    /// Finds operations with a similar name, of the same type or a similar one.
    pub(super) fn similar_operations(&self, space: &str, text: &str) -> Vec<Suggestion> {
        let mut found = Vec::new();
        if !self.may_search() {
            return found;
        }
        let names = &self.program.names;
        for (id, declared) in self.program.environment.types() {
            let Some(far) = distance(space, &names[declared.name]) else {
                continue;
            };
            for operation in Operation::ALL {
                let fits =
                    operation.derived().is_some() || crate::environment::Number::of(id).is_some();
                let near = distance(text, &names[operation.name()]);
                if let Some(near) = near.filter(|_| fits) {
                    found.push(self.suggestion(Referent::Operation(id, operation), far + near));
                }
            }
        }
        found.sort_by(|left, right| left.text.cmp(&right.text));
        found
    }

    /// Finds constructors with a similar name, of one type or of any.
    pub(super) fn similar_constructors(
        &self,
        text: &str,
        owner: Option<TypeId>,
    ) -> Vec<Suggestion> {
        let mut found = Vec::new();
        if !self.may_search() {
            return found;
        }
        for (id, constructor) in self.program.environment.constructors() {
            let is_there = owner.is_none_or(|owner| constructor.owner == owner);
            let near = distance(text, &self.program.names[constructor.name]);
            if let Some(near) = near.filter(|_| is_there) {
                found.push(self.suggestion(Referent::Constructor(id), near));
            }
        }
        found.sort_by(|left, right| left.text.cmp(&right.text));
        found
    }

    /// Finds types with a similar name.
    pub(super) fn similar_types(&self, text: &str) -> Vec<Suggestion> {
        let mut found = Vec::new();
        if !self.may_search() {
            return found;
        }
        let names = &self.program.names;
        for (_, declared) in self.program.environment.types() {
            if let Some(distance) = distance(text, &names[declared.name]) {
                found.push(Suggestion {
                    text: names[declared.name].to_owned(),
                    referent: Referent::Unknown,
                    from: CandidateOrigin::Type,
                    ty: "type".to_owned(),
                    distance,
                });
            }
        }
        found.sort_by(|left, right| left.text.cmp(&right.text));
        found
    }

    fn suggestion(&self, referent: Referent, distance: usize) -> Suggestion {
        let Candidate { name, ty, from } = self.candidate(referent);
        Suggestion {
            text: name,
            referent,
            from,
            ty,
            distance,
        }
    }

    /// Gives a thing as it would be written, with its type where that is known without inference.
    pub(super) fn candidate(&self, referent: Referent) -> Candidate {
        let program = self.program;
        let names = &program.names;
        let candidate = |name: String, ty: String, from| Candidate { name, ty, from };
        match referent {
            Referent::Local(local) => {
                let binder = self.tree.local_binder(local);
                let text = binder.map_or("", |binder| &names[binder.name]);
                candidate(text.to_owned(), String::new(), CandidateOrigin::Local)
            }
            Referent::Definition(id) => {
                let text = self.spelling(id);
                let ty = signature_text(program, id);
                candidate(text, ty, CandidateOrigin::Definition)
            }
            Referent::Prelude(id) => {
                let name = &prelude().names[prelude()[id].name];
                let ty = signature_text(prelude(), id);
                candidate(name.to_owned(), ty, CandidateOrigin::Definition)
            }
            Referent::Builtin(id) => {
                let builtins = Builtins::get();
                let ty = print::ty(&builtins.tree, &builtins.names, builtins.written(id));
                candidate(id.name().to_owned(), ty, CandidateOrigin::Builtin)
            }
            Referent::Operation(ty, operation) => {
                let environment = &program.environment;
                let owner = &names[environment[ty].name];
                let text = format!("{owner}::{}", &names[operation.name()]);
                let ty = environment.operation_text(names, ty, operation);
                candidate(text, ty, CandidateOrigin::Builtin)
            }
            Referent::Constructor(id) => {
                let text = program.constructor_text(id);
                let ty = program.environment.constructor_type_text(names, id);
                candidate(text, ty, CandidateOrigin::Constructor)
            }
            Referent::Unknown => candidate(String::new(), String::new(), CandidateOrigin::Local),
        }
    }

    /// Gives the one legal spelling of a definition.
    fn spelling(&self, id: DefinitionId) -> String {
        self.program.definition_text(id, self.file.module)
    }
}

/// Gives the signature of a definition as canonical text.
pub(crate) fn signature_text(program: &crate::program::Program, id: DefinitionId) -> String {
    let written = program.written(id);
    print::ty(&program.file_of(id).tree, &program.names, written.signature)
}

/// Gives the number of changes that make one name of another, if they are few for its length.
fn distance(from: &str, to: &str) -> Option<usize> {
    let limit = match from.len() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    if from.len().abs_diff(to.len()) > limit {
        return None;
    }
    let found = strsim::osa_distance(from, to);
    (found <= limit && found < from.len().max(to.len())).then_some(found)
}
