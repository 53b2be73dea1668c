//! OTC clearing: who may act, settlement, races, expiry, retries, halts.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

use buttonwood_engine::clearing::{
    Alias, Cancel, Codes, Confirm, HOURS, New, ORDERS_MAX, Parties, Party, SETTLED_MAX, Term, Terms,
};
use buttonwood_engine::funds::bank::{Command as BankCommand, Receipt, Settlement};
use buttonwood_engine::{
    AccessCommand, AccessReject, AccountKind, Answer, Body, ClearingAnswer, ClearingCommand, ClearingOrder,
    ClearingReject as Reject, ClearingStatus as Status, Command, Eid, FEES, FeeSchedule, FundsCommand, Made,
    Operation, OrderRef, Place, Reject as AnyReject, State, TradingCommand, TransferMethod,
};
use buttonwood_model::{
    AccountId, CurrencyId, Due, OrderId, Rank, Role, SessionId, Side, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Bps, Decimal, Money, Price, Qty};
use buttonwood_oracle::{Exchange, caller};
use std::collections::HashMap;
use std::sync::Arc;

const HOUR: u64 = 3_600 * Time::SECOND;

/// Two desks, a broker and a stranger, without money.
struct Stage {
    exchange: Exchange,
    usd: CurrencyId,
    btc: CurrencyId,
    btcusd: SymbolId,
    keys: HashMap<AccountId, SessionId>,
    nonce: u64,
    /// What the last command and its follow-ups decided.
    commands: Vec<Body>,
}

fn money(text: &str) -> Money {
    Money::from_decimal(Decimal::parse(text.as_bytes()).expect("the test writes decimals"))
        .expect("an amount of money")
}

fn refused(reject: Reject) -> Answer {
    Answer::Rejected(AnyReject::Clearing(reject))
}

impl Stage {
    fn new() -> (Self, [AccountId; 4]) {
        let mut exchange = Exchange::open(FeeSchedule::default(), Some(Vec::new()));
        let (usd, btc) = (exchange.find_currency("USD"), exchange.find_currency("BTC"));
        let btcusd = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &["US-NY"]);
        exchange.own(ClearingCommand::SetKey(Codes::of([3; 16])).into());
        let accounts = ["ann", "bob", "broker", "eve"].map(|name| exchange.account(name, ""));
        let mut stage =
            Self { exchange, usd, btc, btcusd, keys: HashMap::new(), nonce: 0, commands: Vec::new() };
        for account in accounts {
            stage.key(account);
        }
        assert_eq!(stage.own(ClearingCommand::SetBroker(accounts[2], true)), Answer::Done);
        (stage, accounts)
    }

    fn key(&mut self, account: AccountId) {
        let key = self.exchange.key(&format!("key{}", account.0), account, Role::Trader);
        self.keys.insert(account, key);
    }

    fn state(&self) -> &State {
        &self.exchange.state
    }

    /// One command, and the follow-ups that are due then; the laws hold after each.
    fn submit(&mut self, wait: u64, command: &Command) -> Answer {
        let answer = self.exchange.submit(wait, command);
        self.commands = vec![command.body.clone()];
        while self.exchange.state.has_follow_up() {
            let due = self.exchange.state.next_due().expect("a follow-up is due");
            assert_eq!(due.rank, Rank::FollowUp);
            self.commands.push(due.command.clone());
            assert_eq!(self.exchange.own(due.command), Answer::Done);
        }
        assert_eq!(self.exchange.state.broken_law(), None);
        answer
    }

    fn own(&mut self, command: impl Into<Body>) -> Answer {
        self.submit(1, &Command { caller: None, body: command.into() })
    }

    fn send(&mut self, account: AccountId, body: impl Into<Body>) -> Answer {
        self.nonce += 1;
        let caller = Some(caller(self.keys[&account], account, self.nonce));
        self.submit(1, &Command { caller, body: body.into() })
    }

    /// Runs everything that is due by then, and waits until then.
    fn wait(&mut self, until: Time) {
        while let Some(due) = self.state().next_due().filter(|due| due.time <= until) {
            let wait = due.time.0.saturating_sub(self.exchange.stamp.time.0);
            self.submit(wait, &Command { caller: None, body: due.command });
        }
        let wait = until.0 - self.exchange.stamp.time.0;
        self.submit(wait, &Command { caller: None, body: buttonwood_engine::Founding::MoveClock.into() });
    }

    fn credit(&mut self, account: AccountId, currency: CurrencyId, amount: &str) {
        assert_eq!(self.own(Body::credit(account, vec![(currency, money(amount))])), Answer::Done);
    }

    fn qty(&self, text: &str) -> Qty {
        let grid = &self.state().symbol(self.btcusd).unwrap().grid;
        grid.qty(Decimal::parse(text.as_bytes()).unwrap()).unwrap()
    }

    fn price(&self, text: &str) -> Price {
        let grid = &self.state().symbol(self.btcusd).unwrap().grid;
        grid.price(Decimal::parse(text.as_bytes()).unwrap()).unwrap()
    }

    fn terms(&self, side: Side, qty: &str, price: &str, parties: Parties) -> Terms {
        let (qty, price) = (self.qty(qty), self.price(price));
        Terms { symbol: self.btcusd, side, price, qty, hours: HOURS, parties }
    }

    fn enter(&mut self, account: AccountId, terms: Terms, client_id: &str) -> Answer {
        let new = New { terms, client_id: client_id.into() };
        self.send(account, ClearingCommand::New(Arc::new(new)))
    }

    /// Enters an order of one bitcoin at 100 dollars. Returns its number.
    fn new_order(&mut self, account: AccountId, side: Side, parties: Parties) -> u64 {
        let terms = self.terms(side, "1", "100", parties);
        let Answer::Clearing(ClearingAnswer::Entered(code, _)) = self.enter(account, terms, "") else {
            panic!("the order is not entered")
        };
        self.state().clearing().number(code).unwrap()
    }

    fn confirm(&mut self, account: AccountId, number: u64, side: Side) -> Answer {
        let order = *self.state().clearing().order(number).unwrap();
        let confirm = self.confirmation(&order, side);
        self.send(account, ClearingCommand::Confirm(confirm))
    }

    fn confirmation(&self, order: &ClearingOrder, side: Side) -> Confirm {
        Confirm {
            code: self.state().clearing().code(order.number),
            symbol: Some(order.symbol),
            qty: Some(order.qty),
            price: Some(order.price),
            side,
        }
    }

    fn cancel(&mut self, account: AccountId, number: u64) -> Answer {
        let code = self.state().clearing().code(number);
        self.send(account, ClearingCommand::Cancel(Cancel { code }))
    }

    fn status(&self, number: u64) -> Option<Status> {
        self.state().clearing().order(number).map(|order| order.status)
    }

    fn has(&self, account: AccountId) -> [Money; 2] {
        [self.usd, self.btc].map(|currency| self.exchange.balance(account, currency).total())
    }

    /// What is due of clearing.
    fn due(&self) -> Due<ClearingCommand> {
        self.state().next_due_in(self.state().clearing()).expect("something is due")
    }

    /// Whether an attempt is due.
    fn settles(&self) -> bool {
        let due = self.state().next_due_in(self.state().clearing());
        due.is_some_and(|due| matches!(due.command, ClearingCommand::Settle(_)))
    }

    /// A bank's credit to an account, an advance until it settles.
    fn receive(&mut self, account: AccountId, amount: &str) -> Eid {
        let (number, routing) = ("0123451111".to_owned(), "021000021".to_owned());
        let (currency, method) = (self.usd, TransferMethod::Ach);
        let receipt = Receipt { account, currency, amount: money(amount), method, number, routing };
        let answer = self.own(FundsCommand::from(BankCommand::Receive(Arc::new(receipt))));
        let Answer::Funds(Made::Transfer(eid)) = answer else { panic!("{answer:?}") };
        eid
    }

    fn settle(&mut self, eid: Eid, returned: bool) {
        self.own(FundsCommand::from(BankCommand::Settle(Settlement { eid, returned })));
    }

    fn place(&mut self, account: AccountId, side: Side, qty: &str, price: &str) -> u64 {
        let (qty, price) = (self.qty(qty), self.price(price));
        let place = Place::limit(self.btcusd, side, price, qty);
        let id = self.state().next_id();
        let answer = self.send(account, TradingCommand::Place(place));
        assert!(matches!(answer, Answer::Trading(_)), "{answer:?}");
        id
    }

    /// A replay of the journal gives the same state, and so does a snapshot.
    fn replay(&mut self) {
        let mut again = Exchange::blank();
        for frame in self.exchange.journal.take().unwrap() {
            again.replay(&frame);
        }
        assert_eq!(self.exchange.difference(&again), None);
        assert_eq!(again.state.fingerprint(), self.exchange.state.fingerprint());
        let stored = self.exchange.stored();
        assert_eq!(stored, self.exchange.state);
    }
}

const CONFIRMED: Answer = Answer::Clearing(ClearingAnswer::Confirmed);

/// Nothing moves before the settlement; then both legs do, without a fee, and nothing of the book changes. Proves CLR-015 (part).
#[test]
fn an_order_settles_when_it_is_confirmed() {
    let (mut stage, [ann, bob, ..]) = Stage::new();
    stage.credit(ann, stage.usd, "100");
    stage.credit(bob, stage.btc, "1");
    let first = stage.state().next_id();
    let number = stage.new_order(ann, Side::Buy, Parties::With(bob));
    assert_eq!(
        (stage.has(ann), stage.status(number)),
        ([money("100"), money("0")], Some(Status::AwaitConfirm))
    );
    assert_eq!(stage.confirm(bob, number, Side::Sell), CONFIRMED);
    assert_eq!(stage.status(number), None, "a settled order leaves the state");
    assert_eq!((stage.has(ann), stage.has(bob)), ([money("0"), money("1")], [money("100"), money("0")]));
    // The source's order, the target's, and one trade.
    assert_eq!(stage.state().next_id(), first + 3);
    assert_eq!(stage.state().orders().of_account(ann).count(), 0);
    stage.replay();
}

/// Both sides pay the fee, the buyer beside what it pays and the seller out of what it gets.
#[test]
fn both_sides_pay_the_fee() {
    let (mut stage, [ann, bob, ..]) = Stage::new();
    assert_eq!(stage.own(ClearingCommand::SetFee(Bps(10_001))), refused(Reject::BadFee));
    assert_eq!(stage.own(ClearingCommand::SetFee(Bps(50))), Answer::Done);
    stage.credit(ann, stage.usd, "100.49");
    stage.credit(bob, stage.btc, "1");
    let number = stage.new_order(bob, Side::Sell, Parties::Open);
    assert_eq!(stage.confirm(ann, number, Side::Buy), CONFIRMED);
    assert_eq!(stage.status(number), Some(Status::AttemptSettlement), "the fee is lacking");
    stage.credit(ann, stage.usd, "0.01");
    assert_eq!((stage.has(ann), stage.has(bob)), ([money("0"), money("1")], [money("99.5"), money("0")]));
    let fees = stage.state().ledger().house(FEES.name).unwrap();
    assert_eq!(stage.has(fees), [money("1"), money("0")]);
    stage.replay();
}

/// A fee that is set later counts at the settlement: one that is lowered lets what waits settle.
#[test]
fn the_fee_is_that_of_the_settlement() {
    let (mut stage, [ann, bob, ..]) = Stage::new();
    stage.own(ClearingCommand::SetFee(Bps(100)));
    stage.credit(ann, stage.usd, "100");
    stage.credit(bob, stage.btc, "1");
    let number = stage.new_order(ann, Side::Buy, Parties::Open);
    stage.confirm(bob, number, Side::Sell);
    assert_eq!(stage.status(number), Some(Status::AttemptSettlement));
    stage.own(ClearingCommand::SetFee(Bps(0)));
    stage.wait(stage.exchange.stamp.time);
    assert_eq!((stage.status(number), stage.has(bob)), (None, [money("100"), money("0")]));
    stage.replay();
}

/// An order without money waits for it, at one side after the other, and settles in the batch of the rise: a credit, a released hold, a fill.
/// Proves CLR-016 (part).
#[test]
fn a_waiting_order_settles_when_the_money_is_there() {
    let (mut stage, [ann, bob, _, eve]) = Stage::new();
    let number = stage.new_order(ann, Side::Buy, Parties::With(bob));
    assert_eq!(stage.confirm(bob, number, Side::Sell), CONFIRMED);
    stage.credit(ann, stage.usd, "99.99");
    assert_eq!(stage.commands.len(), 1, "too little causes no attempt");
    stage.credit(ann, stage.usd, "0.01");
    assert_eq!((stage.status(number), stage.commands.len()), (Some(Status::AttemptSettlement), 1));
    // Bob's bitcoin rests in an order.
    stage.credit(eve, stage.btc, "1");
    let rests = stage.place(eve, Side::Sell, "1", "200");
    stage.credit(bob, stage.usd, "1000");
    assert_eq!(stage.status(number), Some(Status::AttemptSettlement));
    stage.place(bob, Side::Buy, "1", "200");
    assert_eq!((stage.status(number), stage.has(ann)), (None, [money("0"), money("1")]), "a fill");
    assert!(stage.state().find_order(OrderId(rests)).is_none());
    // A released hold.
    let number = stage.new_order(ann, Side::Sell, Parties::With(bob));
    let held = stage.place(ann, Side::Sell, "1", "300");
    assert_eq!(stage.confirm(bob, number, Side::Buy), CONFIRMED);
    assert_eq!(stage.status(number), Some(Status::AttemptSettlement));
    stage.send(ann, TradingCommand::Cancel(OrderRef::Id(OrderId(held))));
    assert_eq!((stage.status(number), stage.has(ann)), (None, [money("100"), money("0")]));
    stage.replay();
}

/// Money goes to the oldest confirmation that it covers, and what a settlement brings pays for the next one.
#[test]
fn the_oldest_confirmation_comes_first() {
    let (mut stage, [ann, bob, _, eve]) = Stage::new();
    stage.credit(bob, stage.btc, "3");
    let late = stage.new_order(ann, Side::Buy, Parties::With(bob));
    let early = stage.new_order(ann, Side::Buy, Parties::With(bob));
    let chained = stage.new_order(bob, Side::Buy, Parties::With(eve));
    for (account, number, side) in
        [(eve, chained, Side::Sell), (bob, early, Side::Sell), (bob, late, Side::Sell)]
    {
        assert_eq!(stage.confirm(account, number, side), CONFIRMED);
    }
    stage.credit(eve, stage.btc, "1");
    stage.credit(ann, stage.usd, "100");
    let statuses = [early, late, chained].map(|number| stage.status(number));
    assert_eq!(statuses, [None, Some(Status::AttemptSettlement), None]);
    assert_eq!(stage.has(eve), [money("100"), money("0")]);
    stage.replay();
}

/// One command settles a hundred; the rest is due between other commands, and a rise that covers none causes no attempt.
#[test]
fn a_command_settles_a_hundred() {
    let (mut stage, [ann, bob, ..]) = Stage::new();
    stage.credit(bob, stage.btc, "250");
    for _ in 0..250 {
        let number = stage.new_order(ann, Side::Buy, Parties::With(bob));
        stage.confirm(bob, number, Side::Sell);
    }
    stage.credit(ann, stage.usd, "25000");
    assert_eq!(stage.has(ann), [money("15000"), money("100")]);
    assert_eq!((stage.commands.len(), SETTLED_MAX), (2, 100));
    let due = stage.state().next_due().unwrap();
    assert_eq!((due.rank, due.is_storm), (Rank::Step, true));
    assert_eq!(due.time, stage.exchange.stamp.time, "what fell due before the first hundred comes first");
    stage.wait(stage.exchange.stamp.time);
    assert_eq!(stage.has(ann), [money("0"), money("250")]);
    assert_eq!(stage.state().clearing().orders().count(), 0);
    stage.replay();
}

/// A rise is tried with the oldest hundred that it covers, and with the next ones as far as money is left: not with all that wait there.
#[test]
fn a_rise_does_not_try_all() {
    let (mut stage, [ann, bob, ..]) = Stage::new();
    stage.credit(bob, stage.btc, "150");
    let numbers: Vec<u64> = (0..150).map(|_| stage.new_order(ann, Side::Buy, Parties::With(bob))).collect();
    for number in &numbers {
        stage.confirm(bob, *number, Side::Sell);
    }
    stage.credit(ann, stage.usd, "100");
    assert_eq!((stage.status(numbers[0]), stage.settles()), (None, false));
    assert_eq!(stage.commands.len(), 2, "one attempt, of a hundred");
    stage.credit(ann, stage.usd, "14900");
    stage.wait(stage.exchange.stamp.time);
    assert_eq!(stage.has(ann), [money("0"), money("150")]);
    stage.replay();
}

/// What was covered in a halt settles after it, a hundred at a time, and so does what another rate of the fee covers.
#[test]
fn many_settle_after_a_halt_and_with_another_fee() {
    let (mut stage, [ann, bob, ..]) = Stage::new();
    stage.own(ClearingCommand::SetFee(Bps(10_000)));
    stage.credit(bob, stage.btc, "150");
    stage.credit(ann, stage.usd, "100");
    for _ in 0..150 {
        let number = stage.new_order(ann, Side::Buy, Parties::With(bob));
        stage.confirm(bob, number, Side::Sell);
    }
    stage.own(Operation::Halt);
    stage.credit(ann, stage.usd, "14900");
    assert_eq!(stage.has(ann), [money("15000"), money("0")]);
    stage.own(Operation::Resume);
    stage.wait(stage.exchange.stamp.time);
    assert_eq!(stage.has(ann), [money("0"), money("75")], "with the fee each costs 200");
    stage.credit(ann, stage.usd, "199");
    stage.own(ClearingCommand::SetFee(Bps(0)));
    stage.wait(stage.exchange.stamp.time);
    assert_eq!(stage.has(ann), [money("99"), money("76")]);
    stage.credit(ann, stage.usd, "7301");
    stage.wait(stage.exchange.stamp.time);
    assert_eq!((stage.has(ann), stage.settles()), ([money("0"), money("150")], false));
    stage.replay();
}

/// A fee that is lowered in a halt has the orders looked at in the halt, though none is tried: at its end the oldest confirmation comes first,
/// not the one that had its money earlier (D-301).
#[test]
fn a_search_goes_on_in_a_halt() {
    let (mut stage, [ann, bob, _, eve]) = Stage::new();
    stage.own(ClearingCommand::SetFee(Bps(5_000)));
    stage.credit(bob, stage.btc, "1");
    stage.credit(ann, stage.usd, "100");
    let early = stage.new_order(ann, Side::Buy, Parties::With(bob));
    let late = stage.new_order(eve, Side::Buy, Parties::With(bob));
    for number in [early, late] {
        assert_eq!(stage.confirm(bob, number, Side::Sell), CONFIRMED);
    }
    stage.own(Operation::Halt);
    stage.credit(eve, stage.usd, "150");
    stage.own(ClearingCommand::SetFee(Bps(0)));
    assert_eq!(stage.due().command, ClearingCommand::Settle(Vec::new()), "none is tried");
    stage.wait(stage.exchange.stamp.time);
    assert!(!stage.settles(), "all were looked at");
    assert_eq!(stage.own(ClearingCommand::Settle(Vec::new())), refused(Reject::NothingDue));
    stage.own(Operation::Resume);
    stage.wait(stage.exchange.stamp.time);
    assert_eq!((stage.status(early), stage.status(late)), (None, Some(Status::AttemptSettlement)));
    assert_eq!(stage.has(ann), [money("0"), money("1")]);
    stage.replay();
}

/// An order expires at its hour, to the microsecond, and does not settle then. Proves CLR-014.
#[test]
fn an_order_expires_at_its_hour() {
    let (mut stage, [ann, bob, ..]) = Stage::new();
    stage.credit(bob, stage.btc, "1");
    let open = stage.new_order(ann, Side::Buy, Parties::With(bob));
    let waits = stage.new_order(ann, Side::Buy, Parties::With(bob));
    stage.confirm(bob, waits, Side::Sell);
    let [open_ends, waits_ends] = [open, waits].map(|number| {
        let order = stage.state().clearing().order(number).unwrap();
        assert_eq!(order.expires.0 - order.submitted.0, u64::from(HOURS) * HOUR);
        order.expires
    });
    stage.wait(Time(open_ends.0 - 1));
    assert_eq!(stage.status(open), Some(Status::AwaitConfirm));
    // At its instant, before it has expired, neither a confirmation nor money changes that.
    let order = *stage.state().clearing().order(open).unwrap();
    let confirm = stage.confirmation(&order, Side::Sell);
    assert_eq!(stage.send(bob, ClearingCommand::Confirm(confirm)), refused(Reject::NotOpen(Status::Expired)));
    assert_eq!(stage.cancel(ann, open), refused(Reject::NotFound));
    let left = waits_ends.0 - stage.exchange.stamp.time.0;
    let credit = Body::credit(ann, vec![(stage.usd, money("100"))]);
    stage.submit(left, &Command { caller: None, body: credit });
    assert_eq!(
        (stage.status(waits), stage.has(ann)),
        (Some(Status::AttemptSettlement), [money("100"), money("0")])
    );
    stage.wait(stage.exchange.stamp.time);
    assert_eq!(stage.state().clearing().orders().count(), 0);
    stage.credit(ann, stage.usd, "100");
    assert_eq!(stage.has(bob), [money("0"), money("1")]);
    stage.replay();
}

/// Of many orders that expire at once, each hundred falls due when the one before has expired, and no hundred before its hour.
#[test]
fn many_orders_expire_in_steps() {
    let (mut stage, [ann, ..]) = Stage::new();
    for _ in 0..250 {
        stage.new_order(ann, Side::Buy, Parties::Open);
    }
    let last = stage.state().clearing().order(250).unwrap().expires;
    let late = last.0 + HOUR - stage.exchange.stamp.time.0;
    let due = stage.due();
    assert_eq!(due.time, stage.state().clearing().order(1).unwrap().expires);
    stage.submit(late, &Command { caller: None, body: due.command.into() });
    for left in [50, 0] {
        let due = stage.due();
        assert_eq!((due.time, due.is_storm), (stage.exchange.stamp.time, true));
        assert_eq!(stage.own(due.command), Answer::Done);
        assert_eq!(stage.state().clearing().orders().count(), left);
    }
    let open = stage.new_order(ann, Side::Buy, Parties::Open);
    let expires = stage.state().clearing().order(open).unwrap().expires;
    assert_eq!(stage.due().time, expires);
    stage.replay();
}

/// An expiry is not lost over a snapshot, and neither is an attempt: a state that was read settles and expires like the one that was stored.
#[test]
fn a_snapshot_loses_nothing() {
    let (mut stage, [ann, bob, ..]) = Stage::new();
    stage.credit(bob, stage.btc, "2");
    let first = stage.new_order(ann, Side::Buy, Parties::With(bob));
    let second = stage.new_order(ann, Side::Buy, Parties::With(bob));
    for number in [first, second] {
        stage.confirm(bob, number, Side::Sell);
    }
    stage.exchange.journal = None;
    stage.exchange.state = stage.exchange.stored();
    stage.credit(ann, stage.usd, "100");
    assert_eq!([first, second].map(|number| stage.status(number)), [None, Some(Status::AttemptSettlement)]);
    stage.exchange.state = stage.exchange.stored();
    let expires = stage.state().clearing().order(second).unwrap().expires;
    stage.wait(Time(expires.0 - 1));
    assert_eq!(stage.status(second), Some(Status::AttemptSettlement));
    stage.wait(expires);
    assert_eq!(stage.status(second), None);
    assert_eq!(stage.has(ann), [money("0"), money("1")]);
}

/// Who may confirm, and with which words others are refused. Proves CLR-009, CLR-010, CLR-013 (part).
#[test]
fn only_the_counterparty_confirms() {
    let (mut stage, [ann, bob, _, eve]) = Stage::new();
    let named = stage.new_order(ann, Side::Buy, Parties::With(bob));
    assert_eq!(stage.confirm(ann, named, Side::Sell), refused(Reject::NotOpen(Status::AwaitConfirm)));
    assert_eq!(stage.confirm(eve, named, Side::Sell), refused(Reject::NotFound));
    assert_eq!(stage.confirm(bob, named, Side::Buy), refused(Reject::Differs(Term::Side)));
    let order = *stage.state().clearing().order(named).unwrap();
    let right = stage.confirmation(&order, Side::Sell);
    let (qty, price) = (Some(stage.qty("1.1")), Some(stage.price("99.99")));
    for (wrong, term) in [
        (Confirm { symbol: None, ..right }, Term::Symbol),
        (Confirm { qty, ..right }, Term::Quantity),
        (Confirm { qty: None, ..right }, Term::Quantity),
        (Confirm { price, ..right }, Term::Price),
        (Confirm { price: None, ..right }, Term::Price),
    ] {
        assert_eq!(stage.send(bob, ClearingCommand::Confirm(wrong)), refused(Reject::Differs(term)));
    }
    let unknown = stage.state().clearing().code(named + 1);
    assert_eq!(
        stage.send(bob, ClearingCommand::Confirm(Confirm { code: unknown, ..right })),
        refused(Reject::NotFound)
    );
    assert_eq!(stage.status(named), Some(Status::AwaitConfirm));
    assert_eq!(stage.confirm(bob, named, Side::Sell), CONFIRMED);
    // It waits for money: no account can confirm or cancel it again.
    for account in [ann, bob] {
        let again = stage.confirm(account, named, Side::Sell);
        assert_eq!(again, refused(Reject::NotOpen(Status::AttemptSettlement)));
        assert_eq!(stage.cancel(account, named), refused(Reject::NotFound));
    }
    assert_eq!(stage.confirm(eve, named, Side::Sell), refused(Reject::NotFound));
    // Without a counterparty every other account may, and one does.
    let open = stage.new_order(ann, Side::Buy, Parties::Open);
    assert_eq!(stage.confirm(ann, open, Side::Sell), refused(Reject::NotOpen(Status::AwaitConfirm)));
    assert_eq!(stage.confirm(eve, open, Side::Sell), CONFIRMED);
    assert_eq!(stage.confirm(bob, open, Side::Sell), refused(Reject::NotFound));
    stage.replay();
}

/// Proves CLR-011, CLR-012 (part).
#[test]
fn the_initiator_cancels_before_the_confirmation() {
    let (mut stage, [ann, bob, _, eve]) = Stage::new();
    let number = stage.new_order(ann, Side::Buy, Parties::With(bob));
    for account in [bob, eve] {
        assert_eq!(stage.cancel(account, number), refused(Reject::NotFound));
    }
    assert_eq!(stage.cancel(ann, number), Answer::Clearing(ClearingAnswer::Canceled));
    assert_eq!(stage.cancel(ann, number), refused(Reject::NotFound));
    assert_eq!(stage.status(number), None);
    let code = stage.state().clearing().code(number);
    assert_eq!(stage.state().clearing().number(code), Some(number), "the history finds it");
}

/// A broker's order: both sides confirm, each its own; until both have, either or the broker may cancel. Proves CLR-023, CLR-024 (part).
#[test]
fn a_broker_brings_two_together() {
    let (mut stage, [ann, bob, broker, eve]) = Stage::new();
    stage.credit(ann, stage.usd, "100");
    stage.credit(bob, stage.btc, "1");
    let between = Parties::Between { source: ann, target: bob };
    let terms = stage.terms(Side::Buy, "1", "100", between);
    assert_eq!(stage.enter(eve, terms, ""), refused(Reject::NotBroker));
    let number = stage.new_order(broker, Side::Buy, between);
    assert_eq!(stage.status(number), Some(Status::AwaitSourceTargetConfirm));
    let awaits = refused(Reject::NotOpen(Status::AwaitSourceTargetConfirm));
    assert_eq!(stage.confirm(broker, number, Side::Buy), awaits);
    assert_eq!(stage.confirm(eve, number, Side::Sell), refused(Reject::NotFound));
    assert_eq!(stage.confirm(bob, number, Side::Buy), refused(Reject::Differs(Term::Side)));
    assert_eq!(stage.confirm(bob, number, Side::Sell), CONFIRMED);
    assert_eq!(stage.status(number), Some(Status::AwaitSourceConfirm));
    let twice = stage.confirm(bob, number, Side::Sell);
    assert_eq!(twice, refused(Reject::NotOpen(Status::AwaitSourceConfirm)));
    assert_eq!(stage.cancel(eve, number), refused(Reject::NotFound));
    assert_eq!(stage.confirm(ann, number, Side::Buy), CONFIRMED);
    assert_eq!((stage.status(number), stage.has(ann)), (None, [money("0"), money("1")]));
    assert_eq!(stage.has(broker), [money("0"), money("0")]);
    for (confirms, cancels) in [(None, broker), (Some(ann), bob), (Some(ann), ann), (Some(ann), broker)] {
        let number = stage.new_order(broker, Side::Buy, between);
        if let Some(account) = confirms {
            stage.confirm(account, number, Side::Buy);
            assert_eq!(stage.status(number), Some(Status::AwaitTargetConfirm));
        }
        assert_eq!(stage.cancel(cancels, number), Answer::Clearing(ClearingAnswer::Canceled));
    }
    // The mark is gone; what was entered before stays valid, and a retry of it has its answer.
    let number = stage.new_order(broker, Side::Buy, between);
    let entered = stage.enter(broker, terms, "mine");
    stage.own(ClearingCommand::SetBroker(broker, false));
    assert_eq!(stage.enter(broker, terms, "mine"), entered);
    let others = Terms { hours: 1, ..terms };
    assert_eq!(stage.enter(broker, others, "mine"), refused(Reject::NotBroker));
    assert_eq!(stage.enter(broker, terms, ""), refused(Reject::NotBroker));
    stage.confirm(ann, number, Side::Buy);
    assert_eq!(stage.confirm(bob, number, Side::Sell), CONFIRMED);
    assert_eq!(stage.cancel(broker, number), refused(Reject::NotFound));
    stage.replay();
}

/// Source, target and broker are three open accounts of kind `exchange`.
#[test]
fn a_counterparty_is_another_account() {
    let (mut stage, [ann, bob, broker, eve]) = Stage::new();
    let derivatives = stage.exchange.account_of_kind(ann, "perps", AccountKind::Derivatives);
    stage.own(AccessCommand::CloseAccount(eve));
    let house = stage.state().ledger().house(FEES.name).unwrap();
    for wrong in [ann, derivatives, eve, house, AccountId(999)] {
        let terms = stage.terms(Side::Buy, "1", "100", Parties::With(wrong));
        assert_eq!(stage.enter(ann, terms, ""), refused(Reject::Counterparty(Party::Target)));
    }
    for (source, target, party) in [
        (broker, bob, Party::Source),
        (derivatives, bob, Party::Source),
        (ann, broker, Party::Target),
        (ann, ann, Party::Target),
        (ann, eve, Party::Target),
    ] {
        let terms = stage.terms(Side::Buy, "1", "100", Parties::Between { source, target });
        assert_eq!(stage.enter(broker, terms, ""), refused(Reject::Counterparty(party)));
    }
    stage.key(derivatives);
    let terms = stage.terms(Side::Buy, "1", "100", Parties::Open);
    assert_eq!(stage.enter(derivatives, terms, ""), refused(Reject::WrongKind));
}

/// Terms that are refused, each by its own reason.
#[test]
fn terms_have_bounds() {
    let (mut stage, [ann, ..]) = Stage::new();
    let good = stage.terms(Side::Sell, "1", "100", Parties::Open);
    let huge = Qty::from_hundredths(u128::MAX / 2);
    for (wrong, reject) in [
        (Terms { symbol: SymbolId(99), ..good }, Reject::InvalidSymbol),
        (Terms { qty: stage.qty("0.000009"), ..good }, Reject::BelowMinimum),
        (Terms { price: Price::default(), ..good }, Reject::NoPrice),
        (Terms { qty: huge, ..good }, Reject::BeyondRange),
        (Terms { hours: 0, ..good }, Reject::BadHours),
        (Terms { hours: 8_761, ..good }, Reject::BadHours),
    ] {
        assert_eq!(stage.enter(ann, wrong, ""), refused(reject));
    }
    for hours in [1, 8_760] {
        assert!(matches!(stage.enter(ann, Terms { hours, ..good }, ""), Answer::Clearing(_)));
    }
    stage.own(TradingCommand::SetSymbolStatus(stage.btcusd, SymbolStatus::Closed));
    assert_eq!(stage.enter(ann, good, ""), refused(Reject::MarketClosed));
    assert_eq!(stage.own(ClearingCommand::SetKey(Codes::of([4; 16]))), refused(Reject::Unknown), "once");
}

/// A closed symbol refuses confirmations; cancels, waiting settlements and expiry go on. Other statuses do not matter.
#[test]
fn a_closed_symbol_takes_no_confirmation() {
    let (mut stage, [ann, bob, ..]) = Stage::new();
    stage.credit(bob, stage.btc, "1");
    let open = stage.new_order(ann, Side::Buy, Parties::With(bob));
    let waits = stage.new_order(ann, Side::Buy, Parties::With(bob));
    stage.own(TradingCommand::SetSymbolStatus(stage.btcusd, SymbolStatus::CancelOnly));
    assert_eq!(stage.confirm(bob, waits, Side::Sell), CONFIRMED);
    stage.own(TradingCommand::SetSymbolStatus(stage.btcusd, SymbolStatus::Closed));
    assert_eq!(stage.confirm(bob, open, Side::Sell), refused(Reject::MarketClosed));
    stage.credit(ann, stage.usd, "100");
    assert_eq!(stage.status(waits), None);
    assert_eq!(stage.cancel(ann, open), Answer::Clearing(ClearingAnswer::Canceled));
}

/// A symbol is closed to a jurisdiction on both sides: at entry to the initiator, at the confirmation to the account that confirms.
#[test]
fn a_jurisdiction_is_shut_out() {
    let (mut stage, [ann, _, broker, _]) = Stage::new();
    let york = stage.exchange.account("york", "US-NY");
    stage.key(york);
    let terms = stage.terms(Side::Buy, "1", "100", Parties::Open);
    assert_eq!(stage.enter(york, terms, ""), refused(Reject::InvalidSymbol));
    let number = stage.new_order(ann, Side::Buy, Parties::With(york));
    assert_eq!(stage.confirm(york, number, Side::Sell), refused(Reject::InvalidSymbol));
    let number = stage.new_order(broker, Side::Buy, Parties::Between { source: york, target: ann });
    assert_eq!(stage.confirm(york, number, Side::Buy), refused(Reject::InvalidSymbol));
    assert_eq!(stage.confirm(ann, number, Side::Sell), CONFIRMED);
}

/// While the exchange is halted, entries and confirmations are refused, and what waits for money waits; `resume` settles it. Cancels and
/// expiry go on.
#[test]
fn a_halt_stops_settlements() {
    let (mut stage, [ann, bob, ..]) = Stage::new();
    stage.credit(bob, stage.btc, "1");
    let waits = stage.new_order(ann, Side::Buy, Parties::With(bob));
    let open = stage.new_order(ann, Side::Buy, Parties::With(bob));
    let expires = stage.new_order(ann, Side::Buy, Parties::With(bob));
    stage.confirm(bob, waits, Side::Sell);
    assert_eq!(stage.own(Operation::Halt), Answer::Done);
    let halted = Answer::Rejected(AnyReject::Halted);
    let terms = stage.terms(Side::Buy, "1", "100", Parties::Open);
    assert_eq!(stage.enter(ann, terms, ""), halted);
    assert_eq!(stage.confirm(bob, open, Side::Sell), halted);
    assert_eq!(stage.cancel(ann, open), Answer::Clearing(ClearingAnswer::Canceled));
    stage.credit(ann, stage.usd, "100");
    assert_eq!(stage.status(waits), Some(Status::AttemptSettlement));
    let direct = stage.own(ClearingCommand::Settle(vec![waits]));
    assert_eq!(direct, refused(Reject::NothingDue));
    assert_eq!(stage.own(Operation::Resume), Answer::Done);
    stage.wait(stage.exchange.stamp.time);
    assert_eq!((stage.status(waits), stage.has(ann)), (None, [money("0"), money("1")]));
    stage.own(Operation::Halt);
    let end = stage.state().clearing().order(expires).unwrap().expires;
    stage.wait(end);
    assert_eq!(stage.status(expires), None);
    stage.replay();
}

/// An order whose money an older one takes settles when a later one of the same attempt brings it.
#[test]
fn a_settlement_pays_for_another_one() {
    let (mut stage, [ann, bob, _, eve]) = Stage::new();
    let numbers = [(ann, bob), (ann, bob), (eve, ann)].map(|(buyer, seller)| {
        let number = stage.new_order(buyer, Side::Buy, Parties::With(seller));
        assert_eq!(stage.confirm(seller, number, Side::Sell), CONFIRMED);
        number
    });
    stage.own(Operation::Halt);
    stage.credit(ann, stage.usd, "100");
    stage.credit(ann, stage.btc, "1");
    stage.credit(bob, stage.btc, "2");
    stage.credit(eve, stage.usd, "100");
    stage.own(Operation::Resume);
    assert_eq!(numbers.map(|number| stage.status(number)), [None; 3]);
    assert_eq!(stage.commands.len(), 3, "one attempt, and another one");
    assert_eq!((stage.has(ann), stage.has(bob)), ([money("0"), money("2")], [money("200"), money("0")]));
    stage.replay();
}

/// A client id stands for one request: equal terms give the earlier answer and move nothing, others are refused, also after the order has left.
/// A refused request uses up no id.
#[test]
fn a_retry_gives_the_same_answer() {
    let (mut stage, [ann, bob, ..]) = Stage::new();
    let terms = stage.terms(Side::Buy, "1", "100", Parties::With(bob));
    let bad = Terms { hours: 0, ..terms };
    assert_eq!(stage.enter(ann, bad, "mine"), refused(Reject::BadHours));
    let first = stage.enter(ann, terms, "mine");
    let Answer::Clearing(ClearingAnswer::Entered(code, Status::AwaitConfirm)) = first else {
        panic!("{first:?}")
    };
    let number = stage.state().clearing().number(code).unwrap();
    assert_eq!(stage.enter(ann, terms, "mine"), first);
    assert_eq!(stage.state().clearing().orders().count(), 1);
    for other in [
        Terms { side: Side::Sell, ..terms },
        Terms { price: stage.price("101"), ..terms },
        Terms { qty: stage.qty("2"), ..terms },
        Terms { hours: 25, ..terms },
        Terms { parties: Parties::Open, ..terms },
    ] {
        assert_eq!(stage.enter(ann, other, "mine"), refused(Reject::OtherTerms));
    }
    stage.own(Operation::Halt);
    assert_eq!(stage.enter(ann, terms, "mine"), first, "also in a halt, since nothing moves");
    assert_eq!(stage.enter(ann, terms, "other"), Answer::Rejected(AnyReject::Halted));
    stage.own(Operation::Resume);
    // Another account has its own ids.
    let theirs = stage.enter(bob, Terms { parties: Parties::With(ann), ..terms }, "mine");
    assert!(theirs != first && matches!(theirs, Answer::Clearing(_)));
    stage.cancel(ann, number);
    assert_eq!(stage.enter(ann, terms, "mine"), first, "also of a cancelled order");
    stage.exchange.journal = None;
    stage.exchange.state = stage.exchange.stored();
    assert_eq!(stage.enter(ann, terms, "mine"), first, "also after a restart");
    assert_eq!(stage.state().clearing().orders().count(), 1);
}

/// An account has at most a thousand orders that it entered or confirmed; one that only names it does not count.
#[test]
fn an_account_has_a_thousand_orders() {
    let (mut stage, [ann, bob, _, eve]) = Stage::new();
    stage.exchange.journal = None;
    for _ in 0..ORDERS_MAX {
        let terms = stage.terms(Side::Buy, "1", "100", Parties::With(bob));
        stage.nonce += 1;
        let new = ClearingCommand::New(Arc::new(New { terms, client_id: String::new() }));
        let caller = Some(caller(stage.keys[&ann], ann, stage.nonce));
        stage.exchange.submit(1, &Command { caller, body: new.into() });
    }
    let terms = stage.terms(Side::Buy, "1", "100", Parties::Open);
    assert_eq!(stage.enter(ann, terms, ""), refused(Reject::TooMany));
    let of_eve = stage.new_order(eve, Side::Buy, Parties::With(ann));
    assert_eq!(stage.confirm(ann, of_eve, Side::Sell), refused(Reject::TooMany));
    assert_eq!(stage.state().clearing().count_of(bob), 0);
    assert!(matches!(stage.enter(bob, terms, ""), Answer::Clearing(_)));
    stage.cancel(ann, 1);
    assert_eq!(stage.confirm(ann, of_eve, Side::Sell), CONFIRMED);
    assert_eq!(stage.enter(ann, terms, ""), refused(Reject::TooMany));
}

/// An account that entered or confirmed an order is not closed; orders that only name it are cancelled at its close.
#[test]
fn a_party_is_not_closed() {
    let (mut stage, [ann, bob, broker, eve]) = Stage::new();
    let in_use = Answer::Rejected(AnyReject::Access(AccessReject::InUse("Clearing")));
    let number = stage.new_order(ann, Side::Buy, Parties::With(bob));
    let between = stage.new_order(broker, Side::Buy, Parties::Between { source: eve, target: bob });
    for account in [ann, broker] {
        assert_eq!(stage.own(AccessCommand::CloseAccount(account)), in_use);
    }
    stage.confirm(eve, between, Side::Buy);
    assert_eq!(stage.own(AccessCommand::CloseAccount(eve)), in_use);
    assert_eq!(stage.own(AccessCommand::CloseAccount(bob)), Answer::Done);
    assert_eq!([number, between].map(|number| stage.status(number)), [None, None]);
    assert_eq!(stage.own(AccessCommand::CloseAccount(eve)), Answer::Done);
    stage.replay();
}

/// However many orders name an account that is closed, one command cancels a hundred, and the rest is due, also after a restart.
#[test]
fn a_close_cancels_in_steps() {
    let (mut stage, [ann, bob, _, eve]) = Stage::new();
    for source in [ann, eve] {
        for _ in 0..125 {
            stage.new_order(source, Side::Buy, Parties::With(bob));
        }
    }
    let other = stage.new_order(ann, Side::Buy, Parties::Open);
    assert_eq!(stage.own(ClearingCommand::CancelNamed(bob)), refused(Reject::NothingDue));
    assert_eq!(stage.own(AccessCommand::CloseAccount(bob)), Answer::Done);
    assert_eq!(stage.state().clearing().orders().count(), 151);
    stage.replay();
    stage.exchange.state = stage.exchange.stored();
    for left in [51, 1] {
        let due = stage.state().next_due().unwrap();
        assert_eq!(due.command, ClearingCommand::CancelNamed(bob).into());
        assert_eq!((due.rank, due.is_storm, due.time), (Rank::Step, true, stage.exchange.stamp.time));
        assert_eq!(stage.own(due.command), Answer::Done);
        assert_eq!(stage.state().clearing().orders().count(), left);
    }
    assert_eq!(stage.status(other), Some(Status::AwaitConfirm));
    assert_eq!(stage.own(ClearingCommand::CancelNamed(bob)), refused(Reject::NothingDue));
}

/// An alias is one account's own name for one counterparty.
#[test]
fn an_alias_names_one_account() {
    let (mut stage, [ann, bob, _, eve]) = Stage::new();
    let set = |stage: &mut Stage, counterparty, name: &str| {
        let alias = Alias { account: ann, counterparty, name: name.into() };
        stage.own(ClearingCommand::SetAlias(Arc::new(alias)))
    };
    assert_eq!(set(&mut stage, bob, "desk"), Answer::Done);
    assert_eq!(stage.state().clearing().alias(ann, bob), Some("desk"));
    assert_eq!(stage.state().clearing().alias(bob, ann), None);
    assert_eq!(set(&mut stage, bob, "other"), Answer::Done);
    assert_eq!(stage.state().clearing().named(ann, "desk"), None);
    assert_eq!(set(&mut stage, eve, "other"), Answer::Done);
    assert_eq!(
        (stage.state().clearing().alias(ann, bob), stage.state().clearing().named(ann, "other")),
        (None, Some(eve))
    );
    let long = "é".repeat(51);
    for wrong in ["", long.as_str()] {
        assert_eq!(set(&mut stage, bob, wrong), refused(Reject::BadAlias));
    }
    assert_eq!(set(&mut stage, bob, &"é".repeat(50)), Answer::Done);
    assert_eq!(set(&mut stage, ann, "me"), refused(Reject::Counterparty(Party::Target)));
    stage.replay();
}

/// An advance bounds a settlement as it bounds a withdrawal; the order settles when it completes. A debt of a returned one refuses entries and
/// confirmations.
#[test]
fn an_advance_does_not_settle() {
    let (mut stage, [ann, bob, _, eve]) = Stage::new();
    stage.credit(bob, stage.btc, "2");
    let eid = stage.receive(ann, "100");
    let number = stage.new_order(ann, Side::Buy, Parties::With(bob));
    assert_eq!(stage.confirm(bob, number, Side::Sell), CONFIRMED);
    assert_eq!(stage.status(number), Some(Status::AttemptSettlement));
    assert_eq!(
        stage.state().lacking_in_clearing(stage.state().clearing().order(number).unwrap()),
        [(ann, stage.usd, money("100"))]
    );
    stage.credit(ann, stage.usd, "1");
    assert_eq!(stage.status(number), Some(Status::AttemptSettlement), "its own money is too little");
    stage.settle(eid, false);
    assert_eq!((stage.status(number), stage.has(ann)), (None, [money("1"), money("1")]));
    // The next one is spent and returned.
    let eid = stage.receive(ann, "100");
    let waits = stage.new_order(ann, Side::Buy, Parties::With(bob));
    let theirs = stage.new_order(bob, Side::Buy, Parties::With(ann));
    stage.credit(eve, stage.usd, "2000");
    stage.credit(eve, stage.btc, "20");
    stage.place(eve, Side::Buy, "20", "99");
    stage.place(eve, Side::Sell, "20", "101");
    stage.credit(ann, stage.usd, "1");
    stage.place(ann, Side::Buy, "1", "101");
    stage.settle(eid, true);
    assert!(stage.state().access().is_in_debt(ann));
    let terms = stage.terms(Side::Buy, "1", "100", Parties::Open);
    assert_eq!(stage.enter(ann, terms, ""), refused(Reject::Debt));
    assert_eq!(stage.confirm(ann, theirs, Side::Sell), refused(Reject::Debt));
    assert_eq!(stage.cancel(ann, waits), Answer::Clearing(ClearingAnswer::Canceled));
    stage.replay();
}

/// A settlement by which a group in advance would give up too much (D-181) is tried again when the advance has ended, and by nothing else:
/// neither money nor a restart.
#[test]
fn a_refused_settlement_is_not_tried_again() {
    let (mut stage, [ann, bob, _, eve]) = Stage::new();
    let beside = stage.exchange.account_beside(ann, "beside", "");
    stage.key(beside);
    stage.credit(ann, stage.usd, "150");
    stage.credit(bob, stage.btc, "2");
    let eid = stage.receive(beside, "100");
    stage.place(beside, Side::Buy, "1", "90");
    // Without an index a bitcoin counts nothing, so ann would give up 100 dollars, and what is left does not pay the advance back.
    let number = stage.new_order(ann, Side::Buy, Parties::With(bob));
    assert_eq!(stage.confirm(bob, number, Side::Sell), CONFIRMED);
    for account in [ann, bob, eve] {
        stage.credit(account, stage.usd, "5");
        stage.credit(account, stage.btc, "1");
        assert_eq!((stage.status(number), stage.commands.len()), (Some(Status::AttemptSettlement), 1));
        assert!(!stage.settles());
    }
    stage.receive(eve, "50");
    assert_eq!(stage.commands.len(), 1, "an advance to another group");
    stage.own(Operation::Halt);
    stage.own(Operation::Resume);
    assert!(!stage.settles() && stage.commands.len() == 1);
    stage.replay();
    stage.exchange.state = stage.exchange.stored();
    assert!(!stage.settles(), "a restart has changed nothing for it");
    // A further advance lets the group give up more, and not enough.
    let more = stage.receive(beside, "100");
    assert_eq!((stage.status(number), stage.commands.len()), (Some(Status::AttemptSettlement), 2));
    stage.place(beside, Side::Buy, "1", "90");
    stage.settle(eid, false);
    assert_eq!((stage.status(number), stage.commands.len()), (Some(Status::AttemptSettlement), 2));
    stage.settle(more, false);
    assert_eq!((stage.status(number), stage.commands.len()), (None, 2));
    assert_eq!(stage.has(bob), [money("105"), money("2")]);
}

/// Codes of other keys and other numbers lead nowhere, and the same code never stands for two orders.
#[test]
fn a_code_is_an_order() {
    let (mut stage, [ann, ..]) = Stage::new();
    let numbers = [(); 3].map(|()| stage.new_order(ann, Side::Buy, Parties::Open));
    assert_eq!(numbers, [1, 2, 3]);
    let clearing = stage.state().clearing();
    let codes = [0, 1, 2, 3, 4].map(|number| clearing.number(clearing.code(number)));
    assert_eq!(codes, [None, Some(1), Some(2), Some(3), None]);
    assert_eq!(clearing.number("ABCDEFGH".parse().unwrap()), None);
}
