//! Values.

use std::fmt;
use std::rc::Rc;

use dashu_int::IBig;
use smallvec::SmallVec;

use super::release::release;
use super::{List, Map};

/// A value of a running program.
///
/// Which variants a value of a type has is fixed: integers of signed types are [`Signed`](Self::Signed), `Bool` is a sum
/// whose first variant is `True`, an ignored field is never there.
#[derive(Clone)]
pub enum Value {
    /// The value of `Unit`.
    Unit,
    /// An integer of a signed fixed width.
    Signed(i64),
    /// An integer of an unsigned fixed width.
    Unsigned(u64),
    /// An `F64`.
    Float(f64),
    /// A variant without payload, by position.
    Tag(u32),
    /// An opaque value, by the number that its run gave it.
    Handle(u32),
    /// A definition with parameters, by the number of its code.
    Definition(u32),
    /// A builtin or an operation of a type, by the number that its program gave it.
    Builtin(u32),
    /// A `BigInt`.
    Big(Rc<IBig>),
    /// A `Utf8`.
    Text(Rc<String>),
    /// A `Bytes`.
    Bytes(Rc<Vec<u8>>),
    /// A list.
    List(Rc<List>),
    /// A map.
    Map(Rc<Map>),
    /// A record: its visible fields in the order of the declaration.
    Record(Rc<Fields>),
    /// A variant with its payload, or the fields of it.
    Variant(u32, Rc<Fields>),
    /// A lambda, by the number of its code, with the values that it holds.
    Closure(u32, Rc<Captures>),
    /// A function that waits for more arguments.
    Partial(Rc<Partial>),
}

/// Values side by side: the fields of a record or the payload of a variant.
pub struct Fields(SmallVec<[Value; 2]>);

/// The values that the lambdas of one `let rec`, or a single one, hold.
pub struct Captures(Vec<Value>);

/// A function with the arguments that it was given so far.
#[derive(Debug)]
pub struct Partial {
    /// The function, itself no partial one.
    pub function: Value,
    /// The arguments.
    pub arguments: Captures,
}

impl Value {
    /// The value `True`.
    pub const TRUE: Self = Self::Tag(0);

    /// The value `False`.
    pub const FALSE: Self = Self::Tag(1);

    /// Makes a `Bool`.
    #[inline]
    pub const fn boolean(holds: bool) -> Self {
        if holds { Self::TRUE } else { Self::FALSE }
    }

    /// Makes a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Rc::new(text.into()))
    }

    /// Makes bytes.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Bytes(Rc::new(bytes.into()))
    }

    /// Makes a list.
    pub fn list(elements: Vec<Self>) -> Self {
        Self::List(Rc::new(List::from(elements)))
    }

    /// Makes a record.
    pub fn record(fields: impl IntoIterator<Item = Self>) -> Self {
        Self::Record(Rc::new(fields.into_iter().collect()))
    }

    /// Makes a variant with a payload, or with fields.
    pub fn variant(tag: u32, fields: impl IntoIterator<Item = Self>) -> Self {
        Self::Variant(tag, Rc::new(fields.into_iter().collect()))
    }

    /// Makes `None` or `Some`.
    pub fn option(value: Option<Self>) -> Self {
        match value {
            None => Self::Tag(0),
            Some(value) => {
                let mut payload = SmallVec::new();
                payload.push(value);
                Self::Variant(1, Rc::new(Fields(payload)))
            }
        }
    }

    /// Copies the value, the commonest kind without a call.
    #[inline]
    pub(crate) fn copied(&self) -> Self {
        match self {
            Self::Signed(number) => Self::Signed(*number),
            other => other.clone(),
        }
    }

    /// Says whether dropping the value does nothing.
    #[inline]
    pub(crate) const fn is_plain(&self) -> bool {
        matches!(
            self,
            Self::Unit
                | Self::Signed(_)
                | Self::Unsigned(_)
                | Self::Float(_)
                | Self::Tag(_)
                | Self::Handle(_)
                | Self::Definition(_)
                | Self::Builtin(_)
        )
    }

    /// Says whether dropping the value may drop others.
    #[inline]
    pub(super) const fn holds_values(&self) -> bool {
        matches!(
            self,
            Self::List(_)
                | Self::Map(_)
                | Self::Record(_)
                | Self::Variant(..)
                | Self::Closure(..)
                | Self::Partial(_)
        )
    }
}

impl Fields {
    /// Gives the values.
    #[inline]
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// Gives the values for change.
    #[inline]
    pub fn values_mut(&mut self) -> &mut [Value] {
        &mut self.0
    }
}

impl Clone for Fields {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl FromIterator<Value> for Fields {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl Drop for Fields {
    #[inline]
    fn drop(&mut self) {
        if self.0.iter().any(Value::holds_values) {
            release(self.0.drain(..));
        }
    }
}

impl Captures {
    /// Gives the values.
    #[inline]
    pub fn values(&self) -> &[Value] {
        &self.0
    }
}

impl From<Vec<Value>> for Captures {
    fn from(values: Vec<Value>) -> Self {
        Self(values)
    }
}

impl Drop for Captures {
    fn drop(&mut self) {
        if self.0.iter().any(Value::holds_values) {
            release(self.0.drain(..));
        }
    }
}

/// Shows the kind of a value and no part of it, so that showing a deep one needs no deep stack.
impl fmt::Debug for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit => formatter.write_str("Unit"),
            Self::Signed(value) => write!(formatter, "Signed({value})"),
            Self::Unsigned(value) => write!(formatter, "Unsigned({value})"),
            Self::Big(value) => write!(formatter, "Big({value})"),
            Self::Float(value) => write!(formatter, "Float({value:?})"),
            Self::Text(text) => write!(formatter, "Text({text:?})"),
            Self::Bytes(bytes) => write!(formatter, "Bytes({bytes:?})"),
            Self::List(list) => write!(formatter, "List(of {})", list.len()),
            Self::Map(map) => write!(formatter, "Map(of {})", map.len()),
            Self::Record(fields) => write!(formatter, "Record(of {})", fields.0.len()),
            Self::Tag(tag) => write!(formatter, "Tag({tag})"),
            Self::Variant(tag, fields) => {
                write!(formatter, "Variant({tag}, of {})", fields.0.len())
            }
            Self::Handle(number) => write!(formatter, "Handle({number})"),
            Self::Definition(number) => write!(formatter, "Definition({number})"),
            Self::Builtin(number) => write!(formatter, "Builtin({number})"),
            Self::Closure(number, _) => write!(formatter, "Closure({number})"),
            Self::Partial(partial) => {
                write!(
                    formatter,
                    "Partial(of {})",
                    partial.arguments.values().len()
                )
            }
        }
    }
}

impl fmt::Debug for Fields {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Fields(of {})", self.0.len())
    }
}

impl fmt::Debug for Captures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Captures(of {})", self.0.len())
    }
}

// A register of the evaluator is one value; two words keep a frame small.
const _: () = assert!(size_of::<Value>() == 16, "a value takes two words");
