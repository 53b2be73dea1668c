//! The law of previews: an order that is sent with nothing in between does what its preview said, to the last digit.
//!
//! The preview is taken on the state before the order; what the order did is read in its events and in the state after it.

use buttonwood_engine::perp::Figures;
use buttonwood_engine::{
    AccessReject, Answer, Body, Caller, Command, Event, MarginAfter, OrderState, Outcome, Place, PlaceReject,
    Preview, Previewed, Reject, State, TradingAnswer, TradingCommand, TradingEvent, TradingReject, Workspace,
    decide, prediction, spot_margin,
};
use buttonwood_model::{
    AccountId, AssetId, CancelReason, Claim, ExecutionOption, OrderClass, OrderKind, Product, Side, Stamp,
    Symbol,
};
use buttonwood_num::{HUNDREDTHS_PER_LOT, Money, Qty};
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};

/// Orders whose previews were compared, of spot, on margin accounts, of perpetuals, of contracts, and refused ones.
static COMPARED: [AtomicU64; 5] = [const { AtomicU64::new(0) }; 5];

/// One command in so many has its preview compared, if it places an order.
const EVERY: u64 = 3;

/// One command in so many has the largest amount checked too, which takes several previews.
const MOST_EVERY: u64 = 8 * EVERY;

/// The number of orders whose previews were compared in this process: of spot, on margin accounts, of perpetuals, of contracts, and those
/// that were refused.
pub fn previews_compared() -> [u64; 5] {
    COMPARED.each_ref().map(|count| count.load(Ordering::Relaxed))
}

/// An order with its preview, before it is applied.
pub(crate) struct Foreseen {
    account: AccountId,
    place: Place,
    previewed: Preview,
    order: OrderState,
    fees: Money,
    worst: Option<buttonwood_num::Price>,
    held: Money,
    /// The figures of a margin account before the order.
    on_margin: Option<spot_margin::Figures>,
}

/// Takes the preview of a command that places an order, and compares it with the decision. None if there is nothing to compare after the
/// order.
///
/// # Errors
/// A difference.
pub(crate) fn foresee(state: &State, command: &Command, stamp: Stamp) -> Result<Option<Foreseen>, String> {
    let (Some(caller), Body::Trading(TradingCommand::Place(place))) = (&command.caller, &command.body) else {
        return Ok(None);
    };
    if !stamp.seq.0.is_multiple_of(EVERY) {
        return Ok(None);
    }
    let mut work = Workspace::default();
    let outcome = decide(state, command, stamp, &mut work);
    let answer = outcome.with_order(stamp, &work.out.events, &work.out.texts, state);
    let Previewed { outcome, most } = state.preview(caller, place, stamp.time);
    let order = match (answer, outcome) {
        // A preview uses no nonce.
        (Answer::Rejected(Reject::Access(AccessReject::NonceUsed)), _) => return Ok(None),
        (Answer::Rejected(got), Err(said)) if got == said => {
            COMPARED[4].fetch_add(1, Ordering::Relaxed);
            check_most(state, (caller, stamp), place, most)?;
            return Ok(None);
        }
        (Outcome::Trading(TradingAnswer::Order(order)), Ok(previewed)) => (order, previewed),
        (got, said) => return Err(format!("a preview said {said:?}, and the order was answered {got:?}")),
    };
    check_most(state, (caller, stamp), place, most)?;
    let (order, previewed) = order;
    let fills = work.out.events.iter().filter_map(|event| match event {
        Event::Trading(TradingEvent::Filled { maker, taker_fee, .. }) => {
            Some((state.orders().get(*maker).price, *taker_fee))
        }
        Event::Trading(_) | Event::Access(_) | Event::Infrequent(_) => None,
    });
    let fills: Vec<_> = fills.collect();
    let prices = fills.iter().map(|(price, _)| *price);
    let worst = if place.side == Side::Buy { prices.max() } else { prices.min() };
    let account = order.account;
    let symbol = state.symbol(place.symbol).unwrap();
    let held = state.ledger().balance(account, paying(symbol, place)).held;
    let fees = fills.iter().fold(Money::ZERO, |sum, (_, fee)| sum + *fee);
    let on_margin = on_margin(state, account, place);
    Ok(Some(Foreseen { account, place: *place, previewed, order, fees, worst, held, on_margin }))
}

/// The asset that an order pays with.
fn paying(symbol: &Symbol, place: &Place) -> AssetId {
    if symbol.product == Product::Swap {
        return symbol.quote.into();
    }
    if symbol.product == Product::Spot {
        return symbol.paid_in(place.side).into();
    }
    let is_buy = (place.side == Side::Buy) == (place.claim == Claim::Yes);
    if is_buy { symbol.quote.into() } else { AssetId::claim(place.symbol, place.claim) }
}

impl Foreseen {
    /// Compares every field with what the order did.
    pub(crate) fn check(&self, after: &State) -> Result<(), String> {
        let Self { account, ref place, ref previewed, ref order, .. } = *self;
        let symbol = after.symbol(place.symbol).unwrap();
        let live = after.find_order(order.id).map(|slot| after.orders().get(slot).remaining);
        let executed = order.executed();
        let whole = symbol.grid.base(executed).unwrap();
        let is_no = place.claim == Claim::No;
        let own_price = |price| prediction::own_price(symbol, place.claim, price).unwrap();
        let is_swap = symbol.product == Product::Swap;
        let held = after.ledger().balance(account, paying(symbol, place)).held - self.held;
        let rests = live.unwrap_or(Qty::ZERO);
        same("executed", previewed.executed, executed)?;
        same("cost", previewed.cost, if is_no { whole - order.notional } else { order.notional })?;
        same("worst", previewed.worst, self.worst.map(own_price))?;
        same("rests", previewed.rests, rests)?;
        same("fee", previewed.fee, self.fees)?;
        same("hold", previewed.hold, (!is_swap).then_some(held))?;
        same("reason", previewed.reason, order.reason)?;
        let buys_claims = symbol.product == Product::Contract
            && prediction::buys(OrderClass::new(place.side, place.claim, prediction::DESK));
        let payout = buys_claims.then(|| symbol.grid.base(executed + rests).unwrap());
        same("payout", previewed.payout, payout)?;
        same("margin", previewed.margin, if is_swap { margin(after, account, place, symbol) } else { None })?;
        let on_margin = self.on_margin.zip(on_margin(after, account, place));
        same("on_margin", previewed.on_margin, on_margin.map(<[_; 2]>::from))?;
        // With advances in the group it may depend on the other party.
        if previewed.available.is_some() || after.advances().is_empty() {
            same("available", previewed.available, Some(available(after, account, paying(symbol, place))))?;
        }
        let kind = match symbol.product {
            Product::Spot if after.access().account(account).unwrap().kind.name() == "margin" => 1,
            Product::Spot => 0,
            Product::Swap => 2,
            Product::Contract => 3,
        };
        COMPARED[kind].fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

fn same<T: Copy + Debug + PartialEq>(field: &str, said: T, got: T) -> Result<(), String> {
    if said == got { Ok(()) } else { Err(format!("a preview said {field} {said:?}, and it was {got:?}")) }
}

/// The amount that orders may use of an asset, as `/v1/balances` says.
fn available(state: &State, account: AccountId, asset: AssetId) -> Money {
    let margined = asset.currency().and_then(|currency| state.margined(account, currency));
    margined.map_or_else(|| state.ledger().balance(account, asset).available, |[most, _]| most)
}

/// The figures of `/v1/positions` and `/v1/margin`.
fn margin(state: &State, account: AccountId, place: &Place, symbol: &Symbol) -> Option<MarginAfter> {
    let (perps, latest) = (state.perps(), state.indices().latest());
    let figures = Figures::of(perps, state.ledger(), latest, account, (place.symbol, symbol));
    let figures = figures.unwrap_or_else(Figures::beyond_range);
    let price = figures.estimated_liquidation_price;
    Some(MarginAfter {
        position: perps.row(account, place.symbol).position.quantity,
        leverage: figures.sums.leverage(),
        margin: figures.initial_margin,
        liquidation_price: (price != Money::ZERO).then_some(price),
    })
}

/// The figures of `/v1/margin/account`, of an account that places an order on margin.
fn on_margin(state: &State, account: AccountId, place: &Place) -> Option<spot_margin::Figures> {
    let (margin, latest) = (state.spot_margin(), state.indices().latest());
    let figures = || spot_margin::Figures::of(margin, state.ledger(), latest, state.symbols(), account);
    place.margin.then(figures).flatten()
}

/// Checks that the largest amount is affordable, and that a lot more is not.
fn check_most(
    state: &State,
    (caller, stamp): (&Caller, Stamp),
    place: &Place,
    most: Option<Qty>,
) -> Result<(), String> {
    let Some(most) = most.filter(|_| stamp.seq.0.is_multiple_of(MOST_EVERY)) else { return Ok(()) };
    let sized = |qty| state.preview(caller, &Place { qty, ..*place }, stamp.time).outcome;
    let symbol = state.symbol(place.symbol).unwrap();
    let is_short = |outcome: &Result<Preview, Reject>| {
        let funds = |reject: &PlaceReject| {
            matches!(reject, PlaceReject::InsufficientFunds { .. } | PlaceReject::BeyondFunds)
        };
        matches!(outcome, Err(Reject::Trading(TradingReject::Place(reject))) if funds(reject))
    };
    let at_most = sized(most);
    if most >= symbol.qty_min && is_short(&at_most) {
        return Err(format!("of {place:?} {most:?} is said to be affordable: {at_most:?}"));
    }
    // An order that cannot rest needs no money for a rest, though it counts as one.
    let is_limit = matches!(place.kind, OrderKind::Limit | OrderKind::StopLimit);
    let can_rest = matches!(place.option, None | Some(ExecutionOption::MakerOrCancel));
    if !is_limit || !can_rest {
        return Ok(());
    }
    let beyond = sized(most + Qty::from_hundredths(HUNDREDTHS_PER_LOT));
    let is_cut = |preview: &Preview| {
        matches!(
            preview.reason,
            Some(
                CancelReason::SelfCrossPrevented
                    | CancelReason::MakerOrCancelWouldTake
                    | CancelReason::ExceedsPriceLimits
                    | CancelReason::InsufficientFunds
            )
        )
    };
    let is_bounded = match &beyond {
        Ok(preview) => is_cut(preview),
        // Another rule may come before the one of funds.
        Err(_) => true,
    };
    if is_bounded {
        Ok(())
    } else {
        Err(format!("of {place:?} more than {most:?} is affordable: {beyond:?}"))
    }
}
