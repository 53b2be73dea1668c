//! What a client is told, as far as it is compared.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::decimal::Dec;
use crate::operation::{Policy, Side};

/// Average prices are compared to so many decimals.
pub(crate) const AVERAGE_DECIMALS: u32 = 8;
/// Served balances are cut after so many decimals at the least (TYPE-021), and compared so.
pub(crate) const BALANCE_DECIMALS: u32 = 15;

/// An order as its owner is shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The exchange's name for it.
    pub id: u64,
    /// The client's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Lower case.
    pub symbol: String,
    /// Buy or sell.
    pub side: Side,
    /// `exchange limit`, `market buy` or `market sell`.
    pub kind: String,
    /// Execution option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// Limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Dec>,
    /// Mean price of its fills, to eight decimals.
    pub average: Dec,
    /// Filled.
    pub executed: Dec,
    /// Left; not shown of an order for an amount of money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remaining: Option<Dec>,
    /// As placed; not shown of an order for an amount of money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Dec>,
    /// May still trade.
    pub is_live: bool,
    /// Why it was cancelled, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its trades, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trades: Option<Vec<Trade>>,
}

/// A trade as one of its two parties is shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trade {
    /// The exchange's name for it.
    pub tid: u64,
    /// The party's own order.
    pub order: u64,
    /// The client's name for that order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Price.
    pub price: Dec,
    /// Quantity.
    pub amount: Dec,
    /// Side of the own order.
    pub side: Side,
    /// Whether the own order was the taker.
    pub aggressor: bool,
    /// What the party paid.
    pub fee: Dec,
}

/// Amount and available of a currency.
pub type Balance = [Dec; 2];

/// Price and summed amount of a level.
pub type Level = (Dec, Dec);

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// One order.
    Order(Box<Order>),
    /// Live orders, newest first.
    Orders(Vec<Order>),
    /// Ids of the orders that a session or an account lost; sorted, since no order is promised.
    Cancelled(Vec<u64>),
    /// By currency code.
    Balances(BTreeMap<String, Balance>),
    /// Trades, newest first.
    Trades(Vec<Trade>),
    /// Bids and asks, best first.
    Book(Vec<Level>, Vec<Level>),
    /// A refusal: status code and reason.
    Refused(u16, String),
}

impl Reply {
    /// An order that fits in a `Reply`.
    pub fn order(order: Order) -> Self {
        Self::Order(Box::new(order))
    }

    /// A refusal by its reason.
    pub fn refused(status: u16, reason: &str) -> Self {
        Self::Refused(status, reason.to_owned())
    }
}

impl fmt::Display for Reply {
    /// As the file of a history holds it: one line of JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}
