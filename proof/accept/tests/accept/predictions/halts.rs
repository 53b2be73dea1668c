//! Contracts while the exchange is halted or in maintenance.

use super::public::text;
use super::*;

fn halt(x: &Exchange, on: bool) {
    let path = if on { "/sandbox/halt" } else { "/sandbox/resume" };
    x.control(path, &json!({ "reason": "a test" })).ok();
}

fn maintain(x: &Exchange, on: bool) {
    x.control("/sandbox/maintenance", &json!({ "on": on })).ok();
}

fn rain(x: &Exchange) -> Value {
    x.get(&format!("{ROOT}/events/RAIN")).ok()
}

/// An exchange on which yes has traded at 0.60, and a stop of the trader that becomes a bid for yes once no has traded at 0.40.
fn with_stop() -> (Exchange, u64) {
    let x = exchange();
    accept(&x, "restricted");
    place(&x, "counterparty", limit("buy yes 1 at 0.50"));
    place(&x, "restricted", limit("buy no 1 at 0.50"));
    let more = json!({ "orderType": "stop-limit", "stopPrice": "0.60" });
    let stop = place(&x, "trader", with("buy yes 5 at 0.65", &more));
    (x, stop["orderId"].as_u64().expect("an id"))
}

/// A call that would be placed is refused for the halt, in the common body, also where the terms are not accepted; one with bad fields for
/// these, or for the terms. Reads go on, and so does the acceptance of terms.
#[test]
fn a_halt_comes_before_the_terms() {
    let x = exchange();
    halt(&x, true);
    send(&x, "trader", limit("buy yes 5 at 0.50")).refused(503, "System");
    send(&x, "trader", limit("buy yes 5 at 5")).coded(400, "InvalidInput");
    send(&x, "trader", with("buy yes 5 at 0.50", &json!({ "symbol": "SVC-NONE" }))).coded(404, "NOT_FOUND");
    send(&x, "empty", limit("buy yes 5 at 0.50")).refused(503, "System");
    send(&x, "empty", limit("buy yes 5 at 5")).coded(403, "TERMS_NOT_ACCEPTED");
    for path in [ACTIVE, HISTORY, POSITIONS, SETTLED] {
        x.as_("auditor").call(path, json!({})).ok();
    }
    accept(&x, "empty");
    assert_eq!(text(&rain(&x)["contracts"][0]["marketState"]), "closed");
    halt(&x, false);
    x.credit("empty", "USD", "100");
    place(&x, "empty", limit("buy yes 5 at 0.50"));
}

/// A stop stays while the exchange is halted; expiries, resolutions and payouts go on.
#[test]
fn events_go_on_and_stops_wait_in_a_halt() {
    let (x, stop) = with_stop();
    list(
        &x,
        json!({ "ticker": "SNOW", "title": "Will it snow?", "category": "weather", "dispute_seconds": 60 }),
    );
    let snow = json!({ "symbol": "SVC-SNOW" });
    place(&x, "trader", with("buy yes 10 at 0.60", &snow));
    place(&x, "counterparty", with("buy no 10 at 0.40", &snow));
    halt(&x, true);
    let before = x.as_("trader").balance("USD").0;
    let resolution = json!({ "outcomes": { "SNOW": "yes" }, "source": "the weather" });
    x.control("/sandbox/predictions/events/SNOW/resolve", &resolution).ok();
    x.advance(60);
    assert_eq!(x.get(&format!("{ROOT}/events/SNOW")).ok()["status"], "settled");
    assert_eq!(x.as_("trader").balance("USD").0 - before, buttonwood_accept::dec("10"));
    assert_eq!(active(&x, "trader"), [stop]);
    x.advance(86_400);
    assert_eq!(rain(&x)["status"], "closed");
    assert_eq!(active(&x, "trader"), [] as [u64; 0], "an expiry cancels stops too");
}

/// In maintenance every call is refused in the common body, and events go on.
#[test]
fn maintenance_refuses_every_call() {
    let (x, stop) = with_stop();
    maintain(&x, true);
    let trader = x.as_("trader");
    for path in [ORDER, CANCEL, ACTIVE, HISTORY, POSITIONS, SETTLED, VOLUME, ACCEPT] {
        trader.call(path, json!({})).refused(503, "Maintenance");
    }
    trader.signed_get(STATUS, json!({})).refused(503, "Maintenance");
    for path in ["events", "events/RAIN", "terms", "combos", "liquidity-rewards/config"] {
        x.get(&format!("{ROOT}/{path}")).refused(503, "Maintenance");
    }
    x.advance(86_400);
    maintain(&x, false);
    assert_eq!(rain(&x)["status"], "closed");
    let closed = trader.call(HISTORY, json!({})).ok();
    let shown = some(&closed["orders"][0], &["orderId", "status", "cancelReason"]);
    assert_eq!(shown, [&stop.to_string(), "cancelled", "MarketClosed"], "{closed}");
}
