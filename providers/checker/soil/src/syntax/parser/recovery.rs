//! Going on after a mistake.

use super::Parser;
use super::block::is_block;
use crate::diagnostic::{Code, Diagnostic, Edit};
use crate::source::Span;
use crate::syntax::tree::Ident;
use crate::syntax::{TokenKind, known};

/// How many tokens behind one that did not fit are not reported again.
const REST_OF_MISTAKE: usize = 2;

/// A set of kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u64);

impl Kinds {
    pub(super) const NONE: Self = Self(0);

    pub(super) const fn of(kinds: &[TokenKind]) -> Self {
        let mut set = 0;
        let mut index = 0;
        while index < kinds.len() {
            set |= 1 << kinds[index] as u64;
            index += 1;
        }
        Self(set)
    }

    pub(super) const fn with(self, kind: TokenKind) -> Self {
        Self(self.0 | 1 << kind as u64)
    }

    pub(super) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn contains(self, kind: TokenKind) -> bool {
        self.0 & (1 << kind as u64) != 0
    }
}

impl Parser<'_> {
    /// Reads a token that has to stand here.
    ///
    /// When it does not, reports that, passes over what nobody waits for, and reads it if it then stands there. False says
    /// that what was read before may hold more or less than was meant.
    pub(super) fn expect(&mut self, kind: TokenKind) -> bool {
        if self.eat(kind) {
            return true;
        }
        let text = kind.text().unwrap_or("a token");
        let edits = self.insertion(kind);
        self.unexpected_with(&format!("`{text}`"), edits);
        if !self.is_missing_before_expr(kind) {
            let outer = self.awaited;
            self.awaited = outer.with(kind);
            self.skip();
            self.awaited = outer;
            self.eat(kind);
        }
        false
    }

    /// Says whether only a token before an expression is missing: the expression begins with a keyword and is here.
    fn is_missing_before_expr(&self, kind: TokenKind) -> bool {
        let is_before_expr = matches!(
            kind,
            TokenKind::In | TokenKind::Then | TokenKind::Else | TokenKind::Arrow | TokenKind::Equal
        );
        is_before_expr && is_block(self.kind())
    }

    /// Reads a name that has to stand here; where none does, the place of one.
    pub(super) fn ident_or_error(&mut self, what: &str) -> Ident {
        if matches!(self.kind(), TokenKind::Ident | TokenKind::Private) {
            return self.ident();
        }
        self.unexpected(what);
        Ident {
            name: known::ERROR,
            span: Span::empty_at(self.span().start),
        }
    }

    /// Begins what stands in the bracket before the next token, and gives what was waited for outside.
    ///
    /// Where the bracket is closed, nothing within it belongs to a construct outside.
    pub(super) fn open_bracket(&mut self, kinds: &[TokenKind]) -> Kinds {
        let outer = self.awaited;
        let is_closed = self
            .brackets
            .close(self.at)
            .is_some_and(|close| close < self.limit);
        let around = if is_closed { Kinds::NONE } else { outer };
        self.awaited = around.union(Kinds::of(kinds));
        self.bump();
        outer
    }

    /// Makes sure that some open construct waits for the next token; false when something had to be passed over.
    pub(super) fn settle(&mut self, expected: &str) -> bool {
        if self.is_awaited(self.at) {
            return true;
        }
        self.unexpected(expected);
        self.skip();
        false
    }

    /// Reports that the next token is another one than what is expected, unless it was spoken of already.
    pub(super) fn unexpected(&mut self, expected: &str) {
        self.unexpected_with(expected, Vec::new());
    }

    /// Reports an unexpected token with edits that may repair it; what does not is taken out again once the text is read.
    pub(super) fn unexpected_with(&mut self, expected: &str, edits: Vec<Edit>) {
        if !self.may_report() {
            return;
        }
        if self.diagnostics.is_full() {
            self.diagnostics.count_suppressed();
            return;
        }
        let message = format!("expected {expected}, found {}", self.shown(self.at));
        let span = self.span();
        let mut diagnostic = Diagnostic::at(Code::ParseExpected, self.file, span, message);
        diagnostic.edits = edits;
        diagnostic.edits.extend(self.replacement());
        diagnostic.edits.extend(self.openings());
        self.diagnostics.push(diagnostic);
    }

    /// Reports a mistake of another kind at a place that was read.
    pub(super) fn report(&mut self, code: Code, span: Span, message: String, edits: Vec<Edit>) {
        if !self.is_muted {
            let mut diagnostic = Diagnostic::at(code, self.file, span, message);
            diagnostic.edits = edits;
            self.diagnostics.push(diagnostic);
        }
    }

    /// Says whether a report about the next token tells something new, and remembers it.
    ///
    /// What does not fit directly behind a token that did not fit is most often the rest of the same mistake.
    fn may_report(&mut self) -> bool {
        let distance = self.last_error.and_then(|last| self.at.checked_sub(last));
        let is_known = self.is_muted
            || distance.is_some_and(|distance| distance <= REST_OF_MISTAKE)
            || self.kind() == TokenKind::Stray
            || (self.is_unterminated && self.at >= self.tokens.len());
        self.last_error = Some(self.at);
        self.first_error = self.first_error.or(self.last_error);
        !is_known
    }

    /// Passes over tokens up to one that some open construct waits for; bracketed text as a whole.
    ///
    /// What is missing where this ends was passed over, and is not reported again.
    pub(super) fn skip(&mut self) {
        let start = self.at;
        while !self.is_awaited(self.at) {
            self.at = match self.brackets.close(self.at) {
                Some(close) if close < self.limit => close + 1,
                _ => self.at + 1,
            };
        }
        self.last_error = Some(self.at);
        self.record_skipped(start);
    }

    /// Passes over everything up to where reading ends.
    pub(super) fn skip_rest(&mut self) {
        let start = self.at;
        self.at = self.limit.max(self.at);
        self.record_skipped(start);
    }

    pub(super) fn record_skipped(&mut self, start: usize) {
        if start < self.at {
            let span = self.span_at(start).to(self.previous_span());
            self.tree.skipped.push(span);
        }
    }

    pub(super) fn is_awaited(&self, index: usize) -> bool {
        match self.kind_at(index) {
            TokenKind::End => true,
            TokenKind::And => self.awaited.contains(TokenKind::And) && self.begins_binding(index),
            kind => self.awaited.contains(kind),
        }
    }

    /// Says whether the `and` at an index starts a further binding of an open `let`.
    pub(super) fn begins_binding(&self, index: usize) -> bool {
        self.open_lets > 0
            && self.kind_at(index) == TokenKind::And
            && matches!(
                self.kind_at(index + 1),
                TokenKind::Ident | TokenKind::Underscore
            )
            && self.kind_at(index + 2) == TokenKind::Equal
    }

    /// Shows a token in words.
    fn shown(&self, index: usize) -> String {
        let Some(token) = self.tokens.get(index) else {
            return "the end of the text".to_owned();
        };
        if let Some(text) = token.kind.text() {
            return format!("`{text}`");
        }
        let text = token.name.map_or("", |name| &self.names[name]);
        let shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
        match token.kind {
            TokenKind::Text => format!("the string \"{shown}\""),
            TokenKind::Hole => format!("the hole `?{shown}`"),
            _ => format!("`{shown}`"),
        }
    }

    /// Reports what is left behind a part that is read alone.
    pub(super) fn finish(&mut self) {
        if self.kind() != TokenKind::End {
            self.unexpected("the end");
            self.skip_rest();
        }
    }
}
