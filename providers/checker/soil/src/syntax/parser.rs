//! From tokens to the tree.
//!
//! The parser reads a file definition by definition: brackets and the beginnings of definitions are found first, so that
//! a mistake never leaves its definition. Within one it goes on at the next token that some open construct
//! waits for (`recovery`); what it passes over becomes an error node or poisons the expression before it. Layout guides
//! only this, never what is accepted.

mod atom;
mod block;
mod brackets;
mod declaration;
mod definition;
mod edits;
mod equation;
mod opening;
mod operation;
mod pattern;
mod predicate;
mod recovery;
mod types;

use std::ops::Range;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, LimitParams, Params};
use crate::source::{FileId, MAX_SOURCE_BYTES, Span};
use crate::syntax::lexer::{lex, lex_part};
use crate::syntax::tree::{
    Arm, Binder, Binding, Declaration, ExprId, ExprKind, FieldPattern, FieldValue, Ident,
    PredicateId, TermId, TypeId,
};
use crate::syntax::{MAX_NESTING, Name, Names, Token, TokenKind, Tree};
use brackets::Brackets;
use opening::Effort;
use operation::{Operand, Operator};
use recovery::Kinds;

/// The most type nodes in one definition.
///
/// # Units and bounds
/// Nodes: 100 000. More give `limit-exceeded` for the definition.
pub const MAX_TYPE_NODES: u32 = 100_000;

/// The most values of one definition that are read a second time, so that nested ones cost no more than that.
const MAX_REREADS: u32 = 16;

/// What a file may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileShape<'a> {
    /// `<name>.soil`: one public definition of that name.
    Public {
        /// The name of the file without its ending.
        stem: &'a str,
    },
    /// `_private.soil`: any number of private definitions.
    Private,
    /// A text without a file: any definitions.
    Free,
}

impl<'a> FileShape<'a> {
    /// Gives what the file at this path may hold.
    pub fn of_path(path: &'a str) -> Self {
        let file_name = path.rsplit('/').next().unwrap_or(path);
        match file_name.strip_suffix(".soil").unwrap_or(file_name) {
            "_private" => Self::Private,
            stem => Self::Public { stem },
        }
    }
}

/// What reading a text gives: always a tree, with error nodes where something was reported.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree.
    pub tree: Tree,
    /// What was reported, by lexer and parser.
    pub diagnostics: Diagnostics,
    /// Whether there are comments, which canonical text drops.
    pub has_comments: bool,
}

/// Reads a file of definitions.
///
/// # Errors
/// Reports the codes of the lexer, and `parse-expected`, `nonassoc-comparison`, `name-mismatch`, `wildcard-in-let-rec`,
/// `misplaced-private-def`, `multiple-defs`, `duplicate-field` and `limit-exceeded`.
pub fn parse(file: FileId, bytes: &[u8], shape: FileShape<'_>, names: &mut Names) -> Parsed {
    let mut parsed = read(file, bytes, shape, names, &Effort::of(bytes));
    let effort = Effort::of(bytes);
    let again = |bytes: &[u8]| read(file, bytes, shape, &mut Names::new(), &effort).diagnostics;
    parsed.diagnostics.keep_edits_that_hold(file, bytes, again);
    parsed
}

/// Reads a file of definitions; edits are offered and not yet tried.
fn read(
    file: FileId,
    bytes: &[u8],
    shape: FileShape<'_>,
    names: &mut Names,
    effort: &Effort,
) -> Parsed {
    let lexed = lex(file, bytes, names);
    let (mut tree, mut found) = (Tree::new(), Diagnostics::new());
    // Past its bound a text has no tokens, and it is enough to say so.
    if bytes.len() <= MAX_SOURCE_BYTES {
        let with = |tokens: &[Token]| {
            let source = Source {
                file,
                bytes,
                shape,
                tokens,
                is_unterminated: lexed.is_unterminated,
            };
            read_tokens(source, names)
        };
        let reading = with(&lexed.tokens);
        (tree, found) = opening::reopened(&lexed.tokens, reading, effort, with);
    }
    let mut diagnostics = lexed.diagnostics;
    diagnostics.append(found);
    mark_read(&mut tree, &diagnostics);
    Parsed {
        tree,
        diagnostics,
        has_comments: lexed.has_comments,
    }
}

/// The tokens of a text, with what is known of it.
#[derive(Clone, Copy)]
struct Source<'a> {
    file: FileId,
    bytes: &'a [u8],
    shape: FileShape<'a>,
    tokens: &'a [Token],
    is_unterminated: bool,
}

/// Reads the tokens of a file; when they do not read, once more by what layout says.
fn read_tokens(source: Source<'_>, names: &Names) -> (Tree, Diagnostics) {
    let mut brackets = Brackets::new(source.tokens, source.bytes);
    let mut tree = Tree::new();
    let mut parser = Parser::new(source, names, &mut tree);
    parser.brackets = brackets;
    parser.file();
    let found = std::mem::take(&mut parser.diagnostics);
    brackets = std::mem::take(&mut parser.brackets);
    let has_same_brackets = !brackets.has_unlikely();
    if found.is_empty() || (has_same_brackets && parser.layout == Layout::Ignored) {
        return (tree, found);
    }
    brackets.give_up_unlikely();
    let mut other_tree = Tree::new();
    let mut parser = Parser::new(source, names, &mut other_tree);
    parser.brackets = brackets;
    parser.layout = Layout::Followed;
    parser.file();
    let other = parser.diagnostics;
    // Layout may guide what is reported, never what is accepted.
    if other.is_empty() || (has_same_brackets && other.len() > found.len()) {
        (tree, found)
    } else {
        (other_tree, other)
    }
}

/// Marks the definitions about which nothing was reported.
fn mark_read(tree: &mut Tree, diagnostics: &Diagnostics) {
    // A token that was not expected at the beginning of a definition is about what the one before it lacks.
    let place = |found: &Diagnostic| {
        let start = found.span?.start;
        Some((start, found.code != Code::ParseExpected))
    };
    let mut reported: Vec<(u32, bool)> = diagnostics.iter().filter_map(place).collect();
    reported.sort_unstable();
    let starts: Vec<u32> = tree
        .definitions
        .iter()
        .map(|found| found.span.start)
        .collect();
    for (position, definition) in tree.definitions.iter_mut().enumerate() {
        let end = starts
            .get(position + 1)
            .map_or((u32::MAX, false), |start| (*start, false));
        let own = (starts[position], true);
        let first = reported.partition_point(|place| *place < own);
        let is_reported = reported.get(first).is_some_and(|place| *place <= end);
        definition.is_read = !is_reported && diagnostics.suppressed() == 0;
    }
}

/// Reads a part of a text as one type, into a tree that may hold more.
///
/// # Errors
/// Gives what was reported; the same codes as [`parse`].
pub fn parse_type(
    part: Part<'_>,
    names: &mut Names,
    tree: &mut Tree,
) -> Result<TypeId, Diagnostics> {
    part.read(names, tree, |parser| parser.ty().id)
}

/// Reads a part of a text as one predicate, into a tree that may hold more.
///
/// # Errors
/// Gives what was reported; the same codes as [`parse`].
pub fn parse_predicate(
    part: Part<'_>,
    names: &mut Names,
    tree: &mut Tree,
) -> Result<PredicateId, Diagnostics> {
    part.read(names, tree, |parser| parser.predicate().id)
}

/// Reads a part of a text as one expression, into a tree that may hold more.
///
/// # Errors
/// Gives what was reported; the same codes as [`parse`].
pub fn parse_expr(
    part: Part<'_>,
    names: &mut Names,
    tree: &mut Tree,
) -> Result<ExprId, Diagnostics> {
    part.read(names, tree, |parser| parser.expr().id)
}

/// Reads a part of a text as `name : type`, into a tree that may hold more.
///
/// # Errors
/// Gives what was reported; the same codes as [`parse`].
pub fn parse_signature(
    part: Part<'_>,
    names: &mut Names,
    tree: &mut Tree,
) -> Result<(Ident, TypeId), Diagnostics> {
    part.read(names, tree, |parser| {
        let name = parser.ident_or_error("a name");
        parser.expect(TokenKind::Colon);
        (name, parser.ty().id)
    })
}

/// Reads a part of a text as `type T a = body`, into a tree that may hold more.
///
/// # Errors
/// Gives what was reported; the same codes as [`parse`], and `tr-ignored-default`.
pub fn parse_declaration(
    part: Part<'_>,
    names: &mut Names,
    tree: &mut Tree,
) -> Result<Declaration, Diagnostics> {
    part.read(names, tree, |parser| {
        let declaration = parser.declaration();
        parser.finish();
        declaration
    })
}

/// A part of a text that is read alone; spans count from the beginning of the whole text.
///
/// Edits of what does not read are not tried: only who knows the whole text can.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// The text's id.
    pub file: FileId,
    /// The whole text.
    pub bytes: &'a [u8],
    /// What of it is read.
    pub range: Range<usize>,
}

impl Part<'_> {
    fn read<T>(
        self,
        names: &mut Names,
        tree: &mut Tree,
        read: impl FnOnce(&mut Parser<'_>) -> T,
    ) -> Result<T, Diagnostics> {
        let lexed = lex_part(self.file, self.bytes, self.range.clone(), names);
        let end = self.range.end.min(self.bytes.len());
        let bytes = &self.bytes[..end];
        let source = Source {
            file: self.file,
            bytes,
            shape: FileShape::Free,
            tokens: &lexed.tokens,
            is_unterminated: lexed.is_unterminated,
        };
        let mut parser = Parser::new(source, names, tree);
        parser.brackets = Brackets::new(&lexed.tokens, bytes);
        let value = read(&mut parser);
        parser.finish();
        let found = parser.diagnostics;
        let mut diagnostics = lexed.diagnostics;
        diagnostics.append(found);
        if diagnostics.is_empty() {
            Ok(value)
        } else {
            Err(diagnostics)
        }
    }
}

/// A node with the depth of its subtree, grouping parentheses counted.
#[derive(Clone, Copy, Debug)]
struct Built<I> {
    id: I,
    height: u32,
}

/// What layout says of the `let` to which an `in` belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Nothing that was not read so anyway.
    Ignored,
    /// It belongs to another one than it was read for.
    Differs,
    /// It is read for the one that layout names.
    Followed,
}

struct Parser<'a> {
    file: FileId,
    bytes: &'a [u8],
    shape: FileShape<'a>,
    tokens: &'a [Token],
    brackets: Brackets,
    names: &'a Names,
    tree: &'a mut Tree,
    diagnostics: Diagnostics,
    /// The token that is read next.
    at: usize,
    /// The token before which reading ends: the next definition, or the equation behind a signature.
    limit: usize,
    /// How many constructs are open that each are one level of the tree.
    level: u32,
    /// What the open constructs wait for.
    awaited: Kinds,
    /// How many `let` are open whose `in` was not read yet.
    open_lets: u32,
    /// The token of the last report; a second one there would speak of the same mistake.
    last_error: Option<usize>,
    /// The token of the first report since a signature began.
    first_error: Option<usize>,
    /// Whether a bracket was not closed, so that the call around it may have lost or gained arguments.
    is_torn: bool,
    layout: Layout,
    /// How many blocks were read as operands that need brackets.
    unbracketed: u32,
    /// Whether nothing more is reported in this definition.
    is_muted: bool,
    is_unterminated: bool,
    type_nodes: u32,
    /// How many values of this definition may still be read again up to where their layout says they end.
    rereads: u32,
    scratch: Scratch,
}

/// Lists under construction; an inner construct only uses what lies above the entries it found.
#[derive(Default)]
struct Scratch {
    operators: Vec<Operator>,
    operands: Vec<Operand>,
    bindings: Vec<Binding>,
    arms: Vec<Arm>,
    field_values: Vec<FieldValue>,
    field_patterns: Vec<FieldPattern>,
    binders: Vec<Binder>,
    idents: Vec<Ident>,
    types: Vec<TypeId>,
    terms: Vec<TermId>,
}

impl<'a> Parser<'a> {
    fn new(source: Source<'a>, names: &'a Names, tree: &'a mut Tree) -> Self {
        let Source {
            file,
            bytes,
            shape,
            tokens,
            is_unterminated,
        } = source;
        Self {
            file,
            bytes,
            shape,
            tokens,
            brackets: Brackets::default(),
            names,
            tree,
            diagnostics: Diagnostics::new(),
            at: 0,
            limit: tokens.len(),
            level: 0,
            awaited: Kinds::NONE,
            open_lets: 0,
            last_error: None,
            first_error: None,
            is_torn: false,
            layout: Layout::Ignored,
            unbracketed: 0,
            is_muted: false,
            is_unterminated,
            type_nodes: 0,
            rereads: MAX_REREADS,
            scratch: Scratch::default(),
        }
    }

    fn kind(&self) -> TokenKind {
        self.kind_at(self.at)
    }

    fn kind_ahead(&self, count: usize) -> TokenKind {
        self.kind_at(self.at + count)
    }

    fn kind_at(&self, index: usize) -> TokenKind {
        if index < self.limit {
            self.tokens[index].kind
        } else {
            TokenKind::End
        }
    }

    /// Gives the place of the next token, also where reading ends before it.
    fn span(&self) -> Span {
        self.span_at(self.at)
    }

    fn span_at(&self, index: usize) -> Span {
        let end = || Span::empty_at(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
        self.tokens.get(index).map_or_else(end, |token| token.span)
    }

    /// Gives the place of the token read last.
    fn previous_span(&self) -> Span {
        self.at
            .checked_sub(1)
            .map_or(Span::empty_at(0), |index| self.span_at(index))
    }

    /// Gives the name of the next token, which has one.
    fn name(&self) -> Name {
        self.name_at(self.at)
    }

    fn name_at(&self, index: usize) -> Name {
        self.tokens[index]
            .name
            .expect("idents, type names, literals and holes have a text")
    }

    fn bump(&mut self) {
        self.at = (self.at + 1).min(self.limit);
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let is_there = self.kind() == kind;
        if is_there {
            self.bump();
        }
        is_there
    }

    /// Reads the next token as an identifier, which it is.
    fn ident(&mut self) -> Ident {
        let ident = self.ident_at(self.at);
        self.bump();
        ident
    }

    fn ident_at(&self, index: usize) -> Ident {
        Ident {
            name: self.name_at(index),
            span: self.span_at(index),
        }
    }

    fn binder(&mut self) -> Binder {
        let Ident { name, span } = self.ident();
        Binder { name, span }
    }

    /// Goes one level down; false when the tree would be too deep, which ends the definition.
    fn enter(&mut self) -> bool {
        self.level += 1;
        let fits = self.level <= MAX_NESTING;
        if !fits {
            self.exceed("nesting", u64::from(MAX_NESTING), u64::from(self.level));
        }
        fits
    }

    fn leave(&mut self) {
        self.level -= 1;
    }

    /// Checks the depth of a node that is built from parts.
    fn check_height(&mut self, height: u32) -> bool {
        let fits = height <= MAX_NESTING;
        if !fits {
            self.exceed("nesting", u64::from(MAX_NESTING), u64::from(height));
        }
        fits
    }

    /// Reports a bound at the place reached and gives the definition up.
    fn exceed(&mut self, limit: &'static str, max: u64, seen: u64) {
        if !self.is_muted {
            let message = format!("`{limit}` allows {max}, here are {seen}");
            let span = self.span();
            let diagnostic = Diagnostic::at(Code::LimitExceeded, self.file, span, message);
            let params = Params::Limit(LimitParams { limit, max, seen });
            self.diagnostics.push(diagnostic.with_params(params));
        }
        self.skip_rest();
        self.is_muted = true;
    }

    fn make(&mut self, span: Span, kind: ExprKind, height: u32) -> Built<ExprId> {
        if !self.check_height(height) {
            return self.error_expr(span);
        }
        let id = self.tree.add_expr(span, kind);
        Built { id, height }
    }

    fn error_expr(&mut self, span: Span) -> Built<ExprId> {
        let id = self.tree.add_expr(span, ExprKind::Error);
        Built { id, height: 1 }
    }

    /// Replaces an expression that may hold more or less than was meant.
    fn poison(&mut self, expr: Built<ExprId>) -> Built<ExprId> {
        let span = self.expr_span(expr).to(self.previous_span_from(expr));
        let id = self.tree.add_expr(span, ExprKind::Error);
        Built { id, ..expr }
    }

    /// Gives the place of the token read last, if it lies behind the beginning of the expression.
    fn previous_span_from(&self, expr: Built<ExprId>) -> Span {
        let span = self.expr_span(expr);
        let previous = self.previous_span();
        if previous.start >= span.start {
            previous
        } else {
            span
        }
    }

    fn expr_span(&self, expr: Built<ExprId>) -> Span {
        self.tree[expr.id].span
    }
}

#[cfg(test)]
mod tests;
