//! A run: calls until the time is over, with a look at the law and a kill at times.

use crate::call::Call;
use crate::contract::{Operation, operations};
use crate::good::Known;
use crate::house::{self, Figures, Outside};
use crate::judge::{self, judge};
use crate::money::{units, worth};
use crate::people::People;
use crate::pool::{Pool, Source};
use crate::rng::Rng;
use crate::server::Server;
use crate::tally::Tally;
use crate::{good, junk, markets, mutate, prices, tame};
use buttonwood_client::{Error, Reply};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// Calls between two kills, at most.
const CALLS_OF_A_LIFE: u64 = 20_000;
/// Time between two kills, at most.
const LIFE: Duration = Duration::from_mins(1);
/// Calls between two looks at accounts and symbols.
const ERRAND: u64 = 500;
/// How many calls of each account a finding shows.
const RECENT: usize = 12;

/// Something that must not be: what, after which call.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) what: String,
    pub(crate) call: String,
}

type Done = Result<(), Finding>;

/// A run under way.
pub(crate) struct Run {
    pub(crate) server: Server,
    people: People,
    pool: Pool,
    pub(crate) operations: Vec<Operation>,
    rng: Rng,
    /// Calls that reached something new, by operation.
    seeds: BTreeMap<usize, Vec<Call>>,
    pub(crate) tally: Tally,
    start: Figures,
    outside: Outside,
    /// Dollars and group of each ACH credit, by eid.
    advances: BTreeMap<String, (i128, usize)>,
    /// The last calls of each key, and of the operator.
    recent: BTreeMap<Option<usize>, VecDeque<String>>,
    log: BufWriter<File>,
    now_ms: u64,
    /// The dollars of the advance that the last call returned.
    returned_now: Option<i128>,
    /// Whether the last call got a quote: it ends within a minute.
    has_quote: bool,
}

impl Run {
    /// Starts the exchange and settles everyone.
    pub(crate) fn begin(binary: &Path, seed: u64) -> Result<Self, String> {
        let mut server = Server::start(binary, seed)?;
        let people = People::settle(&server)?;
        // Before calls are nudged, which is journaled.
        junk::check(&server)?;
        if let Some(spare) = people.groups.last() {
            server.nudge_with(spare.reader.api_key());
        }
        let operations = operations(&server.get("/openapi.json")?);
        let start = house::read(&server, &people)?;
        let log = File::create(server.calls_log()).map_err(|error| format!("no log of calls: {error}"))?;
        let outside = Outside { returned: vec![0; people.groups.len()], ..Outside::default() };
        let mut run = Self {
            server,
            people,
            pool: Pool::default(),
            operations,
            rng: Rng::new(seed),
            seeds: BTreeMap::new(),
            tally: Tally::default(),
            start,
            outside,
            advances: BTreeMap::new(),
            recent: BTreeMap::new(),
            log: BufWriter::new(log),
            now_ms: 0,
            returned_now: None,
            has_quote: false,
        };
        run.look_at_clock()?;
        Ok(run)
    }

    /// Calls until the time is over, then looks at everything once more.
    pub(crate) fn go(&mut self, time: Duration) -> Done {
        let deadline = Instant::now() + time;
        let (mut life, mut calls) = (Instant::now(), 0);
        while Instant::now() < deadline {
            self.step()?;
            calls += 1;
            if calls % ERRAND == 0 {
                self.errand().map_err(|why| finding(why, "after the last call"))?;
            }
            if calls >= CALLS_OF_A_LIFE || life.elapsed() > LIFE {
                self.check()?;
                (life, calls) = (Instant::now(), 0);
            }
        }
        self.check()?;
        self.server.verify().map_err(|why| finding(why, "at the end"))
    }

    /// One call and its answer.
    fn step(&mut self) -> Done {
        let place = self.next_place();
        let Some(operation) = self.operations.get(place).cloned() else { return Ok(()) };
        let mut call = self.compose(place, &operation);
        tame::tame(&operation, &mut call);
        let shown = self.note(&operation, &call);
        let source = self.before_settling(&operation);
        let key = call.who.and_then(|who| self.people.keys.get(who));
        let Ok(request) = call.request(&operation, key) else { return Ok(()) };
        let reply = self.server.send(key.map(|key| &key.client), &request);
        self.tally.calls += 1;
        match reply {
            Ok(reply) => {
                self.answered(&operation, call, &reply, &shown)?;
                self.count_settled(source).map_err(|why| finding(why, &shown))
            }
            Err(error) => self.broken(&error, &shown),
        }
    }

    /// The operation to call next: often one that uses the quote that there is.
    fn next_place(&mut self) -> usize {
        let uses = |operation: &Operation| operation.path == "/v1/instant/execute";
        if std::mem::take(&mut self.has_quote)
            && self.rng.percent(70)
            && let Some(place) = self.operations.iter().position(uses)
        {
            return place;
        }
        tame::draw(&mut self.rng, &self.operations)
    }

    /// A good call, or one that reached something, and often one change of it.
    fn compose(&mut self, place: usize, operation: &Operation) -> Call {
        let seeds = self.seeds.get(&place).map_or(&[][..], Vec::as_slice);
        let seed = if self.rng.percent(20) { self.rng.pick(seeds).cloned() } else { None };
        let known = Known { people: &self.people, pool: &self.pool, now_ms: self.now_ms };
        let mut call = match seed {
            Some(seed) => seed,
            None => good::call(&mut self.rng, &known, place, operation),
        };
        if self.rng.percent(45) {
            mutate::mutate(&mut self.rng, operation, &mut call);
        }
        call
    }

    /// Notes a call before it is made.
    fn note(&mut self, operation: &Operation, call: &Call) -> String {
        let who = call.who.and_then(|who| self.people.keys.get(who));
        let who = who.map_or_else(|| "anyone".to_owned(), crate::people::Key::name);
        let shown = format!("{who}: {}", call.shown(operation));
        // A log that cannot be written is no finding.
        let _ = writeln!(self.log, "{shown}");
        let recent = self.recent.entry(call.who).or_default();
        if recent.len() == RECENT {
            recent.pop_front();
        }
        recent.push_back(shown.clone());
        shown
    }

    fn answered(&mut self, operation: &Operation, call: Call, reply: &Reply, shown: &str) -> Done {
        let text = judge::shown(&reply.text());
        let _ = writeln!(self.log, "    {} {text}", reply.status);
        let wrong = |what: String| finding(format!("{what}\n    answer {} {text}", reply.status), shown);
        let verdict = judge(operation, reply).map_err(wrong)?;
        if verdict.reason == "InvalidNonce" {
            self.reset_nonces(call.who).map_err(wrong)?;
        }
        if verdict.status == 200
            && let Ok(answer) = reply.json()
        {
            let source = Source { who: call.who, account: call.field("account").cloned() };
            self.pool.learn(&operation.path, &answer, &source);
            self.count_outside(operation, &call, &answer);
            self.has_quote = operation.path.starts_with("/v1/instant/quote");
        }
        let place = call.operation;
        if self.tally.count(place, verdict) {
            self.seeds.entry(place).or_default().push(call);
        }
        Ok(())
    }

    /// A mutant may have raised the nonce of its key as far as it goes.
    fn reset_nonces(&self, who: Option<usize>) -> Result<(), String> {
        let Some(key) = who.and_then(|who| self.people.keys.get(who)) else { return Ok(()) };
        self.server.control("/sandbox/nonces/reset", &json!({ "api_key": key.api_key() })).map(drop)
    }

    /// A call without an answer: the exchange may close a connection, but it lives.
    fn broken(&mut self, error: &Error, shown: &str) -> Done {
        self.tally.broken += 1;
        std::thread::sleep(Duration::from_millis(50));
        if let Some(status) = self.server.ended() {
            return Err(finding(format!("the process has ended ({status})"), shown));
        }
        if matches!(error, Error::TimedOut(_)) {
            return Err(finding(format!("no answer: {error}"), shown));
        }
        Ok(())
    }

    /// Keeps count of what comes in from outside, and of the clock.
    fn count_outside(&mut self, operation: &Operation, call: &Call, answer: &Value) {
        let amount = |price| units(&call.text("amount")).map_or(0, |units| worth(units, price));
        match operation.path.as_str() {
            "/sandbox/banks/wire" => {
                let currency = call.text("currency").to_ascii_uppercase();
                if currency == "USD" {
                    self.count_wire(call, answer, amount(1));
                } else {
                    self.outside.sent += amount(prices::of(&currency));
                }
            }
            "/sandbox/banks/settle" if call.text("returned") == "true" => {
                if let Some((dollars, group)) = self.advances.remove(&call.text("eid"))
                    && let Some(returned) = self.outside.returned.get_mut(group)
                {
                    *returned += dollars;
                    self.returned_now = Some(dollars);
                }
            }
            "/sandbox/chains/{network}/send" => {
                self.outside.sent += amount(prices::of(&call.text("currency").to_ascii_uppercase()));
            }
            "/sandbox/clock/advance" => {
                self.now_ms = answer.get("now_ms").and_then(Value::as_u64).unwrap_or(self.now_ms);
            }
            _ => {}
        }
    }

    fn count_wire(&mut self, call: &Call, answer: &Value, dollars: i128) {
        self.outside.received += dollars;
        let group = self.people.groups.iter().position(|group| group.name == call.text("group"));
        if let (Some(eid), Some(group)) = (answer.get("eid"), group) {
            self.advances.insert(eid.to_string(), (dollars, group));
        }
    }

    /// Before a bank settles something: what `source` has, since the answer does not say how much was paid.
    fn before_settling(&self, operation: &Operation) -> Option<i128> {
        let settles = operation.path == "/sandbox/banks/settle";
        settles.then(|| self.source_dollars().ok()).flatten()
    }

    /// Counts what a bank got: of a returned advance, or of a payment to it.
    fn count_settled(&mut self, before: Option<i128>) -> Result<(), String> {
        let Some(before) = before else { return Ok(()) };
        let got = self.source_dollars()? - before;
        match self.returned_now.take() {
            Some(dollars) => self.outside.short += dollars - got,
            None => self.outside.paid_out += got.max(0),
        }
        Ok(())
    }

    fn source_dollars(&self) -> Result<i128, String> {
        Ok(house::source_dollars(&self.server.get("/sandbox/ledger")?))
    }

    /// Accounts are listed again, and the symbols that most calls are about are open again.
    fn errand(&mut self) -> Result<(), String> {
        self.people.list_accounts(&self.server)?;
        for market in markets::SPOT.iter().chain(&markets::PERPETUALS) {
            let path = format!("/sandbox/symbols/{}/status", market.symbol);
            self.server.control(&path, &json!({ "status": "open" }))?;
        }
        self.look_at_clock()
    }

    fn look_at_clock(&mut self) -> Result<(), String> {
        let clock = self.server.get("/sandbox/clock")?;
        self.now_ms = clock.get("now_ms").and_then(Value::as_u64).unwrap_or(0);
        Ok(())
    }

    /// The law, the reserves, and a kill after which everyone has what they had.
    fn check(&mut self) -> Done {
        let figures = self.look().map_err(|why| finding(why, "before a restart"))?;
        let breaches = house::breaches(&self.start, &figures, &self.outside, self.tally.calls);
        println!(
            "hostile: {} calls; dollars that all groups together gained: {}",
            self.tally.calls,
            house::gained(&self.start, &figures)
        );
        if !breaches.is_empty() {
            return Err(finding(breaches.join("\n    "), "some call before"));
        }
        self.reserves().map_err(|why| finding(why, "some call before"))?;
        self.tally.restarts += 1;
        let restarted = self.restart().map_err(|why| finding(why, "a kill"))?;
        match figures.answers.iter().find(|(name, answer)| restarted.answers.get(*name) != Some(answer)) {
            Some((name, answer)) => {
                let after = restarted.answers.get(name).map_or("nothing", String::as_str);
                Err(finding(format!("{name} had {answer}\n    and after a kill {after}"), "a kill"))
            }
            None => Ok(()),
        }
    }

    fn look(&mut self) -> Result<Figures, String> {
        self.people.list_accounts(&self.server)?;
        house::read(&self.server, &self.people)
    }

    fn restart(&mut self) -> Result<Figures, String> {
        self.server.crash_and_restart()?;
        self.people.reconnect(&self.server.base_url)?;
        self.look()
    }

    /// Assets cover liabilities, and the ledger sums to zero.
    fn reserves(&self) -> Result<(), String> {
        let reserves = self.server.get("/v1/reserves")?;
        let rows = reserves.get("currencies").and_then(Value::as_array).into_iter().flatten();
        let exact =
            |row: &Value, name: &str| row.get(name).and_then(Value::as_str).and_then(units).unwrap_or(0);
        for row in rows {
            if exact(row, "assets") < exact(row, "liabilities") {
                return Err(format!("assets do not cover liabilities: {row}"));
            }
        }
        let ledger = self.server.get("/sandbox/ledger")?;
        let rows = ledger.get("currencies").and_then(Value::as_array).into_iter().flatten();
        match rows.into_iter().find(|row| exact(row, "sum") != 0) {
            Some(row) => Err(format!("a currency does not sum to zero: {row}")),
            None => Ok(()),
        }
    }

    /// The last calls of the key that made a call, or of the operator; where no call is named, the last one of each.
    pub(crate) fn recent_of(&mut self, call: &str) -> Vec<String> {
        // The log is for the analysis of what was found.
        let _ = self.log.flush();
        let own = self.recent.values().find(|calls| calls.back().is_some_and(|last| last == call));
        match own {
            Some(calls) => calls.iter().cloned().collect(),
            None => self.recent.values().filter_map(VecDeque::back).cloned().collect(),
        }
    }
}

fn finding(what: impl Into<String>, call: &str) -> Finding {
    Finding { what: what.into(), call: call.to_owned() }
}
