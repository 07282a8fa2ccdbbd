//! `soil parse`: the tree of a file.

use std::path::Path;

use soil::document;
use soil::syntax::{FileShape, Names, parse};

use super::Single;
use crate::face::Answer;
use crate::failure::Failure;

pub(super) fn run(path: &Path) -> Result<Answer, Failure> {
    let file = Single::read(path)?;
    let mut names = Names::new();
    let shape = FileShape::of_path(&file.path);
    let parsed = parse(Single::ID, &file.bytes, shape, &mut names);
    file.refuse(parsed.diagnostics)?;
    let document = document::tree(&parsed.tree, &file.bytes, &names);
    Ok(Answer::new(document))
}
