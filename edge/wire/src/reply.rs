//! Refusals as HTTP answers (ERR-001).

use crate::field::busy;
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::{Fault, Reply};
use http::header::WWW_AUTHENTICATE;
use http::{HeaderValue, StatusCode};

/// The answer to a request that is refused. No cache may keep it, since the next request may succeed.
pub fn refused(refusal: &Refusal) -> Reply {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
    let reply =
        Reply::json(refusal.body()).with_status(status).retrying_after(refusal.retry_after).uncached();
    // A token that is not taken is answered with the scheme (D-137).
    let reply = if refusal.reason == Reason::InvalidAccessToken {
        reply.with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    } else {
        reply
    };
    if refusal.close { reply.closing() } else { reply }
}

/// The interface's refusal for a fault of the HTTP server. The connection closes after it.
pub fn refusal_of(fault: Fault) -> Refusal {
    match fault {
        Fault::TooManyConnections | Fault::TooManyOfAddress => busy(&fault.to_string()),
        Fault::Malformed
        | Fault::HeadTooLarge
        | Fault::Ambiguous(_)
        | Fault::BodyTooLarge(_)
        | Fault::BodyUnreadable
        | Fault::BodyLate => {
            Refusal::new(Reason::InvalidParameterValue, fault.to_string()).with_status(fault.status())
        }
    }
    .closing()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests that cannot be read as HTTP get the three fields too. Proves ERR-001.
    #[test]
    fn a_fault_has_three_fields() {
        for (fault, status, why) in [
            (Fault::Malformed, 400, "malformed"),
            (Fault::HeadTooLarge, 431, "40960 bytes or has more than 64"),
            (Fault::BodyTooLarge(65_536), 413, "longer than 65536 bytes"),
            (Fault::TooManyConnections, 503, "Too many connections; nothing was done"),
        ] {
            let refusal = refusal_of(fault);
            let body = String::from_utf8(refusal.body()).unwrap();
            assert!(body.starts_with(r#"{"result":"error","reason":""#) && body.contains(why), "{body}");
            assert_eq!((refusal.status, refusal.close), (status, true));
        }
        assert_eq!(refusal_of(Fault::TooManyConnections).retry_after, Some(1));
    }
}
