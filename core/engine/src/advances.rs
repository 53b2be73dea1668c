//! The losses of groups with open advances against the index (D-181): the bound of each deal, and its account.
//!
//! While a group has open advances, the losses of its deals with other groups add up: what a deal gives less what it gets, both at the
//! index, without the fee. A deal that gains takes nothing off. A loss that the group could pay back from its own money counts
//! nothing (D-266): see [`crate::spare`]. A fill beyond the bound is no fill: a resting order is cancelled and the next one takes its place; an incoming
//! order is refused, or its rest is cancelled. Without an open advance all this is one check.

use crate::references::Reader;
use crate::spare::{ROWS_MAX, Spares, Take};
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
    spares: Spares,
}

/// The loss of one party to a deal, in dollars.
#[derive(Clone, Copy, Debug)]
struct Lost {
    group: GroupId,
    /// At the whole index: the measure of the bound.
    amount: Money,
    /// The most that it takes of the group's own money.
    take: Take,
}

/// The losses in a fill: the maker's or the buyer's group first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Loss([Option<Lost>; 2]);

/// The judgment of the loss of a party to a deal.
#[derive(Clone, Copy, Debug)]
enum Judged {
    /// It loses nothing, or its group has no advance.
    None,
    /// It may lose this; the amount is what counts of it.
    Allowed(Lost),
    /// That would be beyond the bound.
    Beyond(Lost),
}

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
        let reference = Reader::new(self).reference((floor, time), (group, currency));
        reference.map_or(Worth::Nothing, Worth::Index)
    }

    /// The loss in a deal in dollars: the amount given less the amount got, at the index. The base of a contract counts at the index with
    /// which its mark was taken.
    fn lost(
        &self,
        (floor, meter): (&Floor, &mut Meter),
        (group, account): (GroupId, AccountId),
        symbol: Option<&Symbol>,
        [gives, gets]: Deal,
    ) -> Lost {
        let of_perp = symbol.filter(|symbol| symbol.product == Product::Swap);
        let mut worth = |currency: CurrencyId| match of_perp.filter(|symbol| symbol.base == currency) {
            Some(_) => self.indices.latest().price(currency).map_or(Worth::Nothing, Worth::Index),
            None => meter.worth((group, currency), |time| self.worth((floor, time), Some(group), currency)),
        };
        let (gave, got) = (worth(gives.0), worth(gets.0));
        let whole = gave.in_full(gives.1, Round::Up).zip(got.in_full(gets.1, Round::Down));
        let lost = whole.and_then(|(gave, got)| gave.checked_sub(got));
        let amount = lost.unwrap_or(Money::MAX).max(Money::ZERO);
        let of_spare = gave.of(gives.1).checked_sub(got.of(gets.1)).unwrap_or(Money::MAX);
        let take = match of_perp {
            Some(_) => Take { amount, account, binds: true },
            None => Take { amount: amount.max(of_spare), account, binds: false },
        };
        Lost { group, amount, take }
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
            let take = Take { amount: base, account: other.0, binds: false };
            return Loss([None, group.map(|group| Lost { group, amount: base, take })]);
        }
        Loss(parties.map(|(account, class)| {
            let group = self.group(account)?;
            self.advances.of(group)?;
            let deal = deal(symbol, class, base, notional);
            Some(self.lost((floor, &mut *meter), (group, account), Some(symbol), deal))
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
        let [of_order, of_taker] = self.judged((maker.floor(), &mut *meter), loss);
        if of_order.is_beyond() {
            return Err(Cover::NotMaker);
        }
        // The exchange's own orders, such as those of a liquidation, are exempt.
        if of_taker.is_beyond() && taker.session != SessionId::EXCHANGE {
            meter.refuses_taker = true;
            return Err(Cover::NotTaker);
        }
        Ok(Loss([of_order.lost(), of_taker.lost()]))
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
        let judged = self.judged((floor, &mut *meter), loss);
        let may = !judged.iter().any(Judged::is_beyond);
        if may {
            meter.note(Loss(judged.map(Judged::lost)));
        }
        may
    }

    /// The same for an auction's trade.
    pub(crate) fn judge_crossing(&self, meter: &mut Meter, crossing: &Crossing<'_>) -> Result<Loss, Side> {
        let Crossing { buy, sell, qty, notional, .. } = *crossing;
        let base = buy.symbol.grid.base(qty).ok_or(Side::Buy)?;
        let parties = [(buy.order.account, of_book(Side::Buy)), (sell.order.account, of_book(Side::Sell))];
        let loss = self.lost_by((buy.floor(), &mut *meter), parties, buy.symbol, (base, notional));
        match self.judged((buy.floor(), &mut *meter), loss) {
            [Judged::Beyond(_), _] => Err(Side::Buy),
            [_, Judged::Beyond(_)] => Err(Side::Sell),
            judged => Ok(Loss(judged.map(Judged::lost))),
        }
    }

    /// Judges the loss of each party to a trade.
    fn judged(&self, (floor, meter): (&Floor, &mut Meter), loss: Loss) -> [Judged; 2] {
        loss.0.map(|lost| lost.map_or(Judged::None, |lost| self.judge((floor, &mut *meter), lost)))
    }

    /// Judges one loss. Each trade is an act of its own, which comes after those that were planned before it: so an order gains nothing
    /// over two of its parts.
    fn judge(&self, (floor, meter): (&Floor, &mut Meter), lost: Lost) -> Judged {
        let Lost { group, amount, take } = lost;
        if amount == Money::ZERO || self.has_spare((floor, meter), group, take) {
            return Judged::Allowed(Lost { amount: Money::ZERO, ..lost });
        }
        let planned = meter.given_up.iter().filter(|(of, _)| *of == group);
        let planned = planned.fold(Money::ZERO, |sum, (_, lost)| sum.capped_add(*lost));
        let may = self.advances.of(group).is_none_or(|open| open.may_give_up(planned.capped_add(amount)));
        if may { Judged::Allowed(lost) } else { Judged::Beyond(lost) }
    }

    /// Whether the group's own money covers its advances and debts after a deal takes this of it.
    fn has_spare(&self, (floor, meter): (&Floor, &mut Meter), group: GroupId, take: Take) -> bool {
        let Meter { spares, worths, time, .. } = meter;
        let reader = Reader::new(self);
        let worth = |currency| {
            if self.is_dollar(currency) {
                return Worth::Dollar;
            }
            let key = (group, currency);
            if reader.looks() >= ROWS_MAX && !worths.iter().any(|(known, _)| *known == key) {
                return Worth::Nothing;
            }
            let fresh = || reader.reference((floor, *time), (Some(group), currency));
            found(worths, key, || fresh().map_or(Worth::Nothing, Worth::Index))
        };
        spares.cover(group, take, || self.own_money(group, worth))
    }
}

impl Judged {
    fn is_beyond(&self) -> bool {
        matches!(self, Self::Beyond(_))
    }

    /// The loss with what of it counts.
    fn lost(self) -> Option<Lost> {
        match self {
            Self::None => None,
            Self::Allowed(lost) | Self::Beyond(lost) => Some(lost),
        }
    }
}

impl Meter {
    pub(crate) fn new(time: Time) -> Self {
        Self {
            time,
            given_up: Vec::new(),
            refuses_taker: false,
            worths: Vec::new(),
            spares: Spares::default(),
        }
    }

    /// The worth of a currency to a group, which `find` computes for the time of the plan.
    fn worth(&mut self, key: (GroupId, CurrencyId), find: impl FnOnce(Time) -> Worth) -> Worth {
        let time = self.time;
        found(&mut self.worths, key, || find(time))
    }

    /// Notes what a fill of the plan gives up, and takes of its groups' own money.
    pub(crate) fn note(&mut self, loss: Loss) {
        for Lost { group, amount, take } in loss.0.into_iter().flatten() {
            self.spares.note(group, take);
            if amount > Money::ZERO {
                match self.given_up.iter_mut().find(|(of, _)| *of == group) {
                    Some((_, sum)) => *sum = sum.capped_add(amount),
                    None => self.given_up.push((group, amount)),
                }
            }
        }
    }
}

/// The worth of a currency to a group, found at most once.
fn found(
    worths: &mut Vec<((GroupId, CurrencyId), Worth)>,
    key: (GroupId, CurrencyId),
    find: impl FnOnce() -> Worth,
) -> Worth {
    if let Some((_, worth)) = worths.iter().find(|(of, _)| *of == key) {
        return *worth;
    }
    let worth = find();
    worths.push((key, worth));
    worth
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
        let judged = state.desks.judged((&state.floor, &mut *meter), loss);
        meter.note(Loss(judged.map(Judged::lost)));
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

/// The loss in a conversion that counts for the account's group; none if nothing counts.
///
/// # Errors
/// The group may not give it up.
pub(crate) fn judge_conversion(
    state: &State,
    now: Time,
    account: AccountId,
    deal: Option<Deal>,
) -> Result<Option<(GroupId, Money)>, Beyond> {
    if state.desks.advances.is_empty() {
        return Ok(None);
    }
    let group = state.desks.group(account).filter(|group| state.desks.advances.of(*group).is_some());
    let Some((group, deal)) = group.zip(deal) else { return Ok(None) };
    let mut meter = Meter::new(now);
    let lost = state.desks.lost((&state.floor, &mut meter), (group, account), None, deal);
    let judged = state.desks.judge((&state.floor, &mut meter), lost);
    if judged.is_beyond() {
        return Err(Beyond);
    }
    Ok(judged.lost().map(|lost| (group, lost.amount)).filter(|(_, lost)| *lost > Money::ZERO))
}

/// A deal would give up more than its group may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Beyond;

/// Appends what a conversion gives up.
pub(crate) fn note_conversion(lost: Option<(GroupId, Money)>, out: &mut Outbox<Event>) {
    push(lost.into_iter().collect(), out);
}
