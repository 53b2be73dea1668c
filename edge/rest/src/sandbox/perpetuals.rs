//! `GET /sandbox/perpetuals/{symbol}`: every position of a perpetual, in deleveraging order.

use crate::derivatives::{exact, perpetual};
use buttonwood_call::{App, Asked, Route};
use buttonwood_engine::perp::{Row, Score};
use buttonwood_engine::{INSURANCE, State};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::SymbolId;
use buttonwood_num::Round;
use buttonwood_wire::contract::DecimalText;
use buttonwood_wire::{answer, json};

/// This machine only.
pub(crate) const ROUTE: Route = Route::control_query("/sandbox/perpetuals/{symbol}", answer)
    .about("Reads the prices and every position of a perpetual, in deleveraging order.")
    .gives::<Perpetual>();

answer! {
    /// A perpetual and its positions.
    struct Perpetual {
        /// The perpetual, in upper case.
        symbol: String,
        /// The index of its base currency, in dollars; 0 before it has one.
        index_price: DecimalText,
        /// The mark; 0 before it has one.
        mark_price: DecimalText,
        /// The sum of all long positions.
        open_interest: DecimalText,
        /// The position of the insurance fund.
        insurance: FundPosition,
        /// Long positions.
        long: Vec<HeldPosition>,
        /// Short positions.
        short: Vec<HeldPosition>,
    }
}

answer! {
    /// The position of the insurance fund.
    struct FundPosition {
        /// How much; negative if it is short.
        quantity: DecimalText,
        /// Cost ÷ quantity.
        average_cost: DecimalText,
    }
}

answer! {
    /// The position of an account.
    struct HeldPosition {
        /// The name of the account's group.
        group: String,
        /// The short name of the account.
        account: String,
        /// How much; negative if it is short.
        quantity: DecimalText,
        /// Its place in the deleveraging order: (profit ÷ cost) × (notional ÷ assets), rounded down to 9 decimals; 0 without profit.
        score: DecimalText,
    }
}

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let (id, symbol) = perpetual(app, asked.parameter)?;
    let views = app.exchange.views();
    let state = views.state();
    let perps = state.perps();
    let contract = perps.contract(id);
    let fund = state.ledger().house(INSURANCE.name).map(|fund| perps.row(fund, id).position);
    let fund = fund.unwrap_or_default();
    let [long, short] = [false, true].map(|is_short| positions(state, id, is_short));
    Ok(Reply::json(json::body(&Perpetual {
        symbol: symbol.name.to_ascii_uppercase(),
        index_price: exact(contract.map_or_else(Default::default, |contract| contract.index)),
        mark_price: exact(contract.map_or_else(Default::default, |contract| contract.mark)),
        open_interest: exact(perps.open_interest(id)),
        insurance: FundPosition {
            quantity: exact(fund.quantity),
            average_cost: exact(fund.average_cost(Round::Cut)),
        },
        long,
        short,
    })))
}

/// The positions of one side, but for that of the fund, in deleveraging order.
fn positions(state: &State, symbol: SymbolId, is_short: bool) -> Vec<HeldPosition> {
    let perps = state.perps();
    let is_shown = |row: &&Row| {
        row.symbol == symbol && !row.position.is_flat() && row.position.quantity.is_negative() == is_short
    };
    let Some(gusd) = state.gusd() else { return Vec::new() };
    let rows = perps.rows().iter().filter(is_shown);
    let mut scored: Vec<(Score, &Row)> =
        rows.map(|row| (perps.score(state.ledger(), state.indices().latest(), gusd, row), row)).collect();
    scored.sort_by_key(|(score, row)| (score.rank(), row.account));
    let named = scored.into_iter().filter_map(|(score, row)| {
        let account = state.access().account(row.account)?;
        let group = state.access().group(account.group?)?;
        Some(HeldPosition {
            group: group.name.clone(),
            account: account.short_name.clone(),
            quantity: exact(row.position.quantity),
            score: exact(score.shown()),
        })
    });
    named.collect()
}
