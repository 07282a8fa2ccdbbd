//! The document of `lex`.

use super::Writer;
use crate::source::LineIndex;
use crate::syntax::{Names, Token, TokenKind};

/// Gives the document of a text's tokens.
///
/// # Wire shape
/// `{"tokens":[{"span":…,"item":{"tag":"TIdent","value":{"name":"x"}}}]}`
pub fn tokens(tokens: &[Token], bytes: &[u8], names: &Names) -> String {
    let lines = LineIndex::new(bytes);
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("tokens").array(|writer| {
            for token in tokens {
                writer.object(|writer| {
                    writer.key("span").span(token.span, &lines);
                    item(writer.key("item"), token, names);
                });
            }
        });
    });
    writer.finish_document()
}

fn item(writer: &mut Writer, token: &Token, names: &Names) {
    let text = token.name.map_or("", |name| &names[name]);
    let (tag, member, text) = match token.kind {
        TokenKind::Ident => ("TIdent", "name", text),
        TokenKind::Private => ("TPrivate", "name", text),
        TokenKind::TypeName => ("TTypeName", "name", text),
        TokenKind::Int => ("TInt", "digits", text),
        TokenKind::Float => ("TFloat", "text", text),
        TokenKind::Text => ("TStr", "value", text),
        TokenKind::Hole => ("THole", "name", text),
        TokenKind::Stray | TokenKind::End => return writer.tag("Error"),
        keyword if keyword.is_keyword() => ("TKeyword", "word", keyword.text().unwrap_or_default()),
        operator => ("TOp", "op", operator.text().unwrap_or_default()),
    };
    writer.variant(tag, |writer| writer.key(member).string(text));
}
