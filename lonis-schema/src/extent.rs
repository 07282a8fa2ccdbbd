//! How large a JSON text is, in the three ways that a block can bound its payload.

use crate::bounds::BlockBounds;
use crate::finding::Breach;
use crate::json::events::{Event, Events};
use crate::json::scan::unescape;

/// The measures of one JSON text that was scanned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Bytes without whitespace between tokens.
    bytes: usize,
    /// Items of the longest array.
    items: usize,
    /// Unicode scalar values of the longest string that is no key.
    length: usize,
}

impl Extent {
    /// Measures a text without whitespace between tokens.
    pub(crate) fn of(compact: &str) -> Self {
        let mut extent = Self {
            bytes: compact.len(),
            ..Self::default()
        };
        // One count for each open array, none for an open object.
        let mut open: Vec<Option<usize>> = Vec::new();
        for event in Events::new(compact) {
            if let Some(Some(items)) = open.last_mut()
                && !matches!(event, Event::EndArray | Event::EndObject | Event::Key(_))
            {
                *items += 1;
                extent.items = extent.items.max(*items);
            }
            match event {
                Event::BeginArray => open.push(Some(0)),
                Event::BeginObject => open.push(None),
                Event::EndArray | Event::EndObject => drop(open.pop()),
                Event::String(inside) if inside.len() > extent.length => {
                    extent.length = extent.length.max(unescape(inside).chars().count());
                }
                Event::String(_) | Event::Key(_) | Event::Number(_) | Event::Word(_) => {}
            }
        }
        extent
    }

    /// Tells which of the declared bounds do not hold.
    pub(crate) fn breaches(self, bounds: &BlockBounds) -> impl Iterator<Item = Breach> {
        let measured = [
            ("max_items", bounds.max_items, self.items),
            ("max_bytes", bounds.max_bytes, self.bytes),
            ("max_length", bounds.max_length, self.length),
        ];
        measured.into_iter().filter_map(|(bound, limit, seen)| {
            let (limit, seen) = (limit?, seen as u64);
            (seen > limit).then_some(Breach::Bound { bound, limit, seen })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Extent;

    #[test]
    fn the_longest_array_and_string_count() {
        let cases = [
            ("null", (4, 0, 0)),
            (r#""é\u00e9\n""#, (12, 0, 3)),
            ("[]", (2, 0, 0)),
            ("[1,[2,3,4],{}]", (14, 3, 0)),
            (r#"{"long key":[["a"],"bc"],"b":[1]}"#, (33, 2, 2)),
            ("[[1,2],[[3,4,5]]]", (17, 3, 0)),
        ];
        for (text, (bytes, items, length)) in cases {
            assert_eq!(
                Extent::of(text),
                Extent {
                    bytes,
                    items,
                    length
                },
                "{text}"
            );
        }
    }
}
