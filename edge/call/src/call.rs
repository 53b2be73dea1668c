//! A request on its way to an endpoint: its parameters, its caller and its account.

use crate::app::App;
use crate::auth::Auth;
use crate::route::{Kinds, Route};
use crate::unknown_fields;
use buttonwood_engine::Caller;
use buttonwood_gate::{self as gate, Kind, Owner, Payload, Reason, Refusal, Value, quoted};
use buttonwood_model::{AccountId, GroupId, Roles, SymbolId};
use buttonwood_wire::contract::{Both, Either, InPayload, Query, Sent, Text};
use buttonwood_wire::{field, request};

request! {
    /// The account that every call on an account may name.
    pub struct Acting in InPayload {
        /// The account to act on, by its short name. A master key must name one; any other key and an access token have their own.
        account: Sent<Text>,
    }
}

/// A public request.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The path's parameters, as they stand there; several in a row are parted by slashes. A network has its own name, also where the
    /// path has the code of a currency (D-174).
    pub parameter: &'a str,
    /// The query string.
    pub query: Query<'a>,
}

impl Asked<'_> {
    /// The listed symbol or the contract in the path, or 400 `InvalidSymbol` (MKT-007).
    pub fn traded(&self, app: &App) -> Result<SymbolId, Refusal> {
        let found = app.find_any(self.parameter);
        found.map(|(id, _)| id).ok_or_else(|| field::unknown_symbol(self.parameter))
    }

    /// The listed symbol in the path, or 400 `InvalidSymbol` (MKT-007).
    pub fn symbol(&self, app: &App) -> Result<SymbolId, Refusal> {
        let found = app.find_symbol(self.parameter);
        found.map(|(id, _)| id).ok_or_else(|| field::unknown_symbol(self.parameter))
    }
}

/// A private request that the gate has admitted. The nonce of a key is used, even if the call is refused.
#[derive(Debug)]
pub struct Call {
    gate: gate::Call,
    account: Option<AccountId>,
    needed: Roles,
    /// The path's parameters, as in [`Asked`]; without any there is no allocation.
    parameter: Box<str>,
    /// The query string, where the route reads it.
    query: Box<str>,
}

/// A call that is refused after the gate. The nonce of a key is used.
#[derive(Debug)]
pub struct Refused {
    /// The call, as the gate admitted it.
    pub gate: gate::Call,
    /// Why it is refused.
    pub refusal: Refusal,
}

impl Call {
    /// Finds the account the call acts on and checks the caller's roles and scopes, in this order (D-05). A route for master keys
    /// refuses any caller of one account before both (D-10), except an access token on a list of the group that has a scope; a route for
    /// access tokens refuses any other caller.
    pub fn new(app: &App, route: &Route, gate: gate::Call, asked: &Asked<'_>) -> Result<Self, Box<Refused>> {
        if app.settings.strict
            && let Err(refusal) = unknown_fields::check(route, &gate.payload)
        {
            return Err(Box::new(Refused { gate, refusal: route.own(refusal) }));
        }
        let account = match route.auth {
            Auth::Account => acting_account(app, &gate).map(Some),
            Auth::Master => {
                let master = gate.require_master(route.roles);
                let named = master.and_then(|()| check_named(&gate.payload));
                named.and_then(|()| acting_account(app, &gate)).map(Some)
            }
            Auth::Group => {
                let is_own = gate.is_token() && route.takes_tokens();
                let group = if is_own { Ok(()) } else { gate.require_master(route.roles) };
                group.and_then(|()| named_account(app, &gate)).map(|_| None)
            }
            // It acts on no account, so it need not name one; if it does, the account must be one of this caller's.
            Auth::Session => named_account(app, &gate).map(|named| named.or(gate.chosen())),
            Auth::Token => gate.require_token().and_then(|()| named_account(app, &gate)),
            Auth::Public | Auth::Control => Ok(None),
        };
        let account = match account {
            Ok(account) => account,
            Err(refusal) => return Err(Box::new(Refused { gate, refusal })),
        };
        let allowed = check_scope(route, &gate)
            .and_then(|()| gate.require(route.roles))
            .and_then(|()| check_kind(app, route, &gate, account))
            .and_then(|()| draw(app, route, account));
        match allowed {
            Ok(()) => {
                let query = if route.query.is_read() { asked.query.0 } else { "" };
                let (parameter, query) = (asked.parameter.into(), query.into());
                Ok(Self { gate, account, needed: route.roles, parameter, query })
            }
            Err(refusal) => Err(Box::new(Refused { gate, refusal })),
        }
    }

    /// The account it acts on.
    ///
    /// # Panics
    /// On a route that acts on none.
    pub fn account(&self) -> AccountId {
        self.account.expect("the route acts on an account")
    }

    /// The account it acts on, on a route where it need not name one: that of the payload.
    pub fn named(&self) -> Option<AccountId> {
        self.account
    }

    /// The account it acts on, or that of its caller; none where it acts on a whole group.
    pub fn acting(&self) -> Option<AccountId> {
        let own = match self.owner() {
            Owner::Account(account) => Some(account),
            Owner::Group(_) => None,
        };
        self.account.or(own)
    }

    /// The call as the gate admitted it.
    pub fn into_gate(self) -> gate::Call {
        self.gate
    }

    /// The account or the group of its caller.
    pub fn owner(&self) -> Owner {
        self.gate.owner()
    }

    /// The group of its caller, if that is a master key or a browser.
    pub fn group(&self) -> Option<GroupId> {
        match self.owner() {
            Owner::Group(group) => Some(group),
            Owner::Account(_) => None,
        }
    }

    /// The call as the gate admitted it.
    pub fn gate(&self) -> &gate::Call {
        &self.gate
    }

    /// The roles of which its route asks for one.
    pub fn needed(&self) -> Roles {
        self.needed
    }

    /// The path's parameters, as in [`Asked`]. The signed `request` is the path as it was called.
    pub fn parameter(&self) -> &str {
        &self.parameter
    }

    /// Its payload.
    pub fn payload(&self) -> &Payload {
        &self.gate.payload
    }

    /// Its query string and its payload, on a route that reads both.
    pub fn query_and_payload(&self) -> Both<'_> {
        Both { query: Query(&self.query), payload: self.payload() }
    }

    /// The same, where a field of the payload counts before the query string's.
    pub fn either(&self) -> Either<'_> {
        Either { query: self.query(), payload: self.payload() }
    }

    /// Its query string, where the route reads it.
    pub fn query(&self) -> Query<'_> {
        Query(&self.query)
    }

    /// The sender of the command that it makes; any caller of one account acts for that, named or not.
    pub fn caller(&self) -> Caller {
        caller(&self.gate, self.acting())
    }

    /// The same, of a call that has a nonce to use.
    pub fn nonce_user(&self) -> Option<Caller> {
        self.gate.key().map(|_| self.caller())
    }
}

/// Refuses an access token without a scope of the route.
fn check_scope(route: &Route, call: &gate::Call) -> Result<(), Refusal> {
    if route.any_token { Ok(()) } else { call.require_scope(route.scopes) }
}

/// Refuses an account of a kind that the route does not act on (AUTH-018), and a closed one where it would trade (ACCT-013). The core lets no trader's key belong to an account
/// that does not trade, so that of keys only a master key can name one; nearly every order need not wait for the views' lock.
fn check_kind(
    app: &App,
    route: &Route,
    call: &gate::Call,
    account: Option<AccountId>,
) -> Result<(), Refusal> {
    let is_known = match route.kinds {
        Kinds::Any => true,
        Kinds::Trading => call.key().is_some_and(|key| matches!(key.owner, Owner::Account(_))),
        Kinds::Derivatives | Kinds::Margin | Kinds::Exchange => false,
    };
    let Some(id) = account.filter(|_| !is_known) else { return Ok(()) };
    let views = app.exchange.views();
    let access = views.state().access();
    let Some(account) = access.account(id) else { return Ok(()) };
    let trades = route.kinds == Kinds::Trading;
    let is_used = trades || (route.kinds == Kinds::Exchange && route.kind == Kind::Write);
    if is_used && access.is_closed(id) {
        return Err(field::closed_account(&account.short_name));
    }
    match route.kinds.has(account.kind) {
        true => Ok(()),
        false if trades => Err(field::custody_account(&account.short_name)),
        false => Err(field::wrong_kind(&account.short_name, account.kind.name())),
    }
}

/// Takes from the account's own limit.
fn draw(app: &App, route: &Route, account: Option<AccountId>) -> Result<(), Refusal> {
    match route.account_limit.zip(account) {
        Some((limit, account)) => app.gate.account(limit, account, app.uptime()),
        None => Ok(()),
    }
}

/// The sender of the command that uses the nonce of a refused call; none of an access token or a browser, which have no nonces.
pub fn nonce_user(call: &gate::Call, account: Option<AccountId>) -> Option<Caller> {
    call.key().map(|_| caller(call, account))
}

/// The sender of the command for a call of the gate.
fn caller(call: &gate::Call, account: Option<AccountId>) -> Caller {
    Caller { session: call.session(), account, nonce: call.nonce }
}

/// Refuses `null` in the field `account`, on a route for master keys, which needs it (D-169).
fn check_named(payload: &Payload) -> Result<(), Refusal> {
    if payload.is_null("account") {
        return Err(Refusal::bad_field("account", "a string", &Value::Null));
    }
    Ok(())
}

/// The account that a call acts on: the caller's own, or the one of its group that it names or chose (AUTH-016 to AUTH-019).
fn acting_account(app: &App, call: &gate::Call) -> Result<AccountId, Refusal> {
    // Nearly every call names none, and need not wait for the views' lock.
    match (named_account(app, call)?.or(call.chosen()), call.owner()) {
        (Some(account), _) | (None, Owner::Account(account)) => Ok(account),
        (None, Owner::Group(_)) => {
            let caller = if call.key().is_some() { "A master key" } else { "The call" };
            let message = format!("{caller} must name the account it acts on in the field 'account'");
            Err(Refusal::new(Reason::MissingAccounts, message))
        }
    }
}

/// The account that the payload names, which must be one of this caller's (D-11).
fn named_account(app: &App, call: &gate::Call) -> Result<Option<AccountId>, Refusal> {
    match Acting::of(&call.payload).account() {
        None => Ok(None),
        Some(Value::Text(name)) => account_of(app, call, &name).map(Some),
        Some(Value::Array(raw)) => {
            let message = format!("Field 'account' must name a single account, not several: {}", quoted(raw));
            Err(Refusal::new(Reason::MoreThanOneAccount, message))
        }
        Some(other) => Err(Refusal::bad_field("account", "a string", &other)),
    }
}

/// The account of this name, if the caller may name it.
fn account_of(app: &App, call: &gate::Call, name: &str) -> Result<AccountId, Refusal> {
    let views = app.exchange.views();
    let access = views.state().access();
    match call.owner() {
        Owner::Account(own) => {
            let is_own = access.account(own).is_some_and(|account| account.short_name == name);
            is_own.then_some(own).ok_or_else(|| {
                let caller = if call.is_token() { "token" } else { "key" };
                let message = format!(
                    "Field 'account' is for master keys only, and '{}' is not this {caller}'s account",
                    quoted(name)
                );
                Refusal::new(Reason::AccountsOnGroupOnlyApi, message)
            })
        }
        Owner::Group(group) => access.find_account(group, name).ok_or_else(|| {
            let message = format!("Field 'account' names no account of this group: '{}'", quoted(name));
            Refusal::new(Reason::InvalidAccountName, message)
        }),
    }
}
