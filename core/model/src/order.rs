//! Sides, kinds, execution options and cancel reasons of orders.

use serde::{Deserialize, Serialize};

/// The side of the book that an order is on. The order's desk decides what each side pays and receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Side {
    /// The bids: a spot order pays quote and receives base.
    Buy,
    /// The asks: a spot order pays base and receives quote.
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

/// The outcome of a contract that an order is about. Both outcomes share one book, whose prices are those of yes: a
/// buy of no at 0.40 is an ask at 0.60. Orders of every other product are about [`Claim::Yes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Claim {
    /// The outcome that prices refer to.
    #[default]
    Yes,
    /// The other outcome.
    No,
}

impl Claim {
    /// Both outcomes.
    pub const ALL: [Self; 2] = [Self::Yes, Self::No];

    /// The other outcome.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
        }
    }

    /// 0 for yes, 1 for no: the index of a pair of outcomes.
    pub const fn index(self) -> usize {
        match self {
            Self::Yes => 0,
            Self::No => 1,
        }
    }

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
        }
    }
}

/// The desk that settles an order: one of at most 32, numbered by the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Desk(u8);

impl Desk {
    /// The desk with this number.
    ///
    /// # Panics
    /// If the number is 16 or more; at compile time if it is a constant.
    pub const fn new(number: u8) -> Self {
        assert!(number < 16, "a desk's number has four bits");
        Self(number)
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self.0
    }
}

/// Side of the book, outcome and desk of an order, in six bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OrderClass(u8);

impl OrderClass {
    const SELL: u8 = 1;
    const NO: u8 = 1 << 1;
    const DESK_SHIFT: u8 = 2;
    /// The bits that a class may have.
    pub const BITS: u8 = 0x3F;

    /// The class made of these three.
    #[inline]
    pub const fn new(side: Side, claim: Claim, desk: Desk) -> Self {
        let side = match side {
            Side::Buy => 0,
            Side::Sell => Self::SELL,
        };
        let claim = match claim {
            Claim::Yes => 0,
            Claim::No => Self::NO,
        };
        Self(side | claim | desk.0 << Self::DESK_SHIFT)
    }

    /// The class with these bits; `None` if there are bits outside [`OrderClass::BITS`].
    #[inline]
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits & !Self::BITS == 0 { Some(Self(bits)) } else { None }
    }

    /// The class in the lower six bits.
    #[inline]
    #[must_use]
    pub const fn of_low_bits(bits: u8) -> Self {
        Self(bits & Self::BITS)
    }

    /// Its bits.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The side of the book that the order is on.
    #[inline]
    pub const fn side(self) -> Side {
        if self.0 & Self::SELL == 0 { Side::Buy } else { Side::Sell }
    }

    /// The outcome that it is about.
    #[inline]
    pub const fn claim(self) -> Claim {
        if self.0 & Self::NO == 0 { Claim::Yes } else { Claim::No }
    }

    /// The desk that settles it.
    #[inline]
    pub const fn desk(self) -> Desk {
        Desk(self.0 >> Self::DESK_SHIFT & 0x1F)
    }
}

/// The kind of an order (facts T§3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum OrderKind {
    /// `exchange limit`.
    Limit,
    /// `exchange market` with a base amount.
    Market,
    /// `exchange market` buy with a quote amount to spend, fee included (ORD-044).
    MarketSpend,
    /// `exchange stop limit`: waits until the last trade reaches its stop price, then enters as a limit order (ORD-041).
    StopLimit,
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
    /// It would have met an order of its own account (D-23).
    SelfCrossPrevented,
    /// It would have traded beyond the price collar (D-32).
    ExceedsPriceLimits,
    /// Its owner cancelled it, or its session fell silent.
    Requested,
    /// Its symbol closed.
    MarketClosed,
    /// Its auction left a rest of it (AUCT-006), or its symbol has no more auctions.
    AuctionCancelled,
    /// It rested, and its account could not cover a fill.
    Uncovered,
    /// Its account is being liquidated (D-55).
    TradingClosed,
    /// Its group would give up more against the index than its open advances let it (D-181).
    InsufficientFunds,
}
