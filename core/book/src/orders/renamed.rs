//! Live orders whose client id means a newer order, or something else, by now: no index finds them by it (D-175, Q-515, Q-586).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, OrderId};

/// Orders that an account may remember beyond twice those that lived at its last pruning.
const SPARE: usize = 16;

/// By account, the orders that lost their client id, and some that are closed by now: ids are never given again.
#[derive(Clone, Debug, Default)]
pub(super) struct Renamed(BTreeMap<AccountId, Lost>);

#[derive(Clone, Debug, Default)]
struct Lost {
    orders: Vec<OrderId>,
    /// How many of them lived when closed ones were removed last.
    lived: usize,
}

impl Renamed {
    /// Notes an order. Closed ones are removed at times, so that no cancel or fill looks for them here.
    pub(super) fn note(&mut self, account: AccountId, order: OrderId, is_live: impl Fn(OrderId) -> bool) {
        let lost = self.0.entry(account).or_default();
        if lost.orders.len() >= lost.lived.saturating_mul(2).saturating_add(SPARE) {
            lost.orders.retain(|id| is_live(*id));
            lost.lived = lost.orders.len();
        }
        lost.orders.push(order);
    }

    /// The orders of an account, some of which may be closed.
    pub(super) fn of(&self, account: AccountId) -> impl Iterator<Item = OrderId> {
        self.0.get(&account).into_iter().flat_map(|lost| lost.orders.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: AccountId = AccountId(1);

    /// Closed orders do not pile up, and live ones stay.
    #[test]
    fn closed_orders_are_forgotten() {
        let mut renamed = Renamed::default();
        let is_live = |id: OrderId| id.0.is_multiple_of(100);
        for id in 0..1_000 {
            renamed.note(ANN, OrderId(id), is_live);
        }
        let kept: Vec<OrderId> = renamed.of(ANN).collect();
        assert!(kept.len() < 100, "{}", kept.len());
        assert_eq!(kept.iter().filter(|id| is_live(**id)).count(), 10);
        assert_eq!(renamed.of(AccountId(2)).count(), 0);
    }
}
