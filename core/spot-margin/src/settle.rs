//! Settling: what live orders stand for, the fills of margin accounts, and the money of liquidations. A margin buy borrows what it lacks;
//! what comes in repays. No trade of such an account is voided, since its money may have repaid a debt.

use crate::account::Counted;
use crate::desk::{CASH, DESK, borrows};
use crate::off_book::{Sold, TakenOver};
use crate::state::Level;
use crate::{SpotMargin, desk};
use buttonwood_ledger::{Cause, Crossing as Exchange, INSURANCE, LENDING, Ledger, Maker, Trade};
use buttonwood_model::{AccountId, CurrencyId, Side, SymbolId};
use buttonwood_num::{Money, Qty};
use buttonwood_risk::give;
use buttonwood_spot as spot;
use buttonwood_trading::{Crossing, Execution, Live, Reserve};

/// Reserves what an order needs that becomes live, and counts it.
#[cold]
#[inline(never)]
pub fn hold(margin: &mut SpotMargin, ledger: &mut Ledger, live: Live<'_>, reserve: Reserve) {
    spot::hold(ledger, || live, reserve);
    margin.count(live);
}

/// Frees what a live order reserves, before it is cancelled or enters.
#[cold]
#[inline(never)]
pub fn release(margin: &mut SpotMargin, ledger: &mut Ledger, live: Live<'_>) {
    if !borrows(live.desk(), live.order.side()) {
        spot::release(ledger, live);
    }
    margin.discount(live, live.order.remaining);
}

/// Settles the maker's side of a fill. A margin buy first borrows what it lacks.
///
/// # Panics
/// When the fill is larger than the maker's order.
#[cold]
#[inline(never)]
pub fn settle_maker(margin: &mut SpotMargin, ledger: &mut Ledger, execution: &Execution<'_>) {
    let Execution { maker, qty, notional, maker_fee, taker_fee, .. } = *execution;
    let symbol = maker.symbol;
    if borrows(maker.desk(), maker.order.side()) {
        margin.lend_for(ledger, maker.order.account, symbol.quote, notional + *maker_fee);
        ledger.settle_maker(&Trade {
            base: symbol.base,
            quote: symbol.quote,
            amount: symbol.grid.base(qty).expect("a fill is no larger than its resting order"),
            notional,
            maker: party(maker, qty, *maker_fee),
            taker_fee: *taker_fee,
        });
    } else {
        spot::settle_maker(ledger, execution);
    }
    margin.discount(maker, qty);
}

/// Settles the taker's side for all of its fills.
#[cold]
#[inline(never)]
pub fn settle_taker(margin: &mut SpotMargin, ledger: &mut Ledger, taker: Live<'_>) {
    let order = taker.order;
    if borrows(taker.desk(), order.side()) {
        let cost = ledger.due_from_buyer();
        margin.lend_for(ledger, order.account, taker.symbol.quote, cost);
    }
    spot::settle_taker(ledger, taker);
}

/// Settles both sides of an auction's trade, at least one of them of this room.
///
/// # Panics
/// When the trade is larger than its orders.
#[cold]
#[inline(never)]
pub fn settle_crossing(margin: &mut SpotMargin, ledger: &mut Ledger, crossing: &Crossing<'_>) {
    let Crossing { buy, sell, qty, notional, fees: [buyer_fee, seller_fee], .. } = *crossing;
    let symbol = buy.symbol;
    if borrows(buy.desk(), Side::Buy) {
        margin.lend_for(ledger, buy.order.account, symbol.quote, notional + buyer_fee);
    }
    ledger.settle_crossing(&Exchange {
        base: symbol.base,
        quote: symbol.quote,
        amount: symbol.grid.base(qty).expect("a trade is no larger than its orders"),
        notional,
        buyer: party(buy, qty, buyer_fee),
        seller: party(sell, qty, seller_fee),
    });
    for live in [buy, sell] {
        if desk::is_of_room(live.desk()) {
            margin.discount(live, qty);
        }
    }
}

/// A resting party: a margin buy frees nothing, since it reserved nothing.
fn party(live: Live<'_>, qty: Qty, fee: Money) -> Maker {
    let order = live.order;
    let is_margin_buy = borrows(live.desk(), order.side());
    Maker {
        account: order.account,
        side: order.side(),
        fee,
        held: order.held,
        freed: if is_margin_buy { Money::ZERO } else { spot::freed(live, qty) },
    }
}

impl SpotMargin {
    /// Lends what a buyer lacks of what it pays.
    pub(crate) fn lend_for(
        &mut self,
        ledger: &mut Ledger,
        account: AccountId,
        dollar: CurrencyId,
        cost: Money,
    ) {
        let available = ledger.balance(account, dollar).available.max(Money::ZERO);
        self.lend(ledger, (account, dollar), (cost - available).max(Money::ZERO));
    }

    pub(crate) fn lend(&mut self, ledger: &mut Ledger, owner: (AccountId, CurrencyId), amount: Money) {
        let lending = house(ledger, LENDING.name);
        self.borrowed |= self.loans.is_empty() && amount > Money::ZERO;
        self.loans.lend(ledger, lending, owner, amount);
    }

    /// Repays what accounts owe, as far as they have money.
    #[cold]
    pub fn repay(&mut self, ledger: &mut Ledger) {
        while let Some((account, dollar)) = self.loans.payable(ledger) {
            let paid = self.loans.repayable(ledger, account, dollar).expect("it was found payable");
            self.loans.repay(ledger, house(ledger, LENDING.name), (account, dollar), paid, Cause::Loan);
        }
    }

    /// Pays the fund its fee. The rest that the book left goes to the fund next.
    pub(crate) fn note_sold(&mut self, ledger: &mut Ledger, sold: &Sold) {
        self.liquidations.begin(sold.account, sold.rest);
        let dollar = self.dollar.expect("an account owes dollars");
        if sold.fee > Money::ZERO {
            let fund = house(ledger, INSURANCE.name);
            self.lend_for(ledger, sold.account, dollar, sold.fee);
            give(ledger, Cause::Liquidation, [sold.account, fund], dollar, sold.fee);
            self.repay(ledger);
        }
    }

    /// The fund takes what the book left; it borrows what it cannot pay.
    pub(crate) fn note_taken_over(&mut self, ledger: &mut Ledger, taken: &TakenOver) {
        let TakenOver { account, rest, cost, .. } = *taken;
        self.liquidations.begin(account, None);
        let dollar = self.dollar.expect("an account owes dollars");
        let fund = house(ledger, INSURANCE.name);
        self.lend_for(ledger, fund, dollar, cost);
        give(ledger, Cause::Liquidation, [fund, account], dollar, cost);
        give(ledger, Cause::Liquidation, [account, fund], rest.currency, rest.quantity);
        self.repay(ledger);
    }

    /// Counts an order that becomes live.
    fn count(&mut self, live: Live<'_>) {
        let order = live.order;
        let (counted, spends) = (counted(live, order.remaining), self.is_spending(live));
        let row = self.rows.entry(order.account).or_default();
        row.orders += 1;
        if borrows(live.desk(), order.side()) {
            row.buys += counted.level.value;
            row.fees += counted.fee;
            let level = self.levels.entry(key(live)).or_default();
            level.base += counted.level.base;
            level.value += counted.level.value;
            return;
        }
        if live.desk() == DESK {
            row.sells += counted.level.value;
        }
        row.spending += u32::from(spends);
        *self.held.entry(holder(live)).or_default() += spot::freed(live, order.remaining);
    }

    /// Takes `qty` of a live order out of the sums.
    fn discount(&mut self, live: Live<'_>, qty: Qty) {
        let order = live.order;
        let is_gone = qty == order.remaining;
        let (part, spends) = (counted(live, qty).level, self.is_spending(live));
        let row = self.rows.get_mut(&order.account).expect("a live order is counted");
        row.orders -= u32::from(is_gone);
        if borrows(live.desk(), order.side()) {
            row.buys -= part.value;
            row.fees -= counted(live, order.remaining).fee - counted(live, order.remaining - qty).fee;
            let level = self.levels.get_mut(&key(live)).expect("a live order is counted");
            level.base -= part.base;
            level.value -= part.value;
            if *level == Level::default() {
                self.levels.remove(&key(live));
            }
        } else {
            if live.desk() == DESK {
                row.sells -= part.value;
            }
            row.spending -= u32::from(spends && is_gone);
            let held = self.held.get_mut(&holder(live)).expect("a live order is counted");
            *held -= spot::freed(live, qty);
            if *held == Money::ZERO {
                self.held.remove(&holder(live));
            }
        }
        if self.row(order.account).orders == 0 {
            self.rows.remove(&order.account);
        }
    }

    /// Whether a live order is a cash order that spends.
    pub(crate) fn is_spending(&self, live: Live<'_>) -> bool {
        live.desk() == CASH && self.spends(live.symbol, live.order.side())
    }
}

/// The place of a margin buy among the levels.
pub(crate) fn key(live: Live<'_>) -> (AccountId, SymbolId, Money) {
    let order = live.order;
    (order.account, order.symbol, live.grid().value(Money::ONE, order.price))
}

/// The account of an order that reserves, and the currency.
pub(crate) fn holder(live: Live<'_>) -> (AccountId, CurrencyId) {
    (live.order.account, live.symbol.paid_in(live.order.side()))
}

/// The count of `qty` of a live order.
///
/// # Panics
/// When that is beyond the range of money, which admission prevents.
pub(crate) fn counted(live: Live<'_>, qty: Qty) -> Counted {
    let counted = Counted::of(live.grid(), live.order.price, qty, live.rates().worst());
    counted.expect("admission bounds an order")
}

pub(crate) fn house(ledger: &Ledger, name: &str) -> AccountId {
    ledger.house(name).expect("every start opens the house accounts that are missing")
}
