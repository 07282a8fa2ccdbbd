//! The prelude: definitions in Soil that every program sees.

use std::sync::{Arc, LazyLock};

use crate::environment::Environment;
use crate::syntax::Names;

use super::{DefinitionId, KnownFiles, Program, ProgramTexts, Refused, Text};
use crate::hash::Digest;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(PreludeFile {
            name: $name,
            path: concat!("prelude/", $name, ".soil"),
            body: include_str!(concat!("../prelude/", $name, ".soil")),
            spec: include_str!(concat!("../prelude/", $name, ".tr")),
        }),*]
    };
}

/// A definition of the prelude as it is written: an example of how specs and bodies look.
#[derive(Clone, Copy, Debug)]
pub struct PreludeFile {
    /// The definition's name.
    pub name: &'static str,
    /// The path of its body.
    pub path: &'static str,
    /// The text of the body.
    pub body: &'static str,
    /// The text of the spec.
    pub spec: &'static str,
}

/// The files in program order.
const FILES: [PreludeFile; 7] = files![
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

/// Lists the files of the prelude in program order.
pub fn prelude_files() -> impl Iterator<Item = PreludeFile> {
    FILES.into_iter()
}

/// Gives the digest of the prelude's files, each its path and its text.
///
/// Two versions of the language whose digests are equal give the same meaning to names of the prelude.
pub fn prelude_digest() -> Digest {
    let parts = FILES.iter().flat_map(|file| [file.path, file.body]);
    Digest::of(parts.map(str::as_bytes))
}

fn read() -> Program {
    read_texts(&texts()).expect("the prelude has no inputs that could be malformed")
}

fn texts() -> ProgramTexts {
    let files = FILES.iter();
    ProgramTexts {
        definitions: files
            .map(|file| Text::new(file.path, file.body.as_bytes()))
            .collect(),
        ..ProgramTexts::default()
    }
}

fn read_texts(texts: &ProgramTexts) -> Result<Program, Box<Refused>> {
    let mut names = Names::new();
    let environment = Environment::kernel_in(&mut names);
    Program::empty(Arc::new(environment), names).filled(texts, &KnownFiles::default())
}

#[cfg(test)]
mod tests;
