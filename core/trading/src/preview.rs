//! The dry run of an order that is not sent: what it would trade and what of it would rest, and the most that money allows.
//!
//! [`dry_run`] decides the order by the function that places it ([`place::decide`]) and returns the events as figures: it uses no id and
//! changes nothing. Each desk itself adds up the money that fills and rest leave of the account.
//!
//! Not here: fields, callers and halts, which are checked before an order comes to the floor.

use crate::incoming::Incoming;
use crate::place::{self, FILLS_MAX, Place, Placer, Reject, check_value, crosses};
use crate::{Cover, Desks, Event, Fill, Market, Planner, Reserve, Terms};
use alloc::vec::Vec;
use buttonwood_book::{Order, plan};
use buttonwood_model::{CancelReason, ExecutionOption, OrderId, OrderKind, Outbox, Side, Slot};
use buttonwood_num::{HUNDREDTHS_PER_LOT, Money, Price, Qty};

/// An order that was decided and not applied.
#[derive(Clone, Debug)]
pub struct Expected<'a> {
    /// The order, as its desk sees it.
    pub terms: Terms<'a>,
    /// Its fills in their order, each with the fee that the order's account pays.
    pub fills: Vec<(Fill, Money)>,
    /// The quantity that would stay on the book or wait, with what that reserves.
    pub rest: Option<(Qty, Reserve)>,
    /// The account's own resting orders, by side and open quantity, that would be cancelled before the fills since it cannot pay for theirs.
    pub withdrawn: Vec<(Side, Qty)>,
    /// Why the order, or what is left of it, would be cancelled at once.
    pub reason: Option<CancelReason>,
}

impl Expected<'_> {
    /// How much would trade at once.
    pub fn executed(&self) -> Qty {
        self.fills.iter().map(|(fill, _)| fill.qty).sum()
    }

    /// The fees for that. None beyond the range of money.
    pub fn fee(&self) -> Option<Money> {
        self.fills.iter().try_fold(Money::ZERO, |sum, (_, fee)| sum.checked_add(*fee))
    }

    /// Price times quantity over all fills, at the prices of the book. None beyond the range of money.
    pub fn notional(&self) -> Option<Money> {
        let grid = &self.terms.symbol.grid;
        let notional = |fill: &Fill| grid.notional(fill.price, fill.qty);
        self.fills.iter().try_fold(Money::ZERO, |sum, (fill, _)| sum.checked_add(notional(fill)?))
    }

    /// The price of the last fill, which is the worst one.
    pub fn worst(&self) -> Option<Price> {
        self.fills.last().map(|(fill, _)| fill.price)
    }

    /// The quantity that would stay on the book or wait.
    pub fn rests(&self) -> Qty {
        self.rest.map_or(Qty::ZERO, |(left, _)| left)
    }

    /// The reserve of the rest; nothing without a rest.
    pub fn reserved(&self) -> Money {
        self.rest.map_or(Money::ZERO, |(_, reserve)| reserve.amount)
    }
}

/// An order that was decided and is not sent.
pub struct DryRun<'a, D: Desks> {
    /// Its effect, or why it would be refused.
    pub outcome: Result<Expected<'a>, Reject<D::Refusal>>,
    /// The order at its desk; none if it did not come to one.
    at_desk: Option<Incoming<'a, D>>,
}

/// Decides an order as if it were placed now.
#[cold]
#[inline(never)]
pub fn dry_run<'a, D: Desks>(
    market: Market<'a, D>,
    placer: Placer,
    home: &str,
    order: &'a Place,
) -> DryRun<'a, D> {
    let (mut planner, mut out) = (Planner::default(), Outbox::<Event>::default());
    let mut at_desk = None;
    let observe = |incoming: &Incoming<'a, D>| at_desk = Some(incoming.clone());
    let decided = place::decide_observed(market, placer, || home, order, &mut planner, &mut out, observe);
    let outcome = decided.and_then(|id| {
        let incoming = at_desk.as_ref().ok_or(Reject::InvalidSymbol)?;
        Ok(Expected::of(incoming, id, &out.events))
    });
    DryRun { outcome, at_desk }
}

impl<'a> Expected<'a> {
    /// The effect of the order that entered under `id`, by its events.
    fn of<D>(incoming: &Incoming<'a, D>, id: OrderId, events: &[Event]) -> Self {
        let terms = incoming.terms;
        let mut expected = Self { terms, fills: Vec::new(), rest: None, withdrawn: Vec::new(), reason: None };
        for event in events {
            expected.note(incoming.market, id, event);
        }
        expected
    }

    /// Reads an event of the order, whose id would be `id`.
    fn note<D>(&mut self, market: Market<'_, D>, id: OrderId, event: &Event) {
        match event {
            Event::Filled { maker, qty, taker_fee, .. } => {
                let price = market.floor.orders.get(*maker).price;
                self.fills.push((Fill { maker: *maker, price, qty: *qty }, *taker_fee));
            }
            Event::Rested { held, amount, .. }
            | Event::Booked { held, amount }
            | Event::Suspended { held, amount, .. } => {
                let left = self.terms.qty - self.executed();
                self.rest = Some((left, Reserve { held: *held, amount: *amount }));
            }
            Event::Cancelled { order, reason, .. } if *order == id => self.reason = Some(*reason),
            Event::Cancelled { slot, .. } => {
                let other = market.floor.orders.get(*slot);
                if other.account == self.terms.account {
                    self.withdrawn.push((other.side(), other.remaining));
                }
            }
            Event::Placed(_)
            | Event::Completed
            | Event::Crossed { .. }
            | Event::Triggered { .. }
            | Event::CancelRejected { .. } => {}
        }
    }
}

impl<D: Desks> DryRun<'_, D> {
    /// The largest quantity of this order, in whole lots, that its account could pay for: up to it no order is refused for lack of funds.
    /// The part that does not trade at once counts as if it rested, whatever the option. None for an order that names money to spend, or
    /// that no desk takes. `may` is what else limits the quantity.
    ///
    /// The reserve bounds an order that meets no other; of one that does, its fills are planned as those of the largest order, and the last
    /// one that is affordable is searched for the quantity. So the search costs no more than a few orders that trade with as many others.
    #[cold]
    #[inline(never)]
    pub fn most(self, may: impl Fn(Qty) -> bool) -> Option<Qty> {
        let mut incoming = self.at_desk?;
        let Place { kind, option, side, price, .. } = *incoming.place;
        let meets = match (kind, option) {
            (OrderKind::MarketSpend, _) => return None,
            (OrderKind::StopLimit, _)
            | (_, Some(ExecutionOption::MakerOrCancel | ExecutionOption::AuctionOnly)) => false,
            (OrderKind::Market, _) => true,
            (OrderKind::Limit, _) => crosses(incoming.book(), side, price),
        };
        incoming.terms = Terms { meets, rests: kind != OrderKind::Market, ..incoming.terms };
        let search = Search(incoming);
        let bound = largest(Qty::ZERO, search.countable(), |qty| search.reserve(qty).is_some() && may(qty));
        Some(if meets { search.met(bound) } else { bound })
    }
}

/// The largest whole number of lots from `known`, which is good, to `bound` that is `good` too.
fn largest(known: Qty, bound: Qty, mut good: impl FnMut(Qty) -> bool) -> Qty {
    let lots = |qty: Qty| qty.hundredths() / HUNDREDTHS_PER_LOT;
    let qty = |lots: u128| Qty::from_hundredths(lots * HUNDREDTHS_PER_LOT);
    let (mut low, mut high) = (lots(known), lots(bound));
    while low < high {
        // Rounded up, so that it moves.
        let middle = high - (high - low) / 2;
        if good(qty(middle)) { low = middle } else { high = middle - 1 }
    }
    qty(low)
}

/// The search for the most of an order.
struct Search<'a, D>(Incoming<'a, D>);

/// The fills that an order of any size would get, as far as the account can pay for them.
struct Reached<P> {
    fills: Vec<Fill>,
    /// With these fills.
    plan: P,
    /// The fill that it cannot pay for whole, or that its desk does not let it make whole, if one ended the plan.
    beyond: Option<Fill>,
    /// The fills that their resting orders cannot cover, each with the quantity before it.
    passed_over: Vec<(Qty, Fill)>,
    /// Whether more of the order could rest; false where the plan ended early.
    is_whole: bool,
}

/// How often the search begins anew for a resting order that covers a part of its fill.
const RETRIES_MAX: usize = 4;

impl<D: Desks> Search<'_, D> {
    /// The largest quantity of which a desk can count the base currency.
    fn countable(&self) -> Qty {
        self.0.terms.symbol.grid.qty_within(Money::MAX).unwrap_or(Qty::ZERO)
    }

    fn sized(&self, qty: Qty) -> Terms<'_> {
        Terms { qty, ..self.0.terms }
    }

    /// The reserve of so much; none if it would be refused.
    fn reserve(&self, qty: Qty) -> Option<Reserve> {
        let sized = self.sized(qty);
        check_value::<D::Refusal>(&sized, &Place { qty, ..*self.0.place }).ok()?;
        self.0.market.desks.reserve(&sized).ok()
    }

    /// The most of an order that meets others, at most `bound`. A resting order that cannot cover a fill is cancelled, and the next one
    /// takes its place. It may cover a part of that fill, and then a smaller order trades with it: the search goes on there.
    fn met(&self, bound: Qty) -> Qty {
        let mut reached = self.reach(bound);
        let mut most = self.most_of(bound, &mut reached);
        for _ in 0..RETRIES_MAX {
            let Some(bound) = self.with_part_of_maker(&reached, most) else { break };
            reached = self.reach(bound);
            most = self.most_of(bound, &mut reached);
        }
        most
    }

    /// The largest quantity, at most `bound`, of which the account affords the planned fills and the rest.
    fn most_of(&self, bound: Qty, reached: &mut Reached<D::Plan>) -> Qty {
        let filled = filled(&reached.fills);
        if let Some(next) = reached.beyond
            && (filled == Qty::ZERO || self.judges() || self.affords(filled, reached))
        {
            return self.with_part(reached, next);
        }
        let may_rest = self.0.terms.rests && reached.is_whole;
        let end = if may_rest { bound } else { filled };
        if self.affords(end, reached) {
            return end;
        }
        let known = if self.judges() { filled.min(end) } else { Qty::ZERO };
        largest(known, end, |qty| self.affords(qty, reached))
    }

    /// Whether the desk judges the fills of the order one after another.
    fn judges(&self) -> bool {
        self.0.market.desks.judges_fills(self.0.terms.class)
    }

    /// The largest order that still trades with a resting order that was passed over, if that is more than `most`.
    fn with_part_of_maker(&self, reached: &Reached<D::Plan>, most: Qty) -> Option<Qty> {
        let is_near = |(before, fill): &&(Qty, Fill)| *before <= most && most < *before + fill.qty;
        let (before, fill) = reached.passed_over.iter().find(is_near)?;
        let (mut plan, mut left) = (self.0.market.desks.plan(self.0.market.time), *before);
        let whole = self.sized(*before + fill.qty);
        for fill in &reached.fills {
            let qty = fill.qty.min(left);
            if qty > Qty::ZERO {
                self.covers(&mut plan, &whole, Fill { qty, ..*fill });
            }
            left -= qty;
        }
        let end = largest(*before, *before + fill.qty, |qty| {
            let part = Fill { qty: qty - *before, ..*fill };
            self.covers(&mut plan.clone(), &self.sized(qty), part) == Cover::Both
        });
        (end > most).then_some(end)
    }

    fn covers(&self, plan: &mut D::Plan, sized: &Terms<'_>, fill: Fill) -> Cover {
        let Market { floor, desks, .. } = self.0.market;
        desks.covers(plan, floor.live(fill.maker), sized, fill.qty)
    }

    /// Whether the account affords `qty`, of which the planned fills trade the first part and what is left is live.
    fn affords(&self, qty: Qty, reached: &Reached<D::Plan>) -> bool {
        let (sized, mut left) = (self.sized(qty), qty);
        let mut part: Vec<Fill> = Vec::with_capacity(reached.fills.len());
        for fill in &reached.fills {
            let take = fill.qty.min(left);
            if take > Qty::ZERO {
                part.push(Fill { qty: take, ..*fill });
            }
            left -= take;
        }
        let desks = self.0.market.desks;
        let rest = if left > Qty::ZERO && sized.rests {
            let Some(whole) = self.reserve(qty) else { return false };
            Some(desks.rest(&sized, left, whole))
        } else {
            None
        };
        self.passes(&sized, &part, rest, &reached.plan)
    }

    /// Whether the order trades whole and rests: its account affords it, or all of it makes a position smaller (D-173).
    fn passes(&self, sized: &Terms<'_>, fills: &[Fill], rest: Option<Reserve>, plan: &D::Plan) -> bool {
        let Market { desks, time, .. } = self.0.market;
        desks.affords(sized, fills, rest, plan).is_ok()
            || rest.is_none() && desks.passes(&mut desks.plan(time), sized) == sized.qty
    }

    /// Plans the fills of an order of `bound`. The plan ends before the first fill that the account does not afford, where its desk judges
    /// fills one after another, or that its desk does not let it make.
    fn reach(&self, bound: Qty) -> Reached<D::Plan> {
        let Market { floor, desks, time, .. } = self.0.market;
        let (sized, judges) = (self.sized(bound), self.judges());
        let mut noted = desks.plan(time);
        let mut tried: Vec<Fill> = Vec::new();
        let mut passed_over: Vec<(Qty, Fill)> = Vec::new();
        let (mut filled, mut beyond, mut is_dear, mut is_cut) = (Qty::ZERO, None, false, false);
        let want = |maker: Slot, resting: &Order| {
            let take = resting.remaining.min(bound - filled);
            if take == Qty::ZERO {
                return Some(Qty::ZERO);
            }
            let fill = Fill { maker, price: resting.price, qty: take };
            match self.covers(&mut noted, &sized, fill) {
                Cover::Both => {}
                Cover::NotMaker if passed_over.len() < FILLS_MAX => {
                    passed_over.push((filled, fill));
                    return None;
                }
                Cover::NotMaker => {
                    is_cut = true;
                    return Some(Qty::ZERO);
                }
                Cover::NotTaker => {
                    beyond = Some(fill);
                    return Some(Qty::ZERO);
                }
            }
            if judges {
                tried.push(fill);
                if !self.passes(&self.sized(filled + take), &tried, None, &noted) {
                    (beyond, is_dear) = (Some(fill), true);
                    return Some(Qty::ZERO);
                }
            }
            filled += take;
            Some(take)
        };
        let mut fills = Vec::new();
        let (symbol, side) = (sized.symbol_id, sized.class.side());
        let is_whole = plan(&floor.orders, symbol, side, self.0.reach(), want, FILLS_MAX, &mut fills);
        if is_dear {
            // The plan as it was before the fill that the account does not afford.
            noted = desks.plan(time);
            for fill in &fills {
                self.covers(&mut noted, &sized, *fill);
            }
        }
        let is_whole = is_whole && !is_cut && beyond.is_none();
        Reached { fills, plan: noted, beyond, passed_over, is_whole }
    }

    /// The most of an order that can pay for all fills and for a part of the next one.
    fn with_part(&self, reached: &mut Reached<D::Plan>, next: Fill) -> Qty {
        let filled = filled(&reached.fills);
        let Reached { fills, plan: before, .. } = reached;
        largest(filled, filled + next.qty, |qty| {
            let (sized, part) = (self.sized(qty), Fill { qty: qty - filled, ..next });
            let mut plan = before.clone();
            let cover = self.covers(&mut plan, &sized, part);
            fills.push(part);
            let is_good = cover == Cover::Both && self.passes(&sized, fills, None, &plan);
            fills.pop();
            is_good
        })
    }
}

fn filled(fills: &[Fill]) -> Qty {
    fills.iter().map(|fill| fill.qty).sum()
}
