//! An admitted order meets the book: what it trades, and what becomes of the rest.

use crate::collar;
use crate::fees::{both_fees, hold};
use crate::place::{FILLS_MAX, Owner, Place, Reject, Reserve, check_count, crosses, entered};
use crate::{Event, Market, Planner};
use buttonwood_book::{Book, Fill, plan};
use buttonwood_model::{CancelReason, ExecutionOption, OrderId, OrderKind, Outbox, Side, Symbol, TradeId};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_planted::{Bug, planted};

/// What becomes of an order after its fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nothing is left.
    Completed,
    /// The rest goes on the book.
    Booked(Reserve),
    /// The rest is cancelled; `executes` says whether its fills stand.
    Cancelled { reason: CancelReason, executes: bool },
}

impl Fate {
    /// Of a limit order that meets nothing.
    fn unmet(option: Option<ExecutionOption>, reserve: Reserve) -> Self {
        match option {
            None | Some(ExecutionOption::MakerOrCancel | ExecutionOption::AuctionOnly) => {
                Self::Booked(reserve)
            }
            Some(ExecutionOption::ImmediateOrCancel) => {
                Self::Cancelled { reason: CancelReason::ImmediateOrCancelWouldPost, executes: true }
            }
            Some(ExecutionOption::FillOrKill) => {
                Self::Cancelled { reason: CancelReason::FillOrKillWouldNotFill, executes: false }
            }
        }
    }

    fn executes(self) -> bool {
        !matches!(self, Self::Cancelled { executes: false, .. })
    }

    /// Writes down what became of the order that entered under `id`.
    fn push<E: From<Event>>(self, market: Market<'_>, id: OrderId, out: &mut Outbox<E>) {
        match self {
            Self::Completed => out.push(Event::Completed),
            Self::Booked(Reserve { held, amount }) => out.push(Event::Booked { held, amount }),
            Self::Cancelled { reason, .. } => {
                out.push(Event::Cancelled { slot: market.pit.orders.next_slot(), reason, order: id });
            }
        }
    }
}

/// An admitted order, about to meet the book.
pub(crate) struct Incoming<'a> {
    pub(crate) market: Market<'a>,
    pub(crate) owner: Owner,
    pub(crate) place: &'a Place,
    pub(crate) symbol: &'a Symbol,
    pub(crate) book: &'a Book,
}

impl Incoming<'_> {
    fn limit(&self) -> Option<Price> {
        (self.place.kind == OrderKind::Limit).then_some(self.place.price)
    }

    fn available(&self) -> Money {
        self.market.pit.ledger.balance(self.owner.account, self.symbol.paid_in(self.place.side)).available
    }

    /// What becomes of a limit order that meets nothing on the continuous book, or waits for an auction.
    pub(crate) fn fate_unmet(&self, reserve: Reserve) -> Fate {
        if self.waits_for_itself() {
            return Fate::Cancelled { reason: CancelReason::SelfCrossPrevented, executes: false };
        }
        Fate::unmet(self.place.option, reserve)
    }

    /// Plans what the order trades and decides what becomes of it.
    pub(crate) fn meet<E: From<Event>>(
        &self,
        reserve: Reserve,
        planner: &mut Planner,
        out: &mut Outbox<E>,
    ) -> Result<OrderId, Reject> {
        let left = self.plan(&mut planner.fills);
        let fate = self.fate(reserve, &planner.fills, left)?;
        if self.place.kind == OrderKind::MarketSpend && fate == Fate::Completed && planner.fills.is_empty() {
            return Err(Reject::BelowMinimum);
        }
        if fate.executes() {
            self.check_cost(&planner.fills, fate)?;
        } else {
            planner.fills.clear();
        }
        if matches!(fate, Fate::Booked(_)) {
            check_count(self.market, self.owner.account)?;
        }
        Ok(self.emit(&planner.fills, fate, out))
    }

    /// Returns what is left of the quantity; none when it would trade with too many orders.
    fn plan(&self, fills: &mut alloc::vec::Vec<Fill>) -> Option<Qty> {
        let Place { side, kind, qty, spend, .. } = *self.place;
        let limit = self.limit();
        let reach = collar::nearer(side, limit, collar::worst_price(self.book, side));
        let grid = &self.symbol.grid;
        let rate = self.market.fees.taker;
        let (mut left, mut money) = (qty, spend);
        let want = |price: Price, open: Qty| {
            if kind != OrderKind::MarketSpend {
                let take = left.min(open);
                left -= take;
                return take;
            }
            let take = grid.qty_for(money, price, rate).min(open);
            let cost = hold(grid, Side::Buy, price, take, rate).unwrap_or(money);
            money -= cost;
            take
        };
        let is_whole = plan(&self.market.pit.orders, self.place.symbol, side, reach, want, FILLS_MAX, fills);
        is_whole.then_some(left)
    }

    /// What becomes of the order; `left` is what [`Self::plan`] returned. One that may not trade at all is not asked how often
    /// it would, unless its own order lies beyond all that a market order may trade with.
    fn fate(&self, reserve: Reserve, fills: &[Fill], left: Option<Qty>) -> Result<Fate, Reject> {
        let Place { side, kind, option, .. } = *self.place;
        let void = |reason| Ok(Fate::Cancelled { reason, executes: false });
        if self.meets_itself(fills) || self.waits_for_itself() {
            return void(CancelReason::SelfCrossPrevented);
        }
        let must_make = option == Some(ExecutionOption::MakerOrCancel) && !planted(Bug::MakerOrCancelTakes);
        if must_make && crosses(self.book, side, self.place.price) {
            return void(CancelReason::MakerOrCancelWouldTake);
        }
        let left = left.ok_or(Reject::TooManyFills)?;
        let is_done = match kind {
            OrderKind::MarketSpend => self.is_spent(fills),
            OrderKind::Limit | OrderKind::Market => left == Qty::ZERO,
        };
        if is_done {
            return Ok(Fate::Completed);
        }
        if option == Some(ExecutionOption::FillOrKill) && !planted(Bug::FillOrKillFillsPart) {
            return void(CancelReason::FillOrKillWouldNotFill);
        }
        if self.collar_stopped(fills) {
            return Ok(Fate::Cancelled { reason: CancelReason::ExceedsPriceLimits, executes: true });
        }
        let is_immediate =
            option == Some(ExecutionOption::ImmediateOrCancel) && !planted(Bug::ImmediateOrCancelRests);
        let rests = kind == OrderKind::Limit && !is_immediate;
        if rests {
            let amount = hold(&self.symbol.grid, side, self.place.price, left, self.market.fees.worst());
            return Ok(Fate::Booked(Reserve {
                amount: amount.expect("less than the whole order"),
                ..reserve
            }));
        }
        Ok(Fate::Cancelled { reason: CancelReason::ImmediateOrCancelWouldPost, executes: true })
    }

    /// Whether what the fills leave of the money buys nothing more, at the best price left or at the last one paid.
    fn is_spent(&self, fills: &[Fill]) -> bool {
        let Some(price) = self.next_price(fills).or_else(|| fills.last().map(|fill| fill.price)) else {
            return false;
        };
        let left = self.place.spend - self.cost(fills).unwrap_or(self.place.spend);
        self.symbol.grid.qty_for(left, price, self.market.fees.taker) == Qty::ZERO
    }

    /// The best price that the planned fills leave on the other side.
    fn next_price(&self, fills: &[Fill]) -> Option<Price> {
        let ladder = self.book.side(self.place.side.opposite());
        let Some(last) = fills.last() else { return ladder.best() };
        if last.qty < self.market.pit.orders.get(last.maker).remaining {
            return Some(last.price);
        }
        if self.market.pit.orders.has_younger(last.maker) {
            Some(last.price)
        } else {
            ladder.worse_than(last.price)
        }
    }

    /// Whether orders that the limit accepts are left, but lie beyond the collar.
    fn collar_stopped(&self, fills: &[Fill]) -> bool {
        let side = self.place.side;
        let ladder = self.book.side(side.opposite());
        let Some(next) = self.next_price(fills) else { return false };
        let wanted = self.limit().is_none_or(|limit| ladder.reaches(next, limit));
        wanted && collar::worst_price(self.book, side).is_some_and(|worst| !ladder.reaches(next, worst))
    }

    /// Whether an opposite order of the same account lies within the order's limit, or, without a limit, within
    /// what it would reach (ORD-050, D-23).
    fn meets_itself(&self, fills: &[Fill]) -> bool {
        let side = self.place.side;
        let account = self.owner.account;
        if self.market.pit.orders.count(account, side.opposite()) == 0 || planted(Bug::SelfCrossAllowed) {
            return false;
        }
        let Some(reach) = self.limit().or_else(|| fills.last().map(|fill| fill.price)) else { return false };
        if !crosses(self.book, side, reach) {
            return false;
        }
        let ladder = self.book.side(side.opposite());
        self.market.pit.orders.in_any_order(account).any(|(_, own)| {
            own.side == side.opposite()
                && own.symbol == self.place.symbol
                && ladder.reaches(own.price, reach)
                && !own.is_auction_only()
        })
    }

    /// Whether the order would wait for an auction, or rest until there is one, in which an opposite order of the same
    /// account could be what it meets: one of the two is for auctions only (ORD-050, Q-118).
    fn waits_for_itself(&self) -> bool {
        let Place { kind, option, side, price, symbol, .. } = *self.place;
        let for_auction = option == Some(ExecutionOption::AuctionOnly);
        let may_rest = match option {
            None | Some(ExecutionOption::MakerOrCancel | ExecutionOption::AuctionOnly) => {
                kind == OrderKind::Limit
            }
            Some(ExecutionOption::ImmediateOrCancel | ExecutionOption::FillOrKill) => false,
        };
        let orders = &self.market.pit.orders;
        // Mostly nobody's order is within its reach; only else the account's own ones are looked through.
        let meets_any = || {
            crosses(orders.auction(symbol), side, price) || (for_auction && crosses(self.book, side, price))
        };
        if !may_rest
            || !(for_auction || orders.any_waits())
            || orders.count(self.owner.account, side.opposite()) == 0
            || !meets_any()
            || planted(Bug::SelfCrossAllowed)
        {
            return false;
        }
        let ladder = self.book.side(side.opposite());
        orders.in_any_order(self.owner.account).any(|(_, own)| {
            own.side == side.opposite()
                && own.symbol == symbol
                && ladder.reaches(own.price, price)
                && (for_auction || own.is_auction_only())
        })
    }

    /// What a buyer pays for the fills; `None` beyond the range of money.
    fn cost(&self, fills: &[Fill]) -> Option<Money> {
        let rate = self.market.fees.taker;
        fills.iter().try_fold(Money::ZERO, |sum, fill| {
            sum.checked_add(hold(&self.symbol.grid, Side::Buy, fill.price, fill.qty, rate)?)
        })
    }

    /// A buyer must afford fills and rest to the last quantum: the fees of several fills may round up more often
    /// than that of the whole.
    fn check_cost(&self, fills: &[Fill], fate: Fate) -> Result<(), Reject> {
        if self.place.side == Side::Sell || planted(Bug::CostUnchecked) {
            return Ok(());
        }
        // Where fees come out even, fills at the limit or below it and the rest cost no more than the whole was found to.
        if self.place.kind == OrderKind::Limit && self.symbol.grid.has_exact_fees() {
            return Ok(());
        }
        let rest = match fate {
            Fate::Booked(reserve) => reserve.amount,
            Fate::Completed | Fate::Cancelled { .. } => Money::ZERO,
        };
        let needed = self.cost(fills).and_then(|cost| cost.checked_add(rest));
        match needed {
            Some(needed) if needed <= self.available() => Ok(()),
            Some(_) | None => Err(Reject::InsufficientFunds),
        }
    }

    /// Writes down that the order enters, its fills and its fate. Returns its id.
    pub(crate) fn emit<E: From<Event>>(&self, fills: &[Fill], fate: Fate, out: &mut Outbox<E>) -> OrderId {
        // An order that names money has the quantity that the money bought.
        let qty = match self.place.kind {
            OrderKind::MarketSpend => filled(fills),
            OrderKind::Limit | OrderKind::Market => self.place.qty,
        };
        let order = entered(self.market, self.owner, self.place, qty, out);
        let id = order.id;
        if let (Fate::Booked(Reserve { held, amount }), []) = (fate, fills) {
            out.push(Event::Rested { order, held, amount });
            return id;
        }
        out.push(Event::Placed(order));
        self.emit_fills(fills, out);
        fate.push(self.market, id, out);
        id
    }

    fn emit_fills<E: From<Event>>(&self, fills: &[Fill], out: &mut Outbox<E>) {
        let grid = &self.symbol.grid;
        // The order itself takes the first number.
        for (trade, fill) in (self.market.next_id + 1..).zip(fills) {
            let maker = self.market.pit.orders.get(fill.maker);
            let [maker_fee, taker_fee] = both_fees(grid, maker, fill.qty, self.market.fees.taker)
                .expect("smaller than what was held, and than the notional");
            let (maker, qty) = (fill.maker, fill.qty);
            out.push(Event::Filled { maker, trade: TradeId(trade), qty, maker_fee, taker_fee });
        }
    }
}

fn filled(fills: &[Fill]) -> Qty {
    fills.iter().map(|fill| fill.qty).sum()
}
