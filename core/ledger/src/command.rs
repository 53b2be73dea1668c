//! Commands and infrequent events of this room.

use crate::{Cause, Ledger};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, AssetId, BytesRef, Currency, CurrencyId, Outbox, commands, named};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// A command of this room. No key may send one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Give an account money from the source account.
    Credit(Arc<Credit>),
    /// List a currency.
    ListCurrency(Arc<Currency>),
    /// Open a house account: its name, and whether it may be negative.
    OpenHouse(Arc<String>, bool),
    /// Give an account money from the source account, or take it back.
    Adjust(Arc<Adjustment>),
}

/// Money for an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credit {
    /// The account.
    pub account: AccountId,
    /// Amounts by currency.
    pub amounts: Vec<(CurrencyId, Money)>,
}

/// Money that an operator gives to an account or takes from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjustment {
    /// The account.
    pub account: AccountId,
    /// The currency.
    pub currency: CurrencyId,
    /// The amount that the account gets; negative if it is taken from it.
    pub amount: Money,
    /// The document that it refers to, such as the number of a transfer at a bank; empty without one. A reference is used once.
    pub reference: String,
}

commands!(Command, "ledger", {
    Credit { 0: credit } = "credit" 1: exchange neither,
    ListCurrency { 0: currency } = "list_currency" 1: exchange neither,
    OpenHouse { 0: name, 1: may_be_negative } = "open_house" 1: exchange neither,
    Adjust { 0: adjustment } = "adjust" 1: exchange neither,
});

/// An infrequent event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// The house issued money to an account.
    Credited(AccountId, AssetId, Money),
    /// A currency was listed.
    CurrencyListed(Currency),
    /// A house account was opened: its name, and whether it may be negative.
    HouseOpened(String, bool),
    /// The house gave an account money, or took it back.
    Adjusted(Adjustment),
}

named!(Infrequent, "ledger", {
    Credited { 0: account, 1: asset, 2: amount } = "credited" 1,
    CurrencyListed { 0: currency } = "currency_listed" 1,
    HouseOpened { 0: name, 1: may_be_negative } = "house_opened" 1,
    Adjusted { 0: adjustment } = "adjusted" 1,
});

/// Why a command of this room is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// A credit is not positive, or exceeds [`Money`].
    BadAmount,
    /// There is no such account or currency.
    Unknown,
    /// The name, the code or the reference is taken.
    Taken,
    /// The account has only this much available of what is to be taken from it.
    Short(Money),
}

/// Decides a command.
///
/// # Errors
/// [`Reject`]; the caller must undo what was written.
pub fn decide<E: From<BytesRef>>(
    ledger: &Ledger,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    match command {
        Command::Credit(credit) => return decide_credit(ledger, credit, out),
        Command::Adjust(adjustment) => return decide_adjustment(ledger, adjustment, out),
        Command::ListCurrency(currency) => {
            if ledger.currencies().iter().any(|listed| listed.code == currency.code) {
                return Err(Reject::Taken);
            }
            out.push_named(&Infrequent::CurrencyListed(Currency::clone(currency)));
        }
        Command::OpenHouse(name, may_be_negative) => {
            if ledger.house(name).is_some() {
                return Err(Reject::Taken);
            }
            out.push_named(&Infrequent::HouseOpened(String::clone(name), *may_be_negative));
        }
    }
    Ok(())
}

fn decide_credit<E: From<BytesRef>>(
    ledger: &Ledger,
    credit: &Credit,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let Credit { account, amounts } = credit;
    if account.0 >= ledger.accounts() {
        return Err(Reject::Unknown);
    }
    let mut sums: Vec<(CurrencyId, Money)> = Vec::new();
    for (currency, amount) in amounts {
        ledger.currencies().get(currency.index()).ok_or(Reject::Unknown)?;
        if *amount <= Money::ZERO {
            return Err(Reject::BadAmount);
        }
        let before = sums.iter().filter(|(same, _)| same == currency).map(|(_, sum)| *sum).sum::<Money>();
        let sum = before.checked_add(*amount).ok_or(Reject::BadAmount)?;
        ledger.can_issue(*currency, sum).map_err(|_| Reject::BadAmount)?;
        sums.push((*currency, *amount));
        out.push_named(&Infrequent::Credited(*account, (*currency).into(), *amount));
    }
    Ok(())
}

/// A debit takes what is available, so never what is held, and never more.
fn decide_adjustment<E: From<BytesRef>>(
    ledger: &Ledger,
    adjustment: &Adjustment,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let Adjustment { account, currency, amount, reference } = adjustment;
    if account.0 >= ledger.accounts() || ledger.currencies().get(currency.index()).is_none() {
        return Err(Reject::Unknown);
    }
    if ledger.has_reference(reference) {
        return Err(Reject::Taken);
    }
    if *amount == Money::ZERO {
        return Err(Reject::BadAmount);
    }
    if amount.is_negative() {
        let available = ledger.balance(*account, *currency).available;
        // The sum leaves the range only for amounts that nobody has.
        let left = available.checked_add(*amount).ok_or(Reject::Short(available))?;
        if left.is_negative() {
            return Err(Reject::Short(available));
        }
    } else {
        ledger.can_issue(*currency, *amount).map_err(|_| Reject::BadAmount)?;
    }
    out.push_named(&Infrequent::Adjusted(adjustment.clone()));
    Ok(())
}

/// Applies an infrequent event. The engine opens a house account, which needs an entry in the directory of accounts
/// too.
pub fn evolve(ledger: &mut Ledger, event: Infrequent) {
    match event {
        Infrequent::Credited(account, asset, amount) => {
            ledger.issue(Cause::Adjustment, account, asset, amount);
        }
        Infrequent::CurrencyListed(currency) => ledger.list_currency(currency),
        Infrequent::HouseOpened(name, may_be_negative) => {
            ledger.open_house(name, may_be_negative);
        }
        Infrequent::Adjusted(Adjustment { account, currency, amount, reference }) => {
            ledger.issue(Cause::Adjustment, account, currency, amount);
            ledger.use_reference(reference);
        }
    }
}
