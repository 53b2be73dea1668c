//! Calls over sockets among the latest calls of a key, in a sandbox alone.

use crate::app::App;
use crate::kept_calls::KeptCall;
use buttonwood_gate::{Opener, Reason, Refusal, quoted};

/// An answered call over the newest socket.
#[derive(Debug)]
pub struct SocketCall {
    /// The method, in lower case; empty if none could be read.
    pub method: String,
    /// The call as a JSON object, with the parameters that its method knows and no others: an unknown one may be a secret.
    pub payload: Option<String>,
    /// The names of all other fields and parameters.
    pub unknown: Vec<String>,
    /// The status of the answer.
    pub status: u16,
    /// The code and the text of its error, if it has one.
    pub error: Option<(String, String)>,
}

impl App {
    /// Whether answered calls are kept.
    pub fn keeps_calls(&self) -> bool {
        self.settings.sandbox
    }

    /// Keeps a call of a socket that a key opened.
    pub fn note_socket_call(&self, opener: &Opener, call: SocketCall) {
        let Some(known) = opener.known() else { return };
        let SocketCall { method, payload, unknown, status, error } = call;
        let refusal =
            error.map(|(code, text)| Refusal::new(reason_of(status, &code, &text), text).with_status(status));
        let is_refused = refusal.is_some();
        let kept = KeptCall {
            number: 0,
            api_key: known.key.api_key.clone(),
            time_ms: self.exchange.now().millis(),
            route: format!("SOCKET {}", if method.is_empty() { "/".to_owned() } else { quoted(&method) }),
            status,
            refusal,
            over_socket: Some((payload, unknown)),
            signed: None,
            signature: None,
            highest_nonce: known.last_nonce().to_string(),
        };
        if is_refused {
            self.refused_calls.note(kept.clone());
        }
        self.all_calls.note(kept);
    }
}

/// The reason that a code of the newest socket stands for. The text of an order that a rule refused begins with it (D-148).
fn reason_of(status: u16, code: &str, text: &str) -> Reason {
    let named = || {
        let (name, _) = text.split_once(": ")?;
        Reason::ALL.iter().copied().find(|reason| reason.name() == name)
    };
    match (code, status) {
        ("-1003", _) => Reason::RateLimit,
        ("-1002", 403) => Reason::MissingRole,
        ("-1002", _) => Reason::InvalidCredentials,
        ("-1020", _) => Reason::EndpointNotFound,
        ("-1000", 503) => Reason::Maintenance,
        ("-1000", _) => Reason::System,
        _ => named().unwrap_or(Reason::InvalidParameterValue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_reasons() {
        assert_eq!(reason_of(400, "-2010", "InvalidPrice: no"), Reason::InvalidPrice);
        assert_eq!(reason_of(400, "-2010", "SELL_ONLY: no"), Reason::InvalidParameterValue);
        assert_eq!(
            reason_of(400, "-1013", "order not found or already filled"),
            Reason::InvalidParameterValue
        );
        assert_eq!(reason_of(403, "-1002", "MissingRole: no"), Reason::MissingRole);
        assert_eq!(reason_of(401, "-1002", "no"), Reason::InvalidCredentials);
        assert_eq!(reason_of(429, "-1003", "no"), Reason::RateLimit);
        assert_eq!(reason_of(503, "-1000", "no"), Reason::Maintenance);
        assert_eq!(reason_of(400, "-1020", "no"), Reason::EndpointNotFound);
    }
}
