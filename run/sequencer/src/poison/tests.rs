//! Panics in a running exchange: what is said, what ends, and what a start finds.

use super::planted::Place;
use super::*;
use crate::{Clock, Exchange, Options, Pending, Stepped, recover, recover_stepped, verify_stepped};
use buttonwood_engine::{Body, Caller, FeeSchedule, Mode, Opening};
use buttonwood_journal::Options as Segments;
use buttonwood_model::{AccountId, Nonce, SessionId, Time};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::pin::Pin;
use std::process;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

const SEGMENTS: Segments = Segments { first_segment_bytes: 65_536, segment_bytes: 65_536, ballast_bytes: 0 };

fn group(name: &str) -> Command {
    Command { caller: None, body: Body::add_group(name.to_owned()) }
}

/// A directory with one command.
fn founded(dir: &Path) {
    let opening = Opening { mode: Mode::Sandbox, seed: 1, hash_key: 2, fees: FeeSchedule::default() };
    let opening = Command { caller: None, body: Body::open(opening) };
    recover(dir, SEGMENTS).unwrap().commit(Time(1), vec![opening]).unwrap();
}

fn stepped(dir: &Path) -> Stepped {
    Stepped::new(recover_stepped(dir, SEGMENTS).unwrap(), Clock::manual(Time(1)), Options::default())
}

fn is_answered(pending: &mut Pending) -> bool {
    matches!(Pin::new(pending).poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(_)))
}

/// The writer ends before the command reaches the batch: neither it nor what was decided with it is acknowledged, and a start
/// goes on without them.
#[test]
fn a_command_that_the_state_cannot_follow_never_happened() {
    let dir = tempfile::tempdir().unwrap();
    founded(dir.path());
    let mut stepped = stepped(dir.path());
    stepped.exchange().shared.planted.plant(Place::State, 3);
    let [mut before, mut poison] =
        ["before", "poison"].map(|name| stepped.exchange().submit(group(name)).unwrap());
    let turn = catch_unwind(AssertUnwindSafe(|| stepped.decide(Duration::ZERO)));
    assert_eq!(turn.unwrap_err().downcast_ref::<String>().unwrap(), "planted in State");
    assert!(!stepped.commit().unwrap(), "nothing of the turn reaches the journal");
    assert!(!is_answered(&mut before) && !is_answered(&mut poison));
    drop(stepped);
    assert_eq!(verify_stepped(dir.path()).unwrap().commands, 1);
    let running =
        Exchange::start(recover(dir.path(), SEGMENTS).unwrap(), Clock::manual(Time(1)), Options::default());
    let running = running.unwrap();
    assert_eq!(running.exchange().execute(group("poison")).unwrap().stamp.seq.0, 2);
    running.stop().unwrap();
}

/// A batch that the views cannot follow is durable and is not answered; the fault names the command.
#[test]
fn a_command_that_the_views_cannot_follow_is_not_answered() {
    let dir = tempfile::tempdir().unwrap();
    founded(dir.path());
    let mut stepped = stepped(dir.path());
    stepped.exchange().shared.planted.plant(Place::Views, 3);
    let mut pending =
        ["before", "poison", "after"].map(|name| stepped.exchange().submit(group(name)).unwrap());
    stepped.decide(Duration::ZERO);
    let fault = stepped.commit().unwrap_err();
    assert_eq!(
        fault.to_string(),
        "command 3 of 1970-01-01T00:00:00.000001Z (Access AddGroup, without a key) cannot be applied: planted in Views; the \
         commands up to 1 are proven; it is in the journal: \"A command that cannot be applied\" in docs/OPERATING.md says what \
         helps"
    );
    assert!(!pending.iter_mut().any(is_answered));
    drop(stepped);
    assert_eq!(verify_stepped(dir.path()).unwrap().commands, 4);
}

/// The process ends, and its last lines name the command; the next start has all that came before.
#[test]
fn the_process_says_which_command_ended_it() {
    const PLACE: &str = "BUTTONWOOD_TEST_PLACE";
    const DATA: &str = "BUTTONWOOD_TEST_DATA";
    if let (Ok(place), Ok(data)) = (std::env::var(PLACE), std::env::var(DATA)) {
        let recovered = recover(Path::new(&data), SEGMENTS).unwrap();
        let running = Exchange::start(recovered, Clock::manual(Time(1)), Options::default()).unwrap();
        let exchange = running.exchange();
        exchange.execute(group("before")).unwrap();
        exchange.shared.planted.plant(if place == "State" { Place::State } else { Place::Views }, 3);
        let answer = exchange.execute(group("poison"));
        unreachable!("the process ends first, but there is {answer:?}");
    }
    for (place, end, commands) in [
        ("State", "it is not in the journal, and a start goes on without it", 2),
        ("Views", "stopping before anything more is acknowledged", 3),
    ] {
        let dir = tempfile::tempdir().unwrap();
        founded(dir.path());
        let ended = process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "poison::tests::the_process_says_which_command_ended_it", "--nocapture"])
            .env(PLACE, place)
            .env(DATA, dir.path())
            .output()
            .unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(!ended.status.success());
        let line = said.lines().find(|line| line.starts_with("buttonwood: command 3 of "));
        let line = line.unwrap_or_else(|| panic!("{said}"));
        assert!(line.contains("(Access AddGroup, without a key)"), "{line}");
        assert!(
            line.contains(&format!("cannot be applied: planted in {place}")) && line.ends_with(end),
            "{line}"
        );
        assert_eq!(
            line.contains("the commands up to"),
            place == "Views",
            "what the batch holds is lost too: {line}"
        );
        assert_eq!(verify_stepped(dir.path()).unwrap().commands, commands);
        recover(dir.path(), SEGMENTS).unwrap();
    }
}

/// A line names kind and sender of a command, and nothing that the command contains.
#[test]
fn a_command_is_described_by_kind_and_sender() {
    let described = |command: &Command| described(command, &Access::default());
    let mut command = group("a secret");
    assert_eq!(described(&command), "Access AddGroup, without a key");
    let nonce = Nonce::parse(b"1").unwrap();
    command.caller = Some(Caller { session: SessionId(4), account: None, nonce });
    assert_eq!(described(&command), "Access AddGroup, session 4");
    command.caller = Some(Caller { session: SessionId(4), account: Some(AccountId(17)), nonce });
    assert_eq!(described(&command), "Access AddGroup, account 17, session 4");
}
