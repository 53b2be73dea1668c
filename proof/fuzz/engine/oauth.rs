//! The engine around [`buttonwood_fuzz::oauth`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| buttonwood_fuzz::oauth::run(bytes));
