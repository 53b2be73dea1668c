//! Topics: what a socket can listen to. All readers of a topic get the same frames.

use buttonwood_model::{AccountId, GroupId, SessionId, SymbolId};
use std::fmt;
use std::time::Duration;

/// The options of a reader of `/v1/marketdata`, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct V1Options(u8);

impl V1Options {
    /// Only the best level of each side.
    pub(crate) const TOP_OF_BOOK: Self = Self(1);
    /// Changes of bids.
    pub(crate) const BIDS: Self = Self(2);
    /// Changes of offers.
    pub(crate) const OFFERS: Self = Self(4);
    /// Trades.
    pub(crate) const TRADES: Self = Self(8);
    /// Events of auctions.
    pub(crate) const AUCTIONS: Self = Self(16);
    /// Each event names its symbol.
    pub(crate) const NAMED: Self = Self(32);
    /// Bids, offers, trades and auctions.
    pub(crate) const ALL: Self = Self(2 | 4 | 8 | 16);

    /// Whether all of `other` are set.
    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The same with `other` set or not.
    #[must_use]
    pub(crate) const fn set(self, other: Self, is_set: bool) -> Self {
        if is_set { Self(self.0 | other.0) } else { Self(self.0 & !other.0) }
    }
}

impl fmt::Debug for V1Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#08b}", self.0)
    }
}

/// A stream that a socket can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Topic {
    /// A symbol's market.
    Market(SymbolId, MarketFeed),
    /// An account.
    Account(AccountId, AccountFeed),
    /// Events of the orders of all accounts of a group, of the first generation.
    Group(GroupId),
    /// The status of contracts of the prediction markets.
    ContractStatus,
}

/// A stream about a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum MarketFeed {
    /// Changes, trades and auctions of the first generation.
    V1(V1Options),
    /// Levels and trades of the second.
    L2,
    /// Candles, under the name at this place of the spellings.
    Candles(u8),
    /// The mark price of a perpetual contract.
    Mark,
    /// Its funding.
    Funding,
    /// The best level of each side.
    Ticker,
    /// So many levels of each side.
    Levels(u8, Pace),
    /// Changes of levels.
    Depth(Pace),
    /// Trades.
    Trades,
}

/// A stream about an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum AccountFeed {
    /// Events of its orders, of the first generation.
    Events,
    /// Updates of its orders, or of those of one of its sessions.
    Orders(Option<SessionId>),
    /// The report with this number in the table.
    Report(u8, Pace),
}

/// How often a topic's frames come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Pace {
    /// With each change.
    AtOnce,
    /// At most once in so many milliseconds of real time (D-152).
    Millis(u16),
}

impl Pace {
    /// The time between two frames.
    pub(crate) fn interval(self) -> Option<Duration> {
        match self {
            Self::AtOnce => None,
            Self::Millis(millis) => Some(Duration::from_millis(millis.into())),
        }
    }
}

impl MarketFeed {
    /// How often its frames come.
    pub(crate) fn pace(self) -> Pace {
        match self {
            Self::Levels(_, pace) | Self::Depth(pace) => pace,
            Self::V1(_)
            | Self::L2
            | Self::Candles(_)
            | Self::Mark
            | Self::Funding
            | Self::Ticker
            | Self::Trades => Pace::AtOnce,
        }
    }

    /// Whether its first frames are the same for all who ask as of one command.
    pub(crate) fn is_of_book(self) -> bool {
        match self {
            Self::V1(_) | Self::L2 | Self::Ticker | Self::Levels(..) | Self::Depth(_) => true,
            Self::Candles(_) | Self::Mark | Self::Funding | Self::Trades => false,
        }
    }
}
