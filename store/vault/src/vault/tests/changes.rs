//! The log: appended changes, interrupted ones, damage, logs of other bases, and folding into the base.

use super::metered::Metered;
use super::*;
use crate::log::{HEAD, LOG_FILE, MARK};

fn entry(name: &str, text: &str) -> Entry {
    Entry { name: name.to_owned(), secret: secret(text) }
}

fn at(dir: &Path, name: &str) -> PathBuf {
    dir.join(name)
}

fn bytes(dir: &Path, name: &str) -> Vec<u8> {
    fs::read(dir.join(name)).unwrap()
}

fn text(vault: &Vault, name: &str) -> Option<String> {
    vault.open().unwrap().get(name).unwrap().map(|secret| secret.text().to_owned())
}

fn tidied(dir: &Path) {
    let vault = own(dir);
    let mut opened = vault.open().unwrap();
    vault.tidy(&mut opened).unwrap();
}

fn holds_both_and(vault: &Vault, count: usize) {
    let opened = vault.open().unwrap();
    assert_eq!(opened.len(), count);
    for Entry { name, secret } in entries() {
        assert_eq!(opened.get(&name).unwrap().unwrap().expose(), secret.expose());
    }
}

/// Every kind of change is appended, and the base stays as it is; a start reads the outcome of all of them.
#[test]
fn a_change_leaves_the_base_alone() {
    let dir = filled();
    let base = bytes(dir.path(), VAULT_FILE);
    let vault = own(dir.path());
    vault.put_all(&[entry("user-1-email-1", "a@x.test"), entry("user-1-totp-1", "seed")]).unwrap();
    vault.put("user-1-email-2", &secret("b@x.test")).unwrap();
    vault.remove_all(&["user-1-email-1", "user-9-email-1"]).unwrap();
    vault.forget(&["account-a", "account-z"]).unwrap();
    vault.put_all(&[]).unwrap();
    assert_eq!(bytes(dir.path(), VAULT_FILE), base);
    for is_folded in [false, true] {
        let mut opened = own(dir.path()).open().unwrap();
        assert_eq!(opened.names().collect::<Vec<_>>(), ["account-b", "user-1-email-2", "user-1-totp-1"]);
        assert_eq!(opened.names_with("user-1-e").collect::<Vec<_>>(), ["user-1-email-2"]);
        assert!(opened.is_forgotten("account-a"), "the record of a key stays");
        for name in ["account-z", "user-1-email-1", "user-9-email-1"] {
            assert!(!opened.is_forgotten(name) && opened.get(name).unwrap().is_none(), "{name}");
        }
        let read = vault.read_many(&["user-1-totp-1", "account-a", "account-b"]).unwrap();
        let read = read.iter().map(|found| found.as_ref().map_or("", Secret::text)).collect::<Vec<_>>();
        assert_eq!(read, ["seed", "", "second"]);
        if !is_folded {
            own(dir.path()).tidy(&mut opened).unwrap();
            assert_ne!(bytes(dir.path(), VAULT_FILE), base);
            assert!(!at(dir.path(), LOG_FILE).exists());
        }
    }
    let mut opened = vault.open().unwrap();
    vault.remove_all_in(&mut opened, &["user-1-totp-1", "nothing"]).unwrap();
    assert!(opened.get("user-1-totp-1").unwrap().is_none() && text(&vault, "user-1-totp-1").is_none());
}

/// A change costs the same bytes beside ten records and beside thousands.
#[test]
fn the_cost_of_a_change_does_not_grow() {
    let mut costs = Vec::new();
    for count in [100, 3_000] {
        let dir = tempfile::tempdir().unwrap();
        let many: Vec<Entry> = (0..count).map(|number| entry(&format!("user-{number:05}"), "x")).collect();
        own(dir.path()).put_all(&many).unwrap();
        tidied(dir.path());
        let disk = Metered::default();
        let vault = Vault::new(disk.folder(dir.path()), KeySource::Own);
        vault.open().unwrap();
        disk.bytes();
        let mut cost = |change: &dyn Fn()| {
            change();
            let [read, written] = disk.bytes();
            assert!(read < 10_000 && written < 400, "{read} {written}");
            costs.push((read, written));
        };
        // The first one begins the log.
        cost(&|| vault.put("user-00000", &secret("y")).unwrap());
        cost(&|| vault.put("user-00001", &secret("z")).unwrap());
        cost(&|| vault.forget(&["user-00002"]).unwrap());
        cost(&|| vault.remove_all(&["user-00003"]).unwrap());
        assert_eq!(vault.open().unwrap().len(), many.len() - 2);
    }
    let (few, many) = costs.split_at(4);
    assert_eq!(few, many);
}

/// Wherever the log's last change is cut off, it is not there at all, and those before it are; the next change takes its place.
#[test]
fn a_torn_change_is_none() {
    let dir = filled();
    let first = bytes(dir.path(), LOG_FILE).len() - MARK;
    own(dir.path()).put_all(&[entry("user-1", "one"), entry("user-2", "two")]).unwrap();
    let whole = bytes(dir.path(), LOG_FILE);
    let end = whole.len() - MARK;
    for length in first..whole.len() {
        for fill in [None, Some(0), Some(0xff)] {
            let mut torn = whole[..length].to_vec();
            if let Some(fill) = fill {
                torn.resize(length.max(end) + MARK + 9, fill);
            }
            fs::write(at(dir.path(), LOG_FILE), &torn).unwrap();
            let vault = own(dir.path());
            // A last byte that happens to be what fills the file is not torn.
            let is_whole = length >= end || torn.starts_with(&whole[..end]);
            holds_both_and(&vault, if is_whole { 4 } else { 2 });
            assert_eq!(bytes(dir.path(), LOG_FILE), torn, "reading changes nothing");
            vault.put("user-3", &secret("three")).unwrap();
            holds_both_and(&own(dir.path()), if is_whole { 5 } else { 3 });
            assert_eq!(text(&own(dir.path()), "user-3").unwrap(), "three");
        }
    }
    // The log is made as a whole, so it has a head in any case.
    for length in 0..HEAD {
        fs::write(at(dir.path(), LOG_FILE), &whole[..length]).unwrap();
        assert!(refusal(&own(dir.path())).contains("vault.log does not open: it is damaged"), "{length}");
    }
}

/// A log at rest with any byte changed is refused and stays as it is; only the last mark is of no account by itself.
#[test]
fn refuses_every_damage_of_the_log() {
    let dir = filled();
    own(dir.path()).put("user-1", &secret("one")).unwrap();
    let before = bytes(dir.path(), LOG_FILE).len() - MARK;
    own(dir.path()).forget(&["user-1"]).unwrap();
    let whole = bytes(dir.path(), LOG_FILE);
    let refuses = |log: &[u8], place: usize| {
        fs::write(at(dir.path(), LOG_FILE), log).unwrap();
        let line = refusal(&own(dir.path()));
        assert!(line.contains("vault.log does not open: it is damaged"), "{place}: {line}");
        assert!(own(dir.path()).put("user-2", &secret("two")).is_err());
        assert!(own(dir.path()).rotate(&at(dir.path(), "next")).is_err());
        assert!(!at(dir.path(), "next").exists() && bytes(dir.path(), LOG_FILE) == log);
    };
    let end = whole.len() - MARK;
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        if place < end {
            refuses(&changed, place);
            continue;
        }
        fs::write(at(dir.path(), LOG_FILE), &changed).unwrap();
        holds_both_and(&own(dir.path()), 2);
        assert!(own(dir.path()).open().unwrap().is_forgotten("user-1"));
    }
    // The last frame without those before it, and in their place.
    refuses(&[&whole[..HEAD], &whole[before..]].concat(), 0);
    refuses(&[&whole[..HEAD], &whole[before..end], &whole[HEAD..before], &whole[end..]].concat(), 0);
}

/// The log of an earlier base counts for nothing, and the next change begins a new one; so does that of another vault.
#[test]
fn passes_over_the_log_of_another_base() {
    let dir = filled();
    let stale = bytes(dir.path(), LOG_FILE);
    let first = bytes(dir.path(), VAULT_FILE);
    own(dir.path()).forget(&["account-a"]).unwrap();
    tidied(dir.path());
    let foreign = bytes(filled().path(), LOG_FILE);
    for log in [&stale, &foreign] {
        fs::write(at(dir.path(), LOG_FILE), log).unwrap();
        let vault = own(dir.path());
        assert_eq!(vault.open().unwrap().names().collect::<Vec<_>>(), ["account-b"]);
        assert_eq!(&bytes(dir.path(), LOG_FILE), log, "reading removes nothing");
        vault.put("user-1", &secret("one")).unwrap();
        vault.put("user-2", &secret("two")).unwrap();
        assert_eq!(own(dir.path()).open().unwrap().len(), 3);
        vault.remove_all(&["user-1", "user-2"]).unwrap();
        tidied(dir.path());
        fs::write(at(dir.path(), LOG_FILE), log).unwrap();
        tidied(dir.path());
        assert!(!at(dir.path(), LOG_FILE).exists());
    }
    // An older base has its own log, or none.
    own(dir.path()).put("user-1", &secret("one")).unwrap();
    fs::write(at(dir.path(), VAULT_FILE), first).unwrap();
    assert!(own(dir.path()).open().unwrap().is_empty());
    fs::write(at(dir.path(), LOG_FILE), stale).unwrap();
    holds_both(&own(dir.path()));
}

/// A log without its base is refused, and no vault is made in its place.
#[test]
fn refuses_a_log_without_its_base() {
    let dir = filled();
    fs::remove_file(at(dir.path(), VAULT_FILE)).unwrap();
    let line = refusal(&own(dir.path()));
    assert!(line.contains("vault is missing") && line.contains("vault.log"), "{line}");
    assert!(own(dir.path()).open().unwrap_err().is_lasting() && !Vault::is_in(dir.path()));
}

/// A vault notices that its files were replaced or changed elsewhere.
#[test]
fn follows_files_that_were_replaced() {
    let dir = filled();
    let vault = own(dir.path());
    vault.put("user-1", &secret("one")).unwrap();
    tidied(dir.path());
    vault.put("user-2", &secret("two")).unwrap();
    fs::remove_file(at(dir.path(), LOG_FILE)).unwrap();
    vault.put("user-3", &secret("three")).unwrap();
    own(dir.path()).put("user-4", &secret("four")).unwrap();
    vault.put("user-5", &secret("five")).unwrap();
    let opened = own(dir.path()).open().unwrap();
    let names: Vec<&str> = opened.names_with("user-").collect();
    assert_eq!(names, ["user-1", "user-3", "user-4", "user-5"]);
}

/// A rotation seals base and log anew, without what was forgotten or replaced, and the log of the key before is gone.
#[test]
fn rotates_a_log_into_the_base() {
    let dir = filled();
    let vault = own(dir.path());
    tidied(dir.path());
    vault.put("account-b", &secret("changed")).unwrap();
    vault.put("user-1", &secret("one")).unwrap();
    vault.forget(&["account-a"]).unwrap();
    assert_eq!(vault.rotate(&at(dir.path(), "next")).unwrap().records, 2);
    assert!(!at(dir.path(), LOG_FILE).exists());
    vault.put("user-2", &secret("two")).unwrap();
    let opened = own(dir.path()).open().unwrap();
    assert_eq!(opened.names().collect::<Vec<_>>(), ["account-b", "user-1", "user-2"]);
    assert!(opened.is_forgotten("account-a"));
    assert_eq!(opened.get("account-b").unwrap().unwrap().expose(), b"changed");
}

/// The log of a running exchange is folded when it outgrows its base, and a start folds what is outdated or long; not without need.
#[test]
fn folds_when_it_must() {
    let dir = filled();
    let vault = own(dir.path());
    let long = "l".repeat(PART_MAX);
    let some: Vec<Entry> = (0..100).map(|number| entry(&format!("user-{number}"), &long)).collect();
    let mut times = 0;
    while at(dir.path(), LOG_FILE).exists() {
        vault.put_all(&some).unwrap();
        times += 1;
    }
    assert_eq!(times, 10, "it has outgrown its base");
    holds_both_and(&own(dir.path()), 102);
    let base = || bytes(dir.path(), VAULT_FILE);
    let before = base();
    vault.put("user-new", &secret("n")).unwrap();
    tidied(dir.path());
    assert!(base() == before && at(dir.path(), LOG_FILE).exists(), "a short log of additions may stay");
    vault.put("user-new", &secret("m")).unwrap();
    tidied(dir.path());
    assert!(base() != before && !at(dir.path(), LOG_FILE).exists(), "it held a secret that was replaced");
    assert_eq!(text(&vault, "user-new").unwrap(), "m");
}

/// A base names the file of the key under which the last change was made; a start that changes nothing leaves it.
#[test]
fn records_where_the_key_of_a_change_was() {
    let dir = filled();
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("copy");
    fs::copy(at(dir.path(), KEY_FILE), &copy).unwrap();
    let recorded = || Vault::recorded_key_file(dir.path()).unwrap().unwrap();
    let vault = Vault::new(dir.path(), KeySource::File(copy.clone()));
    let mut opened = vault.open().unwrap();
    vault.tidy(&mut opened).unwrap();
    assert_eq!(recorded(), at(dir.path(), KEY_FILE));
    vault.put("user-1", &secret("one")).unwrap();
    assert_eq!(recorded(), copy);
    let command = Vault::new(dir.path(), KeySource::Command(format!("cat {}", copy.display())));
    let mut opened = command.open().unwrap();
    command.add(&mut opened, &[entry("user-2", "two")]).unwrap();
    assert_eq!(Vault::sealed_under(dir.path()).unwrap(), Some(SealedUnder::Command));
    holds_both_and(&command, 4);
}

/// Copies of base and log belong together if the base is the same before and after.
#[test]
fn copies_have_the_same_base() {
    let (dir, copy) = (filled(), tempfile::tempdir().unwrap());
    let is_same = || Vault::is_same_base(dir.path(), copy.path()).unwrap();
    let take = |name: &str| fs::copy(at(dir.path(), name), at(copy.path(), name)).unwrap();
    assert!(!is_same());
    Vault::FILES.into_iter().chain([KEY_FILE]).for_each(|name| assert!(take(name) > 0));
    own(dir.path()).put("user-1", &secret("one")).unwrap();
    assert!(is_same());
    holds_both_and(&own(copy.path()), 2);
    tidied(dir.path());
    assert!(!is_same());
    let earlier = earlier();
    fs::copy(at(earlier.path(), VAULT_FILE), at(copy.path(), VAULT_FILE)).unwrap();
    assert!(!is_same() && Vault::is_same_base(earlier.path(), copy.path()).unwrap());
}
