//! Names of sessions and accounts, as events show them. They never change, so that each is looked up once.

use buttonwood_call::App;
use buttonwood_model::{AccountId, GroupId, SessionId};
use buttonwood_views::Views;
use std::collections::HashMap;
use std::sync::Arc;

/// The names that were looked up.
#[derive(Debug, Default)]
pub(crate) struct Names {
    sessions: HashMap<SessionId, Arc<str>>,
    accounts: HashMap<AccountId, (Option<GroupId>, Arc<str>)>,
}

impl Names {
    /// The key that placed an order (EVT-014): of a page `UI`, of an app its `client_id`, of the exchange itself `exchange`.
    pub(crate) fn session(&mut self, app: &App, session: SessionId) -> Arc<str> {
        match self.sessions.get(&session) {
            Some(name) => Arc::clone(name),
            None => self.session_in(&app.exchange.views(), session),
        }
    }

    /// The same for a caller that holds the views.
    pub(crate) fn session_in(&mut self, views: &Views, session: SessionId) -> Arc<str> {
        let found = self.sessions.entry(session).or_insert_with(|| session_name(views, session).into());
        Arc::clone(found)
    }

    /// The group of an account.
    pub(crate) fn group(&mut self, app: &App, account: AccountId) -> Option<GroupId> {
        self.account(app, account).0
    }

    /// The short name of an account.
    pub(crate) fn account_name(&mut self, app: &App, account: AccountId) -> Arc<str> {
        Arc::clone(&self.account(app, account).1)
    }

    fn account(&mut self, app: &App, account: AccountId) -> &(Option<GroupId>, Arc<str>) {
        self.accounts.entry(account).or_insert_with(|| {
            let views = app.exchange.views();
            let found = views.state().access().account(account);
            found.map_or((None, "".into()), |found| (found.group, found.short_name.as_str().into()))
        })
    }
}

/// The name of the key, the app or the page that a session is of.
pub(crate) fn session_name(views: &Views, session: SessionId) -> String {
    if session == SessionId::EXCHANGE {
        return "exchange".to_owned();
    }
    if !session.is_held() {
        let known = views.state().access().session(session);
        return known.map_or_else(String::new, |known| known.key.api_key.clone());
    }
    let grant = views.state().identity().grant(session);
    grant.map_or_else(|| "UI".to_owned(), |grant| grant.app.to_string())
}

/// The name of the key of a session, or the `client_id` of the app, as the sandbox shows it.
pub(crate) fn shown_name(views: &Views, session: SessionId) -> String {
    if session.is_held() {
        return session_name(views, session);
    }
    let known = views.state().access().session(session);
    known.map_or_else(String::new, |known| known.key.name.clone())
}
