//! Characters that no token holds, and what they mean elsewhere.

use super::Lexer;
use super::bracket::Bracket;
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
        let bracket = self.bracket_of(text.ok());
        let hint = match (text, bracket) {
            // What the one that closes could say stands at the one that opens.
            (Ok("]"), Some(_)) => None,
            (_, Some(bracket)) => Some(bracket.hint()),
            (text, None) => text.ok().and_then(hint),
        };
        if let Some(hint) = hint {
            diagnostic = diagnostic.with_note(hint);
        }
        if let Some(meant) = text.ok().and_then(meant) {
            let title = format!("write `{}`", meant.trim());
            let edit = Edit::new(EditKind::Machine, title, self.file, span, meant);
            diagnostic = diagnostic.with_edit(edit);
        } else if bracket.is_none_or(|bracket| bracket == Bracket::TypeArguments) {
            // Names that only a bracket holds apart stay apart.
            let between = if bracket.is_some() { " " } else { "" };
            let edit = Edit::new(EditKind::Choice, "leave it out", self.file, span, between);
            diagnostic = diagnostic.with_edit(edit);
        }
        self.lexed.diagnostics.push(diagnostic);
    }

    /// Says what a bracket may have been meant as; nothing for what is none.
    fn bracket_of(&mut self, text: Option<&str>) -> Option<Bracket> {
        match text? {
            "[" => {
                self.open_bracket = Some(self.bracket());
                self.open_bracket
            }
            "]" => self.open_bracket.take(),
            _ => None,
        }
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
        "]" => "lists have no brackets: `list_append` adds to `list_empty`",
        "&" => "`and` joins two conditions",
        ";" => "`let x = v in` binds a value; nothing ends with `;`",
        "'" => "text stands in double quotes, and type variables have no mark",
        "#" => "a comment begins with `--`",
        "?" => "a hole is `?` directly followed by a name",
        "`" | "@" | "$" => "operators have no other characters than `+ - * / % < > = ! : . |`",
        _ => return None,
    })
}
