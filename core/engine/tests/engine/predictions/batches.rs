//! Entries of a batch: they share the nonce of their call, and pass every other check.

use super::*;
use buttonwood_engine::{AccessCommand, Operation};

impl Stage {
    /// Sends a command under a nonce that may have been used.
    fn under(&mut self, who: usize, nonce: u64, body: impl Into<Body>) -> Answer {
        let caller = caller(self.keys[who], self.accounts[who], nonce);
        self.run(Some(caller), body.into())
    }

    fn entry(&mut self, who: usize, nonce: u64, words: &str) -> Answer {
        let place = self.place(RAIN, words);
        self.under(who, nonce, Own::BatchPlace(Arc::new(place)))
    }

    /// Uses a new nonce, as a batch does.
    fn begin(&mut self, who: usize) -> u64 {
        self.nonce += 1;
        assert_eq!(self.under(who, self.nonce, AccessCommand::UseNonce), Answer::Done);
        self.nonce
    }
}

/// Each entry runs under the batch's nonce; a command that is no entry is refused under it. Entries use up nothing, so that calls which
/// arrive late are still taken.
#[test]
fn entries_share_a_nonce() {
    let mut stage = Stage::new();
    let nonce = stage.begin(ANN);
    let [first, second] = ["buy yes 5 @ 0.50", "buy yes 6 @ 0.40"]
        .map(|words| stage.entry(ANN, nonce, words).order().expect("it is placed").id);
    let place = stage.place(RAIN, "buy yes 5 @ 0.50");
    refuses(&stage.under(ANN, nonce, TradingCommand::Place(place)), "NonceUsed");
    refuses(&stage.under(ANN, nonce, Own::Cancel(first)), "NonceUsed");
    assert!(stage.under(ANN, nonce, Own::BatchCancel(first)).order().is_ok());
    assert!(stage.under(ANN, nonce + 9, Own::Cancel(second)).order().is_ok());
    for _ in 0..20 {
        assert!(stage.under(ANN, nonce, Own::BatchCancel(first)).is_not_live());
    }
    assert_eq!(stage.under(ANN, nonce + 8, AccessCommand::UseNonce), Answer::Done);
    assert_eq!(stage.held(ANN), Money::ZERO);
}

/// An entry sees what the entry before it did, and is refused as a single order is.
#[test]
fn entries_are_checked_as_single_orders_are() {
    let mut stage = Stage::new();
    stage.placed(BOB, "buy no 900 @ 0.50");
    let nonce = stage.begin(ANN);
    assert!(stage.entry(ANN, nonce, "buy yes 900 @ 0.50").order().is_ok());
    refuses(&stage.entry(ANN, nonce, "buy yes 1500 @ 0.50"), "InsufficientFunds");
    assert!(stage.entry(ANN, nonce, "sell yes 900 @ 0.60").order().is_ok());
    refuses(&stage.entry(ANN, nonce, "sell yes 1 @ 0.60"), "InsufficientFunds");
    let spot = Place { symbol: SymbolId(0), ..stage.place(RAIN, "buy yes 1 @ 0.50") };
    let answer = stage.under(ANN, nonce, Own::BatchPlace(Arc::new(spot)));
    assert_eq!(answer, refused(Reject::UnknownContract));
    // Another account, and an order of another account.
    let foreign = caller(stage.keys[ANN], stage.accounts[BOB], nonce);
    let place = Arc::new(stage.place(RAIN, "buy yes 1 @ 0.50"));
    refuses(&stage.run(Some(foreign), Own::BatchPlace(place).into()), "ForeignAccount");
    let other = stage.placed(BOB, "buy no 1 @ 0.10");
    assert!(stage.under(ANN, nonce, Own::BatchCancel(OrderId(other))).is_not_live());
}

/// An exchange that halts within a batch refuses the orders that are left, and takes the cancels. All of it is replayed.
#[test]
fn a_halt_within_a_batch() {
    let mut stage = Stage::new();
    let nonce = stage.begin(ANN);
    let first = stage.entry(ANN, nonce, "buy yes 5 @ 0.50").order().expect("it is placed").id;
    assert_eq!(stage.own(Operation::Halt), Answer::Done);
    assert_eq!(stage.entry(ANN, nonce, "buy yes 5 @ 0.50"), Answer::Rejected(AnyReject::Halted));
    assert!(stage.under(ANN, nonce, Own::BatchCancel(first)).order().is_ok());
    stage.replays();
}
