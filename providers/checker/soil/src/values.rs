//! Values of running programs: what they are, how they are read, written and compared, drawn and made smaller.
//!
//! A [`Value`] carries no type. What it means is known to the program that made it; at the border of a program a [`Form`],
//! the expanded type, directs reading, writing, drawing and shrinking. Values share structure and are dropped without
//! growing the host's stack; they stay on the thread that made them. Work that depends on the size of a value is paid for
//! with a [`Meter`].

mod canonical;
mod compare;
mod defaults;
mod float;
mod form;
mod generate;
mod integer;
mod items;
mod list;
mod map;
mod meter;
mod random;
mod read;
mod release;
mod shrink;
mod value;

pub use canonical::{hash_text, push_json_text, write};
pub use compare::{compare, measure};
pub use defaults::unfit_defaults;
pub use float::float_text;
pub use form::{FieldForm, Form, FormId, Forms, PayloadForm, VariantForm};
pub use generate::{GENERATOR, Generator, Ungenerable};
pub(crate) use integer::{big_bits, big_integer};
pub use integer::{bounds, fits};
pub use items::Items;
pub use list::List;
pub use map::Map;
pub use meter::{Exhausted, Meter};
pub use random::SplitMix64;
pub use read::read;
pub use shrink::candidates;
pub use value::{Captures, Fields, Partial, Value};

#[cfg(test)]
mod tests;
