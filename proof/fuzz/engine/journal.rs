//! The engine around [`buttonwood_fuzz::journal`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| buttonwood_fuzz::journal::run(bytes));
