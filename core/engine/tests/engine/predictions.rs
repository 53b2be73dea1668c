//! Prediction markets: fills of every kind, netting, the life of an event, and its payout.

use buttonwood_engine::prediction::{
    Command as Own, NewContract, NewEvent, NewResolution, NewVoid, Reject, Status, combo_grid,
};
use buttonwood_engine::{Answer, Body, Command, FeeSchedule, Place, Reject as AnyReject, TradingCommand};
use buttonwood_model::{
    AccountId, AssetId, Claim, CurrencyId, EventId, ExecutionOption, OrderKind, Role, SessionId, Side,
    SymbolId, Time,
};
use buttonwood_num::{Decimal, Money, Price};
use buttonwood_oracle::{Exchange, caller};
use std::sync::Arc;

const HOUR: u64 = 3_600 * Time::SECOND;
pub(crate) const ANN: usize = 0;
pub(crate) const BOB: usize = 1;
pub(crate) const CAT: usize = 2;
pub(crate) const RAIN: SymbolId = SymbolId::contract(0);

/// An exchange with customers of a thousand dollars each, who have accepted the terms, and an event with one contract.
pub(crate) struct Stage {
    pub(crate) exchange: Exchange,
    pub(crate) usd: CurrencyId,
    pub(crate) accounts: Vec<AccountId>,
    keys: Vec<SessionId>,
    nonce: u64,
}

pub(crate) fn money(text: &str) -> Money {
    let digits = text.trim_start_matches('-');
    let amount = Decimal::parse(digits.as_bytes()).ok().and_then(Money::from_decimal);
    let amount = amount.expect("the test writes decimals");
    if text.starts_with('-') { -amount } else { amount }
}

fn refused(reject: Reject) -> Answer {
    Answer::Rejected(AnyReject::Prediction(reject))
}

/// An event whose trading ends after an hour.
fn event(ticker: &str, contracts: &[&str]) -> NewEvent {
    let (grid, qty_min) = combo_grid().expect("constants");
    let new = |ticker: &str| NewContract { ticker: ticker.to_owned(), label: format!("Is it {ticker}?") };
    let contracts: Vec<&str> = if contracts.is_empty() { vec![ticker] } else { contracts.to_vec() };
    NewEvent {
        prefix: "SVC".to_owned(),
        ticker: ticker.to_owned(),
        title: format!("Event {ticker}"),
        category: "weather".to_owned(),
        contracts: contracts.into_iter().map(new).collect(),
        is_exclusive: true,
        start: None,
        expiry: Time(HOUR),
        dispute: HOUR,
        strike: None,
        grid,
        qty_min,
        closed_to: Vec::new(),
        source: None,
    }
}

impl Stage {
    fn new() -> Self {
        Self::until(HOUR)
    }

    /// The event's trading ends at this time.
    pub(crate) fn until(micros: u64) -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), Some(Vec::new()));
        let usd = exchange.find_currency("USD");
        let names = ["ann", "bob", "cat"];
        let accounts: Vec<AccountId> = names.iter().map(|name| exchange.account(name, "")).collect();
        let keys: Vec<SessionId> =
            names.iter().zip(&accounts).map(|(name, at)| exchange.key(name, *at, Role::Trader)).collect();
        for account in &accounts {
            assert_eq!(exchange.own(Body::credit(*account, vec![(usd, money("1000"))])), Answer::Done);
        }
        let mut stage = Self { exchange, usd, accounts, keys, nonce: 0 };
        let rain = NewEvent { expiry: Time(micros), ..event("RAIN", &[]) };
        assert_eq!(stage.own(Own::ListEvent(Arc::new(rain))), Answer::Done);
        for who in [ANN, BOB, CAT] {
            assert_eq!(stage.call(who, Own::AcceptTerms), Answer::Done);
        }
        stage
    }

    pub(crate) fn own(&mut self, body: impl Into<Body>) -> Answer {
        self.run(None, body.into())
    }

    fn call(&mut self, who: usize, body: impl Into<Body>) -> Answer {
        self.nonce += 1;
        let caller = caller(self.keys[who], self.accounts[who], self.nonce);
        self.run(Some(caller), body.into())
    }

    fn run(&mut self, caller: Option<buttonwood_engine::Caller>, body: Body) -> Answer {
        let answer = self.exchange.submit(1, &Command { caller, body });
        assert_eq!(self.exchange.state.broken_law(), None);
        answer
    }

    /// Lets time pass, and runs what falls due at its time.
    pub(crate) fn pass_to(&mut self, micros: u64) {
        while let Some(due) = self.exchange.state.next_due().filter(|due| due.time.0 <= micros) {
            let wait = due.time.0.saturating_sub(self.exchange.stamp.time.0);
            let command = Command { caller: None, body: due.command };
            assert_eq!(self.exchange.submit(wait, &command), Answer::Done, "{command:?}");
            assert_eq!(self.exchange.state.broken_law(), None);
        }
        let wait = micros.saturating_sub(self.exchange.stamp.time.0 + 1);
        let body = buttonwood_engine::Founding::MoveClock.into();
        self.exchange.submit(wait, &Command { caller: None, body });
    }

    /// Runs what is due now.
    fn catch_up(&mut self) {
        self.pass_to(self.exchange.stamp.time.0);
    }

    /// An order in its own view: `buy yes 10 @ 0.40`.
    fn place(&self, contract: SymbolId, words: &str) -> Place {
        let words: Vec<&str> = words.split(' ').collect();
        let grid = &self.exchange.state.symbol(contract).expect("listed").grid;
        let ticks =
            |text: &str| grid.price(Decimal::parse(text.as_bytes()).expect("a price")).expect("on the grid");
        let claim = if words[1] == "yes" { Claim::Yes } else { Claim::No };
        let (price, buys) = (ticks(words[4]), words[0] == "buy");
        let of_book = |price: Price| match claim {
            Claim::Yes => price,
            Claim::No => Price::from_ticks(100 - price.ticks()),
        };
        Place {
            symbol: contract,
            side: if buys == (claim == Claim::Yes) { Side::Buy } else { Side::Sell },
            claim,
            kind: OrderKind::Limit,
            option: (words.get(5) == Some(&"ioc")).then_some(ExecutionOption::ImmediateOrCancel),
            price: of_book(price),
            qty: grid.qty(Decimal::parse(words[2].as_bytes()).expect("a quantity")).expect("on the grid"),
            spend: Money::ZERO,
            client_id: None,
            stop: Price::default(),
            margin: false,
        }
    }

    fn order(&mut self, who: usize, words: &str) -> Answer {
        self.order_on(RAIN, who, words)
    }

    fn order_on(&mut self, contract: SymbolId, who: usize, words: &str) -> Answer {
        let place = self.place(contract, words);
        self.call(who, TradingCommand::Place(place))
    }

    /// Places an order that is accepted; returns its id.
    #[track_caller]
    pub(crate) fn placed(&mut self, who: usize, words: &str) -> u64 {
        let answer = self.order(who, words);
        answer.order().unwrap_or_else(|reject| panic!("{words}: {reject:?}")).id.0
    }

    /// The dollars, the claims on yes and the claims on no of an account, held ones included.
    fn has(&self, who: usize) -> [Money; 3] {
        self.has_of(RAIN, self.accounts[who])
    }

    fn has_of(&self, contract: SymbolId, account: AccountId) -> [Money; 3] {
        let ledger = self.exchange.state.ledger();
        let claim = |claim| ledger.balance(account, AssetId::claim(contract, claim)).total();
        [ledger.balance(account, self.usd).total(), claim(Claim::Yes), claim(Claim::No)]
    }

    #[track_caller]
    pub(crate) fn expects(&self, who: usize, dollars: &str, yes: &str, no: &str) {
        assert_eq!(self.has(who), [dollars, yes, no].map(money));
    }

    /// Dollars in escrow and pairs that are out.
    fn escrow(&self) -> Money {
        let predictions = self.exchange.state.predictions();
        predictions.collateral(self.exchange.state.ledger(), RAIN).0
    }

    fn status(&self, event: u32) -> Status {
        self.exchange.state.predictions().event(EventId(event)).expect("listed").status
    }

    fn resolve(&mut self, event: u32, outcomes: &[(&str, Claim)]) -> Answer {
        let outcomes = outcomes.iter().map(|(ticker, claim)| ((*ticker).to_owned(), *claim)).collect();
        let new = NewResolution { event: EventId(event), outcomes, source: "the sky".to_owned() };
        self.own(Own::Resolve(Arc::new(new)))
    }

    fn void(&mut self, value: Option<&str>, at_cost: bool) -> Answer {
        let reason = "it was cancelled".to_owned();
        self.own(Own::Void(Arc::new(NewVoid { event: EventId(0), reason, value: value.map(money), at_cost })))
    }

    /// Its journal and its snapshot lead to the same state.
    pub(crate) fn replays(&mut self) {
        let mut again = Exchange::blank();
        for frame in self.exchange.journal.take().expect("it is recorded") {
            again.replay(&frame);
        }
        assert_eq!(again.state.fingerprint(), self.exchange.state.fingerprint());
        assert_eq!(again.state, self.exchange.state);
        assert_eq!(self.exchange.stored(), again.state);
    }
}

/// Proves PM-018, PM-019, PM-028: a buy of yes and a buy of no make a dollar together, a sale of what was bought moves claims, two sales take the
/// dollar apart. Makers pay 1 % of the smaller price, takers 5 %.
#[test]
fn every_kind_of_fill_moves_exact_amounts() {
    let mut stage = Stage::new();
    stage.placed(ANN, "buy yes 100 @ 0.40");
    // 40 dollars, and the larger fee, 5 % of 40.
    let balance = stage.exchange.state.ledger().balance(stage.accounts[ANN], stage.usd);
    assert_eq!(balance.held, money("42"));
    // A mint: the maker pays 40 and 0.40, the taker 60 and 2.
    stage.placed(BOB, "buy no 100 @ 0.60");
    stage.expects(ANN, "959.6", "100", "0");
    stage.expects(BOB, "938", "0", "100");
    assert_eq!(stage.escrow(), money("100"));
    // A transfer of yes, at 0.70: min(0.7, 0.3) = 0.3.
    stage.placed(ANN, "sell yes 50 @ 0.70");
    stage.placed(CAT, "buy yes 50 @ 0.75");
    stage.expects(ANN, "994.45", "50", "0");
    stage.expects(CAT, "964.25", "50", "0");
    assert_eq!(stage.escrow(), money("100"));
    // A merge: no for 0.45 and yes for 0.55.
    stage.placed(BOB, "sell no 40 @ 0.45");
    stage.placed(CAT, "sell yes 40 @ 0.50");
    stage.expects(BOB, "955.82", "0", "60");
    stage.expects(CAT, "985.35", "10", "0");
    assert_eq!(stage.escrow(), money("60"));
    let fees = buttonwood_oracle::fees_account();
    assert_eq!(stage.exchange.state.ledger().balance(fees, stage.usd).total(), money("4.38"));
    stage.replays();
}

/// Free pairs become dollars at once; claims that a sale holds net when they are free again. A sale and netting realise a result and keep the
/// average cost of what stays.
#[test]
fn free_pairs_net_at_once() {
    let mut stage = Stage::new();
    stage.placed(ANN, "buy yes 100 @ 0.40");
    stage.placed(BOB, "buy no 100 @ 0.60");
    let sale = stage.placed(ANN, "sell yes 100 @ 0.90");
    stage.placed(BOB, "buy yes 30 @ 0.50");
    stage.placed(ANN, "buy no 30 @ 0.50");
    // Bob's were free, Ann's are held by her sale.
    stage.expects(BOB, "952.85", "0", "70");
    stage.expects(ANN, "943.85", "100", "30");
    assert_eq!(stage.escrow(), money("100"));
    let position = |stage: &Stage, who: usize| {
        *stage.exchange.state.predictions().position(RAIN, stage.accounts[who]).expect("a position")
    };
    assert_eq!(position(&stage, BOB).realised, money("-3"));
    assert_eq!(position(&stage, BOB).costs, [Money::ZERO, money("42")]);
    assert!(stage.call(ANN, Own::Cancel(buttonwood_model::OrderId(sale))).order().is_ok());
    stage.expects(ANN, "973.85", "70", "0");
    assert_eq!(position(&stage, ANN).realised, money("3"));
    assert_eq!(position(&stage, ANN).costs, [money("28"), Money::ZERO]);
    assert_eq!(stage.escrow(), money("70"));
    stage.replays();
}

/// Proves PM-027: each winning claim is paid a dollar without being claimed, once, when the window for disputes has ended.
#[test]
fn winners_are_paid_when_the_window_ends() {
    let mut stage = Stage::new();
    stage.placed(ANN, "buy yes 100 @ 0.40");
    stage.placed(BOB, "buy no 100 @ 0.60");
    stage.placed(CAT, "buy yes 10 @ 0.20");
    assert_eq!(stage.resolve(0, &[("RAIN", Claim::Yes)]), Answer::Done);
    stage.catch_up();
    // The live order is cancelled, and nothing is paid within the window.
    stage.expects(CAT, "1000", "0", "0");
    assert_eq!(stage.exchange.state.orders().len(), 0);
    assert_eq!((stage.status(0), stage.escrow()), (Status::UnderReview, money("100")));
    assert_eq!(stage.order(ANN, "sell yes 10 @ 0.40"), refused(Reject::NotOpen));
    let settles = stage.exchange.state.predictions().event(EventId(0)).unwrap().resolution.as_ref().unwrap();
    let settles = settles.settles.unwrap().0;
    stage.pass_to(settles - 1);
    assert_eq!(stage.status(0), Status::UnderReview);
    stage.pass_to(settles);
    assert_eq!((stage.status(0), stage.escrow()), (Status::Settled, Money::ZERO));
    stage.expects(ANN, "1059.6", "0", "0");
    stage.expects(BOB, "938", "0", "0");
    assert_eq!(stage.void(None, false), refused(Reject::Ended));
    stage.replays();
}
