//! Tokens.

use crate::source::Span;
use crate::syntax::Name;

/// One token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where it stands.
    pub span: Span,
    /// Its text where the kind does not say it: names, and literals without underscores and escapes.
    pub name: Option<Name>,
    /// What it is.
    pub kind: TokenKind,
    /// Whether no other token stands before it on its line. Guides recovery, never acceptance.
    pub begins_line: bool,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "each operator and keyword is named after itself; `text` spells it"
)]
pub enum TokenKind {
    /// `[a-z][a-z0-9_]*`.
    Ident,
    /// `_` directly followed by an ident.
    Private,
    /// `[A-Z][A-Za-z0-9]*`.
    TypeName,
    Let,
    Rec,
    And,
    Or,
    Not,
    In,
    Fun,
    Match,
    With,
    If,
    Then,
    Else,
    Decreases,
    Arrow,
    ColonColon,
    DotDot,
    EqualEqual,
    NotEqual,
    LessEqual,
    GreaterEqual,
    Equal,
    Bar,
    Colon,
    Dot,
    Comma,
    OpenParen,
    CloseParen,
    OpenBrace,
    CloseBrace,
    Less,
    Greater,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Underscore,
    /// Digits; the text has no underscores.
    Int,
    /// Digits, a point and digits; the text has no underscores.
    Float,
    /// A string; the text is its value.
    Text,
    /// `?` directly followed by an ident; the text has no `?`.
    Hole,
    /// Characters that no token holds; reported already.
    Stray,
    /// The end of what is read.
    End,
}

impl TokenKind {
    /// Gives the spelling of a keyword or an operator.
    pub const fn text(self) -> Option<&'static str> {
        Some(match self {
            Self::Let => "let",
            Self::Rec => "rec",
            Self::And => "and",
            Self::Or => "or",
            Self::Not => "not",
            Self::In => "in",
            Self::Fun => "fun",
            Self::Match => "match",
            Self::With => "with",
            Self::If => "if",
            Self::Then => "then",
            Self::Else => "else",
            Self::Decreases => "decreases",
            Self::Arrow => "->",
            Self::ColonColon => "::",
            Self::DotDot => "..",
            Self::EqualEqual => "==",
            Self::NotEqual => "!=",
            Self::LessEqual => "<=",
            Self::GreaterEqual => ">=",
            Self::Equal => "=",
            Self::Bar => "|",
            Self::Colon => ":",
            Self::Dot => ".",
            Self::Comma => ",",
            Self::OpenParen => "(",
            Self::CloseParen => ")",
            Self::OpenBrace => "{",
            Self::CloseBrace => "}",
            Self::Less => "<",
            Self::Greater => ">",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Star => "*",
            Self::Slash => "/",
            Self::Percent => "%",
            Self::Underscore => "_",
            Self::Ident
            | Self::Private
            | Self::TypeName
            | Self::Int
            | Self::Float
            | Self::Text
            | Self::Hole
            | Self::Stray
            | Self::End => return None,
        })
    }

    /// Gives the keyword that a word is.
    pub fn keyword(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"let" => Self::Let,
            b"rec" => Self::Rec,
            b"and" => Self::And,
            b"or" => Self::Or,
            b"not" => Self::Not,
            b"in" => Self::In,
            b"fun" => Self::Fun,
            b"match" => Self::Match,
            b"with" => Self::With,
            b"if" => Self::If,
            b"then" => Self::Then,
            b"else" => Self::Else,
            b"decreases" => Self::Decreases,
            _ => return None,
        })
    }

    /// Says whether this is one of the 13 keywords.
    pub const fn is_keyword(self) -> bool {
        matches!(
            self,
            Self::Let
                | Self::Rec
                | Self::And
                | Self::Or
                | Self::Not
                | Self::In
                | Self::Fun
                | Self::Match
                | Self::With
                | Self::If
                | Self::Then
                | Self::Else
                | Self::Decreases
        )
    }

    /// Gives the comparison that this token writes.
    pub const fn comparison(self) -> Option<ComparisonOperator> {
        Some(match self {
            Self::EqualEqual => ComparisonOperator::Equal,
            Self::NotEqual => ComparisonOperator::NotEqual,
            Self::Less => ComparisonOperator::Less,
            Self::LessEqual => ComparisonOperator::LessEqual,
            Self::Greater => ComparisonOperator::Greater,
            Self::GreaterEqual => ComparisonOperator::GreaterEqual,
            _ => return None,
        })
    }
}

/// Says whether a text is an identifier, as values, fields and modules have: `[a-z][a-z0-9_]*` and no keyword.
pub fn is_ident(text: &str) -> bool {
    let mut bytes = text.bytes();
    let begins = bytes.next().is_some_and(|byte| byte.is_ascii_lowercase());
    let goes_on = bytes.all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    begins && goes_on && TokenKind::keyword(text.as_bytes()).is_none()
}

/// Says whether a text is the name of a type or a constructor: `[A-Z][A-Za-z0-9]*`.
pub fn is_type_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let begins = bytes.next().is_some_and(|byte| byte.is_ascii_uppercase());
    begins && bytes.all(|byte| byte.is_ascii_alphanumeric())
}

/// The six comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComparisonOperator {
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
}

impl ComparisonOperator {
    /// Gives the operator's spelling.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }

    /// Gives the tag that stands in a document.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Equal => "Eq",
            Self::NotEqual => "Ne",
            Self::Less => "Lt",
            Self::LessEqual => "Le",
            Self::Greater => "Gt",
            Self::GreaterEqual => "Ge",
        }
    }
}

/// The five operators of arithmetic; unary minus is a form of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticOperator {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Modulo,
}

impl ArithmeticOperator {
    /// Gives the operator's spelling.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
        }
    }

    /// Gives the tag that stands in a document.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Add => "Add",
            Self::Subtract => "Sub",
            Self::Multiply => "Mul",
            Self::Divide => "Div",
            Self::Modulo => "Mod",
        }
    }

    /// Says whether it binds as tightly as `*`.
    pub const fn is_product(self) -> bool {
        matches!(self, Self::Multiply | Self::Divide | Self::Modulo)
    }
}
