//! The part of their fees that makers earn back: each fill earns its part at the rate that is in force then (D-120).

use crate::Predictions;
use buttonwood_model::{AccountId, RowHash, Time};
use buttonwood_num::{Bps, Money};
use serde::{Deserialize, Serialize};

const ROW: RowHash = RowHash::of("accrued");

/// The trades of an account as a maker since the last rebates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accrued {
    /// Its fees.
    pub fees: Money,
    /// Price × quantity in its own view.
    pub volume: Money,
    /// How many fills.
    pub fills: u64,
    /// The dollars that it gets back, rounded down at 10⁻¹⁹.
    pub rebate: Money,
    /// The residue of that rounding, in ten-thousandths of a unit.
    pub(crate) residue: i128,
}

impl Accrued {
    /// Adds a fill.
    fn add(&mut self, fee: Money, volume: Money) {
        self.fees = self.fees.capped_add(fee);
        self.volume = self.volume.capped_add(volume);
        self.fills = self.fills.saturating_add(1);
    }

    /// Adds the part of a fee that is given back, or takes it off for a negative fee. The sum is exact: it is rounded down once.
    fn earn(&mut self, fee: Money, bps: u32) {
        let whole = i128::from(Bps::WHOLE);
        let (units, bps) = (fee.units(), i128::from(bps));
        let residue = self.residue + units.rem_euclid(whole) * bps;
        let part = units.div_euclid(whole) * bps + residue.div_euclid(whole);
        self.residue = residue.rem_euclid(whole);
        self.rebate = self.rebate.capped_add(Money::from_units(part)).max(Money::ZERO);
    }

    /// Gives the part of all fees back.
    pub(crate) fn earn_all(&mut self, bps: u32) {
        self.earn(self.fees, bps);
    }

    /// Adds earlier trades.
    pub(crate) fn join(&mut self, other: &Self) {
        self.fees = self.fees.capped_add(other.fees);
        self.volume = self.volume.capped_add(other.volume);
        self.fills = self.fills.saturating_add(other.fills);
        self.rebate = self.rebate.capped_add(other.rebate);
    }

    /// The rest to be paid after a payment, with the trades if there was none.
    pub(crate) fn rest_after(&self, paid: Money) -> Option<Self> {
        let rest = Self { rebate: self.rebate - paid, ..Self::default() };
        (rest.rebate > Money::ZERO).then_some(if paid == Money::ZERO { *self } else { rest })
    }
}

impl Predictions {
    /// Notes the fill of a maker: its fee, and price × quantity in its own view.
    pub(crate) fn note_maker(&mut self, account: AccountId, fee: Money, volume: Money) {
        let rewards = &mut self.rewards;
        if !rewards.terms.enabled {
            return;
        }
        let [fees, _] = &mut rewards.sums;
        *fees = fees.capped_add(fee);
        let accrued = rewards.accrued.entry(account).or_default();
        accrued.add(fee, volume);
        if rewards.is_exact {
            accrued.earn(fee, rewards.terms.rebate_bps);
            self.fold_accrued(account);
        }
    }

    /// Notes that a trade was broken by hand, whose fees the operator returns: the maker keeps no rebate of it, unless that is paid or due
    /// already. The trade still counts in volumes (ORD-022).
    pub fn note_broken(&mut self, account: AccountId, fee: Money, traded: Time) {
        let rewards = &mut self.rewards;
        let rule = rewards.rules.iter().rev().find(|rule| rule.from <= traded);
        let is_accrued = rewards.is_exact && traded >= rewards.accrued_from;
        let accrued = rewards.accrued.get_mut(&account).filter(|_| is_accrued);
        let (Some(accrued), Some(rule)) = (accrued, rule) else { return };
        accrued.earn(-fee, rule.bps);
        accrued.fees -= fee;
        let [fees, _] = &mut rewards.sums;
        *fees -= fee;
        self.fold_accrued(account);
    }

    fn fold_accrued(&mut self, account: AccountId) {
        let Some(row) = self.rewards.accrued.get(&account) else { return };
        let hash = ROW.word(account.0.into()).money(row.fees).money(row.volume).word(row.fills);
        self.fingerprint.add(hash.money(row.rebate).money(Money::from_units(row.residue)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Infrequent, Rebated, RewardChange};
    use alloc::vec::Vec;
    use buttonwood_model::{Named as _, put_fields};

    /// A fill of a maker is a row of the fingerprint, at its rate, once an event of this build has turned the switch.
    #[test]
    fn a_fill_is_in_the_fingerprint() {
        let filled = |is_exact: bool, bps: u32| {
            let mut room = Predictions::default();
            room.rewards.terms.enabled = true;
            room.rewards.terms.rebate_bps = bps;
            room.rewards.is_exact = is_exact;
            room.note_maker(AccountId(3), Money::ONE, Money::ONE);
            room.fingerprint.part("prediction")
        };
        assert_eq!(filled(false, 5_000), Predictions::default().fingerprint.part("prediction"));
        assert_ne!(filled(true, 5_000), filled(false, 5_000));
        assert_ne!(filled(true, 5_000), filled(true, 4_000));
    }

    /// Events of earlier builds leave the switch as it is.
    #[test]
    fn earlier_events_are_read() {
        let change = RewardChange { enabled: Some(true), ..RewardChange::default() };
        let mut body = Vec::new();
        put_fields(&(&change,), &mut body);
        let read = |name: &str, body: &[u8]| Infrequent::read_body(name, 1, body).unwrap();
        assert_eq!(read("rewards_set", &body), Infrequent::RewardsSet(change, false));
        assert_eq!(read("rebates_begun", &[]), Infrequent::RebatesBegun(false));
        let mut body = Vec::new();
        put_fields(&(Time(5), [(AccountId(3), Money::ONE)].as_slice(), true), &mut body);
        let rows = [(AccountId(3), Money::ONE)].to_vec();
        let expected = Rebated { run: Time(5), rows, is_last: true, keeps_rest: false, refused: Vec::new() };
        assert_eq!(read("rebated", &body), Infrequent::Rebated(expected));
    }

    /// Parts of a unit add up over fills, and a fee that is taken off leaves what was before.
    #[test]
    fn the_sum_of_rebates_is_exact() {
        let mut accrued = Accrued::default();
        let fee = |units| Money::from_units(units);
        for (units, bps, sum, residue) in
            [(1, 5_000, 0, 5_000), (1, 5_000, 1, 0), (9_999, 9_999, 9_999, 1), (7, 3_333, 10_001, 3_332)]
        {
            accrued.earn(fee(units), bps);
            assert_eq!((accrued.rebate, accrued.residue), (fee(sum), residue), "{units} at {bps}");
        }
        let before = accrued;
        accrued.earn(fee(123_456_789), 7_777);
        accrued.earn(fee(-123_456_789), 7_777);
        assert_eq!(accrued, before);
    }
}
