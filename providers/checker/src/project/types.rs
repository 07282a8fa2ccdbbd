//! The declared types of a project.

use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::environment::{EntryBody, Environment, TypeEntry};
use soil::source::{FileId, Span};
use soil::spec::Content;
use soil::syntax::Names;

use super::Project;

/// The most declarations that are reported before the rest is taken for opaque unseen.
const MAX_FAULTS: usize = 50;

/// A declaration with the place of its name.
struct Declared {
    entry: TypeEntry,
    file: FileId,
    span: Span,
}

impl Project {
    /// Makes the environment of all declared types; one that makes no sense is reported and stays as an opaque type.
    pub(crate) fn environment(&self, names: &mut Names) -> (Environment, Diagnostics) {
        let mut declared = self.declared();
        let mut diagnostics = Diagnostics::new();
        loop {
            let mut environment = Environment::kernel_in(names);
            let entries = declared.iter().map(|one| one.entry.clone()).collect();
            let Err(error) = environment.declare(entries, names) else {
                return (environment, diagnostics);
            };
            let (position, message) = (error.entry, error.message);
            let (file, span) = (declared[position].file, declared[position].span);
            diagnostics.push(Diagnostic::at(Code::TrTypeSyntax, file, span, message));
            if diagnostics.len() >= MAX_FAULTS {
                return (Environment::kernel_in(names), diagnostics);
            }
            // Its name stays known, so that nothing else is reported about those who use it.
            let is_opaque = matches!(declared[position].entry.body, EntryBody::Opaque);
            if is_opaque || is_name_taken(names, &declared, position) {
                declared.remove(position);
            } else {
                declared[position].entry.body = EntryBody::Opaque;
            }
        }
    }

    fn declared(&self) -> Vec<Declared> {
        let files = self.modules.iter().flat_map(|module| module.types.values());
        let declared = files.filter_map(|file| {
            let spec = file.spec.as_ref()?;
            let Content::Type(content) = &spec.content else {
                return None;
            };
            let declaration = content.declaration.as_ref()?;
            let formal = Some(spec.hashes.formal);
            Some(Declared {
                entry: TypeEntry::from_declaration(declaration, &spec.tree, &self.names, formal),
                file: file.file,
                span: declaration.name.span,
            })
        });
        declared.collect()
    }
}

/// Says whether an earlier declaration, or a type of the language, has the name of this one.
fn is_name_taken(names: &mut Names, declared: &[Declared], position: usize) -> bool {
    let name = declared[position].entry.name;
    let is_earlier = declared[..position]
        .iter()
        .any(|other| other.entry.name == name);
    is_earlier || Environment::kernel_in(names).type_named(name).is_some()
}
