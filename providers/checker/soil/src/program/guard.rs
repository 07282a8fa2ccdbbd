//! Clauses that guard a definition.

use super::lower::{Frame, Lowering, Param};
use super::trivial::always_holds;
use super::{Clause, DefinitionId, GuardTexts, Program, Refused, Role, Text, refused};
use crate::diagnostic::Diagnostics;
use crate::source::Span;
use crate::syntax::tree::{Binder, Effects, List, PredicateId, Tree, TypeId, TypeKind};
use crate::syntax::{Name, Part, known, parse_predicate};

/// The clauses of one definition.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The definition.
    pub definition: DefinitionId,
    /// What has to hold when it is called.
    pub requires: Vec<GuardClause>,
    /// What has to hold when it returns.
    pub ensures: Vec<GuardClause>,
}

/// One clause of a guard.
#[derive(Clone, Debug)]
pub struct GuardClause {
    /// Its label.
    pub label: String,
    /// The definition that its predicate became, over the parameters and, in an ensures, the result.
    pub check: Option<DefinitionId>,
    pub(super) tree: Tree,
    pub(super) predicate: PredicateId,
}

impl GuardClause {
    /// Says whether the clause holds by its form alone.
    pub fn is_trivial(&self) -> bool {
        always_holds(&self.tree, self.predicate)
    }
}

/// The parameters that a signature names, and its result.
pub(super) struct SignatureParts {
    pub(super) params: Vec<(Binder, TypeId)>,
    pub(super) result: TypeId,
}

/// Finds the definitions that guards name, and makes definitions out of the clauses.
pub(super) fn resolve(program: &mut Program, guards: &[GuardTexts]) -> Result<(), Box<Refused>> {
    for guard in guards {
        let Some(definition) = program.find_definition(&guard.definition) else {
            let text = Text::new("program.json", Vec::new());
            let message = format!(
                "a guard names `{}`, which is no definition",
                guard.definition
            );
            return Err(Box::new(refused(&text, &message)));
        };
        let clauses = |program: &mut Program, texts: &[Clause], is_ensures| {
            let clauses = texts.iter();
            clauses
                .map(|text| clause(program, definition, text, is_ensures))
                .collect::<Result<Vec<_>, _>>()
        };
        let requires = clauses(program, &guard.requires, false)?;
        let ensures = clauses(program, &guard.ensures, true)?;
        program.guards.push(Guard {
            definition,
            requires,
            ensures,
        });
    }
    Ok(())
}

fn clause(
    program: &mut Program,
    definition: DefinitionId,
    text: &Clause,
    is_ensures: bool,
) -> Result<GuardClause, Box<Refused>> {
    let name = &program.names[program[definition].name];
    let kind = if is_ensures { "ensures" } else { "requires" };
    let path = format!("{name}: {kind}: {}", text.label);
    let (file, bytes) = program.add_predicate_text(&path, &text.predicate);
    let part = Part {
        file,
        bytes: &bytes,
        range: 0..bytes.len(),
    };
    let mut tree = Tree::new();
    let predicate = parse_predicate(part, &mut program.names, &mut tree)
        .map_err(|diagnostics| Box::new(unreadable(program, diagnostics)))?;
    let written = &program.file_of(definition).tree;
    let signature = parts(written, program.written(definition).signature);
    let mut params: Vec<Param<'_>> = signature
        .params
        .iter()
        .map(|(binder, ty)| Param {
            binder: *binder,
            tree: written,
            ty: *ty,
        })
        .collect();
    if is_ensures {
        params.push(Param {
            binder: result_binder(),
            tree: written,
            ty: signature.result,
        });
    }
    let unit = UnitParam::new();
    if params.is_empty() {
        // Without parameters there is no arrow that could have a row.
        params.push(unit.param());
    }
    let mut lowering = Lowering::new(&program.environment);
    let body = lowering.predicate(&tree, predicate);
    let signature = lowering.signature(&params, Effects::NONE);
    let binders: Vec<Binder> = params.iter().map(|param| param.binder).collect();
    let lowered = lowering.tree;
    let frame = Frame {
        module: program[definition].module,
        name: &path,
        file,
        role: Role::Clause,
    };
    let check = Some(program.add_lowered(lowered, &frame, &binders, (signature, body)));
    Ok(GuardClause {
        label: text.label.clone(),
        check,
        tree,
        predicate,
    })
}

/// The parameter of a clause that speaks of no value.
struct UnitParam {
    tree: Tree,
    ty: TypeId,
}

impl UnitParam {
    fn new() -> Self {
        let mut tree = Tree::new();
        let kind = TypeKind::Constructor {
            name: known::UNIT,
            arguments: List::EMPTY,
        };
        let ty = tree.add_type(Span::new(0, 0), kind);
        Self { tree, ty }
    }

    const fn param(&self) -> Param<'_> {
        Param {
            binder: Binder {
                name: unnamed(),
                span: Span::new(0, 0),
            },
            tree: &self.tree,
            ty: self.ty,
        }
    }
}

/// Makes the refusal about a predicate that does not read.
pub(super) fn unreadable(program: &Program, diagnostics: Diagnostics) -> Refused {
    Refused {
        diagnostics,
        sources: program.sources.clone(),
    }
}

pub(super) fn result_binder() -> Binder {
    Binder {
        name: known::RESULT,
        span: Span::new(0, 0),
    }
}

/// Takes a signature apart.
pub(super) fn parts(tree: &Tree, signature: TypeId) -> SignatureParts {
    let mut params = Vec::new();
    let mut ty = signature;
    loop {
        match tree[ty].kind {
            TypeKind::Arrow {
                param,
                domain,
                codomain,
                ..
            } => {
                let unnamed = Binder {
                    name: unnamed(),
                    span: tree[domain].span,
                };
                params.push((param.unwrap_or(unnamed), domain));
                ty = codomain;
            }
            TypeKind::Refined { base, .. } => ty = base,
            _ => break,
        }
    }
    let result = ty;
    SignatureParts { params, result }
}

/// The name of a parameter that has none, which binds nothing.
const fn unnamed() -> Name {
    known::ERROR
}
