//! `test` blocks.

use super::container::Fence;
use super::lines::{Piece, Spanned};
use super::{Reader, json};
use crate::diagnostic::Code;
use crate::source::Span;
use crate::syntax::token::is_ident;

/// Cases of a function, with the fakes that they share.
#[derive(Clone, Debug)]
pub struct TestBlock {
    /// The name of the block; its cases are `name#1`, `name#2`, ….
    pub name: Spanned<String>,
    /// Whether its cases have to fail.
    pub is_xfail: bool,
    /// The fakes that cases refer to.
    pub binds: Vec<Bind>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// `with x = fake_name json…`.
#[derive(Clone, Debug)]
pub struct Bind {
    /// The name.
    pub name: Spanned<String>,
    /// The builtin that makes the fake.
    pub constructor: Spanned<String>,
    /// What it is made of.
    pub arguments: Vec<JsonText>,
}

/// A JSON value as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText {
    /// Its text, which is well-formed.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// `(argument, …) => expected`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// What the call gives.
    pub expected: Expected,
    /// The whole line.
    pub span: Span,
}

impl Case {
    /// Gives the place of an expected `panic`.
    pub fn panic_span(&self) -> Option<Span> {
        match self.expected {
            Expected::Panic(span) => Some(span),
            Expected::Value(_) => None,
        }
    }
}

/// An argument of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A name that `with` binds.
    Bound(Spanned<String>),
    /// A value.
    Json(JsonText),
}

/// What a case expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// That the call raises.
    Panic(Span),
    /// A value.
    Value(JsonText),
}

fn json_text(piece: Piece<'_>) -> JsonText {
    JsonText {
        text: piece.text.to_owned(),
        span: piece.span(),
    }
}

impl Reader<'_> {
    pub(super) fn test_block(&mut self, fence: &Fence) -> TestBlock {
        let no_name = Spanned::new(String::new(), fence.info.span);
        let mut block = TestBlock {
            name: fence.info.name.clone().unwrap_or(no_name),
            is_xfail: fence.info.is_xfail,
            binds: Vec::new(),
            cases: Vec::new(),
        };
        let mut line_count = 0;
        for line in self
            .content_of(fence)
            .lines()
            .filter(|line| !line.is_blank())
        {
            line_count += 1;
            let line = line.trimmed();
            match line.after_word("with") {
                Some(bind) if block.cases.is_empty() => {
                    let bind = self.bind(bind.trimmed(), &block.binds);
                    block.binds.extend(bind);
                }
                Some(_) => self.report(
                    Code::TrTestSyntax,
                    line.span(),
                    "`with` stands before the cases",
                ),
                None => {
                    let case = self.case(line, &block.binds);
                    block.cases.extend(case);
                }
            }
        }
        if line_count == block.binds.len() {
            self.report(Code::TrTestSyntax, fence.info.span, "the block has no case");
        }
        block
    }

    /// Reports a line that does not read; gives nothing, as its reader does.
    fn bad_test<T>(&mut self, piece: Piece<'_>, message: &str) -> Option<T> {
        self.report(Code::TrTestSyntax, piece.trimmed().span(), message);
        None
    }

    fn bind(&mut self, line: Piece<'_>, earlier: &[Bind]) -> Option<Bind> {
        let form = "expected `with name = fake_name value…`";
        let Some((name, made)) = line.split_once("=") else {
            return self.bad_test(line, form);
        };
        let name = name.trimmed();
        if !is_ident(name.text) || matches!(name.text, "true" | "false" | "null") {
            return self.bad_test(name, "expected a name that is no value");
        }
        if earlier.iter().any(|bind| bind.name.value == name.text) {
            return self.bad_test(name, "the name is bound twice");
        }
        let Some(constructor) = made.words().next().filter(|word| is_ident(word.text)) else {
            return self.bad_test(line, form);
        };
        let mut rest = made.trimmed();
        rest = rest.after(constructor.text.len()).trimmed();
        let mut arguments = Vec::new();
        while !rest.text.is_empty() {
            let Some((value, behind)) = json::cut(rest) else {
                return self.bad_test(rest, "expected a JSON value");
            };
            arguments.push(json_text(value));
            rest = behind.trimmed();
        }
        Some(Bind {
            name: name.to_spanned(),
            constructor: constructor.to_spanned(),
            arguments,
        })
    }

    fn case(&mut self, line: Piece<'_>, binds: &[Bind]) -> Option<Case> {
        let Some(_) = line.text.strip_prefix('(') else {
            return self.bad_test(line, "expected `(argument, …) => value`");
        };
        let (arguments, rest) = self.arguments(line.after(1), binds)?;
        let rest = rest.trimmed();
        if !rest.text.starts_with("=>") {
            return self.bad_test(rest, "expected `=>` behind the arguments");
        }
        let expected = rest.after(2).trimmed();
        let expected = if expected.text == "panic" {
            Expected::Panic(expected.span())
        } else {
            match json::cut(expected) {
                Some((value, behind)) if behind.is_blank() => Expected::Value(json_text(value)),
                _ => return self.bad_test(expected, "expected one JSON value or `panic`"),
            }
        };
        Some(Case {
            arguments,
            expected,
            span: line.span(),
        })
    }

    /// Reads arguments up to the closing bracket, and gives what follows it.
    fn arguments<'p>(
        &mut self,
        piece: Piece<'p>,
        binds: &[Bind],
    ) -> Option<(Vec<Argument>, Piece<'p>)> {
        let mut rest = piece.trimmed();
        let mut arguments = Vec::new();
        if rest.text.starts_with(')') {
            return Some((arguments, rest.after(1)));
        }
        loop {
            let (argument, behind) = self.argument(rest, binds)?;
            arguments.push(argument);
            let behind = behind.trimmed();
            match behind.text.chars().next() {
                Some(',') => rest = behind.after(1).trimmed(),
                Some(')') => return Some((arguments, behind.after(1))),
                _ => return self.bad_test(behind, "expected `,` or `)`"),
            }
        }
    }

    fn argument<'p>(&mut self, piece: Piece<'p>, binds: &[Bind]) -> Option<(Argument, Piece<'p>)> {
        if let Some((value, behind)) = json::cut(piece) {
            return Some((Argument::Json(json_text(value)), behind));
        }
        let end = piece
            .text
            .find(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
        let name = piece.before(end.unwrap_or(piece.text.len()));
        if binds.iter().any(|bind| bind.name.value == name.text) {
            let behind = piece.after(name.text.len());
            return Some((Argument::Bound(name.to_spanned()), behind));
        }
        let place = if name.text.is_empty() { piece } else { name };
        self.bad_test(place, "expected a JSON value or a name that `with` binds")
    }
}
