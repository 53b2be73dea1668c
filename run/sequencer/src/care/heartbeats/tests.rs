//! The silence of watched sessions, and the clock that measures it.

use super::*;
use crate::{Clock, Options, Stepped, recover_stepped};
use buttonwood_engine::{
    Account, Body, Caller, Command, FeeSchedule, Mode, NewSession, Opening, Owner, Place, TradingCommand,
    houses,
};
use buttonwood_journal as journal;
use buttonwood_model::{
    AccountId, Claim, Currency, CurrencyId, CurrencyKind, GroupId, Nonce, OrderKind, Product, Role, Roles,
    Side, Symbol, SymbolId, SymbolStatus,
};
use buttonwood_num::{Decimal, Grid, Money, Price, Qty};
use std::time::Duration;

const FIRST: SessionId = SessionId(1);
const SECOND: SessionId = SessionId(2);

/// Proves SES-012, SES-014.
#[test]
fn a_sign_of_life_moves_the_deadline_and_revives() {
    let heartbeats = Heartbeats::new(Time(0));
    heartbeats.watch(FIRST, Time(0));
    heartbeats.watch(SECOND, Time(5));
    let at = |seconds: u64| Time(seconds * Time::SECOND);
    assert_eq!(heartbeats.due(Time(SILENCE - 1), |_| true), None);
    assert_eq!(heartbeats.due(at(31), |_| true), Some((FIRST, Time(SILENCE))));
    heartbeats.heard(FIRST, at(15));
    assert_eq!(heartbeats.due(at(31), |_| true), Some((SECOND, Time(SILENCE + 5))));
    heartbeats.expire(SECOND, Time(SILENCE + 5));
    assert_eq!(heartbeats.due(at(44), |_| true), None);
    assert_eq!(heartbeats.due(at(45), |_| false), None);
    assert_eq!(heartbeats.due(at(45), |_| true), Some((FIRST, at(45))));
    heartbeats.heard(SECOND, at(50));
    // A sign of life between the decision and the note: the next silence counts.
    heartbeats.heard(FIRST, at(60));
    heartbeats.expire(FIRST, at(45));
    assert_eq!(heartbeats.due(at(80), |_| true), Some((SECOND, at(80))));
    heartbeats.expire(SECOND, at(80));
    assert_eq!(heartbeats.due(at(90), |_| true), Some((FIRST, at(90))));
}

/// One member, and a symbol to trade.
fn founding() -> Vec<Command> {
    let currency = |code: &str| {
        Body::list_currency(Currency {
            code: code.to_owned(),
            name: code.to_owned(),
            decimals: 19,
            kind: CurrencyKind::Crypto,
            networks: Vec::new(),
        })
    };
    let bodies = [
        Body::open(Opening { mode: Mode::Sandbox, seed: 1, hash_key: 2, fees: FeeSchedule::default() }),
        currency("BTC"),
        currency("USD"),
        Body::list_symbol(symbol()),
        Body::add_group("one".to_owned()),
    ];
    bodies.into_iter().chain(member(0)).map(|body| Command { caller: None, body }).collect()
}

/// An account with money and a key with Require Heartbeat.
fn member(number: usize) -> [Body; 3] {
    let account = AccountId::from_index(houses().count() + number);
    let mut opened = Account::house(Time(0));
    opened.group = Some(GroupId(0));
    opened.short_name = format!("member-{number}");
    [
        Body::open_account(opened),
        Body::add_session(NewSession {
            owner: Owner::Account(account),
            roles: Roles::of(&[Role::Trader]),
            require_heartbeat: true,
            time_based_nonce: false,
            api_key: format!("account-beat-{number}"),
            name: format!("beat-{number}"),
            addresses: Vec::new(),
        }),
        Body::credit(account, vec![(CurrencyId(1), Money::from_decimal(decimal("1000000")).unwrap())]),
    ]
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).unwrap()
}

fn symbol() -> Symbol {
    let grid = Grid::new(decimal("0.01"), decimal("0.00000001")).unwrap();
    Symbol {
        name: "btcusd".to_owned(),
        base: CurrencyId(0),
        quote: CurrencyId(1),
        qty_min: grid.qty(decimal("0.00001")).unwrap(),
        grid,
        product: Product::Spot,
        status: SymbolStatus::Open,
        wrap_enabled: false,
        closed_to: Vec::new(),
    }
}

fn account() -> AccountId {
    AccountId::from_index(houses().count())
}

const BEATING: SessionId = SessionId(0);
const DAY: Time = Time(1_767_225_600_000_000);

fn place() -> Place {
    Place {
        symbol: SymbolId(0),
        side: Side::Buy,
        claim: Claim::Yes,
        kind: OrderKind::Limit,
        option: None,
        price: Price::from_ticks(100),
        qty: Qty::from_hundredths(100_000),
        spend: Money::ZERO,
        client_id: None,
        stop: Price::default(),
        margin: false,
    }
}

/// An exchange with one watched session that has an order.
struct Quiet {
    stepped: Stepped,
    _dir: tempfile::TempDir,
    ticks: u64,
}

impl Quiet {
    fn with(clock: Clock) -> Self {
        let mut quiet = Self::founded(clock, founding());
        quiet.order();
        quiet
    }

    fn founded(clock: Clock, founding: Vec<Command>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let segments =
            journal::Options { first_segment_bytes: 65_536, segment_bytes: 65_536, ballast_bytes: 0 };
        let mut recovered = recover_stepped(dir.path(), segments).unwrap();
        recovered.commit(DAY, founding).unwrap();
        let mut quiet =
            Self { stepped: Stepped::new(recovered, clock, Options::default()), _dir: dir, ticks: 0 };
        quiet.tick();
        quiet
    }

    /// With the time of day, and a steady time that began with the system a minute ago.
    fn real() -> Self {
        Self::with(real_clock())
    }

    /// A member of a crowd places an order under each of these nonces.
    fn fill(&mut self, number: usize, nonces: std::ops::Range<u32>) {
        let account = Some(AccountId::from_index(houses().count() + number));
        for nonce in nonces {
            let nonce = Nonce::parse(nonce.to_string().as_bytes()).unwrap();
            let caller = Some(Caller { session: SessionId::from_index(number), account, nonce });
            let command = Command { caller, body: Body::Trading(TradingCommand::Place(place())) };
            drop(self.stepped.exchange().submit(command).unwrap());
            self.stepped.decide(Duration::ZERO);
        }
        self.stepped.commit().unwrap();
    }

    fn order(&mut self) {
        self.order_under(1);
    }

    fn order_under(&mut self, nonce: u32) {
        let nonce = Nonce::parse(nonce.to_string().as_bytes()).unwrap();
        let caller = Some(Caller { session: BEATING, account: Some(account()), nonce });
        let exchange = self.stepped.exchange();
        exchange.heard(BEATING, exchange.steady());
        let _answer =
            exchange.submit(Command { caller, body: Body::Trading(TradingCommand::Place(place())) }).unwrap();
        self.tick();
        assert!(self.is_live(), "it is taken");
    }

    fn is_live(&self) -> bool {
        self.stepped.state().orders().in_any_order(account()).next().is_some()
    }

    fn stamped(&self) -> Time {
        self.stepped.state().stamp().time
    }

    /// A turn of the writer's thread with a check for silence.
    fn tick(&mut self) {
        self.look();
        self.stepped.commit().unwrap();
    }

    /// The same while the journal's thread is still busy.
    fn look(&mut self) {
        self.stepped.decide(Duration::from_hours(self.ticks));
        self.ticks += 1;
    }

    /// Sets the time of day.
    fn set_day(&self, time: Time) {
        let Clock::Set { day, .. } = &self.stepped.exchange().shared.clock else { return };
        day.store(time.0, Ordering::Release);
    }

    /// Time passes without a check.
    fn pass(&self, seconds: u64) {
        let Clock::Set { day, steady, .. } = &self.stepped.exchange().shared.clock else { return };
        for clock in [day, steady] {
            clock.fetch_add(seconds * Time::SECOND, Ordering::AcqRel);
        }
    }

    /// Time passes with a check every second.
    fn watched_for(&mut self, seconds: u64) {
        for _ in 0..seconds {
            self.pass(1);
            self.tick();
        }
    }
}

fn real_clock() -> Clock {
    Clock::set_to(DAY, Time(60 * Time::SECOND))
}

/// Many sessions may fall silent at once, as when their network fails, each with thousands of orders. Their cancels
/// exceed one batch, however often the writer checks before the disk has it: the rest goes with the next batch, and
/// none is lost.
/// Proves SES-010.
#[test]
fn a_crowd_that_falls_silent_is_not_one_batch() {
    const CROWD: usize = 8;
    let others = (1..CROWD).flat_map(member).map(|body| Command { caller: None, body });
    let mut quiet = Quiet::founded(real_clock(), founding().into_iter().chain(others).collect());
    for number in 0..CROWD {
        for third in 0..3 {
            quiet.fill(number, 3_333 * third + 1..3_333 * (third + 1) + 1);
        }
    }
    let live = |quiet: &Quiet| quiet.stepped.state().orders().len();
    assert_eq!(live(&quiet), CROWD * 9_999);
    quiet.watched_for(29);
    assert_eq!(live(&quiet), CROWD * 9_999);
    quiet.pass(1);
    for _ in 0..3 {
        quiet.look();
    }
    assert_eq!(live(&quiet), 9_999, "as many as a batch takes");
    quiet.stepped.commit().unwrap();
    quiet.look();
    assert_eq!(live(&quiet), 0);
}

/// Setting the clock silences no session and keeps no silent session's orders. The expiry carries its own time and not
/// the end of the window: the new time where the step is believed at once. Proves SES-010.
#[test]
fn a_day_that_is_set_moves_no_window() {
    let seconds = |seconds: u64| seconds * Time::SECOND;
    for (day, stamped) in [
        (DAY.plus(seconds(10)), DAY.plus(seconds(39))),
        (DAY.plus(seconds(3_600)), DAY.plus(seconds(30))),
        (Time(DAY.0 - seconds(5)), DAY.plus(seconds(24))),
        (Time(DAY.0 - seconds(3_600)), DAY.plus(seconds(30))),
    ] {
        let mut quiet = Quiet::real();
        quiet.watched_for(1);
        quiet.set_day(day);
        quiet.watched_for(28);
        assert!(quiet.is_live());
        quiet.watched_for(1);
        assert!(!quiet.is_live());
        assert_eq!(quiet.stamped(), stamped, "after {day:?}");
    }
}

/// A clock that shows next year for a moment leaves no trace in the journal, whose time never goes back. A clock that
/// was set is followed after a minute, or the time stands still until it has caught up.
#[test]
fn a_moment_of_a_wrong_day_is_not_journaled() {
    let seconds = |seconds: u64| seconds * Time::SECOND;
    let year = seconds(365 * 86_400);
    let mut quiet = Quiet::real();
    quiet.order_under(2);
    quiet.set_day(DAY.plus(year));
    quiet.pass(1);
    quiet.order_under(3);
    assert_eq!(quiet.stamped(), DAY.plus(seconds(1)));
    quiet.set_day(DAY.plus(seconds(2)));
    quiet.pass(0);
    quiet.order_under(4);
    assert!(quiet.stamped() < DAY.plus(seconds(3)), "{:?}", quiet.stamped());

    quiet.set_day(DAY.plus(year));
    quiet.order_under(5);
    quiet.pass(60);
    quiet.order_under(6);
    assert_eq!(quiet.stamped(), DAY.plus(year + seconds(60)));
    quiet.set_day(DAY);
    quiet.order_under(7);
    quiet.pass(60);
    quiet.order_under(8);
    assert_eq!(quiet.stamped(), DAY.plus(year + seconds(60)), "it does not go back");
}

/// While the process stands still, no session falls silent. After the pause, the signs of life sent during it are read
/// before any session expires. Proves SES-010.
#[test]
fn a_pause_of_ours_is_nobodys_silence() {
    let mut quiet = Quiet::real();
    quiet.watched_for(29);
    quiet.pass(31);
    quiet.tick();
    assert!(quiet.is_live());
    quiet.watched_for(9);
    assert!(quiet.is_live());
    quiet.watched_for(1);
    assert!(!quiet.is_live());
}

/// Many short pauses do not keep a silent session's orders. Proves SES-010.
#[test]
fn pauses_do_not_keep_a_silent_session() {
    let mut quiet = Quiet::real();
    for _ in 0..2 {
        quiet.watched_for(14);
        quiet.pass(2);
        quiet.tick();
    }
    assert!(quiet.is_live(), "28 seconds of silence, and two pauses");
    for _ in 0..3 {
        quiet.watched_for(4);
        quiet.pass(2);
        quiet.tick();
    }
    assert!(!quiet.is_live());
}

/// A manual clock measures silence itself, however far one move goes. Proves SES-010.
#[test]
fn a_manual_clock_measures_silence_itself() {
    let mut quiet = Quiet::with(Clock::manual(DAY));
    let mut advance = |seconds: u64| {
        drop(quiet.stepped.exchange().advance(DAY.plus(seconds * Time::SECOND)).unwrap());
        quiet.tick();
        quiet.is_live()
    };
    assert!(advance(29));
    assert!(!advance(3_600));
}
