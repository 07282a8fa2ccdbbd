//! The library as its users call it.

mod consequences;
mod examples;
mod hostile;
mod soup;
