//! The laws of the desk: its sums are those of the live orders.

use crate::SpotMargin;
use crate::desk::{DESK, borrows};
use crate::settle::{counted, holder, key};
use crate::state::{Level, Row};
use alloc::collections::BTreeMap;
use buttonwood_model::AccountId;
use buttonwood_num::Money;
use buttonwood_spot as spot;
use buttonwood_trading::Live;

/// A broken law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenLaw {
    /// The sums of the account's live orders are not those of the orders.
    Row(AccountId),
    /// The levels of margin buys are not those of the orders.
    Levels,
    /// The reserves of orders are not those that the orders need.
    Held,
}

impl SpotMargin {
    /// The first broken law. `live` are the live orders of this room.
    pub fn broken_law<'a>(&self, live: impl Iterator<Item = Live<'a>>) -> Option<BrokenLaw> {
        let mut rows: BTreeMap<AccountId, Row> = BTreeMap::new();
        let mut levels: BTreeMap<_, Level> = BTreeMap::new();
        let mut held: BTreeMap<_, Money> = BTreeMap::new();
        for live in live {
            let counted = counted(live, live.order.remaining);
            let row = rows.entry(live.order.account).or_default();
            row.orders += 1;
            row.spending += u32::from(self.is_spending(live));
            if borrows(live.desk(), live.order.side()) {
                row.buys += counted.level.value;
                row.fees += counted.fee;
                let level = levels.entry(key(live)).or_default();
                level.base += counted.level.base;
                level.value += counted.level.value;
                continue;
            }
            if live.desk() == DESK {
                row.sells += counted.level.value;
            }
            *held.entry(holder(live)).or_default() += spot::reserved(live).1;
        }
        let unequal = |account: &&AccountId| rows.get(account) != self.rows.get(account);
        if let Some(account) = rows.keys().chain(self.rows.keys()).find(unequal) {
            return Some(BrokenLaw::Row(*account));
        }
        let is_equal = levels == self.levels;
        let reserves = || (held != self.held).then_some(BrokenLaw::Held);
        if is_equal { reserves() } else { Some(BrokenLaw::Levels) }
    }
}
