//! The program as a client meets it: lines in, lines out.

#![expect(
    clippy::disallowed_methods,
    reason = "a test runs the program as a client would"
)]

mod calls;
mod client;
mod endings;
mod exposures;
mod lifecycle;
mod reading;
mod rooted;
mod stateless;
