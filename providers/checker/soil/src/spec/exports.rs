//! `exports` blocks.

use super::Reader;
use super::container::Fence;
use super::lines::{Piece, Spanned};
use crate::diagnostic::Code;
use crate::syntax::token::{is_ident, is_type_name};

/// One line of an `exports` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// What is exported.
    pub name: Spanned<String>,
    /// As what.
    pub kind: ExportKind,
}

/// What a module exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportKind {
    /// A definition.
    Definition,
    /// A type with its structure.
    Type,
    /// A type without its structure.
    AbstractType,
}

impl Reader<'_> {
    pub(super) fn exports(&mut self, fence: &Fence) -> Vec<Export> {
        let mut exports: Vec<Export> = Vec::new();
        for line in self
            .content_of(fence)
            .lines()
            .filter(|line| !line.is_blank())
        {
            let line = line.trimmed();
            let Some(export) = export(line) else {
                let message = "expected `name`, `type T` or `abstract type T`";
                self.report(Code::TrExportsSyntax, line.span(), message);
                continue;
            };
            if exports
                .iter()
                .any(|earlier| earlier.name.value == export.name.value)
            {
                let message = format!("`{}` is there twice", export.name.value);
                self.report(Code::TrExportsSyntax, export.name.span, message);
            }
            exports.push(export);
        }
        exports
    }
}

fn export(line: Piece<'_>) -> Option<Export> {
    let words: Vec<Piece<'_>> = line.words().collect();
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    let kind = match texts[..] {
        [name] if is_ident(name) => ExportKind::Definition,
        ["type", name] if is_type_name(name) => ExportKind::Type,
        ["abstract", "type", name] if is_type_name(name) => ExportKind::AbstractType,
        _ => return None,
    };
    let name = words.last()?.to_spanned();
    Some(Export { name, kind })
}
