//! Admission: whether an order may enter, and what it reserves. The functions are kept out of the path of a cash order.

use crate::SpotMargin;
use crate::plan::Plan;
use buttonwood_index::Latest;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AssetId, Desk, SessionId, Side, Symbol};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_risk::spot::Sums;
use buttonwood_spot as spot;
use buttonwood_trading::{Fill, Live, Reserve, Terms, Unmet};

/// The number of the desk of margin orders.
pub const DESK: Desk = Desk::new(2);
/// The number of the desk of a margin account's other orders.
pub const CASH: Desk = Desk::new(3);

/// Why the desk refuses an order, other than for lack of funds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The currency has no index, or for a buy too few sources of it.
    NotOpen,
    /// The currency has no reference, so that nothing is newly lent for it (D-262).
    NoReference,
    /// No dollars are lent for the currency any more.
    NotLent,
}

/// Whether an order buys on margin: it reserves nothing, and its fills may borrow.
pub(crate) fn borrows(desk: Desk, side: Side) -> bool {
    desk == DESK && side == Side::Buy
}

impl SpotMargin {
    /// The proceeds of the account's live margin sells, with the order among them: each may be in the range of money, and their sum
    /// beyond it.
    fn sells_with(&self, terms: &Terms<'_>) -> Option<Money> {
        let value = |qty| terms.symbol.grid.notional(terms.price, qty);
        self.row(terms.account).sells.checked_sub(value(terms.waited)?)?.checked_add(value(terms.qty)?)
    }

    /// Whether an order of the cash desk gives dollars or holdings for something that does not repay: a debt could be left behind.
    pub(crate) fn spends(&self, symbol: &Symbol, side: Side) -> bool {
        side == Side::Buy || Some(symbol.quote) != self.dollar
    }
}

/// The reserve of the order, if the account may place it. A margin buy that meets others is judged by [`affords`]. `advanced` is the part
/// of its assets that is no own money (D-181); `careful` are the prices by which it is lent (D-262).
///
/// # Errors
/// [`Unmet`].
#[cold]
#[inline(never)]
pub fn reserve<R: From<Refusal>>(
    margin: &SpotMargin,
    ledger: &Ledger,
    latest: &Latest,
    terms: &Terms<'_>,
    advanced: Money,
    careful: impl FnOnce() -> Latest,
) -> Result<Reserve, Unmet<R>> {
    let side = terms.class.side();
    if borrows(terms.class.desk(), side) {
        return reserve_buy(margin, ledger, latest, (terms, advanced), careful);
    }
    if terms.class.desk() == DESK {
        latest.index(terms.symbol.base).ok_or(Unmet::Other(Refusal::NotOpen.into()))?;
        margin.sells_with(terms).ok_or(Unmet::Beyond)?;
    }
    let is_cash = terms.class.desk() == CASH;
    if is_cash && margin.spends(terms.symbol, side) && margin.is_committed(terms.account) {
        // What the account has is bound by its margin orders and loans.
        let needed = spot::needed(terms).ok_or(Unmet::Beyond)?;
        return Err(Unmet::Funds { needed, available: Money::ZERO });
    }
    spot::reserve(ledger, terms)
}

fn reserve_buy<R: From<Refusal>>(
    margin: &SpotMargin,
    ledger: &Ledger,
    latest: &Latest,
    (terms, advanced): (&Terms<'_>, Money),
    careful: impl FnOnce() -> Latest,
) -> Result<Reserve, Unmet<R>> {
    if !margin.lends_for(terms.symbol.base) {
        return Err(Unmet::Other(Refusal::NotLent.into()));
    }
    if !latest.is_fresh(terms.symbol.base) {
        return Err(Unmet::Other(Refusal::NotOpen.into()));
    }
    let careful = careful();
    careful.price(terms.symbol.base).ok_or(Unmet::Other(Refusal::NoReference.into()))?;
    if margin.row(terms.account).spending > 0 {
        return Err(Unmet::Beyond);
    }
    if !terms.meets && !accepts(margin, ledger, &careful, terms, &Plan::default(), (terms.qty, advanced)) {
        return Err(Unmet::Beyond);
    }
    let (held, _) = ledger.find(terms.account, terms.symbol.quote);
    Ok(Reserve { held, amount: Money::ZERO })
}

/// Whether notional and live margin buys stay within the highest leverage when `left` of the order is live (MARG-010), on the assets
/// without what is advanced, at careful prices.
fn accepts(
    margin: &SpotMargin,
    ledger: &Ledger,
    careful: &Latest,
    terms: &Terms<'_>,
    plan: &Plan,
    (left, advanced): (Qty, Money),
) -> bool {
    let planned = plan.of(terms.account).map(|account| account.at(careful));
    let account = planned.unwrap_or_else(|| margin.account(ledger, careful, terms.account));
    let market = (terms.symbol_id, &terms.symbol.grid);
    let at = (terms.price, terms.rates.worst());
    let buys = margin.buys((careful, terms.account), market, at, (terms.waited, left));
    let own = |sums: Sums| Some(Sums { assets: sums.assets.checked_sub(advanced)?, ..sums });
    account.sums().and_then(own).zip(buys).is_some_and(|(sums, buys)| sums.accepts(&buys, margin.terms()))
}

/// The reserve of `left` of an order.
#[cold]
#[inline(never)]
pub fn rest(terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve {
    if borrows(terms.class.desk(), terms.class.side()) { whole } else { spot::rest(terms, left, whole) }
}

/// How much of `open` at a price the money buys, fee included. The money is what the order names, not what the account has.
pub fn buy_with(terms: &Terms<'_>, money: &mut Money, price: Price, open: Qty) -> Qty {
    spot::buy_with(terms, money, price, open)
}

/// Whether the account can pay for these fills and for what the rest reserves; a margin buy is judged at `careful` prices.
///
/// # Errors
/// [`Unmet`].
#[cold]
#[inline(never)]
pub fn affords<R>(
    margin: &SpotMargin,
    ledger: &Ledger,
    careful: impl FnOnce() -> Latest,
    terms: &Terms<'_>,
    fills: &[Fill],
    (rest, advanced): (Option<Reserve>, Money),
    plan: &Plan,
) -> Result<(), Unmet<R>> {
    if terms.session == SessionId::EXCHANGE {
        return Ok(());
    }
    if !borrows(terms.class.desk(), terms.class.side()) {
        return spot::affords(ledger, terms, fills, rest);
    }
    let filled: Qty = fills.iter().map(|fill| fill.qty).sum();
    let left = if rest.is_some() { terms.qty - filled } else { Qty::ZERO };
    if accepts(margin, ledger, &careful(), terms, plan, (left, advanced)) {
        Ok(())
    } else {
        Err(Unmet::Beyond)
    }
}

/// The fees of maker and taker, at least one of them of this room. The exchange's own order pays none.
///
/// # Panics
/// When a fee is beyond the range of money, which admission prevents.
#[cold]
#[inline(never)]
pub fn fees(maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> [Money; 2] {
    let [made, took] = spot::fees(maker, taker, qty);
    let made = if borrows(maker.desk(), maker.order.side()) { maker_fee(maker, qty) } else { made };
    [made, if taker.session == SessionId::EXCHANGE { Money::ZERO } else { took }]
}

/// The fee of a resting margin buy, which is not bounded by a reserve.
pub(crate) fn maker_fee(maker: Live<'_>, qty: Qty) -> Money {
    let fee = maker.grid().fee(maker.order.price, qty, maker.rates().maker);
    fee.expect("admission bounds what an order costs")
}

/// The fee of a party to an auction's trade.
///
/// # Panics
/// When the fee is beyond the range of money, which admission prevents.
#[cold]
#[inline(never)]
pub fn auction_fee(party: Live<'_>, left: Qty, price: Price, qty: Qty) -> Money {
    if !borrows(party.desk(), party.order.side()) {
        return spot::auction_fee(party, left, price, qty);
    }
    let fee = party.grid().fee(price, qty, party.rates().auction);
    fee.expect("admission bounds what an order costs")
}

/// The reserve of a live order, and its currency; a margin buy reserves nothing of its dollars.
#[cold]
#[inline(never)]
pub fn reserved(live: Live<'_>) -> (AssetId, Money) {
    if borrows(live.desk(), live.order.side()) {
        (live.symbol.quote.into(), Money::ZERO)
    } else {
        spot::reserved(live)
    }
}

/// Whether orders of a desk are of this room.
pub fn is_of_room(desk: Desk) -> bool {
    matches!(desk, DESK | CASH)
}
