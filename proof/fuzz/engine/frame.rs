//! The engine around [`buttonwood_fuzz::frame`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| buttonwood_fuzz::frame::run(bytes));
