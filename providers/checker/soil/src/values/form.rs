//! Types expanded to what directs reading and writing.

use std::rc::Rc;

use hashbrown::HashMap;

use crate::environment::{Body, Environment, Field, Number, Payload, Shape, TypeId, ids};
use crate::syntax::{Name, Names};
use crate::types::{SchemeNode, SchemeType, Schemes};

/// The number of a form within its [`Forms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormId(u32);

/// What the values of a type are, aliases followed and variables replaced.
#[derive(Clone, Debug)]
pub enum Form {
    /// A number.
    Number(Number),
    /// `Utf8`.
    Text,
    /// `Bytes`.
    Bytes,
    /// `Unit`.
    Unit,
    /// `Bool`.
    Boolean,
    /// A list of elements.
    List(FormId),
    /// A map from keys to values.
    Map(FormId, FormId),
    /// A record.
    Record(Rc<[FieldForm]>),
    /// A sum.
    Sum(Rc<[VariantForm]>),
    /// An opaque type.
    Opaque,
    /// A function.
    Function,
    /// A type that is not known.
    Variable,
}

/// A visible field.
#[derive(Clone, Debug)]
pub struct FieldForm {
    /// Its name.
    pub name: Rc<str>,
    /// Its type.
    pub form: FormId,
}

/// A variant of a sum.
#[derive(Clone, Debug)]
pub struct VariantForm {
    /// Its constructor's name.
    pub name: Rc<str>,
    /// What it carries.
    pub payload: PayloadForm,
}

/// What a variant carries.
#[derive(Clone, Debug)]
pub enum PayloadForm {
    /// Nothing.
    Empty,
    /// One value.
    Value(FormId),
    /// Named fields.
    Record(Rc<[FieldForm]>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Type(TypeId, Rc<[FormId]>),
    Function,
    Variable,
}

#[derive(Clone, Debug)]
struct Node {
    key: Key,
    form: Option<Form>,
}

/// The forms of a run.
///
/// Equal types have equal ids. A form is expanded when it is first asked for, since types may hold themselves at ever new
/// arguments.
#[derive(Clone, Debug)]
pub struct Forms<'p> {
    environment: &'p Environment,
    names: &'p Names,
    nodes: Vec<Node>,
    ids: HashMap<Key, FormId>,
}

impl<'p> Forms<'p> {
    /// Begins without forms.
    pub fn new(environment: &'p Environment, names: &'p Names) -> Self {
        Self {
            environment,
            names,
            nodes: Vec::new(),
            ids: HashMap::new(),
        }
    }

    /// Gives the environment whose types these are.
    pub const fn environment(&self) -> &'p Environment {
        self.environment
    }

    /// Gives the id of a type at arguments.
    pub fn of_type(&mut self, id: TypeId, arguments: &[FormId]) -> FormId {
        let mut arguments = Rc::from(arguments);
        let mut id = id;
        // Aliases have no circles; each step leaves one behind.
        while let Body::Alias(shape) = &self.environment[id].body {
            match shape {
                Shape::Param(index) => return self.param(&arguments, *index),
                Shape::Type(target, inner) => {
                    arguments = self.all(inner, &arguments);
                    id = *target;
                }
            }
        }
        self.intern(Key::Type(id, arguments))
    }

    /// Gives the id of a written type over parameters.
    pub fn of_shape(&mut self, shape: &Shape, arguments: &[FormId]) -> FormId {
        match shape {
            Shape::Param(index) => self.param(arguments, *index),
            Shape::Type(id, inner) => {
                let inner = self.all(inner, arguments);
                self.of_type(*id, &inner)
            }
        }
    }

    /// Gives the id of a part of a signature; its variables are not known.
    pub fn of_scheme(&mut self, schemes: &Schemes, ty: SchemeType) -> FormId {
        match schemes[ty] {
            SchemeNode::Error | SchemeNode::Variable(_) => self.intern(Key::Variable),
            SchemeNode::Arrow { .. } => self.intern(Key::Function),
            SchemeNode::Type { id, start, len } => {
                let arguments = schemes.arguments(start, len).iter();
                let arguments: Vec<FormId> =
                    arguments.map(|ty| self.of_scheme(schemes, *ty)).collect();
                self.of_type(id, &arguments)
            }
        }
    }

    /// Gives the id of a type that is not known.
    pub fn variable(&mut self) -> FormId {
        self.intern(Key::Variable)
    }

    /// Gives a form.
    pub fn get(&mut self, id: FormId) -> Form {
        let node = &self.nodes[id.index()];
        if let Some(form) = &node.form {
            return form.clone();
        }
        let form = self.expand(&node.key.clone());
        self.nodes[id.index()].form = Some(form.clone());
        form
    }

    fn param(&mut self, arguments: &[FormId], index: usize) -> FormId {
        let found = arguments.get(index).copied();
        found.unwrap_or_else(|| self.variable())
    }

    fn all(&mut self, shapes: &[Shape], arguments: &[FormId]) -> Rc<[FormId]> {
        let ids = shapes.iter().map(|shape| self.of_shape(shape, arguments));
        ids.collect()
    }

    fn intern(&mut self, key: Key) -> FormId {
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let index = u32::try_from(self.nodes.len()).expect("fewer than 2^32 forms fit in memory");
        self.nodes.push(Node {
            key: key.clone(),
            form: None,
        });
        self.ids.insert(key, FormId(index));
        FormId(index)
    }

    fn expand(&mut self, key: &Key) -> Form {
        let (id, arguments) = match key {
            Key::Function => return Form::Function,
            Key::Variable => return Form::Variable,
            Key::Type(id, arguments) => (*id, arguments),
        };
        if let Some(number) = Number::of(id) {
            return Form::Number(number);
        }
        match id {
            ids::BOOL => Form::Boolean,
            ids::UTF8 => Form::Text,
            ids::BYTES => Form::Bytes,
            ids::UNIT => Form::Unit,
            ids::LIST => Form::List(self.param(arguments, 0)),
            ids::MAP => Form::Map(self.param(arguments, 0), self.param(arguments, 1)),
            _ => self.body(id, arguments),
        }
    }

    fn body(&mut self, id: TypeId, arguments: &[FormId]) -> Form {
        match &self.environment[id].body {
            Body::Record(fields) => Form::Record(self.fields(fields, arguments)),
            Body::Sum { variants, .. } => {
                let forms = variants.iter().map(|variant| VariantForm {
                    name: self.name(variant.name),
                    payload: match &variant.payload {
                        Payload::Empty => PayloadForm::Empty,
                        Payload::Value(shape) => {
                            PayloadForm::Value(self.of_shape(shape, arguments))
                        }
                        Payload::Record(fields) => {
                            PayloadForm::Record(self.fields(fields, arguments))
                        }
                    },
                });
                Form::Sum(forms.collect())
            }
            Body::Opaque => Form::Opaque,
            // Aliases are followed before a form is made, and primitive types were met above.
            Body::Alias(_) | Body::Primitive => Form::Variable,
        }
    }

    fn fields(&mut self, fields: &[Field], arguments: &[FormId]) -> Rc<[FieldForm]> {
        let visible = fields.iter().filter(|field| field.ignored.is_none());
        let forms = visible.map(|field| FieldForm {
            name: self.name(field.name),
            form: self.of_shape(&field.shape, arguments),
        });
        forms.collect()
    }

    fn name(&self, name: Name) -> Rc<str> {
        Rc::from(&self.names[name])
    }
}

impl FormId {
    /// Gives the position among the forms of the run.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
