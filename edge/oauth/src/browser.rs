//! The browser of a user: its session.

use base64_simd::URL_SAFE_NO_PAD;
use buttonwood_call::{App, Visit};
use buttonwood_engine::identity::BrowserHolder;
use buttonwood_people::{digest, session_cookie};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

/// A user who is fully signed in.
#[derive(Debug)]
pub(crate) struct SignedIn<'a> {
    /// The value of the session's cookie.
    cookie: &'a str,
    pub(crate) holder: BrowserHolder,
}

impl<'a> SignedIn<'a> {
    /// The user whose browser makes a request; none who has not given both factors.
    pub(crate) fn of(visit: &Visit<'a>) -> Option<Self> {
        let cookie = visit.cookie(session_cookie(visit.is_https()))?;
        let now = visit.app.now();
        let views = visit.app.exchange.views();
        let identity = views.state().identity();
        let (session, _) = identity.find_browser(&digest(cookie), now)?;
        Some(Self { cookie, holder: identity.holder(session, now)? })
    }

    /// The seal of a request that this browser's page repeats: only a page that was made for this session has it.
    pub(crate) fn seal(&self, query: &str) -> String {
        let mut hash = Sha256::new();
        for part in ["consent", "\0", self.cookie, "\0", query] {
            hash.update(part.as_bytes());
        }
        URL_SAFE_NO_PAD.encode_to_string(hash.finalize())
    }

    /// Whether a form has the seal of the request that it repeats.
    pub(crate) fn has_sealed(&self, query: &str, seal: &str) -> bool {
        self.seal(query).as_bytes().ct_eq(seal.as_bytes()).into()
    }

    /// The user's accounts by name, and whether each is the one that the session has chosen.
    pub(crate) fn accounts(&self, app: &App) -> Vec<(String, bool)> {
        let views = app.exchange.views();
        let access = views.state().access();
        let Some(group) = self.holder.group else { return Vec::new() };
        let open = access.accounts_of(group).filter(|(id, _)| !access.is_closed(*id));
        open.map(|(id, account)| (account.short_name.clone(), Some(id) == self.holder.account)).collect()
    }

    /// The user's name for people.
    pub(crate) fn name(&self, app: &App) -> String {
        let views = app.exchange.views();
        views.state().identity().user(self.holder.user).map(|user| user.name.clone()).unwrap_or_default()
    }
}
