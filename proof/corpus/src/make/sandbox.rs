//! Calls of a sandbox that help its visitors, and orders that name their money.

use super::identity::Writer;
use super::{control, started};
use buttonwood_accept::Exchange;
use buttonwood_engine::{Body, Command, TradingCommand};
use buttonwood_model::AccountId;
use serde_json::json;
use std::path::Path;

/// A session that moves along with the clock, a hold that ends before its time, market buys by `total_spend`, a quote that is executed under a
/// client's id, and an operator's cancel that leaves newer orders alone. A start lies between them.
pub(super) fn sandbox(data: &Path) {
    let exchange = started(data);
    exchange.control("/sandbox/sessions", &json!({ "email": "owner@one.test" })).ok();
    advance(&exchange);
    end_hold(&exchange);
    exchange.restart();
    spend(&exchange);
    execute(&exchange);
    advance(&exchange);
    exchange.kill9();
    cancel(data);
}

/// Moves the clock as people at the pages see it: their sessions move along.
fn advance(exchange: &Exchange) {
    control(exchange, "/sandbox/clock/advance", &json!({ "seconds": 3_600 }));
}

fn end_hold(exchange: &Exchange) {
    let address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    let request = json!({ "address": address, "label": "corpus" });
    exchange.as_("fund-manager").call("/v1/approvedAddresses/bitcoin/request", request).ok();
    let entry = json!({ "group": "one", "account": "primary", "network": "bitcoin", "address": address });
    control(exchange, "/sandbox/approvals/end-hold", &entry);
}

/// A market buy that spends all of its money, and one that spends a part: the book ends.
fn spend(exchange: &Exchange) {
    exchange.as_("counterparty").limit("btcusd", "sell", "0.02", "50000");
    for spend in ["500", "750.5"] {
        let order =
            json!({ "symbol": "btcusd", "side": "buy", "type": "exchange market", "total_spend": spend });
        exchange.as_("trader").call("/v1/order/new", order).ok();
    }
}

fn execute(exchange: &Exchange) {
    control(exchange, "/sandbox/index/BTC", &json!({ "price": "50000" }));
    control(exchange, "/sandbox/instant", &json!({ "depth_usd": "100" }));
    for (side, price) in [("buy", "49990"), ("sell", "50010")] {
        exchange.as_("load-000").limit("btcusd", side, "0.5", price);
    }
    let fields = json!({ "symbol": "btcusd", "side": "buy", "totalSpend": "100" });
    let quote = exchange.as_("counterparty").call("/v1/instant/quote", fields).ok();
    let execution = json!({ "symbol": "btcusd", "side": "buy", "quantity": quote["quantity"], "price": quote["price"],
        "fee": quote["fee"], "quoteId": quote["quoteId"], "client_order_id": "corpus" });
    exchange.as_("counterparty").call("/v1/instant/execute", execution).ok();
}

/// Of the two orders of a symbol the older one.
fn cancel(data: &Path) {
    let mut writer = Writer::of(data);
    let (symbol, last) = {
        let state = writer.recovered.views().state();
        let accounts = (0..state.access().accounts().len()).map(AccountId::from_index);
        let live = accounts.flat_map(|account| state.orders().in_any_order(account));
        live.map(|(_, order)| (order.symbol, order.id)).min_by_key(|(_, id)| *id).expect("two are live")
    };
    let body: Body = TradingCommand::CancelOrders(None, Some(symbol), Some(last)).into();
    writer.commit(Command { caller: None, body });
}
