//! The program and the providers that ship with it, as their users meet them.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]
#![expect(clippy::print_stdout, reason = "a test says what it skips")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test runs the program as a shell would"
)]

mod arguments;
mod book;
mod builtins;
mod closed_output;
mod configured;
mod documents;
mod example_providers;
mod exchanges;
mod external;
mod hard_cases;
mod hints;
mod human_text;
mod logging;
mod map;
mod new;
mod policy;
mod program;
mod recipes;
mod records;
mod robust;
mod sandbox;
mod secrets;
mod self_hosted;
mod signals;
mod streams;
mod terminal;
mod trusting;
