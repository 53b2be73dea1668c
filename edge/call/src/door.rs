//! The one ladder of checks between a caller and an endpoint.
//!
//! A door is a way in: a signed request, a call or a page of the exchange's own site, the preview of an order, an order over a socket. It
//! names how its caller is known, and each rung that it leaves out; the doors of HTTP climb the rungs in one order (D-05, Q-681). An order
//! over a socket climbs by itself, after the socket's own limits, its fields and its right; the handshake is counted between the gate and
//! the turn. A page that shows the answers of several public calls is let in once, before the first.
//!
//! Not here: the account, roles and scopes of a call, which come after the ladder (`call`), and what an endpoint does.

use crate::admission::pause;
use crate::app::App;
use crate::call::Asked;
use crate::network::with_network;
use crate::respond::{serve, serve_public};
use crate::route::Route;
use crate::unknown_fields;
use buttonwood_gate::{self as gate, Kind, Refusal};
use buttonwood_http::Reply;
use buttonwood_wire::contract::Query;
use buttonwood_wire::field;
use std::borrow::Cow;
use std::time::Instant;

/// A rung that a door may leave out. The other rungs have no name here: the fields of a query in a strict sandbox (D-176), address and body,
/// the gate, and the turn that it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// Refuses the call in maintenance, before it is looked at (ERR-009).
    Maintenance,
    /// Refuses a call that adds work while too many commands are in flight, before any work is spent on it and before its nonce is used.
    Room,
}

/// A way in.
pub trait Door {
    /// The rungs that it leaves out.
    const WITHOUT: &'static [Rung];

    /// Whether it has a rung.
    fn has(rung: Rung) -> bool {
        !Self::WITHOUT.contains(&rung)
    }

    /// The first rung, before the call is looked at.
    ///
    /// # Errors
    /// 503 `Maintenance`.
    fn begin(app: &App) -> Result<(), Refusal> {
        if Self::has(Rung::Maintenance) && app.is_in_maintenance() { Err(maintenance()) } else { Ok(()) }
    }

    /// Refuses a call of this kind that adds work while too many commands are in flight.
    ///
    /// # Errors
    /// 503.
    fn check_room(app: &App, kind: Kind) -> Result<(), Refusal> {
        if Self::has(Rung::Room) && kind == Kind::Write && !app.exchange.has_room() {
            return Err(field::busy("The exchange has more orders than it can take"));
        }
        Ok(())
    }
}

/// A door of public calls, whose callers need not be known.
pub(crate) trait Open: Door {
    /// Lets a client through.
    async fn let_in(&mut self, app: &App) -> Result<(), Refusal>;
}

/// A door of private calls.
pub(crate) trait Gated: Door {
    /// Counts the client's address and reads the body, where the door has them, before the caller is known.
    async fn come_in(&mut self, app: &App) -> Result<(), Refusal>;

    /// Lets a private call through the gate; it may have to wait for its turn.
    fn admit(&mut self, app: &App, route: &Route) -> Result<gate::Call, Refusal>;

    /// Knows the caller again, after the call has waited for its turn.
    fn renew(&self, app: &App, call: &mut gate::Call) -> Result<(), Refusal>;

    /// Notes that a call is admitted; returns the moment, if figures are collected.
    fn admitted(&self, app: &App, call: &gate::Call) -> Option<Instant>;
}

/// Climbs to a public endpoint, and answers as it does.
pub(crate) async fn climb_public<D: Open>(
    app: &App,
    mut door: D,
    (route, parameter): (&'static Route, &str),
    query: Query<'_>,
) -> Result<Reply, Refusal> {
    let named = named(app, route, parameter);
    let asked = Asked { parameter: named.as_deref().unwrap_or(parameter), query };
    check_query(app, route, query)?;
    door.let_in(app).await?;
    serve_public(app, route, &asked).await
}

/// Climbs to a private endpoint, and answers as it does. The answer is never cached.
pub(crate) async fn climb<D: Gated>(
    app: &App,
    door: D,
    (route, parameter): (&'static Route, &str),
    query: Query<'_>,
) -> Result<Reply, Refusal> {
    let named = named(app, route, parameter);
    let asked = Asked { parameter: named.as_deref().unwrap_or(parameter), query };
    let reply = reach(app, door, route, &asked).await;
    reply.map(Reply::uncached).map_err(|refusal| route.gated(refusal))
}

async fn reach<D: Gated>(
    app: &App,
    mut door: D,
    route: &'static Route,
    asked: &Asked<'_>,
) -> Result<Reply, Refusal> {
    let call = pass(app, &mut door, route, asked.query).await?;
    let at = door.admitted(app, &call);
    serve(app, route, call, asked, at).await
}

/// The parameters of a path whose first one names a network, by its own name (D-174).
pub(crate) fn named<'a>(app: &App, route: &Route, parameter: &'a str) -> Option<Cow<'a, str>> {
    route.names_network().then(|| with_network(app, parameter))
}

/// Refuses unknown fields of a query string, in a strict sandbox.
pub(crate) fn check_query(app: &App, route: &Route, query: Query<'_>) -> Result<(), Refusal> {
    if app.settings.strict {
        unknown_fields::check_query(route, query).map_err(|refusal| route.own(refusal))?;
    }
    Ok(())
}

/// Climbs from the fields of the query to the turn: fields, room, address and body, gate, turn.
pub(crate) async fn pass<D: Gated>(
    app: &App,
    door: &mut D,
    route: &Route,
    query: Query<'_>,
) -> Result<gate::Call, Refusal> {
    check_query(app, route, query)?;
    D::check_room(app, route.kind)?;
    door.come_in(app).await?;
    let mut call = door.admit(app, route)?;
    turn(app, door, &mut call).await?;
    Ok(call)
}

/// Waits for the turn that the gate gave a call, and knows its caller again.
pub(crate) async fn turn<D: Gated>(app: &App, door: &D, call: &mut gate::Call) -> Result<(), Refusal> {
    if call.wait.is_zero() {
        return Ok(());
    }
    pause(call.wait).await;
    door.renew(app, call)
}

/// The refusal of every request during maintenance but health checks and control calls, with a message that ccxt knows (facts T§7.4).
fn maintenance() -> Refusal {
    Refusal::new(gate::Reason::Maintenance, "The exchange is currently undergoing maintenance")
}
