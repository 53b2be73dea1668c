//! The control calls about people: `GET /sandbox/mail`, `POST /sandbox/users`, `/sandbox/sessions`, `/sandbox/oauth/grants`.

use buttonwood_call::{App, Asked, ControlCall, Route};
use buttonwood_engine::identity::{ACCESS_AGE, AppId, Command, NewGrant, UserId};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{GroupId, Scope, Scopes, Time};
use buttonwood_operate::keys::add::roles_of;
use buttonwood_people::{self as people, From, Message, NewPerson, csrf, draw, session_cookie};
use buttonwood_wire::contract::{Flag, HiddenText, InPayload, InQuery, Label, Needed, Nullable, Text, Texts};
use buttonwood_wire::field::{bad_query, bad_value, failed};
use buttonwood_wire::url_encoded::decoded;
use buttonwood_wire::{answer, json, request};
use http::HeaderValue;
use std::net::{IpAddr, Ipv4Addr};

/// Reads mail. This machine only, as all of them.
pub(crate) const MAIL: Route = Route::control_query("/sandbox/mail", mail)
    .about("Lists the newest 10,000 mails, the oldest first; a sandbox sends none.")
    .notes(&["Kept in memory: a restart forgets them."])
    .takes::<OfAddress>()
    .gives::<Mails>();

/// Makes a user.
pub(crate) const USERS: Route = Route::control("/sandbox/users", |call, _, fields| {
    Box::pin(make_user(call, fields))
})
.about("Makes a confirmed user with a second factor, or changes the one with this address.")
.notes(&[
    "A user that is disabled loses sessions, tokens and grants at once and for good. The second factor of a \
             user who has one stays.",
])
.takes::<NewUser>()
.gives::<UserMade>();

/// Signs a user in.
pub(crate) const SESSIONS: Route =
    Route::control("/sandbox/sessions", |call, _, fields| Box::pin(enter(call, fields)))
        .about("Signs a user in, as right after both factors.")
        .takes::<OfUser>()
        .gives::<SessionMade>();

/// Grants an app tokens.
pub(crate) const GRANTS: Route =
    Route::control("/sandbox/oauth/grants", |call, _, fields| Box::pin(grant(call, fields)))
        .about("Grants an app tokens, as after a user's consent.")
        .takes::<NewTokens>()
        .gives::<Tokens>();

request! {
    /// Whose mail.
    pub(crate) struct OfAddress in InQuery {
        /// The address, in any letter case; every address without one.
        to: Text,
    }
}

answer! {
    /// Mail.
    struct Mails {
        /// The oldest first.
        messages: Vec<Mail>,
    }
}

answer! {
    /// A mail.
    struct Mail {
        /// The address.
        to: Label,
        /// The subject.
        subject: String,
        /// The text.
        text: Label,
        /// The link in it.
        link: Nullable<Label>,
        /// The token in the link.
        token: Nullable<String>,
        /// When it was sent, in milliseconds.
        sent_ms: u64,
    }
}

request! {
    /// A user to make.
    pub(crate) struct NewUser in InPayload {
        /// The e-mail address.
        email: Needed<Text>,
        /// The password: 12 to 256 characters that are hard to guess.
        password: Needed<HiddenText>,
        /// The name of the group.
        group: Needed<Text>,
        /// Roles: Trader, Fund Manager, Auditor, Administrator.
        roles: Needed<Texts>,
        /// Whether the user may not sign in.
        disabled: Flag<false>,
    }
}

answer! {
    /// A user that was made or changed.
    struct UserMade {
        /// The TOTP secret of the second factor, in base32.
        totp_secret: String,
    }
}

request! {
    /// Whose session.
    pub(crate) struct OfUser in InPayload {
        /// The e-mail address.
        email: Needed<Text>,
        /// Whether the reply sets the session's cookie, as a sign-in's does: a browser that makes the call is signed in then.
        set_cookie: Flag<false>,
    }
}

answer! {
    /// A session.
    struct SessionMade {
        /// The cookie, as `name=value`.
        cookie: String,
        /// The token that its calls show in `X-CSRF-Token`.
        csrf: String,
    }
}

request! {
    /// Tokens to grant.
    pub(crate) struct NewTokens in InPayload {
        /// The app.
        client_id: Needed<Text>,
        /// The user's e-mail address.
        email: Needed<Text>,
        /// The short name of an account of the user's group.
        account: Needed<Text>,
        /// The scopes.
        scopes: Needed<Texts>,
    }
}

answer! {
    /// Tokens, as the token endpoint gives them (OAUTH-009).
    struct Tokens {
        /// The access token.
        access_token: String,
        /// The refresh token.
        refresh_token: String,
        /// Always `Bearer`.
        token_type: String,
        /// The scopes, separated by commas.
        scope: String,
        /// Seconds until the access token ends.
        expires_in: u64,
    }
}

fn mail(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let to = OfAddress::of(asked.query)
        .to()
        .map(|to| decoded(to.as_bytes()).map_err(|_| bad_query("to", "an e-mail address", to)));
    let messages = app.people.mailbox().read(to.transpose()?.as_deref());
    let shown = |message: Message| Mail {
        to: Label(message.to),
        subject: message.subject,
        text: Label(message.text),
        link: Nullable(message.link.map(Label)),
        token: Nullable(message.token),
        sent_ms: message.sent.millis(),
    };
    Ok(Reply::json(json::body(&Mails { messages: messages.into_iter().map(shown).collect() })))
}

async fn make_user(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let request = NewUser::of(fields);
    let (email, password, group) = (request.email()?, request.password()?, request.group()?);
    let roles = roles_of("roles", &request.roles()?)?;
    let group: GroupId = call.operator().find_group(&group)?;
    let new = NewPerson {
        email: &email,
        name: email.split('@').next().unwrap_or_default(),
        password: &password,
        group: Some(group),
        roles,
        is_operator: false,
        is_disabled: request.disabled()?,
    };
    let made = call.people.make_user(&new).await?;
    call.operator().note().await?;
    Ok(Reply::secret_json(json::body(&UserMade { totp_secret: made.totp_secret.to_string() })))
}

/// The user with an address, or 400.
fn user(call: &ControlCall<'_>, email: &str) -> Result<UserId, Refusal> {
    call.people.find(email)?.ok_or_else(|| bad_value("email", "the address of a user", email))
}

async fn enter(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let request = OfUser::of(fields);
    let (email, sets_cookie) = (request.email()?, request.set_cookie()?);
    let user = user(call, &email)?;
    let from = From { peer: IpAddr::V4(Ipv4Addr::LOCALHOST), agent: "control call".to_owned() };
    let entered = call.people.enter(user, &from).await?;
    call.operator().note().await?;
    let (cookie, is_https) = (&entered.cookie.text, call.settings().is_https());
    let name = session_cookie(is_https);
    let made = SessionMade { cookie: format!("{name}={}", **cookie), csrf: csrf(cookie) };
    let reply = Reply::secret_json(json::body(&made));
    if !sets_cookie {
        return Ok(reply);
    }
    let field = HeaderValue::try_from(people::set_cookie(name, cookie, is_https)).map_err(|_| failed())?;
    Ok(reply.with_cookie(field))
}

async fn grant(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let request = NewTokens::of(fields);
    let client_id = request.client_id()?;
    let unknown = || bad_value("client_id", "the id of an app", &client_id);
    let app = AppId::parse(&client_id).map_err(|_| unknown())?;
    let email = request.email()?;
    let user = user(call, &email)?;
    let name = request.account()?;
    let account = {
        let views = call.exchange.views();
        let state = views.state();
        state.identity().app(app).ok_or_else(unknown)?;
        let group = state.identity().user(user).and_then(|user| user.group);
        group.and_then(|group| state.access().find_account(group, &name))
    };
    let account = account.ok_or_else(|| bad_value("account", "an account of the user's group", &name))?;
    let mut scopes = Scopes::NONE;
    for name in request.scopes()? {
        scopes = scopes.with(Scope::named(&name).ok_or_else(|| bad_value("scopes", "known scopes", &name))?);
    }
    let (access, refresh) = (draw()?, draw()?);
    let new = NewGrant {
        app,
        user,
        account,
        scopes,
        code: None,
        access: access.digest,
        refresh: Some(refresh.digest),
    };
    let done = call.people.submit(Command::Grant(new)).await?;
    done.map_err(|reject| people::refusal(reject, call.now()))?;
    call.operator().note().await?;
    let granted =
        call.exchange.views().state().identity().find_refresh(&refresh.digest).map(|(_, it)| it.scopes);
    let names: Vec<_> = granted.ok_or_else(failed)?.iter().map(Scope::name).collect();
    let tokens = Tokens {
        access_token: access.text.to_string(),
        refresh_token: refresh.text.to_string(),
        token_type: "Bearer".to_owned(),
        scope: names.join(","),
        expires_in: ACCESS_AGE / Time::SECOND,
    };
    Ok(Reply::secret_json(json::body(&tokens)))
}
