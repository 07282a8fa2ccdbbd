//! Which derived operations the values of a type have.

use super::traits::Traits;
use super::{Body, Environment, Field, Number, Payload, Shape, TypeId};
use crate::syntax::{Name, known};

/// An operation named as `T::operation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is named as the language names it")]
pub enum Operation {
    Eq,
    Compare,
    Show,
    Hash,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Neg,
}

impl Operation {
    /// All operations, derived ones first.
    pub const ALL: [Self; 10] = [
        Self::Eq,
        Self::Compare,
        Self::Show,
        Self::Hash,
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Mod,
        Self::Neg,
    ];

    /// Gives the operation with this name.
    pub fn named(name: Name) -> Option<Self> {
        Self::ALL.into_iter().find(|found| found.name() == name)
    }

    /// Gives its name.
    pub const fn name(self) -> Name {
        match self {
            Self::Eq => known::EQ,
            Self::Compare => known::COMPARE,
            Self::Show => known::SHOW,
            Self::Hash => known::HASH,
            Self::Add => known::ADD,
            Self::Sub => known::SUB,
            Self::Mul => known::MUL,
            Self::Div => known::DIV,
            Self::Mod => known::MOD,
            Self::Neg => known::NEG,
        }
    }

    /// Says whether arithmetic of a type may raise.
    pub fn panics_for(self, number: Option<Number>) -> bool {
        let divides = matches!(self, Self::Div | Self::Mod);
        self.derived().is_none()
            && number.is_some_and(|number| {
                number.has_fixed_width() || (divides && number == Number::BigInt)
            })
    }

    /// Gives what the type of its arguments has to have, or none for arithmetic.
    pub const fn derived(self) -> Option<Derived> {
        Some(match self {
            Self::Eq => Derived::Eq,
            Self::Compare => Derived::Compare,
            Self::Show => Derived::Show,
            Self::Hash => Derived::Hash,
            _ => return None,
        })
    }
}

/// An operation that most types have by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is named as the language names it")]
pub enum Derived {
    Eq,
    Compare,
    Show,
    Hash,
}

impl Derived {
    /// Says whether values of opaque types have the operation.
    pub const fn takes_opaque(self) -> bool {
        matches!(self, Self::Eq | Self::Show)
    }
}

impl Environment {
    /// Says whether an opaque value is visible in the values of a type, whatever its arguments are.
    pub fn holds_opaque(&self, id: TypeId) -> bool {
        self.traits[id.index()].holds_opaque
    }

    /// Says whether values of an argument are visible in the values of a type.
    pub fn shows_param(&self, id: TypeId, param: usize) -> bool {
        let traits = &self.traits[id.index()];
        traits.shows_param.get(param).copied().unwrap_or(true)
    }

    /// Finds for all types what their values show; types may refer to each other in circles.
    pub(super) fn find_traits(&mut self) {
        self.traits = self.types.iter().map(first_guess).collect();
        loop {
            let mut has_changed = false;
            for index in 0..self.types.len() {
                let mut traits = self.traits[index].clone();
                for shape in visible_shapes(&self.types[index].body) {
                    self.add_shape(shape, &mut traits);
                }
                has_changed |= traits != self.traits[index];
                self.traits[index] = traits;
            }
            if !has_changed {
                return;
            }
        }
    }

    fn add_shape(&self, shape: &Shape, traits: &mut Traits) {
        match shape {
            Shape::Param(index) => {
                if let Some(shown) = traits.shows_param.get_mut(*index) {
                    *shown = true;
                }
            }
            Shape::Type(id, arguments) => {
                traits.holds_opaque |= self.holds_opaque(*id);
                for (position, argument) in arguments.iter().enumerate() {
                    if self.shows_param(*id, position) {
                        self.add_shape(argument, traits);
                    }
                }
            }
        }
    }
}

fn first_guess(declared: &super::DeclaredType) -> Traits {
    let is_primitive = matches!(declared.body, Body::Primitive);
    Traits {
        holds_opaque: matches!(declared.body, Body::Opaque),
        shows_param: vec![is_primitive; declared.params.len()],
    }
}

fn visible_shapes(body: &Body) -> Vec<&Shape> {
    match body {
        Body::Primitive | Body::Opaque => Vec::new(),
        Body::Alias(shape) => vec![shape],
        Body::Record(fields) => visible_fields(fields).collect(),
        Body::Sum { variants, .. } => {
            let payloads = variants.iter().map(|variant| &variant.payload);
            payloads.flat_map(payload_shapes).collect()
        }
    }
}

fn payload_shapes(payload: &Payload) -> Vec<&Shape> {
    match payload {
        Payload::Empty => Vec::new(),
        Payload::Value(shape) => vec![shape],
        Payload::Record(fields) => visible_fields(fields).collect(),
    }
}

fn visible_fields(fields: &[Field]) -> impl Iterator<Item = &Shape> {
    let visible = fields.iter().filter(|field| field.ignored.is_none());
    visible.map(|field| &field.shape)
}
