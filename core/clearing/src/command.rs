//! Commands and infrequent events of this room.

use crate::{
    Alias, Cancel, Clearing, Code, Codes, Confirm, Judge, New, Order, Party, Settlement, Status, Term,
    cancel, confirm, enter, settle, terms,
};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_access::{AccountKind, Request};
use buttonwood_model::{
    AccountId, BytesRef, Outbox, Right, Role, Roles, Scope, Scopes, Symbol, commands, named,
};
use buttonwood_num::Bps;
use buttonwood_room::{Context, ContextMut};

/// A command of this room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Enter an order, for the caller or as a broker.
    New(Arc<New>),
    /// Confirm an order.
    Confirm(Confirm),
    /// Cancel an order.
    Cancel(Cancel),
    /// Try to settle these orders, which wait for money.
    Settle(Vec<u64>),
    /// Close the orders whose time is over.
    Expire,
    /// Cancel the orders that still name this account, which was closed.
    CancelNamed(AccountId),
    /// Set the rate of the fee that each side pays.
    SetFee(Bps),
    /// Set or remove the mark of a broker.
    SetBroker(AccountId, bool),
    /// Set an account's own name for a counterparty.
    SetAlias(Arc<Alias>),
    /// Note the key of the ids, once.
    SetKey(Codes),
}

commands!(Command, "clearing", {
    New { 0: new } = "new" 1: client(Self::RIGHT) trades,
    Confirm { 0: confirm } = "confirm" 1: client(Self::RIGHT) trades,
    Cancel { 0: cancel } = "cancel" 1: client(Self::RIGHT) reduces,
    Settle { 0: numbers } = "settle" 1: exchange neither,
    Expire {} = "expire" 1: exchange neither,
    CancelNamed { 0: account } = "cancel_named" 1: exchange neither,
    SetFee { 0: rate } = "set_fee" 1: exchange neither,
    SetBroker { 0: account, 1: is_broker } = "set_broker" 1: exchange neither,
    SetAlias { 0: alias } = "set_alias" 1: exchange neither,
    SetKey { 0: key } = "set_key" 1: exchange neither,
});

impl Command {
    /// The rights that a client needs to enter, confirm and cancel orders.
    pub const RIGHT: Right =
        Right { roles: Roles::of(&[Role::Trader]), scopes: Scopes::of(&[Scope::ClearingCreate]) };
    /// The rights that a client needs to read the status of an order.
    pub const STATUS_RIGHT: Right = Right {
        roles: Roles::of(&[Role::Trader, Role::Auditor]),
        scopes: Scopes::of(&[Scope::ClearingRead]),
    };
    /// The rights that a client needs to list orders.
    pub const LIST_RIGHT: Right =
        Right { roles: Roles::of(&[Role::Trader]), scopes: Scopes::of(&[Scope::ClearingRead]) };
}

/// An infrequent event of this room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// An order was entered, with this client id.
    Entered(Order, String),
    /// A side confirmed an order, which stands like this now.
    Confirmed(Order, Party),
    /// Both legs and the fees of an order moved.
    Settled(Settlement),
    /// An order was cancelled.
    Canceled(Order),
    /// An order expired.
    Expired(Order),
    /// Orders were tried in vain, and wait again. Whether others have settled in the command, which may have paid for these.
    Tried(Vec<u64>, bool),
    /// The rate of the fee was set.
    FeeSet(Bps),
    /// The mark of a broker was set or removed.
    BrokerSet(AccountId, bool),
    /// An account named a counterparty.
    AliasSet(Alias),
    /// The key of the ids was drawn.
    KeySet(Codes),
}

named!(Infrequent, "clearing", {
    Entered { 0: order, 1: client_id } = "entered" 1,
    Confirmed { 0: order, 1: party } = "confirmed" 1,
    Settled { 0: settlement } = "settled" 1,
    Canceled { 0: order } = "canceled" 1,
    Expired { 0: order } = "expired" 1,
    Tried { 0: numbers, 1: has_settled } = "tried" 1,
    FeeSet { 0: rate } = "fee_set" 1,
    BrokerSet { 0: account, 1: is_broker } = "broker_set" 1,
    AliasSet { 0: alias } = "alias_set" 1,
    KeySet { 0: key } = "key_set" 1,
});

impl Infrequent {
    /// The id that the event takes from the counter of orders and trades.
    pub fn used_id(&self) -> Option<u64> {
        match self {
            Self::Entered(order, _) => Some(order.source_order.0),
            Self::Confirmed(order, Party::Target) => order.target_order.map(|order| order.0),
            Self::Settled(settlement) => Some(settlement.trade.0),
            Self::Confirmed(_, Party::Source)
            | Self::Canceled(_)
            | Self::Expired(_)
            | Self::Tried(..)
            | Self::FeeSet(_)
            | Self::BrokerSet(..)
            | Self::AliasSet(_)
            | Self::KeySet(_) => None,
        }
    }

    /// The order that the event is about, as it stands after it.
    pub fn order(&self) -> Option<&Order> {
        match self {
            Self::Entered(order, _)
            | Self::Confirmed(order, _)
            | Self::Canceled(order)
            | Self::Expired(order) => Some(order),
            Self::Settled(settlement) => Some(&settlement.order),
            Self::Tried(..) | Self::FeeSet(_) | Self::BrokerSet(..) | Self::AliasSet(_) | Self::KeySet(_) => {
                None
            }
        }
    }
}

/// The answer to a command of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// An order was entered, now or by an earlier request with the same client id: its `clearing_id` and its first status.
    Entered(Code, Status),
    /// An order was confirmed.
    Confirmed,
    /// An order was cancelled.
    Canceled,
}

/// Why a command of this room is refused. The variants are in the order of the checks (D-05).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The account is none of kind `exchange`.
    WrongKind,
    /// The account is not marked as a broker (D-94).
    NotBroker,
    /// The client id stands for a request with other terms, or for one of another kind (D-104).
    OtherTerms,
    /// Nothing of this id that the caller may confirm, or may cancel (D-87).
    NotFound,
    /// The order does not await the caller's confirmation: it has this status (D-87).
    NotOpen(Status),
    /// A term of the confirmation is not the order's (CLR-009).
    Differs(Term),
    /// Not listed, not of spot, or closed to the account's jurisdiction (SYM-005).
    InvalidSymbol,
    /// Below the symbol's minimum.
    BelowMinimum,
    /// The price is zero.
    NoPrice,
    /// Price times amount, with the fee, is beyond the range of money (D-183).
    BeyondRange,
    /// The hours until it expires are 0 or more than [`HOURS_MAX`](crate::HOURS_MAX).
    BadHours,
    /// The account of this side is the caller or another party of the order, is not of kind `exchange`, is closed or does not exist.
    Counterparty(Party),
    /// The symbol is closed (SYM-024).
    MarketClosed,
    /// The account owes the house for a returned advance (D-167).
    Debt,
    /// The account has [`ORDERS_MAX`](crate::ORDERS_MAX) orders that are open or wait for money.
    TooMany,
    /// The rate of the fee is above 100 %.
    BadFee,
    /// No open account of a client.
    UnknownAccount,
    /// The alias is empty or too long.
    BadAlias,
    /// The account has [`ALIASES_MAX`](crate::ALIASES_MAX) aliases.
    TooManyAliases,
    /// No order is due for it.
    NothingDue,
    /// A key has sent a command of the exchange, or the exchange one of keys; or the key of the ids is drawn already.
    Unknown,
}

/// The account that acts.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// The account.
    pub account: AccountId,
}

impl Client {
    /// Only accounts of kind `exchange` take part.
    pub(crate) fn check_kind(self, context: &Context<'_, Clearing>) -> Result<(), Reject> {
        let own = context.account(self.account).filter(|own| own.kind == AccountKind::Exchange);
        own.map(|_| ()).ok_or(Reject::WrongKind)
    }

    /// Whether the symbol is open to the account's jurisdiction (SYM-005).
    pub(crate) fn may_trade(self, context: &Context<'_, Clearing>, symbol: &Symbol) -> bool {
        let home = context.access.account(self.account).map_or("", |account| account.jurisdiction.as_str());
        symbol.closed_to.iter().all(|closed| closed != home)
    }
}

/// Decides a command of a client: appends its events, or refuses it.
///
/// # Errors
/// [`Reject`]; no event was appended.
pub fn decide<E: From<BytesRef>>(
    context: &Context<'_, Clearing>,
    client: Client,
    command: &Command,
    judge: &mut dyn Judge,
    out: &mut Outbox<E>,
) -> Result<Answer, Reject> {
    match command {
        Command::New(new) => enter::decide(context, client, new, out),
        Command::Confirm(confirm) => confirm::decide(context, client, confirm, judge, out),
        Command::Cancel(cancel) => cancel::decide(context, client, *cancel, out),
        Command::Settle(_)
        | Command::Expire
        | Command::CancelNamed(_)
        | Command::SetFee(_)
        | Command::SetBroker(..)
        | Command::SetAlias(_)
        | Command::SetKey(_) => Err(Reject::Unknown),
    }
}

/// Decides a command of the exchange itself or of an operator.
///
/// # Errors
/// [`Reject`]; no event was appended.
pub fn decide_own<E: From<BytesRef>>(
    context: &Context<'_, Clearing>,
    command: &Command,
    judge: &mut dyn Judge,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let event = match command {
        Command::Settle(numbers) => return settle::decide(context, numbers, judge, out),
        Command::Expire => return settle::expire(context, out),
        Command::CancelNamed(account) => return cancel::rest(context, *account, out),
        Command::SetFee(rate) => terms::fee(*rate)?,
        Command::SetBroker(account, is_broker) => terms::broker(context, *account, *is_broker)?,
        Command::SetAlias(alias) => {
            let event = terms::alias(context, alias)?;
            if context.room.alias(alias.account, alias.counterparty) == Some(alias.name.as_str()) {
                return Ok(());
            }
            event
        }
        Command::SetKey(codes) if !context.room.has_key() => Infrequent::KeySet(*codes),
        Command::SetKey(_) | Command::New(_) | Command::Confirm(_) | Command::Cancel(_) => {
            return Err(Reject::Unknown);
        }
    };
    out.push_named(&event);
    Ok(())
}

/// Applies an infrequent event.
///
/// # Panics
/// When the event does not follow from the state.
pub fn evolve(context: ContextMut<'_, Clearing>, event: Infrequent) {
    let ContextMut { room, ledger, access, symbols, time, .. } = context;
    match event {
        Infrequent::Entered(order, client_id) => {
            let request = Request::Clearing(order.number);
            access.use_client_id(order.entered_by(), &client_id, request);
            room.enter(order, !client_id.is_empty());
        }
        Infrequent::Confirmed(order, _) => room.confirm(ledger, order),
        Infrequent::Settled(settlement) => {
            room.settle(ledger, &settlement.order);
            settle::post(ledger, symbols, &settlement, room.code(settlement.order.number));
        }
        Infrequent::Canceled(order) => room.close(ledger, &order),
        Infrequent::Expired(order) => room.expire(ledger, &order, time),
        Infrequent::Tried(numbers, has_settled) => room.note_tried(ledger, &numbers, has_settled),
        Infrequent::FeeSet(rate) => room.set_fee(rate, time),
        Infrequent::BrokerSet(account, is_broker) => access.set_broker(account, is_broker),
        Infrequent::AliasSet(alias) => room.set_alias(alias),
        Infrequent::KeySet(codes) => room.set_codes(codes),
    }
}
