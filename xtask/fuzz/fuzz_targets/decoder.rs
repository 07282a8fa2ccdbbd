//! The laws of `lonis-core/tests/it/laws/decoder.rs`, on what the fuzzer finds.

#![no_main]

#[path = "../../../lonis-core/tests/it/laws/decoder.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    law::check(bytes);
    law::check_fronts(bytes);
});
