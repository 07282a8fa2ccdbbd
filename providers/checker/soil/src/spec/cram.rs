//! `cram` blocks: shell sessions with their output.

use super::Reader;
use super::container::Fence;
use super::json;
use super::lines::{Piece, Spanned};
use crate::diagnostic::Code;
use crate::source::Span;

/// A session in one shell and a fresh folder.
#[derive(Clone, Debug)]
pub struct Cram {
    /// The name of the block.
    pub name: Spanned<String>,
    /// Whether it has to fail.
    pub is_xfail: bool,
    /// What the folder holds at first.
    pub files: Vec<CramFile>,
    /// The commands, in order.
    pub steps: Vec<CramStep>,
}

/// `with file "p" = "content"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CramFile {
    /// The path within the folder.
    pub path: String,
    /// What the file holds.
    pub content: String,
    /// The whole line.
    pub span: Span,
}

/// `$ command`, its output and its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CramStep {
    /// The command line.
    pub command: Spanned<String>,
    /// The expected output: all lines up to the next command, blank ones too, standard output and errors together.
    pub output: String,
    /// The expected status.
    pub status: u8,
}

impl Reader<'_> {
    pub(super) fn cram(&mut self, fence: &Fence) -> Cram {
        let no_name = Spanned::new(String::new(), fence.info.span);
        let mut cram = Cram {
            name: fence.info.name.clone().unwrap_or(no_name),
            is_xfail: fence.info.is_xfail,
            files: Vec::new(),
            steps: Vec::new(),
        };
        let mut is_read = true;
        for line in self.content_of(fence).lines() {
            is_read &= self.cram_line(&mut cram, line);
        }
        for step in &mut cram.steps {
            step.take_status();
        }
        if cram.steps.is_empty() && is_read {
            self.report(
                Code::TrCramSyntax,
                fence.info.span,
                "the block has no `$ command`",
            );
        }
        cram
    }

    /// Reads one line; false when it does not read.
    fn cram_line(&mut self, cram: &mut Cram, line: Piece<'_>) -> bool {
        if let Some(command) = line.text.strip_prefix("$ ") {
            let command = Piece::new(command, line.start + 2);
            cram.steps.push(CramStep {
                command: command.to_spanned(),
                output: String::new(),
                status: 0,
            });
        } else if let Some(step) = cram.steps.last_mut() {
            step.output.push_str(line.text);
            step.output.push('\n');
        } else if !line.is_blank() {
            let Some(file) = cram_file(line.trimmed()) else {
                let message = "expected `with file \"path\" = \"content\"` or `$ command`";
                self.report(Code::TrCramSyntax, line.trimmed().span(), message);
                return false;
            };
            cram.files.push(file);
        }
        true
    }
}

fn cram_file(line: Piece<'_>) -> Option<CramFile> {
    let rest = line
        .after_word("with")?
        .trimmed()
        .after_word("file")?
        .trimmed();
    let (path, rest) = json::cut(rest)?;
    let rest = rest.trimmed();
    let content = rest
        .text
        .starts_with('=')
        .then(|| rest.after(1).trimmed())?;
    let (content, rest) = json::cut(content)?;
    let path: String = serde_json::from_str(path.text).ok()?;
    let content = serde_json::from_str(content.text).ok()?;
    let stays_inside =
        !path.contains('\0') && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    (stays_inside && rest.is_blank()).then_some(CramFile {
        path,
        content,
        span: line.span(),
    })
}

impl CramStep {
    /// Takes `[n]`, if it is the last line that is not blank, out of the output; it ends the output, as a blank line does not.
    fn take_status(&mut self) {
        let output = self.output.trim_end_matches('\n');
        let start = output.rfind('\n').map_or(0, |at| at + 1);
        let digits = output[start..]
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let status = digits
            .and_then(|digits| digits.parse().ok())
            .filter(|status| *status != 0);
        if let Some(status) = status {
            self.output.truncate(start);
            self.status = status;
        }
    }
}
