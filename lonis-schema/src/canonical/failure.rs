//! A [`CanonicalError`] on its way through serde.

use std::fmt;

use serde::ser;

use super::CanonicalError;

/// What the serializers of this module fail with.
#[derive(Debug)]
pub(super) struct Failure(pub(super) CanonicalError);

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Failure {}

impl ser::Error for Failure {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(CanonicalError::Serialize(message.to_string()))
    }
}

impl<E: Into<CanonicalError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}
