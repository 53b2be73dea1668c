//! Commands and infrequent events of this room.

use crate::accrue::{self, Accrued, Counted, DayEnded};
use crate::redeem::{self, Paid, Redeemed};
use crate::stake::{self, Request, Staked};
use crate::{PairId, PairTerms, Rate, Staking, money, terms};
use alloc::sync::Arc;
use buttonwood_leave::{ALL, Short};
use buttonwood_model::{
    AccountId, BytesRef, CurrencyId, Outbox, Right, Role, Roles, Scopes, Time, commands, named,
};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// A command of this room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Stake an amount.
    Stake(Arc<Request>),
    /// Redeem an amount.
    Unstake(Arc<Request>),
    /// Go on with the accrual of a pair.
    Accrue(PairId),
    /// Pay redemptions of a pair.
    Pay(PairId),
    /// Redeem stakes of an account that owes for a returned advance.
    Recover(AccountId),
    /// Set the terms of a pair.
    SetTerms(Arc<PairTerms>),
    /// Pay `staking_rewards` from `source`.
    Fund(CurrencyId, Money),
    /// Set the key of the codes of transactions, once.
    SetKey([u8; 16]),
}

// A halted exchange refuses stakes alone.
commands!(Command, "staking", {
    Stake { 0: request } = "stake" 1: client(Self::RIGHT) trades,
    Unstake { 0: request } = "unstake" 1: client(Self::RIGHT) neither,
    Accrue { 0: pair } = "accrue" 1: exchange neither,
    Pay { 0: pair } = "pay" 1: exchange neither,
    Recover { 0: account } = "recover" 1: exchange neither,
    SetTerms { 0: terms } = "set_terms" 1: exchange neither,
    Fund { 0: currency, 1: amount } = "fund" 1: exchange neither,
    SetKey { 0: key } = "set_key" 1: exchange neither,
});

impl Command {
    /// The rights that a client needs to stake and to redeem. No access token has them.
    pub const RIGHT: Right =
        Right { roles: Roles::of(&[Role::Trader, Role::FundManager]), scopes: Scopes::NONE };
}

/// An infrequent event of this room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// The terms of a pair were set.
    TermsSet(PairTerms),
    /// An account staked.
    Staked(Staked),
    /// An account redeems.
    Redeemed(Redeemed),
    /// Redemptions were paid.
    Paid(Paid),
    /// A day of a pair ended.
    DayEnded(DayEnded),
    /// The interest of some accounts was added up.
    Counted(Counted),
    /// The interest of some accounts was paid.
    Accrued(Accrued),
    /// `staking_rewards` got an amount from `source`.
    Funded(CurrencyId, Money),
    /// The key of the codes was set.
    KeySet([u8; 16]),
    /// The stakes of an account were redeemed as far as its debts need it.
    Recovered(AccountId),
    /// A request was sent again under its client id, and got the same reply; nothing changed. Earlier builds wrote it.
    Repeated(Receipt),
    /// The terms that were just set wait less than redemptions of the pair that are open: these end as if they had been requested under them.
    Shortened(PairId),
}

named!(Infrequent, "staking", {
    TermsSet { 0: terms } = "terms_set" 1,
    Staked { 0: staked } = "staked" 2,
    Redeemed { 0: redeemed } = "redeemed" 1,
    Paid { 0: paid } = "paid" 1,
    DayEnded { 0: ended } = "day_ended" 1,
    Counted { 0: counted } = "counted" 1,
    Accrued { 0: accrued } = "accrued" 1,
    Funded { 0: currency, 1: amount } = "funded" 1,
    KeySet { 0: key } = "key_set" 1,
    Recovered { 0: account } = "recovered" 1,
    Repeated { 0: receipt } = "repeated" 1,
    Shortened { 0: pair } = "shortened" 1,
});

/// The answer to a client's command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// An amount was staked.
    Staked {
        /// The number of the transaction.
        number: u64,
        /// The pair.
        pair: PairId,
        /// The amount.
        amount: Money,
        /// The pair's rate then.
        rate: Rate,
        /// The account's interest with the pair until then.
        accrued: Money,
    },
    /// An amount is redeemed.
    Redeemed {
        /// The number of the transaction.
        number: u64,
        /// The pair.
        pair: PairId,
        /// The amount.
        amount: Money,
        /// The part that was paid at once.
        paid: Money,
        /// When it was requested.
        requested: Time,
    },
}

/// The reply to a request with a client id, which a retry gets again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The answer.
    pub answer: Answer,
    /// When it was given.
    pub time: Time,
}

impl Receipt {
    /// Whether the request was about this pair and amount. All that was staked is the amount that it was.
    pub(crate) fn is_of(&self, asked: PairId, asked_amount: Money) -> bool {
        match self.answer {
            Answer::Staked { pair, amount, .. } | Answer::Redeemed { pair, amount, .. } => {
                pair == asked && (amount == asked_amount || asked_amount == ALL)
            }
        }
    }
}

/// Why a command of this room is refused. The variants are in the order of the checks (D-05).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The account is not of the kind `exchange`.
    WrongKind,
    /// The client id stands for a request with other terms, or of another kind.
    OtherTerms,
    /// There is no such provider (STK-007).
    UnknownProvider,
    /// The provider does not stake the currency (STK-007).
    UnknownPair,
    /// The amount is not positive (STK-007).
    BadAmount,
    /// The pair takes no new stakes.
    Paused,
    /// The codes or the house accounts are missing.
    Unavailable,
    /// The amount may not leave the account (STK-007).
    Short(Short),
    /// The currency has no dollar price.
    NoPrice,
    /// More dollars than these, the most that an account may stake with the pair in a month (STK-008).
    BeyondLimit(Money),
    /// Less is staked than is to be redeemed (STK-011).
    TooLittleStaked,
    /// The account has the most open redemptions of the pair that it may have.
    TooManyOpen,
    /// A term is out of its range.
    BadTerms,
    /// The exchange has the most pairs that it may have.
    TooManyPairs,
    /// The amount is beyond what `source` can give.
    OutOfRange,
    /// The key was set already.
    HasKey,
    /// Nothing is due.
    NotDue,
    /// No key may send the command, or only a key may.
    Unknown,
}

/// Decides a command of a client: appends its events and answers, or refuses it. A request that is sent again under its client id has no
/// event.
///
/// # Errors
/// [`Reject`]; the caller must undo what was written.
pub fn decide<E: From<BytesRef>>(
    context: &Context<'_, Staking>,
    account: AccountId,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Answer, Reject> {
    match command {
        Command::Stake(request) => stake::decide(context, account, request, out),
        Command::Unstake(request) => redeem::decide(context, account, request, out),
        Command::Accrue(_)
        | Command::Pay(_)
        | Command::Recover(_)
        | Command::SetTerms(_)
        | Command::Fund(..)
        | Command::SetKey(_) => Err(Reject::Unknown),
    }
}

/// Decides a command of the exchange itself or of an operator.
///
/// # Errors
/// [`Reject`]; the caller must undo what was written.
pub fn decide_own<E: From<BytesRef>>(
    context: &Context<'_, Staking>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    match command {
        Command::Accrue(pair) => accrue::decide(context, *pair, out),
        Command::Pay(pair) => redeem::decide_payment(context, *pair, out),
        Command::Recover(account) => redeem::decide_forced(context, *account, out),
        Command::SetTerms(set) => terms::decide(context, set, out),
        Command::Fund(currency, amount) => {
            check_fund(context, *currency, *amount)?;
            out.push_named(&Infrequent::Funded(*currency, *amount));
            Ok(())
        }
        Command::SetKey(_) if context.room.has_key() => Err(Reject::HasKey),
        Command::SetKey(key) => {
            out.push_named(&Infrequent::KeySet(*key));
            Ok(())
        }
        Command::Stake(_) | Command::Unstake(_) => Err(Reject::Unknown),
    }
}

fn check_fund(context: &Context<'_, Staking>, currency: CurrencyId, amount: Money) -> Result<(), Reject> {
    context.currency(currency).ok_or(Reject::UnknownPair)?;
    if amount <= Money::ZERO {
        return Err(Reject::BadAmount);
    }
    money::houses(context.ledger).ok_or(Reject::Unavailable)?;
    let index = context.sources.index(currency);
    if index.is_some_and(|index| !context.ledger.can_value(currency, amount, index)) {
        return Err(Reject::OutOfRange);
    }
    context.ledger.can_issue(currency, amount).map_err(|_| Reject::OutOfRange)
}

/// Applies an infrequent event.
pub fn evolve(books: &mut ContextMut<'_, Staking>, event: &Infrequent) {
    match event {
        Infrequent::TermsSet(set) => terms::evolve(books, set),
        Infrequent::Staked(staked) => stake::evolve(books, staked),
        Infrequent::Redeemed(redeemed) => redeem::evolve(books, redeemed),
        Infrequent::Paid(paid) => redeem::evolve_payment(books, paid),
        Infrequent::DayEnded(ended) => accrue::evolve_end(books.room, ended),
        Infrequent::Counted(counted) => accrue::evolve_count(books, counted),
        Infrequent::Accrued(accrued) => accrue::evolve(books, accrued),
        Infrequent::Funded(currency, amount) => money::fund(books.ledger, *currency, *amount),
        Infrequent::KeySet(key) => books.room.set_key(*key),
        Infrequent::Recovered(account) => {
            books.room.debtors.remove(account);
        }
        Infrequent::Repeated(_) => {}
        Infrequent::Shortened(pair) => redeem::evolve_shorter(books.room, *pair),
    }
}
