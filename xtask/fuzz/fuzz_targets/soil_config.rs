//! The laws of `providers/checker/tests/it/laws/config.rs`, on what the fuzzer finds.

#![no_main]

#[path = "../../../providers/checker/tests/it/laws/config.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| law::check(bytes));
