//! The figures of an account: assets, margin, and what follows from them (facts F§15.4, D-40 to D-48).

use crate::position::{ONE, size};
use crate::{Contract, Perps, Position, Row};
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId, Side, Symbol, SymbolId};
use buttonwood_num::{Grid, Money, Price, Qty};
use serde::{Deserialize, Serialize};

/// A leverage in hundredths, from 1 to 100 times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Leverage(pub u16);

/// The highest leverage of accounts and symbols.
pub const LEVERAGE_MAX: Leverage = Leverage(10_000);

/// Hundredths in one.
const HUNDRED: u128 = 100;

impl Default for Leverage {
    fn default() -> Self {
        LEVERAGE_MAX
    }
}

impl Leverage {
    /// Whether it is between 1 and 100 times.
    pub fn is_valid(self) -> bool {
        (Self(100)..=LEVERAGE_MAX).contains(&self)
    }

    /// The margin of a notional: notional ÷ leverage, rounded up.
    fn margin(self, notional: Money) -> Option<Money> {
        notional.scaled_up(HUNDRED, u128::from(self.0))
    }
}

/// Currencies that may be collateral, with the percent of their value that counts, and whether they have an index; USDT is a
/// dollar (D-48).
const COLLATERAL: [(&str, u128, bool); 3] = [("BTC", 90, true), ("ETH", 90, true), ("USDT", 100, false)];

/// Sums over the positions and live orders of an account. `None` results are beyond the range of money.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    /// GUSD less what is owed, collateral, and profit and loss.
    pub(crate) assets: Money,
    /// Profit and loss of open positions.
    pub(crate) unrealised: Money,
    /// The margin of positions.
    pub(crate) positions: Money,
    /// The margin of live buys and live sells.
    pub(crate) reserved: [Money; 2],
    /// The value of positions, each without its sign.
    pub(crate) notional: Money,
}

impl Sums {
    /// Adds a row at a mark.
    pub(crate) fn with(self, row: &Row, mark: Money, cap: Leverage) -> Option<Self> {
        let value = row.position.value(mark)?;
        let notional = if value.is_negative() { -value } else { value };
        let unrealised = value.checked_add(-row.position.cost)?;
        let reserve = |side: Side| {
            let beyond = (row.live(side) - row.closable(side)).max(Money::ZERO);
            cap.margin(beyond.scaled_up(size(mark), ONE)?)
        };
        let [buys, sells] = self.reserved;
        Some(Self {
            assets: self.assets.checked_add(unrealised)?,
            unrealised: self.unrealised.checked_add(unrealised)?,
            positions: self.positions.checked_add(cap.margin(notional)?)?,
            reserved: [buys.checked_add(reserve(Side::Buy)?)?, sells.checked_add(reserve(Side::Sell)?)?],
            notional: self.notional.checked_add(notional)?,
        })
    }

    /// Initial margin: of positions and of live orders.
    pub(crate) fn initial(self) -> Option<Money> {
        let [buys, sells] = self.reserved;
        self.positions.checked_add(buys)?.checked_add(sells)
    }

    /// Assets less initial margin.
    pub(crate) fn available(self) -> Option<Money> {
        self.assets.checked_add(-self.initial()?)
    }

    /// Half of the margin of positions, rounded up (D-44).
    pub(crate) fn maintenance(self) -> Money {
        self.positions.scaled_up(1, 2).unwrap_or(Money::MAX)
    }
}

impl Perps {
    /// The sums of the account, without the row of `except`.
    pub(crate) fn sums(
        &self,
        ledger: &Ledger,
        account: AccountId,
        gusd: CurrencyId,
        except: Option<SymbolId>,
    ) -> Option<Sums> {
        let risk = self.risk(account);
        let money = ledger.balance(account, gusd).total().checked_add(-self.owed(account))?;
        let collateral = if risk.cross_collateral { self.collateral(ledger, account)? } else { Money::ZERO };
        let mut sums = Sums { assets: money.checked_add(collateral)?, ..Sums::default() };
        for row in self.rows_of(account).filter(|row| Some(row.symbol) != except) {
            if let Some(contract) = self.contract(row.symbol) {
                sums = sums.with(row, contract.mark, risk.leverage)?;
            }
        }
        Some(sums)
    }

    /// What the account's collateral counts.
    fn collateral(&self, ledger: &Ledger, account: AccountId) -> Option<Money> {
        let mut sum = Money::ZERO;
        for (code, percent, has_index) in COLLATERAL {
            let Some(currency) = currency(ledger, code) else { continue };
            let unit = self.haircut_value(currency, percent, has_index);
            let held = ledger.balance(account, currency).total();
            sum = sum.checked_add(held.scaled(size(unit), ONE)?)?;
        }
        Some(sum)
    }

    /// What a unit of a collateral currency counts; nothing without an index.
    fn haircut_value(&self, currency: CurrencyId, percent: u128, has_index: bool) -> Money {
        let dollar = Money::from_units(i128::try_from(ONE).unwrap_or(i128::MAX));
        let price = if has_index { self.index_price(currency) } else { Some(dollar) };
        price.and_then(|price| price.scaled(percent, HUNDRED)).unwrap_or(Money::ZERO)
    }

    /// The most of a currency that orders may use, and the most that may leave, of an account of this desk (D-47). None for
    /// currencies that its risk does not concern.
    pub fn available(
        &self,
        ledger: &Ledger,
        account: AccountId,
        gusd: CurrencyId,
        of: CurrencyId,
    ) -> Option<[Money; 2]> {
        let code = &ledger.currencies().get(of.index())?.code;
        let collateral = COLLATERAL.into_iter().find(|(other, ..)| other == code);
        let unit = match collateral {
            _ if of == gusd => None,
            Some((_, percent, has_index)) if self.risk(account).cross_collateral => {
                Some(self.haircut_value(of, percent, has_index))
            }
            _ => return None,
        };
        let held = ledger.balance(account, of).available;
        let sums = self.sums(ledger, account, gusd, None);
        let available = sums.and_then(Sums::available).unwrap_or(Money::ZERO);
        let profit = sums.map_or(Money::ZERO, |sums| sums.unrealised.max(Money::ZERO));
        let leaves = available.checked_add(-profit).unwrap_or(Money::ZERO);
        Some([available, leaves].map(|margin| {
            let margin = margin.max(Money::ZERO);
            let most = match unit {
                None => Some(margin),
                // It counts nothing, so it may go.
                Some(Money::ZERO) => None,
                Some(unit) => margin.scaled(ONE, size(unit)),
            };
            most.map_or(held, |most| most.min(held))
        }))
    }
}

/// A currency by its code.
pub(crate) fn currency(ledger: &Ledger, code: &str) -> Option<CurrencyId> {
    ledger.currencies().iter().position(|listed| listed.code == code).map(CurrencyId::from_index)
}

/// The figures of an account, those of one contract among them (the table of `/v1/margin`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// GUSD less what is owed, profit and loss, and collateral.
    pub margin_assets_value: Money,
    /// Of positions and live orders.
    pub initial_margin: Money,
    /// Assets less initial margin; may be negative.
    pub available_margin: Money,
    /// Below this value of the assets, the account is liquidated.
    pub margin_maintenance_limit: Money,
    /// Notional ÷ assets, rounded down; zero without assets.
    pub leverage: Money,
    /// The value of all positions, each without its sign.
    pub notional_value: Money,
    /// The mark at which assets equal maintenance; zero if there is none.
    pub estimated_liquidation_price: Money,
    /// Of positions.
    pub initial_margin_positions: Money,
    /// Of live orders.
    pub reserved_margin: Money,
    /// Of live buys.
    pub reserved_margin_buys: Money,
    /// Of live sells.
    pub reserved_margin_sells: Money,
    /// How much of the contract the available margin carries.
    pub buying_power: Money,
    /// The same for sells.
    pub selling_power: Money,
}

impl Figures {
    /// The figures of an account. None beyond the range of money.
    pub fn of(
        perps: &Perps,
        ledger: &Ledger,
        account: AccountId,
        (id, symbol): (SymbolId, &Symbol),
    ) -> Option<Self> {
        let sums = perps.sums(ledger, account, symbol.quote, None)?;
        let available = sums.available()?;
        let [buys, sells] = sums.reserved;
        let assets = sums.assets;
        let has_assets = assets > Money::ZERO;
        let leverage = if has_assets { sums.notional.scaled(ONE, size(assets))? } else { Money::ZERO };
        let account_figures = Self {
            margin_assets_value: assets,
            initial_margin: sums.initial()?,
            available_margin: available,
            margin_maintenance_limit: sums.maintenance(),
            leverage,
            notional_value: sums.notional,
            initial_margin_positions: sums.positions,
            reserved_margin: buys.checked_add(sells)?,
            reserved_margin_buys: buys,
            reserved_margin_sells: sells,
            ..Self::default()
        };
        let Some(contract) = perps.contract(id) else { return Some(account_figures) };
        let cap = perps.risk(account).leverage;
        let power = power(available, cap, contract, &symbol.grid);
        let price = Liquidation { perps, ledger, account, cap }.price(id, symbol, contract);
        Some(Self {
            estimated_liquidation_price: price.unwrap_or(Money::ZERO),
            buying_power: power,
            selling_power: power,
            ..account_figures
        })
    }
}

/// Available margin × cap ÷ mark, floored to the lot; at least zero.
fn power(available: Money, cap: Leverage, contract: &Contract, grid: &Grid) -> Money {
    let lot = grid.base(Qty::from_hundredths(HUNDRED)).unwrap_or(Money::MAX).units();
    let power = available.max(Money::ZERO).scaled(u128::from(cap.0) * ONE, HUNDRED * size(contract.mark));
    power.map_or(Money::ZERO, |power| Money::from_units(power.units() / lot * lot))
}

/// What a liquidation price depends on.
struct Liquidation<'a> {
    perps: &'a Perps,
    ledger: &'a Ledger,
    account: AccountId,
    cap: Leverage,
}

impl Liquidation<'_> {
    /// The exact price at which assets equal maintenance, the prices of other currencies fixed, rounded to the price step towards
    /// the mark (PERP-030). None without a position or a positive price.
    fn price(&self, id: SymbolId, symbol: &Symbol, contract: &Contract) -> Option<Money> {
        let Position { quantity, cost, .. } = self.perps.row(self.account, id).position;
        if quantity == Money::ZERO {
            return None;
        }
        let others = self.perps.sums(self.ledger, self.account, symbol.quote, Some(id))?;
        let (moving, value) = self.collateral_in(symbol.base, contract);
        // assets(p) = fixed + (quantity + moving) × p − cost, and maintenance(p) = (other + |quantity| × p ÷ cap) ÷ 2. Both are
        // multiplied by twice the cap.
        let cap = i128::from(self.cap.0);
        let fixed = others.assets.checked_add(-value)?.checked_add(-cost)?;
        let per_price = (quantity.checked_add(moving)?.units().checked_mul(2 * cap)?)
            .checked_sub(i128::try_from(size(quantity)).ok()?.checked_mul(100)?)?;
        // p = (other ÷ 2 − fixed) × 2 × cap ÷ per_price; `other` is doubled to stay whole.
        let twice = others.positions.units().checked_sub(fixed.units().checked_mul(2)?)?;
        if per_price == 0 || twice == 0 || (twice < 0) != (per_price < 0) {
            return None;
        }
        let factor = u128::from(self.cap.0).checked_mul(ONE)?;
        let part = Money::from_units(i128::try_from(twice.unsigned_abs()).ok()?);
        let floor = part.scaled(factor, per_price.unsigned_abs())?;
        let tick =
            symbol.grid.value(Money::from_units(i128::try_from(ONE).ok()?), Price::from_ticks(1)).units();
        let price = if floor < contract.mark {
            let ceiling = part.scaled_up(factor, per_price.unsigned_abs())?.units();
            ceiling.checked_add(tick - 1)? / tick * tick
        } else {
            floor.units() / tick * tick
        };
        (price > 0).then(|| Money::from_units(price))
    }

    /// The part of the contract's own currency in the account that counts, in units of the currency, and its value now.
    fn collateral_in(&self, base: CurrencyId, contract: &Contract) -> (Money, Money) {
        let code = self.ledger.currencies().get(base.index()).map_or("", |currency| currency.code.as_str());
        let counted = COLLATERAL.into_iter().find(|(other, _, has_index)| *has_index && *other == code);
        let Some((_, percent, _)) = counted.filter(|_| self.perps.risk(self.account).cross_collateral) else {
            return (Money::ZERO, Money::ZERO);
        };
        let held = self.ledger.balance(self.account, base).total();
        let moving = held.scaled(percent, HUNDRED).unwrap_or(Money::ZERO);
        (moving, moving.scaled(size(contract.index), ONE).unwrap_or(Money::ZERO))
    }
}
