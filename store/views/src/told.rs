//! The changes that the commands of a batch made, for the streams: small values in the order in which they happened.
//!
//! The live fold notes them while something listens. A batch's values leave the exchange together, once the batch is durable.

use crate::auctions::AuctionResult;
use crate::history::PublicTrade;
use crate::order_event::AccountEvent;
use buttonwood_engine::Schedule;
use buttonwood_engine::perp::funding::HourAmount;
use buttonwood_model::{AccountId, Claim, Side, Stamp, SymbolId};
use buttonwood_num::{Money, Price, Qty};

/// Why a visible quantity left its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    /// It traded.
    Traded,
    /// Its order was cancelled.
    Cancelled,
}

/// Why a level changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// An order came to rest.
    Placed,
    /// An order that rests traded.
    Traded,
    /// An order that rests was cancelled.
    Cancelled,
}

/// A change of the visible quantity at a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The symbol.
    pub symbol: SymbolId,
    /// The side of the book.
    pub side: Side,
    /// The price.
    pub price: Price,
    /// The quantity there after the change; zero removes the level.
    pub now: Qty,
    /// The size of the change: what was added where an order was placed, else what was removed.
    pub by: Qty,
    /// Why it changed.
    pub why: Moved,
}

/// The news of an auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuctionTold {
    /// It takes orders now.
    Open(Schedule),
    /// Its result, or an indicative one.
    Result(AuctionResult),
}

/// One thing that a command did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a batch holds its happenings inline, without an allocation for each order event"
)]
pub enum Happening {
    /// A level changed.
    Level(Level),
    /// A public trade; its levels change behind it.
    Trade(PublicTrade),
    /// The mark price of a perpetual contract was taken, and is another.
    Mark(SymbolId, Money),
    /// An hour of its funding was cut.
    Funding(SymbolId, HourAmount),
    /// An auction takes orders now, or has a result.
    Auction(SymbolId, AuctionTold),
    /// The status of contracts may have changed.
    Contracts,
    /// Something happened to an order, or a rule refused one.
    Order(AccountEvent),
    /// Balances or positions of an account may have changed, besides by what happened to its orders.
    Account(AccountId),
    /// A position of an account was paid, since its contract has an outcome or is void.
    Paid(PositionPaid),
}

/// A position that ended with its contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionPaid {
    /// The account.
    pub account: AccountId,
    /// The contract.
    pub contract: SymbolId,
    /// The outcome that was held.
    pub claim: Claim,
    /// The dollars that were paid for it; zero of a lost one.
    pub payout: Money,
}

impl Happening {
    /// The symbol whose market it is about; none of what is an account's own.
    pub fn market(&self) -> Option<SymbolId> {
        match self {
            Self::Level(level) => Some(level.symbol),
            Self::Trade(trade) => Some(trade.symbol),
            Self::Mark(symbol, _) | Self::Funding(symbol, _) | Self::Auction(symbol, _) => Some(*symbol),
            Self::Order(_) | Self::Account(_) | Self::Paid(_) | Self::Contracts => None,
        }
    }

    /// The change of a level, if it is one.
    pub fn level(&self) -> Option<&Level> {
        if let Self::Level(level) = self { Some(level) } else { None }
    }

    /// The trade, if it is one.
    pub fn trade(&self) -> Option<&PublicTrade> {
        if let Self::Trade(trade) = self { Some(trade) } else { None }
    }

    /// The news of an auction, if it is that.
    pub fn auction(&self) -> Option<&AuctionTold> {
        if let Self::Auction(_, told) = self { Some(told) } else { None }
    }

    /// The account whose own it is; none of what is of a market.
    pub fn account(&self) -> Option<AccountId> {
        match self {
            Self::Order(event) => Some(event.account()),
            Self::Account(account) => Some(*account),
            Self::Paid(paid) => Some(paid.account),
            Self::Level(_)
            | Self::Trade(_)
            | Self::Mark(..)
            | Self::Funding(..)
            | Self::Auction(..)
            | Self::Contracts => None,
        }
    }
}

/// The happenings of the commands of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The last command up to which this is all that happened.
    through: u64,
    /// The stamps of commands that did something, each with the end of what it did.
    commands: Vec<(Stamp, usize)>,
    happenings: Vec<Happening>,
}

impl Told {
    /// The commands that did something, in their order, with what they did.
    pub fn commands(&self) -> impl Iterator<Item = (Stamp, &[Happening])> {
        let begins = std::iter::once(0).chain(self.commands.iter().map(|(_, end)| *end));
        self.commands
            .iter()
            .zip(begins)
            .map(|((stamp, end), begin)| (*stamp, self.happenings.get(begin..*end).unwrap_or_default()))
    }

    /// The number of the last command of the batch, also one that did nothing a stream shows.
    pub fn through(&self) -> u64 {
        self.through
    }

    /// Bytes of memory that it takes, about.
    pub fn size(&self) -> usize {
        size_of_val(self.commands.as_slice()) + size_of_val(self.happenings.as_slice())
    }
}

/// The collector of a batch.
#[derive(Debug, Default)]
pub(crate) struct Telling {
    is_on: bool,
    stamp: Stamp,
    told: Told,
}

impl Telling {
    pub(crate) fn switch(&mut self, is_on: bool) {
        if self.is_on != is_on {
            self.is_on = is_on;
            self.told = Told::default();
        }
    }

    /// The command at hand.
    pub(crate) fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Begins a command.
    pub(crate) fn begin(&mut self, stamp: Stamp) {
        self.stamp = stamp;
    }

    /// Notes what the command did, if something listens.
    #[inline]
    pub(crate) fn note(&mut self, happening: impl FnOnce() -> Happening) {
        if self.is_on {
            self.push(happening());
        }
    }

    /// The same of several.
    pub(crate) fn each<I: Iterator<Item = Happening>>(&mut self, happenings: impl FnOnce() -> I) {
        if self.is_on {
            happenings().for_each(|happening| self.push(happening));
        }
    }

    #[expect(clippy::large_types_passed_by_value, reason = "it moves into the list")]
    fn push(&mut self, happening: Happening) {
        let is_new = self.told.commands.last().is_none_or(|(stamp, _)| *stamp != self.stamp);
        if !is_new
            && matches!(happening, Happening::Account(_))
            && self.told.happenings.last() == Some(&happening)
        {
            return;
        }
        self.told.happenings.push(happening);
        let end = self.told.happenings.len();
        match self.told.commands.last_mut() {
            Some((stamp, last)) if *stamp == self.stamp => *last = end,
            _ => self.told.commands.push((self.stamp, end)),
        }
    }

    pub(crate) fn take(&mut self) -> Option<Told> {
        if !self.is_on {
            return None;
        }
        let told = std::mem::take(&mut self.told);
        Some(Told { through: self.stamp.seq.0, ..told })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Batches hold happenings inline, so that none allocates; the largest is an event of an order.
    #[test]
    fn happenings_are_small() {
        assert!(size_of::<Happening>() <= 368, "{}", size_of::<Happening>());
    }
}
