//! Proof of reserves: the cut at each midnight, what wallets hold, and the currencies whose assets do not cover what customers have
//! (INV-POR-1, D-166).
//!
//! The amounts of the accounts at the cut are not kept here: the views fold them from the event. Assets and liabilities follow from
//! the balances of house accounts, since all balances of a currency sum to zero.

mod sums;

#[cfg(test)]
mod tests;

pub use sums::{Sums, sums};

use crate::{Funds, Infrequent, Made, Sender};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_access::Access;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, BytesRef, CurrencyId, Day, Due, Outbox, Phase, Time, commands, named};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// A command of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Cut the state: once a day, at midnight.
    Cut,
    /// Note what the house's wallets on a network hold of a currency.
    ReportWallet(Arc<Wallet>),
    /// Compare assets and liabilities of every currency.
    Check,
    /// Note what a network has charged for a payment between the house's own addresses.
    NoteCost(String, Money),
}

commands!(Command, "funds", {
    Cut {} = "cut_reserves" 1: exchange neither,
    ReportWallet { 0: wallet } = "report_wallet" 2: exchange neither,
    Check {} = "check_reserves" 1: exchange neither,
    NoteCost { 0: network, 1: cost } = "note_network_cost" 1: exchange neither,
});

/// The holdings of the house's wallets in a currency on a network, as custody reports them. Custody reports every wallet of a
/// currency, each time when it changes, and journals what arrived before the credits that follow from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wallet {
    /// The lower-case name of the network.
    pub network: String,
    /// The currency.
    pub currency: CurrencyId,
    /// The amount in hot wallets; their keys are in the vault.
    pub hot: Money,
    /// The amount in cold wallets.
    pub cold: Money,
    /// Their addresses, those of hot wallets first.
    pub addresses: Vec<String>,
    /// The amount that counts as assets in addition: withdrawals in a block that is not final, and the network's charges for them (D-166).
    /// Test credits and older network costs are counted here in the core.
    pub beside: Money,
    /// The amount that was minted for test credits, less what was burned: zero on a real node.
    pub minted: Money,
}

/// An event of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The state was cut at this time: midnight, unless the exchange was busy or stopped then.
    Cut(Time),
    /// Wallets hold this.
    WalletReported(Wallet),
    /// The assets of a currency do not cover its liabilities any more.
    Short(CurrencyId),
    /// They cover them again.
    Covered(CurrencyId),
    /// A network has charged this for a payment between the house's own addresses.
    CostNoted(String, Money),
}

named!(Event, "funds", {
    Cut { 0: time } = "reserves_cut" 1,
    WalletReported { 0: wallet } = "wallet_reported" 2,
    Short { 0: currency } = "reserves_short" 1,
    Covered { 0: currency } = "reserves_covered" 1,
    CostNoted { 0: network, 1: cost } = "network_cost_noted" 1,
});

/// Why a command of this module is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The state was cut on this day already.
    NotDue,
    /// No currency has this number.
    UnknownCurrency,
    /// An amount below zero.
    BadAmount,
}

/// The records of this module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserves {
    /// The time of the last cut.
    cut: Option<Time>,
    /// The last report of custody.
    wallets: BTreeMap<(String, CurrencyId), Wallet>,
    /// The currencies whose assets do not cover their liabilities.
    short: BTreeSet<CurrencyId>,
    /// The test credits that `source` gave out, less those that were debited again.
    credited: BTreeMap<CurrencyId, Money>,
    /// The networks' charges for payments that have ended, in their own coins.
    costs: BTreeMap<CurrencyId, Money>,
}

impl Reserves {
    /// The time of the last cut; none before the first.
    pub fn last_cut(&self) -> Option<Time> {
        self.cut
    }

    /// The last report of custody, by network and currency.
    pub fn wallets(&self) -> impl Iterator<Item = &Wallet> {
        self.wallets.values()
    }

    /// The currencies whose assets do not cover their liabilities, as of the last check.
    pub fn short(&self) -> impl Iterator<Item = CurrencyId> {
        self.short.iter().copied()
    }

    /// The test credits that `source` gave out, less those that were debited again; by currency.
    pub fn credited(&self) -> &BTreeMap<CurrencyId, Money> {
        &self.credited
    }

    /// The networks' charges in this currency for payments that have ended.
    pub fn cost(&self, currency: CurrencyId) -> Money {
        self.costs.get(&currency).copied().unwrap_or_default()
    }

    /// Notes a test credit, or with an amount below zero a debit: the ledger moves the money.
    pub(crate) fn note_credit(&mut self, currency: CurrencyId, amount: Money) {
        let credited = self.credited.entry(currency).or_default();
        *credited = credited.capped_add(amount);
    }

    /// Notes what a network has charged for a payment.
    pub(crate) fn note_cost(&mut self, currency: CurrencyId, amount: Money) {
        let cost = self.costs.entry(currency).or_default();
        *cost = cost.capped_add(amount);
    }

    /// Whether no withdrawal of the currency may be accepted or sent, because assets do not cover liabilities (INV-POR-1).
    pub fn stops_withdrawal(&self, currency: CurrencyId) -> bool {
        self.short.contains(&currency)
    }
}

/// The cut of the next midnight after the last one or, before the first, after the opening. Cuts that a stopped exchange missed are
/// made up for by one at its start.
pub(crate) fn next_due(funds: &Funds, access: &Access) -> Option<Due<Command>> {
    let opened = || access.account(AccountId(0)).map(|house| house.opened);
    let day = Day::of(funds.reserves.cut.or_else(opened)?);
    // There is one a day, so a long move of a manual clock makes all of them.
    Some(Due::step(day.plus(1).start(), Phase::Transfers, Command::Cut))
}

/// Decides a command: appends its events, or refuses it. A check that finds no change appends nothing.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    _: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    match command {
        Command::Cut => {
            if context.room.reserves.cut.is_some_and(|cut| Day::of(cut) >= Day::of(context.time)) {
                return Err(Reject::NotDue);
            }
            out.push_named(&Infrequent::from(Event::Cut(context.time)));
            check(context, out);
        }
        Command::ReportWallet(wallet) => {
            context.currency(wallet.currency).ok_or(Reject::UnknownCurrency)?;
            let amounts = [wallet.hot, wallet.cold, wallet.beside];
            if amounts.into_iter().any(Money::is_negative) {
                return Err(Reject::BadAmount);
            }
            out.push_named(&Infrequent::from(Event::WalletReported(Wallet::clone(wallet))));
        }
        Command::Check => check(context, out),
        Command::NoteCost(network, cost) => {
            context.room.networks.native(network).ok_or(Reject::UnknownCurrency)?;
            if cost.is_negative() {
                return Err(Reject::BadAmount);
            }
            out.push_named(&Infrequent::from(Event::CostNoted(network.clone(), *cost)));
        }
    }
    Ok(Made::Nothing)
}

/// Notes the currencies that have become short or covered since the last check.
fn check<E: From<BytesRef>>(context: &Context<'_, Funds>, out: &mut Outbox<E>) {
    for (currency, is_short) in changes(context.room, context.ledger) {
        let event = if is_short { Event::Short(currency) } else { Event::Covered(currency) };
        out.push_named(&Infrequent::from(event));
    }
}

/// The currencies that a check would find short or covered, unlike the last one. While there is none, no check is needed.
pub fn changes<'a>(funds: &'a Funds, ledger: &'a Ledger) -> impl Iterator<Item = (CurrencyId, bool)> + 'a {
    (0..ledger.currencies().len()).map(CurrencyId::from_index).filter_map(|currency| {
        let sums = sums(funds, ledger, currency);
        let is_short = sums.assets < sums.liabilities;
        (is_short != funds.reserves.stops_withdrawal(currency)).then_some((currency, is_short))
    })
}

/// Applies an event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Funds>, event: Event) {
    let reserves = &mut books.room.reserves;
    match event {
        Event::Cut(time) => reserves.cut = Some(time),
        Event::WalletReported(wallet) => {
            reserves.wallets.insert((wallet.network.clone(), wallet.currency), wallet);
        }
        Event::CostNoted(network, cost) => books.room.note_network_cost(&network, cost),
        Event::Short(currency) => {
            reserves.short.insert(currency);
        }
        Event::Covered(currency) => {
            reserves.short.remove(&currency);
        }
    }
}
