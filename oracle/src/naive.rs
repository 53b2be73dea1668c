//! A naive exchange written from the specification: no indices, no holds kept, no reused buffers.
//!
//! Every live order is a row of one list, sorted when somebody asks; what an order reserves is reckoned anew each time.
#![expect(clippy::wildcard_enum_match_arm, reason = "the naive exchange knows only what is dealt")]

use crate::dealer::{World, exchange_unit, units};
use crate::exchange::{Exchange, Happening, fees_account};
use buttonwood_engine::{
    AccessReject, Answer, Body, Command, FeeSchedule, Founding, OrderRef, OrderState, Outcome, Place,
    PlaceReject, Reject,
};
use buttonwood_model::{
    AccountId, CancelReason, CurrencyId, ExecutionOption, Nonce, OrderId, OrderKind, SessionId, Side,
    SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Money, Price, Qty};
use std::collections::{HashMap, HashSet};

/// What the naive exchange knows of a symbol.
#[derive(Clone)]
struct Pair {
    base: CurrencyId,
    quote: CurrencyId,
    /// Money of one tick × one hundredth of a lot, in the quote currency.
    quote_unit: i128,
    /// Money of one hundredth of a lot, in the base currency.
    base_unit: i128,
    min: Qty,
    closed_to: &'static [&'static str],
    status: SymbolStatus,
    last: Option<Price>,
}

#[derive(Clone)]
struct Key {
    account: AccountId,
    trader: bool,
    used: HashSet<Nonce>,
    /// The highest nonce after each use.
    highest: Vec<Nonce>,
}

/// Uses after which older nonces are given up.
const SPAN: usize = 8;

impl Key {
    fn uses(&mut self, nonce: Nonce) {
        self.used.insert(nonce);
        self.highest.push(self.highest.last().map_or(nonce, |highest| nonce.max(*highest)));
    }

    /// Whether it may use this nonce: none is used twice, and none that is not above what was the highest when the last
    /// span of uses but one ended, since calls overtake each other only a little.
    fn may_use(&self, nonce: Nonce) -> bool {
        let spans = self.highest.len() / SPAN;
        let floor = spans.checked_sub(1).and_then(|spans| (spans * SPAN).checked_sub(1));
        let floor = floor.and_then(|at| self.highest.get(at));
        !self.used.contains(&nonce) && floor.is_none_or(|floor| nonce > *floor)
    }
}

/// The naive exchange: what accounts own, and the live orders in the order they entered.
#[derive(Clone)]
pub struct Naive {
    fees: FeeSchedule,
    pairs: Vec<Pair>,
    jurisdictions: HashMap<AccountId, &'static str>,
    keys: Vec<Key>,
    /// All that an account has, reserved or not.
    pub(crate) totals: HashMap<(AccountId, CurrencyId), i128>,
    /// In the order they entered, which is that of their ids.
    live: Vec<OrderState>,
    next_id: u64,
    pub(crate) happened: Vec<Happening>,
}

/// One step of a match, planned.
struct Fill {
    maker: OrderState,
    qty: Qty,
}

/// Why a walk through the book ended.
#[derive(PartialEq)]
enum Stop {
    Filled,
    Limit,
    Collar,
    Money,
    Empty,
}

fn int(qty: Qty) -> i128 {
    i128::try_from(qty.hundredths()).unwrap()
}

fn ceil_bps(amount: i128, bps: i128) -> i128 {
    (amount * bps + 9_999) / 10_000
}

impl Naive {
    /// The naive twin of an exchange that was just founded.
    pub fn found(world: &'static World, exchange: &Exchange) -> Self {
        let symbols = exchange.state.symbols().iter().zip(world.ranges);
        let access = exchange.state.access();
        let mut naive = Self {
            fees: world.fees,
            pairs: symbols
                .map(|(symbol, range)| Pair {
                    base: symbol.base,
                    quote: symbol.quote,
                    quote_unit: exchange_unit(range),
                    base_unit: units(range.steps[1]) / 100,
                    min: Qty::from_hundredths(
                        (units(range.steps[0]) / units(range.steps[1]) * 100).unsigned_abs(),
                    ),
                    closed_to: range.closed_to,
                    status: SymbolStatus::Open,
                    last: None,
                })
                .collect(),
            jurisdictions: HashMap::new(),
            keys: Vec::new(),
            totals: HashMap::new(),
            live: Vec::new(),
            next_id: 1,
            happened: Vec::new(),
        };
        for account in exchange.accounts() {
            let place = if access.account(account).unwrap().jurisdiction.is_empty() { "" } else { "US-NY" };
            naive.jurisdictions.insert(account, place);
        }
        for session in access.sessions() {
            let buttonwood_engine::Owner::Account(account) = session.key.owner else {
                panic!("no master keys")
            };
            let trader = session.key.roles.has(buttonwood_model::Role::Trader);
            naive.keys.push(Key { account, trader, used: HashSet::new(), highest: Vec::new() });
        }
        naive
    }

    /// Answers one command and notes what happened.
    pub fn submit(&mut self, time: Time, command: &Command) -> Answer {
        self.happened.clear();
        let Some(caller) = &command.caller else { return self.own(&command.body) };
        let Some(key) = self.keys.get_mut(caller.session.index()) else {
            return Outcome::Rejected(Reject::Access(AccessReject::UnknownSession));
        };
        if !key.may_use(caller.nonce) {
            return Outcome::Rejected(Reject::Access(AccessReject::NonceUsed));
        }
        key.uses(caller.nonce);
        let account = caller.account.unwrap();
        if key.account != account {
            return Outcome::Rejected(Reject::Access(AccessReject::ForeignAccount));
        }
        if command.body == Body::UseNonce {
            return Outcome::Done;
        }
        if !key.trader {
            return Outcome::Rejected(Reject::Access(AccessReject::MissingRole));
        }
        match &command.body {
            Body::Place(place) => match self.place(account, caller.session, place, time) {
                Ok(order) => Outcome::Order(order),
                Err(reject) => Outcome::Rejected(Reject::Place(reject)),
            },
            Body::Cancel(which) => self.cancel(account, which),
            Body::CancelSession => self.cancel_all(account, Some(caller.session)),
            Body::CancelAll => self.cancel_all(account, None),
            other => panic!("not dealt to keys: {other:?}"),
        }
    }

    fn own(&mut self, body: &Body) -> Answer {
        match body {
            Body::Found(founding) => {
                let Founding::Credit(account, amounts) = &**founding else {
                    panic!("not dealt: {founding:?}");
                };
                if amounts.iter().any(|(_, amount)| *amount <= Money::ZERO) {
                    return Outcome::Rejected(Reject::BadAmount);
                }
                for (currency, amount) in amounts {
                    self.pay(AccountId(0), *account, *currency, amount.units());
                    self.happened.push(Happening::Credited(*account, *currency, *amount));
                }
            }
            Body::ExpireSession(session) => {
                return self.cancel_all(self.keys[session.index()].account, Some(*session));
            }
            Body::SetSymbolStatus(symbol, status) => {
                let pair = &mut self.pairs[symbol.index()];
                if pair.status != *status {
                    pair.status = *status;
                    self.happened.push(Happening::Status(*symbol, *status));
                    if *status == SymbolStatus::Closed {
                        for side in [Side::Buy, Side::Sell] {
                            for order in self.queue(*symbol, side) {
                                self.close(order.id, CancelReason::MarketClosed);
                            }
                        }
                    }
                }
            }
            Body::NoncesSeen(seen) => {
                for (session, nonce) in seen {
                    // A call that was turned away for want of room has not been asked who it is.
                    if let Some(key) = self.keys.get_mut(session.index()) {
                        key.uses(*nonce);
                    }
                }
            }
            Body::ResetNonces(session) => {
                let key = &mut self.keys[session.index()];
                key.used.clear();
                key.highest.clear();
            }
            Body::MoveClock => {}
            other => panic!("not dealt: {other:?}"),
        }
        Outcome::Done
    }

    fn pay(&mut self, from: AccountId, to: AccountId, currency: CurrencyId, amount: i128) {
        *self.totals.entry((from, currency)).or_default() -= amount;
        *self.totals.entry((to, currency)).or_default() += amount;
    }

    /// The orders of a side, best price first, older first at one price.
    pub(crate) fn queue(&self, symbol: SymbolId, side: Side) -> Vec<OrderState> {
        let mut queue: Vec<_> =
            self.live.iter().filter(|order| order.symbol == symbol && order.side == side).copied().collect();
        // The sort is stable and the list is in order of age.
        match side {
            Side::Buy => queue.sort_by_key(|order| std::cmp::Reverse(order.price)),
            Side::Sell => queue.sort_by_key(|order| order.price),
        }
        queue
    }

    fn close(&mut self, id: OrderId, reason: CancelReason) {
        self.live.retain(|order| order.id != id);
        self.happened.push(Happening::Cancelled(id.0, reason));
    }

    fn cancel(&mut self, account: AccountId, which: &OrderRef) -> Answer {
        let named = |order: &&OrderState| match which {
            OrderRef::Id(id) => order.id == *id,
            OrderRef::ClientId(text) => order.client_id == Some(*text),
        };
        let found = self.live.iter().rev().filter(|order| order.account == account).find(named).copied();
        let Some(order) = found else { return Outcome::NotLive };
        self.close(order.id, CancelReason::Requested);
        Outcome::Order(OrderState { reason: Some(CancelReason::Requested), ..order })
    }

    fn cancel_all(&mut self, account: AccountId, session: Option<SessionId>) -> Answer {
        let mine = |order: &&OrderState| {
            order.account == account && session.is_none_or(|session| order.session == session)
        };
        let ids: Vec<_> = self.live.iter().rev().filter(mine).map(|order| order.id).collect();
        for id in ids {
            self.close(id, CancelReason::Requested);
        }
        Outcome::Done
    }

    /// What a quantity at a price reserves: the notional and the worse fee, or the quantity itself.
    fn reserve(&self, symbol: SymbolId, side: Side, price: Price, qty: Qty) -> i128 {
        let pair = &self.pairs[symbol.index()];
        match side {
            Side::Buy => {
                let notional = i128::from(price.ticks()) * int(qty) * pair.quote_unit;
                notional + ceil_bps(notional, self.fees.maker.get().max(self.fees.taker.get()))
            }
            Side::Sell => int(qty) * pair.base_unit,
        }
    }

    /// What every live order reserves, by account and currency.
    pub(crate) fn reserved(&self) -> HashMap<(AccountId, CurrencyId), i128> {
        let mut reserved = HashMap::new();
        for order in &self.live {
            let pair = &self.pairs[order.symbol.index()];
            let currency = if order.side == Side::Buy { pair.quote } else { pair.base };
            let amount = self.reserve(order.symbol, order.side, order.price, order.remaining);
            *reserved.entry((order.account, currency)).or_default() += amount;
        }
        reserved
    }

    fn available(&self, account: AccountId, currency: CurrencyId) -> i128 {
        let total = self.totals.get(&(account, currency)).copied().unwrap_or(0);
        total - self.reserved().get(&(account, currency)).copied().unwrap_or(0)
    }

    /// Whether a price lies beyond 5 % of the reference: the last trade moved into the spread, their middle without
    /// one (D-32).
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

    /// The most of `open` that `money` buys at a price, fee included, found by halving.
    fn affordable(&self, symbol: SymbolId, price: Price, open: Qty, money: i128) -> Qty {
        let unit = self.pairs[symbol.index()].quote_unit;
        let (mut fits, mut too_much) = (0, open.hundredths() + 1);
        while too_much - fits > 1 {
            let middle = fits.midpoint(too_much);
            let notional = i128::from(price.ticks()) * i128::try_from(middle).unwrap() * unit;
            if notional + ceil_bps(notional, self.fees.taker.get()) <= money {
                fits = middle;
            } else {
                too_much = middle;
            }
        }
        Qty::from_hundredths(fits)
    }

    /// Walks the other side from the best price and the oldest order on.
    fn walk(&self, place: &Place) -> (Vec<Fill>, Stop) {
        let unit = self.pairs[place.symbol.index()].quote_unit;
        let (mut left, mut money) = (place.qty, place.spend.units());
        let mut fills = Vec::new();
        for maker in self.queue(place.symbol, place.side.opposite()) {
            if place.kind != OrderKind::MarketSpend && left == Qty::ZERO {
                return (fills, Stop::Filled);
            }
            if place.kind == OrderKind::Limit && !reaches(place.side, place.price, maker.price) {
                return (fills, Stop::Limit);
            }
            if place.kind == OrderKind::MarketSpend && !self.affords_any(place.symbol, maker.price, money) {
                return (fills, Stop::Money);
            }
            if self.beyond_collar(place.symbol, place.side, maker.price) {
                return (fills, Stop::Collar);
            }
            let qty = if place.kind == OrderKind::MarketSpend {
                self.affordable(place.symbol, maker.price, maker.remaining, money)
            } else {
                left.min(maker.remaining)
            };
            if qty > Qty::ZERO {
                fills.push(Fill { maker, qty });
            }
            if place.kind == OrderKind::MarketSpend {
                let notional = i128::from(maker.price.ticks()) * int(qty) * unit;
                money -= notional + ceil_bps(notional, self.fees.taker.get());
                if qty < maker.remaining {
                    return (fills, Stop::Money);
                }
            } else {
                left -= qty;
            }
        }
        if place.kind != OrderKind::MarketSpend && left == Qty::ZERO {
            return (fills, Stop::Filled);
        }
        // The book and the money may end together.
        let paid = fills.last().map(|fill| fill.maker.price);
        let spent = place.kind == OrderKind::MarketSpend
            && paid.is_some_and(|price| !self.affords_any(place.symbol, price, money));
        (fills, if spent { Stop::Money } else { Stop::Empty })
    }

    /// Whether the money buys a hundredth of a lot at a price.
    fn affords_any(&self, symbol: SymbolId, price: Price, money: i128) -> bool {
        self.affordable(symbol, price, Qty::from_hundredths(1), money) > Qty::ZERO
    }

    fn refuse(&self, account: AccountId, place: &Place) -> Result<(), PlaceReject> {
        let Some(pair) = self.pairs.get(place.symbol.index()) else {
            return Err(PlaceReject::InvalidSymbol);
        };
        if pair.closed_to.contains(&self.jurisdictions[&account]) {
            return Err(PlaceReject::InvalidSymbol);
        }
        if place.kind != OrderKind::MarketSpend && place.qty < pair.min {
            return Err(PlaceReject::BelowMinimum);
        }
        let best = self.queue(place.symbol, place.side.opposite()).first().map(|order| order.price);
        let crosses = best.is_some_and(|best| reaches(place.side, place.price, best));
        let posts = place.option == Some(ExecutionOption::MakerOrCancel)
            || (place.kind == OrderKind::Limit && !crosses);
        match pair.status {
            SymbolStatus::Closed => return Err(PlaceReject::MarketClosed),
            SymbolStatus::PostOnly if posts => {}
            SymbolStatus::LimitOnly if place.kind == OrderKind::Limit => {}
            SymbolStatus::Open => {}
            status => return Err(PlaceReject::MarketNotOpen(status)),
        }
        let (currency, needed) = match (place.side, place.kind) {
            (_, OrderKind::MarketSpend) => (pair.quote, place.spend.units()),
            (Side::Buy, OrderKind::Market) => (pair.quote, 0),
            (Side::Buy, OrderKind::Limit) => {
                (pair.quote, self.reserve(place.symbol, Side::Buy, place.price, place.qty))
            }
            (Side::Sell, _) => (pair.base, int(place.qty) * pair.base_unit),
        };
        if needed > self.available(account, currency) {
            return Err(PlaceReject::InsufficientFunds);
        }
        Ok(())
    }

    /// The one reason for which nothing of an order may happen, if there is one.
    fn void(&self, account: AccountId, place: &Place, fills: &[Fill], stop: &Stop) -> Option<CancelReason> {
        let others = self.queue(place.symbol, place.side.opposite());
        let reach = match place.kind {
            OrderKind::Limit => Some(place.price),
            OrderKind::Market | OrderKind::MarketSpend => fills.last().map(|fill| fill.maker.price),
        };
        let own = |order: &OrderState| {
            order.account == account && reach.is_some_and(|reach| reaches(place.side, reach, order.price))
        };
        if others.iter().any(own) {
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

    fn place(
        &mut self,
        account: AccountId,
        session: SessionId,
        place: &Place,
        time: Time,
    ) -> Result<OrderState, PlaceReject> {
        self.refuse(account, place)?;
        let (mut fills, stop) = self.walk(place);
        let void = self.void(account, place, &fills, &stop);
        let spends = place.kind == OrderKind::MarketSpend;
        if void.is_none() && stop == Stop::Money && fills.is_empty() {
            return Err(PlaceReject::BelowMinimum);
        }
        if void.is_some() {
            fills.clear();
        }
        let rests = place.kind == OrderKind::Limit
            && place.option != Some(ExecutionOption::ImmediateOrCancel)
            && matches!(stop, Stop::Limit | Stop::Empty);
        let filled: Qty = fills.iter().map(|fill| fill.qty).sum();
        let original = if spends { filled } else { place.qty };
        let quote = self.pairs[place.symbol.index()].quote;
        if void.is_none() && place.side == Side::Buy {
            let parts = fills.iter().map(|fill| (fill.maker.price, fill.qty));
            let rest = rests.then_some((place.price, original - filled));
            let cost: i128 =
                parts.chain(rest).map(|(price, qty)| self.reserve(place.symbol, Side::Buy, price, qty)).sum();
            if cost > self.available(account, quote) {
                return Err(PlaceReject::InsufficientFunds);
            }
        }
        let mut order = OrderState {
            id: OrderId(self.next_id),
            account,
            session,
            symbol: place.symbol,
            side: place.side,
            kind: place.kind,
            option: place.option,
            price: place.price,
            original,
            remaining: original,
            notional: Money::ZERO,
            placed: time,
            reason: None,
            client_id: place.client_id,
        };
        self.next_id += 1;
        self.happened.push(Happening::Accepted(order.id.0));
        for fill in &fills {
            self.trade(&mut order, fill);
        }
        order.reason = void.or(match stop {
            Stop::Filled | Stop::Money => None,
            Stop::Collar => Some(CancelReason::ExceedsPriceLimits),
            Stop::Limit | Stop::Empty if rests => None,
            Stop::Limit | Stop::Empty => Some(CancelReason::ImmediateOrCancelWouldPost),
        });
        self.happened.push(match order.reason {
            Some(reason) => Happening::Cancelled(order.id.0, reason),
            None if rests => Happening::Booked(order.id.0),
            None => Happening::Completed(order.id.0),
        });
        if order.reason.is_none() && rests {
            self.live.push(order);
        }
        Ok(order)
    }

    /// One trade: base one way, quote the other, fees to the house.
    fn trade(&mut self, taker: &mut OrderState, fill: &Fill) {
        let pair = &self.pairs[taker.symbol.index()];
        let (base, quote) = (pair.base, pair.quote);
        let (maker, qty) = (fill.maker, fill.qty);
        let notional = i128::from(maker.price.ticks()) * int(qty) * pair.quote_unit;
        let amount = int(qty) * pair.base_unit;
        let taker_fee = ceil_bps(notional, self.fees.taker.get());
        let mut maker_fee = ceil_bps(notional, self.fees.maker.get());
        if maker.side == Side::Buy {
            // A resting buy never pays more than what its reserve gives up: the fees of its fills, each rounded up,
            // may else sum to more than the fee of the whole that was reserved.
            let before = self.reserve(maker.symbol, Side::Buy, maker.price, maker.remaining);
            let after = self.reserve(maker.symbol, Side::Buy, maker.price, maker.remaining - qty);
            assert!(maker_fee - (before - after - notional) <= 1, "it pays at most one quantum less");
            maker_fee = maker_fee.min(before - after - notional);
        }
        let (buyer, seller) = match taker.side {
            Side::Buy => (taker.account, maker.account),
            Side::Sell => (maker.account, taker.account),
        };
        assert_ne!(buyer, seller, "nobody trades with himself");
        self.pay(seller, buyer, base, amount);
        self.pay(buyer, seller, quote, notional);
        self.pay(taker.account, fees_account(), quote, taker_fee);
        self.pay(maker.account, fees_account(), quote, maker_fee);
        self.pairs[taker.symbol.index()].last = Some(maker.price);
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
fn reaches(side: Side, limit: Price, price: Price) -> bool {
    match side {
        Side::Buy => price <= limit,
        Side::Sell => price >= limit,
    }
}
