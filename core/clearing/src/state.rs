//! The state of the room: what is open or waits for money, what retries need, and operators' settings.

use crate::enter::terms_of;
use crate::waiting::Waiting;
use crate::{Alias, Code, Codes, Command, Order, SETTLED_MAX, Status, Terms};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_access as access;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, Due, Fingerprint, Phase, RowHash, Symbol, Time};
use buttonwood_num::{Bps, Money};
use buttonwood_room::{Context, Room};
use serde::{Deserialize, Serialize};

/// An order that has left, as fingerprints have it.
const GONE: RowHash = RowHash::of("clearing order gone");
/// The rate of the fee, as fingerprints have it.
const FEE: RowHash = RowHash::of("clearing fee");

/// The state of the room.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Clearing {
    stored: Stored,
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

    /// How many of them the account has entered or confirmed.
    pub fn count_of(&self, account: AccountId) -> usize {
        self.index.bound.get(&account).copied().unwrap_or_default()
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

    /// The orders whose time is over, the first first.
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
    pub(crate) fn confirm(&mut self, ledger: &mut Ledger, symbols: &[Symbol], order: Order) {
        self.set(order);
        if order.is_confirmed() {
            self.stored.last_rank = order.rank;
            self.put(ledger, symbols, &order, false);
        }
    }

    /// Takes out an order that was closed.
    pub(crate) fn close(&mut self, ledger: &mut Ledger, order: &Order) {
        self.stored.fingerprint.add(GONE.word(order.number));
        self.index.waiting.remove(ledger, order.number);
        if let Some(before) = self.stored.orders.remove(&order.number) {
            self.index.remove(&before);
        }
    }

    /// The same after a settlement. Attempts that are left are due between other commands.
    pub(crate) fn settle(&mut self, ledger: &mut Ledger, order: &Order) {
        self.close(ledger, order);
        self.index.waiting.set_fresh(false);
    }

    /// Notes an attempt that was in vain.
    pub(crate) fn note_tried(&mut self, ledger: &mut Ledger, symbols: &[Symbol], numbers: &[u64]) {
        for number in numbers {
            if let Some(order) = self.stored.orders.get(number).copied() {
                self.put(ledger, symbols, &order, false);
            }
        }
        self.index.waiting.set_fresh(false);
    }

    /// Sets the rate of the fee. Buyers that wait need another amount from now on.
    pub(crate) fn set_fee(&mut self, ledger: &mut Ledger, symbols: &[Symbol], rate: Bps) {
        self.stored.fee = rate;
        self.stored.fingerprint.add(FEE.word(rate.0.into()));
        self.put_all(ledger, symbols);
    }

    fn put(&mut self, ledger: &mut Ledger, symbols: &[Symbol], order: &Order, is_ready: bool) {
        let symbol = symbols.get(order.symbol.index());
        let needs = symbol.and_then(|symbol| order.needs(symbol, self.stored.fee));
        self.index.waiting.put(ledger, order, needs, is_ready);
    }

    /// Puts every order that waits for money where it waits: after another rate of the fee, and after a snapshot was read.
    pub fn put_all(&mut self, ledger: &mut Ledger, symbols: &[Symbol]) {
        let waiting = self.stored.orders.values().filter(|order| order.status == Status::AttemptSettlement);
        for order in waiting.copied().collect::<Vec<_>>() {
            self.put(ledger, symbols, &order, true);
        }
    }
}

/// What the engine asks after every command.
impl Clearing {
    /// Whether [`Clearing::note_rises`] has something to do.
    #[inline]
    pub fn has_rises(&self, ledger: &Ledger) -> bool {
        ledger.has_risen() || self.index.waiting.looks_again()
    }

    /// Finds the orders that the rises of balances cover: an attempt is due for them, or they wait at their other side.
    pub fn note_rises(&mut self, ledger: &mut Ledger, symbols: &[Symbol]) {
        let ready = self.index.waiting.ready_count();
        for (account, asset) in ledger.take_risen() {
            let available = ledger.balance(account, asset).available;
            for number in self.index.waiting.covered(account, asset, available) {
                if let Some(order) = self.stored.orders.get(&number).copied() {
                    self.put(ledger, symbols, &order, true);
                }
            }
            self.index.waiting.look_again();
        }
        if self.index.waiting.ready_count() > ready {
            self.index.waiting.set_fresh(true);
        }
    }

    /// What may leave accounts may have risen without a rise of a balance: an advance or a debt has ended.
    pub fn look_again(&mut self) {
        self.index.waiting.look_again();
    }

    /// The orders that wait although both sides have the money, to be looked at again; none if nothing has changed for them.
    pub fn take_bounded(&mut self) -> Vec<u64> {
        if self.index.waiting.looks_again() { self.index.waiting.take_bounded() } else { Vec::new() }
    }

    /// Whether both sides of an order may give what they need, as far as `free` says.
    pub fn is_covered(
        &self,
        number: u64,
        symbols: &[Symbol],
        free: impl Fn(AccountId, buttonwood_model::CurrencyId) -> Money,
    ) -> bool {
        let needs = self
            .order(number)
            .and_then(|order| order.needs(symbols.get(order.symbol.index())?, self.stored.fee));
        needs.is_some_and(|needs| needs.iter().all(|need| free(need.account, need.currency) >= need.amount))
    }

    /// Has an attempt follow for these orders.
    pub fn wake(&mut self, ledger: &mut Ledger, symbols: &[Symbol], numbers: &[u64]) {
        for number in numbers {
            if let Some(order) = self.stored.orders.get(number).copied() {
                self.put(ledger, symbols, &order, true);
                self.index.waiting.set_fresh(true);
            }
        }
    }

    /// While the exchange is halted no attempt follows.
    pub fn halt(&mut self) {
        self.index.waiting.set_fresh(false);
    }

    /// At the end of a halt an attempt follows for every order that is covered now.
    pub fn resume(&mut self, ledger: &mut Ledger, symbols: &[Symbol]) {
        self.put_all(ledger, symbols);
        self.index.waiting.set_fresh(true);
    }

    /// Whether an attempt follows before any other command.
    #[inline]
    pub fn is_fresh(&self) -> bool {
        self.index.waiting.is_fresh()
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

    fn next_due(&self, context: &Context<'_, Self>) -> impl Iterator<Item = Due<Command>> {
        let expiry = self
            .index
            .expiries
            .first()
            .map(|(expires, _)| Due::step(*expires, Phase::Transfers, Command::Expire).in_storm());
        let numbers: Vec<u64> = self.index.waiting.ready().take(SETTLED_MAX).collect();
        let first = numbers.first().and_then(|number| self.order(*number));
        let settle = first.filter(|_| !context.is_halted).map(|first| {
            let command = Command::Settle(numbers);
            if self.is_fresh() {
                Due::follow_up(Time(0), Phase::Transfers, command)
            } else {
                Due::step(first.changed, Phase::Transfers, command).in_storm()
            }
        });
        settle.into_iter().chain(expiry)
    }

    fn has_follow_up(&self, _ledger: &Ledger) -> bool {
        self.is_fresh()
    }

    fn in_use(&self, account: AccountId) -> Option<access::Reject> {
        (self.count_of(account) > 0).then_some(access::Reject::HasClearing)
    }

    fn broken_law(&self, context: &Context<'_, Self>) -> Option<BrokenLaw> {
        let mut orders = self.stored.orders.values();
        if let Some(order) = orders.clone().find(|order| !is_lawful(order, &self.stored)) {
            return Some(BrokenLaw::Order(order.number));
        }
        let waiting = &self.index.waiting;
        let is_missed = |order: &&Order| {
            order.status == Status::AttemptSettlement && !waiting.is_waiting(order.number, context.ledger)
        };
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
