//! Accepted texts that tests start from: the example project, the prelude under other names, and made programs.

use std::fs;

use soil::program::{Manifest, ProgramTexts, Text, prelude};

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

/// Gives the prelude as a module of a program, its names changed so that they hide nothing.
pub(crate) fn basis() -> Vec<Text> {
    let sources = prelude().sources.iter();
    let texts = sources.map(|(_, source)| {
        let path = source.path.replace("prelude/list_", "basis/row_");
        let path = path.replace("prelude/", "basis/my_");
        let text = String::from_utf8_lossy(&source.bytes);
        let text = ["map", "reverse", "filter", "fold", "sort_by"]
            .iter()
            .fold(text.into_owned(), |text, name| {
                text.replace(&format!("list_{name}"), &format!("row_{name}"))
            });
        let text = text.replace("option_map", "my_option_map");
        let text = text.replace("result_map", "my_result_map");
        Text::new(path, text.into_bytes())
    });
    texts.collect()
}

/// Gives a program of all three kinds of text: the example project, the prelude's, and made ones.
pub(crate) fn whole(seed: u64, made: usize) -> ProgramTexts {
    let mut texts = examples();
    texts.definitions.extend(basis());
    let made = generated::files(seed, made).into_iter();
    texts
        .definitions
        .extend(made.map(|(path, text)| Text::new(path, text.into_bytes())));
    texts
}
