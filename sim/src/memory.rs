//! All orders and trades there ever were, in plain lists: what the read models must show.

use crate::check::Finding;
use buttonwood_engine::{Answer, OrderRef, OrderState, Outcome, State};
use buttonwood_model::{AccountId, OrderId, Side, SymbolId, Time};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_oracle::{Dice, Happening};
use buttonwood_views::history::{Fault, History, Limit, Look, Query};
use buttonwood_views::{Found, Views};
use std::collections::BTreeMap;

/// Trades of an account that a look at them asks for.
const PAGE: usize = 50;

/// The history of some views, a look at a time.
struct Shown<'a>(&'a Views);

impl Look for Shown<'_> {
    fn look(&self, see: &mut dyn FnMut(&History)) {
        see(self.0.history());
    }
}

/// Asks as the exchange does: memory first, and the files where that has not all rows.
fn told<T>(views: &Views, ask: impl Fn(Query<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
    match ask(Query::near(views.history())) {
        Err(Fault::Away) => ask(Query::far(&Shown(views))),
        told => told,
    }
}

fn find(views: &Views, account: AccountId, order: OrderId) -> Result<Option<Found>, Fault> {
    let order = OrderRef::Id(order);
    told(views, |history| Found::last_placed(views.find_live(account, &order), history, account, &order))
}

/// An account's part of a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    trade: u64,
    order: OrderId,
    symbol: SymbolId,
    side: Side,
    is_taker: bool,
    price: Price,
    qty: Qty,
    fee: Money,
    time: Time,
}

/// What is remembered.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    orders: BTreeMap<u64, OrderState>,
    /// Each account's, oldest first.
    trades: BTreeMap<AccountId, Vec<Part>>,
}

impl Memory {
    /// Remembers what one command came to.
    pub(crate) fn note(&mut self, state: &State, time: Time, answer: &Answer, happened: &[Happening]) {
        let mut entered = 0;
        for happening in happened {
            match *happening {
                Happening::Accepted(id) => {
                    entered = id;
                    if let Outcome::Order(order) = answer {
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
                    for (id, fee, is_taker) in [(maker, maker_fee, false), (entered, taker_fee, true)] {
                        let Some(order) = self.orders.get_mut(&id) else { continue };
                        let grid = &state.symbol(order.symbol).expect("it is listed").grid;
                        order.remaining -= qty;
                        order.notional += grid.notional(price, qty).expect("it was traded");
                        let (symbol, side, order, account) =
                            (order.symbol, order.side, order.id, order.account);
                        let part = Part { trade, order, symbol, side, is_taker, price, qty, fee, time };
                        self.trades.entry(account).or_default().push(part);
                    }
                }
                Happening::Cancelled(id, reason) => {
                    if let Some(order) = self.orders.get_mut(&id) {
                        order.reason = Some(reason);
                    }
                }
                Happening::Booked(_)
                | Happening::Completed(_)
                | Happening::Status(..)
                | Happening::Credited(..) => {}
            }
        }
    }

    /// Whether the views show some order and some account's newest trades as they are remembered.
    pub(crate) fn compare(&self, views: &Views, dice: &mut Dice) -> Result<(), Finding> {
        self.compare_order(views, dice)?;
        self.compare_trades(views, dice)
    }

    fn compare_order(&self, views: &Views, dice: &mut Dice) -> Result<(), Finding> {
        let Some((last, _)) = self.orders.last_key_value() else { return Ok(()) };
        let Some((_, order)) = self.orders.range(dice.below(last + 1)..).next() else { return Ok(()) };
        let found = find(views, order.account, order.id);
        let found = found.map_err(|fault| format!("order {:?} cannot be read: {fault}", order.id))?;
        let shown = found.as_ref().map(|found| found.order);
        if shown != Some(*order) {
            return Err(format!("the views show {shown:?}\nexpected {order:?}"));
        }
        let foreign = find(views, AccountId(order.account.0 + 1), order.id);
        match foreign {
            Ok(None) => Ok(()),
            Ok(Some(_)) => Err(format!("somebody else is shown order {:?}", order.id)),
            Err(fault) => Err(format!("order {:?} cannot be read: {fault}", order.id)),
        }
    }

    fn compare_trades(&self, views: &Views, dice: &mut Dice) -> Result<(), Finding> {
        let accounts = u64::try_from(self.trades.len()).expect("few accounts");
        if accounts == 0 {
            return Ok(());
        }
        let at = usize::try_from(dice.below(accounts)).expect("few accounts");
        let Some((account, parts)) = self.trades.iter().nth(at) else { return Ok(()) };
        let page = Limit { rows: PAGE, most: PAGE };
        let rows = told(views, |history| history.trades(*account, None, None, page));
        let rows = rows.map_err(|fault| format!("the trades of {account:?} cannot be read: {fault}"))?;
        let shown = rows.iter().map(|row| Part {
            trade: row.trade.0,
            order: row.order,
            symbol: row.symbol,
            side: row.side,
            is_taker: row.aggressor,
            price: row.price,
            qty: row.qty,
            fee: row.fee,
            time: row.time,
        });
        let expected = parts.iter().rev().take(PAGE).copied();
        if shown.eq(expected) {
            Ok(())
        } else {
            Err(format!("the views show other trades of {account:?}: {rows:?}"))
        }
    }
}
