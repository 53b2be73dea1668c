//! The table of routes, composed of the faces of all subjects. It gives roles, scopes, rate limits and kinds of accounts; the contract is
//! made from it.

use crate::auth::Auth;
use crate::contract;
use crate::report::Report;
use crate::route::{Orders, Route};
use crate::streams::{STREAMS, Streams};
use buttonwood_operate::{Catalogue, Command, placed};
use std::sync::{Arc, OnceLock};

/// A subject of the interface: the parts that it adds.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// Its endpoints, its control calls of the sandbox among them.
    pub routes: &'static [Route],
    /// Its commands of operators.
    pub commands: &'static [Command],
    /// Its streams of the newest socket about an account.
    pub reports: &'static [Report],
}

impl Face {
    /// A face without anything.
    pub const NONE: Self = Self { routes: &[], commands: &[], reports: &[] };
}

/// The table of routes.
#[derive(Debug)]
pub struct Table {
    faces: &'static [Face],
    /// The calls of clients by face, then the control calls.
    routes: OnceLock<Vec<&'static Route>>,
    catalogue: OnceLock<Arc<Catalogue>>,
    reports: OnceLock<Vec<&'static Report>>,
    contract: OnceLock<String>,
    events: OnceLock<String>,
}

/// The result of looking up a path and a method.
#[derive(Debug)]
pub enum Found<'a> {
    /// This route, with the path's parameter.
    Route(&'static Route, &'a str),
    /// The path is that of this route, which takes other methods.
    OtherMethod(&'static Route),
    /// No such path.
    Nothing,
}

impl Table {
    /// The table of these faces.
    pub const fn new(faces: &'static [Face]) -> Self {
        Self {
            faces,
            routes: OnceLock::new(),
            catalogue: OnceLock::new(),
            reports: OnceLock::new(),
            contract: OnceLock::new(),
            events: OnceLock::new(),
        }
    }

    /// Every endpoint but the streams: the calls of clients in the order of the faces, then the control calls.
    pub fn routes(&self) -> &[&'static Route] {
        self.routes.get_or_init(|| {
            let all = || self.faces.iter().flat_map(|face| face.routes);
            let is_control = |route: &&Route| route.auth == Auth::Control;
            let is_first = |route: &Route| route.auth == Auth::Control && route.after.is_none();
            let calls = all().filter(|route| !is_control(route) && route.after.is_none());
            let first = calls.chain(all().filter(|route| is_first(route))).collect();
            let added = all().filter(|route| route.after.is_some()).collect();
            placed(first, added, |route| route.path, |route| route.after)
        })
    }

    /// Every endpoint, the streams last.
    pub fn all(&self) -> impl Iterator<Item = &'static Route> {
        self.routes().iter().copied().chain(STREAMS)
    }

    /// The commands of operators: those of `operate`, and those of the faces.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        let all = || Arc::new(Catalogue::new(self.faces.iter().flat_map(|face| face.commands)));
        Arc::clone(self.catalogue.get_or_init(all))
    }

    /// The streams about an account, in the order of the faces. A report's number is its place in this list, until the process ends.
    pub fn reports(&self) -> &[&'static Report] {
        self.reports.get_or_init(|| self.faces.iter().flat_map(|face| face.reports).collect())
    }

    /// The contract of the interface, as a JSON text.
    pub fn openapi(&'static self) -> &'static str {
        self.contract.get_or_init(|| contract::document(self).pretty())
    }

    /// The contract of the streams, as a JSON text.
    pub(crate) fn events(&'static self, streams: &dyn Streams) -> &'static str {
        self.events.get_or_init(|| streams.contract(self))
    }

    /// Looks a request up; control calls exist in a sandbox only (D-30). HEAD is answered as GET
    /// (RFC 9110, 9.1).
    pub fn find<'a>(&self, method: &str, path: &'a str, sandbox: bool) -> Found<'a> {
        let mut other = None;
        for route in self.all().filter(|route| sandbox || route.auth != Auth::Control) {
            if let Some(parameter) = route.matches(path) {
                if route.method == method || (route.method, method) == ("GET", "HEAD") {
                    return Found::Route(route, parameter);
                }
                other = Some(route);
            }
        }
        other.map_or(Found::Nothing, Found::OtherMethod)
    }

    /// The private endpoint at a path, with the parameters of the path.
    pub fn find_private<'a>(&self, path: &'a str) -> Option<(&'static Route, &'a str)> {
        let is_private = |route: &&Route| match route.auth {
            Auth::Account | Auth::Master | Auth::Group | Auth::Session | Auth::Token => true,
            Auth::Public | Auth::Control => false,
        };
        self.all().filter(is_private).find_map(|route| Some((route, route.matches(path)?)))
    }

    /// The endpoints that place one order.
    pub fn placing(&self) -> impl Iterator<Item = (&'static Route, &'static Orders)> {
        self.routes().iter().filter_map(|route| Some((*route, route.orders?)))
    }

    /// Whether a browser must have given a code less than five minutes ago to make the call that `request` names: a path, with or without
    /// its first slash and its query string.
    pub fn needs_code(&self, request: &str) -> bool {
        let path = request.split('?').next().unwrap_or_default();
        let path = format!("/{}", path.strip_prefix('/').unwrap_or(path));
        self.all().any(|route| route.needs_code() && route.matches(&path).is_some())
    }
}
