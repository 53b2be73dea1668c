//! A route: one row of data and its handler.

use crate::app::App;
use crate::auth::Auth;
use crate::call::{Asked, Call};
use buttonwood_engine::Body;
use buttonwood_gate::{Kind, Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{Role, Roles};
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{Components, Field, Fields, Node, Shape};
use std::pin::Pin;

/// A writing endpoint: the command that it makes, and the answer for the receipt.
#[derive(Clone, Copy)]
pub(crate) struct Write {
    pub(crate) command: fn(&App, &Call) -> Result<Body, Refusal>,
    pub(crate) answer: fn(&App, &Call, &Receipt) -> Result<Reply, Refusal>,
    /// The answer if the named order had already left the book; its row may be on disk. `None` for a command that names
    /// no order.
    pub(crate) closed: Option<for<'a> fn(&'a App, &'a Call, &'a Receipt) -> Later<'a>>,
}

/// An answer that may have to wait for the disk.
pub(crate) type Later<'a> = Pin<Box<dyn Future<Output = Result<Reply, Refusal>> + 'a>>;

/// A control call of the sandbox, which answers from the body's fields.
pub(crate) type Control = for<'a> fn(&'a App, &'a Asked<'a>, &'a Payload) -> Later<'a>;

/// The function that answers a route.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    Public(fn(&App, &Asked) -> Result<Reply, Refusal>),
    PublicRecall(for<'a> fn(&'a App, &'a Asked<'a>) -> Later<'a>),
    Read(fn(&App, &Call) -> Result<Reply, Refusal>),
    Recall(for<'a> fn(&'a App, &'a Call) -> Later<'a>),
    Write(Write),
    ControlRead(fn(&App) -> Reply),
    ControlRecall(for<'a> fn(&'a App) -> Later<'a>),
    Control(Control),
}

/// One endpoint of the interface.
#[derive(Clone, Copy)]
pub struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) auth: Auth,
    pub(crate) roles: Roles,
    pub(crate) scope: Option<&'static str>,
    pub(crate) kind: Kind,
    pub(crate) handler: Handler,
    /// A sentence for the contract.
    pub(crate) about: &'static str,
    /// The fields of the request that it reads.
    pub(crate) fields: &'static [Field],
    /// The schema of its answer.
    pub(crate) gives: Option<fn(&mut Components) -> Node>,
    /// Statuses of its refusals besides those that every route may answer.
    pub(crate) refuses: &'static [u16],
    /// A status that it answers with a line of text, and when.
    pub(crate) says: Option<(u16, &'static str)>,
}

impl std::fmt::Debug for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

impl Route {
    const fn new(method: &'static str, path: &'static str, auth: Auth, handler: Handler) -> Self {
        Self {
            method,
            path,
            auth,
            roles: Roles::NONE,
            scope: None,
            kind: Kind::Read,
            handler,
            about: "",
            fields: &[],
            gives: None,
            refuses: &[],
            says: None,
        }
    }

    /// A public reading endpoint. `{name}` in the path stands for one segment.
    pub(crate) const fn public(
        path: &'static str,
        answer: fn(&App, &Asked) -> Result<Reply, Refusal>,
    ) -> Self {
        Self::new("GET", path, Auth::Public, Handler::Public(answer))
    }

    /// A private endpoint that answers from the views.
    pub(crate) const fn reading(
        path: &'static str,
        answer: fn(&App, &Call) -> Result<Reply, Refusal>,
    ) -> Self {
        Self::new("POST", path, Auth::Account, Handler::Read(answer))
    }

    /// A private endpoint that is a GET and answers from the views. Its signed `request` includes the query string (FX-009).
    pub(crate) const fn signed_get(
        path: &'static str,
        answer: fn(&App, &Call) -> Result<Reply, Refusal>,
    ) -> Self {
        Self::new("GET", path, Auth::Account, Handler::Read(answer))
    }

    /// A public endpoint that answers from the history too.
    pub(crate) const fn public_recalling(
        path: &'static str,
        answer: for<'a> fn(&'a App, &'a Asked<'a>) -> Later<'a>,
    ) -> Self {
        Self::new("GET", path, Auth::Public, Handler::PublicRecall(answer))
    }

    /// A private endpoint that answers from the history too.
    pub(crate) const fn recalling(
        path: &'static str,
        answer: for<'a> fn(&'a App, &'a Call) -> Later<'a>,
    ) -> Self {
        Self::new("POST", path, Auth::Account, Handler::Recall(answer))
    }

    /// A private endpoint that changes something.
    pub(crate) const fn writing(path: &'static str, write: Write) -> Self {
        Self { kind: Kind::Write, ..Self::new("POST", path, Auth::Account, Handler::Write(write)) }
    }

    /// A control call of the sandbox that only reads.
    pub(crate) const fn control_reading(path: &'static str, answer: fn(&App) -> Reply) -> Self {
        Self::new("GET", path, Auth::Control, Handler::ControlRead(answer))
    }

    /// A control call of the sandbox that reads the history's database.
    pub(crate) const fn control_recalling(
        path: &'static str,
        answer: for<'a> fn(&'a App) -> Later<'a>,
    ) -> Self {
        Self::new("GET", path, Auth::Control, Handler::ControlRecall(answer))
    }

    /// A control call of the sandbox.
    pub(crate) const fn control(path: &'static str, control: Control) -> Self {
        Self::new("POST", path, Auth::Control, Handler::Control(control))
    }

    /// Describes it in a sentence.
    pub(crate) const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// It reads these fields of the request.
    pub(crate) const fn takes<T: Fields>(self) -> Self {
        Self { fields: T::FIELDS, ..self }
    }

    /// It answers with this.
    pub(crate) const fn gives<T: Shape>(self) -> Self {
        Self { gives: Some(T::node), ..self }
    }

    /// It refuses with these statuses too.
    pub(crate) const fn refuses(self, statuses: &'static [u16]) -> Self {
        Self { refuses: statuses, ..self }
    }

    /// It answers with this status and a line of text at times.
    pub(crate) const fn says(self, status: u16, when: &'static str) -> Self {
        Self { says: Some((status, when)), ..self }
    }

    /// Any of these roles may call it.
    pub(crate) const fn roles(self, roles: &[Role]) -> Self {
        Self { roles: Roles::of(roles), ..self }
    }

    /// The scope that an access token needs.
    pub(crate) const fn scope(self, scope: &'static str) -> Self {
        Self { scope: Some(scope), ..self }
    }

    /// How the gate treats it.
    pub(crate) const fn kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// Who may call it, where that is not any key on the one account it names or belongs to.
    pub(crate) const fn by(self, auth: Auth) -> Self {
        Self { auth, ..self }
    }

    /// The method it answers to.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// The path, `{name}` standing for one segment.
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// Who may call it.
    pub fn auth(&self) -> Auth {
        self.auth
    }

    /// The roles of which a key needs one; none for any key.
    pub fn needed_roles(&self) -> Roles {
        self.roles
    }

    /// The scope an access token needs.
    pub fn needed_scope(&self) -> Option<&'static str> {
        self.scope
    }

    /// The parameters in `path`, as they stand there, if it is a path of this route; empty if the route takes none. A route may take
    /// several in a row: `{symbol}/{time_frame}` gives `btcusd/1m`.
    pub(crate) fn matches<'a>(&self, path: &'a str) -> Option<&'a str> {
        let Some((before, rest)) = self.path.split_once('{') else {
            return (self.path == path).then_some("");
        };
        let (names, after) = rest.rsplit_once('}').unwrap_or((rest, ""));
        let parameters = path.strip_prefix(before)?.strip_suffix(after)?;
        let is_whole = parameters.split('/').all(|parameter| !parameter.is_empty());
        (is_whole && parameters.split('/').count() == names.split('/').count()).then_some(parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_one_whole_segment() {
        let route = Route::public("/v1/book/{symbol}", |_, _| unreachable!("not called"));
        assert_eq!(route.matches("/v1/book/btcusd"), Some("btcusd"));
        assert_eq!(route.matches("/v1/book/"), None);
        assert_eq!(route.matches("/v1/book/a/b"), None);
        assert_eq!(route.matches("/v1/books/btcusd"), None);
        let route = Route::public("/x/{symbol}/status", |_, _| unreachable!("not called"));
        assert_eq!(route.matches("/x/btcusd/status"), Some("btcusd"));
        let route = Route::public("/c/{symbol}/{frame}", |_, _| unreachable!("not called"));
        assert_eq!(route.matches("/c/btcusd/1m"), Some("btcusd/1m"));
        for other in ["/c/btcusd", "/c/btcusd/", "/c//1m", "/c/btcusd/1m/2", "/c/"] {
            assert_eq!(route.matches(other), None, "{other}");
        }
    }
}
