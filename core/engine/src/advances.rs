//! The losses of groups with open advances against the index (D-181): the bound of each deal, and its account.
//!
//! While a group has open advances, the losses of its deals with other groups add up: what a deal gives less what it gets, both at the
//! index, without the fee. A deal that gains takes nothing off. A fill beyond the bound is no fill: a resting order is cancelled and the
//! next one takes its place; an incoming order is refused, or its rest is cancelled. Without an open advance all this is one check.

use crate::{Desks, Event, FundsInfrequent, State};
use alloc::vec::Vec;
use buttonwood_funds::bank;
use buttonwood_leave::Worth;
use buttonwood_model::{
    AccountId, Claim, CurrencyId, GroupId, OrderClass, Outbox, Product, SessionId, Side, Symbol, Time,
};
use buttonwood_num::{Money, Round};
use buttonwood_prediction as prediction;
use buttonwood_spot as spot;
use buttonwood_trading::{self as trading, Cover, Crossing, Floor, Live, Terms};

/// A deal of one account: currency and amount of what it gives and of what it gets.
type Deal = [(CurrencyId, Money); 2];

/// The losses in the fills of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    time: Time,
    given_up: Vec<(GroupId, Money)>,
    /// Whether a fill would take the incoming order's group beyond the bound.
    pub(crate) refuses_taker: bool,
    /// The worth of currencies to a group. Found once for all fills, since a reference reads many orders.
    worths: Vec<((GroupId, CurrencyId), Worth)>,
}

/// The losses in a fill: the maker's or the buyer's group first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Loss([Option<(GroupId, Money)>; 2]);

/// The deal of a party to a trade. Claims count nothing (D-181): who buys some gives their price, and who sells some gives nothing.
fn deal(symbol: &Symbol, class: OrderClass, base: Money, notional: Money) -> Deal {
    if symbol.product == Product::Contract {
        let price = if class.claim() == Claim::Yes { notional } else { base - notional };
        let (nothing, price) = ((symbol.quote, Money::ZERO), (symbol.quote, price));
        return if prediction::buys(class) { [price, nothing] } else { [nothing, price] };
    }
    let (base, quote) = ((symbol.base, base), (symbol.quote, notional));
    match class.side() {
        Side::Buy => [quote, base],
        Side::Sell => [base, quote],
    }
}

/// The class of a side of a trade in a product without outcomes.
fn of_book(side: Side) -> OrderClass {
    OrderClass::new(side, Claim::Yes, spot::DESK)
}

impl Desks {
    /// The worth of a currency against the advances of a group (D-181).
    pub(crate) fn worth(
        &self,
        (floor, time): (&Floor, Time),
        group: Option<GroupId>,
        currency: CurrencyId,
    ) -> Worth {
        if self.is_dollar(currency) {
            return Worth::Dollar;
        }
        let own = group.map(|group| self.members_of(group)).unwrap_or_default();
        self.sources(floor, time).reference(currency, own).map_or(Worth::Nothing, Worth::Index)
    }

    /// The loss in a deal in dollars: the amount given less the amount got, at the index. The base of a contract counts at the index with
    /// which its mark was taken.
    fn lost(
        &self,
        (floor, meter): (&Floor, &mut Meter),
        group: GroupId,
        symbol: Option<&Symbol>,
        [gives, gets]: Deal,
    ) -> Money {
        let mut worth = |currency: CurrencyId| {
            let is_contract = |symbol: &&Symbol| symbol.product == Product::Swap && symbol.base == currency;
            match symbol.filter(is_contract) {
                Some(_) => self.indices.latest().price(currency).map_or(Worth::Nothing, Worth::Index),
                None => {
                    meter.worth((group, currency), |time| self.worth((floor, time), Some(group), currency))
                }
            }
        };
        let paid = worth(gives.0).in_full(gives.1, Round::Up);
        let received = worth(gets.0).in_full(gets.1, Round::Down);
        let lost = paid.zip(received).and_then(|(paid, received)| paid.checked_sub(received));
        lost.unwrap_or(Money::MAX).max(Money::ZERO)
    }

    /// The losses of both parties in a trade: their accounts and sides. Within a group a trade loses nothing, but a mint does: its dollar goes
    /// to the escrow for claims that count nothing. The incoming order loses it, so a refusal leaves the resting one.
    fn lost_by(
        &self,
        (floor, meter): (&Floor, &mut Meter),
        parties: [(AccountId, OrderClass); 2],
        symbol: &Symbol,
        (base, notional): (Money, Money),
    ) -> Loss {
        let groups = parties.map(|(account, _)| self.group(account));
        if groups.first() == groups.last() {
            let [one, other] = parties;
            let mints =
                symbol.product == Product::Contract && prediction::buys(one.1) && prediction::buys(other.1);
            let group = self.group(one.0).filter(|group| mints && self.advances.of(*group).is_some());
            return Loss([None, group.map(|group| (group, base))]);
        }
        Loss(parties.map(|(account, class)| {
            let group = self.group(account)?;
            self.advances.of(group)?;
            Some((
                group,
                self.lost((floor, &mut *meter), group, Some(symbol), deal(symbol, class, base, notional)),
            ))
        }))
    }

    /// Whether a fill keeps both groups within their bounds, and what it gives up.
    pub(crate) fn judge_fill(
        &self,
        meter: &mut Meter,
        (maker, qty): (Live<'_>, buttonwood_num::Qty),
        taker: &Terms<'_>,
    ) -> Result<Loss, Cover> {
        let (order, symbol) = (maker.order, maker.symbol);
        let amounts = symbol.grid.base(qty).zip(symbol.grid.notional(order.price, qty));
        let parties = [(order.account, order.class()), (taker.account, taker.class)];
        let amounts = amounts.ok_or(Cover::NotMaker)?;
        let loss = self.lost_by((maker.floor(), &mut *meter), parties, symbol, amounts);
        let [maker_may, taker_may] = loss.0.map(|lost| self.may_lose(meter, lost));
        if !maker_may {
            return Err(Cover::NotMaker);
        }
        // The exchange's own orders, such as those of a liquidation, are exempt.
        if !taker_may && taker.session != SessionId::EXCHANGE {
            meter.refuses_taker = true;
            return Err(Cover::NotTaker);
        }
        Ok(loss)
    }

    /// Whether a settlement of OTC clearing keeps both groups within their bounds; notes what it gives up then.
    pub(crate) fn judge_clearing(
        &self,
        meter: &mut Meter,
        floor: &Floor,
        parties: [(AccountId, Side); 2],
        symbol: &Symbol,
        amounts: (Money, Money),
    ) -> bool {
        if self.advances.is_empty() {
            return true;
        }
        let parties = parties.map(|(account, side)| (account, of_book(side)));
        let loss = self.lost_by((floor, &mut *meter), parties, symbol, amounts);
        let may = loss.0.into_iter().all(|lost| self.may_lose(meter, lost));
        if may {
            meter.note(loss);
        }
        may
    }

    /// The same for an auction's trade.
    pub(crate) fn judge_crossing(&self, meter: &mut Meter, crossing: &Crossing<'_>) -> Result<Loss, Side> {
        let Crossing { buy, sell, qty, notional, .. } = *crossing;
        let base = buy.symbol.grid.base(qty).ok_or(Side::Buy)?;
        let parties = [(buy.order.account, of_book(Side::Buy)), (sell.order.account, of_book(Side::Sell))];
        let loss = self.lost_by((buy.floor(), &mut *meter), parties, buy.symbol, (base, notional));
        let [of_buyer, of_seller] = loss.0.map(|lost| self.may_lose(meter, lost));
        match (of_buyer, of_seller) {
            (false, _) => Err(Side::Buy),
            (true, false) => Err(Side::Sell),
            (true, true) => Ok(loss),
        }
    }

    fn may_lose(&self, meter: &Meter, lost: Option<(GroupId, Money)>) -> bool {
        let Some((group, more)) = lost.filter(|(_, more)| *more > Money::ZERO) else { return true };
        let planned = meter.given_up.iter().filter(|(of, _)| *of == group);
        let planned = planned.fold(Money::ZERO, |sum, (_, lost)| sum.capped_add(*lost));
        self.advances.of(group).is_none_or(|open| open.may_give_up(planned.capped_add(more)))
    }
}

impl Meter {
    pub(crate) fn new(time: Time) -> Self {
        Self { time, given_up: Vec::new(), refuses_taker: false, worths: Vec::new() }
    }

    /// The worth of a currency to a group, which `find` computes for the time of the plan.
    fn worth(&mut self, key: (GroupId, CurrencyId), find: impl FnOnce(Time) -> Worth) -> Worth {
        if let Some((_, worth)) = self.worths.iter().find(|(of, _)| *of == key) {
            return *worth;
        }
        let worth = find(self.time);
        self.worths.push((key, worth));
        worth
    }

    /// Notes what a fill of the plan gives up.
    pub(crate) fn note(&mut self, loss: Loss) {
        for (group, lost) in loss.0.into_iter().flatten().filter(|(_, lost)| *lost > Money::ZERO) {
            match self.given_up.iter_mut().find(|(of, _)| *of == group) {
                Some((_, sum)) => *sum = sum.capped_add(lost),
                None => self.given_up.push((group, lost)),
            }
        }
    }
}

/// Appends what the trades of the command that was decided give up, if groups have open advances.
#[inline]
pub(crate) fn note_given_up(state: &State, time: Time, out: &mut Outbox<Event>) {
    if !state.desks.advances.is_empty() {
        push_given_up(state, time, out);
    }
}

#[cold]
fn push_given_up(state: &State, time: Time, out: &mut Outbox<Event>) {
    let mut meter = Meter::new(time);
    let mut taker = None;
    let orders = state.orders();
    for event in out.latest().0 {
        let Event::Trading(event) = event else { continue };
        if let trading::Event::Placed(order) = event {
            taker = Some((order.account, order.class));
        } else if let trading::Event::Triggered { slot, .. } = event {
            let order = orders.get(*slot);
            taker = Some((order.account, order.class()));
        } else if let trading::Event::Filled { maker, qty, .. } = event
            && let Some(taker) = taker
        {
            let maker = state.floor.live(*maker);
            let parties = [(maker.order.account, maker.order.class()), taker];
            let notional = maker.grid().notional(maker.order.price, *qty);
            note_trade(state, &mut meter, parties, (maker.symbol, maker.grid().base(*qty).zip(notional)));
        } else if let trading::Event::Crossed { buy, sell, price, qty, .. } = event {
            let [buy, sell] = [*buy, *sell].map(|slot| state.floor.live(slot));
            let parties =
                [(buy.order.account, of_book(Side::Buy)), (sell.order.account, of_book(Side::Sell))];
            let amounts = buy.grid().base(*qty).zip(buy.grid().notional(*price, *qty));
            note_trade(state, &mut meter, parties, (buy.symbol, amounts));
        }
    }
    push(meter.given_up, out);
}

fn note_trade(
    state: &State,
    meter: &mut Meter,
    parties: [(AccountId, OrderClass); 2],
    (symbol, amounts): (&Symbol, Option<(Money, Money)>),
) {
    if let Some(amounts) = amounts {
        let loss = state.desks.lost_by((&state.floor, &mut *meter), parties, symbol, amounts);
        meter.note(loss);
    }
}

/// Appends what the settlements of a command give up.
pub(crate) fn note_meter(meter: Meter, out: &mut Outbox<Event>) {
    push(meter.given_up, out);
}

fn push(given_up: Vec<(GroupId, Money)>, out: &mut Outbox<Event>) {
    if !given_up.is_empty() {
        out.push_named(&FundsInfrequent::from(bank::Event::GivenUp(given_up)));
    }
}

/// The loss of its account's group in a conversion; none if that is nothing or no group with open advances.
pub(crate) fn lost_by_conversion(
    state: &State,
    time: Time,
    account: AccountId,
    deal: Option<Deal>,
) -> Option<(GroupId, Money)> {
    if state.desks.advances.is_empty() {
        return None;
    }
    let group = state.desks.group(account)?;
    state.desks.advances.of(group)?;
    let lost = state.desks.lost((&state.floor, &mut Meter::new(time)), group, None, deal?);
    (lost > Money::ZERO).then_some((group, lost))
}

impl State {
    /// Whether a group may give up what a conversion would.
    pub(crate) fn may_give_up(&self, lost: Option<(GroupId, Money)>) -> bool {
        let Some((group, lost)) = lost else { return true };
        self.desks.advances.of(group).is_none_or(|open| open.may_give_up(lost))
    }
}

/// Appends what a conversion gives up.
pub(crate) fn note_conversion(lost: Option<(GroupId, Money)>, out: &mut Outbox<Event>) {
    push(lost.into_iter().collect(), out);
}
