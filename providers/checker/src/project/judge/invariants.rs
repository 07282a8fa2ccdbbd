//! Invariants of declared types, which give no tests yet.

use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::spec::Content;

use crate::project::Project;

/// Warns of each invariant: nothing tests it.
pub(super) fn untested(project: &Project) -> Diagnostics {
    let mut found = Diagnostics::new();
    let files = project
        .modules
        .iter()
        .flat_map(|module| module.types.values());
    for file in files {
        let Some(Content::Type(content)) = file.spec.as_ref().map(|spec| &spec.content) else {
            continue;
        };
        for clause in &content.invariants {
            let message = format!("the invariant `{}` gives no test", clause.label.value);
            let code = Code::UnsupportedInvariantProperty;
            found.push(Diagnostic::at(code, file.file, clause.label.span, message));
        }
    }
    found
}
