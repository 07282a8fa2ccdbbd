//! A whole definition.

use super::{BODY, Context, Inferer, Inferred, Input, Local, MEASURE, Workspace};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, LimitParams, Params};
use crate::program::reads;
use crate::syntax::tree::{Definition, Row, TypeId, TypeKind};
use crate::types::store::{
    Bound, MAX_DEPTH, MAX_STEPS, Node, RowId, RowTail, Substitution, Ty, VariableNames,
};
use crate::verdict::Termination;

/// Finds types, facts and mistakes of a definition whose names were looked up.
///
/// Gives nothing where the signature does not read.
pub(crate) fn infer(
    input: Input<'_, '_>,
    workspace: &mut Workspace,
) -> (Option<Inferred>, Diagnostics) {
    let Input {
        program,
        id,
        referents,
        resolved,
        facts,
        closed,
        options,
    } = input;
    let file = program.file_of(id);
    let definition = *program.written(id);
    if !reads(&file.tree, definition.signature) {
        return (None, Diagnostics::new());
    }
    workspace.store.clear();
    workspace.locals.clear();
    workspace.locals.resize(file.tree.local_count(), None);
    let mut inferer = Inferer {
        program,
        environment: &program.environment,
        file,
        tree: &file.tree,
        id,
        referents,
        resolved,
        facts,
        closed,
        options,
        store: &mut workspace.store,
        locals: &mut workspace.locals,
        rigid_types: Vec::new(),
        rigid_rows: Vec::new(),
        variables: VariableNames::default(),
        scope: Vec::new(),
        contexts: Vec::new(),
        context: BODY,
        performed: Vec::new(),
        literals: Vec::new(),
        operations: Vec::new(),
        holes: Vec::new(),
        has_too_many_holes: false,
        matches: Vec::new(),
        faulty: hashbrown::HashSet::new(),
        is_recursive: false,
        groups: Vec::new(),
        spine: Vec::new(),
        unknown: Vec::new(),
        instances: Vec::new(),
        diagnostics: Diagnostics::new(),
        exceeded_at: None,
    };
    let inferred = inferer.definition(&definition);
    (inferred, inferer.diagnostics)
}

impl Inferer<'_, '_> {
    fn definition(&mut self, definition: &Definition) -> Option<Inferred> {
        let variables = &self.resolved.variables;
        self.variables.types.clone_from(&variables.types);
        self.variables.rows.clone_from(&variables.rows);
        let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        self.rigid_types = (0..count(variables.types.len()))
            .map(|number| self.store.rigid(number))
            .collect();
        self.rigid_rows = (0..count(variables.rows.len()))
            .map(RowTail::Rigid)
            .collect();
        self.check_arities(definition.signature);
        let whole = self.own_type(false);
        let (result, row) = self.parameters(definition, whole);
        self.contexts.push(Context { row });
        let measure_row = self.store.fresh_row();
        self.contexts.push(Context { row: measure_row });
        if let Some(measure) = definition.decreases {
            self.context = MEASURE;
            self.expr(measure, None);
            self.context = BODY;
        }
        self.expr(definition.body, Some(result));
        if self.store.exceeded().is_some() {
            self.report_bound();
            return None;
        }
        self.finish(definition)
    }

    /// Settles what the body left open, and collects what is known.
    fn finish(&mut self, definition: &Definition) -> Option<Inferred> {
        self.resolve_literals();
        self.resolve_operations();
        self.grow_contexts();
        let effects = self.judge_effects();
        self.judge_matches();
        let holes = self.finish_holes();
        let candidates = self.judge_candidates();
        if self.store.exceeded().is_some() {
            self.report_bound();
            return None;
        }
        let written_row = self.declared_row(definition);
        let has_div = written_row
            .effects
            .contains(crate::syntax::tree::Effect::Div);
        let termination = if has_div {
            Termination::NotApplicable
        } else if effects.may_diverge || !self.recursion_ends(definition) {
            Termination::Unverified
        } else {
            Termination::Verified
        };
        Some(Inferred {
            termination,
            obligations: effects.obligations,
            holes,
            candidates,
        })
    }

    fn report_bound(&mut self) {
        let (limit, max, seen) = match self.store.exceeded() {
            Some(Bound::Depth) => ("type_depth", u64::from(MAX_DEPTH), u64::from(MAX_DEPTH) + 1),
            _ => ("unification_steps", MAX_STEPS, self.store.steps()),
        };
        let body = self.program.written(self.id).body;
        let span = self.exceeded_at.unwrap_or(self.span(body));
        let message = format!("`{limit}` allows {max}, here are {seen}");
        let diagnostic = Diagnostic::at(Code::LimitExceeded, self.file.id, span, message);
        let params = Params::Limit(LimitParams { limit, max, seen });
        self.diagnostics.push(diagnostic.with_params(params));
    }

    /// Makes the type of the definition as its own body sees it.
    pub(super) fn own_type(&mut self, opens_rows: bool) -> Ty {
        let scheme = self.program[self.id].scheme;
        let substitution = Substitution {
            schemes: &self.program.schemes,
            environment: self.environment,
            types: &self.rigid_types,
            rows: &self.rigid_rows,
            opens_rows,
        };
        self.store.copy_scheme(scheme.root, &substitution, true)
    }

    /// Brings the parameters into scope; gives the type that the body has to have and the row that it may perform.
    fn parameters(&mut self, definition: &Definition, whole: Ty) -> (Ty, RowId) {
        let tree = self.tree;
        let mut rest = whole;
        let mut row = RowId::EMPTY;
        let mut written = definition.signature;
        let mut is_first_extra = true;
        let count = definition.params.len();
        for (position, (local, binder)) in tree.params(definition.params).enumerate() {
            let ty = if let Node::Arrow {
                domain,
                row: performed,
                codomain,
            } = self.store.node(rest)
            {
                row = self.merged(row, performed);
                rest = codomain;
                written = self.check_row(written, position, position + 1 == count);
                domain
            } else {
                if is_first_extra && !self.store.is_error(rest) {
                    self.report_extra_parameter(definition, position, binder.span, whole);
                }
                is_first_extra = false;
                rest = Ty::ERROR;
                Ty::ERROR
            };
            self.bind(local, ty, false);
        }
        (rest, row)
    }

    /// Adds the row of an earlier arrow, which is reported, to that of the next: what it allows is not missed again.
    fn merged(&mut self, earlier: RowId, later: RowId) -> RowId {
        let (effects, tail) = self.store.effects(earlier);
        if earlier == RowId::EMPTY {
            return later;
        }
        let (own, own_tail) = self.store.effects(later);
        let tail = if own_tail == RowTail::Closed {
            tail
        } else {
            own_tail
        };
        self.store.row(effects.union(own), tail)
    }

    /// Reports the row of an arrow before the last parameter; gives what follows the arrow.
    fn check_row(&mut self, written: TypeId, position: usize, is_last: bool) -> TypeId {
        let TypeKind::Arrow {
            row,
            codomain,
            arrow,
            ..
        } = self.tree[self.unrefined(written)].kind
        else {
            return written;
        };
        if !is_last && !row.is_empty() {
            let message = "only the arrow of the last parameter may perform anything".to_owned();
            let code = Code::EffectViolation;
            let mut diagnostic = Diagnostic::at(code, self.file.id, arrow, message);
            diagnostic.edits.extend(self.row_edit(position));
            self.push(diagnostic);
        }
        codomain
    }

    /// Gives the type that a refinement refines.
    pub(super) fn unrefined(&self, mut id: TypeId) -> TypeId {
        while let TypeKind::Refined { base, .. } = self.tree[id].kind {
            id = base;
        }
        id
    }

    /// Gives the row on the arrow of the last parameter as it is written.
    fn declared_row(&self, definition: &Definition) -> Row {
        declared_row(self.tree, definition)
    }

    /// Brings a local into scope.
    pub(super) fn bind(&mut self, local: crate::syntax::tree::LocalId, ty: Ty, is_generic: bool) {
        self.locals[local.index()] = Some(Local { ty, is_generic });
        self.scope.push(local);
    }
}

/// Gives the row on the arrow of the last equation parameter as it is written.
pub(crate) fn declared_row(tree: &crate::syntax::Tree, definition: &Definition) -> Row {
    let mut found = Row::EMPTY;
    let mut written = definition.signature;
    for _ in 0..definition.params.len() {
        while let TypeKind::Refined { base, .. } = tree[written].kind {
            written = base;
        }
        let TypeKind::Arrow { row, codomain, .. } = tree[written].kind else {
            return found;
        };
        found = row;
        written = codomain;
    }
    found
}
