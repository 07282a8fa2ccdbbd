//! `.tr` files: what a person wrote about one function, type, module or project.
//!
//! [`Container`] is the outer form: frontmatter, prose and fenced blocks, and it is all that hashes need
//! ([`Hashes`]). [`read`] gives the blocks their meaning as a [`Spec`] and checks what can be told from the file and its
//! place alone; names and types within clauses are judged by later phases.

mod block;
mod clause;
mod container;
mod cram;
mod decisions;
mod declared;
mod edits;
mod exports;
mod frontmatter;
mod function;
mod hashes;
mod info;
mod json;
mod lines;
mod location;
mod property;
mod reference;
mod signature;
mod test_block;
mod write_back;

pub use block::{Block, BlockKind};
pub use clause::Clause;
pub use container::{Container, Fence};
pub use cram::{Cram, CramFile, CramStep};
pub use decisions::Decision;
pub use declared::TypeSpec;
pub use exports::{Export, ExportKind};
pub use frontmatter::Frontmatter;
pub use function::FunctionSpec;
pub use hashes::{Hashes, ScopedDecision, entries_digest, scope_hash};
pub use info::Info;
pub use lines::Spanned;
pub use location::{Location, SpecKind};
pub use property::{Forall, Property};
pub use reference::{Allowed, Reference, ReferenceTarget};
pub use signature::Signature;
pub use test_block::{Argument, Bind, Case, Expected, JsonText, TestBlock};
pub use write_back::{WriteBackError, with_clarification, with_decision, with_signature};

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Edit};
use crate::source::{FileId, Span};
use crate::syntax::tree::Tree;
use crate::syntax::{Names, Part};

/// One `.tr` file with the meaning of its blocks.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The file's text.
    pub file: FileId,
    /// The name of the frontmatter.
    pub name: Spanned<String>,
    /// The tags of the frontmatter.
    pub tags: Vec<Spanned<String>>,
    /// What it describes, with the blocks that such a file may have.
    pub content: Content,
    /// The types and predicates of all blocks.
    pub tree: Tree,
    /// The hashes of its parts.
    pub hashes: Hashes,
}

/// What a `.tr` file describes.
#[derive(Clone, Debug)]
pub enum Content {
    /// A function.
    Function(Box<FunctionSpec>),
    /// A declared type.
    Type(Box<TypeSpec>),
    /// A module: its exports and decisions.
    Module {
        /// What other modules may use.
        exports: Vec<Export>,
        /// What was decided for the module.
        decisions: Vec<Decision>,
    },
    /// The project: its decisions.
    Project {
        /// What was decided for the project.
        decisions: Vec<Decision>,
    },
}

/// What reading a `.tr` file gives.
#[derive(Clone, Debug, Default)]
pub struct ReadSpec {
    /// The outer form, unless the frontmatter does not read.
    pub container: Option<Container>,
    /// The meaning; without the blocks that did not read.
    pub spec: Option<Spec>,
    /// What was reported.
    pub diagnostics: Diagnostics,
}

/// Reads a `.tr` file.
///
/// # Errors
/// Reports the `tr-…` codes that can be told from the file and its place, `unsupported-where-filter`, `malformed-input` for a
/// text that is not UTF-8 and `limit-exceeded` for one of more than 1 MiB. `tr-undeclared-tag` is left to
/// [`check_tags`].
pub fn read(file: FileId, bytes: &[u8], location: Location<'_>, names: &mut Names) -> ReadSpec {
    let mut found = read_once(file, bytes, location, names);
    let again = |bytes: &[u8]| read_once(file, bytes, location, &mut Names::new()).diagnostics;
    found.diagnostics.keep_edits_that_hold(file, bytes, again);
    found
}

/// Reads a `.tr` file; edits are offered and not yet tried.
fn read_once(file: FileId, bytes: &[u8], location: Location<'_>, names: &mut Names) -> ReadSpec {
    let mut diagnostics = Diagnostics::new();
    let container = Container::read(file, bytes, &mut diagnostics);
    edits::offer_name(&mut diagnostics, file, location, container.as_ref());
    let Some(container) = container else {
        return ReadSpec {
            diagnostics,
            ..ReadSpec::default()
        };
    };
    let mut reader = Reader {
        file,
        bytes,
        names,
        tree: Tree::new(),
        diagnostics,
    };
    let spec = reader.spec(&container, location);
    ReadSpec {
        container: Some(container),
        spec,
        diagnostics: reader.diagnostics,
    }
}

/// Reports each tag that `soil.toml` does not declare.
pub fn check_tags(spec: &Spec, is_declared: impl Fn(&str) -> bool, diagnostics: &mut Diagnostics) {
    for tag in spec.tags.iter().filter(|tag| !is_declared(&tag.value)) {
        let message = format!("`soil.toml` declares no tag `{}`", tag.value);
        diagnostics.push(Diagnostic::at(
            Code::TrUndeclaredTag,
            spec.file,
            tag.span,
            message,
        ));
    }
}

/// Reads blocks and collects what is reported.
struct Reader<'a> {
    file: FileId,
    bytes: &'a [u8],
    names: &'a mut Names,
    tree: Tree,
    diagnostics: Diagnostics,
}

impl<'a> Reader<'a> {
    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics
            .push(Diagnostic::at(code, self.file, span, message));
    }

    /// Reports something with what may mend it.
    fn report_with(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        edits: impl IntoIterator<Item = Edit>,
    ) {
        let mut diagnostic = Diagnostic::at(code, self.file, span, message.into());
        diagnostic.edits.extend(edits);
        self.diagnostics.push(diagnostic);
    }

    /// Gives a part of the text, for the readers of types and predicates.
    fn part(&self, span: Span) -> Part<'a> {
        Part {
            file: self.file,
            bytes: self.bytes,
            range: span.range(),
        }
    }

    /// Takes over a result; what was reported gets the code of its block.
    fn accept<T>(&mut self, code: Code, result: Result<T, Diagnostics>) -> Option<T> {
        let found = match result {
            Ok(value) => return Some(value),
            Err(found) => found,
        };
        for mut diagnostic in found.into_sorted() {
            let keeps_code = matches!(
                diagnostic.code,
                Code::LimitExceeded | Code::TrIgnoredDefault
            );
            if !keeps_code {
                diagnostic.code = code;
            }
            self.diagnostics.push(diagnostic);
        }
        None
    }
}

#[cfg(test)]
mod tests;
