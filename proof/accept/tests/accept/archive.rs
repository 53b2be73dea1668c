//! The journal's archive: old segments move there while the exchange runs, and are read there when they are needed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use buttonwood_accept::{Exchange, NewOrder, Setup, Value, json, laws, private_folder, run_to_end};
use sha2::{Digest as _, Sha256};

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are plain text")
}

fn small() -> Setup {
    Exchange::builder().real_time().flag("--segment-bytes", "65536").flag("--snapshot-every", "60")
}

fn archiving(archive: &Path) -> Setup {
    small().flag("--keep-journal", "0").flag("--archive", text(archive))
}

/// The segments in a folder, by name.
fn segments(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with("segment"));
    names.sort();
    names
}

/// Places and cancels until this many segments are in the archive; returns the live orders by id.
fn trade_until(x: &Exchange, archive: &Path, wanted: usize) -> BTreeMap<String, Value> {
    let trader = x.as_("trader");
    let mut live = BTreeMap::new();
    for step in 0.. {
        assert!(step < 20_000, "only {:?} are in the archive\n{}", segments(archive), x.log());
        if segments(archive).len() >= wanted {
            break;
        }
        let placed =
            trader.place(&NewOrder::limit("btcusd", "buy", "0.001", &format!("{}", 100 + step % 50)));
        let id = placed["order_id"].as_str().unwrap().to_owned();
        if step % 50 == 0 {
            live.insert(id, placed);
        } else {
            trader.call("/v1/order/cancel", json!({ "order_id": id })).ok();
        }
    }
    live
}

fn check_live(x: &Exchange, expected: &BTreeMap<String, Value>) {
    for (id, order) in expected {
        assert_eq!(x.as_("trader").status(id), *order);
    }
}

fn run(command: &str, data: &Path, more: &[&str]) -> Output {
    run_to_end(&[&[command, "--data", text(data)], more].concat())
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn snapshots(data: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(data.join("journal")).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|kind| kind == "snap"));
    found.sort();
    found
}

/// Old segments move while orders are placed. `verify` proves everything with the archive, and names the first number without;
/// a start needs no archive, a backup neither, and a rebuild names it.
#[test]
fn old_segments_move_and_are_read() {
    let home = private_folder();
    let archive = home.path().join("archive");
    let x = archiving(&archive).start();
    let live = trade_until(&x, &archive, 4);
    let running = stdout(&run("verify", x.data(), &["--archive", text(&archive)]));
    assert!(!running.contains("archived segments"), "{running}");
    x.kill9();
    let moved = segments(&archive);
    assert!(!segments(&x.data().join("journal")).contains(&moved[0]));

    let whole = stdout(&run("verify", x.data(), &["--archive", text(&archive)]));
    assert!(whole.ends_with("ok\n") && !whole.contains("archived segments"), "{whole}");
    // A segment that is missing between others is lost; an archive that begins late may go on elsewhere.
    let hidden = home.path().join("hidden");
    for lost in [&moved[1], moved.last().unwrap()] {
        fs::rename(archive.join(lost), &hidden).unwrap();
        let output = run("verify", x.data(), &["--archive", text(&archive)]);
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
        assert!(line.contains(text(&archive.join(lost))) && line.contains("the file is missing"), "{line}");
        fs::rename(&hidden, archive.join(lost)).unwrap();
    }
    fs::rename(archive.join(&moved[0]), &hidden).unwrap();
    let part = stdout(&run("verify", x.data(), &["--archive", text(&archive)]));
    assert!(part.contains("proven from command"), "{part}");
    fs::rename(&hidden, archive.join(&moved[0])).unwrap();
    let part = stdout(&run("verify", x.data(), &[]));
    assert!(part.contains("commands 1 to ") && part.contains("proven from command"), "{part}");
    let exported = |more: &[&str]| stdout(&run("export", x.data(), &[&["--table", "orders"], more].concat()));
    assert_eq!(exported(&[]), exported(&["--archive", text(&archive)]));

    // The copy refers to the same archive.
    let copy = home.path().join("copy");
    stdout(&run("backup", x.data(), &["--to", text(&copy)]));
    stdout(&run("verify", &copy, &[]));
    assert_eq!(
        stdout(&run("verify", &copy, &["--archive", text(&archive)])).lines().next(),
        whole.lines().next()
    );

    // Neither needs the archive.
    for data in [x.data(), copy.as_path()] {
        let again = small().start_in(data);
        check_live(&again, &live);
        laws::check(&again);
    }
    // Without a snapshot the journal is needed from its first command on.
    for path in snapshots(&copy) {
        fs::remove_file(path).unwrap();
    }
    let history = fs::read(copy.join("history").join("orders.log")).unwrap();
    let line = small().refuses_in(&copy);
    assert!(line.contains("there is no snapshot") && line.contains("--archive"), "{line}");
    assert_eq!(fs::read(copy.join("history").join("orders.log")).unwrap(), history, "nothing is changed");
    let refused = run("verify", &copy, &[]);
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("--archive"));
    let again = archiving(&archive).start_in(&copy);
    check_live(&again, &live);
    again.stop();
    assert!(stdout(&run("verify", &copy, &["--archive", text(&archive)])).ends_with("ok\n"));
}

/// Acts of operators in archived segments are read in the archive: a running exchange knows its own, `--archive` names it
/// otherwise. Without it the newer acts are listed, and a refusal in one line names the flag.
#[test]
fn the_audit_reads_the_archive() {
    let home = private_folder();
    let archive = home.path().join("archive");
    let x = archiving(&archive).start();
    let credit = |amount: &str| {
        x.admin(&["credit", "five", "primary", "BTC", amount, "--reason", "old"]).done();
    };
    credit("1");
    credit("2");
    trade_until(&x, &archive, 4);
    credit("3");
    let whats = |list: Vec<Value>| {
        let what = |act: Value| act["what"].as_str().unwrap().to_owned();
        list.into_iter().map(what).filter(|what| what.starts_with("credit")).collect::<Vec<_>>()
    };
    let expected: Vec<String> = ["3", "2", "1"]
        .map(|amount| format!("credit group=five account=primary currency=BTC amount={amount}"))
        .into();
    let audit = |x: &Exchange, more: &[&str]| x.admin(&[&["audit"], more].concat());
    let flag = ["--archive", text(&archive)];
    assert_eq!(whats(audit(&x, &[]).list()), expected, "a running exchange knows its archive");
    x.stop();
    assert_eq!(whats(audit(&x, &flag).list()), expected);
    let missing = home.path().join("missing");
    let refused = |x: &Exchange, more: &[&str]| {
        let output = run("admin", x.data(), &[&["audit"], more].concat());
        let [out, said] =
            [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
        assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{output:?}");
        assert!(out.contains("amount=3") && !out.contains("amount=2"), "{out}");
        assert!(said.contains("--archive names the folder"), "{said}");
    };
    refused(&x, &[]);
    refused(&x, &["--archive", text(&missing)]);
    let again = small().start_in(x.data());
    refused(&again, &[]);
    refused(&again, &["--archive", text(&missing)]);
    assert_eq!(whats(audit(&again, &flag).list()), expected, "the operator names the archive");
}

/// A snapshot of another version stands for the archived journal: without the archive nothing is rebuilt from nothing, and the
/// build that made it still starts.
#[test]
fn a_snapshot_that_vouches_is_not_passed_over() {
    let home = private_folder();
    let archive = home.path().join("archive");
    let x = archiving(&archive).start();
    let live = trade_until(&x, &archive, 3);
    x.stop();
    let kept: Vec<(PathBuf, Vec<u8>)> = snapshots(x.data())
        .into_iter()
        .map(|path| {
            let bytes = fs::read(&path).unwrap();
            (path, bytes)
        })
        .collect();
    for (path, bytes) in &kept {
        fs::write(path, of_next_version(bytes)).unwrap();
    }
    let line = small().refuses_in(x.data());
    assert!(line.contains("has version") && line.contains("--archive"), "{line}");
    let refused = run("verify", x.data(), &[]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("has version"), "{refused:?}");
    for (path, bytes) in &kept {
        fs::write(path, bytes).unwrap();
    }
    let again = small().start_in(x.data());
    check_live(&again, &live);
}

/// A snapshot whose payload begins with another version, with all its checksums right.
fn of_next_version(snapshot: &[u8]) -> Vec<u8> {
    const HEADER: usize = 4_096;
    const CHUNK: usize = 8;
    let mut bytes = snapshot.to_vec();
    bytes[HEADER + CHUNK] += 1;
    let len = usize::try_from(u32::from_le_bytes(bytes[HEADER..HEADER + 4].try_into().unwrap())).unwrap();
    let first = HEADER + CHUNK..HEADER + CHUNK + len;
    let crc = crc32c::crc32c(&bytes[first.clone()]);
    bytes[HEADER + 4..HEADER + 8].copy_from_slice(&crc.to_le_bytes());
    assert_eq!(bytes[first.end..first.end + 4], [0; 4], "one chunk only");
    let footer = first.end;
    let hash: [u8; 32] =
        Sha256::new().chain_update(&bytes[..HEADER]).chain_update(&bytes[first]).finalize().into();
    bytes[footer + 12..footer + 44].copy_from_slice(&hash);
    let crc = crc32c::crc32c(&bytes[footer..footer + 44]);
    bytes[footer + 44..footer + 48].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// Kills under load while segments move lose nothing, and each later run goes on moving.
#[test]
fn kills_while_segments_move() {
    let home = private_folder();
    let archive = home.path().join("archive");
    let x = archiving(&archive).start();
    let mut live = BTreeMap::new();
    for wanted in [2, 3, 5, 6, 8] {
        // Killed right after a segment got its name in the archive.
        live.extend(trade_until(&x, &archive, wanted));
        x.kill9();
        stdout(&run("verify", x.data(), &["--archive", text(&archive)]));
        stdout(&run("verify", x.data(), &[]));
        x.restart();
        check_live(&x, &live);
    }
    laws::check(&x);
}

/// A damaged archived segment is found by `verify` with the archive. The exchange does not need it.
#[test]
fn a_damaged_archived_segment_is_found() {
    let home = private_folder();
    let archive = home.path().join("archive");
    let x = archiving(&archive).start();
    trade_until(&x, &archive, 4);
    x.stop();
    let damaged = archive.join(&segments(&archive)[2]);
    let mut bytes = fs::read(&damaged).unwrap();
    bytes[4_500] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    let found = run("verify", x.data(), &["--archive", text(&archive)]);
    let said = String::from_utf8_lossy(&found.stderr).into_owned();
    assert!(!found.status.success() && said.contains(text(&damaged)), "{found:?}");
    stdout(&run("verify", x.data(), &[]));
    x.restart();
    x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "0.001", "100"));
}

/// By default nothing moves, whatever the archive; what is young does not move either. Flags may stand in the environment.
#[test]
fn the_journal_is_kept() {
    let home = private_folder();
    for days in [None, Some("all"), Some("1")] {
        let archive = home.path().join(days.unwrap_or("none"));
        let setup = small().env("BUTTONWOOD_ARCHIVE", text(&archive));
        let setup = days.into_iter().fold(setup, |setup, days| setup.env("BUTTONWOOD_KEEP_JOURNAL", days));
        let x = setup.start();
        while segments(&x.data().join("journal")).len() < 5 || snapshots(x.data()).len() < 2 {
            x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "0.001", "100"));
        }
        x.stop();
        assert!(segments(&archive).is_empty(), "{days:?}");
        laws::verified(&x);
    }
}

/// Settings that make no sense are refused by name, and make no directory.
#[test]
fn wrong_settings_are_refused() {
    let home = private_folder();
    let data = home.path().join("data");
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    for (days, archive, words) in [
        ("2GB", None, "such as 2GiB"),
        ("1KiB", None, "a size from 1MiB"),
        ("1.5GiB", None, "in KiB, MiB, GiB or TiB"),
        ("week", None, "'all' or a whole number of days"),
        ("-1", None, "'all' or a whole number of days"),
        ("3", Some(file.as_path()), "is no folder"),
    ] {
        let setup = small().argument(&format!("--keep-journal={days}"));
        let setup = archive.into_iter().fold(setup, |setup, path| setup.flag("--archive", text(path)));
        let arguments = setup.arguments(&data);
        let borrowed: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run_to_end(&borrowed);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(words), "{days}: {said}");
        assert!(!data.exists(), "{days}");
    }
    let x = Exchange::start();
    x.stop();
    let line = small().flag("--archive", text(&x.data().join("archive"))).refuses_in(x.data());
    assert!(line.contains("lies in the data directory"), "{line}");
}

/// Bytes of the segments in a journal.
fn journal_bytes(data: &Path) -> u64 {
    let journal = data.join("journal");
    segments(&journal)
        .iter()
        .map(|name| fs::metadata(journal.join(name)).map_or(0, |found| found.len()))
        .sum()
}

/// A sandbox without an archive keeps as much of its journal as was asked for, and deletes what no snapshot needs; nothing else is
/// lost. A row that only the deleted part could build again stays refused, by name.
#[test]
fn a_sandbox_keeps_a_size() {
    const KEPT: u64 = 1024 * 1024;
    const SEGMENT: u64 = 64 * 1024;
    let home = private_folder();
    let setup =
        || Exchange::builder().real_time().flag("--segment-bytes", "65536").flag("--keep-journal", "1MiB");
    let x = setup().start();
    let trader = x.as_("trader");
    let mut live = BTreeMap::new();
    let mut first = None;
    for step in 0..500 {
        let placed =
            trader.place(&NewOrder::limit("btcusd", "buy", "0.001", &format!("{}", 100 + step % 50)));
        let id = placed["order_id"].as_str().unwrap().to_owned();
        if step % 90 == 0 || step == 499 {
            live.insert(id, placed);
        } else {
            trader.call("/v1/order/cancel", json!({ "order_id": id })).ok();
            first.get_or_insert(id);
        }
        // Between two snapshots the journal grows by a quarter, and the newest segment is made before it is needed.
        let held = journal_bytes(x.data());
        assert!(held <= KEPT + KEPT / 2 + 2 * SEGMENT, "{held} bytes at step {step}\n{}", x.log());
    }
    let first = first.unwrap();
    assert!(x.log().contains("journal deleted up to a command"), "{}", x.log());
    assert!(!segments(&x.data().join("journal")).contains(&"0000000001.segment".to_owned()));
    let past = |x: &Exchange| {
        x.as_("trader").call("/v1/orders/history", json!({ "timestamp": 1, "limit_orders": 500 }))
    };
    let rows = past(&x).ok();
    check_live(&x, &live);
    x.kill9();
    for _ in 0..2 {
        let proved = stdout(&run("verify", x.data(), &[]));
        assert!(
            proved.contains("were in segments that were deleted") && proved.ends_with("ok\n"),
            "{proved}"
        );
        x.restart();
        check_live(&x, &live);
        assert_eq!(past(&x).ok(), rows);
        assert_eq!(x.as_("trader").status(&first)["is_cancelled"], true);
        x.stop();
    }
    let copy = home.path().join("copy");
    stdout(&run("backup", x.data(), &["--to", text(&copy)]));
    assert!(stdout(&run("verify", &copy, &[])).ends_with("ok\n"));

    // The first closed order, whose row only the deleted journal could build again.
    let orders = x.data().join("history").join("orders.log");
    let mut bytes = fs::read(&orders).unwrap();
    bytes[30] ^= 0x10;
    fs::write(&orders, bytes).unwrap();
    x.restart();
    x.as_("trader").call("/v1/order/status", json!({ "order_id": first })).refused(503, "System");
    while !x
        .get("/health/ready")
        .reply
        .text()
        .contains("was deleted, as --keep-journal without --archive says")
    {
        std::thread::yield_now();
    }
    x.as_("trader").call("/v1/order/status", json!({ "order_id": first })).refused(503, "System");
    check_live(&x, &live);
    laws::check(&x);

    // Without a snapshot nothing can take the place of the deleted part.
    for path in snapshots(&copy) {
        fs::remove_file(path).unwrap();
    }
    let line = setup().refuses_in(&copy);
    assert!(line.contains("there is no snapshot") && line.contains("some of these were deleted"), "{line}");
}

/// Days without an archive delete too, in a sandbox; segments that were moved before stay in the archive, and a later archive gets the
/// later ones.
#[test]
fn a_sandbox_without_an_archive_deletes_by_days() {
    let home = private_folder();
    let archive = home.path().join("archive");
    let x = archiving(&archive).start();
    let live = trade_until(&x, &archive, 2);
    x.stop();
    let moved = segments(&archive);
    let deleting = small().flag("--keep-journal", "0").start_in(x.data());
    let journal = x.data().join("journal");
    let held = segments(&journal);
    let mut step = 0;
    while segments(&journal).first() <= held.get(1) {
        step += 1;
        assert!(step < 20_000, "{}", deleting.log());
        deleting.as_("trader").limit("btcusd", "buy", "0.001", "100");
    }
    deleting.stop();
    assert_eq!(segments(&archive), moved, "nothing was moved, and nothing in an archive is touched");
    let proved = stdout(&run("verify", x.data(), &["--archive", text(&archive)]));
    assert!(proved.contains("were in segments that were deleted"), "{proved}");
    let again = archiving(&archive).start_in(x.data());
    trade_until(&again, &archive, moved.len() + 2);
    check_live(&again, &live);
    again.stop();
    assert!(stdout(&run("verify", x.data(), &["--archive", text(&archive)])).ends_with("ok\n"));
}

/// A venue deletes nothing: it is refused without an archive, by days and by size.
#[test]
fn a_venue_needs_an_archive() {
    let home = private_folder();
    let config = home.path().join("venue.toml");
    fs::write(&config, format!("data = \"{}\"\n", text(&home.path().join("data")))).unwrap();
    for keep in ["3", "2GiB"] {
        let output = run_to_end(&["serve", "--config", text(&config), "--keep-journal", keep]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        let line = format!(
            "--keep-journal {keep}: where older segments are moved to is missing: name a folder with --archive"
        );
        assert!(said.contains(&line), "{said}");
    }
}
