//! Records: literals, updates, fields.

use super::super::code::{Instruction, Source};
use super::function::Function;
use super::{count, owner_fields};
use crate::check::ExprFact;
use crate::environment::{Field, Filler};
use crate::syntax::Name;
use crate::syntax::tree::{ExprId, ExprKind, FieldValue, Ident, List};
use crate::values::read;

impl Function<'_, '_, '_> {
    /// Makes or updates a record.
    pub(super) fn record(
        &mut self,
        id: ExprId,
        base: Option<ExprId>,
        fields: List<FieldValue>,
        to: u32,
    ) {
        let Some(ExprFact::Record(record)) = self.part.facts.expr(id) else {
            self.node();
            self.hole();
            return;
        };
        let declared = owner_fields(self.compiler.environment(), record);
        let from = base.map(|base| self.operand(base));
        self.node();
        let start = self.mark();
        let Some(from) = from else {
            self.placed_fields(declared, fields);
            let count = self.mark() - start;
            self.emit(Instruction::Record { to, start, count });
            return;
        };
        let mut positions = Vec::new();
        for field in &self.part.tree[fields] {
            self.argument(field.value);
            positions.push(position(declared, field.field.name));
        }
        let fields = self.list(positions);
        self.emit(Instruction::Update {
            to,
            from,
            start,
            fields,
        });
    }

    /// Evaluates the literal of a variant's inline record to registers side by side.
    pub(super) fn inline_record(&mut self, declared: &[Field], id: ExprId) {
        self.node();
        match self.part.tree[id].kind {
            ExprKind::Record { base: None, fields } => self.placed_fields(declared, fields),
            _ => self.hole(),
        }
    }

    /// Evaluates fields as they are written and leaves them as they are declared.
    fn placed_fields(&mut self, declared: &[Field], fields: List<FieldValue>) {
        let start = self.mark();
        let visible = declared.iter().filter(|field| field.ignored.is_none());
        for _ in visible {
            self.register();
        }
        for field in &self.part.tree[fields] {
            self.into(field.value, start + position(declared, field.field.name));
        }
    }

    /// Follows the fields of a path.
    pub(super) fn fields(&mut self, id: ExprId, fields: List<Ident>, to: u32) {
        self.node();
        let mut from = self.root(id, to);
        let tree = self.part.tree;
        for (place, _) in tree.path_fields(fields) {
            let Some((record, index)) = self.part.facts.field(place) else {
                return self.hole();
            };
            let declared = owner_fields(self.compiler.environment(), record);
            from = self.field(from, declared, index, to);
        }
        if from != Source::register(to) {
            self.emit(Instruction::Copy { to, from });
        }
    }

    /// Gives where the root of a path is.
    fn root(&mut self, id: ExprId, to: u32) -> Source {
        self.named(id).unwrap_or_else(|| {
            self.name_into(id, to);
            Source::register(to)
        })
    }

    /// Reads a field; one that is ignored is what its filler says.
    fn field(&mut self, from: Source, declared: &[Field], index: usize, to: u32) -> Source {
        let Some(field) = declared
            .get(index)
            .and_then(|field| filled(declared, field))
        else {
            self.hole();
            return from;
        };
        if let Some(Filler::Constant(json)) = &field.ignored {
            let forms = &mut self.compiler.forms;
            let form = forms.of_shape(&field.shape, &[]);
            if let Ok(value) = read(forms, form, json) {
                return self.constant(value);
            }
            self.hole();
            return from;
        }
        let index = position(declared, field.name);
        self.emit(Instruction::Part { to, from, index });
        Source::register(to)
    }
}

/// Follows copies of copies to the field whose value is there; none for a circle of them.
fn filled<'f>(declared: &'f [Field], field: &'f Field) -> Option<&'f Field> {
    let mut found = field;
    for _ in 0..=declared.len() {
        match &found.ignored {
            Some(Filler::Copy(source)) => {
                found = declared.iter().find(|field| field.name == *source)?;
            }
            Some(Filler::Constant(_)) | None => return Some(found),
        }
    }
    None
}

/// Gives the position of a field among the visible ones.
pub(super) fn position(declared: &[Field], name: Name) -> u32 {
    let mut visible = declared.iter().filter(|field| field.ignored.is_none());
    count(visible.position(|field| field.name == name).unwrap_or(0))
}
