//! An account as the sums of `margin` see it: its dollars and its holdings, valued at the index.

use crate::SpotMargin;
use crate::coins::{COINS_MAX, Market};
use crate::state::Level;
use buttonwood_index::Latest;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId, SymbolId};
use buttonwood_num::{Grid, Money, Price, Qty, Round};
use buttonwood_risk::spot::{Buys, Cash, Held, Sums};

/// Dollars and holdings of an account.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    pub(crate) cash: Cash,
    /// In the order of the markets.
    holdings: [Holding; COINS_MAX],
}

#[derive(Clone, Copy, Debug)]
struct Holding {
    currency: Option<CurrencyId>,
    held: Held,
}

impl Holding {
    const NONE: Self = Self { currency: None, held: Held { quantity: Money::ZERO, index: Money::ZERO } };
}

/// The change of an account by a fill in base and quote currency, negative for amounts that it takes, without the fee.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) base: (CurrencyId, Money),
    pub(crate) quote: (CurrencyId, Money),
    pub(crate) fee: Money,
}

impl SpotMargin {
    /// The account's amount of a currency that is not on its way out: the available part, and the reserves of live orders.
    pub(crate) fn owned(&self, ledger: &Ledger, account: AccountId, currency: CurrencyId) -> Money {
        let held = self.held.get(&(account, currency)).copied().unwrap_or(Money::ZERO);
        ledger.balance(account, currency).available.capped_add(held)
    }

    pub(crate) fn account(&self, ledger: &Ledger, latest: &Latest, account: AccountId) -> Account {
        let usd = self.dollar.map_or(Money::ZERO, |dollar| self.owned(ledger, account, dollar));
        let mut holdings = [Holding::NONE; COINS_MAX];
        for (holding, market) in holdings.iter_mut().zip(&self.markets) {
            let quantity = self.owned(ledger, account, market.coin.currency);
            let index = latest.price(market.coin.currency).unwrap_or(Money::ZERO);
            *holding = Holding { currency: Some(market.coin.currency), held: Held { quantity, index } };
        }
        Account { cash: Cash { usd, owed: self.borrowed(account) }, holdings }
    }

    /// The currencies whose price counts for what an account may borrow: those that it holds or is about to buy.
    pub fn counted(&self, ledger: &Ledger, account: AccountId) -> impl Iterator<Item = CurrencyId> {
        let counts = move |market: &&Market| {
            let key = |price| (account, market.symbol, price);
            self.owned(ledger, account, market.coin.currency) > Money::ZERO
                || self.levels.range(key(Money::ZERO)..=key(Money::MAX)).next().is_some()
        };
        self.markets.iter().filter(counts).map(|market| market.coin.currency)
    }

    /// The sums of an account. None beyond the range of money.
    pub fn sums(&self, ledger: &Ledger, latest: &Latest, account: AccountId) -> Option<Sums> {
        self.account(ledger, latest, account).sums()
    }

    /// The most of a currency that may leave an account; none where only its balance bounds that. `advanced` is the part of its assets
    /// that is no own money (D-181).
    pub fn leaving(
        &self,
        ledger: &Ledger,
        latest: &Latest,
        account: AccountId,
        currency: CurrencyId,
        advanced: Money,
    ) -> Option<Money> {
        let of = self.account(ledger, latest, account);
        if of.cash.owed == Money::ZERO {
            return None;
        }
        let (buys, terms) = (self.row(account).buys, self.terms());
        let own = |sums: Sums| Some(Sums { assets: sums.assets.checked_sub(advanced)?, ..sums });
        let sums = of.sums().and_then(own);
        let most = |most: &dyn Fn(&Sums) -> Money| sums.as_ref().map_or(Money::ZERO, most);
        if Some(currency) == self.dollar {
            return Some(most(&|sums| sums.leaving_usd(of.cash.usd, buys, terms)));
        }
        let held = of.held(currency)?;
        Some(most(&|sums| sums.leaving(&held, buys, terms)))
    }

    /// The exposure of an account's live margin buys, with `left` of an order in place of `waited`, as which it counts.
    pub(crate) fn buys(
        &self,
        (latest, account): (&Latest, AccountId),
        (symbol, grid): (SymbolId, &Grid),
        (price, rate): (Price, buttonwood_num::Bps),
        (waited, left): (Qty, Qty),
    ) -> Option<Buys> {
        let [before, after] = [waited, left].map(|qty| Counted::of(grid, price, qty, rate));
        let (before, after) = (before?, after?);
        let row = self.row(account);
        let own = (symbol, grid.value(Money::ONE, price), before.level, after.level);
        Some(Buys {
            value: row.buys.checked_sub(before.level.value)?.checked_add(after.level.value)?,
            fees: row.fees.checked_sub(before.fee)?.checked_add(after.fee)?,
            above_index: self.above_index((latest, account), Some(own))?,
        })
    }

    /// Σ (price − index) × remaining of the live margin buys above the index, rounded up at 10⁻¹⁹ for each currency. At a price of
    /// `own`, a level is replaced by another one.
    fn above_index(
        &self,
        (latest, account): (&Latest, AccountId),
        own: Option<(SymbolId, Money, Level, Level)>,
    ) -> Option<Money> {
        let mut lost = Money::ZERO;
        for market in &self.markets {
            let index = latest.price(market.coin.currency).unwrap_or(Money::ZERO);
            let from = (account, market.symbol, Money::from_units(index.units().checked_add(1)?));
            let levels = self.levels.range(from..=(account, market.symbol, Money::MAX));
            let (mut base, mut value) = (Money::ZERO, Money::ZERO);
            for (_, level) in levels {
                base = base.checked_add(level.base)?;
                value = value.checked_add(level.value)?;
            }
            if let Some((symbol, price, before, after)) = own
                && symbol == market.symbol
                && price > index
            {
                base = base.checked_sub(before.base)?.checked_add(after.base)?;
                value = value.checked_sub(before.value)?.checked_add(after.value)?;
            }
            lost = lost.checked_add(value.checked_sub(base.times(index, Round::Down)?)?)?;
        }
        Some(lost)
    }
}

/// The count of a part of a margin buy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    pub(crate) level: Level,
    pub(crate) fee: Money,
}

impl Counted {
    pub(crate) fn of(grid: &Grid, price: Price, qty: Qty, rate: buttonwood_num::Bps) -> Option<Self> {
        let level = Level { base: grid.base(qty)?, value: grid.notional(price, qty)? };
        Some(Self { level, fee: grid.fee(price, qty, rate)? })
    }
}

impl Account {
    pub(crate) fn sums(&self) -> Option<Sums> {
        Sums::of(self.cash, self.holdings.iter().map(|holding| holding.held))
    }

    /// Quantity and index of a currency; none of one that counts nothing.
    pub(crate) fn held(&self, currency: CurrencyId) -> Option<Held> {
        let of = |holding: &&Holding| holding.currency == Some(currency);
        self.holdings.iter().find(of).map(|holding| holding.held)
    }

    /// The account with its holdings at other prices.
    pub(crate) fn at(mut self, latest: &Latest) -> Self {
        for Holding { currency, held } in &mut self.holdings {
            held.index = currency.and_then(|currency| latest.price(currency)).unwrap_or(Money::ZERO);
        }
        self
    }

    /// Every currency that is held.
    pub(crate) fn holdings(&self) -> impl Iterator<Item = (CurrencyId, Held)> {
        let some = self.holdings.iter().filter(|holding| holding.held.quantity > Money::ZERO);
        some.filter_map(|holding| Some((holding.currency?, holding.held)))
    }

    /// The account after a fill. None beyond the range of money.
    pub(crate) fn after(mut self, dollar: CurrencyId, change: &Change) -> Option<Self> {
        let paid = change.quote.1.checked_sub(change.fee)?;
        self.add(change.base.0, change.base.1)?;
        if change.quote.0 != dollar {
            self.add(change.quote.0, paid)?;
        } else if paid.is_negative() {
            self.cash = self.cash.pay(-paid)?;
        } else {
            self.cash = self.cash.receive(paid)?;
        }
        Some(self)
    }

    fn add(&mut self, currency: CurrencyId, amount: Money) -> Option<()> {
        let holding = self.holdings.iter_mut().find(|holding| holding.currency == Some(currency));
        if let Some(Holding { held, .. }) = holding {
            held.quantity = held.quantity.checked_add(amount)?;
        }
        Some(())
    }
}
