//! The words of clauses, among which are the names of what these call.

use soil::source::Span;
use soil::spec::{Clause, FunctionSpec};

use super::{Candidate, Named};

impl<'p> Candidate<'p> {
    /// Gives the words of a function's clauses, and of its properties where these count too.
    pub(super) fn words(&self, with_properties: bool) -> Vec<&'p str> {
        let spec = self.named.and_then(|named| named.function.spec.as_ref());
        let function = spec.and_then(|spec| Some((spec.utf8(), spec.function()?.1)));
        function.map_or_else(Vec::new, |(text, function)| {
            words_of(text, function, with_properties)
        })
    }
}

/// Gives the words of all clauses in the text of a function's spec, and of its properties where these count too.
pub(crate) fn words_of<'t>(
    text: &'t str,
    function: &FunctionSpec,
    with_properties: bool,
) -> Vec<&'t str> {
    let clauses = function.requires.iter().chain(&function.ensures);
    let mut places: Vec<Span> = clauses.map(|clause| clause.text).collect();
    if with_properties {
        places.extend(function.properties.iter().map(|property| property.text));
    }
    let texts = places
        .into_iter()
        .filter_map(|place| text.get(place.range()));
    texts.flat_map(split).collect()
}

/// Gives the words of some clauses of a function.
pub(crate) fn words<'p>(
    named: Named<'p>,
    clauses: impl FnOnce(&'p FunctionSpec) -> &'p Vec<Clause>,
) -> impl Iterator<Item = &'p str> {
    let spec = named.function.spec.as_ref();
    let clauses = spec.and_then(|spec| Some((spec, clauses(spec.function()?.1))));
    clauses.into_iter().flat_map(|(spec, clauses)| {
        let texts = clauses
            .iter()
            .filter_map(|clause| spec.utf8().get(clause.text.range()));
        texts.flat_map(split)
    })
}

/// Splits a text into all that could be names in it.
pub(crate) fn split(text: &str) -> impl Iterator<Item = &str> {
    let is_border = |character: char| !(character.is_ascii_alphanumeric() || character == '_');
    text.split(is_border)
}
