//! Money of the house on simulated chains: test credits are minted in the hot wallet of their currency's home network, and what one
//! network lacks for a payment comes from another.
//!
//! Nothing here is journaled: the state says what was credited, each chain says what was minted on it, and the difference is made up
//! for at any time, after a crash too.

use crate::desk::{code, currency};
use crate::link::Link;
use crate::payments::issuable;
use crate::thread::Driving;
use buttonwood_model::CurrencyId;
use buttonwood_num::Money;
use std::collections::BTreeMap;

impl Driving {
    /// Mints test credits that are new, and burns those that were debited.
    pub(crate) fn fund(&mut self) {
        let credited = self.desk.ask(|state| {
            let credited = state.funds().reserves().credited();
            (*credited != self.credited).then(|| credited.clone())
        });
        let Some(credited) = credited else { return };
        let mut funded: BTreeMap<CurrencyId, Money> = BTreeMap::new();
        for (currency, amount) in credited {
            let before = self.credited.get(&currency).copied();
            if before == Some(amount) || self.fund_currency(currency, amount) {
                funded.insert(currency, amount);
            } else if let Some(before) = before {
                funded.insert(currency, before);
            }
        }
        self.credited = funded;
    }

    /// Brings what was minted of a currency to what was credited; `false` if its chains cannot go on now.
    fn fund_currency(&mut self, currency: CurrencyId, credited: Money) -> bool {
        let found = self.desk.ask(|state| {
            let networks = state.funds().networks();
            let base = networks.base(currency)?.network.clone();
            let all: Vec<String> = networks.assets_of(currency).map(|asset| asset.network.clone()).collect();
            Some((base, all, code(state, currency)?.to_owned()))
        });
        // A currency without a network is on no chain.
        let Some((base, all, code)) = found else { return true };
        if all.iter().any(|name| self.closed.contains(name)) {
            return false;
        }
        let minted: Money =
            all.iter().filter_map(|name| self.links.get(name)).map(|link| link.minted(&code)).sum();
        // At a real node nothing can be minted: its test credits count among the assets as they are (D-166).
        if self.is_real(&base) {
            return true;
        }
        let missing = credited - minted;
        if missing > Money::ZERO {
            let done = self.with(&base, |link, desk| {
                link.mint(&code, missing, None)?;
                link.come_to_rest(desk)
            });
            return done.is_some();
        }
        let surplus = (-missing - issuable(&self.desk, &code)).max(Money::ZERO);
        if surplus > Money::ZERO {
            self.burn(&code, surplus);
        }
        true
    }

    /// Burns minted money, wherever it is; what is not there any more has left the house.
    fn burn(&mut self, code: &str, mut surplus: Money) {
        for (name, address, spare) in self.spare(code, None) {
            let amount = spare.min(surplus);
            if amount > Money::ZERO && self.burn_at(&name, code, amount, &address) {
                surplus -= amount;
            }
        }
    }

    fn burn_at(&mut self, name: &str, code: &str, amount: Money, address: &str) -> bool {
        self.with(name, |link, desk| {
            link.burn(code, amount, address)?;
            link.come_to_rest(desk)
        })
        .is_some()
    }

    /// The amounts that all wallets could spare of a currency, but for this address of this network.
    fn spare(&self, code: &str, beside: Option<(&str, &str)>) -> Vec<(String, String, Money)> {
        let mut found = Vec::new();
        for (name, link) in &self.links {
            let own = beside.filter(|(network, _)| network == name).map_or("", |(_, address)| address);
            for (address, amount) in link.spare(code, own) {
                found.push((name.clone(), address, amount));
            }
        }
        found
    }

    /// Brings everything on a network as far as it comes, with money from elsewhere where its wallets lack it.
    pub(crate) fn settle(&mut self, name: &str) {
        if self.with(name, Link::come_to_rest).is_some() && self.cover(name) {
            self.with(name, Link::come_to_rest);
        }
    }

    /// Brings money to wallets that cannot pay; `true` if it has brought any.
    fn cover(&mut self, name: &str) -> bool {
        let Some(link) = self.links.get_mut(name) else { return false };
        let shortages: Vec<_> = link.shortages().values().cloned().collect();
        let mut has_brought = false;
        for mut shortage in shortages {
            let before = shortage.missing;
            let code = shortage.code.clone();
            // An amount burned for a real node could not be minted there.
            let donors = if self.is_real(name) {
                Vec::new()
            } else {
                self.spare(&code, Some((name, &shortage.address)))
            };
            for (donor, address, spare) in donors {
                let amount = spare.min(shortage.missing);
                if amount > Money::ZERO && self.burn_at(&donor, &code, amount, &address) {
                    shortage.missing -= self.mint_at(name, &code, amount, &shortage.address);
                }
            }
            let issued = self.issued(&code).min(shortage.missing);
            if issued > Money::ZERO {
                shortage.missing -= self.mint_at(name, &code, issued, &shortage.address);
            }
            has_brought |= shortage.missing != before;
            let Some(link) = self.links.get_mut(name) else { return has_brought };
            let sweeps =
                shortage.missing > Money::ZERO && link.sweep(&code, &shortage.address, shortage.missing);
            has_brought |= sweeps;
            if shortage.missing > Money::ZERO && !sweeps {
                shortage.alarm(name);
            }
            link.shortages().insert(shortage.payment, shortage);
        }
        has_brought
    }

    /// The amount that the issuer of a currency has issued, and no chain has yet.
    fn issued(&self, code: &str) -> Money {
        let credited = self.desk.ask(|state| {
            let credited = state.funds().reserves().credited();
            currency(state, code).and_then(|currency| credited.get(&currency).copied())
        });
        let minted: Money = self.links.values().map(|link| link.minted(code)).sum();
        let beyond = (minted - credited.unwrap_or_default()).max(Money::ZERO);
        (issuable(&self.desk, code) - beyond).max(Money::ZERO)
    }

    fn mint_at(&mut self, name: &str, code: &str, amount: Money, address: &str) -> Money {
        if self.is_real(name) {
            return Money::ZERO;
        }
        let minted = self.with(name, |link, _| link.mint(code, amount, Some(address)));
        if minted.is_some() { amount } else { Money::ZERO }
    }

    fn is_real(&self, name: &str) -> bool {
        self.desk.wallets.nodes.names().any(|own| own == name)
    }

    /// Counts the payments that wait because their wallets cannot pay them.
    pub(crate) fn count_waiting(&mut self) {
        let waiting: usize = self.links.values_mut().map(|link| link.shortages().len()).sum();
        self.waiting.store(waiting, std::sync::atomic::Ordering::Relaxed);
    }
}
