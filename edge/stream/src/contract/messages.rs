//! The messages of each stream: as tables, or as frames that are declared with their writers.

use super::calls::{ANSWERS, CALLS, TAKE_STREAMS, streams};
use super::shape::Kind::{
    Any, Decimal, Digits, Either, Flag, List, Number, Object, Of, Open, Text, Whole, Words,
};
use super::shape::{Field, Kind, may, must};
use crate::contracts::ContractStatus;
use crate::frame::Kinds;
use crate::market_v2::{FundingUpdates, MarkUpdates};
use crate::open_orders::OrderEventsHeartbeat;
use crate::open_v1::{MarketHeartbeat, NoValidTradingPairs};
use crate::open_v2::{Heartbeat, Refused};
use buttonwood_call::{Report, StreamKind};
use buttonwood_wire::contract::{Node, Shape as _};

/// A message of a table.
#[derive(Debug)]
pub(super) struct Message {
    /// Its name, one on all streams.
    pub(super) name: &'static str,
    /// Its sense, in a sentence.
    pub(super) about: &'static str,
    /// Its values.
    pub(super) payload: Kind,
}

/// A message with its schema.
#[derive(Clone, Debug)]
pub(super) struct Described {
    /// Its name.
    pub(super) name: &'static str,
    /// Its sense.
    pub(super) about: &'static str,
    /// Its values.
    pub(super) payload: Node,
}

impl Described {
    fn of(message: &Message) -> Self {
        Self { name: message.name, about: message.about, payload: message.payload.schema() }
    }

    /// The same of a method of the newest socket, with the streams that its parameters may name.
    fn of_call(message: &Message, reports: &[&Report]) -> Self {
        let mut call = Self::of(message);
        if TAKE_STREAMS.contains(&message.name)
            && let Some(fields) = call.payload.get_mut("properties")
            && let Some(params) = fields.get_mut("params")
        {
            *params = params.clone().with("description", streams(reports));
        }
        call
    }

    fn of_report(report: &Report) -> Self {
        Self { name: report.frame, about: report.about, payload: report.schema() }
    }
}

/// The messages that the exchange sends over a stream.
pub(super) fn sent(kind: StreamKind, reports: &[&Report]) -> Vec<Described> {
    let described = |messages: &[Message]| messages.iter().map(Described::of).collect::<Vec<_>>();
    match kind {
        StreamKind::OrderEvents => described(ORDER_EVENTS),
        StreamKind::MarketDataV1 => described(MARKET_DATA_V1),
        StreamKind::MultiMarketDataV1 => described(MULTI_MARKET_DATA),
        StreamKind::MarketDataV2 => described(MARKET_DATA_V2),
        StreamKind::Fast => {
            let reports = reports.iter().map(|report| Described::of_report(report)).collect();
            [described(ANSWERS), described(FAST), reports, described(CONTRACTS)].concat()
        }
    }
}

/// The messages that it receives.
pub(super) fn received(kind: StreamKind, reports: &[&Report]) -> Vec<Described> {
    match kind {
        StreamKind::OrderEvents | StreamKind::MarketDataV1 | StreamKind::MultiMarketDataV1 => Vec::new(),
        StreamKind::MarketDataV2 => SUBSCRIPTIONS.iter().map(Described::of).collect(),
        StreamKind::Fast => CALLS.iter().map(|call| Described::of_call(call, reports)).collect(),
    }
}

/// The number of a frame of a socket of the first generation.
const SOCKET_SEQUENCE: Field = must("socket_sequence", Whole, "Frames of this socket before it.");
/// The number of a frame of the second generation.
const SEQUENCE: Field = may("sequence", Whole, "With sequence=true: frames of this socket before it.");

const ORDER_EVENTS: &[Message] = &[
    Message {
        name: "subscriptionAck",
        about: "The first frame.",
        payload: Object(&[
            must("type", Words(&["subscription_ack"]), ""),
            must("accountId", Whole, "The number of the account, or of the group for a key of a group."),
            must("subscriptionId", Text, ""),
            must("symbolFilter", List(&Text), ""),
            must("apiSessionFilter", List(&Text), ""),
            must("eventTypeFilter", List(&Text), ""),
            may("resumed", Flag, "With after: whether exactly the missed events follow."),
        ]),
    },
    Message {
        name: "orderEvents",
        about: "Events in the order in which they happened.",
        payload: List(&Object(ORDER_EVENT)),
    },
    Message {
        name: "orderEventsHeartbeat",
        about: "Every five seconds.",
        payload: Of(OrderEventsHeartbeat::node, &[SOCKET_SEQUENCE]),
    },
];

const ORDER_EVENT: &[Field] = &[
    must("type", Words(&Kinds::NAMES), ""),
    must("order_id", Digits, ""),
    may("event_id", Digits, "It rises strictly, also over restarts; an initial event has none."),
    may("account_name", Text, "For a reader of a group."),
    must("api_session", Text, "The key that placed the order, or UI."),
    may("client_order_id", Text, ""),
    must("symbol", Text, ""),
    must("side", Words(&["buy", "sell"]), ""),
    may("behavior", Text, "The execution option."),
    must("order_type", Text, ""),
    must("timestamp", Digits, "Seconds."),
    must("timestampms", Whole, ""),
    must("is_live", Flag, ""),
    must("is_cancelled", Flag, ""),
    must("is_hidden", Flag, ""),
    must("avg_execution_price", Decimal, ""),
    must("executed_amount", Decimal, ""),
    may("remaining_amount", Decimal, ""),
    may("original_amount", Decimal, ""),
    may("total_spend", Decimal, "Of a market order to buy that names one."),
    may("price", Decimal, ""),
    may("stop_price", Decimal, ""),
    may("reason", Text, "Of a cancelled, cancel_rejected or rejected event."),
    may(
        "cancel_command_id",
        Digits,
        "Of a cancel that a client or an operator asked for: those of one call share it.",
    ),
    may("fill", Object(FILL), "Of a fill."),
    SOCKET_SEQUENCE,
];

const FILL: &[Field] = &[
    must("trade_id", Digits, ""),
    must("liquidity", Words(&["Maker", "Taker", "Auction"]), ""),
    must("price", Decimal, ""),
    must("amount", Decimal, ""),
    must("fee", Decimal, ""),
    must("fee_currency", Text, ""),
];

const UPDATE: Message = Message {
    name: "marketUpdate",
    about: "All that one command did to a symbol; the first one is the book.",
    payload: Object(&[
        must("type", Words(&["update"]), ""),
        must("eventId", Whole, "It rises strictly, also over restarts."),
        may("timestamp", Whole, "Seconds; none in the first frame."),
        may("timestampms", Whole, ""),
        may("symbol", Text, "Of the first frame of each symbol, on a stream of several."),
        must("events", List(&Either(MARKET_EVENTS)), ""),
        SOCKET_SEQUENCE,
    ]),
};
const MARKET_HEARTBEAT: Message = Message {
    name: "marketHeartbeat",
    about: "Every five seconds with heartbeat=true.",
    payload: Of(MarketHeartbeat::node, &[SOCKET_SEQUENCE]),
};
const MARKET_DATA_V1: &[Message] = &[UPDATE, MARKET_HEARTBEAT];
const MULTI_MARKET_DATA: &[Message] = &[
    UPDATE,
    MARKET_HEARTBEAT,
    Message {
        name: "noValidTradingPairs",
        about: "The only frame of a socket that named no known symbol.",
        payload: Of(NoValidTradingPairs::node, &[]),
    },
];

/// The symbol of an event, where a stream has several.
const OF_SYMBOL: Field = may("symbol", Text, "On a stream of several symbols.");
const MARKET_EVENTS: &[Kind] = &[
    Object(&[
        must("type", Words(&["change"]), ""),
        must("side", Words(&["bid", "ask"]), ""),
        must("price", Decimal, ""),
        must("remaining", Decimal, "The level's quantity after the change."),
        may("delta", Decimal, "The change; none of a top of book."),
        must("reason", Words(&["initial", "place", "trade", "cancel", "top-of-book"]), ""),
        OF_SYMBOL,
    ]),
    Object(&[
        must("type", Words(&["trade"]), ""),
        must("tid", Whole, ""),
        must("price", Decimal, ""),
        must("amount", Decimal, ""),
        must("makerSide", Words(&["bid", "ask", "auction"]), ""),
        OF_SYMBOL,
    ]),
    Object(AUCTION_OPEN),
    Object(AUCTION_INDICATIVE),
    Object(AUCTION_RESULT),
];

const AUCTION_OPEN: &[Field] = &[
    must("type", Words(&["auction_open"]), ""),
    must("auction_open_ms", Whole, ""),
    must("auction_time_ms", Whole, ""),
    must("first_indicative_ms", Whole, ""),
    must("last_cancel_time_ms", Whole, ""),
    OF_SYMBOL,
    SEQUENCE,
];
const AUCTION_INDICATIVE: &[Field] = &[
    must("type", Words(&["auction_indicative"]), ""),
    must("eid", Whole, ""),
    must("result", Words(&["success", "failure"]), ""),
    must("time_ms", Whole, ""),
    must("highest_bid_price", Decimal, ""),
    must("lowest_ask_price", Decimal, ""),
    must("collar_price", Decimal, ""),
    must("indicative_price", Decimal, ""),
    must("indicative_quantity", Decimal, ""),
    OF_SYMBOL,
    SEQUENCE,
];
const AUCTION_RESULT: &[Field] = &[
    must("type", Words(&["auction_result"]), ""),
    must("eid", Whole, ""),
    must("result", Words(&["success", "failure"]), ""),
    must("time_ms", Whole, ""),
    must("highest_bid_price", Decimal, ""),
    must("lowest_ask_price", Decimal, ""),
    must("collar_price", Decimal, ""),
    must("auction_price", Decimal, ""),
    must("auction_quantity", Decimal, ""),
    OF_SYMBOL,
    SEQUENCE,
];

const L2_TRADE: &[Field] = &[
    must("type", Words(&["trade"]), ""),
    must("symbol", Text, ""),
    must("event_id", Whole, ""),
    must("timestamp", Whole, "Milliseconds."),
    must("price", Decimal, ""),
    must("quantity", Decimal, ""),
    must("side", Words(&["buy", "sell", "auction"]), "The side of the taker."),
    must("tid", Whole, ""),
    SEQUENCE,
];

const MARKET_DATA_V2: &[Message] = &[
    Message {
        name: "l2Updates",
        about: "Levels, each with its quantity after the change; zero removes one. The first frame is the book.",
        payload: Object(&[
            must("type", Words(&["l2_updates"]), ""),
            must("symbol", Text, ""),
            must("changes", List(&List(&Text)), "Side, price, quantity."),
            may("trades", List(&Object(L2_TRADE)), "In the first frame: the newest trades."),
            may("auction_events", List(&Any), "In the first frame, empty."),
            SEQUENCE,
        ]),
    },
    Message { name: "l2Trade", about: "A trade.", payload: Object(L2_TRADE) },
    Message {
        name: "l2Auction",
        about: "An event of an auction.",
        payload: Either(&[Object(AUCTION_OPEN), Object(AUCTION_INDICATIVE), Object(AUCTION_RESULT)]),
    },
    Message {
        name: "candleUpdates",
        about: "Candles, the newest first.",
        payload: Object(&[
            must("type", Text, "candles_1m_updates, with the name of the time frame as it was subscribed."),
            must("symbol", Text, ""),
            must("changes", List(&List(&Number)), "Start in milliseconds, open, high, low, close, volume."),
            SEQUENCE,
        ]),
    },
    Message {
        name: "markPriceUpdates",
        about: "The mark price of a perpetual contract.",
        payload: Of(MarkUpdates::node, &[SEQUENCE]),
    },
    Message {
        name: "fundingAmountUpdates",
        about: "The funding of an hour of a perpetual contract.",
        payload: Of(FundingUpdates::node, &[SEQUENCE]),
    },
    Message { name: "heartbeat", about: "Every five seconds.", payload: Of(Heartbeat::node, &[SEQUENCE]) },
    Message {
        name: "refusal",
        about: "A message, or a part of one, that could not be acted on; its other parts count.",
        payload: Of(Refused::node, &[SEQUENCE]),
    },
];

const SUBSCRIPTIONS: &[Message] = &[Message {
    name: "subscriptions",
    about: "Begins or ends subscriptions.",
    payload: Open(&[
        must("type", Words(&["subscribe", "unsubscribe"]), ""),
        must(
            "subscriptions",
            List(&Open(&[
                must("name", Text, "l2, candles_1m (and other time frames), mark_price, funding_amount."),
                must("symbols", List(&Text), ""),
            ])),
            "",
        ),
    ]),
}];

/// Price and quantity of levels.
pub(super) const LEVELS: Kind = List(&List(&Decimal));
const NANOS: &str = "Nanoseconds.";
const FAST: &[Message] = &[
    Message {
        name: "depthUpdate",
        about: "Changes of levels (SYMBOL@depth, SYMBOL@depth@100ms).",
        payload: Object(&[
            must("e", Words(&["depthUpdate"]), ""),
            must("E", Whole, NANOS),
            must("s", Text, ""),
            must("U", Whole, "The u of the frame before it, or of the first frame."),
            must("u", Whole, ""),
            must("b", LEVELS, "Bids."),
            must("a", LEVELS, "Asks."),
        ]),
    },
    Message {
        name: "depthLevels",
        about: "The best levels (SYMBOL@depth5, 10 or 20, with @100ms too).",
        payload: Object(&[
            must("lastUpdateId", Whole, ""),
            must("symbol", Text, ""),
            must("bids", LEVELS, ""),
            must("asks", LEVELS, ""),
        ]),
    },
    Message {
        name: "bookTicker",
        about: "The best level of each side (SYMBOL@bookTicker).",
        payload: Object(&[
            must("u", Whole, ""),
            must("E", Whole, NANOS),
            must("s", Text, ""),
            must("b", Decimal, "The best bid, 0 for none."),
            must("B", Decimal, ""),
            must("a", Decimal, "The best ask, 0 for none."),
            must("A", Decimal, ""),
            may("c", Decimal, "The price of the last trade."),
            may("C", Decimal, "Its quantity."),
        ]),
    },
    Message {
        name: "trade",
        about: "A trade (SYMBOL@trade).",
        payload: Object(&[
            must("E", Whole, NANOS),
            must("s", Text, ""),
            must("t", Whole, ""),
            must("p", Decimal, ""),
            must("q", Decimal, ""),
            must(
                "m",
                Flag,
                "Whether the buyer was the maker; false of a trade in an auction, where no side rested.",
            ),
        ]),
    },
    Message {
        name: "orderUpdate",
        about: "An order (orders@account, orders@session).",
        payload: Object(ORDER_UPDATE),
    },
];

const CONTRACTS: &[Message] = &[Message {
    name: "contractStatus",
    about: "A contract of the prediction markets has another status (contractStatus).",
    payload: Of(ContractStatus::node, &[]),
}];

const ORDER_UPDATE: &[Field] = &[
    must("e", Words(&["orderUpdate"]), ""),
    must("E", Whole, NANOS),
    must("s", Text, ""),
    must("i", Whole, "The order's id."),
    may("c", Text, "Its client id."),
    must("S", Words(&["BUY", "SELL"]), ""),
    must("o", Words(&["LIMIT", "STOP_LIMIT", "MARKET"]), ""),
    must("X", Words(&["NEW", "OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED"]), ""),
    may("O", Words(&["YES", "NO"]), "The outcome, of a contract."),
    may("p", Decimal, "The price."),
    may("P", Decimal, "The stop price."),
    may("q", Decimal, "The whole quantity."),
    may("z", Decimal, "What remains."),
    may("Z", Decimal, "Executed: by this fill, else in all."),
    may("L", Decimal, "The price of the fill."),
    may("t", Whole, "The trade, as in @trade."),
    may("n", Decimal, "The fee of the fill."),
    may("m", Flag, "Whether the order was the maker."),
    may("r", Text, "Why it is cancelled or rejected."),
    must("T", Whole, NANOS),
    must("u", Whole, "It rises strictly, also over restarts."),
];
