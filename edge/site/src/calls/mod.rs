//! The calls of the pages, `/site/…`: their table, and the checks before each of them in the order of their refusals.
//!
//! A call reads the fields of a JSON object, lets `people` or the exchange decide, and words the answer. Not here: passwords, codes and
//! throttles (`people`), and rules (`core/identity`).

mod alias;
mod apps;
mod average;
mod caller;
mod checks;
mod entering;
mod factors;
mod fields;
mod forced;
mod forced_orders;
mod grants;
mod held_order;
mod history;
mod interface;
mod keys;
mod named;
mod notices;
mod operator;
mod passkeys;
mod preferences;
mod preview;
mod qr;
mod queue;
mod sessions;
mod statement;
mod stream;
mod user;
mod watching;

pub(crate) use caller::{BrowserState, find_browser};
pub(crate) use fields::Step;
pub(crate) use interface::call_public;
pub(crate) use preferences::preferences_of;

use crate::own::Own;
use crate::pages::door::{self, Door};
use buttonwood_call::{Later, Spot, Visit, no_endpoint};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_wire::contract::Query;
use caller::{Caller, Guest, Needs};

/// Bytes of a body at most.
const BODY_MAX: usize = 64 * 1024;

/// The answer to a GET of a user who is signed in.
type Read = fn(&Caller<'_>) -> Result<Reply, Refusal>;
/// The same of one who asks with a query, and of what is not in memory.
type Ask = for<'a> fn(&'a Caller<'a>, Query<'a>) -> Later<'a>;
/// A POST that needs no session.
type Open = for<'a> fn(&'a Guest<'a>, Payload) -> Later<'a>;
/// A POST of a user who is signed in as far as it needs.
type Act = for<'a> fn(&'a Caller<'a>, Payload) -> Later<'a>;

/// The function of a GET.
#[derive(Clone, Copy)]
enum Get {
    Read(Read),
    Ask(Ask),
}

/// The function of a POST.
#[derive(Clone, Copy)]
enum Post {
    Open(Open),
    Act(Needs, Act),
}

/// The calls at one path.
#[derive(Clone, Copy)]
pub(crate) struct Calls {
    path: &'static str,
    read: Option<Get>,
    post: Option<Post>,
}

const fn read(path: &'static str, read: Read) -> Calls {
    Calls { path, read: Some(Get::Read(read)), post: None }
}

const fn ask(path: &'static str, ask: Ask) -> Calls {
    Calls { path, read: Some(Get::Ask(ask)), post: None }
}

const fn open(path: &'static str, open: Open) -> Calls {
    Calls { path, read: None, post: Some(Post::Open(open)) }
}

const fn act(path: &'static str, needs: Needs, act: Act) -> Calls {
    Calls { path, read: None, post: Some(Post::Act(needs, act)) }
}

impl std::fmt::Debug for Calls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.path)
    }
}

/// Every call.
const CALLS: &[Calls] = &[
    read("/site/session", user::session),
    read("/site/accounts", user::accounts),
    read("/site/sessions", sessions::list),
    read("/site/grants", grants::list),
    Calls { read: Some(Get::Read(apps::list)), ..act("/site/apps", Needs::Code, apps::register) },
    Calls { read: Some(Get::Read(keys::list)), ..act("/site/keys", Needs::Code, keys::make) },
    read("/site/passkeys", passkeys::list),
    open("/site/signup", entering::sign_up),
    open("/site/confirm", entering::confirm),
    open("/site/password/forgot", entering::forgot),
    open("/site/password/reset", entering::reset),
    open("/site/sessions/stop", entering::stop),
    open("/site/signin", entering::sign_in),
    open(door::ENTER, entering::by_button),
    act("/site/signin/code", Needs::Session, entering::code),
    open("/site/signin/passkey/begin", passkeys::begin_sign_in),
    open("/site/signin/passkey/finish", passkeys::sign_in),
    act("/site/signout", Needs::Session, entering::sign_out),
    act("/site/totp/begin", Needs::Enrolling, factors::begin),
    act("/site/totp/confirm", Needs::Enrolling, factors::confirm),
    act("/site/passkeys/begin", Needs::Enrolling, passkeys::begin),
    act("/site/passkeys/finish", Needs::Enrolling, passkeys::finish),
    act("/site/passkeys/remove", Needs::Code, passkeys::remove),
    act("/site/password", Needs::Code, factors::set_password),
    act("/site/account", Needs::Full, user::choose),
    act("/site/sessions/end", Needs::Full, sessions::end),
    act("/site/apps/secret", Needs::Code, apps::renew),
    act("/site/apps/delete", Needs::Code, apps::delete),
    act("/site/keys/rename", Needs::Code, keys::rename),
    act("/site/keys/disable", Needs::Code, keys::disable),
    act("/site/keys/enable", Needs::Code, keys::enable),
    act("/site/keys/delete", Needs::Code, keys::delete),
    act("/site/grants/revoke", Needs::Full, grants::revoke),
    act("/site/call", Needs::Full, interface::call),
    act("/site/preview", Needs::Full, preview::preview),
    ask("/site/queue", queue::list),
    act("/site/stream", Needs::Full, stream::ticket),
    act("/site/watching", Needs::Full, watching::note),
    ask("/site/notices", notices::list),
    ask("/site/history", history::list),
    ask("/site/forced", forced_orders::list),
    Calls {
        read: Some(Get::Read(preferences::show)),
        ..act("/site/preferences", Needs::Full, preferences::set)
    },
    act("/site/alias", Needs::Full, alias::set),
    ask("/site/statement.csv", statement::file),
    ask("/site/qr.svg", qr::picture),
    act("/site/operator/apps/review", Needs::Operator, operator::review),
    act("/site/operator/approve", Needs::Operator, operator::approve),
    read("/site/operator/proposals", operator::list),
    act("/site/operator/halt", Needs::Operator, operator::halt),
    act("/site/operator/resume", Needs::Operator, operator::resume),
    act("/site/operator/symbols/status", Needs::Operator, operator::set_status),
    ask("/site/operator/audit", operator::audit),
    ask("/site/operator/health", operator::health),
];

impl Calls {
    /// The calls at a path.
    pub(crate) fn find(path: &str) -> Option<&'static Self> {
        CALLS.iter().find(|calls| calls.path == path)
    }

    /// The paths of all calls.
    pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
        CALLS.iter().map(|calls| calls.path)
    }

    /// Their spot.
    pub(crate) fn spot(&self) -> Spot {
        match (self.read, self.post) {
            (Some(_), Some(_)) => Spot::page(self.path).taking("GET, HEAD, POST"),
            (_, None) => Spot::page(self.path),
            (None, Some(_)) => Spot::call(self.path),
        }
    }

    /// Answers a call. No cache keeps the answer.
    pub(crate) async fn answer(&self, visit: Visit<'_>, door: Option<&Door>) -> Result<Reply, Refusal> {
        let own = Own::of(&visit);
        let answered = if visit.is_post() {
            self.answer_post(visit, &own, door).await
        } else {
            self.answer_read(&visit, &own).await
        };
        answered.map(Reply::uncached)
    }

    async fn answer_read(&self, visit: &Visit<'_>, own: &Own) -> Result<Reply, Refusal> {
        let read = self.read.ok_or_else(|| no_endpoint(visit.path()))?;
        let caller = Caller::find(Guest::of(visit, own))?;
        caller.check(Needs::Full)?;
        match read {
            Get::Read(read) => read(&caller),
            Get::Ask(ask) => ask(&caller, Query(visit.head.uri.query().unwrap_or_default())).await,
        }
    }

    /// The checks come in the order of the table of the interface: media type, origin, session, CSRF token, factors, code, fields.
    async fn answer_post(
        &self,
        mut visit: Visit<'_>,
        own: &Own,
        door: Option<&Door>,
    ) -> Result<Reply, Refusal> {
        let post = self.post.ok_or_else(|| no_endpoint(visit.path()))?;
        checks::check_media_type(&visit)?;
        checks::check_origin(&visit, own)?;
        let body = visit.read(BODY_MAX).await?;
        let guest = Guest::of(&visit, own).with_door(door);
        match post {
            Post::Open(open) => open(&guest, checks::fields(body)?).await,
            Post::Act(needs, act) => {
                let caller = Caller::find(guest)?;
                caller.check_csrf(&visit)?;
                caller.check(needs)?;
                act(&caller, checks::fields(body)?).await
            }
        }
    }
}
