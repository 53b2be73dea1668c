//! The engine around [`buttonwood_fuzz::websocket`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| buttonwood_fuzz::websocket::run(bytes));
