//! Everything the exchange is.

use crate::{Body, Desks, Opening};
use alloc::collections::BTreeMap;
use buttonwood_access::Access;
use buttonwood_auction::Auctions;
use buttonwood_book::Orders;
use buttonwood_ledger::{BrokenLaw, House, Ledger};
use buttonwood_model::{
    AccountId, AssetId, Currency, CurrencyId, Due, OrderId, Side, Slot, Stamp, Symbol, SymbolId, Time,
};
use buttonwood_num::Money;
use buttonwood_trading::{Fees, Floor, Market};
use serde::{Deserialize, Serialize};

/// The whole state: a function of the journal and nothing else.
///
/// Indices are derived; a state that comes from a snapshot calls [`State::restore`] first, and one that goes into a
/// snapshot [`State::prepare_to_store`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(crate) stamp: Stamp,
    pub(crate) opening: Option<Opening>,
    pub(crate) next_id: u64,
    pub(crate) access: Access,
    pub(crate) floor: Floor,
    pub(crate) desks: Desks,
}

impl State {
    /// The state before the first command.
    pub fn new() -> Self {
        Self { next_id: 1, ..Self::default() }
    }

    /// Number and time of the last command.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// What made the directory; none before its first command.
    pub fn opening(&self) -> Option<&Opening> {
        self.opening.as_ref()
    }

    /// Every currency.
    pub fn currencies(&self) -> &[Currency] {
        self.ledger().currencies()
    }

    /// Every symbol.
    pub fn symbols(&self) -> &[Symbol] {
        &self.floor.symbols
    }

    /// A symbol.
    pub fn symbol(&self, id: SymbolId) -> Option<&Symbol> {
        self.floor.symbols.get(id.index())
    }

    /// A currency.
    pub fn currency(&self, id: CurrencyId) -> Option<&Currency> {
        self.currencies().get(id.index())
    }

    /// Groups, accounts, sessions.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Balances.
    pub fn ledger(&self) -> &Ledger {
        &self.desks.ledger
    }

    /// Live orders.
    pub fn orders(&self) -> &Orders {
        &self.floor.orders
    }

    /// The order that entered last; meaningful only while its command's events are applied.
    pub fn taking(&self) -> Slot {
        self.floor.taking
    }

    /// A live order by its id.
    pub fn find_order(&self, id: OrderId) -> Option<Slot> {
        self.floor.orders.find(id)
    }

    /// A symbol's auctions, if it has any or has had (AUCT-001).
    pub fn auctions(&self, symbol: SymbolId) -> Option<&Auctions> {
        self.floor.auctions.get(&symbol)
    }

    /// What is due next, over all rooms: follow-ups first, then by time. [`Due::command`] is to run at its time, or as soon after as
    /// may be.
    pub fn next_due(&self) -> Option<Due<Body>> {
        self.next_due_of(false)
    }

    /// What is due next of what moves money: a long move of a manual clock may skip the rest.
    pub fn next_due_unskippable(&self) -> Option<Due<Body>> {
        self.next_due_of(true)
    }

    fn next_due_of(&self, skips: bool) -> Option<Due<Body>> {
        let rooms = [self.floor.next_due(skips).map(|due| due.map(Body::Trading))];
        rooms.into_iter().flatten().min_by_key(Due::key)
    }

    /// Whether a room has begun what only a follow-up ends: no other command may have a turn before.
    #[inline]
    pub fn has_follow_up(&self) -> bool {
        self.floor.settling > 0
    }

    /// The trading floor.
    pub fn floor(&self) -> &Floor {
        &self.floor
    }

    /// Fee schedules.
    pub fn fees(&self) -> &Fees {
        &self.floor.fees
    }

    /// What decisions about orders read.
    #[inline]
    pub(crate) fn market(&self, time: Time) -> Market<'_, Desks> {
        Market { floor: &self.floor, desks: &self.desks, next_id: self.next_id, time }
    }

    /// A number that two states share only if they went through the same balances in the same order and stand at
    /// the same command: carried by every batch, checked by every replay.
    pub fn fingerprint(&self) -> u64 {
        self.desks.ledger.fingerprint() ^ self.next_id.rotate_left(40) ^ self.stamp.time.0
    }

    /// Rebuilds what is derived, after the state was read from a snapshot.
    pub fn restore(&mut self) {
        self.desks.ledger.reindex();
        self.floor.orders.reindex();
    }

    /// Writes down what is derived and not stored, before the state is written to a snapshot.
    pub fn prepare_to_store(&mut self) {
        self.floor.orders.prepare_to_store();
    }

    /// The first law that does not hold: none, ever. Recomputes every sum from the single balances and orders.
    pub fn broken_law(&self) -> Option<Broken> {
        if let Some(law) = self.desks.ledger.broken_law() {
            return Some(Broken::Ledger(law));
        }
        for symbol in 0..self.floor.symbols.len() {
            let symbol = SymbolId::from_index(symbol);
            let book = self.floor.orders.book(symbol);
            if let (Some(bid), Some(ask)) = (book.side(Side::Buy).best(), book.side(Side::Sell).best())
                && bid >= ask
            {
                return Some(Broken::Crossed(symbol));
            }
        }
        self.unequal_hold()
    }

    /// The first balance whose hold is not what the live things of its owner need, over all rooms (INV-LEDGER-5).
    fn unequal_hold(&self) -> Option<Broken> {
        for account in (0..self.ledger().accounts()).map(AccountId) {
            let mut needed: BTreeMap<AssetId, Money> = BTreeMap::new();
            for (asset, amount) in self.reserved(account) {
                *needed.entry(asset).or_insert(Money::ZERO) += amount;
            }
            let currencies =
                self.ledger().balances_of(account).map(|(currency, balance)| (currency.into(), balance));
            for (asset, balance) in currencies.chain(self.ledger().claims_of(account)) {
                if needed.remove(&asset).unwrap_or(Money::ZERO) != balance.held {
                    return Some(Broken::Hold(account, asset));
                }
            }
            if let Some((asset, _)) = needed.into_iter().find(|(_, amount)| *amount != Money::ZERO) {
                return Some(Broken::Hold(account, asset));
            }
        }
        None
    }

    /// What every room holds of an account, one by one.
    fn reserved(&self, account: AccountId) -> impl Iterator<Item = (AssetId, Money)> {
        self.floor.reserved(&self.desks, account)
    }
}

impl State {
    /// The accounts of the house that this build needs and the directory lacks: a later build may need more than the one that
    /// made it.
    pub fn missing_houses(&self) -> impl Iterator<Item = Body> {
        let is_missing = |house: &House| self.opening.is_some() && self.ledger().house(house.name).is_none();
        crate::houses().filter(is_missing).map(Body::open_house)
    }
}

/// What [`State::broken_law`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A law of the ledger.
    Ledger(BrokenLaw),
    /// The best bid of the symbol reaches its best ask.
    Crossed(SymbolId),
    /// The account's hold is not what its orders need.
    Hold(AccountId, AssetId),
}
