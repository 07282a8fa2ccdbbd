//! Loads the golden files.
