//! `POST /v1/prediction-markets/positions`: the claims that the account holds (PM-024).

use super::{READ, READERS, find_event};
use buttonwood_call::{App, Call, Route, SignedQuery};
use buttonwood_engine::State;
use buttonwood_engine::prediction::{Holding, own_price};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Claim, Side, Time};
use buttonwood_num::{MONEY_DECIMALS, Money, Round};
use buttonwood_wire::contract::{DecimalNumber, DecimalText, InEither, Offset, RowsUpTo, Text};
use buttonwood_wire::prediction::{
    ContractMetadata, ContractPrices, OutcomeName, contract_metadata, contract_number, outcome_name, prices,
    symbol_name,
};
use buttonwood_wire::{answer, json, request};
use std::cmp::Reverse;

/// Trader or Auditor.
pub(crate) const ROUTE: Route = Route::reading("/v1/prediction-markets/positions", answer)
    .roles(READERS)
    .scopes(READ)
    .queried(SignedQuery::Optional)
    .coded()
    .about("Lists the claims on outcomes that the account holds.")
    .notes(&[
        "Both outcomes of a contract are listed while a live sale holds one of them; otherwise pairs have netted. Its parameters may be \
         in the query string too; of one in both the payload counts.",
    ])
    .takes::<Positions>()
    .gives::<PositionPage>()
    .refuses(&[404]);

request! {
    /// Which positions.
    struct Positions in InEither {
        /// Positions in contracts of this event alone.
        event_ticker as "eventTicker": Text,
        /// How many positions, at most 1000; all without it.
        limit: RowsUpTo<1000>,
        /// How many positions are left out before the first one.
        offset: Offset,
        /// `positionValue`, `unrealizedPnl` or `expiryDate`, after `-` for the largest or latest first; anything else is `-positionValue`.
        sort: Text,
    }
}

answer! {
    /// Positions of an account.
    struct PositionPage {
        /// The positions.
        positions: Vec<ContractPosition>,
        /// How many there are, those on other pages included.
        total: u64,
    }
}

answer! {
    /// Claims on an outcome of a contract.
    struct ContractPosition {
        /// The symbol of the contract.
        symbol: String,
        /// The number of the contract.
        instrument_id as "instrumentId": u64,
        /// How many claims, those on hold included.
        total_quantity as "totalQuantity": DecimalText,
        /// How many claims live sales hold.
        quantity_on_hold as "quantityOnHold": DecimalText,
        /// What a claim cost on average, without fees.
        avg_price as "avgPrice": DecimalText,
        /// The outcome.
        outcome: OutcomeName,
        /// The contract.
        contract_metadata as "contractMetadata": ContractMetadata,
        /// The prices of the contract.
        prices: ContractPrices,
        /// Its outcome, once that is final.
        resolution_side as "resolutionSide": Option<OutcomeName>,
        /// Always false; for clients of other venues.
        is_above_auto_start_threshold as "isAboveAutoStartThreshold": bool,
        /// Whether the contract takes orders.
        is_live as "isLive": bool,
        /// What sales and netting realised over the contract's whole life, on both outcomes, without fees.
        realized_pl as "realizedPl": DecimalText,
        /// What the claims bring at the best price; absent where their outcome has no buyer.
        market_value as "marketValue": Option<DecimalText>,
        /// The market value less the cost; absent where their outcome has no buyer.
        unrealized_pnl as "unrealizedPnl": Option<DecimalText>,
        /// The same in percent of the cost, cut at four decimals; absent where their outcome has no buyer.
        unrealized_pct as "unrealizedPct": Option<DecimalNumber>,
    }
}

/// A position with what it is sorted by.
struct Valued {
    holding: Holding,
    value: Option<Money>,
    expiry: Time,
}

impl Valued {
    fn of(state: &State, holding: Holding) -> Self {
        let room = state.predictions();
        let expiry = room.event_of(holding.contract).map_or(Time(0), |(_, event)| event.expiry);
        Self { holding, value: market_value(state, &holding), expiry }
    }

    /// Its market value; its cost where nothing is bid.
    fn worth(&self) -> Money {
        self.value.unwrap_or(self.holding.cost)
    }

    fn result(&self) -> Money {
        self.value.map_or(Money::ZERO, |value| value - self.holding.cost)
    }
}

/// What the claims bring at the best price for their outcome.
fn market_value(state: &State, holding: &Holding) -> Option<Money> {
    let symbol = state.symbol(holding.contract)?;
    let side = match holding.claim {
        Claim::Yes => Side::Buy,
        Claim::No => Side::Sell,
    };
    let best = state.floor().orders.book(holding.contract).side(side).best()?;
    let price = own_price(symbol, holding.claim, best)?;
    Some(symbol.grid.value(holding.quantity, price))
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let sent = Positions::of(call.either());
    let (limit, offset, sort) = (sent.limit()?.unwrap_or(usize::MAX), sent.offset()?, sent.sort()?);
    let ticker = sent.event_ticker()?;
    let views = app.exchange.views();
    let state = views.state();
    let room = state.predictions();
    let event = ticker.map(|ticker| find_event(room, &ticker).map(|(id, _)| id)).transpose()?;
    let is_of = |holding: &Holding| {
        event.is_none_or(|event| room.event_of(holding.contract).is_some_and(|(id, _)| id == event))
    };
    let all = room.holdings_of(state.ledger(), call.account()).filter(is_of);
    let mut all: Vec<Valued> = all.map(|holding| Valued::of(state, holding)).collect();
    let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
    sort_by(&mut all, sort.as_deref().unwrap_or_default());
    let page = all.iter().skip(offset).take(limit);
    let positions = page.filter_map(|valued| shown(state, valued)).collect();
    Ok(Reply::json(json::body(&PositionPage { positions, total })))
}

fn sort_by(all: &mut [Valued], sort: &str) {
    // A plus sign in a query string that is not escaped means a space.
    match sort.trim_start_matches(['+', ' ']) {
        "positionValue" => all.sort_by_key(Valued::worth),
        "unrealizedPnl" => all.sort_by_key(Valued::result),
        "-unrealizedPnl" => all.sort_by_key(|valued| Reverse(valued.result())),
        "expiryDate" => all.sort_by_key(|valued| valued.expiry),
        "-expiryDate" => all.sort_by_key(|valued| Reverse(valued.expiry)),
        _ => all.sort_by_key(|valued| Reverse(valued.worth())),
    }
}

fn shown(state: &State, valued: &Valued) -> Option<ContractPosition> {
    let Valued { holding, value, .. } = valued;
    let (symbol, room) = (state.symbol(holding.contract)?, state.predictions());
    let (_, event) = room.event_of(holding.contract)?;
    let result = value.map(|value| value - holding.cost);
    Some(ContractPosition {
        symbol: symbol_name(symbol),
        instrument_id: contract_number(holding.contract),
        total_quantity: DecimalText::exact(holding.quantity),
        quantity_on_hold: DecimalText::exact(holding.held),
        avg_price: DecimalText::exact(
            holding.cost.over(holding.quantity, Round::Down).unwrap_or(Money::ZERO),
        ),
        outcome: outcome_name(holding.claim),
        contract_metadata: contract_metadata(state, holding.contract)?,
        prices: prices(state, holding.contract),
        resolution_side: room.contract(holding.contract)?.outcome.map(outcome_name),
        is_above_auto_start_threshold: false,
        is_live: event.is_open() && !state.operations().is_halted(),
        realized_pl: DecimalText::exact(holding.realised),
        market_value: value.map(DecimalText::exact),
        unrealized_pnl: result.map(DecimalText::exact),
        unrealized_pct: result.and_then(|result| percent(result, holding.cost)),
    })
}

/// Part of the whole in percent, cut at four decimals; none if the whole is zero.
fn percent(part: Money, whole: Money) -> Option<DecimalNumber> {
    let hundred = Money::ONE.mul_div(100, 1, Round::Down)?;
    let step = Money::ONE.mul_div(1, 10_000, Round::Down)?;
    let percent = hundred.mul_div(part.units(), whole.units(), Round::Cut)?.to_step(step, Round::Cut)?;
    Some(DecimalNumber::of(|out| percent.push_floored(out, MONEY_DECIMALS)))
}
