//! Proof of reserves: a cut each midnight, and currencies whose assets do not cover what customers have (INV-POR-1).

use super::Naive;
use crate::worlds::{COINS, NETS};
use buttonwood_engine::funds::reserves::{Command, Reject};
use buttonwood_engine::{Made, SOURCE};
use buttonwood_model::{AccountId, CurrencyId, Day, Time};
use buttonwood_num::Money;
use std::collections::HashMap;

impl Naive {
    pub(super) fn reserves(&mut self, command: &Command) -> Result<Made, Reject> {
        match command {
            Command::Cut => {
                let today = self.now.0 / Day::MICROS;
                if self.funds.cut.is_some_and(|cut| cut.0 / Day::MICROS >= today) {
                    return Err(Reject::NotDue);
                }
                self.funds.cut = Some(self.now);
                self.compare_assets();
            }
            Command::Check => self.compare_assets(),
            Command::ReportWallet(wallet) => {
                if wallet.currency.index() >= self.funds.codes.len() {
                    return Err(Reject::UnknownCurrency);
                }
                let amounts = [wallet.hot, wallet.cold, wallet.beside];
                if amounts.iter().any(|amount| *amount < Money::ZERO) {
                    return Err(Reject::BadAmount);
                }
                let all: i128 = amounts.iter().map(|amount| amount.units()).sum();
                let key = (wallet.network.clone(), wallet.currency);
                self.funds.wallets.insert(key, all - wallet.minted.units());
            }
            Command::NoteCost(network, cost) => {
                if !NETS.iter().any(|net| net.name == network) || native_of(network).is_none() {
                    return Err(Reject::UnknownCurrency);
                }
                if *cost < Money::ZERO {
                    return Err(Reject::BadAmount);
                }
                self.charge_network(network, *cost);
            }
        }
        Ok(Made::Nothing)
    }

    /// Notes what a network has charged, in its own coin.
    pub(super) fn charge_network(&mut self, network: &str, cost: Money) {
        let code = native_of(network);
        let own = self.funds.codes.iter().position(|known| Some(known.as_str()) == code);
        if let Some(at) = own {
            *self.funds.costs.entry(CurrencyId::from_index(at)).or_default() += cost.units();
        }
    }

    /// Notes which currencies lack assets.
    fn compare_assets(&mut self) {
        for currency in (0..self.funds.codes.len()).map(CurrencyId::from_index) {
            let is_short = self.assets(currency) < self.liabilities(currency);
            if is_short {
                self.funds.short.insert(currency);
            } else {
                self.funds.short.remove(&currency);
            }
        }
    }

    /// The totals of a currency in the accounts that `has` selects.
    fn totals_of(&self, currency: CurrencyId, has: impl Fn(AccountId) -> bool) -> Vec<i128> {
        let own = self.totals.iter().filter(|((account, of), _)| *of == currency && has(*account));
        own.map(|(_, total)| *total).collect()
    }

    fn is_house(&self, account: AccountId) -> bool {
        self.names[account.index()].group.is_none()
    }

    fn liabilities(&self, currency: CurrencyId) -> i128 {
        self.totals_of(currency, |account| !self.is_house(account)).iter().sum()
    }

    /// The holdings of wallets apart from minted test credits, with these and with the networks' charges, or, without a wallet, the sum
    /// that the source gave out; and the debts of other house accounts.
    fn assets(&self, currency: CurrencyId) -> i128 {
        assert_eq!(SOURCE.name, "source", "the source is the first account");
        let source = AccountId(0);
        let wallets: Vec<i128> =
            self.funds.wallets.iter().filter(|((_, of), _)| *of == currency).map(|(_, held)| *held).collect();
        let held = if wallets.is_empty() {
            -self.totals.get(&(source, currency)).copied().unwrap_or(0)
        } else {
            let of = |sums: &HashMap<CurrencyId, i128>| sums.get(&currency).copied().unwrap_or(0);
            wallets.iter().sum::<i128>() + of(&self.funds.credited) + of(&self.funds.costs)
        };
        let others = self.totals_of(currency, |account| self.is_house(account) && account != source);
        held - others.into_iter().filter(|total| *total < 0).sum::<i128>()
    }

    /// The midnight after the last cut or, before the first one, after the opening.
    pub(super) fn next_cut(&self) -> Time {
        let last = self.funds.cut.unwrap_or(self.names[0].opened);
        Time((last.0 / Day::MICROS + 1) * Day::MICROS)
    }
}

/// The code of the coin in which a network charges: the first one on it.
fn native_of(network: &str) -> Option<&'static str> {
    COINS.iter().find(|coin| coin.network == network).map(|coin| coin.code)
}
