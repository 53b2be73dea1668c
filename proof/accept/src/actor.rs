//! One key of the exchange, used from blocking code.

use buttonwood_checker::Dec;
use buttonwood_client::{Client, NewOrder, Signed};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::answer::Answer;

/// A client of the exchange: with a key of `credentials.json`, or without one.
#[derive(Debug)]
pub struct Actor {
    name: String,
    client: Client,
    runtime: Runtime,
}

impl Actor {
    /// An actor with a connection of its own.
    pub fn new(name: &str, client: Client) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime starts");
        Self { name: name.to_owned(), client, runtime }
    }

    /// The name of the key.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The client underneath.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// A public GET.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    /// Any request; headers as name and value.
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.try_send(method, path, headers, body)
            .unwrap_or_else(|error| panic!("{method} {path} as {}: {error}", self.name))
    }

    /// Any request; the exchange may have ended.
    pub fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Answer, buttonwood_client::Error> {
        let owned: Vec<(String, String)> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let body = body.to_vec().into();
        let reply = self.runtime.block_on(self.client.send_raw(method, path, &owned, body))?;
        Ok(Answer { sent: format!("{method} {path} as {}", self.name), reply }.of_contract(method, path))
    }

    /// A signed call; `request` and `nonce` are added if missing.
    #[track_caller]
    pub fn call(&self, path: &str, params: Value) -> Answer {
        let sent = params.to_string();
        self.try_call(path, params).unwrap_or_else(|error| panic!("{path} {sent} as {}: {error}", self.name))
    }

    /// A signed call; the exchange may have ended.
    pub fn try_call(&self, path: &str, params: Value) -> Result<Answer, buttonwood_client::Error> {
        let payload = Value::Object(self.client.payload(path, params)?).to_string();
        self.try_call_payload(path, payload.as_bytes())
    }

    /// A signed GET; `request` and `nonce` are added if missing.
    #[track_caller]
    pub fn signed_get(&self, path: &str, params: Value) -> Answer {
        let sent = format!("GET {path} as {} with {params}", self.name);
        let reply = self.runtime.block_on(self.client.signed_get(path, params));
        let reply = reply.unwrap_or_else(|error| panic!("{sent}: {error}"));
        Answer { sent, reply }.of_contract("GET", path)
    }

    /// A signed call whose payload is exactly these bytes.
    #[track_caller]
    pub fn call_payload(&self, path: &str, payload: &[u8]) -> Answer {
        self.try_call_payload(path, payload)
            .unwrap_or_else(|error| panic!("{path} as {}: {error}", self.name))
    }

    fn try_call_payload(&self, path: &str, payload: &[u8]) -> Result<Answer, buttonwood_client::Error> {
        let reply = self.runtime.block_on(self.client.call_payload(path, payload))?;
        let shown: String = String::from_utf8_lossy(payload).chars().take(1_000).collect();
        let sent = format!("POST {path} as {} payload {shown}", self.name);
        Ok(Answer { sent, reply }.of_contract("POST", path))
    }

    /// A private call with headers that the test signed itself.
    #[track_caller]
    pub fn call_signed(&self, path: &str, signed: &Signed) -> Answer {
        let headers = signed.headers();
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut answer = self.send("POST", path, &headers, b"");
        answer.sent = format!("{} signed {signed:?}", answer.sent).chars().take(2_000).collect();
        answer
    }

    /// The payload of a call as text, complete but unsigned.
    pub fn payload(&self, path: &str, params: Value) -> String {
        Value::Object(self.client.payload(path, params).expect("parameters are an object")).to_string()
    }

    /// Signs a payload with this actor's key.
    pub fn sign(&self, payload: &[u8]) -> Signed {
        self.client.sign(payload).expect("this actor has a key")
    }

    /// Places an order that must be accepted, and returns it.
    #[track_caller]
    pub fn place(&self, order: &NewOrder) -> Value {
        self.call("/v1/order/new", order.params()).ok()
    }

    /// Places a plain limit order that must be accepted.
    #[track_caller]
    pub fn limit(&self, symbol: &str, side: &str, amount: &str, price: &str) -> Value {
        self.place(&NewOrder::limit(symbol, side, amount, price))
    }

    /// The current state of the order with this id.
    #[track_caller]
    pub fn status(&self, order_id: &str) -> Value {
        self.call("/v1/order/status", json!({ "order_id": order_id })).ok()
    }

    /// Cancels the order with this id.
    #[track_caller]
    pub fn cancel(&self, order_id: &str) -> Value {
        self.call("/v1/order/cancel", json!({ "order_id": order_id })).ok()
    }

    /// The ids of the account's live orders, newest first.
    #[track_caller]
    pub fn live_ids(&self) -> Vec<String> {
        ids(&self.call("/v1/orders", json!({})).ok())
    }

    /// All rows of the balances reply.
    #[track_caller]
    pub fn balances(&self) -> Vec<Value> {
        self.call("/v1/balances", json!({})).ok().as_array().expect("balances are an array").clone()
    }

    /// Amount and available of one currency; zero if there is no row.
    #[track_caller]
    pub fn balance(&self, currency: &str) -> (Dec, Dec) {
        self.balances()
            .iter()
            .find(|row| row["currency"] == currency)
            .map_or((Dec::ZERO, Dec::ZERO), |row| (Dec::wire(&row["amount"]), Dec::wire(&row["available"])))
    }
}

/// The `order_id`s of an array of orders.
pub(crate) fn ids(orders: &Value) -> Vec<String> {
    let orders = orders.as_array().expect("orders are an array");
    orders.iter().map(|order| order["order_id"].as_str().expect("an id is a string").to_owned()).collect()
}
