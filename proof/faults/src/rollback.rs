//! Old copies restored: of the newest segment, of segments and watermark, of the whole journal, of everything.
//!
//! Files of one journal confirm each other, and the history records how far it had come. A complete old copy cannot
//! be recognised: it is served as it was, and only a client that knows of later answers can notice. This test also
//! checks that the oracle of this sweep does notice.

use std::fs;
use std::path::{Path, PathBuf};

use crate::base::{Base, contents, copy, files};
use crate::damage::refused;
use crate::oracle::Scope;
use crate::round::{Round, complains, verified};
use crate::sweep::Next;

/// Each kind of old copy once.
pub fn round(round: &mut Round) -> Next {
    let base = Base::make(round);
    let journal: Vec<PathBuf> =
        files(&base.old).into_iter().filter(|file| file.starts_with("journal")).collect();
    let kind = |file: &&PathBuf, kind: &str| file.extension().is_some_and(|found| found == kind);
    let segments: Vec<&PathBuf> = journal.iter().filter(|file| kind(file, "segment")).collect();

    let copied = base.copy(round);
    restore(&base, &copied, &segments);
    must_refuse(round, &copied, "old segments");

    let copied = base.copy(round);
    let mut with_mark = segments.clone();
    let mark = PathBuf::from("journal/watermark");
    with_mark.push(&mark);
    restore(&base, &copied, &with_mark);
    must_refuse(round, &copied, "old segments and watermark beside a newer history");

    let copied = base.copy(round);
    fs::remove_dir_all(copied.join("journal")).expect("a directory can be removed");
    copy(&base.old.join("journal"), &copied.join("journal"));
    must_refuse(round, &copied, "an old journal under a newer history");

    let copied = base.copy(round);
    fs::remove_dir_all(copied.join("journal")).expect("a directory can be removed");
    must_refuse(round, &copied, "a history without a journal");

    let copied = round.dir.join("damaged");
    let _ = fs::remove_dir_all(&copied);
    copy(&base.old, &copied);
    serves_as_it_was(round, &base, &copied);
    Next::More
}

/// An old directory contains no trace of later commands, so it cannot be refused; it must be whole as of its time.
fn serves_as_it_was(round: &mut Round, base: &Base, copied: &Path) {
    verified(copied);
    let x = round.start(copied);
    assert!(complains(|| base.load.clone().check(&x, Scope::All)), "the oracle does not notice what is lost");
    x.stop();
    drop(x);
    verified(copied);
    round.count("old directories, served as they were", 1);
}

fn must_refuse(round: &mut Round, copied: &Path, case: &str) {
    let before = contents(copied);
    let Err(ended) = round.setup().try_start_in(copied) else {
        panic!("{case}: served, with less than was acknowledged")
    };
    refused(&ended, copied, case);
    assert!(before == contents(copied), "{case}: a refused start changed the directory");
    round.count("rollbacks refused", 1);
}

/// Restores old copies of some files, and removes newer files of the same kind.
fn restore(base: &Base, copied: &Path, old: &[&PathBuf]) {
    for file in files(copied).iter().filter(|file| file.extension().is_some_and(|kind| kind == "segment")) {
        if !old.contains(&file) {
            fs::remove_file(copied.join(file)).expect("a file can be removed");
        }
    }
    for file in old {
        fs::copy(base.old.join(file), copied.join(file)).expect("a file can be copied");
    }
}
