//! Scenarios as text: actors, orders and what must happen, one step a line.
//!
//! ```text
//! given   NAME [from PLACE] CUR AMOUNT, …      an account, a Trader key of its name, its money
//! key     NAME of ACCOUNT [ROLE]               one more key of the account
//! master  NAME of ACCOUNT                      a Trader key of the account's group
//! credit  ACCOUNT CUR AMOUNT, …                => …      (AMOUNT may be `units:N`, in units of 10⁻¹⁹)
//! status  SYMBOL STATUS                        => …
//! expire  KEY                                  => …
//! auctions SYMBOL none | in SPAN [every SPAN] [opens SPAN] [indicates SPAN SPAN] [last SPAN]          => …
//! auction SYMBOL                               => …      (what is due of its auctions)
//! rates   spot|swap [of ACCOUNT] none | MAKER TAKER AUCTION     => …      (in basis points)
//! before  SYMBOL SPAN                          the next step comes so long before the symbol's auction
//! KEY [on ACCOUNT] buy|sell SYMBOL QTY @ PRICE [moc|ioc|fok|auction] [as LABEL] [client TEXT] [nonce N]   => …
//! KEY [on ACCOUNT] buy|sell SYMBOL QTY market …                                                   => …
//! KEY [on ACCOUNT] buy SYMBOL spend AMOUNT …                                                      => …
//! KEY [on ACCOUNT] cancel LABEL | id:N | client:TEXT | session | all [nonce N]                    => …
//! balance ACCOUNT CUR TOTAL available AMOUNT
//! fees    CUR AMOUNT                           what the house has taken
//! fingerprint NUMBER                           the chain of all balances so far
//! asks    SYMBOL LABEL …                       a side in priority order; `bids` alike; `-` when empty
//! waiting SYMBOL asks LABEL …                  those who wait for its auction; `bids` alike
//! orders  ACCOUNT LABEL …                      an account's live orders, newest first
//! # anything                                   a remark
//! order   LABEL live=… cancelled=… reason=… original=… remaining=… executed=… notional=…
//! ```
//!
//! What happened is listed in order: `accepted A`, `filled M QTY @ PRICE fees MAKER TAKER` (M is the resting order),
//! `booked A`, `completed A`, `cancelled A Reason`, `status SYMBOL STATUS`, `credited ACCOUNT CUR AMOUNT`,
//! `scheduled SYMBOL [none]`, `opened SYMBOL`, `indicated SYMBOL FOUND`, `cut SYMBOL FOUND`, `crossed BUY SELL QTY @ PRICE fees BUYER SELLER`,
//! `ended SYMBOL FOUND`, `bound A` of a cancel that came too late; `refused Reason`, `unknown` for an order that is not there, `(nothing)`.
//!
//! FOUND is `QTY @ PRICE` or `none`, with `beyond QTY` where it was too far, then `book BID ASK collar PRICE`: of an end
//! only the first. A SPAN is `15s` or, in microseconds, `15us`.
//!
//! After every step the laws must hold and every order must stand as its events say; after the last one the journal
//! of the steps, replayed, must give the same state.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

use buttonwood_engine::{
    AccessReject, Answer, Body, Command, FeeChange, FeeSchedule, Finding, NewSession, OrderRef, OrderState,
    Outcome, Owner, Place, PlaceReject, Reject, Schedule, TradingAnswer, TradingCommand, TradingReject,
};
use buttonwood_model::{
    AccountId, ClientId, CurrencyId, ExecutionOption, OrderId, OrderKind, Product, Role, Roles, SessionId,
    Side, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Bps, Decimal, Grid, Money, Price, Qty};
use buttonwood_oracle::{Exchange, Happening, caller, fees_account};
use std::collections::HashMap;

/// Currencies, listed in this order.
const CURRENCIES: [&str; 7] = ["USD", "BTC", "ETH", "DOGE", "ELON", "FTM", "USDT"];

/// A symbol: base and quote; minimum, lot and tick; where it is closed.
type Listing = ([&'static str; 2], [&'static str; 3], &'static [&'static str]);

/// Symbols with the specification's minimum, lot and tick.
const SYMBOLS: [Listing; 7] = [
    (["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]),
    (["ETH", "USD"], ["0.001", "0.000001", "0.01"], &[]),
    (["ETH", "BTC"], ["0.001", "0.000001", "0.00001"], &[]),
    (["DOGE", "BTC"], ["1", "0.00000001", "0.000000001"], &[]),
    (["ELON", "USD"], ["60000", "0.000001", "0.00000000001"], &[]),
    (["FTM", "USD"], ["0.03", "0.000001", "0.0001"], &[]),
    (["BTC", "USDT"], ["0.00001", "0.00000001", "0.01"], &["US-NY"]),
];

/// Microseconds from one command to the next.
const STEP: u64 = 1_000;

/// Runs a scenario at the default rates of 20 and 40 bps, and of 20 in auctions.
#[track_caller]
pub(crate) fn check(script: &str) {
    check_at(FeeSchedule::default(), script);
}

/// Runs a scenario at other rates.
#[track_caller]
pub(crate) fn check_at(fees: FeeSchedule, script: &str) {
    let mut stage = Stage::set(fees);
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Err(trouble) = stage.play(line) {
            panic!("{line}\n{trouble}");
        }
    }
    stage.replay();
}

struct Key {
    session: SessionId,
    account: AccountId,
    nonce: u64,
}

struct Stage {
    exchange: Exchange,
    accounts: HashMap<String, AccountId>,
    keys: HashMap<String, Key>,
    labels: HashMap<String, u64>,
    /// Every order as the events so far left it.
    orders: HashMap<u64, OrderState>,
    /// When the next command comes, if not right after the last one.
    next: Option<Time>,
}

/// The words of a line.
struct Words<'a>(std::iter::Peekable<std::str::SplitWhitespace<'a>>);

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Self {
        Self(text.split_whitespace().peekable())
    }

    fn next(&mut self) -> &'a str {
        self.0.next().expect("a further word")
    }

    /// Takes the word if it is the next one.
    fn takes(&mut self, word: &str) -> bool {
        self.0.next_if_eq(&word).is_some()
    }

    fn rest(self) -> Vec<&'a str> {
        self.0.collect()
    }
}

impl Stage {
    fn set(fees: FeeSchedule) -> Self {
        let mut exchange = Exchange::open(fees, Some(Vec::new()));
        for code in CURRENCIES {
            exchange.currency(code);
        }
        for (pair, steps, closed_to) in SYMBOLS {
            exchange.symbol(pair, steps, closed_to);
        }
        Self {
            exchange,
            accounts: HashMap::new(),
            keys: HashMap::new(),
            labels: HashMap::new(),
            orders: HashMap::new(),
            next: None,
        }
    }

    fn play(&mut self, line: &str) -> Result<(), String> {
        let (step, expected) =
            line.split_once("=>").map_or((line, None), |(step, after)| (step, Some(after)));
        let mut words = Words::of(step);
        let got = match words.next() {
            "given" => return self.given(words),
            "key" => {
                self.key(words);
                return Ok(());
            }
            "master" => return self.master(words),
            "balance" => return self.balance(words),
            "fees" => {
                let (currency, amount) = (self.currency(words.next()), money(words.next()));
                let got = self.exchange.balance(fees_account(), currency);
                return same(&got.total(), &amount);
            }
            "fingerprint" => {
                return same(
                    &self.exchange.state.fingerprint_of_balances().to_string(),
                    &words.next().to_owned(),
                );
            }
            side @ ("asks" | "bids") => return self.queue(side, words, false),
            "waiting" => {
                let symbol = words.next();
                let side = words.next();
                let labels = words.rest().join(" ");
                return self.queue(side, Words::of(&format!("{symbol} {labels}")), true);
            }
            "before" => {
                let symbol = self.symbol(words.next());
                let auctions = self.exchange.state.auctions(symbol).unwrap();
                self.next = Some(Time(auctions.schedule().unwrap().time.0 - micros(words.next())));
                return Ok(());
            }
            "auctions" => {
                let symbol = self.symbol(words.next());
                let schedule = (!words.takes("none")).then(|| self.schedule(words));
                self.submit(
                    &Command {
                        caller: None,
                        body: Body::Trading(TradingCommand::ScheduleAuctions(symbol, schedule)),
                    },
                    None,
                )
            }
            "auction" => {
                let symbol = self.symbol(words.next());
                self.submit(
                    &Command { caller: None, body: Body::Trading(TradingCommand::Auction(symbol)) },
                    None,
                )
            }
            "rates" => {
                let change = self.rates(words);
                let body = Body::Trading(TradingCommand::SetFees(change));
                self.submit(&Command { caller: None, body }, None)
            }
            "orders" => {
                let account = self.accounts[words.next()];
                let got: Vec<_> =
                    self.exchange.orders_of(account).map(|order| self.label(order.id.0)).collect();
                return same(&got.join(" "), &words.rest().join(" ").replace('-', ""));
            }
            "order" => return self.order(words),
            "credit" => {
                let account = self.accounts[words.next()];
                let body = Body::credit(account, self.amounts(&words.rest().join(" ")));
                self.submit(&Command { caller: None, body }, None)
            }
            "status" => {
                let symbol = self.symbol(words.next());
                let name = words.next();
                let status = SymbolStatus::ALL.into_iter().find(|status| status.name() == name).unwrap();
                self.submit(
                    &Command {
                        caller: None,
                        body: Body::Trading(TradingCommand::SetSymbolStatus(symbol, status)),
                    },
                    None,
                )
            }
            "expire" => {
                let session = self.keys[words.next()].session;
                self.submit(
                    &Command { caller: None, body: Body::Trading(TradingCommand::ExpireSession(session)) },
                    None,
                )
            }
            key => self.call(key, words),
        };
        self.check_laws()?;
        same(&got.as_str(), &expected.expect("what happens, after =>").trim())
    }

    fn given(&mut self, mut words: Words<'_>) -> Result<(), String> {
        let name = words.next();
        let place = if words.takes("from") { words.next() } else { "" };
        let account = self.exchange.account(name, place);
        let session = self.exchange.key(name, account, Role::Trader);
        self.accounts.insert(name.into(), account);
        self.keys.insert(name.into(), Key { session, account, nonce: 0 });
        let amounts = self.amounts(&words.rest().join(" "));
        let answer = self.exchange.own(Body::credit(account, amounts));
        same(&answer, &Outcome::Done)
    }

    fn key(&mut self, mut words: Words<'_>) {
        let name = words.next();
        assert_eq!(words.next(), "of");
        let account = self.accounts[words.next()];
        let role = words.0.next().unwrap_or("Trader");
        let role = Role::ALL.into_iter().find(|known| format!("{known:?}") == role).unwrap();
        let session = self.exchange.key(name, account, role);
        self.keys.insert(name.into(), Key { session, account, nonce: 0 });
    }

    fn master(&mut self, mut words: Words<'_>) -> Result<(), String> {
        let name = words.next();
        assert_eq!(words.next(), "of");
        let account = self.accounts[words.next()];
        let group = self.exchange.state.access().account(account).unwrap().group.unwrap();
        let key = NewSession {
            api_key: format!("master-{name}"),
            name: name.into(),
            owner: Owner::Group(group),
            roles: Roles::of(&[Role::Trader]),
            require_heartbeat: false,
            time_based_nonce: false,
            addresses: Vec::new(),
        };
        same(&self.exchange.own(Body::add_session(key)), &Outcome::Done)?;
        let session = SessionId::from_index(self.exchange.state.access().sessions().len() - 1);
        self.keys.insert(name.into(), Key { session, account, nonce: 0 });
        Ok(())
    }

    fn balance(&self, mut words: Words<'_>) -> Result<(), String> {
        let (account, currency) = (self.accounts[words.next()], self.currency(words.next()));
        let total = money(words.next());
        assert_eq!(words.next(), "available");
        let available = money(words.next());
        let got = self.exchange.balance(account, currency);
        same(&(got.total(), got.available), &(total, available))
    }

    /// `in SPAN …`.
    fn rates(&self, mut words: Words<'_>) -> FeeChange {
        let product = match words.next() {
            "spot" => Product::Spot,
            "swap" => Product::Swap,
            other => panic!("no product: {other}"),
        };
        let account = words.takes("of").then(|| self.accounts[words.next()]);
        let schedule = (!words.takes("none")).then(|| {
            let [maker, taker, auction] = [(); 3].map(|()| Bps(words.next().parse().unwrap()));
            FeeSchedule { maker, taker, auction }
        });
        FeeChange { product, account, schedule }
    }

    fn schedule(&self, mut words: Words<'_>) -> Schedule {
        assert_eq!(words.next(), "in");
        let now = self.exchange.stamp.time.plus(STEP);
        let mut schedule = Schedule {
            time: now.plus(micros(words.next())),
            every: 0,
            opens: Schedule::ALWAYS,
            indicates: 0,
            indicates_every: 0,
            last_cancel: 0,
        };
        while let Some(word) = words.0.next() {
            match word {
                "every" => schedule.every = micros(words.next()),
                "opens" => schedule.opens = micros(words.next()),
                "indicates" => {
                    schedule.indicates = micros(words.next());
                    schedule.indicates_every = micros(words.next());
                }
                "last" => schedule.last_cancel = micros(words.next()),
                other => panic!("no part of a schedule: {other}"),
            }
        }
        schedule
    }

    fn queue(&self, side: &str, mut words: Words<'_>, waits: bool) -> Result<(), String> {
        let symbol = self.symbol(words.next());
        let side = if side == "asks" { Side::Sell } else { Side::Buy };
        let label = |order: OrderState| self.label(order.id.0);
        let got: Vec<_> = if waits {
            self.exchange.waiting(symbol, side).map(label).collect()
        } else {
            self.exchange.queue(symbol, side).map(label).collect()
        };
        same(&got.join(" "), &words.rest().join(" ").replace('-', ""))
    }

    fn order(&self, mut words: Words<'_>) -> Result<(), String> {
        let order = &self.orders[&self.labels[words.next()]];
        let grid = &self.exchange.state.symbol(order.symbol).unwrap().grid;
        for word in words.rest() {
            let (field, expected) = word.split_once('=').unwrap();
            let got = match field {
                "live" => order.is_live().to_string(),
                "cancelled" => order.reason.is_some().to_string(),
                "reason" => order.reason.map_or("-".into(), |reason| format!("{reason:?}")),
                "original" => shown_qty(grid, order.original),
                "remaining" => shown_qty(grid, order.remaining),
                "executed" => shown_qty(grid, order.executed()),
                "notional" => format!("{:?}", order.notional),
                other => panic!("no field {other}"),
            };
            same(&(field, got.as_str()), &(field, expected))?;
        }
        Ok(())
    }

    /// The call of a key.
    fn call(&mut self, name: &str, mut words: Words<'_>) -> String {
        let on = words.takes("on").then(|| self.accounts[words.next()]);
        let (mut label, mut number) = (None, None);
        let body = match words.next() {
            "cancel" => {
                let body = self.cancel(words.next());
                if words.takes("nonce") {
                    number = Some(words.next().parse().unwrap());
                }
                body
            }
            side => {
                let mut place = self.place(side, &mut words);
                while let Some(word) = words.0.next() {
                    match word {
                        "moc" => place.option = Some(ExecutionOption::MakerOrCancel),
                        "ioc" => place.option = Some(ExecutionOption::ImmediateOrCancel),
                        "fok" => place.option = Some(ExecutionOption::FillOrKill),
                        "auction" => place.option = Some(ExecutionOption::AuctionOnly),
                        "as" => label = Some(words.next()),
                        "client" => place.client_id = Some(ClientId::new(words.next()).unwrap()),
                        "nonce" => number = Some(words.next().parse().unwrap()),
                        other => panic!("no option {other}"),
                    }
                }
                Body::Trading(TradingCommand::Place(place))
            }
        };
        let key = self.keys.get_mut(name).unwrap_or_else(|| panic!("no key {name}"));
        let number = number.unwrap_or(key.nonce + 1);
        key.nonce = key.nonce.max(number);
        let caller = caller(key.session, on.unwrap_or(key.account), number);
        self.submit(&Command { caller: Some(caller), body }, label)
    }

    fn cancel(&self, what: &str) -> Body {
        match what.split_once(':') {
            Some(("id", id)) => {
                Body::Trading(TradingCommand::Cancel(OrderRef::Id(OrderId(id.parse().unwrap()))))
            }
            Some(("client", text)) => {
                Body::Trading(TradingCommand::Cancel(OrderRef::ClientId(ClientId::new(text).unwrap())))
            }
            Some(_) => panic!("cancel what: {what}"),
            None if what == "session" => Body::Trading(TradingCommand::CancelSession),
            None if what == "all" => Body::Trading(TradingCommand::CancelAll),
            None => Body::Trading(TradingCommand::Cancel(OrderRef::Id(OrderId(self.labels[what])))),
        }
    }

    fn place(&self, side: &str, words: &mut Words<'_>) -> Place {
        let symbol = self.symbol(words.next());
        let grid = &self.exchange.state.symbol(symbol).unwrap().grid;
        let of_book = if side == "buy" { Side::Buy } else { Side::Sell };
        let mut place = Place {
            kind: OrderKind::MarketSpend,
            ..Place::limit(symbol, of_book, Price::default(), Qty::ZERO)
        };
        assert!(["buy", "sell"].contains(&side), "no verb {side}");
        if words.takes("spend") {
            place.spend = money(words.next());
            return place;
        }
        place.qty = grid.qty(decimal(words.next())).expect("a multiple of the lot");
        place.kind = OrderKind::Market;
        if !words.takes("market") {
            assert_eq!(words.next(), "@");
            place.kind = OrderKind::Limit;
            place.price = grid.price(decimal(words.next())).expect("a multiple of the tick");
        }
        place
    }

    /// Submits a command, a millisecond after the last one if its time was not told, and tells what happened.
    fn submit(&mut self, command: &Command, label: Option<&str>) -> String {
        let after = self.next.take().map_or(STEP, |next| next.0 - self.exchange.stamp.time.0);
        let answer = self.exchange.submit(after, command);
        if let (Outcome::Trading(TradingAnswer::Order(order)), Some(label)) = (&answer, label) {
            self.labels.insert(label.into(), order.id.0);
        }
        if let (Outcome::Trading(TradingAnswer::Order(order)), Body::Trading(TradingCommand::Place(_))) =
            (&answer, &command.body)
        {
            let entered =
                OrderState { remaining: order.original, notional: Money::ZERO, reason: None, ..*order };
            self.orders.insert(order.id.0, entered);
        }
        self.apply();
        if let Outcome::Trading(TradingAnswer::Order(order)) = &answer {
            assert_eq!(self.orders[&order.id.0], *order, "the answer is the order as its events left it");
        }
        self.told(&answer)
    }

    /// Brings the orders to where the last events left them.
    fn apply(&mut self) {
        let mut entered = 0;
        for happening in &self.exchange.happened {
            match *happening {
                Happening::Accepted(id) | Happening::Triggered(id) => entered = id,
                Happening::Filled { maker, price, qty, .. } => {
                    for id in [maker, entered] {
                        let order = self.orders.get_mut(&id).unwrap();
                        let grid = &self.exchange.state.symbol(order.symbol).unwrap().grid;
                        order.remaining -= qty;
                        order.notional += grid.notional(price, qty).unwrap();
                    }
                }
                Happening::Crossed { buy, sell, price, qty, .. } => {
                    for id in [buy, sell] {
                        let order = self.orders.get_mut(&id).unwrap();
                        let grid = &self.exchange.state.symbol(order.symbol).unwrap().grid;
                        order.remaining -= qty;
                        order.notional += grid.notional(price, qty).unwrap();
                    }
                }
                Happening::Cancelled(id, reason) => self.orders.get_mut(&id).unwrap().reason = Some(reason),
                Happening::Booked(_)
                | Happening::Suspended(_)
                | Happening::CancelRejected(_)
                | Happening::Scheduled(..)
                | Happening::Opened(..)
                | Happening::Indicated(..)
                | Happening::Cut(..)
                | Happening::Ended(..)
                | Happening::Completed(_)
                | Happening::Refused(..)
                | Happening::Connected(..)
                | Happening::Tied(..)
                | Happening::Disconnected(_)
                | Happening::Status(..)
                | Happening::Broken(..)
                | Happening::Credited(..)
                | Happening::Converted(_) => {}
            }
        }
    }

    fn told(&self, answer: &Answer) -> String {
        let refused = match answer {
            Outcome::Rejected(Reject::Access(AccessReject::MissingRole(_))) => "refused MissingRole".into(),
            Outcome::Rejected(Reject::Access(reject)) => format!("refused {reject:?}"),
            Outcome::Rejected(Reject::Trading(TradingReject::Place(PlaceReject::MarketNotOpen(_)))) => {
                "refused MarketNotOpen".into()
            }
            Outcome::Rejected(Reject::Trading(TradingReject::Place(
                PlaceReject::InsufficientFunds { .. } | PlaceReject::BeyondFunds,
            ))) => "refused InsufficientFunds".into(),
            Outcome::Rejected(Reject::Trading(TradingReject::Place(PlaceReject::AuctionNotOpen {
                ..
            }))) => "refused AuctionNotOpen".into(),
            Outcome::Rejected(Reject::Trading(TradingReject::Place(reject))) => format!("refused {reject:?}"),
            Outcome::Rejected(Reject::Trading(reject)) => format!("refused {reject:?}"),
            Outcome::Rejected(Reject::Ledger(reject)) => format!("refused {reject:?}"),
            Outcome::Rejected(reject) => format!("refused {reject:?}"),
            Outcome::Trading(TradingAnswer::NotLive) => "unknown".into(),
            Outcome::Done if self.exchange.happened.is_empty() => "(nothing)".into(),
            Outcome::Done
            | Outcome::Clearing(_)
            | Outcome::Convert(_)
            | Outcome::Staking(_)
            | Outcome::Funds(_)
            | Outcome::Trading(TradingAnswer::Order(_) | TradingAnswer::Connection(_)) => {
                let told: Vec<_> = self.exchange.happened.iter().map(|one| self.tell(one)).collect();
                return told.join(", ");
            }
        };
        let is_refusal = |what: &Happening| matches!(what, Happening::Refused(..));
        assert!(self.exchange.happened.iter().all(is_refusal), "a refusal changes nothing");
        refused
    }

    fn tell(&self, happening: &Happening) -> String {
        match *happening {
            Happening::Accepted(id) => format!("accepted {}", self.label(id)),
            Happening::Suspended(id) => format!("suspended {}", self.label(id)),
            Happening::Triggered(id) => format!("triggered {}", self.label(id)),
            Happening::Filled { maker, price, qty, maker_fee, taker_fee, .. } => {
                let grid = &self.exchange.state.symbol(self.orders[&maker].symbol).unwrap().grid;
                let (qty, price) = (shown_qty(grid, qty), shown_price(grid, price));
                format!("filled {} {qty} @ {price} fees {maker_fee:?} {taker_fee:?}", self.label(maker))
            }
            Happening::Crossed { buy: bid, sell: ask, price, qty, fees: [buyer, seller], .. } => {
                let grid = &self.exchange.state.symbol(self.orders[&bid].symbol).unwrap().grid;
                let (qty, price) = (shown_qty(grid, qty), shown_price(grid, price));
                let [bid, ask] = [bid, ask].map(|id| self.label(id));
                format!("crossed {bid} {ask} {qty} @ {price} fees {buyer:?} {seller:?}")
            }
            Happening::CancelRejected(id) => format!("bound {}", self.label(id)),
            Happening::Scheduled(symbol, Some(_)) => format!("scheduled {}", self.name(symbol)),
            Happening::Scheduled(symbol, None) => format!("scheduled {} none", self.name(symbol)),
            Happening::Opened(symbol, _) => format!("opened {}", self.name(symbol)),
            Happening::Indicated(symbol, finding) => {
                format!("indicated {} {}", self.name(symbol), self.found(symbol, &finding))
            }
            Happening::Cut(symbol, finding, _) => {
                format!("cut {} {}", self.name(symbol), self.found(symbol, &finding))
            }
            Happening::Ended(symbol, finding) => {
                format!("ended {} {}", self.name(symbol), self.came_to(symbol, &finding))
            }
            Happening::Booked(id) => format!("booked {}", self.label(id)),
            Happening::Connected(connection, ..) => format!("connected {}", connection.0),
            Happening::Tied(connection, id) => format!("tied {} to {}", self.label(id), connection.0),
            Happening::Disconnected(connection) => format!("disconnected {}", connection.0),
            Happening::Refused(id, reason) => format!("refused {} {reason:?}", self.label(id)),
            Happening::Completed(id) => format!("completed {}", self.label(id)),
            Happening::Cancelled(id, reason) => format!("cancelled {} {reason:?}", self.label(id)),
            Happening::Status(symbol, status) => {
                format!("status {} {}", self.name(symbol), status.name())
            }
            Happening::Broken(trade, kind) => format!("broken {} {}", trade.0, kind.name()),
            Happening::Credited(account, currency, amount) => {
                let name = self.accounts.iter().find(|(_, id)| **id == account).unwrap().0;
                let code = &self.exchange.state.currency(currency).unwrap().code;
                format!("credited {name} {code} {amount:?}")
            }
            Happening::Converted(event) => format!("{event:?}"),
        }
    }

    fn name(&self, symbol: SymbolId) -> &str {
        &self.exchange.state.symbol(symbol).unwrap().name
    }

    fn came_to(&self, symbol: SymbolId, finding: &Finding) -> String {
        let grid = &self.exchange.state.symbol(symbol).unwrap().grid;
        let qty = |qty| shown_qty(grid, qty);
        match finding.price {
            Some(price) => format!("{} @ {}", qty(finding.qty), shown_price(grid, price)),
            None if finding.beyond > Qty::ZERO => format!("none beyond {}", qty(finding.beyond)),
            None => "none".into(),
        }
    }

    fn found(&self, symbol: SymbolId, finding: &Finding) -> String {
        let grid = &self.exchange.state.symbol(symbol).unwrap().grid;
        let price = |price: Option<Price>| price.map_or("-".into(), |price| shown_price(grid, price));
        let half = finding.collar.map(|collar| u64::try_from(collar.half_ticks()).unwrap());
        let collar = price(half.map(|half| Price::from_ticks(half / 2)));
        let rest = if half.is_some_and(|half| half % 2 == 1) { "½" } else { "" };
        let (bid, ask) = (price(finding.bid), price(finding.ask));
        format!("{} book {bid} {ask} collar {collar}{rest}", self.came_to(symbol, finding))
    }

    fn label(&self, id: u64) -> String {
        let labelled = self.labels.iter().find(|(_, labelled)| **labelled == id);
        labelled.map_or_else(|| format!("id:{id}"), |(label, _)| label.clone())
    }

    fn check_laws(&self) -> Result<(), String> {
        if let Some(law) = self.exchange.state.broken_law() {
            return Err(format!("{law:?}"));
        }
        for (id, order) in &self.orders {
            let expected = order.is_live().then_some(*order);
            same(&self.exchange.order(*id), &expected)?;
        }
        Ok(())
    }

    /// Replays the journal from before the first command.
    fn replay(&self) {
        let mut again = Exchange::blank();
        for frame in self.exchange.journal.iter().flatten() {
            again.replay(frame);
        }
        assert_eq!(self.exchange.difference(&again), None, "a replay leads to the same state");
    }

    fn symbol(&self, name: &str) -> SymbolId {
        let at = self.exchange.state.symbols().iter().position(|symbol| symbol.name == name);
        SymbolId::from_index(at.unwrap_or_else(|| panic!("no symbol {name}")))
    }

    fn currency(&self, code: &str) -> CurrencyId {
        let at = self.exchange.state.currencies().iter().position(|currency| currency.code == code);
        CurrencyId::from_index(at.unwrap_or_else(|| panic!("no currency {code}")))
    }

    /// `CUR AMOUNT, CUR AMOUNT`.
    fn amounts(&self, text: &str) -> Vec<(CurrencyId, Money)> {
        let amount = |part: &str| {
            let mut words = Words::of(part);
            (self.currency(words.next()), money(words.next()))
        };
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(amount).collect()
    }
}

/// `15s` or `15us`.
fn micros(text: &str) -> u64 {
    match text.strip_suffix("us") {
        Some(micros) => micros.parse().unwrap(),
        None => text.strip_suffix('s').unwrap().parse::<u64>().unwrap() * Time::SECOND,
    }
}

fn same<T: PartialEq + std::fmt::Debug>(got: &T, expected: &T) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("     got {got:?}\nexpected {expected:?}")) }
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).unwrap_or_else(|_| panic!("no decimal: {text}"))
}

fn money(text: &str) -> Money {
    match text.strip_prefix("units:") {
        Some(units) => Money::from_units(units.parse().unwrap()),
        None => Money::from_decimal(decimal(text)).unwrap(),
    }
}

fn shown_qty(grid: &Grid, qty: Qty) -> String {
    let mut out = Vec::new();
    grid.push_qty(&mut out, qty);
    String::from_utf8(out).unwrap()
}

fn shown_price(grid: &Grid, price: Price) -> String {
    let mut out = Vec::new();
    grid.push_price(&mut out, price);
    String::from_utf8(out).unwrap()
}
