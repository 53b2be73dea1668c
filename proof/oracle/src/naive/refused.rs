//! Orders that a rule refuses: each takes an id, and is nowhere else (D-147).

use super::Naive;
use super::reserve::int;
use crate::exchange::Happening;
use buttonwood_engine::{
    AccessReject, Answer, DeskReject, Outcome, Place, PlaceReject, RefusedDraft, RefusedOrder, Reject,
    StopError, TradingReject,
};
use buttonwood_model::{
    AccountId, ClientId, ExecutionOption, OrderId, OrderKind, RefusalReason, SessionId, Side, SymbolId,
};
use buttonwood_num::{Decimal, Price};

/// The scale of the figures: units of 10⁻¹⁹.
const SCALE: u8 = 19;

/// A refused order, with its figures in units of 10⁻¹⁹.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refused {
    id: OrderId,
    account: AccountId,
    session: SessionId,
    symbol: SymbolId,
    terms: (Side, OrderKind, Option<ExecutionOption>),
    price: Option<u128>,
    stop: Option<u128>,
    qty: Option<u128>,
    spend: Option<u128>,
    client_id: Option<ClientId>,
    reason: RefusalReason,
}

impl Refused {
    /// The same of an event of the core.
    pub(crate) fn of(order: &RefusedOrder) -> Self {
        let RefusedOrder { id, account, session, symbol, side, kind, option, client_id, reason, .. } = *order;
        let units = |figure: Option<Decimal>| figure.map(|decimal| decimal.units(SCALE).unwrap());
        Self {
            id,
            account,
            session,
            symbol,
            terms: (side, kind, option),
            price: units(order.price),
            stop: units(order.stop),
            qty: units(order.qty),
            spend: units(order.spend),
            client_id,
            reason,
        }
    }
}

/// The word of a refusal of an order.
fn reason(reject: PlaceReject) -> RefusalReason {
    let word = match reject {
        PlaceReject::InvalidSymbol => "InvalidSymbol",
        PlaceReject::NoAuctions => "UnsupportedOption",
        PlaceReject::AuctionNotOpen { .. } => "AuctionNotOpen",
        PlaceReject::NoPrice => "InvalidPrice",
        PlaceReject::SpendIsForBuys => "InvalidSide",
        PlaceReject::BelowMinimum | PlaceReject::TooManyFills => "InvalidQuantity",
        PlaceReject::MarketClosed => "MarketClosed",
        PlaceReject::MarketNotOpen(_) => "MarketNotOpen",
        PlaceReject::Stop(StopError::Missing) => "InvalidStopPrice",
        PlaceReject::Stop(StopError::Buy) => "InvalidStopPriceBuy",
        PlaceReject::Stop(StopError::Sell) => "InvalidStopPriceSell",
        PlaceReject::Stop(StopError::TooFar) => "InvalidStopPriceRatio",
        PlaceReject::TooManyOrders => "AccountLimitExceeded",
        PlaceReject::Desk(DeskReject::WrongKind) => "AccountNotOfTypeRequired",
        PlaceReject::InsufficientFunds { .. }
        | PlaceReject::BeyondFunds
        | PlaceReject::Desk(DeskReject::Advances) => "InsufficientFunds",
        PlaceReject::Desk(other) => panic!("not dealt: {other:?}"),
    };
    RefusalReason::of_name(word).unwrap()
}

impl Naive {
    /// An order that the core refuses. One on no symbol cannot be read, and takes no id.
    pub(super) fn refuse_order(
        &mut self,
        (account, session): (AccountId, SessionId),
        place: &Place,
        reject: PlaceReject,
    ) -> Answer {
        self.note_refused((account, session), place, reason(reject));
        Outcome::Rejected(Reject::Trading(TradingReject::Place(reject)))
    }

    /// An order of an account that places none.
    pub(super) fn refuse_account(
        &mut self,
        caller: (AccountId, SessionId),
        place: &Place,
        reject: AccessReject,
    ) -> Answer {
        let word = match reject {
            AccessReject::Closed => "AccountClosed",
            AccessReject::InDebt => "InsufficientFunds",
            _ => "AccountNotOfTypeRequired",
        };
        self.note_refused(caller, place, RefusalReason::of_name(word).unwrap());
        Outcome::Rejected(Reject::Access(reject))
    }

    fn note_refused(
        &mut self,
        (account, session): (AccountId, SessionId),
        place: &Place,
        reason: RefusalReason,
    ) {
        let Some(pair) = self.pairs.get(place.symbol.index()) else { return };
        let (tick, unit) = (pair.tick.unsigned_abs(), pair.base_unit.unsigned_abs());
        let price = |price: Price| (price > Price::default()).then(|| u128::from(price.ticks()) * tick);
        let spends = place.kind == OrderKind::MarketSpend;
        let refused = Refused {
            id: OrderId(self.next_id),
            account,
            session,
            symbol: place.symbol,
            terms: (place.side, place.kind, place.option),
            price: price(place.price),
            stop: price(place.stop),
            qty: (!spends).then(|| int(place.qty).unsigned_abs() * unit),
            spend: spends.then(|| place.spend.units().unsigned_abs()),
            client_id: place.client_id,
            reason,
        };
        self.take_refused(refused);
    }

    /// An order that was refused before it reached the core.
    pub(super) fn refuse_draft(
        &mut self,
        account: AccountId,
        session: SessionId,
        draft: &RefusedDraft,
    ) -> Answer {
        if draft.symbol.index() >= self.pairs.len() {
            return Outcome::Rejected(Reject::Unknown);
        }
        let order = draft.with_id(OrderId(self.next_id), account, session);
        self.take_refused(Refused::of(&order));
        Outcome::Rejected(Reject::Trading(TradingReject::Refused))
    }

    fn take_refused(&mut self, refused: Refused) {
        self.happened.push(Happening::Refused(self.next_id, refused.reason));
        self.refused.push(refused);
        self.next_id += 1;
    }
}
