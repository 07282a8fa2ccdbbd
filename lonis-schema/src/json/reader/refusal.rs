//! Why a text is not the typed value that was asked for.

use std::fmt;

use serde::de::{Expected, Unexpected};

use crate::json::JsonError;

/// The text is not strict JSON, or the value has another shape.
#[derive(Debug)]
pub(crate) struct Refusal(Box<Reason>);

#[derive(Debug)]
pub(crate) enum Reason {
    Json(JsonError),
    Shape {
        message: String,
        /// Where the value or key begins that is wrong; none while nobody has said.
        offset: Option<usize>,
    },
}

impl Refusal {
    pub(crate) fn into_reason(self) -> Reason {
        *self.0
    }

    /// Says where the value or key begins that is wrong, unless a part of it is known to be.
    pub(super) fn at(mut self, start: usize) -> Self {
        if let Reason::Shape { offset, .. } = &mut *self.0 {
            offset.get_or_insert(start);
        }
        self
    }
}

impl From<JsonError> for Refusal {
    fn from(error: JsonError) -> Self {
        Self(Box::new(Reason::Json(error)))
    }
}

impl serde::de::Error for Refusal {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(Box::new(Reason::Shape {
            message: message.to_string(),
            offset: None,
        }))
    }

    fn invalid_type(seen: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!(
            "invalid type: {}, expected {}",
            Seen(seen),
            Wanted(expected)
        ))
    }

    fn invalid_value(seen: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!(
            "invalid value: {}, expected {}",
            Seen(seen),
            Wanted(expected)
        ))
    }
}

/// What was found, in the words of JSON rather than those of Rust.
struct Seen<'a>(Unexpected<'a>);

impl fmt::Display for Seen<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Unexpected::Unit => formatter.write_str("null"),
            Unexpected::Seq => formatter.write_str("an array"),
            Unexpected::Map => formatter.write_str("an object"),
            other => other.fmt(formatter),
        }
    }
}

/// What was wanted, in the same words.
struct Wanted<'a>(&'a dyn Expected);

impl fmt::Display for Wanted<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0.to_string() {
            "a sequence" => formatter.write_str("an array"),
            "a map" => formatter.write_str("an object"),
            name if name.starts_with("struct ") => formatter.write_str("an object"),
            other => formatter.write_str(other),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Reason::Json(error) => error.fmt(formatter),
            Reason::Shape { message, .. } => formatter.write_str(message),
        }
    }
}

impl std::error::Error for Refusal {}
