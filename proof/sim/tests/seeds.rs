//! Tests of the simulator: a few seeds through all it does, and the same seed twice.

use buttonwood_sim::life::Life;
use buttonwood_sim::sweep::Sweep;

/// Lives without a finding; run again, each is identical up to the last disk call.
#[test]
fn one_seed_is_one_life() {
    for seed in 1..6 {
        let [first, second] = [(); 2].map(|()| {
            let mut life = Life::new(seed);
            let tally = life.run(300).unwrap_or_else(|finding| panic!("seed {seed}: {finding}"));
            (tally, life.trace().collect::<Vec<_>>().join("\n"), life.disk().files())
        });
        assert_eq!(first.0, second.0);
        assert_eq!(first.1, second.1);
        assert!(first.2 == second.2, "seed {seed} left other files");
        assert!(first.0.commands >= 300);
    }
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
