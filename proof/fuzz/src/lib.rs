//! Fuzzing: one file per target, each a plain function of bytes that holds what comes of them against something else.
//!
//! A target panics when a promise is broken. `cargo test` runs every one over the corpus of this repository;
//! `cargo xtask fuzz` looks for inputs that are new, with libFuzzer behind the feature `engine`.

mod big;
mod damage;
pub mod decimal;
pub mod frame;
pub mod framing;
pub mod journal;
mod memory;
pub mod payload;
pub mod sequence;
pub mod snapshot;

/// What a target does with bytes.
pub type Run = fn(&[u8]);

/// Every target by its name, which is also that of its folders of inputs and of its file in `engine/`.
pub const TARGETS: &[(&str, Run)] = &[
    ("decimal", decimal::run),
    ("frame", frame::run),
    ("framing", framing::run),
    ("journal", journal::run),
    ("payload", payload::run),
    ("sequence", sequence::run),
    ("snapshot", snapshot::run),
];
