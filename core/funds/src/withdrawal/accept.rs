//! Whether a withdrawal is accepted, and what it holds (XFER-013 to XFER-019).

use super::{Event, FeeTerms, Reject};
use crate::outlet::may_pay;
use crate::{
    ALL, Approval, Eid, Funds, Kind, NewTransfer, OnChain, Outlet, Reference, Sender, Short, Status, Uuid,
    Way,
};
use alloc::boxed::Box;
use alloc::string::String;
use buttonwood_access::Request;
use buttonwood_ledger::{Bucket, Cause, ISSUER, Posting};
use buttonwood_model::month_number;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// The amount that is to leave, and where to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdraw {
    /// Whose money it is.
    pub account: AccountId,
    /// The lower-case name of the network.
    pub network: String,
    /// The currency that arrives.
    pub currency: CurrencyId,
    /// The currency that the account gives, where the house wraps it 1:1 first (XFER-021); there is no fee then.
    pub wraps: Option<CurrencyId>,
    /// The address, as the client wrote it.
    pub address: String,
    /// The address in canonical spelling (D-71).
    pub canonical: String,
    /// The memo; empty without one. An order without one is accepted with that of the approved address (D-172).
    pub memo: String,
    /// How much arrives. [`ALL`] is all that may leave, without the fee.
    pub amount: Money,
    /// The client's id; empty without one.
    pub client_id: String,
}

impl Withdraw {
    /// The currency that the account gives.
    fn given(&self) -> CurrencyId {
        self.wraps.unwrap_or(self.currency)
    }
}

/// The course of a withdrawal that is not refused.
pub(super) enum Accepted {
    /// An earlier call with its client id has been accepted.
    Before(Eid),
    /// It is accepted.
    Now(Event),
}

/// Decides whether a withdrawal is accepted.
pub(super) fn decide(
    context: &Context<'_, Funds>,
    sender: Sender<'_>,
    withdraw: &Withdraw,
) -> Result<Accepted, Reject> {
    let account = withdraw.account;
    if !acts_for(context, sender, account) {
        return Err(Reject::Foreign);
    }
    if context.access.is_closed(account) {
        return Err(Reject::Closed);
    }
    let outlet =
        context.room.outlet(&withdraw.network, withdraw.currency).ok_or(Reject::UnsupportedNetwork)?;
    if let Some(request) = context.access.client_id(account, &withdraw.client_id) {
        let earlier = context.room.requested(request).filter(|earlier| is_same(&earlier.row, withdraw));
        return earlier.map(|earlier| Accepted::Before(earlier.eid)).ok_or(Reject::OtherTerms);
    }
    let approval = may_pay(context, account, &withdraw.network, &withdraw.canonical, &withdraw.memo);
    decide_new(context, withdraw, &outlet, approval).map(Accepted::Now)
}

/// Decides a withdrawal that no earlier one has the client id of.
pub(super) fn decide_new(
    context: &Context<'_, Funds>,
    withdraw: &Withdraw,
    outlet: &Outlet,
    approval: Approval<'_>,
) -> Result<Event, Reject> {
    let (account, given) = (withdraw.account, withdraw.given());
    if context.room.stops_withdrawal(withdraw.currency) || context.room.stops_withdrawal(given) {
        return Err(Reject::Halted);
    }
    let memo = match approval {
        Approval::Active(memo) => memo,
        Approval::NoList => return Err(Reject::NoList),
        Approval::Inactive => return Err(Reject::NotApproved),
        Approval::OtherMemo => return Err(Reject::OtherMemo),
    };
    let terms = FeeTerms::of(context, account, withdraw.currency, outlet);
    let (fee, is_free) = match withdraw.wraps {
        Some(_) => (Money::ZERO, false),
        None => (terms.fee, terms.uses_free()),
    };
    let amount = if withdraw.amount == ALL {
        all(context, (account, given), outlet, fee).map_err(|short| Reject::Short(short, fee))?
    } else {
        withdraw.amount
    };
    if amount <= Money::ZERO || !outlet.fits(amount) {
        return Err(Reject::BadAmount(outlet.decimals));
    }
    if amount < outlet.minimum {
        return Err(Reject::BelowMinimum(outlet.minimum));
    }
    let withdraw = Withdraw { amount, memo: memo.into(), ..withdraw.clone() };
    let total = amount.checked_add(fee).ok_or(Reject::Short(Short::TooLittle, fee))?;
    context.leave().check(account, (given, total), None).map_err(|short| Reject::Short(short, fee))?;
    if !can_wrap(context, &withdraw) {
        return Err(Reject::Short(Short::TooLittle, fee));
    }
    Ok(Event::Accepted(withdraw, fee, is_free))
}

/// The amount that arrives when all that may leave an account does: without the fee, as far as the network can carry it.
fn all(
    context: &Context<'_, Funds>,
    (account, given): (AccountId, CurrencyId),
    outlet: &Outlet,
    fee: Money,
) -> Result<Money, Short> {
    let most = context.leave().all(account, given, None)?;
    let arrives = outlet.cut(most.checked_sub(fee).unwrap_or(Money::ZERO));
    if arrives > Money::ZERO { Ok(arrives) } else { Err(Short::TooLittle) }
}

/// Whether the sender acts for the account of a customer.
fn acts_for(context: &Context<'_, Funds>, sender: Sender<'_>, account: AccountId) -> bool {
    let is_own = match sender {
        Sender::Exchange => true,
        Sender::Key(caller) => context
            .access
            .rights_of(caller.session)
            .is_some_and(|(owner, _)| context.access.owns(owner, account)),
    };
    is_own && context.account(account).is_some()
}

/// Whether the issuer can give what is wrapped.
fn can_wrap(context: &Context<'_, Funds>, withdraw: &Withdraw) -> bool {
    withdraw.wraps.is_none()
        || context
            .ledger
            .house(ISSUER.name)
            .is_some_and(|issuer| context.ledger.can_give(issuer, withdraw.currency, withdraw.amount).is_ok())
}

/// Whether a row stands for the same withdrawal: amounts compare as numbers, addresses in canonical form (D-78). One without a memo
/// stands for whichever memo it was paid with (D-172).
fn is_same(row: &NewTransfer, withdraw: &Withdraw) -> bool {
    row.kind == Kind::Withdrawal
        && row.currency == withdraw.currency
        && (row.amount == withdraw.amount || withdraw.amount == ALL)
        && row.chain().is_some_and(|chain| {
            chain.network == withdraw.network
                && chain.canonical == withdraw.canonical
                && (withdraw.memo.is_empty() || chain.memo == withdraw.memo)
                && chain.wraps == withdraw.wraps
        })
}

/// Applies an acceptance: holds the amount and the fee, and adds the row.
pub(super) fn evolve(books: &mut ContextMut<'_, Funds>, withdraw: Withdraw, fee: Money, is_free: bool) {
    let eid = books.room.next_eid();
    let (account, currency, given) = (withdraw.account, withdraw.currency, withdraw.given());
    let held = withdraw.amount + fee;
    let posting = |bucket, amount| Posting { account, asset: given.into(), bucket, amount };
    let entry = [posting(Bucket::Available, -held), posting(Bucket::Held, held)];
    books.ledger.post(Cause::Withdrawal, &entry);
    let group = books.access.account(account).and_then(|account| account.group);
    let free_in = is_free.then(|| month_number(books.time));
    books.room.withdrawals.accept(eid, group, currency, free_in);
    books.access.use_client_id(account, &withdraw.client_id, Request::Transfer(eid.0));
    let row = NewTransfer {
        account,
        kind: Kind::Withdrawal,
        status: Status::Pending,
        currency,
        amount: withdraw.amount,
        fee,
        held,
        way: Way::Chain(Box::new(OnChain {
            network: withdraw.network,
            address: withdraw.address,
            memo: withdraw.memo,
            tx: String::new(),
            output: None,
            confirmations: 0,
            canonical: withdraw.canonical,
            wraps: withdraw.wraps,
            mishap: None,
        })),
        reference: Reference::Withdrawal(Uuid::drawn(books.seed, eid.0)),
        advance: None,
        client_id: withdraw.client_id,
    };
    books.room.add(books.time, row);
}
