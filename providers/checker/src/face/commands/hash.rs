//! `soil hash`: the hashes of a program's definitions.

use std::path::Path;

use soil::check::Depth;
use soil::document;
use soil::hash::soil_hashes;

use super::of_program;
use crate::face::{Answer, Options};
use crate::failure::Failure;

pub(super) fn run(path: &Path, options: Options) -> Result<Answer, Failure> {
    of_program(path, Depth::Names, options, |checked| {
        document::hashes(checked.program, &soil_hashes(checked, |_| None))
    })
}
