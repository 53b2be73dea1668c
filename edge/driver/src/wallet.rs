//! The holdings of the house's wallets on a network, and the reports of them (D-166, INV-POR-1).
//!
//! A report says what the chain holds, with what is in blocks that are not final. One that is higher is journaled before the credits
//! that follow from it, one that is lower after the payments that have ended: so assets never seem less than they are.

use crate::desk::{Desk, code, currency};
use crate::keys::Keyring;
use crate::payments::Owner;
use buttonwood_address::Branch;
use buttonwood_custody::{Answer, Chain, Observation, Outcome, Outpoint, Payer, Report, Step};
use buttonwood_engine::funds::reserves::Command as ReservesCommand;
use buttonwood_engine::funds::{OutputKey, Wallet};
use buttonwood_engine::{FundsCommand, State, TransferStatus};
use buttonwood_model::CurrencyId;
use buttonwood_num::Money;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Addresses of deposits from which one payment may be paid: the richest ones.
const SOURCES_MAX: usize = 200;

/// An address, and the code of a currency.
pub(crate) type Purse = (String, String);

/// The holdings of the house's addresses on a network.
pub(crate) struct Holdings {
    network: String,
    /// The currencies of the network, and their codes.
    assets: Vec<(CurrencyId, String)>,
    /// The amounts that own addresses hold in blocks; addresses of deposits only while they hold something.
    held: BTreeMap<Purse, Money>,
    /// Those to look at again.
    dirty: BTreeSet<Purse>,
    /// The last report.
    reported: BTreeMap<CurrencyId, Wallet>,
}

impl Holdings {
    /// Of a network, whose addresses of deposits are added to the keyring.
    pub(crate) fn new(state: &State, network: &str, keys: &mut Keyring) -> Self {
        let funds = state.funds();
        let assets = funds.networks().assets_on(network);
        let assets =
            assets.filter_map(|asset| Some((asset.currency, code(state, asset.currency)?.to_owned())));
        let reported = funds.reserves().wallets().filter(|wallet| wallet.network == network);
        let mut holdings = Self {
            network: network.to_owned(),
            assets: assets.collect(),
            held: BTreeMap::new(),
            dirty: BTreeSet::new(),
            reported: reported.map(|wallet| (wallet.currency, wallet.clone())).collect(),
        };
        holdings.note_all(state, keys);
        holdings
    }

    /// Marks everything to be looked at again.
    fn note_all(&mut self, state: &State, keys: &mut Keyring) {
        for (_, code) in &self.assets {
            for address in [&keys.hot, &keys.custody] {
                self.dirty.insert((address.clone(), code.clone()));
            }
        }
        let keys_of_all: Vec<OutputKey> =
            state.funds().deposits().all(&self.network).map(|(key, _)| key.clone()).collect();
        for key in keys_of_all {
            self.note_deposit(state, &key, keys);
        }
    }

    /// Marks the address of a deposit that the state knows.
    fn note_deposit(&mut self, state: &State, key: &OutputKey, keys: &mut Keyring) {
        let funds = state.funds();
        let transfer = funds.deposits().get(key).and_then(|deposit| funds.transfer(deposit.eid));
        let Some((row, chain)) = transfer.and_then(|transfer| Some((&transfer.row, transfer.row.chain()?)))
        else {
            return;
        };
        if let Some(code) = code(state, row.currency) {
            self.note(state, &chain.canonical, code, keys);
        }
    }

    /// Marks an address of deposits.
    fn note(&mut self, state: &State, address: &str, code: &str, keys: &mut Keyring) {
        if !keys.has(address) {
            let addresses = state.funds().addresses();
            let serving = state.funds().networks().serving(&self.network);
            let issued = serving.and_then(|(id, _)| addresses.find(id, address, ""));
            if let Some(issued) = issued {
                keys.add_deposits(address, issued.number);
            }
        }
        if keys.has(address) {
            self.dirty.insert((address.to_owned(), code.to_owned()));
        }
    }

    /// Marks what a look at the chain has shown to move.
    pub(crate) fn observe(&mut self, desk: &Desk, report: &Report, keys: &mut Keyring) {
        desk.ask(|state| {
            if report.removed_above.is_some() {
                return self.note_all(state, keys);
            }
            for observation in &report.observations {
                match observation {
                    Observation::Seen { output, .. } => {
                        self.note(state, &output.address, &output.currency, keys);
                    }
                    Observation::Confirmed { key, .. }
                    | Observation::Removed { key, .. }
                    | Observation::Lost { key } => {
                        self.note_deposit(state, &output_key(&self.network, key), keys);
                    }
                }
            }
        });
    }

    /// Looks at the marked addresses, at the wallets and, while payments are under way, at all that hold something.
    pub(crate) fn refresh(&mut self, chain: &mut dyn Chain, keys: &Keyring, all: bool) -> Answer<()> {
        for (_, code) in &self.assets {
            self.dirty.insert((keys.hot.clone(), code.clone()));
            self.dirty.insert((keys.custody.clone(), code.clone()));
        }
        if all {
            self.dirty.extend(self.held.keys().cloned());
        }
        let addresses: BTreeSet<&String> = self.dirty.iter().map(|(address, _)| address).collect();
        chain.watch(&addresses.into_iter().cloned().collect::<Vec<_>>())?;
        for purse in &self.dirty {
            let amount = chain.balance(std::slice::from_ref(&purse.0), &purse.1)?;
            if amount > Money::ZERO {
                self.held.insert(purse.clone(), amount);
            } else {
                self.held.remove(purse);
            }
        }
        // The gain from a waiting payment is looked at again when it is in a block.
        self.dirty.clear();
        Ok(())
    }

    /// The addresses that may pay a currency: the preferred wallet, the other one, then the richest addresses of deposits.
    pub(crate) fn sources(&self, keys: &Keyring, code: &str, from_custody: bool) -> Vec<String> {
        let wallets = if from_custody { [&keys.custody, &keys.hot] } else { [&keys.hot, &keys.custody] };
        let mut sources: Vec<String> =
            wallets.into_iter().take(if from_custody { 2 } else { 1 }).cloned().collect();
        let mut others: Vec<(&Money, &String)> = self
            .held
            .iter()
            .filter(|((address, of), _)| of == code && ![&keys.hot, &keys.custody].contains(&address))
            .map(|((address, _), amount)| (amount, address))
            .collect();
        others.sort_by(|one, two| two.cmp(one));
        sources.extend(others.into_iter().take(SOURCES_MAX).map(|(_, address)| address.clone()));
        sources
    }

    /// The amount that a purse holds in blocks.
    pub(crate) fn of(&self, purse: &Purse) -> Money {
        self.held.get(purse).copied().unwrap_or_default()
    }

    /// The addresses of deposits that hold a currency, the richest first.
    pub(crate) fn deposits(&self, keys: &Keyring, code: &str) -> Vec<(String, Money)> {
        let sources = self.sources(keys, code, false);
        let held = |address: String| {
            let amount = *self.held.get(&(address.clone(), code.to_owned()))?;
            Some((address, amount))
        };
        sources.into_iter().skip(1).filter_map(held).collect()
    }

    /// The reports of wallets that differ from the last ones. `minted` says what was minted of a currency; with `steps`, payments that
    /// end with them still count.
    pub(crate) fn reports(
        &mut self,
        desk: &Desk,
        keys: &Keyring,
        payer: &Payer,
        steps: &[Step],
        minted: &dyn Fn(&str) -> Money,
    ) -> Vec<FundsCommand> {
        let mut hot: BTreeMap<&str, Money> = BTreeMap::new();
        for ((_, code), amount) in &self.held {
            let sum = hot.entry(code).or_default();
            *sum = sum.capped_add(*amount);
        }
        let beside = desk.ask(|state| beside(state, &self.network, payer, steps));
        let mut commands = Vec::new();
        for (currency, code) in &self.assets {
            let wallet = Wallet {
                network: self.network.clone(),
                currency: *currency,
                hot: hot.get(code.as_str()).copied().unwrap_or_default(),
                cold: Money::ZERO,
                addresses: vec![keys.hot.clone(), keys.custody.clone()],
                beside: beside.get(currency).copied().unwrap_or_default(),
                minted: minted(code),
            };
            let amounts = [wallet.hot, wallet.beside, wallet.minted];
            let is_new = match self.reported.get(currency) {
                Some(last) => *last != wallet,
                None => amounts.iter().any(|amount| *amount != Money::ZERO),
            };
            if is_new {
                self.reported.insert(*currency, wallet.clone());
                commands.push(ReservesCommand::ReportWallet(Arc::new(wallet)).into());
            }
        }
        commands
    }
}

/// The amounts that count in addition to the chain's, by currency: withdrawals in a block that is not final, and the network's
/// charges for payments that have not ended. With `steps`, payments that end with them count too.
fn beside(state: &State, network: &str, payer: &Payer, steps: &[Step]) -> BTreeMap<CurrencyId, Money> {
    let mut sums: BTreeMap<CurrencyId, Money> = BTreeMap::new();
    let mut add = |currency: CurrencyId, amount: Money| {
        let sum = sums.entry(currency).or_default();
        *sum = sum.capped_add(amount);
    };
    let own = state.funds().networks().native(network);
    let ending = steps.iter().filter_map(|step| {
        let Step::Settled { payment, settled } = step else { return None };
        Some((payer.payment(*payment)?, settled.outcome == Outcome::Completed, settled.cost))
    });
    let under_way = payer.in_blocks().map(|one| (one.payment, one.has_moved, one.cost));
    for (payment, has_moved, cost) in under_way.chain(ending) {
        if let Some(own) = own {
            add(own, cost);
        }
        let is_owed = match Owner::of(payment.id) {
            Owner::Withdrawal(eid) => {
                let row = state.funds().transfer(eid);
                row.is_some_and(|row| row.row.status == TransferStatus::Pending)
            }
            Owner::Move(_) | Owner::Sweep => false,
        };
        if let (true, Some(currency)) = (has_moved && is_owed, currency(state, &payment.currency)) {
            add(currency, payment.amount);
        }
    }
    sums
}

fn output_key(network: &str, outpoint: &Outpoint) -> OutputKey {
    crate::translate::key(network, outpoint)
}

/// The number of the address that all accounts share, on networks with memos.
pub(crate) fn shared(keys: &mut Keyring) -> Option<String> {
    keys.add(Branch::Deposit, 0)
}
