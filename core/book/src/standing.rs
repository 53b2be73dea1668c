//! The places of an account's resting orders in the queues of their prices.

use crate::{Order, Orders};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, Side, Slot, SymbolId};
use buttonwood_num::{Price, Qty};

/// The place of a resting order in the queue of its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The order.
    pub slot: Slot,
    /// The open quantity of the orders before it, those of its own account among them.
    pub ahead: Qty,
    /// The open quantity of the whole level.
    pub level: Qty,
}

impl Orders {
    /// The places of the account's orders that rest on a symbol's book: bids before asks, by price, oldest first. Orders that wait for an
    /// auction or for their stop price stand in no queue. Each level on which the account has an order is walked once, and no other.
    #[cold]
    #[inline(never)]
    pub fn standings(&self, account: AccountId, symbol: SymbolId) -> Vec<Standing> {
        let resting = self.in_any_order(account).filter(|(_, own)| own.symbol == symbol && own.is_resting());
        let levels: BTreeSet<(Side, Price)> = resting.map(|(_, own)| (own.side(), own.price)).collect();
        let mut standings = Vec::new();
        for level in levels {
            self.stand_on(account, symbol, level, &mut standings);
        }
        standings
    }

    /// Appends the places on one level. The sum of the level is known at its end.
    fn stand_on(
        &self,
        account: AccountId,
        symbol: SymbolId,
        (side, price): (Side, Price),
        standings: &mut Vec<Standing>,
    ) {
        let first = standings.len();
        let mut passed = Qty::ZERO;
        for slot in self.queue(symbol, side, price) {
            let Order { account: owner, remaining, .. } = *self.get(slot);
            if owner == account {
                standings.push(Standing { slot, ahead: passed, level: Qty::ZERO });
            }
            passed += remaining;
        }
        for standing in standings.iter_mut().skip(first) {
            standing.level = passed;
        }
    }
}
