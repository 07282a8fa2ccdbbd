//! Records: fields, literals, updates.

use super::{Inferer, Place};
use crate::diagnostic::{
    Candidate, CandidateOrigin, Code, Diagnostic, Edit, EditKind, NameParams, Params, Splice,
};
use crate::environment::{Field, TypeId};
use crate::facts::ExprFact;
use crate::source::Span;
use crate::syntax::Name;
use crate::syntax::tree::{ExprId, FieldValue, Ident, List};
use crate::types::store::{Node, Ty};

/// The most records that a literal with too few fields is completed to.
const MAX_RECORDS: usize = 3;

impl Inferer<'_, '_> {
    /// Gives the type of a field of a record.
    pub(super) fn field(&mut self, path: ExprId, ty: Ty, position: usize, field: Ident) -> Ty {
        let environment = self.environment;
        let span = self.span(path);
        match self.store.node(ty) {
            Node::Error => Ty::ERROR,
            Node::Variable { .. } => {
                let text = self.text(field.name);
                let message = format!("the type of what has the field `{text}` is not known here");
                self.report(Code::AnnotationNeeded, span, message);
                self.store.poison(ty);
                Ty::ERROR
            }
            Node::Type { id, .. } if environment.record_fields(id).is_some() => {
                let declared = environment.record_fields(id).unwrap_or_default();
                let found = declared.iter().position(|known| known.name == field.name);
                let Some(found) = found else {
                    let owner = self.text(environment[id].name).to_owned();
                    let arguments = self.type_arguments(ty);
                    self.report_unknown_field(field, &owner, declared.iter(), &arguments);
                    return Ty::ERROR;
                };
                self.facts.set_field(position, id, found);
                let arguments = self.type_arguments(ty);
                let shape = &declared[found].shape;
                self.store.shaped(shape, &arguments, environment, 0)
            }
            _ => {
                let shown = self.show(ty);
                let text = self.text(field.name);
                let message = format!("a `{shown}` has no fields, so not `{text}`");
                self.report_kind_mismatch(
                    Place::Expr(path),
                    message,
                    "a record",
                    &shown,
                    Vec::new(),
                );
                Ty::ERROR
            }
        }
    }

    /// Reports a field that its owner does not have, with those that it has.
    pub(super) fn report_unknown_field<'d>(
        &mut self,
        field: Ident,
        owner: &str,
        known: impl Iterator<Item = &'d Field>,
        arguments: &[Ty],
    ) {
        let text = self.text(field.name);
        let message = format!("`{owner}` has no field `{text}`");
        let code = Code::UnknownField;
        let mut diagnostic = Diagnostic::at(code, self.file.id, field.span, message);
        let mut near: Vec<(usize, &str, &Field)> = known
            .map(|known| (&self.program.names[known.name], known))
            .map(|(name, known)| (strsim::osa_distance(text, name), name, known))
            .collect();
        near.sort_unstable_by_key(|(distance, name, _)| (*distance, *name));
        let fields: Vec<&str> = near.iter().map(|(_, name, _)| *name).collect();
        if !fields.is_empty() {
            diagnostic = diagnostic.with_note(format!("its fields are `{}`", fields.join("`, `")));
        }
        let mut params = NameParams::default();
        for (_, name, known) in near.into_iter().take(3) {
            let title = format!("write `{name}`");
            let file = self.file.id;
            let edit = Edit::new(EditKind::Choice, title, file, field.span, name);
            diagnostic = diagnostic.with_edit(edit);
            let ty = self
                .store
                .shaped(&known.shape, arguments, self.environment, 0);
            params.candidates.push(Candidate {
                name: name.to_owned(),
                ty: self.show(ty),
                from: CandidateOrigin::Path,
            });
        }
        if !params.candidates.is_empty() {
            diagnostic = diagnostic.with_params(Params::Names(params));
        }
        self.push(diagnostic);
    }

    /// Finds the type of a record literal or an update.
    pub(super) fn record(
        &mut self,
        id: ExprId,
        base: Option<ExprId>,
        fields: List<FieldValue>,
        expected: Option<Ty>,
    ) -> Ty {
        match base {
            Some(base) => self.update(id, base, fields, expected),
            None => self.record_literal(id, fields, expected),
        }
    }

    fn update(
        &mut self,
        id: ExprId,
        base: ExprId,
        fields: List<FieldValue>,
        expected: Option<Ty>,
    ) -> Ty {
        let environment = self.environment;
        let ty = self.expr(base, None);
        if let Some(expected) = expected.filter(|_| self.store.is_variable(ty)) {
            // The result of an update has the type of its base.
            let _ = self.store.unify(ty, expected);
        }
        match self.store.node(ty) {
            Node::Type { id: record, .. } if environment.record_fields(record).is_some() => {
                self.facts.set_expr(id, ExprFact::Record(record));
                let declared = environment.record_fields(record).unwrap_or_default();
                let arguments = self.type_arguments(ty);
                let owner = self.text(environment[record].name).to_owned();
                self.updated_fields(fields, declared, &arguments, &owner);
                self.demand(id, ty, expected)
            }
            node => {
                match node {
                    Node::Error => {}
                    Node::Variable { .. } => {
                        let message = "the type of what is updated is not known here".to_owned();
                        self.report(Code::AnnotationNeeded, self.span(base), message);
                        self.store.poison(ty);
                    }
                    _ => {
                        let shown = self.show(ty);
                        let message =
                            format!("a `{shown}` is no record and has no fields to update");
                        let place = Place::Expr(base);
                        self.report_kind_mismatch(place, message, "a record", &shown, Vec::new());
                    }
                }
                self.field_values(fields, &[], &[]);
                expected.unwrap_or(Ty::ERROR)
            }
        }
    }

    fn updated_fields(
        &mut self,
        fields: List<FieldValue>,
        declared: &[Field],
        arguments: &[Ty],
        owner: &str,
    ) {
        for field in &self.tree[fields] {
            let visible = declared.iter().filter(|known| known.ignored.is_none());
            if !visible.clone().any(|known| known.name == field.field.name) {
                self.report_unknown_field(field.field, owner, visible, arguments);
            }
        }
        self.field_values(fields, declared, arguments);
    }

    /// Checks the values of fields; one that is not declared is only looked at.
    pub(super) fn field_values(
        &mut self,
        fields: List<FieldValue>,
        declared: &[Field],
        arguments: &[Ty],
    ) {
        let tree = self.tree;
        for field in &tree[fields] {
            let mut visible = declared.iter().filter(|known| known.ignored.is_none());
            let found = visible.find(|known| known.name == field.field.name);
            let ty = found.map(|found| {
                self.store
                    .shaped(&found.shape, arguments, self.environment, 0)
            });
            self.expr(field.value, ty);
        }
    }

    fn record_literal(&mut self, id: ExprId, fields: List<FieldValue>, expected: Option<Ty>) -> Ty {
        let environment = self.environment;
        let known = expected.and_then(|ty| match self.store.node(ty) {
            Node::Type { id: record, .. } if environment.record_fields(record).is_some() => {
                Some((record, ty))
            }
            _ => None,
        });
        if let Some((record, ty)) = known {
            self.fill_record(id, record, ty, fields);
            return ty;
        }
        let names: Vec<Name> = self.tree[fields]
            .iter()
            .map(|field| field.field.name)
            .collect();
        let candidates = environment.records_with(&names);
        if let [record] = candidates[..] {
            let ty = self.store.applied_fresh(record, environment);
            self.fill_record(id, record, ty, fields);
            return self.demand(id, ty, expected);
        }
        let is_absorbed = expected.is_some_and(|ty| self.store.is_error(ty));
        if !is_absorbed {
            self.report_unclear_record(id, fields, &candidates, expected);
        }
        self.field_values(fields, &[], &[]);
        expected.unwrap_or(Ty::ERROR)
    }

    /// Offers the missing fields of each record that has those which are written, and more.
    fn wider_records(&self, span: Span, fields: List<FieldValue>) -> Vec<Edit> {
        if !self.options.is_rich {
            return Vec::new();
        }
        let written = &self.tree[fields];
        let environment = self.environment;
        let visible = environment.types().filter_map(|(id, _)| {
            let fields = environment.record_fields(id)?.iter();
            let fields = fields.filter(|field| field.ignored.is_none());
            let names: Vec<Name> = fields.map(|field| field.name).collect();
            let mut written = written.iter();
            written
                .all(|field| names.contains(&field.field.name))
                .then_some(names)
        });
        let edits = visible.filter_map(|names| self.field_edit(span, &names, written));
        edits.take(MAX_RECORDS).collect()
    }

    fn report_unclear_record(
        &mut self,
        id: ExprId,
        fields: List<FieldValue>,
        candidates: &[TypeId],
        expected: Option<Ty>,
    ) {
        let span = self.span(id);
        if candidates.is_empty() {
            let expected = match expected {
                Some(ty) if !self.store.is_variable(ty) => self.show(ty),
                _ => "a record with these fields".to_owned(),
            };
            let message = "no declared record has exactly these fields".to_owned();
            let edits = self.wider_records(span, fields);
            self.report_kind_mismatch(Place::Expr(id), message, &expected, "a record", edits);
            return;
        }
        let code = Code::AnnotationNeeded;
        let message = "several records have exactly these fields".to_owned();
        let mut diagnostic = Diagnostic::at(code, self.file.id, span, message);
        for candidate in candidates {
            let name = self.text(self.environment[*candidate].name);
            diagnostic = diagnostic.with_note(format!("`{name}` has them"));
            if self.environment[*candidate].params.is_empty() {
                let edit = self.annotation_edit(span, name);
                diagnostic = diagnostic.with_edit(edit);
            }
        }
        self.push(diagnostic);
    }

    fn annotation_edit(&self, span: Span, name: &str) -> Edit {
        let file = self.file.id;
        let title = format!("say that it is a `{name}`");
        let mut edit = Edit::new(
            EditKind::Choice,
            title,
            file,
            Span::empty_at(span.start),
            "(",
        );
        let end = Span::empty_at(span.end);
        let close = Edit::new(EditKind::Choice, "", file, end, format!(" : {name})"));
        edit.splices.extend(close.splices);
        edit
    }

    /// Checks a literal against the record that it makes.
    fn fill_record(&mut self, id: ExprId, record: TypeId, ty: Ty, fields: List<FieldValue>) {
        let environment = self.environment;
        self.facts.set_expr(id, ExprFact::Record(record));
        let declared = environment.record_fields(record).unwrap_or_default();
        let owner = self.text(environment[record].name).to_owned();
        self.check_fields(self.span(id), fields, declared, &owner);
        let arguments = self.type_arguments(ty);
        self.field_values(fields, declared, &arguments);
    }

    /// Reports fields that a literal lacks or has too many.
    pub(super) fn check_fields(
        &mut self,
        span: Span,
        fields: List<FieldValue>,
        declared: &[Field],
        owner: &str,
    ) {
        let written = &self.tree[fields];
        let visible = declared.iter().filter(|known| known.ignored.is_none());
        let is_written =
            |known: &&Field| written.iter().any(|field| field.field.name == known.name);
        let missing: Vec<Name> = visible
            .clone()
            .filter(|known| !is_written(known))
            .map(|known| known.name)
            .collect();
        let is_known = |field: &&FieldValue| {
            let mut visible = visible.clone();
            field.field.name == crate::syntax::known::ERROR
                || visible.any(|known| known.name == field.field.name)
        };
        let extra: Vec<Ident> = written
            .iter()
            .filter(|field| !is_known(field))
            .map(|field| field.field)
            .collect();
        if !missing.is_empty() || !extra.is_empty() {
            let names: Vec<Name> = visible.map(|known| known.name).collect();
            self.report_fields(span, owner, &names, &missing, (written, &extra));
        }
    }

    fn report_fields(
        &mut self,
        span: Span,
        owner: &str,
        declared: &[Name],
        missing: &[Name],
        (written, extra): (&[FieldValue], &[Ident]),
    ) {
        let quoted = |names: &mut dyn Iterator<Item = Name>| {
            let texts: Vec<String> = names.map(|name| format!("`{}`", self.text(name))).collect();
            texts.join(", ")
        };
        let lacking = quoted(&mut missing.iter().copied());
        let surplus = quoted(&mut extra.iter().map(|field| field.name));
        let message = match (missing.is_empty(), extra.is_empty()) {
            (false, true) => format!("`{owner}` has also {lacking}"),
            (true, _) => format!("`{owner}` has no {surplus}"),
            (false, false) => format!("`{owner}` has no {surplus}, but {lacking}"),
        };
        let file = self.file.id;
        let mut diagnostic = Diagnostic::at(Code::TypeMismatch, file, span, message);
        for field in extra {
            diagnostic = diagnostic.with_note_at(file, field.span, "this field is not declared");
        }
        let edit = match (missing, extra) {
            ([missing], [extra]) => {
                let text = self.text(*missing);
                let title = format!("write `{text}`");
                Some(Edit::new(EditKind::Choice, title, file, extra.span, text))
            }
            (_, []) => self.field_edit(span, declared, written),
            _ => None,
        };
        diagnostic.edits.extend(edit);
        self.push(diagnostic);
    }

    /// Offers the missing fields with holes as values, each where the declaration has it among those that are written.
    fn field_edit(&self, span: Span, declared: &[Name], written: &[FieldValue]) -> Option<Edit> {
        let file = self.file.id;
        let mut taken = self.hole_names();
        let mut splices = Vec::new();
        for (position, name) in declared.iter().enumerate() {
            if written.iter().any(|field| field.field.name == *name) {
                continue;
            }
            let text = self.text(*name);
            let hole = crate::infer::hole::free_hole(text, &mut taken);
            let later = &declared[position + 1..];
            let next = written
                .iter()
                .find(|field| later.contains(&field.field.name));
            let (place, text) = match next {
                Some(next) => {
                    let place = Span::empty_at(next.field.span.start);
                    (place, format!("{text} = ?{hole}, "))
                }
                None => (self.before_brace(span)?, format!(", {text} = ?{hole}")),
            };
            splices.push(Splice {
                file,
                span: place,
                text,
            });
        }
        splices.sort_by_key(|splice| splice.span.start);
        Some(Edit {
            title: "add the missing fields as holes".to_owned(),
            kind: EditKind::Placeholder,
            splices,
        })
    }
}
