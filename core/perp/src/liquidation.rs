//! Liquidation: the queue of accounts below maintenance, and what each step does.
//!
//! The marks put accounts into the queue. One account after another is liquidated, in rounds: its orders are cancelled, a part of its
//! largest position is sent to the book at the zero price, and what the book leaves goes to the insurance fund or to opposite positions
//! . The commands of a round follow each other with no other command between; other commands may run between two rounds.
//!
//! Clauses: `PERP-027` to `PERP-029`; decisions D-48, D-52 to D-55, D-178. The sums are those of `margin::liquidation` and
//! `margin::deleverage`. Not here: how an order trades (`trading`), which the engine calls for [`Task::Place`].

use crate::figures::Holder;
use crate::off_book::{Kind, OffBook, Taken};
use crate::prices::Prices;
use crate::{Contract, Infrequent, Perps, Reject, Row};
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;
use buttonwood_index::Latest;
use buttonwood_model::{
    AccountId, BytesRef, Claim, CurrencyId, ExecutionOption, OrderId, OrderKind, Outbox, Side, Symbol,
    SymbolId, Time, TradeId,
};
use buttonwood_num::{HUNDREDTHS_PER_LOT, Money, Price, Qty};
use buttonwood_risk::liquidation::{Fund, Offered};
use buttonwood_risk::{Collateral, deleverage, liquidation};
use buttonwood_room::Context;
use buttonwood_trading::place::Place;
use core::cmp::Reverse;
use serde::{Deserialize, Serialize};

/// The most positions that one command deleverages.
pub const DELEVERAGED_MAX: usize = 100;

/// A round of a liquidation that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// The account.
    pub account: AccountId,
    /// The contract whose position is reduced; none while the account's orders are being cancelled.
    pub part: Option<Part>,
}

/// The part of a position that a round closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The contract.
    pub symbol: SymbolId,
    /// The quantity that is left to close.
    pub left: Qty,
    /// The zero price.
    pub price: Money,
    /// The value of what the book took.
    pub traded: Money,
    /// Whether opposite positions take it, since the fund takes no more of it.
    pub deleverages: bool,
}

/// The engine's task for a step, after the step's own events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Nothing.
    Nothing,
    /// Cancels every live order of the account.
    Cancel(AccountId),
    /// Places an order of the exchange for the account.
    Place(AccountId, Place),
}

/// Collateral that the fund takes for what an account owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seized {
    /// The currency.
    pub currency: CurrencyId,
    /// How much of it.
    pub amount: Money,
    /// The amount that the fund repays for it.
    pub repaid: Money,
}

/// The end of an account's liquidation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The account.
    pub account: AccountId,
    /// The collateral that the fund took.
    pub seized: Vec<Seized>,
    /// The amount that the fund repaid for nothing.
    pub covered: Money,
}

/// The accounts that wait for liquidation, and the round under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Liquidations {
    /// Oldest first.
    queue: VecDeque<(AccountId, Time)>,
    waiting: BTreeSet<AccountId>,
    round: Option<Round>,
    /// Whether positions changed hands off the book since the marks were taken, which may leave another account below maintenance.
    has_moved: bool,
}

impl Liquidations {
    /// Whether nothing is under way.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Whether the account waits for liquidation, or is being liquidated.
    pub fn contains(&self, account: AccountId) -> bool {
        self.waiting.contains(&account)
    }

    /// The accounts, in the order of their liquidation.
    pub fn accounts(&self) -> impl Iterator<Item = AccountId> {
        self.queue.iter().map(|(account, _)| *account)
    }

    /// The round under way.
    pub fn round(&self) -> Option<&Round> {
        self.round.as_ref()
    }

    /// Since when the next account waits, or a round of the fund's own positions goes on.
    pub(crate) fn due(&self) -> Option<Time> {
        self.queue.front().map(|(_, time)| *time).or_else(|| self.round.map(|_| Time::default()))
    }

    pub(crate) fn add(&mut self, accounts: &[AccountId], time: Time) {
        for account in accounts {
            if self.waiting.insert(*account) {
                self.queue.push_back((*account, time));
            }
        }
    }

    /// A round begins, with the cancels of the account's orders or with an order.
    pub(crate) fn begin(&mut self, round: Round) {
        self.round = Some(round);
    }

    /// Notes a fill of the order that the exchange placed in this round.
    pub(crate) fn note_fill(&mut self, account: AccountId, symbol: SymbolId, qty: Qty, notional: Money) {
        let part = self.round.as_mut().filter(|round| round.account == account);
        if let Some(part) = part.and_then(|round| round.part.as_mut()).filter(|part| part.symbol == symbol) {
            part.left -= qty;
            part.traded += notional;
        }
    }

    /// The rest that the book left of a round was taken, all of it or up to `left`.
    pub(crate) fn take(&mut self, left: Qty, moved: bool) {
        self.has_moved |= moved;
        let part = self.round.as_mut().and_then(|round| round.part.as_mut());
        match part.filter(|_| left > Qty::ZERO) {
            Some(part) => {
                part.left = left;
                part.deleverages = true;
                // Its fee is paid.
                part.traded = Money::ZERO;
            }
            None => self.round = None,
        }
    }

    /// The first account of the queue leaves it. Returns whether the marks must be taken again.
    pub(crate) fn end(&mut self, account: AccountId) -> bool {
        self.queue.pop_front();
        self.waiting.remove(&account);
        self.round = None;
        self.queue.is_empty() && core::mem::take(&mut self.has_moved)
    }
}

/// The accounts that are below maintenance at these marks and not in the queue yet, in the order of their ids; the fund if it is below
/// zero; those without a position whose collateral covers too little of what they owe.
pub(crate) fn due(context: &Context<'_, Perps>, (prices, latest): (&Prices, &Latest)) -> Vec<AccountId> {
    let Context { room: perps, ledger, .. } = *context;
    let Some(gusd) = ledger.gusd() else { return Vec::new() };
    let holder = |account| Holder { perps, prices, latest, ledger, account, gusd };
    let is_new = |account: &AccountId| !perps.liquidations.contains(*account);
    let open = perps.accounts_with_positions().filter(is_new);
    let mut due: Vec<AccountId> = open.filter(|account| holder(*account).is_due()).collect();
    let owing: BTreeSet<AccountId> = perps.loans().after(None).map(|(account, ..)| account).collect();
    let stranded = owing.into_iter().filter(is_new).filter(|account| holder(*account).is_stranded());
    let before = due.len();
    due.extend(stranded);
    if due.len() > before {
        due.sort_unstable();
    }
    due
}

/// A position that can be closed.
#[derive(Clone, Copy, Debug)]
struct Open<'a> {
    row: Row,
    symbol: &'a Symbol,
    contract: Contract,
}

/// The liquidation of one account at the marks in force.
struct Case<'a> {
    context: &'a Context<'a, Perps>,
    account: AccountId,
    gusd: CurrencyId,
    fund: AccountId,
}

/// Decides the next step of the liquidations.
///
/// # Errors
/// [`Reject::NotDue`] while no account waits and no round is under way.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Perps>,
    out: &mut Outbox<E>,
) -> Result<Task, Reject> {
    let liquidations = &context.room.liquidations;
    let fund = context.room.fund().ok_or(Reject::NotDue)?;
    let of_round = liquidations.round().map(|round| round.account);
    let account = of_round.or_else(|| liquidations.accounts().next());
    let (account, gusd) = account.zip(context.ledger.gusd()).ok_or(Reject::NotDue)?;
    let case = Case { context, account, gusd, fund };
    if let Some(Round { part: Some(part), .. }) = liquidations.round() {
        out.push_named(&Infrequent::OffBookTaken(case.take(part)));
        return Ok(Task::Nothing);
    }
    let has_orders = context.orders.in_any_order(account).next().is_some();
    if liquidations.round().is_none() && has_orders && case.holder().is_due() {
        out.push_named(&Infrequent::RoundBegun(Round { account, part: None }));
        return Ok(Task::Cancel(account));
    }
    Ok(case.place(out).unwrap_or_else(|| {
        out.push_named(&Infrequent::LiquidationEnded(case.end()));
        Task::Nothing
    }))
}

impl<'a> Case<'a> {
    fn holder(&self) -> Holder<'a> {
        let Context { room: perps, ledger, sources, .. } = *self.context;
        let (prices, latest) = (&perps.prices, sources.indices.latest());
        Holder { perps, prices, latest, ledger, account: self.account, gusd: self.gusd }
    }

    fn fund(&self) -> Holder<'a> {
        Holder { account: self.fund, ..self.holder() }
    }

    /// Begins to close a part of the largest position whose index has enough sources. None if the liquidation has ended.
    fn place<E: From<BytesRef>>(&self, out: &mut Outbox<E>) -> Option<Task> {
        let holder = self.holder();
        if !holder.is_due() {
            return None;
        }
        let open: Vec<Open<'_>> = self.open().collect();
        let weighed = open.iter().map(|open| (open.row.position.quantity, open.contract.mark));
        let Open { row, symbol, contract } = *open.get(liquidation::largest(weighed)?)?;
        let (quantity, grid) = (row.position.quantity, &symbol.grid);
        let [lot, tick] = [
            grid.base(Qty::from_hundredths(HUNDREDTHS_PER_LOT))?,
            grid.value(Money::ONE, Price::from_ticks(1)),
        ];
        let assets = liquidation::without_debt(holder.sums()?.assets, self.context.room.debt(self.account));
        let price = liquidation::zero_price(assets, quantity, contract.mark, tick)?;
        let whole = if holder.is_fund() {
            Money::from_units(quantity.units().checked_abs()?)
        } else {
            liquidation::step(quantity, contract.mark, lot)
        };
        let left = qty_of(symbol, whole)?;
        let part = Part { symbol: row.symbol, left, price, traded: Money::ZERO, deleverages: false };
        out.push_named(&Infrequent::RoundBegun(Round { account: self.account, part: Some(part) }));
        if holder.is_fund() {
            return Some(Task::Nothing);
        }
        let ticks = u64::try_from(price.units() / tick.units()).ok().filter(|ticks| *ticks > 0);
        Some(ticks.map_or(Task::Nothing, |ticks| {
            let side = if quantity.is_negative() { Side::Buy } else { Side::Sell };
            Task::Place(self.account, order(row.symbol, side, Price::from_ticks(ticks), left))
        }))
    }

    /// The account's positions that can be closed.
    fn open(&self) -> impl Iterator<Item = Open<'a>> {
        let Context { room: perps, symbols, .. } = *self.context;
        perps.rows_of(self.account).filter_map(|row| {
            let symbol = symbols.get(row.symbol.index())?;
            let contract = *perps.contract(row.symbol).filter(|contract| contract.is_fresh)?;
            (!row.position.is_flat()).then_some(Open { row: *row, symbol, contract })
        })
    }

    /// Who takes what the book left, after the fee for what it took.
    fn take(&self, part: &Part) -> Taken {
        let blank = Taken {
            account: self.account,
            symbol: part.symbol,
            side: Side::Sell,
            order: OrderId(self.context.next_id),
            fee: Money::ZERO,
            kind: Kind::TakenOver,
            trades: Vec::new(),
            left: Qty::ZERO,
        };
        let context = self.context;
        let symbol = context.symbols.get(part.symbol.index());
        let contract = context.room.contract(part.symbol);
        let (Some(symbol), Some(contract), Some(sums)) = (symbol, contract, self.holder().sums()) else {
            return blank;
        };
        let fee =
            if part.traded == Money::ZERO { Money::ZERO } else { liquidation::fee(part.traded, sums.assets) };
        let quantity = context.room.row(self.account, part.symbol).position.quantity;
        let side = if quantity.is_negative() { Side::Buy } else { Side::Sell };
        let blank = Taken { side, fee, ..blank };
        if part.left == Qty::ZERO {
            return blank;
        }
        if let Some(qty) = self.fund_takes(part, (symbol, contract.mark), fee) {
            let trades = self.numbered([(self.fund, part.price, qty)]);
            return Taken { trades, left: part.left - qty, ..blank };
        }
        let (trades, left) = self.deleveraged(part, symbol, *contract, side);
        Taken { kind: Kind::Deleveraged, trades, left, ..blank }
    }

    /// How much of what is left the fund takes, once it has its fee (D-178); none if that is nothing.
    fn fund_takes(&self, part: &Part, (symbol, mark): (&Symbol, Money), fee: Money) -> Option<Qty> {
        let context = self.context;
        if self.account == self.fund || part.deleverages || context.room.flattens_at(context.time) {
            return None;
        }
        let fund = context.fund()?;
        let fund = Fund { assets: fund.assets.checked_add(fee)?, ..fund };
        let base = symbol.grid.base(part.left)?;
        let is_short = context.room.row(self.account, part.symbol).position.quantity.is_negative();
        let taken = fund.takes(&Offered {
            quantity: if is_short { -base } else { base },
            price: part.price,
            mark,
            lot: symbol.grid.base(Qty::from_hundredths(HUNDREDTHS_PER_LOT))?,
            own: context.room.row(self.fund, part.symbol).position.quantity,
        });
        qty_of(symbol, taken)
    }

    /// The opposite positions that take what is left, in deleveraging order, and what they leave for the next command.
    fn deleveraged(
        &self,
        part: &Part,
        symbol: &Symbol,
        contract: Contract,
        side: Side,
    ) -> (Vec<OffBook>, Qty) {
        let mut left = part.left;
        let mut trades = Vec::new();
        let (ranked, has_more) = self.ranked(part.symbol, side);
        for row in ranked {
            let whole = row.position.quantity.units().saturating_abs();
            let Some(most) = qty_of(symbol, Money::from_units(whole)) else { continue };
            let qty = left.min(most);
            let price = deleverage::price(&row.position, part.price, contract.mark).unwrap_or(contract.mark);
            trades.push((row.account, price, qty));
            left -= qty;
            if left == Qty::ZERO {
                break;
            }
        }
        // Positions sum to zero, so opposite ones never run out before the position does.
        (self.numbered(trades), if has_more { left } else { Qty::ZERO })
    }

    /// The first positions against the account's, in deleveraging order, and whether there are more. The fund's own comes last: the fund
    /// is no trader.
    fn ranked(&self, symbol: SymbolId, side: Side) -> (Vec<Row>, bool) {
        let Context { room: perps, ledger, .. } = *self.context;
        let is_opposite = |row: &&Row| {
            let is_short = row.position.quantity.is_negative();
            row.symbol == symbol && !row.position.is_flat() && is_short == (side == Side::Sell)
        };
        let latest = self.context.sources.indices.latest();
        let opposite = perps.rows().iter().filter(is_opposite).filter(|row| row.account != self.account);
        let mut ranked: Vec<_> = opposite
            .map(|row| {
                let (class, score) = perps.score(ledger, latest, self.gusd, row).rank();
                ((row.account == self.fund, class, score, row.account), *row)
            })
            .collect();
        let has_more = ranked.len() > DELEVERAGED_MAX;
        if has_more {
            ranked.select_nth_unstable_by_key(DELEVERAGED_MAX, |(key, _)| *key);
            ranked.truncate(DELEVERAGED_MAX);
        }
        ranked.sort_unstable_by_key(|(key, _)| *key);
        (ranked.into_iter().map(|(_, row)| row).collect(), has_more)
    }

    /// The trades with their ids. The account's order has the first free id; each trade takes two more, for the other side's order and
    /// for itself.
    fn numbered(&self, trades: impl IntoIterator<Item = (AccountId, Money, Qty)>) -> Vec<OffBook> {
        let first = self.context.next_id + 1;
        let ids = (first..).step_by(2);
        let numbered = ids.zip(trades).map(|(id, (account, price, qty))| OffBook {
            account,
            order: OrderId(id),
            trade: TradeId(id + 1),
            price,
            qty,
        });
        numbered.collect()
    }

    /// The fund's help for an account that is flat: it takes collateral at haircut value, least haircut first, until nothing is owed,
    /// and repays the remaining debt, both as far as its money goes.
    fn end(&self) -> Ended {
        let mut ended = Ended { account: self.account, seized: Vec::new(), covered: Money::ZERO };
        let Context { room: perps, ledger, .. } = *self.context;
        let mut owed = perps.owed(self.account, self.gusd);
        let is_flat = perps.rows_of(self.account).all(|row| row.position.is_flat());
        if owed == Money::ZERO || !is_flat || self.account == self.fund {
            return ended;
        }
        let mut money = ledger.balance(self.fund, self.gusd).available;
        let mut held: Vec<_> = self.holder().collateral().collect();
        held.sort_by_key(|(_, collateral)| Reverse(collateral.percent));
        let mut is_bare = true;
        for (currency, collateral) in held {
            let pays = owed.min(money);
            let amount = collateral.covering(pays);
            let value = Collateral { amount, ..collateral }.value().unwrap_or_default();
            // An amount that is not all was rounded up, so it is worth all that is paid.
            let repaid = if amount < collateral.amount { pays } else { value.min(pays) };
            if amount > Money::ZERO && repaid > Money::ZERO {
                ended.seized.push(Seized { currency, amount, repaid });
                owed -= repaid;
                money -= repaid;
            }
            is_bare &= amount == collateral.amount;
        }
        if is_bare {
            // The fund keeps what its own positions need.
            let value = self.fund().sums().map_or(Money::ZERO, |sums| sums.assets);
            ended.covered = owed.min(money).min(value).max(Money::ZERO);
        }
        ended
    }
}

/// An amount of base currency as a quantity of the symbol; none unless it is above zero.
pub(crate) fn qty_of(symbol: &Symbol, amount: Money) -> Option<Qty> {
    let unit = symbol.grid.base(Qty::from_hundredths(1))?.units();
    let hundredths = amount.units().checked_div(unit).filter(|hundredths| *hundredths > 0)?;
    u128::try_from(hundredths).ok().map(Qty::from_hundredths)
}

/// The order that closes a part of a position.
pub(crate) fn order(symbol: SymbolId, side: Side, price: Price, qty: Qty) -> Place {
    Place {
        symbol,
        side,
        claim: Claim::Yes,
        kind: OrderKind::Limit,
        option: Some(ExecutionOption::ImmediateOrCancel),
        price,
        qty,
        spend: Money::ZERO,
        client_id: None,
        stop: Price::default(),
        margin: false,
    }
}
