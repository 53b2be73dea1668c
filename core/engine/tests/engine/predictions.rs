//! Prediction markets: fills of every kind, netting, the life of an event, and its payout.
#![expect(clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

mod batches;
mod combos;
mod fills;
mod life;
mod listings;
mod orders;
mod payouts;
mod rules;
mod voids;

pub(crate) use rules::advance;

use buttonwood_engine::prediction::{
    Command as Own, Leg, NewCombo, NewContract, NewEvent, NewResolution, NewVoid, Reject, Status, combo_grid,
};
use buttonwood_engine::{
    Adjustment, Answer, Body, Command, FeeSchedule, LedgerCommand, Place, Reject as AnyReject, TradingCommand,
};
use buttonwood_model::{
    AccountId, AssetId, CancelReason, Claim, CurrencyId, EventId, ExecutionOption, OrderId, OrderKind, Role,
    SessionId, Side, SymbolId, Time,
};
use buttonwood_num::{Decimal, Money, Price};
use buttonwood_oracle::{Exchange, Happening, caller};
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
    pub(crate) keys: Vec<SessionId>,
    pub(crate) nonce: u64,
}

pub(crate) fn money(text: &str) -> Money {
    let digits = text.trim_start_matches('-');
    let amount = Decimal::parse(digits.as_bytes()).ok().and_then(Money::from_decimal);
    let amount = amount.expect("the test writes decimals");
    if text.starts_with('-') { -amount } else { amount }
}

/// The refusal names this reason.
#[track_caller]
fn refuses(answer: &Answer, why: &str) {
    let is_refused = matches!(answer, Answer::Rejected(reject) if format!("{reject:?}").contains(why));
    assert!(is_refused, "{answer:?} instead of {why}");
}

pub(crate) fn refused(reject: Reject) -> Answer {
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
    pub(crate) fn new() -> Self {
        Self::until(HOUR)
    }

    /// The event's trading ends at this time.
    pub(crate) fn until(micros: u64) -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), Some(Vec::new()));
        exchange.find_currency("USD");
        let accounts = ["ann", "bob", "cat"].map(|name| exchange.account(name, ""));
        Self::with(exchange, accounts, micros)
    }

    /// The same in an exchange that has these accounts.
    pub(crate) fn with(mut exchange: Exchange, accounts: [AccountId; 3], micros: u64) -> Self {
        let usd = exchange.find_currency("USD");
        let (names, accounts) = (["ann", "bob", "cat"], accounts.to_vec());
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

    pub(crate) fn call(&mut self, who: usize, body: impl Into<Body>) -> Answer {
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
    pub(crate) fn catch_up(&mut self) {
        self.pass_to(self.exchange.stamp.time.0);
    }

    /// An order in its own view: `buy yes 10 @ 0.40`, `sell no 5 @ 0.30 ioc`, `buy yes 1 @ 0.60 stop 0.55`.
    pub(crate) fn place(&self, contract: SymbolId, words: &str) -> Place {
        let words: Vec<&str> = words.split(' ').collect();
        let grid = &self.exchange.state.symbol(contract).expect("listed").grid;
        let ticks =
            |text: &str| grid.price(Decimal::parse(text.as_bytes()).expect("a price")).expect("on the grid");
        let claim = if words[1] == "yes" { Claim::Yes } else { Claim::No };
        let (price, buys) = (ticks(words[4]), words[0] == "buy");
        let stop = (words.get(5) == Some(&"stop")).then(|| ticks(words[6]));
        let of_book = |price: Price| match claim {
            Claim::Yes => price,
            Claim::No => Price::from_ticks(100 - price.ticks()),
        };
        let side = if buys == (claim == Claim::Yes) { Side::Buy } else { Side::Sell };
        let qty = grid.qty(Decimal::parse(words[2].as_bytes()).expect("a quantity")).expect("on the grid");
        Place {
            claim,
            kind: if stop.is_some() { OrderKind::StopLimit } else { OrderKind::Limit },
            option: match words.get(5) {
                Some(&"ioc") => Some(ExecutionOption::ImmediateOrCancel),
                Some(&"fok") => Some(ExecutionOption::FillOrKill),
                Some(&"moc") => Some(ExecutionOption::MakerOrCancel),
                _ => None,
            },
            stop: stop.map_or(Price::default(), of_book),
            ..Place::limit(contract, side, of_book(price), qty)
        }
    }

    pub(crate) fn order(&mut self, who: usize, words: &str) -> Answer {
        self.order_on(RAIN, who, words)
    }

    pub(crate) fn order_on(&mut self, contract: SymbolId, who: usize, words: &str) -> Answer {
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
    pub(crate) fn escrow(&self) -> Money {
        let predictions = self.exchange.state.predictions();
        predictions.collateral(self.exchange.state.ledger(), RAIN).0
    }

    fn status(&self, event: u32) -> Status {
        self.exchange.state.predictions().event(EventId(event)).expect("listed").status
    }

    pub(crate) fn resolve(&mut self, event: u32, outcomes: &[(&str, Claim)]) -> Answer {
        let outcomes = outcomes.iter().map(|(ticker, claim)| ((*ticker).to_owned(), *claim)).collect();
        let new = NewResolution { event: EventId(event), outcomes, source: "the sky".to_owned() };
        self.own(Own::Resolve(Arc::new(new)))
    }

    pub(crate) fn void(&mut self, value: Option<&str>, at_cost: bool) -> Answer {
        self.void_event(0, value, at_cost)
    }

    pub(crate) fn void_event(&mut self, event: u32, value: Option<&str>, at_cost: bool) -> Answer {
        let reason = "it was cancelled".to_owned();
        let value = value.map(money);
        self.own(Own::Void(Arc::new(NewVoid { event: EventId(event), reason, value, at_cost })))
    }

    fn list(&mut self, new: NewEvent) -> Answer {
        self.own(Own::ListEvent(Arc::new(new)))
    }

    /// Lists an event with a lone contract for an hour, or as `change` has it.
    pub(crate) fn listed(&mut self, ticker: &str, change: impl FnOnce(&mut NewEvent)) {
        let mut new = event(ticker, &[]);
        new.expiry = Time(self.now() + HOUR);
        change(&mut new);
        assert_eq!(self.list(new), Answer::Done);
    }

    fn combo(&mut self, name: &str, legs: &[(u32, Claim)]) -> Answer {
        let (grid, qty_min) = combo_grid().expect("constants");
        let leg = |(contract, required): &(u32, Claim)| Leg {
            contract: SymbolId::contract(*contract),
            required: *required,
        };
        let legs = legs.iter().map(leg).collect();
        let new = NewCombo {
            name: format!("SVC-CMB-1126-{name}"),
            title: "All of it".to_owned(),
            legs,
            grid,
            qty_min,
        };
        self.own(Own::ListCombo(Arc::new(new)))
    }

    pub(crate) fn halt(&mut self, event: u32, halted: bool) -> Answer {
        self.own(Own::Halt(EventId(event), halted))
    }

    pub(crate) fn dispute(&mut self, event: u32) -> Answer {
        self.own(Own::Dispute(EventId(event), "it rained".to_owned()))
    }

    /// An operator takes all dollars of an account.
    fn take_all(&mut self, who: usize) {
        let (account, currency) = (self.accounts[who], self.usd);
        let amount = -self.exchange.balance(account, currency).available;
        let debit = Adjustment { account, currency, amount, reference: String::new() };
        assert_eq!(self.own(LedgerCommand::Adjust(Arc::new(debit))), Answer::Done);
    }

    fn now(&self) -> u64 {
        self.exchange.stamp.time.0
    }

    fn settles(&self, event: u32) -> Option<u64> {
        let event = self.exchange.state.predictions().event(EventId(event)).expect("listed");
        event.resolution.as_ref().and_then(|resolution| resolution.settles).map(|time| time.0)
    }

    /// Ann has a hundred yes for 40 dollars, and Bob a hundred no for 60.
    fn mint(&mut self) {
        self.placed(ANN, "buy yes 100 @ 0.40");
        self.placed(BOB, "buy no 100 @ 0.60");
    }

    pub(crate) fn cancel(&mut self, who: usize, order: u64) -> Answer {
        self.call(who, Own::Cancel(OrderId(order)))
    }

    /// What is left of a live order, in hundredths of a contract.
    fn left(&self, order: u64) -> Option<u128> {
        self.exchange.order(order).map(|order| order.remaining.hundredths() / 100)
    }

    fn held(&self, who: usize) -> Money {
        self.exchange.balance(self.accounts[who], self.usd).held
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
