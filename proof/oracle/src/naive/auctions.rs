//! Call auctions: their times, their price, found by trying all candidates, and their trades.

use super::Naive;
use super::breaks::Party;
use super::funds::advances::{Losses, add};
use super::matching::reaches;
use super::reserve::{ceil_bps, int};
use crate::exchange::{Happening, Step, fees_account};
use buttonwood_engine::{
    Answer, Collar, Finding, OrderState, Outcome, Place, PlaceReject, Reject, Schedule, ScheduleError,
    TradingReject,
};
use buttonwood_model::{
    AccountId, CancelReason, ExecutionOption, OrderId, OrderKind, Side, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Money, Price, Qty};
use std::collections::BTreeSet;

const SECOND: u64 = 1_000_000;

/// A symbol's auctions in the naive exchange.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Auctions {
    pub(crate) schedule: Option<Schedule>,
    /// Number of the next auction.
    pub(crate) number: u64,
    /// Number of the last auction that opened.
    pub(crate) opened: u64,
    /// Time of the next indicative price.
    pub(crate) told: Option<Time>,
    /// The finding of the auction being settled, with the quantity traded so far, and the first order that came too
    /// late.
    pub(crate) cut: Option<(Finding, OrderId)>,
}

impl Auctions {
    /// Those that wait for an auction of this number, which opens at once or later.
    fn waiting_for(number: u64, schedule: Option<Schedule>, now: Time) -> Self {
        let is_open = schedule.is_some_and(|schedule| opening(&schedule) <= now);
        let told = schedule.and_then(|schedule| next_told(&schedule, now));
        Self { schedule, number, opened: number - u64::from(!is_open), told, cut: None }
    }

    /// When the next auction opens, if it has not.
    fn opening(&self) -> Option<Time> {
        (self.opened < self.number).then_some(opening(&self.schedule?))
    }

    /// The schedule of the auction that an order of this id waits for.
    fn waited_for(&self, id: OrderId, now: Time) -> Option<Schedule> {
        match self.cut {
            Some((_, before)) if id >= before => after(self.schedule?, now),
            Some(_) | None => self.schedule,
        }
    }
}

/// The time `span` before an auction.
fn before(schedule: &Schedule, span: u64) -> Time {
    Time(schedule.time.0.saturating_sub(span))
}

/// When an auction takes orders for the first time.
fn opening(schedule: &Schedule) -> Time {
    before(schedule, schedule.opens)
}

/// Why a schedule is invalid.
fn senseless(schedule: &Schedule, now: Time) -> Option<ScheduleError> {
    let Schedule { time, every, opens, indicates, indicates_every, last_cancel } = *schedule;
    let open = if every > 0 { opens.min(every) } else { opens };
    if time <= now {
        Some(ScheduleError::Past)
    } else if every > 0 && !(60 * SECOND..=366 * 86_400 * SECOND).contains(&every) {
        Some(ScheduleError::Every)
    } else if indicates > 0
        && (indicates_every < SECOND || indicates.div_ceil(indicates_every) > 100 || indicates > open)
    {
        Some(ScheduleError::Indicates)
    } else {
        (last_cancel > open).then_some(ScheduleError::LastCancel)
    }
}

/// The first time after `now` at which an indicative price is due.
fn next_told(schedule: &Schedule, now: Time) -> Option<Time> {
    let mut told = before(schedule, schedule.indicates);
    while told < schedule.time {
        if told > now {
            return Some(told);
        }
        told = told.plus(schedule.indicates_every);
    }
    None
}

/// The schedule after its auction.
fn after(schedule: Schedule, now: Time) -> Option<Schedule> {
    let mut next = schedule;
    while next.time <= now {
        if next.every == 0 {
            return None;
        }
        next.time = next.time.plus(next.every);
    }
    Some(next)
}

pub(super) fn is_for_auction(order: &OrderState) -> bool {
    order.option == Some(ExecutionOption::AuctionOnly)
}

impl Naive {
    /// A symbol's auctions, if there ever were any.
    pub(crate) fn auctions(&self, symbol: SymbolId) -> Option<&Auctions> {
        self.pairs.get(symbol.index())?.auctions.as_ref()
    }

    /// Whether an auction has found its price and is not settled.
    pub(crate) fn is_settling(&self) -> bool {
        self.pairs.iter().filter_map(|pair| pair.auctions.as_ref()).any(|auctions| auctions.cut.is_some())
    }

    /// The next thing due, and when.
    pub(crate) fn next_step(&self) -> Option<(Time, Step)> {
        if !self.is_settling() && !self.due.is_empty() && !self.halted {
            return None;
        }
        let next = |at: usize| {
            let auctions = self.pairs[at].auctions.as_ref()?;
            let time = match auctions.cut {
                Some(_) => Time(0),
                None if self.halted => return None,
                None => {
                    let last = auctions.told.unwrap_or(auctions.schedule?.time);
                    auctions.opening().map_or(last, |opening| opening.min(last))
                }
            };
            Some((time, Step::Auction(SymbolId::from_index(at))))
        };
        let midnight = self.volumes.due().map(|time| (time, Step::Midnight));
        let auctions = (0..self.pairs.len()).filter_map(next);
        midnight.into_iter().chain(auctions).min_by_key(|(time, _)| *time)
    }

    pub(super) fn schedule(&mut self, symbol: SymbolId, schedule: Option<Schedule>, now: Time) -> Answer {
        let Some(pair) = self.pairs.get(symbol.index()) else {
            return Outcome::Rejected(Reject::Trading(TradingReject::Unknown));
        };
        if pair.auctions.as_ref().is_some_and(|auctions| auctions.cut.is_some()) {
            return Outcome::Rejected(Reject::Trading(TradingReject::NotNow));
        }
        if let Some(error) = schedule.and_then(|schedule| senseless(&schedule, now)) {
            return Outcome::Rejected(Reject::Trading(TradingReject::Schedule(error)));
        }
        let number = pair.auctions.as_ref().map_or(1, |auctions| auctions.number);
        if schedule.is_none() {
            self.close_waiting(symbol, CancelReason::AuctionCancelled);
        }
        self.happened.push(Happening::Scheduled(symbol, schedule));
        self.wait_for(symbol, number, schedule, now);
        Outcome::Done
    }

    /// A symbol waits for its next auction; it may be open.
    fn wait_for(&mut self, symbol: SymbolId, number: u64, schedule: Option<Schedule>, now: Time) {
        let auctions = Auctions::waiting_for(number, schedule, now);
        if auctions.opened == number {
            self.happened.push(Happening::Opened(symbol, number));
        }
        self.pairs[symbol.index()].auctions = Some(auctions);
    }

    pub(super) fn close_waiting(&mut self, symbol: SymbolId, reason: CancelReason) {
        for side in [Side::Buy, Side::Sell] {
            for order in self.waiting(symbol, side) {
                self.close(order.id, reason);
            }
        }
    }

    /// Why an order for an auction is refused.
    pub(super) fn refuse_for_auction(&self, symbol: SymbolId, now: Time) -> Result<(), PlaceReject> {
        let next = self.auctions(symbol).and_then(|auctions| auctions.waited_for(OrderId(self.next_id), now));
        let next = next.ok_or(PlaceReject::NoAuctions)?;
        let opening = opening(&next);
        if now < opening { Err(PlaceReject::AuctionNotOpen { opening }) } else { Ok(()) }
    }

    /// Whether an order waits for an auction that it can no longer leave.
    pub(super) fn is_past_last_cancel(&self, order: &OrderState, now: Time) -> bool {
        let next = self.auctions(order.symbol).and_then(|auctions| auctions.waited_for(order.id, now));
        is_for_auction(order) && next.is_some_and(|next| now >= before(&next, next.last_cancel))
    }

    /// Whether an order and another of its account could meet in an auction, but not before.
    pub(super) fn meets_own_waiting(&self, account: AccountId, place: &Place) -> bool {
        let goes =
            matches!(place.option, Some(ExecutionOption::ImmediateOrCancel | ExecutionOption::FillOrKill));
        let waits = place.option == Some(ExecutionOption::AuctionOnly);
        let meets = |order: &OrderState| {
            order.account == account
                && order.symbol == place.symbol
                && order.side != place.side
                && reaches(place.side, place.price, order.price)
                && (waits || is_for_auction(order))
        };
        place.kind == OrderKind::Limit && !goes && self.live.iter().any(meets)
    }

    /// Does whatever is due: an opening, an indication, a cut or a settlement.
    pub(super) fn auction(&mut self, symbol: SymbolId, now: Time) -> Answer {
        const NOT_NOW: Answer = Outcome::Rejected(Reject::Trading(TradingReject::NotNow));
        let Some(mut auctions) = self.auctions(symbol).cloned() else { return NOT_NOW };
        let Some(schedule) = auctions.schedule else { return NOT_NOW };
        if self.halted && auctions.cut.is_none() {
            return NOT_NOW;
        }
        let opens = auctions.cut.is_none() && auctions.opening().is_some_and(|opening| opening <= now);
        if opens {
            auctions.opened = auctions.number;
            self.happened.push(Happening::Opened(symbol, auctions.number));
        }
        if auctions.cut.is_none() && now < schedule.time {
            if opens {
                self.pairs[symbol.index()].auctions = Some(auctions);
                return Outcome::Done;
            }
            if auctions.told.is_none_or(|told| now < told) {
                return NOT_NOW;
            }
            self.happened.push(Happening::Indicated(symbol, self.find(symbol)));
            auctions.told = next_told(&schedule, now);
            self.pairs[symbol.index()].auctions = Some(auctions);
            return Outcome::Done;
        }
        let (mut finding, before) = auctions.cut.unwrap_or_else(|| {
            let (finding, before) = (self.find(symbol), OrderId(self.next_id));
            self.happened.push(Happening::Cut(symbol, finding, before.0));
            (Finding { qty: Qty::ZERO, ..finding }, before)
        });
        let (traded, has_met) =
            finding.price.map_or((Qty::ZERO, false), |price| self.cross_all(symbol, price, before));
        finding.qty += traded;
        if has_met {
            auctions.cut = Some((finding, before));
        } else {
            for side in [Side::Buy, Side::Sell] {
                for order in self.waiting(symbol, side).into_iter().filter(|order| order.id < before) {
                    self.close(order.id, CancelReason::AuctionCancelled);
                }
            }
            self.happened.push(Happening::Ended(symbol, finding));
            self.wait_for(symbol, auctions.number + 1, after(schedule, now), now);
            return Outcome::Done;
        }
        self.pairs[symbol.index()].auctions = Some(auctions);
        Outcome::Done
    }

    /// The result that an auction would have now.
    fn find(&self, symbol: SymbolId) -> Finding {
        let best = |side| self.queue(symbol, side).first().map(|order| order.price);
        let (bid, ask, pair) = (best(Side::Buy), best(Side::Sell), &self.pairs[symbol.index()]);
        let collar = match (bid, ask) {
            (Some(bid), Some(ask)) => Some((bid, ask)),
            (None, _) | (_, None) => pair.last.map(|last| (last, last)),
        };
        let half_ticks = collar.map(|(low, high)| u128::from(low.ticks()) + u128::from(high.ticks()));
        let collar = collar.map(|(low, high)| Collar::between(low, high));
        assert_eq!(collar.map(Collar::half_ticks), half_ticks);
        let nothing = Finding { bid, ask, collar, ..Finding::default() };
        let Some((ticks, qty)) = self.best_price(symbol, half_ticks) else { return nothing };
        if matches!(pair.status, SymbolStatus::Closed | SymbolStatus::CancelOnly) {
            return nothing;
        }
        // Five percent of the collar, which is in half ticks.
        let far = |collar: u128| 100 * (2 * u128::from(ticks)).abs_diff(collar) > 5 * collar;
        if half_ticks.is_some_and(far) {
            return Finding { beyond: qty, ..nothing };
        }
        Finding { price: Some(Price::from_ticks(ticks)), qty, ..nothing }
    }

    /// The price at which the most trades; of several, those with the smallest surplus; of these, the one nearest to
    /// the collar, or to their middle without a collar. Also the quantity that trades there.
    fn best_price(&self, symbol: SymbolId, half_ticks: Option<u128>) -> Option<(u64, Qty)> {
        let sum = |side: Side, ticks: u64| -> u128 {
            let takes = |order: &&OrderState| {
                order.symbol == symbol
                    && order.side == side
                    && reaches(side, order.price, Price::from_ticks(ticks))
            };
            self.live.iter().filter(takes).map(|order| order.remaining.hundredths()).sum()
        };
        // The traded quantity is constant between two limits, so trying these and the collar is enough.
        let limits = self.live.iter().filter(|order| order.symbol == symbol).map(|order| order.price.ticks());
        let near = half_ticks.map(|twice| u64::try_from(twice / 2).unwrap());
        let tried: BTreeSet<u64> =
            limits.flat_map(|limit| [limit - 1, limit, limit + 1]).chain(near).collect();
        let mut best: Vec<(u64, u128, u128)> = tried
            .into_iter()
            .map(|ticks| (ticks, sum(Side::Buy, ticks), sum(Side::Sell, ticks)))
            .map(|(ticks, wanted, offered)| (ticks, wanted.min(offered), wanted.abs_diff(offered)))
            .collect();
        let most = best.iter().map(|(_, trades, _)| *trades).max()?;
        best.retain(|(_, trades, _)| *trades == most && most > 0);
        let least = best.iter().map(|(_, _, over)| *over).min()?;
        best.retain(|(_, _, over)| *over == least);
        let prices = || best.iter().map(|(ticks, ..)| *ticks);
        let nearest = match half_ticks {
            Some(collar) => prices().min_by_key(|ticks| (2 * u128::from(*ticks)).abs_diff(collar)),
            None => Some(prices().min()?.midpoint(prices().max()?)),
        };
        Some((nearest?, Qty::from_hundredths(most)))
    }

    /// The first order in line to trade at an auction's price.
    fn first_in_line(
        &self,
        symbol: SymbolId,
        side: Side,
        price: Price,
        before: OrderId,
    ) -> Option<OrderState> {
        let takes = |order: &OrderState| order.id < before && reaches(order.side, order.price, price);
        self.line(symbol, side, takes).first().copied()
    }

    /// Trades at a price until one side has no more orders; returns the quantity, and whether two orders met. An order whose group may
    /// not give up what its trade would is cancelled (D-181), at the worths and the own money before all trades.
    fn cross_all(&mut self, symbol: SymbolId, price: Price, before: OrderId) -> (Qty, bool) {
        let (mut traded, mut has_met) = (Qty::ZERO, false);
        let (worths, spares, mut losses) = (self.worths_of_all(), self.spares(), Losses::new());
        while let Some(buyer) = self.first_in_line(symbol, Side::Buy, price, before)
            && let Some(seller) = self.first_in_line(symbol, Side::Sell, price, before)
        {
            has_met = true;
            let qty = buyer.remaining.min(seller.remaining);
            let lost = self.lost(&worths, symbol.index(), [buyer.account, seller.account], (price, qty));
            let counted = lost.map(|lost| self.judge_loss(&spares, &losses, lost));
            let [Ok(of_buyer), Ok(of_seller)] = counted else {
                let beyond = if counted[0].is_err() { &buyer } else { &seller };
                self.close(beyond.id, CancelReason::Uncovered);
                continue;
            };
            add(&mut losses, [of_buyer, of_seller]);
            traded += self.cross(&buyer, &seller, price);
        }
        self.note_lost(&losses);
        (traded, has_met)
    }

    fn cross(&mut self, buyer: &OrderState, seller: &OrderState, price: Price) -> Qty {
        let symbol = buyer.symbol;
        let pair = &self.pairs[symbol.index()];
        let (base, quote) = (pair.base, pair.quote);
        let qty = buyer.remaining.min(seller.remaining);
        let notional = i128::from(price.ticks()) * int(qty) * pair.quote_unit;
        let amount = int(qty) * pair.base_unit;
        let [of_buyer, of_seller] = [buyer, seller].map(|order| self.rates[&order.id]);
        let seller_fee = ceil_bps(notional, of_seller.auction.get());
        let fee = ceil_bps(notional, of_buyer.auction.get());
        // Like any resting buy, it never pays more than its reserve frees.
        let reserve = |qty| self.reserve(symbol, Side::Buy, buyer.price, qty, of_buyer);
        let room = reserve(buyer.remaining) - reserve(buyer.remaining - qty) - notional;
        assert!(fee - room <= 1, "it pays at most one quantum less");
        let buyer_fee = fee.min(room);
        assert_ne!(buyer.account, seller.account, "nobody trades with himself");
        self.pay(seller.account, buyer.account, base, amount);
        self.pay(buyer.account, seller.account, quote, notional);
        self.pay(buyer.account, fees_account(), quote, buyer_fee);
        self.pay(seller.account, fees_account(), quote, seller_fee);
        self.count(symbol, notional, [buyer.account, seller.account]);
        let party = |order: &OrderState, fee| Party { account: order.account, order: order.id, fee };
        self.note_trade(symbol, price, qty, [party(buyer, buyer_fee), party(seller, seller_fee)]);
        self.pairs[symbol.index()].last = Some(price);
        self.reach(symbol);
        for order in self.live.iter_mut().filter(|order| [buyer.id, seller.id].contains(&order.id)) {
            order.remaining -= qty;
            order.notional += Money::from_units(notional);
        }
        self.live.retain(|order| order.remaining > Qty::ZERO);
        self.happened.push(Happening::Crossed {
            buy: buyer.id.0,
            sell: seller.id.0,
            trade: self.next_id,
            price,
            qty,
            fees: [buyer_fee, seller_fee].map(Money::from_units),
        });
        self.next_id += 1;
        qty
    }
}
