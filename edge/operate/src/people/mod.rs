//! Users: `user add`, `user disable`, `user enable`, `user reset-factors`, `user operator`, `user list`.
//!
//! A user has an e-mail address and signs in on the pages. The journal has the hash of the address, and the words of the audit the address
//! itself.

pub(crate) mod add;
pub(crate) mod change;
pub(crate) mod factors;
pub(crate) mod list;
pub(crate) mod operator;

use crate::operator::Operator;
use buttonwood_engine::{Reject, identity};
use buttonwood_gate::Refusal;
use buttonwood_people as people;
use buttonwood_wire::field::bad_value;

/// The user with an address.
///
/// # Errors
/// The refusal of an address that no user has.
fn find(operator: &Operator<'_>, email: &str) -> Result<identity::UserId, Refusal> {
    let found = operator.people.find(email)?;
    found.ok_or_else(|| bad_value("email", "the address of a user", email))
}

/// The words of what the room of people refuses.
fn refusal(operator: &Operator<'_>, reject: Reject) -> Option<Refusal> {
    if let Reject::Identity(reject) = reject {
        Some(people::refusal(reject, operator.exchange.now()))
    } else {
        None
    }
}
