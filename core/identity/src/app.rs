//! Apps: what users register to act for others (OAUTH-001).

use crate::{AppId, Digest, Identity, Infrequent, Reject, UserId};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_access::Access;
use buttonwood_model::{BytesRef, Outbox, Scopes, SessionId, Time};
use serde::{Deserialize, Serialize};

/// Apps of a user at most.
pub const APPS_MAX: usize = 20;

/// An app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct App {
    /// As it was registered.
    pub new: NewApp,
    /// The SHA-256 of its secret; none for a public client.
    pub secret: Option<Digest>,
    /// Whether an operator reviewed it: without, it acts for its owner alone.
    pub is_reviewed: bool,
    /// Whether an operator switched the implicit flow on (OAUTH-006).
    pub is_implicit: bool,
    /// When it was registered.
    pub created: Time,
}

/// An app to register. The edge checks texts and redirect URIs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewApp {
    /// Its `client_id`.
    pub id: AppId,
    /// Who registers it.
    pub owner: UserId,
    /// Its name.
    pub name: String,
    /// Its purpose, for people.
    pub description: String,
    /// A colour or an image behind its logo.
    pub background: String,
    /// Its logo.
    pub logo: String,
    /// The scopes that it may ask for.
    pub scopes: Scopes,
    /// The URIs to which a browser may be sent with a code.
    pub redirect_uris: Vec<String>,
    /// Whether it is a public client, which keeps no secret.
    pub is_public: bool,
    /// The SHA-256 of its secret; none for a public client.
    pub secret: Option<Digest>,
}

/// Registers an app.
pub(crate) fn add<E: From<BytesRef>>(
    identity: &Identity,
    new: &NewApp,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let owner = identity.user(new.owner).ok_or(Reject::UnknownUser)?;
    if owner.is_disabled {
        return Err(Reject::UnknownUser);
    }
    if identity.apps.contains_key(&new.id) {
        return Err(Reject::Taken);
    }
    if new.scopes.is_empty() || new.redirect_uris.is_empty() || new.secret.is_none() != new.is_public {
        return Err(Reject::BadApp);
    }
    let own = identity.apps.values().filter(|app| app.new.owner == new.owner);
    if own.count() >= APPS_MAX {
        return Err(Reject::TooManyApps);
    }
    out.push_named(&Infrequent::AppAdded(new.clone()));
    Ok(())
}

/// Gives a confidential client another secret.
pub(crate) fn set_secret<E: From<BytesRef>>(
    identity: &Identity,
    (id, secret): (AppId, Digest),
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let app = identity.app(id).ok_or(Reject::UnknownApp)?;
    if app.new.is_public {
        return Err(Reject::BadApp);
    }
    out.push_named(&Infrequent::AppSecretSet(id, secret));
    Ok(())
}

/// Deletes an app.
pub(crate) fn delete<E: From<BytesRef>>(
    identity: &Identity,
    id: AppId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    identity.app(id).ok_or(Reject::UnknownApp)?;
    out.push_named(&Infrequent::AppDeleted(id));
    Ok(())
}

/// An operator's review.
pub(crate) fn review<E: From<BytesRef>>(
    identity: &Identity,
    (id, is_reviewed, is_implicit): (AppId, bool, bool),
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    identity.app(id).ok_or(Reject::UnknownApp)?;
    out.push_named(&Infrequent::AppReviewed(id, is_reviewed, is_implicit));
    Ok(())
}

impl Identity {
    pub(crate) fn add_app(&mut self, new: NewApp, created: Time) {
        let secret = new.secret;
        self.apps.insert(new.id, App { new, secret, is_reviewed: false, is_implicit: false, created });
    }

    pub(crate) fn set_app_secret(&mut self, id: AppId, secret: Digest) {
        if let Some(app) = self.apps.get_mut(&id) {
            app.secret = Some(secret);
        }
    }

    /// Deletes an app, and ends its grants and codes.
    pub(crate) fn delete_app(&mut self, access: &mut Access, id: AppId) {
        self.end_grants(access, |grant| grant.app == id);
        self.end_codes(|code| code.app == id);
        self.apps.remove(&id);
    }

    /// Notes a review. One that is withdrawn ends what other users granted; the end of the implicit flow ends its tokens.
    pub(crate) fn review_app(
        &mut self,
        access: &mut Access,
        (id, is_reviewed, is_implicit): (AppId, bool, bool),
    ) {
        let Some(app) = self.apps.get_mut(&id) else { return };
        (app.is_reviewed, app.is_implicit) = (is_reviewed, is_implicit);
        let owner = app.new.owner;
        if !is_reviewed {
            self.end_grants(access, |grant| grant.app == id && grant.user != owner);
            self.end_codes(|code| code.app == id && code.user != owner);
        }
        if !is_implicit {
            self.end_grants(access, |grant| grant.app == id && grant.refresh.is_none());
        }
    }

    /// Ends some grants.
    pub(crate) fn end_grants(&mut self, access: &mut Access, is_one: impl Fn(&crate::Grant) -> bool) {
        let ended = self.grants.iter().filter(|(_, grant)| is_one(grant));
        let ended: Vec<SessionId> = ended.map(|(session, _)| *session).collect();
        for session in ended {
            self.end_grant(access, session);
        }
    }
}
