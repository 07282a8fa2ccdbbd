//! Other people's programs as tools: what they print, how they end, and what their caller sees, collected and streamed.

mod calls;
mod failures;
mod mappings;
mod output;
#[cfg(feature = "futures")]
mod polled;
mod support;
