//! Cancels (CLR-011, CLR-012, D-89).

use crate::{Answer, Clearing, Client, Code, Infrequent, Order, Reject, SETTLED_MAX, Status};
use buttonwood_model::{AccountId, BytesRef, Outbox, Time};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// The command: cancel an order that is not confirmed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancel {
    /// The order's `clearing_id`.
    pub code: Code,
}

/// Decides a cancel.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Clearing>,
    client: Client,
    cancel: Cancel,
    out: &mut Outbox<E>,
) -> Result<Answer, Reject> {
    let order = context.room.find(cancel.code).ok_or(Reject::NotFound)?;
    let may = match order.broker {
        None => order.source == client.account,
        Some(_) => order.concerns(client.account),
    };
    if !may || !order.status.is_open() || order.is_over(context.time) {
        return Err(Reject::NotFound);
    }
    out.push_named(&Infrequent::Canceled(canceled(order, context.time)));
    Ok(Answer::Canceled)
}

fn canceled(order: &Order, now: Time) -> Order {
    Order { status: Status::Canceled, changed: now, ..*order }
}

/// Cancels the orders that name an account which has not confirmed them, since it is about to be closed or was: some at a time.
pub fn cancel_named<E: From<BytesRef>>(room: &Clearing, account: AccountId, now: Time, out: &mut Outbox<E>) {
    let naming = room.of_account(account).filter(|order| !order.binds(account));
    for order in naming.take(SETTLED_MAX) {
        out.push_named(&Infrequent::Canceled(canceled(order, now)));
    }
}

/// Decides the cancel of the orders that still name a closed account.
pub(crate) fn rest<E: From<BytesRef>>(
    context: &Context<'_, Clearing>,
    account: AccountId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    if !context.room.is_leaving(account) {
        return Err(Reject::NothingDue);
    }
    cancel_named(context.room, account, context.time, out);
    Ok(())
}
