//! The laws of `lonis-schema/tests/it/laws/canonical.rs`, on what the fuzzer finds.

#![no_main]

#[path = "../../../lonis-schema/tests/it/laws/canonical.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| law::check(bytes));
