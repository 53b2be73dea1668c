//! Interest: at each full hour every account that owes is charged for the hour, in bounded steps (MARG-005, MARG-006). An
//! hour of which a minute was borrowed is charged whole, and one in which all was repaid not at all.

use crate::SpotMargin;
use crate::settle::house;
use alloc::vec::Vec;
use buttonwood_ledger::{Bucket, Cause, FEES, INSURANCE, Ledger, Posting};
use buttonwood_model::{AccountId, DOLLAR, Rank, Time};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// The most accounts that one step charges.
const STEP_MAX: usize = 1_000;

const HOUR: u64 = 3_600 * Time::SECOND;

/// When the next hour ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Interest {
    /// The full hour at which interest is due next; it counts only while an account owes.
    due: Time,
    /// The last account that was charged for it.
    after: Option<AccountId>,
}

/// The interest of some accounts for an hour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    /// The end of the hour.
    pub hour: Time,
    /// The charges of accounts.
    pub rows: Vec<(AccountId, Money)>,
    /// Whether no account is left for this hour.
    pub is_last: bool,
}

impl Interest {
    /// Begins to count hours: the first dollar was borrowed.
    pub(crate) fn begin(&mut self, now: Time) {
        *self = Self { due: Time((now.0 / HOUR + 1) * HOUR), after: None };
    }

    /// Whether an hour is charged in part.
    pub(crate) fn has_begun(&self) -> bool {
        self.after.is_some()
    }
}

impl SpotMargin {
    /// Rank and time of the next charge, if any account owes.
    pub(crate) fn interest_due(&self) -> Option<(Rank, Time)> {
        let rank = if self.interest.has_begun() { Rank::FollowUp } else { Rank::Step };
        (!self.loans.is_empty()).then_some((rank, self.interest.due))
    }

    /// The next charge. The fund owes without interest, and nobody is charged what money cannot count.
    pub(crate) fn charge(&self, ledger: &Ledger) -> Charge {
        let (_, rate) = self.conditions.rate(DOLLAR);
        let fund = ledger.house(INSURANCE.name);
        let mut owing = self.loans.after(self.interest.after).filter(|(account, ..)| Some(*account) != fund);
        let mut left = self.dollar.map_or(Money::ZERO, |dollar| ledger.left_to_give(dollar));
        let rows = owing.by_ref().take(STEP_MAX).map(|(account, _, owed)| {
            let interest = rate.interest(owed).unwrap_or(Money::ZERO);
            match left.checked_sub(interest).filter(|left| !left.is_negative()) {
                Some(less) => left = less,
                None => return (account, Money::ZERO),
            }
            (account, interest)
        });
        let rows: Vec<_> = rows.collect();
        Charge { hour: self.interest.due, rows, is_last: owing.next().is_none() }
    }

    /// Adds a charge to what accounts owe.
    pub(crate) fn apply_charge(&mut self, ledger: &mut Ledger, charge: &Charge) {
        let dollar = self.dollar.expect("an account owes dollars");
        let fees = house(ledger, FEES.name);
        for (account, amount) in charge.rows.iter().copied() {
            self.lend(ledger, (account, dollar), amount);
            let posting = |account, amount| Posting {
                account,
                asset: dollar.into(),
                bucket: Bucket::Available,
                amount,
            };
            ledger.post(Cause::Interest, &[posting(account, -amount), posting(fees, amount)]);
        }
        if charge.is_last {
            // All of them owe more.
            self.look_through(charge.hour);
        }
        self.interest = if charge.is_last {
            Interest { due: Time(charge.hour.0 + HOUR), after: None }
        } else {
            Interest { due: charge.hour, after: charge.rows.last().map(|(account, _)| *account) }
        };
    }
}
