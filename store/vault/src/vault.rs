//! The vault: session number → sealed secret, in one small file.
//!
//! File: `magic | seal | records`, a record `session u32 | length u16 | sealed`, little-endian. The seal encrypts no
//! content but is bound to the rest of the file, so a wrong key, a lost record or a flipped bit shows at opening.

use crate::seal::{KEY, OVERHEAD, Seal};
use crate::{Fault, Secret, file};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

const MAGIC: &[u8; 8] = b"BWVAULT1";
const KEY_FILE: &str = "vault.key";
const VAULT_FILE: &str = "vault";
/// Bytes of a secret at most; drawn secrets are far shorter.
const SECRET_MAX: usize = 1024;

/// One secret to put.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The session it belongs to.
    pub session: u32,
    /// The text of its API key: a secret opens only for the key it was sealed for.
    pub api_key: String,
    /// The secret.
    pub secret: Secret,
}

/// The open vault of one data directory.
pub struct Vault {
    dir: PathBuf,
    seal: Seal,
    sealed: BTreeMap<u32, Vec<u8>>,
}

impl Vault {
    /// Opens the vault of `dir`, or creates its two files where neither exists.
    ///
    /// # Errors
    /// A [`Fault`]: unreadable or unwritable files, `vault.key` missing or another vault's, a damaged vault.
    pub fn open(dir: &Path) -> Result<Self, Fault> {
        let path = dir.join(VAULT_FILE);
        let content = file::read(&path)?;
        let seal = Seal::new(&*key_of(dir, content.is_some())?);
        let Some(content) = content else {
            let vault = Self { dir: dir.to_owned(), seal, sealed: BTreeMap::new() };
            vault.write(&vault.sealed)?;
            return Ok(vault);
        };
        let sealed = read_records(&seal, &content).ok_or(Fault::Sealed { path })?;
        Ok(Self { dir: dir.to_owned(), seal, sealed })
    }

    /// Whether `dir` has a vault already. A caller that needs its secrets checks this first, since [`Vault::open`]
    /// would create an empty one.
    pub fn is_in(dir: &Path) -> bool {
        dir.join(VAULT_FILE).exists()
    }

    /// The secret of a session, or `None` when the vault holds none.
    ///
    /// # Errors
    /// [`Fault::Mismatch`] when it was put for another key.
    pub fn get(&self, session: u32, api_key: &str) -> Result<Option<Secret>, Fault> {
        let Some(sealed) = self.sealed.get(&session) else { return Ok(None) };
        match self.seal.open(sealed, &binding(session, api_key)) {
            Some(secret) => Ok(Some(secret)),
            None => Err(Fault::Mismatch { session, api_key: api_key.to_owned() }),
        }
    }

    /// Puts one secret; durable when it returns. See [`Vault::put_all`].
    ///
    /// # Errors
    /// A [`Fault`]; the vault is then as it was.
    pub fn put(&mut self, session: u32, api_key: &str, secret: &Secret) -> Result<(), Fault> {
        self.put_all(&[Entry { session, api_key: api_key.to_owned(), secret: secret.clone() }])
    }

    /// Puts many secrets with one rewrite of the file: all of them or none.
    ///
    /// # Errors
    /// A [`Fault`]; the vault is then as it was.
    pub fn put_all(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        let mut next = self.sealed.clone();
        for Entry { session, api_key, secret } in entries {
            if secret.expose().len() > SECRET_MAX {
                return Err(Fault::TooLong { session: *session, max: SECRET_MAX });
            }
            next.insert(*session, self.seal.close(secret.expose(), &binding(*session, api_key))?);
        }
        self.write(&next)?;
        self.sealed = next;
        Ok(())
    }

    /// How many secrets the vault holds.
    pub fn len(&self) -> usize {
        self.sealed.len()
    }

    /// Whether the vault holds no secret.
    pub fn is_empty(&self) -> bool {
        self.sealed.is_empty()
    }

    fn write(&self, sealed: &BTreeMap<u32, Vec<u8>>) -> Result<(), Fault> {
        let mut records = Vec::new();
        for (session, secret) in sealed {
            let length = u16::try_from(secret.len()).expect("secrets are bounded when they are put");
            records.extend_from_slice(&session.to_le_bytes());
            records.extend_from_slice(&length.to_le_bytes());
            records.extend_from_slice(secret);
        }
        let seal = self.seal.close(&[], &[MAGIC, records.as_slice()].concat())?;
        file::replace(&self.dir, VAULT_FILE, 0o600, &[MAGIC, seal.as_slice(), &records].concat())
    }
}

impl core::fmt::Debug for Vault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Vault").field("dir", &self.dir).field("secrets", &self.len()).finish_non_exhaustive()
    }
}

/// The key in `dir`; drawn on the first start, and never again once something is sealed.
fn key_of(dir: &Path, must_exist: bool) -> Result<Zeroizing<[u8; KEY]>, Fault> {
    let path = dir.join(KEY_FILE);
    let Some(bytes) = file::read(&path)?.map(Zeroizing::new) else {
        if must_exist {
            return Err(Fault::KeyMissing { path });
        }
        let key = Seal::fresh_key()?;
        file::replace(dir, KEY_FILE, 0o400, key.as_slice())?;
        return Ok(key);
    };
    let key: [u8; KEY] =
        bytes.as_slice().try_into().map_err(|_| Fault::KeyLength { path, length: bytes.len() })?;
    Ok(Zeroizing::new(key))
}

/// The records of a whole and authentic file.
fn read_records(seal: &Seal, file: &[u8]) -> Option<BTreeMap<u32, Vec<u8>>> {
    let rest = file.strip_prefix(MAGIC)?;
    let (closing, mut rest) = rest.split_at_checked(OVERHEAD)?;
    seal.open(closing, &[MAGIC, rest].concat())?;
    let mut records = BTreeMap::new();
    while !rest.is_empty() {
        let (session, tail) = rest.split_first_chunk::<4>()?;
        let (length, tail) = tail.split_first_chunk::<2>()?;
        let (sealed, tail) = tail.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        records.insert(u32::from_le_bytes(*session), sealed.to_vec());
        rest = tail;
    }
    Some(records)
}

/// What a secret is bound to: a record moved to another session or key does not open.
fn binding(session: u32, api_key: &str) -> Vec<u8> {
    [api_key.as_bytes(), &session.to_le_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use tempfile::TempDir;

    fn secret(text: &str) -> Secret {
        Secret::new(text.as_bytes().to_vec())
    }

    /// A directory whose vault holds two secrets.
    fn filled() -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        let entry = |session, api_key: &str, text| Entry {
            session,
            api_key: api_key.to_owned(),
            secret: secret(text),
        };
        let mut vault = Vault::open(dir.path()).unwrap();
        vault.put_all(&[entry(1, "account-a", "first"), entry(2, "account-b", "second")]).unwrap();
        dir
    }

    fn refusal(dir: &Path) -> String {
        let line = Vault::open(dir).expect_err("the vault refuses").to_string();
        assert!(!line.contains('\n'), "{line}");
        line
    }

    #[test]
    fn keeps_secrets_over_a_restart() {
        let dir = filled();
        let mut vault = Vault::open(dir.path()).unwrap();
        assert_eq!(vault.len(), 2);
        assert_eq!(vault.get(1, "account-a").unwrap().unwrap().expose(), b"first");
        assert!(vault.get(3, "account-a").unwrap().is_none());
        vault.put(1, "account-a", &secret("changed")).unwrap();
        let vault = Vault::open(dir.path()).unwrap();
        assert_eq!(vault.get(1, "account-a").unwrap().unwrap().expose(), b"changed");
        assert_eq!(vault.get(2, "account-b").unwrap().unwrap().expose(), b"second");
    }

    #[test]
    fn opens_a_secret_only_for_its_own_key() {
        let vault = Vault::open(filled().path()).unwrap();
        assert!(matches!(vault.get(1, "account-b"), Err(Fault::Mismatch { session: 1, .. })));
    }

    #[test]
    fn shuts_others_out_of_both_files() {
        let dir = filled();
        let mode = |name| fs::metadata(dir.path().join(name)).unwrap().mode() & 0o777;
        assert_eq!(mode("vault.key"), 0o400);
        assert_eq!(mode("vault"), 0o600);
        assert!(!dir.path().join("vault.tmp").exists());
    }

    #[test]
    fn holds_no_secret_in_the_clear() {
        let dir = filled();
        let file = fs::read(dir.path().join("vault")).unwrap();
        assert!(!file.windows(5).any(|window| window == b"first"));
        let shown = format!("{:?}", Vault::open(dir.path()).unwrap());
        assert!(!shown.contains("first"), "{shown}");
    }

    #[test]
    fn refuses_without_its_own_key() {
        let dir = filled();
        let key = dir.path().join("vault.key");
        fs::rename(filled().path().join("vault.key"), &key).unwrap();
        assert!(refusal(dir.path()).contains("does not open"));
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&key, b"short").unwrap();
        assert!(refusal(dir.path()).contains("holds 5 bytes instead of 32"));
        fs::remove_file(&key).unwrap();
        assert!(refusal(dir.path()).contains("is missing"));
        assert!(!key.exists(), "a refusal draws no new key");
    }

    #[test]
    fn refuses_every_damage() {
        let dir = filled();
        let path = dir.path().join("vault");
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert!(refusal(dir.path()).contains("does not open"), "byte {at} flipped");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(refusal(dir.path()).contains("does not open"), "cut at {at}");
        }
    }

    #[test]
    fn names_the_file_it_cannot_use() {
        let line = refusal(Path::new("/proc/nowhere"));
        assert!(line.contains("/proc/nowhere/vault.key.tmp"), "{line}");
    }

    #[test]
    fn bounds_a_secret() {
        let dir = filled();
        let mut vault = Vault::open(dir.path()).unwrap();
        let long = Secret::new(vec![b'x'; SECRET_MAX + 1]);
        assert!(matches!(vault.put(3, "account-c", &long), Err(Fault::TooLong { .. })));
        assert_eq!(vault.len(), 2);
    }
}
