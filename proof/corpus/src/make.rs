//! Makes a directory of this build: the real binary, driven over HTTP by seeded dice, or the sequencer driven by the dealer of
//! the naive exchange.

mod agreed;
mod identity;
mod pages;
mod predictions;
mod sandbox;
mod venue;

use crate::{copy, directories, dump, list};
use buttonwood_accept::{Exchange, Setup};
use buttonwood_engine::{Body, Command, FeeChange, FeeSchedule, TradingCommand};
use buttonwood_journal::{Batch, Options, Reader};
use buttonwood_model::{AccountId, Product, Time};
use buttonwood_num::Bps;
use buttonwood_oracle::Dice;
use buttonwood_sequencer::recover;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::fs;
use std::path::Path;

/// A way to make a directory.
pub(crate) type Recipe = fn(&Path);

/// Every recipe by its name.
pub const RECIPES: [(&str, Recipe); 20] = [
    ("spot", spot),
    ("auctions", auctions),
    ("crashes", crashes),
    ("commands", commands),
    ("names", names),
    ("rates", rates),
    ("stops", stops),
    ("conversions", conversions),
    ("accounts", accounts),
    ("operations", operations),
    ("funds", funds),
    ("perpetuals", perpetuals),
    ("advances", advances),
    ("rows", rows),
    ("agreed", agreed::agreed),
    ("predictions", predictions::predictions),
    ("identity", identity::identity),
    ("venue", venue::venue),
    ("pages", pages::pages),
    ("sandbox", sandbox::sandbox),
];

/// Makes `FORMAT-NAME` in the corpus with a recipe, its text and its line of the list.
///
/// # Panics
/// When the directory is there already or cannot be made.
pub fn make(name: &str, recipe: Recipe) {
    let name = format!("format-{}-{name}", buttonwood_engine::FORMAT);
    let target = directories().join(&name);
    assert!(
        !target.exists() && !list::has(&name),
        "{} is part of the corpus and is never changed",
        target.display()
    );
    let home = tempfile::tempdir().expect("a temporary folder");
    let data = home.path().join("data");
    recipe(&data);
    copy(&data, &target);
    let text = described(&target);
    fs::write(directories().join(format!("{name}.txt")), text).expect("the text");
    list::add(&name);
}

/// Fingerprints and dump of a directory, read in a copy: that of balances, and for batches that have it that of rows too.
///
/// # Panics
/// When it cannot be read.
pub fn described(directory: &Path) -> String {
    let home = tempfile::tempdir().expect("a temporary folder");
    let data = home.path().join("data");
    copy(directory, &data);
    let newest = newest_batch(&data);
    let recovered = recover(data.as_path(), Options::default()).expect("it is read");
    let state = recovered.views().state();
    let of_rows = match newest {
        1 => String::new(),
        _ => format!("fingerprint with rows {:016x}\n", state.fingerprint()),
    };
    format!("fingerprint {:016x}\n{of_rows}{}", state.fingerprint_of_balances(), dump(state))
}

/// The newest format of a directory's batches.
fn newest_batch(data: &Path) -> u32 {
    let mut reader = Reader::open(data.join("journal").as_path()).expect("a journal");
    let end = reader.verify().expect("it is whole").end.seq;
    let mut newest = 0;
    let visit = |batch: &Batch<'_>| {
        newest = newest.max(batch.version());
        Ok::<_, Infallible>(())
    };
    reader.replay(None, end, visit).expect("it is read");
    newest
}

fn started(data: &Path) -> Exchange {
    setup().start_in(data)
}

fn setup() -> Setup {
    Exchange::builder().flag("--segment-bytes", "65536").flag("--ballast-bytes", "0").flag("--seed", "7")
}

/// Symbols that are traded: the middle of their prices, and how far from it orders lie.
const SYMBOLS: [(&str, u64, u64); 2] = [("btcusd", 50_000, 100), ("ethusd", 3_000, 50)];
const TRADERS: [&str; 5] = ["trader", "second-session", "savings-trader", "counterparty", "load-000"];
const OPTIONS: [&str; 3] = ["maker-or-cancel", "immediate-or-cancel", "fill-or-kill"];

/// One random call of an order; whether it was sent to an exchange that lived.
fn trade(exchange: &Exchange, dice: &mut Dice, number: u64) -> bool {
    let actor = exchange.as_(TRADERS[usize::try_from(dice.below(5)).expect("small")]);
    let (symbol, middle, spread) = SYMBOLS[usize::try_from(dice.below(2)).expect("small")];
    let side = if dice.once_in(2) { "buy" } else { "sell" };
    let price = middle - spread + dice.below(2 * spread);
    let amount = format!("0.{:02}", 1 + dice.below(60));
    let mut order = json!({ "symbol": symbol, "side": side, "type": "exchange limit", "amount": amount,
        "price": format!("{price}.{:02}", dice.below(100)) });
    if dice.once_in(4) {
        order["client_order_id"] = json!(format!("corpus-{number}"));
    }
    if dice.once_in(5) {
        order["options"] = json!([OPTIONS[usize::try_from(dice.below(3)).expect("small")]]);
    }
    let (path, call) = match dice.below(12) {
        0 => ("/v1/order/cancel", json!({ "order_id": 100 + dice.below(number + 1) })),
        1 if dice.once_in(4) => ("/v1/order/cancel/session", json!({})),
        2 if dice.once_in(8) => ("/v1/order/cancel/all", json!({})),
        3 => (
            "/v1/order/new",
            json!({ "symbol": symbol, "side": "buy", "type": "exchange market",
            "total_spend": format!("{}.5", 20 + dice.below(500)) }),
        ),
        4 => ("/v1/order/status", json!({ "client_order_id": format!("corpus-{}", dice.below(number + 1)) })),
        _ => ("/v1/order/new", order),
    };
    actor.try_call(path, call).is_ok()
}

fn control(exchange: &Exchange, path: &str, body: &Value) {
    exchange.control(path, body).ok();
}

/// Orders of every kind, cancels, statuses, credits, accounts, a listing; two clean stops.
fn spot(data: &Path) {
    let mut dice = Dice::seeded(8);
    let exchange = started(data);
    control(
        &exchange,
        "/sandbox/accounts",
        &json!({ "group": "one", "name": "corpus margin", "kind": "margin" }),
    );
    control(
        &exchange,
        "/sandbox/symbols",
        &json!({ "symbol": "dogegbp", "base_currency": "DOGE",
        "quote_currency": "GBP", "tick_size": "0.000001", "quote_increment": "0.00001", "min_order_size": "0.1" }),
    );
    for number in 0..240 {
        trade(&exchange, &mut dice, number);
        if number % 40 == 0 {
            exchange.advance(3 * 3_600);
        }
        if number == 90 {
            exchange.set_status("ethusd", "post_only");
        }
        if number == 120 {
            exchange.set_status("ethusd", "closed");
            exchange.stop();
            exchange.restart();
            exchange.set_status("ethusd", "open");
        }
    }
    exchange.credit("empty", "USD", "123.456789");
    exchange.stop();
}

/// An auction that has run, one that is announced and waits with orders, one that was called off.
fn auctions(data: &Path) {
    let mut dice = Dice::seeded(9);
    let exchange = started(data);
    for (symbol, seconds) in [("btcusd", 1_200), ("ethusd", 7_200), ("ltcusd", 3_600)] {
        exchange.schedule_auction(symbol, &json!({ "every_seconds": 3_600 }), seconds);
    }
    for number in 0..100 {
        trade(&exchange, &mut dice, number);
        let (symbol, middle, spread) = SYMBOLS[usize::try_from(dice.below(2)).expect("small")];
        let side = if dice.once_in(2) { "buy" } else { "sell" };
        let price = middle - spread + dice.below(2 * spread);
        let order = json!({ "symbol": symbol, "side": side, "type": "exchange limit", "amount": "0.25",
            "price": price.to_string(), "options": ["auction-only"] });
        let _ = exchange
            .as_(TRADERS[usize::try_from(dice.below(5)).expect("small")])
            .call("/v1/order/new", order);
        if number % 10 == 9 {
            exchange.advance(240);
        }
    }
    control(&exchange, "/sandbox/symbols/ltcusd/auctions", &json!({ "enabled": false }));
    exchange.kill9();
}

/// Killed ten times between two calls, each time on, and killed at the end.
fn crashes(data: &Path) {
    let mut dice = Dice::seeded(10);
    let exchange = started(data);
    for number in 0..150 {
        trade(&exchange, &mut dice, number);
        if number % 15 == 14 {
            exchange.kill9();
            exchange.restart();
        }
    }
    exchange.kill9();
}

/// Stop-limit orders that wait, that were cancelled and that trades triggered; killed at the end.
fn stops(data: &Path) {
    let mut dice = Dice::seeded(13);
    let exchange = started(data);
    for number in 0..150 {
        trade(&exchange, &mut dice, number);
        let (symbol, middle, spread) = SYMBOLS[usize::try_from(dice.below(2)).expect("small")];
        let side = if dice.once_in(2) { "buy" } else { "sell" };
        let price = middle - spread + dice.below(2 * spread);
        let away = 1 + dice.below(spread / 5);
        let stop = if side == "buy" { price - away } else { price + away };
        let order = json!({ "symbol": symbol, "side": side, "type": "exchange stop limit", "amount": "0.125",
            "price": price.to_string(), "stop_price": stop.to_string(), "client_order_id": format!("stop-{number}") });
        let trader = exchange.as_(TRADERS[usize::try_from(dice.below(5)).expect("small")]);
        let _ = trader.call("/v1/order/new", order);
    }
    exchange.kill9();
}

/// Wraps, quotes and their executions, under terms that were set, with quotes that may still be executed at the end; it ends by kill.
fn conversions(data: &Path) {
    let mut dice = Dice::seeded(17);
    let exchange = started(data);
    exchange.control("/sandbox/instant", &json!({ "fee_bps": 75, "exposure_usd": "250000" })).ok();
    for number in 0..120 {
        trade(&exchange, &mut dice, number);
        let trader = exchange.as_(TRADERS[usize::try_from(dice.below(5)).expect("small")]);
        let side = if dice.once_in(2) { "buy" } else { "sell" };
        let wrap = json!({ "side": side, "amount": "12.5", "client_order_id": format!("wrap-{number}") });
        let _ = trader.call("/v1/wrap/gusdusd", wrap);
        let spend = if side == "buy" { "250" } else { "0.01" };
        let request = json!({ "symbol": "btcusd", "side": side, "totalSpend": spend });
        let quoted = trader.call("/v1/instant/quote", request);
        if quoted.status() == 200 && dice.once_in(2) {
            let quote = quoted.ok();
            let execution = json!({ "symbol": quote["pair"], "side": side, "quantity": quote["quantity"],
                "price": quote["price"], "fee": quote["fee"], "quoteId": quote["quoteId"] });
            let _ = trader.call("/v1/instant/execute", execution);
        }
    }
    exchange.kill9();
}

/// Commands without an endpoint, written by the sequencer alone: fee schedules of products and accounts, with the orders of the
/// directory `spot` under them.
fn commands(data: &Path) {
    spot(data);
    let mut recovered = recover(data, Options::default()).expect("the directory is read");
    let rates = |maker, taker, auction| {
        Some(FeeSchedule { maker: Bps(maker), taker: Bps(taker), auction: Bps(auction) })
    };
    let fees = |product, account, schedule| Command {
        caller: None,
        body: Body::Trading(TradingCommand::SetFees(FeeChange { product, account, schedule })),
    };
    let time = recovered.views().state().stamp().time;
    let later = Time(time.0 + 1);
    let changes = vec![
        fees(Product::Spot, None, rates(15, 35, 10)),
        fees(Product::Swap, None, rates(2, 5, 2)),
        fees(Product::Spot, Some(AccountId(3)), rates(0, 10, 0)),
        fees(Product::Spot, Some(AccountId(4)), rates(1, 2, 1)),
        fees(Product::Spot, Some(AccountId(4)), None),
    ];
    recovered.commit(later, changes).expect("fees are set");
    drop(recovered);
    let exchange = started(data);
    let mut dice = Dice::seeded(11);
    for number in 240..300 {
        trade(&exchange, &mut dice, number);
    }
    exchange.kill9();
}

/// Accounts with display names, and renames of both kinds among orders; a snapshot lies between them.
fn names(data: &Path) {
    let mut dice = Dice::seeded(12);
    let exchange = started(data);
    let open = json!({ "group": "one", "name": "Corpus Margin", "kind": "margin" });
    control(&exchange, "/sandbox/accounts", &open);
    let rename = |names: Value| exchange.as_("master").call("/v1/account/rename", names).ok();
    for number in 0..90 {
        trade(&exchange, &mut dice, number);
        match number {
            10 => {
                rename(json!({ "account": "savings", "newName": "S\u{f8}n \"&\" Co", "newAccount": "vault" }))
            }
            20 => rename(json!({ "account": "primary", "newName": "First" })),
            30 => rename(json!({ "account": "corpus-margin", "newAccount": "margin" })),
            40 => {
                exchange.stop();
                exchange.restart();
                rename(json!({ "account": "primary", "newName": "Second" }))
            }
            50 => rename(json!({ "account": "vault", "newAccount": "reserve" })),
            _ => Value::Null,
        };
    }
    exchange.kill9();
}

/// Exchange rates before, between and after the samples, of several providers, among orders; a snapshot lies between them.
fn rates(data: &Path) {
    let mut dice = Dice::seeded(13);
    let exchange = started(data);
    for number in 0..60 {
        trade(&exchange, &mut dice, number);
        let pair = ["EURUSD", "KRWUSD", "GBPUSD"][usize::try_from(dice.below(3)).expect("small")];
        let provider = ["bank", "b\u{e4}nk", "sandbox"][usize::try_from(dice.below(3)).expect("small")];
        let time = 1_700_000_000_000 + dice.below(150_000_000) * 1_000 + number;
        let rate = format!("{}.{:012}", dice.below(3), 1 + dice.below(1_000_000_000_000));
        let fields = json!({ "pair": pair, "rate": rate, "time_ms": time, "provider": provider });
        control(&exchange, "/sandbox/fx", &fields);
        if number == 30 {
            exchange.stop();
            exchange.restart();
        }
    }
    exchange.kill9();
}

/// Accounts that a group's administrator creates, some of which are traded on and some closed, under changing terms of the group; a
/// snapshot lies between them.
fn accounts(data: &Path) {
    let mut dice = Dice::seeded(14);
    let exchange = started(data);
    let create = |name: &str, kind: &str| {
        exchange.as_("master").call("/v1/account/create", json!({ "name": name, "type": kind })).ok();
    };
    let close = |group: &str, account: &str| {
        control(&exchange, "/sandbox/accounts/close", &json!({ "group": group, "account": account }));
    };
    let set_terms = |accounts_max: u64, custody: bool| {
        let terms = json!({ "group": "one", "accounts_max": accounts_max, "custody_terms": custody });
        control(&exchange, "/sandbox/groups", &terms);
    };
    for number in 0..90 {
        trade(&exchange, &mut dice, number);
        match number {
            10 => create("Desk 2", "exchange"),
            20 => create("Cash & Co", "custody"),
            30 => close("one", "cash--co"),
            40 => {
                exchange.stop();
                exchange.restart();
                create("Desk 3", "exchange");
            }
            50 => set_terms(4, false),
            60 => close("five", "primary"),
            70 => set_terms(9, true),
            _ => {}
        }
        if number > 10 {
            let credit = json!({ "group": "one", "account": "desk-2", "currency": "USD", "amount": "1000" });
            control(&exchange, "/sandbox/accounts/credit", &credit);
            let order = json!({ "account": "desk-2", "symbol": "btcusd", "side": "buy", "type": "exchange limit",
                "amount": "0.01", "price": "49000" });
            exchange.as_("master").call("/v1/order/new", order).ok();
        }
    }
    exchange.kill9();
}

/// Acts of operators among orders: groups, accounts, keys that are made, disabled, ended and re-roled, credits and debits with
/// references, fees, a halt that ends and one that stays; a snapshot lies between them.
fn operations(data: &Path) {
    const WHY: [&str; 2] = ["--reason", "corpus"];
    let mut dice = Dice::seeded(15);
    let exchange = started(data);
    let act = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        exchange.admin(&words).done()
    };
    let reasoned = |words: &str| {
        let words: Vec<&str> = words.split(' ').chain(WHY).collect();
        exchange.admin(&words).done()
    };
    let key = |words: &str| act(words)["api_key"].as_str().expect("a key has a text").to_owned();
    act("group add corpus --max-accounts 3");
    act("account add corpus desk --kind exchange");
    let first = key("key add --group one --account savings --role trader --from 127.0.0.0/8");
    let second = key("key add --group corpus --account desk --role fund-manager --require-heartbeat");
    let master = key("key add --group corpus --role administrator --time-based-nonce");
    for number in 0..90 {
        trade(&exchange, &mut dice, number);
        match number {
            10 => drop(reasoned("credit corpus desk USD 1000.5 --reference wire-1")),
            15 => drop(reasoned("debit corpus desk USD 250.25 --reference wire-2")),
            20 => drop(act(&format!("key disable {first} --cancel-orders"))),
            25 | 85 => drop(reasoned("halt")),
            30 => drop(reasoned("resume")),
            35 => drop(act(&format!("key enable {first}"))),
            40 => {
                exchange.stop();
                exchange.restart();
                act(&format!("key roles {first} --role Auditor"));
            }
            45 => drop(act(&format!("key end {second}"))),
            50 => drop(act(&format!("key rename {master} corpus-master"))),
            55 => drop(act(&format!("key from {master} 192.0.2.7 2001:db8::/32"))),
            60 => drop(reasoned("house fund rounding USD 2.5")),
            65 => drop(act("fees set --maker-bps 7 --taker-bps 11 --group one --account savings")),
            _ => {}
        }
    }
    exchange.kill9();
}

/// Funds: deposits that wait, are final, are unclaimed and were lost; withdrawals in each status; approvals in each; advances, one returned
/// so that a debt is left; custody moves that wait and that were sent; links to banks; halts of scopes. A snapshot lies between them.
fn funds(data: &Path) {
    const BTC: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    const OTHER: &str = "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3";
    const ETH: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    let exchange = setup().flag("--funds", "simulated").start_in(data);
    let owner = || exchange.as_("fund-manager");
    let chain = |network: &str, call: &str, body: Value| {
        exchange.control(&format!("/sandbox/chains/{network}/{call}"), &body).ok()
    };
    let request = |network: &str, address: &str| {
        let path = format!("/v1/approvedAddresses/{network}/request");
        owner().call(&path, json!({ "address": address, "label": "corpus" })).ok();
    };
    let withdraw = |pair: &str, address: &str, id: &str| {
        let order = json!({ "address": address, "amount": "0.25", "clientTransferId": id });
        owner().call(&format!("/v2/withdraw/{pair}"), order).ok()
    };
    let node = |network: &str, broadcast: &str| {
        chain(network, "node", json!({ "broadcast": broadcast, "times": 1 }));
    };
    request("bitcoin", BTC);
    request("ethereum", ETH);
    exchange.advance(7 * 86_400);
    request("bitcoin", OTHER);
    control(&exchange, "/sandbox/groups/one/multi-user", &json!({ "on": true }));
    request("litecoin", "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9");
    control(&exchange, "/sandbox/groups/one/multi-user", &json!({ "on": false }));
    // Deposits: one that is final, and one that a reorganisation drops.
    let address = |network: &str| {
        let made = owner().call(&format!("/v1/deposit/{network}/newAddress"), json!({})).ok();
        made["address"].as_str().expect("an address").to_owned()
    };
    let (own, shared) = (address("bitcoin"), address("xrpl"));
    let send = |network: &str, address: &str, currency: &str, amount: &str| {
        chain(network, "send", json!({ "address": address, "currency": currency, "amount": amount }));
    };
    send("bitcoin", &own, "BTC", "1.5");
    chain("bitcoin", "mine", json!({ "blocks": 4 }));
    send("bitcoin", &own, "BTC", "0.75");
    chain("bitcoin", "mine", json!({ "blocks": 1 }));
    chain("bitcoin", "reorg", json!({ "depth": 1, "drop": true }));
    let plain = shared.split('?').next().unwrap_or_default();
    send("xrpl", plain, "XRP", "12");
    chain("xrpl", "mine", json!({ "blocks": 3 }));
    // Withdrawals: complete, failed, voided, charged.
    withdraw("bitcoin/btc", BTC, "complete");
    chain("bitcoin", "mine", json!({ "blocks": 4 }));
    node("ethereum", "revert");
    withdraw("ethereum/eth", ETH, "failed");
    chain("ethereum", "mine", json!({ "blocks": 14 }));
    node("bitcoin", "refuse");
    withdraw("bitcoin/btc", BTC, "voided");
    chain("bitcoin", "mine", json!({ "blocks": 5 }));
    for number in 0..11 {
        withdraw("ethereum/eth", ETH, &format!("charged-{number}"));
    }
    chain("ethereum", "mine", json!({ "blocks": 14 }));
    // Custody: a move that was sent, and one that waits.
    let account = json!({ "group": "one", "name": "Cold", "kind": "custody" });
    control(&exchange, "/sandbox/accounts", &account);
    let transfer = |source: &str, target: &str, currency: &str| {
        let fields = json!({ "sourceAccount": source, "targetAccount": target, "amount": "0.5" });
        exchange.as_("master").call(&format!("/v1/account/transfer/{currency}"), fields).ok();
    };
    transfer("primary", "cold", "btc");
    exchange.stop();
    exchange.restart();
    exchange.advance(86_400);
    transfer("cold", "primary", "btc");
    transfer("primary", "cold", "eth");
    // Banks: a wire, an advance that waits, and one that was returned after its money had gone.
    let poor = exchange.key("empty");
    let wire = |group: &str, account: &str, method: &str, amount: &str| {
        let fields = json!({ "group": group, "account": account, "currency": "USD", "amount": amount,
            "method": method, "accountnumber": "", "routing": "" });
        exchange.control("/sandbox/banks/wire", &fields).ok()["eid"].clone()
    };
    wire("one", "primary", "Wire", "1000");
    wire("one", "primary", "ACH", "250.5");
    let returned = wire(&poor.group, &poor.account, "ACH", "125.25");
    let spent =
        ["debit", &poor.group, &poor.account, "USD", "100", "--reference", "spent", "--reason", "corpus"];
    exchange.admin(&spent).done();
    exchange.control("/sandbox/banks/settle", &json!({ "eid": returned, "returned": true })).ok();
    // Payments that wait at the end.
    send("bitcoin", &own, "BTC", "2.5");
    withdraw("bitcoin/btc", BTC, "waiting");
    control(&exchange, "/sandbox/halt", &json!({ "scope": "asset", "currency": "ETH" }));
    exchange.kill9();
}

/// Perpetuals: positions, live orders, hours of funding with a premium, risk settings, collateral, a fund; a liquidation that the book,
/// the fund and opposite positions take, and a debt that stays. A snapshot lies between them, and the process is killed at the end.
fn perpetuals(data: &Path) {
    let exchange = setup().flag("--snapshot-every", "60").start_in(data);
    positions(&exchange);
    exchange.kill9();
}

fn positions(exchange: &Exchange) {
    const BTC: &str = "btcgusdperp";
    let pin = |currency: &str, price: &str| {
        control(exchange, &format!("/sandbox/index/{currency}"), &json!({ "price": price }));
    };
    let order = |key: &str, symbol: &str, side: &str, amount: &str, price: &str| {
        let fields = json!({ "symbol": symbol, "side": side, "type": "exchange limit", "amount": amount, "price": price });
        exchange.as_(key).call("/v1/order/new", fields).ok();
    };
    let fund = |amount: &str| {
        control(exchange, "/sandbox/ledger/insurance", &json!({ "currency": "GUSD", "amount": amount }));
    };
    pin("BTC", "50000");
    pin("ETH", "3000");
    fund("1000");
    let risk =
        json!({ "group": "perp", "account": "perp-003", "max_leverage": "10", "cross_collateral": true });
    control(exchange, "/sandbox/accounts/risk", &risk);
    for (long, short) in [("perp-000", "perp-001"), ("perp-002", "perp-003"), ("perp-004", "perp-005")] {
        order(short, BTC, "sell", "10", "50000");
        order(long, BTC, "buy", "10", "50000");
    }
    order("perp-006", "ethgusdperp", "buy", "5", "2990");
    order("perp-007", "ethgusdperp", "sell", "5", "3010");
    // The book is above the index, so longs pay.
    order("perp-001", BTC, "buy", "0.1", "50020");
    order("perp-003", BTC, "sell", "0.1", "50040");
    exchange.advance(3 * 3_600);
    exchange.restart();
    // A bid takes a part; the fund takes what it can, and the others are deleveraged.
    order("perp-008", BTC, "buy", "1", "41000");
    pin("BTC", "41000");
    pin("BTC", "35000");
    exchange.advance(3_600 + 90);
}

/// The bounds of losses: advances that are open, that wait and that were returned, the losses of their group, the limits and terms
/// that operators set, memos of approved addresses, and the stock of instant orders. A snapshot lies between them.
fn advances(data: &Path) {
    let exchange = setup().flag("--funds", "simulated").flag("--snapshot-every", "40").start_in(data);
    control(&exchange, "/sandbox/index/BTC", &json!({ "price": "50000" }));
    let poor = exchange.key("empty");
    let ach = |group: &str, account: &str, amount: &str| {
        let fields = json!({ "group": group, "account": account, "currency": "USD", "amount": amount, "method": "ACH" });
        exchange.control("/sandbox/banks/wire", &fields).ok()["eid"].clone()
    };
    let order = |key: &str, side: &str, amount: &str, price: &str| {
        let fields = json!({ "symbol": "btcusd", "side": side, "type": "exchange limit", "amount": amount, "price": price });
        exchange.as_(key).call("/v1/order/new", fields).ok();
    };
    exchange.admin(&["bank", "limit", "30000", "--reason", "corpus"]).done();
    exchange.admin(&["limits", "set", "--approved-addresses", "20", "--deposit-addresses", "3"]).done();
    exchange.admin(&["instant", "set", "--fee-bps", "20", "--depth-usd", "2000"]).done();
    exchange.admin(&["funding", "set", "--cap-bps", "4", "--depth", "500"]).done();
    // 300 dollars of 1,000 are given up, then the bank takes one advance back whose money has gone.
    ach("one", "primary", "15000");
    let returned = ach(&poor.group, &poor.account, "5000");
    order("load-000", "sell", "0.2", "51500");
    order("trader", "buy", "0.2", "51500");
    let spent =
        ["debit", &poor.group, &poor.account, "USD", "4500", "--reference", "spent", "--reason", "corpus"];
    exchange.admin(&spent).done();
    exchange.restart();
    exchange.control("/sandbox/banks/settle", &json!({ "eid": returned, "returned": true })).ok();
    ach("one", "primary", "12000.01");
    let request =
        json!({ "address": "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "label": "corpus", "memo": "111" });
    exchange.as_("fund-manager").call("/v1/approvedAddresses/xrpl/request", request).ok();
    // An instant order out of the stock.
    for (side, price) in [("buy", "49990"), ("sell", "50010")] {
        order("load-001", side, "0.5", price);
    }
    let quote = json!({ "side": "buy", "symbol": "btcusd", "totalSpend": "100" });
    let quoted = exchange.as_("counterparty").call("/v1/instant/quote", quote).ok();
    assert!(quoted["quoteId"].is_number(), "{quoted}");
    exchange.kill9();
}

/// The rows that fingerprints cover: positions, loans of both products, an advance and a debt, transfers of every way, payments on
/// their way, and quotes that were executed, have gone or still hold. A snapshot lies between them.
fn rows(data: &Path) {
    const BTC: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    let exchange = setup().flag("--funds", "simulated").flag("--snapshot-every", "60").start_in(data);
    let owner = || exchange.as_("fund-manager");
    let chain = |call: &str, body: &Value| {
        exchange.control(&format!("/sandbox/chains/bitcoin/{call}"), body).ok();
    };
    let request = json!({ "address": BTC, "label": "corpus" });
    owner().call("/v1/approvedAddresses/bitcoin/request", request).ok();
    exchange.advance(7 * 86_400);
    let address = owner().call("/v1/deposit/bitcoin/newAddress", json!({})).ok()["address"].clone();
    let send = json!({ "address": address, "currency": "BTC", "amount": "1.5" });
    let withdraw = |id: &str| {
        let order = json!({ "address": BTC, "amount": "0.25", "clientTransferId": id });
        owner().call("/v2/withdraw/bitcoin/btc", order).ok();
    };
    chain("send", &send);
    withdraw("complete");
    chain("mine", &json!({ "blocks": 4 }));
    let inside = json!({ "sourceAccount": "primary", "targetAccount": "savings", "amount": "0.5" });
    exchange.as_("master").call("/v1/account/transfer/btc", inside).ok();
    positions(&exchange);
    let fields = json!({ "symbol": "ethgusdperp", "side": "buy", "type": "exchange limit", "amount": "2",
        "price": "3010" });
    exchange.as_("perp-010").call("/v1/order/new", fields).ok();
    // A loan of spot margin, of which an hour's interest is charged.
    let order = |key: &str, side: &str, on_margin: bool| {
        let fields = json!({ "symbol": "btcusd", "side": side, "type": "exchange limit", "amount": "1.2",
            "price": "35000", "margin_order": on_margin });
        exchange.as_(key).call("/v1/order/new", fields).ok();
    };
    order("trader", "sell", false);
    order("margin-000", "buy", true);
    exchange.restart();
    exchange.advance(3_600);
    // An advance that waits, and one that was returned after its money had gone.
    let poor = exchange.key("empty");
    let ach = |group: &str, account: &str| {
        let fields = json!({ "group": group, "account": account, "currency": "USD", "amount": "125.25", "method": "ACH" });
        exchange.control("/sandbox/banks/wire", &fields).ok()["eid"].clone()
    };
    ach("one", "primary");
    let returned = ach(&poor.group, &poor.account);
    let spent =
        ["debit", &poor.group, &poor.account, "USD", "100", "--reference", "spent", "--reason", "corpus"];
    exchange.admin(&spent).done();
    exchange.control("/sandbox/banks/settle", &json!({ "eid": returned, "returned": true })).ok();
    let quote = || {
        let fields = json!({ "symbol": "btcusd", "side": "buy", "totalSpend": "250" });
        exchange.as_("counterparty").call("/v1/instant/quote", fields).ok()
    };
    order("load-001", "sell", false);
    let first = quote();
    let execution = json!({ "symbol": "btcusd", "side": "buy", "quantity": first["quantity"],
        "price": first["price"], "fee": first["fee"], "quoteId": first["quoteId"] });
    exchange.as_("counterparty").call("/v1/instant/execute", execution).ok();
    quote();
    exchange.advance(61);
    quote();
    withdraw("waiting");
    chain("send", &send);
    exchange.kill9();
}
