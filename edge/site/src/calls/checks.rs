//! The checks of a POST before its session: media type, origin, and the JSON of its body.

use crate::own::Own;
use buttonwood_call::Visit;
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use http::header::CONTENT_TYPE;

/// A page of another site cannot send this media type without asking first, which the exchange refuses.
pub(super) fn check_media_type(visit: &Visit<'_>) -> Result<(), Refusal> {
    let kind = visit.header(&CONTENT_TYPE).unwrap_or_default();
    if kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let message = format!("This call takes Content-Type 'application/json', not '{}'", quoted(kind));
    Err(Refusal::new(Reason::InvalidParameterValue, message).with_status(415))
}

/// Refuses a call that a page of another site makes.
pub(super) fn check_origin(visit: &Visit<'_>, own: &Own) -> Result<(), Refusal> {
    if visit.is_of_other_site(&own.origin) {
        let message = "Only pages of this exchange may make this call: see 'Origin' and 'Sec-Fetch-Site'";
        return Err(Refusal::new(Reason::CsrfMismatch, message));
    }
    Ok(())
}

/// The fields of a body. A body without a byte has none.
pub(super) fn fields(body: Vec<u8>) -> Result<Payload, Refusal> {
    Payload::read_body(if body.is_empty() { b"{}".to_vec() } else { body })
}
