//! A failure as hosts meet it: the error of a tool, and the exit code of tools and of the human face.

use lonis::{ErrorKind, Json, ToolError};
use soil::diagnostic::{Code, Diagnostic};
use soil::document::Detail;
use soil::source::LineIndex;

use super::Failure;

impl Failure {
    /// Gives the exit code, which the first diagnostic decides.
    pub(crate) fn tool_exit_code(&self) -> u8 {
        let first = self.diagnostics.clone().into_sorted().into_iter().next();
        first.map_or(70, |first| exit_code(first.code))
    }

    /// Gives the error of a tool: its kind and code are those of the first diagnostic, its details the document.
    pub(crate) fn tool_error(&self, detail: Detail) -> ToolError {
        let sorted = self.diagnostics.clone().into_sorted();
        let Some(first) = sorted.first() else {
            return ToolError::new(ErrorKind::Internal, "nothing is wrong and all is refused");
        };
        let kind = ErrorKind::from(format!("checker/{}", first.code).as_str());
        let place = self.place(first).map(|place| format!(" at {place}"));
        let more = match sorted.len() - 1 + self.diagnostics.suppressed() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let place = place.unwrap_or_default();
        let message = format!("{}: {}{place}{more}", first.code, first.message);
        let document = Json::parse(&self.document(detail)).expect("a document is JSON");
        ToolError::new(kind, message)
            .with_exit_code(exit_code(first.code))
            .with_details(document)
    }

    fn place(&self, diagnostic: &Diagnostic) -> Option<String> {
        let source = self.sources.get(diagnostic.file?)?;
        let Some(span) = diagnostic.span else {
            return Some(format!("`{}`", source.path));
        };
        let position = LineIndex::new(&source.bytes).position(span);
        let (line, column) = (position.line, position.column);
        Some(format!("`{}:{line}:{column}`", source.path))
    }
}

/// Gives the exit code of a tool and of the human face, by the first code.
pub(crate) const fn exit_code(code: Code) -> u8 {
    match code {
        Code::Usage => 2,
        Code::NoDraft | Code::UnknownDecision | Code::UnknownSpecRef | Code::BundleNotFound => 3,
        Code::JobCapExceeded => 7,
        Code::Io => 8,
        Code::Unimplemented => 69,
        Code::Internal => 70,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_is_found_in_the_catalog_of_the_workspace_as_it_is_here() {
        let family = lonis::diagnostics::entries()
            .iter()
            .filter(|entry| entry.text.starts_with("checker/"));
        assert_eq!(family.count(), Code::ALL.len());
        for code in Code::ALL {
            let kind = format!("checker/{code}");
            let found: lonis::diagnostics::Code = kind.parse().expect("the kind is a code");
            let entry = found.entry();
            assert_eq!(entry.exit_code, exit_code(*code), "{kind}");
            assert_eq!(entry.fix, code.repair_class().summary(), "{kind}");
        }
    }
}
