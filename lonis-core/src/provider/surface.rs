//! The arguments by which a provider is asked and called.

use std::ffi::OsString;

use super::question::Question;

/// Arguments in place of the usual ones, each `None` where those hold.
#[derive(Debug, Clone, Default)]
pub(super) struct Surface {
    pub(super) manifest: Option<Vec<OsString>>,
    pub(super) tools_list: Option<Vec<OsString>>,
    pub(super) describe: Option<Vec<OsString>>,
    pub(super) call: Option<Vec<OsString>>,
}

impl Surface {
    /// Returns the arguments that ask a question.
    pub(super) fn of_question(&self, question: &Question) -> Vec<OsString> {
        match question {
            Question::Manifest => given(self.manifest.as_deref(), &["manifest"]),
            Question::ToolsList => given(self.tools_list.as_deref(), &["tools", "list"]),
            Question::Describe(name) => {
                let mut arguments = given(self.describe.as_deref(), &["tools", "describe"]);
                arguments.push(name.as_str().into());
                arguments
            }
        }
    }

    /// Returns the arguments that call a tool by its native name.
    pub(super) fn of_call(&self, native: &str) -> Vec<OsString> {
        let mut arguments = given(self.call.as_deref(), &["call"]);
        arguments.push(native.into());
        arguments
    }
}

/// Returns what was given, or the usual words.
fn given(arguments: Option<&[OsString]>, words: &[&str]) -> Vec<OsString> {
    match arguments {
        Some(arguments) => arguments.to_vec(),
        None => ["--mode", "json"]
            .iter()
            .chain(words)
            .map(OsString::from)
            .collect(),
    }
}
