//! The library as its users call it.

mod examples;
