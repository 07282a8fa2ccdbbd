//! `soil print`: a file in its canonical text.

use std::path::Path;

use soil::print;
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
    Ok(Answer::new(print::file(&parsed.tree, &names)))
}
