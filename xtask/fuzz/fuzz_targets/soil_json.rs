//! The laws of `providers/checker/tests/it/laws/json.rs`, on what the fuzzer finds.

#![no_main]

#[path = "../../../providers/checker/tests/it/laws/json.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    law::check(bytes);
});
