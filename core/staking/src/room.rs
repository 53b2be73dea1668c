//! The answers of this room that the engine asks of every room.

use crate::{Command, Staking, accrue, money, redeem};
use alloc::collections::BTreeMap;
use buttonwood_ledger::{Ledger, STAKING_REWARDS};
use buttonwood_model::{AccountId, CurrencyId, Due, Phase, Time};
use buttonwood_num::Money;
use buttonwood_room::{Changes, Context, Room};

/// `staking_pool` is not the sum of all stakes and of all that redemptions owe in the currency (INV-STK-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnequalPool(pub CurrencyId);

impl Room for Staking {
    type Command = Command;
    type BrokenLaw = UnequalPool;
    type Found = ();

    /// At one instant an accrual comes before redemptions.
    fn next_due(&self, context: &Context<'_, Self>) -> impl Iterator<Item = Due<Command>> {
        let recover = self
            .debtors
            .first()
            .map(|account| Due::follow_up(Time(0), Phase::Interest, Command::Recover(*account)));
        let accrue = accrue::next_due(self, context.ledger).map(|due| due.map(Command::Accrue));
        let pay = redeem::next_due(self)
            .map(|(time, pair)| Due::step(time, Phase::Interest, Command::Pay(pair)).in_storm());
        [recover, accrue, pay].into_iter().flatten()
    }

    #[inline]
    fn has_follow_up(&self, _ledger: &Ledger) -> bool {
        !self.debtors.is_empty()
    }

    /// Money of `staking_rewards` may pay days that wait for it, and the stakes of an account that owes more may have to repay it (D-167).
    fn changed(&mut self, changes: &Changes, ledger: &Ledger, time: Time) {
        if let Some(rewards) = ledger.house(STAKING_REWARDS.name) {
            for given in changes.given.iter().filter(|given| given.account == rewards) {
                if let Some(currency) = given.asset.currency() {
                    self.note_money(given.before, currency, time);
                }
            }
        }
        for debt in changes.debts.iter().filter(|debt| debt.is_more) {
            self.note_debtor(debt.account);
        }
    }

    /// An account that is closed gives up the interest of the day that runs, but none of a day that waits for money.
    fn is_used_by(&self, account: AccountId) -> bool {
        self.waiting_for(account).next().is_some() || self.holdings(account).next().is_some()
    }

    fn broken_law(&self, context: &Context<'_, Self>) -> Option<UnequalPool> {
        let houses = money::houses(context.ledger)?;
        let mut sums: BTreeMap<CurrencyId, Money> = BTreeMap::new();
        for (currency, _, amount) in self.amounts() {
            let sum = sums.entry(currency).or_insert(Money::ZERO);
            *sum = sum.capped_add(amount);
        }
        let currencies = (0..context.ledger.currencies().len()).map(CurrencyId::from_index);
        let is_unequal = |currency: &CurrencyId| {
            let sum = sums.get(currency).copied().unwrap_or(Money::ZERO);
            context.ledger.balance(houses.pool, *currency).available != sum
        };
        { currencies }.find(is_unequal).map(UnequalPool)
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint.part("staking")
    }
}
