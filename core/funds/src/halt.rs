//! Halts of all withdrawals, or of one asset: its credits and its withdrawals stop, trading goes on.
//!
//! An operator halts and resumes. The exchange itself halts an asset when a reorganisation removes what was final.

use crate::{Funds, Infrequent, Made, Sender, deposit};
use alloc::collections::BTreeSet;
use buttonwood_model::{BytesRef, CurrencyId, Outbox, commands, named};
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// The halted part of the exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// Withdrawals of every currency.
    Withdrawals,
    /// Credits and withdrawals of a currency.
    Asset(CurrencyId),
}

/// A command of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Halt.
    Halt(Scope),
    /// Resume.
    Resume(Scope),
}

commands!(Command, "funds", {
    Halt { 0: scope } = "halt" 1: exchange reduces,
    Resume { 0: scope } = "resume" 1: exchange neither,
});

/// An event of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It was halted.
    Halted(Scope),
    /// It was resumed.
    Resumed(Scope),
}

named!(Event, "funds", { Halted { 0: scope } = "halted" 1, Resumed { 0: scope } = "resumed" 1 });

/// Why a command of this module is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// No currency has this number.
    UnknownCurrency,
}

/// The halted part of the exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Halts {
    withdrawals: bool,
    assets: BTreeSet<CurrencyId>,
}

impl Halts {
    /// Whether this very scope is halted.
    pub fn has(&self, scope: Scope) -> bool {
        match scope {
            Scope::Withdrawals => self.withdrawals,
            Scope::Asset(currency) => self.assets.contains(&currency),
        }
    }

    /// Whether no withdrawal of the currency is accepted or sent.
    pub fn stops_withdrawal(&self, currency: CurrencyId) -> bool {
        self.withdrawals || self.assets.contains(&currency)
    }

    /// Whether no deposit of the currency is credited.
    pub fn stops_credit(&self, currency: CurrencyId) -> bool {
        self.assets.contains(&currency)
    }

    /// The halted assets.
    pub fn assets(&self) -> impl Iterator<Item = CurrencyId> {
        self.assets.iter().copied()
    }

    pub(crate) fn halt_asset(&mut self, currency: CurrencyId) {
        self.assets.insert(currency);
    }
}

/// Decides a command; one that changes nothing has no event. A resumed asset credits what has become final meanwhile.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    _: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    let (Command::Halt(scope) | Command::Resume(scope)) = command;
    if let Scope::Asset(currency) = scope {
        context.currency(*currency).ok_or(Reject::UnknownCurrency)?;
    }
    let is_halted = context.room.halts.has(*scope);
    match command {
        Command::Halt(scope) if !is_halted => out.push_named(&Infrequent::from(Event::Halted(*scope))),
        Command::Resume(scope) if is_halted => {
            out.push_named(&Infrequent::from(Event::Resumed(*scope)));
            if let Scope::Asset(currency) = scope {
                deposit::credit_waiting(context, *currency, out);
            }
        }
        Command::Halt(_) | Command::Resume(_) => {}
    }
    Ok(Made::Nothing)
}

/// Applies an event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Funds>, event: Event) {
    let halts = &mut books.room.halts;
    match event {
        Event::Halted(Scope::Withdrawals) => halts.withdrawals = true,
        Event::Halted(Scope::Asset(currency)) => halts.halt_asset(currency),
        Event::Resumed(Scope::Withdrawals) => halts.withdrawals = false,
        Event::Resumed(Scope::Asset(currency)) => {
            halts.assets.remove(&currency);
        }
    }
}
