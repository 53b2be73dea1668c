//! Placing an order: whether it may enter, which orders it meets, how it ends, and who pays.
//!
//! Clauses: ORD-031 to ORD-034, ORD-043, ORD-044, ORD-046 to ORD-051, D-32.

use crate::decimal::Dec;
use crate::exchange::Exchange;
use crate::names::account;
use crate::operation::{Place, Policy, Side, Terms};
use crate::reply::Reply;
use crate::state::{Print, Standing};

/// An order on the book: the operation that placed it, its price and its open quantity.
pub(crate) struct Resting {
    at: usize,
    pub(crate) price: Dec,
    pub(crate) open: Dec,
    rank: usize,
}

/// The fills of an incoming order, and why there are no more.
struct Plan {
    fills: Vec<(Resting, Dec)>,
    end: End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Filled,
    Limit,
    Collar,
    Money,
    Empty,
}

impl<'h> Exchange<'h> {
    /// The orders of a side, best price first, then oldest first.
    pub(crate) fn resting(&self, symbol: &str, side: Side) -> Vec<Resting> {
        let mut resting: Vec<Resting> = self
            .state
            .live()
            .filter_map(|(at, standing)| match self.placed(at) {
                Place { symbol: of, side: on, terms: Terms::Limit { price, .. }, .. }
                    if of == symbol && *on == side =>
                {
                    Some(Resting { at, price: *price, open: standing.remaining(), rank: standing.rank })
                }
                _ => None,
            })
            .collect();
        resting.sort_by(|one, other| {
            let price = one.price.cmp(&other.price);
            let better = if side == Side::Buy { price.reverse() } else { price };
            better.then(one.rank.cmp(&other.rank))
        });
        resting
    }

    /// Whether a price lies beyond five percent of the reference (D-32).
    fn beyond_collar(&self, symbol: &str, side: Side, price: Dec) -> bool {
        let best = |side| self.resting(symbol, side).first().map(|order| order.price);
        let (bid, ask) = (best(Side::Buy), best(Side::Sell));
        let last =
            self.history.world.symbols.get_key_value(symbol).and_then(|(name, _)| self.state.last(name));
        let twice = match (last, bid, ask) {
            (Some(last), bid, ask) => {
                let raised = bid.map_or(last, |bid| last.max(bid));
                let reference = ask.map_or(raised, |ask| raised.min(ask));
                reference + reference
            }
            (None, Some(bid), Some(ask)) => bid + ask,
            (None, _, _) => return false,
        };
        let margin = twice.bps(500);
        match side {
            Side::Buy => price + price > twice + margin,
            Side::Sell => price + price < twice - margin,
        }
    }

    /// The quantity that `money` buys at a price, fee included, in hundredths of a lot (ORD-044).
    fn bought(&self, symbol: &str, price: Dec, money: Dec) -> Dec {
        let hundredth =
            self.history.world.symbols.get(symbol).map_or(Dec::ZERO, |symbol| symbol.lot.bps(100));
        let unit = price * hundredth;
        money.over(unit + unit.bps(self.fee(true)), 0) * hundredth
    }

    /// Walks the opposite side, best price and oldest order first.
    fn plan(&self, place: &Place) -> Plan {
        let mut fills: Vec<(Resting, Dec)> = Vec::new();
        let (mut left, mut money) = match place.terms {
            Terms::Limit { amount, .. } | Terms::Market { amount } => (amount, None),
            Terms::Spend { money } => (Dec::ZERO, Some(money)),
        };
        let mut last_price = None;
        for maker in self.resting(&place.symbol, place.side.opposite()) {
            let bought = money.map(|money| self.bought(&place.symbol, maker.price, money));
            let end = match bought {
                None if left == Dec::ZERO => Some(End::Filled),
                None if !accepts(place, maker.price) => Some(End::Limit),
                Some(bought) if bought == Dec::ZERO => Some(End::Money),
                _ if self.beyond_collar(&place.symbol, place.side, maker.price) => Some(End::Collar),
                _ => None,
            };
            if let Some(end) = end {
                return Plan { fills, end };
            }
            let (price, open) = (maker.price, maker.open);
            let amount = open.min(bought.unwrap_or(left));
            fills.push((maker, amount));
            last_price = Some(price);
            match &mut money {
                None => left = left - amount,
                Some(money) => {
                    let notional = price * amount;
                    *money = *money - notional - notional.bps(self.fee(true));
                    if amount < open {
                        return Plan { fills, end: End::Money };
                    }
                }
            }
        }
        let is_spent =
            |money| last_price.is_some_and(|price| self.bought(&place.symbol, price, money) == Dec::ZERO);
        let end = match money {
            None if left == Dec::ZERO => End::Filled,
            Some(money) if is_spent(money) => End::Money,
            None | Some(_) => End::Empty,
        };
        Plan { fills, end }
    }

    /// Why an order must not trade or rest at all, if there is a reason: own orders first, then its options.
    fn void(&self, owner: &str, place: &Place, plan: &Plan) -> Option<&'static str> {
        let reach = match place.terms {
            Terms::Limit { price, .. } => Some(price),
            Terms::Market { .. } | Terms::Spend { .. } => plan.fills.last().map(|(maker, _)| maker.price),
        };
        let others = self.resting(&place.symbol, place.side.opposite());
        let meets = |order: &&Resting| reach.is_some_and(|reach| reaches(place.side, reach, order.price));
        let policy = match place.terms {
            Terms::Limit { policy, .. } => policy,
            Terms::Market { .. } | Terms::Spend { .. } => None,
        };
        let is_done = matches!(plan.end, End::Filled | End::Money);
        if others.iter().filter(meets).any(|order| account(self.history, order.at) == owner) {
            Some("SelfCrossPrevented")
        } else if policy == Some(Policy::MakerOrCancel) && others.first().as_ref().is_some_and(meets) {
            Some("MakerOrCancelWouldTake")
        } else if policy == Some(Policy::FillOrKill) && !is_done {
            Some("FillOrKillWouldNotFill")
        } else {
            None
        }
    }

    /// Whether the account can cover the order, checked before matching.
    fn can_pay(&self, owner: &'h str, place: &'h Place) -> bool {
        let Some(symbol) = self.history.world.symbols.get(&place.symbol) else { return false };
        match (place.side, place.terms) {
            (Side::Buy, Terms::Limit { amount, price, .. }) => {
                self.cost(price, amount) <= self.available(owner, &symbol.quote)
            }
            (Side::Buy, Terms::Market { .. }) => true,
            (Side::Sell, Terms::Limit { amount, .. } | Terms::Market { amount }) => {
                amount <= self.available(owner, &symbol.base)
            }
            (_, Terms::Spend { money }) => money <= self.available(owner, &symbol.quote),
        }
    }

    /// Enters an order, or returns the refusal.
    pub(crate) fn place(&mut self, at: usize, place: &'h Place) -> Result<(), Reply> {
        let owner = account(self.history, at);
        let plan = self.plan(place);
        let too_little = || Reply::refused(406, "InsufficientFunds");
        if !self.can_pay(owner, place) {
            return Err(too_little());
        }
        let void = self.void(owner, place, &plan);
        if void.is_none() && plan.end == End::Money && plan.fills.is_empty() {
            return Err(Reply::refused(400, "InvalidQuantity"));
        }
        if void.is_none() && place.side == Side::Buy && matches!(place.terms, Terms::Market { .. }) {
            let cost: Dec = plan.fills.iter().map(|(maker, amount)| self.cost(maker.price, *amount)).sum();
            let quote =
                self.history.world.symbols.get(&place.symbol).map_or("", |symbol| symbol.quote.as_str());
            if cost > self.available(owner, quote) {
                return Err(too_little());
            }
        }
        let fills = if void.is_some() { Vec::new() } else { plan.fills };
        let executed: Dec = fills.iter().map(|(_, amount)| *amount).sum();
        let (original, may_rest) = match place.terms {
            Terms::Limit { amount, policy, .. } => (amount, policy != Some(Policy::ImmediateOrCancel)),
            Terms::Market { amount } => (amount, false),
            Terms::Spend { .. } => (executed, false),
        };
        let reason = void.or(match plan.end {
            End::Filled | End::Money => None,
            End::Collar => Some("ExceedsPriceLimits"),
            End::Limit | End::Empty if may_rest => None,
            End::Limit | End::Empty => Some("ImmediateOrCancelWouldPost"),
        });
        let notional = fills.iter().map(|(maker, amount)| maker.price * *amount).sum();
        let rank = self.state.orders();
        self.state.set_order(at, Standing { rank, original, executed, notional, reason });
        for (maker, amount) in fills {
            self.settle(at, place, &maker, amount);
        }
        Ok(())
    }

    /// Settles one trade: base one way, quote the other, both fees in quote.
    fn settle(&mut self, taker: usize, place: &'h Place, maker: &Resting, amount: Dec) {
        let symbol =
            self.history.world.symbols.get(&place.symbol).expect("orders are for symbols of the world");
        let parties = [taker, maker.at].map(|at| account(self.history, at));
        let notional = maker.price * amount;
        for (owner, is_taker) in parties.into_iter().zip([true, false]) {
            let gets = if (place.side == Side::Buy) == is_taker { amount } else { -amount };
            let pays = if (place.side == Side::Buy) == is_taker { notional } else { -notional };
            let fee = notional.bps(self.fee(is_taker));
            let (base, quote) = ((owner, symbol.base.as_str()), (owner, symbol.quote.as_str()));
            self.state.set_total(base, self.state.total(base) + gets);
            self.state.set_total(quote, self.state.total(quote) - pays - fee);
        }
        let standing = *self.state.order(maker.at).expect("a maker is an order");
        let (executed, sum) = (standing.executed + amount, standing.notional + notional);
        self.state.set_order(maker.at, Standing { executed, notional: sum, ..standing });
        self.state.set_last(&place.symbol, maker.price);
        let (side, price) = (place.side, maker.price);
        self.state.add_print(Print { maker: maker.at, taker, side, price, amount, tid: None });
    }
}

/// Whether the order's limit accepts a price; a market order accepts any.
fn accepts(place: &Place, price: Dec) -> bool {
    match place.terms {
        Terms::Limit { price: limit, .. } => reaches(place.side, limit, price),
        Terms::Market { .. } | Terms::Spend { .. } => true,
    }
}

fn reaches(side: Side, limit: Dec, price: Dec) -> bool {
    match side {
        Side::Buy => price <= limit,
        Side::Sell => price >= limit,
    }
}
