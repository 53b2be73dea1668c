//! The replies to many concurrent clients, with kills of the exchange in between, are judged from outside.

use buttonwood_accept::{Crowd, laws};
use buttonwood_checker::{Operation, Reply, Request};

/// Two kills, sixteen clients on two symbols and an operator who disables, enables, ends and re-roles their keys: some order of events explains every reply, before, between and
/// after. Everything acknowledged is there, everything else is there wholly or not at all, and each client reads its
/// own writes. No call of a disabled key is let in after the disable was acknowledged, and none of an enabled one is refused.
/// Proves ORD-081, SES-007, AUTH-011, AUTH-024.
#[test]
fn some_order_of_events_explains_every_reply() {
    let crowd = Crowd { seed: 1, lives: vec![700, 900, 900] };
    let x = crowd.setup().start();
    let history = crowd.play(&x);
    let tally = crowd.judge(&history).unwrap_or_else(|why| panic!("{why}"));
    println!("{tally}");
    assert!(tally.operations > 2_500 && tally.width > 8, "{tally}");
    let count = |is_meant: &dyn Fn(&Operation) -> bool| {
        history.operations.iter().filter(|operation| is_meant(operation)).count()
    };
    let changes = count(&|operation| matches!(operation.request, Request::Key(..)));
    let refused = |reason: &str| {
        count(
            &|operation| matches!(&operation.answer, Some((_, Reply::Refused(403, told))) if told == reason),
        )
    };
    let (disabled, without_role) = (refused("InvalidApiKey"), refused("MissingRole"));
    assert!(changes > 40 && disabled > 10 && without_role > 3, "{changes}, {disabled}, {without_role}");
    laws::check(&x);
    let names = std::fs::read_dir(x.data().join("journal")).expect("the journal's folder can be read");
    let is_snapshot = |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|end| end == "snap");
    assert!(names.map_while(Result::ok).any(is_snapshot), "its recoveries began at snapshots");
}
