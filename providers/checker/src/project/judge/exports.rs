//! What `soil.toml` and exports name and the project does not have.

use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::program::Program;
use soil::spec::{Content, Export, ExportKind};

use crate::project::{Module, Project, SpecFile};

/// Reports exports and an entrypoint that are not there.
pub(super) fn missing(project: &Project, program: &Program) -> Diagnostics {
    let mut found = Diagnostics::new();
    for module in &project.modules {
        let Some((file, exports)) = exports_of(module) else {
            continue;
        };
        for export in exports.iter().filter(|export| !is_there(module, export)) {
            let (code, what) = match export.kind {
                ExportKind::Definition => (Code::UnknownName, "definition"),
                ExportKind::Type | ExportKind::AbstractType => (Code::UnknownType, "type"),
            };
            let name = &export.name.value;
            let message = format!("the module has no {what} `{name}`");
            found.push(Diagnostic::at(code, file.file, export.name.span, message));
        }
    }
    if let Some(entrypoint) = &project.config.entrypoint
        && program.find_definition(entrypoint).is_none()
    {
        let message = format!(
            "`entrypoint` names `{entrypoint}`, which is not one definition of the project"
        );
        let mut diagnostic = Diagnostic::new(Code::ConfigBadValue, message);
        diagnostic.file = Some(project.config_file);
        found.push(diagnostic);
    }
    found
}

fn exports_of(module: &Module) -> Option<(&SpecFile, &[Export])> {
    let file = module.spec.as_ref()?;
    match &file.spec.as_ref()?.content {
        Content::Module { exports, .. } => Some((file, exports)),
        _ => None,
    }
}

fn is_there(module: &Module, export: &Export) -> bool {
    let name = &export.name.value;
    if export.kind == ExportKind::Definition {
        return module.functions.contains_key(name);
    }
    let mut types = module.types.values();
    types.any(|file| {
        let spec = file.spec.as_ref();
        spec.is_some_and(|spec| spec.name.value == *name)
    })
}
