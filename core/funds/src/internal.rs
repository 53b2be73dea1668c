//! Transfers between accounts of a group, off the chains (XFER-024 to XFER-030, facts F§9).

use crate::{Books, Desk, Eid, Kind, Made, NewTransfer, Reference, Sender, Status, Uuid, Way};
use alloc::string::String;
use alloc::sync::Arc;
use buttonwood_access::{AccountKind, Owner};
use buttonwood_ledger::{Bucket, Posting};
use buttonwood_model::{AccountId, BytesRef, CurrencyId, Outbox, Right, Role, Roles, named};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// A command of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Move money between two accounts of the caller's group.
    Transfer(Arc<Move>),
}

named!(Command, "funds", { Transfer { 0: moved } = "transfer" 1 });

impl Command {
    /// What a client needs to move money between accounts. No access token does.
    pub const RIGHT: Right = Right { roles: Roles::of(&[Role::FundManager]), scopes: &[] };

    /// A caller needs one of these roles (AUTH-025).
    pub(crate) fn roles(&self) -> Roles {
        match self {
            Self::Transfer(_) => Self::RIGHT.roles,
        }
    }

    /// Whether it is still accepted when journal space is low.
    pub(crate) fn is_reducing(&self) -> bool {
        false
    }
}

/// What is moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// The account that gives.
    pub source: AccountId,
    /// The account that gets.
    pub target: AccountId,
    /// The currency.
    pub currency: CurrencyId,
    /// How much; more than zero.
    pub amount: Money,
    /// The client's id; empty without one.
    pub client_id: String,
}

/// An event of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Money moved at once.
    Transferred(Move),
}

named!(Event, "funds", { Transferred { 0: moved } = "transferred" 1 });

/// Why a command of this module is refused. The variants are in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The account is none of the caller's group.
    Foreign(AccountId),
    /// The account is closed.
    Closed(AccountId),
    /// Source and target are the same.
    SameAccount,
    /// The client id stands for a transfer with other terms (XFER-030).
    OtherTerms,
    /// Money of this currency does not move between accounts of these kinds (XFER-028).
    Prohibited,
    /// The source has too little that may leave it (XFER-029).
    InsufficientFunds,
}

/// Decides a command: appends its event, or refuses it. A repeated client id appends nothing.
pub(crate) fn decide<E: From<BytesRef>>(
    desk: &Desk<'_>,
    sender: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    let Command::Transfer(moved) = command;
    let Move { source, target, currency, amount, .. } = **moved;
    for account in [source, target] {
        if !owns(desk, sender, account) {
            return Err(Reject::Foreign(account));
        }
        if desk.access.is_closed(account) {
            return Err(Reject::Closed(account));
        }
    }
    if source == target {
        return Err(Reject::SameAccount);
    }
    if let Some(earlier) = desk.funds.by_client_id(source, &moved.client_id) {
        return if is_same(&earlier.row, moved) {
            Ok(Made::Transfer(earlier.eid))
        } else {
            Err(Reject::OtherTerms)
        };
    }
    let kinds = [source, target].map(|account| desk.account(account).map(|account| account.kind));
    if kinds != [Some(AccountKind::Exchange); 2] {
        return Err(Reject::Prohibited);
    }
    if amount <= Money::ZERO || desk.free(source, currency) < amount {
        return Err(Reject::InsufficientFunds);
    }
    out.push_named(&crate::Infrequent::from(Event::Transferred(Move::clone(moved))));
    Ok(Made::Transfer(desk.funds.next_eid()))
}

/// Whether the sender is a master key of the account's group, or no key.
fn owns(desk: &Desk<'_>, sender: Sender<'_>, account: AccountId) -> bool {
    let is_own = match sender {
        Sender::Exchange => true,
        Sender::Key(caller) => {
            let owner = desk.access.session(caller.session).map(|session| session.key.owner);
            matches!(owner, Some(owner @ Owner::Group(_)) if desk.access.owns(owner, account))
        }
    };
    is_own && desk.account(account).is_some()
}

/// Whether a row stands for the same movement.
fn is_same(row: &NewTransfer, moved: &Move) -> bool {
    let to = matches!(row.way, Way::Internal { other, .. } if other == moved.target);
    to && row.kind == Kind::Withdrawal && row.currency == moved.currency && row.amount == moved.amount
}

/// Applies an event.
pub(crate) fn evolve(books: &mut Books<'_>, event: Event) {
    let Event::Transferred(Move { source, target, currency, amount, client_id }) = event;
    let posting =
        |account, amount| Posting { account, asset: currency.into(), bucket: Bucket::Available, amount };
    books.ledger.post(&[posting(source, -amount), posting(target, amount)]);
    let first = books.funds.next_eid();
    let second = Eid(first.0 + 1);
    let reference = Reference::Uuid(Uuid::drawn(books.seed, first.0));
    let row = |account, kind, other, other_row, client_id| NewTransfer {
        account,
        kind,
        status: Status::Complete,
        currency,
        amount,
        fee: Money::ZERO,
        held: Money::ZERO,
        way: Way::Internal { other, other_row },
        reference: reference.clone(),
        advance: None,
        client_id,
    };
    books.funds.add(books.time, row(source, Kind::Withdrawal, target, second, client_id));
    books.funds.add(books.time, row(target, Kind::Deposit, source, first, String::new()));
}
