//! The accounts and keys that a sandbox is founded with, from the launch contract's table.

use buttonwood_engine::AccountKind;
use buttonwood_model::{Role, Roles};

/// An account, in the order they are opened.
pub(crate) struct AccountPart {
    pub(crate) group: &'static str,
    pub(crate) name: String,
    pub(crate) jurisdiction: &'static str,
    pub(crate) broker: bool,
    pub(crate) kind: AccountKind,
    pub(crate) start: Start,
}

/// The first balances of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Nothing.
    Nothing,
    /// The table's start balances (SBX-002).
    Funded,
    /// Plenty of all that simulated traders trade.
    Plenty,
    /// 100,000 GUSD.
    Perpetuals,
    /// 10,000 USD.
    Margin,
}

/// A key, in the order they are made.
pub(crate) struct KeyPart {
    pub(crate) name: String,
    pub(crate) group: &'static str,
    /// None for a master key.
    pub(crate) account: Option<String>,
    pub(crate) roles: Roles,
    pub(crate) require_heartbeat: bool,
    pub(crate) time_based_nonce: bool,
}

/// The groups, in the order they are added.
pub(crate) const GROUPS: [&str; 9] = ["one", "two", "three", "four", "five", "load", SIMULATED, PERP, MARGIN];
/// The group of the simulated traders; their keys are not in `credentials.json`.
pub(crate) const SIMULATED: &str = "simulated";
/// The simulated traders' accounts: one that quotes, one that takes.
pub(crate) const QUOTER: &str = "quoter";
pub(crate) const TAKER: &str = "taker";
/// Keys of the quoting account: calls on several connections at once need nonces of their own.
pub(crate) const QUOTER_KEYS: usize = 4;
/// The simulated traders' accounts on perpetuals, whose kind trades nothing else. They are opened when they are first needed: older
/// directories get them too, and the other keys of a seed stay the same.
pub(crate) const PERP_QUOTER: &str = "perp-quoter";
pub(crate) const PERP_TAKER: &str = "perp-taker";
/// Accounts for load tests.
const LOAD: usize = 128;
/// The group of derivatives accounts, and how many there are.
const PERP: &str = "perp";
const PERPS: usize = 32;
/// The group of margin accounts, and how many there are.
const MARGIN: &str = "margin";
const MARGINS: usize = 8;

/// How many of the accounts for load tests have a key for sockets.
const SOCKETS: usize = 64;

/// Every account.
pub(crate) fn accounts() -> Vec<AccountPart> {
    let part = |group, name: &str, start| AccountPart {
        group,
        name: name.to_owned(),
        jurisdiction: "",
        broker: false,
        kind: AccountKind::Exchange,
        start,
    };
    let mut all = vec![
        part("one", "primary", Start::Funded),
        part("one", "savings", Start::Funded),
        part("two", "primary", Start::Funded),
        AccountPart { broker: true, ..part("three", "broker", Start::Funded) },
        AccountPart { jurisdiction: "US-NY", ..part("four", "primary", Start::Funded) },
        part("five", "primary", Start::Nothing),
    ];
    all.extend((0..LOAD).map(|number| part("load", &numbered("load", number), Start::Funded)));
    all.push(part(SIMULATED, QUOTER, Start::Plenty));
    all.push(part(SIMULATED, TAKER, Start::Plenty));
    all.extend((0..PERPS).map(|number| AccountPart {
        kind: AccountKind::Derivatives,
        ..part(PERP, &numbered(PERP, number), Start::Perpetuals)
    }));
    all.extend((0..MARGINS).map(|number| AccountPart {
        kind: AccountKind::Margin,
        ..part(MARGIN, &numbered(MARGIN, number), Start::Margin)
    }));
    all
}

/// The accounts with which people of the groups that have users trade what `primary` does not. They come after all others, so that the
/// numbers and keys of a seed stay the same.
pub(crate) fn accounts_of_traders() -> impl Iterator<Item = AccountPart> {
    let kinds = [
        ("perps", AccountKind::Derivatives, Start::Perpetuals),
        ("margin", AccountKind::Margin, Start::Margin),
    ];
    ["one", "two"].into_iter().flat_map(move |group| {
        kinds.map(|(name, kind, start)| AccountPart {
            group,
            name: name.to_owned(),
            jurisdiction: "",
            broker: false,
            kind,
            start,
        })
    })
}

/// Every key.
pub(crate) fn keys() -> Vec<KeyPart> {
    const T: Role = Role::Trader;
    const F: Role = Role::FundManager;
    let key = |name: &str, group, account: Option<&str>, roles: &[Role]| KeyPart {
        name: name.to_owned(),
        group,
        account: account.map(str::to_owned),
        roles: Roles::of(roles),
        require_heartbeat: false,
        time_based_nonce: false,
    };
    let mut all = vec![
        key("trader", "one", Some("primary"), &[T]),
        key("fund-manager", "one", Some("primary"), &[F]),
        key("trader-fund-manager", "one", Some("primary"), &[T, F]),
        key("auditor", "one", Some("primary"), &[Role::Auditor]),
        KeyPart { require_heartbeat: true, ..key("heartbeat", "one", Some("primary"), &[T]) },
        KeyPart { time_based_nonce: true, ..key("time-nonce", "one", Some("primary"), &[T]) },
        key("second-session", "one", Some("primary"), &[T]),
        key("savings-trader", "one", Some("savings"), &[T]),
        key("master", "one", None, &[Role::Administrator, T, F]),
        key("master-auditor", "one", None, &[Role::Auditor]),
        key("counterparty", "two", Some("primary"), &[T, F]),
        key("broker", "three", Some("broker"), &[T]),
        key("restricted", "four", Some("primary"), &[T]),
        key("empty", "five", Some("primary"), &[T, F]),
    ];
    all.extend((0..LOAD).map(|number| {
        let name = numbered("load", number);
        key(&name, "load", Some(&name), &[T])
    }));
    all.extend((0..QUOTER_KEYS).map(|number| key(&quoter_key(number), SIMULATED, Some(QUOTER), &[T])));
    all.push(key(TAKER_KEY, SIMULATED, Some(TAKER), &[T]));
    for (group, accounts) in [(PERP, PERPS), (MARGIN, MARGINS)] {
        all.extend((0..accounts).map(|number| {
            let name = numbered(group, number);
            key(&name, group, Some(&name), &[T])
        }));
        let first = numbered(group, 0);
        all.push(key(&format!("{group}-auditor"), group, Some(&first), &[Role::Auditor]));
    }
    all.push(key("perp-fund-manager", PERP, Some(&numbered(PERP, 0)), &[F]));
    all
}

/// The keys with time-based nonces that open sockets, each on an account that is there without them.
pub(crate) fn socket_keys() -> Vec<KeyPart> {
    let key = |name: &str, group, account: &str, role| KeyPart {
        name: name.to_owned(),
        group,
        account: Some(account.to_owned()),
        roles: Roles::of(&[role]),
        require_heartbeat: false,
        time_based_nonce: true,
    };
    let mut all = vec![
        key("time-auditor", "one", "primary", Role::Auditor),
        key("time-savings", "one", "savings", Role::Trader),
        key("time-counterparty", "two", "primary", Role::Trader),
        KeyPart { require_heartbeat: true, ..key("time-heartbeat", "one", "primary", Role::Trader) },
    ];
    all.extend(
        (0..SOCKETS)
            .map(|number| key(&numbered("socket", number), "load", &numbered("load", number), Role::Trader)),
    );
    all
}

/// The taker's key.
pub(crate) const TAKER_KEY: &str = "simulated-taker";

/// The keys of the accounts that trade perpetuals, with their accounts.
pub(crate) fn perpetual_keys() -> impl Iterator<Item = (String, &'static str)> {
    let quoters = (0..QUOTER_KEYS).map(|number| (format!("simulated-perp-quoter-{number}"), PERP_QUOTER));
    quoters.chain([("simulated-perp-taker".to_owned(), PERP_TAKER)])
}

/// One of the quoter's keys.
pub(crate) fn quoter_key(number: usize) -> String {
    format!("simulated-quoter-{number}")
}

/// The name of one of a group's many accounts, and of its key.
fn numbered(group: &str, number: usize) -> String {
    format!("{group}-{number:03}")
}
