//! Public calls of the exchange's own pages: those that the site passes on (`/site/public/…`).
//!
//! Not here: which pages may make them (`site`).

use crate::app::App;
use crate::auth::Auth;
use crate::call::Asked;
use crate::door::{Door, Open, Rung, climb_public};
use crate::respond::serve_public;
use crate::route::Route;
use crate::streams::is_stream;
use crate::table::{Found, Table};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::contract::Query;
use std::net::IpAddr;

/// A public call of the interface.
#[derive(Clone, Copy, Debug)]
pub struct PublicCall<'a> {
    route: &'static Route,
    parameter: &'a str,
}

/// The door of a page of the exchange, which has passed the rate of pages.
struct OfPage;

impl Door for OfPage {
    // A page is a request itself, which maintenance has refused.
    const WITHOUT: &'static [Rung] = &[Rung::Maintenance];
}

impl Open for OfPage {
    async fn let_in(&mut self, _app: &App) -> Result<(), Refusal> {
        Ok(())
    }
}

impl<'a> PublicCall<'a> {
    /// The call at a path of the interface, such as `/v1/symbols`; none if no public endpoint is there.
    pub fn find(table: &Table, path: &'a str) -> Option<Self> {
        match table.find("GET", path, false) {
            Found::Route(route, parameter) if route.auth == Auth::Public && !is_stream(route) => {
                Some(Self { route, parameter })
            }
            Found::Route(..) | Found::OtherMethod(_) | Found::Nothing => None,
        }
    }

    /// The endpoint.
    pub fn route(&self) -> &'static Route {
        self.route
    }

    /// Answers as the endpoint does, with the same body and status. It takes nothing of the public limit of the client's address.
    ///
    /// # Errors
    /// The refusals of the endpoint; 429 beyond the rate of pages.
    pub async fn answer(self, app: &App, client: IpAddr, query: &str) -> Result<Reply, Refusal> {
        app.gate.shown(client, app.uptime())?;
        climb_public(app, OfPage, (self.route, self.parameter), Query(query)).await.map(Reply::uncached)
    }

    /// The body of the endpoint's answer, for a page that has been let in.
    ///
    /// # Errors
    /// The refusals of the endpoint.
    pub async fn body(self, app: &App, query: &str) -> Result<Vec<u8>, Refusal> {
        let asked = Asked { parameter: self.parameter, query: Query(query) };
        Ok(serve_public(app, self.route, &asked).await?.body().to_vec())
    }
}
