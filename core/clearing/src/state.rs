//! The state of the room: what is open or waits for money, what retries need, and operators' settings.

use crate::enter::terms_of;
use crate::waiting::{Again, Found, Spot, Waiting};
use crate::wake::{Parked, find, needs_at_most};
use crate::{Alias, Code, Codes, Command, Order, SETTLED_MAX, Status, Terms};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, Due, Fingerprint, Phase, RowHash, Symbol, Time};
use buttonwood_num::{Bps, Money};
use buttonwood_room::{Changes, Context, Room};
use serde::{Deserialize, Serialize};

/// An order that has left, as fingerprints have it.
const GONE: RowHash = RowHash::of("clearing order gone");
/// The rate of the fee, as fingerprints have it.
const FEE: RowHash = RowHash::of("clearing fee");

/// The state of the room.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Clearing {
    stored: Stored,
    /// The orders whose settlement was refused although both sides can pay. A state that was read from a snapshot may have fewer.
    parked: BTreeMap<u64, Parked>,
    #[serde(skip)]
    index: Index,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Stored {
    /// The key of the ids, once it is drawn.
    codes: Option<Codes>,
    /// The newest order of all.
    last: u64,
    /// The place of the newest confirmed order.
    last_rank: u64,
    /// What is open or waits for money.
    orders: BTreeMap<u64, Order>,
    /// The terms of every order that was entered with a client id, for ever (D-104).
    asked: BTreeMap<u64, Terms>,
    /// The rate of the fee that each side pays.
    fee: Bps,
    aliases: BTreeMap<(AccountId, AccountId), String>,
    /// The closed accounts that orders still name, each with the time of the last cancels.
    leaving: BTreeMap<AccountId, Time>,
    fingerprint: Fingerprint,
}

/// What is derived from the orders.
#[derive(Clone, Debug, Default)]
struct Index {
    /// The orders of each account: those of which it is a side or the broker.
    own: BTreeMap<AccountId, BTreeSet<u64>>,
    /// How many of them the account has entered or confirmed.
    bound: BTreeMap<AccountId, usize>,
    expiries: BTreeSet<(Time, u64)>,
    /// When orders have expired last.
    expired: Time,
    waiting: Waiting,
}

impl PartialEq for Clearing {
    fn eq(&self, other: &Self) -> bool {
        self.stored == other.stored
    }
}

impl Index {
    fn accounts(order: &Order) -> impl Iterator<Item = AccountId> {
        [Some(order.source), order.target, order.broker].into_iter().flatten()
    }

    fn add(&mut self, order: &Order) {
        for account in Self::accounts(order) {
            self.own.entry(account).or_default().insert(order.number);
            if order.binds(account) {
                let bound = self.bound.entry(account).or_default();
                *bound = bound.saturating_add(1);
            }
        }
        self.expiries.insert((order.expires, order.number));
    }

    fn remove(&mut self, order: &Order) {
        for account in Self::accounts(order) {
            if let Some(own) = self.own.get_mut(&account) {
                own.remove(&order.number);
                if own.is_empty() {
                    self.own.remove(&account);
                }
            }
            if let Some(bound) = self.bound.get_mut(&account).filter(|_| order.binds(account)) {
                *bound = bound.saturating_sub(1);
                if *bound == 0 {
                    self.bound.remove(&account);
                }
            }
        }
        self.expiries.remove(&(order.expires, order.number));
    }
}

/// What others read.
impl Clearing {
    /// The `clearing_id` of an order's number.
    pub fn code(&self, number: u64) -> Code {
        self.stored.codes.unwrap_or_default().code(number)
    }

    /// The number of a `clearing_id` that was given to an order, closed ones too; none for any other.
    pub fn number(&self, code: Code) -> Option<u64> {
        let number = self.stored.codes?.number(code);
        (1..=self.stored.last).contains(&number).then_some(number)
    }

    /// Whether the key of the ids was drawn.
    pub fn has_key(&self) -> bool {
        self.stored.codes.is_some()
    }

    /// An order that is open or waits for money.
    pub fn order(&self, number: u64) -> Option<&Order> {
        self.stored.orders.get(&number)
    }

    /// The same by its `clearing_id`.
    pub fn find(&self, code: Code) -> Option<&Order> {
        self.order(self.number(code)?)
    }

    /// Every order that is open or waits for money, the oldest first.
    pub fn orders(&self) -> impl DoubleEndedIterator<Item = &Order> {
        self.stored.orders.values()
    }

    /// Those of which an account is a side or the broker, the oldest first.
    pub fn of_account(&self, account: AccountId) -> impl DoubleEndedIterator<Item = &Order> {
        let own = self.index.own.get(&account);
        own.into_iter().flatten().filter_map(|number| self.stored.orders.get(number))
    }

    /// The same up to a number, the newest first.
    pub fn of_account_up_to(&self, account: AccountId, last: u64) -> impl Iterator<Item = &Order> {
        let own = self.index.own.get(&account).into_iter();
        let numbers = own.flat_map(move |own| own.range(..=last).rev());
        numbers.filter_map(|number| self.stored.orders.get(number))
    }

    /// How many of them the account has entered or confirmed.
    pub fn count_of(&self, account: AccountId) -> usize {
        self.index.bound.get(&account).copied().unwrap_or_default()
    }

    /// Whether orders still name an account that was closed.
    pub(crate) fn is_leaving(&self, account: AccountId) -> bool {
        self.stored.leaving.contains_key(&account)
    }

    /// The rate of the fee that each side pays at a settlement.
    pub fn fee(&self) -> Bps {
        self.stored.fee
    }

    /// The fee of each side of an order, at the present rate, in the quote currency; none beyond the range of money.
    pub fn fee_of(&self, order: &Order, symbol: &Symbol) -> Option<Money> {
        symbol.grid.fee(order.price, order.qty, self.stored.fee)
    }

    /// An account's own name for another one.
    pub fn alias(&self, account: AccountId, counterparty: AccountId) -> Option<&str> {
        self.stored.aliases.get(&(account, counterparty)).map(String::as_str)
    }

    /// An account's own names, by the account that each stands for.
    pub fn aliases(&self, account: AccountId) -> impl Iterator<Item = (AccountId, &str)> {
        let own = (account, AccountId(0))..=(account, AccountId(u32::MAX));
        self.stored.aliases.range(own).map(|((_, counterparty), name)| (*counterparty, name.as_str()))
    }

    /// The account that an alias stands for.
    pub fn named(&self, account: AccountId, name: &str) -> Option<AccountId> {
        self.aliases(account).find(|(_, known)| *known == name).map(|(counterparty, _)| counterparty)
    }

    /// The terms of an order that was entered with a client id.
    pub(crate) fn asked(&self, number: u64) -> Option<&Terms> {
        self.stored.asked.get(&number)
    }

    pub(crate) fn next_number(&self) -> u64 {
        self.stored.last.saturating_add(1)
    }

    pub(crate) fn next_rank(&self) -> u64 {
        self.stored.last_rank.saturating_add(1)
    }

    /// The orders whose time is over, by the time at which they expire.
    pub(crate) fn over(&self, now: Time) -> impl Iterator<Item = &Order> {
        let over = self.index.expiries.range(..=(now, u64::MAX));
        over.filter_map(|(_, number)| self.stored.orders.get(number))
    }
}

/// What events change.
impl Clearing {
    pub(crate) fn set_codes(&mut self, codes: Codes) {
        self.stored.codes = Some(codes);
    }

    pub(crate) fn set_alias(&mut self, alias: Alias) {
        let Alias { account, counterparty, name } = alias;
        // A name stands for one account.
        if let Some(before) = self.named(account, &name) {
            self.stored.aliases.remove(&(account, before));
        }
        self.stored.aliases.insert((account, counterparty), name);
    }

    pub(crate) fn enter(&mut self, order: Order, is_asked: bool) {
        self.stored.last = order.number;
        if is_asked {
            self.stored.asked.insert(order.number, terms_of(&order));
        }
        self.set(order);
    }

    /// Sets an order, new or changed.
    fn set(&mut self, order: Order) {
        self.stored.fingerprint.add(order.hash());
        if let Some(before) = self.stored.orders.insert(order.number, order) {
            self.index.remove(&before);
        }
        self.index.add(&order);
    }

    /// Sets an order that was confirmed. A settlement at once follows in the same command.
    pub(crate) fn confirm(&mut self, ledger: &mut Ledger, order: Order) {
        self.set(order);
        if order.is_confirmed() {
            self.stored.last_rank = order.rank;
            self.index.waiting.put_off(ledger, order.number, Again::No);
        }
    }

    /// Takes out an order that was closed.
    pub(crate) fn close(&mut self, ledger: &mut Ledger, order: &Order) {
        self.stored.fingerprint.add(GONE.word(order.number));
        self.index.waiting.remove(ledger, order.number);
        self.parked.remove(&order.number);
        if let Some(before) = self.stored.orders.remove(&order.number) {
            self.index.remove(&before);
        }
        self.note_left(order);
    }

    /// The same after its time is over.
    pub(crate) fn expire(&mut self, ledger: &mut Ledger, order: &Order, now: Time) {
        self.close(ledger, order);
        self.index.expired = now;
    }

    /// An account was closed; the orders that name it are cancelled.
    fn note_closed(&mut self, account: AccountId, time: Time) {
        if self.index.own.contains_key(&account) {
            self.stored.leaving.insert(account, time);
        }
    }

    /// An order was closed that may have named a closed account.
    fn note_left(&mut self, order: &Order) {
        if self.stored.leaving.is_empty() {
            return;
        }
        for account in Index::accounts(order) {
            if !self.index.own.contains_key(&account) {
                self.stored.leaving.remove(&account);
            } else if let Some(time) = self.stored.leaving.get_mut(&account) {
                *time = order.changed.max(*time);
            }
        }
    }

    /// The same after a settlement. Attempts that are left are due between other commands. A confirmation that settles at once is no attempt.
    pub(crate) fn settle(&mut self, ledger: &mut Ledger, order: &Order) {
        if self.index.waiting.is_ready(order.number) {
            self.index.waiting.note_attempt();
        }
        self.close(ledger, order);
    }

    /// Notes an attempt that was in vain. If others have settled in it, they may have paid for these.
    pub(crate) fn note_tried(&mut self, ledger: &mut Ledger, numbers: &[u64], has_settled: bool) {
        let again = if has_settled { Again::Yes } else { Again::No };
        for number in numbers.iter().filter(|number| self.stored.orders.contains_key(number)) {
            self.index.waiting.put_off(ledger, *number, again);
        }
        self.index.waiting.note_attempt();
    }

    /// Sets the rate of the fee. Buyers that wait need another amount from now on.
    pub(crate) fn set_fee(&mut self, rate: Bps, now: Time) {
        self.stored.fee = rate;
        self.stored.fingerprint.add(FEE.word(rate.0.into()));
        self.index.waiting.look_at_all(now);
    }

    /// Puts every order that waits for money where it waits, after a snapshot was read.
    pub fn put_all(&mut self, ledger: &mut Ledger) {
        let waiting = self.stored.orders.values().filter(|order| order.status == Status::AttemptSettlement);
        for order in waiting {
            self.index.waiting.put_off(ledger, order.number, Again::Restored);
        }
    }
}

/// The commands that follow from the changes of a command.
impl Clearing {
    /// Notes the halt, the closed accounts, the accounts that may give up more, and the balances of which more became available.
    pub(crate) fn note_changes(&mut self, changes: &Changes, time: Time) {
        for account in &changes.closed {
            self.note_closed(*account, time);
        }
        // While trading is halted no attempt follows; at the end of a halt one does for the orders that were covered in it.
        if let Some(is_halted) = changes.halted {
            self.index.waiting.set_fresh(!is_halted);
        }
        self.index.waiting.look_again(&changes.freed);
        if !changes.rises.is_empty() || self.index.waiting.is_busy() {
            self.index.waiting.begin(changes.rises.iter().copied());
        }
    }

    /// Puts orders where they wait, as `Room::find` has found.
    pub(crate) fn put(&mut self, ledger: &mut Ledger, now: Time, found: Found) {
        for (number, _, spot) in found.put_off.iter().chain(&found.woken) {
            match spot {
                Spot::Parked(_, parked) => self.parked.insert(*number, *parked),
                Spot::Lacks(..) | Spot::Ready => self.parked.remove(number),
            };
        }
        self.index.waiting.put(ledger, now, found);
    }

    /// Whether an attempt follows before any other command.
    #[inline]
    pub(crate) fn is_fresh(&self) -> bool {
        self.index.waiting.is_fresh()
    }

    pub(crate) fn waiting(&self) -> &Waiting {
        &self.index.waiting
    }

    /// What refused the settlement of an order that both sides can pay.
    pub(crate) fn parked(&self, number: u64) -> Option<Parked> {
        self.parked.get(&number).copied()
    }

    /// Whether a rise was missed that covers an order. What may leave a group in advance moves with prices, which cause no attempt.
    fn is_missed(context: &Context<'_, Self>, order: &Order) -> bool {
        let (account, currency) = match context.room.waiting().place(order.number) {
            Err(()) => return true,
            Ok(None) => return false,
            Ok(Some(place)) => place,
        };
        context.rooms.group_in_advance(account).is_empty()
            && needs_at_most(
                context,
                order.number,
                (account, currency),
                context.leave().free(account, currency),
            )
    }
}

/// A broken law (INV-CLR-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenLaw {
    /// The order with this number is none that may be open or wait.
    Order(u64),
    /// The order with this number waits at a balance that has what it needs, so a rise was missed.
    Missed(u64),
}

/// Whether an order may be in the state: its confirmations are those of its status, and its numbers were given.
fn is_lawful(order: &Order, stored: &Stored) -> bool {
    let has_target = order.target_order.is_some();
    let status = match (order.broker.is_some(), order.source_confirmed, has_target) {
        (_, true, true) => Status::AttemptSettlement,
        (false, ..) => Status::AwaitConfirm,
        (true, true, false) => Status::AwaitTargetConfirm,
        (true, false, true) => Status::AwaitSourceConfirm,
        (true, false, false) => Status::AwaitSourceTargetConfirm,
    };
    let sides = [Some(order.source), order.target, order.broker];
    let [source, target, broker] = sides;
    let are_apart = target != source && broker != source && (broker.is_none() || broker != target);
    let has_sides =
        if order.is_confirmed() || broker.is_some() { target.is_some() } else { order.source_confirmed };
    order.status == status
        && are_apart
        && has_sides
        && order.submitted <= order.changed
        && order.changed < order.expires
        && (1..=stored.last).contains(&order.number)
        && (order.rank > 0) == order.is_confirmed()
        && order.rank <= stored.last_rank
}

impl Room for Clearing {
    type Command = Command;
    type BrokenLaw = BrokenLaw;
    type Found = Found;

    fn next_due(&self, context: &Context<'_, Self>) -> impl Iterator<Item = Due<Command>> {
        // Further hundreds have the time of the one before, so that a long queue stays behind what falls due in between.
        let expiry = self.index.expiries.first().map(|(expires, _)| {
            Due::step((*expires).max(self.index.expired), Phase::Transfers, Command::Expire).in_storm()
        });
        let waiting = &self.index.waiting;
        let due = if context.is_halted { waiting.search_due() } else { waiting.due() };
        let settle = due.map(|since| {
            let tried = if context.is_halted { 0 } else { SETTLED_MAX };
            let command = Command::Settle(waiting.ready().take(tried).collect());
            if self.is_fresh() {
                Due::follow_up(Time(0), Phase::Transfers, command)
            } else {
                Due::step(since, Phase::Transfers, command).in_storm()
            }
        });
        let leaving = self.stored.leaving.iter().map(|(account, time)| {
            Due::step(*time, Phase::Transfers, Command::CancelNamed(*account)).in_storm()
        });
        let leaving = leaving.min_by_key(Due::key);
        settle.into_iter().chain(expiry).chain(leaving)
    }

    fn has_follow_up(&self, _ledger: &Ledger) -> bool {
        self.is_fresh()
    }

    #[inline]
    fn is_awake(&self) -> bool {
        self.index.waiting.is_busy()
    }

    fn awaits(&self) -> bool {
        !self.index.waiting.is_empty()
    }

    fn changed(&mut self, changes: &Changes, _ledger: &Ledger, time: Time) {
        self.note_changes(changes, time);
    }

    fn find(&self, context: &Context<'_, Self>) -> Option<Found> {
        self.index.waiting.has_begun().then(|| find(context))
    }

    fn note_found(&mut self, ledger: &mut Ledger, time: Time, found: Found) {
        self.put(ledger, time, found);
    }

    fn is_used_by(&self, account: AccountId) -> bool {
        self.count_of(account) > 0
    }

    fn broken_law(&self, context: &Context<'_, Self>) -> Option<BrokenLaw> {
        let mut orders = self.stored.orders.values();
        if let Some(order) = orders.clone().find(|order| !is_lawful(order, &self.stored)) {
            return Some(BrokenLaw::Order(order.number));
        }
        let is_missed =
            |order: &&Order| order.status == Status::AttemptSettlement && Self::is_missed(context, order);
        orders.find(is_missed).map(|order| BrokenLaw::Missed(order.number))
    }

    fn fingerprint(&self) -> u64 {
        self.stored.fingerprint.part("clearing")
    }

    fn restore(&mut self, _ledger: &mut Ledger) {
        self.index = Index::default();
        for order in self.stored.orders.values() {
            self.index.add(order);
        }
    }
}
