//! Identifiers. Dense ones index a table of the state; order and trade ids come from one counter, below 2^53.

use crate::Claim;
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
            /// If a table outgrows its id type, which admission prevents.
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
    /// A symbol. Ids are never reused, and there may be many thousands of contracts over time.
    SymbolId, u32
);
dense_id!(
    /// An event of the prediction markets, with one contract or several.
    EventId, u32
);
dense_id!(
    /// A group of accounts; master keys belong to it.
    GroupId, u32
);
dense_id!(
    /// An account; it owns balances and orders.
    AccountId, u32
);
dense_id!(
    /// A session: what sends commands. One API key (SES-001), one grant to an app, or one browser (D-135).
    SessionId, u32
);
dense_id!(
    /// A connection that cancels on disconnect; from 1.
    ConnectionId, u32
);
dense_id!(
    /// A row of the table of fee schedules: the rates that an order was placed under (TYPE-011).
    RatesId, u16
);
dense_id!(
    /// A live order's place in memory; reused after it closes, so never shown to clients.
    Slot, u32
);

dense_id!(
    /// The place of a reserved balance in the ledger. The order stores it, so that using or freeing the reserve needs
    /// no search.
    Held, u32
);

impl SymbolId {
    /// Contracts are numbered from here on, apart from the symbols that are listed.
    const FIRST_CONTRACT: u32 = 1 << 29;

    /// The contract with this number, which is below 2^29: a listing refuses more contracts long before.
    pub const fn contract(number: u32) -> Self {
        Self(Self::FIRST_CONTRACT | number)
    }

    /// Whether it is a contract of the prediction markets.
    #[inline]
    pub const fn is_contract(self) -> bool {
        self.0 >= Self::FIRST_CONTRACT
    }

    /// The contract's place among the contracts; beyond every table for a listed symbol.
    #[inline]
    pub const fn contract_index(self) -> usize {
        Self(self.0.wrapping_sub(Self::FIRST_CONTRACT)).index()
    }
}

impl AccountId {
    /// Escrows are numbered from here on, apart from the accounts of clients and of the house.
    const FIRST_ESCROW: u32 = 1 << 31;

    /// The escrow of a contract: it holds a dollar for each pair of claims that it issued.
    pub const fn escrow(contract: SymbolId) -> Self {
        Self(Self::FIRST_ESCROW | contract.0)
    }

    /// The contract whose escrow it is; none of any other account.
    #[inline]
    pub const fn as_escrow(self) -> Option<SymbolId> {
        if self.is_escrow() { Some(SymbolId(self.0 & !Self::FIRST_ESCROW)) } else { None }
    }

    /// Whether it is the escrow of a contract.
    #[inline]
    pub const fn is_escrow(self) -> bool {
        self.0 >= Self::FIRST_ESCROW
    }
}

impl SessionId {
    /// The session of an order that the exchange itself placed.
    pub const EXCHANGE: Self = Self(u32::MAX);
    /// Sessions of grants and browsers are numbered from here on, apart from those of keys.
    const FIRST_HELD: u32 = 1 << 31;

    /// The session of a grant or a browser with this number, which is below 2^31 - 1.
    pub const fn held(number: u32) -> Self {
        Self(Self::FIRST_HELD | number)
    }

    /// Whether it is the session of a grant or of a browser, which has neither a key nor nonces.
    #[inline]
    pub const fn is_held(self) -> bool {
        self.0 >= Self::FIRST_HELD && self.0 != u32::MAX
    }
}

impl Held {
    /// For an order that reserves nothing.
    pub const NONE: Self = Self(u32::MAX);
}

/// The unit of a balance: a currency, or a claim on an outcome of a contract. Claims are in no list of currencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AssetId(u32);

impl AssetId {
    const CLAIM: u32 = 1 << 31;

    /// A claim on an outcome of the contract that a symbol trades.
    ///
    /// # Panics
    /// If there are 2^30 symbols, which admission prevents.
    pub const fn claim(contract: SymbolId, claim: Claim) -> Self {
        assert!(contract.0 < 1 << 30, "fewer than 2^30 symbols");
        let outcome = match claim {
            Claim::Yes => 0,
            Claim::No => 1,
        };
        Self(Self::CLAIM | contract.0 << 1 | outcome)
    }

    /// The contract and the outcome, if it is a claim.
    pub const fn as_claim(self) -> Option<(SymbolId, Claim)> {
        if self.0 & Self::CLAIM == 0 {
            return None;
        }
        let claim = if self.0 & 1 == 0 { Claim::Yes } else { Claim::No };
        Some((SymbolId((self.0 & !Self::CLAIM) >> 1), claim))
    }

    /// The currency, if it is one.
    #[inline]
    #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a currency has 16 bits")]
    pub const fn currency(self) -> Option<CurrencyId> {
        if self.0 & Self::CLAIM == 0 { Some(CurrencyId(self.0 as u16)) } else { None }
    }

    /// Its number, unique among assets.
    pub const fn number(self) -> u32 {
        self.0
    }
}

impl From<CurrencyId> for AssetId {
    #[inline]
    fn from(currency: CurrencyId) -> Self {
        Self(u32::from(currency.0))
    }
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
