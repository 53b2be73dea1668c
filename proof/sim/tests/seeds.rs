//! Tests of the simulator: a few seeds through all it does, and the same seed twice.

use buttonwood_sim::disk::Trouble;
use buttonwood_sim::identity::{IdentityRun, IdentityTally};
use buttonwood_sim::life::Life;
use buttonwood_sim::margin::{Margin, MarginTally};
use buttonwood_sim::offbook::{OffBook, OffBookTally, struck};
use buttonwood_sim::perps::{Perps, PerpsTally};
use buttonwood_sim::predictions::{self, PredictionMarkets, PredictionTally};
use buttonwood_sim::sweep::Sweep;
use buttonwood_sim::treasury::Treasury;
use std::path::PathBuf;
use std::sync::Arc;

/// Lives without a finding; run again, each is identical up to the last disk call.
#[test]
fn one_seed_is_one_life() {
    for seed in 1..6 {
        let [first, second] = [(); 2].map(|()| {
            let mut life = Life::new(seed);
            let tally = life.run(300).unwrap_or_else(|finding| panic!("seed {seed}: {finding}"));
            (tally, life.trace().collect::<Vec<_>>().join("\n"), plain(life.disk().files()))
        });
        assert_eq!(first.0, second.0);
        assert_eq!(first.1, second.1);
        assert!(first.2 == second.2, "seed {seed} left other files");
        assert!(first.0.commands >= 300);
    }
}

/// The files without a vault's, whose content is random; their lengths are not.
fn plain(files: Vec<(PathBuf, Arc<Vec<u8>>)>) -> Vec<(PathBuf, usize, Arc<Vec<u8>>)> {
    let is_sealed =
        |path: &PathBuf| path.starts_with("/sealing") || path.display().to_string().contains("vault");
    let content = |path: &PathBuf, bytes| if is_sealed(path) { Arc::default() } else { bytes };
    files.into_iter().map(|(path, bytes)| (path.clone(), bytes.len(), content(&path, bytes))).collect()
}

/// In every fourth life keys are made and the vault's key rotates, with crashes and power cuts in between: every key of the
/// journal has its secret after each start.
#[test]
fn no_key_is_half() {
    let (mut sealed, mut rotations, mut crashes) = (0, 0, 0);
    for seed in [1, 5, 9, 13, 17, 21] {
        let mut life = Life::new(seed);
        let tally = life.run(400).unwrap_or_else(|finding| panic!("seed {seed}: {finding}"));
        sealed += tally.sealed;
        rotations += tally.rotations;
        crashes += tally.crashes;
    }
    assert!(sealed > 20 && rotations > 10 && crashes > 10, "{sealed}, {rotations}, {crashes} prove little");
}

/// A power cut before any call loses nothing acknowledged and leaves nothing unrequested.
#[test]
fn every_cut_is_survived() {
    let swept = Sweep::new(1).run(6).unwrap();
    assert!(swept.states > swept.boundaries && swept.second > 0, "{swept:?}");
}

/// In every fourth life old segments move to the archive, with crashes and power cuts in between, and nothing is lost.
#[test]
fn segments_move_to_the_archive() {
    let moved: u64 = [3, 7, 11, 15]
        .into_iter()
        .map(|seed| {
            let mut life = Life::new(seed);
            life.run(400).unwrap_or_else(|finding| panic!("seed {seed}: {finding}")).archived
        })
        .sum();
    assert!(moved > 3, "{moved} moves prove little");
}

/// Withdrawals and deposits on chains whose nodes lose answers and whose blocks are replaced, over crashes at any call: each is paid
/// once, credited once, and ends. The same seed is the same run. Proves XFER-019.
#[test]
fn each_withdrawal_is_paid_once() {
    let (mut withdrawals, mut crashes, mut reorganisations) = (0, 0, 0);
    for seed in [1, 3, 4, 57] {
        let [first, second] = [(); 2].map(|()| {
            let mut treasury = Treasury::new(seed);
            let tally = treasury.run(60).unwrap_or_else(|finding| panic!("seed {seed}: {finding}"));
            (tally, treasury.trace().collect::<Vec<_>>().join("\n"))
        });
        assert!(first == second, "seed {seed} is two runs");
        withdrawals += first.0.withdrawals;
        crashes += first.0.crashes;
        reorganisations += first.0.reorganisations;
    }
    assert!(
        withdrawals > 15 && crashes > 10 && reorganisations > 5,
        "{withdrawals}, {crashes}, {reorganisations}"
    );
}

/// Perpetuals at high leverage over crashes at any call: the naive model agrees with every mark, every hour of funding and every step of a
/// liquidation, also after crashes between the payments of an hour and inside a round. The same seed is the same run. Proves PERP-018,
/// PERP-027.
#[test]
fn funding_and_liquidations_survive_crashes() {
    let mut sum = PerpsTally::default();
    for seed in [1, 2, 3, 4, 5, 6, 7, 8, 10, 49, 84] {
        let mut perps = Perps::new(seed);
        let tally = perps.run(80).unwrap_or_else(|finding| panic!("seed {seed}: {finding}"));
        if seed < 3 {
            let mut again = Perps::new(seed);
            assert_eq!(again.run(80), Ok(tally), "seed {seed}");
            assert!(perps.trace().eq(again.trace()), "seed {seed} is two runs");
        }
        sum.add(&tally);
    }
    let inside = [sum.in_funding, sum.in_liquidation, sum.in_round, sum.resumed];
    assert!(inside.into_iter().all(|count| count > 0), "{sum:?}");
}

/// People and apps over crashes at any call: the naive model agrees with every sign-in, grant, refresh and revocation, whichever of racing
/// requests comes first; nothing that ended lives again, and nothing works twice. The same seed is the same run. Proves OAUTH-010, OAUTH-015.
#[test]
fn grants_survive_crashes() {
    let mut sum = IdentityTally::default();
    for seed in 1..=36 {
        let mut identity = IdentityRun::new(seed);
        let tally = identity.run(200).unwrap_or_else(|finding| panic!("seed {seed}: {finding}"));
        if seed < 3 {
            let mut again = IdentityRun::new(seed);
            assert_eq!(again.run(200), Ok(tally), "seed {seed}");
            assert!(identity.trace().eq(again.trace()), "seed {seed} is two runs");
        }
        sum.add(&tally);
    }
    assert!(sum.crashes > 50 && sum.in_expiry > 5 && sum.races > 100, "{sum:?}");
    // A refusal without an event is in no journal, which this model follows: `the_core_admits_like_the_naive_model` counts those.
    assert!(sum.counts.rarer_than(3).len() <= 36, "{:?}", sum.counts.rarer_than(3));
}

/// Spot margin at the highest leverage over crashes at any call: the naive model agrees with what each account owes, every hour of interest
/// and every step of a liquidation, also after crashes between these steps. The same seed is the same run. Proves MARG-006.
#[test]
fn debts_survive_crashes() {
    let mut sum = MarginTally::default();
    for seed in 1..=24 {
        let mut margin = Margin::new(seed);
        let tally = margin.run(100).unwrap_or_else(|finding| panic!("seed {seed}: {finding}"));
        if seed < 3 {
            let mut again = Margin::new(seed);
            assert_eq!(again.run(100), Ok(tally), "seed {seed}");
            assert!(margin.trace().eq(again.trace()), "seed {seed} is two runs");
        }
        sum.add(&tally);
    }
    assert!(sum.counts.all().into_iter().all(|count| count > 0) && sum.in_search > 0, "{sum:?}");
}

/// Clearing and staking over crashes at any call: naive models agree with every settlement, every day of interest and every redemption, also
/// after crashes between the steps of an accrual. The same seed is the same run. Proves CLR-015, STK-021.
#[test]
fn settlements_and_accruals_survive_crashes() {
    let mut sum = OffBookTally::default();
    for seed in [11, 16, 21, 24, 29] {
        let mut run = OffBook::new(seed);
        let tally = run.run(160).unwrap_or_else(|finding| panic!("seed {seed}: {finding}"));
        if seed == 11 {
            let mut again = OffBook::new(seed);
            assert_eq!(again.run(160), Ok(tally), "seed {seed}");
            assert!(run.trace().eq(again.trace()), "seed {seed} is two runs");
        }
        sum.add(&tally);
    }
    let inside = [sum.in_settlement, sum.in_accrual, sum.retries];
    let mut counts = sum.deals.all().into_iter().chain(sum.stakes.all()).chain(inside);
    assert!(counts.all(|count| count > 0), "{sum:?}");
}

/// A kill at every write, sync and rename of settlements, accruals and redemptions, or a power cut at every other: after the start the same
/// requests lead to the same balances, to the last unit. Proves CLR-015, STK-021, INV-DET-1.
#[test]
fn no_settlement_and_no_accrual_is_half_done_or_done_twice() {
    let (whole, _) = struck(u64::MAX / 2, Trouble::Kill).unwrap();
    let mut calls = 0;
    loop {
        let trouble = if calls % 3 == 2 { Trouble::PowerCut } else { Trouble::Kill };
        let (ended, is_struck) = struck(calls, trouble)
            .unwrap_or_else(|finding| panic!("{trouble:?} after {calls} calls: {finding}"));
        assert_eq!(ended, whole, "{trouble:?} after {calls} calls");
        if !is_struck {
            break;
        }
        calls += 1;
    }
    assert!(calls > 200, "{calls} calls prove little");
}

/// Prediction markets over crashes at any call: a naive model agrees with every fill, payout, refund and reward, also after crashes between
/// their steps and between the snapshots of a minute. The same seed is the same run. Proves PM-018, PM-019, PM-027, PM-028, INV-PRED-4.
#[test]
fn payouts_and_refunds_survive_crashes() {
    let mut sum = PredictionTally::default();
    for seed in 1..=12 {
        let mut run = PredictionMarkets::new(seed);
        let tally = run.run(200).unwrap_or_else(|finding| panic!("seed {seed}: {finding}"));
        if seed == 2 {
            let mut again = PredictionMarkets::new(seed);
            assert_eq!(again.run(200), Ok(tally), "seed {seed}");
            assert!(run.trace().eq(again.trace()), "seed {seed} is two runs");
        }
        sum.add(&tally);
    }
    let PredictionTally { courses, rewards, .. } = &sum;
    let often = [courses.settled, courses.disputed, courses.paid, rewards.rebates, rewards.scored];
    let sums = [courses.refunded.iter().sum(), courses.combos.iter().sum(), rewards.liquidity.iter().sum()];
    let inside = [sum.in_payout, sum.in_refund, sum.in_reward + sum.in_score];
    let mut counts = sum.kinds.iter().chain(&often).chain(&sums).chain(&inside);
    assert!(counts.all(|count| *count > 0), "{sum:?}");
}

/// A kill at every write, sync and rename of fills, payouts, refunds, snapshots and rewards, or a power cut at every other: after the start the
/// same requests lead to the same balances, to the last unit. Proves PM-027, INV-PRED-4, INV-DET-1.
#[test]
fn no_claim_is_paid_twice_and_no_score_is_lost() {
    let (whole, _) = predictions::struck(u64::MAX / 2, Trouble::Kill).unwrap();
    let mut calls = 0;
    loop {
        let trouble = if calls % 3 == 2 { Trouble::PowerCut } else { Trouble::Kill };
        let (ended, is_struck) = predictions::struck(calls, trouble)
            .unwrap_or_else(|finding| panic!("{trouble:?} after {calls} calls: {finding}"));
        assert_eq!(ended, whole, "{trouble:?} after {calls} calls");
        if !is_struck {
            break;
        }
        calls += 1;
    }
    assert!(calls > 100, "{calls} calls prove little");
}
