//! The Python files that references name.

use soil::diagnostic::{Code, Diagnostic};
use soil::source::{FileId, MAX_SOURCE_BYTES};
use soil::spec::{Reference, ReferenceTarget};

use super::Project;
use super::folder::Folder;

impl Project {
    /// Reads the Python file that a reference names, which stands in a spec; none for a command.
    ///
    /// # Errors
    /// `oracle-error`, when it cannot be read, is a link, or is too long.
    pub(crate) fn reference_text(
        &self,
        spec: FileId,
        reference: &Reference,
    ) -> Result<Option<Vec<u8>>, Box<Diagnostic>> {
        let ReferenceTarget::Python { path, .. } = &reference.target else {
            return Ok(None);
        };
        let wrong = |reason: String| {
            let line = &reference.line;
            let message = format!("the reference `{}` cannot run: {reason}", line.value);
            Box::new(Diagnostic::at(Code::OracleError, spec, line.span, message))
        };
        let bytes = Folder::open(&self.root).and_then(|mut folder| folder.read(path));
        let bytes = bytes.map_err(|error| wrong(error.to_string()))?;
        if bytes.len() > MAX_SOURCE_BYTES {
            return Err(wrong(format!(
                "`{path}` is longer than {MAX_SOURCE_BYTES} bytes"
            )));
        }
        Ok(Some(bytes))
    }
}
