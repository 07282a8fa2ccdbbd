//! `soil lex`: the tokens of a file.

use std::path::Path;

use soil::document;
use soil::syntax::{Names, lex};

use super::Single;
use crate::face::Answer;
use crate::failure::Failure;

pub(super) fn run(path: &Path) -> Result<Answer, Failure> {
    let file = Single::read(path)?;
    let mut names = Names::new();
    let lexed = lex(Single::ID, &file.bytes, &mut names);
    file.refuse(lexed.diagnostics)?;
    let document = document::tokens(&lexed.tokens, &file.bytes, &names);
    Ok(Answer::new(document))
}
