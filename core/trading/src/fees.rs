//! Fee schedules. An order keeps the rates that were in force when it was placed (TYPE-011).
//!
//! An account has its own rates, else those of its tier, else those of the product. A promotion lowers them on its symbols
//! and raises none.

use crate::{FeeTier, Promotion};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, Product, RatesId, SymbolId};
use buttonwood_num::{Bps, Money};
use serde::{Deserialize, Serialize};

/// Fee rates (D-31). Aligned to eight bytes, so that they are copied as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(align(8))]
pub struct FeeSchedule {
    /// The rate of a maker.
    pub maker: Bps,
    /// The rate of a taker.
    pub taker: Bps,
    /// The rate of both orders of an auction's trade (AUCT-005).
    pub auction: Bps,
}

impl FeeSchedule {
    /// The higher rate of maker and taker, for which an order reserves.
    #[inline]
    pub fn worst(self) -> Bps {
        self.maker.max(self.taker)
    }

    /// Whether no fee can exceed the notional, or the fee that an order reserves.
    pub fn is_valid(self) -> bool {
        u32::from(self.worst().0) <= Bps::WHOLE && self.auction <= self.maker.max(self.taker)
    }

    /// The lower of each rate under a promotion. The auction's rate stays within what an order reserves.
    #[must_use]
    pub fn promoted(self, promotion: Self) -> Self {
        let (maker, taker) = (self.maker.min(promotion.maker), self.taker.min(promotion.taker));
        Self { maker, taker, auction: self.auction.min(promotion.auction).min(maker.max(taker)) }
    }
}

impl Default for FeeSchedule {
    fn default() -> Self {
        Self { maker: Bps(20), taker: Bps(40), auction: Bps(20) }
    }
}

/// The most rows of the table.
const ROWS_MAX: usize = 1 << 16;

/// The schedules in force for products, tiers and single accounts, and a table of every schedule that an order may have
/// been placed under.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fees {
    /// Every schedule that was ever in force; the first row is the opening's.
    table: Vec<FeeSchedule>,
    /// By [`Product::index`]: the row in force and its rates.
    products: Vec<(RatesId, FeeSchedule)>,
    accounts: BTreeMap<(AccountId, Product), RatesId>,
    /// The tiers that replace a product's schedule: the volume from which on an account has these rates, lowest first.
    tiers: BTreeMap<Product, Vec<(Money, RatesId)>>,
    /// The symbols under promotion.
    promoted: BTreeSet<SymbolId>,
    /// The promotion's rates, if any symbol is under promotion.
    promotion: Option<FeeSchedule>,
    /// The rates in force as the promotion lowers them, by the row of the rates.
    lowered: BTreeMap<RatesId, RatesId>,
    /// Whether every account has the rates of the product, on every symbol.
    is_flat: bool,
}

impl Default for Fees {
    fn default() -> Self {
        Self::new(FeeSchedule::default())
    }
}

impl Fees {
    /// One schedule for all products.
    pub fn new(schedule: FeeSchedule) -> Self {
        Self {
            table: alloc::vec![schedule],
            products: alloc::vec![(RatesId::default(), schedule); Product::COUNT],
            accounts: BTreeMap::new(),
            tiers: BTreeMap::new(),
            promoted: BTreeSet::new(),
            promotion: None,
            lowered: BTreeMap::new(),
            is_flat: true,
        }
    }

    /// The rates of an order that the account places now: the row of the table and its contents. `volume` returns the
    /// volume that decides the account's tier; `symbol` is none for the rates of symbols without a promotion.
    #[inline]
    pub fn of(
        &self,
        product: Product,
        symbol: Option<SymbolId>,
        account: AccountId,
        volume: impl FnOnce() -> Money,
    ) -> (RatesId, FeeSchedule) {
        if self.is_flat {
            return self.in_force(product);
        }
        let rates = self.of_account(product, symbol, account, volume);
        (rates, self.get(rates))
    }

    #[inline(never)]
    fn of_account(
        &self,
        product: Product,
        symbol: Option<SymbolId>,
        account: AccountId,
        volume: impl FnOnce() -> Money,
    ) -> RatesId {
        let own = self.accounts.get(&(account, product)).copied();
        let rates =
            own.or_else(|| self.of_tier(product, volume())).unwrap_or_else(|| self.in_force(product).0);
        let is_promoted = symbol.is_some_and(|symbol| self.promoted.contains(&symbol));
        if is_promoted { self.lowered.get(&rates).copied().unwrap_or(rates) } else { rates }
    }

    /// The rates of the highest tier that the volume reaches.
    fn of_tier(&self, product: Product, volume: Money) -> Option<RatesId> {
        let reached = self.tiers.get(&product)?.iter().rev().find(|(from, _)| *from <= volume);
        reached.map(|(_, rates)| *rates)
    }

    #[inline]
    fn in_force(&self, product: Product) -> (RatesId, FeeSchedule) {
        // A product that a later build added has the opening's schedule.
        self.products.get(product.index()).copied().unwrap_or_else(|| self.first())
    }

    #[cold]
    fn first(&self) -> (RatesId, FeeSchedule) {
        (RatesId::default(), self.get(RatesId::default()))
    }

    /// The rates of an order.
    ///
    /// # Panics
    /// When the table has no such row.
    #[inline]
    pub fn get(&self, rates: RatesId) -> FeeSchedule {
        *self.table.get(rates.index()).expect("an order's rates are in the table")
    }

    /// Whether the table has room for the schedules, also as the promotion lowers them.
    pub fn has_room_for(&self, schedules: &[FeeSchedule]) -> bool {
        let lowered = |schedule: &FeeSchedule| Some(schedule.promoted(self.promotion?));
        self.has_room(schedules.iter().copied().chain(schedules.iter().filter_map(lowered)))
    }

    /// Whether the table has room for the schedules in force as a promotion would lower them.
    pub fn has_room_to_promote(&self, promotion: FeeSchedule) -> bool {
        self.has_room(self.rows_in_force().into_iter().map(|rates| self.get(rates).promoted(promotion)))
    }

    fn has_room(&self, schedules: impl Iterator<Item = FeeSchedule>) -> bool {
        let mut added = Vec::new();
        for schedule in schedules {
            if !self.table.contains(&schedule) && !added.contains(&schedule) {
                added.push(schedule);
            }
        }
        added.is_empty() || self.table.len() + added.len() <= ROWS_MAX
    }

    /// Sets the schedule of a product, or of one account for it. None removes the account's own schedule, or
    /// returns the product to the opening's. A product's schedule ends its tiers.
    pub fn set(&mut self, product: Product, account: Option<AccountId>, schedule: Option<FeeSchedule>) {
        let rates = schedule.map(|schedule| self.row(schedule));
        match (account, rates) {
            (Some(account), Some(rates)) => {
                self.accounts.insert((account, product), rates);
            }
            (Some(account), None) => {
                self.accounts.remove(&(account, product));
            }
            (None, rates) => {
                let first = self.first();
                self.products.resize(self.products.len().max(product.index() + 1), first);
                let rates = rates.unwrap_or_default();
                let schedule = self.get(rates);
                if let Some(entry) = self.products.get_mut(product.index()) {
                    *entry = (rates, schedule);
                }
                self.tiers.remove(&product);
            }
        }
        self.derive();
    }

    /// Sets the tiers of a product, lowest first.
    pub fn set_tiers(&mut self, product: Product, tiers: &[FeeTier]) {
        let rows = tiers.iter().map(|tier| (tier.from, self.row(tier.rates))).collect();
        self.tiers.insert(product, rows);
        self.derive();
    }

    /// Sets the promotion; one without symbols ends it.
    pub fn promote(&mut self, promotion: &Promotion) {
        self.promoted = promotion.symbols.iter().copied().collect();
        self.promotion = (!self.promoted.is_empty()).then_some(promotion.rates);
        self.derive();
    }

    /// Computes what follows from a change.
    fn derive(&mut self) {
        self.is_flat = self.accounts.is_empty() && self.tiers.is_empty() && self.promotion.is_none();
        self.lowered.clear();
        let Some(promotion) = self.promotion else { return };
        for rates in self.rows_in_force() {
            let lowered = self.row(self.get(rates).promoted(promotion));
            self.lowered.insert(rates, lowered);
        }
    }

    /// The rows of the rates that an order may be placed under, on a symbol without a promotion.
    fn rows_in_force(&self) -> BTreeSet<RatesId> {
        let products = core::iter::once(self.first().0).chain(self.products.iter().map(|(rates, _)| *rates));
        let tiers = self.tiers.values().flatten().map(|(_, rates)| *rates);
        products.chain(tiers).chain(self.accounts.values().copied()).collect()
    }

    fn row(&mut self, schedule: FeeSchedule) -> RatesId {
        let known = self.table.iter().position(|row| *row == schedule);
        RatesId::from_index(known.unwrap_or_else(|| {
            self.table.push(schedule);
            self.table.len() - 1
        }))
    }

    /// The schedule of a product.
    pub fn of_product(&self, product: Product) -> FeeSchedule {
        self.in_force(product).1
    }

    /// Whether a product has a schedule or tiers of its own, apart from the opening's.
    pub fn is_set(&self, product: Product) -> bool {
        self.in_force(product).0 != RatesId::default() || self.tiers.contains_key(&product)
    }

    /// The tiers of a product, lowest first; none if it has one schedule for all accounts.
    pub fn tiers_of(&self, product: Product) -> impl Iterator<Item = FeeTier> {
        let rows = self.tiers.get(&product).into_iter().flatten();
        rows.map(|(from, rates)| FeeTier { from: *from, rates: self.get(*rates) })
    }

    /// The symbols under promotion (MKT-036).
    pub fn symbols_promoted(&self) -> impl Iterator<Item = SymbolId> {
        self.promoted.iter().copied()
    }

    /// The rates of the promotion, if any symbol is under promotion.
    pub fn promotion(&self) -> Option<FeeSchedule> {
        self.promotion
    }

    /// The accounts with schedules of their own.
    pub fn of_accounts(&self) -> impl Iterator<Item = (AccountId, Product, FeeSchedule)> {
        self.accounts.iter().map(|((account, product), rates)| (*account, *product, self.get(*rates)))
    }
}

#[cfg(test)]
mod tests;
