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

/// Orders are taken also while a part of the history cannot be read, or its database lags; the operator sees why.
fn ready(app: &App) -> String {
    let line = |what: &str, trouble: Option<String>| {
        trouble.map_or_else(String::new, |trouble| format!("the history{what}: {trouble}\n"))
    };
    let history = line(" is incomplete", app.exchange.history_trouble());
    let tables = line("'s database lags", app.exchange.tables_trouble());
    format!("ready\n{history}{tables}")
}
