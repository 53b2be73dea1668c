//! Settlement: the money of fills, of funding and of liquidations.
//!
//! Realised profit and funding pass through the house account `clearing`, which is minus the cost of all open positions. The amount that
//! an account lacks is lent by the house account `lending`, and incoming money repays first (D-46).

use crate::Perps;
use crate::deleveraging::Books;
use crate::liquidation::{Ended, Seized};
use crate::off_book::{Kind, OffBook, Taken};
use buttonwood_ledger::{About, Bucket, Cause, FeePart, INSURANCE, Ledger, Posting, Reason};
use buttonwood_model::{AccountId, AssetId, CurrencyId, Side, SymbolId};
use buttonwood_num::{Money, Qty, Round};
use buttonwood_risk as risk;
use buttonwood_room::ContextMut;

fn house(ledger: &Ledger, name: &str) -> AccountId {
    ledger.house(name).expect("every start opens the house accounts that are missing")
}

fn posting(account: AccountId, asset: impl Into<AssetId>, amount: Money) -> Posting {
    Posting { account, asset: asset.into(), bucket: Bucket::Available, amount }
}

impl Perps {
    /// The house accounts for clearing, fees and loans.
    fn houses(&self) -> [AccountId; 3] {
        self.houses.expect("every start opens the house accounts that are missing")
    }

    /// Pays a profit out of the clearing account, or a loss into it, and a fee to the house.
    pub(crate) fn move_money(
        &mut self,
        ledger: &mut Ledger,
        (account, gusd): (AccountId, CurrencyId),
        [profit, fee]: [Money; 2],
        reason: Reason,
    ) {
        let [clearing, fees, _] = self.houses();
        let gets = profit - fee;
        self.lend_missing(ledger, (account, gusd), -gets);
        let entry =
            [posting(clearing, gusd, -profit), posting(fees, gusd, fee), posting(account, gusd, gets)];
        let fee = FeePart { account, asset: gusd.into(), amount: fee };
        ledger.post_with_fee(reason, &entry, &fee);
        self.repay_first(ledger, (account, gusd));
    }

    /// A liquidation moves an amount that is not negative from one account to another.
    fn give(&mut self, ledger: &mut Ledger, gusd: CurrencyId, [from, to]: [AccountId; 2], amount: Money) {
        self.lend_missing(ledger, (from, gusd), amount);
        risk::give(ledger, Cause::Liquidation, [from, to], gusd, amount);
        self.repay_first(ledger, (to, gusd));
    }

    /// Lends what an account lacks to pay `amount`.
    fn lend_missing(&mut self, ledger: &mut Ledger, key: (AccountId, CurrencyId), amount: Money) {
        let lacks = amount - ledger.balance(key.0, key.1).available;
        if lacks > Money::ZERO {
            let [_, _, lending] = self.houses();
            self.loans.lend(ledger, lending, key, lacks);
        }
    }

    /// Repays what an account owes, as far as it has money.
    fn repay_first(&mut self, ledger: &mut Ledger, (account, gusd): (AccountId, CurrencyId)) {
        if self.loans.is_empty() {
            return;
        }
        if let Some(paid) = self.loans.repayable(ledger, account, gusd) {
            let [_, _, lending] = self.houses();
            self.loans.repay(ledger, lending, (account, gusd), paid, Cause::Loan);
        }
    }

    /// Repays what accounts owe, as far as they have money.
    pub fn repay(&mut self, ledger: &mut Ledger) {
        while let Some(key) = self.loans.payable(ledger) {
            self.repay_first(ledger, key);
        }
    }

    /// Changes a position without an order. The realised amount is settled.
    fn shift(
        &mut self,
        ledger: &mut Ledger,
        gusd: CurrencyId,
        (account, symbol): (AccountId, SymbolId),
        [quantity, value]: [Money; 2],
        about: About,
    ) {
        let position = self.row(account, symbol).position;
        let applied = position.after(quantity, value).expect("the decision bounds it");
        self.set_position((account, symbol), applied.position);
        let reason = Cause::Realised.about(about);
        self.move_money(ledger, (account, gusd), [applied.realised, Money::ZERO], reason);
    }
}

fn gusd_of(context: &ContextMut<'_, Perps>) -> CurrencyId {
    context.ledger.gusd().expect("a contract is listed only with its currency")
}

/// An account pays an amount of funding, or receives it if it is negative.
pub(crate) fn pay_funding(context: &mut ContextMut<'_, Perps>, account: AccountId, amount: Money) {
    let key = (account, gusd_of(context));
    context.room.move_money(context.ledger, key, [-amount, Money::ZERO], Cause::Funding.into());
}

/// Takes the fee of a round, and the trades off the book.
pub(crate) fn take(context: &mut ContextMut<'_, Perps>, taken: &Taken) {
    let gusd = gusd_of(context);
    let fund = house(context.ledger, INSURANCE.name);
    let parties = || [taken.account, fund].into_iter().chain(taken.trades.iter().map(|trade| trade.account));
    change_ranks(context, parties(), Perps::unrank);
    if taken.fee > Money::ZERO {
        context.room.give(context.ledger, gusd, [taken.account, fund], taken.fee);
    }
    for trade in &taken.trades {
        shift_both(context, taken, trade);
    }
    change_ranks(context, parties(), Perps::rank);
    context.room.has_moved |= !taken.trades.is_empty();
    // What is left goes to opposite positions next; the next account's part may, where this one's did.
    let has_others = context.room.liquidations.accounts().nth(1).is_some();
    if taken.left > Qty::ZERO || taken.kind == Kind::Deleveraged && has_others {
        context.room.keep_ranking((context.ledger, context.indices.latest()), (taken.symbol, taken.side));
    }
    let liquidations = &mut context.room.liquidations;
    match liquidations.part_of(taken.account).filter(|_| taken.left > Qty::ZERO) {
        Some(part) => part.leave(taken.left),
        None => liquidations.finish(),
    }
}

/// Takes accounts out of the deleveraging orders that are kept, or puts them back.
fn change_ranks(
    context: &mut ContextMut<'_, Perps>,
    parties: impl Iterator<Item = AccountId>,
    change: impl Fn(&mut Perps, Books<'_>, AccountId),
) {
    let ContextMut { room, ledger, indices, .. } = context;
    parties.for_each(|account| change(room, (ledger, indices.latest()), account));
}

fn shift_both(context: &mut ContextMut<'_, Perps>, taken: &Taken, trade: &OffBook) {
    let gusd = gusd_of(context);
    let [quantity, value] = value(context, taken.symbol, trade.qty, trade.price);
    let [quantity, value] = match taken.side {
        Side::Buy => [quantity, value],
        Side::Sell => [-quantity, -value],
    };
    let own = About::Trade(taken.order, trade.trade);
    context.room.shift(context.ledger, gusd, (taken.account, taken.symbol), [quantity, value], own);
    let other = About::Trade(trade.order, trade.trade);
    context.room.shift(context.ledger, gusd, (trade.account, taken.symbol), [-quantity, -value], other);
}

/// Base quantity and value. A price of 12 decimals keeps the value exact.
fn value(context: &ContextMut<'_, Perps>, symbol: SymbolId, qty: Qty, price: Money) -> [Money; 2] {
    let grid = &context.symbols.get(symbol.index()).expect("the decision read it").grid;
    let base = grid.base(qty).expect("a part of a position");
    [base, base.times(price, Round::Cut).expect("the decision bounds it")]
}

/// Ends a liquidation: the fund takes collateral and repays what is owed.
pub(crate) fn end(context: &mut ContextMut<'_, Perps>, ended: &Ended) {
    let gusd = gusd_of(context);
    let fund = house(context.ledger, INSURANCE.name);
    for Seized { currency, amount, repaid } in &ended.seized {
        risk::give(context.ledger, Cause::Liquidation, [ended.account, fund], *currency, *amount);
        context.room.give(context.ledger, gusd, [fund, ended.account], *repaid);
    }
    if ended.covered > Money::ZERO {
        context.room.give(context.ledger, gusd, [fund, ended.account], ended.covered);
    }
    if context.room.liquidations.end(ended.account) && core::mem::take(&mut context.room.has_moved) {
        context.room.retake = Some(context.time);
    }
}
