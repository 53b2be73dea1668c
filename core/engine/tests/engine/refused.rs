//! Orders that a rule refuses: ids, events, and what has neither (D-147).
#![expect(clippy::unwrap_used, reason = "what a test cannot do, fails it")]

use buttonwood_engine::{
    Answer, Body, Caller, Command, FeeSchedule, Operation, Outcome, Place, RefusedDraft, Reject,
    TradingCommand, TradingReject,
};
use buttonwood_model::{
    AccountId, Claim, ClientId, OrderId, OrderKind, RefusalReason, Role, SessionId, Side, SymbolId,
};
use buttonwood_num::{Decimal, Money, Price, Qty};
use buttonwood_oracle::{Exchange, Happening, caller};
use std::sync::Arc;

struct Stage {
    exchange: Exchange,
    symbol: SymbolId,
    ann: (SessionId, AccountId),
    nonce: u64,
}

impl Stage {
    fn new() -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), Some(Vec::new()));
        for code in ["USD", "BTC"] {
            exchange.currency(code);
        }
        let symbol = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]);
        let account = exchange.account("ann", "");
        let session = exchange.key("ann", account, Role::Trader);
        let usd = exchange.find_currency("USD");
        let money = Money::from_units(1_000 * Money::ONE.units());
        assert_eq!(exchange.own(Body::credit(account, vec![(usd, money)])), Outcome::Done);
        Self { exchange, symbol, ann: (session, account), nonce: 0 }
    }

    fn call(&mut self, body: impl Into<Body>) -> Answer {
        self.nonce += 1;
        let (session, account) = self.ann;
        let caller = caller(session, account, self.nonce);
        self.submit(caller, body.into())
    }

    fn submit(&mut self, caller: Caller, body: Body) -> Answer {
        let answer = self.exchange.submit(1, &Command { caller: Some(caller), body });
        assert_eq!(self.exchange.state.broken_law(), None);
        answer
    }

    fn limit(&self, price: u64, hundredths: u128) -> Place {
        Place {
            client_id: ClientId::new("mine").ok(),
            ..Place::limit(self.symbol, Side::Buy, Price::from_ticks(price), Qty::from_hundredths(hundredths))
        }
    }

    fn draft(&self, reason: RefusalReason) -> RefusedDraft {
        RefusedDraft {
            symbol: self.symbol,
            side: Side::Sell,
            claim: Claim::Yes,
            kind: OrderKind::StopLimit,
            option: None,
            price: Some(decimal("100.005")),
            stop: Some(decimal("0.00")),
            qty: None,
            spend: None,
            client_id: None,
            reason,
        }
    }

    fn replays(&self) {
        let mut again = Exchange::blank();
        for frame in self.exchange.journal.iter().flatten() {
            again.replay(frame);
        }
        assert_eq!(self.exchange.difference(&again), None);
    }
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).unwrap()
}

/// A refused order takes the id between its neighbours, and is reported once with what its client sent.
#[test]
fn a_refused_order_takes_an_id() {
    let mut stage = Stage::new();
    let first = stage.call(TradingCommand::Place(stage.limit(100, 100_000))).order().unwrap().id.0;
    let answer = stage.call(TradingCommand::Place(stage.limit(5_000_050, 10_000_000_000)));
    assert!(answer.order().is_err());
    assert_eq!(stage.exchange.happened, [Happening::Refused(first + 1, RefusalReason::InsufficientFunds)]);
    let refused = stage.exchange.of.refused[0];
    assert_eq!((refused.session, refused.account), stage.ann);
    assert_eq!((refused.price, refused.qty), (Some(decimal("50000.50")), Some(decimal("1"))));
    assert_eq!((refused.client_id, refused.kind), (ClientId::new("mine").ok(), OrderKind::Limit));
    let next = stage.call(TradingCommand::Place(stage.limit(100, 100_000))).order().unwrap().id;
    assert_eq!(next, OrderId(first + 2));
    assert!(stage.exchange.order(first + 1).is_none());
    stage.replays();
}

/// An order that the interface refuses is journaled with the caller's own account and session, as the last event of a refused call.
#[test]
fn a_draft_is_reported_as_it_was_sent() {
    let mut stage = Stage::new();
    let id = stage.exchange.state.next_id();
    let draft = stage.draft(RefusalReason::InvalidPrice);
    let answer = stage.call(TradingCommand::Refuse(Arc::new(draft)));
    assert_eq!(answer, Outcome::Rejected(Reject::Trading(TradingReject::Refused)));
    let expected = draft.with_id(OrderId(id), stage.ann.1, stage.ann.0);
    assert_eq!((&stage.exchange.of.refused, stage.exchange.work.out.events.len()), (&vec![expected], 2));
    assert_eq!(stage.exchange.state.next_id(), id + 1);
    stage.replays();
}

/// No event and no id: a symbol that is not listed, a missing role, a used nonce, a halt.
#[test]
fn a_call_that_may_not_be_has_no_event() {
    let mut stage = Stage::new();
    let id = stage.exchange.state.next_id();
    let auditor = (stage.exchange.key("eve", stage.ann.1, Role::Auditor), stage.ann.1);
    let order = || TradingCommand::Place(Stage::new().limit(5_000_050, 10_000_000_000));
    let draft = |stage: &Stage| TradingCommand::Refuse(Arc::new(stage.draft(RefusalReason::InvalidPrice)));
    let unlisted = RefusedDraft { symbol: SymbolId(9), ..stage.draft(RefusalReason::InvalidPrice) };
    let none = Place { symbol: SymbolId(9), ..stage.limit(1, 1_000) };
    for body in [TradingCommand::Refuse(Arc::new(unlisted)), TradingCommand::Place(none)] {
        assert!(stage.call(body).order().is_err());
        assert_eq!(stage.exchange.happened, []);
    }
    for body in [order(), draft(&stage)] {
        let used = caller(stage.ann.0, stage.ann.1, 1);
        assert!(stage.submit(used, body.clone().into()).order().is_err());
        let eve = caller(auditor.0, auditor.1, stage.nonce + 1);
        stage.nonce += 1;
        assert!(stage.submit(eve, body.into()).order().is_err());
        assert_eq!(stage.exchange.happened, []);
    }
    assert_eq!(stage.exchange.own(Operation::Halt.into()), Outcome::Done);
    for body in [order(), draft(&stage)] {
        assert_eq!(stage.call(body), Outcome::Rejected(Reject::Halted));
        assert_eq!(stage.exchange.happened, []);
    }
    assert_eq!(stage.exchange.state.next_id(), id);
    stage.replays();
}
