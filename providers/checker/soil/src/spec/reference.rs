//! `reference` and `allow` blocks.

use super::Reader;
use super::container::Fence;
use super::lines::{Piece, Spanned};
use crate::diagnostic::Code;

/// What the results of a function are compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The line as it is written.
    pub line: Spanned<String>,
    /// What it names.
    pub target: ReferenceTarget,
}

/// What a `reference` line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceTarget {
    /// `path.py::symbol`.
    Python {
        /// The file, from the project's root.
        path: String,
        /// The function in it.
        symbol: String,
    },
    /// `cli command …`.
    Cli {
        /// The words of the command.
        command: Vec<String>,
    },
}

/// What a function may do beyond the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Allowed {
    /// It may keep holes.
    Partial,
    /// It may go around checks.
    Unsafe,
    /// It may call foreign code directly.
    FfiRaw,
}

impl Allowed {
    /// All words.
    pub const ALL: [Self; 3] = [Self::Partial, Self::Unsafe, Self::FfiRaw];

    /// Gives the word.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Partial => "partial",
            Self::Unsafe => "unsafe",
            Self::FfiRaw => "ffi-raw",
        }
    }

    /// Gives what a word means.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|allowed| allowed.text() == text)
    }
}

impl Reader<'_> {
    pub(super) fn reference(&mut self, fence: &Fence) -> Option<Reference> {
        let mut lines = self
            .content_of(fence)
            .lines()
            .filter(|line| !line.is_blank());
        let (Some(line), None) = (lines.next(), lines.next()) else {
            let message = "a `reference` block has one line";
            self.report(Code::TrReferenceSyntax, fence.info.span, message);
            return None;
        };
        let line = line.trimmed();
        let Some(target) = target(line) else {
            let message = "expected `path.py::symbol` or `cli command`";
            self.report(Code::TrReferenceSyntax, line.span(), message);
            return None;
        };
        let line = line.to_spanned();
        Some(Reference { line, target })
    }

    pub(super) fn allow(&mut self, fence: &Fence) -> Vec<Spanned<Allowed>> {
        let mut allowed = Vec::new();
        for word in self.content_of(fence).words() {
            if let Some(value) = Allowed::from_text(word.text) {
                allowed.push(Spanned::new(value, word.span()));
            } else {
                let message = "`partial`, `unsafe` and `ffi-raw` can be allowed";
                let edits = self.allowed_words(word.span());
                self.report_with(Code::TrAllowUnknown, word.span(), message, edits);
            }
        }
        allowed
    }
}

fn target(line: Piece<'_>) -> Option<ReferenceTarget> {
    if let Some(command) = line.after_word("cli") {
        let command: Vec<String> = command.words().map(|word| word.text.to_owned()).collect();
        return (!command.is_empty()).then_some(ReferenceTarget::Cli { command });
    }
    let (path, symbol) = line.text.split_once("::")?;
    let is_path = path
        .strip_suffix(".py")
        .is_some_and(|stem| !stem.is_empty());
    let stays_inside = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    let mut bytes = symbol.bytes();
    let begins = bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let is_symbol = begins && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let has_space = path.contains(char::is_whitespace);
    (is_path && stays_inside && is_symbol && !has_space).then(|| ReferenceTarget::Python {
        path: path.to_owned(),
        symbol: symbol.to_owned(),
    })
}
