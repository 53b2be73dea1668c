//! The meter of looks: however much a group in advance has resting and waiting, no command reads more rows than one should (D-255, D-256).
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

use super::predictions::{ANN, BOB, CAT, Stage, advance, money};
use buttonwood_engine::clearing::{Codes, Confirm, HOURS, LOOKS_MAX, New, Parties, Terms};
use buttonwood_engine::index::ORDERS_MAX;
use buttonwood_engine::{
    Answer, Body, ClearingCommand, Command, ConvertCommand, ConvertReject, Place, QuoteRequest, Reject,
    Spend, TradingCommand,
};
use buttonwood_model::{Claim, LOOKS_OF_COMMAND, Rank, Side, SymbolId, Time};
use buttonwood_num::{Decimal, Money, Price, Qty};
use buttonwood_oracle::caller;
use std::sync::Arc;

/// The resting buys of the group in advance.
const ORDERS: usize = 2_000;
/// The deals that wait.
const DEALS: usize = 350;

/// Dealers in a coin.
struct Desk {
    stage: Stage,
    pair: SymbolId,
}

impl Desk {
    fn new() -> Self {
        let mut stage = Stage::until(3_600 * Time::SECOND);
        let pair = stage.exchange.symbol(["BTC", "USD"], ["0.001", "0.001", "0.01"], &[]);
        assert_eq!(stage.own(ClearingCommand::SetKey(Codes::of([3; 16]))), Answer::Done);
        Self { stage, pair }
    }

    /// A command without a check of every law. Returns what it has read.
    fn quick(&mut self, who: Option<usize>, body: impl Into<Body>) -> (Answer, usize) {
        let caller = who.map(|who| {
            self.stage.nonce += 1;
            caller(self.stage.keys[who], self.stage.accounts[who], self.stage.nonce)
        });
        let answer = self.stage.exchange.submit(1, &Command { caller, body: body.into() });
        (answer, self.stage.exchange.looks)
    }

    /// A deal by which the first buys a coin of the second for this price, confirmed. Returns its number.
    fn deal(&mut self, buyer: usize, seller: usize, price: &str) -> u64 {
        let grid = &self.stage.exchange.state.symbol(self.pair).unwrap().grid;
        let [qty, price] = ["1", price].map(|text| Decimal::parse(text.as_bytes()).unwrap());
        let (qty, price) = (grid.qty(qty).unwrap(), grid.price(price).unwrap());
        let parties = Parties::With(self.stage.accounts[seller]);
        let terms = Terms { symbol: self.pair, side: Side::Buy, price, qty, hours: HOURS, parties };
        let new = New { terms, client_id: String::new() };
        self.quick(Some(buyer), ClearingCommand::New(Arc::new(new)));
        let order = *self.stage.exchange.state.clearing().orders().next_back().expect("it was entered");
        let confirm = Confirm {
            code: self.stage.exchange.state.clearing().code(order.number),
            symbol: Some(order.symbol),
            qty: Some(order.qty),
            price: Some(order.price),
            side: Side::Sell,
        };
        self.quick(Some(seller), ClearingCommand::Confirm(confirm));
        order.number
    }

    fn credit(&mut self, who: usize, amount: &str) -> (Answer, usize) {
        let credit = vec![(self.stage.usd, money(amount))];
        self.quick(None, Body::credit(self.stage.accounts[who], credit))
    }

    fn waits(&self, number: u64) -> bool {
        self.stage.exchange.state.clearing().order(number).is_some()
    }

    /// Runs the steps that are due; returns what each has read.
    fn steps(&mut self) -> Vec<usize> {
        let mut steps = Vec::new();
        while let Some(due) = self.stage.exchange.state.next_due_in(self.stage.exchange.state.clearing())
            && matches!(due.command, ClearingCommand::Settle(_))
        {
            assert_eq!(due.rank == Rank::FollowUp, self.stage.exchange.state.has_follow_up());
            let (answer, looks) = self.quick(None, due.command);
            assert_eq!(answer, Answer::Done);
            steps.push(looks);
        }
        assert_eq!(self.stage.exchange.state.broken_law(), None);
        steps
    }
}

/// A transfer to a group in advance that has thousands of orders resting, and hundreds of deals that lack money on the other side, reads few
/// rows; the rest goes on in steps of a hundred deals.
#[test]
fn a_transfer_reads_few_rows() {
    let mut desk = Desk::new();
    advance(&mut desk.stage, ANN, "1");
    for _ in 0..ORDERS {
        let place = desk.stage.place(super::predictions::RAIN, "buy yes 1 @ 0.01");
        let (answer, looks) = desk.quick(Some(ANN), TradingCommand::Place(place));
        assert!(answer.order().is_ok() && looks < 100, "{looks}: {answer:?}");
    }
    let numbers: Vec<u64> = (0..DEALS).map(|_| desk.deal(ANN, BOB, "2000")).collect();
    assert!(desk.steps().is_empty());
    let (answer, looks) = desk.credit(ANN, "1000000");
    assert_eq!(answer, Answer::Done);
    assert!((LOOKS_MAX..LOOKS_OF_COMMAND / 4).contains(&looks), "{looks}");
    let steps = desk.steps();
    assert_eq!(steps.len(), DEALS.div_ceil(LOOKS_MAX) - 1);
    assert!(steps.iter().all(|looks| *looks < LOOKS_OF_COMMAND / 4), "{steps:?}");
    assert!(numbers.into_iter().all(|number| desk.waits(number)));
    desk.stage.replays();
}

/// Another account's rise is looked at in its own command, however many deals of others are still to be looked at; other commands pay nothing
/// for these.
#[test]
fn others_do_not_wait_for_the_rest() {
    let mut desk = Desk::new();
    for _ in 0..DEALS {
        desk.deal(ANN, BOB, "2000");
    }
    let coin = desk.stage.exchange.find_currency("BTC");
    desk.quick(None, Body::credit(desk.stage.accounts[ANN], vec![(coin, money("1"))]));
    let honest = desk.deal(CAT, ANN, "1500");
    let (_, looks) = desk.credit(ANN, "1000000");
    assert!(looks >= LOOKS_MAX, "{looks}");
    // The rest is due, and a command of no concern to it reads nothing.
    let (_, looks) = desk.quick(Some(BOB), TradingCommand::CancelAll);
    assert_eq!(looks, 0);
    desk.credit(CAT, "1000");
    assert!(desk.stage.exchange.state.has_follow_up(), "the rise is tried at once");
    let due = desk.stage.exchange.state.next_due().expect("the attempt");
    desk.quick(None, due.command);
    assert!(!desk.waits(honest));
    // The attempt went on with what was left of its hundred.
    assert_eq!(desk.steps().len(), (DEALS - 2 * LOOKS_MAX + 1).div_ceil(LOOKS_MAX));
    desk.stage.replays();
}

/// An order that waits needs its fee as well: a balance that has the price alone is not looked at (D-255).
#[test]
fn a_need_includes_the_fee() {
    let mut desk = Desk::new();
    assert_eq!(desk.stage.own(ClearingCommand::SetFee(buttonwood_num::Bps(100))), Answer::Done);
    let coin = desk.stage.exchange.find_currency("BTC");
    desk.quick(None, Body::credit(desk.stage.accounts[BOB], vec![(coin, money("1"))]));
    let number = desk.deal(ANN, BOB, "2000");
    // It has 1,000 dollars, and needs 2,020.
    let (_, looks) = desk.credit(ANN, "1019.99");
    assert_eq!((looks, desk.waits(number)), (0, true));
    desk.credit(ANN, "0.01");
    desk.steps();
    assert!(!desk.waits(number));
    assert_eq!(desk.stage.exchange.balance(desk.stage.accounts[ANN], desk.stage.usd).total(), Money::ZERO);
    desk.stage.replays();
}

/// A lower rate of the fee has every order looked at, a hundred in each step.
#[test]
fn another_fee_is_looked_at_in_steps() {
    let mut desk = Desk::new();
    assert_eq!(desk.stage.own(ClearingCommand::SetFee(buttonwood_num::Bps(10_000))), Answer::Done);
    let coin = desk.stage.exchange.find_currency("BTC");
    desk.quick(None, Body::credit(desk.stage.accounts[BOB], vec![(coin, money("1000"))]));
    let numbers: Vec<u64> = (0..DEALS).map(|_| desk.deal(ANN, BOB, "600")).collect();
    let (answer, looks) = desk.quick(None, ClearingCommand::SetFee(buttonwood_num::Bps(0)));
    assert_eq!((answer, looks), (Answer::Done, 0));
    let steps = desk.steps();
    assert!(steps.iter().all(|looks| *looks <= 5 * LOOKS_MAX), "{steps:?}");
    // A thousand dollars pay for one.
    assert_eq!(numbers.into_iter().filter(|number| !desk.waits(*number)).collect::<Vec<u64>>(), [1]);
    desk.stage.replays();
}

/// A quote of an instant order reads a bounded number of orders, however many small ones lie in front (D-257).
#[test]
fn a_quote_reads_a_bounded_book() {
    let mut desk = Desk::new();
    let rests = |desk: &Desk, side, ticks, hundredths| Place {
        symbol: desk.pair,
        side,
        price: Price::from_ticks(ticks),
        qty: Qty::from_hundredths(hundredths),
        claim: Claim::Yes,
        ..desk.stage.place(super::predictions::RAIN, "buy yes 1 @ 0.40")
    };
    let request = |desk: &Desk| QuoteRequest { symbol: desk.pair, spend: Spend::Buy(money("10")) };
    let refused = Answer::Rejected(Reject::Convert(ConvertReject::NoLiquidity));
    for _ in 0..ORDERS_MAX + 100 {
        let place = rests(&desk, Side::Buy, 1_000, 100);
        let (answer, _) = desk.quick(Some(BOB), TradingCommand::Place(place));
        assert!(answer.order().is_ok(), "{answer:?}");
    }
    let quote = ConvertCommand::Quote(request(&desk));
    assert_eq!(desk.quick(Some(ANN), quote), (refused, ORDERS_MAX));
}
