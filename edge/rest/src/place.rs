//! The part of the exchange that a request is for.

use crate::app::App;
use crate::auth::Auth;
use crate::outside::Beyond;
use crate::route::Route;
use crate::routes::{Found, find};
use buttonwood_http::Entrance;
use http::request::Parts;

/// The place that a request's path and method lead to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// This route, with the path's parameter.
    Route(&'static Route, &'a str),
    /// The path of this route, with a method that it does not take.
    OtherMethod(&'static Route),
    /// A path outside of the table, with any method.
    Beyond(Beyond<'a>),
    /// No such path.
    Nothing,
}

impl<'a> Place<'a> {
    /// The place of a request. A path outside of the table takes precedence over a route that is not built.
    ///
    /// Pages and the authorization server may have a listener of their own: the other one has none of their paths then, and theirs has
    /// none of the interface. Health checks and the contract, which a page reads, are at both.
    pub(crate) fn find(app: &'a App, entrance: Entrance, head: &'a Parts) -> Self {
        let place = Self::of_path(app, head);
        let is_here = match (&place, entrance) {
            _ if app.settings.pages == Entrance::Main => true,
            (Self::Beyond(Beyond::Health(_) | Beyond::Contract) | Self::Nothing, _) => true,
            (Self::Beyond(Beyond::Data(_) | Beyond::Handler(..)), entrance) => entrance == Entrance::Side,
            (Self::Route(..) | Self::OtherMethod(_), entrance) => entrance == Entrance::Main,
        };
        if is_here { place } else { Self::Nothing }
    }

    fn of_path(app: &'a App, head: &'a Parts) -> Self {
        let path = head.uri.path();
        let (route, place) = match find(head.method.as_str(), path, app.settings.sandbox) {
            Found::Route(route, parameter) => (Some(route), Self::Route(route, parameter)),
            Found::OtherMethod(route) => (Some(route), Self::OtherMethod(route)),
            Found::Nothing => (None, Self::Nothing),
        };
        if route.is_some_and(Route::is_built) {
            return place;
        }
        Beyond::find(&app.settings, path).map_or(place, Self::Beyond)
    }

    /// The methods that the path takes; none if there is no such path.
    pub(crate) fn methods(&self) -> Option<&'static str> {
        match self {
            Self::Route(route, _) | Self::OtherMethod(route) => Some(route.methods()),
            Self::Beyond(beyond) => Some(beyond.methods()),
            Self::Nothing => None,
        }
    }

    /// Whether pages of other sites may make calls of the path and read the answers, refusals too: those of the whole interface may, but
    /// not those of the sandbox's control calls.
    pub(crate) fn is_open(&self) -> bool {
        match self {
            Self::Route(route, _) | Self::OtherMethod(route) => route.auth != Auth::Control,
            Self::Beyond(beyond) => beyond.is_open(),
            Self::Nothing => false,
        }
    }

    /// Whether a request is served in maintenance too.
    pub(crate) fn goes_on(&self) -> bool {
        match self {
            Self::Route(route, _) => route.auth == Auth::Control,
            Self::Beyond(beyond) => matches!(beyond, Beyond::Health(_)),
            Self::OtherMethod(_) | Self::Nothing => false,
        }
    }
}
