//! A row of the list of transfers, and what may change in it.

use crate::withdrawal::Mishap;
use crate::{Eid, Uuid};
use alloc::boxed::Box;
use alloc::string::String;
use buttonwood_model::{AccountId, CurrencyId, RowHash, Time, TradeId};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// The type of a transfer, on the wire (XFER-002).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Money that comes to the account.
    Deposit,
    /// Money that leaves the account.
    Withdrawal,
    /// A reward of the house.
    Reward,
    /// Money that an operator took from the account.
    AdminDebit,
    /// Money that an operator gave to the account.
    AdminCredit,
    /// The monthly fee of a custody account; only the listing of these fees and `/v1/transactions` show it (XFER-012).
    CustodyFee,
}

impl Kind {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deposit => "Deposit",
            Self::Withdrawal => "Withdrawal",
            Self::Reward => "Reward",
            Self::AdminDebit => "AdminDebit",
            Self::AdminCredit => "AdminCredit",
            Self::CustodyFee => "CustodyFeeDebit",
        }
    }
}

/// How far a transfer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// Not done yet.
    Pending,
    /// The money can trade and cannot leave yet.
    Advanced,
    /// An advance that a later row has completed. It is listed as it was, with the name of an advance.
    Cleared,
    /// Done.
    Complete,
    /// It did not happen: the chain or the bank refused it for good.
    Failed,
    /// It was called off before it happened.
    Voided,
    /// It was sent back after it had been credited or paid.
    Returned,
}

impl Status {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Advanced | Self::Cleared => "Advanced",
            Self::Complete => "Complete",
            Self::Failed => "Failed",
            Self::Voided => "Voided",
            Self::Returned => "Returned",
        }
    }

    /// Whether it will change again.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Advanced)
    }

    /// Whether `/v1/transfers` and `/v2/transfers` list it (D-69); `/v1/transactions` lists every row.
    pub const fn is_listed(self) -> bool {
        matches!(self, Self::Pending | Self::Advanced | Self::Cleared | Self::Complete)
    }
}

/// How money moves outside the chains, on the wire (XFER-004).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// The network of automated clearing houses.
    Ach,
    /// A wire of a bank.
    Wire,
    /// The exchange network of a bank.
    Sen,
    /// A credit card.
    CreditCard,
    /// Between accounts of the exchange.
    Internal,
}

impl Method {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ach => "ACH",
            Self::Wire => "Wire",
            Self::Sen => "SEN",
            Self::CreditCard => "CreditCard",
            Self::Internal => "Internal",
        }
    }
}

/// The way that the money takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Way {
    /// A bank, and its number in this room where it is known.
    Bank(Method, Option<u32>),
    /// Another account of the group.
    Internal {
        /// The account at the other end.
        other: AccountId,
        /// The row at the other end.
        other_row: Eid,
        /// The hash of the transaction of a move to or from custody; empty until it is confirmed, and for all others.
        tx: String,
    },
    /// The house: an operator, who may name the purpose, or the custody fee; empty without a purpose.
    Operator(String),
    /// A chain.
    Chain(Box<OnChain>),
}

impl Way {
    /// Its place on a chain, if it has one.
    pub(crate) fn chain_mut(&mut self) -> Option<&mut OnChain> {
        match self {
            Self::Chain(chain) => Some(chain),
            Self::Bank(..) | Self::Internal { .. } | Self::Operator(_) => None,
        }
    }
}

/// A transfer's place on a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnChain {
    /// The lower-case name of the network.
    pub network: String,
    /// The address that is paid, as shown.
    pub address: String,
    /// The memo; empty without one.
    pub memo: String,
    /// The hash of the transaction; empty until it is known.
    pub tx: String,
    /// The number of the output, where the chain has outputs.
    pub output: Option<u32>,
    /// How many confirmations it has; counted only until it is complete.
    pub confirmations: u32,
    /// The address in canonical spelling, by which addresses compare (D-71).
    pub canonical: String,
    /// The currency that the account gives, where the house wraps it into the row's currency first (XFER-021).
    pub wraps: Option<CurrencyId>,
    /// An unusual event of a withdrawal.
    pub mishap: Option<Mishap>,
}

/// The reference by which the client finds the transfer again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reference {
    /// Nothing.
    None,
    /// A `withdrawalId`, a UUID.
    Withdrawal(Uuid),
    /// A `withdrawalId`, a short code.
    Code(String),
    /// A `uuid`: that of an internal transfer at once.
    Uuid(Uuid),
}

/// A row that is to be added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewTransfer {
    /// Whose it is.
    pub account: AccountId,
    /// Its type.
    pub kind: Kind,
    /// How far it has come.
    pub status: Status,
    /// The currency.
    pub currency: CurrencyId,
    /// How much, without the fee.
    pub amount: Money,
    /// The fee, in the same currency.
    pub fee: Money,
    /// The amount of the account's balance in this currency that the row holds.
    pub held: Money,
    /// The way that the money takes.
    pub way: Way,
    /// The reference that the client was given.
    pub reference: Reference,
    /// The row of the advance that this row completes.
    pub advance: Option<Eid>,
    /// The client's id; empty without one.
    pub client_id: String,
}

impl NewTransfer {
    /// The currency of what the row holds: its own, but for a withdrawal that the house wraps.
    pub fn held_currency(&self) -> CurrencyId {
        match &self.way {
            Way::Chain(chain) => chain.wraps.unwrap_or(self.currency),
            Way::Bank(..) | Way::Internal { .. } | Way::Operator(_) => self.currency,
        }
    }

    /// Its place on a chain, if it has one.
    pub fn chain(&self) -> Option<&OnChain> {
        match &self.way {
            Way::Chain(chain) => Some(chain),
            Way::Bank(..) | Way::Internal { .. } | Way::Operator(_) => None,
        }
    }
}

/// A row of the list of transfers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// Its number; the wire's `eid`.
    pub eid: Eid,
    /// When it was first seen. It stays when the status changes (D-68).
    pub time: Time,
    /// Its place among the trades: those with a smaller id came before it, all others after it.
    pub before_trade: TradeId,
    /// The rest.
    pub row: NewTransfer,
}

/// The change of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The row.
    pub eid: Eid,
    /// Its new status.
    pub status: Status,
    /// The amount that it holds from now on.
    pub held: Money,
}

/// A row, as fingerprints have it. The codes below are part of the journal's format.
const ROW: RowHash = RowHash::of("transfer");

impl Transfer {
    /// Its hash.
    pub(crate) fn hash(&self) -> RowHash {
        let row = &self.row;
        let hash = ROW.word(self.eid.0).word(self.time.0).word(self.before_trade.0);
        let hash = hash.word(row.account.0.into()).word(row.kind.code()).word(row.status.code());
        let hash = hash.word(row.currency.0.into()).money(row.amount).money(row.fee).money(row.held);
        let hash = row.reference.hash(row.way.hash(hash)).option(row.advance.map(|eid| eid.0));
        hash.text(&row.client_id)
    }
}

impl Kind {
    const fn code(self) -> u64 {
        match self {
            Self::Deposit => 0,
            Self::Withdrawal => 1,
            Self::Reward => 2,
            Self::AdminDebit => 3,
            Self::AdminCredit => 4,
            Self::CustodyFee => 5,
        }
    }
}

impl Status {
    const fn code(self) -> u64 {
        match self {
            Self::Pending => 0,
            Self::Advanced => 1,
            Self::Cleared => 2,
            Self::Complete => 3,
            Self::Failed => 4,
            Self::Voided => 5,
            Self::Returned => 6,
        }
    }
}

impl Method {
    const fn code(self) -> u64 {
        match self {
            Self::Ach => 0,
            Self::Wire => 1,
            Self::Sen => 2,
            Self::CreditCard => 3,
            Self::Internal => 4,
        }
    }
}

impl Way {
    fn hash(&self, row: RowHash) -> RowHash {
        match self {
            Self::Bank(method, bank) => row.word(0).word(method.code()).option(bank.map(u64::from)),
            Self::Internal { other, other_row, tx } => {
                row.word(1).word(other.0.into()).word(other_row.0).text(tx)
            }
            Self::Operator(purpose) => row.word(2).text(purpose),
            Self::Chain(chain) => chain.hash(row.word(3)),
        }
    }
}

impl OnChain {
    fn hash(&self, row: RowHash) -> RowHash {
        let mishap = match self.mishap {
            None => 0,
            Some(Mishap::Removed) => 1,
            Some(Mishap::Lost) => 2,
            Some(Mishap::Rebuilt) => 3,
            Some(Mishap::CalledOff) => 4,
        };
        let texts = [&self.network, &self.address, &self.memo, &self.tx, &self.canonical];
        let row = texts.into_iter().fold(row, |row, text| row.text(text));
        let row = row.option(self.output.map(u64::from)).word(self.confirmations.into());
        row.option(self.wraps.map(|currency| currency.0.into())).word(mishap)
    }
}

impl Reference {
    fn hash(&self, row: RowHash) -> RowHash {
        match self {
            Self::None => row.word(0),
            Self::Withdrawal(uuid) => row.word(1).bytes(&uuid.0),
            Self::Code(code) => row.word(2).text(code),
            Self::Uuid(uuid) => row.word(3).bytes(&uuid.0),
        }
    }
}
