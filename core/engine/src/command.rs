//! The command of the exchange: one variant for each room.

use crate::{Act, Event, Founding, Opening, Operation};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_access::{self as access, Account, Caller, NewSession};
use buttonwood_convert as convert;
use buttonwood_funds as funds;
use buttonwood_ledger as ledger;
use buttonwood_model::{
    AccountId, Currency, CurrencyId, Named, NamedError, NamedRecord, Roles, Symbol, put_named,
};
use buttonwood_num::Money;
use buttonwood_perp as perp;
use buttonwood_rates as rates;
use buttonwood_spot_margin as spot_margin;
use buttonwood_trading as trading;

/// A command, and the key that sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The key that signed it; none for commands of the exchange itself and of an operator.
    pub caller: Option<Caller>,
    /// The content of the command.
    pub body: Body,
}

/// The content of a command, by the room that decides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Of the trading floor.
    Trading(trading::Command),
    /// Of the directory of groups, accounts and sessions.
    Access(access::Command),
    /// Of the ledger.
    Ledger(ledger::Command),
    /// Of the foreign exchange rates.
    Rates(rates::Command),
    /// Of the conversions.
    Convert(convert::Command),
    /// Of money that enters and leaves.
    Funds(funds::Command),
    /// Of the desk of perpetuals.
    Perp(perp::Command),
    /// Of the desk of spot margin.
    SpotMargin(spot_margin::Command),
    /// Of the engine itself.
    Founding(Founding),
    /// Of an operator: one of the others, with who sends it and why.
    Act(Arc<Act>),
    /// Of the exchange as a whole.
    Operation(Operation),
}

impl From<trading::Command> for Body {
    #[inline]
    fn from(command: trading::Command) -> Self {
        Self::Trading(command)
    }
}

impl From<access::Command> for Body {
    fn from(command: access::Command) -> Self {
        Self::Access(command)
    }
}

impl From<ledger::Command> for Body {
    fn from(command: ledger::Command) -> Self {
        Self::Ledger(command)
    }
}

impl From<rates::Command> for Body {
    fn from(command: rates::Command) -> Self {
        Self::Rates(command)
    }
}

impl From<convert::Command> for Body {
    fn from(command: convert::Command) -> Self {
        Self::Convert(command)
    }
}

impl From<funds::Command> for Body {
    fn from(command: funds::Command) -> Self {
        Self::Funds(command)
    }
}

impl From<perp::Command> for Body {
    fn from(command: perp::Command) -> Self {
        Self::Perp(command)
    }
}

impl From<spot_margin::Command> for Body {
    fn from(command: spot_margin::Command) -> Self {
        Self::SpotMargin(command)
    }
}

impl From<Founding> for Body {
    fn from(command: Founding) -> Self {
        Self::Founding(command)
    }
}

impl From<Operation> for Body {
    fn from(command: Operation) -> Self {
        Self::Operation(command)
    }
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
    /// A caller needs one of these roles (AUTH-025).
    #[inline]
    pub fn roles(&self) -> Roles {
        match self {
            Self::Trading(command) => command.roles(),
            Self::Access(command) => command.roles(),
            Self::Ledger(command) => command.roles(),
            Self::Rates(command) => command.roles(),
            Self::Convert(command) => command.roles(),
            Self::Funds(command) => command.roles(),
            Self::Perp(command) => command.roles(),
            Self::SpotMargin(command) => command.roles(),
            Self::Founding(command) => command.roles(),
            Self::Act(_) => Roles::NOBODY,
            Self::Operation(command) => command.roles(),
        }
    }

    /// Whether the command only reduces risk, and is accepted on a nearly full disk.
    pub fn is_reducing(&self) -> bool {
        match self {
            Self::Trading(command) => command.is_reducing(),
            Self::Access(command) => command.is_reducing(),
            Self::Ledger(command) => command.is_reducing(),
            Self::Rates(command) => command.is_reducing(),
            Self::Convert(command) => command.is_reducing(),
            Self::Funds(command) => command.is_reducing(),
            Self::Perp(command) => command.is_reducing(),
            Self::SpotMargin(command) => command.is_reducing(),
            Self::Founding(command) => command.is_reducing(),
            Self::Operation(command) => command.is_reducing(),
            Self::Act(act) => act.body.as_ref().is_some_and(Self::is_reducing),
        }
    }

    /// Whether a key's command starts something that may trade or convert: a halted exchange refuses it.
    #[inline]
    pub fn may_trade(&self) -> bool {
        match self {
            Self::Trading(command) => command.may_trade(),
            Self::Convert(command) => command.may_trade(),
            Self::Access(_)
            | Self::Ledger(_)
            | Self::Rates(_)
            | Self::Funds(_)
            | Self::Perp(_)
            | Self::SpotMargin(_)
            | Self::Founding(_)
            | Self::Act(_)
            | Self::Operation(_) => false,
        }
    }

    /// What the command did to each order, for a caller that cancelled many.
    pub fn withdrawn(&self, events: &[Event]) -> trading::cancel::Withdrawn {
        match self.inner() {
            Self::Trading(command) => command.withdrawn(events.iter().filter_map(Event::of_order)),
            Self::Access(command) if command.cancels_orders_of().is_some() => {
                trading::cancel::Withdrawn::of(events.iter().filter_map(Event::of_order))
            }
            Self::Access(_)
            | Self::Ledger(_)
            | Self::Rates(_)
            | Self::Convert(_)
            | Self::Funds(_)
            | Self::Perp(_)
            | Self::SpotMargin(_)
            | Self::Founding(_)
            | Self::Act(_)
            | Self::Operation(_) => trading::cancel::Withdrawn::default(),
        }
    }

    /// Appends its named record.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Trading(command) => put_named(command, out),
            Self::Access(command) => put_named(command, out),
            Self::Ledger(command) => put_named(command, out),
            Self::Rates(command) => put_named(command, out),
            Self::Convert(command) => put_named(command, out),
            Self::Funds(command) => put_named(command, out),
            Self::Perp(command) => put_named(command, out),
            Self::SpotMargin(command) => put_named(command, out),
            Self::Founding(command) => put_named(command, out),
            Self::Act(act) => act.put(out),
            Self::Operation(command) => put_named(command, out),
        }
    }

    /// Decodes a named record.
    pub(crate) fn read(record: NamedRecord<'_>) -> Result<Self, NamedError> {
        match record.room {
            trading::Command::ROOM => record.read().map(Self::Trading),
            access::Command::ROOM => record.read().map(Self::Access),
            ledger::Command::ROOM => record.read().map(Self::Ledger),
            rates::Command::ROOM => record.read().map(Self::Rates),
            convert::Command::ROOM => record.read().map(Self::Convert),
            funds::Command::ROOM => record.read().map(Self::Funds),
            perp::Command::ROOM => record.read().map(Self::Perp),
            spot_margin::Command::ROOM => record.read().map(Self::SpotMargin),
            Founding::ROOM => record.read().map(Self::Founding),
            Act::ROOM => record.read().map(|act| Self::Act(Arc::new(act))),
            Operation::ROOM => record.read().map(Self::Operation),
            _ => Err(record.unknown()),
        }
    }
}
