//! The volumes of each account on each UTC day, by symbol, side and role; the current day and the 30 before it.
//!
//! Clauses: `VOL-008`, `VOL-009`, `VOL-011` to `VOL-013`.

use crate::history::Part;
use buttonwood_engine::Break;
use buttonwood_model::{AccountId, Day, Side, SymbolId, Time};
use buttonwood_num::{Money, Qty};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The full days that an answer shows (VOL-013).
pub const VOLUME_DAYS: u64 = 30;

/// The trade volumes of every account; part of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TradeVolumes {
    /// By account: its days with trades, oldest first.
    accounts: BTreeMap<AccountId, VecDeque<DayVolumes>>,
}

/// The volumes of an account on one day.
type DayVolumes = (Day, BTreeMap<SymbolId, TradeVolume>);

/// The volume of an account in a symbol on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TradeVolume {
    /// Its buys.
    pub buys: ByRole,
    /// Its sells.
    pub sells: ByRole,
}

/// The trades of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByRole {
    /// Its orders rested, or traded in an auction, where no order is the incoming one.
    pub maker: Fills,
    /// Its orders came in.
    pub taker: Fills,
}

/// A sum of fills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fills {
    /// The quantity.
    pub qty: Qty,
    /// Price times quantity; it saturates.
    pub notional: Money,
    /// How many.
    pub count: u64,
}

impl TradeVolume {
    /// The quantity of all four sums (VOL-012).
    pub fn total(&self) -> Qty {
        [self.buys, self.sells].into_iter().map(|side| side.maker.qty + side.taker.qty).sum()
    }
}

impl TradeVolumes {
    /// Records an account's part in a trade; times never decrease.
    pub(crate) fn record(
        &mut self,
        account: AccountId,
        symbol: SymbolId,
        time: Time,
        (side, part): (Side, Part),
        (qty, notional): (Qty, Money),
    ) {
        let (today, days) = (Day::of(time), self.accounts.entry(account).or_default());
        if days.back().is_none_or(|(day, _)| *day < today) {
            days.push_back((today, BTreeMap::new()));
            while days.pop_front_if(|(day, _)| day.plus(VOLUME_DAYS) < today).is_some() {}
        }
        let Some((_, symbols)) = days.back_mut() else { return };
        let volume = symbols.entry(symbol).or_default();
        let side = if side == Side::Buy { &mut volume.buys } else { &mut volume.sells };
        let fills = if part == Part::Taker { &mut side.taker } else { &mut side.maker };
        fills.qty += qty;
        fills.notional = fills.notional.capped_add(notional);
        fills.count += 1;
    }

    /// Takes back a void trade (VOL-014).
    pub(crate) fn correct(&mut self, broken: &Break, notional: Money) {
        let day = Day::of(broken.time);
        for (side, party) in broken.parties() {
            let Some(days) = self.accounts.get_mut(&party.account) else { continue };
            let Some((_, symbols)) = days.iter_mut().find(|(kept, _)| *kept == day) else { continue };
            let Some(volume) = symbols.get_mut(&broken.symbol) else { continue };
            let of_side = if side == Side::Buy { &mut volume.buys } else { &mut volume.sells };
            let fills = if broken.taker == Some(side) { &mut of_side.taker } else { &mut of_side.maker };
            fills.qty -= broken.qty;
            fills.notional = (fills.notional - notional).max(Money::ZERO);
            fills.count -= 1;
            if *volume == TradeVolume::default() {
                symbols.remove(&broken.symbol);
            }
            days.retain(|(_, symbols)| !symbols.is_empty());
        }
    }

    /// An account's volumes of the full days before `now`, newest day first.
    pub fn newest(
        &self,
        account: AccountId,
        now: Time,
    ) -> impl Iterator<Item = (Day, SymbolId, &TradeVolume)> {
        let today = Day::of(now);
        let days = self.accounts.get(&account).into_iter().flat_map(|days| days.iter().rev());
        let full = days.filter(move |(day, _)| *day < today && day.plus(VOLUME_DAYS) >= today);
        full.flat_map(|(day, symbols)| symbols.iter().map(|(symbol, volume)| (*day, *symbol, volume)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: AccountId = AccountId(3);

    /// Proves VOL-013.
    #[test]
    fn thirty_full_days_are_shown() {
        let mut volumes = TradeVolumes::default();
        let noon = |day: u64| Day(day).start().plus(Day::MICROS / 2);
        for day in [100, 100, 101, 130, 131] {
            let traded = (Qty::from_hundredths(2), Money::from_units(3));
            volumes.record(ANN, SymbolId(1), noon(day), (Side::Sell, Part::Auction), traded);
        }
        let days = |now| volumes.newest(ANN, now).map(|(day, ..)| day.0).collect::<Vec<_>>();
        assert_eq!(days(noon(131)), [130, 101]);
        assert_eq!(days(noon(132)), [131, 130]);
        assert_eq!((days(noon(162)), volumes.accounts[&ANN].len()), (vec![], 3));
        assert_eq!(volumes.newest(AccountId(2), noon(131)).count(), 0);
        let (_, symbol, volume) = volumes.newest(ANN, noon(131)).next().unwrap();
        let maker = Fills { qty: Qty::from_hundredths(2), notional: Money::from_units(3), count: 1 };
        let sells = ByRole { maker, ..ByRole::default() };
        assert_eq!((symbol, *volume), (SymbolId(1), TradeVolume { sells, ..TradeVolume::default() }));
        assert_eq!(volume.total(), Qty::from_hundredths(2));
    }
}
