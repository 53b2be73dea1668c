//! The calls of the newest socket, as tables: a message for each method, for the answer of each, and for each code of a refusal.

use super::messages::{LEVELS, Message};
use super::shape::Kind::{
    Decimal, Digits, Either, Flag, List, Null, Number, Object, Open, Text, Whole, Words,
};
use super::shape::{Field, Kind, may, must};
use buttonwood_call::Report;

const ID: Field = may("id", Either(&[Text, Number, Null]), "A text or an integer, which the answer echoes.");
const ECHO: Field =
    must("id", Either(&[Text, Number, Null]), "As it was sent; null if it could not be read.");
const DONE: Field = must("status", Whole, "200.");
const RESUMED: Field = may(
    "resumed",
    Flag,
    "With ordersAfter, of the first subscription to orders: whether exactly the missed updates follow.",
);

/// A call, with its parameters.
macro_rules! call {
    ($name:literal, $about:literal $(, $params:expr)?) => {
        Message {
            name: $name,
            about: $about,
            payload: Open(&[ID, must("method", Words(&[$name]), "In any letter case.") $(, $params)?]),
        }
    };
}

/// The answer of a call that was done.
macro_rules! answer {
    ($name:literal, $about:literal $(, $field:expr)*) => {
        Message { name: $name, about: $about, payload: Object(&[ECHO, DONE $(, $field)*]) }
    };
}

/// The answer of a call that was refused, for one code.
macro_rules! refusal {
    ($name:literal, $about:literal, $status:literal, $code:literal) => {
        Message {
            name: $name,
            about: $about,
            payload: Object(&[
                ECHO,
                must("status", Whole, $status),
                must("error", Object(&[must("code", Number, $code), must("msg", Text, "")]), ""),
            ]),
        }
    };
}

/// Names of streams; [`streams`] describes them.
const STREAMS: Field = must("params", List(&Text), "");

/// The methods that take names of streams.
pub(super) const TAKE_STREAMS: [&str; 2] = ["subscribe", "unsubscribe"];

/// The streams of the newest socket.
pub(super) fn streams(reports: &[&Report]) -> String {
    let mut text = "Names of streams, at most 1,024: SYMBOL@bookTicker, @depth5, @depth10, @depth20, @depth, @trade; orders@account, \
                    orders@session, "
        .to_owned();
    for report in reports {
        text.extend([report.name, ", "]);
    }
    text + "contractStatus."
}

/// The calls.
pub(super) const CALLS: &[Message] = &[
    call!("ping", "Does nothing."),
    call!("time", "Reads the exchange's time."),
    call!("conninfo", "Reads the limits, and how much of each is used."),
    call!("subscribe", "Begins to read streams: all of them or, if one is bad, none.", STREAMS),
    call!("unsubscribe", "Ends to read streams: all of them or, if one is bad, none.", STREAMS),
    call!("list_subscriptions", "Reads the names of the streams that the socket reads."),
    call!("depth", "Reads a book.", must("params", Open(DEPTH), "")),
    call!("order.place", "Places an order.", must("params", Open(ORDER), "")),
    call!(
        "order.cancel",
        "Cancels an order.",
        must(
            "params",
            Open(&[must("orderId", Either(&[Digits, Whole]), "The exchange's id of the order.")]),
            ""
        )
    ),
    call!("order.cancel_all", "Cancels all orders of the account."),
    call!("order.cancel_session", "Cancels the orders that this key placed."),
];

const DEPTH: &[Field] = &[
    must("symbol", Text, "In any letter case."),
    may("limit", Whole, "Levels of each side: 1 to 5,000, without it 100. More than 100 weigh more."),
];

const DECIMAL: Kind = Either(&[Text, Number]);
const ORDER: &[Field] = &[
    must("symbol", Text, "A symbol or a contract, in any letter case."),
    must("side", Words(&["BUY", "SELL"]), ""),
    must("type", Words(&["LIMIT", "MARKET"]), "Orders of contracts are LIMIT orders."),
    must("timeInForce", Words(&["GTC", "IOC", "FOK", "MOC"]), "MOC never takes: maker or cancel."),
    must("quantity", DECIMAL, "A decimal without sign and exponent."),
    may("price", DECIMAL, "Of a LIMIT order, which needs one."),
    may("stopPrice", DECIMAL, "Of a LIMIT order: it enters the book once a trade reaches this price."),
    may(
        "clientOrderId",
        Text,
        "1 to 100 characters of the client's own; no live order of this key may have the same.",
    ),
    may("eventOutcome", Words(&["YES", "NO"]), "Of an order of a contract, which needs one; of no other."),
];

/// The answers.
pub(super) const ANSWERS: &[Message] = &[
    answer!("answer", "Of ping, unsubscribe and order.cancel: the call is done."),
    answer!("subscribe.answer", "Of subscribe: all that happens from here on is sent.", RESUMED),
    answer!(
        "time.answer",
        "Of time.",
        must("result", Object(&[must("serverTime", Whole, "Milliseconds.")]), "")
    ),
    answer!("conninfo.answer", "Of conninfo.", must("rateLimits", List(&Object(RATE_LIMIT)), "")),
    answer!("list_subscriptions.answer", "Of list_subscriptions.", must("result", List(&Text), "")),
    answer!("depth.answer", "Of depth.", must("result", Object(BOOK), "")),
    answer!(
        "order.place.answer",
        "Of order.place: the order is accepted.",
        must("result", Object(PLACED), "")
    ),
    answer!(
        "order.cancel_all.answer",
        "Of order.cancel_all and order.cancel_session.",
        must("result", Object(CANCELLED), "")
    ),
    refusal!(
        "error-1000",
        "Code -1000: the exchange failed, is stopping or takes no calls now.",
        "500 or 503.",
        "-1000."
    ),
    refusal!(
        "error-1002",
        "Code -1002: the socket has no credentials, or a role or scope is missing.",
        "401 or 403.",
        "-1002."
    ),
    refusal!("error-1003", "Code -1003: beyond a limit; the text says for how long.", "429.", "-1003."),
    refusal!(
        "error-1013",
        "Code -1013: parameters that cannot be read, or a cancel of an order that is not live.",
        "400.",
        "-1013."
    ),
    refusal!("error-1020", "Code -1020: no such method.", "400.", "-1020."),
    refusal!(
        "error-2010",
        "Code -2010: a rule refuses the order. The text begins with the reason of REST, and an update REJECTED follows.",
        "400.",
        "-2010."
    ),
];

const RATE_LIMIT: &[Field] = &[
    must("rateLimitType", Text, ""),
    must("interval", Text, ""),
    must("intervalNum", Whole, ""),
    must("limit", Whole, ""),
    must("count", Whole, "How much of it is used."),
];

const BOOK: &[Field] = &[
    must("lastUpdateId", Whole, "The number of the last change, as the u of @depth."),
    must("bids", LEVELS, "Price and quantity, the best first."),
    must("asks", LEVELS, "Price and quantity, the best first."),
];

const PLACED: &[Field] = &[
    must("orderId", Digits, "The exchange's id."),
    must("status", Words(&["OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELED"]), ""),
    must("executed", Decimal, "The quantity that traded at once."),
    must("remaining", Decimal, "The quantity that did not."),
];

const CANCELLED: &[Field] = &[
    must("cancelledOrders", List(&Whole), "Ids of the orders that were cancelled."),
    must("cancelRejects", List(&Whole), "Ids of the orders that could not be cancelled."),
];

/// The headers of a handshake with a key: name, and sense.
pub(super) const HEADERS: [(&str, &str); 5] = [
    (
        "X-SVC-APIKEY",
        "A key of one account with time-based nonces; a master key is refused. Without it the socket is public.",
    ),
    ("X-SVC-NONCE", "With a key: the time in whole seconds since 1970, within 30 seconds of the exchange's."),
    ("X-SVC-PAYLOAD", "With a key: the nonce in Base64."),
    (
        "X-SVC-SIGNATURE",
        "With a key: the HMAC-SHA384 of that Base64 under the key's secret, in lower-case hex.",
    ),
    ("Authorization", "Instead of these four: Bearer and an access token."),
];
