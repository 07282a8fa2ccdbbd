//! Numbers of local binders.

use super::{
    Binder, Binding, FieldPattern, FieldValue, Ident, List, PatternId, PatternKind, Tree, list,
};

list::id!(LocalId "a place that may bind a local name");

/// The places of binders are numbered through four tables of the tree, so that no pass has to keep a table of its own:
/// parameters, `let` bindings, patterns, fields of record patterns. Not each place binds a name.
impl Tree {
    /// Counts the places that may bind; every [`LocalId::index`] is below it.
    pub fn local_count(&self) -> usize {
        self.field_base() + self.field_patterns.len()
    }

    /// Lists the parameters of a definition or a lambda with their numbers.
    pub fn params(&self, params: List<Binder>) -> impl Iterator<Item = (LocalId, Binder)> {
        let locals = params.range().map(local);
        locals.zip(self[params].iter().copied())
    }

    /// Lists the bindings of a `let` with the numbers of their binders.
    pub fn bound(&self, bindings: List<Binding>) -> impl Iterator<Item = (LocalId, Binding)> {
        let base = self.binders.len();
        let locals = bindings.range().map(move |index| local(base + index));
        locals.zip(self[bindings].iter().copied())
    }

    /// Gives the number of the name that a pattern binds, if it is one.
    pub fn pattern_local(&self, pattern: PatternId) -> LocalId {
        local(self.pattern_base() + pattern.index())
    }

    /// Lists the fields of a record pattern with the numbers of the names that puns bind.
    pub fn matched(
        &self,
        fields: List<FieldPattern>,
    ) -> impl Iterator<Item = (LocalId, FieldPattern)> {
        let base = self.field_base();
        let locals = fields.range().map(move |index| local(base + index));
        locals.zip(self[fields].iter().copied())
    }

    /// Gives the binder with this number.
    pub fn local_binder(&self, id: LocalId) -> Option<Binder> {
        let index = id.index();
        if index < self.binders.len() {
            return Some(self.binders[index]);
        }
        if index < self.pattern_base() {
            return self.bindings[index - self.binders.len()].binder;
        }
        if index < self.field_base() {
            let pattern = self.patterns[index - self.pattern_base()];
            return match pattern.kind {
                PatternKind::Bind { name } => Some(Binder {
                    name,
                    span: pattern.span,
                }),
                _ => None,
            };
        }
        let field = self.field_patterns.get(index - self.field_base())?;
        let Ident { name, span } = field.field;
        field.pattern.is_none().then_some(Binder { name, span })
    }

    /// Says whether the binder is the field of a record pattern that stands for its own name.
    pub fn is_pun(&self, id: LocalId) -> bool {
        id.index() >= self.field_base()
    }

    /// Counts the identifiers of paths, for a table of what each field of a path is.
    pub fn ident_count(&self) -> usize {
        self.idents.len()
    }

    /// Lists the identifiers of a path with their positions among all of the tree.
    pub fn path_fields(&self, fields: List<Ident>) -> impl Iterator<Item = (usize, Ident)> {
        fields.range().zip(self[fields].iter().copied())
    }

    /// Lists the fields of a record literal with their positions among all of the tree.
    pub fn written_fields(
        &self,
        fields: List<FieldValue>,
    ) -> impl Iterator<Item = (usize, FieldValue)> {
        fields.range().zip(self[fields].iter().copied())
    }

    fn pattern_base(&self) -> usize {
        self.binders.len() + self.bindings.len()
    }

    fn field_base(&self) -> usize {
        self.pattern_base() + self.patterns.len()
    }
}

fn local(index: usize) -> LocalId {
    LocalId::new(list::next_index(index))
}
