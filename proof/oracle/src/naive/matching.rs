//! The orders that a new one meets, where it stops, and what a trade moves.

use super::Naive;
use super::breaks::Party;
use super::funds::advances::{Losses, add};
use super::reserve::{ceil_bps, int};
use crate::exchange::{Happening, fees_account};
use buttonwood_engine::{OrderState, Place};
use buttonwood_model::{AccountId, CancelReason, ExecutionOption, OrderId, OrderKind, Side, SymbolId};
use buttonwood_num::{Money, Price, Qty};

/// One step of a match, planned.
pub(super) struct Fill {
    pub(super) maker: OrderState,
    pub(super) qty: Qty,
}

/// Why a walk through the book ended.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Stop {
    Filled,
    Limit,
    Collar,
    Money,
    Empty,
    /// The next fill would give up more than the account's group may (D-181).
    Advances,
}

/// The findings of a walk through the book.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) fills: Vec<Fill>,
    /// Resting orders whose groups may not give up what their fills would.
    pub(super) uncovered: Vec<OrderId>,
    /// The losses in the fills.
    pub(super) losses: Losses,
}

impl Naive {
    /// Whether a price differs by more than 5 % from the reference: the last trade moved into the spread, or the
    /// middle of the spread without a last trade (D-32).
    fn beyond_collar(&self, symbol: SymbolId, side: Side, price: Price) -> bool {
        let best = |side| self.queue(symbol, side).first().map(|order| u128::from(order.price.ticks()));
        let twice = match (self.pairs[symbol.index()].last, best(Side::Buy), best(Side::Sell)) {
            (Some(last), bid, ask) => {
                let low = u128::from(last.ticks()).max(bid.unwrap_or(0));
                2 * low.min(ask.unwrap_or(low))
            }
            (None, Some(bid), Some(ask)) => bid + ask,
            (None, _, _) => return false,
        };
        let price = u128::from(price.ticks());
        match side {
            Side::Buy => price * 200 > twice * 105,
            Side::Sell => price * 200 < twice * 95,
        }
    }

    /// Walks the opposite side, best price and oldest order first.
    pub(super) fn walk(&self, account: AccountId, place: &Place) -> (Walk, Stop) {
        let rate = self.rates_now(account, place.symbol).taker;
        let unit = self.pairs[place.symbol.index()].quote_unit;
        let (mut left, mut money) = (place.qty, place.spend.units());
        let (mut walk, worths, spares) = (Walk::default(), self.worths_of_all(), self.spares());
        for maker in self.queue(place.symbol, place.side.opposite()) {
            if place.kind != OrderKind::MarketSpend && left == Qty::ZERO {
                return (walk, Stop::Filled);
            }
            if place.kind == OrderKind::Limit && !reaches(place.side, place.price, maker.price) {
                return (walk, Stop::Limit);
            }
            if place.kind == OrderKind::MarketSpend
                && !self.affords_any(place.symbol, maker.price, money, rate)
            {
                return (walk, Stop::Money);
            }
            if self.beyond_collar(place.symbol, place.side, maker.price) {
                return (walk, Stop::Collar);
            }
            let qty = if place.kind == OrderKind::MarketSpend {
                self.affordable(place.symbol, maker.price, maker.remaining, money, rate)
            } else {
                left.min(maker.remaining)
            };
            let parties = match place.side {
                Side::Buy => [account, maker.account],
                Side::Sell => [maker.account, account],
            };
            let lost = self.lost(&worths, place.symbol.index(), parties, (maker.price, qty));
            let [taker_lost, maker_lost] = if place.side == Side::Buy { lost } else { [lost[1], lost[0]] };
            let Ok(of_order) = self.judge_loss(&spares, &walk.losses, maker_lost) else {
                walk.uncovered.push(maker.id);
                continue;
            };
            let Ok(of_taker) = self.judge_loss(&spares, &walk.losses, taker_lost) else {
                return (walk, Stop::Advances);
            };
            add(&mut walk.losses, [of_order, of_taker]);
            if qty > Qty::ZERO {
                walk.fills.push(Fill { maker, qty });
            }
            if place.kind == OrderKind::MarketSpend {
                let notional = i128::from(maker.price.ticks()) * int(qty) * unit;
                money -= notional + ceil_bps(notional, rate.get());
                if qty < maker.remaining {
                    return (walk, Stop::Money);
                }
            } else {
                left -= qty;
            }
        }
        if place.kind != OrderKind::MarketSpend && left == Qty::ZERO {
            return (walk, Stop::Filled);
        }
        // The book and the money may end at the same fill.
        let paid = walk.fills.last().map(|fill| fill.maker.price);
        let spent = place.kind == OrderKind::MarketSpend
            && paid.is_some_and(|price| !self.affords_any(place.symbol, price, money, rate));
        (walk, if spent { Stop::Money } else { Stop::Empty })
    }

    /// The reason why an order must not trade or rest at all, if there is one.
    pub(super) fn void(
        &self,
        account: AccountId,
        place: &Place,
        fills: &[Fill],
        stop: Stop,
    ) -> Option<CancelReason> {
        let others = self.queue(place.symbol, place.side.opposite());
        let reach = match place.kind {
            OrderKind::Limit | OrderKind::StopLimit => Some(place.price),
            OrderKind::Market | OrderKind::MarketSpend => fills.last().map(|fill| fill.maker.price),
        };
        let own = |order: &OrderState| {
            order.account == account && reach.is_some_and(|reach| reaches(place.side, reach, order.price))
        };
        if others.iter().any(own) || self.meets_own_waiting(account, place) {
            return Some(CancelReason::SelfCrossPrevented);
        }
        let crosses = others.first().is_some_and(|best| reaches(place.side, place.price, best.price));
        if place.option == Some(ExecutionOption::MakerOrCancel) && crosses {
            return Some(CancelReason::MakerOrCancelWouldTake);
        }
        let done = matches!(stop, Stop::Filled | Stop::Money);
        if place.option == Some(ExecutionOption::FillOrKill) && !done {
            return Some(CancelReason::FillOrKillWouldNotFill);
        }
        None
    }

    /// One trade: base one way, quote the other, fees to the house.
    pub(super) fn trade(&mut self, taker: &mut OrderState, fill: &Fill) {
        let pair = &self.pairs[taker.symbol.index()];
        let (base, quote) = (pair.base, pair.quote);
        let (maker, qty) = (fill.maker, fill.qty);
        let notional = i128::from(maker.price.ticks()) * int(qty) * pair.quote_unit;
        let amount = int(qty) * pair.base_unit;
        let (rates, of_taker) = (self.rates[&maker.id], self.rates[&taker.id]);
        let taker_fee = ceil_bps(notional, of_taker.taker.get());
        let mut maker_fee = ceil_bps(notional, rates.maker.get());
        if maker.side == Side::Buy {
            // A resting buy never pays more than its reserve frees. Otherwise the fees of its fills, each rounded up,
            // could sum to more than the reserved fee of the whole.
            let reserve = |left| self.reserve(maker.symbol, Side::Buy, maker.price, left, rates);
            let before = reserve(maker.remaining);
            let after = reserve(maker.remaining - qty);
            assert!(maker_fee - (before - after - notional) <= 1, "it pays at most one quantum less");
            maker_fee = maker_fee.min(before - after - notional);
        }
        let entered = Party { account: taker.account, order: taker.id, fee: taker_fee };
        let rested = Party { account: maker.account, order: maker.id, fee: maker_fee };
        let parties = match taker.side {
            Side::Buy => [entered, rested],
            Side::Sell => [rested, entered],
        };
        let [buyer, seller] = parties.map(|party| party.account);
        assert_ne!(buyer, seller, "nobody trades with himself");
        self.pay(seller, buyer, base, amount);
        self.pay(buyer, seller, quote, notional);
        self.pay(taker.account, fees_account(), quote, taker_fee);
        self.pay(maker.account, fees_account(), quote, maker_fee);
        self.note_trade(taker.symbol, maker.price, qty, parties);
        self.count(taker.symbol, notional, [taker.account, maker.account]);
        self.pairs[taker.symbol.index()].last = Some(maker.price);
        self.reach(taker.symbol);
        let resting = self.live.iter_mut().find(|order| order.id == maker.id).unwrap();
        for order in [taker, resting] {
            order.remaining -= qty;
            order.notional += Money::from_units(notional);
        }
        self.live.retain(|order| order.remaining > Qty::ZERO);
        self.happened.push(Happening::Filled {
            maker: maker.id.0,
            trade: self.next_id,
            price: maker.price,
            qty,
            maker_fee: Money::from_units(maker_fee),
            taker_fee: Money::from_units(taker_fee),
        });
        self.next_id += 1;
    }
}

/// Whether a taker of `side` with this limit accepts `price`.
pub(super) fn reaches(side: Side, limit: Price, price: Price) -> bool {
    match side {
        Side::Buy => price <= limit,
        Side::Sell => price >= limit,
    }
}
