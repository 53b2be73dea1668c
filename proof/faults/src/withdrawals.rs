//! Withdrawals on simulated chains, with the exchange killed before each write and sync of the chains' thread and of the journal's.
//!
//! Signing, sending and settling a withdrawal are writes of these two threads, so the Nth of them is before and after every send. After
//! each restart the same client ids give the answers that were given before, and each withdrawal is on its chain once (INV-WD-1 to 4).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use buttonwood_accept::{Exchange, Setup, Value, dec, json};

use crate::round::{Round, verified};
use crate::sweep::Next;
use crate::trace::{Harm, Strike, thread_named};

/// The threads and calls that are struck.
const POINTS: [(&str, &str); 4] =
    [("chains", "pwrite64"), ("chains", "fdatasync"), ("journal", "pwrite64"), ("journal", "fdatasync")];

/// Networks, currencies and addresses of customers.
const PLACES: [(&str, &str, &str); 2] = [
    ("bitcoin", "BTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
    ("ethereum", "ETH", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
];

/// Time limit for a struck process to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// The last call that a quick round strikes.
const QUICK_LAST: u64 = 12;

/// Seconds that a new approval waits.
const WEEK: u64 = 7 * 86_400;

/// Strikes the Nth call of each point, N being the round's number.
pub fn round(round: &mut Round) -> Next {
    let mut desk = Desk::new(round);
    let mut hits = 0;
    for (thread, call) in POINTS {
        let when = if round.quick { round.draw.between(1, QUICK_LAST) } else { round.number };
        if !round.is_told_to_stop() && desk.strike(round, thread, call, when) {
            round.count(&format!("killed before {call} of {thread}"), 1);
            hits += 1;
        }
    }
    round.count("withdrawals", u64::try_from(desk.asked.len()).expect("a count is a number"));
    desk.x.stop();
    verified(&desk.data);
    assert!(hits > 0 || round.number > 1 || round.quick, "no call was struck");
    if hits == 0 && !round.quick { Next::Done } else { Next::More }
}

/// A withdrawal: its place, amount and first answer, if it had one.
struct Asked {
    place: usize,
    amount: String,
    answer: Option<Value>,
}

/// A running exchange, and all that is known of its withdrawals.
struct Desk {
    x: Exchange,
    data: PathBuf,
    asked: BTreeMap<String, Asked>,
    /// The amounts of the account at the beginning.
    before: Vec<String>,
}

impl Desk {
    fn new(round: &mut Round) -> Self {
        let data = round.data();
        round.count("starts", 1);
        let x = setup(round).start_in(&data);
        for (network, _, address) in PLACES {
            let path = format!("/v1/approvedAddresses/{network}/request");
            x.as_("fund-manager").call(&path, json!({ "address": address, "label": "mine" })).ok();
        }
        x.advance(WEEK);
        let free = json!({ "group": "one", "account": "primary", "on": true });
        x.control("/sandbox/accounts/fee-override", &free).ok();
        let mut desk = Self { x, data, asked: BTreeMap::new(), before: Vec::new() };
        desk.before = PLACES.iter().map(|(_, currency, _)| desk.amount(currency)).collect();
        desk
    }

    /// The amount of the account.
    fn amount(&self, currency: &str) -> String {
        let rows = self.x.as_("fund-manager").balances();
        let row = rows.iter().find(|row| row["currency"] == currency).expect("the account has it");
        row["amount"].as_str().expect("amounts are texts").to_owned()
    }

    /// Withdraws while a call is struck; whether it was.
    fn strike(&mut self, round: &mut Round, thread: &str, call: &'static str, when: u64) -> bool {
        let log = round.dir.join(format!("trace-{thread}-{call}.log"));
        let strike = Strike { call, harm: Harm::Kill, when, log, within: Vec::new() };
        let tracer = strike.attach(thread_named(self.x.pid(), thread), false);
        let first = self.asked.len();
        let is_gone = (0..3).any(|at| self.withdraw(first + at).is_none()) || self.mine().is_none();
        if is_gone {
            assert!(self.x.wait_for_end(PATIENCE).is_some(), "it gives no answer and does not end");
        }
        drop(tracer);
        if is_gone {
            verified(&self.data);
            round.count("starts", 1);
            self.x = setup(round).start_in(&self.data);
        }
        self.compare();
        is_gone
    }

    /// One withdrawal; nothing if the exchange has ended.
    fn withdraw(&mut self, number: usize) -> Option<()> {
        let place = number % PLACES.len();
        // Each amount is unique, so that its payment is found.
        let asked = Asked { place, amount: format!("0.5{number:04}1"), answer: None };
        let id = format!("id-{number}");
        self.asked.insert(id.clone(), asked);
        let answer = self.send(&id)?;
        self.asked.get_mut(&id).expect("it was asked for").answer = Some(answer);
        Some(())
    }

    /// Sends a withdrawal by its id, the first time or again.
    fn send(&self, id: &str) -> Option<Value> {
        let asked = &self.asked[id];
        let (network, currency, address) = PLACES[asked.place];
        let path = format!("/v2/withdraw/{network}/{}", currency.to_lowercase());
        let order = json!({ "address": address, "amount": asked.amount, "clientTransferId": id });
        Some(self.x.as_("fund-manager").try_call(&path, order).ok()?.ok())
    }

    /// Adds as many blocks as make every payment final; nothing if the exchange has ended.
    fn mine(&self) -> Option<()> {
        let anyone = self.x.anyone();
        for (network, ..) in PLACES {
            let path = format!("/sandbox/chains/{network}");
            let shown = anyone.try_send("GET", &path, &[], b"").ok()?.ok();
            let body = json!({ "blocks": shown["confirmations"] }).to_string();
            let headers = [("Content-Type", "application/json")];
            anyone.try_send("POST", &format!("{path}/mine"), &headers, body.as_bytes()).ok()?.ok();
        }
        Some(())
    }

    /// Every answer still holds, and each withdrawal has left once.
    fn compare(&mut self) {
        let ids: Vec<String> = self.asked.keys().cloned().collect();
        for id in ids {
            let again = self.send(&id).expect("it runs");
            let asked = self.asked.get_mut(&id).expect("it was asked for");
            let first = asked.answer.get_or_insert_with(|| again.clone());
            assert_eq!(*first, again, "{id} is answered otherwise than before");
        }
        self.mine().expect("it runs");
        for (place, (network, currency, address)) in PLACES.into_iter().enumerate() {
            let shown = self.x.get(&format!("/sandbox/chains/{network}?address={address}")).ok();
            let paid = shown["transactions"].as_array().expect("a list of payments");
            let own: Vec<&Asked> = self.asked.values().filter(|asked| asked.place == place).collect();
            for asked in &own {
                let count = paid.iter().filter(|paid| paid["amount"] == asked.amount.as_str()).count();
                assert_eq!(count, 1, "{} {currency} was paid {count} times: {shown}", asked.amount);
            }
            assert_eq!(paid.len(), own.len(), "{network} has other payments too: {shown}");
            let left = own.iter().fold(dec("0"), |sum, asked| sum + dec(&asked.amount));
            assert_eq!(
                dec(&self.before[place]) - dec(&self.amount(currency)),
                left,
                "{currency} that has left"
            );
        }
    }
}

/// A manual clock, so that blocks come only by the sweep's own calls.
fn setup(round: &Round) -> Setup {
    Exchange::builder()
        .flag("--funds", "simulated")
        .flag("--segment-bytes", "65536")
        .flag("--ballast-bytes", "1048576")
        .flag("--snapshot-every", "20")
        .log_at(&round.dir.join("stderr.log"))
}
