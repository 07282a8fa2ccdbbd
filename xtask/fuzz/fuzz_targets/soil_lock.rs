//! The laws of `providers/checker/tests/it/laws/lock.rs`, on what the fuzzer finds.

#![no_main]

#[path = "../../../providers/checker/tests/it/laws/lock.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| law::check(bytes));
