//! The control calls that help a client whose signature or nonce is refused.

use crate::app::App;
use buttonwood_gate::{Reason, Refusal};
use http::request::Parts;

/// The refusal with a hint at the control call that helps; in a sandbox alone, and for a known key.
#[cold]
pub(crate) fn with(app: &App, head: &Parts, refusal: Refusal) -> Refusal {
    if !app.settings.sandbox
        || !matches!(refusal.reason, Reason::InvalidSignature | Reason::InvalidNonce | Reason::MissingNonce)
    {
        return refusal;
    }
    let Some(named) = app.gate.named_key(&head.headers) else { return refusal };
    let key = &named.known.key;
    let requests = format!("GET /sandbox/requests?key={}", key.api_key);
    if refusal.reason == Reason::InvalidSignature {
        return refusal
            .and(&format!("{requests} shows the text that was sent and the signature that fits it"));
    }
    let refusal = refusal.and(&format!("{requests} shows what was sent"));
    if refusal.reason == Reason::MissingNonce || key.time_based_nonce {
        return refusal;
    }
    refusal.and("POST /sandbox/nonces/reset lets the key begin again with any nonce")
}
