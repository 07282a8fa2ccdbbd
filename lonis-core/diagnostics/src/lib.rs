//! One catalog of every failure that can cross a face of Lonis, and the normalised diagnostic made from it.
