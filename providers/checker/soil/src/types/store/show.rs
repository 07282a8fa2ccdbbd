//! Terms as text.

use super::row::RowTail;
use super::{Node, RowId, Store, Ty};
use crate::environment::Environment;
use crate::syntax::{Name, Names};

/// The longest text of a type; what is behind it is cut.
const MAX_TEXT_BYTES: usize = 2 << 10;

/// Names the variables in the types of one definition.
#[derive(Clone, Debug, Default)]
pub(crate) struct VariableNames {
    /// Names of the signature's type variables, by number.
    pub(crate) types: Vec<Name>,
    /// Names of the signature's row variables, by number.
    pub(crate) rows: Vec<Name>,
    /// The variables that are not known, in the order in which they were shown.
    unknown: Vec<Ty>,
}

impl VariableNames {
    /// Gives the name of a variable that is not known.
    pub(crate) fn unknown(&mut self, ty: Ty, names: &Names) -> String {
        let known = self.unknown.iter().position(|known| *known == ty);
        let position = known.unwrap_or_else(|| {
            self.unknown.push(ty);
            self.unknown.len() - 1
        });
        self.fresh_name(position, names)
    }

    /// Gives `a0`, `b0`, … `z0`, `a1`, …, without those that the signature has.
    fn fresh_name(&self, position: usize, names: &Names) -> String {
        let is_taken = |text: &String| {
            let mut known = self.types.iter().chain(&self.rows);
            known.any(|name| names[*name] == **text)
        };
        let all = (0_u32..).flat_map(|number| {
            (b'a'..=b'z').map(move |letter| format!("{}{number}", char::from(letter)))
        });
        let mut free = all.filter(|text| !is_taken(text));
        free.nth(position).unwrap_or_default()
    }
}

/// Shows types of one definition.
pub(crate) struct Shower<'a> {
    pub(crate) store: &'a Store,
    pub(crate) environment: &'a Environment,
    pub(crate) names: &'a Names,
    pub(crate) variables: &'a mut VariableNames,
}

impl Shower<'_> {
    /// Gives a type as canonical text, cut at 2 KiB.
    pub(crate) fn text(&mut self, ty: Ty) -> String {
        let mut out = String::new();
        self.push(&mut out, ty, false, 0);
        if out.len() > MAX_TEXT_BYTES {
            out.truncate(out.floor_char_boundary(MAX_TEXT_BYTES));
            out.push('…');
        }
        out
    }

    /// Gives a row as canonical text, `{}` where it is empty.
    pub(crate) fn row_text(&mut self, row: RowId) -> String {
        let mut out = String::new();
        self.push_row(&mut out, row);
        match out.trim_end() {
            "" => "{}".to_owned(),
            text => text.to_owned(),
        }
    }

    fn push(&mut self, out: &mut String, ty: Ty, is_atom: bool, depth: u32) {
        if out.len() > MAX_TEXT_BYTES || depth > super::MAX_DEPTH {
            return;
        }
        let ty = self.store.shallow(ty);
        match self.store.node(ty) {
            Node::Error => out.push('_'),
            Node::Variable { .. } | Node::Link(_) => {
                out.push_str(&self.variables.unknown(ty, self.names));
            }
            Node::Rigid(number) => {
                let name = self.variables.types.get(number as usize);
                out.push_str(name.map_or("_", |name| &self.names[*name]));
            }
            Node::Type { id, start, len } => {
                let is_bracketed = is_atom && len > 0;
                bracket(out, is_bracketed, "(");
                out.push_str(&self.names[self.environment[id].name]);
                for index in 0..len {
                    out.push(' ');
                    self.push(out, self.store.argument(start, index), true, depth + 1);
                }
                bracket(out, is_bracketed, ")");
            }
            Node::Arrow {
                domain,
                row,
                codomain,
            } => {
                bracket(out, is_atom, "(");
                let is_function = matches!(self.store.node(domain), Node::Arrow { .. });
                self.push(out, domain, is_function, depth + 1);
                out.push_str(" -> ");
                let before = out.len();
                self.push_row(out, row);
                let is_behind_row = out.len() > before;
                let is_arrow = matches!(self.store.node(codomain), Node::Arrow { .. });
                self.push(out, codomain, is_behind_row && !is_arrow, depth + 1);
                bracket(out, is_atom, ")");
            }
        }
    }

    /// Appends a row that is not empty and a space.
    fn push_row(&mut self, out: &mut String, row: RowId) {
        let (effects, tail) = self.store.effects(row);
        for effect in effects.iter() {
            out.push_str(effect.word());
            out.push(' ');
        }
        if let RowTail::Rigid(number) = tail {
            let name = self.variables.rows.get(number as usize);
            out.push_str(name.map_or("_", |name| &self.names[*name]));
            out.push(' ');
        }
    }
}

fn bracket(out: &mut String, is_there: bool, text: &str) {
    if is_there {
        out.push_str(text);
    }
}
