//! Files and definitions.

use super::recovery::Kinds;
use super::{FileShape, MAX_REREADS, Parser};
use crate::diagnostic::{Code, Edit, EditKind};
use crate::source::Span;
use crate::syntax::TokenKind;
use crate::syntax::token::is_ident;
use crate::syntax::tree::{Definition, ExprId, Ident, List, TypeId, TypeKind};

impl Parser<'_> {
    /// Reads all definitions of a file and checks what it may hold.
    pub(super) fn file(&mut self) {
        let shape = self.shape;
        let starts = self.definition_starts();
        let first = starts.first().copied().unwrap_or(self.tokens.len());
        if first > 0 || (self.tokens.is_empty() && matches!(shape, FileShape::Public { .. })) {
            self.without_signature(first);
        }
        for (position, start) in starts.iter().enumerate() {
            let end = starts
                .get(position + 1)
                .copied()
                .unwrap_or(self.tokens.len());
            self.begin(*start, end);
            self.definition();
        }
        self.check_shape();
    }

    fn begin(&mut self, start: usize, end: usize) {
        self.at = start;
        self.limit = end;
        self.level = 0;
        self.open_lets = 0;
        self.awaited = Kinds::NONE;
        self.type_nodes = 0;
        self.last_error = None;
        self.rereads = MAX_REREADS;
        self.is_muted = false;
    }

    /// Finds the tokens at which definitions begin: outside brackets, a name before `:`.
    ///
    /// A bracket that nothing closes counts as none. What cannot begin a definition in a text that reads is taken for a
    /// parameter that lost a bracket: within a line, behind such a bracket or before the equation of the definition.
    fn definition_starts(&self) -> Vec<usize> {
        let mut starts = Vec::new();
        let (mut has_lonely, mut has_equation) = (false, true);
        let mut index = 0;
        while index < self.tokens.len() {
            let token = self.tokens[index];
            match token.kind {
                TokenKind::OpenParen | TokenKind::OpenBrace => match self.brackets.close(index) {
                    Some(close) => index = close,
                    None => has_lonely = true,
                },
                TokenKind::CloseParen | TokenKind::CloseBrace => has_lonely = true,
                TokenKind::Equal => has_equation = true,
                _ if self.is_named_colon(index)
                    && (token.begins_line
                        || (has_equation && !has_lonely && !self.is_bound(index))) =>
                {
                    starts.push(index);
                    (has_lonely, has_equation) = (false, false);
                }
                _ => {}
            }
            index += 1;
        }
        starts
    }

    fn is_named_colon(&self, index: usize) -> bool {
        is_name(self.kind_at(index)) && self.kind_at(index + 1) == TokenKind::Colon
    }

    /// Says whether a name is one that a `let` binds, which has no type in Soil.
    fn is_bound(&self, index: usize) -> bool {
        let before = index.checked_sub(1).map(|before| self.kind_at(before));
        matches!(before, Some(TokenKind::Let | TokenKind::Rec))
    }

    /// Finds a name before `:` outside brackets within a signature, where a parameter has lost its bracket.
    fn find_bare_param(&self, start: usize, end: usize) -> Option<usize> {
        let mut index = start;
        while index < end {
            let is_bracketed = matches!(
                self.kind_at(index - 1),
                TokenKind::OpenParen | TokenKind::OpenBrace
            );
            if self.is_named_colon(index) && !is_bracketed {
                return Some(index);
            }
            index = self.brackets.close(index).unwrap_or(index) + 1;
        }
        None
    }

    /// Reads what stands before the first name with a `:`; it is never right.
    fn without_signature(&mut self, end: usize) {
        self.begin(0, end);
        let is_named = is_name(self.kind());
        if !is_named {
            self.unexpected("a name");
            self.skip_rest();
            return;
        }
        let name = self.ident();
        self.unexpected("`:`");
        if !self.is_head(name, 0) {
            self.at = 0;
            self.skip_rest();
            return;
        }
        let ty = self.error_type(Span::empty_at(name.span.end));
        self.at = 0;
        self.equation(
            name,
            SignatureParts {
                ty,
                decreases: None,
            },
        );
    }

    pub(super) fn error_type(&mut self, span: Span) -> TypeId {
        self.tree.add_type(span, TypeKind::Error)
    }

    /// Reads the definition that begins here, with a name and a `:`.
    fn definition(&mut self) {
        let end = self.limit;
        let name = self.ident();
        self.bump();
        let start = self.at;
        let head = self.find_head(name, start);
        let mark = (self.diagnostics.mark(), self.tree.skipped.len());
        self.first_error = None;
        let stop = head.unwrap_or(end);
        let stop = self.find_bare_param(start, stop).unwrap_or(stop);
        let mut parts = self.signature(start, stop);
        let failed = self
            .first_error
            .or((self.at < self.limit).then_some(self.at));
        let mut equation = head;
        if let Some(stop) = failed
            && !self.is_muted
            && let Some(found) = self.line_name(start, stop)
        {
            self.diagnostics.rewind(mark.0);
            self.tree.skipped.truncate(mark.1);
            self.type_nodes = 0;
            self.report_other_name(name, found, end);
            parts = self.signature(start, found);
            equation = Some(found);
        }
        if self.kind() == TokenKind::Less && self.at < self.limit {
            // Arguments in the brackets of another language: which ones are meant is not known.
            parts.ty = self.error_type(self.tree[parts.ty].span);
        }
        self.end_signature(name);
        self.limit = end;
        match equation {
            Some(equation) if !self.is_muted => {
                self.at = equation;
                self.equation(name, parts);
            }
            _ => {
                if self.first_error.is_none() {
                    self.unexpected("an equation");
                }
                self.unreadable_equation(name, parts);
            }
        }
    }

    /// Reads a type and a measure, which begin at one token and end before another.
    fn signature(&mut self, start: usize, limit: usize) -> SignatureParts {
        self.at = start;
        self.limit = limit;
        let ty = self.ty().id;
        let decreases = self.eat(TokenKind::Decreases).then(|| self.expr().id);
        SignatureParts { ty, decreases }
    }

    /// Passes over what stands between a signature and its equation.
    fn end_signature(&mut self, name: Ident) {
        if self.at < self.limit {
            let edits = self.equation_start(name);
            self.unexpected_with("`->` or the equation", edits);
            self.skip_rest();
        }
    }

    /// Reports an equation of another name, unless the file has that name and the signature's will be reported.
    fn report_other_name(&mut self, name: Ident, index: usize, end: usize) {
        let other = self.ident_at(index);
        if other.name == name.name {
            return;
        }
        let is_of_file =
            matches!(self.shape, FileShape::Public { stem } if stem == &self.names[other.name]);
        if !is_of_file {
            self.report_name_mismatch(name, other, index..end);
        }
        self.last_error = Some(index);
    }

    /// Finds the token that starts the equation: the name again, followed by other names and `=`, outside brackets.
    fn find_head(&self, name: Ident, start: usize) -> Option<usize> {
        let mut index = start;
        while index < self.limit {
            let token = self.tokens[index];
            if let Some(close) = self.brackets.close(index) {
                index = close;
            } else if token.name == Some(name.name)
                && is_name(token.kind)
                && self.is_head(name, index)
            {
                return Some(index);
            }
            index += 1;
        }
        None
    }

    fn is_head(&self, name: Ident, index: usize) -> bool {
        let mut next = index + 1;
        while self.kind_at(next) == TokenKind::Ident && self.name_at(next) != name.name {
            next += 1;
        }
        self.kind_at(next) == TokenKind::Equal
    }

    /// Finds the last name up to an index that begins a line outside brackets.
    fn line_name(&self, start: usize, stop: usize) -> Option<usize> {
        let mut found = None;
        let mut index = start;
        while index <= stop && index < self.limit {
            let token = self.tokens[index];
            if let Some(close) = self.brackets.close(index) {
                index = close;
            } else if token.begins_line && is_name(token.kind) {
                found = Some(index);
            }
            index += 1;
        }
        found
    }

    /// Checks that the file holds what a file of its name may hold.
    fn check_shape(&mut self) {
        self.is_muted = false;
        let found = self.tree.definitions.iter();
        let names: Vec<Ident> = found.map(|definition| definition.name).collect();
        match self.shape {
            FileShape::Free => {}
            FileShape::Private => {
                for ident in names {
                    self.check_private(ident);
                }
            }
            FileShape::Public { stem } => {
                for (position, ident) in names.iter().enumerate().skip(1) {
                    let message = "a file holds one definition, this is another one".to_owned();
                    let edits = vec![self.definition_removal(position)];
                    self.report(Code::MultipleDefs, ident.span, message, edits);
                }
                if let Some(ident) = names.first() {
                    self.check_public(*ident, stem);
                }
            }
        }
    }

    fn check_private(&mut self, ident: Ident) {
        let text = &self.names[ident.name];
        if !text.starts_with('_') {
            let message =
                format!("`{text}` is public, `_private.soil` holds private definitions only");
            let private = format!("_{text}");
            let edits = self.definition_renaming(ident, &private);
            self.report(Code::MisplacedPrivateDef, ident.span, message, edits);
        }
    }

    fn check_public(&mut self, ident: Ident, stem: &str) {
        let text = &self.names[ident.name];
        if text.starts_with('_') {
            let message = format!("`{text}` is private and stands outside `_private.soil`");
            let edits = self.definition_renaming(ident, stem);
            self.report(Code::MisplacedPrivateDef, ident.span, message, edits);
        } else if text != stem {
            let message = format!("`{text}` stands in the file of `{stem}`");
            // The name may stand there already: in the equation below a signature of another one.
            let edits = if is_ident(stem) {
                let places = self.uses(ident, 0..self.tokens.len());
                vec![self.renaming(&places, stem)]
            } else {
                Vec::new()
            };
            self.report(Code::NameMismatch, ident.span, message, edits);
        }
    }

    /// Offers another name for a definition, everywhere in its file, if the file does not have that name.
    fn definition_renaming(&self, ident: Ident, name: &str) -> Vec<Edit> {
        let is_name = is_ident(name.strip_prefix('_').unwrap_or(name));
        let known = self.names.get(name);
        let is_taken = known.is_some() && self.tokens.iter().any(|token| token.name == known);
        if !is_name || is_taken {
            return Vec::new();
        }
        let places = self.uses(ident, 0..self.tokens.len());
        vec![self.renaming(&places, name)]
    }

    /// Offers to remove a definition that is not the first, with the space before it.
    fn definition_removal(&self, position: usize) -> Edit {
        let definitions = &self.tree.definitions;
        let whole = definitions[position].span;
        let end = definitions
            .get(position + 1)
            .map_or(self.bytes.len(), |next| next.span.start as usize);
        let start = self
            .tokens
            .partition_point(|token| token.span.end <= whole.start);
        let start = start
            .checked_sub(1)
            .map_or(0, |before| self.span_at(before).end);
        let last = self
            .tokens
            .partition_point(|token| (token.span.start as usize) < end);
        let end = last
            .checked_sub(1)
            .map_or(start, |last| self.span_at(last).end);
        let title = format!("remove `{}`", &self.names[definitions[position].name.name]);
        Edit::new(
            EditKind::Choice,
            title,
            self.file,
            Span::new(start, end),
            "",
        )
    }

    /// Adds a definition whose equation did not read.
    fn unreadable_equation(&mut self, name: Ident, parts: SignatureParts) {
        self.skip_rest();
        let span = Span::empty_at(self.previous_span().end.max(name.span.end));
        let body = self.error_expr(span).id;
        self.tree.definitions.push(Definition {
            span: name.span.to(span),
            name,
            signature: parts.ty,
            decreases: parts.decreases,
            equation_name: name,
            params: List::EMPTY,
            body,
            is_read: false,
        });
    }
}

/// What stands between the `:` and the equation.
#[derive(Clone, Copy)]
pub(super) struct SignatureParts {
    pub(super) ty: TypeId,
    pub(super) decreases: Option<ExprId>,
}

fn is_name(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Ident | TokenKind::Private)
}
