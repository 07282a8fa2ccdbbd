//! What a `.tr` file asks of its function, as texts of a program.

use std::iter;

use super::bundle::{CaseArgument, CaseBind, Expectation, TestCase};
use crate::json::{Json, Malformed};
use crate::print;
use crate::program::{Clause, GuardTexts, PropertyTexts};
use crate::source::Span;
use crate::spec::{self, Argument, Expected, FunctionSpec, JsonText, Spec, TypeSpec};
use crate::syntax::{Names, known};

/// Gives the cases of a function, called `block#1`, `block#2`, …, in the order of the file.
///
/// # Errors
/// When a value names a key twice, which the file's reader lets pass.
pub fn spec_cases(spec: &FunctionSpec, definition: &str) -> Result<Vec<TestCase>, Malformed> {
    let mut cases = Vec::new();
    for block in &spec.tests {
        let mut binds = Vec::new();
        for bind in &block.binds {
            binds.push(CaseBind {
                name: bind.name.value.clone(),
                constructor: bind.constructor.value.clone(),
                arguments: bind.arguments.iter().map(json).collect::<Result<_, _>>()?,
            });
        }
        for (position, case) in block.cases.iter().enumerate() {
            let arguments = case.arguments.iter().map(|argument| match argument {
                Argument::Bound(name) => Ok(CaseArgument::Binding(name.value.clone())),
                Argument::Json(text) => json(text).map(CaseArgument::Json),
            });
            cases.push(TestCase {
                name: format!("{}#{}", block.name.value, position + 1),
                definition: definition.to_owned(),
                binds: binds.clone(),
                arguments: arguments.collect::<Result<_, _>>()?,
                expected: match &case.expected {
                    Expected::Panic(_) => Expectation::Panic,
                    Expected::Value(text) => Expectation::Value(json(text)?),
                },
                is_xfail: block.is_xfail,
            });
        }
    }
    Ok(cases)
}

fn json(text: &JsonText) -> Result<Json, Malformed> {
    Json::read(text.text.as_bytes()).map_err(|error| Malformed {
        place: "$".to_owned(),
        message: error.to_string(),
    })
}

/// Gives the clauses of a function, which is called `definition` in the program; `text` is the file's.
pub fn spec_guard(spec: &FunctionSpec, definition: &str, text: &str) -> GuardTexts {
    let clauses = |clauses: &[spec::Clause]| {
        let clauses = clauses.iter().map(|clause| Clause {
            label: clause.label.value.clone(),
            predicate: part(text, clause.text),
        });
        clauses.collect()
    };
    GuardTexts {
        definition: definition.to_owned(),
        requires: clauses(&spec.requires),
        ensures: clauses(&spec.ensures),
    }
}

/// Gives the properties of a function that belongs to a module; `text` is the file's and `names` those it was read with.
pub fn spec_properties(
    whole: &Spec,
    spec: &FunctionSpec,
    module: &str,
    text: &str,
    names: &Names,
) -> Vec<PropertyTexts> {
    let properties = spec.properties.iter().map(|property| PropertyTexts {
        module: module.to_owned(),
        name: property.name.value.clone(),
        binders: property
            .foralls
            .iter()
            .map(|forall| {
                let ty = print::ty(&whole.tree, names, forall.ty);
                (names[forall.binder.name].to_owned(), ty)
            })
            .collect(),
        predicate: part(text, property.text),
    });
    properties.collect()
}

/// Gives the invariants of a declared type of a module; `text` is the file's and `names` those it was read with.
pub fn spec_invariants(
    spec: &TypeSpec,
    module: &str,
    text: &str,
    names: &Names,
) -> Vec<PropertyTexts> {
    let Some(declaration) = &spec.declaration else {
        return Vec::new();
    };
    let words = iter::once(&declaration.name).chain(&declaration.params);
    let words: Vec<&str> = words.map(|ident| &names[ident.name]).collect();
    let ty = words.join(" ");
    let invariants = spec.invariants.iter().map(|clause| PropertyTexts {
        module: module.to_owned(),
        name: clause.label.value.clone(),
        binders: vec![(names[known::SELF].to_owned(), ty.clone())],
        predicate: part(text, clause.text),
    });
    invariants.collect()
}

fn part(text: &str, span: Span) -> String {
    text.get(span.range()).unwrap_or_default().to_owned()
}
