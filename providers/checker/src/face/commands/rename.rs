//! `soil rename`: what the definitions of a program refer to.

use std::path::Path;

use soil::check::Depth;
use soil::document;

use super::of_program;
use crate::face::{Answer, Options};
use crate::failure::Failure;

pub(super) fn run(path: &Path, options: Options) -> Result<Answer, Failure> {
    of_program(path, Depth::Names, options, document::renamed)
}
