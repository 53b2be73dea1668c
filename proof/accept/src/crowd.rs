//! Many clients on two symbols while an operator changes keys and the exchange is killed and restarted, and the history of all their calls and
//! replies. The calls are drawn from a seed; the times of the replies are not.

mod apps;
mod operator;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, mpsc};
use std::time::{Duration, Instant};

use buttonwood_checker::{
    Dec, Dice, History, Operation, Place, Policy, Reply, Request, Side, Symbol, Tally, Terms, TokenUse,
    Verdict, Which, World,
};
use buttonwood_client::Error;
use serde_json::json;

use crate::actor::Actor;
use crate::exchange::Exchange;
use crate::setup::Setup;

/// The keys in use, each on its own connection: three keys of one account, three keys twice.
const KEYS: [&str; 16] = [
    "trader",
    "trader",
    "second-session",
    "trader-fund-manager",
    "savings-trader",
    "counterparty",
    "counterparty",
    "broker",
    "load-000",
    "load-001",
    "load-001",
    "load-002",
    "load-003",
    "load-004",
    "load-005",
    "load-006",
];

/// A key of each account, for the queries at the end.
const OWNERS: [&str; 11] = [
    "trader",
    "savings-trader",
    "counterparty",
    "broker",
    "load-000",
    "load-001",
    "load-002",
    "load-003",
    "load-004",
    "load-005",
    "load-006",
];

/// Symbols with the price that orders are placed around, the distance between two prices and the step of quantities.
const MARKETS: [(&str, u64, u64, &str); 2] = [("btcusd", 30_000, 10, "0.13"), ("ethusd", 2_000, 1, "1.7")];

/// The longest wait of a client whose key was refused.
const PATIENCE: Duration = Duration::from_millis(20);

/// Number of an account's newest orders that its clients remember.
const REMEMBERED: usize = 12;

/// The plan of a crowd: calls drawn from a seed, and the number of replies after which the exchange is killed, per
/// life. The last life ends without a kill.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// The seed of the requests.
    pub seed: u64,
    /// Replies in each life.
    pub lives: Vec<usize>,
}

/// The state that clients share.
struct Board {
    began: Instant,
    /// By account: client ids of its newest orders, replaced by order ids once known.
    orders: Mutex<BTreeMap<String, Vec<Which>>>,
    is_over: AtomicBool,
    /// How many changes of keys were made.
    changes: Mutex<u64>,
    has_changed: Condvar,
    /// The knowledge of the copies of an app.
    tokens: apps::Tokens,
}

/// One client in one life.
struct Member<'a> {
    actor: Actor,
    key: String,
    account: String,
    name: String,
    dice: Dice,
    board: &'a Board,
    told: Vec<Operation>,
}

/// Commands between two snapshots for an exchange that makes them frequently, so that each life begins at one.
const OFTEN: &str = "150";

impl Crowd {
    /// The setup of its exchange. For every other seed, snapshots are frequent and recoveries begin at one; for the
    /// others there is none, and recoveries read the whole journal.
    pub fn setup(&self) -> Setup {
        let setup = Exchange::builder().real_time();
        if self.seed.is_multiple_of(2) { setup } else { setup.flag("--snapshot-every", OFTEN) }
    }

    /// Runs the crowd on an unused exchange.
    pub fn play(&self, exchange: &Exchange) -> History {
        let mut history = History { world: world(exchange), ..History::default() };
        let board = Board {
            began: Instant::now(),
            orders: Mutex::default(),
            is_over: AtomicBool::new(false),
            changes: Mutex::default(),
            has_changed: Condvar::new(),
            tokens: apps::Tokens::default(),
        };
        let changed = operator::texts(exchange);
        let neighbour = history.world.keys[operator::NEIGHBOUR].clone();
        for life in 0..self.lives.len() {
            history.world.keys.insert(operator::name_of_made(life), neighbour.clone());
        }
        for (life, answers) in self.lives.iter().enumerate() {
            let is_last = life + 1 == self.lives.len();
            let (told, tokens) = self.live(exchange, &history.world, &board, life, *answers, is_last);
            history.tokens.extend(tokens);
            if !is_last {
                history.deaths.push(board.now());
                exchange.restart();
            }
            let settled = operator::settle(exchange, &board, &changed);
            let lost: Vec<_> = told.iter().filter(|call| call.answer.is_none()).cloned().collect();
            history.operations.extend(told);
            history.operations.extend(settled);
            history.operations.extend(look_around(exchange, &board, &lost));
        }
        history
    }

    /// One life, from a start of the exchange to its end.
    fn live(
        &self,
        exchange: &Exchange,
        world: &World,
        board: &Board,
        life: usize,
        answers: usize,
        is_last: bool,
    ) -> (Vec<Operation>, Vec<TokenUse>) {
        board.is_over.store(false, Ordering::Relaxed);
        let (ticks, answered) = mpsc::channel();
        let mut clients = BTreeMap::new();
        let dice_of =
            |number: u64| Dice::of_seed(self.seed.wrapping_mul(1_000_003) + (life as u64) * 100 + number);
        let mut members: Vec<Member> = (0_u64..)
            .zip(KEYS)
            .map(|(number, key)| {
                let client = clients.entry(key).or_insert_with(|| exchange.client(key)).clone();
                Member {
                    actor: Actor::new(key, client),
                    key: key.to_owned(),
                    account: world.keys[key].clone(),
                    name: format!("{life}-{number}"),
                    dice: dice_of(number),
                    board,
                    told: Vec::new(),
                }
            })
            .collect();
        let made = operator::make_key(exchange, life);
        let key = operator::name_of_made(life);
        members.push(Member {
            actor: exchange.actor_of(&made),
            account: world.keys[&key].clone(),
            name: format!("{life}-{key}"),
            key,
            dice: dice_of(90),
            board,
            told: Vec::new(),
        });
        let operator = operator::Operator::new(exchange, &made, life, dice_of(91), board);
        let copies: Vec<_> = (0..apps::COPIES)
            .map(|number| apps::Member::new(exchange, dice_of(92 + number), board))
            .collect();
        std::thread::scope(|scope| {
            let operator = scope.spawn(move || operator.run());
            let copies: Vec<_> = copies.into_iter().map(|copy| scope.spawn(move || copy.run())).collect();
            let threads: Vec<_> = members
                .into_iter()
                .map(|member| {
                    let ticks = ticks.clone();
                    scope.spawn(move || member.run(&ticks))
                })
                .collect();
            drop(ticks);
            answered.iter().take(answers).for_each(drop);
            if is_last {
                board.is_over.store(true, Ordering::Relaxed);
            } else {
                exchange.kill9();
            }
            let threads = threads.into_iter().chain([operator]);
            let told = threads.flat_map(|thread| thread.join().expect("a client does not panic")).collect();
            let tokens = copies.into_iter().flat_map(|copy| copy.join().expect("an app does not panic"));
            (told, tokens.collect())
        })
    }

    /// Judges the history; one that cannot be explained is saved to a file.
    ///
    /// # Errors
    /// The reason, the file and the seed.
    pub fn judge(&self, history: &History) -> Result<Tally, String> {
        let why = match history.judge() {
            Verdict::Legal(tally) => return Ok(tally),
            Verdict::Illegal(why) => format!("no order of events explains it: {why}"),
            Verdict::Undecided(why) => format!("cannot be told: {why}"),
        };
        let path = failures().join(format!("seed-{}.jsonl", self.seed));
        let kept = match history.save(&path) {
            Ok(()) => format!("the whole history: {}", path.display()),
            Err(error) => format!("{} could not be written: {error}", path.display()),
        };
        Err(format!("seed {}: {why}{kept}", self.seed))
    }
}

/// The folder for histories that nothing explains.
fn failures() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/history-failures");
    std::fs::create_dir_all(&folder).expect("cargo has a folder for what it builds");
    folder.canonicalize().expect("it was just made")
}

/// The public facts before the first call.
fn world(exchange: &Exchange) -> World {
    let details = |symbol: &str| {
        let details = exchange.get(&format!("/v1/symbols/details/{symbol}")).ok();
        let code = |name: &str| details[name].as_str().expect("details name both currencies").to_owned();
        let lot = Dec::parse(&details["tick_size"].to_string().replace('"', "")).expect("a lot is a decimal");
        (symbol.to_owned(), Symbol { base: code("base_currency"), quote: code("quote_currency"), lot })
    };
    let account = |key: &str| {
        let key = exchange.key(key);
        format!("{}/{}", key.group, key.account)
    };
    let balances = |key: &&str| {
        let rows = exchange.as_(key).balances();
        let row = |row: &serde_json::Value| {
            (row["currency"].as_str().expect("a code").to_owned(), Dec::wire(&row["amount"]))
        };
        (account(key), rows.iter().map(row).collect())
    };
    World {
        symbols: MARKETS.iter().map(|market| details(market.0)).collect(),
        fees: [20, 40],
        accounts: OWNERS.iter().map(balances).collect(),
        keys: KEYS.iter().map(|key| ((*key).to_owned(), account(key))).collect(),
    }
}

/// Queries every order whose reply was lost, then everything of every account.
fn look_around(exchange: &Exchange, board: &Board, lost: &[Operation]) -> Vec<Operation> {
    let mut told = Vec::new();
    for call in lost {
        if let (Request::Place(Place { client_id: Some(name), .. }), Some(key)) = (&call.request, &call.key) {
            let request = Request::Status(Which::ClientId(name.clone()), true);
            // A key that was made may have ended; its neighbour sees the same orders.
            let key = if operator::is_made(key) { operator::NEIGHBOUR } else { key };
            told.extend(board.call(&exchange.as_(key), Some(key), request, None));
        }
    }
    for key in OWNERS {
        for request in [Request::Orders, Request::Balances, Request::Trades] {
            told.extend(board.call(&exchange.as_(key), Some(key), request, None));
        }
    }
    for (symbol, ..) in MARKETS {
        told.extend(board.call(&exchange.anyone(), None, Request::Book(symbol.to_owned()), None));
    }
    told
}

impl Board {
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).expect("nobody plays for centuries")
    }

    fn note_change(&self) {
        *self.changes.lock().expect("nothing panics with it") += 1;
        self.has_changed.notify_all();
    }

    /// Waits until some key has changed, or the exchange may be gone: a refused key would call in vain until then.
    fn wait_for_change(&self) {
        let changes = self.changes.lock().expect("nothing panics with it");
        let before = *changes;
        let waited = self.has_changed.wait_timeout_while(changes, PATIENCE, |now| *now == before);
        drop(waited.expect("nothing panics with it"));
    }

    /// One call and its result; `None` if it was certainly not sent.
    fn call(
        &self,
        actor: &Actor,
        key: Option<&str>,
        request: Request,
        nonce: Option<u64>,
    ) -> Option<Operation> {
        let (path, params) = request.call();
        let nonce = nonce.unwrap_or_else(|| if key.is_some() { actor.client().next_nonce() } else { 0 });
        let invoked = self.now();
        let answer = match params {
            Some(mut params) => {
                params["nonce"] = json!(nonce);
                actor.try_call(&path, params)
            }
            None => actor.try_send("GET", &path, &[], b""),
        };
        let responded = self.now();
        let answer = match answer {
            Ok(answer) => {
                let body = answer.reply.json().unwrap_or_default();
                let reply =
                    request.read(answer.status(), &body).unwrap_or_else(|why| panic!("{path}: {why}"));
                Some((responded, reply))
            }
            Err(Error::Connect { .. }) => return None,
            Err(_) => None,
        };
        Some(Operation { key: key.map(str::to_owned), nonce, invoked, request, answer })
    }
}

impl Member<'_> {
    /// Calls until the exchange is gone or the life's calls are done.
    fn run(mut self, ticks: &mpsc::Sender<()>) -> Vec<Operation> {
        let mut used = None;
        for number in 0_u64.. {
            if self.board.is_over.load(Ordering::Relaxed) {
                break;
            }
            let request = self.request(number);
            let is_public = matches!(request, Request::Book(_));
            // Sometimes a nonce that is already used.
            let nonce = used.filter(|_| !is_public && self.dice.once_in(60));
            let key = (!is_public).then_some(self.key.as_str());
            let Some(call) = self.board.call(&self.actor, key, request, nonce) else { break };
            let is_lost = call.answer.is_none();
            let is_shut_out = matches!(call.answer, Some((_, Reply::Refused(403, _))));
            if let (Request::Place(_), Some((_, Reply::Order(order)))) = (&call.request, &call.answer) {
                self.remember(Which::Id(order.id));
            }
            if !is_public {
                used = Some(call.nonce);
            }
            self.told.push(call);
            if is_shut_out {
                self.board.wait_for_change();
            } else if is_lost || ticks.send(()).is_err() {
                break;
            }
        }
        self.told
    }

    fn remember(&self, which: Which) {
        let mut orders = self.board.orders.lock().expect("no client panics with it");
        let orders = orders.entry(self.account.clone()).or_default();
        orders.push(which);
        if orders.len() > REMEMBERED {
            orders.remove(0);
        }
    }

    /// One of the account's newest orders, possibly one being placed; sometimes any other.
    fn which(&mut self) -> Which {
        let orders = self.board.orders.lock().expect("no client panics with it");
        match orders.get(&self.account) {
            Some(orders) if !self.dice.once_in(50) => self.dice.pick(orders),
            Some(_) | None => Which::Id(self.dice.below(2_000)),
        }
    }

    fn request(&mut self, number: u64) -> Request {
        let symbol = self.dice.pick(&MARKETS).0.to_owned();
        match self.dice.below(100) {
            0..42 => {
                let place = self.place(format!("{}-{number}", self.name));
                if let Some(name) = &place.client_id {
                    self.remember(Which::ClientId(name.clone()));
                }
                Request::Place(place)
            }
            42..57 => Request::Cancel(self.which()),
            57 | 58 => Request::CancelSession,
            59 => Request::CancelAll,
            60..74 => Request::Status(self.which(), self.dice.once_in(2)),
            74..81 => Request::Orders,
            81..88 => Request::Balances,
            88..93 => Request::Trades,
            _ => Request::Book(symbol),
        }
    }

    fn place(&mut self, name: String) -> Place {
        let (symbol, mid, step, grain) = self.dice.pick(&MARKETS);
        let side = self.dice.pick(&[Side::Buy, Side::Sell]);
        let amount = Dec::parse(grain).expect("a decimal") * Dec::from(1 + self.dice.below(9));
        // Usually so close to the middle that orders trade; sometimes where the collar begins.
        let far = if self.dice.once_in(25) { mid / 16 } else { 0 };
        let price = match side {
            Side::Buy => mid + step * self.dice.below(5) + far - step * 3,
            Side::Sell => mid + step * self.dice.below(5) + far - step,
        };
        let policies = [Policy::MakerOrCancel, Policy::ImmediateOrCancel, Policy::FillOrKill];
        let policy = self.dice.once_in(4).then(|| self.dice.pick(&policies));
        let terms = match (self.dice.below(12), side) {
            (0, _) => Terms::Market { amount },
            (1, Side::Buy) => Terms::Spend { money: Dec::from(self.dice.below(20_000) + 1) },
            _ => Terms::Limit { amount, price: Dec::from(price), policy },
        };
        Place { symbol: symbol.to_owned(), side, terms, client_id: Some(name) }
    }
}
