//! The first commands of a new directory's journal.

use crate::credit;
use crate::places;
use crate::reference::Reference;
use crate::trading::traders;
use crate::trouble::Trouble;
use buttonwood_engine::{
    Body, CLEARING, ClearingCommand, Command, FeeSchedule, INSTANT, Mode, Opening, Operation, State,
    TradingCommand,
};
use buttonwood_model::{Codes, CurrencyId, Product, SymbolId, SymbolStatus, Time};
use buttonwood_num::{Money, Round};
use buttonwood_sandbox::{
    Draw, Founded, Funding, found, found_accounts_of_traders, found_people, found_perpetual_traders,
    found_socket_keys, missing_sample_rates, spot_traders,
};
use buttonwood_sequencer::Recovered;
use buttonwood_vault::{Opened, Vault};

/// Parts what is drawn for the simulated traders of perpetuals from what a sandbox is founded with.
const PERPETUAL_TRADERS: u64 = 0x7065_7270_7472_6164;
/// The same for users and apps.
const PEOPLE: u64 = 0x7065_6F70_6C65_2121;

/// The same for the accounts with which users trade perpetuals and on margin.
const ACCOUNTS_OF_TRADERS: u64 = 0x7472_6164_6572_7321;

/// The same for keys of sockets.
const SOCKET_KEYS: u64 = 0x736F_636B_6574_7321;

/// What a derivatives account of a sandbox has at first, in GUSD, and a margin account, in USD.
const START_GUSD: i128 = 100_000;
const START_USD: i128 = 10_000;

/// How many start balances of a currency instant orders of a sandbox can give (D-180).
const STOCK: i128 = 10;

/// Founds a sandbox: reference data, test accounts, keys and funds.
pub(crate) fn sandbox(
    recovered: &mut Recovered,
    (vault, opened): (&Vault, &mut Opened),
    seed: u64,
    seed_given: bool,
    time: Time,
) -> Result<(), Trouble> {
    let reference = Reference::load()?;
    let mut draw = draw(seed, seed_given)?;
    let hash_key = draw.hash_key();
    let funding = funding(&reference);
    let mut bodies = listing(Mode::Sandbox, seed, hash_key, reference)?;
    let founded = found(&mut draw, &funding, time);
    bodies.extend(founded.commands);
    bodies.push(ClearingCommand::SetKey(Codes::of(draw.id_key())).into());
    // A key must never be durable without its secret; a secret without its key is only written again.
    vault.add(opened, &founded.secrets)?;
    commit(recovered, time, bodies)
}

/// Adds the accounts and keys of the simulated traders of perpetuals, if the directory lacks them.
pub(crate) fn perpetual_traders(
    recovered: &mut Recovered,
    (vault, opened): (&Vault, &mut Opened),
    seed: u64,
    seed_given: bool,
    time: Time,
) -> Result<(), Trouble> {
    let mut draw = draw(seed ^ PERPETUAL_TRADERS, seed_given)?;
    let founded = {
        let views = recovered.views();
        let state = views.state();
        let gusd = state.currencies().iter().position(|currency| currency.code == "GUSD");
        let funds: Vec<_> =
            gusd.map(|place| (CurrencyId::from_index(place), plenty(None))).into_iter().collect();
        found_perpetual_traders(state.access(), &mut draw, &funds, time)
    };
    let Some(Founded { commands, secrets }) = founded else { return Ok(()) };
    vault.add(opened, &secrets)?;
    commit(recovered, time, commands)
}

/// Adds the accounts with which users trade perpetuals and on margin, where the directory lacks them.
pub(crate) fn accounts_of_traders(recovered: &mut Recovered, seed: u64, time: Time) -> Result<(), Trouble> {
    // Nothing of it is secret.
    let mut draw = draw(seed ^ ACCOUNTS_OF_TRADERS, true)?;
    let founded = {
        let views = recovered.views();
        let state = views.state();
        let amount_of = |code: &str, amount| {
            let place = state.currencies().iter().position(|currency| currency.code == code);
            place.map(|place| (CurrencyId::from_index(place), whole(amount))).into_iter().collect()
        };
        let [perpetuals, margin] = [amount_of("GUSD", START_GUSD), amount_of("USD", START_USD)];
        found_accounts_of_traders(state.access(), &mut draw, [&perpetuals, &margin], time)
    };
    founded.map_or(Ok(()), |founded| commit(recovered, time, founded.commands))
}

/// Adds the keys for sockets that the directory lacks.
pub(crate) fn socket_keys(
    recovered: &mut Recovered,
    (vault, opened): (&Vault, &mut Opened),
    seed: u64,
    seed_given: bool,
    time: Time,
) -> Result<(), Trouble> {
    let mut draw = draw(seed ^ SOCKET_KEYS, seed_given)?;
    let founded = found_socket_keys(recovered.views().state().access(), &mut draw);
    let Some(Founded { commands, secrets }) = founded else { return Ok(()) };
    vault.add(opened, &secrets)?;
    commit(recovered, time, commands)
}

/// Adds the users and apps of the launch contract, if the directory has no users.
pub(crate) fn people(
    recovered: &mut Recovered,
    (vault, opened): (&Vault, &mut Opened),
    seed: u64,
    seed_given: bool,
    time: Time,
) -> Result<(), Trouble> {
    let mut draw = draw(seed ^ PEOPLE, seed_given)?;
    let founded = found_people(recovered.views().state(), &mut draw);
    let Some(Founded { commands, secrets }) = founded else { return Ok(()) };
    vault.add(opened, &secrets)?;
    commit(recovered, time, commands)
}

/// Gives the simulated traders plenty of each currency of which they have less than a tenth of it, when they first trade and after long
/// trading.
pub(crate) fn refill_traders(recovered: &mut Recovered, time: Time) -> Result<(), Trouble> {
    let missing = {
        let views = recovered.views();
        missing_funds(views.state(), &Reference::load()?)
    };
    if missing.is_empty() { Ok(()) } else { commit(recovered, time, missing) }
}

/// Commands of the past in one batch: far fewer than a batch may have.
const PAST_BATCH: usize = 4_000;

/// Gives a new sandbox the trades of the day until `until`, so that it has candles when it is ready. Its traders have their keys and money.
pub(crate) fn past_day(recovered: &mut Recovered, seed: u64, until: Time) -> Result<(), Trouble> {
    let past = {
        let views = recovered.views();
        traders(views.state(), seed)?.past(views.state(), until)
    };
    for batch in past.chunks(PAST_BATCH) {
        recovered.commit_past(batch.to_vec())?;
    }
    Ok(())
}

fn missing_funds(state: &State, reference: &Reference) -> Vec<Body> {
    let prices = reference.dollar_prices();
    let price_of = |code: &str| {
        let place = reference.currencies.iter().position(|listed| listed.currency.code == code)?;
        *prices.get(place)?
    };
    let lacking = |account| {
        let currencies = (0..).map(CurrencyId::from_index).zip(state.currencies());
        let amounts = currencies.filter_map(|(id, currency)| {
            let (plenty, has) = (plenty(price_of(&currency.code)), state.ledger().balance(account, id));
            let least = plenty.mul_div(1, 10, Round::Down)?;
            (has.available < least).then_some((id, plenty))
        });
        let amounts: Vec<(CurrencyId, Money)> = amounts.collect();
        (!amounts.is_empty()).then(|| Body::credit(account, amounts))
    };
    spot_traders(state.access()).into_iter().filter_map(lacking).collect()
}

fn draw(seed: u64, seed_given: bool) -> Result<Draw, Trouble> {
    Draw::new(seed, seed_given)
        .map_err(|error| Trouble::System(format!("the system has no randomness: {error}")))
}

/// Founds a venue: reference data only.
pub(crate) fn venue(recovered: &mut Recovered, time: Time) -> Result<(), Trouble> {
    let random = || {
        getrandom::u64().map_err(|error| Trouble::System(format!("the system has no randomness: {error}")))
    };
    let bodies = listing(Mode::Venue, random()?, random()?, Reference::load()?)?;
    commit(recovered, time, bodies)
}

/// Adds what this build needs and the directory lacks: house accounts, networks and assets, the keys of ids, and in a sandbox the sample
/// exchange rates.
/// Sets how many operators the settings want.
pub(crate) fn complete(recovered: &mut Recovered, approvals: u8, time: Time) -> Result<(), Trouble> {
    let missing: Vec<Body> = {
        let views = recovered.views();
        let state = views.state();
        let is_sandbox = state.opening().is_some_and(|opening| opening.mode == Mode::Sandbox);
        let rates = is_sandbox.then(|| missing_sample_rates(state.rates()));
        let approvals = (state.operations().approvals() != approvals)
            .then(|| Body::from(Operation::SetApprovals(approvals)));
        let places = places::missing(state)?;
        let perpetuals = perpetuals_to_open(state);
        let missing = state.missing_houses().chain(perpetuals).chain(places);
        let keys = missing_key(state)?;
        missing.chain(rates.into_iter().flatten()).chain(approvals).chain(keys).collect()
    };
    if missing.is_empty() { Ok(()) } else { commit(recovered, time, missing) }
}

/// The key of the ids of clearing orders, drawn once.
fn missing_key(state: &State) -> Result<Option<Body>, Trouble> {
    if state.clearing().has_key() {
        return Ok(None);
    }
    let mut key = [0; 16];
    getrandom::fill(&mut key)
        .map_err(|error| Trouble::System(format!("the system has no randomness: {error}")))?;
    Ok(Some(ClearingCommand::SetKey(Codes::of(key)).into()))
}

/// Gives the house account of instant orders of a sandbox its stock, once in each currency: ten times the start balance, and what it owes
/// there (D-180).
pub(crate) fn stock(recovered: &mut Recovered, time: Time) -> Result<(), Trouble> {
    let missing = {
        let views = recovered.views();
        missing_stock(views.state(), &Reference::load()?)
    };
    missing.map_or(Ok(()), |body| commit(recovered, time, vec![body]))
}

fn missing_stock(state: &State, reference: &Reference) -> Option<Body> {
    state.opening().filter(|opening| opening.mode == Mode::Sandbox)?;
    let house = state.ledger().house(INSTANT.name)?;
    let start_of = |code: &str| {
        let listed = reference.currencies.iter().find(|listed| listed.currency.code == code);
        listed.map(|listed| listed.start).filter(|start| *start > Money::ZERO)
    };
    let currencies = (0..).map(CurrencyId::from_index).zip(state.currencies());
    let lacking = currencies.filter(|(id, _)| state.conversions().given(*id).is_none());
    let amounts = lacking.filter_map(|(id, currency)| {
        let balance = state.ledger().balance(house, id).available;
        let stock = start_of(&currency.code)?.mul_div(STOCK, 1, Round::Down)?;
        Some((id, if balance.is_negative() { stock.checked_sub(balance)? } else { stock }))
    });
    let amounts: Vec<(CurrencyId, Money)> = amounts.collect();
    (!amounts.is_empty()).then(|| Body::credit(house, amounts))
}

/// The currencies that a venue's house account of instant orders owes: withdrawals of them stop until it is funded (D-180).
pub(crate) fn owed_by_instant(state: &State) -> Vec<String> {
    let is_venue = state.opening().is_some_and(|opening| opening.mode == Mode::Venue);
    let Some(house) = state.ledger().house(INSTANT.name).filter(|_| is_venue) else { return Vec::new() };
    let currencies = (0..).map(CurrencyId::from_index).zip(state.currencies());
    let owed = currencies.filter(|(id, _)| state.ledger().balance(house, *id).available.is_negative());
    owed.map(|(_, currency)| currency.code.clone()).collect()
}

/// Commands that open the perpetuals of a directory whose build had no desk for them, so that they were closed (D-37). Later they are
/// closed only by an operator. It is known by the clearing account that it lacks.
fn perpetuals_to_open(state: &State) -> Vec<Body> {
    if state.opening().is_none() || state.ledger().house(CLEARING.name).is_some() {
        return Vec::new();
    }
    let listed = (0..).map(SymbolId).zip(state.symbols());
    let closed =
        listed.filter(|(_, symbol)| symbol.product == Product::Swap && symbol.status == SymbolStatus::Closed);
    closed.map(|(id, _)| TradingCommand::SetSymbolStatus(id, SymbolStatus::Open).into()).collect()
}

fn commit(recovered: &mut Recovered, time: Time, bodies: Vec<Body>) -> Result<(), Trouble> {
    let commands = bodies.into_iter().map(|body| Command { caller: None, body }).collect();
    Ok(recovered.commit(time, commands)?)
}

fn listing(mode: Mode, seed: u64, hash_key: u64, reference: Reference) -> Result<Vec<Body>, Trouble> {
    let opening = Opening { mode, seed, hash_key, fees: FeeSchedule::default() };
    let currencies: Vec<_> = reference.currencies.into_iter().map(|listed| listed.currency).collect();
    let credit = credit::commands(&currencies)?;
    let currencies = currencies.into_iter().map(Body::list_currency);
    let symbols = reference.symbols.into_iter().map(|listed| Body::list_symbol(listed.symbol));
    Ok(std::iter::once(Body::open(opening)).chain(currencies).chain(symbols).chain(credit).collect())
}

/// The test balances of someone who signs up.
pub(crate) fn start_balances() -> Result<Vec<(CurrencyId, Money)>, Trouble> {
    Ok(funding(&Reference::load()?).accounts)
}

/// Test accounts get the table's start balances; simulated traders plenty of the same currencies, and of all others once they trade.
fn funding(reference: &Reference) -> Funding {
    let ids = || (0..reference.currencies.len()).map(CurrencyId::from_index).zip(&reference.currencies);
    let accounts = ids()
        .filter(|(_, listed)| listed.start > Money::ZERO)
        .map(|(id, listed)| (id, listed.start))
        .collect();
    let started = ids().filter(|(_, listed)| listed.start > Money::ZERO);
    let traders = started.map(|(id, _)| (id, plenty(None))).collect();
    let only = |code: &str, amount: i128| {
        let amount = whole(amount);
        ids().filter(|(_, listed)| listed.currency.code == code).map(|(id, _)| (id, amount)).collect()
    };
    Funding { accounts, traders, perpetuals: only("GUSD", START_GUSD), margin: only("USD", START_USD) }
}

/// A billion, and of what costs less than ten cents a hundred million dollars' worth: simulated traders do not run dry.
fn plenty(price: Option<Money>) -> Money {
    let worth = price.and_then(|price| whole(100_000_000).over(price, Round::Down));
    worth.unwrap_or_default().max(whole(1_000_000_000))
}

fn whole(amount: i128) -> Money {
    Money::from_units(amount * 10i128.pow(u32::from(buttonwood_num::MONEY_DECIMALS)))
}
