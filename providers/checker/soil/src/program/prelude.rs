//! The prelude: definitions in Soil that every program sees.

use std::sync::LazyLock;

use crate::environment::Environment;
use crate::syntax::Names;

use super::{DefinitionId, Program, ProgramTexts, Refused, Text};
use crate::hash::Digest;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$((
            concat!("prelude/", $name, ".soil"),
            include_str!(concat!("../prelude/", $name, ".soil")),
        )),*]
    };
}

/// The files in program order.
const FILES: [(&str, &str); 7] = files![
    "list_map",
    "list_reverse",
    "list_filter",
    "list_fold",
    "list_sort_by",
    "option_map",
    "result_map",
];

static PRELUDE: LazyLock<Program> = LazyLock::new(read);

/// Gives the prelude, a program of its own: it is read without the types and definitions of any other.
pub fn prelude() -> &'static Program {
    &PRELUDE
}

/// Lists the names of its definitions.
pub(super) fn names() -> impl Iterator<Item = (&'static str, DefinitionId)> {
    let definitions = PRELUDE.definitions();
    definitions.map(|(id, definition)| (&PRELUDE.names[definition.name], id))
}

/// Gives the digest of the prelude's files, each its path and its text.
///
/// Two versions of the language whose digests are equal give the same meaning to names of the prelude.
pub fn prelude_digest() -> Digest {
    let parts = FILES.iter().flat_map(|(path, text)| [*path, *text]);
    Digest::of(parts.map(str::as_bytes))
}

fn read() -> Program {
    read_texts(&texts()).expect("the prelude has no inputs that could be malformed")
}

fn texts() -> ProgramTexts {
    let files = FILES.iter();
    ProgramTexts {
        definitions: files
            .map(|(path, text)| Text::new(*path, text.as_bytes()))
            .collect(),
        ..ProgramTexts::default()
    }
}

fn read_texts(texts: &ProgramTexts) -> Result<Program, Box<Refused>> {
    let mut names = Names::new();
    let environment = Environment::kernel_in(&mut names);
    Program::read_with(texts, environment, names, false)
}

#[cfg(test)]
mod tests;
