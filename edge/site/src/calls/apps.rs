//! The apps that a user registers (OAUTH-001, SBX-008).

use super::caller::Caller;
use super::fields;
use buttonwood_call::Later;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_identity::{App, AppId, Command, NewApp, Reject};
use buttonwood_model::{Scope, Scopes};
use buttonwood_people::{self as people, redirect_uri};
use buttonwood_wire::contract::{InPayload, Label, Needed, Optional, Switch, Text, Texts};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::borrow::Cow;
use std::sync::Arc;

/// Characters of a name at most.
const NAME_MAX: usize = 100;
/// Characters of a description at most.
const DESCRIPTION_MAX: usize = 2_000;
/// Characters of a background or a logo at most.
const IMAGE_MAX: usize = 8_000;
/// Redirect URIs of an app at most.
const URIS_MAX: usize = 20;

request! {
    /// An app to register.
    struct Registration in InPayload {
        /// Its name: 1 to 100 characters without control characters.
        name: Needed<Text>,
        /// Its purpose.
        description: Text,
        /// A colour or an image behind its logo.
        background: Text,
        /// Its logo.
        logo: Text,
        /// The scopes that it may ask for.
        scopes: Needed<Texts>,
        /// The URIs to which a browser may be sent with a code.
        redirect_uris: Needed<Texts>,
        /// Whether it can keep no secret.
        public: Optional<Switch>,
    }
}

request! {
    /// An app.
    struct Named in InPayload {
        /// Its id.
        client_id: Needed<Text>,
    }
}

answer! {
    /// A registered app, with its secret, which is shown once.
    struct Registered {
        /// Its id.
        client_id: String,
        /// Its secret; none for a public client.
        client_secret: Option<String>,
    }
}

answer! {
    /// The secret of an app, which is shown once.
    struct Renewed {
        /// The secret.
        client_secret: String,
    }
}

answer! {
    /// An app as it was registered.
    struct OwnApp {
        /// Its id.
        client_id: String,
        /// Its name.
        name: Label,
        /// Its purpose.
        description: Label,
        /// A colour or an image behind its logo.
        background: Label,
        /// Its logo.
        logo: Label,
        /// The scopes that it may ask for.
        scopes: Vec<String>,
        /// The URIs to which a browser may be sent with a code.
        redirect_uris: Vec<Label>,
        /// Whether it can keep no secret.
        public: bool,
        /// Whether an operator has reviewed it: without, it acts for its owner alone.
        reviewed: bool,
    }
}

/// The names of scopes.
pub(super) fn scope_names(scopes: Scopes) -> Vec<String> {
    scopes.iter().map(|scope| scope.name().to_owned()).collect()
}

pub(super) fn list(caller: &Caller<'_>) -> Result<Reply, Refusal> {
    let views = caller.app.exchange.views();
    let own = views.state().identity().apps().filter(|app| app.new.owner == caller.browser.user);
    let mut own: Vec<&App> = own.collect();
    own.sort_by_key(|app| app.created);
    let rows: Vec<OwnApp> = own.into_iter().map(row).collect();
    Ok(Reply::json(json::body(&rows)))
}

fn row(app: &App) -> OwnApp {
    let new = &app.new;
    OwnApp {
        client_id: new.id.to_string(),
        name: Label(new.name.clone()),
        description: Label(new.description.clone()),
        background: Label(new.background.clone()),
        logo: Label(new.logo.clone()),
        scopes: scope_names(new.scopes),
        redirect_uris: new.redirect_uris.iter().cloned().map(Label).collect(),
        public: new.is_public,
        reviewed: app.is_reviewed,
    }
}

pub(super) fn register<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let read = Registration::of(&fields);
        let new = NewApp {
            id: people::draw_app_id()?,
            owner: caller.browser.user,
            name: name(&read.name()?)?,
            description: optional("description", read.description()?, DESCRIPTION_MAX)?,
            background: optional("background", read.background()?, IMAGE_MAX)?,
            logo: optional("logo", read.logo()?, IMAGE_MAX)?,
            scopes: scopes(&read.scopes()?)?,
            redirect_uris: redirect_uris(&read.redirect_uris()?)?,
            is_public: read.public()?.unwrap_or_default(),
            secret: None,
        };
        let secret = if new.is_public { None } else { Some(people::draw()?) };
        let (id, digest) = (new.id, secret.as_ref().map(|secret| secret.digest));
        let new = NewApp { secret: digest, ..new };
        caller.submit(Command::AddApp(Arc::new(new))).await?.map_err(|reject| caller.refusal(&reject))?;
        let client_secret = secret.map(|secret| secret.text.to_string());
        Ok(Reply::secret_json(json::body(&Registered { client_id: id.to_string(), client_secret })))
    })
}

pub(super) fn renew<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let text = Named::of(&fields).client_id()?;
        let id = own(caller, &text)?;
        let secret = people::draw()?;
        match caller.submit(Command::SetAppSecret(id, secret.digest)).await? {
            Ok(()) => {
                let answer = Renewed { client_secret: secret.text.to_string() };
                Ok(Reply::secret_json(json::body(&answer)))
            }
            Err(Reject::BadApp) => Err(bad_value("client_id", "an app that is no public client", &text)),
            Err(reject) => Err(refusal(caller, &text, &reject)),
        }
    })
}

pub(super) fn delete<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let text = Named::of(&fields).client_id()?;
        let id = own(caller, &text)?;
        let deleted = caller.submit(Command::DeleteApp(id)).await?;
        deleted.map(|()| fields::done()).map_err(|reject| refusal(caller, &text, &reject))
    })
}

/// The user's own app with this id.
fn own(caller: &Caller<'_>, text: &str) -> Result<AppId, Refusal> {
    let views = caller.app.exchange.views();
    let identity = views.state().identity();
    let id = AppId::parse(text)
        .ok()
        .filter(|id| identity.app(*id).is_some_and(|app| app.new.owner == caller.browser.user));
    id.ok_or_else(|| unknown(text))
}

fn unknown(text: &str) -> Refusal {
    fields::unknown("app", "client_id", text)
}

/// The refusal of an act on an app, which may have been deleted since.
fn refusal(caller: &Caller<'_>, text: &str, reject: &Reject) -> Refusal {
    if *reject == Reject::UnknownApp { unknown(text) } else { caller.refusal(reject) }
}

fn name(text: &str) -> Result<String, Refusal> {
    let length = text.chars().count();
    if (1..=NAME_MAX).contains(&length) && !text.chars().any(char::is_control) && !text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let expected = format!("1 to {NAME_MAX} characters, not only blanks, without control characters");
    Err(bad_value("name", &expected, text))
}

fn optional(field: &str, text: Option<Cow<'_, str>>, max: usize) -> Result<String, Refusal> {
    let text = text.unwrap_or_default();
    if text.chars().count() <= max {
        return Ok(text.into_owned());
    }
    Err(bad_value(field, &format!("at most {max} characters"), &text))
}

fn scopes(names: &[Cow<'_, str>]) -> Result<Scopes, Refusal> {
    if names.is_empty() {
        return Err(bad_value("scopes", "a non-empty array of scopes", "[]"));
    }
    let known = |name: &Cow<'_, str>| {
        let all = Scope::ALL.map(Scope::name).join(", ");
        Scope::named(name)
            .ok_or_else(|| bad_value("scopes", &format!("an array of known scopes ({all})"), name))
    };
    names.iter().try_fold(Scopes::NONE, |all, name| Ok(all.with(known(name)?)))
}

fn redirect_uris(texts: &[Cow<'_, str>]) -> Result<Vec<String>, Refusal> {
    if texts.is_empty() || texts.len() > URIS_MAX {
        let expected = format!("an array of 1 to {URIS_MAX} URIs");
        return Err(bad_value("redirect_uris", &expected, &format!("{} of them", texts.len())));
    }
    let mut uris = Vec::with_capacity(texts.len());
    for text in texts {
        redirect_uri::check(text).map_err(|why| bad_value("redirect_uris", &why.to_string(), text))?;
        if !uris.iter().any(|known| known == text) {
            uris.push(text.clone().into_owned());
        }
    }
    Ok(uris)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and scopes are checked, and the refusal names the field.
    #[test]
    fn fields_of_apps_are_checked() {
        for good in ["a", "Lens é", &"x".repeat(100)] {
            assert_eq!(name(good).unwrap(), good);
        }
        for bad in ["", " ", "a\nb", "\u{7f}", &"é".repeat(101)] {
            assert!(name(bad).unwrap_err().message.starts_with("Field 'name' must be"), "{bad:?}");
        }
        let read = |names: &[&'static str]| {
            scopes(&names.iter().map(|name| Cow::Borrowed(*name)).collect::<Vec<_>>())
        };
        let two = read(&["orders:read", "orders:create", "orders:read"]).unwrap();
        assert_eq!(scope_names(two), ["orders:create", "orders:read"]);
        for bad in [&[][..], &["orders"], &["orders:read", ""], &["orders:read,orders:create"]] {
            assert!(read(bad).unwrap_err().message.starts_with("Field 'scopes' must be"), "{bad:?}");
        }
    }
}
