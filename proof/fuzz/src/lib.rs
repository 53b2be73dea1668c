//! Fuzzing: one file per target, a function that checks the product's result for some bytes against an independent
//! one.
//!
//! A target panics if a promise is broken. `cargo test` runs every target over the corpus of this repository;
//! `cargo xtask fuzz` searches for new inputs, with libFuzzer, behind the feature `engine`.

mod big;
mod damage;
pub mod decimal;
pub mod frame;
pub mod framing;
pub mod journal;
mod memory;
pub mod oauth;
pub mod payload;
pub mod products;
pub mod sequence;
pub mod snapshot;
pub mod websocket;

/// A target's function.
pub type Run = fn(&[u8]);

/// All targets by name; the folders of inputs and the file in `engine/` have the same name.
pub const TARGETS: &[(&str, Run)] = &[
    ("decimal", decimal::run),
    ("frame", frame::run),
    ("framing", framing::run),
    ("journal", journal::run),
    ("oauth", oauth::run),
    ("payload", payload::run),
    ("products", products::run),
    ("sequence", sequence::run),
    ("snapshot", snapshot::run),
    ("websocket", websocket::run),
];
