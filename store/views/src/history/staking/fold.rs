//! The rows of staking: transactions, redemptions that are paid whole, and what the statement has of interest that joins a stake.

use super::{StakingKind, StakingRow};
use crate::fold::{Fold, Recorded, Sink};
use crate::history::EntryRow;
use buttonwood_engine::staking::{Accrued, Interest, Paid, PairId, Redeemed};
use buttonwood_engine::{About, Cause, StakingInfrequent, State};
use buttonwood_model::{AccountId, Stamp};
use buttonwood_num::Money;

impl Recorded for StakingInfrequent {
    fn record(&self, fold: &mut Fold, stamp: Stamp, sink: &mut impl Sink) {
        let mut rows = Rows { state: fold.state(), sink };
        match self {
            Self::Staked(staked) => {
                let (account, number, amount) = (staked.account, staked.number, staked.amount);
                rows.put(stamp, (staked.pair, account, number, amount), StakingKind::Deposit);
            }
            Self::Redeemed(redeemed) => rows.put_redemption(stamp, redeemed),
            Self::Paid(paid) => rows.put_payments(stamp, paid),
            Self::Accrued(accrued) => {
                rows.put_interest(accrued);
                rows.put_joined(stamp, accrued);
            }
            Self::TermsSet(_)
            | Self::DayEnded(_)
            | Self::Counted(_)
            | Self::Funded(..)
            | Self::KeySet(_)
            | Self::Recovered(_)
            | Self::Repeated(_)
            | Self::Shortened(_) => {}
        }
    }
}

/// The state before the event, and where its rows go.
struct Rows<'a, S> {
    state: &'a State,
    sink: &'a mut S,
}

impl<S: Sink> Rows<'_, S> {
    fn put_redemption(&mut self, stamp: Stamp, redeemed: &Redeemed) {
        let row = (redeemed.pair, redeemed.account, redeemed.number, redeemed.amount);
        self.put(stamp, row, StakingKind::Redeem);
        if redeemed.paid == redeemed.amount {
            self.put(stamp, row, StakingKind::Paid { requested: stamp.time });
        }
    }

    fn put_payments(&mut self, stamp: Stamp, paid: &Paid) {
        for last in paid.rows.iter().filter(|row| row.is_last) {
            let open = self.state.staking().redemption(last.account, last.number);
            let open = open.expect("the decision found the redemption");
            let row = (paid.pair, open.account, open.number, open.amount);
            self.put(stamp, row, StakingKind::Paid { requested: open.requested });
        }
    }

    fn put_interest(&mut self, accrued: &Accrued) {
        let kind =
            StakingKind::Interest { rate: accrued.rate.0, price: accrued.price.unwrap_or(Money::ZERO) };
        // Its time is that of the accrual, also where it is paid later.
        let stamp = Stamp { time: accrued.time(), ..Stamp::default() };
        for (number, row) in accrued.numbered() {
            self.put(stamp, (accrued.pair, row.account, number, row.amount), kind);
        }
    }

    /// Interest that joins its stake moves from `staking_rewards` to `staking_pool` in one entry for all accounts. The statement of each has
    /// it as two rows of one moment, paid to the account and staked again, so it explains the stake as well as the balance (D-286).
    fn put_joined(&mut self, stamp: Stamp, accrued: &Accrued) {
        for (number, row) in accrued.numbered().filter(|(_, row)| row.to_stake) {
            for row in self.joined(stamp, accrued.pair, number, row) {
                self.sink.row(&row);
            }
        }
    }

    /// Both rows of a payment. The balance is the same before and after them, so they may be read from the ledger before the event.
    fn joined(&self, stamp: Stamp, pair: PairId, number: u64, interest: &Interest) -> [EntryRow; 2] {
        let staking = self.state.staking();
        let currency = staking.pair(pair).expect("the decision found the pair").currency;
        let Interest { account, amount, .. } = *interest;
        let balance = self.state.ledger().balance(account, currency).total();
        let about = staking.code(number).map_or(About::Nothing, About::Staking);
        let row = |cause, amount, balance| EntryRow {
            account,
            currency,
            time: stamp.time,
            amount,
            balance,
            cause,
            about,
        };
        [row(Cause::StakingInterest, amount, balance + amount), row(Cause::Stake, -amount, balance)]
    }

    fn put(
        &mut self,
        stamp: Stamp,
        (pair, account, number, amount): (PairId, AccountId, u64, Money),
        kind: StakingKind,
    ) {
        let pair = self.state.staking().pair(pair).expect("the decision found the pair");
        self.sink.row(&StakingRow {
            account,
            provider: pair.provider.0,
            currency: pair.currency,
            number,
            amount,
            time: stamp.time,
            kind,
        });
    }
}
