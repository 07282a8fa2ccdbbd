//! Accepted texts that tests start from: the example project, definitions like the prelude's, and made programs.

use std::fs;

use soil::program::{Manifest, ProgramTexts, Text};

use crate::examples::root;
use crate::generated;

/// Gives the example project.
pub(crate) fn examples() -> ProgramTexts {
    let read = |path: &str| fs::read(root().join(path));
    let manifest = read("program.json").expect("the manifest is readable");
    let manifest = Manifest::read(&manifest).expect("the manifest is well-formed");
    let texts = manifest.load("soil-examples", read);
    texts.expect("every file is there")
}

macro_rules! basis {
    ($($name:literal),* $(,)?) => {
        [$((
            concat!("basis/", $name, ".soil"),
            include_str!(concat!("../corpus/basis/", $name, ".soil")),
        )),*]
    };
}

/// Definitions like those of the prelude, under names that hide nothing, callee before caller.
///
/// They are files of their own: what is drawn from them must not depend on how the prelude is written.
const BASIS: [(&str, &str); 7] = basis![
    "row_map",
    "row_reverse",
    "row_filter",
    "row_fold",
    "row_sort_by",
    "my_option_map",
    "my_result_map",
];

/// Gives definitions as those of the prelude, as a module of a program.
pub(crate) fn basis() -> Vec<Text> {
    let files = BASIS.iter();
    files
        .map(|(path, text)| Text::new(*path, text.as_bytes()))
        .collect()
}

/// Gives a program of all three kinds of text: the example project, those like the prelude's, and made ones.
pub(crate) fn whole(seed: u64, made: usize) -> ProgramTexts {
    let mut texts = examples();
    texts.definitions.extend(basis());
    let made = generated::files(seed, made).into_iter();
    texts
        .definitions
        .extend(made.map(|(path, text)| Text::new(path, text.into_bytes())));
    texts
}
