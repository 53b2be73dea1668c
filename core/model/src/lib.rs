//! Types that all rooms share: ids, symbols, currencies, sides, roles, nonces, time, blocks of addresses, stored
//! records, the slab and the outbox.
//!
//! Data only. The rooms above decide what may be done with them.
#![no_std]
extern crate alloc;

mod ahead;
mod cidr;
mod client_id;
mod code;
mod command;
mod due;
mod fingerprint;
mod ids;
mod looks;
mod month;
mod named;
mod nonce;
mod order;
mod outbox;
mod record;
mod reference;
mod refusal;
mod right;
mod role;
mod scope;
mod slab;
mod symbol_table;
mod time;

pub use ahead::fetch;
pub use cidr::{Cidr, CidrError};
pub use client_id::{CLIENT_ID_MAX, ClientId, ClientIdError, copy_text};
pub use code::{Code, Codes, NoCode};
pub use command::{Effect, RoomCommand, SentBy};
pub use due::{Due, Phase, Rank};
pub use fingerprint::{Fingerprint, RowHash};
pub use ids::{
    AccountId, AssetId, ConnectionId, CurrencyId, EventId, GroupId, Held, OrderId, RatesId, Seq, SessionId,
    Slot, SymbolId, TradeId,
};
pub use looks::{LOOKS_OF_COMMAND, Looks};
pub use month::{is_month_start, month_number, next_month};
pub use named::{Named, NamedError, NamedRecord, put_fields, put_named, read_fields, take_named};
pub use nonce::{NONCE_DIGITS_MAX, Nonce, NonceError};
pub use order::{CancelReason, Claim, Desk, ExecutionOption, OrderClass, OrderKind, Side};
pub use outbox::{BytesRef, Outbox, TextRef};
pub use record::Record;
pub use reference::{Currency, CurrencyKind, DOLLAR, GUSD, Product, Symbol, SymbolStatus};
pub use refusal::RefusalReason;
pub use right::Right;
pub use role::{Role, Roles};
pub use scope::{Scope, Scopes};
pub use slab::Slab;
pub use symbol_table::SymbolTable;
pub use time::{Day, Stamp, Time};
