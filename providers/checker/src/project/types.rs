//! The declared types of a project.

use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::environment::{EntryBody, Environment, TypeEntry};
use soil::source::{FileId, Span};
use soil::spec::Content;
use soil::syntax::tree::{DeclarationBody, DeclaredField, Payload, Variant};
use soil::syntax::{Name, Names};
use soil::values::unfit_defaults;

use super::{Project, SpecFile};

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
        let mut faults = 0;
        loop {
            let mut environment = Environment::kernel_in(names);
            let entries = declared.iter().map(|one| one.entry.clone()).collect();
            let Err(error) = environment.declare(entries, names) else {
                self.report_defaults(&environment, names, &mut diagnostics);
                return (environment, diagnostics);
            };
            let (position, message) = (error.entry, error.message);
            let (file, span) = (declared[position].file, declared[position].span);
            // What its own file says of it already is the same mistake.
            if !self.reports_declaration(file) {
                diagnostics.push(Diagnostic::at(Code::TrTypeSyntax, file, span, message));
            }
            faults += 1;
            if faults >= MAX_FAULTS {
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

    /// Reports defaults of ignored fields that are no values of their types.
    fn report_defaults(
        &self,
        environment: &Environment,
        names: &Names,
        diagnostics: &mut Diagnostics,
    ) {
        for (owner, field) in unfit_defaults(environment, names) {
            let mut files = self.modules.iter().flat_map(|module| module.types.values());
            let found = files.find_map(|file| ignored_field(file, environment[owner].name, field));
            let Some((file, span)) = found else { continue };
            let field = &names[field];
            let message = format!("the default of `{field}` is no value of its type");
            diagnostics.push(Diagnostic::at(Code::TrIgnoredDefault, file, span, message));
        }
    }

    fn reports_declaration(&self, file: FileId) -> bool {
        self.diagnostics.iter().any(|found| {
            let is_about_types = matches!(
                found.code,
                Code::TrTypeSyntax | Code::TrIgnoredDefault | Code::MalformedInput
            );
            is_about_types && found.file == Some(file)
        })
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

/// Finds an ignored field in a file that declares a type of this name.
fn ignored_field(file: &SpecFile, owner: Name, name: Name) -> Option<(FileId, Span)> {
    let Content::Type(content) = &file.spec.as_ref()?.content else {
        return None;
    };
    let declaration = content.declaration.as_ref()?;
    if declaration.name.name != owner {
        return None;
    }
    let fields: Vec<&DeclaredField> = match &declaration.body {
        DeclarationBody::Record(fields) => fields.iter().collect(),
        DeclarationBody::Sum(variants) => variants.iter().flat_map(fields_of).collect(),
        DeclarationBody::Opaque | DeclarationBody::Alias(_) => Vec::new(),
    };
    let mut ignored = fields.into_iter().filter(|field| field.ignored.is_some());
    let field = ignored.find(|field| field.field.name == name)?;
    Some((file.file, field.field.span))
}

fn fields_of(variant: &Variant) -> &[DeclaredField] {
    match &variant.payload {
        Payload::Record(fields) => fields,
        Payload::Empty | Payload::Type(_) => &[],
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
