//! All orders and trades so far in plain lists: what the read models must show.

mod events;
mod page;

use crate::check::Finding;
use crate::statement::{all_explained, explained};
use buttonwood_engine::{
    Answer, Auctions, BreakKind, ConvertInfrequent, Finding as AuctionFinding, OrderRef, OrderState, State,
    Wrap, perp,
};
use buttonwood_model::{
    AccountId, Claim, ClientId, OrderId, OrderKind, SessionId, Side, Stamp, SymbolId, Time, TradeId,
};
use buttonwood_num::{Money, Price, Qty, Round};
use buttonwood_oracle::{Dice, Happening};
use buttonwood_views::history::{self, Fault, History, Limit, Look, PublicTrade, Query, Since, TradeRow};
use buttonwood_views::{Candle, Day, FRAMES, Found, Frame, RESULTS_KEPT, Views};
use events::{Events, Filled};
use page::page;
use std::collections::BTreeMap;

const MINUTE: u64 = 60 * Time::SECOND;
const HOUR: u64 = 60;
const DAY: u64 = 24 * HOUR;

/// Up to this many orders, all are compared at once.
const FEW: usize = 2_000;

/// A difference between the views and the memory.
pub(crate) enum Odd {
    /// The views report that they cannot answer.
    Untold(Finding),
    /// The views answer something else.
    Wrong(Finding),
}

impl From<Odd> for Finding {
    fn from(odd: Odd) -> Self {
        match odd {
            Odd::Untold(finding) | Odd::Wrong(finding) => finding,
        }
    }
}

/// The history of some views, shown one look at a time.
struct Shown<'a>(&'a Views);

impl Look for Shown<'_> {
    fn look(&self, see: &mut dyn FnMut(&History)) {
        see(self.0.history());
    }
}

/// Queries like the exchange: memory first, then the files if rows are missing there.
pub(crate) fn told<T>(views: &Views, ask: impl Fn(Query<'_>) -> Result<T, Fault>) -> Result<T, Odd> {
    let told = match ask(Query::near(views.history())) {
        Err(Fault::Away) => ask(Query::far(&Shown(views))),
        told => told,
    };
    told.map_err(|fault| Odd::Untold(format!("the history cannot be read: {fault}")))
}

fn find(views: &Views, account: AccountId, order: &OrderRef) -> Result<Option<Found>, Odd> {
    let found =
        told(views, |history| Found::last_placed(views.find_live(account, order), history, account, order));
    Ok(found?.map(|found| corrected(views, found)))
}

/// An order as its owner is shown it.
fn corrected(views: &Views, found: Found) -> Found {
    found.corrected(&views.state().floor().breaks)
}

/// Checks that the views show the expected value.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, shown: &T, expected: &T) -> Result<(), Odd> {
    if shown == expected {
        Ok(())
    } else {
        Err(Odd::Wrong(format!("the views show {what} {shown:?}\nexpected {expected:?}")))
    }
}

/// Checks that the statement explains a balance of the order's account.
fn compare_statement(order: &OrderState, views: &Views, dice: &mut Dice) -> Result<(), Odd> {
    let Some(symbol) = views.state().symbol(order.symbol).filter(|_| dice.once_in(4)) else {
        return Ok(());
    };
    explained(views, order.account, dice.pick(&[symbol.base, symbol.quote]))
}

/// An account's part of a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    trade: TradeId,
    order: OrderId,
    symbol: SymbolId,
    side: Side,
    role: history::Part,
    price: Price,
    qty: Qty,
    fee: Money,
    time: Time,
    client_id: Option<ClientId>,
}

/// The views' rows as parts.
fn parts_of(rows: &[TradeRow]) -> Vec<Part> {
    let part = |row: &TradeRow| Part {
        trade: row.trade,
        order: row.order,
        symbol: row.symbol,
        side: row.side,
        role: row.part,
        price: row.price,
        qty: row.qty,
        fee: row.fee,
        time: row.time,
        client_id: row.client_id,
    };
    rows.iter().map(part).collect()
}

/// The data that both parts of a trade share.
struct Meeting {
    trade: TradeId,
    price: Price,
    qty: Qty,
    time: Time,
}

/// The public data of a part.
#[derive(Clone, Copy)]
struct Told {
    symbol: SymbolId,
    side: Side,
    paid: Money,
}

/// The remembered orders and trades.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    orders: BTreeMap<u64, OrderState>,
    /// For each account, its closed orders with their closing times, in that order.
    closed: BTreeMap<AccountId, Vec<(u64, Time)>>,
    /// Trades of each account, oldest first.
    trades: BTreeMap<AccountId, Vec<Part>>,
    /// Trades of each symbol with their notional, oldest first.
    public: BTreeMap<SymbolId, Vec<(PublicTrade, Money)>>,
    /// Results of each symbol's auctions, oldest first; the flag marks indicative ones.
    results: BTreeMap<SymbolId, Vec<(Time, bool, AuctionFinding)>>,
    /// Every broken trade.
    broken: BTreeMap<TradeId, BreakKind>,
    /// Wraps and executed quotes, oldest first.
    conversions: Vec<ConvertInfrequent>,
    /// Events of orders.
    events: Events,
}

impl Memory {
    /// Records the result of one command.
    pub(crate) fn note(&mut self, state: &State, stamp: Stamp, answer: &Answer, happened: &[Happening]) {
        let (mut entered, time) = (0, stamp.time);
        self.begin_events(stamp);
        for happening in happened {
            match *happening {
                Happening::Accepted(id) => {
                    entered = id;
                    if let Ok(order) = answer.order() {
                        let fresh = OrderState {
                            remaining: order.original,
                            notional: Money::ZERO,
                            reason: None,
                            ..*order
                        };
                        self.orders.insert(id, fresh);
                    }
                }
                Happening::Filled { maker, trade, price, qty, maker_fee, taker_fee } => {
                    let meeting = Meeting { trade: TradeId(trade), price, qty, time };
                    let [_, told] = [
                        (maker, maker_fee, history::Part::Maker),
                        (entered, taker_fee, history::Part::Taker),
                    ]
                    .map(|(id, fee, role)| self.note_part(state, &meeting, id, fee, role));
                    self.note_public(told, &meeting, told.map(|told| told.side));
                    self.closes_if_done(maker, time);
                }
                Happening::Crossed { buy, sell, trade, price, qty, fees: [buyer_fee, seller_fee] } => {
                    let meeting = Meeting { trade: TradeId(trade), price, qty, time };
                    let told = self.note_part(state, &meeting, buy, buyer_fee, history::Part::Auction);
                    self.closes_if_done(buy, time);
                    self.note_part(state, &meeting, sell, seller_fee, history::Part::Auction);
                    self.closes_if_done(sell, time);
                    self.note_public(told, &meeting, None);
                }
                Happening::Indicated(symbol, finding) => {
                    self.results.entry(symbol).or_default().push((time, true, finding));
                }
                Happening::Ended(symbol, finding) => {
                    self.results.entry(symbol).or_default().push((time, false, finding));
                }
                Happening::Completed(id) => self.closes(id, time),
                Happening::Cancelled(id, reason) => {
                    if let Some(order) = self.orders.get_mut(&id) {
                        order.reason = Some(reason);
                    }
                    self.closes(id, time);
                }
                Happening::Triggered(id) => entered = id,
                Happening::Broken(trade, kind) => self.note_break(trade, kind),
                Happening::Booked(_)
                | Happening::Suspended(_)
                | Happening::CancelRejected(_)
                | Happening::Scheduled(..)
                | Happening::Opened(..)
                | Happening::Refused(..)
                | Happening::Connected(..)
                | Happening::Tied(..)
                | Happening::Disconnected(_)
                | Happening::Cut(..)
                | Happening::Status(..)
                | Happening::Credited(..) => {}
                Happening::Converted(event) => self.conversions.extend(event.order().map(|_| event)),
            }
            self.note_event(happening);
        }
    }

    /// Records the trades off the book: each is a market order of both accounts, which it fills, and is not public.
    pub(crate) fn note_off_book(&mut self, state: &State, stamp: Stamp, events: &[perp::Infrequent]) {
        for event in events {
            let perp::Infrequent::OffBookTaken(taken) = event else { continue };
            for (place, trade) in taken.trades.iter().enumerate() {
                let parts = [
                    (taken.account, taken.side, taken.order),
                    (trade.account, taken.side.opposite(), trade.order),
                ];
                let fills =
                    parts.map(|part| self.note_forced(state, stamp.time, part, (taken.symbol, trade)));
                self.note_off_book_events(fills, place == 0, place + 1 == taken.trades.len());
            }
        }
    }

    /// Records an account's part in a trade off the book. A row has the last price of the grid that is not above the trade's.
    fn note_forced(
        &mut self,
        state: &State,
        time: Time,
        (account, side, id): (AccountId, Side, OrderId),
        (symbol, trade): (SymbolId, &perp::off_book::OffBook),
    ) -> Filled {
        let grid = &state.symbol(symbol).expect("it is listed").grid;
        let ticks = trade.price.units() / grid.value(Money::ONE, Price::from_ticks(1)).units();
        let price = Price::from_ticks(u64::try_from(ticks).unwrap_or(0));
        let paid = grid.base(trade.qty).and_then(|base| base.times(trade.price, Round::Cut));
        let paid = paid.expect("it was traded");
        let order = self.orders.entry(id.0).or_insert_with(|| forced(id, (account, side, symbol), time));
        order.original += trade.qty;
        order.notional += paid;
        let (role, qty, fee) = (history::Part::OffBook(trade.price), trade.qty, Money::ZERO);
        let part = Part {
            trade: trade.trade,
            order: id,
            symbol,
            side,
            role,
            price,
            qty,
            fee,
            time,
            client_id: None,
        };
        self.trades.entry(account).or_default().push(part);
        let closed = self.closed.entry(account).or_default();
        if closed.last() != Some(&(id.0, time)) {
            closed.push((id.0, time));
        }
        Filled { paid, ..Filled::new(id.0, trade.trade, (price, qty), fee, role) }
    }

    /// Records one order's part in a trade.
    fn note_part(
        &mut self,
        state: &State,
        meeting: &Meeting,
        id: u64,
        fee: Money,
        role: history::Part,
    ) -> Option<Told> {
        let Meeting { trade, price, qty, time } = *meeting;
        let order = self.orders.get_mut(&id)?;
        let grid = &state.symbol(order.symbol).expect("it is listed").grid;
        let paid = grid.notional(price, qty).expect("it was traded");
        order.remaining -= qty;
        order.notional += paid;
        let OrderState { id: order, symbol, side, account, client_id, .. } = *order;
        let part = Part { trade, order, symbol, side, role, price, qty, fee, time, client_id };
        self.trades.entry(account).or_default().push(part);
        let filled = Filled { paid, ..Filled::new(id, trade, (price, qty), fee, role) };
        self.note_filled(&filled, role != history::Part::Taker);
        Some(Told { symbol, side, paid })
    }

    fn note_public(&mut self, told: Option<Told>, meeting: &Meeting, taker: Option<Side>) {
        let Some(Told { symbol, paid, .. }) = told else { return };
        let Meeting { trade, price, qty, time } = *meeting;
        let shown = PublicTrade { symbol, trade, time, price, qty, taker };
        self.public.entry(symbol).or_default().push((shown, paid));
    }

    /// Records a break; a full one takes the trade from both of its orders.
    fn note_break(&mut self, trade: TradeId, kind: BreakKind) {
        self.broken.insert(trade, kind);
        if kind == BreakKind::Manual {
            return;
        }
        let paid = self.public.values().flatten().find(|(row, _)| row.trade == trade).map(|(_, paid)| *paid);
        for part in self.trades.values().flatten().filter(|part| part.trade == trade) {
            if let (Some(order), Some(paid)) = (self.orders.get_mut(&part.order.0), paid) {
                order.broken += part.qty;
                order.notional -= paid;
            }
        }
    }

    /// The trades of a symbol that count: all but those that are void.
    fn counted(&self, symbol: SymbolId) -> Vec<(PublicTrade, Money)> {
        let trades = self.public.get(&symbol).into_iter().flatten();
        let is_void = |trade: TradeId| self.broken.get(&trade) == Some(&BreakKind::Full);
        trades.filter(|(row, _)| !is_void(row.trade)).copied().collect()
    }

    /// A trade closes an order on the book if nothing of it is left.
    fn closes_if_done(&mut self, id: u64, time: Time) {
        if self.orders.get(&id).is_some_and(|order| order.remaining == Qty::ZERO) {
            self.closes(id, time);
        }
    }

    fn closes(&mut self, id: u64, time: Time) {
        if let Some(order) = self.orders.get(&id) {
            self.closed.entry(order.account).or_default().push((id, time));
        }
    }

    /// Compares some order, some account and some symbol with the views.
    pub(crate) fn compare(&self, views: &Views, dice: &mut Dice) -> Result<(), Odd> {
        let Some((last, _)) = self.orders.last_key_value() else { return Ok(()) };
        let Some((_, order)) = self.orders.range(dice.below(last + 1)..).next() else { return Ok(()) };
        self.compare_order(order, views)?;
        self.compare_named(order, views, dice)?;
        let symbol = if dice.once_in(2) { Some(order.symbol) } else { None };
        let from = if dice.once_in(2) { Some(order.placed.millis()) } else { None };
        let rows = dice.pick(&[1, 7, 50]);
        let limit = Limit { rows, most: rows * dice.pick(&[1, 10]) };
        self.compare_trades(order.account, symbol, from, limit, views)?;
        self.compare_closed(order.account, symbol, from, limit, views)?;
        let after = if dice.once_in(3) { Some(dice.below(last + 2)) } else { None };
        self.compare_public(order.symbol, (from, after), limit, dice.once_in(2), views)?;
        self.compare_auctions(order.symbol, views)?;
        self.compare_conversion(views, dice)?;
        self.compare_events(order.account, views, dice)?;
        compare_statement(order, views, dice)?;
        self.compare_day(order.symbol, views, dice)
    }

    /// Compares some wrap or instant order with what its ids find (D-170).
    fn compare_conversion(&self, views: &Views, dice: &mut Dice) -> Result<(), Odd> {
        let Ok(count) = u64::try_from(self.conversions.len()) else { return Ok(()) };
        if count == 0 {
            return Ok(());
        }
        let at = usize::try_from(dice.below(count)).unwrap_or_default();
        let Some(known) = self.conversions.get(at) else { return Ok(()) };
        let (order, account, side, qty, client_id) = match known {
            ConvertInfrequent::Wrapped(wrapped) => {
                let Wrap { side, qty, client_id, .. } = wrapped.wrap;
                (wrapped.order, wrapped.account, side, qty, client_id)
            }
            ConvertInfrequent::Executed(order, quote, client_id) => {
                (*order, quote.account, quote.side, quote.qty, *client_id)
            }
            ConvertInfrequent::Quoted(_) | ConvertInfrequent::TermsSet(_) => return Ok(()),
        };
        let found = told(views, |history| history.conversion(account, order))?;
        let shown = found.map(|row| (row.order, row.side, row.qty, row.client_id));
        same("as a conversion", &shown, &Some((order, side, qty, client_id)))?;
        let Some(client_id) = client_id else { return Ok(()) };
        let is_named = |known: &&ConvertInfrequent| match known {
            ConvertInfrequent::Wrapped(wrapped) => {
                (wrapped.account, wrapped.wrap.client_id) == (account, Some(client_id))
            }
            ConvertInfrequent::Executed(_, quote, own) => (quote.account, *own) == (account, Some(client_id)),
            ConvertInfrequent::Quoted(_) | ConvertInfrequent::TermsSet(_) => false,
        };
        let newest = self.conversions.iter().rev().find(is_named).and_then(ConvertInfrequent::order);
        let found = told(views, |history| history.conversion_by_client_id(account, &client_id))?;
        same("as a conversion under a client id", &found.map(|row| row.order), &newest)
    }

    /// Compares a symbol's auction results, newest first, with numbers without gaps.
    fn compare_auctions(&self, symbol: SymbolId, views: &Views) -> Result<(), Odd> {
        let results: Vec<_> = views.auctions().newest(symbol).copied().collect();
        let shown: Vec<_> =
            results.iter().map(|result| (result.stamp.time, result.is_indicative, result.finding)).collect();
        let all = self.results.get(&symbol).into_iter().flatten();
        let expected: Vec<_> = all.rev().take(RESULTS_KEPT).copied().collect();
        same("as auctions", &shown, &expected)?;
        let mut number = views.state().auctions(symbol).map_or(1, Auctions::number);
        for result in results {
            number -= u64::from(!result.is_indicative);
            same("as an auction's number", &result.number, &number)?;
        }
        Ok(())
    }

    /// Compares all trades and closed orders with the views, unless they are many.
    pub(crate) fn compare_all(&self, views: &Views) -> Result<(), Odd> {
        if self.orders.len() > FEW {
            return Ok(());
        }
        let all = Limit { rows: 100 * FEW, most: 100 * FEW };
        for account in self.trades.keys() {
            self.compare_trades(*account, None, None, all, views)?;
        }
        for account in self.closed.keys() {
            self.compare_closed(*account, None, None, all, views)?;
        }
        self.public
            .keys()
            .try_for_each(|symbol| self.compare_public(*symbol, (None, None), all, true, views))?;
        all_explained(views)
    }

    /// Compares an order by its id, with its trades; no other account may see it.
    fn compare_order(&self, order: &OrderState, views: &Views) -> Result<(), Odd> {
        let by_id = OrderRef::Id(order.id);
        let found = find(views, order.account, &by_id)?;
        same("as an order", &found.as_ref().map(|found| found.order), &Some(*order))?;
        let newest = found.and_then(|found| found.trades);
        let rows = told(views, |history| history.trades_of(newest))?;
        let expected = self.trades_of(order.account, order.id);
        same("as the trades of an order", &parts_of(&rows), &expected)?;
        match find(views, AccountId(order.account.0 + 1), &by_id)? {
            None => Ok(()),
            Some(_) => Err(Odd::Wrong(format!("somebody else is shown order {:?}", order.id))),
        }
    }

    /// Compares the order placed last under a client id, now and at the time when another closed.
    fn compare_named(&self, order: &OrderState, views: &Views, dice: &mut Dice) -> Result<(), Odd> {
        let Some(client_id) = order.client_id else { return Ok(()) };
        let account = order.account;
        let by_name = OrderRef::ClientId(client_id);
        let is_named = |other: &&OrderState| other.account == account && other.client_id == Some(client_id);
        let newest = self.orders.values().rev().find(is_named).copied();
        same("under a client id", &find(views, account, &by_name)?.map(|found| found.order), &newest)?;
        let Some(closed) = self.closed.get(&account).filter(|closed| !closed.is_empty()) else {
            return Ok(());
        };
        let at = dice.below(u64::try_from(closed.len()).expect("some orders"));
        let by = usize::try_from(at).ok().and_then(|at| closed.get(at)).map_or(Time(0), |(_, time)| *time);
        let shown = told(views, |history| Found::closed_by(by, history, account, &by_name))?;
        let before = closed.iter().take_while(|(_, time)| *time <= by);
        let before = before.filter_map(|(id, _)| self.orders.get(id)).filter(is_named);
        let expected = before.max_by_key(|order| order.id).copied();
        let shown = shown.map(|found| corrected(views, found).order);
        same("under a client id, closed by then,", &shown, &expected)
    }

    fn compare_trades(
        &self,
        account: AccountId,
        symbol: Option<SymbolId>,
        from: Option<u64>,
        limit: Limit,
        views: &Views,
    ) -> Result<(), Odd> {
        let rows = told(views, |history| history.trades(account, symbol, from, limit))?;
        let parts = self.trades.get(&account).into_iter().flatten();
        let parts: Vec<Part> =
            parts.filter(|part| symbol.is_none_or(|symbol| part.symbol == symbol)).copied().collect();
        same("as trades", &parts_of(&rows), &page(&parts, |part| part.time.millis(), from, limit))
    }

    fn compare_closed(
        &self,
        account: AccountId,
        symbol: Option<SymbolId>,
        from: Option<u64>,
        limit: Limit,
        views: &Views,
    ) -> Result<(), Odd> {
        let past = told(views, |history| history.orders(account, symbol, from, limit, usize::MAX))?;
        let shown: Vec<_> =
            past.iter().map(|past| (corrected(views, past.row.into()).order, past.row.closed)).collect();
        let mut closed = self.closed.get(&account).cloned().unwrap_or_default();
        // Ids rise with the time of placing.
        closed.sort_unstable();
        let closed = closed.iter().filter_map(|(id, time)| Some((*self.orders.get(id)?, *time)));
        let closed: Vec<_> =
            closed.filter(|(order, _)| symbol.is_none_or(|symbol| order.symbol == symbol)).collect();
        same("as closed orders", &shown, &page(&closed, |(order, _)| order.placed.millis(), from, limit))?;
        past.iter().try_for_each(|past| {
            same("as trades", &parts_of(&past.trades), &self.trades_of(account, past.row.order.id))
        })
    }

    /// The trades of an order, newest first.
    fn trades_of(&self, account: AccountId, order: OrderId) -> Vec<Part> {
        let trades = self.trades.get(&account).into_iter().flatten();
        trades.rev().filter(|part| part.order == order).copied().collect()
    }

    fn compare_public(
        &self,
        symbol: SymbolId,
        (from, after): (Option<u64>, Option<u64>),
        limit: Limit,
        with_breaks: bool,
        views: &Views,
    ) -> Result<(), Odd> {
        let hidden: Vec<TradeId> =
            if with_breaks { Vec::new() } else { self.broken.keys().copied().collect() };
        let trades = self.public.get(&symbol).into_iter().flatten().map(|(trade, _)| *trade);
        let trades: Vec<PublicTrade> =
            trades.filter(|row| hidden.binary_search(&row.trade).is_err()).collect();
        let (since, expected) = if let Some(after) = after {
            let later = trades.iter().filter(|trade| trade.trade.0 > after).take(limit.rows);
            let mut later: Vec<PublicTrade> = later.copied().collect();
            later.reverse();
            (Since::AfterTrade(after), later)
        } else {
            let since = from.map_or(Since::Newest, Since::FromTime);
            (since, page(&trades, |trade| trade.time.millis(), from, limit))
        };
        let shown = told(views, |history| history.public_trades_without(symbol, since, limit, &hidden))?;
        same("as public trades", &shown, &expected)
    }

    /// Compares the tickers' figures, now or later, with sums over individual trades.
    fn compare_day(&self, symbol: SymbolId, views: &Views, dice: &mut Dice) -> Result<(), Odd> {
        let trades = &*self.counted(symbol);
        let now = a_moment(views, trades, dice);
        let minute = |time: Time| time.0 / MINUTE;
        let is_before =
            |(trade, _): &&(PublicTrade, Money)| trade.time.millis() + DAY * 60_000 <= now.millis();
        let before = trades.partition_point(|trade| is_before(&trade));
        let (old, within) = trades.split_at(before);
        let open = old.last().or(within.first()).map(|(trade, _)| trade.price);
        let prices = || within.iter().map(|(trade, _)| trade.price);
        let day = open.zip(trades.last()).map(|(open, (last, _))| Day {
            last: last.price,
            open,
            high: prices().max().unwrap_or(last.price),
            low: prices().min().unwrap_or(last.price),
            base: within.iter().map(|(trade, _)| trade.qty).sum(),
            quote: within.iter().fold(Money::ZERO, |sum, (_, paid)| sum.capped_add(*paid)),
        });
        same("as a day", &shown_day(views, symbol, now)?, &day)?;
        let close = |hour: u64| {
            let until = trades.partition_point(|(trade, _)| minute(trade.time) + hour * HOUR <= minute(now));
            trades.get(until.checked_sub(1)?).map(|(trade, _)| trade.price)
        };
        let hours: Vec<Price> = (0..24).map_while(close).collect();
        same("as the past hours", &views.tape().changes(symbol, now), &hours)?;
        self.compare_volumes(symbol, views, now)?;
        let frame = dice.pick(&FRAMES);
        same("as candles", &views.candles().newest(symbol, frame, now), &candles_of(trades, frame, now))
    }

    /// Compares the trade volumes of every account with sums over its trades, today's too.
    fn compare_volumes(&self, symbol: SymbolId, views: &Views, now: Time) -> Result<(), Odd> {
        let tomorrow = now.plus(DAY * MINUTE);
        for (account, parts) in &self.trades {
            let rows = views.trade_volumes().newest(*account, tomorrow).filter(|(_, of, _)| *of == symbol);
            let shown: Vec<_> = rows
                .map(|(day, _, volume)| {
                    let sums = [volume.buys.maker, volume.buys.taker, volume.sells.maker, volume.sells.taker];
                    (day.0, sums.map(|fills| (fills.qty, fills.count)))
                })
                .collect();
            let counts = |part: &&Part| {
                let is_void = self.broken.get(&part.trade) == Some(&BreakKind::Full);
                !is_void && !matches!(part.role, history::Part::OffBook(_) | history::Part::Clearing)
            };
            let parts: Vec<&Part> = parts.iter().filter(counts).collect();
            same("as trade volume", &shown, &volumes_of(&parts, symbol, tomorrow))?;
        }
        Ok(())
    }
}

/// An order of the exchange for an account, before its trades off the book.
fn forced(id: OrderId, (account, side, symbol): (AccountId, Side, SymbolId), time: Time) -> OrderState {
    OrderState {
        id,
        account,
        session: SessionId::EXCHANGE,
        symbol,
        side,
        claim: Claim::Yes,
        kind: OrderKind::Market,
        option: None,
        price: Price::default(),
        original: Qty::ZERO,
        remaining: Qty::ZERO,
        notional: Money::ZERO,
        broken: Qty::ZERO,
        placed: time,
        reason: None,
        client_id: None,
        stop: None,
    }
}

/// Now, or a moment later at which some trade is about to leave the trailing day or has just left it.
fn a_moment(views: &Views, trades: &[(PublicTrade, Money)], dice: &mut Dice) -> Time {
    let now = views.state().stamp().time;
    let pick = dice.below(2) * dice.below(u64::try_from(trades.len()).unwrap_or(u64::MAX).max(1));
    let leaving = usize::try_from(pick).ok().and_then(|pick| trades.get(pick));
    let leaving = leaving.map_or(now, |(trade, _)| trade.time.plus(DAY * MINUTE + dice.below(3) * 1_000));
    now.max(Time(leaving.0 - 1_000))
}

/// A symbol's trailing day, as the tickers show it.
fn shown_day(views: &Views, symbol: SymbolId, now: Time) -> Result<Option<Day>, Odd> {
    let Some(sums) = views.tape().sums(symbol, now) else { return Ok(None) };
    let begun = sums.window.stretch();
    let breaks = views.state().floor().breaks.of_symbol(symbol);
    let void: Vec<TradeId> =
        breaks.filter(|(_, kind)| *kind == BreakKind::Full).map(|(trade, _)| trade).collect();
    let begun =
        begun.map(|stretch| told(views, |history| history.stretch_without(stretch, &void))).transpose()?;
    let listed = views.state().symbol(symbol).expect("a traded symbol is listed");
    Ok(Some(sums.day(begun.as_ref(), &listed.grid)))
}

/// The days, quantities and counts of an account's parts in the trades of a symbol: the full days before `now`, newest
/// first. The sums are of resting and incoming buys, then of resting and incoming sells.
fn volumes_of(parts: &[&Part], symbol: SymbolId, now: Time) -> Vec<(u64, [(Qty, u64); 4])> {
    const MICROS: u64 = DAY * MINUTE;
    let mut days: BTreeMap<u64, [(Qty, u64); 4]> = BTreeMap::new();
    for part in parts.iter().filter(|part| part.symbol == symbol) {
        let place = usize::from(part.side == Side::Sell) * 2 + usize::from(part.role == history::Part::Taker);
        let day = days.entry(part.time.0 / MICROS).or_default();
        if let Some((qty, count)) = day.get_mut(place) {
            *qty += part.qty;
            *count += 1;
        }
    }
    let today = now.0 / MICROS;
    days.into_iter().rev().filter(|(day, _)| *day < today && day + 30 >= today).collect()
}

/// The candles of a symbol from all of its trades, newest first.
fn candles_of(trades: &[(PublicTrade, Money)], frame: Frame, now: Time) -> Vec<Candle> {
    let span = frame.minutes * MINUTE;
    let mut intervals: BTreeMap<u64, Vec<&PublicTrade>> = BTreeMap::new();
    for (trade, _) in trades {
        intervals.entry(trade.time.0 / span).or_default().push(trade);
    }
    let newest = intervals.keys().next_back().map_or(0, |last| (now.0 / span).max(*last));
    let candle = |back: u64| {
        let interval = newest.checked_sub(back)?;
        let none = Vec::new();
        let within = intervals.get(&interval).unwrap_or(&none);
        let before = intervals.range(..interval).next_back().and_then(|(_, trades)| trades.last());
        let open = within.first().or(before.as_ref().map(|trade| *trade))?.price;
        let prices = || within.iter().map(|trade| trade.price);
        Some(Candle {
            start: Time(interval * span),
            open,
            high: prices().max().unwrap_or(open),
            low: prices().min().unwrap_or(open),
            close: prices().next_back().unwrap_or(open),
            volume: within.iter().map(|trade| trade.qty).sum(),
        })
    };
    (0..frame.shown).map_while(candle).collect()
}
