//! The engine around [`buttonwood_fuzz::framing`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| buttonwood_fuzz::framing::run(bytes));
