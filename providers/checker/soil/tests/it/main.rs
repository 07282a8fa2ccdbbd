//! The library as its users call it.

mod checking;
mod consequences;
mod corpus;
mod determinism;
mod edits;
mod edits_hold;
mod examples;
mod fault;
mod generated;
mod holes;
mod hostile;
mod hostile_programs;
mod plant;
mod planted;
mod principal;
mod project;
mod recovery;
mod registry;
mod rejections;
mod repair;
mod running;
mod soup;
