//! The worth of all accounts at the prices that stand still, read over HTTP, and the law about it (INV-HOUSE).
//!
//! An account counts for what it has less what it owes, but never for less than nothing once it is flat: its owner walks away from a
//! debt. The debts of a group for returned advances bind the money of its accounts (D-181). Money that waits to leave the exchange has
//! left.

use crate::money::{CENT, shown, units, worth};
use crate::people::{Group, People};
use crate::prices;
use crate::server::Server;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The house accounts that stand behind a product and must not lose.
const GUARDED: [&str; 3] = ["insurance", "instant", "fees"];

/// How often a reading is repeated while deposits arrive.
const TRIES: u32 = 100;

/// The sums of all accounts, in units of 10^-10 dollars.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// The worth of each group, without the money that waits to leave.
    pub(crate) groups: Vec<i128>,
    /// The money that waits to leave for good.
    pub(crate) leaving: i128,
    /// The debts of flat accounts beyond their money.
    pub(crate) bad_debt: i128,
    /// Loans that no account's figures show.
    pub(crate) unseen_loans: i128,
    /// The balance of each guarded house account.
    pub(crate) houses: [i128; GUARDED.len()],
    /// The balance of `source` in dollars, and in everything else.
    pub(crate) source: [i128; 2],
    /// The money that arrived without an owner.
    pub(crate) unclaimed: i128,
    /// The answers to each account, without times: the same after a restart.
    pub(crate) answers: BTreeMap<String, String>,
}

/// The flows of money from outside, in units of 10^-10 dollars.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outside {
    /// Dollars that banks have sent.
    pub(crate) received: i128,
    /// Advances that banks took back, by group.
    pub(crate) returned: Vec<i128>,
    /// The part of those that the bank did not get at once, since it was spent.
    pub(crate) short: i128,
    /// Dollars that were paid out to banks.
    pub(crate) paid_out: i128,
    /// The money that was sent on chains.
    pub(crate) sent: i128,
}

/// Reads the figures, again while money moves: payments on chains arrive by themselves.
pub(crate) fn read(server: &Server, people: &People) -> Result<Figures, String> {
    for _ in 0..TRIES {
        let before = server.get("/sandbox/ledger")?;
        let figures = read_once(server, people, &before)?;
        if server.get("/sandbox/ledger")?.get("currencies") == before.get("currencies") {
            return Ok(figures);
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Err("the exchange does not come to rest without a call".to_owned())
}

fn read_once(server: &Server, people: &People, ledger: &Value) -> Result<Figures, String> {
    let mut figures = Figures::default();
    let mut seen_loans = 0;
    for group in &people.groups {
        let mut has = 0;
        for account in &group.accounts {
            let holding = Holding::read(server, group, account, &mut figures.answers)?;
            let net = holding.total + holding.open - holding.owed - holding.leaving;
            has += if holding.is_flat { net.max(0) } else { net };
            figures.bad_debt += if holding.is_flat { (-net).max(0) } else { 0 };
            figures.leaving += holding.leaving;
            seen_loans += holding.owed;
        }
        figures.groups.push(has);
    }
    figures.houses = GUARDED.map(|house| house_worth(ledger, house, |_| true));
    figures.houses[0] += insurance_positions(server)?;
    figures.source = [source_dollars(ledger), house_worth(ledger, "source", |currency| currency != "USD")];
    figures.unclaimed = house_worth(ledger, "unclaimed", |_| true);
    figures.unseen_loans = (-house_worth(ledger, "lending", |_| true) - seen_loans).max(0);
    Ok(figures)
}

/// The holdings of one account.
#[derive(Debug, Default)]
struct Holding {
    total: i128,
    /// Unrealised profit at the index.
    open: i128,
    owed: i128,
    leaving: i128,
    is_flat: bool,
}

impl Holding {
    fn read(
        server: &Server,
        group: &Group,
        account: &str,
        answers: &mut BTreeMap<String, String>,
    ) -> Result<Self, String> {
        let client = &group.reader.client;
        let call = |path: &str, mut fields: Value| {
            if let Some(fields) = fields.as_object_mut() {
                fields.insert("account".to_owned(), account.into());
            }
            server.call(client, path, fields)
        };
        let balances = call("/v1/balances", json!({ "showPendingBalances": true }))?;
        let positions = call("/v1/positions", json!({}))?;
        let mut holding = Self::of_balances(&balances);
        let at_mark = holding.add_positions(&positions);
        // Only a margin account answers the first, and only one of derivatives the second.
        if let Ok(margin) = call("/v1/margin/account", json!({})) {
            holding.owed = amount(margin.get("totalBorrowed"), "value");
        } else if let Ok(margin) = call("/v1/margin", json!({ "symbol": "btcgusdperp" })) {
            let gusd = rows(&balances).filter(|row| row.get("currency") == Some(&json!("GUSD")));
            let gusd: i128 = gusd.map(|row| amount(Some(row), "amount")).sum();
            holding.owed = (gusd + at_mark - amount(Some(&margin), "margin_assets_value")).max(0);
            // A cent of rounding is no loan.
            holding.owed = if holding.owed < CENT { 0 } else { holding.owed };
        }
        answers.insert(format!("{}/{account}", group.name), timeless(&balances, &positions));
        Ok(holding)
    }

    fn of_balances(balances: &Value) -> Self {
        let mut holding = Self { is_flat: true, ..Self::default() };
        for row in rows(balances) {
            let price = prices::of(row.get("currency").and_then(Value::as_str).unwrap_or_default());
            holding.total += worth(exact(row, "amount"), price);
            holding.leaving += worth(exact(row, "pendingWithdrawal"), price);
        }
        holding
    }

    /// Adds what positions are worth at the index; gives what they are worth at the mark.
    fn add_positions(&mut self, positions: &Value) -> i128 {
        let mut at_mark = 0;
        for row in rows(positions) {
            let quantity = exact(row, "quantity");
            self.is_flat &= quantity == 0;
            self.open += profit(symbol(row), quantity, exact(row, "average_cost"));
            at_mark += amount(Some(row), "unrealised_pnl");
        }
        at_mark
    }
}

/// The worth of a position at the index of its currency: quantity × (index − average cost).
fn profit(symbol: &str, quantity: i128, average_cost: i128) -> i128 {
    let base = symbol.to_ascii_uppercase();
    let index = worth(10_i128.pow(19), prices::of(base.trim_end_matches("GUSDPERP")));
    (quantity / 10_i128.pow(9)).saturating_mul(index - worth(average_cost, 1)) / 10_i128.pow(10)
}

/// The worth of the insurance fund's positions.
fn insurance_positions(server: &Server) -> Result<i128, String> {
    let symbols = server.get("/v1/symbols")?;
    let names = rows(&symbols).filter_map(Value::as_str).filter(|name| name.ends_with("gusdperp"));
    let worths = names.map(|name| {
        let perpetual = server.get(&format!("/sandbox/perpetuals/{name}"))?;
        let fund = perpetual.get("insurance").cloned().unwrap_or_default();
        Ok(profit(name, exact(&fund, "quantity"), exact(&fund, "average_cost")))
    });
    worths.sum()
}

/// The worth of a house account in the currencies that are wanted.
fn house_worth(ledger: &Value, house: &str, wanted: impl Fn(&str) -> bool) -> i128 {
    let currencies = rows(ledger.get("currencies").unwrap_or(&Value::Null));
    let worths = currencies.map(|row| {
        let currency = row.get("currency").and_then(Value::as_str).unwrap_or_default();
        let held = row.get("house").map_or(0, |accounts| exact(accounts, house));
        if wanted(currency) { worth(held, prices::of(currency)) } else { 0 }
    });
    worths.fold(0, i128::saturating_add)
}

/// The balance of `source` in dollars.
pub(crate) fn source_dollars(ledger: &Value) -> i128 {
    house_worth(ledger, "source", |currency| currency == "USD")
}

/// The rows of an answer without the time of the balance.
fn timeless(balances: &Value, positions: &Value) -> String {
    let mut balances = balances.clone();
    for row in balances.as_array_mut().into_iter().flatten() {
        if let Some(row) = row.as_object_mut() {
            row.remove("_timestamp");
        }
    }
    format!("{balances} {positions}")
}

fn rows(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn symbol(row: &Value) -> &str {
    row.get("symbol").and_then(Value::as_str).unwrap_or_default()
}

/// A decimal field in units of 10^-19; 0 where there is none.
fn exact(row: &Value, name: &str) -> i128 {
    row.get(name).and_then(Value::as_str).and_then(units).unwrap_or(0)
}

/// A decimal field of dollars.
fn amount(row: Option<&Value>, name: &str) -> i128 {
    row.map_or(0, |row| worth(exact(row, name), 1))
}

/// The law: all that breaks it between two readings.
pub(crate) fn breaches(before: &Figures, after: &Figures, outside: &Outside, calls: u64) -> Vec<String> {
    let returned: i128 = outside.returned.iter().sum();
    let granted = returned / 20 + CENT * (1 + i128::from(calls / 1_000));
    // The banks' claims beyond the money that `source` could take back.
    let debts = before.source[0] - outside.received + returned + outside.paid_out - after.source[0];
    let mut found = Vec::new();
    let mut check = |what: String, amount: i128, most: i128| {
        if amount > most {
            found.push(format!("{what}: {} dollars, at most {}", shown(amount), shown(most)));
        }
    };
    let gain = have(after, outside, debts) - have(before, &Outside::default(), 0) + sum(&after.source)
        - sum(&before.source)
        + after.unclaimed
        - before.unclaimed
        + debts;
    check("the groups gained what no one paid in".to_owned(), gain, granted);
    check("`source` gave dollars that no bank has sent".to_owned(), debts, outside.short + CENT);
    check("`source` has dollars that no one paid".to_owned(), -debts, CENT);
    let given = before.source[1] - after.source[1];
    check("`source` gave coins that no chain has seen".to_owned(), given, outside.sent + CENT);
    check("accounts that walk away owe".to_owned(), after.bad_debt - before.bad_debt, granted);
    for (house, (before, after)) in GUARDED.iter().zip(before.houses.iter().zip(&after.houses)) {
        check(format!("`{house}` lost"), before - after, granted);
    }
    found
}

/// How much all groups and each guarded house account have gained, and what was walked away from, whether they may or not.
pub(crate) fn gained(before: &Figures, after: &Figures) -> String {
    let total =
        |figures: &Figures| sum(&figures.groups) + figures.leaving + sum(&figures.source) + figures.unclaimed;
    let houses = GUARDED.iter().zip(before.houses.iter().zip(&after.houses));
    let houses = houses.map(|(house, (before, after))| format!(", `{house}` {}", shown(after - before)));
    let debts = shown(after.bad_debt - before.bad_debt);
    format!("{}{}, bad debts {debts}", shown(total(after) - total(before)), houses.collect::<String>())
}

/// The worth of all groups: debts for returned advances bind their money.
fn have(figures: &Figures, outside: &Outside, debts: i128) -> i128 {
    let returned = outside.returned.iter().copied().chain(std::iter::repeat(0));
    let bound: i128 =
        figures.groups.iter().zip(returned).map(|(has, returned)| returned.min(*has).max(0)).sum();
    sum(&figures.groups) + figures.leaving - figures.unseen_loans - bound.min(debts.max(0))
}

fn sum(amounts: &[i128]) -> i128 {
    amounts.iter().copied().fold(0, i128::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOLLAR: i128 = 100 * CENT;

    fn figures(groups: [i128; 2], source: i128) -> Figures {
        Figures { groups: groups.to_vec(), source: [source, 0], ..Figures::default() }
    }

    fn outside(received: i128, returned: i128) -> Outside {
        let short = 600 * DOLLAR;
        Outside {
            received: received * DOLLAR,
            returned: vec![returned * DOLLAR, 0],
            short,
            ..Outside::default()
        }
    }

    /// Money from a bank is no gain, a dollar from elsewhere is one. Proves INV-HOUSE.
    #[test]
    fn a_gain_is_what_no_one_paid_in() {
        let before = figures([0, 0], 0);
        let paid = figures([600 * DOLLAR, 400 * DOLLAR], -1_000 * DOLLAR);
        assert_eq!(breaches(&before, &paid, &outside(1_000, 0), 0), Vec::<String>::new());
        let richer = figures([600 * DOLLAR, 401 * DOLLAR], -1_000 * DOLLAR);
        assert_eq!(breaches(&before, &richer, &outside(1_000, 0), 0).len(), 1);
        let unsent = Outside { short: 0, ..outside(900, 0) };
        assert!(breaches(&before, &paid, &unsent, 0).len() > 1, "more than the bank sent");
    }

    /// A returned advance may cost 5 %, and a debt binds what its group has left, not what another has.
    #[test]
    fn a_returned_advance_binds_its_group() {
        let before = figures([0, 0], 0);
        // The bank sent 1,000 and took them back; 600 were gone, 600 other dollars bind.
        let bound = figures([600 * DOLLAR, 0], -600 * DOLLAR);
        assert_eq!(breaches(&before, &bound, &outside(1_000, 1_000), 0), Vec::<String>::new());
        let gone = figures([0, 600 * DOLLAR], -600 * DOLLAR);
        assert_eq!(breaches(&before, &gone, &outside(1_000, 1_000), 0).len(), 1);
        let granted = figures([0, 50 * DOLLAR], -50 * DOLLAR);
        assert_eq!(breaches(&before, &granted, &outside(1_000, 1_000), 0), Vec::<String>::new());
    }

    #[test]
    fn a_house_account_does_not_lose() {
        let before = Figures { houses: [10 * DOLLAR; 3], ..Figures::default() };
        let mut after = before.clone();
        after.houses[1] -= DOLLAR;
        assert_eq!(breaches(&before, &after, &Outside::default(), 0).len(), 1);
        after = Figures { bad_debt: DOLLAR, ..before.clone() };
        assert_eq!(breaches(&before, &after, &Outside::default(), 0).len(), 1);
        assert_eq!(breaches(&before, &after, &Outside::default(), 100_000), Vec::<String>::new());
    }

    #[test]
    fn a_position_is_worth_its_distance_from_the_index() {
        let one = 10_i128.pow(19);
        assert_eq!(profit("BTCGUSDPERP", 2 * one, 49_000 * one), 2_000 * DOLLAR);
        assert_eq!(profit("btcgusdperp", -one / 2, 49_000 * one), -500 * DOLLAR);
        let ledger = json!({ "currencies": [{ "currency": "BTC", "house": { "fees": "0.5" } }] });
        assert_eq!(house_worth(&ledger, "fees", |_| true), 25_000 * DOLLAR);
    }
}
