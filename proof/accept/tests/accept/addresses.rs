//! Deposit addresses and approved addresses: clauses ADDR-001 to ADDR-019, LIM-009.

use std::collections::BTreeSet;
use std::thread;

use buttonwood_accept::{Actor, Answer, Exchange, Setup, Value, json, same_keys};

const NETWORKS: [&str; 13] = [
    "bitcoin",
    "ethereum",
    "bitcoincash",
    "litecoin",
    "zcash",
    "filecoin",
    "dogecoin",
    "tezos",
    "solana",
    "polkadot",
    "avalanche",
    "cosmos",
    "xrpl",
];

/// Networks that use the addresses of ethereum, and no networks.
const OTHERS: [&str; 9] =
    ["optimism", "arbitrum", "base", "linea", "monad", "nowhere", "Bitcoin", "NOSUCH", "bitcoin%00"];

const DAY: u64 = 86_400;

/// A valid address of ethereum, and one of bitcoin.
const ETH: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const BTC: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";

fn simulated() -> Setup {
    Exchange::builder().flag("--funds", "simulated")
}

fn make(actor: &Actor, network: &str, fields: Value) -> Answer {
    actor.call(&format!("/v1/deposit/{network}/newAddress"), fields)
}

fn list(actor: &Actor, network: &str, fields: Value) -> Vec<Value> {
    actor.call(&format!("/v1/addresses/{network}"), fields).ok().as_array().expect("a list").clone()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("no text {field} in {value}"))
}

fn request(actor: &Actor, network: &str, fields: Value) -> Answer {
    actor.call(&format!("/v1/approvedAddresses/{network}/request"), fields)
}

fn remove(actor: &Actor, network: &str, fields: Value) -> Answer {
    actor.call(&format!("/v1/approvedAddresses/{network}/remove"), fields)
}

fn approved(actor: &Actor, network: &str, fields: Value) -> Vec<Value> {
    let answer = actor.call(&format!("/v1/approvedAddresses/account/{network}"), fields).ok();
    same_keys(&answer, &["approvedAddresses"], network);
    answer["approvedAddresses"].as_array().expect("a list").clone()
}

/// Scope, status and address of each entry.
fn standings(entries: &[Value]) -> Vec<[String; 3]> {
    let row = |entry: &Value| ["scope", "status", "address"].map(|field| text(entry, field).to_owned());
    entries.iter().map(row).collect()
}

fn row(scope: &str, status: &str, address: &str) -> [String; 3] {
    [scope, status, address].map(str::to_owned)
}

/// Each network gives addresses of its own form, new on each call, which its approved list takes in turn; they are listed with their
/// labels, times and memos. Proves ADDR-001, ADDR-003, ADDR-004, ADDR-005.
#[test]
fn every_network_gives_addresses() {
    let x = simulated().start();
    let (manager, now) = (x.as_("fund-manager"), x.now_ms());
    let starts =
        ["bc1q", "0x", "bitcoincash:q", "ltc1q", "t1", "f1", "D", "tz1", "", "1", "0x", "cosmos1", "r"];
    for (network, start) in NETWORKS.into_iter().zip(starts) {
        assert!(list(&manager, network, json!({})).is_empty(), "{network}");
        let shares = ["cosmos", "xrpl"].contains(&network);
        let made: Vec<Value> = ["first", "", "Zürich \"2\" \\ \u{1f3e6}"]
            .iter()
            .map(|label| {
                let fields = if label.is_empty() { json!({}) } else { json!({ "label": label }) };
                let made = make(&manager, network, fields).ok();
                let mut keys = vec!["network", "address", "timestamp"];
                keys.extend((!label.is_empty()).then_some("label"));
                keys.extend(shares.then_some("memo"));
                same_keys(&made, &keys, network);
                assert_eq!(made["label"].as_str().unwrap_or_default(), *label);
                assert_eq!((text(&made, "network"), &made["timestamp"]), (network, &json!(now)));
                assert!(text(&made, "address").starts_with(start), "{network}: {made}");
                made
            })
            .collect();
        assert_eq!(list(&manager, network, json!({})), made, "{network}");
        let addresses: BTreeSet<&str> = made.iter().map(|made| text(made, "address")).collect();
        let places: BTreeSet<_> =
            made.iter().map(|made| (text(made, "address"), made["memo"].as_str())).collect();
        assert_eq!((addresses.len(), places.len()), (if shares { 1 } else { 3 }, 3), "{network}: {made:?}");
        for address in addresses {
            request(&manager, network, json!({ "address": address, "label": "own" })).ok();
        }
    }
}

/// Unknown networks, and those that use the addresses of ethereum. Proves ADDR-003, ADDR-014.
#[test]
fn other_networks_are_refused() {
    let x = simulated().start();
    let manager = x.as_("fund-manager");
    let entry = json!({ "address": ETH, "label": "a" });
    for network in OTHERS {
        let refused = |answer: Answer| {
            let message = answer.refused(400, "InvalidParameterValue").message;
            assert!(message.contains(network), "{message}");
        };
        refused(make(&manager, network, json!({})));
        refused(manager.call(&format!("/v1/addresses/{network}"), json!({})));
        refused(manager.call(&format!("/v1/approvedAddresses/account/{network}"), json!({})));
        refused(request(&manager, network, entry.clone()));
        refused(remove(&manager, network, entry.clone()));
    }
}

/// Proves ADDR-002.
#[test]
fn a_time_keeps_later_addresses() {
    let x = simulated().start();
    let manager = x.as_("fund-manager");
    let start = x.now_ms();
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(make(&manager, "bitcoin", json!({})).ok());
        x.advance(10);
    }
    let since = |time: Value| list(&manager, "bitcoin", json!({ "timestamp": time }));
    assert_eq!(since(json!(start)), made);
    assert_eq!(since(json!(start + 1)), made[1..]);
    assert_eq!(since(json!((start + 10_000).to_string())), made[1..]);
    assert_eq!(since(json!(start / 1_000 + 20)), made[2..], "seconds");
    assert_eq!(since(json!(start + 20_001)), [] as [Value; 0]);
    for time in [json!("yesterday"), json!(-1), json!(true), json!("")] {
        let refused = manager.call("/v1/addresses/bitcoin", json!({ "timestamp": time }));
        refused.refused(400, "InvalidTimestampInPayload");
    }
}

/// Proves ADDR-006.
#[test]
fn legacy_litecoin() {
    let x = simulated().start();
    let manager = x.as_("fund-manager");
    let address = |fields: Value| text(&make(&manager, "litecoin", fields).ok(), "address").to_owned();
    let legacy: BTreeSet<String> = (0..5).map(|_| address(json!({ "legacy": true }))).collect();
    assert!(legacy.len() == 5 && legacy.iter().all(|address| address.starts_with('M')), "{legacy:?}");
    assert!(address(json!({ "legacy": false })).starts_with("ltc1"));
    assert!(address(json!({})).starts_with("ltc1"));
    // Other networks have one form.
    assert!(text(&make(&manager, "bitcoin", json!({ "legacy": true })).ok(), "address").starts_with("bc1q"));
    for legacy in [json!("true"), json!(1)] {
        let answer = make(&manager, "litecoin", json!({ "legacy": legacy }));
        answer.refused(400, "InvalidParameterValue");
    }
    assert_eq!(list(&manager, "litecoin", json!({})).len(), 7);
}

/// Bad labels are refused, and nothing is made.
#[test]
fn bad_labels() {
    let x = simulated().start();
    let manager = x.as_("fund-manager");
    for label in [json!(5), json!(["a"]), json!("a\u{0}b"), json!("line\nbreak"), json!("x".repeat(101))] {
        let message =
            make(&manager, "bitcoin", json!({ "label": label })).refused(400, "InvalidParameterValue");
        assert!(message.message.contains("'label'"), "{message:?}");
        let fields = json!({ "address": BTC, "label": label });
        request(&manager, "bitcoin", fields).refused(400, "InvalidParameterValue");
    }
    assert!(list(&manager, "bitcoin", json!({})).is_empty());
    assert!(approved(&manager, "bitcoin", json!({})).is_empty());
    make(&manager, "bitcoin", json!({ "label": "\u{e9}".repeat(100) })).ok();
}

/// Of ADDR-007, the lists: each address is on its account's list alone; accounts share an address only with another memo.
#[test]
fn an_address_is_one_account_s() {
    let x = simulated().start();
    let (master, other) = (x.as_("master"), x.as_("counterparty"));
    let mut all = BTreeSet::new();
    for network in ["bitcoin", "cosmos", "xrpl"] {
        for account in ["primary", "savings"] {
            make(&master, network, json!({ "account": account })).ok();
            make(&master, network, json!({ "account": account })).ok();
        }
        make(&other, network, json!({})).ok();
        let lists = [
            list(&master, network, json!({ "account": "primary" })),
            list(&master, network, json!({ "account": "savings" })),
            list(&other, network, json!({})),
        ];
        assert_eq!(lists.each_ref().map(Vec::len), [2, 2, 1]);
        for row in lists.iter().flatten() {
            let memo = row["memo"].as_str().unwrap_or_default().to_owned();
            assert!(all.insert((text(row, "address").to_owned(), memo)), "{row} is listed twice");
        }
    }
    make(&master, "bitcoin", json!({})).refused(400, "MissingAccounts");
}

/// Many callers at once, then a crash: no address is given twice, and each one that was answered is listed afterwards.
#[test]
fn no_address_is_issued_twice() {
    let x = simulated().start();
    let mut seen = BTreeSet::new();
    for round in 0..3 {
        let keys = ["fund-manager", "trader-fund-manager", "counterparty", "empty"];
        let callers: Vec<_> = keys
            .map(|key| x.fresh(key))
            .into_iter()
            .map(|actor| {
                let one = move |_| text(&make(&actor, "ethereum", json!({})).ok(), "address").to_owned();
                thread::spawn(move || (0..10).map(one).collect::<Vec<_>>())
            })
            .collect();
        let made: Vec<String> = callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect();
        for address in made {
            assert!(seen.insert(address.clone()), "{address} was given twice, in round {round}");
        }
        x.kill9();
        x.restart();
    }
    let listed = |key: &str| list(&x.as_(key), "ethereum", json!({}));
    let all: BTreeSet<String> = ["fund-manager", "counterparty", "empty"]
        .into_iter()
        .flat_map(listed)
        .map(|row| text(&row, "address").to_owned())
        .collect();
    assert!(seen.is_subset(&all) && all.len() == 120, "{} of {}", seen.len(), all.len());
}

/// Two exchanges of one seed give the same addresses, those of another seed others; the seed stands in no file but the vault.
#[test]
fn addresses_follow_from_the_seed() {
    let of_seed = |seed: &str| {
        let x = simulated().flag("--seed", seed).start();
        NETWORKS.map(|network| text(&make(&x.as_("empty"), network, json!({})).ok(), "address").to_owned())
    };
    let first = of_seed("7");
    assert_eq!(of_seed("7"), first);
    for (one, other) in of_seed("8").iter().zip(&first) {
        assert_ne!(one, other);
    }
}

/// Without simulated funds no address is made, whatever else is wrong; what needs no chain works. Of SBX-003, the addresses.
#[test]
fn without_simulated_funds() {
    let x = Exchange::start();
    let manager = x.as_("fund-manager");
    for (network, fields) in
        [("bitcoin", json!({})), ("nowhere", json!({})), ("bitcoin", json!({ "label": 5, "legacy": "x" }))]
    {
        let refusal = make(&manager, network, fields).refused(400, "InvalidFundTransfer");
        assert!(refusal.message.contains("--funds simulated"), "{refusal:?}");
    }
    make(&x.as_("trader"), "bitcoin", json!({})).refused(403, "MissingRole");
    assert!(list(&manager, "bitcoin", json!({})).is_empty());
    request(&manager, "bitcoin", json!({ "address": BTC, "label": "a" })).ok();
    assert_eq!(standings(&approved(&manager, "bitcoin", json!({}))), [row("account", "pending-time", BTC)]);
    remove(&manager, "bitcoin", json!({ "address": BTC })).ok();
}

/// Addresses that were made stay listed when the exchange runs without simulated funds, and continue when it runs with them again.
#[test]
fn listing_needs_no_simulated_funds() {
    let x = simulated().start();
    let made = make(&x.as_("fund-manager"), "solana", json!({ "label": "cold" })).ok();
    x.stop();
    let data = x.data().to_owned();
    let off = Exchange::builder().start_in(&data);
    assert_eq!(list(&off.as_("fund-manager"), "solana", json!({})), std::slice::from_ref(&made));
    make(&off.as_("fund-manager"), "solana", json!({})).refused(400, "InvalidFundTransfer");
    off.stop();
    let on = simulated().start_in(&data);
    let next = make(&on.as_("fund-manager"), "solana", json!({})).ok();
    assert_ne!(next["address"], made["address"]);
    assert_eq!(list(&on.as_("fund-manager"), "solana", json!({})), [made, next]);
}

/// The limit of calls about addresses is each account's own. Proves LIM-009.
#[test]
fn limits_of_calls_about_addresses() {
    let x = simulated().flag("--rate-limits", "on").start();
    let (manager, other) = (x.as_("fund-manager"), x.as_("savings-trader"));
    make(&manager, "bitcoin", json!({})).ok();
    make(&manager, "ethereum", json!({})).refused(429, "RateLimit");
    manager.call("/v1/addresses/bitcoin", json!({})).refused(429, "RateLimit");
    x.as_("auditor").call("/v1/addresses/bitcoin", json!({})).refused(429, "RateLimit");
    assert!(list(&other, "bitcoin", json!({})).is_empty());
    other.call("/v1/addresses/bitcoin", json!({})).refused(429, "RateLimit");
}

/// A request is answered with its hold and starts it; to the second before 7 days it is pending, from then on active. Proves
/// ADDR-008, ADDR-010, ADDR-011, ADDR-013.
#[test]
fn the_hold_is_seven_days() {
    let x = Exchange::start();
    let (manager, now) = (x.as_("fund-manager"), x.now_ms());
    for (network, address) in [("ethereum", ETH), ("bitcoin", BTC)] {
        let answer = request(&manager, network, json!({ "address": address, "label": "cold \"1\"" })).ok();
        same_keys(&answer, &["message"], "the request");
        let message = text(&answer, "message");
        assert!(message.contains("7-day") && message.contains(address), "{message}");
        let entry = json!({
            "network": network, "scope": "account", "label": "cold \"1\"", "status": "pending-time",
            "createdAt": now.to_string(), "address": address,
        });
        assert_eq!(approved(&manager, network, json!({})), [entry]);
    }
    let status = || text(&approved(&manager, "ethereum", json!({}))[0], "status").to_owned();
    x.advance(7 * DAY - 1);
    assert_eq!(status(), "pending-time");
    x.advance(1);
    assert_eq!(status(), "active");
    let entry = &approved(&manager, "bitcoin", json!({}))[0];
    assert_eq!((text(entry, "status"), text(entry, "createdAt")), ("active", now.to_string().as_str()));
    x.kill9();
    x.restart();
    assert_eq!(text(&approved(&x.as_("auditor"), "ethereum", json!({}))[0], "status"), "active");
}

/// A hold counts through crashes, and a long move of the clock runs its end.
#[test]
fn a_hold_survives_a_crash() {
    let x = Exchange::start();
    request(&x.as_("fund-manager"), "bitcoin", json!({ "address": BTC, "label": "a" })).ok();
    x.advance(3 * DAY);
    request(&x.as_("fund-manager"), "ethereum", json!({ "address": ETH, "label": "b" })).ok();
    x.kill9();
    x.restart();
    let status = |network| text(&approved(&x.as_("auditor"), network, json!({}))[0], "status").to_owned();
    x.advance(4 * DAY);
    assert_eq!(["bitcoin", "ethereum"].map(status), ["active", "pending-time"]);
    x.stop();
    x.restart();
    x.advance(400 * DAY);
    assert_eq!(["bitcoin", "ethereum"].map(status), ["active", "active"]);
}

/// Missing fields, malformed addresses and those of another network. Proves ADDR-009.
#[test]
fn bad_requests_are_refused() {
    let x = Exchange::start();
    let manager = x.as_("fund-manager");
    for (fields, missing) in
        [(json!({ "label": "a" }), "address"), (json!({ "address": BTC }), "label"), (json!({}), "address")]
    {
        let refusal = request(&manager, "bitcoin", fields).refused(400, "MissingPayloadKey");
        assert!(refusal.message.contains(missing), "{refusal:?}");
    }
    request(&manager, "bitcoin", json!({ "address": BTC, "label": "" }))
        .refused(400, "InvalidParameterValue");
    for address in [json!(5), json!(null), json!([BTC]), json!({})] {
        let answer = request(&manager, "bitcoin", json!({ "address": address, "label": "a" }));
        assert_eq!(answer.status(), 400, "{answer}");
    }
    let wrong_end = |address: &str| format!("{}q", &address[..address.len() - 1]);
    let wrong_case = ETH.replace("aAeb", "AAeb");
    for (network, address) in [
        ("bitcoin", String::new()),
        ("bitcoin", " ".to_owned()),
        ("bitcoin", format!("{BTC} ")),
        ("bitcoin", wrong_end(BTC)),
        ("bitcoin", BTC.replace("bc1qw", "bc1qW")),
        ("bitcoin", ETH.to_owned()),
        ("bitcoin", "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9".to_owned()),
        ("bitcoin", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx".to_owned()),
        ("ethereum", BTC.to_owned()),
        ("ethereum", wrong_case),
        ("ethereum", ETH[..41].to_owned()),
        ("litecoin", BTC.to_owned()),
        ("dogecoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa".to_owned()),
        ("cosmos", "cosmos1hsk6jryyqjfhp5dhc55tc9jtckygx0eph6dd03".to_owned()),
        ("xrpl", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi".to_owned()),
        ("solana", "0".repeat(44)),
        ("zcash", "x".repeat(10_000)),
    ] {
        let fields = json!({ "address": address, "label": "a" });
        let message = request(&manager, network, fields.clone()).refused(400, "InvalidAddress").message;
        assert!(message.contains("'address'") && message.contains(network), "{message}");
        remove(&manager, network, fields).refused(400, "InvalidAddress");
        assert!(approved(&manager, network, json!({})).is_empty(), "nothing was changed");
    }
}

/// Memos: a destination tag on xrpl, a short text elsewhere; the list shows them.
#[test]
fn memos_of_requests() {
    let x = Exchange::start();
    let manager = x.as_("fund-manager");
    let xrp = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh";
    let ask = |memo: Value| request(&manager, "xrpl", json!({ "address": xrp, "label": "a", "memo": memo }));
    for memo in [json!("4294967296"), json!("-1"), json!("01"), json!("tag"), json!(5)] {
        let refusal = ask(memo).refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains("'memo'"), "{refusal:?}");
    }
    ask(json!("4294967295")).ok();
    assert_eq!(approved(&manager, "xrpl", json!({}))[0]["memo"], "4294967295");
    let cosmos = "cosmos1hsk6jryyqjfhp5dhc55tc9jtckygx0eph6dd02";
    let fields = json!({ "address": cosmos, "label": "a", "memo": "m".repeat(257) });
    request(&manager, "cosmos", fields).refused(400, "InvalidParameterValue");
}

/// An address in another spelling is the same one: refused as a duplicate, and removed by it. Proves ADDR-009, ADDR-012.
#[test]
fn spellings_of_one_address() {
    let x = Exchange::start();
    let manager = x.as_("fund-manager");
    let cash = "bitcoincash:qr95sy3j9xwd2ap32xkykttr4cvcu7as4y0qverfuy";
    for (network, address, others) in [
        ("ethereum", ETH, vec![ETH.to_lowercase(), format!("0x{}", ETH[2..].to_uppercase())]),
        ("bitcoin", BTC, vec![BTC.to_uppercase()]),
        ("bitcoincash", cash, vec![cash.to_uppercase(), cash.replace("bitcoincash:", "")]),
    ] {
        // The first spelling is not the shown one.
        request(&manager, network, json!({ "address": others[0], "label": "a" })).ok();
        assert_eq!(
            standings(&approved(&manager, network, json!({}))),
            [row("account", "pending-time", address)]
        );
        for other in others.iter().map(String::as_str).chain([address]) {
            let fields = json!({ "address": other, "label": "b" });
            let refusal = request(&manager, network, fields).refused(400, "InvalidAddress");
            assert!(refusal.message.contains("already"), "{refusal:?}");
        }
        let last = others.last().unwrap();
        let answer = remove(&manager, network, json!({ "address": last })).ok();
        assert!(text(&answer, "message").contains(last.as_str()), "{answer}");
        assert!(approved(&manager, network, json!({})).is_empty());
    }
}

/// A master key without an account acts on the group's list, which every account's list shows next to its own; with an account it
/// acts on that one's. One address is on each list once. Proves ADDR-012, ADDR-015.
#[test]
fn lists_of_accounts_and_of_groups() {
    let x = Exchange::start();
    let (master, manager) = (x.as_("master"), x.as_("fund-manager"));
    let entry = |account: Option<&str>| {
        let mut fields = json!({ "address": BTC, "label": "a" });
        if let Some(account) = account {
            fields["account"] = json!(account);
        }
        fields
    };
    let message = request(&master, "bitcoin", entry(None)).ok();
    assert!(text(&message, "message").contains("group"), "{message}");
    request(&master, "bitcoin", entry(None)).refused(400, "InvalidAddress");
    request(&manager, "bitcoin", entry(None)).ok();
    request(&master, "bitcoin", entry(Some("primary"))).refused(400, "InvalidAddress");
    let of = |account: &str| standings(&approved(&master, "bitcoin", json!({ "account": account })));
    let (group, own) = (row("group", "pending-time", BTC), row("account", "pending-time", BTC));
    assert_eq!(of("primary"), [group.clone(), own.clone()]);
    assert_eq!(of("savings"), std::slice::from_ref(&group));
    request(&master, "bitcoin", entry(Some("savings"))).ok();
    assert_eq!(of("savings"), [group, own.clone()]);
    assert!(approved(&x.as_("counterparty"), "bitcoin", json!({})).is_empty(), "another group");
    // An account's key removes its own entry, a master key the group's.
    remove(&manager, "bitcoin", json!({ "address": BTC })).ok();
    remove(&manager, "bitcoin", json!({ "address": BTC })).refused(400, "InvalidAddress");
    assert_eq!(of("primary"), [row("group", "pending-time", BTC)]);
    remove(&master, "bitcoin", json!({ "address": BTC })).ok();
    assert_eq!((of("primary"), of("savings")), (vec![], vec![own]));
    remove(&master, "bitcoin", json!({ "address": BTC, "account": "savings" })).ok();
    assert_eq!(of("savings"), Vec::<[String; 3]>::new());
    for account in ["nowhere", "broker"] {
        request(&master, "bitcoin", entry(Some(account))).refused(400, "InvalidAccountName");
    }
    request(&manager, "bitcoin", entry(Some("savings"))).refused(400, "AccountsOnGroupOnlyApi");
    for key in ["trader", "auditor", "master-auditor"] {
        request(&x.as_(key), "bitcoin", entry(None)).refused(403, "MissingRole");
        remove(&x.as_(key), "bitcoin", entry(None)).refused(403, "MissingRole");
    }
    master.call("/v1/approvedAddresses/account/bitcoin", json!({})).refused(400, "MissingAccounts");
}

/// Every network has a list of its own, the specification's eight among them. Proves ADDR-014.
#[test]
fn each_network_has_its_list() {
    let x = simulated().start();
    let manager = x.as_("fund-manager");
    let of_network = |network: &str| standings(&approved(&manager, network, json!({})));
    for (at, network) in NETWORKS.into_iter().enumerate() {
        let address = text(&make(&manager, network, json!({})).ok(), "address").to_owned();
        assert!(of_network(network).is_empty());
        request(&manager, network, json!({ "address": address, "label": network })).ok();
        for listed in &NETWORKS[..=at] {
            assert_eq!(of_network(listed).len(), 1, "{listed}");
        }
        let other = if network == "ethereum" { "avalanche" } else { "ethereum" };
        if !["ethereum", "avalanche"].contains(&network) {
            request(&manager, other, json!({ "address": address, "label": "a" }))
                .refused(400, "InvalidAddress");
        }
    }
}

/// Pending and active entries are removed and then gone; a new request starts a new hold. Proves ADDR-016, ADDR-019; of ADDR-017, the
/// addresses that are not listed.
#[test]
fn removal_and_a_new_hold() {
    let x = Exchange::start();
    let manager = x.as_("fund-manager");
    let ask = || request(&manager, "bitcoin", json!({ "address": BTC, "label": "a" })).ok();
    let status = || standings(&approved(&manager, "bitcoin", json!({}))).first().map(|row| row[1].clone());
    let removed = || {
        let answer = remove(&manager, "bitcoin", json!({ "address": BTC })).ok();
        same_keys(&answer, &["message"], "the removal");
        let message = text(&answer, "message");
        assert!(message.contains(BTC) && message.contains("removed"), "{message}");
        assert_eq!(status(), None);
    };
    remove(&manager, "bitcoin", json!({ "address": BTC })).refused(400, "InvalidAddress");
    ask();
    x.advance(6 * DAY);
    removed();
    ask();
    // The first hold would end now.
    x.advance(DAY);
    assert_eq!(status().as_deref(), Some("pending-time"));
    x.advance(6 * DAY - 1);
    assert_eq!(status().as_deref(), Some("pending-time"));
    x.advance(1);
    assert_eq!(status().as_deref(), Some("active"));
    removed();
    remove(&manager, "bitcoin", json!({ "address": BTC })).refused(400, "InvalidAddress");
    ask();
    assert_eq!(status().as_deref(), Some("pending-time"));
    remove(&manager, "bitcoin", json!({})).refused(400, "MissingPayloadKey");
}

fn decide(x: &Exchange, fields: Value) -> Answer {
    x.control("/sandbox/approvals/decide", &fields)
}

/// In a sandbox the hold of an entry ends at once by a control call, and only what is on hold has one to end. Of ADDR-010, D-298.
#[test]
fn a_sandbox_ends_a_hold() {
    let x = Exchange::start();
    let (master, manager) = (x.as_("master"), || x.as_("fund-manager"));
    let end = |fields: Value| x.control("/sandbox/approvals/end-hold", &fields);
    let own =
        json!({ "group": "one", "account": "primary", "network": "bitcoin", "address": BTC.to_uppercase() });
    let refused = end(own.clone()).refused(400, "InvalidAddress").message;
    assert!(refused.contains("is not among") && refused.contains(&BTC.to_uppercase()), "{refused}");
    request(&manager(), "bitcoin", json!({ "address": BTC, "label": "a" })).ok();
    request(&master, "ethereum", json!({ "address": ETH, "label": "a" })).ok();
    let status = |network: &str| {
        standings(&approved(&manager(), network, json!({}))).first().map(|row| row[1].clone())
    };
    assert_eq!(status("bitcoin").as_deref(), Some("pending-time"));
    assert_eq!(end(own.clone()).ok(), json!({ "result": "ok" }));
    assert_eq!(
        ["bitcoin", "ethereum"].map(status),
        ["active", "pending-time"].map(|word| Some(word.to_owned()))
    );
    assert!(end(own.clone()).refused(400, "InvalidAddress").message.contains("has no hold"));
    end(json!({ "group": "one", "network": "ethereum", "address": ETH })).ok();
    assert_eq!(status("ethereum").as_deref(), Some("active"));
    x.kill9();
    x.restart();
    assert_eq!(["bitcoin", "ethereum"].map(status), ["active", "active"].map(|word| Some(word.to_owned())));
    x.control("/sandbox/groups/one/multi-user", &json!({ "on": true })).ok();
    remove(&manager(), "bitcoin", json!({ "address": BTC })).ok();
    request(&manager(), "bitcoin", json!({ "address": BTC, "label": "a" })).ok();
    assert!(end(own).refused(400, "InvalidAddress").message.contains("waits for another user"));
    for (field, value) in [("group", "none"), ("account", "none"), ("network", "none"), ("address", "none")] {
        let mut fields =
            json!({ "group": "one", "account": "primary", "network": "bitcoin", "address": BTC });
        fields[field] = json!(value);
        assert!(end(fields).error().message.contains(&format!("'{field}'")), "{field}");
    }
}

/// In a group of several users an entry waits for another user; then the hold counts from the request. Proves ADDR-017, ADDR-018.
#[test]
fn groups_of_several_users() {
    let x = Exchange::start();
    let (master, manager) = (x.as_("master"), x.as_("fund-manager"));
    let status = |network: &str| {
        standings(&approved(&manager, network, json!({})))
            .first()
            .map(|row| row[1].clone())
            .unwrap_or_default()
    };
    request(&manager, "dogecoin", json!({ "address": "DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L", "label": "a" }))
        .ok();
    x.control("/sandbox/groups/one/multi-user", &json!({ "on": true })).ok();
    assert_eq!(status("dogecoin"), "pending-time", "requests before stay as they are");
    request(&manager, "bitcoin", json!({ "address": BTC, "label": "a" })).ok();
    request(&master, "ethereum", json!({ "address": ETH, "label": "a" })).ok();
    assert_eq!(["bitcoin", "ethereum"].map(status), ["pending-mua", "pending-mua"]);
    remove(&manager, "bitcoin", json!({ "address": BTC })).refused(400, "InvalidAddress");
    remove(&master, "ethereum", json!({ "address": ETH })).refused(400, "InvalidAddress");
    request(&manager, "bitcoin", json!({ "address": BTC, "label": "b" })).refused(400, "InvalidAddress");
    x.advance(2 * DAY);
    let own = json!({ "group": "one", "account": "primary", "network": "bitcoin", "address": BTC.to_uppercase(), "approve": true });
    decide(&x, own.clone()).ok();
    assert_eq!(["bitcoin", "ethereum"].map(status), ["pending-time", "pending-mua"]);
    decide(&x, own).refused(400, "InvalidAddress");
    x.advance(5 * DAY - 1);
    assert_eq!(status("bitcoin"), "pending-time");
    x.advance(1);
    assert_eq!(["bitcoin", "ethereum"].map(status), ["active", "pending-mua"]);
    // Approved after 7 days, the group's entry is active at once.
    decide(&x, json!({ "group": "one", "network": "ethereum", "address": ETH, "approve": true })).ok();
    assert_eq!(status("ethereum"), "active");
    // A rejection removes the entry.
    let xtz = "tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb";
    request(&manager, "tezos", json!({ "address": xtz, "label": "a" })).ok();
    let rejected =
        json!({ "group": "one", "account": "primary", "network": "tezos", "address": xtz, "approve": false });
    decide(&x, rejected.clone()).ok();
    assert_eq!(status("tezos"), "");
    decide(&x, rejected).refused(400, "InvalidAddress");
    x.control("/sandbox/groups/one/multi-user", &json!({ "on": false })).ok();
    request(&manager, "tezos", json!({ "address": xtz, "label": "a" })).ok();
    assert_eq!(status("tezos"), "pending-time");
    // Another group is not concerned.
    request(&x.as_("counterparty"), "bitcoin", json!({ "address": BTC, "label": "a" })).ok();
    let others = approved(&x.as_("counterparty"), "bitcoin", json!({}));
    assert_eq!(standings(&others), [row("account", "pending-time", BTC)]);
}

/// Control calls with wrong fields are refused by name, and change nothing.
#[test]
fn bad_control_calls() {
    let x = Exchange::start();
    request(&x.as_("fund-manager"), "bitcoin", json!({ "address": BTC, "label": "a" })).ok();
    let good = json!({ "group": "one", "account": "primary", "network": "bitcoin", "address": BTC, "approve": false });
    for (field, value, reason) in [
        ("group", json!("nowhere"), "InvalidParameterValue"),
        ("account", json!("nowhere"), "InvalidAccountName"),
        ("network", json!("arbitrum"), "InvalidParameterValue"),
        ("address", json!(ETH), "InvalidAddress"),
        ("approve", json!("yes"), "InvalidParameterValue"),
    ] {
        let mut fields = good.clone();
        fields[field] = value;
        decide(&x, fields.clone()).refused(400, reason);
        if field != "account" {
            fields.as_object_mut().unwrap().remove(field);
            decide(&x, fields).refused(400, "MissingPayloadKey");
        }
    }
    let group_entry = json!({ "group": "one", "network": "bitcoin", "address": BTC, "approve": false });
    decide(&x, group_entry).refused(400, "InvalidAddress");
    let multi =
        |group: &str, fields: Value| x.control(&format!("/sandbox/groups/{group}/multi-user"), &fields);
    multi("nowhere", json!({ "on": true })).refused(400, "InvalidParameterValue");
    multi("one", json!({})).refused(400, "MissingPayloadKey");
    multi("one", json!({ "on": "true" })).refused(400, "InvalidParameterValue");
    assert_eq!(approved(&x.as_("auditor"), "bitcoin", json!({})).len(), 1);
}

/// A closed account makes no address and requests no approval.
#[test]
fn closed_accounts() {
    let x = simulated().start();
    x.control("/sandbox/accounts", &json!({ "group": "one", "name": "old", "kind": "exchange" })).ok();
    x.control("/sandbox/accounts/close", &json!({ "group": "one", "account": "old" })).ok();
    let master = x.as_("master");
    make(&master, "bitcoin", json!({ "account": "old" })).refused(400, "AccountClosed");
    let fields = json!({ "account": "old", "address": BTC, "label": "a" });
    request(&master, "bitcoin", fields).refused(400, "AccountClosed");
    assert!(list(&master, "bitcoin", json!({ "account": "old" })).is_empty());
}
