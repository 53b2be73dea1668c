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

/// Orders are taken also while the history's database lags; the operator sees why it does.
fn ready(app: &App) -> String {
    match app.exchange.tables_trouble() {
        None => "ready\n".to_owned(),
        Some(trouble) => format!("ready\nthe history's database lags: {trouble}\n"),
    }
}
