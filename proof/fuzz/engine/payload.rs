//! The engine around [`buttonwood_fuzz::payload`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| buttonwood_fuzz::payload::run(bytes));
