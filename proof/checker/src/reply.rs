//! Replies to clients, as far as they are compared.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::decimal::Dec;
use crate::operation::{Policy, Side};

/// Average prices are compared to this many decimals.
pub(crate) const AVERAGE_DECIMALS: u32 = 8;
/// Balances on the wire are truncated to at least this many decimals (TYPE-021), and compared so.
pub(crate) const BALANCE_DECIMALS: u32 = 15;

/// An order as shown to its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The order id.
    pub id: u64,
    /// The client order id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Its symbol, in lower case.
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
    /// Average price of its fills, to eight decimals.
    pub average: Dec,
    /// Filled quantity.
    pub executed: Dec,
    /// Open quantity; not shown for an order that spends an amount of money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remaining: Option<Dec>,
    /// Original quantity; not shown for an order that spends an amount of money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Dec>,
    /// Whether it may still trade.
    pub is_live: bool,
    /// Why it was cancelled, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its trades, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trades: Option<Vec<Trade>>,
}

/// A trade as shown to one of its parties.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trade {
    /// The trade id.
    pub tid: u64,
    /// The party's own order.
    pub order: u64,
    /// The client id of that order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Price.
    pub price: Dec,
    /// Quantity.
    pub amount: Dec,
    /// Side of the party's order.
    pub side: Side,
    /// Whether the party's order was the taker.
    pub aggressor: bool,
    /// The party's fee.
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
    /// Ids of a session's or an account's cancelled orders; sorted, since the wire promises no order.
    Cancelled(Vec<u64>),
    /// Balances by currency code.
    Balances(BTreeMap<String, Balance>),
    /// Trades, newest first.
    Trades(Vec<Trade>),
    /// Bids and asks, best first.
    Book(Vec<Level>, Vec<Level>),
    /// A key was changed.
    Changed,
    /// A refusal: status code and reason.
    Refused(u16, String),
}

impl Reply {
    /// An order as a reply.
    pub fn order(order: Order) -> Self {
        Self::Order(Box::new(order))
    }

    /// A refusal with this reason.
    pub fn refused(status: u16, reason: &str) -> Self {
        Self::Refused(status, reason.to_owned())
    }
}

impl fmt::Display for Reply {
    /// One line of JSON, as in the file of a history.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}
