//! Tests of the adversary: what it does is the same each time, and honest trade breaks no law.

use buttonwood_sim::adversary::{Hunt, Program, Scene, play};

fn program(text: &str) -> Program {
    text.parse().unwrap_or_else(|why| panic!("{why}"))
}

/// Every program that once gained is harmless now: the known holes, and what a search has found since. Proves INV-HOUSE.
#[test]
fn known_programs_do_no_harm() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/programs");
    let scenes = [Scene::new(), Scene::with_honest_party()];
    let mut harmful = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        for scene in &scenes {
            let played = play(scene, &program(&std::fs::read_to_string(&path).unwrap()), false);
            harmful.extend(played.breach.map(|breach| format!("{}: {breach}", path.display())));
        }
        count += 1;
    }
    assert_eq!(count, 19, "each program that was found stays");
    assert!(harmful.is_empty(), "{}", harmful.join("\n"));
}

/// The same seed is the same search, up to the program that it finds, if it finds one.
#[test]
fn one_seed_is_one_search() {
    for seed in [1, 2, 3] {
        let [first, second] = [(); 2].map(|()| Hunt::new(seed, &[], &[]).run(|tally| tally.programs < 60));
        assert_eq!(first, second, "seed {seed} is two searches");
    }
}

/// People of two groups who trade at the index, wrap, move and withdraw money, and whose advance clears, gain nothing. Each act does what it
/// says: a program that is refused would prove nothing.
#[test]
fn honest_trade_gains_nothing() {
    let honest = program(
        "place a.rich btcusd sell 0.5 at 50000\n\
         place b.rich btcusd buy 0.5 at 50000\n\
         place a.perp btcgusdperp buy 1 at 50000\n\
         place b.short btcgusdperp sell 1 at 50000\n\
         place b.rich btcusd sell 0.1 at 50000\n\
         place a.margin btcusd buy 0.1 at 50000 margin\n\
         wrap a.rich buy 1000\n\
         send a.rich a.poor usd 500\n\
         ach a.poor 900\n\
         wait 500000\n\
         withdraw a.rich gusd 200\n\
         pay a.rich 300\n\
         place a.perp btcgusdperp sell 1 at 50000\n\
         place b.short btcgusdperp buy 1 at 50000\n",
    );
    let played = play(&Scene::new(), &honest, true);
    assert_eq!(played.breach, None, "{:#?}", played.lines);
    assert!(played.gain <= 0, "{} units", played.gain);
    let done = |line: &&String| {
        let rests = line.ends_with("is not filled");
        rests || ["done", "is filled", "Wrapped"].iter().any(|word| line.contains(word))
    };
    assert_eq!(played.lines.iter().filter(done).count(), 13, "{:#?}", played.lines);
}

/// An act comes again as often as the program says, up to a bound; a wait does not.
#[test]
fn acts_come_again() {
    let crowd = program(
        "place a.rich btcusd buy 0.00001 at 25000\n\
         repeat 1 300\n\
         bet a.rich rain buy yes 1 at 0.01\n\
         wait 1\n\
         repeat 2 200\n\
         quote b.rich btcusd sell 0.00001\n\
         send a.rich a.poor usd 5\n",
    );
    let played = play(&Scene::new(), &crowd, true);
    assert_eq!((played.breach, played.repeated), (None, 500), "{:#?}", played.lines);
    assert!(played.gain <= 0, "{} units: {:#?}", played.gain, played.lines);
}

/// A group that empties the honest quotes and paints the last trade borrows nothing by that price, and gains nothing at the prices of the
/// start. Proves INV-HOUSE.
#[test]
fn a_painted_index_lends_nothing() {
    let painted = program(
        "place a.rich ethusd buy 10 at 2020\n\
         place a.rich ethusd sell 0.01 at 20000\n\
         place a.margin ethusd buy 0.01 at 20000\n\
         place a.rich ethusd sell 2 at 20000\n\
         wait 2\n\
         place a.margin ethusd buy 2 at 20000 margin\n\
         quote a.rich ethusd sell 1\n\
         execute a.rich\n",
    );
    let played = play(&Scene::with_moving_indices(), &painted, true);
    assert_eq!(played.breach, None, "{:#?}", played.lines);
    assert!(played.gain <= 0, "{} units: {:#?}", played.gain, played.lines);
}

/// The token, the refresh token and the code of another's app, a token that was never given, scopes that the own one lacks, and an operator
/// who approves an own proposal: all are refused and move nothing, before and after the tokens' time.
#[test]
fn thefts_are_refused() {
    let ways = ["token", "guess", "scope", "refresh", "code", "withdraw", "deal", "operator", "second-name"];
    let each = |who: &str| ways.map(|way| format!("steal {who} {way}\n")).concat();
    let text = format!(
        "place a.rich btcusd sell 1 at 60000\n{0}{1}wait 90000\n{0}{1}",
        each("b.rich"),
        each("a.perp")
    );
    let played = play(&Scene::new(), &program(&text), true);
    assert_eq!((played.breach, played.gain), (None, 0), "{:#?}", played.lines);
    let refused = played.lines.iter().filter(|line| line.starts_with("steal"));
    for line in refused.clone() {
        let says = ["Missing", "ForeignAccount", "UnknownSession", "BadGrant", "Operation("];
        assert!(says.iter().any(|word| line.contains(word)), "{line}");
    }
    assert_eq!(refused.count(), 36);
}

/// Two desks who settle trades at the index, one through a broker, and who stake and redeem, gain the promised interest alone, which
/// `staking_rewards` pays. Proves INV-HOUSE.
#[test]
fn honest_deals_and_stakes_gain_what_was_promised() {
    let honest = program(
        "deal a.rich b.rich btcusd sell 0.5 at 50000\n\
         confirm b.rich\n\
         deal b.rich anyone ethusd sell 2 at 2000\n\
         confirm a.rich\n\
         deal a.rich b.rich ethusd buy 1 at 2000 by a.poor\n\
         confirm a.rich\n\
         confirm b.rich\n\
         deal a.rich b.rich btcusd sell 1 at 50000\n\
         retract a.rich\n\
         stake a.rich eth-now 10\n\
         stake b.rich btc-later 100%\n\
         stake b.rich eth-later 10\n\
         wait 180000\n\
         unstake a.rich eth-now 100%\n\
         unstake b.rich btc-later 50%\n\
         unstake b.rich eth-later 10\n\
         wait 180000\n",
    );
    let played = play(&Scene::new(), &honest, true);
    assert_eq!(played.breach, None, "{:#?}", played.lines);
    assert!(played.gain <= 0, "{} units", played.gain);
    assert_eq!(played.lines.iter().filter(|line| line.ends_with("done")).count(), 15, "{:#?}", played.lines);
}

/// Two groups who trade contracts at fair prices, and one that quotes an event with a pool for more than half of a day, gain the rewards of the
/// pool and rebates of their fees alone, which `promo` and the fees pay. Proves INV-HOUSE.
#[test]
fn honest_bets_gain_what_pools_and_fees_grant() {
    let honest = program(
        "bet a.rich rain buy yes 250 at 0.45\n\
         bet a.rich rain buy no 250 at 0.45\n\
         bet a.rich ann buy yes 100 at 0.5\n\
         bet b.rich ann buy no 100 at 0.5\n\
         bet a.rich ann sell yes 40 at 0.6\n\
         bet b.rich ann buy yes 20 at 0.6\n\
         bet a.poor ann buy yes 5 at 0.6\n\
         bet a.poor both buy yes 10 at 0.3\n\
         bet b.rich both buy no 10 at 0.7\n\
         wait 86400\n\
         wait 86400\n\
         resolve ann yes\n\
         dispute ann\n\
         resolve ann no\n\
         wait 3700\n\
         void rain 0.5\n",
    );
    let played = play(&Scene::new(), &honest, true);
    assert_eq!(played.breach, None, "{:#?}", played.lines);
    let figures = format!("{} units: {:#?}", played.gain, played.lines);
    assert!(played.gain <= 0 && played.rewarded > 0, "{figures}");
    let is_refused = |line: &&String| !["done", "fill", "-> "].iter().any(|word| line.contains(word));
    assert_eq!(played.lines.iter().filter(is_refused).count(), 0, "{figures}");
    assert_eq!(played.lines.iter().filter(|line| line.ends_with("done")).count(), 4, "{figures}");
}
