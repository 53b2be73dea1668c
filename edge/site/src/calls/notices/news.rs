//! A row of the news of an account.

use buttonwood_wire::answers::SideName;
use buttonwood_wire::contract::{DecimalText, Digits, Label};
use buttonwood_wire::{answer, words};

use crate::calls::forced::ForcedName;

words! {
    /// The kind of news: trades of an order, the end of an order, a stop-limit order that entered the book, a change of a balance, a position in
    /// a contract that ended, and one whose contract has a proposed outcome.
    pub(super) struct NewsKind: "fill", "ended", "stop", "money", "settled", "resolved"
}

answer! {
    /// Another account of the group.
    pub(super) struct Other {
        /// Its number, which `?account=` takes.
        pub(super) number: u64,
        /// Its short name.
        pub(super) name: Label,
    }
}

answer! {
    /// Something that happened to an account. Facts that a kind does not have are left out.
    pub(super) struct News {
        /// Tells it from all others of the account.
        pub(super) id: String,
        /// When, in milliseconds.
        pub(super) at: u64,
        /// Whether it came after the cursor.
        pub(super) is_new as "new": bool,
        /// Its kind.
        pub(super) kind: NewsKind,
        /// The account that it happened to; left out for the account of the call.
        pub(super) account: Option<Other>,
        /// The symbol that traded, or the contract that was paid.
        pub(super) symbol: Option<String>,
        /// The unit of the amount of an order.
        pub(super) base: Option<String>,
        /// The currency: of price and fee, or of an amount of money.
        pub(super) currency: Option<String>,
        /// The side of the order; of a contract whether it buys or sells its outcome.
        pub(super) side: Option<SideName>,
        /// The outcome of a contract.
        pub(super) outcome: Option<String>,
        /// The order.
        pub(super) order_id: Option<Digits>,
        /// Of a position in a contract: the title of its event.
        pub(super) question: Option<Label>,
        /// The contract's name, if it is not that of the event.
        pub(super) label: Option<Label>,
        /// How the contract ended: `yes`, `no` or `void`.
        pub(super) result: Option<String>,
        /// The sum that was paid for the position; 0 for a lost one.
        pub(super) paid: Option<DecimalText>,
        /// Its cost, without fees.
        pub(super) cost: Option<DecimalText>,
        /// When the contract settles unless its outcome is disputed, in milliseconds.
        pub(super) settles: Option<u64>,
        /// The quantity that traded, was cancelled or is held; of money what was added, negative if it was taken.
        pub(super) amount: Option<DecimalText>,
        /// The average price of what traded, or the limit.
        pub(super) price: Option<DecimalText>,
        /// The stop price of a stop-limit order.
        pub(super) stop: Option<DecimalText>,
        /// The fee of what traded.
        pub(super) fee: Option<DecimalText>,
        /// Trades that are taken together.
        pub(super) trades: Option<u64>,
        /// Whether the order is filled whole.
        pub(super) is_whole as "whole": Option<bool>,
        /// Why the order ended, or the cause of the change of a balance.
        pub(super) reason: Option<String>,
        /// Why the exchange itself placed the order.
        pub(super) forced: Option<ForcedName>,
        /// Of a forced trade: the position, or the balance, that is left by now.
        pub(super) left: Option<DecimalText>,
    }
}

impl News {
    /// News without any facts of its kind.
    pub(super) fn blank(id: String, at: u64, is_new: bool, kind: &'static str) -> Self {
        Self {
            id,
            at,
            is_new,
            kind: NewsKind(kind),
            account: None,
            symbol: None,
            base: None,
            currency: None,
            side: None,
            outcome: None,
            order_id: None,
            question: None,
            label: None,
            result: None,
            paid: None,
            cost: None,
            settles: None,
            amount: None,
            price: None,
            stop: None,
            fee: None,
            trades: None,
            is_whole: None,
            reason: None,
            forced: None,
            left: None,
        }
    }
}
