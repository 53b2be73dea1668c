//! Sides, kinds, options and the reasons an order is cancelled for.

use serde::{Deserialize, Serialize};

/// Which way an order trades.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Side {
    /// Pays quote, receives base.
    Buy,
    /// Pays base, receives quote.
    Sell,
}

impl Side {
    /// The side it trades against.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Buy => Self::Sell,
            Self::Sell => Self::Buy,
        }
    }

    /// 0 for buy, 1 for sell: the index of a pair of sides.
    pub const fn index(self) -> usize {
        match self {
            Self::Buy => 0,
            Self::Sell => 1,
        }
    }
}

/// What kind of order it is (facts T§3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum OrderKind {
    /// `exchange limit`.
    Limit,
    /// `exchange market` with a base amount.
    Market,
    /// `exchange market` buy with a quote amount to spend, fee included (ORD-044).
    MarketSpend,
}

/// The one execution option an order may carry (ORD-030).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ExecutionOption {
    /// `maker-or-cancel` (ORD-031).
    MakerOrCancel,
    /// `immediate-or-cancel` (ORD-032).
    ImmediateOrCancel,
    /// `fill-or-kill` (ORD-033).
    FillOrKill,
    /// `auction-only` (AUCT-001).
    AuctionOnly,
}

/// Why an order was cancelled (ORD-052).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CancelReason {
    /// Maker-or-cancel that would have traded.
    MakerOrCancelWouldTake,
    /// The rest of an immediate-or-cancel or market order.
    ImmediateOrCancelWouldPost,
    /// Fill-or-kill that could not fill at once.
    FillOrKillWouldNotFill,
    /// Would have met an order of its own account (D-23).
    SelfCrossPrevented,
    /// Would have traded beyond the price collar (D-32).
    ExceedsPriceLimits,
    /// Cancelled by its owner, or because its session fell silent.
    Requested,
    /// Its symbol closed.
    MarketClosed,
    /// What its auction left of it (AUCT-006), or its symbol has no auctions any more.
    AuctionCancelled,
}
