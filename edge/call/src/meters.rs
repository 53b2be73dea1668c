//! The metrics of the interface: requests, refusals, and the time at the gate.
//!
//! Labels come from fixed lists: the paths of the table of routes as they stand there, a few methods, the statuses and reasons of
//! the interface. No path, name or value of a client becomes a label.

use crate::app::App;
use crate::hour::Point;
use crate::route::Route;
use crate::table::Table;
use buttonwood_driver::Chains;
use buttonwood_gate::Reason;
use buttonwood_http::OpenConnections;
use buttonwood_metrics::{Counts, Histogram, Kind, Page, Switch, Tally, Unit};
use buttonwood_sequencer::Exchange;
use http::{Method, StatusCode};
use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The labels of requests that are for no route of the table. Those of other crates follow them.
const OUTSIDE: [&str; 7] =
    [UNKNOWN, "page", STREAM, "/openapi.json", "/asyncapi.json", "/health/live", "/health/ready"];
const UNKNOWN: &str = "unknown";
const STREAM: &str = "stream";
const METHODS: [&str; 4] = ["GET", "HEAD", "POST", "other"];
/// Statuses with a label of their own, those of most requests first.
const STATUSES: [&str; 22] = [
    "200", "400", "429", "406", "404", "403", "401", "405", "408", "413", "414", "415", "417", "431", "500",
    "501", "503", "301", "304", "101", "426", "other",
];

/// The counters of the interface.
#[derive(Debug)]
pub(crate) struct Meters {
    pub(crate) switch: Switch,
    table: &'static Table,
    /// The labels of requests outside of the table of routes.
    outside: Vec<&'static str>,
    /// A counter for each route, method and status.
    requests: Counts,
    refusals: Counts,
    gate: Histogram,
    /// The rows of the routes that place orders, and the time from the arrival of such a request to its answer.
    order_rows: Vec<usize>,
    orders: Histogram,
    /// Counts the connections that are open.
    connections: OnceLock<OpenConnections>,
}

/// The figures that a page of operators shows, as of one moment.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The last published command.
    pub seq: u64,
    /// Requests that were refused.
    pub refusals: u64,
    /// Open connections.
    pub connections: u64,
    /// The times in nanoseconds from the arrival of requests that place orders to their answers.
    pub times: Tally,
}

/// A request as it is counted: its method, and the place of its route in the table, which is found while it is answered.
#[derive(Debug)]
pub(crate) struct Counted {
    method: usize,
    /// Its row, and the name of that row.
    place: Cell<(usize, &'static str)>,
    /// When it arrived, if figures are collected.
    pub arrived: Option<Instant>,
}

impl Counted {
    /// The route's path as in the table, or the name of the place outside of it.
    pub(crate) fn route(&self) -> &'static str {
        self.place.get().1
    }

    /// The method, as it is counted.
    pub(crate) fn method(&self) -> &'static str {
        METHODS.get(self.method).copied().unwrap_or("other")
    }
}

impl Meters {
    /// Meters that know these labels of requests outside of the table too.
    pub(crate) fn new(table: &'static Table, labels: impl IntoIterator<Item = &'static str>) -> Self {
        let mut outside = OUTSIDE.to_vec();
        for label in labels {
            if !outside.contains(&label) {
                outside.push(label);
            }
        }
        Self {
            switch: Switch::default(),
            table,
            requests: Counts::new((table.routes().len() + outside.len()) * METHODS.len() * STATUSES.len()),
            outside,
            refusals: Counts::new(Reason::ALL.len()),
            gate: Histogram::new(Unit::Seconds),
            order_rows: (0..)
                .zip(table.routes())
                .filter(|(_, route)| route.orders.is_some())
                .map(|(row, _)| row)
                .collect(),
            orders: Histogram::new(Unit::Seconds),
            connections: OnceLock::new(),
        }
    }

    /// A request that has just arrived.
    pub(crate) fn arrived(&self, method: &Method) -> Counted {
        let method = place(&METHODS, method.as_str());
        Counted { method, place: Cell::new((self.table.routes().len(), UNKNOWN)), arrived: self.switch.now() }
    }

    /// Notes the route of a request.
    pub(crate) fn is_for(&self, request: &Counted, route: &Route) {
        let same = |known: &&Route| known.path == route.path && known.method == route.method;
        let place = self.table.routes().iter().position(same).map(|row| (row, route.path));
        request.place.set(place.unwrap_or_else(|| self.row_outside(STREAM)));
    }

    /// Notes that a request is for a path outside of the table, under this label.
    pub(crate) fn is_outside(&self, request: &Counted, label: &str) {
        request.place.set(self.row_outside(label));
    }

    /// The row of a label outside of the table, and the label as it stands there. One that is not known counts as an unknown path.
    fn row_outside(&self, label: &str) -> (usize, &'static str) {
        let first = self.table.routes().len();
        let found = self.outside.iter().enumerate().find(|(_, known)| **known == label);
        found.map_or((first, UNKNOWN), |(place, known)| (first + place, *known))
    }

    /// Counts a request by its answer.
    pub(crate) fn answered(&self, request: &Counted, status: StatusCode) {
        if self.switch.is_on() {
            let route = request.place.get().0;
            let row = route * METHODS.len() + request.method;
            self.requests.add(row * STATUSES.len() + place(&STATUSES, status.as_str()), 1);
            if self.order_rows.contains(&route)
                && let Some(arrived) = request.arrived
            {
                self.orders.observe_time(arrived.elapsed());
            }
        }
    }

    /// The figures of this moment.
    pub(crate) fn figures(&self, exchange: &Exchange) -> Figures {
        let refusals = (0..Reason::ALL.len()).map(|number| self.refusals.get(number)).sum();
        let connections = self.connections.get().map_or(0, OpenConnections::count);
        Figures {
            seq: exchange.progress().seq,
            refusals,
            connections: u64::try_from(connections).unwrap_or(u64::MAX),
            times: self.orders.tally(),
        }
    }

    /// Counts a refusal.
    pub(crate) fn refused(&self, reason: Reason) {
        if self.switch.is_on()
            && let Some(number) = Reason::ALL.iter().position(|known| *known == reason)
        {
            self.refusals.add(number, 1);
        }
    }

    /// Notes that a signed request has passed the gate now, after waiting for its turn for this long. Returns the moment.
    pub(crate) fn admitted(&self, request: &Counted, waited: Duration) -> Option<Instant> {
        let (arrived, now) = (request.arrived?, Instant::now());
        self.gate.observe_time(now.saturating_duration_since(arrived).saturating_sub(waited));
        Some(now)
    }

    fn write_requests(&self, page: &mut Page) {
        let name = "buttonwood_requests_total";
        page.family(name, Kind::Counter, "Answered requests by route, method and status.");
        let names = self.table.routes().iter().map(|route| route.path).chain(self.outside.iter().copied());
        for (row, row_name) in names.enumerate() {
            for (method, method_name) in METHODS.iter().enumerate() {
                for (status, status_name) in STATUSES.iter().enumerate() {
                    let count = self.requests.get((row * METHODS.len() + method) * STATUSES.len() + status);
                    if count > 0 {
                        let labels = [("route", row_name), ("method", method_name), ("status", status_name)];
                        page.sample(name, &labels, count);
                    }
                }
            }
        }
    }

    fn write_refusals(&self, page: &mut Page) {
        let name = "buttonwood_refusals_total";
        page.family(name, Kind::Counter, "Refused requests by reason.");
        let mut of_rates = 0;
        for (number, reason) in Reason::ALL.iter().enumerate() {
            let count = self.refusals.get(number);
            page.sample(name, &[("reason", reason.name())], count);
            if *reason == Reason::RateLimit {
                of_rates = count;
            }
        }
        let help = "Requests refused because of a limit on requests a second.";
        page.single("buttonwood_rate_refusals_total", Kind::Counter, help, of_rates);
    }
}

impl App {
    /// Collects metrics from now on.
    pub fn measure(&self) {
        self.meters.switch.turn_on();
        self.exchange.measure();
    }

    /// Counts the open connections here from now on.
    pub fn count_connections(&self, connections: OpenConnections) {
        // An app is served once.
        let _ = self.meters.connections.set(connections);
    }

    /// The figures of this moment. Figures are collected from the first call on.
    pub fn figures(&self) -> Figures {
        if !self.meters.switch.is_on() {
            self.measure();
        }
        self.meters.figures(&self.exchange)
    }

    /// The figures of the last hour by minute, the oldest first.
    pub fn last_hour(&self) -> Vec<Point> {
        self.hour.points()
    }

    /// Writes the metrics of the interface and of its exchange.
    pub fn write_metrics(&self, page: &mut Page) {
        self.meters.write_requests(page);
        self.meters.write_refusals(page);
        let name = "buttonwood_stage_seconds";
        let help = "Time of a command in each stage, in seconds: gate (from its arrival until it is admitted, without a wait for \
                    its turn), queue (until its batch goes to the journal), commit (until that is durable), publish (until its \
                    answer is made). Calls that only read have the gate alone.";
        page.family(name, Kind::Histogram, help);
        self.meters.gate.write(name, &[("stage", "gate")], page);
        self.exchange.write_stages(name, page);
        self.exchange.write_metrics(page);
        let help = "Withdrawals and moves of custody that wait because the house's wallets cannot pay them.";
        let waiting = self.settings.chains.as_ref().map_or(0, Chains::waiting);
        page.single("buttonwood_wallet_waiting", Kind::Gauge, help, waiting);
        self.people.write_metrics(page);
        let ready = u8::from(self.is_ready());
        page.single("buttonwood_ready", Kind::Gauge, "Whether orders are taken.", ready);
    }
}

/// The place of a word, or the last one for any other.
fn place(words: &[&str], word: &str) -> usize {
    words.iter().position(|known| *known == word).unwrap_or(words.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Face;

    static TABLE: Table = Table::new(&[Face { routes: &[ORDER], ..Face::NONE }]);

    const ORDER: Route = Route::reading("/v1/order/new", |_, _| unreachable!("not called"));

    fn text(meters: &Meters) -> String {
        let mut page = Page::default();
        meters.write_requests(&mut page);
        meters.write_refusals(&mut page);
        page.finish()
    }

    /// Every request is counted once, under labels of fixed lists.
    #[test]
    fn labels_come_from_fixed_lists() {
        let meters = Meters::new(&TABLE, ["page", "/site/signin"]);
        meters.answered(&meters.arrived(&Method::GET), StatusCode::OK);
        assert!(!text(&meters).contains("route="), "nothing is counted before it is switched on");
        meters.switch.turn_on();
        let (order, page, odd) =
            (meters.arrived(&Method::POST), meters.arrived(&Method::GET), meters.arrived(&Method::PATCH));
        meters.is_for(&order, &ORDER);
        meters.is_outside(&page, "page");
        let health = meters.arrived(&Method::HEAD);
        meters.is_outside(&health, "/health/ready");
        let call = meters.arrived(&Method::POST);
        meters.is_outside(&call, "/site/signin");
        meters.answered(&call, StatusCode::UNAUTHORIZED);
        assert_eq!((call.route(), odd.route()), ("/site/signin", "unknown"));
        for _ in 0..3 {
            meters.answered(&order, StatusCode::OK);
        }
        meters.answered(&page, StatusCode::NOT_FOUND);
        meters.answered(&odd, StatusCode::IM_A_TEAPOT);
        meters.answered(&health, StatusCode::SERVICE_UNAVAILABLE);
        meters.refused(Reason::RateLimit);
        let text = text(&meters);
        for line in [
            "buttonwood_requests_total{route=\"/v1/order/new\",method=\"POST\",status=\"200\"} 3\n",
            "buttonwood_requests_total{route=\"/site/signin\",method=\"POST\",status=\"401\"} 1\n",
            "buttonwood_requests_total{route=\"page\",method=\"GET\",status=\"404\"} 1\n",
            "buttonwood_requests_total{route=\"unknown\",method=\"other\",status=\"other\"} 1\n",
            "buttonwood_requests_total{route=\"/health/ready\",method=\"HEAD\",status=\"503\"} 1\n",
            "buttonwood_refusals_total{reason=\"RateLimit\"} 1\n",
            "buttonwood_refusals_total{reason=\"InvalidNonce\"} 0\n",
            "buttonwood_rate_refusals_total 1\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
        assert_eq!(text.matches("route=").count(), 5, "{text}");
    }

    /// Every status of a reason has a label of its own.
    #[test]
    fn every_status_has_a_label() {
        for reason in Reason::ALL {
            assert!(STATUSES.contains(&reason.status().to_string().as_str()), "{}", reason.name());
        }
    }
}
