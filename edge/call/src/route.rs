//! A route: one row of data and its handler.

use crate::app::App;
use crate::auth::Auth;
use crate::call::{Asked, Call};
use crate::contract;
use crate::control::ControlCall;
use crate::outside::READING;
use crate::streams::StreamKind;
use buttonwood_engine::{AccountKind, Body, Reject};
use buttonwood_gate::{self as gate, AccountLimit, Form, Kind, Payload, Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{Right, Role, Roles, Scope, Scopes};
use buttonwood_operate::Command;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{Components, Field, Fields, Node, Shape};
use buttonwood_wire::draft::Draft;
use std::pin::Pin;
use std::time::Instant;

/// A writing endpoint: the command that it makes, and the answer for the receipt.
#[derive(Clone, Copy)]
pub struct Write {
    /// The command.
    pub command: fn(&App, &Call) -> Result<Body, Refusal>,
    /// The answer.
    pub answer: fn(&App, &Call, &Receipt) -> Result<Reply, Refusal>,
    /// The answer that may have to wait: that of an order that had already left the book, whose row may be on disk, or that of a
    /// movement of funds. `None` for a command whose answer never waits.
    pub closed: Option<for<'a> fn(&'a App, &'a Call, &'a Receipt) -> Later<'a>>,
}

/// An answer that may have to wait for the disk.
pub type Later<'a> = Pin<Box<dyn Future<Output = Result<Reply, Refusal>> + 'a>>;

/// A private call that the gate admitted, of an endpoint that makes commands of its own.
#[derive(Debug)]
pub struct Admitted<'a> {
    /// The endpoint.
    pub route: &'a Route,
    /// The call.
    pub call: gate::Call,
    /// The parameters of its path, and its query string.
    pub asked: &'a Asked<'a>,
    /// When it was admitted, if figures are collected.
    pub at: Option<Instant>,
}

/// An endpoint that makes several commands.
pub type Run = for<'a> fn(&'a App, Admitted<'a>) -> Later<'a>;

/// The parts of an endpoint that places one order which sockets, previews and figures need too.
#[derive(Clone, Copy, Debug)]
pub struct Orders {
    /// Whether the orders are of contracts.
    pub of_contracts: bool,
    /// The order in a payload of the endpoint.
    pub draft: for<'a> fn(&'a Payload) -> Draft<'a>,
    /// The refusal of an order that the core rejected.
    pub refusal: fn(&App, &Call, &Draft<'_>, Reject) -> Refusal,
}

/// A control call of the sandbox, which answers from the body's fields.
pub type Control = for<'a> fn(&'a ControlCall<'a>, &'a Asked<'a>, &'a Payload) -> Later<'a>;

/// The function that answers a route.
#[derive(Clone, Copy)]
pub enum Handler {
    /// A public call that answers from the views.
    Public(fn(&App, &Asked) -> Result<Reply, Refusal>),
    /// A public call that may have to wait.
    PublicRecall(for<'a> fn(&'a App, &'a Asked<'a>) -> Later<'a>),
    /// A private call that answers from the views.
    Read(fn(&App, &Call) -> Result<Reply, Refusal>),
    /// A private call that may have to wait.
    Recall(for<'a> fn(&'a App, &'a Call) -> Later<'a>),
    /// A private call that makes a command.
    Write(Write),
    /// A private call that makes several commands.
    Run(Run),
    /// A control call of the sandbox.
    Control(ControlHandler),
    /// It becomes a socket.
    Stream(StreamKind),
}

/// The function that answers a control call of the sandbox.
#[derive(Clone, Copy)]
pub enum ControlHandler {
    /// Answers from the views.
    Read(fn(&App) -> Reply),
    /// Answers from the views what the query string names.
    Query(fn(&App, &Asked) -> Result<Reply, Refusal>),
    /// The same, and may have to wait.
    Ask(for<'a> fn(&'a App, &'a Asked<'a>) -> Later<'a>),
    /// Answers from the history's database.
    Recall(for<'a> fn(&'a App) -> Later<'a>),
    /// Acts on the body's fields.
    Act(Control),
    /// Carries out a command of operators.
    Operate(&'static Command),
}

/// Makes the schema of an answer.
pub(crate) type MakeSchema = fn(&mut Components) -> Node;

/// The rate limit that a route draws on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bucket {
    /// None: control calls.
    Unlimited,
    /// That of the client's address (LIM-001).
    Public,
    /// That of the key or the token (LIM-002).
    Key,
    /// The capacity reserved for cancels and heartbeats, then that of the key (D-04).
    Reserve,
    /// That of the key, then one of the account (LIM-007 to LIM-010).
    Account(AccountLimit),
}

impl Bucket {
    /// Its name in the contract.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unlimited => "unlimited",
            Self::Public => "public",
            Self::Key => "key",
            Self::Reserve => "reserve",
            Self::Account(AccountLimit::Transfers) => "transfers",
            Self::Account(AccountLimit::Addresses) => "addresses",
            Self::Account(AccountLimit::Previews) => "previews",
        }
    }
}

/// The use of a signed call's query string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedQuery {
    /// Not read (D-03).
    Unread,
    /// Read, and named in the signed field `request`.
    Named,
    /// Read, whether `request` names it or not (PERP-021).
    Optional,
}

impl SignedQuery {
    pub(crate) const fn is_read(self) -> bool {
        !matches!(self, Self::Unread)
    }
}

/// The kinds of accounts that a route acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// All.
    Any,
    /// Those that place orders (AUTH-018).
    Trading,
    /// Those that hold perpetual contracts (PERP-002, D-36).
    Derivatives,
    /// Those that borrow (MARG-001).
    Margin,
    /// Those that trade spot with their own money alone: they stake, and settle trades off the book.
    Exchange,
}

impl Kinds {
    /// Whether accounts of this kind are among them.
    pub const fn has(self, kind: AccountKind) -> bool {
        match self {
            Self::Any => true,
            Self::Trading => kind.trades(),
            Self::Derivatives => matches!(kind, AccountKind::Derivatives),
            Self::Margin => matches!(kind, AccountKind::Margin),
            Self::Exchange => matches!(kind, AccountKind::Exchange),
        }
    }
}

/// The body of the refusals of an endpoint itself. Those of the gate and of the whole exchange have the common one on every route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Envelope {
    /// `result`, `reason` and `message` (ERR-001).
    Common,
    /// A code in `error`, and `message` (PM-035). This code is that of a wrong parameter.
    Coded(&'static str),
}

/// Withdrawals, SEN, transfers between accounts, banks, approved addresses, clearing and the acceptance of terms, by the beginnings of their
/// paths.
const GUARDED: [&str; 8] = [
    "/v1/withdraw/",
    "/v2/withdraw/",
    "/v1/payments/sen/",
    "/v1/payments/addbank",
    "/v1/account/transfer/",
    "/v1/approvedAddresses/",
    "/v1/clearing/",
    "/v1/prediction-markets/terms/accept",
];

/// One endpoint of the interface.
#[must_use]
#[derive(Clone, Copy)]
pub struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) auth: Auth,
    pub(crate) roles: Roles,
    pub(crate) scopes: Scopes,
    /// Whether an access token needs no scope.
    pub(crate) any_token: bool,
    pub(crate) kinds: Kinds,
    pub(crate) kind: Kind,
    /// For a control call that a subject adds: the path of the one behind which it stands.
    pub(crate) after: Option<&'static str>,
    /// Of an endpoint that places one order, the part that others need.
    pub(crate) orders: Option<&'static Orders>,
    /// The use of its query string, if it is signed.
    pub(crate) query: SignedQuery,
    /// The body of its own refusals.
    pub(crate) envelope: Envelope,
    /// The status of its answer.
    pub(crate) success: u16,
    /// A limit of the account, besides that of the key.
    pub(crate) account_limit: Option<AccountLimit>,
    pub(crate) handler: Handler,
    /// The operator's command that a control call carries out: its name stands in the audit.
    pub(crate) command: Option<&'static Command>,
    /// A sentence for the contract.
    pub(crate) about: &'static str,
    /// Rules of the interface where the specification is silent, a paragraph each, for the contract and its page.
    pub(crate) notes: &'static [&'static str],
    /// The fields of the request that it reads.
    pub(crate) fields: &'static [Field],
    /// The schema of its answer.
    pub(crate) gives: Option<fn(&mut Components) -> Node>,
    /// The media type of the file that it answers with, instead of JSON.
    pub(crate) file: Option<&'static str>,
    /// Statuses of its refusals besides those that every route may answer.
    pub(crate) refuses: &'static [u16],
    /// A status that it answers with a line of text, and when.
    pub(crate) says: Option<(u16, &'static str)>,
    /// A status that it may answer with another body than that of every refusal: the body's schema.
    pub(crate) wraps: Option<(u16, MakeSchema)>,
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
            scopes: Scopes::NONE,
            any_token: false,
            kinds: Kinds::Any,
            kind: Kind::Read,
            after: None,
            orders: None,
            query: SignedQuery::Unread,
            envelope: Envelope::Common,
            success: 200,
            account_limit: None,
            handler,
            command: None,
            about: "",
            notes: &[],
            fields: &[],
            gives: None,
            file: None,
            refuses: &[],
            says: None,
            wraps: None,
        }
    }

    /// A public reading endpoint. `{name}` in the path stands for one segment.
    pub const fn public(path: &'static str, answer: fn(&App, &Asked) -> Result<Reply, Refusal>) -> Self {
        Self::new("GET", path, Auth::Public, Handler::Public(answer))
    }

    /// A private endpoint that answers from the views.
    pub const fn reading(path: &'static str, answer: fn(&App, &Call) -> Result<Reply, Refusal>) -> Self {
        Self::new("POST", path, Auth::Account, Handler::Read(answer))
    }

    /// A private endpoint that is a GET and answers from the views. Its signed `request` includes the query string (FX-009).
    pub const fn signed_get(path: &'static str, answer: fn(&App, &Call) -> Result<Reply, Refusal>) -> Self {
        Self::new("GET", path, Auth::Account, Handler::Read(answer))
    }

    /// A public endpoint that answers from the history too, or in several steps.
    pub const fn public_recalling(
        path: &'static str,
        answer: for<'a> fn(&'a App, &'a Asked<'a>) -> Later<'a>,
    ) -> Self {
        Self::new("GET", path, Auth::Public, Handler::PublicRecall(answer))
    }

    /// A private endpoint that answers from the history too, or in several steps.
    pub const fn recalling(path: &'static str, answer: for<'a> fn(&'a App, &'a Call) -> Later<'a>) -> Self {
        Self::new("POST", path, Auth::Account, Handler::Recall(answer))
    }

    /// The same as a signed GET.
    pub const fn signed_get_recalling(
        path: &'static str,
        answer: for<'a> fn(&'a App, &'a Call) -> Later<'a>,
    ) -> Self {
        Self { method: "GET", ..Self::recalling(path, answer) }
    }

    /// A private endpoint that changes something.
    pub const fn writing(path: &'static str, write: Write) -> Self {
        Self { kind: Kind::Write, ..Self::new("POST", path, Auth::Account, Handler::Write(write)) }
    }

    /// A private endpoint that makes several commands.
    pub const fn running(path: &'static str, run: Run) -> Self {
        Self { kind: Kind::Write, ..Self::new("POST", path, Auth::Account, Handler::Run(run)) }
    }

    const fn controlled(method: &'static str, path: &'static str, handler: ControlHandler) -> Self {
        Self::new(method, path, Auth::Control, Handler::Control(handler))
    }

    /// A control call of the sandbox that only reads.
    pub const fn control_reading(path: &'static str, answer: fn(&App) -> Reply) -> Self {
        Self::controlled("GET", path, ControlHandler::Read(answer))
    }

    /// A control call of the sandbox that reads what its query string names.
    pub const fn control_query(
        path: &'static str,
        answer: fn(&App, &Asked) -> Result<Reply, Refusal>,
    ) -> Self {
        Self::controlled("GET", path, ControlHandler::Query(answer))
    }

    /// The same, with an answer that may have to wait.
    pub const fn control_asking(
        path: &'static str,
        answer: for<'a> fn(&'a App, &'a Asked<'a>) -> Later<'a>,
    ) -> Self {
        Self::controlled("GET", path, ControlHandler::Ask(answer))
    }

    /// A control call of the sandbox that reads the history's database.
    pub const fn control_recalling(path: &'static str, answer: for<'a> fn(&'a App) -> Later<'a>) -> Self {
        Self::controlled("GET", path, ControlHandler::Recall(answer))
    }

    /// A control call of the sandbox.
    pub const fn control(path: &'static str, control: Control) -> Self {
        Self::controlled("POST", path, ControlHandler::Act(control))
    }

    /// A path that becomes a socket.
    pub const fn stream(path: &'static str, auth: Auth, kind: StreamKind) -> Self {
        Self::new("GET", path, auth, Handler::Stream(kind))
    }

    /// A control call of the sandbox that does what a command of `buttonwood admin` does. A parameter in its path is the command's first
    /// field.
    pub const fn operating(path: &'static str, command: &'static Command) -> Self {
        Self {
            about: command.about,
            fields: in_body(path, command.fields),
            gives: command.gives,
            ..Self::controlled("POST", path, ControlHandler::Operate(command))
        }
    }

    /// The same, with a check of its own before the command.
    pub const fn control_operating(path: &'static str, command: &'static Command, control: Control) -> Self {
        let handler = Handler::Control(ControlHandler::Act(control));
        Self { handler, command: Some(command), ..Self::operating(path, command) }
    }

    /// Describes it in a sentence.
    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// Adds rules of the interface, a paragraph each.
    pub const fn notes(self, notes: &'static [&'static str]) -> Self {
        Self { notes, ..self }
    }

    /// It reads these fields of the request.
    pub const fn takes<T: Fields>(self) -> Self {
        Self { fields: T::FIELDS, ..self }
    }

    /// It reads these fields of the payload from its query string too.
    pub const fn queried(self, query: SignedQuery) -> Self {
        Self { query, ..self }
    }

    /// It answers with 201, since it creates something. Its handler sets that status.
    pub const fn creates(self) -> Self {
        Self { success: 201, ..self }
    }

    /// Its own refusals have a code (PM-035).
    pub const fn coded(self) -> Self {
        self.coded_as("InvalidInput")
    }

    /// Its own refusals have a code; this one is that of a wrong parameter.
    pub const fn coded_as(self, wrong: &'static str) -> Self {
        Self { envelope: Envelope::Coded(wrong), ..self }
    }

    /// A refusal of the endpoint itself, in the body that the route has.
    pub fn own(&self, refusal: Refusal) -> Refusal {
        let Envelope::Coded(wrong) = self.envelope else { return refusal };
        if refusal.form != Form::Common || stays_common(refusal.reason) {
            return refusal;
        }
        match refusal.status {
            400 => refusal.with_form(Form::Coded(wrong)),
            404 if refusal.reason == Reason::OrderNotFound => {
                refusal.with_form(Form::Coded(Reason::OrderNotFound.name()))
            }
            404 => refusal.with_form(Form::Coded("NOT_FOUND")),
            _ => refusal,
        }
    }

    /// A refusal of the gate, in the body that the route has: a missing role is named in `error` too (D-114).
    pub fn gated(&self, refusal: Refusal) -> Refusal {
        if self.envelope == Envelope::Common || refusal.reason != Reason::MissingRole {
            return refusal;
        }
        refusal.with_form(Form::Both)
    }

    /// It answers with a file of this media type.
    pub const fn gives_file(self, media_type: &'static str) -> Self {
        Self { file: Some(media_type), ..self }
    }

    /// It answers with this.
    pub const fn gives<T: Shape>(self) -> Self {
        Self { gives: Some(T::node), ..self }
    }

    /// It refuses with these statuses too.
    pub const fn refuses(self, statuses: &'static [u16]) -> Self {
        Self { refuses: statuses, ..self }
    }

    /// It answers with this status and a line of text at times.
    pub const fn says(self, status: u16, when: &'static str) -> Self {
        Self { says: Some((status, when)), ..self }
    }

    /// It answers with this status and this body at times.
    pub const fn wraps<T: Shape>(self, status: u16) -> Self {
        Self { wraps: Some((status, T::node)), ..self }
    }

    /// Any of these roles may call it.
    pub const fn roles(self, roles: &[Role]) -> Self {
        Self { roles: Roles::of(roles), ..self }
    }

    /// Its command needs this.
    pub const fn right(self, right: Right) -> Self {
        Self { roles: right.roles, scopes: right.scopes, ..self }
    }

    /// An access token needs one of these scopes.
    pub const fn scopes(self, scopes: &[Scope]) -> Self {
        Self { scopes: Scopes::of(scopes), ..self }
    }

    /// An access token needs no scope.
    pub const fn any_token(self) -> Self {
        Self { any_token: true, ..self }
    }

    /// It acts on accounts of these kinds alone.
    pub const fn kinds(self, kinds: Kinds) -> Self {
        Self { kinds, ..self }
    }

    /// It draws on a limit of the account too.
    pub const fn limited(self, limit: AccountLimit) -> Self {
        Self { account_limit: Some(limit), ..self }
    }

    /// How the gate treats it.
    pub const fn kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// It stands after the control call of this path.
    pub const fn after(self, path: &'static str) -> Self {
        Self { after: Some(path), ..self }
    }

    /// It places one order.
    pub const fn places(self, orders: &'static Orders) -> Self {
        Self { orders: Some(orders), ..self }
    }

    /// Who may call it, where that is not any key on the one account it names or belongs to.
    pub const fn by(self, auth: Auth) -> Self {
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

    /// How the gate treats it.
    pub fn gate_kind(&self) -> Kind {
        self.kind
    }

    /// The function that answers it.
    pub fn handler(&self) -> &Handler {
        &self.handler
    }

    /// The operator's command that a control call with a check of its own carries out.
    pub fn command(&self) -> Option<&'static Command> {
        self.command
    }

    /// The fields of the request that it reads.
    pub fn fields(&self) -> &'static [Field] {
        self.fields
    }

    /// Whether an access token needs no scope.
    pub fn takes_any_token(&self) -> bool {
        self.any_token
    }

    /// Whether the contract describes it whole: a sentence, an answer and a chapter.
    pub fn is_described(&self) -> bool {
        let gives = self.gives.is_some() || self.file.is_some();
        gives && !self.about.is_empty() && contract::has_chapter(self)
    }

    /// Who may call it.
    pub fn auth(&self) -> Auth {
        self.auth
    }

    /// The roles of which a key needs one; none for any key.
    pub fn needed_roles(&self) -> Roles {
        self.roles
    }

    /// The scopes of which an access token needs one; without any, see [`Route::takes_tokens`].
    pub fn accepted_scopes(&self) -> Scopes {
        self.scopes
    }

    /// Whether a browser must have given a code less than five minutes ago: the route moves money out of an account, says where it
    /// may go, or accepts terms for a group.
    pub fn needs_code(&self) -> bool {
        self.kind != Kind::Read && GUARDED.iter().any(|path| self.path.starts_with(path))
    }

    /// Whether access tokens may call it: those with one of its scopes, or all of them where it has none.
    pub fn takes_tokens(&self) -> bool {
        self.any_token || !self.scopes.is_empty()
    }

    /// Whether the first parameter of its path names a network.
    pub fn names_network(&self) -> bool {
        self.path.contains("{network}")
    }

    /// The methods that it takes, as they stand in `Allow`. HEAD is answered as GET.
    pub fn methods(&self) -> &'static str {
        if self.method == "GET" { READING } else { self.method }
    }

    /// The rate limit that it draws on.
    pub fn bucket(&self) -> Bucket {
        match (self.auth, self.account_limit, self.kind) {
            (Auth::Control, ..) => Bucket::Unlimited,
            (Auth::Public, ..) => Bucket::Public,
            (_, Some(limit), _) => Bucket::Account(limit),
            (_, None, Kind::Cancel | Kind::Heartbeat) => Bucket::Reserve,
            (_, None, Kind::Read | Kind::Write) => Bucket::Key,
        }
    }

    /// The parameters in `path`, as they stand there, if it is a path of this route; empty if the route takes none. A route may take
    /// several in a row: `{symbol}/{time_frame}` gives `btcusd/1m`.
    pub fn matches<'a>(&self, path: &'a str) -> Option<&'a str> {
        let Some((before, rest)) = self.path.split_once('{') else {
            return (self.path == path).then_some("");
        };
        let (names, after) = rest.rsplit_once('}').unwrap_or((rest, ""));
        let parameters = path.strip_prefix(before)?.strip_suffix(after)?;
        let is_whole = parameters.split('/').all(|parameter| !parameter.is_empty());
        (is_whole && parameters.split('/').count() == names.split('/').count()).then_some(parameters)
    }
}

/// Whether a refusal is about key, nonce, account or its kind, also where the core found it.
fn stays_common(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::AccountClosed
            | Reason::AccountNotOfTypeRequired
            | Reason::InvalidAccountName
            | Reason::InvalidApiKey
            | Reason::InvalidNonce
            | Reason::MissingRole
    )
}

/// The fields in the body of a control call: the first field of its command is the parameter in the path, if that has one.
const fn in_body(path: &str, fields: &'static [Field]) -> &'static [Field] {
    let mut path = path.as_bytes();
    while let [byte, after @ ..] = path {
        if let (b'{', [_, rest @ ..]) = (byte, fields) {
            return rest;
        }
        path = after;
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A route with codes gives one to its own refusals alone. Proves PM-035.
    #[test]
    fn own_refusals_of_a_coded_route_have_a_code() {
        let plain = Route::public("/x", |_, _| unreachable!("not called"));
        let (coded, rewards) = (plain.coded(), plain.coded_as("BAD_REQUEST"));
        let own = |route: Route, reason| route.own(Refusal::new(reason, "no")).form;
        for reason in [Reason::InvalidParameterValue, Reason::MissingPayloadKey, Reason::InvalidSymbol] {
            assert_eq!(own(plain, reason), Form::Common);
            assert_eq!(own(coded, reason), Form::Coded("InvalidInput"));
            assert_eq!(own(rewards, reason), Form::Coded("BAD_REQUEST"));
        }
        assert_eq!(own(coded, Reason::OrderNotFound), Form::Coded("OrderNotFound"));
        assert_eq!(own(coded, Reason::EndpointNotFound), Form::Coded("NOT_FOUND"));
        for reason in [Reason::AccountNotOfTypeRequired, Reason::InvalidNonce, Reason::System] {
            assert_eq!(own(coded, reason), Form::Common, "{reason:?}");
        }
        let kept = Refusal::coded(422, "InsufficientFunds", "no");
        assert_eq!(coded.own(kept.clone()), kept);
        let gated = |route: Route, reason| route.gated(Refusal::new(reason, "no")).form;
        assert_eq!(gated(coded, Reason::MissingRole), Form::Both);
        assert_eq!(gated(plain, Reason::MissingRole), Form::Common);
        assert_eq!(gated(coded, Reason::InvalidSignature), Form::Common);
    }

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
