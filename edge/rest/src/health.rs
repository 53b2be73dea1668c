//! Health checks, outside every limit.

use crate::app::App;
use buttonwood_http::Reply;
use http::StatusCode;

/// Whether a path is a health check.
pub(crate) fn is_check(path: &str) -> bool {
    matches!(path, "/health/live" | "/health/ready")
}

/// The answer to a health check, if the path is one.
pub(crate) fn answer(app: &App, path: &str) -> Option<Reply> {
    let reply = match path {
        "/health/live" => Reply::text(StatusCode::OK, "live\n"),
        "/health/ready" if app.is_ready() => Reply::text(StatusCode::OK, ready(app)),
        "/health/ready" if app.is_halted() => {
            Reply::text(StatusCode::SERVICE_UNAVAILABLE, "not ready\ntrading is halted\n")
        }
        "/health/ready" => Reply::text(StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
        _ => return None,
    };
    Some(reply.uncached())
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
