//! The ticket of a page's socket: `/site/stream`. The cookie of the session does not reach a socket at another address, and a page of another
//! site must not open one.

use super::caller::Caller;
use super::interface::{chosen, held};
use buttonwood_call::Later;
use buttonwood_gate::{Payload, TicketOf};
use buttonwood_http::Reply;
use buttonwood_people as people;
use buttonwood_wire::{answer, json};

answer! {
    /// A ticket.
    struct Ticket {
        /// Opens one socket at `/?ticket=` within 30 seconds.
        ticket: String,
    }
}

/// Draws a ticket for a socket that reads the account of the page that calls.
pub(super) fn ticket<'a>(caller: &'a Caller<'a>, _fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let held = held(caller)?;
        let is_named = caller.names_account();
        let of = TicketOf { session: held.session, account: chosen(&held)?, is_named };
        let drawn = people::draw()?;
        caller.app.gate.keep_ticket(drawn.digest, of, caller.app.exchange.now());
        Ok(Reply::secret_json(json::body(&Ticket { ticket: drawn.text.to_string() })))
    })
}
