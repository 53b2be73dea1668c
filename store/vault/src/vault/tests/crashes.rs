//! A vault whose process is killed at every call, or meets an error there: all that was acknowledged stays.

use super::metered::{Metered, Trouble};
use super::*;
use crate::log::LOG_FILE;

type Act = fn(&Vault) -> Result<(), Fault>;

const FIRST: &[&str] = &["account-a", "account-b"];
const ADDED: &[&str] = &["user-1", "user-2"];

fn put_two(vault: &Vault) -> Result<(), Fault> {
    let entry = |name: &&str| Entry { name: (*name).to_owned(), secret: secret(name) };
    vault.put_all(&ADDED.iter().map(entry).collect::<Vec<_>>())
}

fn open_and_put(vault: &Vault) -> Result<(), Fault> {
    vault.open()?;
    put_two(vault)
}

fn begin(vault: &Vault) -> Result<(), Fault> {
    vault.open()?;
    vault.put_all(&entries())
}

fn tidy(vault: &Vault) -> Result<(), Fault> {
    let mut opened = vault.open()?;
    opened.outdated = 1;
    vault.tidy(&mut opened)
}

fn tidy_and_put(vault: &Vault) -> Result<(), Fault> {
    let _ = tidy(vault);
    put_two(vault)
}

fn rotate_and_put(vault: &Vault) -> Result<(), Fault> {
    let _ = vault.rotate(&vault.folder.file("next.key"));
    put_two(vault)
}

/// Each act, whether it begins with a filled vault, and the names that it adds, all of them or none.
const ACTS: [(&str, Act, bool, &[&str]); 6] = [
    ("begin", begin, false, FIRST),
    ("put", put_two, true, ADDED),
    ("open and put", open_and_put, true, ADDED),
    ("tidy", tidy, true, &[]),
    ("tidy and put", tidy_and_put, true, ADDED),
    ("rotate and put", rotate_and_put, true, ADDED),
];

/// The names in a vault, each with its own secret.
fn names(dir: &Path, case: &str) -> Vec<String> {
    let opened = own(dir).open().unwrap_or_else(|fault| panic!("{case}: {fault}"));
    opened.names().inspect(|name| drop(opened.get(name).unwrap().unwrap())).map(str::to_owned).collect()
}

/// At each call that a change may fail at: the next start finds all acknowledged secrets, and those of the change all or not at all; after an
/// error the same process goes on.
#[test]
fn loses_nothing_at_any_call() {
    for (what, act, is_filled, added) in ACTS {
        for trouble in [Trouble::Kill, Trouble::Error, Trouble::Late] {
            for met in 0.. {
                let case = format!("{what}, {trouble:?} at call {met}");
                let dir = if is_filled { filled() } else { tempfile::tempdir().unwrap() };
                let disk = Metered::default();
                let vault = Vault::new(disk.folder(dir.path()), KeySource::Own);
                disk.arm(met, trouble);
                let outcome = act(&vault);
                if !disk.disarm() {
                    assert!(outcome.is_ok() && met > 2, "{case}: {outcome:?}");
                    break;
                }
                let check = || check(dir.path(), &case, (is_filled, added), outcome.is_ok());
                check();
                if trouble != Trouble::Kill {
                    vault.put("user-3", &secret("three")).unwrap_or_else(|fault| panic!("{case}: {fault}"));
                    assert!(names(dir.path(), &case).contains(&"user-3".to_owned()), "{case}");
                }
                own(dir.path()).put("user-4", &secret("four")).unwrap();
                assert!(names(dir.path(), &case).contains(&"user-4".to_owned()), "{case}");
                check();
            }
        }
    }
}

fn check(dir: &Path, case: &str, (is_filled, added): (bool, &[&str]), is_done: bool) {
    let names = names(dir, case);
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    assert!(!is_filled || FIRST.iter().all(|name| has(name)), "{case}: {names:?}");
    let found = added.iter().filter(|name| has(name)).count();
    assert!(found == added.len() || found == 0 && !is_done, "{case}: {names:?}");
}

/// A change that failed after half of it was written is overwritten by the next one, in the same process and after a restart.
#[test]
fn the_next_change_cuts_a_failed_one() {
    for restarts in [false, true] {
        let dir = filled();
        let disk = Metered::default();
        let vault = Vault::new(disk.folder(dir.path()), KeySource::Own);
        vault.open().unwrap();
        // A change opens the log, writes and syncs.
        disk.arm(1, Trouble::Error);
        let long = Secret::new(vec![b'x'; PART_MAX]);
        assert!(vault.put("user-1", &long).is_err() && disk.disarm());
        let length = || fs::metadata(dir.path().join(LOG_FILE)).unwrap().len();
        assert!(length() > 900);
        let next = if restarts { own(dir.path()) } else { vault };
        next.put("user-2", &secret("two")).unwrap();
        assert_eq!(names(dir.path(), "next"), ["account-a", "account-b", "user-2"]);
        assert!(length() < 900, "the rest is cut");
    }
}
