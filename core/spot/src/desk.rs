//! The desk: each function answers one question that the floor puts to it.

use crate::fees::{self, both_fees, freed, hold_of};
use buttonwood_ledger::{Crossing as Exchange, Ledger, Maker, Taker, Trade};
use buttonwood_model::{AssetId, CancelReason, Desk, OrderKind, Product, Side};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_trading::{
    CollarWidth, Crossing, Execution, Fill, Live, Reserve, Rules, StopRule, Terms, Unmet,
};

/// The number of this desk.
pub const DESK: Desk = Desk::new(0);

/// The rules that spot symbols leave to the floor: a collar of 5 % each way (D-32), and auctions.
pub const RULES: Rules = Rules {
    collar: Some(CollarWidth { buy: 105, sell: 95 }),
    opens: true,
    auctions: true,
    uncovered: CancelReason::Uncovered,
    fees_of: Product::Spot,
    stops: StopRule::Apart,
};

/// The whole order must be covered, whatever of it trades at once (ORD-048). Returns what it would reserve.
///
/// # Errors
/// [`Unmet`], of too little money.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
pub fn reserve<R>(ledger: &Ledger, terms: &Terms<'_>) -> Result<Reserve, Unmet<R>> {
    let amount = needed(terms).ok_or(Unmet::Beyond)?;
    let (held, balance) = ledger.find(terms.account, terms.symbol.paid_in(terms.class.side()));
    let available = balance.available + terms.freed;
    if amount <= available {
        Ok(Reserve { held, amount })
    } else {
        Err(Unmet::Funds { needed: amount, available })
    }
}

/// What the whole order would reserve; none beyond the range of money.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
pub fn needed(terms: &Terms<'_>) -> Option<Money> {
    let side = terms.class.side();
    match terms.kind {
        OrderKind::MarketSpend => Some(terms.spend),
        // The cost of a market buy is known once it is planned.
        OrderKind::Market if side == Side::Buy => Some(Money::ZERO),
        OrderKind::Market | OrderKind::Limit | OrderKind::StopLimit => {
            fees::hold(&terms.symbol.grid, side, terms.price, terms.qty, terms.rates.worst())
        }
    }
}

/// The reserve of `left` of a limit order.
///
/// # Panics
/// When that is more than the whole order, which reserved an amount of money.
pub fn rest(terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve {
    let amount = fees::hold(&terms.symbol.grid, terms.class.side(), terms.price, left, terms.rates.worst());
    Reserve { amount: amount.expect("less than the whole order"), ..whole }
}

/// How much of `open` at a price the money buys, fee included, to a hundredth of a lot (ORD-044).
pub fn buy_with(terms: &Terms<'_>, money: &mut Money, price: Price, open: Qty) -> Qty {
    let (grid, rate) = (&terms.symbol.grid, terms.rates.taker);
    let take = grid.qty_for(*money, price, rate).min(open);
    *money -= fees::hold(grid, Side::Buy, price, take, rate).unwrap_or(*money);
    take
}

/// A buyer must afford fills and rest to the last quantum: the fees of several fills may round up more often than that of
/// the whole.
///
/// # Errors
/// [`Unmet`], of too little money.
pub fn affords<R>(
    ledger: &Ledger,
    terms: &Terms<'_>,
    fills: &[Fill],
    rest: Option<Reserve>,
) -> Result<(), Unmet<R>> {
    let (symbol, side) = (terms.symbol, terms.class.side());
    if side == Side::Sell {
        return Ok(());
    }
    // Where fees come out even, fills at the limit or below it and the rest cost no more than the whole was found to.
    if terms.kind == OrderKind::Limit && symbol.grid.has_exact_fees() {
        return Ok(());
    }
    let rest = rest.map_or(Money::ZERO, |rest| rest.amount);
    let needed = cost(terms, fills).and_then(|cost| cost.checked_add(rest)).ok_or(Unmet::Beyond)?;
    let available = ledger.balance(terms.account, symbol.paid_in(side)).available + terms.freed;
    if needed <= available { Ok(()) } else { Err(Unmet::Funds { needed, available }) }
}

/// The buyer's cost of the fills; none beyond the range of money.
fn cost(terms: &Terms<'_>, fills: &[Fill]) -> Option<Money> {
    let (grid, rate) = (&terms.symbol.grid, terms.rates.taker);
    fills.iter().try_fold(Money::ZERO, |sum, fill| {
        sum.checked_add(fees::hold(grid, Side::Buy, fill.price, fill.qty, rate)?)
    })
}

/// The fees of maker and taker for a fill.
///
/// # Panics
/// When a fee is beyond the range of money, which the hold of the maker prevents.
#[inline]
pub fn fees(maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> [Money; 2] {
    both_fees(maker, qty, taker.rates.taker).expect("smaller than what was held, and than the notional")
}

/// The fee of a party to an auction's trade of `qty`; `left` is the rest of the order after the trades before it.
pub fn auction_fee(party: Live<'_>, left: Qty, price: Price, qty: Qty) -> Money {
    fees::auction_fee(party, left, price, qty)
}

/// The reserve of a resting order, and its currency.
pub fn reserved(live: Live<'_>) -> (AssetId, Money) {
    (live.symbol.paid_in(live.order.side()).into(), hold_of(live))
}

/// Reserves what an order needs that rests from now on.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
pub fn hold<'a>(ledger: &mut Ledger, live: impl FnOnce() -> Live<'a>, reserve: Reserve) {
    let whose = || {
        let live = live();
        (live.order.account, live.symbol.paid_in(live.order.side()).into())
    };
    ledger.hold_at(reserve.held, whose, reserve.amount);
}

/// Frees what a resting order reserves.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
pub fn release(ledger: &mut Ledger, live: Live<'_>) {
    ledger.release(live.order.held, hold_of(live));
}

/// Settles the maker's side of a fill: it pays out of its hold and gets what it wanted.
///
/// # Panics
/// When the fill is larger than the maker's order.
#[expect(clippy::inline_always, reason = "it has one caller")]
#[inline(always)]
pub fn settle_maker(ledger: &mut Ledger, execution: &Execution<'_>) {
    let Execution { maker, qty, notional, maker_fee, taker_fee, .. } = *execution;
    let symbol = maker.symbol;
    ledger.settle_maker(&Trade {
        base: symbol.base,
        quote: symbol.quote,
        amount: symbol.grid.base(qty).expect("a fill is no larger than its resting order"),
        notional,
        maker: Maker {
            account: maker.order.account,
            side: maker.order.side(),
            fee: *maker_fee,
            held: maker.order.held,
            freed: freed(maker, qty),
        },
        taker_fee: *taker_fee,
    });
}

/// Settles the side of the order that entered, for all of its fills: it pays from what is available.
#[inline]
pub fn settle_taker(ledger: &mut Ledger, taker: Live<'_>) {
    let symbol = taker.symbol;
    let (account, side) = (taker.order.account, taker.order.side());
    ledger.settle_taker(&Taker { account, side, base: symbol.base, quote: symbol.quote });
}

/// Settles both sides of an auction's trade: each pays out of its hold.
///
/// # Panics
/// When the trade is larger than its orders.
pub fn settle_crossing(ledger: &mut Ledger, crossing: &Crossing<'_>) {
    let Crossing { buy, sell, qty, notional, fees: [buyer_fee, seller_fee], .. } = *crossing;
    let symbol = buy.symbol;
    let party = |live: Live<'_>, fee: Money| Maker {
        account: live.order.account,
        side: live.order.side(),
        fee,
        held: live.order.held,
        freed: freed(live, qty),
    };
    ledger.settle_crossing(&Exchange {
        base: symbol.base,
        quote: symbol.quote,
        amount: symbol.grid.base(qty).expect("a trade is no larger than its orders"),
        notional,
        buyer: party(buy, buyer_fee),
        seller: party(sell, seller_fee),
    });
}
