//! The desk: each function answers one question that the floor puts to it. They are kept out of the path of a spot order, which
//! costs a tenth more where they are inlined into it.

use crate::{Leverage, Perps, Row};
use alloc::collections::BTreeMap;
use buttonwood_index::Latest;
use buttonwood_ledger::{About, Cause, Ledger};
use buttonwood_model::{
    AccountId, CancelReason, CurrencyId, Desk, OrderKind, Product, SessionId, Side, SymbolId,
};
use buttonwood_num::{Bps, Grid, Money, Price, Qty};
use buttonwood_risk::{Sums, admission};
use buttonwood_trading::{CollarWidth, Cover, Fill, Live, Reserve, Rules, StopRule, Terms, Unmet};

/// The number of this desk.
pub const DESK: Desk = Desk::new(1);

/// The rules that perpetuals leave to the floor: the collar of spot, and no auctions.
pub const RULES: Rules = Rules {
    collar: Some(CollarWidth { buy: 105, sell: 95 }),
    opens: true,
    auctions: false,
    uncovered: CancelReason::ExceedsPriceLimits,
    // The account's rates are those of all it trades (D-61).
    fees_of: Product::Spot,
    stops: StopRule::Apart,
};

/// The largest sum of the long positions of a contract, far inside the range of money.
const OPEN_MAX: Money = Money::from_units(i128::MAX / 1_024);

/// The part of the range of money that orders leave to what falls due: funding and liquidations move money without a check.
const LEFT_MIN: Money = Money::from_units(i128::MAX / 4);

/// Why the desk refuses an order, other than for lack of funds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The contract has no index, or too few sources of it for an order that adds risk (D-38).
    NotOpen,
    /// Orders of this desk name no money to spend.
    NoSpend,
}

/// The rest of the accounts after a plan's fills.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    sketches: BTreeMap<AccountId, Sketch>,
    /// The most that the house accounts give for the fills, since each profit comes from `clearing` and each loss may have to be lent.
    moved: Money,
    /// The amount that they may still give, once a fill was planned.
    left: Option<Money>,
    /// The part of the collateral of accounts with resting orders that carries nothing new. Found once, since a reference reads many orders.
    uncounted: BTreeMap<AccountId, Money>,
    /// Whether only the part of an order is planned that makes its position smaller (D-173).
    is_part: bool,
}

/// An account after fills of one contract.
#[derive(Clone, Copy, Debug)]
struct Sketch {
    /// The account's sums without the contract.
    others: Sums,
    /// The row of the contract.
    row: Row,
    mark: Money,
    cap: Leverage,
    /// The amount that the last fill moved.
    moved: Money,
}

impl Sketch {
    fn new(
        perps: &Perps,
        ledger: &Ledger,
        latest: &Latest,
        account: AccountId,
        symbol: SymbolId,
        gusd: CurrencyId,
    ) -> Option<Self> {
        Some(Self {
            others: perps.sums(ledger, latest, account, gusd, Some(symbol))?,
            row: perps.row(account, symbol),
            mark: perps.contract(symbol)?.mark,
            cap: perps.risk(account).leverage,
            moved: Money::ZERO,
        })
    }

    /// The account's sums.
    fn sums(&self) -> Option<Sums> {
        self.others.with(&self.row.holding(self.mark, self.cap))
    }

    /// The account after a fill.
    fn after(mut self, fill: &Party<'_>) -> Option<Self> {
        let (quantity, value) = fill.signed()?;
        let applied = self.row.position.after(quantity, value)?;
        self.row.position = applied.position;
        let fee = fill.fee()?;
        self.others.assets = self.others.assets.checked_add(applied.realised)?.checked_sub(fee)?;
        self.moved = applied.realised.units().checked_abs().map(Money::from_units)?.checked_add(fee)?;
        if fill.rests {
            let live = self.row.live_mut(fill.side);
            *live = live.checked_sub(fill.grid.base(fill.qty)?)?;
        }
        Some(self)
    }

    /// Whether the position has only become smaller since then.
    fn reduces(&self, before: &Self) -> bool {
        let [from, to] = [before, self].map(|sketch| sketch.row.position.quantity);
        if from.is_negative() {
            (from..=Money::ZERO).contains(&to)
        } else {
            (Money::ZERO..=from).contains(&to)
        }
    }

    /// Whether a fill may leave the account like this (D-43).
    fn may_follow(&self, before: &Self) -> bool {
        admission::covers(before.sums(), self.sums(), self.reduces(before))
    }

    /// Whether the account carries what a fill of its resting order adds (D-173), without the part of its collateral that does not count.
    fn carries(&self, before: &Self, uncounted: Money) -> bool {
        let counted = |sketch: &Self| {
            let sums = sketch.sums()?;
            Some(Sums { assets: sums.assets.checked_sub(uncounted)?, ..sums })
        };
        admission::carries(counted(before), counted(self))
    }
}

/// One side of a fill.
struct Party<'a> {
    grid: &'a Grid,
    side: Side,
    price: Price,
    qty: Qty,
    rate: Bps,
    /// Whether its order rests, and counts in the live quantities.
    rests: bool,
}

impl Party<'_> {
    /// Quantity and value, with the sign of the side.
    fn signed(&self) -> Option<(Money, Money)> {
        let (base, value) = (self.grid.base(self.qty)?, self.grid.notional(self.price, self.qty)?);
        Some(match self.side {
            Side::Buy => (base, value),
            Side::Sell => (-base, -value),
        })
    }

    fn fee(&self) -> Option<Money> {
        self.grid.fee(self.price, self.qty, self.rate)
    }
}

/// The row of the order, if the account may place it. An order that meets others is judged by [`affords`]. `advanced` is the part of its
/// assets that carries no order: what is no own money (D-181), and collateral that does not count (D-262).
///
/// # Errors
/// [`Unmet`].
#[cold]
#[inline(never)]
pub fn reserve<R: From<Refusal>>(
    perps: &Perps,
    ledger: &Ledger,
    latest: &Latest,
    terms: &Terms<'_>,
    advanced: Money,
) -> Result<Reserve, Unmet<R>> {
    if terms.kind == OrderKind::MarketSpend {
        return Err(Unmet::Other(Refusal::NoSpend.into()));
    }
    let not_open = || Unmet::Other(Refusal::NotOpen.into());
    let contract = perps.contract(terms.symbol_id).ok_or_else(not_open)?;
    let amount = terms.symbol.grid.base(terms.qty).ok_or(Unmet::Beyond)?;
    // So must be the sum of all positions.
    perps
        .open_interest(terms.symbol_id)
        .checked_add(amount)
        .filter(|sum| *sum <= OPEN_MAX)
        .ok_or(Unmet::Beyond)?;
    let only_reduces = only_reduces(perps, terms);
    // The addition of an order that meets others is judged by `affords`, and a part that only reduces passes.
    let may_pass = || only_reduces || terms.meets && reducing(perps, terms) > Qty::ZERO;
    if !contract.is_fresh && terms.session != SessionId::EXCHANGE && !may_pass() {
        return Err(not_open());
    }
    if !terms.meets && terms.rests && !only_reduces {
        let sketch = Sketch::new(perps, ledger, latest, terms.account, terms.symbol_id, terms.symbol.quote);
        check_rest(sketch.ok_or(Unmet::Beyond)?, terms, (amount, advanced))?;
    }
    let (held, _) = perps.find(terms.account, terms.symbol_id);
    Ok(Reserve { held, amount })
}

/// Whether the order only reduces: together with the live orders of its side, it is at most the opposite position.
fn only_reduces(perps: &Perps, terms: &Terms<'_>) -> bool {
    let row = perps.row(terms.account, terms.symbol_id);
    let side = terms.class.side();
    let [Some(qty), Some(waited)] = [terms.qty, terms.waited].map(|qty| terms.symbol.grid.base(qty)) else {
        return false;
    };
    let order = if side == Side::Buy { qty } else { -qty };
    admission::only_reduces(row.position.quantity, row.live(side) - waited, order)
}

/// How much of the order would only make its position smaller, whatever rests.
fn reducing(perps: &Perps, terms: &Terms<'_>) -> Qty {
    let held = perps.row(terms.account, terms.symbol_id).position.quantity;
    let opposite = if terms.class.side() == Side::Buy { Money::ZERO.checked_sub(held) } else { Some(held) };
    let most = opposite.and_then(|opposite| terms.symbol.grid.qty_within(opposite));
    most.map_or(Qty::ZERO, |most| most.min(terms.qty))
}

/// How much of an order that is not affordable passes, since it only makes its position smaller (D-173). [`covers`] judges its fills as
/// those of an order that only reduces.
#[cold]
#[inline(never)]
pub fn passes(perps: &Perps, plan: &mut Plan, terms: &Terms<'_>) -> Qty {
    plan.is_part = true;
    reducing(perps, terms)
}

/// Whether the available margin without what is advanced stays at or above zero when `rest` of the order is live.
fn check_rest<R>(
    mut sketch: Sketch,
    terms: &Terms<'_>,
    (rest, advanced): (Money, Money),
) -> Result<(), Unmet<R>> {
    sketch.others.assets = sketch.others.assets.checked_sub(advanced).ok_or(Unmet::Beyond)?;
    let waited = terms.symbol.grid.base(terms.waited).ok_or(Unmet::Beyond)?;
    let live = sketch.row.live_mut(terms.class.side());
    *live = (*live - waited).checked_add(rest).ok_or(Unmet::Beyond)?;
    if admission::is_affordable(sketch.sums()) { Ok(()) } else { Err(Unmet::Beyond) }
}

/// The part of an order that `left` keeps live.
///
/// # Panics
/// When that is more than the whole order, whose quantity can be counted.
#[cold]
#[inline(never)]
pub fn rest(terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve {
    Reserve { amount: terms.symbol.grid.base(left).expect("less than the whole order"), ..whole }
}

/// Whether a fill leaves both accounts at or above maintenance, after those of the plan (D-43), and the account of the resting order
/// carries what it adds (D-173) without its `uncounted` collateral; notes it if so. The exchange's own orders are exempt. An incoming order that adds risk is judged whole
/// by [`affords`], which asks for more.
#[cold]
#[inline(never)]
pub fn covers(
    perps: &Perps,
    ledger: &Ledger,
    latest: &Latest,
    plan: &mut Plan,
    (maker, qty): (Live<'_>, Qty),
    taker: &Terms<'_>,
    uncounted: impl Fn(AccountId) -> Money,
) -> Cover {
    let (order, grid) = (maker.order, &taker.symbol.grid);
    let party = |side, rate, rests| Party { grid, side, price: order.price, qty, rate, rests };
    let resting = party(order.side(), maker.rates().maker, true);
    let incoming = party(taker.class.side(), taker_rate(taker), false);
    let gusd = taker.symbol.quote;
    let key = (order.account, order.symbol, gusd);
    let Some(made) = plan.after((perps, ledger, latest), key, &resting, false, &uncounted) else {
        return Cover::NotMaker;
    };
    let is_judged = plan.is_part || only_reduces(perps, taker);
    let is_exempt = taker.session == SessionId::EXCHANGE || !is_judged;
    let key = (taker.account, taker.symbol_id, gusd);
    let Some(took) = plan.after((perps, ledger, latest), key, &incoming, is_exempt, &uncounted) else {
        return Cover::NotTaker;
    };
    let Some(moved) = plan.moved_with(ledger, gusd, [&made, &took]) else { return Cover::NotTaker };
    plan.moved = moved;
    plan.note(made);
    plan.note(took);
    Cover::Both
}

impl Plan {
    fn of(&self, account: AccountId) -> Option<&Sketch> {
        self.sketches.get(&account)
    }

    /// The account after a further fill; none if it may not be.
    fn after(
        &mut self,
        (perps, ledger, latest): (&Perps, &Ledger, &Latest),
        (account, symbol, gusd): (AccountId, SymbolId, CurrencyId),
        fill: &Party<'_>,
        is_exempt: bool,
        uncounted: impl FnOnce(AccountId) -> Money,
    ) -> Option<Sketch> {
        let before = match self.of(account) {
            Some(sketch) => *sketch,
            None => Sketch::new(perps, ledger, latest, account, symbol, gusd)?,
        };
        let after = before.after(fill)?;
        if !is_exempt && !after.may_follow(&before) {
            return None;
        }
        if !is_exempt && fill.rests && !after.reduces(&before) {
            let uncounted = *self.uncounted.entry(account).or_insert_with(|| uncounted(account));
            return after.carries(&before, uncounted).then_some(after);
        }
        Some(after)
    }

    /// The amount that the plan's fills move with those of two parties; none if the house accounts could owe more than they may for it.
    fn moved_with(&mut self, ledger: &Ledger, gusd: CurrencyId, parties: [&Sketch; 2]) -> Option<Money> {
        let left = *self.left.get_or_insert_with(|| ledger.left_to_give(gusd));
        let moved = parties.iter().try_fold(self.moved, |sum, sketch| sum.checked_add(sketch.moved))?;
        let after = left.checked_sub(moved)?.checked_sub(moved)?;
        (after >= LEFT_MIN).then_some(moved)
    }

    fn note(&mut self, after: Sketch) {
        self.sketches.insert(after.row.account, after);
    }
}

/// Whether the available margin stays at or above zero after the fills and the reserve for the rest (D-42). An order that only
/// reduces is accepted; of another one [`passes`] says what trades all the same.
///
/// # Errors
/// [`Unmet`].
#[cold]
#[inline(never)]
pub fn affords<R: From<Refusal>>(
    perps: &Perps,
    ledger: &Ledger,
    latest: &Latest,
    terms: &Terms<'_>,
    fills: &[Fill],
    (rest, advanced): (Option<Reserve>, Money),
    plan: &Plan,
) -> Result<(), Unmet<R>> {
    if terms.session == SessionId::EXCHANGE || only_reduces(perps, terms) {
        return Ok(());
    }
    if perps.contract(terms.symbol_id).is_none_or(|contract| !contract.is_fresh) {
        return Err(Unmet::Other(Refusal::NotOpen.into()));
    }
    let planned = plan.of(terms.account).filter(|_| !fills.is_empty()).copied();
    let fresh = || Sketch::new(perps, ledger, latest, terms.account, terms.symbol_id, terms.symbol.quote);
    let sketch = planned.or_else(fresh).ok_or(Unmet::Beyond)?;
    check_rest(sketch, terms, (rest.map_or(Money::ZERO, |rest| rest.amount), advanced))
}

/// The fees of maker and taker.
///
/// # Panics
/// When a fee is beyond the range of money, which admission prevents.
#[cold]
#[inline(never)]
pub fn fees(maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> [Money; 2] {
    let (grid, price) = (maker.grid(), maker.order.price);
    [maker.rates().maker, taker_rate(taker)]
        .map(|rate| grid.fee(price, qty, rate).expect("admission bounds what an order costs"))
}

/// The fee rate of an incoming order. A liquidation costs no trading fee (PERP-029).
fn taker_rate(taker: &Terms<'_>) -> Bps {
    if taker.session == SessionId::EXCHANGE { Bps(0) } else { taker.rates.taker }
}

/// Counts an order in its account's live quantities.
#[cold]
#[inline(never)]
pub fn hold(perps: &mut Perps, live: Live<'_>, reserve: Reserve) {
    let row = perps.row_mut(live.order.account, live.order.symbol);
    *row.live_mut(live.order.side()) += reserve.amount;
    perps.depth.add(live);
}

/// Takes an order out of its account's live quantities.
///
/// # Panics
/// When the order is larger than money can count, which admission prevents.
#[cold]
#[inline(never)]
pub fn release(perps: &mut Perps, live: Live<'_>) {
    let left = live.grid().base(live.order.remaining).expect("admission bounds an order");
    *perps.row_at(live.order.held).live_mut(live.order.side()) -= left;
    perps.depth.take(live, left);
}

/// Settles one side of a fill: its position, and what it realises against the clearing account. The account's loss beyond its
/// money is lent. `is_maker` tells whether the order was live.
///
/// # Panics
/// When the fill does not follow from the state.
#[cold]
#[inline(never)]
pub fn settle(
    perps: &mut Perps,
    ledger: &mut Ledger,
    latest: &Latest,
    party: Live<'_>,
    (qty, notional, fee): (Qty, Money, Money),
    is_maker: bool,
) {
    let (order, side) = (party.order, party.order.side());
    let base = party.grid().base(qty).expect("a fill is no larger than its order");
    let (quantity, value) = match side {
        Side::Buy => (base, notional),
        Side::Sell => (-base, -notional),
    };
    perps.unrank((ledger, latest), order.account);
    if is_maker {
        perps.depth.take(party, base);
    }
    let row = perps.row_mut(order.account, order.symbol);
    if is_maker {
        *row.live_mut(side) -= base;
    }
    let applied = row.position.after(quantity, value).expect("the plan computed it");
    perps.set_position((order.account, order.symbol), applied.position);
    if !is_maker && let Some(part) = perps.liquidations.part_of(order.account) {
        part.note_fill(order.symbol, qty, notional);
    }
    let reason = Cause::Realised.about(About::Order(order.id));
    perps.move_money(ledger, (order.account, party.symbol.quote), [applied.realised, fee], reason);
    perps.rank((ledger, latest), order.account);
}
