//! Identifiers. Dense ones index a table of the state; order and trade ids come from one counter, below 2^53.

use serde::{Deserialize, Serialize};

macro_rules! dense_id {
    ($(#[$doc:meta])* $name:ident, $int:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub $int);

        impl $name {
            /// The position in the table it names.
            #[expect(clippy::as_conversions, reason = "usize holds 32 bits on every supported target")]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of a table position.
            ///
            /// # Panics
            /// When a table outgrows its id, which admission prevents.
            pub fn from_index(index: usize) -> Self {
                Self(<$int>::try_from(index).expect("tables stay within their ids"))
            }
        }
    };
}

dense_id!(
    /// A currency.
    CurrencyId, u16
);
dense_id!(
    /// A symbol.
    SymbolId, u16
);
dense_id!(
    /// A group of accounts: what a master key belongs to.
    GroupId, u32
);
dense_id!(
    /// An account: what owns balances and orders.
    AccountId, u32
);
dense_id!(
    /// A session: one API key (SES-001).
    SessionId, u32
);
dense_id!(
    /// Where a live order lies in memory; reused after it closes, so never shown outside.
    Slot, u32
);

dense_id!(
    /// Where a reserved balance lies in the ledger; kept with the order that reserves it, so that using or freeing the
    /// reserve need not search.
    Held, u32
);

impl Held {
    /// Of an order that reserves nothing.
    pub const NONE: Self = Self(u32::MAX);
}

macro_rules! counter_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u64);
    };
}

counter_id!(
    /// An order; never reused (ORD-002).
    OrderId
);
counter_id!(
    /// A trade (`tid` on the wire, ORD-018).
    TradeId
);
counter_id!(
    /// The number of a command in the journal, from 1 without holes (INV-JRN-1).
    Seq
);
