//! Health checks, outside every limit.

use crate::app::App;
use buttonwood_http::Reply;
use http::StatusCode;

/// A health check.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    /// Whether the process answers.
    Live,
    /// Whether orders are taken.
    Ready,
}

impl Check {
    /// The health check of a path.
    pub(crate) fn find(path: &str) -> Option<Self> {
        [Self::Live, Self::Ready].into_iter().find(|check| check.path() == path)
    }

    /// Its path.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Live => "/health/live",
            Self::Ready => "/health/ready",
        }
    }

    /// Its answer.
    pub(crate) fn answer(self, app: &App) -> Reply {
        let not_ready = |why: &str| Reply::text(StatusCode::SERVICE_UNAVAILABLE, format!("not ready\n{why}"));
        let reply = match self {
            Self::Live => Reply::text(StatusCode::OK, "live\n"),
            Self::Ready if app.is_ready() => Reply::text(StatusCode::OK, ready(app)),
            Self::Ready if app.is_halted() => not_ready("trading is halted\n"),
            Self::Ready => not_ready(""),
        };
        reply.uncached()
    }
}

impl App {
    /// Why orders are not taken, and what else an operator should see to; a sentence each.
    pub fn troubles(&self) -> Vec<String> {
        let exchange = &self.exchange;
        let stops = [
            (!self.is_serving(), "the exchange is starting or stopping"),
            (self.is_in_maintenance(), "the exchange is in maintenance"),
            (self.is_halted(), "trading is halted"),
            (exchange.is_short_of_space(), "the disk is nearly full, so that only cancels are taken"),
        ];
        let stops = stops.into_iter().filter(|(is_so, _)| *is_so).map(|(_, why)| why.to_owned());
        let history = exchange.history_trouble().map(|why| format!("the history is incomplete: {why}"));
        let tables = exchange.tables_trouble().map(|why| format!("the history's database lags: {why}"));
        stops.chain(history).chain(tables).collect()
    }
}

/// Orders are taken also while a part of the history cannot be read, or its database lags; the operator sees why.
fn ready(app: &App) -> String {
    let line = |what: &str, trouble: Option<String>| {
        trouble.map_or_else(String::new, |trouble| format!("the history{what}: {trouble}\n"))
    };
    let history = line(" is incomplete", app.exchange.history_trouble());
    let tables = line("'s database lags", app.exchange.tables_trouble());
    format!("ready\n{history}{tables}")
}
