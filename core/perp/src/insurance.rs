//! The insurance fund's way with the positions that it took over (D-178).
//!
//! At each mark they are sent to the book, at the mark or better. One minute before a full hour they are deleveraged at the mark, so that
//! the fund neither pays nor receives funding; until the hour is cut the fund takes no others. A position that cannot be closed by
//! then makes the hour's amount of its contract zero.

use crate::liquidation::{Part, Round, Task};
use crate::prices::Prices;
use crate::{Infrequent, Perps, Reject, Row};
use alloc::vec::Vec;
use buttonwood_model::{BytesRef, Outbox, Side, SymbolId, Time};
use buttonwood_num::{Money, Round as Rounding};
use buttonwood_room::Context;
use buttonwood_trading::place::Place;

/// How long before a full hour the fund begins to be made flat.
const BEFORE: u64 = 60 * Time::SECOND;

impl Perps {
    /// The fund's rows with a position.
    fn fund_rows(&self) -> impl Iterator<Item = &Row> {
        let rows = self.fund().into_iter().flat_map(|fund| self.rows_of(fund));
        rows.filter(|row| !row.position.is_flat())
    }

    /// Whether the fund has a position of the contract.
    pub(crate) fn fund_holds(&self, symbol: SymbolId) -> bool {
        self.fund_rows().any(|row| row.symbol == symbol)
    }

    /// The time from which the fund takes nothing until the next hour is cut, and that hour.
    fn flat_from(&self) -> Option<(Time, Time)> {
        let hour = self.funding.due()?;
        Some((Time(hour.0.saturating_sub(BEFORE)), hour))
    }

    /// Whether the fund takes nothing at a time, since a full hour is near or late.
    pub(crate) fn flattens_at(&self, time: Time) -> bool {
        self.flat_from().is_some_and(|(from, _)| from <= time)
    }

    /// When the fund goes on to be made flat, unless it is or nothing more can be done before the hour.
    pub(crate) fn flatten_due(&self) -> Option<Time> {
        let (from, hour) = self.flat_from()?;
        let is_open = self.flattened != Some(hour) && self.fund_rows().next().is_some();
        // Later marks may have brought an index back.
        is_open.then(|| from.max(self.marked().unwrap_or_default()))
    }
}

/// Decides the next step towards a fund that is flat before the full hour: a round that deleverages a position at the mark, or that nothing
/// more can be done in time.
///
/// # Errors
/// [`Reject::NotDue`] before the last minute, and while a round is under way.
pub(crate) fn flatten<E: From<BytesRef>>(
    context: &Context<'_, Perps>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let perps = context.room;
    let is_due = perps.flatten_due().is_some_and(|due| due <= context.time);
    let hour = perps.funding.due().filter(|_| is_due && !perps.has_follow_up()).ok_or(Reject::NotDue)?;
    let round = if context.time < hour && !context.is_halted { flattening(context) } else { None };
    out.push_named(&match round {
        Some(round) => Infrequent::RoundBegun(round),
        None => Infrequent::FundFlattened(hour),
    });
    Ok(())
}

/// The contracts of which the fund's position meets an order of the book at the mark or better, at the prices that are being taken.
pub(crate) fn offers(context: &Context<'_, Perps>, prices: &Prices) -> Vec<SymbolId> {
    let meets = |row: &&Row| {
        order_of(context, row, prices).is_some_and(|place| {
            let book = context.orders.book(row.symbol);
            book.side(place.side.opposite()).meets(place.price)
        })
    };
    context.room.fund_rows().filter(meets).map(|row| row.symbol).collect()
}

/// Decides to send the next position to the book, if there still is one.
///
/// # Errors
/// [`Reject::NotDue`] if none is to be sent.
pub(crate) fn offer<E: From<BytesRef>>(
    context: &Context<'_, Perps>,
    out: &mut Outbox<E>,
) -> Result<Task, Reject> {
    let perps = context.room;
    let (symbol, fund) = perps.offers.keys().next().copied().zip(perps.fund()).ok_or(Reject::NotDue)?;
    out.push_named(&Infrequent::FundOffered(symbol));
    let place = order_of(context, &perps.row(fund, symbol), &perps.prices).filter(|_| !context.is_halted);
    Ok(place.map_or(Task::Nothing, |place| Task::Place(fund, place)))
}

/// The round that deleverages the fund's first position whose index has enough sources. None while the fund's sums leave the range of
/// money, since such a round would end without a trade and be due again.
fn flattening(context: &Context<'_, Perps>) -> Option<Round> {
    context.room.sums(
        context.ledger,
        context.sources.indices.latest(),
        context.room.fund()?,
        context.ledger.gusd()?,
        None,
    )?;
    context.room.fund_rows().find_map(|row| {
        let contract = context.room.contract(row.symbol).filter(|contract| contract.is_fresh)?;
        let whole = Money::from_units(row.position.quantity.units().checked_abs()?);
        let left = context.symbol(row.symbol)?.grid.qty_within(whole)?;
        let traded = Money::ZERO;
        let part = Part { symbol: row.symbol, left, price: contract.mark, traded, deleverages: true };
        Some(Round { account: row.account, part: Some(part) })
    })
}

/// The order that sends a position to the book at the mark or better; none without an index, in the minute before a full hour, or if
/// the mark is no price of the book.
fn order_of(context: &Context<'_, Perps>, row: &Row, prices: &Prices) -> Option<Place> {
    let grid = &context.symbol(row.symbol)?.grid;
    let contract = prices.contract(row.symbol).filter(|contract| contract.is_fresh)?;
    let quantity = row.position.quantity;
    let (side, round) =
        if quantity.is_negative() { (Side::Buy, Rounding::Down) } else { (Side::Sell, Rounding::Up) };
    let price = grid.price_within(contract.mark.to_step(grid.tick(), round)?)?;
    let qty = grid.qty_within(Money::from_units(quantity.units().checked_abs()?))?;
    let is_open = !context.room.flattens_at(context.time);
    is_open.then(|| Place::at_once(row.symbol, side, (price, qty), false))
}
