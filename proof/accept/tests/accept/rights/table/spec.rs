//! The tables of `spec/exchange-rest-api.md`. Its table of roles names endpoints in words; everything else is read as it stands.

use std::collections::{BTreeMap, BTreeSet};

const TEXT: &str = include_str!("../../../../../../spec/exchange-rest-api.md");

const T: &str = "Trader";
const F: &str = "Fund Manager";
const A: &str = "Auditor";
const ADMINISTRATOR: &str = "Administrator";

/// The endpoints of each cell of the table of roles.
const CELLS: &[(&str, &[&str])] = &[
    (
        "order new, cancel, cancel/session, cancel/all, wrap, heartbeat, instant quote, instant execute",
        &[
            "/v1/order/new",
            "/v1/order/cancel",
            "/v1/order/cancel/session",
            "/v1/order/cancel/all",
            "/v1/wrap/{symbol}",
            "/v1/heartbeat",
            "/v1/instant/quote",
            "/v1/instant/quote/{side}/{symbol}",
            "/v1/instant/execute",
        ],
    ),
    (
        "order status, orders, mytrades, orders/history, tradevolume, notionalvolume",
        &[
            "/v1/order/status",
            "/v1/orders",
            "/v1/mytrades",
            "/v1/orders/history",
            "/v1/tradevolume",
            "/v1/notionalvolume",
        ],
    ),
    (
        "balances, notionalbalances, addresses, transfers, custody fees, payments/methods, account, approved address view",
        &[
            "/v1/balances",
            "/v1/notionalbalances/{currency}",
            "/v1/addresses/{network}",
            "/v1/transfers",
            "/v2/transfers",
            "/v1/custody/fee-transfers",
            "/v1/custodyaccountfees",
            "/v1/payments/methods",
            "/v1/account",
            "/v1/approvedAddresses/account/{network}",
        ],
    ),
    (
        "deposit newAddress, withdraw, addbank, addbank/cad, approved address request and remove, SEN withdraw",
        &[
            "/v1/deposit/{network}/newAddress",
            "/v1/withdraw/{currency}",
            "/v2/withdraw/{network}/{ticker}",
            "/v1/payments/addbank",
            "/v1/payments/addbank/cad",
            "/v1/approvedAddresses/{network}/request",
            "/v1/approvedAddresses/{network}/remove",
            "/v1/payments/sen/withdraw",
        ],
    ),
    (
        "clearing new, cancel, confirm, list, broker list, trades",
        &[
            "/v1/clearing/new",
            "/v1/clearing/cancel",
            "/v1/clearing/confirm",
            "/v1/clearing/list",
            "/v1/clearing/broker/list",
            "/v1/clearing/trades",
        ],
    ),
    ("clearing status", &["/v1/clearing/status"]),
    ("fxrate", &["/v2/fxrate/{symbol}/{timestamp}"]),
    (
        "staking balances, history, rewards",
        &["/v1/balances/staking", "/v1/staking/history", "/v1/staking/rewards"],
    ),
    ("staking stake and unstake", &["/v1/staking/stake", "/v1/staking/unstake"]),
    (
        "derivatives margin, funding payment, reports, positions",
        &[
            "/v1/margin",
            "/v1/perpetuals/fundingPayment",
            "/v1/perpetuals/fundingpaymentreport/records.xlsx",
            "/v1/perpetuals/fundingpaymentreport/records.json",
            "/v1/positions",
        ],
    ),
    (
        "network, assets for network",
        &["/v1/network/{token}", "/v2/network/{token}", "/v2/networks/{network}/assets"],
    ),
];

/// The sentence after the table: path, kind of caller, roles.
pub(crate) const MASTER: &[(&str, &str, &[&str])] = &[
    ("/v1/account/create", "group", &[ADMINISTRATOR]),
    ("/v1/account/rename", "master", &[ADMINISTRATOR]),
    ("/v1/account/list", "group", &[ADMINISTRATOR, T, F, A]),
    ("/v1/transactions", "group", &[ADMINISTRATOR, T, F, A]),
    ("/v1/account/transfer/{currency}", "group", &[F]),
];

/// Endpoints that the table does not name, from the texts of the endpoints and from the facts.
pub(crate) const BEYOND: &[(&str, &[&str])] = &[
    ("/v1/roles", &[]),
    ("/v1/statement", &[T, F, A]),
    ("/v2/withdraw/{network}/{ticker}/feeEstimate", &[]),
    ("/v1/oauth/revokeByToken", &[]),
    ("/v1/reserves/proof", &[T, F, A]),
    ("/v1/staking/redemptions", &[T, F, A]),
    ("/v1/margin/account", &[T, F, A]),
    ("/v1/margin/rates", &[T, F, A]),
    ("/v1/margin/order/preview", &[T, A]),
    ("/v1/clearing/broker/new", &[T]),
    ("/v1/order/events", &[T, A]),
    ("/v1/prediction-markets/order", &[T]),
    ("/v1/prediction-markets/order/cancel", &[T]),
    ("/v1/prediction-markets/order/batch", &[T]),
    ("/v1/prediction-markets/order/batch/cancel", &[T]),
    ("/v1/prediction-markets/terms/accept", &[T]),
    ("/v1/prediction-markets/orders/active", &[T, A]),
    ("/v1/prediction-markets/orders/history", &[T, A]),
    ("/v1/prediction-markets/positions", &[T, A]),
    ("/v1/prediction-markets/positions/settled", &[T, A]),
    ("/v1/prediction-markets/metrics/volume", &[T, A]),
    ("/v1/prediction-markets/terms/status", &[T, A]),
    ("/v1/prediction-markets/maker-rebate/payouts", &[T, A]),
    ("/v1/prediction-markets/maker-rebate/summary/total", &[T, A]),
    ("/v1/prediction-markets/liquidity-rewards/summary/daily", &[T, A]),
    ("/v1/prediction-markets/liquidity-rewards/summary/total", &[T, A]),
];

/// Scopes that the table does not name, from the texts of the endpoints and from the facts.
pub(crate) const SCOPES_BEYOND: &[(&str, &str)] = &[
    ("/v1/instant/quote", "orders:create"),
    ("/v1/account/list", "account:read"),
    ("/v1/transactions", "history:read"),
    ("/v1/statement", "history:read"),
    ("/v2/transfers", "history:read"),
    ("/v1/custody/fee-transfers", "history:read"),
    ("/v2/withdraw/{network}/{ticker}", "crypto:send"),
    ("/v1/clearing/broker/new", "clearing:create"),
    ("/v1/reserves/proof", "balances:read"),
    ("/v1/margin/account", "balances:read"),
    ("/v1/margin/rates", "balances:read"),
    ("/v1/margin/order/preview", "orders:read"),
    ("/v1/order/events", "orders:read"),
    ("/v1/prediction-markets/order", "orders:create"),
    ("/v1/prediction-markets/order/cancel", "orders:create"),
    ("/v1/prediction-markets/order/batch", "orders:create"),
    ("/v1/prediction-markets/order/batch/cancel", "orders:create"),
    ("/v1/prediction-markets/orders/active", "orders:read"),
    ("/v1/prediction-markets/orders/history", "orders:read"),
    ("/v1/prediction-markets/positions", "orders:read"),
    ("/v1/prediction-markets/positions/settled", "orders:read"),
    ("/v1/prediction-markets/metrics/volume", "orders:read"),
    ("/v1/prediction-markets/terms/status", "orders:read"),
    ("/v1/prediction-markets/maker-rebate/payouts", "orders:read"),
    ("/v1/prediction-markets/maker-rebate/summary/total", "orders:read"),
    ("/v1/prediction-markets/liquidity-rewards/summary/daily", "orders:read"),
    ("/v1/prediction-markets/liquidity-rewards/summary/total", "orders:read"),
];

/// A path with every parameter as `{}`.
pub(crate) fn shape(path: &str) -> String {
    let segment = |segment: &'_ str| {
        if segment.starts_with([':', '{']) { "{}".to_owned() } else { segment.to_owned() }
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// Every path in the text with the method before it, if one stands there. Those of the authorization server are left out: its metadata
/// describes them (RFC 8414), and the contract does not.
pub(crate) fn calls() -> Vec<(Option<&'static str>, String)> {
    let mut calls = Vec::new();
    for line in TEXT.lines().filter(|line| !line.contains("removed")) {
        // The chapter of the prediction markets names most of its paths by their ends.
        let base = if line.starts_with("These paths exist:") { "/v1/prediction-markets" } else { "" };
        let mut method = None;
        let is_word = |character: char| character.is_ascii_alphanumeric() || "/:{}_.-".contains(character);
        for word in line.split(|character| !is_word(character)) {
            method = match word {
                "GET" => Some("GET"),
                "POST" => Some("POST"),
                _ => method,
            };
            let path = word.trim_start_matches("{auth_url}").trim_start_matches("{base_url}");
            let is_whole = ["/v1/", "/v2/"].iter().any(|start| path.starts_with(start));
            if is_whole && !path.ends_with(['.', '/']) {
                calls.push((method.take(), path.to_owned()));
            } else if !base.is_empty() && path.starts_with('/') {
                calls.push((method, format!("{base}{path}")));
            }
        }
    }
    calls
}

/// The lines of the table under these headings, each as its two cells.
fn table(headings: &str) -> Vec<(&'static str, &'static str)> {
    let (_, after) = TEXT.split_once(headings).unwrap_or_else(|| panic!("no table {headings}"));
    let lines = after.lines().skip(2).take_while(|line| line.starts_with('|'));
    lines
        .map(|line| line.trim_matches('|').split_once('|').unwrap())
        .map(|(a, b)| (a.trim(), b.trim()))
        .collect()
}

/// The table of roles: each endpoint with its roles.
pub(crate) fn roles() -> Vec<(&'static str, BTreeSet<String>)> {
    let rows = table("| Endpoint | Roles |");
    assert_eq!(rows.len(), CELLS.len());
    rows.into_iter()
        .flat_map(|(cell, roles)| {
            let letters = roles.trim_end_matches(" in the summary");
            let role = |word: &str| match word.trim_start_matches("also ") {
                "T" => T.to_owned(),
                "F" => F.to_owned(),
                "A" => A.to_owned(),
                other => panic!("no role {other}"),
            };
            let roles: BTreeSet<String> = letters.split(", ").map(role).collect();
            let paths =
                CELLS.iter().find(|(known, _)| *known == cell).unwrap_or_else(|| panic!("no cell {cell}")).1;
            paths.iter().map(move |path| (*path, roles.clone()))
        })
        .collect()
}

/// The table of scopes: the scopes of each endpoint.
pub(crate) fn scopes() -> BTreeMap<String, BTreeSet<String>> {
    let mut scopes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (scope, endpoints) in table("| Scope | Endpoints |") {
        let mut chapter = String::new();
        for endpoint in endpoints.split(", ") {
            let endpoint = endpoint.trim_matches('`');
            let paths = match endpoint {
                "funding payment reports" => ["xlsx", "json"]
                    .map(|kind| format!("/v1/perpetuals/fundingpaymentreport/records.{kind}"))
                    .to_vec(),
                whole if whole.starts_with("/v1/") => {
                    chapter = String::from(whole.rsplit_once('/').unwrap().0);
                    vec![in_braces(whole)]
                }
                end => vec![format!("{chapter}{end}")],
            };
            for path in paths {
                scopes.entry(path).or_default().insert(scope.to_owned());
            }
        }
    }
    scopes
}

/// `/v1/wrap/{symbol}` of `/v1/wrap/:symbol`.
fn in_braces(path: &str) -> String {
    let segment = |segment: &str| match segment.strip_prefix(':') {
        Some(name) => format!("{{{name}}}"),
        None => segment.to_owned(),
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}
