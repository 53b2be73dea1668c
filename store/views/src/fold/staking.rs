//! The rows of staking: transactions, redemptions that are paid whole, and what the statement has of interest that joins a stake.

use super::{Fold, Sink};
use crate::history::{EntryRow, StakingKind, StakingRow};
use buttonwood_engine::staking::{Accrued, Interest, Paid, PairId, Redeemed};
use buttonwood_engine::{About, Cause, StakingInfrequent};
use buttonwood_model::{AccountId, Stamp};
use buttonwood_num::Money;

impl Fold {
    /// Records an event of staking, before it is applied.
    pub(super) fn record_staking(&self, stamp: Stamp, event: &StakingInfrequent, sink: &mut impl Sink) {
        match event {
            StakingInfrequent::Staked(staked) => {
                let (account, number, amount) = (staked.account, staked.number, staked.amount);
                self.stake_row(stamp, (staked.pair, account, number, amount), StakingKind::Deposit, sink);
            }
            StakingInfrequent::Redeemed(redeemed) => self.record_redemption(stamp, redeemed, sink),
            StakingInfrequent::Paid(paid) => self.record_payments(stamp, paid, sink),
            StakingInfrequent::Accrued(accrued) => {
                self.record_interest(accrued, sink);
                self.record_joined(stamp, accrued, sink);
            }
            StakingInfrequent::TermsSet(_)
            | StakingInfrequent::DayEnded(_)
            | StakingInfrequent::Counted(_)
            | StakingInfrequent::Funded(..)
            | StakingInfrequent::KeySet(_)
            | StakingInfrequent::Recovered(_)
            | StakingInfrequent::Repeated(_)
            | StakingInfrequent::Shortened(_) => {}
        }
    }

    fn record_redemption(&self, stamp: Stamp, redeemed: &Redeemed, sink: &mut impl Sink) {
        let row = (redeemed.pair, redeemed.account, redeemed.number, redeemed.amount);
        self.stake_row(stamp, row, StakingKind::Redeem, sink);
        if redeemed.paid == redeemed.amount {
            self.stake_row(stamp, row, StakingKind::Paid { requested: stamp.time }, sink);
        }
    }

    fn record_payments(&self, stamp: Stamp, paid: &Paid, sink: &mut impl Sink) {
        for last in paid.rows.iter().filter(|row| row.is_last) {
            let open = self.state.staking().redemption(last.account, last.number);
            let open = open.expect("the decision found the redemption");
            let row = (paid.pair, open.account, open.number, open.amount);
            self.stake_row(stamp, row, StakingKind::Paid { requested: open.requested }, sink);
        }
    }

    fn record_interest(&self, accrued: &Accrued, sink: &mut impl Sink) {
        let kind =
            StakingKind::Interest { rate: accrued.rate.0, price: accrued.price.unwrap_or(Money::ZERO) };
        // Its time is that of the accrual, also where it is paid later.
        let stamp = Stamp { time: accrued.time(), ..Stamp::default() };
        for (number, row) in accrued.numbered() {
            self.stake_row(stamp, (accrued.pair, row.account, number, row.amount), kind, sink);
        }
    }

    /// Interest that joins its stake moves from `staking_rewards` to `staking_pool` in one entry for all accounts. The statement of each has
    /// it as two rows of one moment, paid to the account and staked again, so it explains the stake as well as the balance (D-286).
    fn record_joined(&self, stamp: Stamp, accrued: &Accrued, sink: &mut impl Sink) {
        for (number, row) in accrued.numbered().filter(|(_, row)| row.to_stake) {
            for row in self.joined(stamp, accrued.pair, number, row) {
                sink.row(&row);
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

    fn stake_row(
        &self,
        stamp: Stamp,
        (pair, account, number, amount): (PairId, AccountId, u64, Money),
        kind: StakingKind,
        sink: &mut impl Sink,
    ) {
        let pair = self.state.staking().pair(pair).expect("the decision found the pair");
        sink.row(&StakingRow {
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
