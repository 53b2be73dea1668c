//! The same desks once more, naively: plain lists and sums, no events, no buffers, no holds kept but where a rule says so.
//!
//! Whether a resting order covers its fill is tried out on a copy of everything.

use crate::desks::Refusal;
use crate::engine::{BTC, BTCUSD, FIRST, PERP, RAIN, USD};
use buttonwood_model::{
    AccountId, AssetId, CancelReason, Claim, ExecutionOption, OrderKind, Product, SessionId, Side, SymbolId,
};
use buttonwood_trading::place::{Place, Placer, Reject};
use buttonwood_trading::{FeeChange, FeeSchedule};
use std::collections::BTreeMap;

/// A live order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) id: u64,
    pub(crate) account: u32,
    pub(crate) symbol: SymbolId,
    pub(crate) side: Side,
    claim: Claim,
    pub(crate) price: i128,
    pub(crate) left: i128,
    rates: FeeSchedule,
    /// Its reserve.
    reserve: i128,
}

/// The counts of events, to see that the dice reach them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) uncovered: u32,
    pub(crate) free_rests: u32,
    pub(crate) shortfalls: u32,
    pub(crate) mints: u32,
    pub(crate) merges: u32,
    pub(crate) mixed: u32,
    pub(crate) no_funds: u32,
    pub(crate) desk_refusals: u32,
    pub(crate) collared: u32,
}

#[derive(Clone, Default)]
pub(crate) struct Naive {
    /// All that each account has, reserved or not.
    pub(crate) totals: BTreeMap<(u32, AssetId), i128>,
    pub(crate) rows: Vec<Row>,
    /// Quantity, entry value and margin.
    pub(crate) positions: BTreeMap<u32, [i128; 3]>,
    pub(crate) debts: BTreeMap<u32, i128>,
    last: BTreeMap<SymbolId, i128>,
    default: FeeSchedule,
    changes: Vec<FeeChange>,
    pub(crate) next_id: u64,
    /// Of the last command.
    pub(crate) cancelled: Vec<(u64, CancelReason)>,
    pub(crate) counts: Counts,
}

// The house's accounts, by the order in which they are opened.
const SOURCE: u32 = 0;
const FEES: u32 = 1;
const CLEARING: u32 = 3;
const COLLATERAL: u32 = 4;
const ISSUER: u32 = 5;
const LENDING: u32 = 6;

/// Money of one tick and one hundredth of a lot.
fn unit(symbol: SymbolId) -> i128 {
    if symbol == RAIN { 1_000_000_000_000_000 } else { 1_000_000_000_000 }
}

/// Base currency, or claims, of one hundredth of a lot.
fn base_unit(symbol: SymbolId) -> i128 {
    if symbol == RAIN { 100_000_000_000_000_000 } else { 100_000_000_000_000 }
}

fn bps(amount: i128, rate: i128) -> i128 {
    (amount * rate + 9_999) / 10_000
}

fn sign(side: Side) -> i128 {
    if side == Side::Buy { 1 } else { -1 }
}

impl Row {
    /// The cost of one hundredth of a lot of its own outcome at a price of the book.
    fn cost(&self, price: i128, qty: i128) -> i128 {
        let own = if self.claim == Claim::No { 100 - price } else { price };
        own * qty * unit(self.symbol)
    }

    fn fee(&self, price: i128, qty: i128, rate: i128) -> i128 {
        bps(self.cost(price, qty), rate)
    }

    /// Whether it pays money for what it wants.
    fn pays(&self) -> bool {
        (self.side == Side::Buy) == (self.claim == Claim::Yes)
    }

    fn borrows(&self) -> bool {
        self.symbol == BTCUSD && self.account % 2 == 1
    }

    fn asset(&self) -> AssetId {
        match self.symbol {
            PERP => USD.into(),
            _ if self.pays() => USD.into(),
            RAIN => AssetId::claim(RAIN, self.claim),
            _ => BTC.into(),
        }
    }

    fn accepts(&self, price: i128) -> bool {
        sign(self.side) * price <= sign(self.side) * self.price
    }
}

impl Naive {
    pub(crate) fn found(counts: Counts) -> Self {
        Self { next_id: 1, counts, ..Self::default() }
    }

    pub(crate) fn credit(&mut self, account: u32, asset: AssetId, amount: i128) {
        self.cancelled.clear();
        self.pay(SOURCE, account, asset, amount);
    }

    pub(crate) fn set_fees(&mut self, change: FeeChange) {
        self.cancelled.clear();
        self.changes.push(change);
    }

    fn pay(&mut self, from: u32, to: u32, asset: AssetId, amount: i128) {
        *self.totals.entry((from, asset)).or_default() -= amount;
        *self.totals.entry((to, asset)).or_default() += amount;
    }

    pub(crate) fn held(&self, account: u32, asset: AssetId) -> i128 {
        let own = self.rows.iter().filter(|row| row.account == account && row.asset() == asset);
        own.map(|row| row.reserve).sum()
    }

    fn free(&self, account: u32, asset: AssetId) -> i128 {
        self.totals.get(&(account, asset)).copied().unwrap_or(0) - self.held(account, asset)
    }

    /// The last change for the account itself, else the last for its product, else the opening's.
    fn rates(&self, symbol: SymbolId, account: u32) -> FeeSchedule {
        let product = if symbol == PERP { Product::Swap } else { Product::Spot };
        let last = |whose: Option<AccountId>| {
            let mut changes = self.changes.iter().rev();
            changes.find(|change| change.product == product && change.account == whose)?.schedule
        };
        last(Some(AccountId(account))).or_else(|| last(None)).unwrap_or(self.default)
    }

    /// A side's live orders of a symbol: best price first, then oldest.
    pub(crate) fn queue(&self, symbol: SymbolId, side: Side) -> Vec<Row> {
        let mut rows: Vec<Row> =
            self.rows.iter().filter(|row| (row.symbol, row.side) == (symbol, side)).cloned().collect();
        rows.sort_by_key(|row| (-sign(side) * row.price, row.id));
        rows
    }

    pub(crate) fn cancel(&mut self, account: u32, id: Option<u64>) -> bool {
        self.cancelled.clear();
        let is_meant = |row: &Row| row.account == account && id.is_none_or(|id| row.id == id);
        for row in self.rows.iter().rev().filter(|row| is_meant(row)) {
            self.cancelled.push((row.id, CancelReason::Requested));
        }
        self.rows.retain(|row| !is_meant(row));
        !self.cancelled.is_empty()
    }

    /// The reserve of `qty` of an order; `position` is that before.
    fn reserve(row: &Row, position: i128, qty: i128) -> i128 {
        let rate = row.rates.worst().get();
        let cost = row.cost(row.price, qty);
        if row.symbol == PERP {
            let signed = sign(row.side) * qty;
            let grows = if position * signed >= 0 { qty } else { (qty - position.abs()).max(0) };
            let notional = row.cost(row.price, grows);
            notional / 10 + bps(notional, rate)
        } else if !row.pays() {
            qty * base_unit(row.symbol)
        } else if row.borrows() {
            cost + bps(cost, rate) - cost / 2
        } else {
            cost + bps(cost, rate)
        }
    }

    fn position(&self, account: u32) -> [i128; 3] {
        self.positions.get(&account).copied().unwrap_or_default()
    }

    /// Settles one side of fills that sum to `qty` for `notional` at the book's prices. The fee is `fee`.
    fn settle(&mut self, row: &Row, qty: i128, notional: i128, fee: i128) {
        let account = row.account;
        let usd = USD.into();
        match row.symbol {
            PERP => self.trade_position(row, qty, notional, fee),
            RAIN => {
                let price = if row.claim == Claim::No { 100 * qty * unit(RAIN) - notional } else { notional };
                let way = if row.pays() { 1 } else { -1 };
                self.pay(account, COLLATERAL, usd, way * price);
                self.pay(ISSUER, account, AssetId::claim(RAIN, row.claim), way * qty * base_unit(RAIN));
                self.pay(account, FEES, usd, fee);
            }
            _ => {
                // The counterparty of either side is the clearing account, whose part the other side takes back.
                let way = sign(row.side);
                if row.borrows() && row.pays() {
                    self.borrow(account, notional / 2);
                }
                self.pay(account, CLEARING, usd, way * notional);
                self.pay(CLEARING, account, BTC.into(), way * qty * base_unit(BTCUSD));
                self.pay(account, FEES, usd, fee);
                if row.borrows() && !row.pays() {
                    let debt = self.debts.get(&account).copied().unwrap_or(0);
                    self.borrow(account, -debt.min(notional - fee));
                }
            }
        }
    }

    fn borrow(&mut self, account: u32, amount: i128) {
        *self.debts.entry(account).or_default() += amount;
        self.pay(LENDING, account, USD.into(), amount);
    }

    fn trade_position(&mut self, row: &Row, qty: i128, notional: i128, fee: i128) {
        let [held, value, margin] = self.position(row.account);
        let signed = sign(row.side) * qty;
        let closes = if held * signed < 0 { qty.min(held.abs()) } else { 0 };
        let closed_for = notional * closes / qty;
        let opened_for = notional - closed_for;
        let share = |whole: i128| if closes == 0 { 0 } else { whole * closes / held.abs() };
        let profit = (closed_for - share(value)) * held.signum();
        let new_margin = opened_for / 10;
        self.pay(CLEARING, row.account, USD.into(), share(margin) + profit - new_margin);
        self.pay(row.account, FEES, USD.into(), fee);
        self.positions.insert(
            row.account,
            [held + signed, value - share(value) + opened_for, margin - share(margin) + new_margin],
        );
        if held + signed == 0 {
            self.positions.remove(&row.account);
        }
    }

    /// Takes `qty` off a resting order, with the share of its reserve.
    fn reduce(&mut self, id: u64, qty: i128) {
        let row = self.rows.iter_mut().find(|row| row.id == id).unwrap();
        if row.symbol == PERP {
            row.reserve -= row.reserve * qty / row.left;
        } else {
            row.reserve = Self::reserve(row, 0, row.left - qty);
        }
        row.left -= qty;
        self.rows.retain(|row| row.left > 0);
    }

    fn settle_maker(&mut self, maker: &Row, qty: i128) {
        let fee = maker.fee(maker.price, qty, maker.rates.maker.get());
        self.reduce(maker.id, qty);
        self.settle(maker, qty, maker.price * qty * unit(maker.symbol), fee);
    }

    /// The worst price that the collar lets an order trade at, in two-hundredths.
    fn is_beyond_collar(&self, symbol: SymbolId, side: Side, price: i128) -> bool {
        if symbol == RAIN {
            return false;
        }
        let best = |side: Side| self.queue(symbol, side).first().map(|row| row.price);
        let (bid, ask) = (best(Side::Buy), best(Side::Sell));
        let twice = match (self.last.get(&symbol), bid, ask) {
            (Some(last), bid, ask) => {
                let last = bid.map_or(*last, |bid| bid.max(*last));
                2 * ask.map_or(last, |ask| ask.min(last))
            }
            (None, Some(bid), Some(ask)) => bid + ask,
            (None, _, _) => return false,
        };
        if side == Side::Buy { price * 200 > twice * 110 } else { price * 200 < twice * 90 }
    }

    fn refuse(&self, row: &Row, placer: Placer, place: &Place) -> Result<(), Reject<Refusal>> {
        if row.left < 100 {
            return Err(Reject::BelowMinimum);
        }
        let is_limit = place.kind == OrderKind::Limit;
        if row.symbol == RAIN && is_limit && row.price >= 100 {
            return Err(Reject::Desk(Refusal::NoSuchPrice));
        }
        // The cost of a market order is known once it is planned.
        let needs = match row.symbol {
            _ if is_limit => Self::reserve(row, self.position(row.account)[0], row.left),
            PERP => 0,
            _ if row.pays() => 0,
            symbol => row.left * base_unit(symbol),
        };
        assert!(placer.session != SessionId::EXCHANGE || needs == 0 || is_limit);
        if needs > self.free(row.account, row.asset()) {
            return Err(Reject::BeyondFunds);
        }
        if is_limit && row.pays() {
            self.check_debt(row, row.cost(row.price, row.left))?;
        }
        Ok(())
    }

    fn check_debt(&self, row: &Row, cost: i128) -> Result<(), Reject<Refusal>> {
        let debt = self.debts.get(&row.account).copied().unwrap_or(0);
        let limit = 10 * 10_i128.pow(19);
        let is_over = row.borrows() && row.pays() && debt + cost / 2 > limit;
        if is_over { Err(Reject::Desk(Refusal::BorrowLimit)) } else { Ok(()) }
    }

    /// Places one order; on a refusal nothing has changed.
    pub(crate) fn place(&mut self, placer: Placer, place: &Place) -> Result<(), Reject<Refusal>> {
        self.cancelled.clear();
        let account = placer.account.0;
        assert!(account >= FIRST);
        let mut row = Row {
            id: self.next_id,
            account,
            symbol: place.symbol,
            side: place.side,
            claim: place.claim,
            price: place.price.ticks().into(),
            left: i128::try_from(place.qty.hundredths()).unwrap(),
            rates: self.rates(place.symbol, account),
            reserve: 0,
        };
        let outcome = self.refuse(&row, placer, place).and_then(|()| self.trade(&mut row, placer, place));
        match outcome {
            Err(Reject::BeyondFunds) => self.counts.no_funds += 1,
            Err(Reject::Desk(_)) => self.counts.desk_refusals += 1,
            Ok(()) | Err(_) => {}
        }
        outcome
    }

    fn trade(&mut self, row: &mut Row, placer: Placer, place: &Place) -> Result<(), Reject<Refusal>> {
        let is_limit = place.kind == OrderKind::Limit;
        let others = self.queue(row.symbol, row.side.opposite());
        let wants = |price: i128| !is_limit || row.accepts(price);
        // The makers after the fills, tried on a copy.
        let mut trial = self.clone();
        let (mut left, mut fills, mut uncovered) = (row.left, Vec::new(), Vec::new());
        for maker in &others {
            let collared = self.is_beyond_collar(row.symbol, row.side, maker.price);
            if left == 0 || !wants(maker.price) || collared {
                break;
            }
            let qty = left.min(maker.left);
            let mut once_more = trial.clone();
            once_more.settle_maker(maker, qty);
            if once_more.free(maker.account, USD.into()) < 0 {
                uncovered.push(maker.id);
                continue;
            }
            trial = once_more;
            fills.push((maker.clone(), qty));
            left -= qty;
        }
        let reach = if is_limit { Some(row.price) } else { fills.last().map(|(maker, _)| maker.price) };
        let meets = |price: i128| reach.is_some_and(|reach| sign(row.side) * price <= sign(row.side) * reach);
        let self_crosses = others.iter().any(|other| other.account == row.account && meets(other.price));
        let crosses = others.first().is_some_and(|best| row.accepts(best.price));
        let void = match place.option {
            _ if self_crosses => Some(CancelReason::SelfCrossPrevented),
            Some(ExecutionOption::MakerOrCancel) if crosses => Some(CancelReason::MakerOrCancelWouldTake),
            Some(ExecutionOption::FillOrKill) if left > 0 => Some(CancelReason::FillOrKillWouldNotFill),
            _ => None,
        };
        if let Some(reason) = void {
            self.cancelled.push((row.id, reason));
            self.next_id += 1;
            return Ok(());
        }
        let (count, qty) = (u64::try_from(fills.len()).unwrap(), row.left - left);
        let is_gone = |other: &&Row| {
            uncovered.contains(&other.id)
                || fills.iter().any(|(maker, qty)| maker.id == other.id && *qty == other.left)
        };
        let next = others.iter().find(|other| !is_gone(other));
        let stopped = next
            .is_some_and(|next| wants(next.price) && self.is_beyond_collar(row.symbol, row.side, next.price));
        let is_immediate = !is_limit || place.option == Some(ExecutionOption::ImmediateOrCancel);
        let end = match left {
            0 => None,
            _ if stopped => Some(CancelReason::ExceedsPriceLimits),
            _ if is_immediate => Some(CancelReason::ImmediateOrCancelWouldPost),
            _ => None,
        };
        let mut cost = 0;
        if qty > 0 {
            let notional = fills.iter().map(|(maker, qty)| maker.price * qty * unit(row.symbol)).sum();
            let rate = row.rates.taker.get();
            let fee = fills.iter().map(|(maker, qty)| row.fee(maker.price, *qty, rate)).sum();
            trial.settle(row, qty, notional, fee);
            cost = notional;
        }
        row.left = left;
        if left > 0 && end.is_none() {
            row.reserve = Self::reserve(row, trial.position(row.account)[0], left);
        }
        // Money that uncovered orders free is theirs again, and none of them is of this account.
        let spare =
            trial.free(row.account, USD.into()) - if row.asset() == USD.into() { row.reserve } else { 0 };
        if spare < 0 {
            if placer.session != SessionId::EXCHANGE {
                return Err(Reject::BeyondFunds);
            }
            trial.pay(CLEARING, row.account, USD.into(), -spare);
            trial.counts.shortfalls += 1;
        }
        self.check_debt(row, cost)?;
        trial.rows.retain(|other| !uncovered.contains(&other.id));
        trial.cancelled = uncovered.iter().map(|id| (*id, CancelReason::Uncovered)).collect();
        trial.cancelled.extend(end.map(|reason| (row.id, reason)));
        trial.next_id += 1 + count;
        if let Some((maker, _)) = fills.last() {
            trial.last.insert(row.symbol, maker.price);
        }
        trial.count(row, &fills, uncovered.len(), end);
        if left > 0 && end.is_none() {
            trial.rows.push(row.clone());
        }
        *self = trial;
        Ok(())
    }

    fn count(&mut self, row: &Row, fills: &[(Row, i128)], uncovered: usize, end: Option<CancelReason>) {
        let of = |is: bool| u32::from(is);
        let any = |is: fn(&Row, &Row) -> bool| of(fills.iter().any(|(maker, _)| is(row, maker)));
        self.counts.uncovered += u32::try_from(uncovered).unwrap();
        self.counts.mints += any(|row, maker| row.symbol == RAIN && row.pays() && maker.pays());
        self.counts.merges += any(|row, maker| row.symbol == RAIN && !row.pays() && !maker.pays());
        self.counts.mixed += any(|row, maker| row.symbol == BTCUSD && row.borrows() != maker.borrows());
        self.counts.free_rests += of(end.is_none() && row.left > 0 && row.reserve == 0);
        self.counts.collared += of(end == Some(CancelReason::ExceedsPriceLimits));
    }
}
