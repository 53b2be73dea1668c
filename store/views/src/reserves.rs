//! The proof of reserves: what every account of a group had at the last cut, and the trees that prove it (D-166, INV-POR-1).
//!
//! A fold keeps the [`Cut`], so that it survives restarts. Its [`Trees`] are built from it in the background and are the same each
//! time.

mod tree;
mod trees;

pub use tree::{Node, Sibling, Side, Tree, leaf};
pub use trees::{Currency, Leaf, Nonces, Trees};

use buttonwood_engine::{State, funds::reserves::sums};
use buttonwood_model::{AccountId, CurrencyId, Time};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// The balances of a group's accounts when the state was cut, and the dollars in all escrows of contracts as one line `escrow`. To make one copies each balance once, in one pass: it happens once a day,
/// and what costs more is left to [`Trees`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cut {
    /// When.
    pub time: Time,
    /// The names of all accounts, `group/account`, one after another: an account may get another name after the cut.
    names: String,
    /// Every account of a group in order of their ids, and the escrows as one, and where its name ends.
    accounts: Vec<(AccountId, usize)>,
    /// Whole balances other than zero, and what is staked or owed from redemptions: an account may have several lines of a currency.
    amounts: Vec<(CurrencyId, AccountId, Money)>,
    /// The assets of each currency.
    assets: Vec<(CurrencyId, Money)>,
}

/// Stands for the escrows of all contracts together; no account has this id.
const ESCROWS: AccountId = AccountId(u32::MAX);

impl Cut {
    /// Cuts a state.
    pub(crate) fn of(state: &State, time: Time) -> Self {
        let (access, ledger) = (state.access(), state.ledger());
        let (mut names, mut accounts) = (String::new(), Vec::new());
        for id in (0..ledger.accounts()).map(AccountId) {
            let Some(account) = access.account(id) else { continue };
            let Some(group) = account.group.and_then(|group| access.groups().get(group.index())) else {
                continue;
            };
            for part in [group.name.as_str(), "/", account.short_name.as_str()] {
                names.push_str(part);
            }
            accounts.push((id, names.len()));
        }
        names.push_str("escrow");
        accounts.push((ESCROWS, names.len()));
        let of_customers = |account| access.account(account).is_some_and(|account| account.group.is_some());
        let whole = ledger.balances().filter_map(|(account, asset, balance)| {
            let is_empty = balance.total() == Money::ZERO || !of_customers(account);
            (!is_empty).then_some((asset.currency()?, account, balance.total()))
        });
        let escrowed = ledger.dollar().map(|dollar| (dollar, ESCROWS, ledger.escrowed()));
        let escrows = escrowed.filter(|(.., amount)| *amount != Money::ZERO);
        let currencies = (0..ledger.currencies().len()).map(CurrencyId::from_index);
        Self {
            time,
            names,
            accounts,
            amounts: whole.chain(state.staking().amounts()).chain(escrows).collect(),
            assets: currencies.map(|id| (id, sums(state.funds(), ledger, id).assets)).collect(),
        }
    }

    /// The name of an account at the cut, `group/account`.
    fn name(&self, account: AccountId) -> Option<&str> {
        let place = self.accounts.binary_search_by_key(&account, |(id, _)| *id).ok()?;
        let start =
            place.checked_sub(1).and_then(|before| self.accounts.get(before)).map_or(0, |(_, end)| *end);
        let (_, end) = self.accounts.get(place)?;
        self.names.get(start..*end)
    }
}
