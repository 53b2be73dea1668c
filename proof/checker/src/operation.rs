//! The calls of clients and their replies, in the terms of the wire, and the file format of a history.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::decimal::Dec;
use crate::reply::Reply;
use crate::tokens::TokenUse;

/// Buy or sell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Buys the base currency.
    Buy,
    /// Sells the base currency.
    Sell,
}

impl Side {
    /// The side it trades against.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Buy => Self::Sell,
            Self::Sell => Self::Buy,
        }
    }
}

/// An execution option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Rests in full or not at all.
    MakerOrCancel,
    /// Never rests.
    ImmediateOrCancel,
    /// Fills in full at once, or not at all.
    FillOrKill,
}

impl Policy {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::MakerOrCancel => "maker-or-cancel",
            Self::ImmediateOrCancel => "immediate-or-cancel",
            Self::FillOrKill => "fill-or-kill",
        }
    }
}

/// The terms of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Terms {
    /// `exchange limit`.
    Limit {
        /// Quantity.
        amount: Dec,
        /// Limit.
        price: Dec,
        /// Execution option.
        policy: Option<Policy>,
    },
    /// `exchange market` for a quantity.
    Market {
        /// Quantity.
        amount: Dec,
    },
    /// `exchange market` for an amount of money, fee included.
    Spend {
        /// The `total_spend`.
        money: Dec,
    },
}

/// An order to place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its symbol, in lower case.
    pub symbol: String,
    /// Buy or sell.
    pub side: Side,
    /// The rest of it.
    pub terms: Terms,
    /// The client order id.
    pub client_id: Option<String>,
}

/// A reference to an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// The order id.
    Id(u64),
    /// The client order id.
    ClientId(String),
}

/// An operator's change of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyChange {
    /// `key disable`.
    Disable {
        /// Whether its live orders are cancelled too.
        cancel_orders: bool,
    },
    /// `key enable`.
    Enable,
    /// `key end`.
    End {
        /// Whether its live orders are cancelled too.
        cancel_orders: bool,
    },
    /// `key roles` with Trader alone.
    Trader,
    /// `key roles` with Auditor alone, which may read everything and change nothing.
    Auditor,
}

impl KeyChange {
    /// Whether the key's live orders are cancelled too.
    pub fn cancels(self) -> bool {
        matches!(self, Self::Disable { cancel_orders: true } | Self::End { cancel_orders: true })
    }

    /// Whether the key is let in afterwards; `None` if that stays as it was.
    pub(crate) fn enables(self) -> Option<bool> {
        match self {
            Self::Enable => Some(true),
            Self::Disable { .. } | Self::End { .. } => Some(false),
            Self::Trader | Self::Auditor => None,
        }
    }

    /// Whether the key may change anything afterwards, as far as its roles go; `None` if that stays as it was.
    pub(crate) fn trades(self) -> Option<bool> {
        match self {
            Self::Trader => Some(true),
            Self::Auditor => Some(false),
            Self::Disable { .. } | Self::Enable | Self::End { .. } => None,
        }
    }
}

/// One request. Only well-formed requests on open symbols are covered; other tests cover the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// `/v1/order/new`.
    Place(Place),
    /// `/v1/order/cancel`.
    Cancel(Which),
    /// `/v1/order/cancel/session`.
    CancelSession,
    /// `/v1/order/cancel/all`.
    CancelAll,
    /// `/v1/order/status`, with the order's trades or without.
    Status(Which, bool),
    /// `/v1/orders`.
    Orders,
    /// `/v1/balances`.
    Balances,
    /// `/v1/mytrades`, the newest fifty.
    Trades,
    /// `/v1/book/{symbol}`, all levels.
    Book(String),
    /// An operator's change of the key with this name. One operator makes all of them, one after the other.
    Key(String, KeyChange),
}

impl Request {
    /// Whether the request can change anything.
    pub fn writes(&self) -> bool {
        match self {
            Self::Place(_) | Self::Cancel(_) | Self::CancelSession | Self::CancelAll | Self::Key(..) => true,
            Self::Status(..) | Self::Orders | Self::Balances | Self::Trades | Self::Book(_) => false,
        }
    }
}

/// One call of one client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The key that signed it; `None` for a public call.
    pub key: Option<String>,
    /// Its nonce, if signed.
    pub nonce: u64,
    /// The time just before it was sent, on a clock that all clients share.
    pub invoked: u64,
    /// The request.
    pub request: Request,
    /// The time of the reply, and the reply. `None` if it is unknown whether the call happened.
    pub answer: Option<(u64, Reply)>,
}

/// A symbol and its details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// The base currency.
    pub base: String,
    /// The quote currency.
    pub quote: String,
    /// The step of quantities.
    pub lot: Dec,
}

/// The state before the first operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct World {
    /// The symbols by lower-case name. Prices and lots must be such that no fee needs more than 19 decimals.
    pub symbols: BTreeMap<String, Symbol>,
    /// Basis points of a maker and of a taker.
    pub fees: [u32; 2],
    /// The balances of all accounts, none of it on hold.
    pub accounts: BTreeMap<String, BTreeMap<String, Dec>>,
    /// The account of each key.
    pub keys: BTreeMap<String, String>,
}

/// Everything that happened, as far as clients know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The initial state.
    pub world: World,
    /// The calls, in any order.
    pub operations: Vec<Operation>,
    /// The requests of apps about tokens, in any order.
    pub tokens: Vec<TokenUse>,
    /// When the exchange was dead after each crash. A call sent before and not answered takes effect before then or
    /// never.
    pub deaths: Vec<u64>,
}

impl History {
    /// Writes it as lines of JSON: the world, the deaths, the requests about tokens, and a line for each operation.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut file = io::BufWriter::new(fs::File::create(path)?);
        let mut line = |value: serde_json::Result<String>| -> io::Result<()> {
            file.write_all(value?.as_bytes())?;
            file.write_all(b"\n")
        };
        line(serde_json::to_string(&self.world))?;
        line(serde_json::to_string(&self.deaths))?;
        line(serde_json::to_string(&self.tokens))?;
        for operation in &self.operations {
            line(serde_json::to_string(operation))?;
        }
        file.flush()
    }

    /// Reads a file that [`History::save`] wrote.
    pub fn load(path: &Path) -> io::Result<Self> {
        let text = fs::read_to_string(path)?;
        let mut lines = text.lines();
        let mut next = || lines.next().unwrap_or_default();
        let (world, deaths) = (serde_json::from_str(next())?, serde_json::from_str(next())?);
        let tokens = serde_json::from_str(next())?;
        let operations = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
        Ok(Self { world, operations, tokens, deaths })
    }
}
