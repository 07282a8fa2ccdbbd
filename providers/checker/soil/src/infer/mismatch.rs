//! Reports about types that had to be one and are not.

use super::{Inferer, Place};
use crate::builtins::Builtins;
use crate::diagnostic::{ArityCall, Code, Diagnostic, Difference, Edit, MismatchParams, Params};
use crate::names::Referent;
use crate::program::{DefinitionId, Program, prelude};
use crate::source::Span;
use crate::syntax::tree::{Definition, ExprId, ExprKind, PatternId, TypeId, TypeKind};
use crate::syntax::{Names, Tree};
use crate::types::store::{Clash, Node, Part, Ty};

impl Inferer<'_, '_> {
    /// Asks an expression to have the expected type, if there is one; gives that.
    pub(super) fn demand(&mut self, id: ExprId, actual: Ty, expected: Option<Ty>) -> Ty {
        let Some(expected) = expected else {
            return actual;
        };
        if let Err(clash) = self.store.unify(expected, actual) {
            self.report_mismatch(Place::Expr(id), expected, actual, &clash);
        }
        expected
    }

    /// Asks a pattern to match a type; false when it cannot.
    pub(super) fn demand_pattern(&mut self, id: PatternId, actual: Ty, expected: Ty) -> bool {
        match self.store.unify(expected, actual) {
            Ok(()) => true,
            Err(clash) => {
                self.report_mismatch(Place::Pattern(id), expected, actual, &clash);
                false
            }
        }
    }

    /// Asks the result of a call to have the expected type, and says so when arguments are missing.
    pub(super) fn demand_result(
        &mut self,
        id: ExprId,
        head: ExprId,
        actual: Ty,
        given: usize,
        expected: Option<Ty>,
    ) -> Ty {
        let Some(expected) = expected else {
            return actual;
        };
        let Err(clash) = self.store.unify(expected, actual) else {
            return expected;
        };
        let is_partial = matches!(self.store.node(actual), Node::Arrow { .. })
            && !matches!(self.store.node(expected), Node::Arrow { .. });
        let place = Place::Expr(id);
        let mut params = self.mismatch_params(place, expected, actual, &clash);
        let mut message = mismatch_text(&params);
        if is_partial {
            let call = self.arity_call(head, given);
            message = format!("the call lacks {}", call.missing.join(", "));
            params.call = Some(call);
        }
        let edits = self.mismatch_edits(place, expected, actual);
        self.push_mismatch(place, message, params, edits);
        self.store.poison(actual);
        self.store.poison(expected);
        expected
    }

    fn arity_call(&mut self, head: ExprId, given: usize) -> ArityCall {
        let (signature, names) = self.callee_signature(head);
        let position = |index: usize| {
            let name = names.get(index).cloned().flatten();
            name.unwrap_or_else(|| format!("argument {}", index + 1))
        };
        let count = names.len().max(given);
        ArityCall {
            signature,
            given: (0..given).map(position).collect(),
            missing: (given..count).map(position).collect(),
        }
    }

    /// Gives the signature of a callee, and the names of its parameters.
    pub(super) fn callee_signature(&mut self, head: ExprId) -> (String, Vec<Option<String>>) {
        let of_program = |program: &Program, id: DefinitionId| {
            let tree = &program.file_of(id).tree;
            let signature = program.written(id).signature;
            let names = parameter_names(tree, &program.names, signature);
            (crate::print::ty(tree, &program.names, signature), names)
        };
        let is_name = matches!(
            self.tree[head].kind,
            ExprKind::Path { fields, .. } if fields.is_empty()
        ) || matches!(self.tree[head].kind, ExprKind::Qualified { .. });
        match self.referents.expr(head) {
            Referent::Definition(id) if is_name => of_program(self.program, id),
            Referent::Prelude(id) if is_name => of_program(prelude(), id),
            Referent::Builtin(id) if is_name => {
                let builtins = Builtins::get();
                let names = parameter_names(&builtins.tree, &builtins.names, builtins.written(id));
                (id.type_text().to_owned(), names)
            }
            Referent::Local(local) if is_name => {
                let ty = self.locals[local.index()].map_or(Ty::ERROR, |local| local.ty);
                let mut count = 0;
                let mut rest = ty;
                while let Node::Arrow { codomain, .. } = self.store.node(rest) {
                    count += 1;
                    rest = codomain;
                }
                (self.show(ty), vec![None; count])
            }
            _ => (String::new(), Vec::new()),
        }
    }

    pub(super) fn report_mismatch(
        &mut self,
        place: Place,
        expected: Ty,
        actual: Ty,
        clash: &Clash,
    ) {
        self.mark_faulty(place);
        if self.diagnostics.is_full() {
            self.diagnostics.count_suppressed();
            return;
        }
        let params = self.mismatch_params(place, expected, actual, clash);
        let message = if clash.is_infinite {
            format!(
                "the type would have no end: `{}` would be part of itself",
                params.actual
            )
        } else {
            mismatch_text(&params)
        };
        let edits = self.mismatch_edits(place, expected, actual);
        self.push_mismatch(place, message, params, edits);
        // What is left open on either side follows from this mistake.
        self.store.poison(actual);
        self.store.poison(expected);
    }

    /// Reports a mismatch, with the facts of its parameters in notes.
    fn push_mismatch(
        &mut self,
        place: Place,
        message: String,
        params: MismatchParams,
        edits: Vec<Edit>,
    ) {
        let span = self.place_span(place);
        let file = self.file.id;
        let mut diagnostic = Diagnostic::at(Code::TypeMismatch, file, span, message);
        let differs = params.differs.as_ref();
        if let Some(differs) = differs.filter(|differs| !differs.at.is_empty()) {
            let note = format!(
                "{}: `{}` is asked for, `{}` is there",
                differs.at, differs.expected, differs.actual
            );
            diagnostic = diagnostic.with_note(note);
        }
        if let Some(call) = &params.call
            && !call.signature.is_empty()
        {
            diagnostic = diagnostic.with_note(format!("it is called as `{}`", call.signature));
        }
        for step in &params.path {
            let place = step.file.unwrap_or(file);
            if (place, step.span) != (file, span) {
                let note = super::explain::step_text(step);
                diagnostic = diagnostic.with_note_at(place, step.span, note);
            }
        }
        if let Some(signature) = self.foreign_signature_at(place) {
            diagnostic = diagnostic.with_note(format!("`{signature}`"));
        }
        diagnostic.edits = edits;
        self.push(diagnostic.with_params(Params::Mismatch(params)));
    }

    fn mismatch_params(
        &mut self,
        place: Place,
        expected: Ty,
        actual: Ty,
        clash: &Clash,
    ) -> MismatchParams {
        let at = self.path_text(&clash.path);
        let differs = Difference {
            at,
            expected: self.show(clash.left),
            actual: self.show(clash.right),
        };
        let (path, elided) = self.demands(place);
        MismatchParams {
            expected: self.show(expected),
            actual: self.show(actual),
            differs: Some(differs),
            path,
            elided,
            call: None,
        }
    }

    fn path_text(&self, path: &[Part]) -> String {
        let steps = path.iter().rev().map(|part| match part {
            Part::Argument(id, index) => {
                let name = self.text(self.environment[*id].name);
                format!("argument {} of `{name}`", index + 1)
            }
            Part::Domain => "parameter".to_owned(),
            Part::Row => "row".to_owned(),
            Part::Codomain => "result".to_owned(),
        });
        steps.collect::<Vec<_>>().join(", ")
    }

    /// Reports a mismatch with something that is no type.
    pub(super) fn report_kind_mismatch(
        &mut self,
        place: Place,
        message: String,
        expected: &str,
        actual: &str,
        mut edits: Vec<Edit>,
    ) {
        self.mark_faulty(place);
        if let Place::Expr(id) = place
            && self.options.is_rich
        {
            edits.extend(self.hole_edit(id, "value"));
        }
        let (path, elided) = self.demands(place);
        let params = MismatchParams {
            expected: expected.to_owned(),
            actual: actual.to_owned(),
            path,
            elided,
            ..MismatchParams::default()
        };
        self.push_mismatch(place, message, params, edits);
    }

    /// Keeps a match from being judged by a pattern that was reported.
    pub(super) fn mark_faulty(&mut self, place: Place) {
        if let Place::Pattern(id) = place {
            self.faulty.insert(id);
        }
    }

    pub(super) fn report_literal_mismatch(&mut self, place: Place, ty: Ty) {
        let shown = self.show(ty);
        let message = format!("an integer cannot be a `{shown}`");
        let (path, elided) = self.demands(place);
        let params = MismatchParams {
            expected: shown,
            actual: "an integer".to_owned(),
            path,
            elided,
            ..MismatchParams::default()
        };
        self.mark_faulty(place);
        let edits = self.mismatch_edits(place, ty, Ty::ERROR);
        self.push_mismatch(place, message, params, edits);
    }

    /// Reports an argument for something that takes none.
    pub(super) fn report_no_function(
        &mut self,
        head: ExprId,
        applied: ExprId,
        whole: ExprId,
        actual: Ty,
        given: usize,
    ) {
        let shown = self.show(actual);
        let message = if given == 0 {
            format!("a `{shown}` is no function and takes no argument")
        } else {
            format!("this call gives a `{shown}`, which takes no further argument")
        };
        let mut params = MismatchParams {
            expected: "a function".to_owned(),
            actual: shown,
            ..MismatchParams::default()
        };
        if given > 0 {
            params.call = Some(self.arity_call(head, given));
        }
        let place = Place::Expr(applied);
        (params.path, params.elided) = self.demands(place);
        let edits = vec![self.surplus_edit(applied, whole)];
        self.push_mismatch(place, message, params, edits);
    }

    pub(super) fn report_extra_parameter(
        &mut self,
        definition: &Definition,
        position: usize,
        span: Span,
        whole: Ty,
    ) {
        let shown = self.show(whole);
        let text = self.text(definition.name.name);
        let message = format!("the signature of `{text}` has {position} parameters");
        let params = MismatchParams {
            expected: shown,
            actual: "a function of more parameters".to_owned(),
            ..MismatchParams::default()
        };
        let signature = self.tree[definition.signature].span;
        let file = self.file.id;
        let diagnostic = Diagnostic::at(Code::TypeMismatch, file, span, message)
            .with_note_at(
                file,
                signature,
                "what is asked for: the signature states it here",
            )
            .with_params(Params::Mismatch(params));
        self.push(diagnostic);
    }
}

fn mismatch_text(params: &MismatchParams) -> String {
    format!(
        "a `{}` is asked for, this is a `{}`",
        params.expected, params.actual
    )
}

/// Gives the names of the parameters of a signature, where they have one.
pub(super) fn parameter_names(
    tree: &Tree,
    names: &Names,
    signature: TypeId,
) -> Vec<Option<String>> {
    let mut found = Vec::new();
    let mut rest = signature;
    loop {
        match tree[rest].kind {
            TypeKind::Refined { base, .. } => rest = base,
            TypeKind::Arrow {
                param, codomain, ..
            } => {
                found.push(param.map(|param| names[param.name].to_owned()));
                rest = codomain;
            }
            _ => return found,
        }
    }
}
