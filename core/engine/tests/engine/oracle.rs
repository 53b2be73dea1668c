//! The core against the naive exchange of `oracle`, over some hundred thousand random commands.
//!
//! A failure prints its world, its seed and the shortest list of commands that still fails.

use buttonwood_engine::{AccessCommand, Body, Command, Outcome};
use buttonwood_oracle::{CALLS, Dice, Exchange, FINE, FUNDS, MAJORS, ODD, World, caller, compare};
use std::collections::{HashMap, HashSet};

type Seen = HashMap<&'static str, u64>;

/// Runs the seeds one after another and counts what they met.
fn run_all(world: &'static World, seeds: std::ops::Range<u64>, count: usize) -> Seen {
    let mut seen = Seen::new();
    for seed in seeds {
        for (what, times) in compare(world, seed, count) {
            *seen.entry(what).or_default() += times;
        }
    }
    seen
}

fn assert_seen(seen: &Seen, least: u64, expected: &[&str]) {
    for what in expected {
        assert!(seen.get(what).is_some_and(|times| *times >= least), "too few {what}: {seen:?}");
    }
}

/// Every way of refused orders and of connections that cancel on disconnect.
const SOCKETS: &[&str] = &[
    "refused",
    "refused before the core",
    "refused over a connection",
    "connected",
    "refused connection",
    "tied",
    "disconnected",
    "cancelled with its connection",
    "order over no connection",
    "end of no connection",
];

/// Runs the seeds one after another and asserts that everything an order can meet was met often, an auction included.
fn compare_all(world: &'static World, seeds: std::ops::Range<u64>, count: usize) -> Seen {
    let seen = run_all(world, seeds, count);
    assert_seen(
        &seen,
        10,
        &[
            "filled",
            "booked",
            "completed",
            "maker or cancel",
            "immediate or cancel",
            "fill or kill",
            "self cross",
            "collar",
            "requested",
            "closed",
            "indicated",
            "opened",
            "auction with trades",
            "auction by the last trade",
            "auction of nothing",
            "auction fails",
            "auction cancelled",
            "crossed, both waiting",
            "crossed with the continuous book",
            "crossed in part",
            "cancel rejected",
            "self cross of one that would wait",
            "self cross with one that waits",
            "waits while an auction is settled",
            "filled while an auction is settled",
            "cancelled while an auction is settled",
            "no auctions",
            "auction not open",
            "abandoned",
            "senseless schedule",
            "scheduled while one is settled",
            "too early for an auction",
            "other fees",
            "bad fees",
            "other tiers",
            "bad tiers",
            "order in a higher tier",
            "other promotion",
            "order under promotion",
            "day closed",
            "too early for midnight",
            "renamed",
            "name is used",
            "rates",
            "rate of a taken time",
            "suspended",
            "triggered",
            "triggered orders that traded",
            "refused stop prices",
            "broken manually",
            "broken in full",
            "broken already",
            "unknown trade",
            "stale break",
            "halted",
            "resumed",
            "refused while halted",
            "cancelled while halted",
            "debited",
            "debit of too much",
            "debit of nothing",
            "reference used again",
        ],
    );
    let rare = [
        "account created",
        "group is full",
        "no custody terms",
        "account closed",
        "account in use",
        "order of a closed account",
        "debit of a closed account",
        "waits while halted",
    ];
    assert_seen(&seen, 3, &rare);
    assert_seen(&seen, 10, SOCKETS);
    let of_operators = [
        "bad cancel by operator",
        "account cancelled by operator",
        "symbol cancelled by operator",
        "account cancelled on a symbol",
    ];
    assert_seen(&seen, 10, &of_operators);
    let of_sessions = [
        "call of a disabled key",
        "order without the role",
        "key made",
        "key disabled",
        "key re-roled",
        "bad roles",
    ];
    assert_seen(&seen, 10, &of_sessions);
    assert_seen(&seen, 1, &["key ended"]);
    seen
}

/// Every way a conversion ends.
const CONVERSIONS: &[&str] = &[
    "wrapped",
    "unwrapped",
    "no conversion of this symbol",
    "conversion of too little",
    "conversion while closed",
    "conversion without funds",
    "quoted",
    "no such quote",
    "quote beyond the book",
    "conversion beyond the exposure",
    "terms of instant orders",
    "bad terms of instant orders",
];

/// Those that need a deep book of another group and a stock.
const INSTANT: &[&str] = &["bought at once", "sold at once", "not as quoted", "quote void"];

/// Proves ORD-023, ORD-046, ORD-047, ORD-048, BAL-009.
#[test]
fn majors_agree() {
    let seen = compare_all(&MAJORS, 60..68, 15_000);
    assert_seen(&seen, 10, CONVERSIONS);
    assert_seen(&seen, 2, INSTANT);
    assert_seen(&seen, 3, &["money is gone"]);
}

/// Proves BAL-009, TYPE-010, TYPE-020.
#[test]
fn products_of_nineteen_decimals_agree() {
    compare_all(&FINE, 101..111, 15_000);
}

/// Proves BAL-009, TYPE-010, TYPE-020.
#[test]
fn fees_that_never_come_out_even_agree() {
    let seen = compare_all(&ODD, 209..221, 10_000);
    assert_seen(&seen, 3, &["buyer's fee is capped"]);
}

/// Most orders wait for an auction, and many prices of one are as good as each other.
///
/// Proves AUCT-004, AUCT-006.
#[test]
fn auctions_agree() {
    let seen = compare_all(&CALLS, 301..310, 15_000);
    assert_seen(&seen, 1, &["bound beyond its connection"]);
}

/// Symbols whose first auction comes before their first trade, which is all that some auctions could be measured by.
#[test]
fn first_auctions_agree() {
    let seen = run_all(&CALLS, 401..761, 400);
    assert_seen(&seen, 10, &["auction without collar", "auction with trades"]);
}

/// Every way a transfer between accounts ends, and what belongs to custody and reserves.
const TRANSFERS: &[&str] = &[
    "moved at once",
    "moved into custody",
    "moved out of custody",
    "moved before",
    "move of other terms",
    "move of another's funds",
    "move to the same account",
    "prohibited move",
    "move of too much",
    "transfer without the right",
    "custody run",
    "custody move settled",
    "settled what was not sent",
    "custody fees",
    "custody fees too early",
    "reserves cut",
    "cut too early",
    "wallet reported",
    "bad wallet",
    "reserves as before",
    "reserves short or covered",
];

/// Every way of addresses, approvals and halts.
const APPROVALS: &[&str] = &[
    "address issued",
    "address issued before",
    "refused address",
    "approval requested",
    "approval requested before",
    "approval removed",
    "approval by another user",
    "approval rejected",
    "approval not listed",
    "removal of what awaits a user",
    "approval decided before",
    "approval of others",
    "refused approval",
    "users of a group",
    "hold over",
    "hold waived",
    "no hold to waive",
    "hold not over",
    "scope halted",
    "scope resumed",
    "scope halted as before",
    "halt of no asset",
];

/// Every way of a withdrawal.
const WITHDRAWALS: &[&str] = &[
    "withdrawn for nothing",
    "withdrawn for a fee",
    "withdrawn as a token",
    "withdrawn before",
    "withdrawal of others",
    "withdrawal on another network",
    "withdrawal of other terms",
    "withdrawal while halted",
    "withdrawal without a list",
    "withdrawal to no approved address",
    "withdrawal of a bad amount",
    "withdrawal of too little",
    "withdrawal of too much",
    "signed",
    "signed with a higher fee",
    "signed to void",
    "signed anew",
    "sent",
    "withdrawal completed",
    "withdrawal failed",
    "withdrawal voided",
    "payment reorganised",
    "step repeated",
    "step of no withdrawal",
    "step of another transaction",
    "step after the end",
    "fee overridden",
];

/// Every way of banks, advances and debts.
const BANKS: &[&str] = &[
    "bank linked",
    "bank linked before",
    "wire",
    "money advanced",
    "bank paid",
    "payment to an unverified bank",
    "payment to no bank",
    "payment while halted",
    "payment of too much",
    "what an advance bought stays",
    "bank settled",
    "bank returned",
    "settled before",
    "settled nothing of a bank",
    "advance cleared in time",
    "advance cleared early",
    "advance cleared too early",
    "advance lent",
    "debt repaid",
    "nothing to repay",
    "order of a debtor",
    "refused by a bank",
];

/// Every way of a deposit.
const DEPOSITS: &[&str] = &[
    "deposit seen",
    "deposit seen before",
    "deposit of nobody",
    "unacceptable deposit",
    "deposit confirmed",
    "deposit credited",
    "deposit report repeated",
    "deposit reorganised",
    "credited deposit reorganised",
    "deposit lost",
    "deposit revived",
    "deposit assigned",
    "deposit assigned before",
    "deposit assigned to nobody",
    "report of no deposit",
];

/// Transfers of every kind while their accounts trade.
///
/// Proves XFER-010, XFER-015, XFER-016, XFER-019, XFER-020, XFER-023, XFER-024, XFER-026, XFER-027, XFER-028, XFER-030, ADDR-010,
/// ADDR-018, BANK-003, BAL-003, BAL-004, BAL-005, BAL-009.
#[test]
fn funds_agree() {
    let seen = run_all(&FUNDS, 501..508, 10_000);
    for kinds in [TRANSFERS, APPROVALS, WITHDRAWALS, DEPOSITS, BANKS] {
        assert_seen(&seen, 1, kinds);
    }
}

/// Nonces a little above and below the highest, as calls that overtake each other use them: what was used is never
/// taken again, and what is higher than all before always is.
#[test]
fn a_nonce_is_never_taken_twice() {
    for seed in 0..20 {
        let mut exchange = Exchange::open(MAJORS.fees, None);
        let account = exchange.account("ann", "");
        let session = exchange.key("ann", account, buttonwood_model::Role::Trader);
        let mut dice = Dice::seeded(seed);
        let (mut used, mut highest) = (HashSet::new(), 0);
        let mut late = 0;
        for _ in 0..2_000 {
            let number = (highest + dice.below(4)).saturating_sub(dice.below(4) * dice.below(12));
            let command = Command {
                caller: Some(caller(session, account, number)),
                body: Body::Access(AccessCommand::UseNonce),
            };
            let taken = exchange.submit(1, &command) == Outcome::Done;
            assert!(!taken || !used.contains(&number), "seed {seed}: {number} was taken twice");
            assert!(taken || number <= highest, "seed {seed}: {number} is higher than all before");
            late += u64::from(taken && number < highest);
            if taken {
                used.insert(number);
                highest = highest.max(number);
            }
        }
        assert!(late > 50, "seed {seed}: late ones are taken too, but only {late} were");
    }
}
