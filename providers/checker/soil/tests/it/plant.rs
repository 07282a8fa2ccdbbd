//! Finds the places of a text at which faults may be planted.

mod form;
mod token;

use std::collections::HashSet;

use soil::diagnostic::Code;
use soil::source::{FileId, Span};
use soil::syntax::tree::{
    Definition, ExprId, ExprKind, List, Literal, Pattern, PatternId, PatternKind, Tree, TypeKind,
};
use soil::syntax::{FileShape, Name, Names, TokenKind, lex, parse};

use crate::fault::{Fault, Place};

/// Lists the faults that may be planted in one file; none of them stands where another one is missed.
///
/// `taken` holds the names that mean something anywhere in the program.
pub(crate) fn faults(file: usize, text: &str, taken: &HashSet<String>) -> Vec<Fault> {
    let mut names = Names::new();
    let parsed = parse(FileId::new(0), text.as_bytes(), FileShape::Free, &mut names);
    assert!(parsed.diagnostics.is_empty(), "{text}");
    let lexed = lex(FileId::new(0), text.as_bytes(), &mut names);
    let tokens = lexed.tokens.iter();
    let mut found = Vec::new();
    for definition in &parsed.tree.definitions {
        let mut planter = Planter {
            file,
            text,
            tree: &parsed.tree,
            names: &names,
            tokens: tokens
                .clone()
                .map(|token| (token.span, token.kind))
                .collect(),
            taken,
            definition,
            found: Vec::new(),
        };
        planter.definition();
        found.append(&mut planter.found);
    }
    found
}

/// Escapes of other languages, what they mean in Soil, and how much of them is reported.
const ESCAPES: [(&str, &str, u32); 6] = [
    ("\\x41", "\\u{41}", 2),
    ("\\d", "\\\\d", 2),
    ("\\0", "\\u{0}", 2),
    ("\\u0041", "\\u{41}", 6),
    ("\\'", "'", 2),
    ("\\.", "\\\\.", 2),
];

/// What is known of the place of an expression.
#[derive(Clone)]
struct Context {
    /// Whether its place asks for one type, whatever stands there; what that depends on must stay as it is.
    depends_on: Option<Vec<Span>>,
    /// The part of the text that is lost with a bracket.
    region: Span,
    /// The operators and calls that it is a part of, up to the next brackets.
    operation: Span,
}

impl Context {
    fn firm(&self, depends_on: &[Span]) -> Self {
        Self {
            depends_on: Some(depends_on.to_vec()),
            ..self.clone()
        }
    }

    fn loose(&self) -> Self {
        Self {
            depends_on: None,
            ..self.clone()
        }
    }

    fn within(&self, region: Span) -> Self {
        Self {
            region,
            ..self.clone()
        }
    }
}

struct Planter<'a> {
    file: usize,
    text: &'a str,
    tree: &'a Tree,
    names: &'a Names,
    tokens: Vec<(Span, TokenKind)>,
    taken: &'a HashSet<String>,
    definition: &'a Definition,
    found: Vec<Fault>,
}

impl Planter<'_> {
    fn add(
        &mut self,
        kind: &'static str,
        code: Code,
        at: Span,
        text: &str,
        place: Place,
    ) -> &mut Fault {
        self.found.push(Fault {
            kind,
            code,
            file: self.file,
            at,
            text: text.to_owned(),
            meant: None,
            is_lossy: false,
            place,
            reach: vec![at],
        });
        self.found.last_mut().expect("it was added")
    }

    fn definition(&mut self) {
        let whole = self.definition.span;
        self.signature(self.definition.signature, whole);
        let context = Context {
            depends_on: Some(Vec::new()),
            region: self.tree[self.definition.body].span,
            operation: Span::default(),
        };
        self.expr(self.definition.body, &context);
        let io = Span::new(whole.start, self.tree[self.definition.signature].span.end);
        let row = self.text[io.range()].rfind("-> io ");
        let call = self.text[whole.range()].find("clock_now clock");
        if let (Some(row), Some(call)) = (row, call) {
            let at = io.start + number(row) + 3;
            let call = whole.start + number(call);
            let place = Place::At(Span::new(call, call + 15));
            let code = Code::EffectViolation;
            self.add("undeclared effect", code, Span::new(at, at + 3), "", place)
                .reach = vec![whole];
        }
    }

    /// Misspells the types of a signature.
    fn signature(&mut self, id: soil::syntax::tree::TypeId, whole: Span) {
        match self.tree[id].kind {
            TypeKind::Arrow {
                domain, codomain, ..
            } => {
                self.signature(domain, whole);
                self.signature(codomain, whole);
            }
            TypeKind::Constructor { name, arguments } => {
                for argument in &self.tree[arguments] {
                    self.signature(*argument, whole);
                }
                let span = self.head(self.tree[id].span, name);
                self.misspelt("misspelt type", Code::UnknownType, span, vec![whole]);
            }
            TypeKind::Variable { .. } | TypeKind::Refined { .. } | TypeKind::Error => {}
        }
    }

    /// Misspells a name so that it means nothing anywhere.
    fn misspelt(&mut self, kind: &'static str, code: Code, span: Span, reach: Vec<Span>) {
        let word = &self.text[span.range()];
        let mut typos = Vec::new();
        if word.len() > 3 && word.is_ascii() {
            typos.push(format!("{}{}", &word[..2], &word[3..]));
            typos.push(format!("{}{}{}", &word[..1], &word[2..3], &word[1..2]) + &word[3..]);
        }
        typos.push(format!("{word}{}", &word[word.len() - 1..]));
        typos.push(format!("{word}xq"));
        let typo = typos
            .into_iter()
            .find(|typo| typo != word && !self.taken.contains(typo));
        let typo = typo.expect("nothing is called so");
        self.add(kind, code, span, &typo, Place::At(span)).reach = reach;
    }

    fn expr(&mut self, id: ExprId, context: &Context) {
        let span = self.tree[id].span;
        let whole = self.balanced(span);
        let is_apart = self.balanced_group(span) != whole;
        let is_inner = context.operation.contains(whole) && !is_apart;
        let operation = if is_inner { context.operation } else { whole };
        let context = &Context {
            operation,
            ..context.clone()
        };
        self.swapped(id, context);
        match self.tree[id].kind {
            ExprKind::Path { root, fields } => self.path(span, root, fields),
            ExprKind::Constructor { name } => self.constructor(self.head(span, name), &[]),
            ExprKind::Literal(literal) => self.literal(span, literal),
            ExprKind::Apply { .. } => self.call(id, context),
            ExprKind::Comparison { rhs, .. } => self.chained(span, rhs),
            _ => {}
        }
        if matches!(
            self.tree[id].kind,
            ExprKind::Path { .. } | ExprKind::Literal(_)
        ) {
            self.shadowed(span);
            let end = Span::empty_at(span.end);
            self.add(
                "stray character",
                Code::StrayCharacter,
                end,
                "@",
                Place::Inside(0..1),
            )
            .reach = vec![operation];
        }
        let is_block = matches!(
            self.tree[id].kind,
            ExprKind::Let { .. }
                | ExprKind::Fun { .. }
                | ExprKind::If { .. }
                | ExprKind::Match { .. }
                | ExprKind::Record { .. }
        );
        let operation = if is_block { Span::default() } else { operation };
        self.parts(
            id,
            &Context {
                operation,
                ..context.clone()
            },
        );
        self.lost(id, context);
    }

    /// Writes a second comparison behind one, as where `a < b and b < c` is short.
    fn chained(&mut self, span: Span, rhs: ExprId) {
        let end = Span::empty_at(self.balanced(span).end);
        let middle = &self.text[self.balanced(self.tree[rhs].span).range()];
        let code = Code::NonassocComparison;
        let (text, meant) = (
            format!(" == {middle}"),
            format!(" and {middle} == {middle}"),
        );
        let fault = self.add("two comparisons", code, end, &text, Place::Inside(1..3));
        fault.meant = Some(meant);
        fault.reach = vec![span];
    }

    fn path(&mut self, span: Span, root: Name, fields: List<soil::syntax::tree::Ident>) {
        self.misspelt(
            "misspelt name",
            Code::UnknownName,
            self.head(span, root),
            vec![span],
        );
        for field in &self.tree[fields] {
            self.misspelt("misspelt field", Code::UnknownField, field.span, vec![span]);
        }
    }

    fn constructor(&mut self, head: Span, reach: &[Span]) {
        let reach: Vec<Span> = reach.iter().copied().chain([head]).collect();
        self.misspelt(
            "misspelt constructor",
            Code::UnknownConstructor,
            head,
            reach.clone(),
        );
        let word = &self.text[head.range()];
        let owner = match word {
            "Some" | "None" => "Option",
            "Ok" | "Err" => "Result",
            "True" | "False" => "Bool",
            _ => return,
        };
        let text = format!("{owner}::{word}");
        let code = Code::NeedlessQualification;
        self.add("needless owner", code, head, &text, Place::At(head))
            .reach = reach;
    }

    fn literal(&mut self, span: Span, literal: Literal) {
        match literal {
            Literal::Int(_) => {
                let text = "99999999999999999999";
                let place = Place::At(span);
                self.add(
                    "literal out of range",
                    Code::LiteralOutOfRange,
                    span,
                    text,
                    place,
                )
                .is_lossy = true;
            }
            Literal::Text(_) => self.escaped(span),
            Literal::Float(_) => {}
        }
    }

    /// Writes an escape of another language into a text.
    fn escaped(&mut self, span: Span) {
        let at = Span::empty_at(span.start + 1);
        let position = usize::try_from(span.start).expect("a short text") % ESCAPES.len();
        let (text, meant, shown) = ESCAPES[position];
        let place = Place::Inside(0..shown);
        let fault = self.add("bad escape", Code::BadEscape, at, text, place);
        fault.meant = Some(meant.to_owned());
        fault.reach = vec![span];
    }

    /// Binds a parameter again around a small expression that does not use it.
    fn shadowed(&mut self, span: Span) {
        let word = &self.text[span.range()];
        let mut params = self.tree[self.definition.params].iter();
        let param = params.find(|param| !word.starts_with(&self.names[param.name]));
        if let Some(param) = param {
            let name = &self.names[param.name];
            let place = Place::Inside(5..5 + number(name.len()));
            let text = format!("(let {name} = 1 in {word})");
            let meant = format!("(let {name}_again = 1 in {word})");
            self.add("shadowed parameter", Code::Shadowing, span, &text, place)
                .meant = Some(meant);
        }
    }

    /// Writes a value of another type where the place settles the type.
    fn swapped(&mut self, id: ExprId, context: &Context) {
        let Some(depends_on) = &context.depends_on else {
            return;
        };
        let text = match self.tree[id].kind {
            ExprKind::Literal(Literal::Text(_)) => "True",
            ExprKind::Literal(_)
            | ExprKind::Arithmetic { .. }
            | ExprKind::Comparison { .. }
            | ExprKind::And { .. }
            | ExprKind::Or { .. }
            | ExprKind::Not { .. }
            | ExprKind::Record { .. } => "\"wrong\"",
            ExprKind::Constructor { name }
                if matches!(&self.names[name], "True" | "False" | "None") =>
            {
                "\"wrong\""
            }
            _ => return,
        };
        let span = self.tree[id].span;
        let whole = self.balanced(span);
        let reach: Vec<Span> = depends_on.iter().copied().chain([whole]).collect();
        let (code, place) = (Code::TypeMismatch, Place::At(whole));
        if matches!(
            self.tree[id].kind,
            ExprKind::Literal(Literal::Int(_) | Literal::Float(_))
        ) {
            let quoted = format!("\"{}\"", &self.text[whole.range()]);
            self.add("quoted number", code, whole, &quoted, place.clone())
                .reach
                .clone_from(&reach);
        }
        let fault = self.add("swapped type", code, whole, text, place);
        fault.reach = reach;
        fault.is_lossy = true;
    }

    /// Visits the parts of an expression, with what is known of their places.
    fn parts(&mut self, id: ExprId, context: &Context) {
        let span = self.tree[id].span;
        match self.tree[id].kind {
            ExprKind::Let { bindings, body, .. } => {
                for binding in &self.tree[bindings] {
                    let region = self.tree[binding.value].span;
                    self.expr(binding.value, &context.loose().within(region));
                }
                self.expr(body, context);
            }
            ExprKind::Fun { body, .. } => self.expr(body, &context.loose()),
            ExprKind::If {
                condition,
                then_branch,
                else_branch,
            } => {
                self.expr(condition, &context.firm(&[]).within(span));
                self.expr(then_branch, &context.within(span));
                self.expr(else_branch, context);
            }
            ExprKind::Match { scrutinee, arms } => {
                self.arms(id, scrutinee, arms);
                self.expr(scrutinee, &context.loose().within(span));
                for arm in &self.tree[arms] {
                    self.expr(arm.body, &context.within(arm.span));
                }
            }
            ExprKind::Or { lhs, rhs } | ExprKind::And { lhs, rhs } => {
                self.expr(lhs, &context.firm(&[]));
                self.expr(rhs, &context.firm(&[]));
            }
            ExprKind::Not { operand } => self.expr(operand, &context.firm(&[])),
            ExprKind::Comparison { lhs, rhs, .. } | ExprKind::Arithmetic { lhs, rhs, .. } => {
                for (side, other) in [(lhs, rhs), (rhs, lhs)] {
                    let context = match self.is_sure(other) {
                        Some(_) => context.firm(&[self.balanced(span)]),
                        None => context.loose(),
                    };
                    self.expr(side, &context);
                }
            }
            ExprKind::Apply { .. } => self.arguments(id, context),
            ExprKind::Record { base, fields } => {
                if let Some(base) = base {
                    self.expr(base, &context.loose());
                }
                for field in &self.tree[fields] {
                    let firm = context.firm(&[field.field.span]);
                    let context = if base.is_none() {
                        firm
                    } else {
                        context.loose()
                    };
                    self.expr(field.value, &context);
                }
            }
            ExprKind::Annotation { expr, .. } => self.expr(expr, &context.firm(&[])),
            ExprKind::Negate { operand } => self.expr(operand, &context.loose()),
            _ => {}
        }
    }
}

fn number(value: usize) -> u32 {
    u32::try_from(value).expect("a short text")
}
