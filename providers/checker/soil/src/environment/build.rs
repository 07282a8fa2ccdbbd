//! From declarations to an environment.

use hashbrown::HashSet;
use thiserror::Error;

use super::{
    Body, Constructor, ConstructorId, DeclaredType, Environment, Field, Filler, Payload, Shape,
    TypeId, Variant,
};
use crate::hash::Digest;
use crate::syntax::{Name, Names};

/// A declaration, its types named by text.
#[derive(Clone, Debug)]
pub struct TypeEntry {
    /// The type's name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Name>,
    /// What its values are.
    pub body: EntryBody,
    /// The formal hash of its specification.
    pub formal: Option<Digest>,
}

/// What the values of a declared type are.
#[derive(Clone, Debug)]
pub enum EntryBody {
    /// Values that the language itself provides.
    Primitive,
    /// A record.
    Record(Vec<EntryField>),
    /// A sum.
    Sum(Vec<EntryVariant>),
    /// An opaque type.
    Opaque,
    /// An alias.
    Alias(EntryShape),
}

/// A field of a declaration.
#[derive(Clone, Debug)]
pub struct EntryField {
    /// The field's name.
    pub name: Name,
    /// Its type.
    pub shape: EntryShape,
    /// What fills it, when it is ignored.
    pub ignored: Option<Filler>,
}

/// A variant of a declaration.
#[derive(Clone, Debug)]
pub struct EntryVariant {
    /// The constructor's name.
    pub name: Name,
    /// What it carries.
    pub payload: EntryPayload,
}

/// What a variant of a declaration carries.
#[derive(Clone, Debug)]
pub enum EntryPayload {
    /// Nothing.
    Empty,
    /// One value.
    Value(EntryShape),
    /// Named fields.
    Record(Vec<EntryField>),
}

/// A type as it is written in a declaration.
#[derive(Clone, Debug)]
pub enum EntryShape {
    /// A parameter.
    Variable(Name),
    /// A type with its arguments.
    Type(Name, Vec<EntryShape>),
    /// A function type, which no declaration may hold.
    Function,
}

/// A declaration that does not make sense, in words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("type `{name}`: {message}")]
pub struct EnvironmentError {
    /// The position among the declarations.
    pub entry: usize,
    /// The type's name.
    pub name: String,
    /// What is wrong.
    pub message: String,
}

impl Environment {
    /// Makes an empty environment, without the built-in types.
    pub(super) const fn empty() -> Self {
        use crate::table::ByName;
        Self {
            types: Vec::new(),
            traits: Vec::new(),
            constructors: Vec::new(),
            types_by_name: ByName::new(),
            constructors_by_name: ByName::new(),
            records_by_field: ByName::new(),
            record_lists: Vec::new(),
        }
    }

    /// Adds declarations, which may refer to each other in any order.
    ///
    /// # Errors
    /// When a name is declared twice or is one of a built-in type, a type in a declaration is unknown or has a wrong number of
    /// arguments, a field or a variant comes twice, a declaration holds a function, an ignored field copies one that is not
    /// there, or aliases refer to each other in a circle.
    pub fn declare(
        &mut self,
        entries: Vec<TypeEntry>,
        names: &Names,
    ) -> Result<(), EnvironmentError> {
        let first = self.types.len();
        let mut bodies = Vec::with_capacity(entries.len());
        for (position, entry) in entries.into_iter().enumerate() {
            let id = TypeId::new(count(self.types.len()));
            let fault = |message: &str| EnvironmentError {
                entry: position,
                name: names[entry.name].to_owned(),
                message: message.to_owned(),
            };
            if self.types_by_name.set(entry.name, Some(id)).is_some() {
                return Err(fault("the name is declared already"));
            }
            if has_repetition(&entry.params) {
                return Err(fault("a parameter stands there twice"));
            }
            self.types.push(DeclaredType {
                name: entry.name,
                params: entry.params,
                body: Body::Primitive,
                formal: entry.formal,
            });
            bodies.push(entry.body);
        }
        for (position, body) in bodies.into_iter().enumerate() {
            let id = TypeId::new(count(first + position));
            let result = self.body(id, body, names);
            let body = result.map_err(|message| self.fault(id, first, names, message))?;
            self.types[id.index()].body = body;
        }
        for index in first..self.types.len() {
            let id = TypeId::new(count(index));
            if self.is_circular(id) {
                let message = "the alias stands for itself".to_owned();
                return Err(self.fault(id, first, names, message));
            }
            self.index_record(id);
        }
        self.find_traits();
        Ok(())
    }

    fn fault(&self, id: TypeId, first: usize, names: &Names, message: String) -> EnvironmentError {
        EnvironmentError {
            entry: id.index() - first,
            name: names[self[id].name].to_owned(),
            message,
        }
    }

    fn body(&mut self, id: TypeId, body: EntryBody, names: &Names) -> Result<Body, String> {
        Ok(match body {
            EntryBody::Primitive => Body::Primitive,
            EntryBody::Opaque => Body::Opaque,
            EntryBody::Alias(shape) => Body::Alias(self.shape(id, &shape, names)?),
            EntryBody::Record(fields) => Body::Record(self.fields(id, fields, names)?),
            EntryBody::Sum(variants) => self.sum(id, variants, names)?,
        })
    }

    fn sum(
        &mut self,
        owner: TypeId,
        entries: Vec<EntryVariant>,
        names: &Names,
    ) -> Result<Body, String> {
        let all: Vec<Name> = entries.iter().map(|variant| variant.name).collect();
        if has_repetition(&all) {
            return Err("a variant stands there twice".to_owned());
        }
        if all.is_empty() {
            return Err("a sum has at least one variant".to_owned());
        }
        let first = ConstructorId(count(self.constructors.len()));
        let mut variants = Vec::with_capacity(entries.len());
        for entry in entries {
            let payload = match entry.payload {
                EntryPayload::Empty => Payload::Empty,
                EntryPayload::Value(shape) => Payload::Value(self.shape(owner, &shape, names)?),
                EntryPayload::Record(fields) => Payload::Record(self.fields(owner, fields, names)?),
            };
            self.add_constructor(owner, count(variants.len()), entry.name);
            variants.push(Variant {
                name: entry.name,
                payload,
            });
        }
        Ok(Body::Sum { variants, first })
    }

    fn add_constructor(&mut self, owner: TypeId, variant: u32, name: Name) {
        let id = ConstructorId(count(self.constructors.len()));
        let previous = self.constructors_by_name.set(name, Some(id));
        self.constructors.push(Constructor {
            name,
            owner,
            variant,
            previous,
        });
    }

    fn fields(
        &self,
        owner: TypeId,
        entries: Vec<EntryField>,
        names: &Names,
    ) -> Result<Vec<Field>, String> {
        let all: Vec<Name> = entries.iter().map(|field| field.name).collect();
        if has_repetition(&all) {
            return Err("a field stands there twice".to_owned());
        }
        for field in &entries {
            if let Some(Filler::Copy(source)) = field.ignored {
                let is_source =
                    |other: &EntryField| other.name == source && other.ignored.is_none();
                if !entries.iter().any(is_source) {
                    let (field, source) = (&names[field.name], &names[source]);
                    return Err(format!(
                        "`{field}` copies `{source}`, which is no visible field beside it"
                    ));
                }
            }
        }
        let fields = entries.into_iter().map(|field| {
            Ok(Field {
                name: field.name,
                shape: self.shape(owner, &field.shape, names)?,
                ignored: field.ignored,
            })
        });
        fields.collect()
    }

    fn shape(&self, owner: TypeId, shape: &EntryShape, names: &Names) -> Result<Shape, String> {
        match shape {
            EntryShape::Function => Err("a declared type holds no function".to_owned()),
            EntryShape::Variable(name) => {
                let mut params = self[owner].params.iter();
                let index = params.position(|param| param == name);
                let text = &names[*name];
                let index = index.ok_or_else(|| format!("`{text}` is no parameter"))?;
                Ok(Shape::Param(index))
            }
            EntryShape::Type(name, arguments) => {
                let text = &names[*name];
                let id = self.type_named(*name);
                let id = id.ok_or_else(|| format!("`{text}` is no type"))?;
                let arity = self[id].params.len();
                if arity != arguments.len() {
                    let given = arguments.len();
                    return Err(format!(
                        "`{text}` takes {arity} arguments, here are {given}"
                    ));
                }
                let arguments = arguments.iter();
                let arguments = arguments.map(|argument| self.shape(owner, argument, names));
                Ok(Shape::Type(id, arguments.collect::<Result<_, _>>()?))
            }
        }
    }

    /// Says whether following aliases from this one leads back to it.
    fn is_circular(&self, id: TypeId) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![id];
        while let Some(next) = open.pop() {
            let Body::Alias(shape) = &self[next].body else {
                continue;
            };
            let mut leads_back = false;
            shape.for_each_type(&mut |target| {
                leads_back |= target == id;
                if seen.insert(target) {
                    open.push(target);
                }
            });
            if leads_back {
                return true;
            }
        }
        false
    }

    /// Makes a record found by its first visible field.
    fn index_record(&mut self, id: TypeId) {
        let fields = self.record_fields(id).unwrap_or_default();
        let first = fields.iter().find(|field| field.ignored.is_none());
        let Some(name) = first.map(|field| field.name) else {
            return;
        };
        let list = self.records_by_field.get(name).unwrap_or_else(|| {
            self.record_lists.push(Vec::new());
            count(self.record_lists.len() - 1)
        });
        self.records_by_field.set(name, Some(list));
        self.record_lists[list as usize].push(id);
    }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).expect("an input in memory has fewer than 2^32 parts")
}

fn has_repetition(names: &[Name]) -> bool {
    let mut seen = HashSet::with_capacity(names.len());
    !names.iter().all(|name| seen.insert(*name))
}
