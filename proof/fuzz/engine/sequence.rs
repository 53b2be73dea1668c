//! The engine around [`buttonwood_fuzz::sequence`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| buttonwood_fuzz::sequence::run(bytes));
