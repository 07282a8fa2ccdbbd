//! The word behind the opening of a fence.

use super::lines::{Piece, Spanned, is_scalar};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, Span};

/// `lang [name] [xfail] [@agent]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The first word.
    pub lang: String,
    /// The name of a test.
    pub name: Option<Spanned<String>>,
    /// Whether the test has to fail.
    pub is_xfail: bool,
    /// Whether the agent may change the block.
    pub is_agent: bool,
    /// Where it stands.
    pub span: Span,
    /// Whether all of its words stand in their order.
    pub(super) is_read: bool,
}

impl Info {
    /// Reads an info string and reports words that do not stand in this order.
    pub(super) fn read(file: FileId, piece: Piece<'_>, diagnostics: &mut Diagnostics) -> Self {
        let piece = piece.trimmed();
        let mut words = piece.words().peekable();
        let lang = words.next().map_or("", |word| word.text).to_owned();
        let name = words.next_if(|word| is_scalar(word.text) && word.text != "xfail");
        let is_xfail = words.next_if(|word| word.text == "xfail").is_some();
        let is_agent = words.next_if(|word| word.text == "@agent").is_some();
        let stray = words.next();
        if let Some(word) = stray {
            let message = format!(
                "`{}` does not belong here, the order is `lang [name] [xfail] [@agent]`",
                super::frontmatter::shown(word.text)
            );
            diagnostics.push(Diagnostic::at(
                Code::TrBlockInfo,
                file,
                word.span(),
                message,
            ));
        }
        Self {
            lang,
            name: name.map(Piece::to_spanned),
            is_xfail,
            is_agent,
            span: piece.span(),
            is_read: stray.is_none(),
        }
    }

    /// Gives the info as it enters a hash: its words with one space between them.
    pub fn hashed(&self) -> String {
        let mut text = self.lang.clone();
        if let Some(name) = &self.name {
            text.push(' ');
            text.push_str(&name.value);
        }
        if self.is_xfail {
            text.push_str(" xfail");
        }
        if self.is_agent {
            text.push_str(" @agent");
        }
        text
    }
}
