//! Names, tokens and the tree of Soil.
//!
//! Everything here is per file but [`Names`], which is shared by all files of a run, so that equal names compare as
//! integers. A [`Tree`] holds its nodes in flat tables and hands out ids: a phase keeps what it learns of a node in a
//! table of its own, indexed by that id, and dropping the deepest tree is flat.
//!
//! # Example
//! ```
//! use soil::source::FileId;
//! use soil::syntax::{FileShape, Names, parse};
//!
//! let mut names = Names::new();
//! let text = "double : (x : I64) -> I64\ndouble x = (x + x)\n";
//! let parsed = parse(FileId::new(0), text.as_bytes(), FileShape::of_path("m/double.soil"), &mut names);
//! assert!(parsed.diagnostics.is_empty());
//! let canonical = soil::print::file(&parsed.tree, &names);
//! assert_eq!(canonical, "double : (x : I64) -> I64\ndouble x = x + x\n");
//! ```

pub mod lexer;
pub mod name;
pub mod parser;
pub mod token;
pub mod tree;

pub use lexer::{Lexed, lex, lex_part};
pub use name::{Name, Names, known};
pub use parser::{
    FileShape, Parsed, Part, parse, parse_declaration, parse_expr, parse_predicate,
    parse_signature, parse_type,
};
pub use token::{Token, TokenKind};
pub use tree::Tree;

/// The deepest tree that is read, grouping parentheses counted.
///
/// # Units and bounds
/// Levels: 500. A deeper one gives `limit-exceeded` for its definition.
pub const MAX_NESTING: u32 = 500;
