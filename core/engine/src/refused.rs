//! Orders that a rule refuses in the core: each takes an id and has one event (D-147).
//!
//! A call that its caller may not make at all has no event: a role or a scope is missing, the session is disabled, the exchange is halted or its disk full.

use crate::{DeskReject, Event, Outcome, PlaceReject, PredictionReject, Reject, State, TradingReject};
use buttonwood_access as access;
use buttonwood_model::{AccountId, Claim, OrderId, Outbox, RefusalReason as Reason, SessionId, Symbol};
use buttonwood_perp as perp;
use buttonwood_prediction as prediction;
use buttonwood_trading::place::Place;
use buttonwood_trading::{Infrequent, RefusedDraft, StopError};

/// Reports an order that a rule refuses, and returns the refusal. Never inlined, so that a good order does not pay for it.
#[cold]
#[inline(never)]
pub(crate) fn note_refused(
    state: &State,
    (account, session): (AccountId, SessionId),
    order: &Place,
    reject: Reject,
    out: &mut Outbox<Event>,
) -> Outcome {
    if let (Some(symbol), Some(reason)) = (state.symbol(order.symbol), reason_of(order, reject)) {
        let order = own_view(order, symbol, reason).with_id(OrderId(state.next_id), account, session);
        out.push_named(&Infrequent::OrderRefused(order));
    }
    Outcome::Rejected(reject)
}

/// The order in the view of its own outcome.
fn own_view(order: &Place, symbol: &Symbol, reason: Reason) -> RefusedDraft {
    let side = match order.claim {
        Claim::Yes => order.side,
        Claim::No => order.side.opposite(),
    };
    let price = |price| prediction::own_price(symbol, order.claim, price);
    RefusedDraft::of_place(order, symbol, reason, side, price)
}

/// The reason of a refusal by a rule; none of any other refusal.
fn reason_of(order: &Place, reject: Reject) -> Option<Reason> {
    if let Reject::Trading(TradingReject::Place(reject)) = reject {
        Some(if order.symbol.is_contract() { of_contract(reject) } else { of_order(reject) })
    } else if let Reject::Prediction(reject) = reject {
        of_room(reject)
    } else if reject == Reject::Access(access::Reject::Closed) {
        Some(Reason::AccountClosed)
    } else if reject == Reject::Access(access::Reject::InDebt) {
        Some(Reason::InsufficientFunds)
    } else if reject == Reject::Access(access::Reject::WrongKind) {
        Some(Reason::AccountNotOfTypeRequired)
    } else {
        None
    }
}

/// The word of `edge/wire`'s refusals of orders.
const fn of_order(reject: PlaceReject) -> Reason {
    match reject {
        PlaceReject::InvalidSymbol => Reason::InvalidSymbol,
        PlaceReject::NoAuctions => Reason::UnsupportedOption,
        PlaceReject::AuctionNotOpen { .. } => Reason::AuctionNotOpen,
        PlaceReject::NoPrice => Reason::InvalidPrice,
        PlaceReject::SpendIsForBuys => Reason::InvalidSide,
        PlaceReject::BelowMinimum | PlaceReject::TooManyFills => Reason::InvalidQuantity,
        PlaceReject::MarketClosed => Reason::MarketClosed,
        PlaceReject::MarketNotOpen(_) => Reason::MarketNotOpen,
        PlaceReject::Stop(StopError::Missing) => Reason::InvalidStopPrice,
        PlaceReject::Stop(StopError::Buy) => Reason::InvalidStopPriceBuy,
        PlaceReject::Stop(StopError::Sell) => Reason::InvalidStopPriceSell,
        PlaceReject::Stop(StopError::TooFar) => Reason::InvalidStopPriceRatio,
        PlaceReject::InsufficientFunds { .. }
        | PlaceReject::BeyondFunds
        | PlaceReject::Desk(DeskReject::Advances) => Reason::InsufficientFunds,
        PlaceReject::TooManyOrders => Reason::AccountLimitExceeded,
        PlaceReject::Desk(DeskReject::WrongKind) => Reason::AccountNotOfTypeRequired,
        PlaceReject::Desk(DeskReject::Perp(perp::Refusal::NotOpen) | DeskReject::SpotMargin(_)) => {
            Reason::MarketNotOpen
        }
        PlaceReject::Desk(DeskReject::Perp(perp::Refusal::NoSpend) | DeskReject::NoMargin) => {
            Reason::InvalidParameterValue
        }
    }
}

/// The word of the prediction markets' refusals of orders by the floor.
const fn of_contract(reject: PlaceReject) -> Reason {
    match reject {
        PlaceReject::InvalidSymbol => Reason::NotFound,
        PlaceReject::InsufficientFunds { .. }
        | PlaceReject::BeyondFunds
        | PlaceReject::Desk(DeskReject::Advances) => Reason::InsufficientFunds,
        PlaceReject::Desk(DeskReject::WrongKind) => Reason::AccountNotOfTypeRequired,
        PlaceReject::NoAuctions
        | PlaceReject::AuctionNotOpen { .. }
        | PlaceReject::NoPrice
        | PlaceReject::SpendIsForBuys
        | PlaceReject::BelowMinimum
        | PlaceReject::TooManyFills
        | PlaceReject::MarketClosed
        | PlaceReject::MarketNotOpen(_)
        | PlaceReject::Stop(_)
        | PlaceReject::TooManyOrders
        | PlaceReject::Desk(DeskReject::Perp(_) | DeskReject::SpotMargin(_) | DeskReject::NoMargin) => {
            Reason::InvalidInput
        }
    }
}

/// The word of the refusals of orders by the room of prediction markets; none of those that are about no order, or about no contract.
fn of_room(reject: PredictionReject) -> Option<Reason> {
    if reject == PredictionReject::TermsNotAccepted {
        Some(Reason::TermsNotAccepted)
    } else if reject == PredictionReject::SellOnly {
        Some(Reason::SellOnly)
    } else if reject == PredictionReject::WrongKind {
        Some(Reason::AccountNotOfTypeRequired)
    } else if reject == PredictionReject::NotOpen || reject == PredictionReject::BadPrice {
        Some(Reason::InvalidInput)
    } else {
        None
    }
}
