//! Custody: the daily run that moves what waits for it, and the monthly fee (XFER-012, XFER-027, facts F§4 and F§9).
//!
//! A move is two rows, one at each end. It is queued when it is accepted, being sent from the run at 20:00 UTC on, and settled when
//! the chain has confirmed its transaction. A transaction that fails is repeated until one is confirmed.

use crate::id::transaction_hash;
use crate::internal::{Move, shift};
use crate::{Attempt, Change, Eid, Funds, Kind, Made, NewTransfer, Reference, Sender, Status, Way};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_access::Access;
use buttonwood_ledger::{About, Bucket, Cause, FEES, Posting};
use buttonwood_model::{AccountId, BytesRef, CurrencyId, Day, Due, Outbox, Phase, Time, commands, named};
use buttonwood_model::{is_month_start, next_month};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// Microseconds from midnight to the custody run.
const RUN: u64 = 20 * 3_600 * Time::SECOND;
/// A month's fee is this part of the balance: a twelfth of 40 basis points.
const FEE_PART: i128 = 12 * 10_000 / 40;

/// A command of this module. No key may send one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Begin to send every move that waits.
    RunCustody,
    /// A transaction of a move was signed; it is sent only after this is durable.
    SignCustodyMove(Eid, Arc<Attempt>),
    /// This transaction of a move has finally moved nothing: another one is made.
    RepeatCustodyMove(Arc<Settlement>),
    /// Complete a move whose transaction is confirmed.
    SettleCustodyMove(Arc<Settlement>),
    /// Charge the fee that is due at this moment, the first of a month.
    ChargeCustodyFees(Time),
}

commands!(Command, "funds", {
    RunCustody {} = "run_custody" 1: exchange neither,
    SignCustodyMove { 0: eid, 1: attempt } = "sign_custody_move" 1: exchange neither,
    RepeatCustodyMove { 0: settlement } = "repeat_custody_move" 1: exchange neither,
    SettleCustodyMove { 0: settlement } = "settle_custody_move" 2: exchange neither,
    ChargeCustodyFees { 0: month } = "charge_custody_fees" 1: exchange neither,
});

/// A final transaction of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settlement {
    /// The row of the move at its source.
    pub eid: Eid,
    /// The hash of the transaction.
    pub tx: String,
    /// The charge of the network to the house, in the network's own coin.
    pub cost: Money,
}

/// A fee of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fee {
    /// The account.
    pub account: AccountId,
    /// The currency.
    pub currency: CurrencyId,
    /// How much.
    pub amount: Money,
}

/// An event of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Every move that waited is being sent from now on.
    Sent,
    /// A transaction of a move was signed.
    Signed(Eid, Attempt),
    /// A transaction of a move has finally moved nothing.
    Repeated(Settlement),
    /// Of the moves that waited, these are being sent from now on; the others' currencies are halted.
    SentSome(Vec<Eid>),
    /// A move is complete.
    Settled(Settlement),
    /// The fees of the month that begins at this moment were charged.
    Charged(Time, Vec<Fee>),
}

named!(Event, "funds", {
    Sent {} = "custody_moves_sent" 1,
    Signed { 0: eid, 1: attempt } = "custody_move_signed" 1,
    SentSome { 0: eids } = "some_custody_moves_sent" 1,
    Repeated { 0: settlement } = "custody_move_repeated" 1,
    Settled { 0: settlement } = "custody_move_settled" 2,
    Charged { 0: month, 1: fees } = "custody_fees_charged" 1,
});

/// Why a command of this module is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// A key sent it.
    Forbidden,
    /// The row is none of a move that is being sent.
    NotSent(Eid),
    /// The transaction spends something else than the earlier ones of the move, or is none of them.
    OtherTransaction(Eid),
    /// No fee is due at this moment.
    NotDue(Time),
}

/// The signed transaction of a move that is being sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sending {
    /// How many of its transactions have finally moved nothing.
    pub failures: u32,
    /// The signed transactions since then, the oldest first.
    pub attempts: Vec<Attempt>,
}

/// The moves that are under way, and how far fees have been charged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Custody {
    /// The rows, at their source, of moves that wait for the run, and when they were accepted.
    queued: BTreeMap<Eid, Time>,
    /// The rows, at their source, of moves that are being sent, and since when.
    sent: BTreeMap<Eid, Time>,
    /// The signed transactions of the moves that are being sent.
    signed: BTreeMap<Eid, Sending>,
    /// The last first of a month for which fees were charged.
    charged: Time,
}

impl Custody {
    /// Adds a move, by the row of its source.
    pub(crate) fn queue(&mut self, row: Eid, now: Time) {
        self.queued.insert(row, now);
    }

    /// When the next run is due, if any move waits that may be sent: at the first 20:00 UTC after the oldest was accepted.
    fn next_run(&self, may_send: impl Fn(Eid) -> bool) -> Option<Time> {
        let (_, accepted) = self.queued.iter().find(|(eid, _)| may_send(**eid))?;
        Some(run_after(*accepted))
    }

    /// When the next fee is due, if there is a custody account: on the first of the month. After an outage each missed month is charged, the
    /// oldest first, on the balance of that moment.
    fn next_fee(&self, access: &Access) -> Option<Time> {
        let first = access.account(*access.custody_accounts().first()?)?;
        Some(next_month(self.charged.max(first.opened)))
    }
}

impl Funds {
    /// The rows, at their source, of custody moves that are being sent.
    pub fn custody_moves_sent(&self) -> impl Iterator<Item = Eid> {
        self.custody.sent.keys().copied()
    }

    /// The signed transaction of a custody move that is being sent; none before the first transaction.
    pub fn custody_sending(&self, eid: Eid) -> Option<&Sending> {
        self.custody.signed.get(&eid)
    }

    /// The first move that is being sent of a currency without a network.
    fn unsendable(&self) -> Option<(Eid, Time)> {
        let has_network = |eid: &Eid| {
            self.transfer(*eid).is_some_and(|transfer| self.networks.base(transfer.row.currency).is_some())
        };
        self.custody.sent.iter().find(|(eid, _)| !has_network(eid)).map(|(eid, sent)| (*eid, *sent))
    }

    /// Whether the payment of a row may be sent now: a halt of what the row moves or gives stops a withdrawal and a move to or from
    /// custody, and so do assets that do not cover liabilities (INV-POR-1). A move that is signed already goes on.
    pub fn may_send(&self, eid: Eid) -> bool {
        let stops =
            |currency| self.halts.stops_withdrawal(currency) || self.reserves.stops_withdrawal(currency);
        let row = self.transfer(eid).map(|transfer| &transfer.row);
        row.is_some_and(|row| !stops(row.currency) && !stops(row.held_currency()))
    }
}

/// The task of this module that is due next. A payer sends moves on a chain; one of a currency without a network is settled here.
pub(crate) fn next_due(funds: &Funds, access: &Access, seed: u64) -> Option<Due<Command>> {
    let due = |time, command| Due::step(time, Phase::Transfers, command);
    let custody = &funds.custody;
    let settlement = funds.unsendable().map(|(eid, sent)| {
        let settlement = Settlement { eid, tx: transaction_hash(seed, eid.0), cost: Money::ZERO };
        due(sent, Command::SettleCustodyMove(Arc::new(settlement)))
    });
    let run = custody.next_run(|eid| funds.may_send(eid)).map(|time| due(time, Command::RunCustody));
    let fees = custody.next_fee(access).map(|time| due(time, Command::ChargeCustodyFees(time)));
    [settlement, run, fees].into_iter().flatten().min_by_key(Due::key)
}

/// Decides a command: appends its event, or refuses it.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    sender: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    if let Sender::Key(_) = sender {
        return Err(Reject::Forbidden);
    }
    let custody = &context.room.custody;
    let event = match command {
        Command::RunCustody => {
            // A run that a halt has delayed sends nothing of a later one.
            let due = custody.queued.iter().filter(|(_, accepted)| run_after(**accepted) <= context.time);
            let sent: Vec<Eid> = due.map(|(eid, _)| *eid).filter(|eid| context.room.may_send(*eid)).collect();
            if sent.len() == custody.queued.len() { Event::Sent } else { Event::SentSome(sent) }
        }
        Command::SignCustodyMove(eid, attempt) => match sign(custody, *eid, attempt)? {
            Some(event) => event,
            None => return Ok(Made::Nothing),
        },
        Command::RepeatCustodyMove(settlement) => {
            let sending = custody.signed.get(&settlement.eid).ok_or(Reject::NotSent(settlement.eid))?;
            if !sending.attempts.iter().any(|attempt| attempt.tx == settlement.tx) {
                return Err(Reject::OtherTransaction(settlement.eid));
            }
            Event::Repeated(Settlement::clone(settlement))
        }
        Command::SettleCustodyMove(settlement) => {
            if !custody.sent.contains_key(&settlement.eid) {
                return Err(Reject::NotSent(settlement.eid));
            }
            Event::Settled(Settlement::clone(settlement))
        }
        Command::ChargeCustodyFees(month) => {
            if !is_month_start(*month) || *month <= custody.charged || *month > context.time {
                return Err(Reject::NotDue(*month));
            }
            Event::Charged(*month, fees(context))
        }
    };
    out.push_named(&crate::Infrequent::from(event));
    Ok(Made::Nothing)
}

/// Decides a signed transaction; a repeated one changes nothing.
fn sign(custody: &Custody, eid: Eid, attempt: &Attempt) -> Result<Option<Event>, Reject> {
    if !custody.sent.contains_key(&eid) {
        return Err(Reject::NotSent(eid));
    }
    let known = custody.signed.get(&eid).map(|sending| sending.attempts.as_slice()).unwrap_or_default();
    if known.contains(attempt) {
        return Ok(None);
    }
    if known.iter().any(|known| known.tx == attempt.tx || known.spends != attempt.spends) {
        return Err(Reject::OtherTransaction(eid));
    }
    Ok(Some(Event::Signed(eid, attempt.clone())))
}

/// The first run after a move was accepted.
fn run_after(accepted: Time) -> Time {
    let run = Day::of(accepted).start().plus(RUN);
    if run > accepted { run } else { run.plus(Day::MICROS) }
}

/// The fee of every custody account for a month, at most its available amount.
fn fees(context: &Context<'_, Funds>) -> Vec<Fee> {
    let mut fees = Vec::new();
    for account in context.access.custody_accounts() {
        for (currency, balance) in context.ledger.balances_of(*account) {
            let amount = monthly_fee(balance.total()).min(balance.available);
            if amount > Money::ZERO {
                fees.push(Fee { account: *account, currency, amount });
            }
        }
    }
    fees
}

/// A month's fee on a balance, rounded up at the last decimal.
fn monthly_fee(balance: Money) -> Money {
    let units = balance.units();
    let rest = i128::from(units % FEE_PART > 0);
    Money::from_units(units / FEE_PART + rest)
}

/// Applies an event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Funds>, event: Event) {
    match event {
        Event::Sent => {
            let custody = &mut books.room.custody;
            let queued = core::mem::take(&mut custody.queued);
            custody.sent.extend(queued.into_keys().map(|eid| (eid, books.time)));
        }
        Event::Signed(eid, attempt) => {
            books.room.custody.signed.entry(eid).or_default().attempts.push(attempt);
        }
        Event::Repeated(Settlement { eid, cost, .. }) => {
            let sending = books.room.custody.signed.entry(eid).or_default();
            sending.failures = sending.failures.saturating_add(1);
            sending.attempts.clear();
            note_cost(books, eid, cost);
        }
        Event::SentSome(eids) => {
            let custody = &mut books.room.custody;
            for eid in eids {
                custody.queued.remove(&eid);
                custody.sent.insert(eid, books.time);
            }
        }
        Event::Settled(settlement) => settle(books, &settlement),
        Event::Charged(month, fees) => {
            books.room.custody.charged = month;
            for fee in fees {
                charge(books, fee);
            }
        }
    }
}

/// Notes what the network of a move has charged.
fn note_cost(books: &mut ContextMut<'_, Funds>, eid: Eid, cost: Money) {
    let currency = books.room.transfer(eid).map(|transfer| transfer.row.currency);
    let network = currency.and_then(|currency| books.room.networks.base(currency));
    if let Some(network) = network.map(|asset| asset.network.clone()) {
        books.room.note_network_cost(&network, cost);
    }
}

/// Completes a move at both ends. The amount held at the source reaches the target; an advanced one is there already.
fn settle(books: &mut ContextMut<'_, Funds>, Settlement { eid, tx, cost }: &Settlement) {
    books.room.custody.sent.remove(eid);
    books.room.custody.signed.remove(eid);
    note_cost(books, *eid, *cost);
    let row = books.room.transfer(*eid).map(|transfer| transfer.row.clone());
    let row = row.expect("the decision found the row");
    let Way::Internal { other, other_row, .. } = row.way else { return };
    if row.held > Money::ZERO {
        let NewTransfer { account: source, currency, amount, .. } = row;
        shift(
            books,
            &Move { source, target: other, currency, amount, client_id: String::new() },
            Bucket::Held,
            [*eid, other_row],
        );
    }
    for eid in [*eid, other_row] {
        books.room.change(&Change { eid, status: Status::Complete, held: Money::ZERO });
        books.room.change_way(eid, |way| {
            if let Way::Internal { tx: of_row, .. } = way {
                of_row.clone_from(tx);
            }
        });
    }
}

/// Moves a fee to the house, and lists it.
fn charge(books: &mut ContextMut<'_, Funds>, Fee { account, currency, amount }: Fee) {
    let house = books.ledger.house(FEES.name).expect("the house account is open");
    let posting =
        |account, amount| Posting { account, asset: currency.into(), bucket: Bucket::Available, amount };
    let about = About::Transfer(books.room.next_eid().0);
    let entry = [posting(account, -amount), posting(house, amount)];
    books.ledger.post(Cause::CustodyFee.about(about), &entry);
    books.room.add(
        books.time,
        NewTransfer {
            account,
            kind: Kind::CustodyFee,
            status: Status::Complete,
            currency,
            amount,
            fee: Money::ZERO,
            held: Money::ZERO,
            way: Way::Operator(String::new()),
            reference: Reference::None,
            advance: None,
            client_id: String::new(),
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{BTC, GUSD, Rig, micro};
    use crate::{Scope, halt, internal};

    #[test]
    fn the_fee_is_rounded_up() {
        for (balance, fee) in [(0, 0), (1, 1), (2_999, 1), (3_000, 1), (3_001, 2), (6_000, 2)] {
            assert_eq!(monthly_fee(Money::from_units(balance)), Money::from_units(fee), "{balance}");
        }
    }

    /// Only a move that is being sent is signed; a repeated transaction changes nothing, and all of a move spend the same.
    #[test]
    fn a_move_is_signed_while_it_is_sent() {
        let attempt = |tx: &str, spends: u8| Attempt {
            purpose: crate::Purpose::Pay,
            tx: tx.into(),
            bytes: alloc::vec![1],
            spends: alloc::vec![spends],
        };
        let mut custody = Custody::default();
        assert_eq!(sign(&custody, Eid(1), &attempt("a", 1)), Err(Reject::NotSent(Eid(1))));
        custody.sent.insert(Eid(1), Time(0));
        let signed = Event::Signed(Eid(1), attempt("a", 1));
        assert_eq!(sign(&custody, Eid(1), &attempt("a", 1)), Ok(Some(signed)));
        custody.signed.entry(Eid(1)).or_default().attempts.push(attempt("a", 1));
        assert_eq!(sign(&custody, Eid(1), &attempt("a", 1)), Ok(None));
        for other in [attempt("a", 2), attempt("b", 2)] {
            assert_eq!(sign(&custody, Eid(1), &other), Err(Reject::OtherTransaction(Eid(1))));
        }
        assert!(sign(&custody, Eid(1), &attempt("b", 1)).unwrap().is_some());
    }

    #[test]
    fn the_run_is_at_the_next_twenty_hundred() {
        let run = |accepted| {
            let mut custody = Custody::default();
            custody.queue(Eid(1), Time(accepted));
            custody.next_run(|_| true).unwrap().0
        };
        assert_eq!([0, RUN - 1].map(run), [RUN; 2]);
        assert_eq!([RUN, Day::MICROS, Day::MICROS + RUN - 1].map(run), [Day::MICROS + RUN; 3]);
        assert_eq!(Custody::default().next_run(|_| true), None);
    }

    /// A halt stops the run for its currency, and for that only; the move goes out once it ends.
    #[test]
    fn a_halted_currency_waits_for_the_end_of_its_halt() {
        let mut rig = Rig::new();
        let (source, target) = (rig.ann, rig.vault);
        for currency in [BTC, GUSD] {
            let moved = Move { source, target, currency, amount: micro(1_000), client_id: String::new() };
            rig.apply(|books| internal::evolve(books, internal::Event::CustodyMoveHeld(moved)));
        }
        let run = |rig: &Rig| rig.funds.custody.next_run(|eid| rig.funds.may_send(eid));
        let halt = |on| {
            let scope = Scope::Asset(BTC);
            if on { halt::Event::Halted(scope) } else { halt::Event::Resumed(scope) }
        };
        let due = run(&rig);
        rig.apply(|books| halt::evolve(books, halt(true)));
        assert_eq!(run(&rig), due);
        // The rows of a move are two.
        let (btc, gusd) = (Eid(1), Eid(3));
        let mut out = Outbox::<BytesRef>::default();
        assert_eq!(
            decide(&rig.context(), Sender::Exchange, &Command::RunCustody, &mut out),
            Ok(Made::Nothing)
        );
        rig.apply(|books| evolve(books, Event::SentSome(alloc::vec![gusd])));
        assert_eq!(rig.funds.custody_moves_sent().collect::<Vec<_>>(), [gusd]);
        assert_eq!(run(&rig), None, "nothing may be sent, so nothing is due");
        rig.apply(|books| halt::evolve(books, halt(false)));
        assert_eq!(run(&rig), due);
        rig.apply(|books| evolve(books, Event::Sent));
        assert_eq!(rig.funds.custody_moves_sent().collect::<Vec<_>>(), [btc, gusd]);
    }
}
