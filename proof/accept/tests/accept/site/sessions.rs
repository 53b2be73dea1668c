//! Sessions of browsers: their list, their ends, and the account that they act on.

use super::{entry, user, user_in};
use buttonwood_accept::{Browser, Exchange, Value, json, same_keys};

fn ids(browser: &Browser<'_>) -> Vec<(String, bool)> {
    let list = browser.get("/site/sessions").ok();
    let rows = list.as_array().expect("an array").iter();
    rows.map(|row| (row["id"].as_str().expect("a text").to_owned(), row["current"] == json!(true))).collect()
}

/// A user sees the own sessions and ends them, one or all others.
#[test]
fn sessions_are_listed_and_ended() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    user(&x, "b@people.test");
    let [one, two, three] = [(); 3].map(|()| Browser::of(&x, "a@people.test"));
    let other = Browser::of(&x, "b@people.test");
    let list = one.get("/site/sessions").ok();
    let row = &list[0];
    same_keys(row, &["id", "created_ms", "last_ms", "address", "agent", "current"], row);
    let all = ids(&one);
    assert_eq!(all.len(), 3);
    assert_eq!(all.iter().filter(|(_, current)| *current).count(), 1);
    let second = ids(&two).into_iter().find(|(_, current)| *current).expect("the current one").0;
    one.post("/site/sessions/end", &json!({ "id": second })).ok();
    one.post("/site/sessions/end", &json!({ "id": second })).refused(404, "EndpointNotFound");
    two.get("/site/session").refused(401, "SignInRequired");
    one.post("/site/sessions/end", &json!({ "others": true })).ok();
    three.get("/site/session").refused(401, "SignInRequired");
    other.get("/site/session").ok();
    let [(own, true)] = &ids(&one)[..] else { panic!("one session is left") };
    for wrong in [json!({}), json!({ "others": false }), json!({ "id": own, "others": true })] {
        assert_eq!(one.post("/site/sessions/end", &wrong).status(), 400, "{wrong}");
    }
    one.post("/site/sessions/end", &json!({ "id": own })).ok();
    assert_eq!(one.cookie("session"), None);
}

/// A session ends after 30 minutes without use, and each use counts.
#[test]
fn an_idle_session_ends() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let (used, idle) = (Browser::of(&x, "a@people.test"), Browser::of(&x, "a@people.test"));
    x.advance(29 * 60);
    used.get("/site/session").ok();
    x.advance(60);
    idle.get("/site/session").refused(401, "SignInRequired");
    x.advance(28 * 60);
    used.get("/settings/security");
    x.advance(29 * 60);
    used.get("/site/sessions").ok();
    x.advance(31 * 60);
    used.get("/site/session").refused(401, "SignInRequired");
}

/// A session ends after 12 hours, however much it is used.
#[test]
fn an_old_session_ends() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    for _ in 0..12 * 3 {
        browser.get("/site/session").ok();
        x.advance(20 * 60);
    }
    browser.get("/site/session").refused(401, "SignInRequired");
}

/// Sessions, whole and half, outlive a kill; those that ended stay ended.
#[test]
fn sessions_outlive_a_kill() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let (full, ended, half) =
        (Browser::of(&x, "a@people.test"), Browser::of(&x, "a@people.test"), Browser::new(&x));
    half.post("/site/signin", &entry("a@people.test")).ok();
    let cookie = ended.cookie("session");
    ended.post("/site/signout", &json!({})).ok();
    ended.set_cookie("session", cookie.as_deref());
    x.kill9();
    x.restart();
    assert_eq!(full.get("/site/session").ok()["user"]["email"], "a@people.test");
    ended.get("/site/session").refused(401, "SignInRequired");
    half.get("/site/session").refused(403, "SecondFactorRequired");
}

/// A user has at most 20 sessions: another one ends the oldest.
#[test]
fn the_oldest_session_makes_room() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browsers: Vec<Browser<'_>> = (0..21).map(|_| Browser::of(&x, "a@people.test")).collect();
    browsers[0].get("/site/session").refused(401, "SignInRequired");
    browsers[1].get("/site/session").ok();
    assert_eq!(ids(&browsers[20]).len(), 20);
}

/// The fields of a session, and of an operator's.
#[test]
fn a_session_shows_its_user() {
    let x = Exchange::start();
    user_in(&x, "a@people.test", "one", &["Trader"]);
    let session = Browser::of(&x, "a@people.test").get("/site/session").ok();
    let keys = ["user", "group", "roles", "account", "accounts", "counterparty_id", "operator", "csrf"];
    same_keys(&session, &keys, &session);
    assert_eq!((&session["group"], &session["roles"]), (&json!("one"), &json!(["Trader"])));
    let accounts = session["accounts"].as_array().expect("an array");
    assert!(accounts.contains(&session["account"]), "{session}");
    let operator = Browser::of(&x, "operator@house.test").get("/site/session").ok();
    let nulls: Vec<&Value> =
        ["group", "account", "counterparty_id"].iter().map(|name| &operator[*name]).collect();
    assert_eq!(nulls, [&json!(null); 3]);
    assert_eq!((&operator["accounts"], &operator["operator"]), (&json!([]), &json!(true)));
}

/// A user chooses an account of the group, and no other.
#[test]
fn an_account_is_chosen() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let session = browser.get("/site/session").ok();
    let other =
        session["accounts"].as_array().expect("accounts").iter().find(|name| **name != session["account"]);
    let other = other.expect("group one has two accounts");
    browser.post("/site/account", &json!({ "account": other })).ok();
    assert_eq!(&browser.get("/site/session").ok()["account"], other);
    for foreign in ["nosuch", "", "counterparty"] {
        browser.post("/site/account", &json!({ "account": foreign })).refused(400, "InvalidAccountName");
    }
    let operator = Browser::of(&x, "operator@house.test");
    operator.post("/site/account", &json!({ "account": other })).refused(400, "InvalidAccountName");
}

/// A number chooses the account whatever its name is by now, and none that is not of the group; the refusal names field and value.
#[test]
fn an_account_is_chosen_by_its_number() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let session = browser.get("/site/session").ok();
    let mut accounts = session["accounts"].as_array().expect("accounts").iter().filter_map(Value::as_str);
    let other = accounts.rfind(|name| session["account"] != *name).expect("group one has two accounts");
    let number = number_of(&browser, other);
    browser.post("/site/account", &json!({ "number": number })).ok();
    assert_eq!(browser.get("/site/session").ok()["account"], other);
    browser.post("/site/account", &json!({ "number": number.to_string() })).ok();
    let choose = |body: &Value| browser.post("/site/account", body);
    let refusal = choose(&json!({ "number": 4_000_000_000_u32 })).refused(400, "InvalidAccountName");
    assert_eq!(refusal.message, "Field 'number' names no open account of your group: '4000000000'");
    choose(&json!({ "number": u64::MAX })).refused(400, "InvalidAccountName");
    for wrong in [json!("x"), json!(-1), json!(1.5), json!(true)] {
        choose(&json!({ "number": wrong })).refused(400, "InvalidParameterValue");
    }
    choose(&json!({ "number": number, "account": other })).refused(400, "InvalidParameterValue");
    choose(&json!({})).refused(400, "MissingPayloadKey");
    let operator = Browser::of(&x, "operator@house.test");
    operator.post("/site/account", &json!({ "number": number })).refused(400, "InvalidAccountName");
}

/// A call of a page that shows another account than the chosen one is refused and does nothing; choosing itself stays possible.
#[test]
fn a_page_of_another_account_is_refused() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let session = browser.get("/site/session").ok();
    let shown = session["account"].as_str().expect("an account").to_owned();
    let accounts = session["accounts"].as_array().expect("accounts");
    let other = accounts.iter().filter_map(Value::as_str).find(|name| *name != shown).expect("another");
    let order = json!({
        "request": "/v1/order/new", "symbol": "btcusd", "amount": "0.01", "price": "100", "side": "buy", "type": "exchange limit"
    });
    let preview = json!({ "symbol": "btcusd", "amount": "0.01", "price": "100", "side": "buy", "type": "exchange limit" });
    let of_page = |path: &str, body: &Value| {
        let headers = [("Content-Type", "application/json"), ("X-Account", shown.as_str())];
        browser.send("POST", path, &headers, body.to_string().as_bytes())
    };
    of_page("/site/call", &order).ok();
    of_page("/site/account", &json!({ "account": other })).ok();
    for (path, body) in [("/site/call", &order), ("/site/preview", &preview), ("/site/stream", &json!({}))] {
        let refusal = of_page(path, body).refused(409, "InvalidAccountName");
        assert!(refusal.message.contains(&shown) && refusal.message.contains(other), "{refusal:?}");
    }
    let live = browser.post("/site/call", &json!({ "request": "/v1/orders" })).ok();
    assert_eq!(live, json!([]), "nothing was placed on '{other}'");
    let file = |account: &str| browser.get(&format!("/site/statement.csv?account={account}"));
    file(&shown).refused(409, "InvalidAccountName");
    assert_eq!(file(other).status(), 200);
    let queue = browser.send("GET", "/site/queue?symbol=btcusd", &[("X-Account", shown.as_str())], b"");
    queue.refused(409, "InvalidAccountName");
    of_page("/site/preferences", &json!({ "value": {} })).ok();
    of_page("/site/account", &json!({ "account": shown })).ok();
    of_page("/site/call", &order).ok();
    browser.post("/site/call", &order).ok();
}

/// The number of an account of the browser's group.
fn number_of(browser: &Browser<'_>, name: &str) -> u64 {
    let accounts = browser.get("/site/accounts").ok();
    let found = accounts.as_array().expect("accounts").iter().find(|account| account["name"] == name);
    found.and_then(|account| account["number"].as_u64()).expect("a number")
}

/// A call acts on the account whose number it names, by its address or its header, whichever is chosen: two tabs trade two accounts. A renamed
/// account goes on (D-289).
#[test]
fn a_call_acts_on_the_account_that_it_names() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let session = browser.get("/site/session").ok();
    let shown = session["account"].as_str().expect("an account").to_owned();
    let accounts = session["accounts"].as_array().expect("accounts");
    let other = accounts.iter().filter_map(Value::as_str).find(|name| *name != shown).expect("another");
    let (own, foreign) = (number_of(&browser, &shown), number_of(&browser, other));
    let order = json!({
        "request": "/v1/order/new", "symbol": "btcusd", "amount": "0.01", "price": "100", "side": "buy", "type": "exchange limit"
    });
    let live = json!({ "request": "/v1/orders" });
    let of = |number: u64, body: &Value| browser.post(&format!("/site/call?account={number}"), body).ok();
    let count = |number: u64| of(number, &live).as_array().expect("orders").len();
    browser.post("/site/account", &json!({ "account": other })).ok();
    of(own, &order);
    let header = own.to_string();
    let headers = [("Content-Type", "application/json"), ("X-Account", header.as_str())];
    browser.send("POST", "/site/call", &headers, order.to_string().as_bytes()).ok();
    assert_eq!((count(own), count(foreign)), (2, 0), "the chosen account is '{other}'");
    assert_eq!(browser.post("/site/call", &live).ok(), json!([]), "without a number the chosen one counts");
    let queue = |number: u64| browser.get(&format!("/site/queue?symbol=btcusd&account={number}")).ok();
    let rows = |number: u64| queue(number).as_array().expect("rows").len();
    assert_eq!((rows(own), rows(foreign)), (2, 0));
    browser.post(&format!("/site/stream?account={own}"), &json!({})).ok();
    assert_eq!(browser.get(&format!("/site/statement.csv?account={own}")).status(), 200);
    let page = |path: &str| browser.get(path).reply.text();
    let names = |number: u64| format!("\"number\":{number},\"numbered\"");
    assert!(page(&format!("/account?account={own}")).contains(&names(own)), "the page is that of the tab");
    assert!(page("/account").contains(&names(foreign)), "without a number it is the one chosen last");
    let led = browser.get(&format!("/trade?account={own}"));
    let location = led.reply.header("location").unwrap_or_default();
    assert!(
        location.ends_with(&format!("?account={own}")),
        "the way to the largest market keeps it: {location}"
    );
    // Another account bears the name by now: the number still means the first.
    let rename = |from: &str, to: &str| {
        x.as_("master").call("/v1/account/rename", json!({ "account": from, "newAccount": to })).ok();
    };
    rename(&shown, "before");
    rename(other, &shown);
    assert_eq!((count(own), count(foreign)), (2, 0));
    assert_eq!(number_of(&browser, "before"), own);
}

/// A name of digits is a name where no account of the group has that number; where one has it, the number counts, and the account with that
/// name is reached by its own number (D-289).
#[test]
fn an_account_whose_name_is_a_number_is_reached() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let session = browser.get("/site/session").ok();
    let shown = session["account"].as_str().expect("an account").to_owned();
    let accounts = session["accounts"].as_array().expect("accounts");
    let other = accounts.iter().filter_map(Value::as_str).find(|name| *name != shown).expect("another");
    let (own, second) = (number_of(&browser, &shown), number_of(&browser, other));
    let order = json!({
        "request": "/v1/order/new", "symbol": "btcusd", "amount": "0.01", "price": "100", "side": "buy", "type": "exchange limit"
    });
    let place = |named: &str| browser.post(&format!("/site/call?account={named}"), &order);
    let count = |number: u64| {
        let live = json!({ "request": "/v1/orders" });
        let orders = browser.post(&format!("/site/call?account={number}"), &live).ok();
        orders.as_array().expect("orders").len()
    };
    let rename = |from: &str, to: &str| {
        x.as_("master").call("/v1/account/rename", json!({ "account": from, "newAccount": to })).ok();
    };
    let page = |named: &str| browser.get(&format!("/account?account={named}")).reply.text();
    let header = |named: &str| {
        let headers = [("Content-Type", "application/json"), ("X-Account", named)];
        browser.send("POST", "/site/call", &headers, order.to_string().as_bytes())
    };
    for name in ["4000000000", "007"] {
        let before = count(own);
        rename(if name == "007" { "4000000000" } else { &shown }, name);
        place(name).ok();
        header(name).ok();
        assert_eq!(count(own), before + 2, "{name}");
        assert!(page(name).contains("\"unknown_account\":null"), "{name}");
    }
    let number = second.to_string();
    rename("007", &number);
    place(&number).ok();
    header(&number).ok();
    assert_eq!((count(own), count(second)), (4, 2), "a tab of '{other}' goes on trading '{other}'");
    assert!(page(&number).contains(&format!("\"number\":{second},\"numbered\"")));
    place(&own.to_string()).ok();
    assert_eq!(count(own), 5);
    place("4000000000").refused(400, "InvalidAccountName");
}

/// An account of another group, one that does not exist and what is no number act on nothing.
#[test]
fn a_call_names_no_foreign_account() {
    let x = Exchange::start();
    user_in(&x, "a@people.test", "one", &["Trader"]);
    user_in(&x, "b@people.test", "two", &["Trader"]);
    let theirs =
        Browser::of(&x, "b@people.test").get("/site/accounts").ok()[0]["number"].as_u64().expect("a number");
    let browser = Browser::of(&x, "a@people.test");
    let preview = json!({ "symbol": "btcusd", "amount": "0.01", "price": "100", "side": "buy", "type": "exchange limit" });
    let orders = json!({ "request": "/v1/orders" });
    for named in [theirs.to_string(), "4294967295".to_owned(), "99999999999999999999".to_owned()] {
        for (path, body) in
            [("/site/call", &orders), ("/site/preview", &preview), ("/site/stream", &json!({}))]
        {
            let refusal =
                browser.post(&format!("{path}?account={named}"), body).refused(400, "InvalidAccountName");
            assert!(refusal.message.contains("account") && refusal.message.contains(&named), "{refusal:?}");
        }
        browser.get(&format!("/site/queue?symbol=btcusd&account={named}")).refused(400, "InvalidAccountName");
        browser.get(&format!("/site/statement.csv?account={named}")).refused(400, "InvalidAccountName");
        let page = browser.get(&format!("/account?account={named}")).reply.text();
        assert!(
            page.contains(&format!("\"unknown_account\":\"{named}\"")),
            "the page says that it shows another"
        );
    }
    for named in ["nosuch", "-1", "1x"] {
        browser.post(&format!("/site/call?account={named}"), &orders).refused(409, "InvalidAccountName");
    }
    user_in(&x, "c@people.test", "one", &["Auditor"]);
    let browser = Browser::of(&x, "c@people.test");
    let own = browser.get("/site/accounts").ok()[0]["number"].as_u64().expect("a number");
    let order = json!({
        "request": "/v1/order/new", "symbol": "btcusd", "amount": "0.01", "price": "100", "side": "buy", "type": "exchange limit"
    });
    browser.post(&format!("/site/call?account={own}"), &order).refused(403, "MissingRole");
    browser.post(&format!("/site/call?account={own}"), &orders).ok();
}
