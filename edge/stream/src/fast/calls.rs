//! Calls of the newest socket that place no orders.

use super::Shared;
use super::names::{self, Named};
use super::rpc::{self, Fault, Id, Request};
use crate::limits::{ATTEMPTS, Allowed, ORDERS_DAY, ORDERS_SHORT, WEIGHT, levels_of, weight_of};
use crate::socket::Answer;
use crate::topic::{AccountFeed, Topic};
use buttonwood_call::{App, SocketRight, Table};
use buttonwood_gate::{Opener, Value, items, quoted};
use buttonwood_model::{Role, Roles, Scope, Scopes, Side};
use buttonwood_num::{Price, Qty};
use buttonwood_wire::Json;

/// Names of one call at most.
const NAMES_MAX: usize = 1_024;
/// Levels of each side without a limit in the call.
const DEPTH_USUAL: u64 = 100;
/// Levels of each side at most; a higher limit counts as this one.
const DEPTH_MAX: u64 = 5_000;

/// The exchange's time.
pub(super) fn time(app: &App, id: &Id) -> Answer {
    let now = app.now();
    rpc::answer(id, |json| json.object_field("result", |json| json.number("serverTime", now.millis())))
}

/// The limits, and what is used of them.
pub(super) fn conninfo(shared: &Shared, id: &Id) -> Answer {
    let (limits, now) = (&shared.started.limits, shared.started.app.uptime());
    let [short, day] =
        shared.opener.borrow().as_ref().map_or([0; 2], |opener| limits.orders_of(opener.session(), now));
    let rows = [
        (WEIGHT, shared.weight.borrow().count(WEIGHT, now)),
        (ORDERS_SHORT, short),
        (ORDERS_DAY, day),
        (ATTEMPTS, limits.attempts_of(shared.client, shared.by, now)),
    ];
    rpc::answer(id, |json| {
        json.array_field("rateLimits", rows, |json: &mut Json, (limit, count): (Allowed, u32)| {
            json.object(|json| {
                json.plain("rateLimitType", limit.kind);
                json.plain("interval", limit.interval);
                json.number("intervalNum", limit.intervals);
                json.number("limit", limit.limit.into());
                json.number("count", count.into());
            });
        });
    })
}

/// The names of a call about subscriptions.
pub(super) fn names(request: &Request) -> Result<Vec<String>, Fault> {
    let raw = match request.message.field("params") {
        Some(Value::Array(raw)) => raw,
        None => return Err(Fault::invalid("Missing required field 'params': an array of stream names")),
        Some(other) => {
            let text = format!("Field 'params' must be an array of stream names: {}", quoted(other.shown()));
            return Err(Fault::invalid(text));
        }
    };
    let mut names = Vec::new();
    for item in items(raw) {
        let Value::Text(name) = item else {
            let text = format!("Field 'params' must be an array of stream names: {}", quoted(item.shown()));
            return Err(Fault::invalid(text));
        };
        names.push(name.into_owned());
        if names.len() > NAMES_MAX {
            return Err(Fault::invalid(format!("Field 'params' has more than {NAMES_MAX} names")));
        }
    }
    if names.is_empty() {
        return Err(Fault::invalid("Field 'params' names no stream"));
    }
    Ok(names)
}

/// The topic of a name.
pub(super) fn topic(shared: &Shared, name: &str) -> Result<Topic, Fault> {
    let unknown = || Fault::invalid(format!("Unknown stream '{}'", quoted(name)));
    let app = &shared.started.app;
    let reports = app.table().reports();
    let (symbol, named) = names::parse(reports, name).ok_or_else(unknown)?;
    match named {
        Named::OfSymbol(feed) => {
            let (id, _) = app.find_any(symbol).ok_or_else(|| {
                Fault::invalid(format!("Unknown symbol '{}' in stream '{}'", quoted(symbol), quoted(name)))
            })?;
            Ok(Topic::Market(id, feed))
        }
        Named::ContractStatus => Ok(Topic::ContractStatus),
        Named::Orders { is_session } => {
            let opener = allowed(shared, &READ_ORDERS)?;
            Ok(names::orders(opener.account, opener.session(), is_session))
        }
        Named::Report(number, pace) => {
            let report = reports.get(usize::from(number)).ok_or_else(unknown)?;
            let account = allowed(shared, &report.right)?.account;
            Ok(Topic::Account(account, AccountFeed::Report(number, pace)))
        }
    }
}

/// The right that reading a topic needs; none of a public one.
pub(super) fn right_to_read(table: &'static Table, topic: &Topic) -> Option<&'static SocketRight> {
    match topic {
        Topic::Account(_, AccountFeed::Report(number, _)) => {
            let report = table.reports().get(usize::from(*number));
            Some(report.map_or(&READ_ORDERS, |report| &report.right))
        }
        Topic::Account(_, AccountFeed::Events | AccountFeed::Orders(_)) | Topic::Group(_) => {
            Some(&READ_ORDERS)
        }
        Topic::Market(..) | Topic::ContractStatus => None,
    }
}

/// Whether an opener has a right.
pub(super) fn has(opener: &Opener, right: &SocketRight) -> bool {
    check(opener, right).is_ok()
}

/// To read orders.
const READ_ORDERS: SocketRight =
    SocketRight { roles: &[Role::Trader, Role::Auditor], scope: Scope::OrdersRead };
/// To place and cancel orders.
pub(super) const TRADE: SocketRight = SocketRight { roles: &[Role::Trader], scope: Scope::OrdersCreate };

/// Who opened the socket, if that may use a right.
///
/// # Errors
/// 401 for a public socket, 403 for one without the role or the scope.
pub(super) fn allowed(shared: &Shared, right: &SocketRight) -> Result<Opener, Fault> {
    shared.be_current()?;
    let opener = shared.opener.borrow().clone().ok_or_else(Fault::unauthorized)?;
    check(&opener, right)?;
    Ok(opener)
}

fn check(opener: &Opener, right: &SocketRight) -> Result<(), Fault> {
    if opener.only_reads() && right.scope == Scope::OrdersCreate {
        return Err(forbidden("A socket that a page opened only reads"));
    }
    if opener.scopes().is_some_and(|scopes| !scopes.allows(Scopes::of(&[right.scope]))) {
        return Err(forbidden(&format!("The access token lacks the scope {}", right.scope.name())));
    }
    if !opener.roles().allows(Roles::of(right.roles)) {
        let names: Vec<&str> = right.roles.iter().map(|role| role.name()).collect();
        return Err(forbidden(&format!("The key has none of the roles {}", names.join(", "))));
    }
    Ok(())
}

fn forbidden(text: &str) -> Fault {
    Fault { status: 403, code: -1002, text: format!("MissingRole: {text}") }
}

/// The levels of a book. More than a hundred weigh more than other calls.
pub(super) fn depth(shared: &Shared, request: Request) -> Result<Answer, Fault> {
    let app = &shared.started.app;
    let (request_id, params) = request.into_params()?;
    let name = params.text("symbol").map_err(|refusal| Fault::of(&refusal))?;
    let name = name.ok_or_else(|| Fault::invalid("Missing required field 'symbol'"))?;
    let (id, symbol) =
        app.find_any(&name).ok_or_else(|| Fault::invalid(format!("Unknown symbol '{}'", quoted(&name))))?;
    let limit = params.integer("limit").map_err(|refusal| Fault::of(&refusal))?.unwrap_or(DEPTH_USUAL);
    if limit == 0 {
        return Err(Fault::invalid("Field 'limit' must be at least 1: 0"));
    }
    let limit = usize::try_from(limit.min(DEPTH_MAX)).unwrap_or(usize::MAX);
    let levels = levels_of(&app.exchange.views(), id, limit);
    shared.weigh(weight_of(levels))?;
    let (changed, [bids, asks]) = {
        let views = app.exchange.views();
        (
            views.levels_changed(id).0,
            [Side::Buy, Side::Sell].map(|side| views.depth().levels(id, side, limit)),
        )
    };
    let grid = &symbol.grid;
    let level = |json: &mut Json, (price, qty): (Price, Qty)| {
        json.list(|json| {
            json.decimal_item(|out| grid.push_price(out, price));
            json.decimal_item(|out| grid.push_qty(out, qty));
        });
    };
    Ok(rpc::answer(&request_id, |json| {
        json.object_field("result", |json| {
            json.number("lastUpdateId", changed);
            json.array_field("bids", bids, level);
            json.array_field("asks", asks, level);
        });
    }))
}
