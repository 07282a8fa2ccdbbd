//! Whether a body has the signature of its spec.

use std::collections::HashMap;

use soil::diagnostic::{Code, Diagnostic, Edit, EditKind, MismatchParams, Params, Splice};
use soil::print;
use soil::program::{Program, ProgramDefinition};
use soil::source::{FileId, Span};
use soil::syntax::tree::{Row, Tree, TypeId, TypeKind};
use soil::syntax::{Name, Names};

use super::Named;
use super::origin::Origins;

/// A body whose signature is another one than that of its spec.
#[derive(Debug)]
pub(super) struct Mismatch {
    path: String,
    /// The type that the body states.
    span: Span,
    actual: String,
    spec_file: FileId,
    spec_span: Span,
    expected: String,
}

/// Compares the signatures of a function's spec and body, where both read.
pub(super) fn mismatch(program: &Program, named: Named<'_>) -> Option<Mismatch> {
    let spec_file = named.function.spec.as_ref()?;
    let (spec, function) = spec_file.function()?;
    let signature = function.signature?;
    let definition = definition_of(program, named)?;
    let written = &program.files[definition.file].tree;
    let actual = written.definitions[definition.position].signature;
    let expected = signature.ty;
    let mut comparison = Comparison {
        left: &spec.tree,
        right: written,
        variables: Renaming::default(),
        rows: Renaming::default(),
    };
    if comparison.agree(expected, actual) {
        return None;
    }
    let source = program.sources.get(program.files[definition.file].id)?;
    Some(Mismatch {
        path: source.path.to_string(),
        span: written[actual].span,
        actual: shown(written, &program.names, actual),
        spec_file: spec_file.file,
        spec_span: spec.tree[expected].span,
        expected: shown(&spec.tree, &program.names, expected),
    })
}

fn shown(tree: &Tree, names: &Names, ty: TypeId) -> String {
    print::ty(tree, names, ty)
}

/// Gives the definition of a function, where its body reads and has the name.
fn definition_of(program: &Program, named: Named<'_>) -> Option<ProgramDefinition> {
    let id = program.find_definition(&named.program_name())?;
    Some(program[id]).filter(|definition| program.names[definition.name] == *named.name)
}

impl Mismatch {
    /// Gives the report, with the edit that writes the spec's signature.
    pub(super) fn report(self, program: &Program, origins: &Origins) -> Diagnostic {
        let message = format!(
            "the spec says `{}`, the body says `{}`",
            self.expected, self.actual
        );
        let mut sources = program.sources.iter();
        let found = sources.find(|(_, source)| *source.path == *self.path);
        let Some(file) = found.map(|(file, _)| file) else {
            return Diagnostic::new(Code::DraftSignatureMismatch, message);
        };
        let spec = origins.project_file(self.spec_file);
        let splice = Splice {
            file,
            span: self.span,
            text: self.expected.clone(),
        };
        let edit = Edit {
            title: "write the signature of the spec".to_owned(),
            kind: EditKind::Choice,
            splices: vec![splice],
        };
        let params = MismatchParams {
            expected: self.expected,
            actual: self.actual,
            ..MismatchParams::default()
        };
        Diagnostic::at(Code::DraftSignatureMismatch, file, self.span, message)
            .with_note_at(spec, self.spec_span, "the signature of the spec")
            .with_params(Params::Mismatch(params))
            .with_edit(edit)
    }
}

/// Which name of one side stands for which of the other.
#[derive(Default)]
struct Renaming {
    forward: HashMap<Name, Name>,
    backward: HashMap<Name, Name>,
}

impl Renaming {
    fn agree(&mut self, left: Name, right: Name) -> bool {
        let forward = *self.forward.entry(left).or_insert(right);
        let backward = *self.backward.entry(right).or_insert(left);
        forward == right && backward == left
    }
}

/// Two types of two trees over one table of names.
struct Comparison<'a> {
    left: &'a Tree,
    right: &'a Tree,
    variables: Renaming,
    rows: Renaming,
}

impl Comparison<'_> {
    /// Says whether two types are one up to the names of variables, with the same parameter names; refinements do not count.
    fn agree(&mut self, left: TypeId, right: TypeId) -> bool {
        match (&self.left[left].kind, &self.right[right].kind) {
            (TypeKind::Refined { base, .. }, _) => self.agree(*base, right),
            (_, TypeKind::Refined { base, .. }) => self.agree(left, *base),
            (TypeKind::Variable { name: left }, TypeKind::Variable { name: right }) => {
                self.variables.agree(*left, *right)
            }
            (
                TypeKind::Constructor {
                    name: left,
                    arguments: left_arguments,
                },
                TypeKind::Constructor {
                    name: right,
                    arguments: right_arguments,
                },
            ) => {
                let left_arguments = &self.left[*left_arguments];
                let right_arguments = &self.right[*right_arguments];
                left == right
                    && left_arguments.len() == right_arguments.len()
                    && left_arguments
                        .iter()
                        .zip(right_arguments)
                        .all(|(left, right)| self.agree(*left, *right))
            }
            (
                TypeKind::Arrow {
                    param: left_param,
                    domain: left_domain,
                    row: left_row,
                    codomain: left_codomain,
                    ..
                },
                TypeKind::Arrow {
                    param: right_param,
                    domain: right_domain,
                    row: right_row,
                    codomain: right_codomain,
                    ..
                },
            ) => {
                let left_name = left_param.map(|param| param.name);
                let right_name = right_param.map(|param| param.name);
                left_name == right_name
                    && self.agree(*left_domain, *right_domain)
                    && self.agree_rows(*left_row, *right_row)
                    && self.agree(*left_codomain, *right_codomain)
            }
            _ => false,
        }
    }

    fn agree_rows(&mut self, left: Row, right: Row) -> bool {
        let variables = match (left.variable, right.variable) {
            (None, None) => true,
            (Some(left), Some(right)) => self.rows.agree(left, right),
            _ => false,
        };
        variables && left.effects == right.effects
    }
}
