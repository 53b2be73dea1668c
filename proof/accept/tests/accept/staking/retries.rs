//! Client ids: a repeated call has the same reply and moves nothing, also after a crash.

use super::*;
use buttonwood_accept::laws;

fn named(provider: &str, amount: &str, name: &str, id: &str) -> Value {
    let mut params = request(provider, amount);
    params[name] = json!(id);
    params
}

const CAMEL: &str = "clientTransferId";
const SNAKE: &str = "client_transfer_id";

/// The same terms have the same reply, with either spelling and with the amount written otherwise, at once and after a crash.
#[test]
fn a_repeated_call_moves_nothing() {
    let x = exchange();
    let trader = x.as_("trader");
    let first = exact(&trader.call(STAKE, named(AT_ONCE, "3", CAMEL, "one#1-a.b:c_d")));
    let second = exact(&trader.call(STAKE, named(WEEK, "2", SNAKE, "two")));
    x.advance(ACCRUES);
    let redeemed = exact(&trader.call(UNSTAKE, named(WEEK, "1.5", SNAKE, "three")));
    let before = (balance(&x, "trader", "ETH"), sums(&x, "trader"));
    let again = |x: &Exchange| {
        let trader = x.as_("trader");
        assert_eq!(exact(&trader.call(STAKE, named(AT_ONCE, "3.000", SNAKE, "one#1-a.b:c_d"))), first);
        let mut bare = named(WEEK, "2", CAMEL, "two");
        bare["amount"] = json!(2);
        bare["currency"] = json!("eth");
        assert_eq!(exact(&trader.call(STAKE, bare)), second);
        assert_eq!(exact(&trader.call(UNSTAKE, named(WEEK, "1.50", CAMEL, "three"))), redeemed);
        // Another key of the account repeats it as well.
        let other = exact(&x.as_("fund-manager").call(STAKE, named(WEEK, "2", SNAKE, "two")));
        assert_eq!(other, second);
    };
    again(&x);
    assert_eq!((balance(&x, "trader", "ETH"), sums(&x, "trader")), before);
    x.kill9();
    x.restart();
    again(&x);
    // Also when the terms have changed, and when the redemption was paid.
    set_terms(
        &x,
        &json!({
            "provider_id": WEEK, "currency": "ETH", "rate_bps": "1", "deposit_usd_limit": "0",
            "redemption_seconds": 0, "paused": true,
        }),
    );
    x.advance(8 * DAY);
    let before = (balance(&x, "trader", "ETH"), sums(&x, "trader"));
    again(&x);
    x.stop();
    x.restart();
    again(&x);
    // While the exchange is halted, which refuses a new stake.
    x.control("/sandbox/halt", &json!({ "reason": "a test" })).ok();
    again(&x);
    x.as_("trader").call(STAKE, named(AT_ONCE, "3", CAMEL, "four")).refused(503, "System");
    assert_eq!((balance(&x, "trader", "ETH"), sums(&x, "trader")), before);
    laws::check(&x);
}

/// Other terms, another endpoint or the id of a transfer are refused; an id of another account is free, and so is that of a refused request.
#[test]
fn an_id_stands_for_one_request() {
    let x = exchange();
    let trader = x.as_("trader");
    exact(&trader.call(STAKE, named(AT_ONCE, "3", CAMEL, "one")));
    let before = (balance(&x, "trader", "ETH"), sums(&x, "trader"));
    for (path, params) in [
        (STAKE, named(AT_ONCE, "3.1", CAMEL, "one")),
        (STAKE, named(WEEK, "3", SNAKE, "one")),
        (UNSTAKE, named(AT_ONCE, "3", CAMEL, "one")),
    ] {
        let message = trader.call(path, params).refused(400, "InvalidParameterValue").message;
        assert!(message.contains("one"), "{message}");
    }
    let transfer = |amount: &str, id: &str| {
        let params = json!({
            "sourceAccount": "primary", "targetAccount": "savings", "amount": amount, "clientTransferId": id,
        });
        x.as_("master").call("/v1/account/transfer/eth", params)
    };
    assert_eq!(transfer("3", "one").status(), 400);
    assert_eq!((balance(&x, "trader", "ETH"), sums(&x, "trader")), before);
    transfer("1", "sent").ok();
    assert_eq!(trader.call(STAKE, named(AT_ONCE, "1", CAMEL, "sent")).status(), 400);
    exact(&x.as_("counterparty").call(STAKE, named(AT_ONCE, "1", CAMEL, "one")));
    // Refused requests use up no id.
    trader.call(STAKE, named(AT_ONCE, "100000", CAMEL, "late")).error();
    trader.call(UNSTAKE, named(WEEK, "1", CAMEL, "late")).refused(406, "InsufficientFunds");
    exact(&trader.call(STAKE, named(AT_ONCE, "1", CAMEL, "late")));
    // The grammar is that of transfers.
    for name in [CAMEL, SNAKE] {
        for wrong in [json!(""), json!("a b"), json!("ä"), json!("x".repeat(101)), json!(7), json!(true)] {
            let mut params = request(AT_ONCE, "1");
            params[name] = wrong;
            trader.call(STAKE, params).refused(400, "InvalidParameterValue");
        }
        exact(&trader.call(STAKE, named(AT_ONCE, "0.1", name, &name.repeat(8)[..100])));
        let mut params = request(AT_ONCE, "0.1");
        params[name] = Value::Null;
        exact(&trader.call(STAKE, params));
    }
    laws::check(&x);
}
