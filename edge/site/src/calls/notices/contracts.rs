//! Positions in contracts: those that were paid, lost or refunded, and those whose contract has an outcome and settles soon.

use super::news::News;
use super::{MOST, Read};
use crate::calls::caller::Caller;
use buttonwood_engine::State;
use buttonwood_gate::Refusal;
use buttonwood_model::{AccountId, Claim, SymbolId};
use buttonwood_num::Money;
use buttonwood_tables::SettledPage;
use buttonwood_views::history::{SettledPosition, Settlement};
use buttonwood_wire::contract::{DecimalText, Label};
use buttonwood_wire::field::busy;

/// The newest positions that ended after `known`, in microseconds; of all of them with `is_all`. Each command has a time of its own, so the
/// last one read tells which come after it. A group that never accepted the terms has none, and its pages do not wait for the database.
pub(super) async fn settled(
    caller: &Caller<'_>,
    account: AccountId,
    known: u64,
    is_all: bool,
) -> Result<Read, Refusal> {
    let app = caller.app;
    let has_accepted = |group| app.exchange.views().state().predictions().acceptance(group).is_some();
    if !caller.browser.group.is_some_and(has_accepted) {
        return Ok(Read::default());
    }
    let page = SettledPage { rows: MOST, ..SettledPage::default() };
    let read = app.exchange.query_tables(move |tables| tables.contract_settlements(account, &page)).await;
    let (positions, total) = read.map_err(|fault| {
        tracing::error!(%fault, "the history's database cannot answer");
        busy("The history's database is not current")
    })?;
    let is_wanted = |position: &&SettledPosition| is_all || position.time.0 > known;
    let views = app.exchange.views();
    let state = views.state();
    let wanted: Vec<&SettledPosition> = positions.iter().filter(is_wanted).collect();
    let is_cut = wanted.len() == positions.len() && u64::try_from(MOST).is_ok_and(|most| total > most);
    Ok(Read {
        last: positions.first().map_or(0, |position| position.time.0),
        rows: wanted.iter().filter_map(|position| ended(state, position, known)).collect(),
        more: is_cut,
    })
}

fn ended(state: &State, position: &SettledPosition, known: u64) -> Option<News> {
    let SettledPosition { contract, claim, time, .. } = *position;
    let id = format!("c{}-{}-{}", time.0, contract.0, claim.name());
    let result = match position.result {
        Settlement::Outcome(outcome) => outcome.name(),
        Settlement::Void(_) => "void",
    };
    let blank = News::blank(id, time.millis(), time.0 > known, "settled");
    let held = (contract, claim, position.quantity, position.cost);
    Some(News { paid: Some(DecimalText::exact(position.payout)), ..about(state, held, result, blank)? })
}

/// The positions whose contract has a proposed outcome, with the time at which it settles unless it is disputed. Like stops they have no
/// number, so a page knows by their ids which of them it has shown.
pub(super) fn resolved(state: &State, account: AccountId) -> Vec<News> {
    let room = state.predictions();
    let rows = room.holdings_of(state.ledger(), account).filter_map(|held| {
        let (_, event) = room.event_of(held.contract)?;
        let resolution = event.resolution.as_ref()?;
        let settles = resolution.settles?;
        let place = event.contracts().position(|contract| contract == held.contract)?;
        let result = resolution.outcomes.get(place)?.name();
        let id = format!("r{}-{}-{}", settles.0, held.contract.0, held.claim.name());
        let proposed = resolution.history.last()?.time;
        let blank = News::blank(id, proposed.millis(), true, "resolved");
        let row = about(state, (held.contract, held.claim, held.quantity, held.cost), result, blank)?;
        Some(News { settles: Some(settles.millis()), ..row })
    });
    rows.take(MOST).collect()
}

/// The facts that all news of a position have: its contract, outcome, quantity and cost, and how the contract ends.
fn about(
    state: &State,
    (contract, claim, quantity, cost): (SymbolId, Claim, Money, Money),
    result: &str,
    blank: News,
) -> Option<News> {
    let symbol = state.symbol(contract)?;
    let (_, event) = state.predictions().event_of(contract)?;
    let label = state.predictions().contract(contract).map(|of| &of.label).filter(|of| **of != event.title);
    Some(News {
        symbol: Some(symbol.name.to_ascii_uppercase()),
        currency: state.currency(symbol.quote).map(|currency| currency.code.clone()),
        outcome: Some(claim.name().to_owned()),
        question: Some(Label(event.title.clone())),
        label: label.cloned().map(Label),
        result: Some(result.to_owned()),
        amount: Some(DecimalText::exact(quantity)),
        cost: Some(DecimalText::exact(cost)),
        ..blank
    })
}
