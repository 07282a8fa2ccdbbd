//! Derive macros of Lonis.
