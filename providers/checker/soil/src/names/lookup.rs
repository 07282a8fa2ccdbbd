//! Global names and constructors.

use super::Referent;
use super::references::{Reference, ReferenceKind};
use super::resolve::Resolver;
use super::unresolved::Place;
use crate::diagnostic::{Code, Diagnostic, Edit, EditKind};
use crate::environment::{Body, ConstructorId, Number, Operation};
use crate::program::DefinitionId;
use crate::source::Span;
use crate::syntax::tree::{ExprId, PatternId};
use crate::syntax::{Name, known};

impl Resolver<'_> {
    /// Looks up the first name of a path.
    pub(super) fn path(&mut self, id: ExprId, root: Name) {
        let referent = match self.local_named(root) {
            Some(local) => local,
            None => self.global(id, root),
        };
        self.referents.set_expr(id, referent);
    }

    fn global(&mut self, id: ExprId, root: Name) -> Referent {
        let program = self.program;
        if root == known::ERROR {
            return Referent::Unknown;
        }
        let start = self.tree[id].span.start;
        let len = u32::try_from(program.names[root].len()).unwrap_or(0);
        let span = Span::new(start, start + len);
        let visible = self.owners(root);
        match visible[..] {
            [] => {}
            [only] => return self.definition_use(only, None, root, span),
            _ => return self.ambiguous_name(&visible, root, span),
        }
        let referent = match (program.builtin_named(root), program.prelude_named(root)) {
            (Some(builtin), _) => Referent::Builtin(builtin),
            (None, Some(prelude)) => Referent::Prelude(prelude),
            (None, None) => return self.unknown_name(id, root, span),
        };
        self.refer(None, root, referent);
        referent
    }

    /// Lists the visible definitions with a name, the first one of each module.
    fn owners(&self, name: Name) -> Vec<DefinitionId> {
        let mut owners: Vec<DefinitionId> = Vec::new();
        let mut visible: Vec<DefinitionId> =
            self.program.visible_named(name, self.file.module).collect();
        visible.reverse();
        for id in visible {
            let module = self.program[id].module;
            if !owners
                .iter()
                .any(|owner| self.program[*owner].module == module)
            {
                owners.push(id);
            }
        }
        owners
    }

    /// Notes the use of a definition, which has to stand before this one.
    fn definition_use(
        &mut self,
        id: DefinitionId,
        space: Option<Name>,
        name: Name,
        span: Span,
    ) -> Referent {
        let referent = Referent::Definition(id);
        if id == self.own {
            return referent;
        }
        if id > self.own && self.program.file_of(id).is_listed {
            let text = &self.program.names[name];
            let definition = &self.program[id];
            let file = self.program.files[definition.file].id;
            let message = format!("`{text}` stands later in the program");
            let diagnostic = Diagnostic::at(Code::ForwardReference, self.file.id, span, message);
            self.push(diagnostic.with_note_at(file, definition.name_span, "it is defined here"));
        }
        self.refer(space, name, referent);
        referent
    }

    fn refer(&mut self, space: Option<Name>, name: Name, referent: Referent) {
        let kind = match referent {
            Referent::Definition(id) if self.program[id].is_private => ReferenceKind::Private,
            Referent::Definition(_) | Referent::Prelude(_) => ReferenceKind::Definition,
            _ => ReferenceKind::Builtin,
        };
        self.resolved.references.push(Reference {
            kind,
            space,
            name,
            referent,
            ty: None,
        });
    }

    fn ambiguous_name(&mut self, owners: &[DefinitionId], name: Name, span: Span) -> Referent {
        let program = self.program;
        let text = &program.names[name];
        let message = format!("`{text}` is defined in several modules");
        let mut diagnostic = Diagnostic::at(Code::AmbiguousName, self.file.id, span, message);
        for owner in owners {
            let definition = &program[*owner];
            let file = program.files[definition.file].id;
            let full = format!("{}::{text}", &program.names[definition.module]);
            diagnostic = diagnostic.with_note_at(file, definition.name_span, full.as_str());
            diagnostic = diagnostic.with_edit(self.rewriting(EditKind::Choice, span, &full));
        }
        let owners = owners.iter().map(|id| Referent::Definition(*id));
        let candidates = owners.map(|owner| self.candidate(owner)).collect();
        self.push(diagnostic.with_params(names(candidates, None)));
        Referent::Unknown
    }

    fn unknown_name(&mut self, id: ExprId, name: Name, span: Span) -> Referent {
        let program = self.program;
        let text = &program.names[name];
        let elsewhere = program.definitions_named(name).next();
        if let Some(elsewhere) = elsewhere {
            let definition = &program[elsewhere];
            let module = &program.names[definition.module];
            let message = format!("`{text}` is private to the module `{module}`");
            let diagnostic = Diagnostic::at(Code::PrivateCrossModule, self.file.id, span, message);
            let file = program.files[definition.file].id;
            let note = "it is defined here";
            let diagnostic = diagnostic.with_note_at(file, definition.name_span, note);
            let diagnostic = diagnostic.with_params(names(Vec::new(), Some(module.to_owned())));
            let suggestions = self.similar_values(text);
            self.unresolved_as(diagnostic, span, Place::Expr(id), suggestions);
            if let Some(unresolved) = self.resolved.unresolved.last_mut() {
                unresolved.hole = Some(format!("?{}", text.trim_start_matches('_')));
            }
            return Referent::Unknown;
        }
        let suggestions = self.similar_values(text);
        let message = format!("`{text}` is not known here");
        let place = Place::Expr(id);
        self.unresolved(Code::UnknownName, span, message, place, suggestions);
        Referent::Unknown
    }

    /// Looks up `module::name`, `Type::operation` or `Type::Ctor`.
    pub(super) fn qualified(&mut self, id: ExprId, space: Name, name: Name) {
        let span = self.tree[id].span;
        let is_upper = |name: Name| {
            let text = &self.program.names[name];
            text.starts_with(|first: char| first.is_ascii_uppercase())
        };
        let referent = match (is_upper(space), is_upper(name)) {
            (_, true) => match self.owned_constructor(space, name, span, Place::Expr(id)) {
                Some(constructor) => Referent::Constructor(constructor),
                None => Referent::Unknown,
            },
            (true, false) => self.operation(id, space, name),
            (false, false) => self.module_member(id, space, name),
        };
        self.referents.set_expr(id, referent);
    }

    fn operation(&mut self, id: ExprId, space: Name, name: Name) -> Referent {
        let environment = &self.program.environment;
        let ty = environment.type_named(space);
        let ty = ty.filter(|ty| !matches!(environment[*ty].body, Body::Alias(_)));
        let found = ty.zip(Operation::named(name));
        let fits = |(ty, operation): &(_, Operation)| match Number::of(*ty) {
            None => operation.derived().is_some(),
            Some(_) => true,
        };
        if let Some((ty, operation)) = found.filter(fits) {
            let referent = Referent::Operation(ty, operation);
            self.refer(Some(space), name, referent);
            return referent;
        }
        let names = &self.program.names;
        let (space_text, text) = (&names[space], &names[name]);
        let message = format!("`{space_text}::{text}` does not exist");
        let suggestions = self.similar_operations(space_text, text);
        let span = self.tree[id].span;
        let place = Place::Expr(id);
        self.unresolved(Code::UnknownQualified, span, message, place, suggestions);
        Referent::Unknown
    }

    fn module_member(&mut self, id: ExprId, space: Name, name: Name) -> Referent {
        let program = self.program;
        let span = self.tree[id].span;
        let visible = self.owners(name);
        let owner = visible.iter().find(|id| program[**id].module == space);
        if let Some(owner) = owner.copied() {
            if visible.len() == 1 {
                self.needless(span, name);
            }
            return self.definition_use(owner, Some(space), name, span);
        }
        let prelude = program.prelude_named(name);
        if let Some(prelude) = prelude.filter(|_| space == known::PRELUDE) {
            if visible.is_empty() {
                self.needless(span, name);
            }
            let referent = Referent::Prelude(prelude);
            self.refer(Some(space), name, referent);
            return referent;
        }
        let (space_text, text) = (&program.names[space], &program.names[name]);
        let message = if program.has_module(space) {
            format!("the module `{space_text}` has no definition `{text}`")
        } else {
            format!("`{space_text}` is no module")
        };
        let suggestions = self.similar_members(space, text);
        let place = Place::Expr(id);
        self.unresolved(Code::UnknownQualified, span, message, place, suggestions);
        Referent::Unknown
    }

    fn needless(&mut self, span: Span, name: Name) {
        let text = &self.program.names[name];
        let message = format!("`{text}` needs no qualification here");
        let code = Code::NeedlessQualification;
        let diagnostic = Diagnostic::at(code, self.file.id, span, message);
        let edit = self.rewriting(EditKind::Machine, span, text);
        self.push(diagnostic.with_edit(edit));
    }

    pub(super) fn rewriting(&self, kind: EditKind, span: Span, text: &str) -> Edit {
        Edit::new(kind, format!("write `{text}`"), self.file.id, span, text)
    }

    /// Looks up a constructor without qualification.
    pub(super) fn constructor(&mut self, id: ExprId, name: Name) {
        let span = self.tree[id].span;
        let found = self.bare_constructor(name, span, Place::Expr(id));
        let referent = found.map_or(Referent::Unknown, Referent::Constructor);
        self.referents.set_expr(id, referent);
    }

    /// Looks up the constructor of a pattern.
    pub(super) fn pattern_constructor(
        &mut self,
        id: PatternId,
        type_name: Option<Name>,
        name: Name,
        head: Span,
    ) {
        let place = Place::Pattern(id);
        let found = match type_name {
            None => self.bare_constructor(name, head, place),
            Some(space) => self.owned_constructor(space, name, head, place),
        };
        if let Some(constructor) = found {
            self.referents.set_pattern(id, constructor);
        }
    }

    fn bare_constructor(&mut self, name: Name, span: Span, place: Place) -> Option<ConstructorId> {
        let environment = &self.program.environment;
        let mut owners: Vec<ConstructorId> = environment.constructors_named(name).collect();
        if let [only] = owners[..] {
            return Some(only);
        }
        if name == known::ERROR {
            return None;
        }
        let text = &self.program.names[name];
        if owners.is_empty() {
            let suggestions = self.similar_constructors(text, None);
            let message = format!("`{text}` is no constructor");
            self.unresolved(Code::UnknownConstructor, span, message, place, suggestions);
            return None;
        }
        owners.reverse();
        let message = format!("several types have a constructor `{text}`");
        let code = Code::AmbiguousConstructor;
        let mut diagnostic = Diagnostic::at(code, self.file.id, span, message);
        for owner in &owners {
            let owner = environment[*owner].owner;
            let full = format!("{}::{text}", &self.program.names[environment[owner].name]);
            diagnostic = diagnostic.with_note(full.as_str());
            diagnostic = diagnostic.with_edit(self.rewriting(EditKind::Choice, span, &full));
        }
        let owners = owners.into_iter().map(Referent::Constructor);
        let candidates = owners.map(|owner| self.candidate(owner)).collect();
        self.push(diagnostic.with_params(names(candidates, None)));
        None
    }

    fn owned_constructor(
        &mut self,
        space: Name,
        name: Name,
        span: Span,
        place: Place,
    ) -> Option<ConstructorId> {
        let environment = &self.program.environment;
        let owner = environment.type_named(space);
        let found = owner.and_then(|owner| environment.constructor_of(owner, name));
        let Some(found) = found else {
            let names = &self.program.names;
            let (space_text, text) = (&names[space], &names[name]);
            let message = match owner {
                None => format!("`{space_text}` is no type"),
                Some(_) => format!("`{space_text}` has no constructor `{text}`"),
            };
            let suggestions = self.similar_constructors(text, owner);
            self.unresolved(Code::UnknownConstructor, span, message, place, suggestions);
            return None;
        };
        if environment.constructors_named(name).nth(1).is_none() {
            self.needless(span, name);
        }
        Some(found)
    }
}

fn names(
    candidates: Vec<crate::diagnostic::Candidate>,
    elsewhere: Option<String>,
) -> crate::diagnostic::Params {
    crate::diagnostic::Params::Names(crate::diagnostic::NameParams {
        candidates,
        elsewhere,
    })
}
