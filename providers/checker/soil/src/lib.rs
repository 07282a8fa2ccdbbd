//! The Soil language.
