//! Tests that ran before their results are written.
//!
//! A reference may take minutes, in which nobody may be kept from writing to the project. So tests run first; when the
//! project is held for writing the program is made once more, and only where it came to be another one do they run again.

use soil::check::Checked;
use soil::hash::Digest;

use super::assembly::Assembly;
use crate::failure::Failure;
use crate::oracle::{Attachment, run_with_oracle};
use crate::project::{Named, Project, TestOptions, TestRun};

/// A checked program whose definition is tested.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'s> {
    pub(super) project: &'s Project,
    pub(super) named: Named<'s>,
    pub(super) assembly: &'s Assembly,
    pub(super) checked: &'s Checked<'s>,
}

/// What the tests of a program came to.
#[derive(Debug)]
pub(crate) struct Tested {
    program: Digest,
    pub(super) run: TestRun,
}

impl Subject<'_> {
    /// Counts the holes that the definition has left.
    pub(super) fn hole_count(&self) -> u64 {
        let target = self.assembly.target();
        let mut definitions = self.checked.definitions.iter();
        let own = definitions.find(|one| Some(one.id) == target);
        own.map_or(0, |own| own.hole_count() as u64)
    }

    /// Runs all tests that a gate asks for, those of the reference among them.
    ///
    /// # Errors
    /// What keeps them from running.
    pub(super) fn test(&self, options: &TestOptions) -> Result<Tested, Failure> {
        let program = self.digest();
        let assembled = &self.assembly.assembled;
        let run = run_with_oracle(self.project, assembled, self.checked, self.named, options)?;
        Ok(Tested { program, run })
    }

    /// Gives results that hold for this program: those that are there, where they are of the same one.
    ///
    /// # Errors
    /// What keeps the tests from running again.
    pub(super) fn test_unless(
        &self,
        tested: Option<Tested>,
        options: &TestOptions,
    ) -> Result<Tested, Failure> {
        match tested {
            Some(tested) if tested.program == self.digest() => Ok(tested),
            _ => self.test(options),
        }
    }

    /// Hashes all that results follow from: texts but for locks, and the reference.
    fn digest(&self) -> Digest {
        let sources = self.assembly.assembled.sources().iter();
        let texts = sources.filter(|(_, source)| !source.path.ends_with(".lock"));
        let mut parts: Vec<&[u8]> = Vec::new();
        for (_, source) in texts {
            parts.extend([source.path.as_bytes(), &*source.bytes]);
        }
        let attachment = Attachment::of(self.project, self.named);
        // Where it is gone the run itself says so.
        let reference = attachment.and_then(|one| one.identity().ok());
        let reference = format!("{reference:?}");
        parts.push(reference.as_bytes());
        Digest::of(parts)
    }
}
