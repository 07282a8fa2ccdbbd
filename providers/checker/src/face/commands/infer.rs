//! `soil infer`: types, rows and facts of a program.

use std::path::Path;

use soil::check::Depth;
use soil::document;

use super::of_program;
use crate::face::{Answer, Options};
use crate::failure::Failure;

pub(super) fn run(path: &Path, options: Options) -> Result<Answer, Failure> {
    of_program(path, Depth::Types, options, document::checked)
}
