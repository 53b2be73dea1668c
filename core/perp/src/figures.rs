//! The figures of an account (F§15.4, D-40 to D-48): the sums of `margin` over its rows.

use crate::prices::Prices;
use crate::{Counted, Perps, Row};
use alloc::vec::Vec;
use buttonwood_index::Latest;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId, Symbol, SymbolId};
use buttonwood_num::Money;
use buttonwood_risk::deleverage::Score;
use buttonwood_risk::liquidation;
use buttonwood_risk::{Collateral, Holding, Leverage, LiquidationPoint, Sums};

impl Row {
    /// The row, weighed at a mark.
    pub(crate) fn holding(&self, mark: Money, cap: Leverage) -> Holding {
        let [live_buys, live_sells] = self.live;
        Holding { position: self.position, mark, cap, live_buys, live_sells }
    }
}

/// An account at certain prices, whose sums are to be computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holder<'a> {
    pub(crate) perps: &'a Perps,
    pub(crate) prices: &'a Prices,
    pub(crate) latest: &'a Latest,
    pub(crate) ledger: &'a Ledger,
    pub(crate) account: AccountId,
    pub(crate) gusd: CurrencyId,
}

impl<'a> Holder<'a> {
    /// Whether it is the insurance fund: all that it holds counts, and it is deleveraged when it falls below zero.
    pub(crate) fn is_fund(&self) -> bool {
        self.perps.fund() == Some(self.account)
    }

    /// The sums of the account. None beyond the range of money.
    pub(crate) fn sums(&self) -> Option<Sums> {
        self.sums_with(None, self.collateral())
    }

    /// The sums without the row of `except`, and with this collateral.
    fn sums_with(
        &self,
        except: Option<SymbolId>,
        collateral: impl IntoIterator<Item = (CurrencyId, Collateral)>,
    ) -> Option<Sums> {
        let Self { perps, account, gusd, .. } = *self;
        let cap = perps.risk(account).leverage;
        // Money that waits to be withdrawn or to go into custody covers nothing.
        let money = self.ledger.balance(account, gusd).available;
        let collateral = collateral.into_iter().map(|(_, collateral)| collateral);
        let rows = perps.rows_of(account).filter(|row| Some(row.symbol) != except);
        let weighed = rows.filter_map(|row| Some(row.holding(self.prices.contract(row.symbol)?.mark, cap)));
        Sums::of(money, perps.borrowed(account, gusd), collateral, weighed)
    }

    /// The account's collateral; nothing unless it is switched on.
    pub(crate) fn collateral(&self) -> impl Iterator<Item = (CurrencyId, Collateral)> + use<'a> {
        let Self { perps, latest, ledger, account, .. } = *self;
        let counts = self.is_fund() || perps.risk(account).cross_collateral;
        let counted = counts.then(|| perps.counted(ledger));
        counted.into_iter().flatten().map(move |Counted { currency, percent, is_dollar }| {
            let index = if is_dollar { Money::ONE } else { latest.price(currency).unwrap_or(Money::ZERO) };
            let amount = ledger.balance(account, currency).available;
            (currency, Collateral { amount, index, percent })
        })
    }

    /// Whether it has no position, and its collateral covers what it owes with too little to spare. The fund takes collateral as far as it
    /// has money (D-48).
    pub(crate) fn is_stranded(&self) -> bool {
        let Self { perps, ledger, account, gusd, .. } = *self;
        let owed = perps.owed(account, gusd);
        if owed == Money::ZERO || self.is_fund() || perps.rows_of(account).any(|row| !row.position.is_flat())
        {
            return false;
        }
        let fund_has = perps.fund().is_some_and(|fund| ledger.balance(fund, gusd).available > Money::ZERO);
        let mut worths = self.collateral().filter_map(|(_, collateral)| collateral.value());
        fund_has && worths.any(|worth| worth > Money::ZERO) && liquidation::is_stranded(self.sums(), owed)
    }

    /// Whether it is to be liquidated: it is below maintenance, the fund below zero, and a position can be closed because its index
    /// has enough sources (D-38); or it is stranded without a position.
    pub(crate) fn is_due(&self) -> bool {
        let sums = self.sums();
        let is_low = if self.is_fund() {
            sums.is_some_and(|sums| sums.assets < Money::ZERO)
        } else {
            liquidation::is_due(sums)
        };
        let is_fresh = |row: &Row| {
            !row.position.is_flat()
                && self.prices.contract(row.symbol).is_some_and(|contract| contract.is_fresh)
        };
        is_low && self.perps.rows_of(self.account).any(is_fresh) || self.is_stranded()
    }
}

impl Perps {
    /// The account at the prices in force.
    pub(crate) fn holder<'a>(
        &'a self,
        ledger: &'a Ledger,
        latest: &'a Latest,
        account: AccountId,
        gusd: CurrencyId,
    ) -> Holder<'a> {
        Holder { perps: self, prices: &self.prices, latest, ledger, account, gusd }
    }

    /// The sums of the account, without the row of `except`. None beyond the range of money.
    pub(crate) fn sums(
        &self,
        ledger: &Ledger,
        latest: &Latest,
        account: AccountId,
        gusd: CurrencyId,
        except: Option<SymbolId>,
    ) -> Option<Sums> {
        let holder = self.holder(ledger, latest, account, gusd);
        holder.sums_with(except, holder.collateral())
    }

    /// The sums of an account without collateral: its GUSD and unrealised profit, less what it owes. None beyond the range of money.
    pub fn bare_sums(
        &self,
        ledger: &Ledger,
        latest: &Latest,
        account: AccountId,
        gusd: CurrencyId,
    ) -> Option<Sums> {
        self.holder(ledger, latest, account, gusd).sums_with(None, [])
    }

    /// The most of a currency that orders may use, of assets without what is `advanced`, and the most that may leave, of an account of
    /// this desk (D-47, D-181). None for currencies that its risk does not concern.
    pub fn available(
        &self,
        ledger: &Ledger,
        latest: &Latest,
        account: AccountId,
        (gusd, of): (CurrencyId, CurrencyId),
        advanced: Money,
    ) -> Option<[Money; 2]> {
        let held = ledger.balance(account, of).available;
        let collateral =
            self.holder(ledger, latest, account, gusd).collateral().find(|(currency, _)| *currency == of);
        if of != gusd && collateral.is_none() {
            return None;
        }
        let free = self.sums(ledger, latest, account, gusd, None).map(|sums| sums.free());
        let own = |margin: Money| margin.checked_sub(advanced).unwrap_or(Money::ZERO).max(Money::ZERO);
        let margins = free.map_or([Money::ZERO; 2], |free| [own(free.usable), free.leaving]);
        Some(margins.map(|margin| match collateral {
            Some((_, collateral)) => Collateral { amount: held, ..collateral }.worth(margin),
            None => margin.min(held),
        }))
    }

    /// Whether what an account has carries its positions and live orders.
    pub fn is_carried(&self, ledger: &Ledger, latest: &Latest, account: AccountId, gusd: CurrencyId) -> bool {
        let available = self.sums(ledger, latest, account, gusd, None).and_then(|sums| sums.available());
        available.is_some_and(|available| available >= Money::ZERO)
    }

    /// The part of an account's collateral that carries nothing new: what it is worth at the index beyond what it is at `careful` prices. The
    /// insurance fund places no order of its own.
    pub fn uncounted(
        &self,
        ledger: &Ledger,
        latest: &Latest,
        account: AccountId,
        careful: impl Fn(CurrencyId) -> Option<Money>,
    ) -> Money {
        if !self.risk(account).cross_collateral {
            return Money::ZERO;
        }
        let held = self.counted(ledger).filter(|counted| !counted.is_dollar).map(|counted| {
            let amount = ledger.balance(account, counted.currency).available;
            (counted.currency, Collateral { amount, index: Money::ZERO, percent: counted.percent })
        });
        let held = held.filter(|(_, collateral)| collateral.amount > Money::ZERO);
        held.fold(Money::ZERO, |sum, (currency, collateral)| {
            let at = |index: Option<Money>| {
                let index = index.unwrap_or(Money::ZERO);
                Collateral { index, ..collateral }.value().unwrap_or(Money::ZERO)
            };
            let less = at(latest.price(currency)).checked_sub(at(careful(currency)));
            sum.capped_add(less.unwrap_or(Money::ZERO).max(Money::ZERO))
        })
    }

    /// The place of a row in the deleveraging order.
    pub fn score(&self, ledger: &Ledger, latest: &Latest, gusd: CurrencyId, row: &Row) -> Score {
        let assets =
            self.sums(ledger, latest, row.account, gusd, None).map_or(Money::ZERO, |sums| sums.assets);
        let contract = self.contract(row.symbol);
        contract.map_or(Score::NoProfit, |contract| Score::of(&row.position, contract.mark, assets))
    }
}

/// The figures of an account, those of one contract among them (the table of `/v1/margin`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The sums of the account.
    pub sums: Sums,
    /// Of positions and live orders.
    pub initial_margin: Money,
    /// Assets less initial margin; may be negative.
    pub available_margin: Money,
    /// Of live orders.
    pub reserved_margin: Money,
    /// The mark at which assets equal maintenance; zero if there is none.
    pub estimated_liquidation_price: Money,
    /// How much of the contract the available margin carries, either way.
    pub power: Money,
}

impl Figures {
    /// The figures beyond the range of money: values end at the largest number, and nothing is available, since every check refuses
    /// then.
    pub fn beyond_range() -> Self {
        let sums = Sums { assets: Money::MAX, notional: Money::MAX, ..Sums::default() };
        Self { sums, ..Self::default() }
    }

    /// The figures of an account. None beyond the range of money.
    pub fn of(
        perps: &Perps,
        ledger: &Ledger,
        latest: &Latest,
        account: AccountId,
        (id, symbol): (SymbolId, &Symbol),
    ) -> Option<Self> {
        let holder = perps.holder(ledger, latest, account, symbol.quote);
        Self::at(&holder, (id, symbol), holder.sums()?, &perps.row(account, id), |collateral| {
            holder.sums_with(Some(id), collateral)
        })
    }

    /// The figures of an account with these sums and this row of the contract; `others` are its sums without the contract and with other
    /// collateral. None beyond the range of money.
    pub(crate) fn at(
        holder: &Holder<'_>,
        (id, symbol): (SymbolId, &Symbol),
        sums: Sums,
        row: &Row,
        others: impl FnOnce(Vec<(CurrencyId, Collateral)>) -> Option<Sums>,
    ) -> Option<Self> {
        let figures = Self {
            sums,
            initial_margin: sums.initial()?,
            available_margin: sums.available()?,
            reserved_margin: sums.reserved()?,
            ..Self::default()
        };
        let Some(contract) = holder.perps.contract(id) else { return Some(figures) };
        let (lot, cap) = (symbol.grid.lot()?, holder.perps.risk(holder.account).leverage);
        let price = liquidation_price(holder, symbol, &row.holding(contract.mark, cap), others);
        Some(Self {
            estimated_liquidation_price: price.unwrap_or(Money::ZERO),
            power: sums.power(cap, contract.mark, lot),
            ..figures
        })
    }
}

/// The mark of a contract at which the account's assets equal maintenance (PERP-030). None if there is none.
fn liquidation_price(
    holder: &Holder<'_>,
    symbol: &Symbol,
    holding: &Holding,
    others: impl FnOnce(Vec<(CurrencyId, Collateral)>) -> Option<Sums>,
) -> Option<Money> {
    let is_own = |(currency, _): &(CurrencyId, Collateral)| *currency == symbol.base;
    let other = holder.collateral().filter(|collateral| !is_own(collateral)).collect();
    let point = LiquidationPoint {
        others: &others(other)?,
        holding,
        collateral: holder.collateral().find(is_own).map(|(_, collateral)| collateral),
        tick: symbol.grid.tick(),
    };
    point.price()
}
