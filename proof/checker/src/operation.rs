//! What the clients did and what they saw of it, in the words of the wire, and the file a history is kept in.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::decimal::Dec;
use crate::reply::Reply;

/// Buy or sell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// For the base currency.
    Buy,
    /// Of the base currency.
    Sell,
}

impl Side {
    /// The side it trades with.
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
    /// Rests whole or not at all.
    MakerOrCancel,
    /// Never rests.
    ImmediateOrCancel,
    /// Fills whole at once or not at all.
    FillOrKill,
}

impl Policy {
    /// As the wire names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::MakerOrCancel => "maker-or-cancel",
            Self::ImmediateOrCancel => "immediate-or-cancel",
            Self::FillOrKill => "fill-or-kill",
        }
    }
}

/// What an order asks for.
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
    /// Lower case.
    pub symbol: String,
    /// Buy or sell.
    pub side: Side,
    /// The rest of it.
    pub terms: Terms,
    /// The client's own name for it.
    pub client_id: Option<String>,
}

/// Which order is meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// By the exchange's name.
    Id(u64),
    /// By the client's own.
    ClientId(String),
}

/// One request. Only well-formed ones on open symbols are followed here; other tests are about the rest.
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
}

impl Request {
    /// Whether it can change anything.
    pub fn writes(&self) -> bool {
        match self {
            Self::Place(_) | Self::Cancel(_) | Self::CancelSession | Self::CancelAll => true,
            Self::Status(..) | Self::Orders | Self::Balances | Self::Trades | Self::Book(_) => false,
        }
    }
}

/// One call of one client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The key it was signed with; none for a public call.
    pub key: Option<String>,
    /// Its nonce, where it was signed.
    pub nonce: u64,
    /// When it was sent: not before this instant, on a clock that all clients share.
    pub invoked: u64,
    /// What was asked.
    pub request: Request,
    /// When the answer was there, and the answer. None: nobody knows whether it happened.
    pub answer: Option<(u64, Reply)>,
}

/// A symbol, as its details say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// What is traded.
    pub base: String,
    /// What it is paid in.
    pub quote: String,
    /// The step of quantities.
    pub lot: Dec,
}

/// What is known before the first operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct World {
    /// What trades, by lower-case name. Prices and lots must be such that no fee needs more than 19 decimals.
    pub symbols: BTreeMap<String, Symbol>,
    /// Basis points of a maker and of a taker.
    pub fees: [u32; 2],
    /// What every account has, nothing of it on hold.
    pub accounts: BTreeMap<String, BTreeMap<String, Dec>>,
    /// Which account a key is of.
    pub keys: BTreeMap<String, String>,
}

/// Everything that happened, as far as clients can know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Where it began.
    pub world: World,
    /// The calls, in any order.
    pub operations: Vec<Operation>,
    /// When the exchange was dead after each crash: what was sent before and not answered happens until then or never.
    pub deaths: Vec<u64>,
}

impl History {
    /// Writes it as lines of JSON: the world, the deaths, and a line for each operation.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut file = io::BufWriter::new(fs::File::create(path)?);
        let mut line = |value: serde_json::Result<String>| -> io::Result<()> {
            file.write_all(value?.as_bytes())?;
            file.write_all(b"\n")
        };
        line(serde_json::to_string(&self.world))?;
        line(serde_json::to_string(&self.deaths))?;
        for operation in &self.operations {
            line(serde_json::to_string(operation))?;
        }
        file.flush()
    }

    /// Reads what [`History::save`] has written.
    pub fn load(path: &Path) -> io::Result<Self> {
        let text = fs::read_to_string(path)?;
        let mut lines = text.lines();
        let mut next = || lines.next().unwrap_or_default();
        let (world, deaths) = (serde_json::from_str(next())?, serde_json::from_str(next())?);
        let operations = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
        Ok(Self { world, operations, deaths })
    }
}
