//! The listener for metrics: `/metrics` in Prometheus' text format, on a thread of its own.

use crate::trouble::Trouble;
use buttonwood_call::App;
use buttonwood_http::{Fault, Handler, OpenConnections, Reply, Request, Server};
use buttonwood_metrics::{Kind, Page, write_process};
use buttonwood_sequencer::{HISTORY_DIR, JOURNAL_DIR};
use http::{Method, StatusCode};
use std::net::{IpAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The one path.
const PATH: &str = "/metrics";

/// The exchange that the metrics are about.
struct Metrics {
    app: Arc<App>,
    connections: OpenConnections,
    data: PathBuf,
}

/// Serves the metrics of a running exchange.
pub(crate) fn serve(
    listener: TcpListener,
    app: Arc<App>,
    connections: OpenConnections,
    data: &Path,
) -> Result<Server, Trouble> {
    let trouble = |error| Trouble::System(format!("cannot serve metrics: {error}"));
    let address = listener.local_addr().map_err(trouble)?;
    let metrics = Arc::new(Metrics { app, connections, data: data.to_owned() });
    let server = buttonwood_http::serve_aside(listener, metrics, "metrics").map_err(trouble)?;
    tracing::info!("metrics are at http://{address}{PATH}");
    Ok(server)
}

impl Metrics {
    fn page(&self) -> String {
        let mut page = Page::default();
        self.app.write_metrics(&mut page);
        let help = "Open connections of clients.";
        page.single("buttonwood_connections", Kind::Gauge, help, self.connections.count());
        let help = "Bytes of the journal's segments on the disk, with the part that is reserved ahead.";
        let journal = bytes_in(&self.data.join(JOURNAL_DIR), |name| name.ends_with(".segment"));
        page.single("buttonwood_journal_bytes", Kind::Gauge, help, journal);
        let help = "Bytes of the history's files and database.";
        page.single(
            "buttonwood_history_bytes",
            Kind::Gauge,
            help,
            bytes_in(&self.data.join(HISTORY_DIR), |_| true),
        );
        page.family("buttonwood_build_info", Kind::Gauge, "The version of the binary.");
        page.sample("buttonwood_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        write_process(&mut page);
        page.finish()
    }
}

impl Handler for Metrics {
    async fn answer(&self, request: Request<'_>) -> Reply {
        if let Err(fault) = request.check_framing() {
            return Self::refuse(fault);
        }
        let method = &request.head.method;
        match request.head.uri.path() {
            PATH if [Method::GET, Method::HEAD].contains(method) => {
                Reply::plain(Page::CONTENT_TYPE, self.page()).uncached()
            }
            PATH => Reply::text(StatusCode::METHOD_NOT_ALLOWED, "GET or HEAD\n").allowing("GET, HEAD"),
            _ => Reply::text(StatusCode::NOT_FOUND, "metrics are at /metrics\n"),
        }
    }

    fn thread_task(&self) -> impl Future<Output = ()> + 'static {
        std::future::ready(())
    }

    fn sharer(&self, address: IpAddr) -> Option<IpAddr> {
        Some(address)
    }

    fn refuse(fault: Fault) -> Reply {
        let status = StatusCode::from_u16(fault.status()).unwrap_or(StatusCode::BAD_REQUEST);
        Reply::text(status, format!("{fault}\n")).closing()
    }
}

/// Bytes of the files in a folder whose names are wanted. A file that goes away counts for nothing.
fn bytes_in(folder: &Path, is_wanted: fn(&str) -> bool) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let wanted = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_wanted));
    wanted.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
}
