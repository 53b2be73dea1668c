//! A desk like that of a yes/no contract: both outcomes share one book, whose prices are those of yes.
//!
//! Each side trades with the house: a buyer pays into the collateral and receives claims of the issuer, a seller gives its
//! claims back. So a buy of yes that meets a buy of no mints both claims, and two sales merge them.

use crate::desks::{Move, Refusal, units};
use buttonwood_ledger::Ledger;
use buttonwood_model::{
    AssetId, CancelReason, Claim, OrderClass, OrderKind, Product, Side, Symbol, SymbolId,
};
use buttonwood_num::{Bps, Money, Price, Qty};
use buttonwood_trading::{Fill, Live, Reserve, Rules, StopRule, Terms, Unmet};

pub(crate) const RULES: Rules = Rules {
    collar: None,
    opens: true,
    auctions: false,
    uncovered: CancelReason::Uncovered,
    fees_of: Product::Spot,
    stops: StopRule::Apart,
};

/// The worth of both claims together, in ticks.
pub(crate) const WHOLE: u64 = 100;

/// Whether the order buys its outcome: a buy of no is an ask.
pub(crate) fn buys(class: OrderClass) -> bool {
    (class.side() == Side::Buy) == (class.claim() == Claim::Yes)
}

/// The price of the order's own outcome at a price of the book.
fn own_price(class: OrderClass, price: Price) -> Price {
    match class.claim() {
        Claim::Yes => price,
        Claim::No => Price::from_ticks(WHOLE - price.ticks()),
    }
}

pub(crate) fn asset(symbol: &Symbol, id: SymbolId, class: OrderClass) -> AssetId {
    if buys(class) { symbol.quote.into() } else { AssetId::claim(id, class.claim()) }
}

/// The reserve of a quantity.
fn needed(symbol: &Symbol, class: OrderClass, price: Price, qty: Qty, rate: Bps) -> Option<Money> {
    if buys(class) { symbol.grid.cost(own_price(class, price), qty, rate) } else { symbol.grid.base(qty) }
}

pub(crate) fn reserve(ledger: &Ledger, terms: &Terms<'_>) -> Result<Reserve, Unmet<Refusal>> {
    let (symbol, class) = (terms.symbol, terms.class);
    let amount = match terms.kind {
        OrderKind::Limit if terms.price.ticks() >= WHOLE => return Err(Unmet::Other(Refusal::NoSuchPrice)),
        OrderKind::MarketSpend if !buys(class) => return Err(Unmet::Other(Refusal::NoSpend)),
        OrderKind::MarketSpend => Some(terms.spend),
        OrderKind::Market if buys(class) => Some(Money::ZERO),
        OrderKind::Market => symbol.grid.base(terms.qty),
        OrderKind::Limit | OrderKind::StopLimit => {
            needed(symbol, class, terms.price, terms.qty, terms.rates.worst())
        }
    };
    let amount = amount.ok_or(Unmet::Beyond)?;
    let (held, balance) = ledger.find(terms.account, asset(symbol, terms.symbol_id, class));
    if amount <= balance.available { Ok(Reserve { held, amount }) } else { Err(Unmet::Beyond) }
}

pub(crate) fn rest(terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve {
    let amount = needed(terms.symbol, terms.class, terms.price, left, terms.rates.worst());
    Reserve { amount: amount.unwrap(), ..whole }
}

pub(crate) fn affords(
    ledger: &Ledger,
    terms: &Terms<'_>,
    fills: &[Fill],
    rest: Option<Reserve>,
) -> Result<(), Unmet<Refusal>> {
    if !buys(terms.class) {
        return Ok(());
    }
    let cost = |fill: &Fill| {
        let price = own_price(terms.class, fill.price);
        terms.symbol.grid.cost(price, fill.qty, terms.rates.taker).unwrap()
    };
    let rest = rest.map_or(Money::ZERO, |rest| rest.amount);
    let available = ledger.balance(terms.account, terms.symbol.quote).available;
    let cost: Money = fills.iter().map(cost).sum();
    if cost + rest <= available { Ok(()) } else { Err(Unmet::Beyond) }
}

/// The fee of one side of a fill: of what its own outcome costs.
pub(crate) fn fee(symbol: &Symbol, class: OrderClass, price: Price, qty: Qty, rate: Bps) -> Money {
    symbol.grid.fee(own_price(class, price), qty, rate).unwrap()
}

fn held_by(live: Live<'_>, qty: Qty) -> Money {
    needed(live.symbol, live.order.class(), live.order.price, qty, live.rates().worst()).unwrap()
}

pub(crate) fn reserved(live: Live<'_>) -> (AssetId, Money) {
    let order = live.order;
    (asset(live.symbol, order.symbol, order.class()), held_by(live, order.remaining))
}

pub(crate) fn hold(ledger: &mut Ledger, live: Live<'_>, reserve: Reserve) {
    let order = live.order;
    let whose = || (order.account, asset(live.symbol, order.symbol, order.class()));
    ledger.hold_at(reserve.held, whose, reserve.amount);
}

pub(crate) fn release(ledger: &mut Ledger, live: Live<'_>) {
    ledger.release(live.order.held, held_by(live, live.order.remaining));
}

pub(crate) fn settle_maker(ledger: &mut Ledger, maker: Live<'_>, qty: Qty, moves: Move) {
    let left = maker.order.remaining;
    ledger.release(maker.order.held, held_by(maker, left) - held_by(maker, left - qty));
    settle(ledger, maker, qty, moves);
}

/// Settles one side with the house: money with the collateral, claims with the issuer.
pub(crate) fn settle(ledger: &mut Ledger, party: Live<'_>, qty: Qty, moves: Move) {
    let (account, class, symbol) = (party.order.account, party.order.class(), party.symbol);
    let whole = symbol.grid.notional(Price::from_ticks(WHOLE), qty).unwrap();
    let price = if class.claim() == Claim::Yes { moves.notional } else { whole - moves.notional };
    let (price, fee, claims) = (price.units(), moves.fee.units(), symbol.grid.base(qty).unwrap().units());
    let (paid, received) = if buys(class) { (price, claims) } else { (-price, -claims) };
    let [collateral, issuer, fees] = ["collateral", "issuer", "fees"].map(|name| ledger.house(name).unwrap());
    units(ledger, symbol.quote.into(), &[(account, -paid - fee), (collateral, paid), (fees, fee)]);
    let claim = AssetId::claim(party.order.symbol, class.claim());
    units(ledger, claim, &[(account, received), (issuer, -received)]);
}
