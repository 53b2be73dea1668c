//! The engine around [`buttonwood_fuzz::snapshot`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| buttonwood_fuzz::snapshot::run(bytes));
