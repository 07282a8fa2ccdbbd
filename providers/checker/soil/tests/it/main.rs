//! The library as its users call it.

mod checking;
mod consequences;
mod edits;
mod examples;
mod holes;
mod hostile;
mod hostile_programs;
mod project;
mod rejections;
mod running;
mod soup;
