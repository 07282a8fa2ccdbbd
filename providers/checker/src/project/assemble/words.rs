//! The words of clauses, among which are the names of what these call.

use soil::source::Span;
use soil::spec::{Clause, FunctionSpec};

use super::{Candidate, Named};

impl<'p> Candidate<'p> {
    /// Gives the words of a function's clauses, and of its properties where these count too.
    pub(super) fn words(&self, with_properties: bool) -> Vec<&'p str> {
        let Some(named) = self.named else {
            return Vec::new();
        };
        let mut found: Vec<&str> = words(named, |function| &function.requires).collect();
        found.extend(words(named, |function| &function.ensures));
        if with_properties {
            let properties = |function: &'p FunctionSpec| &function.properties;
            found.extend(words_in(named, properties, |property| property.text));
        }
        found
    }
}

/// Gives the words of some clauses of a function.
pub(crate) fn words<'p>(
    named: Named<'p>,
    clauses: impl FnOnce(&'p FunctionSpec) -> &'p Vec<Clause>,
) -> impl Iterator<Item = &'p str> {
    words_in(named, clauses, |clause| clause.text)
}

fn words_in<'p, T: 'p>(
    named: Named<'p>,
    blocks: impl FnOnce(&'p FunctionSpec) -> &'p Vec<T>,
    place: impl Fn(&T) -> Span,
) -> impl Iterator<Item = &'p str> {
    let spec = named.function.spec.as_ref();
    let blocks = spec.and_then(|spec| Some((spec, blocks(spec.function()?.1))));
    let texts = blocks.into_iter().flat_map(move |(spec, blocks)| {
        let texts = blocks
            .iter()
            .filter_map(|one| spec.utf8().get(place(one).range()));
        texts.collect::<Vec<_>>()
    });
    let is_border = |character: char| !(character.is_ascii_alphanumeric() || character == '_');
    texts.flat_map(move |text| text.split(is_border))
}
