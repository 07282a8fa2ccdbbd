//! The wire contract of Lonis.
