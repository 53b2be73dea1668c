//! A row of the list of transfers.

use buttonwood_engine::{Transfer, TransferKind, TransferMethod, TransferStatus, TransferWay};
use buttonwood_model::{AccountId, CurrencyId, Time};
use buttonwood_num::Money;

/// The way that the money takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// From or to the house.
    House,
    /// From or to a bank.
    Bank(TransferMethod),
    /// Between two accounts of a group: the other one.
    Internal {
        other: AccountId,
        /// Whether it has left the balance already, as what leaves custody has.
        has_left: bool,
        /// The transaction that moved it to or from custody.
        tx: String,
    },
    /// On a chain.
    Chain {
        network: String,
        /// The address that is paid.
        canonical: String,
        memo: String,
        /// Empty until it is known.
        tx: String,
        confirmations: u32,
    },
}

/// A transfer, as one of its accounts sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) account: AccountId,
    pub(super) time: Time,
    /// The id that the next order or trade had when it was added.
    pub(super) before: u64,
    pub(super) kind: TransferKind,
    pub(super) status: TransferStatus,
    pub(super) currency: CurrencyId,
    /// The currency that the account gives or gets.
    pub(super) given: CurrencyId,
    pub(super) amount: i128,
    pub(super) fee: i128,
    pub(super) path: Path,
    /// The advance that it completes, by its number.
    pub(super) advance: Option<u64>,
    /// Empty without one.
    pub(super) client_id: String,
}

impl Row {
    /// A row without a fee that is not done yet.
    pub(super) fn new(
        account: AccountId,
        kind: TransferKind,
        currency: CurrencyId,
        amount: i128,
        path: Path,
    ) -> Self {
        Self {
            account,
            time: Time(0),
            before: 0,
            kind,
            status: TransferStatus::Pending,
            currency,
            given: currency,
            amount,
            fee: 0,
            path,
            advance: None,
            client_id: String::new(),
        }
    }

    /// Money that leaves and has not left yet is held, with its fee.
    pub(super) fn held(&self) -> i128 {
        let leaves = self.kind == TransferKind::Withdrawal && self.status == TransferStatus::Pending;
        let has_left = matches!(self.path, Path::Internal { has_left: true, .. });
        if leaves && !has_left { self.amount + self.fee } else { 0 }
    }

    /// Whether it will change again.
    pub(crate) fn is_on_its_way(&self) -> bool {
        matches!(self.status, TransferStatus::Pending | TransferStatus::Advanced)
    }

    /// Whether a bank may still take it back.
    pub(super) fn is_bank_advance(&self) -> bool {
        self.status == TransferStatus::Advanced && matches!(self.path, Path::Bank(_))
    }

    /// Whether it is a credit of a bank that waits.
    pub(super) fn is_queued(&self) -> bool {
        self.status == TransferStatus::Pending && self.path == Path::Bank(TransferMethod::Ach)
    }

    /// The advanced amount: it trades, and may not leave yet.
    pub(super) fn advanced(&self) -> i128 {
        if self.status == TransferStatus::Advanced { self.amount } else { 0 }
    }

    /// Whether the core has the same row.
    pub(crate) fn is(&self, other: &Transfer) -> bool {
        let row = &other.row;
        let own = (self.account, self.time, self.before, self.kind, self.status, self.currency, self.given);
        let others = (
            row.account,
            other.time,
            other.before_trade.0,
            row.kind,
            row.status,
            row.currency,
            row.held_currency(),
        );
        let amounts = [row.amount, row.fee, row.held].map(Money::units);
        own == others
            && [self.amount, self.fee, self.held()] == amounts
            && self.advance == row.advance.map(|eid| eid.0)
            && self.client_id == row.client_id
            && self.path.is(&row.way)
    }
}

impl Path {
    /// Whether it is the same address on the same network, with the same memo, or with any memo if the other names none.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Chain { network, canonical, memo, .. },
                Self::Chain { network: of, canonical: to, memo: with, .. },
            ) => (network, canonical) == (of, to) && (with.is_empty() || memo == with),
            _ => false,
        }
    }

    /// The same with this memo.
    pub(super) fn with_memo(self, memo: String) -> Self {
        match self {
            Self::Chain { network, canonical, tx, confirmations, .. } => {
                Self::Chain { network, canonical, memo, tx, confirmations }
            }
            other => other,
        }
    }

    fn is(&self, way: &TransferWay) -> bool {
        match (self, way) {
            (Self::House, TransferWay::Operator(_)) => true,
            (Self::Bank(method), TransferWay::Bank(by, _)) => method == by,
            (Self::Internal { other, tx, .. }, TransferWay::Internal { other: to, tx: seen, .. }) => {
                other == to && tx == seen
            }
            (Self::Chain { network, canonical, memo, tx, confirmations }, TransferWay::Chain(chain)) => {
                (network, canonical, memo, tx) == (&chain.network, &chain.canonical, &chain.memo, &chain.tx)
                    && *confirmations == chain.confirmations
            }
            _ => false,
        }
    }
}
