//! The authorization endpoint (RFC 6749, 3.1): asks a user whether an app may act for them, and takes the answer back to the app.

use crate::OAuth;
use crate::authorization_request::{AuthorizationRequest, Flaw};
use crate::browser::SignedIn;
use crate::consent::{Consent, error_page};
use crate::error::{ErrorCode, OAuthError};
use crate::frame::Look;
use crate::parameters::{Media, media_of};
use crate::scope;
use crate::token_endpoint::EXPIRES_IN;
use buttonwood_call::{App, Visit, form};
use buttonwood_engine::identity::{Command, NewCode, Reject};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, Scope, Scopes};
use buttonwood_people::draw;
use buttonwood_wire::url_encoded::{self, Pairs};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use std::sync::Arc;

/// Bytes of the form at most: it repeats a request that came in the head.
const FORM_MAX: usize = 64 * 1024;

/// Answers `GET /auth`: the consent page, or the way to it.
pub(crate) fn ask(server: &OAuth, visit: &Visit<'_>) -> Reply {
    let Ok(pairs) = visit.query() else {
        return bad_page("The address that sent you here is damaged: its query is not URL-encoded text.");
    };
    let request = match read(visit.app, &pairs) {
        Ok(request) => request,
        Err(flaw) => return refused(server, &flaw),
    };
    let next = [crate::AUTHORIZE, "?", visit.head.uri.query().unwrap_or_default()].concat();
    let Some(signed_in) = SignedIn::of(visit) else {
        return to_sign_in(&next);
    };
    if let Err(reply) = check_user(server, visit.app, &request, &signed_in) {
        return reply;
    }
    let (app, grantable) = app_of(visit.app, &request, &signed_in);
    let renewal = (!signed_in.holder.is_fresh).then(|| renewal(&next));
    let consent = Consent {
        app: &app,
        user: &signed_in.name(visit.app),
        look: &Look::of(visit.app, signed_in.holder.user),
        request: &request,
        grantable,
        accounts: &signed_in.accounts(visit.app),
        seal: &signed_in.seal(&request.query),
        renewal: renewal.as_deref(),
    };
    consent.page()
}

/// Answers `POST /auth`: the decision of a user.
///
/// # Errors
/// The refusal of the exchange.
pub(crate) async fn decide(server: &OAuth, mut visit: Visit<'_>) -> Result<Reply, Refusal> {
    if visit.is_of_other_site(&visit.own_origin()) {
        let message = "Only the page of this exchange may send this form.";
        return Ok(error_page(StatusCode::FORBIDDEN, message, None));
    }
    let is_form = media_of(visit.header(&CONTENT_TYPE).unwrap_or_default()) == Some(Media::Form);
    let body = visit.read(FORM_MAX).await?;
    let Some(pairs) = form(&body).ok().filter(|_| is_form) else {
        return Ok(bad_page("The form is damaged."));
    };
    let (repeated, seal) = (once(&pairs, "request"), once(&pairs, "consent"));
    let (Some(repeated), Some(seal)) = (repeated, seal) else { return Ok(bad_page(INCOMPLETE)) };
    let Some(signed_in) = SignedIn::of(&visit) else {
        return Ok(bad_page("Your sign-in has ended. Go back to the app and begin again."));
    };
    if !signed_in.has_sealed(repeated, seal) {
        return Ok(bad_page("This form belongs to another sign-in. Go back to the app and begin again."));
    }
    let Ok(asked) = url_encoded::pairs(repeated.as_bytes()) else { return Ok(bad_page(INCOMPLETE)) };
    let request = match read(visit.app, &asked) {
        Ok(request) => request,
        Err(flaw) => return Ok(refused(server, &flaw)),
    };
    if let Err(reply) = check_user(server, visit.app, &request, &signed_in) {
        return Ok(reply);
    }
    match once(&pairs, "decision") {
        Some("deny") => {
            let error = OAuthError::new(ErrorCode::AccessDenied, "The user said no");
            Ok(request.target.error(&error, &server.auth_url))
        }
        Some("allow") => grant(server, visit.app, (&request, &signed_in), &pairs).await,
        _ => Ok(bad_page(INCOMPLETE)),
    }
}

const INCOMPLETE: &str = "The form is incomplete. Go back to the app and begin again.";

/// Gives the app what the user allowed.
async fn grant(
    server: &OAuth,
    app: &App,
    (request, signed_in): (&AuthorizationRequest, &SignedIn<'_>),
    pairs: &Pairs<'_>,
) -> Result<Reply, Refusal> {
    let Some(account) = account(app, signed_in, pairs) else {
        return Ok(bad_page("The form names an account that is not yours."));
    };
    let Some(chosen) = chosen_scopes(pairs).filter(|chosen| chosen.is_within(request.scopes)) else {
        return Ok(bad_page(INCOMPLETE));
    };
    let (_, grantable) = app_of(app, request, signed_in);
    let scopes = chosen.and(grantable);
    if scopes.is_empty() {
        let error = OAuthError::new(ErrorCode::AccessDenied, "The user granted no scope");
        return Ok(request.target.error(&error, &server.auth_url));
    }
    if !signed_in.holder.is_fresh && scopes.iter().any(Scope::needs_code) {
        return Ok(code_required(request));
    }
    let drawn = draw()?;
    let is_implicit = request.target.is_implicit;
    let new = NewCode {
        browser: signed_in.holder.session,
        app: request.app,
        account,
        scopes,
        redirect_uri: request.target.uri.clone(),
        challenge: request.challenge,
        code: drawn.digest,
        is_implicit,
    };
    if let Err(reject) = app.people.submit(Command::Issue(Arc::new(new))).await? {
        return Ok(not_issued(server, request, reject));
    }
    let target = &request.target;
    if is_implicit {
        let (list, seconds) = (scope::list(scopes), EXPIRES_IN.to_string());
        let parameters = [
            ("access_token", drawn.text.as_str()),
            ("token_type", "Bearer"),
            ("scope", list.as_str()),
            ("expires_in", seconds.as_str()),
        ];
        return Ok(target.reply(&parameters, &server.auth_url));
    }
    Ok(target.reply(&[("code", &drawn.text)], &server.auth_url))
}

/// The value of a field that was sent once.
fn once<'a>(pairs: &'a Pairs<'_>, name: &str) -> Option<&'a str> {
    let mut values = pairs.iter().filter(|(known, _)| known == name);
    let (_, value) = values.next()?;
    values.next().is_none().then_some(value.as_ref())
}

/// The account that the form names; without one, the session's.
fn account(app: &App, signed_in: &SignedIn<'_>, pairs: &Pairs<'_>) -> Option<AccountId> {
    let mut named = pairs.iter().filter(|(name, _)| name == "account");
    let (first, second) = (named.next(), named.next());
    if second.is_some() {
        return None;
    }
    let Some((_, name)) = first else { return signed_in.holder.account };
    let views = app.exchange.views();
    let access = views.state().access();
    let found = access.find_account(signed_in.holder.group?, name)?;
    (!access.is_closed(found)).then_some(found)
}

/// The scopes whose boxes are checked. None where the form names one that does not exist.
fn chosen_scopes(pairs: &Pairs<'_>) -> Option<Scopes> {
    let mut boxes = pairs.iter().filter(|(name, _)| name == "scope");
    boxes.try_fold(Scopes::NONE, |scopes, (_, name)| Some(scopes.with(Scope::named(name)?)))
}

/// Why no code was issued after all: something has changed since the page was made.
fn not_issued(server: &OAuth, request: &AuthorizationRequest, reject: Reject) -> Reply {
    let answer = |code, why: &str| request.target.error(&OAuthError::new(code, why), &server.auth_url);
    if reject == Reject::CodeRequired {
        code_required(request)
    } else if reject == Reject::NotReviewed {
        not_reviewed(server, request)
    } else if reject == Reject::WiderScope {
        answer(ErrorCode::AccessDenied, "The user may not grant these scopes any more")
    } else if reject == Reject::BadGrant {
        answer(ErrorCode::UnauthorizedClient, "The implicit flow is not switched on for this app")
    } else {
        bad_page("Your sign-in, the app or the account has changed. Go back to the app and begin again.")
    }
}

fn read(app: &App, pairs: &Pairs<'_>) -> Result<AuthorizationRequest, Flaw> {
    let views = app.exchange.views();
    AuthorizationRequest::read(pairs, |id| views.state().identity().app(id))
}

/// Refuses a user who cannot consent, and an app that may not have other users (D-133).
fn check_user(
    server: &OAuth,
    app: &App,
    request: &AuthorizationRequest,
    signed_in: &SignedIn<'_>,
) -> Result<(), Reply> {
    if signed_in.holder.group.is_none() {
        let message = "An operator has no account that an app could act on.";
        return Err(error_page(StatusCode::FORBIDDEN, message, None));
    }
    let views = app.exchange.views();
    let known = views.state().identity().app(request.app);
    let may_ask = known.is_some_and(|known| known.is_reviewed || known.new.owner == signed_in.holder.user);
    if may_ask { Ok(()) } else { Err(not_reviewed(server, request)) }
}

fn not_reviewed(server: &OAuth, request: &AuthorizationRequest) -> Reply {
    let message = "The app was not reviewed yet: it may act for its owner alone";
    let error = OAuthError::new(ErrorCode::UnauthorizedClient, message);
    request.target.error(&error, &server.auth_url)
}

/// The name of the app, and the scopes that it can get from this user.
fn app_of(app: &App, request: &AuthorizationRequest, signed_in: &SignedIn<'_>) -> (String, Scopes) {
    let views = app.exchange.views();
    let name = views.state().identity().app(request.app).map(|known| known.new.name.clone());
    (name.unwrap_or_default(), request.scopes.grantable(signed_in.holder.roles))
}

fn refused(server: &OAuth, flaw: &Flaw) -> Reply {
    match flaw {
        Flaw::Page(message) => bad_page(message),
        Flaw::Answer(target, error) => target.error(error, &server.auth_url),
    }
}

fn bad_page(message: &str) -> Reply {
    error_page(StatusCode::BAD_REQUEST, message, None)
}

fn code_required(request: &AuthorizationRequest) -> Reply {
    let message = "Some of these rights need a code that is less than five minutes old.";
    let place = renewal(&[crate::AUTHORIZE, "?", request.query.as_str()].concat());
    error_page(StatusCode::FORBIDDEN, message, Some((&place, "Give a code, and decide again")))
}

/// The sign-in page, which leads back to a request.
fn to_sign_in(next: &str) -> Reply {
    match HeaderValue::try_from(sign_in(next)) {
        Ok(location) => Reply::redirecting(location),
        Err(_) => bad_page("The address that sent you here is damaged."),
    }
}

fn sign_in(next: &str) -> String {
    format!("/signin?{}", url_encoded::encoded([("next", next)]))
}

/// The page where a user gives another code, and which leads back to a request.
fn renewal(next: &str) -> String {
    format!("{}&step=code", sign_in(next))
}
