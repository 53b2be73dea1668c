//! The commands of operators: the fee, brokers, and accounts' own names for their counterparties.

pub(crate) mod alias;
pub(crate) mod broker;
pub(crate) mod fee;

use buttonwood_engine::{ClearingReject, Reject};
use buttonwood_gate::Refusal;
use buttonwood_model::AccountId;
use buttonwood_operate::Shared;
use buttonwood_wire::field::{closed_account, wrong_kind};

/// Why a setting of an account is refused: it is closed, or of a kind that does not take part.
fn wrong_account(shared: &Shared, (account, name): (AccountId, &str), reject: Reject) -> Option<Refusal> {
    if reject == Reject::Clearing(ClearingReject::UnknownAccount) {
        return Some(closed_account(name));
    }
    if reject != Reject::Clearing(ClearingReject::WrongKind) {
        return None;
    }
    let kind = shared.exchange.views().state().access().account(account)?.kind;
    Some(wrong_kind(name, kind.name()))
}
