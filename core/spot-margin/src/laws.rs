//! The laws of the desk: its sums are those of the live orders.

use crate::SpotMargin;
use crate::desk::{DESK, borrows, is_of_room};
use crate::settle::{counted, holder, key};
use crate::state::{Level, Row};
use alloc::collections::BTreeMap;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId, SymbolId};
use buttonwood_num::Money;
use buttonwood_spot as spot;
use buttonwood_trading::{Floor, Live};

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

/// The sums of live orders.
#[derive(Default)]
struct Counts {
    rows: BTreeMap<AccountId, Row>,
    levels: BTreeMap<(AccountId, SymbolId, Money), Level>,
    held: BTreeMap<(AccountId, CurrencyId), Money>,
}

impl SpotMargin {
    /// The first broken law. `live` are the live orders of this room.
    pub(crate) fn broken_law<'a>(&self, live: impl Iterator<Item = Live<'a>>) -> Option<BrokenLaw> {
        let Counts { rows, levels, held } = self.counts(live);
        let unequal = |account: &&AccountId| rows.get(account) != self.rows.get(account);
        if let Some(account) = rows.keys().chain(self.rows.keys()).find(unequal) {
            return Some(BrokenLaw::Row(*account));
        }
        let is_equal = levels == self.levels;
        let reserves = || (held != self.held).then_some(BrokenLaw::Held);
        if is_equal { reserves() } else { Some(BrokenLaw::Levels) }
    }

    /// Counts the live orders again, after the coins changed: which cash orders spend depends on them.
    pub fn recount(&mut self, floor: &Floor, ledger: &Ledger) {
        let Counts { rows, levels, held } = self.counts(live(floor, ledger));
        (self.rows, self.levels, self.held) = (rows, levels, held);
    }

    fn counts<'a>(&self, live: impl Iterator<Item = Live<'a>>) -> Counts {
        let mut counts = Counts::default();
        for live in live {
            let counted = counted(live, live.order.remaining);
            let row = counts.rows.entry(live.order.account).or_default();
            row.orders += 1;
            row.spending += u32::from(self.is_spending(live));
            if borrows(live.desk(), live.order.side()) {
                row.buys += counted.level.value;
                row.fees += counted.fee;
                let level = counts.levels.entry(key(live)).or_default();
                level.base += counted.level.base;
                level.value += counted.level.value;
                continue;
            }
            if live.desk() == DESK {
                row.sells += counted.level.value;
            }
            *counts.held.entry(holder(live)).or_default() += spot::reserved(live).1;
        }
        counts
    }
}

/// The live orders of this room.
pub(crate) fn live<'a>(floor: &'a Floor, ledger: &Ledger) -> impl Iterator<Item = Live<'a>> {
    let accounts = (0..ledger.accounts()).map(AccountId);
    let live = accounts.flat_map(|account| floor.orders.in_any_order(account));
    live.map(|(slot, _)| floor.live(slot)).filter(|live| is_of_room(live.desk()))
}
