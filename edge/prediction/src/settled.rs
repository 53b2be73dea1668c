//! `POST /v1/prediction-markets/positions/settled`: the account's positions that were paid, lost or refunded (PM-025).

use super::{READ, READERS, find_event, has_text, scan};
use buttonwood_call::{App, Call, Route, SignedQuery, not_current};
use buttonwood_engine::prediction::Event;
use buttonwood_engine::{BreakKind, Breaks, State};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Claim;
use buttonwood_tables::{ContractSales, Database, Fault, SettledPage};
use buttonwood_views::history::{SettledPosition, Settlement, SoldClaims};
use buttonwood_wire::contract::{DecimalText, Flag, InEither, IsoTime, Nullable, Offset, Rows, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::prediction::{
    ContractMetadata, OutcomeName, contract_metadata, contract_number, iso, outcome_name, symbol_name,
};
use buttonwood_wire::{answer, json, request};

/// Sales of a position that are listed at most.
const CASH_OUTS_MAX: usize = 500;

/// Sales that a call with several positions reads at most. Their sums need all of them, and one position may have any number.
const SALES_READ_MAX: usize = 20_000;

/// The fewest and the most characters of a search.
const SEARCHED: std::ops::RangeInclusive<usize> = 3..=64;

/// Trader or Auditor.
pub(crate) const ROUTE: Route =
    Route::recalling("/v1/prediction-markets/positions/settled", |app, call| Box::pin(answer(app, call)))
        .roles(READERS)
        .scopes(READ)
        .queried(SignedQuery::Optional)
        .coded()
        .about("Lists the account's positions that were paid, lost or refunded, the latest first.")
        .notes(&[
            "Its parameters may be in the query string too; of one in both the payload counts.",
            "With `withCashOuts` several positions have at most 20,000 sales together: a `limit` that takes in more is refused (400), and the \
             message says how many positions fit. One position may have any number.",
        ])
        .takes::<SettledPositions>()
        .gives::<SettledPositionPage>()
        .refuses(&[404]);

request! {
    /// Which positions.
    struct SettledPositions in InEither {
        /// Positions in contracts of this event alone.
        event_ticker as "eventTicker": Text,
        /// How many positions; more than 1000 are 1000.
        limit: Rows<1000, 1000>,
        /// How many positions are left out before the first one.
        offset: Offset,
        /// `date` or `payout`, after `+` for the oldest or smallest first; anything else is `-date`.
        sort: Text,
        /// Positions in events with this text in their title, in any letter case: 3 to 64 characters.
        search: Text,
        /// Positions in events of this category alone, in any letter case.
        category: Text,
        /// Whether each position has its sales before the end.
        with_cash_outs as "withCashOuts": Flag<false>,
    }
}

answer! {
    /// Positions that ended.
    struct SettledPositionPage {
        /// The positions.
        positions: Vec<SettledContractPosition>,
        /// How many there are, those on other pages included.
        total: u64,
    }
}

answer! {
    /// A position that was paid, lost or refunded.
    struct SettledContractPosition {
        /// The number of the account.
        account_id as "accountId": u64,
        /// The number of the contract.
        instrument_id as "instrumentId": u64,
        /// The symbol of the contract.
        instrument_symbol as "instrumentSymbol": String,
        /// How many claims; negative for claims on no.
        position: DecimalText,
        /// How many claims.
        position_quantity as "positionQuantity": DecimalText,
        /// The outcome that the account held.
        outcome: OutcomeName,
        /// What was paid for them; 0 for a lost position.
        payout: DecimalText,
        /// The outcome of the contract; `null` if it became void.
        resolution_side as "resolutionSide": Nullable<OutcomeName>,
        /// When it was paid.
        settled_at as "settledAt": IsoTime,
        /// The contract.
        contract_metadata as "contractMetadata": ContractMetadata,
        /// What the claims cost, without fees.
        cost_basis as "costBasis": DecimalText,
        /// What the account realised with the contract before, without fees.
        realized_pnl as "realizedPnl": DecimalText,
        /// The payout, less the cost, and what was realised before.
        net_profit as "netProfit": DecimalText,
        /// With `withCashOuts`: the sales of claims on this outcome before the end, the newest first; 500 at most.
        cash_outs as "cashOuts": Option<Vec<CashOut>>,
        /// With `withCashOuts`: what all sales brought, without fees.
        cash_out_proceeds as "totalCashOutProceeds": Option<DecimalText>,
        /// With `withCashOuts`: what the claims that were sold had cost, without fees.
        cash_out_cost as "totalCashOutCostBasis": Option<DecimalText>,
        /// With `withCashOuts`: the proceeds less the cost. It is a part of `realizedPnl`, as is what pairs of yes and no brought.
        cash_out_profit as "totalCashOutNetProfit": Option<DecimalText>,
    }
}

answer! {
    /// A sale of claims before the end of their contract.
    struct CashOut {
        /// The trade.
        tid: u64,
        /// The order that sold.
        order_id as "orderId": u64,
        /// How many claims.
        quantity: DecimalText,
        /// Their proceeds, without the fee.
        proceeds: DecimalText,
        /// Their cost, without fees.
        cost_basis as "costBasis": DecimalText,
        /// The proceeds less the cost.
        net_profit as "netProfit": DecimalText,
        /// When they were sold.
        sold_at as "cashedOutAt": IsoTime,
    }
}

/// A position, and its sales if they are wanted.
type Sold = (SettledPosition, Option<ContractSales>);

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let sent = SettledPositions::of(call.either());
    let (account, with_sales) = (call.account(), sent.with_cash_outs()?);
    let page = wanted(app, sent).await?;
    let limit = page.rows;
    let breaks = app.exchange.views().state().floor().breaks.clone();
    let rows = app.exchange.query_tables(move |tables| {
        let (rows, total) = tables.contract_settlements(account, &page)?;
        let rows = if with_sales {
            sold(tables, &rows, &breaks)?
        } else {
            Ok(rows.into_iter().map(|row| (row, None)).collect())
        };
        Ok((rows, total))
    });
    let (rows, total) = rows.await.map_err(|fault| not_current(&fault))?;
    let rows = rows.map_err(|fits| {
        let expected = format!(
            "at most {fits} with 'withCashOuts', since more positions have over {SALES_READ_MAX} sales"
        );
        let sent = call.either().text_of("limit").unwrap_or_else(|| limit.to_string().into());
        bad_value("limit", &expected, &sent)
    })?;
    let views = app.exchange.views();
    let positions = rows.iter().filter_map(|(row, sales)| shown(views.state(), row, sales.as_ref()));
    let positions = positions.collect();
    Ok(Reply::json(json::body(&SettledPositionPage { positions, total })))
}

/// Positions with their sales; or of how many positions the sales can be read at once.
fn sold(
    tables: &Database,
    rows: &[SettledPosition],
    breaks: &Breaks,
) -> Result<Result<Vec<Sold>, usize>, Fault> {
    let mut left = if rows.len() == 1 { usize::MAX } else { SALES_READ_MAX };
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let whose = (row.account, row.contract, row.claim);
        let counts = |sold: &SoldClaims| breaks.of(sold.contract, sold.trade) != Some(BreakKind::Full);
        let sales = tables.contract_sales(whose, CASH_OUTS_MAX, &mut left, counts)?;
        if sales.is_none() {
            return Ok(Err(all.len().max(1)));
        }
        all.push((*row, sales));
    }
    Ok(Ok(all))
}

/// The positions that a call wants.
///
/// # Errors
/// A bad parameter, or an unknown event.
async fn wanted(app: &App, sent: SettledPositions<'_>) -> Result<SettledPage, Refusal> {
    let (rows, offset, sort) = (sent.limit()?, sent.offset()?, sent.sort()?);
    let (ticker, search, category) = (sent.event_ticker()?, sent.search()?, sent.category()?);
    if let Some(search) = search.as_deref().filter(|search| !SEARCHED.contains(&search.chars().count())) {
        return Err(Refusal::misfit("Field", "search", "of 3 to 64 characters", search));
    }
    let search = search.map(|search| search.to_lowercase());
    let is_wanted = |event: &Event| {
        search.as_ref().is_none_or(|search| has_text(&event.title, search))
            && category.as_ref().is_none_or(|category| event.category.eq_ignore_ascii_case(category))
    };
    let contracts = match ticker {
        Some(ticker) => {
            let views = app.exchange.views();
            let (_, event) = find_event(views.state().predictions(), &ticker)?;
            Some(
                Some(event).filter(|event| is_wanted(event)).into_iter().flat_map(Event::contracts).collect(),
            )
        }
        None if search.is_none() && category.is_none() => None,
        None => {
            let contracts =
                |_, event: &Event| is_wanted(event).then(|| event.contracts().collect::<Vec<_>>());
            Some(scan(app, contracts).await.concat())
        }
    };
    let sort = sort.unwrap_or_default();
    let by_payout = sort.trim_start_matches(['+', '-', ' ']) == "payout";
    // A plus sign in a query string that is not escaped means a space.
    let ascending = matches!(&*sort, "+payout" | " payout" | "+date" | " date");
    let offset = u64::try_from(offset).unwrap_or(u64::MAX);
    Ok(SettledPage { contracts, by_payout, ascending, offset, rows })
}

fn shown(
    state: &State,
    row: &SettledPosition,
    sales: Option<&ContractSales>,
) -> Option<SettledContractPosition> {
    let symbol = state.symbol(row.contract)?;
    let signed = match row.claim {
        Claim::Yes => row.quantity,
        Claim::No => -row.quantity,
    };
    let side = match row.result {
        Settlement::Outcome(claim) => Some(claim),
        Settlement::Void(_) => None,
    };
    Some(SettledContractPosition {
        account_id: u64::from(row.account.0),
        instrument_id: contract_number(row.contract),
        instrument_symbol: symbol_name(symbol),
        position: DecimalText::exact(signed),
        position_quantity: DecimalText::exact(row.quantity),
        outcome: outcome_name(row.claim),
        payout: DecimalText::exact(row.payout),
        resolution_side: Nullable(side.map(outcome_name)),
        settled_at: iso(row.time),
        contract_metadata: contract_metadata(state, row.contract)?,
        cost_basis: DecimalText::exact(row.cost),
        realized_pnl: DecimalText::exact(row.realised),
        net_profit: DecimalText::exact(row.payout - row.cost + row.realised),
        cash_outs: sales.map(|sales| sales.newest.iter().map(cash_out).collect()),
        cash_out_proceeds: sales.map(|sales| DecimalText::exact(sales.proceeds)),
        cash_out_cost: sales.map(|sales| DecimalText::exact(sales.cost)),
        cash_out_profit: sales.map(|sales| DecimalText::exact(sales.proceeds - sales.cost)),
    })
}

fn cash_out(sold: &SoldClaims) -> CashOut {
    CashOut {
        tid: sold.trade.0,
        order_id: sold.order.0,
        quantity: DecimalText::exact(sold.quantity),
        proceeds: DecimalText::exact(sold.proceeds),
        cost_basis: DecimalText::exact(sold.cost),
        net_profit: DecimalText::exact(sold.proceeds - sold.cost),
        sold_at: iso(sold.time),
    }
}
