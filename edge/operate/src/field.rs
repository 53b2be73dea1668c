//! Arguments that several commands take, and the refusals that name them.

use crate::Shared;
use buttonwood_address::{Address, Network};
use buttonwood_engine::funds::NetworkId;
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_model::{AccountId, CurrencyId, GroupId};
use buttonwood_num::{Decimal, Money};
use buttonwood_wire::field::bad_value;

impl Shared {
    /// The account of a group, by its short name.
    ///
    /// # Errors
    /// The refusal of the field that names none.
    pub fn find_account(&self, group: &str, account: &str) -> Result<AccountId, Refusal> {
        let group_id = self.find_group(group)?;
        let views = self.exchange.views();
        let access = views.state().access();
        access.find_account(group_id, account).ok_or_else(|| {
            let message = format!(
                "Field 'account' names no account of group '{}': '{}'",
                quoted(group),
                quoted(account)
            );
            Refusal::new(Reason::InvalidAccountName, message)
        })
    }

    /// A group, by its name.
    ///
    /// # Errors
    /// The refusal of a name that no group has.
    pub fn find_group(&self, group: &str) -> Result<GroupId, Refusal> {
        let found = self.exchange.views().state().access().find_group(group);
        found.ok_or_else(|| bad_value("group", "the name of a group", group))
    }

    /// A listed currency, by its code in any letter case.
    ///
    /// # Errors
    /// The refusal of a code that is not listed.
    pub fn find_currency(&self, code: &str) -> Result<CurrencyId, Refusal> {
        self.currency_id(code).ok_or_else(|| {
            let message = format!("Field 'currency' names no listed currency: '{}'", quoted(code));
            Refusal::new(Reason::InvalidCurrency, message)
        })
    }
}

/// A network with addresses of its own: its number in the state, and the format of its addresses.
#[derive(Clone, Copy, Debug)]
pub struct AddressNetwork {
    /// Its number.
    pub id: NetworkId,
    /// The format.
    pub format: Network,
}

impl Shared {
    /// The network of this name, which must have addresses of its own (ADDR-003, D-63, D-66). The refusal begins with the place that
    /// names it.
    ///
    /// # Errors
    /// The refusal of any other name.
    pub fn address_network(&self, place: &str, name: &str) -> Result<AddressNetwork, Refusal> {
        let format = Network::from_name(name);
        let id = self.exchange.views().state().funds().networks().find(name).map(|(id, _)| id);
        format.zip(id).map(|(format, id)| AddressNetwork { id, format }).ok_or_else(|| {
            let known: Vec<&str> = Network::ALL.into_iter().map(Network::name).collect();
            let message = format!(
                "{place} names no network with addresses of its own: '{}'; there are {}",
                quoted(name),
                known.join(", ")
            );
            Refusal::new(Reason::InvalidParameterValue, message)
        })
    }

    /// An address of a network, in any of its spellings (ADDR-009).
    ///
    /// # Errors
    /// The refusal of a text that is none.
    pub fn address(&self, network: Network, text: &str) -> Result<Address, Refusal> {
        self.formats.parse(network, text).map_err(|error| {
            let message = format!("Field 'address' is no address of {network}, {error}: '{}'", quoted(text));
            Refusal::new(Reason::InvalidAddress, message)
        })
    }
}

/// The refusal of an amount that is not positive or cannot be counted.
pub fn bad_amount(amount: &str) -> Refusal {
    bad_value("amount", "a positive decimal the ledger can count", amount)
}

/// An amount of money, zero or more; none if the text is no number or cannot be counted.
pub fn money(text: &str) -> Option<Money> {
    Decimal::parse(text.as_bytes()).ok().and_then(Money::from_decimal)
}

/// A positive amount of money.
pub fn amount(text: &str) -> Result<Money, Refusal> {
    money(text).filter(|amount| *amount > Money::ZERO).ok_or_else(|| bad_amount(text))
}
