//! The context of a decision.

use buttonwood_access::{Access, Account};
use buttonwood_book::Orders;
use buttonwood_index::Sources;
use buttonwood_leave::{Advances, Leave};
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, Currency, CurrencyId, CurrencyKind, Symbol, SymbolId, Time};
use buttonwood_risk::liquidation::Fund;
use buttonwood_trading::Floor;
use core::fmt::Debug;

/// The facts that several rooms have together. They are computed when a decision asks.
pub trait Rooms: buttonwood_leave::Rooms + Debug {
    /// The insurance fund over all products (D-178); none beyond the range of money.
    fn fund(&self) -> Option<Fund>;
}

/// All that a decision of a room reads: the room's own state `R`, the state of the rooms below, and the time of the command.
#[derive(Debug)]
pub struct Context<'a, R> {
    /// The state of the room that decides.
    pub room: &'a R,
    /// The trading floor.
    pub floor: &'a Floor,
    /// Every symbol.
    pub symbols: &'a [Symbol],
    /// Every live order.
    pub orders: &'a Orders,
    /// Every balance.
    pub ledger: &'a Ledger,
    /// Groups, accounts and keys.
    pub access: &'a Access,
    /// The sources of indices and references.
    pub sources: Sources<'a>,
    /// The open advances of each group.
    pub advances: &'a Advances,
    /// The facts that several rooms have together.
    pub rooms: &'a dyn Rooms,
    /// Whether an operator has halted the exchange.
    pub is_halted: bool,
    /// The seed from which ids and codes follow.
    pub seed: u64,
    /// The id that the next order or trade gets.
    pub next_id: u64,
    /// The time of the command.
    pub time: Time,
}

impl<R> Clone for Context<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Context<'_, R> {}

impl<'a, R> Context<'a, R> {
    /// A symbol.
    pub fn symbol(&self, id: SymbolId) -> Option<&'a Symbol> {
        self.symbols.get(id.index())
    }

    /// A currency.
    pub fn currency(&self, id: CurrencyId) -> Option<&'a Currency> {
        self.ledger.currencies().get(id.index())
    }

    /// Whether the currency is state money.
    pub fn is_fiat(&self, id: CurrencyId) -> bool {
        self.currency(id).is_some_and(|currency| currency.kind == CurrencyKind::Fiat)
    }

    /// A client's account: one that is in a group.
    pub fn account(&self, id: AccountId) -> Option<&'a Account> {
        self.access.account(id).filter(|account| account.group.is_some())
    }

    /// The amounts that may leave accounts.
    pub fn leave(&self) -> Leave<'a> {
        Leave { ledger: self.ledger, rooms: self.rooms }
    }

    /// The insurance fund over all products (D-178); none beyond the range of money.
    pub fn fund(&self) -> Option<Fund> {
        self.rooms.fund()
    }
}
