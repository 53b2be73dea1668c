//! A small exchange that trades: two accounts with a key each, one symbol.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test that cannot prepare its exchange has failed"
)]

use buttonwood_disk::Folder;
use buttonwood_engine::{
    Account, Answer, Body, Caller, Command, FeeSchedule, Mode, NewSession, Opening, OrderRef, Outcome, Owner,
    Place, Reject, TradingAnswer, TradingCommand, TradingReject, houses,
};
use buttonwood_journal::Options as Segments;
use buttonwood_model::{
    AccountId, Claim, Currency, CurrencyId, CurrencyKind, GroupId, Nonce, OrderId, OrderKind, Product, Role,
    Roles, SessionId, Side, Symbol, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Decimal, Grid, Money, Price, Qty};
use buttonwood_sequencer::{Clock, Exchange, Options, Recovered, Running, recover};

pub(crate) const START: Time = Time(1_767_225_600_000_000);
pub(crate) const SEGMENTS: Segments =
    Segments { first_segment_bytes: 256 * 1024, segment_bytes: 256 * 1024, ballast_bytes: 0 };

pub(crate) fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).unwrap()
}

pub(crate) fn account(number: u32) -> AccountId {
    AccountId::from_index(houses().count() + usize::try_from(number).unwrap())
}

/// Two accounts with a key each, one symbol.
pub(crate) fn founding() -> Vec<Command> {
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
            addresses: Vec::new(),
        }));
        let plenty = Money::from_decimal(decimal("1000000")).unwrap();
        bodies.push(Body::credit(account(number), vec![(CurrencyId(0), plenty), (CurrencyId(1), plenty)]));
    }
    bodies.into_iter().map(|body| Command { caller: None, body }).collect()
}

pub(crate) struct Trading {
    pub(crate) running: Running,
    pub(crate) exchange: Exchange,
    pub(crate) nonce: u64,
    /// The last nonce of each session.
    pub(crate) used: [u64; 2],
}

impl Trading {
    pub(crate) fn start(recovered: Recovered, snapshot_every: u64, nonce: u64) -> Self {
        let running = Exchange::start(recovered, Clock::manual(START), Options { snapshot_every }).unwrap();
        Self { exchange: running.exchange(), running, nonce, used: [0; 2] }
    }

    pub(crate) fn call(&mut self, session: u32, body: Body) -> Answer {
        self.nonce += 1;
        self.used[usize::try_from(session).unwrap()] = self.nonce;
        self.call_with(session, self.nonce, body)
    }

    pub(crate) fn call_with(&self, session: u32, nonce: u64, body: Body) -> Answer {
        let nonce = Nonce::parse(nonce.to_string().as_bytes()).unwrap();
        let caller = Some(Caller { session: SessionId(session), account: Some(account(session)), nonce });
        self.exchange.execute(Command { caller, body }).unwrap().outcome
    }

    /// Runs a command chosen by `step`, so that orders rest, fill, are cancelled and are refused.
    pub(crate) fn trade(&mut self, step: u64) -> Option<OrderId> {
        let session = u32::try_from(step % 2).unwrap();
        let side = if session == 0 { Side::Buy } else { Side::Sell };
        let away = step * 7 % 40;
        let ticks = if session == 0 { 100_010 - away } else { 99_990 + away };
        let place = limit(side, ticks, u128::from(1 + step * 13 % 50) * 100_000);
        match self.call(session, Body::Trading(TradingCommand::Place(place))) {
            Outcome::Trading(TradingAnswer::Order(order)) if order.is_live() && step.is_multiple_of(5) => {
                self.call(session, Body::Trading(TradingCommand::Cancel(OrderRef::Id(order.id))));
                Some(order.id)
            }
            Outcome::Trading(TradingAnswer::Order(order)) => Some(order.id),
            Outcome::Rejected(Reject::Trading(TradingReject::Place(_))) => None,
            other => panic!("{other:?}"),
        }
    }

    /// An order of each session for more than it has, which is refused.
    pub(crate) fn overreach(&mut self) {
        for (session, side) in [(0, Side::Buy), (1, Side::Sell)] {
            let place = limit(side, 100_000, 1_000_000_000_000_000_000);
            let refused = self.call(session, Body::Trading(TradingCommand::Place(place)));
            assert!(
                matches!(refused, Outcome::Rejected(Reject::Trading(TradingReject::Place(_)))),
                "{refused:?}"
            );
        }
    }
}

pub(crate) fn limit(side: Side, ticks: u64, hundredths: u128) -> Place {
    Place {
        symbol: SymbolId(0),
        side,
        claim: Claim::Yes,
        kind: OrderKind::Limit,
        option: None,
        price: Price::from_ticks(ticks),
        qty: Qty::from_hundredths(hundredths),
        spend: Money::ZERO,
        client_id: None,
        stop: Price::default(),
        margin: false,
    }
}

pub(crate) fn founded(dir: impl Into<Folder>) -> Recovered {
    let mut recovered = recover(dir, SEGMENTS).unwrap();
    recovered.commit(START, founding()).unwrap();
    recovered
}
