//! Conversion between the JSON of the wire and the types of this crate.

use serde_json::{Map, Value, json};

use crate::decimal::Dec;
use crate::operation::{Place, Policy, Request, Side, Terms, Which};
use crate::reply::{AVERAGE_DECIMALS, BALANCE_DECIMALS, Level, Order, Reply, Trade};

/// The error says in a sentence why a reply cannot be decoded.
type Read<T> = Result<T, String>;

impl Request {
    /// Path and parameters; `None` for the parameters of a public GET. A change of a key is no call of a client: only what is
    /// changed.
    pub fn call(&self) -> (String, Option<Value>) {
        let (path, params) = match self {
            Self::Place(place) => ("/v1/order/new", new_order(place)),
            Self::Cancel(which) => ("/v1/order/cancel", named(which)),
            Self::CancelSession => ("/v1/order/cancel/session", json!({})),
            Self::CancelAll => ("/v1/order/cancel/all", json!({})),
            Self::Status(which, with_trades) => ("/v1/order/status", status(which, *with_trades)),
            Self::Orders => ("/v1/orders", json!({})),
            Self::Balances => ("/v1/balances", json!({})),
            Self::Trades => ("/v1/mytrades", json!({})),
            Self::Key(key, change) => ("key", json!({ "key": key, "change": change })),
            Self::Book(symbol) => return (format!("/v1/book/{symbol}?limit_bids=0&limit_asks=0"), None),
        };
        (path.to_owned(), Some(params))
    }

    /// Decodes the reply to this request.
    ///
    /// # Errors
    /// Describes the difference from the promised interface.
    pub fn read(&self, status: u16, body: &Value) -> Result<Reply, String> {
        let read = || -> Read<Reply> {
            if status != 200 {
                return Ok(Reply::refused(status, text(body, "reason")?));
            }
            match self {
                Self::Place(_) | Self::Cancel(_) | Self::Status(..) => order(body).map(Reply::order),
                Self::CancelSession | Self::CancelAll => cancelled(body),
                Self::Key(..) => Ok(Reply::Changed),
                Self::Orders => Ok(Reply::Orders(each(body, order)?)),
                Self::Trades => Ok(Reply::Trades(each(body, trade)?)),
                Self::Book(_) => {
                    Ok(Reply::Book(each(field(body, "bids")?, level)?, each(field(body, "asks")?, level)?))
                }
                Self::Balances => {
                    let rows = each(body, |row| {
                        let cut = |name| Ok::<_, String>(decimal(row, name)?.cut(BALANCE_DECIMALS));
                        Ok((text(row, "currency")?.to_owned(), [cut("amount")?, cut("available")?]))
                    })?;
                    Ok(Reply::Balances(rows.into_iter().collect()))
                }
            }
        };
        read().map_err(|why| format!("{why} in {status} {body}"))
    }
}

fn status(which: &Which, with_trades: bool) -> Value {
    let mut params = named(which);
    if with_trades && let Some(params) = params.as_object_mut() {
        params.insert("include_trades".to_owned(), json!(true));
    }
    params
}

fn named(which: &Which) -> Value {
    match which {
        Which::Id(id) => json!({ "order_id": id }),
        Which::ClientId(client_id) => json!({ "client_order_id": client_id }),
    }
}

fn new_order(place: &Place) -> Value {
    let mut params = Map::new();
    let mut put = |name: &str, value: Value| params.insert(name.to_owned(), value);
    put("symbol", json!(place.symbol));
    put("side", json!(place.side));
    match &place.terms {
        Terms::Limit { amount, price, policy } => {
            put("type", json!("exchange limit"));
            put("amount", json!(amount));
            put("price", json!(price));
            put("options", json!(policy.iter().collect::<Vec<_>>()));
        }
        Terms::Market { amount } => {
            put("type", json!("exchange market"));
            put("amount", json!(amount));
        }
        Terms::Spend { money } => {
            put("type", json!("exchange market"));
            put("total_spend", json!(money));
        }
    }
    if let Some(client_id) = &place.client_id {
        put("client_order_id", json!(client_id));
    }
    Value::Object(params)
}

fn field<'v>(value: &'v Value, name: &str) -> Read<&'v Value> {
    value.get(name).ok_or_else(|| format!("no `{name}`"))
}

fn text<'v>(value: &'v Value, name: &str) -> Read<&'v str> {
    field(value, name)?.as_str().ok_or_else(|| format!("`{name}` is no text"))
}

fn decimal(value: &Value, name: &str) -> Read<Dec> {
    Dec::parse(text(value, name)?).ok_or_else(|| format!("`{name}` is no decimal"))
}

fn flag(value: &Value, name: &str) -> Read<bool> {
    field(value, name)?.as_bool().ok_or_else(|| format!("`{name}` is neither true nor false"))
}

fn id(value: &Value, name: &str) -> Read<u64> {
    text(value, name)?.parse().map_err(|_| format!("`{name}` is no id"))
}

/// An optional field.
fn maybe<T>(value: &Value, name: &str, read: impl Fn(&Value, &str) -> Read<T>) -> Read<Option<T>> {
    value.get(name).map(|_| read(value, name)).transpose()
}

fn client_id(value: &Value) -> Read<Option<String>> {
    maybe(value, "client_order_id", |value, name| text(value, name).map(str::to_owned))
}

fn each<T>(value: &Value, read: impl Fn(&Value) -> Read<T>) -> Read<Vec<T>> {
    value.as_array().ok_or("no list")?.iter().map(read).collect()
}

fn order(value: &Value) -> Read<Order> {
    let order = Order {
        id: id(value, "order_id")?,
        client_id: client_id(value)?,
        symbol: text(value, "symbol")?.to_owned(),
        side: side(text(value, "side")?)?,
        kind: text(value, "type")?.to_owned(),
        policy: each(field(value, "options")?, policy)?.into_iter().next(),
        price: maybe(value, "price", decimal)?,
        average: decimal(value, "avg_execution_price")?.cut(AVERAGE_DECIMALS),
        executed: decimal(value, "executed_amount")?,
        remaining: maybe(value, "remaining_amount", decimal)?,
        original: maybe(value, "original_amount", decimal)?,
        is_live: flag(value, "is_live")?,
        reason: maybe(value, "reason", |value, name| text(value, name).map(str::to_owned))?,
        trades: value.get("trades").map(|trades| each(trades, trade)).transpose()?,
    };
    if id(value, "id")? != order.id || flag(value, "is_cancelled")? != order.reason.is_some() {
        return Err("an order that contradicts itself".to_owned());
    }
    Ok(order)
}

fn side(name: &str) -> Read<Side> {
    match name {
        "buy" | "Buy" => Ok(Side::Buy),
        "sell" | "Sell" => Ok(Side::Sell),
        other => Err(format!("no side: `{other}`")),
    }
}

fn policy(value: &Value) -> Read<Policy> {
    let all = [Policy::MakerOrCancel, Policy::ImmediateOrCancel, Policy::FillOrKill];
    all.into_iter().find(|policy| value == policy.name()).ok_or_else(|| format!("no option: {value}"))
}

fn trade(value: &Value) -> Read<Trade> {
    Ok(Trade {
        tid: field(value, "tid")?.as_u64().ok_or("`tid` is no number")?,
        order: id(value, "order_id")?,
        client_id: client_id(value)?,
        price: decimal(value, "price")?,
        amount: decimal(value, "amount")?,
        side: side(text(value, "type")?)?,
        aggressor: flag(value, "aggressor")?,
        fee: decimal(value, "fee_amount")?,
    })
}

fn level(value: &Value) -> Read<Level> {
    Ok((decimal(value, "price")?, decimal(value, "amount")?))
}

fn cancelled(value: &Value) -> Read<Reply> {
    let details = field(value, "details")?;
    if field(details, "cancelRejects")? != &json!([]) {
        return Err("cancels that were refused".to_owned());
    }
    let ids = each(field(details, "cancelledOrders")?, |id| id.as_u64().ok_or_else(|| "no id".to_owned()));
    ids.map(|mut ids| {
        ids.sort_unstable();
        Reply::Cancelled(ids)
    })
}
