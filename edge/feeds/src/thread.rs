//! The threads, one for each feed.

use crate::age::{Moment, Watch};
use crate::document::{self, shown};
use crate::fetch::fetch;
use crate::reader::{Change, Noted, Sent};
use crate::{Feed, Place};
use buttonwood_engine::FeedPrices;
use buttonwood_engine::perp;
use buttonwood_engine::{Command, Reject};
use buttonwood_model::CurrencyId;
use buttonwood_num::Money;
use buttonwood_sequencer::{AbortOnPanic, Exchange};
use std::collections::BTreeMap;
use std::io;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::MissedTickBehavior;

/// The time of a whole call of a server.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Unknown currencies that the log names.
const NAMED: usize = 5;

/// The threads that read feeds. They end when this is dropped, before the exchange stops.
#[derive(Debug, Default)]
pub struct Feeds(Vec<(oneshot::Sender<()>, JoinHandle<()>)>);

impl Feeds {
    /// Starts a thread for each feed. In a sandbox a server whose documents name no time counts as now.
    ///
    /// # Errors
    /// The system has no further thread.
    pub fn start(exchange: &Exchange, feeds: Vec<Feed>, is_sandbox: bool) -> io::Result<Self> {
        let mut started = Self::default();
        for feed in feeds {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let (stop, stopped) = oneshot::channel();
            let counts_as_now = is_sandbox && matches!(feed.place, Place::Url(_));
            let reading = Reading {
                exchange: exchange.clone(),
                feed,
                is_sandbox,
                watch: Watch::new(counts_as_now),
                timeless: Noted::default(),
                sent: Sent::default(),
                trouble: Noted::default(),
                unknown: Noted::default(),
            };
            let run = move || reading.run(runtime, stopped);
            started.0.push((stop, std::thread::Builder::new().name("feed".to_owned()).spawn(run)?));
        }
        Ok(started)
    }
}

impl Drop for Feeds {
    fn drop(&mut self) {
        let (stops, threads): (Vec<_>, Vec<_>) = std::mem::take(&mut self.0).into_iter().unzip();
        drop(stops);
        for thread in threads {
            // A panic of the thread has ended the process.
            let _ = thread.join();
        }
    }
}

/// A feed that is being read.
struct Reading {
    exchange: Exchange,
    feed: Feed,
    is_sandbox: bool,
    watch: Watch,
    /// Whether the documents name no time.
    timeless: Noted,
    sent: Sent,
    /// Why the last read gave no prices.
    trouble: Noted,
    /// The currencies of the last document that have no perpetual.
    unknown: Noted,
}

impl Reading {
    fn run(mut self, runtime: Runtime, stopped: oneshot::Receiver<()>) {
        let _end = AbortOnPanic("feed");
        runtime.block_on(async {
            tokio::select! {
                _ = stopped => {}
                () = self.read_on() => {}
            }
        });
        // A look-up of a host's name may still be under way.
        runtime.shutdown_background();
    }

    async fn read_on(&mut self) {
        let mut ticks = tokio::time::interval(self.feed.every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let trouble = self.turn().await.err();
            let (feed, place) = (&self.feed.name, self.feed.place.to_string());
            match self.trouble.note(trouble) {
                Some(Change::Began(reason)) => tracing::warn!(feed, place, reason, "a feed gives no prices"),
                Some(Change::Ended) => tracing::info!(feed, place, "the feed gives prices again"),
                None => {}
            }
        }
    }

    /// Reads the document once, and sends what is to be sent.
    async fn turn(&mut self) -> Result<(), String> {
        let fetched = fetch(&self.feed.place, TIMEOUT).await?;
        let document = document::read(&fetched.bytes)?;
        self.note_timeless(document.time.is_none());
        let age = self.watch.age(fetched, document.time, Moment::now())?;
        let age = u64::try_from(age.as_micros()).unwrap_or(u64::MAX);
        let prices = self.known(document.prices);
        let now = self.exchange.now();
        let due = self.sent.due(&prices, age, now);
        if due.is_empty() {
            return Ok(());
        }
        let prices = FeedPrices { feed: self.feed.name.clone(), prices: due.clone(), age };
        let command = Command { caller: None, body: perp::Command::FeedPrice(prices).into() };
        let pending = self.exchange.submit(command).map_err(|_| "the exchange is busy")?;
        let receipt = pending.await.map_err(|_| "the exchange has stopped")?;
        receipt.done().map_err(|reject| {
            let full = (reject == Reject::NoRoom).then(|| "the exchange's disk is nearly full".to_owned());
            full.unwrap_or_else(|| format!("the exchange refuses the prices: {reject:?}"))
        })?;
        self.sent.note(&due, age, now);
        Ok(())
    }

    /// Logs, in a venue, that a feed cannot tell its age.
    fn note_timeless(&mut self, is_timeless: bool) {
        let reason = "its document names no 'time'".to_owned();
        let change = self.timeless.note((is_timeless && !self.is_sandbox).then_some(reason));
        let (feed, place) = (&self.feed.name, self.feed.place.to_string());
        if let Some(Change::Began(reason)) = change {
            let words =
                "a feed cannot tell its age: its prices count only while it changes within the minute";
            tracing::warn!(feed, place, reason, "{words}");
        }
    }

    /// The prices of currencies that are listed and no dollars. The others are logged and left out.
    fn known(&mut self, prices: BTreeMap<String, Money>) -> Vec<(CurrencyId, Money)> {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        let now = self.exchange.now();
        {
            let views = self.exchange.views();
            let state = views.state();
            for (code, price) in prices {
                let place = state.currencies().iter().position(|currency| currency.code == code);
                let currency = place.map(CurrencyId::from_index);
                match currency.filter(|currency| !state.sources(now).is_dollar(*currency)) {
                    Some(currency) => known.push((currency, price)),
                    None => unknown.push(shown(&code)),
                }
            }
        }
        let count = unknown.len();
        unknown.truncate(NAMED);
        let more = if count > NAMED { format!(" and {} more", count - NAMED) } else { String::new() };
        let unknown = (count > 0).then(|| format!("{}{more}", unknown.join(", ")));
        if let Some(Change::Began(currencies)) = self.unknown.note(unknown) {
            let feed = &self.feed.name;
            tracing::warn!(
                feed,
                currencies,
                "a feed's prices of dollars and of currencies that are not listed are ignored"
            );
        }
        known
    }
}
