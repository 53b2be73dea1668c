//! The replies to many concurrent clients, with kills of the exchange in between, are judged from outside.

use buttonwood_accept::{Crowd, laws};

/// Two kills and sixteen clients on two symbols: some order of events explains every reply, before, between and
/// after. Everything acknowledged is there, everything else is there wholly or not at all, and each client reads its
/// own writes. Proves ORD-081, SES-007.
#[test]
fn some_order_of_events_explains_every_reply() {
    let crowd = Crowd { seed: 1, lives: vec![700, 900, 900] };
    let x = crowd.setup().start();
    let history = crowd.play(&x);
    let tally = crowd.judge(&history).unwrap_or_else(|why| panic!("{why}"));
    println!("{tally}");
    assert!(tally.operations > 2_500 && tally.width > 8, "{tally}");
    laws::check(&x);
    let names = std::fs::read_dir(x.data().join("journal")).expect("the journal's folder can be read");
    let is_snapshot = |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|end| end == "snap");
    assert!(names.map_while(Result::ok).any(is_snapshot), "its recoveries began at snapshots");
}
