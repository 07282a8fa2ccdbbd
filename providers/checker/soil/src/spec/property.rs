//! `property` blocks.

use super::Reader;
use super::container::Fence;
use super::lines::{Piece, Spanned, length};
use crate::diagnostic::Code;
use crate::source::Span;
use crate::syntax::token::is_ident;
use crate::syntax::tree::{Binder, PredicateId, TypeId};
use crate::syntax::{TokenKind, known, lex_part, parse_predicate, parse_type};

/// A predicate that holds for all values of some types.
#[derive(Clone, Debug)]
pub struct Property {
    /// The name of the block.
    pub name: Spanned<String>,
    /// Whether it has to fail.
    pub is_xfail: bool,
    /// What it ranges over.
    pub foralls: Vec<Forall>,
    /// What has to hold, in the tree of the file.
    pub predicate: PredicateId,
    /// The predicate's text as it is written.
    pub text: Span,
}

/// `forall x : Type`.
#[derive(Clone, Copy, Debug)]
pub struct Forall {
    /// The name.
    pub binder: Binder,
    /// Its type, in the tree of the file.
    pub ty: TypeId,
}

impl Reader<'_> {
    pub(super) fn property(&mut self, fence: &Fence) -> Option<Property> {
        let content = self.content_of(fence);
        let mut rest = content;
        let mut foralls = Some(Vec::new());
        loop {
            let line = rest.lines().next().unwrap_or(rest.before(0));
            let next = rest.after(rest.text.find('\n').map_or(rest.text.len(), |end| end + 1));
            if let Some(binder) = line.trimmed().after_word("forall") {
                let forall = self.forall(binder, foralls.as_deref().unwrap_or_default());
                foralls = foralls.zip(forall).map(|(mut foralls, forall)| {
                    foralls.push(forall);
                    foralls
                });
            } else if !line.is_blank() || next.text.is_empty() {
                break;
            }
            rest = next;
        }
        if let Some(filter) = rest.trimmed().after_word("where") {
            let start = filter.start - length("where");
            self.report_where(Span::new(start, filter.start));
            return None;
        }
        let text = rest.trimmed().span();
        let result = parse_predicate(self.part(rest.span()), self.names, &mut self.tree);
        let predicate = self.accept(Code::TrPropertySyntax, result)?;
        Some(Property {
            name: fence.info.name.clone()?,
            is_xfail: fence.info.is_xfail,
            foralls: foralls?,
            predicate,
            text,
        })
    }

    fn report_where(&mut self, span: Span) {
        let message = "`where` is no part of a property; write `premise implies …`";
        self.report(Code::UnsupportedWhereFilter, span, message);
    }

    /// Reads `x : Type` behind `forall`.
    fn forall(&mut self, piece: Piece<'_>, earlier: &[Forall]) -> Option<Forall> {
        let line = piece.trimmed();
        if let Some(span) = self.find_where(line) {
            self.report_where(span);
            return None;
        }
        let Some((name, ty)) = line
            .split_once(":")
            .filter(|(name, _)| is_ident(name.trimmed().text))
        else {
            self.report(
                Code::TrPropertySyntax,
                line.span(),
                "expected `forall x : Type`",
            );
            return None;
        };
        let name = name.trimmed();
        let binder = Binder {
            name: self.names.intern(name.text),
            span: name.span(),
        };
        if earlier
            .iter()
            .any(|forall| forall.binder.name == binder.name)
        {
            let message = format!("`{}` is there twice", name.text);
            self.report(Code::TrPropertySyntax, binder.span, message);
            return None;
        }
        let result = parse_type(self.part(ty.span()), self.names, &mut self.tree);
        let ty = self.accept(Code::TrPropertySyntax, result)?;
        Some(Forall { binder, ty })
    }

    fn find_where(&mut self, line: Piece<'_>) -> Option<Span> {
        let lexed = lex_part(self.file, self.bytes, line.span().range(), self.names);
        let mut tokens = lexed.tokens.iter().skip(1);
        tokens
            .find(|token| token.kind == TokenKind::Ident && token.name == Some(known::WHERE))
            .map(|token| token.span)
    }
}
