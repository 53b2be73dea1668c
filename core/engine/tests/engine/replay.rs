//! One way to be in a state: what was decided live, what is read back from frames and what continues from a snapshot
//! are the same to the last bit; and deciding itself changes nothing, whatever is asked.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

use buttonwood_engine::{
    AccessCommand, Body, Caller, Command, Event, OrderRef, Outcome, Place, RefusedDraft, Schedule, State,
    TradingCommand, TradingEvent, Workspace, decide, decode_command, decode_events, evolve,
};
use buttonwood_model::{
    AccountId, ClientId, ConnectionId, CurrencyId, ExecutionOption, Nonce, OrderId, OrderKind, Outbox,
    RefusalReason, Seq, SessionId, Side, Stamp, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Decimal, Money, Price, Qty};
use buttonwood_oracle::{Dealer, Dice, Exchange, FINE, Happening, MAJORS, ODD, World, nonce};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Replays every frame of a random run and compares after every command.
fn replays(world: &'static World, seed: u64, count: usize) {
    let (mut live, mut dealer) = Dealer::found(world, seed);
    let mut again = live.fork();
    for at in 0..count {
        let (micros, command) = dealer.deal(&live);
        live.submit(micros, &command);
        again.replay(&live.frame);
        assert_eq!(live.difference(&again), None, "seed {seed}, command {at}: {command:?}");
        let mut out = Outbox::default();
        let (_, rest) = decode_events(&live.frame, &mut out).unwrap();
        assert_eq!(decode_command(rest, &out).as_ref(), Ok(&command), "the command is in its frame");
    }
}

/// A frame, encoded and read back, leads where its command led.
#[test]
fn a_replay_equals_the_live_run() {
    replays(&MAJORS, 11, 6_000);
    replays(&FINE, 12, 6_000);
    replays(&ODD, 13, 6_000);
}

/// From time to time the state is written and read back; from there both copies get the same commands and must decide
/// the same, name the same slots and stand at the same fingerprint after each of them.
fn restores(world: &'static World, seed: u64, count: usize) {
    let (mut live, mut dealer) = Dealer::found(world, seed);
    let mut moments = Dice::seeded(seed ^ 0xFACE);
    let mut copies: Vec<Exchange> = Vec::new();
    for at in 0..count {
        if moments.once_in(150) {
            let mut copy = live.fork();
            copy.state = live.stored();
            assert_eq!(live.difference(&copy), None, "seed {seed}, snapshot before command {at}");
            // A copy of a copy, too: what a standby restores from it is no worse.
            let mut second = copy.fork();
            second.state = copy.stored();
            copies.truncate(2);
            copies.splice(0..0, [copy, second]);
        }
        let (micros, command) = dealer.deal(&live);
        let answer = live.submit(micros, &command);
        for copy in &mut copies {
            assert_eq!(copy.submit(micros, &command), answer, "seed {seed}, command {at}");
            assert_eq!(copy.work.out, live.work.out, "seed {seed}, command {at}: other events or slots");
            assert_eq!(copy.frame, live.frame);
            assert_eq!(live.difference(copy), None, "seed {seed}, command {at}: {command:?}");
        }
    }
    assert_eq!(copies.len(), 4, "a few snapshots were made");
}

/// INV-JRN-2 in small: snapshot and what follows equal the live run.
#[test]
fn a_restored_snapshot_goes_on_as_the_original() {
    restores(&MAJORS, 21, 5_000);
    restores(&FINE, 22, 5_000);
    restores(&ODD, 23, 5_000);
}

/// A snapshot before the first command, of an exchange without orders, and of one whose orders have all gone.
#[test]
fn a_snapshot_at_the_edges() {
    let mut blank = Exchange::blank();
    assert!(blank.stored() == blank.state);
    for world in [&MAJORS, &ODD] {
        let (mut live, mut dealer) = Dealer::found(world, 35);
        let mut copy = live.fork();
        copy.state = live.stored();
        for _ in 0..500 {
            let (micros, command) = dealer.deal(&live);
            assert_eq!(live.submit(micros, &command), copy.submit(micros, &command));
        }
        for symbol in live.symbols() {
            live.own(Body::Trading(TradingCommand::SetSymbolStatus(symbol, SymbolStatus::Closed)));
            copy.own(Body::Trading(TradingCommand::SetSymbolStatus(symbol, SymbolStatus::Closed)));
        }
        assert!(live.state.orders().is_empty());
        let mut emptied = live.fork();
        emptied.state = copy.stored();
        for symbol in live.symbols() {
            live.own(Body::Trading(TradingCommand::SetSymbolStatus(symbol, SymbolStatus::Open)));
            emptied.own(Body::Trading(TradingCommand::SetSymbolStatus(symbol, SymbolStatus::Open)));
        }
        for _ in 0..500 {
            let (micros, command) = dealer.deal(&live);
            assert_eq!(live.submit(micros, &command), emptied.submit(micros, &command));
            assert_eq!(live.difference(&emptied), None);
        }
    }
}

/// The same commands from the same start make the same run; another seed does not, so that the comparison can fail.
#[test]
fn a_run_depends_on_its_commands_alone() {
    let fingerprint = |seed| {
        let (mut live, mut dealer) = Dealer::found(&MAJORS, seed);
        for _ in 0..2_000 {
            let (micros, command) = dealer.deal(&live);
            live.submit(micros, &command);
        }
        live.state.fingerprint()
    };
    assert_eq!(fingerprint(41), fingerprint(41));
    assert_ne!(fingerprint(41), fingerprint(42));
}

/// An order that would rest where the other side trades with it is no event of ours: nothing goes on from there, whether it
/// rests whole or after fills (INV-MATCH-1).
#[test]
fn a_crossed_book_is_noticed() {
    let (mut live, mut dealer) = Dealer::found(&MAJORS, 61);
    let (mut whole, mut rests) = (0, 0);
    while whole < 20 || rests < 20 {
        let before = live.fork();
        let (micros, command) = dealer.deal(&live);
        live.submit(micros, &command);
        let (events, texts) = live.work.out.latest();
        let entered = events.iter().position(|event| {
            matches!(event, Event::Trading(TradingEvent::Rested { .. } | TradingEvent::Placed(_)))
        });
        let Some(entered) = entered else { continue };
        let is_booked =
            events.iter().any(|event| matches!(event, Event::Trading(TradingEvent::Booked { .. })));
        let mut events = events.to_vec();
        let Event::Trading(TradingEvent::Rested { order, .. } | TradingEvent::Placed(order)) =
            &mut events[entered]
        else {
            panic!("it was found there");
        };
        let best = live.state.orders().book(order.symbol).side(order.class.side().opposite()).best();
        let Some(best) = best else { continue };
        // Who waits for an auction may wait at any price.
        if order.option == Some(ExecutionOption::AuctionOnly) {
            continue;
        }
        order.price = best;
        let is_whole = matches!(events[entered], Event::Trading(TradingEvent::Rested { .. }));
        if !is_whole && !is_booked {
            continue;
        }
        let mut state = before.state;
        let stamp = live.state.stamp();
        let told = catch_unwind(AssertUnwindSafe(|| state.apply(stamp, &events, texts))).unwrap_err();
        assert_eq!(told.downcast_ref::<&str>(), Some(&"a book is not crossed"));
        if is_whole { whole += 1 } else { rests += 1 }
    }
}

/// A fingerprint tells who was paid, in what, how much, and in which order; what a replay got wrong shows in it.
#[test]
fn a_fingerprint_tells_balances_apart() {
    let (mut origin, _) = Dealer::found(&MAJORS, 51);
    for account in [3, 4] {
        let all = origin.currencies().map(|currency| (currency, Money::from_units(1))).collect();
        assert_eq!(origin.own(Body::credit(AccountId(account), all)), Outcome::Done);
    }
    let credited = |steps: &[(u32, u16, i128)]| {
        let mut exchange = origin.fork();
        for (account, currency, units) in steps {
            let amounts = vec![(CurrencyId(*currency), Money::from_units(*units))];
            assert_eq!(exchange.own(Body::credit(AccountId(*account), amounts)), Outcome::Done);
        }
        exchange.state.fingerprint()
    };
    let runs: [&[(u32, u16, i128)]; 8] = [
        &[(3, 0, 5), (4, 0, 7)],
        &[(4, 0, 7), (3, 0, 5)],
        &[(4, 0, 5), (3, 0, 7)],
        &[(3, 0, 7), (4, 0, 5)],
        &[(3, 1, 5), (4, 1, 7)],
        &[(3, 0, 5), (4, 1, 7)],
        &[(3, 0, 5 + (1 << 64)), (4, 0, 7)],
        &[(3, 0, 5 << 64), (4, 0, 7)],
    ];
    let mut seen: Vec<_> = runs.iter().map(|steps| credited(steps)).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), runs.len());
}

fn edge_u64() -> impl Strategy<Value = u64> {
    prop_oneof![0..6u64, Just(u64::MAX), Just(1 << 53), Just(u64::MAX / 2), 1..5_000_000u64, any::<u64>()]
}

fn edge_u128() -> impl Strategy<Value = u128> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(u128::MAX),
        Just(u128::MAX / 2 + 1),
        Just(u128::from(u64::MAX)),
        Just(u128::from(u64::MAX) + 1),
        100..100_000u128,
        1..100_000_000_000u128,
        any::<u128>(),
    ]
}

fn edge_money() -> impl Strategy<Value = Money> {
    let units = prop_oneof![
        Just(0),
        Just(1),
        Just(-1),
        Just(i128::MAX),
        Just(i128::MIN),
        Just(i128::MIN + 1),
        1..1_000_000_000_000_000_000_000_000i128,
        any::<i128>(),
    ];
    units.prop_map(Money::from_units)
}

fn edge_u32() -> impl Strategy<Value = u32> {
    prop_oneof![16 => 0..16u32, 1 => Just(u32::MAX), 1 => any::<u32>()]
}

fn edge_u16() -> impl Strategy<Value = u16> {
    prop_oneof![16 => 0..2u16, 2 => 2..4u16, 1 => Just(u16::MAX), 1 => any::<u16>()]
}

fn client_id() -> impl Strategy<Value = ClientId> {
    prop_oneof![Just("a".to_owned()), "[A-Za-z0-9#.:_-]{1,100}"]
        .prop_map(|text| ClientId::new(&text).unwrap())
}

fn some_nonce() -> impl Strategy<Value = Nonce> {
    prop_oneof![
        4 => (1_000_000..2_000_000u64).prop_map(nonce),
        1 => Just(Nonce::default()),
        1 => "[0-9]{1,40}(\\.[0-9]{1,20})?".prop_map(|text| Nonce::parse(text.as_bytes()).unwrap()),
    ]
}

/// Any order, however wrong, but for what no caller can send: a price of zero and a sell that names money.
fn place() -> impl Strategy<Value = Body> {
    let sort = prop_oneof![
        2 => Just((Side::Buy, OrderKind::Limit)),
        2 => Just((Side::Sell, OrderKind::Limit)),
        1 => Just((Side::Buy, OrderKind::StopLimit)),
        1 => Just((Side::Sell, OrderKind::StopLimit)),
        1 => Just((Side::Buy, OrderKind::Market)),
        1 => Just((Side::Sell, OrderKind::Market)),
        1 => Just((Side::Buy, OrderKind::MarketSpend)),
        1 => Just((Side::Sell, OrderKind::MarketSpend)),
    ];
    let option = prop_oneof![
        Just(ExecutionOption::MakerOrCancel),
        Just(ExecutionOption::ImmediateOrCancel),
        Just(ExecutionOption::FillOrKill),
        Just(ExecutionOption::AuctionOnly),
    ];
    let terms = (edge_u16(), sort, option::of(option));
    (terms, [edge_u64(), edge_u64()], edge_u128(), edge_money(), option::of(client_id())).prop_map(
        |((symbol, (side, kind), option), [price, stop], qty, spend, client_id)| {
            Body::Trading(TradingCommand::Place(Place {
                kind,
                option,
                spend,
                client_id,
                stop: Price::from_ticks(stop),
                ..Place::limit(
                    SymbolId(symbol.into()),
                    side,
                    Price::from_ticks(price),
                    Qty::from_hundredths(qty),
                )
            }))
        },
    )
}

/// Any refused order.
fn draft() -> impl Strategy<Value = Body> {
    let figure = || {
        option::of((edge_u128(), 0..25u8).prop_map(|(units, decimals)| Decimal::of_units(units, decimals)))
            .prop_map(Option::flatten)
    };
    let reason = (0..RefusalReason::ALL.len()).prop_map(|at| RefusalReason::ALL[at]);
    (place(), [figure(), figure(), figure(), figure()], reason).prop_map(
        |(body, [price, stop, qty, spend], reason)| {
            let Body::Trading(TradingCommand::Place(place)) = body else { unreachable!("an order") };
            let Place { symbol, side, claim, kind, option, client_id, .. } = place;
            let draft = RefusedDraft {
                symbol,
                side,
                claim,
                kind,
                option,
                price,
                stop,
                qty,
                spend,
                client_id,
                reason,
            };
            Body::Trading(TradingCommand::Refuse(Arc::new(draft)))
        },
    )
}

fn span() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(u64::MAX),
        Just(Schedule::EVERY_MIN),
        Just(Schedule::EVERY_MAX),
        Just(Schedule::INDICATES_EVERY_MIN),
        0..1_000_000_000_u64,
    ]
}

/// Auctions at any time; some are due a command or two later.
fn schedule() -> impl Strategy<Value = Schedule> {
    let soon = || (2_000_000..20_000_000_u64, prop_oneof![Just(0), Just(Schedule::EVERY_MIN)]);
    prop_oneof![
        1 => (span(), span(), span(), span(), span(), span()).prop_map(
            |(time, every, opens, indicates, indicates_every, last_cancel)| Schedule {
                time: Time(time),
                every,
                opens,
                indicates,
                indicates_every,
                last_cancel,
            },
        ),
        2 => soon().prop_map(|(time, every)| Schedule {
            time: Time(time),
            every,
            opens: Schedule::ALWAYS,
            indicates: 5_000_000,
            indicates_every: 1_000_000,
            last_cancel: 1_000_000,
        }),
    ]
}

/// Anything that can be said in the core's words, however wrong.
fn garbage() -> impl Strategy<Value = Command> {
    let credit = (edge_u32(), vec((edge_u16(), edge_money()), 0..4)).prop_map(|(account, amounts)| {
        let amounts = amounts.into_iter().map(|(currency, amount)| (CurrencyId(currency), amount)).collect();
        Body::credit(AccountId(account), amounts)
    });
    let seen = vec((edge_u32(), some_nonce()), 0..4).prop_map(|seen| {
        Body::Access(AccessCommand::NoncesSeen(
            seen.into_iter().map(|(session, nonce)| (SessionId(session), nonce)).collect(),
        ))
    });
    let status = (edge_u16(), 0..5usize).prop_map(|(symbol, status)| {
        Body::Trading(TradingCommand::SetSymbolStatus(SymbolId(symbol.into()), SymbolStatus::ALL[status]))
    });
    let body = prop_oneof![
        12 => place(),
        3 => edge_u64().prop_map(|id| Body::Trading(TradingCommand::Cancel(OrderRef::Id(OrderId(id))))),
        2 => client_id().prop_map(|text| Body::Trading(TradingCommand::Cancel(OrderRef::ClientId(text)))),
        1 => Just(Body::Trading(TradingCommand::CancelSession)),
        1 => Just(Body::Trading(TradingCommand::CancelAll)),
        1 => Just(Body::Access(AccessCommand::UseNonce)),
        1 => draft(),
        1 => Just(Body::Trading(TradingCommand::OpenConnection)),
        3 => (edge_u32(), place()).prop_map(|(connection, body)| {
            let Body::Trading(TradingCommand::Place(place)) = body else { unreachable!("an order") };
            Body::Trading(TradingCommand::PlaceOver(ConnectionId(connection), Arc::new(place)))
        }),
        1 => edge_u32()
            .prop_map(|connection| Body::Trading(TradingCommand::CloseConnection(ConnectionId(connection)))),
        1 => seen,
        1 => edge_u32().prop_map(|session| Body::Trading(TradingCommand::ExpireSession(SessionId(session)))),
        1 => status,
        2 => (edge_u16(), option::weighted(0.9, schedule()))
            .prop_map(|(symbol, schedule)| Body::Trading(TradingCommand::ScheduleAuctions(SymbolId(symbol.into()), schedule))),
        2 => edge_u16().prop_map(|symbol| Body::Trading(TradingCommand::Auction(SymbolId(symbol.into())))),
        2 => credit,
    ];
    let caller = (edge_u32(), option::weighted(0.95, edge_u32()), some_nonce()).prop_map(
        |(session, account, nonce)| Caller {
            session: SessionId(session),
            account: account.map(AccountId),
            nonce,
        },
    );
    // Two sessions an account, after the house's three: most callers ask for their own account.
    let own = (caller, prop::bool::weighted(0.9)).prop_map(|(mut caller, own)| {
        if own {
            caller.account = Some(AccountId(caller.session.0 % 16 / 2 + 3));
        }
        caller
    });
    (option::weighted(0.8, own), body).prop_map(|(caller, body)| Command { caller, body })
}

/// A state with a history: live orders, funds, client ids.
fn lived(seed: u64) -> (Exchange, State) {
    let world = [&MAJORS, &FINE, &ODD][usize::try_from(seed % 3).unwrap()];
    let (mut live, mut dealer) = Dealer::found(world, seed);
    for _ in 0..200 {
        let (micros, command) = dealer.deal(&live);
        live.submit(micros, &command);
    }
    let copy = live.state.clone();
    (live, copy)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Deciding changes nothing and decides the same again, in a used workspace or a new one; what it decides can be
    /// applied, and every law holds after.
    #[test]
    fn garbage_is_decided(seed in 0..6u64, commands in vec(garbage(), 1..40)) {
        let (mut live, mut before) = lived(seed);
        for (at, command) in commands.iter().enumerate() {
            let mut command = command.clone();
            // Most nonces must be good ones, or nothing else would ever be reached.
            if let Some(caller) = command.caller.as_mut().filter(|_| at % 8 != 7) {
                caller.nonce = nonce(10_000_000 + u64::try_from(at).unwrap());
            }
            let command = &command;
            let stamp = Stamp { seq: Seq(live.stamp.seq.0 + 1), time: live.stamp.time.plus(1) };
            live.work.out.clear();
            let outcome = decide(&live.state, command, stamp, &mut live.work);
            prop_assert!(live.state == before, "deciding changed the state");
            let mut fresh = Workspace::default();
            prop_assert_eq!(&decide(&live.state, command, stamp, &mut fresh), &outcome);
            prop_assert_eq!(&fresh.out, &live.work.out);
            let answer = live.submit(1, command);
            prop_assert_eq!(&answer, &outcome.with_order(stamp, &fresh.out.events, &fresh.out.texts, &before));
            if matches!(answer, Outcome::Rejected(_)) {
                let is_refusal = |what: &Happening| matches!(what, Happening::Refused(..));
                prop_assert!(live.happened.iter().all(is_refusal), "a refusal changes nothing but nonce and id");
            }
            prop_assert_eq!(live.state.broken_law(), None);
            for event in &fresh.out.events {
                evolve(&mut before, stamp, event, &fresh.out.texts);
            }
            before.advance(stamp);
            prop_assert!(live.state == before);
        }
    }

    /// Bytes that are no frame are an error, never a panic.
    #[test]
    fn damaged_frames_are_refused(
        seed in 0..3u64,
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<bool>(),
    ) {
        let (live, _) = lived(seed);
        let mut frame = live.frame;
        let at = at.index(frame.len());
        if cut { frame.truncate(at) } else { frame[at] = byte }
        let mut out = Outbox::default();
        if let Ok((_, rest)) = decode_events(&frame, &mut out) {
            let _ = decode_command(rest, &out);
        }
    }
}
