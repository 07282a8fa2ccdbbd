//! The static pipeline over a draft: names, types, rows, matches, and the signature of the spec.

use soil::check::{CheckOptions, Checked, check};
use soil::diagnostic::{Code, Diagnostics};
use soil::program::{DefinitionId, Text};
use soil::source::FileId;

use crate::failure::Failure;
use crate::project::{Assembled, Depends, Named, Project, assemble};

/// A draft within its program.
#[derive(Debug)]
pub(crate) struct Assembly {
    pub(crate) assembled: Assembled,
    /// `<module>::<name>`.
    pub(crate) program_name: String,
    path: String,
}

impl Assembly {
    /// Puts a draft into the program that it belongs to.
    ///
    /// # Errors
    /// When an input of the program cannot be read at all.
    pub(crate) fn of(project: &Project, named: Named<'_>, draft: &str) -> Result<Self, Failure> {
        let path = named.module.path_of(&format!("{}.soil", named.name));
        let text = Text::new(path.as_str(), draft.as_bytes());
        let depends = Depends::Target {
            named,
            draft: Some(text),
        };
        Ok(Self {
            assembled: assemble(project, &depends)?,
            program_name: named.program_name(),
            path,
        })
    }

    /// Checks the draft and what it reaches.
    ///
    /// # Errors
    /// All that is wrong in them, and a signature that is not that of the spec.
    pub(crate) fn check(&self, is_rich: bool) -> Result<Checked<'_>, Failure> {
        let checked = check(
            &self.assembled.program,
            CheckOptions {
                is_rich,
                ..CheckOptions::default()
            },
        );
        let mut found = self.assembled.placed(&checked.diagnostics);
        found.append(self.assembled.diagnostics.clone());
        let found = self.judged(found);
        if found.is_empty() {
            return Ok(checked);
        }
        Err(self.assembled.failure(found))
    }

    /// Leaves out what a name that came later makes of an older body: only the draft has to look out for it.
    fn judged(&self, found: Diagnostics) -> Diagnostics {
        let draft = self.draft_file();
        let is_old = |code: Code, file: Option<FileId>| {
            code == Code::Shadowing && file.is_some() && file != draft
        };
        if !found.iter().any(|one| is_old(one.code, one.file)) {
            return found;
        }
        // What is left out is never the cause of anything, as only unread files are.
        let mut kept = Diagnostics::new();
        for one in found.iter().filter(|one| !is_old(one.code, one.file)) {
            let mut one = one.clone();
            one.root = None;
            kept.push(one);
        }
        kept
    }

    /// Gives the text of the draft among the sources.
    pub(crate) fn draft_file(&self) -> Option<FileId> {
        let mut sources = self.assembled.sources().iter();
        let found = sources.find(|(_, source)| *source.path == *self.path);
        found.map(|(file, _)| file)
    }

    /// Gives the definition that the draft holds.
    pub(crate) fn target(&self) -> Option<DefinitionId> {
        self.assembled.program.find_definition(&self.program_name)
    }
}
