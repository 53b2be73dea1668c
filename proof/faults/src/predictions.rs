//! Payouts, refunds, snapshots and rebates of prediction markets, with the exchange killed before each write and sync of the journal's thread.
//!
//! A turn lists an event, fills it, lets makers be scored for some minutes, and resolves it or makes it void; then a day passes, whose rebates
//! are paid. After each restart the turn is taken up where its event stands: every claim has been paid once, every minute has counted once, and
//! every day has one rebate (INV-PRED-1 to INV-PRED-5).

use std::path::PathBuf;
use std::time::Duration;

use buttonwood_accept::{Dec, Exchange, Setup, Value, dec, json};

use crate::round::{Round, verified};
use crate::sweep::Next;
use crate::trace::{Harm, Strike, thread_named};

/// The calls that are struck.
const CALLS: [&str; 2] = ["pwrite64", "fdatasync"];

const ROOT: &str = "/v1/prediction-markets";
const MAKER: &str = "trader";
const TAKER: &str = "counterparty";

/// Contracts of a turn's event, and how many claims on each are minted.
const CONTRACTS: [&str; 2] = ["ONE", "TWO"];

const MINUTE: u64 = 60;
/// Seconds of a day, and from its start to a time after its rebates.
const DAY: u64 = 86_400;
const REBATED: u64 = 22 * 3_600 + 1_800;
/// The window for disputes, in seconds.
const WINDOW: u64 = 90;
/// Minutes in which the makers of a turn are scored.
const SCORED: u64 = 3;

/// Time limit for a struck process to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// The last call that a quick round strikes.
const QUICK_LAST: u64 = 16;

/// Strikes the Nth call of each kind, N being the round's number.
pub fn round(round: &mut Round) -> Next {
    let mut market = Market::new(round);
    let mut hits = 0;
    for call in CALLS {
        let when = if round.quick { round.draw.between(1, QUICK_LAST) } else { round.number };
        if !round.is_told_to_stop() && market.strike(round, call, when) {
            round.count(&format!("killed before {call} of the journal"), 1);
            hits += 1;
        }
    }
    round.count("events", market.turns);
    market.x.stop();
    verified(&market.data);
    assert!(hits > 0 || round.number > 1 || round.quick, "no call was struck");
    if hits == 0 && !round.quick { Next::Done } else { Next::More }
}

/// A running exchange, and all that is known of its turns.
struct Market {
    x: Exchange,
    data: PathBuf,
    turns: u64,
    /// The midnight before the first turn, in seconds.
    began: u64,
    /// The dollars of maker and taker at first.
    before: [Dec; 2],
}

impl Market {
    fn new(round: &mut Round) -> Self {
        let data = round.data();
        round.count("starts", 1);
        let x = setup(round).start_in(&data);
        for key in [MAKER, TAKER] {
            x.as_(key).call(&format!("{ROOT}/terms/accept"), json!({})).ok();
        }
        x.control("/sandbox/predictions/rewards", &json!({ "enabled": true })).ok();
        // In the first hour of a day, so that a turn ends before it does.
        let began = (x.now_ms() / 1_000 / DAY + 1) * DAY;
        x.advance(began - x.now_ms() / 1_000);
        let mut market = Self { x, data, turns: 0, began, before: [dec("0"); 2] };
        market.before = market.dollars();
        market
    }

    fn dollars(&self) -> [Dec; 2] {
        [MAKER, TAKER].map(|key| self.x.as_(key).balance("USD").0)
    }

    /// Takes turns while a call is struck; whether it was.
    fn strike(&mut self, round: &mut Round, call: &'static str, when: u64) -> bool {
        let log = round.dir.join(format!("trace-{call}.log"));
        let strike = Strike { call, harm: Harm::Kill, when, log, within: Vec::new() };
        let tracer = strike.attach(thread_named(self.x.pid(), "journal"), false);
        let is_gone = (0..2).any(|_| self.turn().is_none());
        if is_gone {
            assert!(self.x.wait_for_end(PATIENCE).is_some(), "it gives no answer and does not end");
        }
        drop(tracer);
        if is_gone {
            verified(&self.data);
            round.count("starts", 1);
            self.x = setup(round).start_in(&self.data);
            self.turn().expect("it runs");
        }
        self.compare();
        is_gone
    }

    /// One turn, or the rest of one that was begun; nothing if the exchange has ended.
    fn turn(&mut self) -> Option<()> {
        let number = self.turns + 1;
        let day = self.began + (number - 1) * DAY;
        let ticker = ticker(number);
        self.reach(day)?;
        self.list(&ticker, day)?;
        if self.status(&ticker)? == "active" {
            self.fill(&ticker)?;
            self.reach(day + SCORED * MINUTE + 30)?;
            self.end(number)?;
        }
        self.reach(day + SCORED * MINUTE + WINDOW + 60)?;
        let ended = if is_void(number) { "invalid" } else { "settled" };
        assert_eq!(self.status(&ticker)?, ended, "{ticker}");
        self.reach(day + REBATED)?;
        self.turns = number;
        Some(())
    }

    /// Lists the event unless it is there, and sets its pool while it is active.
    fn list(&self, ticker: &str, day: u64) -> Option<()> {
        let found = self.x.anyone().try_send("GET", &format!("{ROOT}/events/{ticker}"), &[], b"").ok()?;
        if found.status() == 404 {
            let contracts = CONTRACTS.map(|name| json!({ "ticker": name, "label": name }));
            let event = json!({
                "ticker": ticker, "title": ticker, "category": "faults", "expiry_ms": (day + DAY) * 1_000,
                "contracts": contracts, "exclusive": false, "dispute_seconds": WINDOW,
            });
            self.control("/sandbox/predictions/events", &event)?;
        }
        // A decided event takes no pool.
        if self.status(ticker)? != "active" {
            return Some(());
        }
        let pools = json!({ "pools": [{ "event_ticker": ticker, "daily_pool_usd": "10.00" }] });
        self.control("/sandbox/predictions/rewards", &pools)
    }

    /// Both accounts buy ten claims of each contract at 0.60 and 0.40, and quotes rest beside them. An order that is there already has the same
    /// client id, which is refused.
    fn fill(&self, ticker: &str) -> Option<()> {
        for contract in CONTRACTS {
            let symbol = format!("SVC-{ticker}-{contract}");
            for (key, name, outcome, price) in [
                (MAKER, "maker", "yes", "0.60"),
                (TAKER, "taker", "no", "0.40"),
                (MAKER, "bid", "yes", "0.50"),
                (MAKER, "ask", "no", "0.48"),
            ] {
                self.order(key, &symbol, (&format!("{ticker}-{contract}-{name}"), outcome, price))?;
            }
        }
        Some(())
    }

    /// Places an order of ten, unless the account has or had one with this client id.
    fn order(&self, key: &str, symbol: &str, (id, outcome, price): (&str, &str, &str)) -> Option<()> {
        for list in ["orders/active", "orders/history"] {
            let rows = self.call(key, list, json!({ "symbol": symbol, "limit": 100 }))?;
            if rows["orders"].as_array()?.iter().any(|row| row["clientOrderId"] == id) {
                return Some(());
            }
        }
        let fields = json!({
            "symbol": symbol, "orderType": "limit", "side": "buy", "outcome": outcome, "quantity": "10", "price": price,
            "clientOrderId": id,
        });
        let placed = self.x.as_(key).try_call(&format!("{ROOT}/order"), fields).ok()?;
        assert_eq!(placed.status(), 201, "{placed}");
        Some(())
    }

    /// Resolves the event, or makes it void.
    fn end(&self, number: u64) -> Option<()> {
        let path = format!("/sandbox/predictions/events/{}", ticker(number));
        if is_void(number) {
            return self.control(&format!("{path}/void"), &json!({ "reason": "a fault" }));
        }
        let outcomes = json!({ "ONE": "yes", "TWO": "no" });
        self.control(&format!("{path}/resolve"), &json!({ "outcomes": outcomes, "source": "the sweep" }))
    }

    fn status(&self, ticker: &str) -> Option<String> {
        let event = self.x.anyone().try_send("GET", &format!("{ROOT}/events/{ticker}"), &[], b"").ok()?.ok();
        Some(event["status"].as_str().expect("a status").to_owned())
    }

    fn call(&self, key: &str, path: &str, params: Value) -> Option<Value> {
        Some(self.x.as_(key).try_call(&format!("{ROOT}/{path}"), params).ok()?.ok())
    }

    fn control(&self, path: &str, body: &Value) -> Option<()> {
        let headers = [("Content-Type", "application/json")];
        self.x.anyone().try_send("POST", path, &headers, body.to_string().as_bytes()).ok()?.ok();
        Some(())
    }

    /// Moves the clock to a time in seconds, unless it is there.
    fn reach(&self, until: u64) -> Option<()> {
        let clock = self.x.anyone().try_send("GET", "/sandbox/clock", &[], b"").ok()?.ok();
        let now = clock["now_ms"].as_u64().expect("now_ms is a number") / 1_000;
        let seconds = until.saturating_sub(now);
        if seconds == 0 {
            Some(())
        } else {
            self.control("/sandbox/clock/advance", &json!({ "seconds": seconds }))
        }
    }

    /// Every turn has moved its dollars once, and left no claim, no escrow, and one row for each position, day and rebate.
    fn compare(&self) {
        let [mut maker, mut taker] = self.before;
        for number in 1..=self.turns {
            // Fees of 1 and 5 % of 0.40 for each of ten claims, of which the maker gets half back.
            maker = maker - dec("12.08") + dec("0.04") + if is_void(number) { dec("12") } else { dec("10") };
            taker = taker - dec("8.40") + if is_void(number) { dec("8") } else { dec("10") };
            let collateral = self.x.get(&format!("{ROOT}/events/{}/collateral", ticker(number))).ok();
            for row in collateral["contracts"].as_array().expect("contracts") {
                assert_eq!([&row["yes"], &row["no"], &row["escrow"]], ["0", "0", "0"], "{collateral}");
            }
        }
        assert_eq!(self.dollars(), [maker, taker], "after {} turns", self.turns);
        let count = |path: &str, params: Value, rows: &str| {
            let page = self.call(MAKER, path, params).expect("it runs");
            page[rows].as_array().expect("rows").len()
        };
        let turns = usize::try_from(self.turns).expect("a few turns");
        let contracts = turns * CONTRACTS.len();
        assert_eq!(count("positions", json!({}), "positions"), 0);
        assert_eq!(count("positions/settled", json!({ "limit": 1000 }), "positions"), contracts);
        assert_eq!(count("maker-rebate/payouts", json!({ "limit": 100 }), "payouts"), turns);
        // The snapshots of the minutes that began while the quotes rested; all turns begin at the same part of a minute.
        let range = format!("{ROOT}/liquidity-rewards/summary/daily?dateFrom=2026-01-01&dateTo=2030-12-31");
        let days = self.x.as_(MAKER).signed_get(&range, json!({})).ok();
        let snapshots = |row: &Value| row["events"][0]["snapshot_count"].as_u64().expect("a number");
        let counts: Vec<u64> =
            days["daily_summaries"].as_array().expect("days").iter().map(snapshots).collect();
        let is_same = counts.windows(2).all(|pair| pair[0] == pair[1]);
        assert!(is_same && counts.iter().all(|count| (SCORED - 1..=SCORED).contains(count)), "{days}");
        assert_eq!(counts.len(), turns, "{days}");
    }
}

fn ticker(number: u64) -> String {
    format!("FAULT{number}")
}

/// Every second event is void.
fn is_void(number: u64) -> bool {
    number.is_multiple_of(2)
}

/// A manual clock, so that windows and days end by the sweep's own calls.
fn setup(round: &Round) -> Setup {
    Exchange::builder()
        .flag("--segment-bytes", "65536")
        .flag("--ballast-bytes", "1048576")
        .flag("--snapshot-every", "20")
        .log_at(&round.dir.join("stderr.log"))
}
