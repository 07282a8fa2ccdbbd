//! Characters that no token holds, and what they mean elsewhere.

use super::Lexer;
use crate::diagnostic::{Code, Diagnostic, Edit, EditKind};
use crate::source::Span;

impl Lexer<'_> {
    /// Reports a character, or a run of bytes that are not UTF-8.
    pub(super) fn report_stray(&mut self, span: Span) {
        if self.lexed.diagnostics.is_full() {
            self.lexed.diagnostics.count_suppressed();
            return;
        }
        let text = std::str::from_utf8(&self.bytes[span.range()]);
        let message = match text {
            Ok(text) => format!("`{}` is no token", text.escape_debug()),
            Err(_) => format!("{} bytes are not UTF-8", span.len()),
        };
        let mut diagnostic = Diagnostic::at(Code::StrayCharacter, self.file, span, message);
        if let Some(hint) = text.ok().and_then(hint) {
            diagnostic = diagnostic.with_note(hint);
        }
        if let Some(meant) = text.ok().and_then(meant) {
            let title = format!("write `{}`", meant.trim());
            let edit = Edit::new(EditKind::Machine, title, self.file, span, meant);
            diagnostic = diagnostic.with_edit(edit);
        } else {
            let edit = Edit::new(EditKind::Choice, "leave it out", self.file, span, "");
            diagnostic = diagnostic.with_edit(edit);
        }
        self.lexed.diagnostics.push(diagnostic);
    }
}

/// Gives what a character of other languages, or of typesetting, is here.
fn meant(text: &str) -> Option<&'static str> {
    Some(match text {
        "!" | "¬" => "not ",
        "→" | "⇒" => "->",
        "≠" => "!=",
        "≤" => "<=",
        "≥" => ">=",
        "×" | "·" => "*",
        "÷" => "/",
        "−" | "–" => "-",
        "∧" => "and",
        "∨" => "or",
        "\\" | "λ" => "fun ",
        "\u{a0}" => " ",
        "\u{feff}" | "\u{200b}" => "",
        _ => return None,
    })
}

/// Says what to write where another character stands.
fn hint(text: &str) -> Option<&'static str> {
    Some(match text {
        "[" | "]" => "there is no literal for a list: `list_append` adds to `list_empty`",
        "&" => "`and` joins two conditions",
        ";" => "`let x = v in` binds a value; nothing ends with `;`",
        "'" => "text stands in double quotes, and type variables have no mark",
        "#" => "a comment begins with `--`",
        "?" => "a hole is `?` directly followed by a name",
        "`" | "@" | "$" => "operators have no other characters than `+ - * / % < > = ! : . |`",
        _ => return None,
    })
}
