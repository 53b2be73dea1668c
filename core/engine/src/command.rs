//! The command of the exchange, and constructors of frequent commands.

use crate::{Body, Event, Founding, Opening};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_access::{self as access, Account, Caller, NewSession};
use buttonwood_ledger as ledger;
use buttonwood_model::{AccountId, Currency, CurrencyId, Symbol};
use buttonwood_num::Money;
use buttonwood_rates as rates;
use buttonwood_trading as trading;

/// A command, and the key that sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The key that signed it; none for commands of the exchange itself and of an operator.
    pub caller: Option<Caller>,
    /// The content of the command.
    pub body: Body,
}

/// Constructors of the most frequent commands that no key sends.
impl Body {
    /// Gives an account money from the house's source account.
    pub fn credit(account: AccountId, amounts: Vec<(CurrencyId, Money)>) -> Self {
        ledger::Command::Credit(Arc::new(ledger::Credit { account, amounts })).into()
    }

    /// Lists a currency.
    pub fn list_currency(currency: Currency) -> Self {
        ledger::Command::ListCurrency(Arc::new(currency)).into()
    }

    /// Opens a house account.
    pub fn open_house(house: ledger::House) -> Self {
        ledger::Command::OpenHouse(Arc::new(house.name.into()), house.may_be_negative).into()
    }

    /// Opens the exchange in a new directory.
    pub fn open(opening: Opening) -> Self {
        Founding::Open(opening).into()
    }

    /// Adds exchange rates of a pair.
    pub fn add_rates(rates: rates::NewRates) -> Self {
        rates::Command::AddRates(Arc::new(rates)).into()
    }

    /// Lists a symbol.
    pub fn list_symbol(symbol: Symbol) -> Self {
        trading::Command::ListSymbol(Arc::new(symbol)).into()
    }

    /// Adds a group.
    pub fn add_group(name: String) -> Self {
        access::Command::AddGroup(Arc::new(name)).into()
    }

    /// Opens an account.
    pub fn open_account(account: Account) -> Self {
        access::Command::OpenAccount(Arc::new(account)).into()
    }

    /// Adds a session.
    pub fn add_session(session: NewSession) -> Self {
        access::Command::AddSession(Arc::new(session)).into()
    }
}

impl Body {
    /// The effect of the command on each order, for a caller that cancelled many.
    pub fn withdrawn(&self, events: &[Event]) -> trading::cancel::Withdrawn {
        let of_orders = events.iter().filter_map(Event::of_order);
        if let Self::Trading(command) = self.inner() {
            return command.withdrawn(of_orders);
        }
        let cancels = matches!(self.inner(), Self::Access(command) if command.cancels_orders_of().is_some());
        if cancels {
            trading::cancel::Withdrawn::of(of_orders)
        } else {
            trading::cancel::Withdrawn::default()
        }
    }
}
