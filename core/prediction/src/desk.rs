//! The desk: what an order of a contract reserves, costs and how it settles.
//!
//! Each side of a fill settles with the contract's escrow: a buyer pays into it and gets new claims, a seller gives claims back and is paid
//! out of it. So a buy of yes that meets a buy of no mints a pair, two sales merge one, and a buy that meets a sale of the same outcome only
//! changes who holds the claims (PM-018).

use crate::state::Holder;
use crate::{Predictions, netting};
use buttonwood_book::Order;
use buttonwood_ledger::{About, Bucket, Cause, FeePart, Ledger, Posting};
use buttonwood_model::{
    AccountId, AssetId, CancelReason, Claim, Desk, OrderClass, Product, Side, Symbol, SymbolId,
};
use buttonwood_num::{Bps, Money, Price, Qty};
use buttonwood_trading::{Live, Reserve, Rules, StopRule, Terms, Unmet};

/// The number of this desk.
pub const DESK: Desk = Desk::new(4);

/// The rules that contracts leave to the floor: no collar and no auctions (D-111).
pub const RULES: Rules = Rules {
    collar: None,
    opens: true,
    auctions: false,
    uncovered: CancelReason::Uncovered,
    fees_of: Product::Contract,
    stops: StopRule::BetweenLastAndLimit,
};

/// Whether the order buys claims. A buy of no is an ask of the book.
#[inline]
pub fn buys(class: OrderClass) -> bool {
    (class.side() == Side::Buy) == (class.claim() == Claim::Yes)
}

/// The price of an outcome at a price of the book; the same function leads back. None beyond one dollar.
#[inline]
pub fn own_price(symbol: &Symbol, claim: Claim, price: Price) -> Option<Price> {
    match claim {
        Claim::Yes => Some(price),
        Claim::No => symbol.grid.ticks_of_one()?.checked_sub(price.ticks()).map(Price::from_ticks),
    }
}

/// The cost of `qty` claims on an outcome where those on yes cost `notional`. None beyond the range of money.
pub fn own_notional(symbol: &Symbol, claim: Claim, qty: Qty, notional: Money) -> Option<Money> {
    match claim {
        Claim::Yes => Some(notional),
        Claim::No => symbol.grid.base(qty)?.checked_sub(notional),
    }
}

/// The fee for `qty` at a price of the book: the smaller of both outcomes' prices × qty × rate (D-109). It is exact, since a listing bounds
/// the decimals of its increments. None beyond the range of money.
#[inline]
fn fee(symbol: &Symbol, price: Price, qty: Qty, rate: Bps) -> Option<Money> {
    let other = own_price(symbol, Claim::No, price)?;
    symbol.grid.fee(price.min(other), qty, rate)
}

/// The reserve of an order of `qty`: the cost of claims with the larger of both fees (D-107), or the claims that it sells. None beyond the
/// range of money.
pub fn needed(symbol: &Symbol, class: OrderClass, price: Price, qty: Qty, rate: Bps) -> Option<Money> {
    // Also a buy's claims must be within the range, which cheap ones leave before their cost does.
    let claims = symbol.grid.base(qty)?;
    if !buys(class) {
        return Some(claims);
    }
    let cost = symbol.grid.notional(own_price(symbol, class.claim(), price)?, qty)?;
    cost.checked_add(fee(symbol, price, qty, rate)?)
}

/// The most claims on an outcome of a contract that may be out, 4×10¹⁸ (D-260). The costs of all positions count each pair twice at
/// most, and a fill counts the buyer's claims before it takes the seller's: all of these sums stay within the range of money then.
pub const CLAIMS_MAX: Money = Money::from_units(4 * 10_i128.pow(18) * Money::ONE.units());

/// Whether the contract's sums stay within the range of money if the order trades all of its claims. A buy may mint them. A sale mints none;
/// its claims are only limited where an earlier build let more than [`CLAIMS_MAX`] out.
fn has_room(ledger: &Ledger, terms: &Terms<'_>) -> bool {
    let Some(claims) = terms.symbol.grid.base(terms.qty) else { return false };
    let out = ledger.balance(AccountId::escrow(terms.symbol_id), AssetId::from(terms.symbol.quote)).available;
    if buys(terms.class) {
        out.checked_add(claims).is_some_and(|claims| claims <= CLAIMS_MAX)
    } else {
        out.checked_add(out).and_then(|twice| twice.checked_add(claims)).is_some()
    }
}

/// The asset that an order reserves.
fn asset(symbol: &Symbol, id: SymbolId, class: OrderClass) -> AssetId {
    if buys(class) { symbol.quote.into() } else { AssetId::claim(id, class.claim()) }
}

/// The whole order must be covered, as if it rested (PM-019).
///
/// # Errors
/// [`Unmet`], of too little money or too few claims.
#[inline(never)]
pub fn reserve<R>(ledger: &Ledger, terms: &Terms<'_>) -> Result<Reserve, Unmet<R>> {
    let Terms { symbol, class, price, qty, rates, .. } = *terms;
    let amount = needed(symbol, class, price, qty, rates.worst()).ok_or(Unmet::Beyond)?;
    let (held, balance) = ledger.find(terms.account, asset(symbol, terms.symbol_id, class));
    let available = balance.available + terms.freed;
    if amount > available {
        Err(Unmet::Funds { needed: amount, available })
    } else if has_room(ledger, terms) {
        Ok(Reserve { held, amount })
    } else {
        Err(Unmet::Beyond)
    }
}

/// The reserve of `left` of an order.
pub fn rest(terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve {
    let amount = needed(terms.symbol, terms.class, terms.price, left, terms.rates.worst());
    // Less than the whole order, which was found to be within the range of money.
    Reserve { amount: amount.unwrap_or(whole.amount), ..whole }
}

/// The fees of maker and taker for a fill.
#[inline(never)]
pub fn fees(maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> [Money; 2] {
    let of = |rate| fee(maker.symbol, maker.order.price, qty, rate).unwrap_or(Money::ZERO);
    [of(maker.rates().maker), of(taker.rates.taker)]
}

/// The reserve of `qty` of a live order.
fn held_for(live: Live<'_>, qty: Qty) -> Money {
    let order = live.order;
    needed(live.symbol, order.class(), order.price, qty, live.rates().worst()).unwrap_or(Money::ZERO)
}

/// The reserve of a resting order, and its asset.
#[inline(never)]
pub fn reserved(live: Live<'_>) -> (AssetId, Money) {
    let order = live.order;
    (asset(live.symbol, order.symbol, order.class()), held_for(live, order.remaining))
}

/// Reserves what an order needs that rests from now on.
#[inline(never)]
pub fn hold(room: &mut Predictions, ledger: &mut Ledger, live: Live<'_>, reserve: Reserve) {
    let Order { account, symbol, .. } = *live.order;
    let class = live.order.class();
    ledger.hold_at(reserve.held, || (account, asset(live.symbol, symbol, class)), reserve.amount);
    if buys(class) {
        room.bids.add(account, reserve.amount);
    }
}

/// Frees what a resting order reserves.
#[inline(never)]
pub fn release(room: &mut Predictions, ledger: &mut Ledger, live: Live<'_>) {
    let order = live.order;
    let amount = held_for(live, order.remaining);
    ledger.release(order.held, amount);
    if buys(order.class()) {
        room.bids.add(order.account, -amount);
    } else {
        netting::note(room, order.symbol, order.account);
    }
}

/// A fill: how much, and what the claims on yes cost.
#[derive(Clone, Copy, Debug)]
struct Traded {
    qty: Qty,
    notional: Money,
}

/// Settles both sides of a fill: the maker pays out of its hold, the taker from what is available.
pub fn settle(
    room: &mut Predictions,
    ledger: &mut Ledger,
    [maker, taker]: [Live<'_>; 2],
    (qty, notional): (Qty, Money),
    [maker_fee, taker_fee]: [Money; 2],
) {
    let left = maker.order.remaining;
    let rest = Qty::from_hundredths(left.hundredths().saturating_sub(qty.hundredths()));
    let freed = held_for(maker, left) - held_for(maker, rest);
    ledger.release(maker.order.held, freed);
    if buys(maker.order.class()) {
        room.bids.add(maker.order.account, -freed);
    }
    let traded = Traded { qty, notional };
    settle_side(room, ledger, maker, traded, maker_fee);
    settle_side(room, ledger, taker, traded, taker_fee);
    let class = maker.order.class();
    if let Some(cost) = own_notional(maker.symbol, class.claim(), qty, notional) {
        room.note_maker(maker.order.account, maker_fee, cost);
    }
    room.note_traded(maker.order.symbol, maker.symbol.grid.base(qty).unwrap_or(Money::ZERO));
}

/// Settles one side with the escrow. A side that sells may be paid before the other has paid: its claims are backed already.
fn settle_side(room: &mut Predictions, ledger: &mut Ledger, party: Live<'_>, traded: Traded, fee: Money) {
    let (order, symbol) = (party.order, party.symbol);
    let (class, contract) = (order.class(), order.symbol);
    let Traded { qty, notional } = traded;
    let amounts = symbol.grid.base(qty).zip(own_notional(symbol, class.claim(), qty, notional));
    let Some((claims, cost)) = amounts else { return };
    let whose = Holder { account: order.account, contract, claim: class.claim() };
    if buys(class) {
        room.note_bought(whose, cost);
        post(ledger, symbol, whose, (cost, claims), fee);
    } else {
        let held = ledger.balance(order.account, AssetId::claim(contract, class.claim())).total();
        room.note_sold(whose, cost, (claims, held));
        post(ledger, symbol, whose, (-cost, -claims), fee);
    }
    netting::note(room, contract, order.account);
}

/// Posts what one side pays and gets: `paid` dollars into the escrow for `got` claims out of it, both negative for a sale.
fn post(ledger: &mut Ledger, symbol: &Symbol, whose: Holder, (paid, got): (Money, Money), fee: Money) {
    let fees = ledger.fees();
    let Holder { account, contract, claim } = whose;
    let (dollars, claims) = (AssetId::from(symbol.quote), AssetId::claim(contract, claim));
    let escrow = AccountId::escrow(contract);
    let line = |account, asset, amount| Posting { account, asset, bucket: Bucket::Available, amount };
    let entry = [
        line(account, dollars, -paid - fee),
        line(escrow, dollars, paid),
        line(fees, dollars, fee),
        line(account, claims, got),
        line(escrow, claims, -got),
    ];
    let part = FeePart { account, asset: dollars, amount: fee };
    ledger.post_with_fee(Cause::Trade.about(About::Nothing), &entry, &part);
}
