//! Defaults of ignored fields that are no values of their types.

use super::{Forms, read};
use crate::environment::{Body, Environment, Field, Filler, Payload, Shape, TypeId};
use crate::syntax::{Name, Names};

/// Finds the ignored fields whose default is no value of their type, each with the type that declares it.
///
/// A constant has to read as the type; a copied field has to have the same type.
pub fn unfit_defaults(environment: &Environment, names: &Names) -> Vec<(TypeId, Name)> {
    let mut forms = Forms::new(environment, names);
    let mut found = Vec::new();
    for (id, declared) in environment.types() {
        let mut judge = |fields: &[Field]| {
            let unfit = fields
                .iter()
                .filter(|field| !fits(&mut forms, fields, field));
            found.extend(unfit.map(|field| (id, field.name)));
        };
        match &declared.body {
            Body::Record(fields) => judge(fields),
            Body::Sum { variants, .. } => {
                for variant in variants {
                    if let Payload::Record(fields) = &variant.payload {
                        judge(fields);
                    }
                }
            }
            Body::Primitive | Body::Opaque | Body::Alias(_) => {}
        }
    }
    found
}

fn fits(forms: &mut Forms<'_>, fields: &[Field], field: &Field) -> bool {
    match &field.ignored {
        None => true,
        Some(Filler::Constant(json)) => {
            let form = forms.of_shape(&field.shape, &[]);
            read(forms, form, json).is_ok()
        }
        Some(Filler::Copy(source)) => {
            let other = fields.iter().find(|other| other.name == *source);
            other.is_some_and(|other| {
                let same = forms.of_shape(&field.shape, &[]) == forms.of_shape(&other.shape, &[]);
                same && params(&field.shape) == params(&other.shape)
            })
        }
    }
}

/// Lists the parameters in a type from left to right; a form does not tell them apart.
fn params(shape: &Shape) -> Vec<usize> {
    match shape {
        Shape::Param(index) => vec![*index],
        Shape::Type(_, inner) => inner.iter().flat_map(params).collect(),
    }
}
