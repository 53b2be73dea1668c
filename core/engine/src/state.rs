//! Everything the exchange is.

use alloc::vec::Vec;
use buttonwood_access::Access;
use buttonwood_auction::Auctions;
use buttonwood_book::Orders;
use buttonwood_ledger::{BrokenLaw, Ledger};
use buttonwood_model::{AccountId, Currency, CurrencyId, OrderId, Side, Slot, Stamp, Symbol, SymbolId, Time};
use buttonwood_num::Money;
use buttonwood_spot::{FeeSchedule, Market, Pit, hold_of};
use serde::{Deserialize, Serialize};

use crate::Opening;

/// The whole state: a function of the journal and nothing else.
///
/// Indices are derived; a state that comes from a snapshot calls [`State::restore`] first, and one that goes into a
/// snapshot [`State::prepare_to_store`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(crate) stamp: Stamp,
    pub(crate) opening: Option<Opening>,
    pub(crate) next_id: u64,
    pub(crate) currencies: Vec<Currency>,
    pub(crate) access: Access,
    pub(crate) pit: Pit,
    /// Those of the opening, or what counts before it; derived.
    #[serde(skip)]
    pub(crate) fees: FeeSchedule,
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
        &self.currencies
    }

    /// Every symbol.
    pub fn symbols(&self) -> &[Symbol] {
        &self.pit.symbols
    }

    /// A symbol.
    pub fn symbol(&self, id: SymbolId) -> Option<&Symbol> {
        self.pit.symbols.get(id.index())
    }

    /// A currency.
    pub fn currency(&self, id: CurrencyId) -> Option<&Currency> {
        self.currencies.get(id.index())
    }

    /// Groups, accounts, sessions.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Balances.
    pub fn ledger(&self) -> &Ledger {
        &self.pit.ledger
    }

    /// Live orders.
    pub fn orders(&self) -> &Orders {
        &self.pit.orders
    }

    /// The order that entered last; meaningful only while its command's events are applied.
    pub fn taking(&self) -> Slot {
        self.pit.taking
    }

    /// A live order by its id.
    pub fn find_order(&self, id: OrderId) -> Option<Slot> {
        self.pit.orders.find(id)
    }

    /// A symbol's auctions, if it has any or has had (AUCT-001).
    pub fn auctions(&self, symbol: SymbolId) -> Option<&Auctions> {
        self.pit.auctions.get(&symbol)
    }

    /// Whether an auction has found its price and is not settled yet: nobody else should have a turn before it is (INV-AUC-5).
    pub fn is_settling(&self) -> bool {
        self.pit.settling > 0
    }

    /// When an auction needs [`crate::Body::Auction`] next, and whose; the earliest, and of equals the symbol that was listed
    /// first. One that is being settled comes before all.
    pub fn next_auction(&self) -> Option<(Time, SymbolId)> {
        let next = |(symbol, auctions): (&SymbolId, &Auctions)| Some((auctions.next()?, *symbol));
        self.pit.auctions.iter().filter_map(next).min()
    }

    /// What decisions about spot orders read.
    pub(crate) fn market(&self, time: Time) -> Market<'_> {
        Market { pit: &self.pit, fees: self.fees, next_id: self.next_id, time }
    }

    /// A number that two states share only if they went through the same balances in the same order and stand at
    /// the same command: carried by every batch, checked by every replay.
    pub fn fingerprint(&self) -> u64 {
        self.pit.ledger.fingerprint() ^ self.next_id.rotate_left(40) ^ self.stamp.time.0
    }

    /// Rebuilds what is derived, after the state was read from a snapshot.
    pub fn restore(&mut self) {
        self.fees = self.opening.map_or_else(FeeSchedule::default, |opening| opening.fees);
        self.pit.ledger.reindex();
        self.pit.orders.reindex();
    }

    /// Writes down what is derived and not stored, before the state is written to a snapshot.
    pub fn prepare_to_store(&mut self) {
        self.pit.orders.prepare_to_store();
    }

    /// The first law that does not hold: none, ever. Recomputes every sum from the single balances and orders.
    pub fn broken_law(&self) -> Option<Broken> {
        if let Some(law) = self.pit.ledger.broken_law() {
            return Some(Broken::Ledger(law));
        }
        for symbol in 0..self.pit.symbols.len() {
            let symbol = SymbolId::from_index(symbol);
            let book = self.pit.orders.book(symbol);
            if let (Some(bid), Some(ask)) = (book.side(Side::Buy).best(), book.side(Side::Sell).best())
                && bid >= ask
            {
                return Some(Broken::Crossed(symbol));
            }
        }
        self.unequal_hold()
    }

    /// The first balance whose hold is not what its owner's live orders need (INV-LEDGER-5).
    fn unequal_hold(&self) -> Option<Broken> {
        for account in (0..self.pit.ledger.accounts()).map(AccountId) {
            for (currency, balance) in self.pit.ledger.balances_of(account) {
                let needed: Money = self
                    .pit
                    .orders
                    .in_any_order(account)
                    .filter_map(|(_, order)| {
                        let symbol = self.symbol(order.symbol)?;
                        let held_in = if order.side == Side::Buy { symbol.quote } else { symbol.base };
                        (held_in == currency).then(|| hold_of(&symbol.grid, order))
                    })
                    .sum();
                if needed != balance.held {
                    return Some(Broken::Hold(account, currency));
                }
            }
        }
        None
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
    Hold(AccountId, CurrencyId),
}
