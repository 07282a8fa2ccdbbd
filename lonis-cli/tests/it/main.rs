//! The program and the providers that ship with it, as their users meet them.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]
#![expect(clippy::print_stdout, reason = "a test says what it skips")]

mod example_providers;
