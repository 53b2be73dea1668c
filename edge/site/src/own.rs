//! The exchange's own address, as the browser that makes a request sees it.

use buttonwood_call::Visit;

/// The address of the exchange's own pages.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    /// Scheme, host and port, as browsers send them in `Origin`.
    pub(crate) origin: String,
    /// Whether its cookies are for https alone (D-141).
    pub(crate) is_https: bool,
}

impl Own {
    /// The address of the pages that the browser of a request sees.
    pub(crate) fn of(visit: &Visit<'_>) -> Self {
        Self { origin: visit.own_origin(), is_https: visit.is_https() }
    }
}
