//! The exchange's own address, as the browser that makes a request sees it.

use buttonwood_rest::Visit;
use http::header::HOST;

/// The address of the exchange's own pages.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    /// Scheme, host and port, as browsers send them in `Origin`.
    pub(crate) origin: String,
    /// Whether its cookies are for https alone (D-141).
    pub(crate) is_https: bool,
}

impl Own {
    /// The address that a request was sent to. Another site cannot set its host for a user's browser.
    pub(crate) fn of(visit: &Visit<'_>) -> Self {
        Self { origin: format!("http://{}", visit.header(&HOST).unwrap_or_default()), is_https: false }
    }
}
