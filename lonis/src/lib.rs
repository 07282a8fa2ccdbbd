//! Lonis, as one crate.
