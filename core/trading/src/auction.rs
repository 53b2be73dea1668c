//! Call auctions: which orders take part, the price, and who trades with whom (AUCT-001 to AUCT-007).
//!
//! The first command of an auction, the cut, finds the price; orders that were placed before it take part.
//! The cut and each further command settle a bounded number of orders, so that no command delays others for
//! long or outgrows a batch. First come the trades, by price and then by age, and then the cancels of the
//! orders that are left. Orders that arrive after the cut do not take part.

use crate::place::Reject;
use crate::{Crossing, Desks, Event, Floor, Infrequent, Market};
use alloc::vec::Vec;
use buttonwood_auction::{Clearing, Collar, Due, Finding, Settling, Step, uncross};
use buttonwood_book::Book;
use buttonwood_model::{
    BytesRef, CancelReason, OrderId, Outbox, Side, Slot, Symbol, SymbolId, SymbolStatus, TradeId,
};
use buttonwood_num::{Price, Qty};

/// The most trades, and the most cancels, of one command of an auction.
const STEP_MAX: usize = crate::place::FILLS_MAX;

/// Decides what is due of a symbol's auctions at the market's time: an opening, an indicative price, a cut, or more of a
/// settlement. Returns false when nothing is due.
pub fn decide<D: Desks, E: From<Event> + From<BytesRef>>(
    market: Market<'_, D>,
    symbol: SymbolId,
    out: &mut Outbox<E>,
) -> bool {
    let (Some(auctions), Some(listed)) = (market.floor.auctions.get(&symbol), market.symbol(symbol)) else {
        return false;
    };
    let Some(due) = auctions.due(market.time) else { return false };
    let settling = match due {
        Due::Opening => {
            out.push_named(&Infrequent::AuctionOpened(symbol, auctions.number()));
            return true;
        }
        Due::Indication => {
            out.push_named(&Infrequent::AuctionIndicated(symbol, find(market.floor, listed, symbol)));
            return true;
        }
        Due::Auction => {
            // The clock may have passed its opening.
            if auctions.opened() < auctions.number() {
                out.push_named(&Infrequent::AuctionOpened(symbol, auctions.number()));
            }
            let (finding, before) = (find(market.floor, listed, symbol), OrderId(market.next_id));
            out.push_named(&Infrequent::AuctionCut(symbol, finding, before));
            Settling { finding: Finding { qty: Qty::ZERO, ..finding }, before }
        }
        Due::Settlement(settling) => settling,
    };
    let step = Uncrossing { market, symbol, settling };
    if !step.trade(out) && step.cancel_rest(out) {
        out.push_named(&Infrequent::AuctionEnded(symbol, settling.finding));
        if let Some(number) = auctions.opens_after(market.time) {
            out.push_named(&Infrequent::AuctionOpened(symbol, number));
        }
    }
    true
}

/// Cancels orders that wait for a symbol's auctions, as many as one command may.
pub fn cancel_waiting<E: From<Event>>(
    floor: &Floor,
    symbol: SymbolId,
    reason: CancelReason,
    out: &mut Outbox<E>,
) {
    let all = [Side::Buy, Side::Sell].into_iter().flat_map(|side| waiting(floor, symbol, side));
    for slot in all.take(STEP_MAX) {
        cancel(floor, slot, reason, out);
    }
}

/// The result that an auction would have now.
pub fn find(floor: &Floor, listed: &Symbol, symbol: SymbolId) -> Finding {
    let book = floor.orders.book(symbol);
    let (bid, ask) = (book.side(Side::Buy).best(), book.side(Side::Sell).best());
    let collar = match (bid, ask) {
        (Some(bid), Some(ask)) => Some(Collar::between(bid, ask)),
        // Without a bid or without an ask, the last trade is the reference.
        _ => floor.orders.last(symbol).map(|last| Collar::between(last, last)),
    };
    let finding = Finding { bid, ask, collar, ..Finding::default() };
    let trades = match listed.status {
        SymbolStatus::Open | SymbolStatus::PostOnly | SymbolStatus::LimitOnly => true,
        SymbolStatus::Closed | SymbolStatus::CancelOnly => false,
    };
    let half_ticks = collar.map(Collar::half_ticks);
    let [bids, asks] = [Side::Buy, Side::Sell].map(|side| steps(floor, symbol, side));
    match uncross(&bids, &asks, half_ticks).filter(|_| trades) {
        Some(Clearing { price, qty }) if collar.is_none_or(|collar| collar.admits(price)) => {
            Finding { price: Some(price), qty, ..finding }
        }
        Some(Clearing { qty, .. }) => Finding { beyond: qty, ..finding },
        None => finding,
    }
}

/// The quantities on one side, by price, that the best opposite order would trade with; best price first.
fn steps(floor: &Floor, symbol: SymbolId, side: Side) -> Vec<Step> {
    let orders = &floor.orders;
    let books = [orders.book(symbol), orders.auction(symbol)];
    let best = |side: Side| books.into_iter().filter_map(move |book| book.side(side).best());
    let reach = match side {
        Side::Buy => best(Side::Sell).min(),
        Side::Sell => best(Side::Buy).max(),
    };
    let Some(reach) = reach else { return Vec::new() };
    let mut steps = Vec::new();
    for (book, is_auction) in books.into_iter().zip([false, true]) {
        let ladder = book.side(side);
        for price in ladder.prices().take_while(|price| ladder.reaches(*price, reach)) {
            let qty =
                queue(floor, symbol, is_auction, side, price).map(|slot| orders.get(slot).remaining).sum();
            steps.push(Step { price, qty });
        }
    }
    steps.sort_unstable_by_key(|step| key(side, step.price));
    steps
}

/// A sort key: a smaller key is a better price.
fn key(side: Side, price: Price) -> u64 {
    match side {
        Side::Buy => u64::MAX - price.ticks(),
        Side::Sell => price.ticks(),
    }
}

fn queue(
    floor: &Floor,
    symbol: SymbolId,
    is_auction: bool,
    side: Side,
    price: Price,
) -> impl Iterator<Item = Slot> {
    let orders = &floor.orders;
    let (waiting, resting) = if is_auction {
        (Some(orders.auction_queue(symbol, side, price)), None)
    } else {
        (None, Some(orders.queue(symbol, side, price)))
    };
    waiting.into_iter().flatten().chain(resting.into_iter().flatten())
}

/// The orders on one side of a symbol's continuous or auction book: by price, then by age.
fn in_line<'a>(
    floor: &'a Floor,
    symbol: SymbolId,
    is_auction: bool,
    side: Side,
) -> impl Iterator<Item = Slot> + use<'a> {
    let orders = &floor.orders;
    let book: &'a Book = if is_auction { orders.auction(symbol) } else { orders.book(symbol) };
    book.side(side).prices().flat_map(move |price| queue(floor, symbol, is_auction, side, price))
}

pub(crate) fn waiting(floor: &Floor, symbol: SymbolId, side: Side) -> impl Iterator<Item = Slot> {
    in_line(floor, symbol, true, side)
}

fn cancel<E: From<Event>>(floor: &Floor, slot: Slot, reason: CancelReason, out: &mut Outbox<E>) {
    let order = floor.orders.get(slot).id;
    out.push(Event::Cancelled { slot, reason, order });
}

/// An auction that has found its price.
struct Uncrossing<'a, D> {
    market: Market<'a, D>,
    symbol: SymbolId,
    settling: Settling,
}

impl<'a, D: Desks> Uncrossing<'a, D> {
    /// The orders of a side that take part and accept the price, on both books: by price, then by age.
    fn takers(&self, side: Side, price: Price) -> impl Iterator<Item = Slot> + use<'a, D> {
        let (floor, before) = (self.market.floor, self.settling.before);
        let line = |is_auction: bool| {
            let takes = move |slot: &Slot| key(side, floor.orders.get(*slot).price) <= key(side, price);
            in_line(floor, self.symbol, is_auction, side)
                .take_while(takes)
                .filter(move |slot| floor.orders.get(*slot).id < before)
                .peekable()
        };
        let (mut resting, mut waiting) = (line(false), line(true));
        let rank = move |slot: &Slot| {
            let order = floor.orders.get(*slot);
            (key(side, order.price), floor.stops.priority(order.id))
        };
        core::iter::from_fn(move || match (resting.peek().map(rank), waiting.peek().map(rank)) {
            (Some(one), Some(other)) if one > other => waiting.next(),
            (None, _) => waiting.next(),
            _ => resting.next(),
        })
    }

    /// Emits the next trades, and the cancels of orders that cannot cover theirs; false when there are none left.
    fn trade<E: From<Event>>(&self, out: &mut Outbox<E>) -> bool {
        let Some(price) = self.settling.finding.price else { return false };
        let orders = &self.market.floor.orders;
        let mut sides = [Side::Buy, Side::Sell].map(|side| self.takers(side, price));
        let mut next = |side: Side| {
            let [buyers, sellers] = &mut sides;
            let slot = if side == Side::Buy { buyers.next() } else { sellers.next() }?;
            Some((slot, orders.get(slot).remaining))
        };
        let (mut buyer, mut seller) = (next(Side::Buy), next(Side::Sell));
        let (mut trade, mut steps, mut plan) =
            (self.market.next_id, 0, self.market.desks.plan(self.market.time));
        while let (Some((buy, wanted)), Some((sell, offered))) = (buyer, seller)
            && steps < STEP_MAX
        {
            steps += 1;
            let crossing = self.crossing([(buy, wanted), (sell, offered)], price);
            let qty = crossing.qty;
            match self.market.desks.covers_crossing(&mut plan, &crossing) {
                Ok(()) => {
                    out.push(Event::Crossed {
                        buy,
                        sell,
                        trade: TradeId(trade),
                        price,
                        qty,
                        fees: crossing.fees,
                    });
                    trade += 1;
                    buyer = if wanted == qty { next(Side::Buy) } else { Some((buy, wanted - qty)) };
                    seller = if offered == qty { next(Side::Sell) } else { Some((sell, offered - qty)) };
                }
                Err(side) => {
                    let reason = self.market.desks.rules(crossing.buy.symbol).uncovered;
                    cancel(self.market.floor, if side == Side::Buy { buy } else { sell }, reason, out);
                    match side {
                        Side::Buy => buyer = next(Side::Buy),
                        Side::Sell => seller = next(Side::Sell),
                    }
                }
            }
        }
        steps > 0
    }

    /// The trade of two orders, buyer first, of which this much is left.
    fn crossing(&self, parties: [(Slot, Qty); 2], at: Price) -> Crossing<'a> {
        let Market { floor, desks, .. } = self.market;
        let [(_, wanted), (_, offered)] = parties;
        let qty = wanted.min(offered);
        let fees = parties.map(|(slot, left)| desks.auction_fee(floor.live(slot), left, at, qty));
        let [buyer, seller] = parties.map(|(slot, _)| floor.live(slot));
        let notional = buyer.grid().notional(at, qty).expect("a trade is no larger than its buyer's order");
        Crossing { buy: buyer, sell: seller, price: at, qty, notional, fees }
    }

    /// Cancels the orders that waited for the auction and are left (AUCT-006); false when some remain for a
    /// further command.
    fn cancel_rest<E: From<Event>>(&self, out: &mut Outbox<E>) -> bool {
        let took_part = |slot: &Slot| self.market.floor.orders.get(*slot).id < self.settling.before;
        let mut left = [Side::Buy, Side::Sell]
            .into_iter()
            .flat_map(|side| waiting(self.market.floor, self.symbol, side))
            .filter(took_part);
        for slot in left.by_ref().take(STEP_MAX) {
            cancel(self.market.floor, slot, CancelReason::AuctionCancelled, out);
        }
        left.next().is_none()
    }
}

/// Refuses an auction-only order when no auction takes orders now.
pub(crate) fn check_open<D, R>(market: Market<'_, D>, symbol: SymbolId) -> Result<(), Reject<R>> {
    let (auctions, id) = (market.floor.auctions.get(&symbol), OrderId(market.next_id));
    let next = auctions.and_then(|auctions| auctions.schedule_for(id, market.time));
    let opening = next.ok_or(Reject::NoAuctions)?.opening();
    if market.time < opening { Err(Reject::AuctionNotOpen { opening }) } else { Ok(()) }
}

/// Whether an order waits for an auction and can no longer be cancelled (AUCT-003).
#[inline]
pub(crate) fn is_past_last_cancel<D>(market: Market<'_, D>, slot: Slot) -> bool {
    market.floor.orders.any_waits() && waits_past_last_cancel(market, slot)
}

#[cold]
fn waits_past_last_cancel<D>(market: Market<'_, D>, slot: Slot) -> bool {
    let order = market.floor.orders.get(slot);
    let auctions = market.floor.auctions.get(&order.symbol);
    order.is_auction_only() && auctions.is_some_and(|auctions| auctions.is_late(order.id, market.time))
}
