//! Secrets over restarts, wrong keys, damage, rotation, and vaults of earlier builds.

use super::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use tempfile::TempDir;

mod changes;
mod crashes;
mod metered;

fn secret(text: &str) -> Secret {
    Secret::new(text.as_bytes().to_vec())
}

fn own(dir: &Path) -> Vault {
    Vault::new(dir, KeySource::Own)
}

fn entries() -> [Entry; 2] {
    [("account-a", "first"), ("account-b", "second")]
        .map(|(name, text)| Entry { name: name.to_owned(), secret: secret(text) })
}

/// A directory whose vault holds two secrets.
fn filled() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let vault = own(dir.path());
    assert!(vault.open().unwrap().is_empty());
    vault.put_all(&entries()).unwrap();
    dir
}

fn holds_both(vault: &Vault) {
    let opened = vault.open().unwrap();
    assert_eq!(opened.len(), 2);
    for Entry { name, secret } in entries() {
        assert_eq!(opened.get(&name).unwrap().unwrap().expose(), secret.expose());
    }
}

fn refusal(vault: &Vault) -> String {
    let line = vault.open().expect_err("the vault refuses").to_string();
    assert!(!line.contains('\n'), "{line}");
    line
}

#[test]
fn keeps_secrets_over_a_restart() {
    let dir = filled();
    holds_both(&own(dir.path()));
    assert!(own(dir.path()).open().unwrap().get("account-c").unwrap().is_none());
    own(dir.path()).put("account-a", &secret("changed")).unwrap();
    let opened = own(dir.path()).open().unwrap();
    assert_eq!(opened.get("account-a").unwrap().unwrap().expose(), b"changed");
    assert_eq!(opened.get("account-b").unwrap().unwrap().expose(), b"second");
}

/// A removed secret is gone from the file, under every key since, and only that one; its record shows that it was there.
#[test]
fn removes_the_secret_of_an_ended_session() {
    let dir = filled();
    let vault = own(dir.path());
    let before = vault.open().unwrap().records.get("account-a").unwrap().clone();
    vault.forget(&["account-a", "account-z"]).unwrap();
    vault.forget(&["account-a"]).unwrap();
    let new = dir.path().join("new");
    assert_eq!(vault.rotate(&new).unwrap().records, 1);
    let mut opened = vault.open().unwrap();
    assert!(opened.get("account-a").unwrap().is_none() && opened.is_forgotten("account-a"));
    assert!(opened.get("account-z").unwrap().is_none() && !opened.is_forgotten("account-z"));
    assert_eq!(opened.get("account-b").unwrap().unwrap().expose(), b"second");
    assert_eq!(opened.len(), 1);
    let record = opened.records.get("account-a").unwrap();
    assert_eq!(record.open(&opened.seal, "account-a").unwrap().expose(), b"");
    assert_ne!(*record, before, "neither the secret nor its data key is left");
    vault.remove(&mut opened, &["account-b"]).unwrap();
    assert!(opened.is_empty() && own(dir.path()).open().unwrap().is_empty());
}

/// A vault says where its key is, without the key.
#[test]
fn says_where_its_key_is() {
    let dir = filled();
    let under = || Vault::sealed_under(dir.path()).unwrap();
    assert_eq!(Vault::sealed_under(&dir.path().join("none")).unwrap(), None);
    assert_eq!(under(), Some(SealedUnder::Inside(KEY_FILE.into())));
    let vault = own(dir.path());
    fs::create_dir(dir.path().join("keys")).unwrap();
    vault.rotate(&dir.path().join("keys/second")).unwrap();
    assert_eq!(under(), Some(SealedUnder::Inside("keys/second".into())));
    let elsewhere = tempfile::tempdir().unwrap();
    let outside = elsewhere.path().join("third");
    vault.rotate(&outside).unwrap();
    assert_eq!(under(), Some(SealedUnder::Outside(outside)));
    let around = dir.path().join("keys/../../fourth-of-a-test");
    let _ = fs::remove_file(&around);
    vault.rotate(&around).unwrap();
    assert_eq!(under(), Some(SealedUnder::Outside("keys/../../fourth-of-a-test".into())));
    fs::remove_file(&around).unwrap();
    let file = dir.path().join(VAULT_FILE);
    let mut bytes = fs::read(&file).unwrap();
    bytes[10] ^= 1;
    fs::write(&file, bytes).unwrap();
    assert_eq!(under(), None, "damage");
}

/// A record that was moved to another name does not open.
#[test]
fn opens_a_secret_only_under_its_own_name() {
    let dir = filled();
    let mut opened = own(dir.path()).open().unwrap();
    let moved = opened.records.get("account-a").unwrap().clone();
    opened.records.insert("account-b".to_owned(), moved);
    assert!(matches!(opened.get("account-b"), Err(Fault::Record { name }) if name == "account-b"));
}

/// Every record has a data key of its own, and the same secret is sealed differently each time.
#[test]
fn seals_every_record_apart() {
    let dir = filled();
    let twin = |name: &str| Entry { name: name.to_owned(), secret: secret("first") };
    own(dir.path()).put_all(&[twin("account-b"), twin("account-c")]).unwrap();
    let opened = own(dir.path()).open().unwrap();
    let records: Vec<&Record> = opened.records.values().collect();
    assert!(records[0] != records[1] && records[1] != records[2] && records[0] != records[2]);
}

#[test]
fn shuts_others_out_of_its_files() {
    let dir = filled();
    own(dir.path()).put("account-c", &secret("third")).unwrap();
    for name in ["vault", "vault.log", "vault.key"] {
        assert_eq!(fs::metadata(dir.path().join(name)).unwrap().mode() & 0o777, 0o600, "{name}");
    }
    assert!(!dir.path().join("vault.tmp").exists() && !dir.path().join("vault.log.tmp").exists());
}

#[test]
fn holds_no_secret_in_the_clear() {
    let dir = filled();
    let file = |name: &str| fs::read(dir.path().join(name)).unwrap();
    let has = |file: &[u8], text: &[u8]| file.windows(text.len()).any(|window| window == text);
    assert!(has(&file("vault.log"), b"account-a") && !has(&file("vault.log"), b"first"));
    let mut opened = own(dir.path()).open().unwrap();
    own(dir.path()).tidy(&mut opened).unwrap();
    assert!(has(&file("vault"), b"account-a") && !has(&file("vault"), b"first"));
    let shown = format!("{:?} {:?}", own(dir.path()), own(dir.path()).open().unwrap());
    assert!(!shown.contains("first"), "{shown}");
}

#[test]
fn refuses_without_its_own_key() {
    let dir = filled();
    let key = dir.path().join("vault.key");
    let text = fs::read(&key).unwrap();
    fs::rename(filled().path().join("vault.key"), &key).unwrap();
    assert!(refusal(&own(dir.path())).contains("does not open under"));
    fs::write(&key, b"short").unwrap();
    assert!(refusal(&own(dir.path())).contains("gives no key"));
    fs::remove_file(&key).unwrap();
    assert!(refusal(&own(dir.path())).contains("is missing"));
    assert!(!key.exists(), "a refusal draws no new key");
    let line = refusal(&Vault::new(dir.path(), KeySource::File(dir.path().join("other"))));
    assert!(line.contains("other is missing"), "{line}");
    let line = refusal(&Vault::new(dir.path(), KeySource::Command("exit 7".to_owned())));
    assert!(line.contains("exit status: 7"), "{line}");
    let command = KeySource::Command(format!("echo '{}'", String::from_utf8(text).unwrap().trim()));
    holds_both(&Vault::new(dir.path(), command));
}

/// A new vault is not made under a key that is not there or is no key.
#[test]
fn makes_no_vault_without_a_key() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    let vault = Vault::new(dir.path(), KeySource::File(path.clone()));
    assert!(refusal(&vault).contains("prints a new key"));
    for text in [b"\x07".repeat(32), b"no key\n".to_vec(), Vec::new()] {
        fs::write(&path, text).unwrap();
        assert!(refusal(&vault).contains("gives no key"));
    }
    assert!(!Vault::is_in(dir.path()));
    fs::write(&path, format!("{}=\n", "A".repeat(43))).unwrap();
    vault.put_all(&entries()).unwrap();
    holds_both(&vault);
    assert_eq!(Vault::recorded_key_file(dir.path()).unwrap(), Some(path));
    assert!(!dir.path().join("vault.key").exists());
}

/// Whatever byte is changed and wherever the file is cut, no secret comes out and the file stays as it is.
#[test]
fn refuses_every_damage() {
    let dir = filled();
    let path = dir.path().join("vault");
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        for damaged in [&changed[..], &whole[..at]] {
            fs::write(&path, damaged).unwrap();
            let line = refusal(&own(dir.path()));
            assert!(line.contains("damaged"), "{at}: {line}");
            assert!(own(dir.path()).put("account-c", &secret("third")).is_err());
            assert!(own(dir.path()).rotate(&dir.path().join("next")).is_err());
            assert_eq!(fs::read(&path).unwrap(), damaged);
            assert!(!dir.path().join("next").exists());
        }
    }
    fs::write(&path, [whole.as_slice(), b"more"].concat()).unwrap();
    assert!(refusal(&own(dir.path())).contains("damaged"));
}

#[test]
fn names_the_file_it_cannot_use() {
    let line = refusal(&own(Path::new("/proc/nowhere")));
    assert!(line.contains("/proc/nowhere/vault.key.tmp"), "{line}");
}

#[test]
fn bounds_a_secret() {
    let dir = filled();
    let long = Secret::new(vec![b'x'; PART_MAX + 1]);
    assert!(matches!(own(dir.path()).put("account-c", &long), Err(Fault::TooLong { .. })));
    assert!(matches!(
        own(dir.path()).put(&"n".repeat(PART_MAX + 1), &secret("s")),
        Err(Fault::TooLong { .. })
    ));
    holds_both(&own(dir.path()));
}

/// After a rotation the new file opens the vault, the old one does not, and the refusal names the new one.
#[test]
fn rotates_to_a_new_file() {
    let (dir, elsewhere) = (filled(), tempfile::tempdir().unwrap());
    let sealed = |vault: &Vault| {
        vault.open().unwrap().records.into_values().map(|record| format!("{record:?}")).collect::<Vec<_>>()
    };
    let vault = own(dir.path());
    let before = sealed(&vault);
    let to = elsewhere.path().join("next.key");
    let rotated = vault.rotate(&to).unwrap();
    assert_eq!(rotated.records, 2);
    assert!(rotated.before.ends_with("vault.key"), "{rotated:?}");
    assert_eq!(fs::metadata(&to).unwrap().mode() & 0o777, 0o600);
    for after in [&vault, &own(dir.path()), &Vault::new(dir.path(), KeySource::File(to.clone()))] {
        holds_both(after);
        assert!(sealed(after).iter().zip(&before).all(|(after, before)| after != before));
    }
    let old = Vault::new(dir.path(), KeySource::File(dir.path().join("vault.key")));
    let line = refusal(&old);
    assert!(line.contains(&format!("sealed under the key in {}", to.display())), "{line}");
    vault.put("account-c", &secret("third")).unwrap();
    assert_eq!(own(dir.path()).open().unwrap().len(), 3);
}

/// A file that is there already is not touched, and a failed rotation leaves none.
#[test]
fn a_failed_rotation_changes_nothing() {
    let dir = filled();
    let to = dir.path().join("taken");
    let before = fs::read(dir.path().join("vault")).unwrap();
    fs::write(&to, "precious").unwrap();
    let line = own(dir.path()).rotate(&to).unwrap_err().to_string();
    assert!(line.contains("taken is there already") && line.contains("vault.key"), "{line}");
    assert_eq!(fs::read(&to).unwrap(), b"precious");
    let to = dir.path().join("next");
    fs::create_dir(dir.path().join("vault.tmp")).unwrap();
    assert!(matches!(own(dir.path()).rotate(&to), Err(Fault::Io { .. })));
    assert!(!to.exists());
    assert!(
        own(dir.path()).rotate(&dir.path().join("no/folder")).unwrap_err().to_string().contains("create")
    );
    assert_eq!(fs::read(dir.path().join("vault")).unwrap(), before);
    holds_both(&own(dir.path()));
}

/// A data directory may be moved with the key in it.
#[test]
fn may_be_moved() {
    let (dir, home) = (filled(), tempfile::tempdir().unwrap());
    own(dir.path()).rotate(&dir.path().join("second.key")).unwrap();
    let moved = home.path().join("moved");
    fs::rename(dir.path(), &moved).unwrap();
    holds_both(&own(&moved));
}

/// A vault as earlier builds wrote it, its key too.
fn earlier() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let key = secret("earlier builds wrote bytes alone");
    let seal = Seal::new(&key).unwrap();
    let mut records = Vec::new();
    for (session, Entry { name, secret }) in (0u32..).zip(entries()) {
        let sealed =
            seal.close(secret.expose(), &[name.as_bytes(), &session.to_le_bytes()].concat()).unwrap();
        records.extend_from_slice(&session.to_le_bytes());
        records.extend_from_slice(&u16::try_from(sealed.len()).unwrap().to_le_bytes());
        records.extend_from_slice(&sealed);
    }
    let closing = seal.close(&[], &[b"BWVAULT1", records.as_slice()].concat()).unwrap();
    fs::write(dir.path().join("vault"), [b"BWVAULT1", closing.as_slice(), &records].concat()).unwrap();
    fs::write(dir.path().join("vault.key"), key.expose()).unwrap();
    fs::set_permissions(dir.path().join("vault.key"), fs::Permissions::from_mode(0o400)).unwrap();
    dir
}

#[test]
fn files_an_earlier_vault_by_names() {
    let dir = earlier();
    assert_eq!(own(dir.path()).upgrade(&["account-a", "account-b"]).unwrap(), 0);
    holds_both(&own(dir.path()));
    let now = fs::read(dir.path().join("vault")).unwrap();
    assert!(now.starts_with(b"BWVAULT2"));
    assert_eq!(own(dir.path()).upgrade(&["account-a", "account-b"]).unwrap(), 0);
    assert_eq!(fs::read(dir.path().join("vault")).unwrap(), now, "once is enough");
    // A founding that was killed left secrets without sessions.
    let dir = earlier();
    assert_eq!(own(dir.path()).upgrade(&[]).unwrap(), 2);
    assert!(own(dir.path()).open().unwrap().is_empty());
}

/// An earlier vault whose key lay beside it moves to the key that a venue names, and its directory keeps none.
#[test]
fn moves_an_earlier_vault_to_a_key_outside() {
    let (dir, elsewhere) = (earlier(), tempfile::tempdir().unwrap());
    let path = elsewhere.path().join("key");
    let vault = Vault::new(dir.path(), KeySource::File(path.clone()));
    assert!(vault.upgrade(&["account-a", "account-b"]).unwrap_err().to_string().contains("is missing"));
    assert!(dir.path().join("vault.key").exists());
    fs::write(&path, format!("{}=\n", "B".repeat(42) + "A")).unwrap();
    vault.upgrade(&["account-a", "account-b"]).unwrap();
    holds_both(&vault);
    assert!(!dir.path().join("vault.key").exists());
}

#[test]
fn refuses_a_wrong_earlier_vault() {
    for (names, words) in [
        (&["account-a", "account-b", "account-c"][..], "no secret for key 'account-c'"),
        (&["account-b", "account-a"], "does not open"),
    ] {
        let dir = earlier();
        let before = fs::read(dir.path().join("vault")).unwrap();
        let line = own(dir.path()).upgrade(names).unwrap_err().to_string();
        assert!(line.contains(words), "{line}");
        let mut damaged = before.clone();
        damaged[60] ^= 1;
        fs::write(dir.path().join("vault"), &damaged).unwrap();
        assert!(
            own(dir.path()).upgrade(&["account-a", "account-b"]).unwrap_err().to_string().contains("damaged")
        );
        assert_eq!(fs::read(dir.path().join("vault")).unwrap(), damaged);
        fs::remove_file(dir.path().join("vault.key")).unwrap();
        assert!(own(dir.path()).upgrade(&["account-a"]).unwrap_err().to_string().contains("is missing"));
    }
}

/// A reading opens the records that it names and reads no others, as long as the files are those that it knows; every change shows.
#[test]
fn a_reading_does_not_read_all() {
    let dir = tempfile::tempdir().unwrap();
    let vault = own(dir.path());
    let many: Vec<Entry> =
        (0..2_000).map(|number| Entry { name: format!("user-{number}"), secret: secret("many") }).collect();
    vault.put_all(&many).unwrap();
    let text = |name: &str| {
        let read = vault.read_many(&[name]).unwrap().pop().flatten();
        read.map(|secret| secret.text().to_owned())
    };
    assert_eq!(text("user-7").as_deref(), Some("many"));
    let log = dir.path().join(crate::log::LOG_FILE);
    let bytes = fs::read(&log).unwrap();
    // The middle of the log is damaged: who reads all of it sees that, and a reading of one record does not look there.
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(&log, &damaged).unwrap();
    assert_eq!(text("user-8").as_deref(), Some("many"));
    assert!(own(dir.path()).open().is_err());
    fs::write(&log, &bytes).unwrap();
    vault.put("user-8", &secret("other")).unwrap();
    vault.remove_all(&["user-9"]).unwrap();
    assert_eq!((text("user-8").as_deref(), text("user-9"), text("user-x")), (Some("other"), None, None));
    // A change by another process shows as well.
    own(dir.path()).put("user-8", &secret("third")).unwrap();
    assert_eq!(text("user-8").as_deref(), Some("third"));
}
