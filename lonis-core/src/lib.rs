//! The runtime of Lonis.
