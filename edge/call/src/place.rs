//! The part of the exchange that a request is for.

use crate::app::App;
use crate::auth::Auth;
use crate::outside::Beyond;
use crate::route::Route;
use crate::streams;
use crate::table::Found;
use buttonwood_http::Entrance;
use http::Method;
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
    /// The place of a request.
    ///
    /// Pages and the authorization server may have a listener of their own: the other one has none of their paths then, and theirs has
    /// none of the interface. Health checks and the contract, which a page reads, are at both. Sockets may have one of their own, which has
    /// them and health checks alone; the others then have none of them.
    pub(crate) fn find(app: &'a App, entrance: Entrance, head: &'a Parts) -> Self {
        let place = Self::of_path(app, head);
        let settings = &app.settings;
        let is_stream =
            matches!(&place, Self::Route(route, _) | Self::OtherMethod(route) if streams::is_stream(route));
        let is_here = match (&place, entrance) {
            (Self::Beyond(Beyond::Health(_)) | Self::Nothing, _) => true,
            _ if is_stream => entrance == settings.sockets,
            (_, Entrance::Stream) => false,
            _ if settings.pages == Entrance::Main => true,
            (Self::Beyond(Beyond::Contract(..)), _) => true,
            (Self::Beyond(Beyond::Handler(..)), entrance) => entrance == Entrance::Side,
            (Self::Route(..) | Self::OtherMethod(_), entrance) => entrance == Entrance::Main,
        };
        if is_here { place } else { Self::Nothing }
    }

    fn of_path(app: &'a App, head: &'a Parts) -> Self {
        let path = head.uri.path();
        if let Some((route, parameter)) = streams::find(head, path) {
            let is_get = head.method == Method::GET;
            return if is_get { Self::Route(route, parameter) } else { Self::OtherMethod(route) };
        }
        match app.table().find(head.method.as_str(), path, app.settings.sandbox) {
            Found::Route(route, parameter) => Self::Route(route, parameter),
            Found::OtherMethod(route) => Self::OtherMethod(route),
            Found::Nothing => Beyond::find(&app.settings, path)
                .or_else(|| Beyond::find_missing(&app.settings, head))
                .map_or(Self::Nothing, Self::Beyond),
        }
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
