//! `account close`: closes an account for good (ACCT-013).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{AccessCommand, AccessReject, Balance, Reject, State};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Done, InPayload, Needed, Text};
use buttonwood_wire::field::{bad_value, closed_account};
use buttonwood_wire::{answer, json, request};
use std::collections::BTreeMap;

/// Also `POST /sandbox/accounts/close`.
pub const COMMAND: Command =
    Command::once("account close", Effect::Halts, |operator, fields| Box::pin(run(operator, fields)))
        .about("Closes an account without orders, transfers under way and money, for good.")
        .takes::<Closing>(&[Argument::new("group", Form::Place), Argument::new("account", Form::Place)])
        .gives::<ClosedAccount>();

request! {
    /// An account to close.
    struct Closing in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
    }
}

answer! {
    /// The account that was closed.
    struct ClosedAccount {
        /// Always `ok`.
        result: Done,
        /// Its short name.
        account: String,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Closing::of(fields);
    let (group, name) = (request.group()?, request.account()?);
    let account = operator.find_account(&group, &name)?;
    let refuse = |reject| {
        let Reject::Access(reject) = reject else { return None };
        if reject == AccessReject::Closed {
            return Some(closed_account(&name));
        }
        let is_in_use = matches!(reject, AccessReject::InUse(_));
        let expected = is_in_use.then(|| in_the_way(operator.exchange.views().state(), account))?;
        Some(bad_value("account", &expected, &name))
    };
    operator.send(AccessCommand::CloseAccount(account), refuse).await?;
    Ok(json::body(&ClosedAccount { result: Done, account: name.clone().into_owned() }))
}

/// Everything that keeps the account open, by its kind.
fn in_the_way(state: &State, account: AccountId) -> String {
    let kinds = [
        ("live orders", orders(state, account)),
        ("clearing orders", clearing_orders(state, account)),
        ("positions", positions(state, account)),
        ("contracts", contracts(state, account)),
        ("unpaid rewards", rewards(state, account)),
        ("open transfers", transfers(state, account)),
        ("debts", debts(state, account)),
        ("stakes", stakes(state, account)),
        ("redemptions", redemptions(state, account)),
        ("waiting interest", waiting(state, account)),
        ("money", money(state, account)),
    ];
    let found = kinds.iter().filter(|(_, all)| !all.is_empty());
    let found: Vec<String> = found.map(|(kind, all)| format!("{kind} {}", shown(all))).collect();
    format!(
        "one without live orders, clearing orders, positions, contracts, unpaid rewards, open transfers, debts, stakes, \
         redemptions, waiting interest and money, not with {}",
        found.join("; ")
    )
}

/// The ids of the account's live orders, the newest first.
fn orders(state: &State, account: AccountId) -> Vec<String> {
    state.orders().of_account(account).map(|(_, order)| order.id.0.to_string()).collect()
}

/// The ids of the clearing orders that the account has entered or confirmed and that are open or wait for money.
fn clearing_orders(state: &State, account: AccountId) -> Vec<String> {
    let clearing = state.clearing();
    let binding = clearing.of_account(account).filter(|order| order.binds(account));
    binding.map(|order| clearing.code(order.number).to_string()).collect()
}

/// The account's transfers that are not done, by their `eid`.
fn transfers(state: &State, account: AccountId) -> Vec<String> {
    state.funds().open_of(account).map(|transfer| format!("eid {}", transfer.eid.0)).collect()
}

/// The account's positions in perpetuals, short ones below zero.
fn positions(state: &State, account: AccountId) -> Vec<String> {
    let rows = state.perps().rows_of(account).filter(|row| !row.position.is_flat());
    let named = rows.map(|row| {
        let symbol = state.symbols().get(row.symbol.index());
        format!("{} {}", symbol.map_or("", |symbol| symbol.name.as_str()), digits(row.position.quantity))
    });
    named.collect()
}

/// The contracts of the prediction markets that the account holds, with their outcomes.
fn contracts(state: &State, account: AccountId) -> Vec<String> {
    let held = state.predictions().holdings_of(state.ledger(), account);
    let named = held.filter_map(|held| {
        let symbol = state.symbol(held.contract)?.name.to_ascii_uppercase();
        Some(format!("{symbol} {} {}", held.claim.name(), digits(held.quantity)))
    });
    named.collect()
}

/// Where the account has earned rewards that are paid later.
fn rewards(state: &State, account: AccountId) -> Vec<String> {
    let is_owed = state.predictions().owes_rewards_to(account);
    is_owed.then(|| "of prediction markets".to_owned()).into_iter().collect()
}

/// The debts of the account to the house: for returned advances, and as loans of margin and of perpetuals.
fn debts(state: &State, account: AccountId) -> Vec<String> {
    let advances = state.funds().debts_of(account);
    let loans = state.perps().loans().of(account).chain(state.spot_margin().loans().of(account));
    let mut owed = BTreeMap::new();
    for (currency, amount) in advances.chain(loans) {
        let sum: &mut Money = owed.entry(currency).or_default();
        *sum = sum.capped_add(amount);
    }
    owed.into_iter()
        .map(|(currency, sum)| format!("{} {}", currency_code(state, currency), digits(sum)))
        .collect()
}

/// The account's stakes, by their currencies.
fn stakes(state: &State, account: AccountId) -> Vec<String> {
    let all = state.staking().holdings(account).filter(|(.., [staked, _])| *staked != Money::ZERO);
    all.map(|(_, pair, [staked, _])| format!("{} {}", currency_code(state, pair.currency), digits(staked)))
        .collect()
}

/// The currencies in which a day of interest waits for money.
fn waiting(state: &State, account: AccountId) -> Vec<String> {
    let pairs = state.staking().waiting_for(account);
    pairs.map(|pair| currency_code(state, pair.currency)).collect()
}

/// The redemptions that are not paid in full, by the codes of their transactions.
fn redemptions(state: &State, account: AccountId) -> Vec<String> {
    let staking = state.staking();
    let codes = staking.open_of(account).filter_map(|redemption| staking.code(redemption.number));
    codes.map(|code| code.to_string()).collect()
}

/// The account's money, to the last decimal.
fn money(state: &State, account: AccountId) -> Vec<String> {
    let all = state.ledger().balances_of(account).filter(|(_, balance)| *balance != Balance::default());
    all.map(|(currency, balance)| format!("{} {}", currency_code(state, currency), digits(balance.total())))
        .collect()
}

fn currency_code(state: &State, currency: CurrencyId) -> String {
    state.currency(currency).map_or_else(String::new, |currency| currency.code.clone())
}

fn digits(amount: Money) -> String {
    let mut out = Vec::new();
    amount.push_floored(&mut out, MONEY_DECIMALS);
    String::from_utf8(out).unwrap_or_default()
}

/// The first few, and how many more there are.
fn shown(all: &[String]) -> String {
    const FEW: usize = 10;
    let first = all.iter().take(FEW).map(String::as_str).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(FEW) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
