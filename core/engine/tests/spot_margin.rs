//! Spot margin against the naive sums of `oracle`.

use buttonwood_oracle::borrow;
use std::collections::HashMap;

/// Orders, pins, hours and liquidations at random: every law holds after each command, money is that of the fills, figures and
/// admission are the naive ones, and a replay and a snapshot lead to the same state. Proves MARG-004, MARG-006, MARG-010.
#[test]
fn money_and_figures_are_the_naive_ones() {
    let mut seen: HashMap<&str, u64> = HashMap::new();
    for seed in 0..8 {
        for (what, times) in borrow(seed, 600) {
            *seen.entry(what).or_default() += times;
        }
    }
    for what in [
        "filled",
        "crossed",
        "triggered",
        "refused",
        "mixed",
        "beyond the limit",
        "hours",
        "searches",
        "liquidated",
        "sold",
        "taken over",
        "waits",
    ] {
        assert!(seen.get(what).is_some_and(|times| *times >= 1), "too few {what}: {seen:?}");
    }
}
