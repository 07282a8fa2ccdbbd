//! Properties: what holds for all values.

use super::guard::{parts, result_binder, unreadable};
use super::lower::{Frame, Lowering, PREDICATE_EFFECTS, Param};
use super::{DefinitionId, Guard, Program, Refused, Role};
use crate::source::{FileId, Span};
use crate::syntax::tree::{
    Binder, Binding, Effects, ExprId, ExprKind, PredicateId, PredicateKind, Tree, TypeKind,
};
use crate::syntax::{Name, Part, parse_predicate, parse_type};

/// A property as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyTexts {
    /// The module whose names it sees.
    pub module: String,
    /// Its name.
    pub name: String,
    /// The names that stand for any value, with their types.
    pub binders: Vec<(String, String)>,
    /// What holds for them.
    pub predicate: String,
}

/// A property of a program.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name; derived ones are called `derived:ensures:<label>`.
    pub name: String,
    /// The definition that its predicate became, over the names that stand for any value.
    pub check: DefinitionId,
    /// The definition that the left side of an outer `implies` became, or the requires of a derived one.
    pub premise: Option<DefinitionId>,
    /// The definition whose ensures it was derived from, which runs without its own clauses.
    pub derived_from: Option<DefinitionId>,
}

/// Makes definitions out of properties, and out of ensures where that is asked for.
pub(super) fn resolve(
    program: &mut Program,
    texts: &[PropertyTexts],
    derives: bool,
) -> Result<(), Box<Refused>> {
    for text in texts {
        let property = written(program, text, Role::Lowered)?;
        program.properties.push(property);
    }
    if derives {
        for guard in program.guards.clone() {
            for position in 0..guard.ensures.len() {
                program.derive(&guard, position);
            }
        }
    }
    Ok(())
}

/// Makes definitions out of invariants, for them to be judged as the clauses that they are; nothing runs them.
pub(super) fn resolve_invariants(
    program: &mut Program,
    texts: &[PropertyTexts],
) -> Result<(), Box<Refused>> {
    for text in texts {
        written(program, text, Role::Clause)?;
    }
    Ok(())
}

fn written(
    program: &mut Program,
    text: &PropertyTexts,
    role: Role,
) -> Result<Property, Box<Refused>> {
    let (kind, effects) = match role {
        Role::Clause => ("invariant", Effects::NONE),
        _ => ("property", PREDICATE_EFFECTS),
    };
    let path = format!("{kind}: {}", text.name);
    let mut types = Tree::new();
    let mut binders = Vec::new();
    for (name, ty) in &text.binders {
        let (file, bytes) = program.add_predicate_text(&path, ty);
        let part = Part {
            file,
            bytes: &bytes,
            range: 0..bytes.len(),
        };
        let ty = parse_type(part, &mut program.names, &mut types)
            .map_err(|diagnostics| Box::new(unreadable(program, diagnostics)))?;
        let binder = Binder {
            name: program.names.intern(name),
            span: Span::new(0, 0),
        };
        binders.push((binder, ty));
    }
    let (file, bytes) = program.add_predicate_text(&path, &text.predicate);
    let part = Part {
        file,
        bytes: &bytes,
        range: 0..bytes.len(),
    };
    let mut tree = Tree::new();
    let predicate = parse_predicate(part, &mut program.names, &mut tree)
        .map_err(|diagnostics| Box::new(unreadable(program, diagnostics)))?;
    let params: Vec<Param<'_>> = binders
        .iter()
        .map(|(binder, ty)| Param {
            binder: *binder,
            tree: &types,
            ty: *ty,
        })
        .collect();
    let module = program.names.intern(&text.module);
    let place = Place { module, file };
    let premise = match tree[predicate].kind {
        PredicateKind::Implies { lhs, .. } => Some(lhs),
        _ => None,
    };
    let check = program.lower(&path, place, role, &params, effects, |to| {
        to.predicate(&tree, predicate)
    });
    let premise = premise.map(|lhs| {
        let path = format!("{path}: premise");
        program.lower(&path, place, Role::Silent, &params, effects, |to| {
            to.predicate(&tree, lhs)
        })
    });
    Ok(Property {
        name: text.name.clone(),
        check,
        premise,
        derived_from: None,
    })
}

#[derive(Clone, Copy)]
struct Place {
    module: Name,
    file: FileId,
}

impl Program {
    /// Adds a definition whose body is made out of predicates.
    fn lower(
        &mut self,
        name: &str,
        place: Place,
        role: Role,
        params: &[Param<'_>],
        effects: Effects,
        body: impl FnOnce(&mut Lowering<'_>) -> ExprId,
    ) -> DefinitionId {
        let mut lowering = Lowering::new(&self.environment);
        let body = body(&mut lowering);
        // A definition without parameters computes nothing that could panic but literals; it has the empty row.
        let signature = lowering.signature(params, effects);
        let tree = lowering.tree;
        let binders: Vec<Binder> = params.iter().map(|param| param.binder).collect();
        let frame = Frame {
            module: place.module,
            name,
            file: place.file,
            role,
        };
        self.add_lowered(tree, &frame, &binders, (signature, body))
    }

    /// Adds `not requires or (let result = f … in clause)` for one ensures of a guard.
    fn derive(&mut self, guard: &Guard, position: usize) {
        let clause = &guard.ensures[position];
        let definition = guard.definition;
        let name = self[definition].name;
        let written = self.file_of(definition).tree.clone();
        let signature = parts(&written, self.written(definition).signature);
        let params: Vec<Param<'_>> = signature
            .params
            .iter()
            .map(|(binder, ty)| Param {
                binder: *binder,
                tree: &written,
                ty: *ty,
            })
            .collect();
        if params.is_empty() {
            return;
        }
        let file = self.file_of(definition).id;
        let module = self[definition].module;
        let place = Place { module, file };
        let is_ambiguous = self.visible_named(name, module).nth(1).is_some();
        let effects = params_effects(&written, self.written(definition).signature);
        let effects = PREDICATE_EFFECTS.union(effects);
        let label = format!("derived:ensures:{}", clause.label);
        let path = format!("{}: {label}", &self.names[name]);
        let binders: Vec<Binder> = params.iter().map(|param| param.binder).collect();
        let requires: Vec<(&Tree, PredicateId)> = guard
            .requires
            .iter()
            .map(|clause| (&clause.tree, clause.predicate))
            .collect();
        let call = Call {
            space: is_ambiguous.then_some(module),
            name,
            arguments: &binders,
        };
        let check = self.lower(&path, place, Role::Silent, &params, effects, |to| {
            derived_body(to, &call, &requires, (&clause.tree, clause.predicate))
        });
        let premise = (!requires.is_empty()).then(|| {
            let path = format!("{path}: premise");
            self.lower(
                &path,
                place,
                Role::Silent,
                &params,
                PREDICATE_EFFECTS,
                |to| {
                    let all = conjunction(to, &requires);
                    all.unwrap_or_else(|| to.tree.add_expr(Span::new(0, 0), ExprKind::Error))
                },
            )
        });
        self.properties.push(Property {
            name: label,
            check,
            premise,
            derived_from: Some(definition),
        });
    }
}

/// A call of a definition with its own parameters.
struct Call<'b> {
    /// The module, where the bare name means several definitions.
    space: Option<Name>,
    name: Name,
    arguments: &'b [Binder],
}

/// Makes `not requires or (let result = f … in clause)`.
fn derived_body(
    to: &mut Lowering<'_>,
    call: &Call<'_>,
    requires: &[(&Tree, PredicateId)],
    (tree, clause): (&Tree, PredicateId),
) -> ExprId {
    let here = Span::new(0, 0);
    let name = call.name;
    let root = match call.space {
        Some(space) => to.tree.add_expr(here, ExprKind::Qualified { space, name }),
        None => to.name(name, here),
    };
    let value = call.arguments.iter().fold(root, |function, binder| {
        let argument = to.name(binder.name, here);
        let kind = ExprKind::Apply { function, argument };
        to.tree.add_expr(here, kind)
    });
    let bindings = to.tree.add_bindings([Binding {
        binder: Some(result_binder()),
        value,
    }]);
    let body = to.predicate(tree, clause);
    let kind = ExprKind::Let {
        is_rec: false,
        bindings,
        body,
    };
    let rhs = to.tree.add_expr(here, kind);
    let Some(operand) = conjunction(to, requires) else {
        return rhs;
    };
    let lhs = to.tree.add_expr(here, ExprKind::Not { operand });
    to.tree.add_expr(here, ExprKind::Or { lhs, rhs })
}

fn conjunction(to: &mut Lowering<'_>, all: &[(&Tree, PredicateId)]) -> Option<ExprId> {
    let exprs: Vec<ExprId> = all
        .iter()
        .map(|(tree, predicate)| to.predicate(tree, *predicate))
        .collect();
    exprs.into_iter().reduce(|lhs, rhs| {
        to.tree
            .add_expr(Span::new(0, 0), ExprKind::And { lhs, rhs })
    })
}

/// Gives all effects that a signature names.
fn params_effects(tree: &Tree, mut ty: crate::syntax::tree::TypeId) -> Effects {
    let mut effects = Effects::NONE;
    loop {
        match tree[ty].kind {
            TypeKind::Arrow { row, codomain, .. } => {
                effects = effects.union(row.effects.closed());
                ty = codomain;
            }
            TypeKind::Refined { base, .. } => ty = base,
            _ => return effects,
        }
    }
}
