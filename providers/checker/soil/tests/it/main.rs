//! The library as its users call it.

mod checking;
mod consequences;
mod examples;
mod hostile;
mod project;
mod rejections;
mod soup;
