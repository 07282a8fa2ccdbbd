//! Canonical text: one spelling for each tree.
//!
//! The layout depends on the tree alone, never on a width. Trees without error nodes print as text that reads back as the same tree
//! up to spans; an error node prints as a hole named `error`. [`hash_form`] is the same text with local binders
//! numbered, and is never read.

mod declaration;
mod expr;
mod locals;
mod pattern;
mod predicate;
mod types;

use std::fmt::Write;

use crate::syntax::tree::{Declaration, Definition, ExprId, PatternId, PredicateId, Tree, TypeId};
use crate::syntax::{Name, Names};
use locals::Locals;

/// Gives the canonical text of a file.
pub fn file(tree: &Tree, names: &Names) -> String {
    let texts: Vec<String> = tree
        .definitions
        .iter()
        .map(|found| definition(tree, names, found))
        .collect();
    texts.join("\n")
}

/// Gives the canonical text of one definition, with its last newline.
pub fn definition(tree: &Tree, names: &Names, definition: &Definition) -> String {
    let mut printer = Printer::new(tree, names, Locals::named());
    printer.definition(definition);
    printer.out
}

/// Gives the canonical text of one definition in which each local binder and its uses are written `%N`.
///
/// N counts binders in pre-order from 0; a construct numbers all its binders before its parts.
pub fn hash_form(tree: &Tree, names: &Names, definition: &Definition) -> String {
    let mut printer = Printer::new(tree, names, Locals::numbered(names.len()));
    printer.definition(definition);
    printer.out
}

/// Gives a declared type on one line, as it is hashed in a cycle of types.
///
/// # Wire shape
/// `type T a = opaque`, `type T = { f : U, g : V ignored = e }`, `type T = | A | B U`, `type T = U`
pub fn declaration(tree: &Tree, names: &Names, declaration: &Declaration) -> String {
    let mut printer = Printer::new(tree, names, Locals::named());
    printer.declaration(declaration);
    printer.out
}

/// Gives the canonical text of a type.
pub fn ty(tree: &Tree, names: &Names, id: TypeId) -> String {
    let mut printer = Printer::new(tree, names, Locals::named());
    printer.ty(id);
    printer.out
}

/// Gives the canonical text of an expression on one line.
pub fn expr(tree: &Tree, names: &Names, id: ExprId) -> String {
    let mut printer = Printer::new(tree, names, Locals::named());
    printer.inline(id);
    printer.out
}

/// Gives the canonical text of a pattern.
pub fn pattern(tree: &Tree, names: &Names, id: PatternId) -> String {
    let mut printer = Printer::new(tree, names, Locals::named());
    printer.pattern(id);
    printer.out
}

/// Gives the canonical text of a predicate.
pub fn predicate(tree: &Tree, names: &Names, id: PredicateId) -> String {
    let mut printer = Printer::new(tree, names, Locals::named());
    printer.predicate(id);
    printer.out
}

/// Gives a text as a string literal.
pub fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_string(&mut out, text);
    out
}

fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

struct Printer<'a> {
    tree: &'a Tree,
    names: &'a Names,
    locals: Locals,
    out: String,
}

impl<'a> Printer<'a> {
    fn new(tree: &'a Tree, names: &'a Names, locals: Locals) -> Self {
        let out = String::new();
        Self {
            tree,
            names,
            locals,
            out,
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, name: Name) {
        self.out.push_str(&self.names[name]);
    }

    /// Starts a line at a level.
    fn line(&mut self, level: usize) {
        self.out.push('\n');
        for _ in 0..level {
            self.out.push_str("  ");
        }
    }

    fn definition(&mut self, definition: &Definition) {
        let params = &self.tree[definition.params];
        let scope = self.locals.open();
        for param in params {
            self.locals.bind(param.name);
        }
        self.name(definition.name.name);
        self.push(" : ");
        self.ty(definition.signature);
        self.push("\n");
        if let Some(measure) = definition.decreases {
            self.push("decreases ");
            self.inline(measure);
            self.push("\n");
        }
        self.name(definition.equation_name.name);
        for param in params {
            self.push(" ");
            self.local(param.name);
        }
        self.push(" =");
        self.statement(definition.body, 0);
        self.push("\n");
        self.locals.close(scope);
    }

    /// Writes a local name or the name of something global.
    fn local(&mut self, name: Name) {
        match self.locals.number(name) {
            Some(number) => self.number(number),
            None => self.name(name),
        }
    }

    fn number(&mut self, number: u32) {
        self.push("%");
        self.push(&number.to_string());
    }
}

#[cfg(test)]
mod tests;
