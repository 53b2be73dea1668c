//! Transfers between accounts of a group, off the chains (XFER-024 to XFER-030, facts F§9).

use crate::{ALL, Eid, Funds, Kind, Made, NewTransfer, Reference, Sender, Short, Status, Uuid, Way};
use alloc::string::String;
use alloc::sync::Arc;
use buttonwood_access::{AccountKind, Owner, Request};
use buttonwood_ledger::{About, Bucket, Cause, Posting};
use buttonwood_model::{
    AccountId, BytesRef, CurrencyId, DOLLAR, Outbox, Right, Role, Roles, Scopes, commands, named,
};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// A command of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Move money between two accounts of the caller's group.
    Transfer(Arc<Move>),
}

commands!(Command, "funds", { Transfer { 0: moved } = "transfer" 1: client(Self::RIGHT) neither });

impl Command {
    /// The rights that a client needs to move money between accounts. No access token does.
    pub const RIGHT: Right = Right { roles: Roles::of(&[Role::FundManager]), scopes: Scopes::NONE };
}

/// The movement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// The account that gives.
    pub source: AccountId,
    /// The account that gets.
    pub target: AccountId,
    /// The currency.
    pub currency: CurrencyId,
    /// How much; more than zero. [`ALL`] is all that may leave the source.
    pub amount: Money,
    /// The client's id; empty without one.
    pub client_id: String,
}

/// An event of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Money moved at once.
    Transferred(Move),
    /// Money waits at its source until the custody run has moved it: the way into custody.
    CustodyMoveHeld(Move),
    /// Money left custody as an advance: it trades, and may not leave until the custody run has moved it.
    CustodyMoveAdvanced(Move),
}

named!(Event, "funds", {
    Transferred { 0: moved } = "transferred" 1,
    CustodyMoveHeld { 0: moved } = "custody_move_held" 1,
    CustodyMoveAdvanced { 0: moved } = "custody_move_advanced" 1,
});

/// Why a command of this module is refused. The variants are in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The account is none of the caller's group.
    Foreign(AccountId),
    /// Source and target are the same.
    SameAccount,
    /// The client id stands for a transfer with other terms (XFER-030).
    OtherTerms,
    /// The account is closed.
    Closed(AccountId),
    /// Money of this currency does not move between accounts of these kinds (XFER-028).
    Prohibited,
    /// The amount may not leave the source (XFER-029).
    Short(Short),
    /// The amount is not positive.
    BadAmount,
}

/// How money moves between two kinds of accounts (facts F§9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Course {
    /// At once.
    AtOnce,
    /// With the custody run, held at the source until then.
    IntoCustody,
    /// With the custody run, advanced to the target until then.
    OutOfCustody,
}

/// Decides a command: appends its event, or refuses it. A repeated client id appends nothing.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    sender: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    let Command::Transfer(moved) = command;
    let Move { source, target, currency, .. } = **moved;
    if let Some(foreign) = [source, target].into_iter().find(|account| !owns(context, sender, *account)) {
        return Err(Reject::Foreign(foreign));
    }
    if source == target {
        return Err(Reject::SameAccount);
    }
    if let Some(request) = context.access.client_id(source, &moved.client_id) {
        let earlier = context.room.requested(request).filter(|earlier| is_same(&earlier.row, moved));
        return earlier.map(|earlier| Made::Transfer(earlier.eid)).ok_or(Reject::OtherTerms);
    }
    if let Some(closed) = [source, target].into_iter().find(|account| context.access.is_closed(*account)) {
        return Err(Reject::Closed(closed));
    }
    let course = course(context, moved).ok_or(Reject::Prohibited)?;
    // Money that goes into custody is held until it is there.
    let to = (course != Course::IntoCustody).then_some(target);
    let amount = if moved.amount == ALL {
        context.leave().all(source, currency, to).map_err(Reject::Short)?
    } else {
        moved.amount
    };
    if amount <= Money::ZERO {
        return Err(Reject::BadAmount);
    }
    context.leave().check(source, (currency, amount), to).map_err(Reject::Short)?;
    let moved = Move { amount, ..Move::clone(moved) };
    out.push_named(&crate::Infrequent::from(match course {
        Course::AtOnce => Event::Transferred(moved),
        Course::IntoCustody => Event::CustodyMoveHeld(moved),
        Course::OutOfCustody => Event::CustodyMoveAdvanced(moved),
    }));
    Ok(Made::Transfer(context.room.next_eid()))
}

/// Whether the sender is a master key of the account's group, or no key.
fn owns(context: &Context<'_, Funds>, sender: Sender<'_>, account: AccountId) -> bool {
    let is_own = match sender {
        Sender::Exchange => true,
        Sender::Key(caller) => {
            let owner = context.access.rights_of(caller.session).map(|(owner, _)| owner);
            matches!(owner, Some(owner @ Owner::Group(_)) if context.access.owns(owner, account))
        }
    };
    is_own && context.account(account).is_some()
}

/// Whether a row stands for the same movement.
fn is_same(row: &NewTransfer, moved: &Move) -> bool {
    let to = matches!(row.way, Way::Internal { other, .. } if other == moved.target);
    let amount = row.amount == moved.amount || moved.amount == ALL;
    to && row.kind == Kind::Withdrawal && row.currency == moved.currency && amount
}

/// How the money moves; none where the kinds of the accounts do not allow it.
fn course(context: &Context<'_, Funds>, moved: &Move) -> Option<Course> {
    use AccountKind::{Custody, Derivatives, Margin};
    let source = context.account(moved.source)?.kind;
    let target = context.account(moved.target)?.kind;
    let currency = context.currency(moved.currency)?;
    let any = |kind| source == kind || target == kind;
    if context.is_fiat(moved.currency) {
        let is_dollar = currency.code == DOLLAR;
        let stays = !any(Custody) && !any(Derivatives) && (is_dollar || !any(Margin));
        return stays.then_some(Course::AtOnce);
    }
    Some(match (source, target) {
        (_, Custody) => Course::IntoCustody,
        (Custody, _) => Course::OutOfCustody,
        _ => Course::AtOnce,
    })
}

/// Applies an event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Funds>, event: Event) {
    match event {
        Event::Transferred(moved) => {
            let uses_uuid = [moved.source, moved.target].iter().all(|account| {
                books.access.account(*account).is_some_and(|account| account.kind == AccountKind::Exchange)
            });
            let rows = next_rows(books);
            shift(books, &moved, Bucket::Available, rows);
            add_rows(books, moved, [Status::Complete; 2], uses_uuid);
        }
        Event::CustodyMoveHeld(moved) => {
            let posting = |bucket, amount| Posting {
                account: moved.source,
                asset: moved.currency.into(),
                bucket,
                amount,
            };
            books.ledger.post(
                Cause::Transfer,
                &[posting(Bucket::Available, -moved.amount), posting(Bucket::Held, moved.amount)],
            );
            let row = add_rows(books, moved, [Status::Pending; 2], false);
            books.room.custody.queue(row, books.time);
        }
        Event::CustodyMoveAdvanced(moved) => {
            let rows = next_rows(books);
            shift(books, &moved, Bucket::Available, rows);
            let row = add_rows(books, moved, [Status::Pending, Status::Advanced], false);
            books.room.custody.queue(row, books.time);
        }
    }
}

/// The rows that a move is about to get, at its source and at its target.
fn next_rows(books: &ContextMut<'_, Funds>) -> [Eid; 2] {
    let first = books.room.next_eid();
    [first, Eid(first.0 + 1)]
}

/// Moves the money from a part of the source's balance to what the target has available. `rows` are those of source and target.
pub(crate) fn shift(books: &mut ContextMut<'_, Funds>, moved: &Move, from: Bucket, rows: [Eid; 2]) {
    let asset = moved.currency.into();
    let [source, target] = rows.map(|row| About::Transfer(row.0));
    let entry = [
        Posting { account: moved.source, asset, bucket: from, amount: -moved.amount },
        Posting { account: moved.target, asset, bucket: Bucket::Available, amount: moved.amount },
    ];
    let parties = [(moved.source, source), (moved.target, target)];
    books.ledger.post_between(Cause::Transfer, &entry, parties);
}

/// Adds the rows of source and target with these statuses; returns that of the source. An amount that is not sent and not
/// advanced is held at the source.
fn add_rows(books: &mut ContextMut<'_, Funds>, moved: Move, statuses: [Status; 2], uses_uuid: bool) -> Eid {
    let Move { source, target, currency, amount, client_id } = moved;
    let [first, second] = next_rows(books);
    let id = Uuid::drawn(books.seed, first.0);
    let reference = if uses_uuid { Reference::Uuid(id) } else { Reference::Withdrawal(id) };
    let [at_source, at_target] = statuses;
    let row = |account, kind, status, other, other_row, client_id| NewTransfer {
        account,
        kind,
        status,
        currency,
        amount,
        fee: Money::ZERO,
        held: Money::ZERO,
        way: Way::Internal { other, other_row, tx: String::new() },
        reference: reference.clone(),
        advance: None,
        client_id,
    };
    books.access.use_client_id(source, &client_id, Request::Transfer(first.0));
    let mut leaving = row(source, Kind::Withdrawal, at_source, target, second, client_id);
    if at_target == Status::Pending {
        leaving.held = amount;
    }
    books.room.add(books.time, leaving);
    books.room.add(books.time, row(target, Kind::Deposit, at_target, source, first, String::new()));
    first
}
