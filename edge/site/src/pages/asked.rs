//! The request for a page of people: where its sign-in leads, whether a code is due, and the door that it may offer.

use super::door::Door;
use super::next::of_this_site;
use crate::calls::BrowserState;
use buttonwood_call::Visit;

/// The query of a sign-in page, and the door that it may offer.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    /// Where the sign-in leads.
    pub(super) next: Option<String>,
    /// Whether a code is due that is five minutes old.
    wants_code: bool,
    /// The door of a sandbox, for a visitor who may use it.
    pub(super) door: Option<&'a Door>,
    /// The number of the account that it names.
    pub(super) account: Option<u32>,
}

impl<'a> Asked<'a> {
    /// A query that cannot be read has nothing, and a name that was sent twice counts as absent. The door is for callers whom control calls
    /// answer (D-297).
    pub(super) fn of(visit: &Visit<'_>, door: Option<&'a Door>) -> Self {
        let pairs = visit.query().unwrap_or_default();
        let once = |name: &str| {
            let mut values = pairs.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_ref());
            values.next().filter(|_| values.next().is_none())
        };
        let next = once("next").and_then(of_this_site).map(str::to_owned);
        let account = once("account").and_then(|number| number.parse().ok());
        let door = door.filter(|_| visit.why_off_machine().is_none());
        Self { next, wants_code: once("step") == Some("code"), door, account }
    }

    /// Whether a browser that is signed in must give another code.
    pub(super) fn is_due(&self, browser: &BrowserState) -> bool {
        self.wants_code && !browser.is_fresh
    }
}
