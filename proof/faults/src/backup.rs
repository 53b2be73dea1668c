//! Backups that are struck: killed at the Nth call, or one call fails. Either the copy is whole, or nothing takes it for a data
//! directory.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use buttonwood_accept::{Exchange, binary, run_to_end};

use crate::load::Load;
use crate::oracle::Scope;
use crate::round::{Round, verified};
use crate::sweep::Next;
use crate::trace::{Harm, Strike, struck};

/// The calls of a backup that change something.
const CALLS: [&str; 8] =
    ["pwrite64", "fdatasync", "fsync", "rename", "ftruncate", "openat", "mkdir", "unlink"];
const HARMS: [Harm; 3] = [Harm::Kill, Harm::Error("EIO"), Harm::Error("ENOSPC")];
/// Calls that a quick round strikes.
const QUICK: u64 = 6;

/// Strikes the Nth call of every kind during a backup of a running exchange.
pub fn round(round: &mut Round) -> Next {
    let data = round.data();
    round.archives = round.draw.chance(50);
    let x = round.start(&data);
    let mut load = round.load(&x);
    load.run_out(&x, 12);
    let mut hits = 0;
    let whens: Vec<u64> = if round.quick {
        (0..QUICK).map(|_| round.draw.between(1, 60)).collect()
    } else {
        vec![round.number]
    };
    for when in whens {
        for call in CALLS {
            for harm in HARMS {
                let is_left_out = round.quick && !round.draw.chance(30);
                if !is_left_out && !round.is_told_to_stop() && strike(round, &x, &load, call, harm, when) {
                    hits += 1;
                }
            }
        }
        load.run_out(&x, 1);
    }
    round.count("calls struck", hits);
    x.kill9();
    drop(x);
    verified(&data);
    let x = round.start(&data);
    round.finish(&mut load, &x);
    // Later calls than the last one of any kind are not there to strike.
    if hits == 0 && !round.quick { Next::Done } else { Next::More }
}

/// Makes one backup under a strike, and judges what it left; returns whether the strike hit.
fn strike(round: &mut Round, x: &Exchange, load: &Load, call: &'static str, harm: Harm, when: u64) -> bool {
    let (to, log) = (round.dir.join("copy"), round.dir.join("strace.log"));
    let _ = fs::remove_file(&log);
    let strike = Strike { call, harm, when, log, within: Vec::new() };
    let place = format!("backup, {call} number {when}, {harm:?}");
    fs::write(round.dir.join("strike.txt"), &place).expect("a note can be written");
    let around = strike.around();
    let (tracer, own) = around.split_first().expect("a tracer has a name");
    let ended = Command::new(tracer)
        .args(own)
        .arg(binary())
        .args(["backup", "--data", &text(x.data()), "--to", &text(&to)])
        .stdin(Stdio::null())
        .output()
        .expect("strace was probed");
    let is_struck = struck(&strike.log) || harm == Harm::Kill && ended.status.code().is_none();
    assert!(is_struck || ended.status.success(), "{place}: {ended:?}");
    if ended.status.success() {
        whole(round, load, &to);
    } else {
        round.count("backups that failed", 1);
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!said.contains("panicked"), "{place}: {said}");
        if harm != Harm::Kill && call != "unlink" {
            assert!(is_empty(&to), "{place} left files: {said}");
        }
        if !is_empty(&to) {
            refused_or_whole(round, load, &to);
        }
    }
    let _ = fs::remove_dir_all(&to);
    is_struck
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).map_or(true, |mut names| names.next().is_none())
}

/// An interrupted backup is refused by everything, or is a whole one whose end was not reported.
fn refused_or_whole(round: &mut Round, load: &Load, to: &Path) {
    let proven = run_to_end(&["verify", "--data", &text(to)]).status.success();
    if proven {
        return whole(round, load, to);
    }
    match round.setup().try_start_in(to) {
        Ok(x) => panic!("{} is served, though its backup was interrupted", x.data().display()),
        Err(ended) => assert_ne!(ended.status.and_then(|status| status.code()), None, "{}", ended.stderr),
    }
    round.count("interrupted backups refused", 1);
}

/// A whole copy verifies, starts, and has every acknowledged change.
fn whole(round: &mut Round, load: &Load, to: &Path) {
    verified(to);
    round.count("whole backups", 1);
    if round.draw.chance(20) {
        let x = round.start(to);
        let mut load = load.clone();
        round.compare(&mut load, &x, Scope::All);
        x.kill9();
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
