//! Declarations as text.

use super::{Body, ConstructorId, Environment, Field, Filler, Number, Operation, Payload, TypeId};
use crate::json::Json;
use crate::print;
use crate::syntax::Names;

/// Gives the declaration of a type on one line, as it enters hashes.
///
/// `type T a = body`, a record `{ f : T, g : U ignored = e }`, a sum `| A | B T`.
pub fn declaration_line(environment: &Environment, names: &Names, id: TypeId) -> String {
    let declared = &environment[id];
    let mut writer = Line {
        environment,
        names,
        id,
        out: format!("type {}", &names[declared.name]),
    };
    for param in &declared.params {
        writer.push(" ");
        writer.push(&names[*param]);
    }
    writer.push(" =");
    match &declared.body {
        Body::Primitive | Body::Opaque => writer.push(" opaque"),
        Body::Record(fields) => writer.fields(fields),
        Body::Alias(shape) => {
            writer.push(" ");
            shape.push_text(&mut writer.out, environment, names, id, false);
        }
        Body::Sum { variants, .. } => {
            for variant in variants {
                writer.push(" | ");
                writer.push(&names[variant.name]);
                match &variant.payload {
                    Payload::Empty => {}
                    Payload::Value(shape) => {
                        writer.push(" ");
                        shape.push_text(&mut writer.out, environment, names, id, true);
                    }
                    Payload::Record(fields) => writer.fields(fields),
                }
            }
        }
    }
    writer.out
}

impl Environment {
    /// Gives a type with its parameters, as the result of its constructors has it.
    fn applied_text(&self, names: &Names, id: TypeId) -> String {
        let declared = &self[id];
        let params = declared.params.iter();
        params.fold(names[declared.name].to_owned(), |text, param| {
            format!("{text} {}", &names[*param])
        })
    }

    /// Gives the type of a constructor as text.
    pub fn constructor_type_text(&self, names: &Names, id: ConstructorId) -> String {
        let owner = self[id].owner;
        let result = self.applied_text(names, owner);
        let mut writer = Line {
            environment: self,
            names,
            id: owner,
            out: String::new(),
        };
        match &self.variant(id).payload {
            Payload::Empty => return result,
            Payload::Value(shape) => shape.push_text(&mut writer.out, self, names, owner, false),
            Payload::Record(fields) => writer.fields(fields),
        }
        format!("{} -> {result}", writer.out.trim_start())
    }

    /// Gives the type of `T::operation` as text.
    pub fn operation_text(&self, names: &Names, id: TypeId, operation: Operation) -> String {
        let own = self.applied_text(names, id);
        match operation {
            Operation::Eq => format!("{own} -> {own} -> Bool"),
            Operation::Compare => format!("{own} -> {own} -> I64"),
            Operation::Show => format!("{own} -> Utf8"),
            Operation::Hash => format!("{own} -> U64"),
            _ => {
                let panics = operation.panics_for(Number::of(id));
                let row = if panics { "panic " } else { "" };
                match operation {
                    Operation::Neg => format!("{own} -> {row}{own}"),
                    _ => format!("{own} -> {own} -> {row}{own}"),
                }
            }
        }
    }
}

struct Line<'a> {
    environment: &'a Environment,
    names: &'a Names,
    id: TypeId,
    out: String,
}

impl Line<'_> {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn fields(&mut self, fields: &[Field]) {
        self.push(" {");
        for (position, field) in fields.iter().enumerate() {
            self.push(if position > 0 { ", " } else { " " });
            self.push(&self.names[field.name]);
            self.push(" : ");
            let (environment, names) = (self.environment, self.names);
            field
                .shape
                .push_text(&mut self.out, environment, names, self.id, false);
            match &field.ignored {
                None => {}
                Some(Filler::Constant(value)) => {
                    self.push(" ignored = ");
                    self.push(&constant(value));
                }
                Some(Filler::Copy(source)) => {
                    self.push(" ignored = ");
                    self.push(&self.names[*source]);
                }
            }
        }
        self.push(" }");
    }
}

/// Gives the literal of a constant; what has none is written as its JSON text.
fn constant(value: &Json) -> String {
    match value {
        Json::Text(text) => print::string(text),
        Json::Number(text) => text.clone(),
        Json::Boolean(true) => "True".to_owned(),
        Json::Boolean(false) => "False".to_owned(),
        Json::Null => "unit".to_owned(),
        Json::Array(_) | Json::Object(_) => format!("{value:?}"),
    }
}
