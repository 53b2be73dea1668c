//! Networks and the assets on them: clauses FX-010 to FX-018.

use std::collections::BTreeSet;

use buttonwood_accept::{Actor, Answer, Exchange, Value, json, same_keys};

const NETWORKS: [&str; 18] = [
    "ethereum",
    "solana",
    "bitcoin",
    "optimism",
    "arbitrum",
    "base",
    "monad",
    "avalanche",
    "litecoin",
    "bitcoincash",
    "dogecoin",
    "zcash",
    "filecoin",
    "tezos",
    "polkadot",
    "cosmos",
    "xrpl",
    "linea",
];

fn get(actor: &Actor, path: &str) -> Answer {
    actor.signed_get(path, json!({}))
}

fn assets(actor: &Actor, network: &str) -> Vec<String> {
    let answer = get(actor, &format!("/v2/networks/{network}/assets")).ok();
    same_keys(&answer, &["network", "assets"], network);
    assert_eq!(answer["network"], network);
    texts(&answer["assets"])
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().expect("a list");
    list.iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
}

/// Every known network has assets, in alphabetical order, and each of them names the network in turn. Proves FX-010, FX-011,
/// FX-012, FX-015.
#[test]
fn every_network_has_assets() {
    let x = Exchange::start();
    let auditor = x.as_("auditor");
    for network in NETWORKS {
        let assets = assets(&auditor, network);
        assert!(!assets.is_empty(), "{network}");
        let sorted: BTreeSet<&String> = assets.iter().collect();
        assert!(sorted.into_iter().eq(&assets), "{network}: sorted, each once: {assets:?}");
        for asset in &assets {
            let of_asset = get(&auditor, &format!("/v2/network/{asset}")).ok();
            let networks = texts(&of_asset["network"]);
            assert!(networks.contains(&network.to_owned()), "{asset} on {network}: {networks:?}");
        }
    }
    assert_eq!(assets(&auditor, "bitcoin"), ["BTC"]);
    let of_ethereum = assets(&auditor, "ethereum");
    for code in ["ETH", "LINK", "GUSD", "USDC"] {
        assert!(of_ethereum.contains(&code.to_owned()), "{code}");
    }
}

/// Proves FX-014.
#[test]
fn a_token_has_a_list_of_networks() {
    let x = Exchange::start();
    let manager = x.as_("fund-manager");
    for version in ["v1", "v2"] {
        for token in ["BTC", "btc", "Btc"] {
            let answer = get(&manager, &format!("/{version}/network/{token}")).ok();
            assert_eq!(answer, json!({ "token": "BTC", "network": ["bitcoin"] }), "{version} {token}");
        }
        let networks = |token: &str| {
            let answer = get(&manager, &format!("/{version}/network/{token}")).ok();
            assert_eq!(answer["token"], token);
            texts(&answer["network"]).into_iter().collect::<BTreeSet<_>>()
        };
        let six = ["optimism", "solana", "base", "arbitrum", "avalanche", "ethereum"];
        assert_eq!(networks("USDC"), six.map(str::to_owned).into());
        for token in ["LINK", "GUSD"] {
            assert_eq!(networks(token), ["ethereum".to_owned()].into(), "{token}");
        }
        for (token, network) in [("XRP", "xrpl"), ("ATOM", "cosmos"), ("DOT", "polkadot"), ("SOL", "solana")]
        {
            assert_eq!(networks(token), [network.to_owned()].into());
        }
    }
}

/// The refusal of an unknown network has a form of its own, and names what was sent. Proves FX-013.
#[test]
fn unknown_networks_are_refused() {
    let x = Exchange::start();
    let auditor = x.as_("auditor");
    for name in ["nowhere", "Bitcoin", "NOSUCH", "bitcoin%20", "x;y", &"n".repeat(500)] {
        let answer = get(&auditor, &format!("/v2/networks/{name}/assets"));
        assert_eq!(answer.status(), 400, "{answer}");
        let body = answer.json();
        same_keys(&body, &["errorMessage"], name);
        let message = body["errorMessage"].as_str().unwrap();
        let shown: String = name.chars().take(40).collect();
        assert!(message.contains(&shown) && message.contains("not a supported network"), "{message}");
    }
    assert_eq!(assets(&auditor, "bitcoin"), ["BTC"]);
}

/// A token that moves on no network is not found: an unknown one, and fiat money too. Proves FX-016.
#[test]
fn unknown_tokens_are_refused() {
    let x = Exchange::start();
    let auditor = x.as_("auditor");
    for version in ["v1", "v2"] {
        for token in ["NOTHING", "usd", "bitcoin", "btcusd", "HYPE"] {
            let refusal =
                get(&auditor, &format!("/{version}/network/{token}")).refused(404, "UnsupportedNetwork");
            assert_eq!(refusal.message, format!("UnsupportedNetwork: {}", token.to_uppercase()));
        }
    }
}

/// Fund managers and auditors call them, by a master key without naming an account too; others and callers without credentials are
/// refused. Proves FX-017, FX-018.
#[test]
fn roles() {
    let x = Exchange::start();
    for path in ["/v2/networks/bitcoin/assets", "/v1/network/btc", "/v2/network/btc"] {
        for key in ["fund-manager", "auditor", "trader-fund-manager", "master", "master-auditor"] {
            get(&x.as_(key), path).ok();
        }
        get(&x.as_("trader"), path).refused(403, "MissingRole");
        x.get(path).refused(401, "MissingSecurityHeaders");
        get(&x.as_("trader"), &path.replace("bitcoin", "nowhere")).refused(403, "MissingRole");
    }
}

/// A start lists nothing twice, and a crash forgets nothing.
#[test]
fn tables_survive_a_crash() {
    let x = Exchange::start();
    let all = || NETWORKS.map(|network| assets(&x.as_("auditor"), network));
    let before = all();
    x.kill9();
    x.restart();
    assert_eq!(all(), before);
    x.stop();
    x.restart();
    assert_eq!(all(), before);
}

/// An operator adds a network and assets on it; they are there at once, and after a crash. Proves FX-011.
#[test]
fn an_operator_adds_networks_and_assets() {
    let x = Exchange::start();
    let auditor = x.as_("auditor");
    let network =
        ["network", "add", "zksync", "--kind", "evm", "--confirmations", "5", "--parent", "ethereum"];
    assert_eq!(x.admin(&network).done(), json!({ "result": "ok", "network": "zksync" }));
    assert_eq!(get(&auditor, "/v2/networks/zksync/assets").status(), 400, "no asset yet");
    let asset = |network: &str, currency: &str, more: &[&str]| {
        let sizes = ["--decimals", "6", "--fee", "0.1", "--minimum", "1"];
        x.admin(&[&["asset", "add", network, currency], sizes.as_slice(), more].concat())
    };
    let added = json!({ "result": "ok", "network": "zksync", "currency": "USDC" });
    assert_eq!(
        asset("zksync", "usdc", &["--token", "--contract", "0x1d17CBcF0D6D143135aE902365D2E5e2A16538D4"])
            .done(),
        added
    );
    asset("zksync", "BNB", &["--home"]).done();
    x.kill9();
    x.restart();
    assert_eq!(assets(&x.as_("auditor"), "zksync"), ["BNB", "USDC"]);
    let of_bnb = get(&x.as_("auditor"), "/v2/network/bnb").ok();
    assert_eq!(of_bnb, json!({ "token": "BNB", "network": ["zksync"] }));
}

/// A network or an asset that is listed already or does not fit is refused by its field, and changes nothing.
#[test]
fn bad_networks_and_assets_are_refused() {
    let x = Exchange::start();
    let network = |name: &str, kind: &str, confirmations: &str, more: &[&str]| {
        let all = ["network", "add", name, "--kind", kind, "--confirmations", confirmations];
        x.admin(&[all.as_slice(), more].concat()).refused()
    };
    for (line, field) in [
        (network("bitcoin", "outputs", "1", &[]), "'network'"),
        (network("Big", "outputs", "1", &[]), "'network'"),
        (network("", "outputs", "1", &[]), "'network'"),
        (network(&"n".repeat(31), "outputs", "1", &[]), "'network'"),
        (network("new", "other", "1", &[]), "'kind'"),
        (network("new", "evm", "0", &[]), "'confirmations'"),
        (network("new", "evm", "10001", &[]), "'confirmations'"),
        (network("new", "evm", "1", &["--parent", "nowhere"]), "'parent'"),
        (network("new", "evm", "1", &["--parent", "arbitrum"]), "'parent'"),
    ] {
        assert!(line.contains(field), "{line}");
    }
    let asset = |network: &str, currency: &str, [decimals, fee, minimum]: [&str; 3], more: &[&str]| {
        let all = ["asset", "add", network, currency];
        let sizes = ["--decimals", decimals, "--fee", fee, "--minimum", minimum];
        x.admin(&[all.as_slice(), sizes.as_slice(), more].concat()).refused()
    };
    for (line, field) in [
        (asset("nowhere", "BNB", ["8", "1", "1"], &[]), "'network'"),
        (asset("bitcoin", "NONE", ["8", "1", "1"], &[]), "'currency'"),
        (asset("bitcoin", "USD", ["8", "1", "1"], &[]), "'currency'"),
        (asset("bitcoin", "BTC", ["8", "1", "1"], &[]), "'currency'"),
        (asset("bitcoin", "BNB", ["20", "1", "1"], &[]), "'decimals'"),
        (asset("bitcoin", "BNB", ["8", "0.000000001", "1"], &[]), "'fee'"),
        (asset("bitcoin", "BNB", ["8", "much", "1"], &[]), "'fee'"),
        (asset("bitcoin", "BNB", ["8", "1", "0"], &[]), "'minimum'"),
        (asset("bitcoin", "BNB", ["0", "1", "0.5"], &[]), "'minimum'"),
        (asset("bitcoin", "ETH", ["8", "1", "1"], &["--home"]), "'home'"),
        (asset("bitcoin", "BNB", ["8", "1", "1"], &["--contract", "x"]), "'contract'"),
    ] {
        assert!(line.contains(field), "{line}");
    }
    assert_eq!(assets(&x.as_("auditor"), "bitcoin"), ["BTC"]);
    assert_eq!(get(&x.as_("auditor"), "/v2/networks/new/assets").status(), 400);
}
