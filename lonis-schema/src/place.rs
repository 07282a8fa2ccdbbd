//! Where in a document something stands, in words for a message.

use std::fmt;

/// Shows a JSON Pointer in a message: the empty one, which points to the whole, in words.
///
/// # Example
/// ```
/// use lonis_schema::Place;
///
/// assert_eq!(Place("/key/0").to_string(), "`/key/0`");
/// assert_eq!(Place("").to_string(), "the document itself");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a>(pub &'a str);

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            formatter.write_str("the document itself")
        } else {
            write!(formatter, "`{}`", self.0)
        }
    }
}
