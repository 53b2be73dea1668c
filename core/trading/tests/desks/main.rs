//! The seam between the floor and its desks, proved with desks that no product has yet: one like a perpetual, one like a
//! yes/no contract, and cash and margin orders on one book.
//!
//! They run on the floor, the book, the ledger and the codec as these are, behind a small engine of their own.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

mod cash;
mod desks;
mod engine;
mod naive;
mod outcomes;
mod perp;
mod random;
mod scenes;

/// Random orders on all desks do what the naive desks do, command by command; snapshots and the replay lead to the same state.
#[test]
fn random_orders_settle_as_the_naive_desks_say() {
    let mut counts = naive::Counts::default();
    for seed in 1..=24 {
        random::run(seed, 3_000, &mut counts);
    }
    let reached = [
        counts.uncovered,
        counts.free_rests,
        counts.shortfalls,
        counts.mints,
        counts.merges,
        counts.mixed,
        counts.no_funds,
        counts.desk_refusals,
        counts.collared,
    ];
    assert!(reached.iter().all(|count| *count >= 10), "the dice reach too little: {counts:?}");
}
