//! The statement of an account that stakes: an accountant's year that adds up, and the worth of the stake (D-286).

use super::*;
use buttonwood_accept::{Browser, laws, run_to_end};
use std::collections::{BTreeMap, BTreeSet};

/// The account of the key `trader` signs in here as well.
const EMAIL: &str = "accountant@people.test";

/// Every line of ETH, oldest first.
fn lines(x: &Exchange) -> Vec<Value> {
    let (mut all, mut since) = (Vec::new(), 0);
    loop {
        let params = json!({ "currency": "ETH", "since_entry_id": since, "limit_entries": 500 });
        let page = list(&x.as_("trader"), "/v1/statement", params);
        let Some(last) = page.last() else { return all };
        since = last["entry_id"].as_str().expect("digits").parse().expect("a number");
        all.extend(page);
    }
}

fn sum<'a>(lines: impl IntoIterator<Item = &'a Value>) -> Dec {
    lines.into_iter().map(|line| Dec::wire(&line["amount"])).sum()
}

fn of<'a>(lines: &'a [Value], cause: &'a str) -> impl Iterator<Item = &'a Value> {
    lines.iter().filter(move |line| line["cause"] == cause)
}

/// The rows of a CSV text by their columns' names.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let names = lines.next().expect("the line with the names");
    lines.map(|cells| names.iter().cloned().zip(cells).collect()).collect()
}

/// Checks that rows of a file are these lines, apart from the sums of the file.
#[track_caller]
fn same(rows: &[BTreeMap<String, String>], lines: &[Value]) {
    let rows: Vec<_> = rows.iter().filter(|row| !row["entry_id"].is_empty()).collect();
    assert_eq!(rows.len(), lines.len());
    for (row, line) in rows.into_iter().zip(lines) {
        for name in ["entry_id", "timestampms", "currency", "amount", "balance", "cause"] {
            assert_eq!(line[name], row[name], "{name} of {line}");
        }
        assert_eq!(line["transaction_id"].as_str().unwrap_or_default(), row["transaction_id"], "{line}");
    }
}

/// The interest of two providers over a year, stakes and redemptions in between, a kill and a restart: each payment is two lines of one
/// moment, paid to the account and staked again; the lines sum to the balance, those of stakes to the stake, and those of interest to the
/// rewards. The page's calls, its file and the export have the same lines.
#[test]
fn a_year_of_interest_adds_up() {
    let x = exchange();
    x.control("/sandbox/staking/fund", &json!({ "currency": "ETH", "amount": "100" })).ok();
    stake(&x, "trader", AT_ONCE, "30");
    stake(&x, "trader", WEEK, "10.5");
    for month in 0..12 {
        x.advance(30 * DAY + 1_234);
        match month {
            2 => drop(unstake(&x, "trader", AT_ONCE, "7.25")),
            4 => drop(unstake(&x, "trader", WEEK, "3")),
            6 => x.kill9(),
            8 => drop(stake(&x, "trader", AT_ONCE, "1.125")),
            _ => {}
        }
        if month == 6 {
            x.restart();
        }
    }
    let year = lines(&x);
    let mut running = Dec::ZERO;
    for line in &year {
        running = running + Dec::wire(&line["amount"]);
        assert_eq!(running, Dec::wire(&line["balance"]), "{line}");
    }
    let off = (running - balance(&x, "trader", "ETH")).abs();
    assert!(off < dec("0.000000000000001"), "the lines sum to {running}");
    let trader = x.as_("trader");
    assert_eq!(trader.balance("ETH").0, trader.balance("ETH").1, "nothing of it is held");

    let interest = |provider: &str| {
        let params = json!({ "providerId": provider, "interestOnly": true, "limit": 500 });
        transactions(&trader, &params)
    };
    let paid: BTreeMap<String, Dec> = [AT_ONCE, WEEK]
        .into_iter()
        .flat_map(interest)
        .map(|row| (row["transactionId"].as_str().unwrap().to_owned(), Dec::wire(&row["amount"])))
        .collect();
    assert_eq!(paid.len(), 720, "a payment of each provider for each day");
    let told: BTreeMap<String, Dec> = of(&year, "staking_interest")
        .map(|line| (line["transaction_id"].as_str().unwrap().to_owned(), Dec::wire(&line["amount"])))
        .collect();
    assert_eq!(told, paid);
    for (place, line) in year.iter().enumerate().filter(|(_, line)| line["cause"] == "staking_interest") {
        let (before, again) = (&year[place - 1], &year[place + 1]);
        assert_eq!((&again["cause"], &again["balance"]), (&json!("stake"), &before["balance"]), "{again}");
        assert_eq!(Dec::wire(&again["amount"]), Dec::ZERO - Dec::wire(&line["amount"]), "{again}");
        for name in ["transaction_id", "timestampms"] {
            assert_eq!(again[name], line[name], "{name} of {again}");
        }
    }
    let staked = sum(of(&year, "stake").chain(of(&year, "redemption")));
    assert_eq!(Dec::ZERO - staked, sums(&x, "trader").0, "what stands in the stake");
    let rewards = exact(&trader.call(REWARDS, json!({ "since": "2026-01-01T00:00:00Z" })));
    let totals = [AT_ONCE, WEEK].map(|provider| Dec::wire(&rewards[provider]["ETH"]["accrualTotal"]));
    assert_eq!(sum(of(&year, "staking_interest")), totals.into_iter().sum::<Dec>());

    x.restart();
    assert_eq!(lines(&x), year, "over a restart");
    let roles = ["Trader", "Fund Manager"];
    let user =
        json!({ "email": EMAIL, "password": "seven green turtles sing", "group": "one", "roles": roles });
    x.control("/sandbox/users", &user).ok();
    let file = Browser::of(&x, EMAIL).get("/site/statement.csv?currency=ETH");
    same(&rows(&file.reply.text()), &year);
    let output = run_to_end(&["export", "--data", x.data().to_str().unwrap(), "--table", "statement"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let key = x.key("trader");
    let mut exported = rows(&String::from_utf8(output.stdout).unwrap());
    exported
        .retain(|row| row["group"] == key.group && row["account"] == key.account && row["currency"] == "ETH");
    same(&exported, &year);
    laws::check(&x);
}

/// A stake is worth what the same balance would be: an account loses nothing by staking. Accounts without one have no such fields.
#[test]
fn a_stake_has_its_worth() {
    let x = exchange();
    let worth = |code: &str| {
        let rows = list(&x.as_("trader"), "/v1/notionalbalances/usd", json!({}));
        rows.into_iter().find(|row| row["currency"] == code).expect("a row")
    };
    let keys = |row: &Value| row.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let before = worth("ETH");
    assert_eq!(keys(&before).len(), 7);
    stake(&x, "trader", AT_ONCE, "30");
    stake(&x, "trader", WEEK, "0.25");
    unstake(&x, "trader", WEEK, "0.25");
    let after = worth("ETH");
    let added = &keys(&after) - &keys(&before);
    assert_eq!(added, BTreeSet::from(["staked".to_owned(), "stakedNotional".to_owned()]));
    assert_eq!((&after["staked"], &after["stakedNotional"]), (&json!("30.25"), &json!("60500")));
    let total = |row: &Value| {
        Dec::wire(&row["amountNotional"]) + row.get("stakedNotional").map_or(Dec::ZERO, Dec::wire)
    };
    assert_eq!(total(&after), total(&before));
    assert_eq!(keys(&worth("BTC")), keys(&before));
    laws::check(&x);
}

/// `all` redeems the whole stake to the last digit, once; any other spelling is no amount, and nothing is staked by it.
#[test]
fn all_is_the_whole_stake() {
    let x = exchange();
    stake(&x, "trader", AT_ONCE, "10.0000000000000000001");
    x.advance(ACCRUES);
    let whole = sums(&x, "trader").0;
    assert!(whole > dec("10.001"), "with its interest: {whole}");
    let trader = x.as_("trader");
    for word in ["All", " all", "all ", "ALL", "al"] {
        let refusal = trader.call(UNSTAKE, request(AT_ONCE, word)).refused(400, "InvalidQuantity");
        assert!(refusal.message.contains("'amount'"), "{refusal:?}");
    }
    trader.call(STAKE, request(AT_ONCE, "all")).refused(400, "InvalidQuantity");
    trader.call(UNSTAKE, request(WEEK, "all")).refused(406, "InsufficientFunds");
    assert_eq!(sums(&x, "trader").0, whole);
    let mut all = request(AT_ONCE, "all");
    all["clientTransferId"] = json!("whole");
    let first = exact(&trader.call(UNSTAKE, all.clone()));
    assert_eq!(Dec::wire(&first["amount"]), whole, "{first}");
    assert_eq!(staked(&x, "trader", "ETH"), None);
    assert_eq!(exact(&trader.call(UNSTAKE, all)), first, "a repeated call has the same reply");
    let refusal = trader.call(UNSTAKE, request(AT_ONCE, "all")).refused(406, "InsufficientFunds");
    assert!(refusal.message.contains("no ETH staked"), "{refusal:?}");
    laws::check(&x);
}
