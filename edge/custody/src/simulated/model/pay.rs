//! Which transactions a simulated chain takes, and what they move between addresses.

use super::{Entry, Model, Place, Spend, each, refused};
use crate::simulated::command::Body;
use crate::{Broadcast, Outpoint, Output, Reserved, Spends, TxHash};
use buttonwood_num::Money;
use std::collections::BTreeMap;

/// Sums by owner and currency.
pub(super) type Sums = BTreeMap<(String, String), Money>;

impl Model {
    /// Whether the chain would take an own transaction, and which waiting ones it would replace.
    pub(super) fn check(&self, body: &Body) -> Result<Vec<TxHash>, Broadcast> {
        let mut replaces = Vec::new();
        for spend in each(&body.spends) {
            let Some(user) = self.spent.get(&spend) else { continue };
            match self.entries.get(user) {
                Some(Entry { place: Place::Waiting(_), bid, .. }) if *bid < body.bid => {
                    if !replaces.contains(user) {
                        replaces.push(user.clone());
                    }
                }
                _ => return Err(Broadcast::Spent),
            }
        }
        match &body.spends {
            Spends::Inputs(inputs) => self.check_inputs(inputs, &body.outputs)?,
            Spends::Nonce { address, nonce } => {
                if *nonce < self.next_nonce(address) {
                    return Err(Broadcast::Spent);
                }
                self.check_account(address, &body.outputs, &replaces)?;
            }
            Spends::Unknown => return Err(refused("it spends nothing")),
        }
        Ok(replaces)
    }

    /// The inputs must exist, and cover the outputs to the last unit: the network costs nothing.
    fn check_inputs(&self, inputs: &[Outpoint], outputs: &[Output]) -> Result<(), Broadcast> {
        let mut sums: BTreeMap<&str, Money> = BTreeMap::new();
        for input in inputs {
            let coin = self.coin(input).ok_or(Broadcast::Spent)?;
            *sums.entry(&coin.currency).or_default() += coin.amount;
        }
        for output in outputs {
            *sums.entry(&output.currency).or_default() -= output.amount;
        }
        let balanced = !inputs.is_empty() && sums.values().all(|sum| *sum == Money::ZERO);
        if balanced { Ok(()) } else { Err(refused("inputs and outputs differ")) }
    }

    /// The account must be able to pay this and all else of it that waits.
    fn check_account(&self, address: &str, outputs: &[Output], replaces: &[TxHash]) -> Result<(), Broadcast> {
        let mut needed: BTreeMap<&str, Money> = BTreeMap::new();
        for output in outputs {
            *needed.entry(&output.currency).or_default() += output.amount;
        }
        for (currency, needed) in needed {
            let key = (address.to_owned(), currency.to_owned());
            let freed = replaces
                .iter()
                .filter_map(|tx| self.entries.get(tx))
                .flat_map(|entry| entry.outputs.iter())
                .filter(|output| output.currency == currency)
                .map(|output| output.amount)
                .sum();
            let outflow = self.outflow.get(&key).copied().unwrap_or_default() - freed;
            if self.balance(address, currency) - outflow < needed {
                return Err(refused("insufficient funds"));
            }
        }
        Ok(())
    }

    /// The output of a living transaction.
    pub(super) fn coin(&self, input: &Outpoint) -> Option<&Output> {
        let entry = self.entries.get(&input.tx).filter(|entry| entry.is_alive())?;
        entry.outputs.get(usize::try_from(input.index).ok()?)
    }

    /// The next nonce of an account in blocks.
    pub(super) fn next_nonce(&self, address: &str) -> u64 {
        self.nonces.get(address).copied().unwrap_or(0)
    }

    /// The nonce after the highest one that a living transaction of the account uses.
    pub(super) fn free_nonce(&self, address: &str) -> u64 {
        let all = Spend::Nonce(address.to_owned(), 0)..=Spend::Nonce(address.to_owned(), u64::MAX);
        match self.spent.range(all).next_back() {
            Some((Spend::Nonce(_, nonce), _)) => nonce.saturating_add(1),
            _ => 0,
        }
    }

    /// Takes a transaction into the mempool.
    pub(super) fn enter(&mut self, tx: TxHash, entry: Entry) {
        let order = self.counter;
        self.counter += 1;
        for spend in each(&entry.spends) {
            if let Spend::Input(input) = &spend {
                self.take_coin(input);
            }
            self.spent.insert(spend, tx.clone());
        }
        for (index, output) in (0..).zip(&entry.outputs) {
            let key = Outpoint { tx: tx.clone(), index };
            self.give_coin(&key, output);
            // A payment that comes back has been listed before.
            if !self.entries.contains_key(&tx) {
                self.received.entry(output.address.clone()).or_default().push(key);
            }
        }
        self.flow(&entry, false);
        self.waiting.insert(order, tx.clone());
        self.entries.insert(tx, Entry { place: Place::Waiting(order), ..entry });
    }

    /// Takes a waiting transaction out, with those that spend its outputs.
    pub(super) fn leave(&mut self, tx: &TxHash, place: Place) -> Vec<TxHash> {
        let mut left = Vec::new();
        let mut leaving = vec![tx.clone()];
        while let Some(tx) = leaving.pop() {
            let Some(Place::Waiting(order)) = self.entries.get(&tx).map(|entry| entry.place) else {
                continue;
            };
            let Some(entry) = self.entries.get_mut(&tx) else { continue };
            entry.place = place;
            let entry = entry.clone();
            self.waiting.remove(&order);
            self.flow(&entry, true);
            for (index, output) in (0..).zip(&entry.outputs) {
                let key = Outpoint { tx: tx.clone(), index };
                self.drop_coin(&key, output);
                leaving.extend(self.spent.get(&Spend::Input(key)).cloned());
            }
            for spend in each(&entry.spends) {
                self.spent.remove(&spend);
                if let Spend::Input(input) = spend
                    && let Some(coin) = self.coin(&input).cloned()
                {
                    self.give_coin(&input, &coin);
                }
            }
            left.push(tx);
        }
        left
    }

    /// Money that exists from here on, in no block.
    pub(super) fn mint(&mut self, output: &Output) {
        let tx = self.next_hash(b"mint");
        self.counter += 1;
        self.give_coin(&Outpoint { tx: tx.clone(), index: 0 }, output);
        *self.balances.entry(owner(output)).or_default() += output.amount;
        *self.minted.entry(output.currency.clone()).or_default() += output.amount;
        self.entries.insert(tx, Entry::new(Spends::Unknown, vec![output.clone()]));
    }

    /// The amount that could be burned of an address: minted outputs that nothing spends or, on a chain of accounts, the part
    /// that no payment takes.
    pub(in crate::simulated) fn burnable(&self, address: &str, currency: &str) -> Money {
        if self.network.evm {
            let outflow = self.outflow.get(&(address.to_owned(), currency.to_owned())).copied();
            let free = self.balance(address, currency) - outflow.unwrap_or_default();
            return free.min(self.minted(currency)).max(Money::ZERO);
        }
        self.minted_coins(address, currency).into_iter().map(|(_, amount)| amount).sum()
    }

    /// Minted outputs of an address that nothing spends: no reorganisation removes them.
    fn minted_coins(&self, address: &str, currency: &str) -> Vec<(Outpoint, Money)> {
        let mut coins = self.coins(address, currency, &Reserved::default());
        coins.retain(|(input, _)| {
            self.entries.get(&input.tx).is_some_and(|entry| entry.place == Place::Standing)
        });
        coins
    }

    /// Takes minted money away. The surplus of its outputs over the amount stays with the address.
    pub(super) fn burn(&mut self, output: &Output) {
        let (mut inputs, mut sum) = (Vec::new(), Money::ZERO);
        for (input, amount) in self.minted_coins(&output.address, &output.currency) {
            if sum < output.amount {
                inputs.push(input);
                sum += amount;
            }
        }
        *self.balances.entry(owner(output)).or_default() -= output.amount;
        *self.minted.entry(output.currency.clone()).or_default() -= output.amount;
        if self.network.evm {
            return;
        }
        let tx = self.next_hash(b"burn");
        self.counter += 1;
        for input in &inputs {
            self.take_coin(input);
            self.spent.insert(Spend::Input(input.clone()), tx.clone());
        }
        let mut outputs = Vec::new();
        if sum > output.amount {
            outputs.push(Output { amount: sum - output.amount, ..output.clone() });
        }
        for change in &outputs {
            self.give_coin(&Outpoint { tx: tx.clone(), index: 0 }, change);
        }
        self.entries.insert(tx, Entry::new(Spends::Inputs(inputs), outputs));
    }

    /// The sums that a transaction moves when it enters a block.
    pub(super) fn moves(&self, entry: &Entry) -> Sums {
        let mut sums = Sums::new();
        for output in &entry.outputs {
            *sums.entry(owner(output)).or_default() += output.amount;
            if let Spends::Nonce { address, .. } = &entry.spends {
                *sums.entry((address.clone(), output.currency.clone())).or_default() -= output.amount;
            }
        }
        if let Spends::Inputs(inputs) = &entry.spends {
            for coin in inputs.iter().filter_map(|input| self.coin(input)) {
                *sums.entry(owner(coin)).or_default() -= coin.amount;
            }
        }
        sums
    }

    /// The sums that waiting transactions take from an account.
    pub(super) fn flow(&mut self, entry: &Entry, back: bool) {
        let Spends::Nonce { address, .. } = &entry.spends else { return };
        for output in &entry.outputs {
            let sum = self.outflow.entry((address.clone(), output.currency.clone())).or_default();
            *sum += if back { -output.amount } else { output.amount };
        }
    }

    fn give_coin(&mut self, key: &Outpoint, output: &Output) {
        if !self.network.evm {
            self.unspent.entry(owner(output)).or_default().insert(key.clone());
        }
    }

    fn take_coin(&mut self, key: &Outpoint) {
        if let Some(coin) = self.coin(key).cloned() {
            self.drop_coin(key, &coin);
        }
    }

    fn drop_coin(&mut self, key: &Outpoint, output: &Output) {
        let owner = owner(output);
        if let Some(coins) = self.unspent.get_mut(&owner) {
            coins.remove(key);
            if coins.is_empty() {
                self.unspent.remove(&owner);
            }
        }
    }

    /// Free outputs of an address, those in blocks before those that wait; with their amounts.
    pub(super) fn coins(&self, address: &str, currency: &str, reserved: &Reserved) -> Vec<(Outpoint, Money)> {
        let key = (address.to_owned(), currency.to_owned());
        let mut coins: Vec<(bool, Outpoint, Money)> = Vec::new();
        for input in self.unspent.get(&key).into_iter().flatten() {
            if let (Some(coin), false) = (self.coin(input), reserved.has_input(input)) {
                let place = self.entries.get(&input.tx).map(|entry| entry.place);
                coins.push((matches!(place, Some(Place::Waiting(_))), input.clone(), coin.amount));
            }
        }
        coins.sort_by_key(|(waits, _, amount)| (*waits, std::cmp::Reverse(*amount)));
        coins.into_iter().map(|(_, input, amount)| (input, amount)).collect()
    }
}

pub(super) fn owner(output: &Output) -> (String, String) {
    (output.address.clone(), output.currency.clone())
}
