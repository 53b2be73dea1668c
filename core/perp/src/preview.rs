//! An account as an order would leave it that is not sent.

use crate::figures::Holder;
use crate::{Figures, Perps, Row};
use alloc::vec::Vec;
use buttonwood_index::Latest;
use buttonwood_ledger::Ledger;
use buttonwood_model::{CurrencyId, Side, SymbolId};
use buttonwood_num::Money;
use buttonwood_risk::{Collateral, Sums};
use buttonwood_trading::preview::Expected;

/// The position and the figures of an account after an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After {
    /// The quantity of the position.
    pub position: Money,
    /// The figures of `/v1/margin`.
    pub figures: Figures,
    /// The amount that orders could use of the currency in which positions are settled.
    pub available: Money,
}

/// The part of an account that an order changes: the row of its contract, and the money.
struct Changed {
    row: Row,
    money: Money,
    owed: Money,
}

/// The account after the order. `advanced` is the part of its assets that is no own money (D-181). None beyond the range of money.
pub fn after(
    perps: &Perps,
    ledger: &Ledger,
    latest: &Latest,
    expected: &Expected<'_>,
    advanced: Money,
) -> Option<After> {
    let (id, symbol) = (expected.terms.symbol_id, expected.terms.symbol);
    let changed = Changed::by(perps, ledger, expected)?;
    let holder = perps.holder(ledger, latest, expected.terms.account, symbol.quote);
    let sums = |except: Option<SymbolId>, collateral| changed.sums(&holder, except, collateral);
    let all = sums(None, holder.collateral().collect());
    let figures = all.and_then(|all| {
        Figures::at(&holder, (id, symbol), all, &changed.row, |collateral| sums(Some(id), collateral))
    });
    let usable = all.map_or(Money::ZERO, |all| all.free().usable);
    let own = usable.checked_sub(advanced).unwrap_or(Money::ZERO).max(Money::ZERO);
    Some(After {
        position: changed.row.position.quantity,
        figures: figures.unwrap_or_else(Figures::beyond_range),
        available: own.min(changed.money),
    })
}

impl Changed {
    /// Fill by fill, as they settle.
    fn by(perps: &Perps, ledger: &Ledger, expected: &Expected<'_>) -> Option<Self> {
        let terms = &expected.terms;
        let (account, gusd, side) = (terms.account, terms.symbol.quote, terms.class.side());
        let mut changed = Self {
            row: perps.row(account, terms.symbol_id),
            money: ledger.balance(account, gusd).available,
            owed: perps.owed(account, gusd),
        };
        for (fill, fee) in &expected.fills {
            let base = terms.symbol.grid.base(fill.qty)?;
            let value = terms.symbol.grid.notional(fill.price, fill.qty)?;
            let [base, value] = if side == Side::Buy { [base, value] } else { [-base, -value] };
            let applied = changed.row.position.after(base, value)?;
            changed.row.position = applied.position;
            changed.get(applied.realised.checked_sub(*fee)?)?;
        }
        for (side, left) in &expected.withdrawn {
            let live = changed.row.live_mut(*side);
            *live = live.checked_sub(terms.symbol.grid.base(*left)?)?;
        }
        let live = changed.row.live_mut(side);
        *live = live.checked_add(expected.reserved())?;
        Some(changed)
    }

    /// Gets money, or pays it: what the account lacks is lent, and what comes in repays first (D-167).
    fn get(&mut self, amount: Money) -> Option<()> {
        let money = self.money.checked_add(amount)?;
        let lacks = (-money).max(Money::ZERO);
        self.owed = self.owed.checked_add(lacks)?;
        let repaid = self.owed.min(money.max(Money::ZERO));
        self.owed = self.owed.checked_sub(repaid)?;
        self.money = money.max(Money::ZERO).checked_sub(repaid)?;
        Some(())
    }

    /// The sums of the account, without the row of `except`.
    fn sums(
        &self,
        holder: &Holder<'_>,
        except: Option<SymbolId>,
        collateral: Vec<(CurrencyId, Collateral)>,
    ) -> Option<Sums> {
        let Holder { perps, prices, account, .. } = *holder;
        let cap = perps.risk(account).leverage;
        let others = perps.rows_of(account).filter(|row| row.symbol != self.row.symbol);
        let rows = others.chain([&self.row]).filter(|row| Some(row.symbol) != except);
        let weighed = rows.filter_map(|row| Some(row.holding(prices.contract(row.symbol)?.mark, cap)));
        let borrowed = self.owed.capped_add(perps.debt(account));
        Sums::of(self.money, borrowed, collateral.into_iter().map(|(_, collateral)| collateral), weighed)
    }
}
