//! Typed trading calls, for simulated traders and benchmarks.
//!
//! Amounts and prices stay text, as on the wire; a caller that needs numbers parses them in its own unit.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::client::Client;
use crate::reply::Error;

/// An order to place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOrder {
    /// Symbol, in any case.
    pub symbol: String,
    /// Quantity in the base currency.
    pub amount: String,
    /// Limit price; market orders have none.
    pub price: Option<String>,
    /// `buy` or `sell`.
    pub side: String,
    /// The wire's `type`: `exchange limit`, `exchange market`, `exchange stop limit`.
    pub kind: String,
    /// The stop price of a stop-limit order.
    pub stop_price: Option<String>,
    /// At most one execution option.
    pub options: Vec<String>,
    /// The caller's own name for the order.
    pub client_order_id: Option<String>,
}

impl NewOrder {
    /// A limit order; the quantity that does not trade at once rests.
    pub fn limit(symbol: &str, side: &str, amount: &str, price: &str) -> Self {
        Self {
            symbol: symbol.to_owned(),
            amount: amount.to_owned(),
            price: Some(price.to_owned()),
            side: side.to_owned(),
            kind: "exchange limit".to_owned(),
            stop_price: None,
            options: Vec::new(),
            client_order_id: None,
        }
    }

    /// A market order for a quantity.
    pub fn market(symbol: &str, side: &str, amount: &str) -> Self {
        Self { price: None, kind: "exchange market".to_owned(), ..Self::limit(symbol, side, amount, "") }
    }

    /// The same order with an execution option, for example `maker-or-cancel`.
    #[must_use]
    pub fn with_option(mut self, option: &str) -> Self {
        self.options.push(option.to_owned());
        self
    }

    /// The same order under a name of the caller's own.
    #[must_use]
    pub fn named(mut self, client_order_id: &str) -> Self {
        self.client_order_id = Some(client_order_id.to_owned());
        self
    }

    /// The same limit order, which enters once a trade reaches the stop price.
    #[must_use]
    pub fn with_stop(mut self, price: &str) -> Self {
        "exchange stop limit".clone_into(&mut self.kind);
        self.stop_price = Some(price.to_owned());
        self
    }

    /// The parameters of `/v1/order/new`.
    pub fn params(&self) -> Value {
        let mut params = Map::new();
        params.insert("symbol".to_owned(), self.symbol.as_str().into());
        params.insert("amount".to_owned(), self.amount.as_str().into());
        params.insert("side".to_owned(), self.side.as_str().into());
        params.insert("type".to_owned(), self.kind.as_str().into());
        if let Some(price) = &self.price {
            params.insert("price".to_owned(), price.as_str().into());
        }
        if let Some(stop) = &self.stop_price {
            params.insert("stop_price".to_owned(), stop.as_str().into());
        }
        if !self.options.is_empty() {
            params.insert("options".to_owned(), self.options.as_slice().into());
        }
        if let Some(name) = &self.client_order_id {
            params.insert("client_order_id".to_owned(), name.as_str().into());
        }
        Value::Object(params)
    }
}

/// An order as the exchange describes it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Order {
    /// The exchange's id of the order.
    pub order_id: String,
    /// The caller's own id of the order.
    pub client_order_id: Option<String>,
    /// Symbol, lower case.
    pub symbol: String,
    /// `buy` or `sell`.
    pub side: String,
    /// The wire's `type`, for example `exchange limit` or `market buy`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Limit price; market orders have none.
    pub price: Option<String>,
    /// Mean fill price so far.
    pub avg_execution_price: String,
    /// On the book with something left to trade.
    pub is_live: bool,
    /// Cancelled, with or without fills.
    pub is_cancelled: bool,
    /// Why it was cancelled.
    pub reason: Option<String>,
    /// Filled so far.
    pub executed_amount: String,
    /// Left to fill; absent on market buys by amount of money.
    pub remaining_amount: Option<String>,
    /// As submitted; absent on market buys by amount of money.
    pub original_amount: Option<String>,
    /// Submission time in milliseconds.
    pub timestampms: u64,
}

/// The result of cancelling many orders.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Cancelled {
    /// Orders that are now cancelled.
    pub cancelled_orders: Vec<u64>,
    /// Orders that could not be cancelled.
    pub cancel_rejects: Vec<u64>,
}

/// The visible book of one symbol.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Book {
    /// Best first: descending.
    pub bids: Vec<Level>,
    /// Best first: ascending.
    pub asks: Vec<Level>,
}

/// All orders of one side at one price.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Level {
    /// The price.
    pub price: String,
    /// The sum of the open quantities.
    pub amount: String,
}

/// An account's balance of one currency.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Balance {
    /// Upper-case code.
    pub currency: String,
    /// Confirmed balance.
    pub amount: String,
    /// The part that is not on hold.
    pub available: String,
}

impl Client {
    /// Places an order. An order cancelled by its own option is an answer, not an error.
    pub async fn place(&self, order: &NewOrder) -> Result<Order, Error> {
        self.call("/v1/order/new", order.params()).await?.accepted()
    }

    /// Cancels one order and returns it as it is afterwards.
    pub async fn cancel(&self, order_id: &str) -> Result<Order, Error> {
        self.call("/v1/order/cancel", json!({ "order_id": order_id })).await?.accepted()
    }

    /// Cancels every order of the account.
    pub async fn cancel_all(&self) -> Result<Cancelled, Error> {
        self.cancel_many("/v1/order/cancel/all").await
    }

    /// Cancels every order that this key placed.
    pub async fn cancel_session(&self) -> Result<Cancelled, Error> {
        self.cancel_many("/v1/order/cancel/session").await
    }

    /// One order as it is now.
    pub async fn order(&self, order_id: &str) -> Result<Order, Error> {
        self.call("/v1/order/status", json!({ "order_id": order_id })).await?.accepted()
    }

    /// The account's live orders, newest first.
    pub async fn orders(&self) -> Result<Vec<Order>, Error> {
        self.call("/v1/orders", Value::Null).await?.accepted()
    }

    /// The account's balances.
    pub async fn balances(&self) -> Result<Vec<Balance>, Error> {
        self.call("/v1/balances", Value::Null).await?.accepted()
    }

    /// Keeps a Require-Heartbeat session alive.
    pub async fn heartbeat(&self) -> Result<(), Error> {
        self.call("/v1/heartbeat", Value::Null).await?.accepted::<Value>().map(drop)
    }

    /// The visible book, best 50 levels a side.
    pub async fn book(&self, symbol: &str) -> Result<Book, Error> {
        self.get(&format!("/v1/book/{symbol}")).await?.accepted()
    }

    async fn cancel_many(&self, path: &str) -> Result<Cancelled, Error> {
        #[derive(Deserialize)]
        struct Body {
            details: Cancelled,
        }
        Ok(self.call(path, Value::Null).await?.accepted::<Body>()?.details)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn params_leave_out_what_is_not_set() {
        assert_eq!(
            NewOrder::limit("btcusd", "buy", "1", "100.00").params(),
            json!({ "symbol": "btcusd", "amount": "1", "price": "100.00", "side": "buy", "type": "exchange limit" })
        );
        assert_eq!(
            NewOrder::market("btcusd", "sell", "1").named("a").params(),
            json!({ "symbol": "btcusd", "amount": "1", "side": "sell", "type": "exchange market",
                    "client_order_id": "a" })
        );
    }
}
