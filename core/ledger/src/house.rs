//! The house's own accounts: the first ones of every ledger.

use buttonwood_model::AccountId;

/// An account of the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum House {
    /// Where money enters from and leaves to; its balance is the negative of what is out.
    Source,
    /// Where fees go.
    Fees,
    /// Where residues of roundings go, so that no dust is without an owner; so far there are none, since a rounded fee is
    /// paid as it is.
    Rounding,
}

impl House {
    /// Every house account, in the order they are opened.
    pub const ALL: [Self; 3] = [Self::Source, Self::Fees, Self::Rounding];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Fees => "fees",
            Self::Rounding => "rounding",
        }
    }

    /// Its account.
    pub const fn account(self) -> AccountId {
        match self {
            Self::Source => AccountId(0),
            Self::Fees => AccountId(1),
            Self::Rounding => AccountId(2),
        }
    }
}
