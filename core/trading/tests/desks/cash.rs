//! A cash desk and a margin desk, which meet on one book: the second borrows half of what it buys for, and repays from sales.

use crate::desks::{Move, Refusal, units};
use buttonwood_ledger::{Crossing as Exchange, Ledger, Maker, Taker, Trade};
use buttonwood_model::{AccountId, AssetId, CancelReason, CurrencyId, OrderKind, Product, Side, Symbol};
use buttonwood_num::{Bps, Money, Price, Qty};
use buttonwood_trading::{
    CollarWidth, Crossing, Execution, Fill, Live, Reserve, Rules, StopRule, Terms, Unmet,
};
use std::collections::BTreeMap;

pub(crate) const RULES: Rules = Rules {
    collar: Some(CollarWidth { buy: 110, sell: 90 }),
    opens: true,
    auctions: true,
    uncovered: CancelReason::Uncovered,
    fees_of: Product::Spot,
    stops: StopRule::Apart,
};

/// The largest debt of an account.
pub(crate) const LIMIT: Money = Money::from_units(100_000_000_000_000_000_000);

/// The debt of each account of the margin desk.
pub(crate) type Debts = BTreeMap<AccountId, Money>;

fn half(notional: Money) -> Money {
    Money::from_units(notional.units() / 2)
}

/// The reserve of a quantity: the margin desk lends half of a purchase.
fn needed(symbol: &Symbol, borrows: bool, side: Side, price: Price, qty: Qty, rate: Bps) -> Option<Money> {
    if side == Side::Sell {
        return symbol.grid.base(qty);
    }
    let cost = symbol.grid.cost(price, qty, rate)?;
    Some(if borrows { cost - half(symbol.grid.notional(price, qty)?) } else { cost })
}

/// `debts` are those of the margin desk, none at the cash desk.
pub(crate) fn reserve(
    ledger: &Ledger,
    debts: Option<&Debts>,
    terms: &Terms<'_>,
) -> Result<Reserve, Unmet<Refusal>> {
    let (symbol, side) = (terms.symbol, terms.class.side());
    let amount = match terms.kind {
        OrderKind::MarketSpend if debts.is_some() => return Err(Unmet::Other(Refusal::NoSpend)),
        OrderKind::MarketSpend => Some(terms.spend),
        OrderKind::Market if side == Side::Buy => Some(Money::ZERO),
        OrderKind::Market | OrderKind::Limit | OrderKind::StopLimit => {
            needed(symbol, debts.is_some(), side, terms.price, terms.qty, terms.rates.worst())
        }
    };
    let amount = amount.ok_or(Unmet::Beyond)?;
    let (held, balance) = ledger.find(terms.account, symbol.paid_in(side));
    if amount > balance.available + terms.freed {
        return Err(Unmet::Beyond);
    }
    if side == Side::Buy && terms.kind == OrderKind::Limit {
        let notional = symbol.grid.notional(terms.price, terms.qty).ok_or(Unmet::Beyond)?;
        check_limit(debts, terms.account, notional)?;
    }
    Ok(Reserve { held, amount })
}

fn check_limit(debts: Option<&Debts>, account: AccountId, notional: Money) -> Result<(), Unmet<Refusal>> {
    let Some(debts) = debts else { return Ok(()) };
    let debt = debts.get(&account).copied().unwrap_or(Money::ZERO);
    if debt + half(notional) > LIMIT { Err(Unmet::Other(Refusal::BorrowLimit)) } else { Ok(()) }
}

pub(crate) fn rest(borrows: bool, terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve {
    let rate = terms.rates.worst();
    let amount = needed(terms.symbol, borrows, terms.class.side(), terms.price, left, rate);
    Reserve { amount: amount.unwrap(), ..whole }
}

pub(crate) fn affords(
    ledger: &Ledger,
    debts: Option<&Debts>,
    terms: &Terms<'_>,
    fills: &[Fill],
    rest: Option<Reserve>,
) -> Result<(), Unmet<Refusal>> {
    let symbol = terms.symbol;
    if terms.class.side() == Side::Sell {
        return Ok(());
    }
    let notional: Money = fills.iter().map(|fill| symbol.grid.notional(fill.price, fill.qty).unwrap()).sum();
    let fee = |fill: &Fill| symbol.grid.fee(fill.price, fill.qty, terms.rates.taker).unwrap();
    let fees: Money = fills.iter().map(fee).sum();
    let lent = if debts.is_some() { half(notional) } else { Money::ZERO };
    let rest = rest.map_or(Money::ZERO, |rest| rest.amount);
    let available = ledger.balance(terms.account, symbol.quote).available;
    if notional + fees + rest - lent > available {
        return Err(Unmet::Beyond);
    }
    check_limit(debts, terms.account, notional)
}

fn held_by(live: Live<'_>, borrows: bool, qty: Qty) -> Money {
    let rate = live.rates().worst();
    needed(live.symbol, borrows, live.order.side(), live.order.price, qty, rate).unwrap()
}

pub(crate) fn reserved(live: Live<'_>, borrows: bool) -> (AssetId, Money) {
    (live.symbol.paid_in(live.order.side()).into(), held_by(live, borrows, live.order.remaining))
}

pub(crate) fn hold(ledger: &mut Ledger, live: Live<'_>, reserve: Reserve) {
    let whose = || (live.order.account, live.symbol.paid_in(live.order.side()).into());
    ledger.hold_at(reserve.held, whose, reserve.amount);
}

pub(crate) fn release(ledger: &mut Ledger, live: Live<'_>, borrows: bool) {
    ledger.release(live.order.held, held_by(live, borrows, live.order.remaining));
}

fn party(live: Live<'_>, borrows: bool, qty: Qty, fee: Money) -> Maker {
    let left = live.order.remaining;
    Maker {
        account: live.order.account,
        side: live.order.side(),
        fee,
        held: live.order.held,
        freed: held_by(live, borrows, left) - held_by(live, borrows, left - qty),
    }
}

pub(crate) fn settle_maker(ledger: &mut Ledger, borrows: bool, execution: &Execution<'_>) {
    let Execution { maker, qty, notional, maker_fee, taker_fee, .. } = *execution;
    let symbol = maker.symbol;
    ledger.settle_maker(&Trade {
        base: symbol.base,
        quote: symbol.quote,
        amount: symbol.grid.base(qty).unwrap(),
        notional,
        maker: party(maker, borrows, qty, *maker_fee),
        taker_fee: *taker_fee,
    });
}

pub(crate) fn settle_taker(ledger: &mut Ledger, taker: Live<'_>) {
    let symbol = taker.symbol;
    let (account, side) = (taker.order.account, taker.order.side());
    ledger.settle_taker(&Taker { account, side, base: symbol.base, quote: symbol.quote });
}

/// `borrow` says which of buyer and seller are of the margin desk.
pub(crate) fn settle_crossing(ledger: &mut Ledger, borrow: [bool; 2], crossing: &Crossing<'_>) {
    let Crossing { buy, sell, qty, notional, fees, .. } = *crossing;
    let symbol = buy.symbol;
    ledger.settle_crossing(&Exchange {
        base: symbol.base,
        quote: symbol.quote,
        amount: symbol.grid.base(qty).unwrap(),
        notional,
        buyer: party(buy, borrow[0], qty, fees[0]),
        seller: party(sell, borrow[1], qty, fees[1]),
    });
}

/// Lends a buyer of the margin desk half of what it pays, before it pays.
pub(crate) fn lend(ledger: &mut Ledger, debts: &mut Debts, party: Live<'_>, notional: Money) {
    if party.order.side() == Side::Buy {
        owe(ledger, debts, party.order.account, party.symbol.quote, half(notional));
    }
}

/// Has a seller of the margin desk repay from what it received.
pub(crate) fn repay(ledger: &mut Ledger, debts: &mut Debts, party: Live<'_>, moves: Move) {
    let account = party.order.account;
    let debt = debts.get(&account).copied().unwrap_or(Money::ZERO);
    if party.order.side() == Side::Sell {
        owe(ledger, debts, account, party.symbol.quote, -debt.min(moves.notional - moves.fee));
    }
}

fn owe(ledger: &mut Ledger, debts: &mut Debts, account: AccountId, quote: CurrencyId, amount: Money) {
    *debts.entry(account).or_insert(Money::ZERO) += amount;
    let lending = ledger.house("lending").unwrap();
    units(ledger, quote.into(), &[(account, amount.units()), (lending, -amount.units())]);
}
