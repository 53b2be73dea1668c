//! The writer's path allocates nothing once its rooms have grown to the load.
#![expect(clippy::unwrap_used, reason = "what a test cannot do, fails it")]

use buttonwood_engine::{
    AccessCommand, Body, Caller, Command, FeeSchedule, OrderRef, Outcome, Place, TradingAnswer,
    TradingCommand, decide, evolve,
};
use buttonwood_model::{ClientId, ExecutionOption, Nonce, Role, Seq, Side, Stamp, SymbolId};
use buttonwood_num::{Decimal, Money, Price, Qty};
use buttonwood_oracle::{Exchange, nonce};
use std::io::Write;

/// Rounds of the load until nothing is new to it: the table of a nonce's newest uses included.
const WARM: u64 = 2_000;
/// Rounds that are looked at.
const COUNTED: u64 = 500;

/// Two accounts that trade with each other.
struct Load {
    exchange: Exchange,
    callers: [Caller; 2],
    symbol: SymbolId,
    turn: u64,
}

impl Load {
    fn new() -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), None);
        let symbol = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]);
        let funds = Money::from_decimal(Decimal::parse(b"1000000000").unwrap()).unwrap();
        let callers = ["ann", "bob"].map(|name| {
            let account = exchange.account(name, "US-NY");
            let session = exchange.key(name, account, Role::Trader);
            let amounts = exchange.currencies().map(|currency| (currency, funds)).collect();
            assert_eq!(exchange.own(Body::credit(account, amounts)), buttonwood_engine::Answer::Done);
            Caller { session, account: Some(account), nonce: nonce(1) }
        });
        Self { exchange, callers, symbol, turn: 1_000_000_000 }
    }

    fn place(&self, side: Side, price: u64, option: Option<ExecutionOption>, id: Option<&str>) -> Body {
        Body::Trading(TradingCommand::Place(Place {
            option,
            client_id: id.map(|text| ClientId::new(text).unwrap()),
            ..Place::limit(self.symbol, side, Price::from_ticks(price), Qty::from_hundredths(1_000_000))
        }))
    }

    /// Orders that rest, match, are refused and are cancelled, with short and long client ids.
    fn round(&self) -> [(usize, Body); 13] {
        let away = 2_000_000 + self.turn % 50;
        let long = "an-id-longer-than-the-room-inside-an-order";
        let named =
            |id: &str| Body::Trading(TradingCommand::Cancel(OrderRef::ClientId(ClientId::new(id).unwrap())));
        [
            (0, self.place(Side::Sell, 3_000_000, None, Some("ask"))),
            (0, self.place(Side::Sell, 3_000_001, None, None)),
            (1, self.place(Side::Buy, 3_000_000, None, Some(long))),
            (1, self.place(Side::Buy, 3_000_001, Some(ExecutionOption::ImmediateOrCancel), None)),
            (1, self.place(Side::Buy, away, Some(ExecutionOption::MakerOrCancel), Some("bid"))),
            (1, self.place(Side::Buy, away, None, Some(long))),
            (1, named("bid")),
            (1, named(long)),
            (1, self.place(Side::Buy, away, None, Some("last"))),
            (1, Body::Trading(TradingCommand::CancelSession)),
            (1, self.place(Side::Buy, away, None, Some(long))),
            (1, self.place(Side::Buy, away, None, None)),
            (1, Body::Trading(TradingCommand::CancelAll)),
        ]
    }

    /// The trace of a read: its nonce.
    fn read(&mut self) {
        self.turn += 1;
        let nonce = Nonce::parse(&digits(self.turn)).unwrap();
        let seen = self.callers.iter().map(|caller| (caller.session, nonce)).collect();
        self.command(&Command { caller: None, body: Body::Access(AccessCommand::NoncesSeen(seen)) });
    }

    fn run(&mut self, rounds: u64) {
        for _ in 0..rounds {
            self.exchange.work.out.clear();
            for (who, body) in self.round() {
                self.turn += 1;
                let caller = self.callers.get(who).unwrap();
                let nonce = Nonce::parse(&digits(self.turn)).unwrap();
                self.command(&Command { caller: Some(Caller { nonce, ..*caller }), body });
            }
            self.read();
        }
    }

    fn command(&mut self, command: &Command) {
        let Exchange { state, work, stamp, .. } = &mut self.exchange;
        *stamp = Stamp { seq: Seq(stamp.seq.0 + 1), time: stamp.time.plus(1) };
        let outcome = decide(state, command, *stamp, work);
        assert!(matches!(outcome, Outcome::Trading(TradingAnswer::Order(_)) | Outcome::Done), "{outcome:?}");
        let (events, texts) = work.out.latest();
        for event in events {
            evolve(state, *stamp, event, texts);
        }
        state.advance(*stamp);
    }
}

/// A number of ten digits, written without a string.
fn digits(number: u64) -> [u8; 10] {
    let mut out = [0; 10];
    write!(out.as_mut_slice(), "{number}").unwrap();
    out
}

/// Placing, matching, cancelling one order or all, and the nonces of reads ask the allocator for nothing, and leave nothing behind.
#[test]
fn orders_allocate_nothing_once_warm() {
    let mut load = Load::new();
    load.run(WARM);
    let counted = allocation_counter::measure(|| load.run(COUNTED));
    assert_eq!((counted.count_total, counted.bytes_total), (0, 0), "{counted:?}");
    let grown = allocation_counter::measure(|| drop(vec![0_u8; 64]));
    assert_eq!(grown.count_total, 1, "the counter counts");
}
