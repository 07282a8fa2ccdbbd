//! Patterns.

use super::{Inferer, Place};
use crate::diagnostic::Code;
use crate::environment::{ConstructorId, Field, Payload};
use crate::facts::PatternFact;
use crate::syntax::tree::{FieldPattern, List, Literal, PatternId, PatternKind};
use crate::types::store::{Node, Ty};

impl Inferer<'_, '_> {
    /// Checks a pattern against the type of what it matches, and brings its names into scope.
    pub(super) fn pattern(&mut self, id: PatternId, ty: Ty) {
        let tree = self.tree;
        match tree[id].kind {
            PatternKind::Wildcard | PatternKind::Error => {}
            PatternKind::Bind { .. } => self.bind(tree.pattern_local(id), ty, false),
            PatternKind::Literal(literal) => self.literal_pattern(id, literal, ty),
            PatternKind::Constructor { argument, .. } => {
                let constructor = self.referents.pattern(id);
                if constructor.is_none() {
                    self.note_unknown_pattern(id, ty);
                }
                self.constructor_pattern(id, constructor, argument, ty);
            }
            PatternKind::Record { fields, .. } => self.record_pattern(id, fields, ty),
        }
    }

    fn literal_pattern(&mut self, id: PatternId, literal: Literal, ty: Ty) {
        match literal {
            Literal::Int(digits) => {
                self.integer(Place::Pattern(id), digits, Some(ty));
            }
            Literal::Float(text) => {
                let is_finite = self.text(text).parse::<f64>().is_ok_and(f64::is_finite);
                if !is_finite {
                    self.report_out_of_range(Place::Pattern(id), text, "F64");
                }
                self.demand_pattern(id, Ty::F64, ty);
            }
            Literal::Text(_) => {
                self.demand_pattern(id, Ty::UTF8, ty);
            }
        }
    }

    fn constructor_pattern(
        &mut self,
        id: PatternId,
        constructor: Option<ConstructorId>,
        argument: Option<PatternId>,
        ty: Ty,
    ) {
        let Some(constructor) = constructor else {
            if let Some(argument) = argument {
                self.pattern(argument, Ty::ERROR);
            }
            return;
        };
        let environment = self.environment;
        let owner = environment[constructor].owner;
        let own = self.store.applied_fresh(owner, environment);
        let fits = self.demand_pattern(id, own, ty);
        let arguments = if fits {
            self.type_arguments(own)
        } else {
            Vec::new()
        };
        match (&environment.variant(constructor).payload, argument) {
            (Payload::Empty, None) => {}
            (Payload::Empty, Some(argument)) => {
                self.report_payload(self.tree[id].span, constructor, true);
                self.pattern(argument, Ty::ERROR);
            }
            (Payload::Value(_) | Payload::Record(_), None) => {
                self.report_payload(self.tree[id].span, constructor, false);
            }
            (Payload::Value(shape), Some(argument)) => {
                let payload = if fits {
                    self.store.shaped(shape, &arguments, environment, 0)
                } else {
                    Ty::ERROR
                };
                self.pattern(argument, payload);
            }
            (Payload::Record(fields), Some(argument)) => {
                self.inline_pattern(argument, constructor, fields, &arguments);
            }
        }
    }

    /// Checks the pattern of a variant's inline record, which is a record pattern or `_`.
    fn inline_pattern(
        &mut self,
        id: PatternId,
        constructor: ConstructorId,
        declared: &[Field],
        arguments: &[Ty],
    ) {
        match self.tree[id].kind {
            PatternKind::Wildcard | PatternKind::Error => {}
            PatternKind::Record { fields, .. } => {
                let owner = self.program.constructor_text(constructor);
                self.field_patterns(fields, declared, arguments, &owner);
            }
            _ => {
                let text = self.program.constructor_text(constructor);
                let message =
                    format!("what `{text}` carries is matched by a record pattern or `_`");
                self.report(Code::TypeMismatch, self.tree[id].span, message);
                self.pattern(id, Ty::ERROR);
            }
        }
    }

    fn record_pattern(&mut self, id: PatternId, fields: List<FieldPattern>, ty: Ty) {
        let environment = self.environment;
        match self.store.node(ty) {
            Node::Error => self.field_patterns(fields, &[], &[], ""),
            Node::Variable { .. } => {
                let message = "the type of what this record pattern matches is not known here";
                self.report(
                    Code::AnnotationNeeded,
                    self.tree[id].span,
                    message.to_owned(),
                );
                self.store.poison(ty);
                self.field_patterns(fields, &[], &[], "");
            }
            Node::Type { id: record, .. } if environment.record_fields(record).is_some() => {
                self.facts.set_pattern(id, PatternFact::Record(record));
                let arguments = self.type_arguments(ty);
                let declared = environment.record_fields(record).unwrap_or_default();
                let owner = self.text(environment[record].name).to_owned();
                self.field_patterns(fields, declared, &arguments, &owner);
            }
            _ => {
                let shown = self.show(ty);
                let message = format!("a record pattern cannot match a `{shown}`");
                self.report_kind_mismatch(
                    Place::Pattern(id),
                    message,
                    &shown,
                    "a record",
                    Vec::new(),
                );
                self.field_patterns(fields, &[], &[], "");
            }
        }
    }

    /// Checks the fields of a record pattern; those of no declared record are not judged.
    fn field_patterns(
        &mut self,
        fields: List<FieldPattern>,
        declared: &[Field],
        arguments: &[Ty],
        owner: &str,
    ) {
        let tree = self.tree;
        for (local, field) in tree.matched(fields) {
            let name = field.field.name;
            let visible = declared.iter().filter(|field| field.ignored.is_none());
            let found = visible.clone().find(|declared| declared.name == name);
            let ty = if let Some(found) = found {
                let environment = self.environment;
                self.store.shaped(&found.shape, arguments, environment, 0)
            } else {
                if !owner.is_empty() {
                    self.report_unknown_field(field.field, owner, visible, arguments);
                }
                Ty::ERROR
            };
            match field.pattern {
                Some(pattern) => self.pattern(pattern, ty),
                None => self.bind(local, ty, false),
            }
        }
    }

    /// Gives the arguments of a type.
    pub(super) fn type_arguments(&self, ty: Ty) -> Vec<Ty> {
        match self.store.node(ty) {
            Node::Type { start, len, .. } => self.store.arguments(start, len).to_vec(),
            _ => Vec::new(),
        }
    }
}
