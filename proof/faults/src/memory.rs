//! The outside view of one key: its requests, their answers, and the uncertain ones.
//!
//! An answer is a fact forever. A request without an answer may have happened or not, until a query after the crash
//! settles it; the result is then a fact too.

use std::collections::{BTreeMap, BTreeSet};

use buttonwood_accept::{Dec, Value};

/// The state of one order, as far as it is known.
#[derive(Clone, Debug)]
pub enum Known {
    /// It was sent, and no answer came.
    Nothing,
    /// The exchange refused it, or did not have it after a crash: it must never exist.
    Never,
    /// The order as last answered in full.
    Told(Value),
}

/// One order that was sent.
#[derive(Clone, Debug)]
pub struct Order {
    /// Its client order id, which no other order has.
    pub name: String,
    /// The parameters it was sent with.
    pub sent: Value,
    /// Its state.
    pub known: Known,
    /// Whether a cancel was sent after the last known state and was never answered.
    pub cancel_unknown: bool,
    /// Quantity filled since, by takers that got an answer.
    pub filled: Dec,
    /// Quantity possibly filled, by takers without an answer.
    pub perhaps: Dec,
}

impl Order {
    /// An order about to be sent.
    pub fn new(name: &str, sent: Value) -> Self {
        Self {
            name: name.to_owned(),
            sent,
            known: Known::Nothing,
            cancel_unknown: false,
            filled: Dec::ZERO,
            perhaps: Dec::ZERO,
        }
    }

    /// The last known state, if any.
    pub fn told(&self) -> Option<&Value> {
        match &self.known {
            Known::Told(order) => Some(order),
            Known::Nothing | Known::Never => None,
        }
    }

    /// Records a full answer about it, which replaces everything before.
    pub fn tell(&mut self, order: Value) {
        self.known = Known::Told(order);
        self.cancel_unknown = false;
        self.filled = Dec::ZERO;
        self.perhaps = Dec::ZERO;
    }

    /// Its id, if known.
    pub fn id(&self) -> Option<&str> {
        self.told().and_then(|order| order["order_id"].as_str())
    }

    /// Whether it was on the book in its last known state.
    pub fn is_live(&self) -> bool {
        self.told().is_some_and(|order| order["is_live"] == Value::Bool(true))
    }

    /// Whether the order found now equals the known one, or is a possible later state of it.
    pub fn admits(&self, found: &Value) -> bool {
        let Some(told) = self.told() else { return as_sent(&self.sent, found) };
        if found == told && self.filled == Dec::ZERO {
            return true;
        }
        let Some(remaining) = told.get("remaining_amount") else { return false };
        if told["is_live"] != Value::Bool(true)
            || !SETTLED.iter().all(|field| told.get(field) == found.get(field))
        {
            return false;
        }
        let fills = Dec::wire(&found["executed_amount"]) - Dec::wire(&told["executed_amount"]);
        let left = Dec::wire(remaining) - fills;
        let cancelled = found["is_cancelled"] == Value::Bool(true);
        let was_asked = self.cancel_unknown && found["reason"] == "Requested";
        (fills == self.filled || fills == self.filled + self.perhaps)
            && found.get("remaining_amount").is_some_and(|value| Dec::wire(value) == left)
            && (!cancelled || was_asked)
            && found["is_live"] == Value::Bool(!cancelled && left > Dec::ZERO)
    }
}

/// Fields of an order that never change.
const SETTLED: [&str; 12] = [
    "order_id",
    "id",
    "client_order_id",
    "symbol",
    "exchange",
    "price",
    "side",
    "type",
    "options",
    "timestampms",
    "original_amount",
    "is_hidden",
];

/// Whether an order without an answer is the one that was sent.
fn as_sent(sent: &Value, found: &Value) -> bool {
    ["client_order_id", "symbol", "side"].iter().all(|field| sent[field] == found[field])
        && Dec::wire(&sent["amount"]) == Dec::wire(&found["original_amount"])
        && Dec::wire(&sent["price"]) == Dec::wire(&found["price"])
}

/// Everything that one key knows.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The key's name in `credentials.json`.
    pub key: String,
    /// All orders ever sent, oldest first.
    pub orders: Vec<Order>,
    /// Indices in `orders` of those touched since the last check.
    pub touched: BTreeSet<usize>,
    /// The highest nonce of an acknowledged change.
    pub nonce: u64,
    /// The latest time in an answer, in milliseconds.
    pub latest_ms: u64,
    /// Own trades that were ever shown, by id.
    pub trades: BTreeMap<u64, Value>,
    /// The account's balances before the first order.
    pub start: BTreeMap<String, Dec>,
    /// The hour in which the load began, by the exchange's clock.
    pub hour: u64,
    /// The risk figures of the account as last read, if nothing may have changed them since.
    pub figures: Option<Figures>,
}

/// Milliseconds of an hour.
pub const HOUR_MS: u64 = 3_600_000;

/// The reply to a read of an account's risk figures.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Each operation with its parameters and its answer.
    pub replies: Vec<(&'static str, Value, Value)>,
    /// How many orders had been sent before.
    pub orders: usize,
    /// The hour of the last order before, by the exchange's clock: the next one pays funding and charges interest.
    pub hour: u64,
}

impl Memory {
    /// A key that has done nothing yet.
    pub fn new(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            orders: Vec::new(),
            touched: BTreeSet::new(),
            nonce: 0,
            latest_ms: 0,
            trades: BTreeMap::new(),
            start: BTreeMap::new(),
            hour: 0,
            figures: None,
        }
    }

    /// The index of the order with this name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.orders.iter().position(|order| order.name == name)
    }

    /// Indices of all orders that are live as far as is known.
    pub fn live(&self) -> Vec<usize> {
        (0..self.orders.len()).filter(|place| self.orders[*place].is_live()).collect()
    }

    /// The figures, unless an order that was sent since may have changed them.
    pub fn sure_figures(&self) -> Option<&Figures> {
        let is_never = |order: &Order| matches!(order.known, Known::Never);
        self.figures.as_ref().filter(|figures| self.orders[figures.orders..].iter().all(is_never))
    }

    /// Number of acknowledged orders.
    pub fn acknowledged(&self) -> usize {
        self.orders.iter().filter(|order| order.told().is_some()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_accept::{dec, json};

    fn resting() -> Value {
        json!({ "order_id": "7", "id": "7", "client_order_id": "a", "symbol": "btcusd", "price": "100", "side": "sell",
                "is_live": true, "is_cancelled": false, "executed_amount": "0", "remaining_amount": "3",
                "original_amount": "3", "timestampms": 1 })
    }

    fn after(executed: &str, remaining: &str, reason: Option<&str>) -> Value {
        let mut order = resting();
        order["executed_amount"] = json!(executed);
        order["remaining_amount"] = json!(remaining);
        order["is_live"] = json!(reason.is_none() && remaining != "0");
        if let Some(reason) = reason {
            order["is_cancelled"] = json!(true);
            order["reason"] = json!(reason);
        }
        order
    }

    fn told() -> Order {
        let mut order = Order::new("a", json!({ "client_order_id": "a" }));
        order.tell(resting());
        order
    }

    /// A known order that was not touched since must be found unchanged.
    #[test]
    fn a_fact_is_a_fact() {
        assert!(told().admits(&resting()));
        for other in [after("1", "2", None), after("0", "3", Some("Requested")), after("0", "2", None)] {
            assert!(!told().admits(&other), "{other}");
        }
        let mut other = resting();
        other["price"] = json!("101");
        assert!(!told().admits(&other));
    }

    /// A fill that the taker got an answer for must be there; one without an answer may be.
    #[test]
    fn fills() {
        let mut order = told();
        order.filled = dec("1");
        assert!(order.admits(&after("1", "2", None)));
        assert!(!order.admits(&resting()) && !order.admits(&after("3", "0", None)));
        order.perhaps = dec("2");
        assert!(order.admits(&after("1", "2", None)) && order.admits(&after("3", "0", None)));
        assert!(!order.admits(&after("2", "1", None)));
    }

    /// A cancel without an answer may have happened, but only with the reason of a requested one.
    #[test]
    fn cancels() {
        let mut order = told();
        order.cancel_unknown = true;
        assert!(order.admits(&resting()) && order.admits(&after("0", "3", Some("Requested"))));
        assert!(!order.admits(&after("0", "3", Some("MarketClosed"))));
    }
}
