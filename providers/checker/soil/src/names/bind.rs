//! Local names and what they may not take.

use super::Referent;
use super::resolve::Resolver;
use crate::diagnostic::{Code, Diagnostic, Edit, EditKind, Splice};
use crate::program::Role;
use crate::source::Span;
use crate::syntax::tree::{Binder, Definition, ExprKind, LocalId};
use crate::syntax::{Name, known};

impl Resolver<'_> {
    /// Brings a binder into scope.
    pub(super) fn bind(&mut self, local: LocalId, binder: Binder) {
        let Binder { name, span } = binder;
        if name == known::ERROR {
            return;
        }
        let may_shadow = self.file.role != Role::Written;
        if let Some(diagnostic) = self.shadowing(name, span).filter(|_| !may_shadow) {
            let position = self.push(diagnostic);
            self.shadowings.push((local, position));
        }
        self.scope.enter(name, local);
    }

    /// Makes the report about a binder whose name is taken.
    fn shadowing(&self, name: Name, span: Span) -> Option<Diagnostic> {
        let text = &self.program.names[name];
        let at = |message: String| Diagnostic::at(Code::Shadowing, self.file.id, span, message);
        if let Some(earlier) = self.scope.get(name) {
            let diagnostic = at(format!("`{text}` is a local name already"));
            let binder = self.tree.local_binder(earlier)?;
            return Some(diagnostic.with_note_at(
                self.file.id,
                binder.span,
                "the other one is bound here",
            ));
        }
        let mut definitions = self.program.visible_named(name, self.file.module);
        if let Some(id) = definitions.next() {
            let definition = &self.program[id];
            let file = &self.program.files[definition.file];
            let note = "the definition is here";
            return Some(
                at(format!("`{text}` is the name of a definition")).with_note_at(
                    file.id,
                    definition.name_span,
                    note,
                ),
            );
        }
        let builtin = self.program.builtin_named(name)?;
        builtin.is_base().then(|| {
            at(format!("`{text}` is the name of a builtin"))
                .with_note(format!("the builtin is `{}`", builtin.signature()))
        })
    }

    /// Reports a definition whose name another one of the module or a base builtin has.
    pub(super) fn check_definition_name(&mut self, definition: &Definition) {
        let program = self.program;
        let name = definition.name.name;
        let span = definition.name.span;
        let text = &program.names[name];
        let builtin = program.builtin_named(name);
        if let Some(builtin) = builtin.filter(|builtin| builtin.is_base()) {
            let message = format!("`{text}` is the name of a builtin");
            let diagnostic = Diagnostic::at(Code::Shadowing, self.file.id, span, message);
            let note = format!("the builtin is `{}`", builtin.signature());
            self.push(diagnostic.with_note(note));
        }
        let Some(earlier) = program[self.own].first.map(|id| &program[id]) else {
            return;
        };
        let module = &program.names[self.file.module];
        let message = format!("`{module}` has a definition `{text}` already");
        let file = program.files[earlier.file].id;
        let diagnostic = Diagnostic::at(Code::Shadowing, self.file.id, span, message);
        let note = "the first one is here";
        self.push(diagnostic.with_note_at(file, earlier.name_span, note));
    }

    /// Offers a fresh name for each binder that took one, at all its uses.
    pub(super) fn offer_fresh_names(&mut self) {
        let mut taken = Vec::new();
        for (local, position) in std::mem::take(&mut self.shadowings) {
            let Some(binder) = self.tree.local_binder(local) else {
                continue;
            };
            let fresh = self.fresh_name(binder.name, &taken);
            let edit = self.renaming(local, binder, &fresh);
            if let Some(diagnostic) = self.resolved.diagnostics.iter_mut().nth(position) {
                diagnostic.edits.push(edit);
            }
            taken.push(fresh);
        }
    }

    /// Gives a name that nothing of the program has, made of another one.
    fn fresh_name(&self, name: Name, taken: &[String]) -> String {
        let text = &self.program.names[name];
        let stem = text.trim_end_matches(|last: char| last.is_ascii_digit());
        let candidates = (2_u32..).map(|number| format!("{stem}{number}"));
        let is_free = |candidate: &String| {
            self.program.names.get(candidate).is_none() && !taken.contains(candidate)
        };
        let mut candidates = candidates.filter(is_free);
        candidates.next().unwrap_or_else(|| format!("{stem}_other"))
    }

    fn renaming(&self, local: LocalId, binder: Binder, fresh: &str) -> Edit {
        let mut places = vec![(binder.span, self.binder_text(local, binder, fresh))];
        let ids: Vec<usize> = self.referents.uses_of(local).collect();
        for id in self.tree.expr_ids() {
            if ids.binary_search(&id.index()).is_err() {
                continue;
            }
            if let ExprKind::Path { root, .. } = self.tree[id].kind {
                let start = self.tree[id].span.start;
                let len = self.program.names[root].len();
                let end = start + u32::try_from(len).unwrap_or(0);
                places.push((Span::new(start, end), fresh.to_owned()));
            }
        }
        places.sort_by_key(|(span, _)| *span);
        let splices = places.into_iter().map(|(span, text)| Splice {
            file: self.file.id,
            span,
            text,
        });
        Edit {
            title: format!("call it `{fresh}`"),
            kind: EditKind::Machine,
            splices: splices.collect(),
        }
    }

    /// Gives what stands at the binder afterwards; the field of a pun stays.
    fn binder_text(&self, local: LocalId, binder: Binder, fresh: &str) -> String {
        if self.tree.is_pun(local) {
            return format!("{} = {fresh}", &self.program.names[binder.name]);
        }
        fresh.to_owned()
    }

    /// Gives the local that a name means here.
    pub(super) fn local_named(&self, name: Name) -> Option<Referent> {
        self.scope.get(name).map(Referent::Local)
    }
}
