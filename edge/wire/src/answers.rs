//! The answers that several endpoints share, and frequent ones that are written by hand. Their types describe
//! them in the contract.

use crate::contract::{Components, DecimalText, Digits, IsoTime, Label, Node, Shape};
use crate::json::Json;
use crate::prediction::OutcomeName;
use crate::{answer, words};
use buttonwood_gate::Reason;

words! {
    /// The side of an order.
    pub struct SideName: "buy", "sell"
}

words! {
    /// The type of an order.
    pub struct TypeName: "exchange limit", "auction-only exchange limit", "stop-limit", "market buy", "market sell"
}

words! {
    /// An execution option.
    pub struct OptionName: "maker-or-cancel", "immediate-or-cancel", "fill-or-kill", "auction-only"
}

words! {
    /// Why an order was cancelled.
    pub struct CancelReasonName: "MakerOrCancelWouldTake", "ImmediateOrCancelWouldPost", "FillOrKillWouldNotFill",
        "SelfCrossPrevented", "ExceedsPriceLimits", "Requested", "MarketClosed", "AuctionCancelled", "Uncovered",
        "TradingClosed", "InsufficientFunds"
}

words! {
    /// How a trade is broken.
    pub struct BreakName: "manual", "full"
}

words! {
    /// The side of an own trade.
    pub struct TradeSideName: "Buy", "Sell"
}

words! {
    /// The origin of a public trade: the side of the taker, or an auction.
    pub struct PublicTradeType: "buy", "sell", "auction"
}

answer! {
    /// An order as its owner sees it.
    pub struct Order {
        /// The exchange's id of the order.
        pub order_id: Digits,
        /// The same id again.
        pub id: Digits,
        /// The id that the client gave the order.
        pub client_order_id: Option<String>,
        /// The symbol, in lower case.
        pub symbol: String,
        /// The name of the exchange.
        pub exchange: String,
        /// The limit price; absent in a market order.
        pub price: Option<DecimalText>,
        /// The average price of the fills so far, 0 without any.
        pub avg_execution_price: DecimalText,
        /// The side.
        pub side: SideName,
        /// The type.
        pub r#type as "type": TypeName,
        /// The execution option, if the order has one.
        pub options: Vec<OptionName>,
        /// When the order was placed, in seconds.
        pub timestamp: Digits,
        /// When the order was placed, in milliseconds.
        pub timestampms: u64,
        /// Whether the order rests in the book, or waits for an auction or its stop price.
        pub is_live: bool,
        /// Whether the order was cancelled before it was filled.
        pub is_cancelled: bool,
        /// Why the order was cancelled.
        pub reason: Option<CancelReasonName>,
        /// Always false: no account trades on margin yet.
        pub was_forced: bool,
        /// Always false: no order is hidden.
        pub is_hidden: bool,
        /// The quantity filled so far.
        pub executed_amount: DecimalText,
        /// The quantity not filled; absent in a market order by `total_spend`.
        pub remaining_amount: Option<DecimalText>,
        /// The quantity ordered; absent in a market order by `total_spend`.
        pub original_amount: Option<DecimalText>,
        /// The stop price of a stop-limit order.
        pub stop_price: Option<DecimalText>,
        /// The fills, if the request asks for them.
        pub trades: Option<Vec<Fill>>,
    }
}

answer! {
    /// A trade of an order, in the order's own answer.
    pub struct Fill {
        /// The price.
        pub price: DecimalText,
        /// The quantity.
        pub amount: DecimalText,
        /// When it was made, in seconds.
        pub timestamp: u64,
        /// When it was made, in milliseconds.
        pub timestampms: u64,
        /// The side of the account.
        pub r#type as "type": TradeSideName,
        /// Whether the account's order was the taker.
        pub aggressor: bool,
        /// The currency of the fee.
        pub fee_currency: String,
        /// The fee.
        pub fee_amount: DecimalText,
        /// The id of the trade.
        pub tid: u64,
        /// The id of the account's order.
        pub order_id: Digits,
        /// The id that the client gave the order.
        pub client_order_id: Option<String>,
        /// The name of the exchange.
        pub exchange: String,
        /// Whether an auction made the trade.
        pub is_auction_fill: bool,
        /// How the trade was broken, if it was: `manual` trades still count, `full` ones are void.
        pub broken as "break": Option<BreakName>,
    }
}

answer! {
    /// A trade of the account.
    pub struct OwnTrade {
        /// The price.
        pub price: DecimalText,
        /// The quantity.
        pub amount: DecimalText,
        /// When it was made, in seconds.
        pub timestamp: u64,
        /// When it was made, in milliseconds.
        pub timestampms: u64,
        /// The side of the account.
        pub r#type as "type": TradeSideName,
        /// Whether the account's order was the taker.
        pub aggressor: bool,
        /// The currency of the fee.
        pub fee_currency: String,
        /// The fee.
        pub fee_amount: DecimalText,
        /// The id of the trade.
        pub tid: u64,
        /// The id of the account's order.
        pub order_id: Digits,
        /// The id that the client gave the order.
        pub client_order_id: Option<String>,
        /// The name of the exchange.
        pub exchange: String,
        /// Whether an auction made the trade.
        pub is_auction_fill: bool,
        /// The outcome that the order was about, where the symbol is a contract of the prediction markets. The price and the side are those
        /// of this outcome.
        pub outcome: Option<OutcomeName>,
        /// How the trade was broken, if it was: `manual` trades still count, `full` ones are void.
        pub broken as "break": Option<BreakName>,
        /// Whether a clearing order made the trade.
        pub is_clearing_fill: bool,
        /// The symbol, in upper case.
        pub symbol: String,
    }
}

answer! {
    /// A trade as everyone sees it.
    pub struct PublicTrade {
        /// When it was made, in seconds.
        pub timestamp: u64,
        /// When it was made, in milliseconds.
        pub timestampms: u64,
        /// The id of the trade.
        pub tid: u64,
        /// The price.
        pub price: DecimalText,
        /// The quantity.
        pub amount: DecimalText,
        /// The name of the exchange.
        pub exchange: String,
        /// The side of the taker, or `auction`.
        pub r#type as "type": PublicTradeType,
        /// Whether the trade was broken; there only with `include_breaks`.
        pub broken: Option<bool>,
    }
}

answer! {
    /// A price level of a book.
    pub struct BookLevel {
        /// The price.
        pub price: DecimalText,
        /// The quantity of all orders at the price.
        pub amount: DecimalText,
        /// The second of the answer.
        pub timestamp: Digits,
    }
}

answer! {
    /// The visible levels of a book.
    pub struct Book {
        /// Levels of buy orders, the highest price first.
        pub bids: Vec<BookLevel>,
        /// Levels of sell orders, the lowest price first.
        pub asks: Vec<BookLevel>,
    }
}

words! {
    /// The result of every refusal.
    pub struct ErrorWord: "error"
}

/// The `reason` of a refusal.
#[derive(Clone, Copy, Debug)]
pub struct ReasonName(pub Reason);

impl Shape for ReasonName {
    fn node(_components: &mut Components) -> Node {
        let names: Node = Reason::ALL.iter().map(|reason| reason.name()).collect();
        Node::of_type("string").with("enum", names)
    }

    fn write(&self, json: &mut Json) {
        json.plain_item(self.0.name());
    }
}

answer! {
    /// A refusal.
    pub struct Error {
        /// Always `error`.
        pub result: ErrorWord,
        /// The reason of the refusal, for programs.
        pub reason: ReasonName,
        /// The reason of the refusal, for people: it names the field and the value.
        pub message: String,
    }
}

answer! {
    /// A refusal of prediction markets themselves.
    pub struct CodedError {
        /// The code of the refusal, for programs.
        pub error: String,
        /// The reason of the refusal, for people: it names the field and the value.
        pub message: String,
    }
}

answer! {
    /// A refusal of prediction markets since the key lacks a role: that of every endpoint, with the reason in `error` too.
    pub struct RoleError {
        /// Always `error`.
        pub result: ErrorWord,
        /// The reason of the refusal, for programs.
        pub reason: ReasonName,
        /// The same reason.
        pub error: ReasonName,
        /// The reason of the refusal, for people.
        pub message: String,
    }
}

answer! {
    /// A person who uses an account.
    pub struct AccountUser {
        /// The person's name.
        pub name: Label,
        /// When the person last signed in; absent before the first time.
        pub last_sign_in as "lastSignIn": Option<IsoTime>,
        /// Whether the person may use the account, for example `Active`.
        pub status: String,
        /// The country where the person lives: two letters; absent where it is not known.
        pub country_code as "countryCode": Option<String>,
        /// Whether the person's identity was verified.
        pub is_verified as "isVerified": bool,
    }
}
