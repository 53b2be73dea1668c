//! The rows of the statement: what each event changed of balances (D-171).
//!
//! Trades on books of spot carry the balances after them in their own rows. Everything else that moves money is an entry of the ledger, which
//! the replica records with its reason.

use super::{Fold, Sink};
use crate::history::{EntryRow, Settled};
use buttonwood_engine::{About, Event, Moved, TradingEvent};
use buttonwood_model::{AccountId, CurrencyId, OrderId, Product, Side, Stamp, Symbol, SymbolId, TradeId};
use buttonwood_num::{Money, Qty};

/// The balances that rows have before the ledger does: the taker's fills, which settle at its last event, and the parts of the trade at
/// hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ahead(Vec<Early>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Early {
    account: AccountId,
    currency: CurrencyId,
    amount: Money,
    /// Whether it is the taker's, and so lasts beyond its event.
    is_takers: bool,
}

impl Ahead {
    fn of(&self, account: AccountId, currency: CurrencyId) -> Money {
        let own = self.0.iter().filter(|early| (early.account, early.currency) == (account, currency));
        own.fold(Money::ZERO, |sum, early| sum + early.amount)
    }

    fn add(&mut self, new: Early) {
        let same = |early: &&mut Early| {
            (early.account, early.currency, early.is_takers) == (new.account, new.currency, new.is_takers)
        };
        match self.0.iter_mut().find(same) {
            Some(early) => early.amount += new.amount,
            None => self.0.push(new),
        }
    }

    /// An event was applied: all but a taker that still fills has settled.
    fn settle(&mut self, event: &Event) {
        if matches!(event, Event::Trading(TradingEvent::Filled { .. })) {
            self.0.retain(|early| early.is_takers);
        } else {
            self.0.clear();
        }
    }
}

/// A part of a trade on a book.
pub(super) struct Share {
    pub(super) account: AccountId,
    pub(super) side: Side,
    pub(super) qty: Qty,
    pub(super) notional: Money,
    pub(super) fee: Money,
    pub(super) is_taker: bool,
}

impl Fold {
    /// The balances after a part of a trade; none where a trade moves no base currency, and for the house.
    pub(super) fn settled(&mut self, symbol: SymbolId, share: &Share) -> Option<Settled> {
        let Symbol { base, quote, grid, product, .. } = self.state.symbol(symbol)?;
        if *product != Product::Spot || self.state.ledger().is_house(share.account) {
            return None;
        }
        let (base, quote, amount) = (*base, *quote, grid.base(share.qty)?);
        let (gets, pays) = match share.side {
            Side::Buy => (amount, share.notional),
            Side::Sell => (-amount, -share.notional),
        };
        let mut after = |currency, amount| {
            let Share { account, is_taker, .. } = *share;
            self.ahead.add(Early { account, currency, amount, is_takers: is_taker });
            self.state.ledger().balance(account, currency).total() + self.ahead.of(account, currency)
        };
        Some(Settled { base: after(base, gets), quote: after(quote, -pays - share.fee) })
    }

    /// Records what an event changed, after it was applied. `parties` are those of [`Fold::parties`], from before it.
    pub(super) fn record_moves(
        &mut self,
        stamp: Stamp,
        event: &Event,
        parties: [Option<Party>; 2],
        sink: &mut impl Sink,
    ) {
        self.ahead.settle(event);
        self.record_entries(stamp, parties, sink);
    }

    /// Records what entries changed since the last call.
    pub(super) fn record_entries(&mut self, stamp: Stamp, parties: [Option<Party>; 2], sink: &mut impl Sink) {
        let mut moves = core::mem::take(&mut self.moves);
        self.state.take_moves(&mut moves);
        for moved in &moves {
            sink.touched(moved.account);
        }
        for place in 0..moves.len() {
            if let Some(row) = self.entry(stamp, &moves, place, parties) {
                sink.row(&row);
            }
        }
        moves.clear();
        self.moves = moves;
    }

    /// The row of a move; none for the house, and for assets that are no currency.
    fn entry(
        &self,
        stamp: Stamp,
        moves: &[Moved],
        place: usize,
        parties: [Option<Party>; 2],
    ) -> Option<EntryRow> {
        let Moved { account, asset, amount, reason } = *moves.get(place)?;
        let (currency, ledger) = (asset.currency()?, self.state.ledger());
        if ledger.is_house(account) {
            return None;
        }
        let later =
            moves.iter().skip(place + 1).filter(|moved| (moved.account, moved.asset) == (account, asset));
        let later = later.fold(Money::ZERO, |sum, moved| sum + moved.amount);
        let now = ledger.balance(account, currency).total() + self.ahead.of(account, currency);
        let party = parties.iter().flatten().find(|party| party.account == account);
        let about = match (reason.about, party) {
            (About::Order(_) | About::Nothing, Some(party)) => party.about(),
            (about, _) => about,
        };
        Some(EntryRow {
            account,
            currency,
            time: stamp.time,
            amount,
            balance: now - later,
            cause: reason.cause,
            about,
        })
    }

    /// Whose orders an event of the floor fills or ends, read before it is applied.
    pub(super) fn parties(&self, event: &Event) -> [Option<Party>; 2] {
        let of = |slot, trade| {
            let order = self.state.orders().get(slot);
            Some(Party { account: order.account, order: order.id, trade })
        };
        match event {
            Event::Trading(TradingEvent::Filled { maker, trade, .. }) => {
                [of(*maker, Some(*trade)), of(self.state.taking(), Some(*trade))]
            }
            Event::Trading(TradingEvent::Crossed { buy, sell, trade, .. }) => {
                [of(*buy, Some(*trade)), of(*sell, Some(*trade))]
            }
            Event::Trading(TradingEvent::Completed | TradingEvent::Booked { .. }) => {
                [of(self.state.taking(), None), None]
            }
            Event::Trading(TradingEvent::Cancelled { slot, .. }) => [of(*slot, None), None],
            Event::Trading(
                TradingEvent::Placed(_)
                | TradingEvent::Rested { .. }
                | TradingEvent::Suspended { .. }
                | TradingEvent::Triggered { .. }
                | TradingEvent::CancelRejected { .. },
            )
            | Event::Access(_)
            | Event::Infrequent(_) => [None; 2],
        }
    }
}

/// An account whose order an event fills or ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Party {
    account: AccountId,
    order: OrderId,
    trade: Option<TradeId>,
}

impl Party {
    fn about(self) -> About {
        match self.trade {
            Some(trade) => About::Trade(self.order, trade),
            None => About::Order(self.order),
        }
    }
}
