//! The engine around [`buttonwood_fuzz::decimal`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| buttonwood_fuzz::decimal::run(bytes));
