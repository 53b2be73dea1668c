//! Fee schedules. An order keeps the rates that were in force when it was placed (TYPE-011).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, Product, RatesId};
use buttonwood_num::Bps;
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
}

impl Default for FeeSchedule {
    fn default() -> Self {
        Self { maker: Bps(20), taker: Bps(40), auction: Bps(20) }
    }
}

/// The schedules in force for products and single accounts, and a table of every schedule that an order may
/// have been placed under.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fees {
    /// Every schedule that was ever in force; the first row is the opening's.
    table: Vec<FeeSchedule>,
    /// By [`Product::index`]: the row in force and its rates.
    products: Vec<(RatesId, FeeSchedule)>,
    accounts: BTreeMap<(AccountId, Product), RatesId>,
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
        }
    }

    /// The rates of an order that the account places now: the row of the table and its contents.
    #[inline]
    pub fn of(&self, product: Product, account: AccountId) -> (RatesId, FeeSchedule) {
        if !self.accounts.is_empty()
            && let Some(rates) = self.accounts.get(&(account, product))
        {
            return (*rates, self.get(*rates));
        }
        self.in_force(product)
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

    /// Whether the table has room for the schedule.
    pub fn has_room_for(&self, schedule: FeeSchedule) -> bool {
        self.table.contains(&schedule) || u16::try_from(self.table.len()).is_ok()
    }

    /// Sets the schedule of a product, or of one account for it. None removes the account's own schedule, or
    /// returns the product to the opening's.
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
            }
        }
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

    /// The accounts with schedules of their own.
    pub fn of_accounts(&self) -> impl Iterator<Item = (AccountId, Product, FeeSchedule)> {
        self.accounts.iter().map(|((account, product), rates)| (*account, *product, self.get(*rates)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(maker: u16, taker: u16) -> FeeSchedule {
        FeeSchedule { maker: Bps(maker), taker: Bps(taker), auction: Bps(maker) }
    }

    /// An account's own schedule takes precedence over its product's. Rows of the table are shared and never
    /// change.
    #[test]
    fn the_nearest_schedule_is_in_force() {
        let (plain, swap, own) = (rates(20, 40), rates(2, 5), rates(0, 1));
        let (alice, bob) = (AccountId(7), AccountId(8));
        let mut fees = Fees::new(plain);
        let (placed, _) = fees.of(Product::Swap, alice);
        fees.set(Product::Swap, None, Some(swap));
        fees.set(Product::Swap, Some(alice), Some(own));
        fees.set(Product::Spot, Some(bob), Some(own));
        let now = |product, account| fees.of(product, account).1;
        assert_eq!((now(Product::Swap, alice), now(Product::Swap, bob)), (own, swap));
        assert_eq!((now(Product::Spot, alice), now(Product::Spot, bob)), (plain, own));
        assert_eq!((fees.get(placed), fees.of_product(Product::Swap)), (plain, swap));
        assert_eq!(
            fees.of_accounts().collect::<Vec<_>>(),
            [(alice, Product::Swap, own), (bob, Product::Spot, own)]
        );
        fees.set(Product::Swap, Some(alice), None);
        fees.set(Product::Swap, None, None);
        assert_eq!((fees.of(Product::Swap, alice), fees.table.len()), ((RatesId(0), plain), 3));
    }

    /// A product that a later build added has the opening's schedule until it is given one.
    #[test]
    fn a_new_product_begins_with_the_first_schedule() {
        let (plain, swap) = (rates(1, 3), rates(2, 5));
        let mut fees = Fees::new(plain);
        fees.products.clear();
        assert_eq!(fees.of(Product::Swap, AccountId(7)), (RatesId(0), plain));
        fees.set(Product::Swap, None, Some(swap));
        assert_eq!((fees.of_product(Product::Spot), fees.of_product(Product::Swap)), (plain, swap));
    }

    /// A full table refuses new schedules and still takes those that it has.
    #[test]
    fn a_full_table_takes_no_new_schedule() {
        let mut fees = Fees::new(rates(0, 0));
        for taker in 1..=u16::MAX {
            fees.table.push(FeeSchedule { maker: Bps(0), taker: Bps(taker), auction: Bps(0) });
        }
        assert!(fees.has_room_for(rates(0, 9)) && !fees.has_room_for(rates(1, 9)));
    }
}
