//! The vault's base file: `magic | id of the key | origin | checksum | seal | records`, little-endian.
//!
//! `origin` is `length u16 | path` of the key's file (empty for a command), so that a refusal can name it; the CRC-32C
//! of id and origin shows damage before the path is used. The seal encrypts nothing but is bound to the rest of the
//! file, so a wrong key, a lost record or a flipped bit shows at opening. A record is `name | data key | secret`, each `length u16 | bytes`, in the order of the names: the data key
//! is sealed under the key-encryption key, the secret under the data key, both bound to the name.

use crate::seal::{ID, KEY, OVERHEAD, Seal};
use crate::{Fault, Secret};
use buttonwood_disk::{Folder, Handle, Open};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

/// The name of the base file.
pub(crate) const VAULT_FILE: &str = "vault";
const MAGIC: &[u8; 8] = b"BWVAULT2";
/// Vaults of earlier builds.
const EARLIER: &[u8; 8] = b"BWVAULT1";
/// Bytes that hold the head and the seal of every base: a path has at most 4,096.
const FRONT: usize = 8 * 1024;

/// A seal that encrypts nothing: it identifies the bytes that it is bound to, since its nonce is random.
pub(crate) type Link = [u8; OVERHEAD];

/// The identity of a base file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Its seal.
    pub(crate) link: Link,
    /// Its length in bytes.
    pub(crate) length: u64,
}

/// A record: one secret under a data key of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The data key, sealed under the key-encryption key.
    wrapped: Vec<u8>,
    /// The secret, sealed under the data key.
    sealed: Vec<u8>,
}

/// Records by their names.
pub(crate) type Records = BTreeMap<String, Record>;

impl Record {
    /// Seals a secret under a fresh data key.
    pub(crate) fn close(seal: &Seal, name: &str, secret: &Secret) -> Result<Self, Fault> {
        let key = Seal::fresh_key()?;
        let inner = Seal::new(&key).expect("a fresh key has a key's length");
        let sealed = inner.close(secret.expose(), &bound("secret", name))?;
        Ok(Self { wrapped: seal.close(key.expose(), &bound("key", name))?, sealed })
    }

    /// A record as it is stored.
    pub(crate) fn stored(wrapped: &[u8], sealed: &[u8]) -> Option<Self> {
        let is_whole = wrapped.len() == KEY + OVERHEAD && sealed.len() >= OVERHEAD;
        is_whole.then(|| Self { wrapped: wrapped.to_vec(), sealed: sealed.to_vec() })
    }

    /// Its parts as they are stored.
    pub(crate) fn parts(&self) -> [&[u8]; 2] {
        [&self.wrapped, &self.sealed]
    }

    /// A record that holds no secret any more: its name stays, so that a missing record is a fault still.
    pub(crate) fn emptied(seal: &Seal, name: &str) -> Result<Self, Fault> {
        Self::close(seal, name, &Secret::new(Vec::new()))
    }

    /// Whether it holds no secret any more.
    pub(crate) fn is_emptied(&self) -> bool {
        self.sealed.len() == OVERHEAD
    }

    /// The secret; `None` unless this is the record of `name` under this key.
    pub(crate) fn open(&self, seal: &Seal, name: &str) -> Option<Secret> {
        let key = seal.open(&self.wrapped, &bound("key", name))?;
        Seal::new(&key)?.open(&self.sealed, &bound("secret", name))
    }

    /// The same secret, with its data key under another key.
    pub(crate) fn rewrap(&self, from: &Seal, to: &Seal, name: &str) -> Result<Self, Fault> {
        let key = from.open(&self.wrapped, &bound("key", name));
        let key = key.ok_or_else(|| Fault::Record { name: name.to_owned() })?;
        Ok(Self { wrapped: to.close(key.expose(), &bound("key", name))?, sealed: self.sealed.clone() })
    }
}

fn bound(what: &str, name: &str) -> Vec<u8> {
    [what, "\0", name].concat().into_bytes()
}

/// The part of a vault's file that can be read without its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The id of its key.
    pub(crate) id: [u8; ID],
    /// The path of the key's file; empty for a command.
    pub(crate) origin: Vec<u8>,
}

/// The file as it is written, and its identity.
pub(crate) fn encode(seal: &Seal, origin: &[u8], records: &Records) -> Result<(Vec<u8>, Stamp), Fault> {
    let mut head = [MAGIC.as_slice(), &seal.id()].concat();
    push(&mut head, origin);
    let checksum = crc32c::crc32c(&head);
    head.extend_from_slice(&checksum.to_le_bytes());
    let mut body = Vec::new();
    for (name, record) in records {
        for part in [name.as_bytes(), &record.wrapped, &record.sealed] {
            push(&mut body, part);
        }
    }
    let closing = seal.close(&[], &[head.as_slice(), &body].concat())?;
    let link = *closing.first_chunk().expect("a seal that encrypts nothing has this length");
    let file = [head, closing, body].concat();
    let stamp = Stamp { link, length: length_of(&file) };
    Ok((file, stamp))
}

/// Whether an earlier build wrote the file.
pub(crate) fn is_earlier(file: &[u8]) -> bool {
    file.starts_with(EARLIER)
}

/// The head of a file.
pub(crate) fn head(file: &[u8]) -> Option<Head> {
    split(file).map(|(head, _)| head)
}

/// The head of a file, and what follows it.
fn split(file: &[u8]) -> Option<(Head, &[u8])> {
    let (id, mut rest) = file.strip_prefix(MAGIC)?.split_first_chunk::<ID>()?;
    let head = Head { id: *id, origin: pop(&mut rest)?.to_vec() };
    let (checksum, rest) = rest.split_first_chunk::<4>()?;
    let checked = file.get(..MAGIC.len() + ID + 2 + head.origin.len())?;
    (u32::from_le_bytes(*checksum) == crc32c::crc32c(checked)).then_some((head, rest))
}

/// The seal of a file whose front this is, of an earlier build too.
pub(crate) fn link(front: &[u8]) -> Option<Link> {
    let rest = front.strip_prefix(EARLIER).or_else(|| split(front).map(|(_, rest)| rest))?;
    rest.first_chunk().copied()
}

/// The records of a whole and authentic file, and its identity.
pub(crate) fn decode(seal: &Seal, file: &[u8]) -> Option<(Records, Stamp)> {
    let (_, rest) = split(file)?;
    let head = file.strip_suffix(rest)?;
    let (closing, mut rest) = rest.split_first_chunk()?;
    let stamp = Stamp { link: *closing, length: length_of(file) };
    seal.open(closing, &[head, rest].concat())?;
    let mut records = Records::new();
    while !rest.is_empty() {
        let name = String::from_utf8(pop(&mut rest)?.to_vec()).ok()?;
        let record = Record::stored(pop(&mut rest)?, pop(&mut rest)?)?;
        if records.last_key_value().is_some_and(|(last, _)| *last >= name) {
            return None;
        }
        records.insert(name, record);
    }
    Some((records, stamp))
}

/// The secrets of a whole and authentic file of an earlier build, which filed them by the number of the session:
/// `magic | seal | records`, a record `session u32 | length u16 | sealed`, bound to key id and session.
pub(crate) fn decode_earlier(seal: &Seal, file: &[u8]) -> Option<BTreeMap<u32, Vec<u8>>> {
    let (closing, mut rest) = file.strip_prefix(EARLIER)?.split_at_checked(OVERHEAD)?;
    seal.open(closing, &[EARLIER, rest].concat())?;
    let mut records = BTreeMap::new();
    while !rest.is_empty() {
        let (session, tail) = rest.split_first_chunk::<4>()?;
        rest = tail;
        records.insert(u32::from_le_bytes(*session), pop(&mut rest)?.to_vec());
    }
    Some(records)
}

/// Opens a record of an earlier build.
pub(crate) fn open_earlier(seal: &Seal, sealed: &[u8], session: u32, name: &str) -> Option<Secret> {
    seal.open(sealed, &[name.as_bytes(), &session.to_le_bytes()].concat())
}

/// Adds a part with its length.
pub(crate) fn push(out: &mut Vec<u8>, part: &[u8]) {
    let length = u16::try_from(part.len()).expect("parts are bounded when they are put");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(part);
}

/// Takes a part off.
pub(crate) fn pop<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, tail) = rest.split_first_chunk::<2>()?;
    let (part, tail) = tail.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
    *rest = tail;
    Some(part)
}

/// A length in bytes.
pub(crate) fn length_of(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).expect("a length fits in 64 bits")
}

/// Opens a file of the vault for reading; `None` when there is none.
pub(crate) fn opened(folder: &Folder, name: &str) -> Result<Option<Arc<dyn Handle>>, Fault> {
    let path = folder.file(name);
    match folder.open(&path, Open::Read) {
        Ok(opened) => Ok(Some(opened)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Fault::io("read", &path)(error)),
    }
}

/// The beginning of the base with its head and seal, or `None` when there is none.
pub(crate) fn front(folder: &Folder) -> Result<Option<Vec<u8>>, Fault> {
    let Some(opened) = opened(folder, VAULT_FILE)? else { return Ok(None) };
    let mut room = vec![0; FRONT];
    let path = folder.file(VAULT_FILE);
    let length = fill(&*opened, &mut room, 0).map_err(Fault::io("read", &path))?;
    room.truncate(length);
    Ok(Some(room))
}

/// The whole base, or `None` when there is none.
pub(crate) fn read(folder: &Folder) -> Result<Option<Vec<u8>>, Fault> {
    let Some(opened) = opened(folder, VAULT_FILE)? else { return Ok(None) };
    whole(&*opened, &folder.file(VAULT_FILE)).map(Some)
}

/// All bytes of an open file, which may be a pipe.
pub(crate) fn whole(opened: &dyn Handle, path: &Path) -> Result<Vec<u8>, Fault> {
    let mut content = Vec::new();
    let mut room = vec![0; 64 * 1024];
    loop {
        match fill(opened, &mut room, length_of(&content)).map_err(Fault::io("read", path))? {
            0 => return Ok(content),
            count => content.extend_from_slice(room.get(..count).unwrap_or_default()),
        }
    }
}

/// Reads until `room` is full or the file ends; the number of bytes.
pub(crate) fn fill(opened: &dyn Handle, room: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut length = 0;
    while let Some(rest) = room.get_mut(length..).filter(|rest| !rest.is_empty()) {
        let at = offset + u64::try_from(length).expect("a length fits in 64 bits");
        match opened.read_at(rest, at) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Puts `bytes` at `name` in a folder; see [`buttonwood_disk::replace`].
pub(crate) fn replace(folder: &Folder, name: &str, bytes: &[u8]) -> Result<(), Fault> {
    buttonwood_disk::replace(folder, name, bytes)
        .map_err(|failed| Fault::io(failed.action, &failed.path)(failed.source))
}
