//! The commands of the desk: pinning an index, prices of feeds, taking the marks, risk settings, funding and liquidation.

use crate::liquidation::{self, Ended, Round, Task};
use crate::off_book::Taken;
use crate::prices::{indices_of, is_countable, marks};
use crate::settlement::{end, pay_funding, take};
use crate::{Counted, Marked, Perps, Risk, collateral, feeds, funding, insurance};
use alloc::vec::Vec;
use buttonwood_index::{FeedPrices, Index};
use buttonwood_model::{
    AccountId, BytesRef, CurrencyId, Outbox, Product, Symbol, SymbolId, Time, commands, named,
};
use buttonwood_num::{Money, Round as Rounding};
use buttonwood_risk::Leverage;
use buttonwood_room::{Context, ContextMut};

/// A command of the desk; none is a key's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Pin the index of a currency to a price in dollars, or return it to the books; the marks are taken at once.
    PinIndex(CurrencyId, Option<Money>),
    /// Prices of a feed.
    FeedPrice(FeedPrices),
    /// Take the marks.
    TakeMarks,
    /// Set the highest leverage of an account, and whether it has cross collateral; none leaves a setting as it is.
    SetRisk(AccountId, Option<Leverage>, Option<bool>),
    /// Cut the hour of funding that is due.
    CutFunding,
    /// Pay the next part of the hour that was cut.
    PayFunding,
    /// The exchange did not run since its last command: the minutes between count nothing in funding.
    Resume,
    /// Take the next step of the liquidations.
    Liquidate,
    /// Send a position of the insurance fund to the book.
    OfferFund,
    /// Begin to close a position of the insurance fund before the full hour.
    FlattenFund,
    /// Set the terms of funding.
    SetFunding(funding::Terms),
    /// Set the currencies that count as collateral.
    SetCollateral(Vec<Counted>),
    /// Count a currency as collateral, or no more, where its percentage is zero. The others stay as they are.
    CountCollateral(Counted),
}

commands!(Command, "perp", {
    PinIndex { 0: currency, 1: price } = "pin_index" 1: exchange neither,
    FeedPrice { 0: prices } = "feed_price" 2: exchange neither,
    TakeMarks {} = "take_marks" 1: exchange neither,
    SetRisk { 0: account, 1: leverage, 2: cross } = "set_risk" 1: exchange neither,
    CutFunding {} = "cut_funding" 1: exchange neither,
    PayFunding {} = "pay_funding" 1: exchange neither,
    Resume {} = "resume" 1: exchange neither,
    Liquidate {} = "liquidate" 1: exchange neither,
    OfferFund {} = "offer_fund" 1: exchange neither,
    FlattenFund {} = "flatten_fund" 1: exchange neither,
    SetFunding { 0: terms } = "set_funding" 1: exchange neither,
    SetCollateral { 0: currencies } = "set_collateral" 1: exchange neither,
    CountCollateral { 0: currency } = "count_collateral" 1: exchange neither,
});

/// An event of the desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// The index of a currency was pinned to a price, or returned to the books.
    IndexPinned(CurrencyId, Option<Money>),
    /// A feed gave prices.
    FeedPriced(FeedPrices),
    /// The marks were taken: the prices that changed, the accounts that are to be liquidated, and the indices that changed. An older
    /// record names no indices: they are those of its marks.
    MarksTaken(Vec<Marked>, Vec<AccountId>, Option<Vec<(CurrencyId, Index)>>),
    /// The settings of an account were changed.
    RiskSet(AccountId, Risk),
    /// An hour of funding was cut.
    FundingCut(funding::Cut),
    /// A part of it was paid.
    FundingPaid(funding::Paid),
    /// The exchange runs again; it did not since this time.
    Resumed(Time),
    /// A round of a liquidation began.
    RoundBegun(Round),
    /// The rest that the book left of a round was taken.
    OffBookTaken(Taken),
    /// A liquidation ended.
    LiquidationEnded(Ended),
    /// Positions of the insurance fund are to be sent to the book.
    FundOffers(Vec<SymbolId>),
    /// One of them was sent.
    FundOffered(SymbolId),
    /// Nothing more of the insurance fund's positions can be closed before this full hour.
    FundFlattened(Time),
    /// Other terms of funding are in force.
    FundingSet(funding::Terms),
    /// Other currencies count as collateral.
    CollateralSet(Vec<Counted>),
}

named!(Infrequent, "perp", {
    IndexPinned { 0: currency, 1: price } = "index_pinned" 1,
    FeedPriced { 0: prices } = "feed_priced" 2,
    MarksTaken { 0: marks, 1: due, 2: indices } = "marks_taken" 2,
    RiskSet { 0: account, 1: risk } = "risk_set" 1,
    FundingCut { 0: cut } = "funding_cut" 1,
    FundingPaid { 0: paid } = "funding_paid" 1,
    Resumed { 0: since } = "resumed" 1,
    RoundBegun { 0: round } = "round_begun" 1,
    OffBookTaken { 0: taken } = "off_book_taken" 1,
    LiquidationEnded { 0: ended } = "liquidation_ended" 1,
    FundOffers { 0: symbols } = "fund_offers" 1,
    FundOffered { 0: symbol } = "fund_offered" 1,
    FundFlattened { 0: hour } = "fund_flattened" 1,
    FundingSet { 0: terms } = "funding_set" 1,
    CollateralSet { 0: currencies } = "collateral_set" 1,
});

/// Why a command is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The currency is not listed or a dollar, or the account is none of this desk.
    Unknown,
    /// The price is not positive, or too high to be counted.
    BadPrice,
    /// The feed's name is none, or its prices are none or name a currency twice.
    BadFeed,
    /// The command is the exchange's own, and not due.
    NotDue,
    /// The terms of funding cannot be kept.
    BadTerms,
    /// The collateral names a currency twice or with a percentage that is none, or too many currencies.
    BadCollateral,
}

/// Decides a command, and what the engine does after its events. The engine has checked that the account of [`Command::SetRisk`] is one
/// of this desk.
///
/// # Errors
/// [`Reject`]; the caller removes the events that were written by then.
pub fn decide<E: From<BytesRef>>(
    context: &Context<'_, Perps>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Task, Reject> {
    match command {
        Command::PinIndex(currency, price) => pin_index(context, *currency, *price, out)?,
        Command::FeedPrice(prices) => feeds::decide(context, prices, out)?,
        Command::TakeMarks => take_due_marks(context, out)?,
        Command::SetRisk(account, leverage, cross) => {
            let before = context.room.risk(*account);
            let risk = Risk {
                leverage: leverage.unwrap_or(before.leverage),
                cross_collateral: cross.unwrap_or(before.cross_collateral),
            };
            out.push_named(&Infrequent::RiskSet(*account, risk));
        }
        Command::CutFunding => funding::decide_cut(context, out)?,
        Command::PayFunding => funding::decide_step(context, out)?,
        Command::Resume => {
            let since = context.room.stopped_since(context.time).ok_or(Reject::NotDue)?;
            out.push_named(&Infrequent::Resumed(since));
        }
        Command::Liquidate => return liquidation::decide(context, out),
        Command::OfferFund => return insurance::offer(context, out),
        Command::FlattenFund => insurance::flatten(context, out)?,
        Command::SetFunding(terms) => {
            if !terms.are_valid() {
                return Err(Reject::BadTerms);
            }
            out.push_named(&Infrequent::FundingSet(*terms));
        }
        Command::SetCollateral(list) => {
            collateral::decide(context, list)?;
            out.push_named(&Infrequent::CollateralSet(list.clone()));
        }
        Command::CountCollateral(counted) => {
            let list = collateral::with(context, *counted);
            collateral::decide(context, &list)?;
            out.push_named(&Infrequent::CollateralSet(list));
        }
    }
    Ok(Task::Nothing)
}

/// Pins an index to a price, or frees it, and takes the marks that follow.
fn pin_index<E: From<BytesRef>>(
    context: &Context<'_, Perps>,
    currency: CurrencyId,
    price: Option<Money>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    if !feeds::can_have_index(context, currency) {
        return Err(Reject::Unknown);
    }
    if price.is_some_and(|price| !can_pin(context, currency, price)) {
        return Err(Reject::BadPrice);
    }
    out.push_named(&Infrequent::IndexPinned(currency, price));
    take_marks(context, Some((currency, price)), out);
    Ok(())
}

/// Takes the marks if they are due.
fn take_due_marks<E: From<BytesRef>>(
    context: &Context<'_, Perps>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let of_indices = context.room.marks_due(context.sources.indices);
    let due = of_indices.into_iter().chain(context.room.minute_due()).min();
    if due.is_none_or(|due| due > context.time) {
        return Err(Reject::NotDue);
    }
    take_marks(context, None, out);
    Ok(())
}

/// Whether an index may be pinned to a price: it can be one, and positions can be valued at twice of it.
fn can_pin(context: &Context<'_, Perps>, currency: CurrencyId, price: Money) -> bool {
    let is_based =
        |(_, symbol): &(SymbolId, &Symbol)| symbol.product == Product::Swap && symbol.base == currency;
    let mut contracts = (0..).map(SymbolId).zip(context.symbols).filter(is_based);
    let twice = price.checked_add(price);
    feeds::can_be_index(context, currency, price)
        && twice.is_some_and(|twice| {
            contracts.all(|(id, _)| is_countable(context, id, twice) && can_fill(context, id, twice))
        })
}

/// Whether all live orders of a contract can be valued at a price.
fn can_fill(context: &Context<'_, Perps>, id: SymbolId, price: Money) -> bool {
    let rows = context.room.rows().iter().filter(|row| row.symbol == id);
    let live = rows.flat_map(|row| row.live).try_fold(Money::ZERO, Money::checked_add);
    live.and_then(|live| live.times(price, Rounding::Up)).is_some()
}

/// Takes the marks, and puts the accounts that they leave below maintenance into the queue of liquidations. `pin` replaces the pin of a
/// currency.
fn take_marks<E: From<BytesRef>>(
    context: &Context<'_, Perps>,
    pin: Option<(CurrencyId, Option<Money>)>,
    out: &mut Outbox<E>,
) {
    let indices = context.sources.changed(pin);
    let mut latest = context.sources.indices.latest().clone();
    latest.take(indices.iter().copied());
    let marks = marks(context, &latest);
    let mut prices = context.room.prices.clone();
    prices.take(&marks);
    let pinned = pin.filter(|(_, price)| price.is_some()).map(|(currency, _)| currency);
    let due = liquidation::due(context, (&prices, &latest), pinned);
    let offers = insurance::offers(context, &prices);
    out.push_named(&Infrequent::MarksTaken(marks, due, Some(indices)));
    if !offers.is_empty() {
        out.push_named(&Infrequent::FundOffers(offers));
    }
}

/// Applies an event.
///
/// # Panics
/// When it does not follow from the state.
pub fn evolve(context: &mut ContextMut<'_, Perps>, event: &Infrequent) {
    let time = context.time;
    let perps = &mut *context.room;
    if let Infrequent::RoundBegun(_) | Infrequent::OffBookTaken(_) | Infrequent::LiquidationEnded(_) = event {
        perps.rankings.go_on();
    }
    match event {
        Infrequent::IndexPinned(currency, price) => context.indices.set_pin(*currency, *price),
        Infrequent::FeedPriced(prices) => context.indices.take(prices, time),
        Infrequent::MarksTaken(marks, due, indices) => {
            perps.note_marks(time);
            match indices {
                Some(indices) => context.indices.take_latest(indices.iter().copied(), time),
                None => context.indices.take_latest(indices_of(marks), time),
            }
            perps.prices.take(marks);
            let premiums = perps.prices.contracts().map(|(symbol, contract)| (symbol, contract.premium));
            perps.funding.take(premiums, time);
            perps.liquidations.append(due, time);
            // A contract may have an index again.
            perps.flattened = None;
        }
        Infrequent::RiskSet(account, risk) => {
            perps.risks.insert(*account, *risk);
        }
        Infrequent::FundingCut(cut) => funding::cut(perps, cut),
        Infrequent::FundingPaid(paid) => {
            for payment in &paid.payments {
                pay_funding(context, payment.account, payment.amount);
            }
            funding::paid(context.room, paid, time);
        }
        Infrequent::Resumed(since) => funding::resumed(perps, *since, time),
        Infrequent::RoundBegun(round) => perps.liquidations.begin(round.account, round.part),
        Infrequent::OffBookTaken(taken) => take(context, taken),
        Infrequent::LiquidationEnded(ended) => end(context, ended),
        Infrequent::FundOffers(symbols) => {
            perps.offers.extend(symbols.iter().map(|symbol| (*symbol, time)));
        }
        Infrequent::FundOffered(symbol) => {
            perps.offers.remove(symbol);
        }
        Infrequent::FundFlattened(hour) => perps.flattened = Some(*hour),
        Infrequent::FundingSet(terms) => funding::set(perps, *terms, time),
        Infrequent::CollateralSet(list) => {
            perps.collateral = Some(list.clone());
            perps.note_halt(time);
        }
    }
}
