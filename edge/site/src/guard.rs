//! Who may see the pages that are not for everyone: the console and the door of a sandbox, and the page of operators.

use crate::NOTHING;
use crate::calls::BrowserState;
use crate::trade;
use buttonwood_call::Visit;
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_identity::Stage;
use buttonwood_wire::html::escaped;
use http::StatusCode;

/// The page in place of one that a visit may not see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// There is no such page for it: 404.
    Nothing,
    /// It is for others, and this sentence says why: 403.
    Forbidden(String),
}

impl Closed {
    /// The page that says so.
    pub(crate) fn page(&self, visit: &Visit<'_>) -> Reply {
        match self {
            Self::Nothing => trade::not_found(visit, "No such page", NOTHING),
            Self::Forbidden(why) => {
                trade::not_found(visit, "Not from here", &escaped(why)).with_status(StatusCode::FORBIDDEN)
            }
        }
    }
}

/// Whether a visit may see the console: that of a sandbox, from where control calls are taken. A venue has none.
pub(crate) fn console(visit: &Visit<'_>) -> Result<(), Closed> {
    if !visit.app.settings().sandbox {
        return Err(Closed::Nothing);
    }
    visit.why_off_machine().map_or(Ok(()), |why| Err(Closed::Forbidden(why)))
}

/// Whether a visit may use the door of a sandbox: it comes from where control calls are taken (D-297).
pub(crate) fn door(visit: &Visit<'_>) -> Result<(), Refusal> {
    visit.why_off_machine().map_or(Ok(()), |why| Err(Refusal::new(Reason::RemoteAddressForbidden, why)))
}

/// Whether a browser may see the page of operators: that of an operator who has given both factors. Others do not learn of it.
pub(crate) fn operator(browser: Option<&BrowserState>) -> Result<(), Closed> {
    match browser {
        Some(browser) if browser.is_operator && browser.stage == Stage::Full => Ok(()),
        Some(_) | None => Err(Closed::Nothing),
    }
}
