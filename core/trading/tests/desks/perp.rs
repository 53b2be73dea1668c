//! A desk like that of a perpetual: positions with a margin, and profit and loss against the house's clearing account.
//!
//! An order reserves margin for the part that increases the position when it is placed, and nothing for the part that
//! closes it. Two orders may count on closing the same position, so a resting order may find its fill uncovered.

use crate::desks::{Move, quote_of, units};
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CancelReason, OrderId, OrderKind, Product, SessionId, Side, SymbolId};
use buttonwood_num::{Bps, Grid, Money, Price, Qty};
use buttonwood_trading::{CollarWidth, Fill, Live, Reserve, Rules, StopRule, Terms, Unmet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(crate) const RULES: Rules = Rules {
    collar: Some(CollarWidth { buy: 110, sell: 90 }),
    opens: true,
    auctions: true,
    uncovered: CancelReason::Uncovered,
    fees_of: Product::Swap,
    stops: StopRule::Apart,
};

/// The quantity of one contract that one account has bought or sold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// Hundredths of a lot; negative when sold.
    pub(crate) qty: i128,
    /// Its entry value.
    pub(crate) value: i128,
    /// The margin that the clearing account keeps for it.
    pub(crate) margin: i128,
}

impl Position {
    /// The position after a trade, and what the account receives for it before fees.
    fn after(self, qty: i128, notional: i128) -> (Self, i128) {
        let closed = closing(self.qty, qty);
        let (traded, held) = (qty.abs(), self.qty.abs().max(1));
        let left_open = notional - notional * closed / traded;
        let [value, margin] = [self.value, self.margin].map(|whole| whole * closed / held);
        let result = (notional - left_open - value) * self.qty.signum();
        let opened = left_open / 10;
        let after = Self {
            qty: self.qty + qty,
            value: self.value - value + left_open,
            margin: self.margin - margin + opened,
        };
        (after, margin + result - opened)
    }
}

/// How much of a trade closes a position.
fn closing(position: i128, qty: i128) -> i128 {
    if position.signum() * qty.signum() < 0 { position.abs().min(qty.abs()) } else { 0 }
}

fn signed(side: Side, qty: Qty) -> i128 {
    let qty = i128::try_from(qty.hundredths()).unwrap();
    if side == Side::Buy { qty } else { -qty }
}

/// The desk's state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Perp {
    pub(crate) positions: BTreeMap<(AccountId, SymbolId), Position>,
    /// The reserve that each resting order still has, if any: it does not follow from the order alone.
    reserves: BTreeMap<OrderId, Money>,
}

/// One account after its fills of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sketch {
    position: Position,
    available: i128,
}

pub(crate) type Plan = BTreeMap<AccountId, Sketch>;

/// The margin and the fee of what increases a position.
fn cost(grid: &Grid, price: Price, increase: i128, rate: Bps) -> Option<Money> {
    let qty = Qty::from_hundredths(increase.unsigned_abs());
    let margin = Money::from_units(grid.notional(price, qty)?.units() / 10);
    margin.checked_add(grid.fee(price, qty, rate)?)
}

impl Perp {
    pub(crate) fn position(&self, account: AccountId, symbol: SymbolId) -> Position {
        self.positions.get(&(account, symbol)).copied().unwrap_or_default()
    }

    /// The reserve of `qty` at the order's limit after `traded` of it.
    fn reserve_of<R>(&self, terms: &Terms<'_>, traded: Qty, qty: Qty) -> Result<Money, Unmet<R>> {
        let side = terms.class.side();
        let before = self.position(terms.account, terms.symbol_id).qty + signed(side, traded);
        let increase = signed(side, qty).abs() - closing(before, signed(side, qty));
        cost(&terms.symbol.grid, terms.price, increase, terms.rates.worst()).ok_or(Unmet::Beyond)
    }

    pub(crate) fn reserve<R>(&self, ledger: &Ledger, terms: &Terms<'_>) -> Result<Reserve, Unmet<R>> {
        if terms.kind != OrderKind::Limit {
            return Ok(Reserve::NONE);
        }
        let amount = self.reserve_of(terms, Qty::ZERO, terms.qty)?;
        let (held, balance) = ledger.find(terms.account, terms.symbol.quote);
        if amount == Money::ZERO {
            Ok(Reserve::NONE)
        } else if amount <= balance.available {
            Ok(Reserve { held, amount })
        } else {
            Err(Unmet::Beyond)
        }
    }

    pub(crate) fn rest(&self, terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve {
        let amount = self.reserve_of::<()>(terms, terms.qty - left, left).unwrap();
        if amount == Money::ZERO { Reserve::NONE } else { Reserve { amount, ..whole } }
    }

    /// The part of its reserve that an order's fill frees.
    fn freed(&self, live: Live<'_>, qty: Qty) -> Money {
        let whole = self.reserves.get(&live.order.id).copied().unwrap_or(Money::ZERO);
        let (qty, left) = (signed(Side::Buy, qty), signed(Side::Buy, live.order.remaining));
        Money::from_units(whole.units() * qty / left)
    }

    pub(crate) fn covers(
        &self,
        ledger: &Ledger,
        plan: &mut Plan,
        maker: Live<'_>,
        qty: Qty,
        fee: Money,
    ) -> bool {
        let order = maker.order;
        let before = plan.get(&order.account).copied().unwrap_or_else(|| Sketch {
            position: self.position(order.account, order.symbol),
            available: ledger.balance(order.account, maker.symbol.quote).available.units(),
        });
        let notional = maker.grid().notional(order.price, qty).unwrap().units();
        let (position, gets) = before.position.after(signed(order.side(), qty), notional);
        let available = before.available + self.freed(maker, qty).units() + gets - fee.units();
        if available < 0 {
            return false;
        }
        plan.insert(order.account, Sketch { position, available });
        true
    }

    pub(crate) fn affords<R>(
        &self,
        ledger: &Ledger,
        terms: &Terms<'_>,
        fills: &[Fill],
        rest: Option<Reserve>,
    ) -> Result<(), Unmet<R>> {
        // The exchange closes what an account cannot pay for; the clearing account bears the rest of the loss.
        if terms.session == SessionId::EXCHANGE {
            return Ok(());
        }
        let grid = &terms.symbol.grid;
        let qty: Qty = fills.iter().map(|fill| fill.qty).sum();
        let notional: Money = fills.iter().map(|fill| grid.notional(fill.price, fill.qty).unwrap()).sum();
        let fee = |fill: &Fill| grid.fee(fill.price, fill.qty, terms.rates.taker).unwrap();
        let fees: Money = fills.iter().map(fee).sum();
        let position = self.position(terms.account, terms.symbol_id);
        let gets = match qty {
            Qty::ZERO => 0,
            qty => position.after(signed(terms.class.side(), qty), notional.units()).1,
        };
        let available = ledger.balance(terms.account, terms.symbol.quote).available.units();
        let rest = rest.map_or(Money::ZERO, |rest| rest.amount);
        if available + gets - (fees + rest).units() < 0 { Err(Unmet::Beyond) } else { Ok(()) }
    }

    pub(crate) fn reserved(&self, order: OrderId) -> Option<Money> {
        self.reserves.get(&order).copied()
    }

    pub(crate) fn hold(&mut self, ledger: &mut Ledger, live: Live<'_>, reserve: Reserve) {
        if reserve != Reserve::NONE {
            ledger.hold_at(reserve.held, || quote_of(live), reserve.amount);
            self.reserves.insert(live.order.id, reserve.amount);
        }
    }

    pub(crate) fn release(&mut self, ledger: &mut Ledger, live: Live<'_>) {
        if let Some(amount) = self.reserves.remove(&live.order.id) {
            ledger.release(live.order.held, amount);
        }
    }

    pub(crate) fn settle_maker(&mut self, ledger: &mut Ledger, maker: Live<'_>, qty: Qty, moves: Move) {
        let freed = self.freed(maker, qty);
        if let Some(reserve) = self.reserves.get_mut(&maker.order.id) {
            ledger.release(maker.order.held, freed);
            *reserve -= freed;
            if qty == maker.order.remaining {
                self.reserves.remove(&maker.order.id);
            }
        }
        let unpaid = self.settle(ledger, maker, qty, moves);
        assert!(unpaid == 0, "the plan covered the fill");
    }

    /// Settles one side. Returns the part of the account's loss that falls on the clearing account.
    pub(crate) fn settle(&mut self, ledger: &mut Ledger, party: Live<'_>, qty: Qty, moves: Move) -> i128 {
        let (account, symbol) = (party.order.account, party.order.symbol);
        let position = self.position(account, symbol);
        let (after, gets) = position.after(signed(party.order.side(), qty), moves.notional.units());
        if after.qty == 0 {
            self.positions.remove(&(account, symbol));
        } else {
            self.positions.insert((account, symbol), after);
        }
        let quote = party.symbol.quote;
        let available = ledger.balance(account, quote).available.units();
        let unpaid = (moves.fee.units() - gets - available).max(0);
        let gets = gets - moves.fee.units() + unpaid;
        units(
            ledger,
            quote.into(),
            &[
                (account, gets),
                (ledger.house("fees").unwrap(), moves.fee.units()),
                (ledger.house("clearing").unwrap(), -gets - moves.fee.units()),
            ],
        );
        unpaid
    }
}
