//! Everything the exchange can be asked to do.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use arrayvec::ArrayVec;

use buttonwood_access::{Account, Caller, NewSession};
use buttonwood_auction::Schedule;
use buttonwood_model::{
    AccountId, Currency, CurrencyId, Nonce, Role, Roles, SessionId, Symbol, SymbolId, SymbolStatus,
};
use buttonwood_num::Money;
use buttonwood_spot::FeeSchedule;
use buttonwood_spot::cancel::OrderRef;
use buttonwood_spot::place::Place;
use serde::{Deserialize, Serialize};

/// A command: what is asked, and by whom if a key asked it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The key that signed it; none for what the exchange asks of itself and what an operator does.
    pub caller: Option<Caller>,
    /// What is asked.
    pub body: Body,
}

/// Nonces that one command takes note of at most; held in place, so that none of them is allocated.
pub const SEEN_MAX: usize = 4;

/// Nonces and the sessions that used them.
pub type Seen = ArrayVec<(SessionId, Nonce), SEEN_MAX>;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Body {
    /// Place an order.
    Place(Place),
    /// Cancel an order.
    Cancel(OrderRef),
    /// Cancel the calling session's orders (ORD-060).
    CancelSession,
    /// Cancel the account's orders (ORD-063).
    CancelAll,
    /// Nothing but use up the nonce: a state-changing call that was refused before it became a command (SES-006).
    UseNonce,
    /// Nonces that calls which only read have used (D-08a).
    NoncesSeen(Seen),
    /// A session with Require Heartbeat fell silent: cancel its orders (SES-010).
    ExpireSession(SessionId),
    /// Change which orders a symbol takes.
    SetSymbolStatus(SymbolId, SymbolStatus),
    /// Forget which nonces a session has used, so that it may begin again: a sandbox's way out of one that was too high (D-26).
    ResetNonces(SessionId),
    /// What an exchange is founded on, and its money. Counted, not boxed: freeing it is then out of the way of commands
    /// that own nothing.
    Found(Arc<Founding>),
    /// When a symbol's auctions are from now on; none ends them, and cancels the orders that wait for one.
    ScheduleAuctions(SymbolId, Option<Schedule>),
    /// Something of a symbol's auctions is due: to tell what the next would come to, to run it, or to go on settling it.
    Auction(SymbolId),
    /// A manual clock was moved to this command's time, which does not go back when the exchange starts again (BAL-007).
    MoveClock,
}

/// Symbols listed at most: a sixth of what their ids could tell apart.
pub const SYMBOLS_MAX: usize = 10_000;

/// What an exchange is founded on: asked seldom, and by nobody's key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Founding {
    /// Give an account money from the house's source.
    Credit(AccountId, Vec<(CurrencyId, Money)>),
    /// The first command of a directory.
    Open(Opening),
    /// List a currency.
    ListCurrency(Currency),
    /// List a symbol.
    ListSymbol(Symbol),
    /// Add a group.
    AddGroup(String),
    /// Open an account.
    OpenAccount(Account),
    /// Make a session.
    AddSession(NewSession),
}

impl From<Founding> for Body {
    fn from(founding: Founding) -> Self {
        Self::Found(Arc::new(founding))
    }
}

impl Body {
    /// [`Founding::Credit`].
    pub fn credit(account: AccountId, amounts: Vec<(CurrencyId, Money)>) -> Self {
        Founding::Credit(account, amounts).into()
    }

    /// [`Founding::Open`].
    pub fn open(opening: Opening) -> Self {
        Founding::Open(opening).into()
    }

    /// [`Founding::ListCurrency`].
    pub fn list_currency(currency: Currency) -> Self {
        Founding::ListCurrency(currency).into()
    }

    /// [`Founding::ListSymbol`].
    pub fn list_symbol(symbol: Symbol) -> Self {
        Founding::ListSymbol(symbol).into()
    }

    /// [`Founding::AddGroup`].
    pub fn add_group(name: String) -> Self {
        Founding::AddGroup(name).into()
    }

    /// [`Founding::OpenAccount`].
    pub fn open_account(account: Account) -> Self {
        Founding::OpenAccount(account).into()
    }

    /// [`Founding::AddSession`].
    pub fn add_session(session: NewSession) -> Self {
        Founding::AddSession(session).into()
    }

    /// The roles of which a caller needs one (AUTH-025); none where no key may send it.
    pub fn roles(&self) -> Roles {
        match self {
            Self::Place(_) | Self::Cancel(_) | Self::CancelSession | Self::CancelAll => {
                Roles::of(&[Role::Trader])
            }
            Self::UseNonce
            | Self::NoncesSeen(_)
            | Self::ExpireSession(_)
            | Self::SetSymbolStatus(..)
            | Self::ResetNonces(_)
            | Self::Found(_)
            | Self::ScheduleAuctions(..)
            | Self::Auction(_)
            | Self::MoveClock => Roles::NONE,
        }
    }

    /// Whether it is served when little room is left to journal: what only takes risk off. The nonce of a refusal is not:
    /// it is noted with others, as [`Body::NoncesSeen`].
    pub fn is_reducing(&self) -> bool {
        matches!(
            self,
            Self::Cancel(_)
                | Self::CancelSession
                | Self::CancelAll
                | Self::ExpireSession(_)
                | Self::NoncesSeen(_)
                | Self::MoveClock
        )
    }
}

/// What made a directory (D-30).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Test funds, control calls.
    Sandbox,
    /// A venue.
    Venue,
}

impl Mode {
    /// The name of the command that makes such a directory.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Venue => "serve",
        }
    }
}

/// The first command of a directory: what can never change in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// Which kind of exchange it is.
    pub mode: Mode,
    /// What draws what is drawn (launch contract, `--seed`).
    pub seed: u64,
    /// Keys the hash index of client ids.
    pub hash_key: u64,
    /// Fee rates.
    pub fees: FeeSchedule,
}
