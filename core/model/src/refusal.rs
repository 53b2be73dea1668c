//! The reasons for which a rule refuses an order.

use serde::{Deserialize, Serialize};

/// One row a reason: its meaning, its variant, its word.
macro_rules! reasons {
    ($($(#[$doc:meta])+ $name:ident = $word:literal,)+) => {
        /// Why a rule refuses an order that could be read (D-147). It is stored as its number: new reasons stand at the end, and none is
        /// removed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum RefusalReason {
            $($(#[$doc])+ $name,)+
        }

        impl RefusalReason {
            /// Every reason, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The word on the wire: the `reason` of a refused REST call, or its `error` for an order of a contract.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }

            /// The reason with this word; none for a word that refuses no order.
            pub fn of_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|reason| reason.name() == name)
            }
        }
    };
}

reasons! {
    /// The symbol is closed to the account.
    InvalidSymbol = "InvalidSymbol",
    /// The order's type does not have the execution option, or the symbol has no auctions.
    UnsupportedOption = "UnsupportedOption",
    /// The next auction takes no orders yet.
    AuctionNotOpen = "AuctionNotOpen",
    /// The price is missing, or off the symbol's price step.
    InvalidPrice = "InvalidPrice",
    /// Not the side that fits the order.
    InvalidSide = "InvalidSide",
    /// The quantity or the spend is zero, too small, or off the symbol's lot, or the order would trade with too many orders at once.
    InvalidQuantity = "InvalidQuantity",
    /// The symbol's market is closed.
    MarketClosed = "MarketClosed",
    /// The symbol does not take this order now.
    MarketNotOpen = "MarketNotOpen",
    /// The stop price is missing, or off the symbol's price step.
    InvalidStopPrice = "InvalidStopPrice",
    /// The stop price of a buy is on the wrong side of its limit.
    InvalidStopPriceBuy = "InvalidStopPriceBuy",
    /// The stop price of a sell is on the wrong side of its limit.
    InvalidStopPriceSell = "InvalidStopPriceSell",
    /// The stop price is too far from the limit.
    InvalidStopPriceRatio = "InvalidStopPriceRatio",
    /// The account's funds do not cover the order, or it owes the house.
    InsufficientFunds = "InsufficientFunds",
    /// The account has the most live orders that it may have.
    AccountLimitExceeded = "AccountLimitExceeded",
    /// The account is of a kind that does not trade this.
    AccountNotOfTypeRequired = "AccountNotOfTypeRequired",
    /// A field that no other reason names does not fit the order.
    InvalidParameterValue = "InvalidParameterValue",
    /// The account is closed.
    AccountClosed = "AccountClosed",
    /// The session has a live order with this client id.
    DuplicateOrder = "DuplicateOrder",
    /// Options that exclude each other.
    ConflictingOptions = "ConflictingOptions",
    /// The order's type does not exist.
    InvalidOrderType = "InvalidOrderType",
    /// An order of a contract has a field that does not fit, or the contract takes no orders now.
    InvalidInput = "InvalidInput",
    /// The account's group has not accepted the terms of contracts.
    TermsNotAccepted = "TERMS_NOT_ACCEPTED",
    /// The contract is closed to buys from the account's jurisdiction.
    SellOnly = "ACCOUNT_RESTRICTED_SELL_ONLY",
    /// There is no such contract for the account.
    NotFound = "NOT_FOUND",
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    /// The numbers are part of the journal's format.
    #[test]
    fn a_reason_keeps_its_number_and_its_word() {
        for (number, reason) in (0..).zip(RefusalReason::ALL) {
            assert_eq!(postcard::to_allocvec(reason), Ok(alloc::vec![number]), "{reason:?}");
            assert_eq!(RefusalReason::of_name(reason.name()), Some(*reason));
        }
        let at = |number: usize| RefusalReason::ALL.get(number).map(|reason| reason.name());
        assert_eq!(
            (at(0), at(12), at(17)),
            (Some("InvalidSymbol"), Some("InsufficientFunds"), Some("DuplicateOrder"))
        );
        assert_eq!((at(23), at(24)), (Some("NOT_FOUND"), None));
        assert_eq!(RefusalReason::of_name("MissingRole"), None);
        let words: BTreeSet<_> = RefusalReason::ALL.iter().map(|reason| reason.name()).collect();
        assert_eq!(words.len(), RefusalReason::ALL.len());
    }
}
