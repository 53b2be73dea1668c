//! Why an operator acts: the `reason` of a request on the socket or of a control call, for the audit.

use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{InPayload, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::request;
use buttonwood_wire::text::{PLAIN, is_plain, visible};
use std::borrow::Cow;

/// Characters of a reason at most.
pub const REASON_MAX: usize = 500;

request! {
    /// Why something is done.
    pub struct Why in InPayload {
        /// Why, for the audit: 1 to 500 characters without control and format characters, no blank at either end; optional.
        reason: Text,
    }
}

/// The reason in the fields of a control call; empty without one.
///
/// # Errors
/// The refusal of a text that is no reason.
pub fn reason_of(fields: &Payload) -> Result<String, Refusal> {
    Why::of(fields).reason()?.map_or_else(|| Ok(String::new()), checked)
}

/// A reason that is one: 1 to [`REASON_MAX`] characters that can be seen.
pub(crate) fn checked(text: Cow<'_, str>) -> Result<String, Refusal> {
    if is_plain(&text, REASON_MAX) {
        return Ok(text.into_owned());
    }
    Err(bad_value("reason", &format!("1 to {REASON_MAX} {PLAIN}"), &visible(&text)))
}
