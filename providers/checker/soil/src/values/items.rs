//! Going through the parts of any value.

use super::{Map, Value};

/// The parts of a value in order; of a map each key with its value behind it.
pub enum Items<'v> {
    /// Values side by side.
    Slice(std::slice::Iter<'v, Value>),
    /// The elements of a list.
    List(Box<dyn Iterator<Item = &'v Value> + 'v>),
    /// The keys and values of a map.
    Map(
        Box<dyn Iterator<Item = (&'v Value, &'v Value)> + 'v>,
        Option<&'v Value>,
    ),
}

impl<'v> Items<'v> {
    /// Begins at the first part; none for a value without parts.
    ///
    /// What a function holds is no part of it.
    pub fn of(value: &'v Value) -> Option<Self> {
        match value {
            Value::Record(fields) | Value::Variant(_, fields) => {
                Some(Self::Slice(fields.values().iter()))
            }
            Value::List(list) if list.len() <= 32 => Some(Self::Slice(list.block(0).iter())),
            Value::List(list) => Some(Self::List(Box::new(list.iter()))),
            Value::Map(map) => Some(Self::map(map)),
            _ => None,
        }
    }

    fn map(map: &'v Map) -> Self {
        Self::Map(Box::new(map.iter()), None)
    }
}

impl<'v> Iterator for Items<'v> {
    type Item = &'v Value;

    fn next(&mut self) -> Option<&'v Value> {
        match self {
            Self::Slice(values) => values.next(),
            Self::List(values) => values.next(),
            Self::Map(entries, value) => value.take().or_else(|| {
                let (key, next) = entries.next()?;
                *value = Some(next);
                Some(key)
            }),
        }
    }
}

impl std::fmt::Debug for Items<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Items").finish_non_exhaustive()
    }
}
