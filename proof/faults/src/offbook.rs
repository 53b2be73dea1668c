//! Settlements of clearing and days of interest, with the exchange killed before each write and sync of the journal's thread.
//!
//! A turn settles an order, stakes a coin and lets a day of interest accrue. After each restart the turn is sent again with the same client
//! ids: every order has settled once, every stake counts once, and every day has been paid once (INV-CLR-1, INV-STK-1).

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use buttonwood_accept::{Dec, Exchange, Setup, Value, dec, json};

use crate::round::{Round, verified};
use crate::sweep::Next;
use crate::trace::{Harm, Strike, thread_named};

/// The calls that are struck.
const CALLS: [&str; 2] = ["pwrite64", "fdatasync"];

/// The provider that coins are staked with.
const PROVIDER: &str = "0b9a2f2e-7f0c-4a64-9a54-3f6d1c1e2a01";

/// Milliseconds of a day, and of its part until interest accrues.
const DAY: u64 = 86_400_000;
const ACCRUES: u64 = 72_000_000;

/// Time limit for a struck process to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// The last call that a quick round strikes.
const QUICK_LAST: u64 = 12;

/// Strikes the Nth call of each kind, N being the round's number.
pub fn round(round: &mut Round) -> Next {
    let mut desk = Desk::new(round);
    let mut hits = 0;
    for call in CALLS {
        let when = if round.quick { round.draw.between(1, QUICK_LAST) } else { round.number };
        if !round.is_told_to_stop() && desk.strike(round, call, when) {
            round.count(&format!("killed before {call} of the journal"), 1);
            hits += 1;
        }
    }
    round.count("settlements and days", desk.turns);
    desk.x.stop();
    verified(&desk.data);
    assert!(hits > 0 || round.number > 1 || round.quick, "no call was struck");
    if hits == 0 && !round.quick { Next::Done } else { Next::More }
}

/// A running exchange, and all that is known of its turns.
struct Desk {
    x: Exchange,
    data: PathBuf,
    turns: u64,
    /// The midnight before the first turn, in milliseconds.
    began: u64,
    /// What the trader had at first, in each of [`COINS`].
    before: Vec<Dec>,
}

/// The currencies that a turn moves.
const COINS: [&str; 3] = ["BTC", "USD", "ETH"];

impl Desk {
    fn new(round: &mut Round) -> Self {
        let data = round.data();
        round.count("starts", 1);
        let x = setup(round).start_in(&data);
        x.as_("counterparty").limit("ethusd", "sell", "0.01", "2000");
        x.as_("trader").limit("ethusd", "buy", "0.01", "2000");
        let terms = json!({
            "provider_id": PROVIDER, "currency": "ETH", "rate_bps": "540", "deposit_usd_limit": "50000000",
            "redemption_seconds": 0,
        });
        x.control("/sandbox/staking/terms", &terms).ok();
        let began = x.now_ms() / DAY * DAY;
        let mut desk = Self { x, data, turns: 0, began, before: Vec::new() };
        desk.before = desk.amounts();
        desk
    }

    fn amounts(&self) -> Vec<Dec> {
        COINS.map(|currency| self.x.as_("trader").balance(currency).0).into()
    }

    /// Takes turns while a call is struck; whether it was.
    fn strike(&mut self, round: &mut Round, call: &'static str, when: u64) -> bool {
        let log = round.dir.join(format!("trace-{call}.log"));
        let strike = Strike { call, harm: Harm::Kill, when, log, within: Vec::new() };
        let tracer = strike.attach(thread_named(self.x.pid(), "journal"), false);
        let is_gone = (0..3).any(|_| self.turn().is_none());
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
        let terms = json!({
            "symbol": "btcusd", "amount": "0.01", "price": "30000", "side": "sell",
            "client_transfer_id": format!("deal-{number}"),
        });
        let id = self.call("trader", "/v1/clearing/new", terms)?["clearing_id"].clone();
        let order = self.call("trader", "/v1/clearing/status", json!({ "clearing_id": id }))?;
        if order["status"] == "AwaitConfirm" {
            let terms = json!({
                "clearing_id": id, "symbol": "btcusd", "amount": "0.01", "price": "30000", "side": "buy",
            });
            self.call("counterparty", "/v1/clearing/confirm", terms)?;
        }
        let stake = json!({
            "providerId": PROVIDER, "currency": "ETH", "amount": "1", "client_transfer_id": format!("stake-{number}"),
        });
        self.call("trader", "/v1/staking/stake", stake)?;
        self.reach(self.began + (number - 1) * DAY + ACCRUES)?;
        self.turns = number;
        Some(())
    }

    fn call(&self, key: &str, path: &str, params: Value) -> Option<Value> {
        Some(self.x.as_(key).try_call(path, params).ok()?.ok())
    }

    /// Moves the clock to a time in milliseconds, unless it is there.
    fn reach(&self, until: u64) -> Option<()> {
        let anyone = self.x.anyone();
        let clock = anyone.try_send("GET", "/sandbox/clock", &[], b"").ok()?.ok();
        let now = clock["now_ms"].as_u64().expect("now_ms is a number");
        let seconds = until.saturating_sub(now).div_ceil(1_000);
        if seconds > 0 {
            let body = json!({ "seconds": seconds }).to_string();
            let headers = [("Content-Type", "application/json")];
            anyone.try_send("POST", "/sandbox/clock/advance", &headers, body.as_bytes()).ok()?.ok();
        }
        Some(())
    }

    /// Every turn has moved its amounts once, and every day has one row of interest.
    fn compare(&self) {
        let times = |amount: &str| (0..self.turns).fold(dec("0"), |sum, _| sum + dec(amount));
        let [bitcoins, dollars, coins] = ["0.01", "300", "1"].map(times);
        let [has_bitcoins, has_dollars, has_coins] = [0, 1, 2].map(|at| self.before[at]);
        let due = vec![has_bitcoins - bitcoins, has_dollars + dollars, has_coins - coins];
        assert_eq!(self.amounts(), due, "after {} turns", self.turns);
        let params = json!({ "interestOnly": true, "limit": 500 });
        let history = self.x.as_("trader").call("/v1/staking/history", params).ok();
        let rows: Vec<&Value> = history
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|of| of["transactions"].as_array())
            .flatten()
            .collect();
        let days: BTreeSet<String> = rows.iter().map(|row| row["dateTime"].to_string()).collect();
        let turns = usize::try_from(self.turns).expect("a few turns");
        assert_eq!((rows.len(), days.len()), (turns, turns), "{history}");
    }
}

/// A manual clock, so that days end by the sweep's own calls.
fn setup(round: &Round) -> Setup {
    Exchange::builder()
        .flag("--segment-bytes", "65536")
        .flag("--ballast-bytes", "1048576")
        .flag("--snapshot-every", "20")
        .log_at(&round.dir.join("stderr.log"))
}
