//! Every directory of the corpus is read to the state that its text holds.

use buttonwood_corpus::{LIST, copy, described, directories, dump, found, listed, names};
use buttonwood_engine::prediction::Status;
use buttonwood_engine::{
    Body, Command, Event, FrameError, Infrequent, PredictionCommand, decode_command, decode_events, encode,
};
use buttonwood_journal::{Batch, Options, Reader};
use buttonwood_model::{Named as _, Outbox};
use buttonwood_num::Money;
use buttonwood_sequencer::{Recovered, recover, verify};
use buttonwood_vault::{KeySource, Vault};
use serde_json::Value;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};

fn text(name: &str) -> String {
    fs::read_to_string(directories().join(format!("{name}.txt"))).expect("a directory has its text")
}

fn copied(name: &str) -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let data = home.path().join("data");
    copy(&directories().join(name), &data);
    (home, data)
}

fn remove_snapshots(data: &Path) -> usize {
    let files = fs::read_dir(data.join("journal")).expect("a journal");
    let snapshots: Vec<_> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "snap"))
        .collect();
    for path in &snapshots {
        fs::remove_file(path).expect("a snapshot");
    }
    snapshots.len()
}

#[track_caller]
fn same(name: &str, found: &str) {
    let expected = text(name);
    let differs = expected.lines().zip(found.lines()).find(|(expected, found)| expected != found);
    if let Some((expected, found)) = differs {
        panic!("{name}: expected\n{expected}\nfound\n{found}");
    }
    assert_eq!(expected.lines().count(), found.lines().count(), "{name}");
}

/// Every directory is listed, as it was when it was made, and none is gone.
#[test]
fn every_directory_is_as_it_was_made() {
    let (listed, found) = (listed(), found());
    let wrong: Vec<_> = listed
        .iter()
        .filter(|line| !found.contains(line))
        .map(|line| format!("{LIST}: this is changed or gone: {line}"))
        .chain(found.iter().filter(|line| !listed.contains(line)).map(|line| format!("{LIST} lacks: {line}")))
        .collect();
    assert!(wrong.is_empty(), "a directory is never changed (DESIGN Q-146)\n{}", wrong.join("\n"));
    assert!(found.len() >= 4 && listed.is_sorted_by_key(|line| line.split_at(66).1), "{LIST}: {listed:?}");
}

/// With its snapshots, where this build reads them.
#[test]
fn a_start_comes_to_the_same_state() {
    for name in names() {
        same(&name, &described(&directories().join(&name)));
    }
}

/// From the journal alone, from its first command.
#[test]
fn the_whole_journal_comes_to_the_same_state() {
    let mut snapshots = 0;
    for name in names() {
        let (_home, data) = copied(&name);
        snapshots += remove_snapshots(&data);
        same(&name, &described(&data));
    }
    assert!(snapshots > 0, "some directory has snapshots");
}

/// Hashes, sums, holds, history rows and snapshots hold, before a start and after it.
#[test]
fn every_directory_verifies() {
    for name in names() {
        let (_home, data) = copied(&name);
        verify(data.as_path()).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        drop(recover(data.as_path(), Options::default()).expect("a start"));
        verify(data.as_path()).unwrap_or_else(|fault| panic!("{name}, after a start: {fault}"));
    }
}

/// A directory of earlier batches goes on with new ones: each batch is checked by the rule of its format.
#[test]
fn a_directory_goes_on_in_the_new_format() {
    let open = |data: &Path| recover(data, Options::default()).expect("a start");
    for name in ["format-8-advances", "format-8-conversions", "format-8-funds", "format-8-perpetuals"] {
        let (_home, data) = copied(name);
        let mut recovered = open(&data);
        let time = recovered.views().state().stamp().time;
        for group in ["after", "later"] {
            let command = Command { caller: None, body: Body::add_group(group.to_owned()) };
            recovered.commit(time, vec![command]).expect("a group is added");
        }
        let live = recovered.views().state().fingerprint();
        drop(recovered);
        assert_eq!(versions(&data), [1, 2].into(), "{name}");
        let verified = verify(data.as_path());
        verified.unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert_eq!(open(&data).views().state().fingerprint(), live, "{name}");
    }
}

/// The formats of a directory's batches.
fn versions(data: &Path) -> BTreeSet<u32> {
    let mut reader = Reader::open(data.join("journal").as_path()).expect("a journal");
    let end = reader.verify().expect("it is whole").end.seq;
    let mut versions = BTreeSet::new();
    let visit = |batch: &Batch<'_>| {
        versions.insert(batch.version());
        Ok::<_, Infallible>(())
    };
    reader.replay(None, end, visit).expect("it is read");
    versions
}

/// Every command is read too, which no start does, and means the same when this build writes it again.
#[test]
fn every_command_is_read() {
    for name in names() {
        let (_home, data) = copied(&name);
        let mut reader = Reader::open(data.join("journal").as_path()).expect("a journal");
        let commands = verify(data.as_path()).expect("it verifies").commands;
        let mut read = 0;
        let visit = |batch: &Batch<'_>| {
            for (seq, frame) in batch.frames() {
                same_command(frame).unwrap_or_else(|fault| panic!("{name}, command {seq}: {fault}"));
                read += 1;
            }
            Ok::<_, Infallible>(())
        };
        reader.replay(None, commands, visit).unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        assert_eq!(read, commands, "{name}");
    }
}

/// Reads a frame with its command and writes both again.
fn same_command(frame: &[u8]) -> Result<(), FrameError> {
    let (mut out, mut again) = (Outbox::<Event>::default(), Outbox::<Event>::default());
    let (time, record) = decode_events(frame, &mut out)?;
    let command = decode_command(record, &out)?;
    let mut written = Vec::new();
    encode(time, &command, &out.events, &out.texts, &mut written)?;
    let (same_time, record) = decode_events(&written, &mut again)?;
    assert_eq!((same_time, &again, decode_command(record, &again)?), (time, &out, command));
    Ok(())
}

/// Names of commands or events, with their rooms.
type Names = BTreeSet<(&'static str, &'static str)>;

fn of(room: &'static str, names: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    names.split(' ').map(move |name| (room, name))
}

/// The commands and events of some rooms in a directory, of the rooms that the tests below look at.
fn records(name: &str, rooms: &[&str]) -> (Names, Names) {
    let (_home, data) = copied(name);
    let mut reader = Reader::open(data.join("journal").as_path()).expect("a journal");
    let end = reader.verify().expect("it is whole").end.seq;
    let (mut commands, mut events) = (BTreeSet::new(), BTreeSet::new());
    let visit = |batch: &Batch<'_>| {
        for (_, frame) in batch.frames() {
            let mut out = Outbox::<Event>::default();
            let (_, record) = decode_events(frame, &mut out).expect("events");
            let command = decode_command(record, &out).expect("a command");
            // An operator's act carries its command.
            let body =
                if let Body::Act(act) = &command.body { act.body.as_ref() } else { Some(&command.body) };
            match body {
                Some(Body::Clearing(command)) => drop(commands.insert(("clearing", command.label().0))),
                Some(Body::Staking(command)) => drop(commands.insert(("staking", command.label().0))),
                Some(Body::Prediction(command)) => drop(commands.insert(("prediction", command.label().0))),
                Some(Body::Trading(command)) => drop(commands.insert(("trading", command.label().0))),
                Some(Body::Identity(command)) => drop(commands.insert(("identity", command.label().0))),
                Some(Body::Funds(command)) => drop(commands.insert(("funds", command.label().0))),
                Some(Body::Convert(command)) => drop(commands.insert(("convert", command.label().0))),
                _ => {}
            }
            for event in &out.events {
                let Event::Infrequent(kept) = event else { continue };
                match Infrequent::read(*kept, &out.texts).expect("an event") {
                    Infrequent::Clearing(event) => drop(events.insert(("clearing", event.label().0))),
                    Infrequent::Staking(event) => drop(events.insert(("staking", event.label().0))),
                    Infrequent::Prediction(event) => drop(events.insert(("prediction", event.label().0))),
                    Infrequent::Trading(event) => drop(events.insert(("trading", event.label().0))),
                    Infrequent::Identity(event) => drop(events.insert(("identity", event.label().0))),
                    Infrequent::Funds(event) => drop(events.insert(("funds", event.label().0))),
                    Infrequent::Convert(event) => drop(events.insert(("convert", event.label().0))),
                    _ => {}
                }
            }
        }
        Ok::<_, Infallible>(())
    };
    reader.replay(None, end, visit).expect("it is read");
    for names in [&mut commands, &mut events] {
        names.retain(|(room, _)| rooms.contains(room));
    }
    (commands, events)
}

/// One directory holds every command and every event of clearing and of staking.
#[test]
fn clearing_and_staking_have_all_their_records() {
    let (commands, events) = records("format-8-agreed", &["clearing", "staking"]);
    let of_clearing = "new confirm cancel settle expire cancel_named set_fee set_broker set_alias set_key";
    let of_staking = "stake unstake accrue pay recover set_terms fund set_key";
    assert_eq!(commands, of("clearing", of_clearing).chain(of("staking", of_staking)).collect());
    let of_clearing = "entered confirmed settled canceled expired tried fee_set broker_set alias_set key_set";
    let of_staking =
        "terms_set staked redeemed paid day_ended counted accrued funded key_set recovered repeated";
    assert_eq!(events, of("clearing", of_clearing).chain(of("staking", of_staking)).collect());
}

/// Another holds every command and every event of prediction markets.
#[test]
fn prediction_markets_have_all_their_records() {
    let (commands, events) = records("format-8-predictions", &["prediction"]);
    let expected = "cancel accept_terms list_event list_combo halt set_strike resolve dispute void publish_terms set_rewards \
        begin_rebates score begin_payout start expire finish work";
    assert_eq!(commands, of("prediction", expected).collect());
    let expected = "listed combo_listed opened halted strike_set closed proposed disputed final decided voided void_awaited cleared \
        paid settled terms_published terms_accepted rewards_set rebates_begun rebated scored payout_begun rewarded";
    assert_eq!(events, of("prediction", expected).collect());
}

/// Another holds the calls of a sandbox, and orders that name their money.
#[test]
fn a_sandbox_has_the_records_of_its_calls() {
    let (commands, events) = records("format-8-sandbox", &["identity", "trading", "funds", "convert"]);
    let expected = of("identity", "keep_browsers")
        .chain(of("funds", "waive_approval_hold"))
        .chain(of("trading", "cancel_orders"))
        .chain(of("convert", "execute"));
    assert_eq!(expected.filter(|record| !commands.contains(record)).collect::<Names>(), Names::new());
    let expected = of("identity", "browsers_kept")
        .chain(of("funds", "approval_moved"))
        .chain(of("trading", "order_spends"))
        .chain(of("convert", "executed"));
    assert_eq!(expected.filter(|record| !events.contains(record)).collect::<Names>(), Names::new());
}

/// A payout half done goes on where it stopped: the second contract is paid, and the event is settled.
#[test]
fn a_payout_half_done_goes_on() {
    let (_home, data) = copied("format-8-predictions");
    let mut recovered = recover(data.as_path(), Options::default()).expect("a start");
    let (event, time) = {
        let views = recovered.views();
        let state = views.state();
        let event = state.predictions().find_event("HALF").expect("it is listed");
        (event, state.stamp().time)
    };
    let escrows = |recovered: &Recovered| {
        let views = recovered.views();
        let state = views.state();
        let event = state.predictions().event(event).expect("it is listed");
        let escrow = |contract| state.predictions().collateral(state.ledger(), contract).0;
        (event.status, event.contracts().map(escrow).collect::<Vec<_>>())
    };
    let twenty = Money::from_units(20 * Money::ONE.units());
    assert_eq!(escrows(&recovered), (Status::UnderReview, vec![Money::ZERO, twenty]));
    let work = || Command { caller: None, body: PredictionCommand::Work.into() };
    recovered.commit(time, vec![work(), work()]).expect("the rest is paid");
    assert_eq!(escrows(&recovered), (Status::Settled, vec![Money::ZERO; 2]));
    assert_eq!(recovered.views().state().broken_law(), None);
}

/// A directory that the sequencer wrote alone, without a vault.
const WITHOUT_VAULT: &str = "format-8-venue";

/// The vault gives every key of `credentials.json` its secret.
#[test]
fn every_secret_is_read() {
    for name in names().into_iter().filter(|name| name != WITHOUT_VAULT) {
        let (_home, data) = copied(&name);
        let recovered = recover(data.as_path(), Options::default()).expect("a start");
        let names: Vec<String> = {
            let views = recovered.views();
            views.state().access().sessions().iter().map(|session| session.key.api_key.clone()).collect()
        };
        let vault = Vault::new(&data, KeySource::Own);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(vault.upgrade(&names).expect("it is sealed anew"), 0, "{name}");
        let vault = vault.open().expect("the vault opens");
        let credentials = fs::read(data.join("credentials.json")).expect("credentials");
        let credentials: Value = serde_json::from_slice(&credentials).expect("JSON");
        let listed = credentials["keys"].as_array().expect("keys");
        for key in listed {
            let secret = vault.get(key["api_key"].as_str().expect("a key")).expect("it can be read");
            let secret = secret.expect("a secret");
            assert_eq!(secret.expose(), key["api_secret"].as_str().expect("a secret").as_bytes(), "{name}");
        }
        assert!(listed.len() > 100, "{name}");
    }
}

/// A snapshot of another version is passed over: the journal leads to the same state.
#[test]
fn a_snapshot_of_another_version_is_passed_over() {
    let name = "format-8-spot";
    let (_home, data) = copied(name);
    let journal = data.join("journal");
    let (mark, mut payload) = buttonwood_journal::snapshot::load_newest(journal.as_path(), &mut Vec::new())
        .expect("snapshots are read")
        .expect("the directory has a snapshot");
    assert_eq!(payload.first(), Some(&8), "its version comes first");
    payload[0] = 7;
    remove_snapshots(&data);
    buttonwood_journal::snapshot::write(journal.as_path(), &mark, &[&payload]).expect("it is written");
    same(name, &described(&data));
    let recovered = recover(data.as_path(), Options::default()).expect("a start");
    let note = recovered.notes.join("\n");
    assert!(note.contains("has version 7, this build reads version"), "{note}");
    assert_eq!(dump(recovered.views().state()).lines().count() + 1, text(name).lines().count());
    drop(recovered);
    verify(data.as_path()).expect("it verifies");
}

/// A changed file is refused with one line that names it.
#[test]
fn a_changed_directory_is_refused_by_name() {
    let (_home, data) = copied("format-8-crashes");
    // The batch that founded the exchange fills it.
    let segment = fs::read_dir(data.join("journal"))
        .expect("a journal")
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "segment"))
        .max_by_key(|path| fs::metadata(path).expect("a segment").len())
        .expect("a journal has segments");
    let mut bytes = fs::read(&segment).expect("a segment");
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    fs::write(&segment, &bytes).expect("a changed segment");
    let fault = verify(data.as_path()).expect_err("it is damaged").to_string();
    assert_eq!(fault.lines().count(), 1, "{fault}");
    let file = segment.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(fault.contains(&file), "{fault}");
}
