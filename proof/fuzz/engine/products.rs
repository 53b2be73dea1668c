//! The engine around [`buttonwood_fuzz::products`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| buttonwood_fuzz::products::run(bytes));
