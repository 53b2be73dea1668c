//! Reference data: currencies and symbols.

use crate::{CurrencyId, Side};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_num::{Grid, Qty};
use core::hint::select_unpredictable;
use serde::{Deserialize, Serialize};

/// The code of the dollar: the quote currency of dollar books, the currency of loans, advances and volumes (VOL-003).
pub const DOLLAR: &str = "USD";
/// The code of the currency that perpetuals are priced and settled in.
pub const GUSD: &str = "GUSD";

/// Whether a state issues a currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CurrencyKind {
    /// State money; shown to 15 decimals (TYPE-021).
    Fiat,
    /// Every other currency; shown to 19 decimals.
    Crypto,
}

/// A currency (D-34).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Currency {
    /// Upper-case code, for example `BTC`.
    pub code: String,
    /// Display name.
    pub name: String,
    /// Most decimals of a displayed balance.
    pub decimals: u8,
    /// Fiat or crypto.
    pub kind: CurrencyKind,
    /// Lower-case names of the networks that it moves on.
    pub networks: Vec<String>,
}

/// The thing that a symbol trades.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Product {
    /// The base currency itself.
    Spot,
    /// A perpetual contract on it.
    Swap,
    /// A contract of the prediction markets, which pays a dollar if its outcome is yes. It has no base currency: both are the dollar.
    Contract,
}

impl Product {
    /// Number of products.
    pub const COUNT: usize = 3;

    /// Its index in a table of products.
    pub const fn index(self) -> usize {
        match self {
            Self::Spot => 0,
            Self::Swap => 1,
            Self::Contract => 2,
        }
    }
}

/// The orders that a symbol accepts (SYM-022 to SYM-027).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SymbolStatus {
    /// All orders.
    Open,
    /// None; its live orders are cancelled.
    Closed,
    /// None; live orders stay and may be cancelled.
    CancelOnly,
    /// Only orders that would not trade at once.
    PostOnly,
    /// No market orders.
    LimitOnly,
}

impl SymbolStatus {
    /// All statuses.
    pub const ALL: [Self; 5] = [Self::Open, Self::Closed, Self::CancelOnly, Self::PostOnly, Self::LimitOnly];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::CancelOnly => "cancel_only",
            Self::PostOnly => "post_only",
            Self::LimitOnly => "limit_only",
        }
    }
}

/// A symbol. Base and quote are explicit, never split from the name (D-33).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Lower-case name, for example `btcusd`.
    pub name: String,
    /// The currency that quantities count.
    pub base: CurrencyId,
    /// The currency that prices count and fees are charged in.
    pub quote: CurrencyId,
    /// Price step and lot.
    pub grid: Grid,
    /// Smallest quantity of an order.
    pub qty_min: Qty,
    /// Spot or perpetual.
    pub product: Product,
    /// The orders that it accepts now.
    pub status: SymbolStatus,
    /// Whether the wrap endpoint accepts it (SYM-019).
    pub wrap_enabled: bool,
    /// Jurisdictions whose accounts may not trade it (D-16), for example `US-NY`.
    pub closed_to: Vec<String>,
}

impl Symbol {
    /// The currency that an order of a side pays with and reserves.
    #[inline]
    pub fn paid_in(&self, side: Side) -> CurrencyId {
        select_unpredictable(side == Side::Buy, self.quote, self.base)
    }
}
