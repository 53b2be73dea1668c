//! The chains' reports of payments to the exchange, as they repeat and contradict themselves; and scoped halts.

use super::Dealer;
use crate::worlds::COINS;
use buttonwood_engine::funds::deposit::{Command as Deposit, Seen};
use buttonwood_engine::funds::halt::Command as Halting;
use buttonwood_engine::funds::{ChainBlock, Origin, OutputKey, Scope};
use buttonwood_engine::{FundsCommand, State};
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;
use std::sync::Arc;

/// Payments that are reported about at a time.
const YOUNG: u64 = 6;

impl Dealer {
    /// A payment, most of them to an issued address, or a report about one of the last few.
    pub(super) fn deposit(&mut self, state: &State) -> FundsCommand {
        let count = self.treasury.arrived;
        let known = count.saturating_sub(1 + self.dice.below(YOUNG));
        let Some(key) = self.treasury.arrivals.get(usize::try_from(known).unwrap()).cloned() else {
            return self.seen(state);
        };
        let known = state.funds().deposits().get(&key).and_then(|deposit| deposit.block.clone());
        let height = self.dice.below(3);
        let other = ChainBlock { height, hash: format!("block {height} {}", self.dice.below(2)) };
        match self.dice.below(20) {
            0..4 => return self.seen(state),
            4..14 => {
                let block = known.filter(|_| !self.dice.once_in(4)).unwrap_or(other);
                let confirmations = u32::try_from(self.dice.below(5)).unwrap();
                Deposit::Confirmed(Arc::new(key), block, confirmations)
            }
            14 => Deposit::Reorganised(Arc::new(key), known.unwrap_or(other)),
            15..17 => Deposit::Lost(Arc::new(key)),
            17..19 => {
                let unclaimed: Vec<OutputKey> =
                    state.funds().deposits().unclaimed().map(|(key, _)| key.clone()).collect();
                let at = usize::try_from(self.dice.below(YOUNG)).unwrap();
                let key = unclaimed.get(at).cloned().unwrap_or(key);
                let account = if self.dice.once_in(8) { AccountId(0) } else { self.some_funder() };
                Deposit::Assign(Arc::new(key), account)
            }
            _ => Deposit::Lost(Arc::new(OutputKey { index: 9, ..key })),
        }
        .into()
    }

    /// A new payment, or one that was seen.
    fn seen(&mut self, state: &State) -> FundsCommand {
        if self.dice.once_in(6)
            && let Some(seen) = self.treasury.seen.clone()
        {
            return Deposit::Seen(seen).into();
        }
        let coin = usize::try_from(self.dice.below(u64::try_from(COINS.len()).unwrap())).unwrap();
        let coin = &COINS[coin];
        let at = state.currencies().iter().position(|listed| listed.code == coin.code).unwrap();
        let currency = CurrencyId::from_index(if self.dice.once_in(30) { 99 } else { at });
        let addresses: Vec<_> = state.funds().addresses().iter().collect();
        let (text, memo) = if addresses.is_empty() || self.dice.once_in(8) {
            ("nobody's".to_owned(), String::new())
        } else {
            let at = usize::try_from(self.dice.below(u64::try_from(addresses.len()).unwrap())).unwrap();
            (addresses[at].text.clone(), addresses[at].memo.clone())
        };
        let most = self.credits.iter().find(|(id, _)| id.index() == at).unwrap().1;
        let amount = if self.dice.once_in(30) { 0 } else { most / 100 * i128::from(self.dice.below(40) + 1) };
        let key = OutputKey {
            network: coin.network.to_owned(),
            tx: format!("payment {}", self.treasury.arrived / 2),
            index: u32::try_from(self.treasury.arrived % 2).unwrap(),
        };
        let origin = Origin {
            address: text.clone(),
            canonical: text,
            memo: if self.dice.once_in(12) { String::new() } else { memo },
            spends: Vec::new(),
        };
        self.treasury.arrived += 1;
        self.treasury.arrivals.push(key.clone());
        let seen = Arc::new(Seen { key, origin, currency, amount: Money::from_units(amount) });
        self.treasury.seen = Some(Arc::clone(&seen));
        Deposit::Seen(seen).into()
    }

    /// Halts withdrawals or an asset, or resumes them: most often what is halted.
    pub(super) fn scoped_halt(&mut self, state: &State) -> FundsCommand {
        let halts = state.funds().halts();
        let halted: Vec<Scope> = halts
            .assets()
            .map(Scope::Asset)
            .chain(halts.has(Scope::Withdrawals).then_some(Scope::Withdrawals))
            .collect();
        if !halted.is_empty() && !self.dice.once_in(6) {
            return Halting::Resume(self.dice.pick(&halted)).into();
        }
        let (currency, _) = self.dice.pick(&self.credits);
        let scope = match self.dice.below(8) {
            0 if self.dice.once_in(3) => Scope::Asset(CurrencyId(99)),
            0..4 => Scope::Asset(currency),
            _ => Scope::Withdrawals,
        };
        if self.dice.once_in(3) { Halting::Halt(scope) } else { Halting::Resume(scope) }.into()
    }
}
