//! References that name files of the project.

use soil::diagnostic::Diagnostics;

use crate::project::Project;

/// Reports each reference whose Python file cannot be read; nothing is run.
pub(super) fn missing(project: &Project) -> Diagnostics {
    let mut found = Diagnostics::new();
    for named in project.functions() {
        let Some(file) = &named.function.spec else {
            continue;
        };
        let reference = file
            .function()
            .and_then(|(_, function)| function.reference.as_ref());
        let text = reference.map(|reference| project.reference_text(file.file, reference));
        if let Some(Err(wrong)) = text {
            found.push(*wrong);
        }
    }
    found
}
