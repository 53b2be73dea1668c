//! A crash image taken at any quiet moment recovers to what the live exchange had: state, books, history, nonces, with
//! and without snapshots in between.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

use buttonwood_engine::{
    Account, Answer, Body, Caller, Command, FeeSchedule, House, Mode, NewSession, Opening, OrderRef, Outcome,
    Owner, Place, Reject,
};
use buttonwood_journal::Options as Segments;
use buttonwood_model::{
    AccountId, Currency, CurrencyId, CurrencyKind, GroupId, Nonce, OrderId, OrderKind, Product, Role, Roles,
    SessionId, Side, Symbol, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Decimal, Grid, Money, Price, Qty};
use buttonwood_sequencer::{Clock, Exchange, Options, Recovered, Running, recover, verify};
use buttonwood_views::history::Limit;
use std::path::Path;

const START: Time = Time(1_767_225_600_000_000);
const SEGMENTS: Segments =
    Segments { first_segment_bytes: 256 * 1024, segment_bytes: 256 * 1024, ballast_bytes: 0 };

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).unwrap()
}

fn account(number: u32) -> AccountId {
    AccountId::from_index(House::ALL.len() + usize::try_from(number).unwrap())
}

/// Two accounts with a key each, one symbol.
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
    let grid = Grid::new(decimal("0.01"), decimal("0.00000001")).unwrap();
    let mut bodies = vec![
        Body::open(Opening { mode: Mode::Sandbox, seed: 1, hash_key: 2, fees: FeeSchedule::default() }),
        currency("BTC"),
        currency("USD"),
        Body::list_symbol(Symbol {
            name: "btcusd".to_owned(),
            base: CurrencyId(0),
            quote: CurrencyId(1),
            qty_min: grid.qty(decimal("0.00001")).unwrap(),
            grid,
            product: Product::Spot,
            status: SymbolStatus::Open,
            wrap_enabled: false,
            closed_to: Vec::new(),
        }),
        Body::add_group("one".to_owned()),
    ];
    for number in 0..2 {
        let mut opened = Account::house(START);
        opened.group = Some(GroupId(0));
        opened.short_name = format!("account-{number}");
        bodies.push(Body::open_account(opened));
        bodies.push(Body::add_session(NewSession {
            owner: Owner::Account(account(number)),
            roles: Roles::of(&[Role::Trader]),
            require_heartbeat: false,
            time_based_nonce: false,
            api_key: format!("account-key-{number}"),
            name: format!("key-{number}"),
        }));
        let plenty = Money::from_decimal(decimal("1000000")).unwrap();
        bodies.push(Body::credit(account(number), vec![(CurrencyId(0), plenty), (CurrencyId(1), plenty)]));
    }
    bodies.into_iter().map(|body| Command { caller: None, body }).collect()
}

struct Trading {
    running: Running,
    exchange: Exchange,
    nonce: u64,
    /// The last nonce of each session.
    used: [u64; 2],
}

impl Trading {
    fn start(recovered: Recovered, snapshot_every: u64, nonce: u64) -> Self {
        let running = Exchange::start(recovered, Clock::manual(START), Options { snapshot_every }).unwrap();
        Self { exchange: running.exchange(), running, nonce, used: [0; 2] }
    }

    fn call(&mut self, session: u32, body: Body) -> Answer {
        self.nonce += 1;
        self.used[usize::try_from(session).unwrap()] = self.nonce;
        self.call_with(session, self.nonce, body)
    }

    fn call_with(&self, session: u32, nonce: u64, body: Body) -> Answer {
        let nonce = Nonce::parse(nonce.to_string().as_bytes()).unwrap();
        let caller = Some(Caller { session: SessionId(session), account: Some(account(session)), nonce });
        self.exchange.execute(Command { caller, body }).unwrap().outcome
    }

    /// A little of everything, told apart by `step`: rests, fills, cancels, refusals.
    fn trade(&mut self, step: u64) -> Option<OrderId> {
        let session = u32::try_from(step % 2).unwrap();
        let side = if session == 0 { Side::Buy } else { Side::Sell };
        let away = step * 7 % 40;
        let ticks = if session == 0 { 100_010 - away } else { 99_990 + away };
        let place = Place {
            symbol: SymbolId(0),
            side,
            kind: OrderKind::Limit,
            option: None,
            price: Price::from_ticks(ticks),
            qty: Qty::from_hundredths(u128::from(1 + step * 13 % 50) * 100_000),
            spend: Money::ZERO,
            client_id: None,
        };
        match self.call(session, Body::Place(place)) {
            Outcome::Order(order) if order.is_live() && step.is_multiple_of(5) => {
                self.call(session, Body::Cancel(OrderRef::Id(order.id)));
                Some(order.id)
            }
            Outcome::Order(order) => Some(order.id),
            Outcome::Rejected(Reject::Place(_)) => None,
            other => panic!("{other:?}"),
        }
    }
}

/// What kill -9 would leave: nothing waits for a sync, since every call was answered.
fn crash_image(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            crash_image(&entry.path(), &target);
        } else if std::fs::copy(entry.path(), &target).is_err() {
            // A file of the background that was renamed or removed meanwhile.
        }
    }
}

fn founded(dir: &Path) -> Recovered {
    let mut recovered = recover(dir, SEGMENTS).unwrap();
    recovered.commit(START, founding()).unwrap();
    recovered
}

/// Proves ORD-081, SES-007.
#[test]
fn a_crash_image_recovers_to_what_the_live_exchange_had() {
    for snapshot_every in [40, 1_000_000] {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("live");
        let mut trading = Trading::start(founded(&dir), snapshot_every, 0);
        let mut orders = Vec::new();
        for round in 0..6u64 {
            orders.extend((round * 50..round * 50 + 50).filter_map(|step| trading.trade(step)));
            let image = home.path().join(format!("image-{round}"));
            crash_image(&dir, &image);
            let recovered = recover(&image, SEGMENTS).unwrap();
            let (live, back) = (trading.exchange.views(), recovered.views());
            assert_eq!(live.state(), back.state());
            assert_eq!(live.fold(), back.fold());
            assert_eq!(live.depth(), back.depth());
            assert_eq!(live.history().index(), back.history().index());
            for owner in [account(0), account(1)] {
                let rows = |views: &buttonwood_views::Views| {
                    views
                        .history()
                        .trades(owner, None, Some(0), Limit { rows: 10_000, most: 10_000 })
                        .unwrap()
                };
                assert_eq!(rows(&live), rows(back));
                for id in &orders {
                    let found =
                        |views: &buttonwood_views::Views| views.find(owner, &OrderRef::Id(*id)).unwrap();
                    assert_eq!(found(&live), found(back), "order {id:?}");
                }
            }
            drop(live);
            drop(recovered);
            verify(&image).unwrap();
            let again = Trading::start(recover(&image, SEGMENTS).unwrap(), snapshot_every, 0);
            for (session, used) in (0..).zip(trading.used) {
                let answer = again.call_with(session, used, Body::CancelAll);
                assert!(matches!(answer, Outcome::Rejected(Reject::Access(_))), "{answer:?}");
            }
            again.running.stop().unwrap();
        }
        trading.running.stop().unwrap();
        let report = verify(&dir).unwrap();
        assert!(report.snapshot.is_some(), "a clean stop leaves a snapshot");
    }
}

/// What is behind a snapshot is not read again: a restart replays what came after it and no more.
#[test]
fn a_restart_replays_only_what_came_after_the_snapshot() {
    let home = tempfile::tempdir().unwrap();
    let mut trading = Trading::start(founded(home.path()), 1_000_000, 0);
    for step in 0..100 {
        trading.trade(step);
    }
    trading.running.stop().unwrap();
    let recovered = recover(home.path(), SEGMENTS).unwrap();
    assert_eq!(recovered.replayed(), 0);
    let mut trading = Trading::start(recovered, 1_000_000, 1_000);
    let before = trading.exchange.views().state().stamp().seq.0;
    for step in 0..7 {
        trading.trade(step);
    }
    let image = home.path().join("image");
    for part in ["journal", "history"] {
        crash_image(&home.path().join(part), &image.join(part));
    }
    let recovered = recover(&image, SEGMENTS).unwrap();
    assert_eq!(recovered.replayed(), recovered.views().state().stamp().seq.0 - before);
    drop(recovered);
    trading.running.stop().unwrap();
}

/// A founding that is refused leaves nothing behind.
#[test]
fn a_refused_founding_is_not_durable() {
    let home = tempfile::tempdir().unwrap();
    let mut recovered = recover(home.path(), SEGMENTS).unwrap();
    let mut twice = founding();
    twice.extend(founding());
    assert!(recovered.commit(START, twice).is_err());
    drop(recovered);
    let recovered = recover(home.path(), SEGMENTS).unwrap();
    assert_eq!(recovered.views().state().opening(), None);
}

/// An older journal under a newer history is refused by start and verification: the history knows how far it had come
/// (rule J7). Its own newer one is taken again.
#[test]
fn an_older_journal_is_noticed() {
    let home = tempfile::tempdir().unwrap();
    let mut trading = Trading::start(founded(home.path()), 1_000_000, 0);
    trading.trade(0);
    trading.running.stop().unwrap();
    let (journal, older, newer) =
        (home.path().join("journal"), home.path().join("older"), home.path().join("newer"));
    crash_image(&journal, &older);
    let mut trading = Trading::start(recover(home.path(), SEGMENTS).unwrap(), 1_000_000, 1_000);
    for step in 0..20 {
        trading.trade(step);
    }
    trading.running.stop().unwrap();

    std::fs::rename(&journal, &newer).unwrap();
    std::fs::rename(&older, &journal).unwrap();
    let refused = recover(home.path(), SEGMENTS).unwrap_err().to_string();
    assert!(refused.contains("history/reached shows that seq"), "{refused}");
    assert_eq!(verify(home.path()).unwrap_err().to_string(), refused);
    std::fs::remove_dir_all(&journal).unwrap();
    std::fs::rename(&newer, &journal).unwrap();
    recover(home.path(), SEGMENTS).unwrap();
}
