//! The vault's log: the changes since its base file was written, `magic | seal of the base | checksum | frames | mark`, little-endian.
//!
//! A frame is one change of the vault, all of it or none: `mark | length u32 | seal | items`. The seal encrypts nothing but is bound
//! to the items and to the seal before it, the first one to that of the base. So a frame that is lost, moved, changed or of another
//! base shows. An item is `1 | name | data key | secret`, `2 | name` for a secret that is forgotten, or `3 | name` for a record that
//! is removed; parts as in the base.
//!
//! A mark holds its own place in the file. It is written when all before it is durable, and again by the next frame. Hence bytes that
//! are no frame are the rest of an interrupted change only if no mark follows them; otherwise they are damage. A machine that loses
//! power right after a change may lose the change's mark; then damage to that last frame looks like an interrupted change. A log
//! that names another base is one that a crash left beside a newer base, which has all of it.

use crate::Fault;
use crate::file::{self, Link, Record, Records, Stamp, length_of, pop, push};
use crate::seal::{OVERHEAD, Seal};
use buttonwood_disk::{Folder, Handle, Open};

/// The name of the file.
pub(crate) const LOG_FILE: &str = "vault.log";
const MAGIC: &[u8; 8] = b"BWVLOG01";
/// Bytes before the first frame.
pub(crate) const HEAD: usize = MAGIC.len() + OVERHEAD + 4;
const MARKED: &[u8; 4] = b"BWVM";
/// Bytes of a mark.
pub(crate) const MARK: usize = MARKED.len() + 8 + 4;

const PUT: u8 = 1;
const FORGET: u8 = 2;
const REMOVE: u8 = 3;

/// A change of one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The record has this content from now on.
    Put(String, Record),
    /// Its secret is gone, if there is such a record; the record stays.
    Forget(String),
    /// The record is gone, if there is one.
    Remove(String),
}

/// The end of the log, where the next change goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    /// The base that the log belongs to.
    pub(crate) base: Stamp,
    /// The place after the last frame; 0 while the base has no log.
    pub(crate) end: u64,
    /// The seal of the last frame, or of the base.
    link: Link,
}

impl Tail {
    /// The end of a base that has no log yet.
    pub(crate) fn of(base: Stamp) -> Self {
        Self { base, end: 0, link: base.link }
    }
}

/// The content of a log.
#[derive(Debug)]
pub(crate) struct Scanned {
    /// Its end; an interrupted change is not in it.
    pub(crate) tail: Tail,
    /// Its changes, in order.
    pub(crate) changes: Vec<Change>,
    /// Whether the file belongs to an earlier base.
    pub(crate) is_stale: bool,
}

/// The head of a log.
fn head(base: &Stamp) -> Vec<u8> {
    let mut head = [MAGIC.as_slice(), &base.link].concat();
    let checksum = crc32c::crc32c(&head);
    head.extend_from_slice(&checksum.to_le_bytes());
    head
}

/// The seal of the base that a log belongs to; `None` for damage.
fn base_of(log: &[u8]) -> Option<Link> {
    let (checked, rest) = log.split_at_checked(HEAD - 4)?;
    let checksum = u32::from_le_bytes(*rest.first_chunk()?);
    let link = checked.strip_prefix(MAGIC)?.first_chunk().copied()?;
    (checksum == crc32c::crc32c(checked)).then_some(link)
}

/// The mark of a place.
fn mark(base: &Stamp, place: u64) -> Vec<u8> {
    let mut mark = [MARKED.as_slice(), &place.to_le_bytes()].concat();
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&base.link), &mark);
    mark.extend_from_slice(&checksum.to_le_bytes());
    mark
}

/// Whether a mark lies in the log at `from` or later, even of another place.
fn is_marked_from(base: &Stamp, log: &[u8], from: usize) -> bool {
    log.get(from..).unwrap_or_default().windows(MARK).any(|window| {
        let place = window.strip_prefix(MARKED).and_then(|rest| rest.first_chunk());
        place.is_some_and(|place| window == mark(base, u64::from_le_bytes(*place)).as_slice())
    })
}

/// A frame for the end of a log, and the end after it.
fn frame(seal: &Seal, tail: &Tail, changes: &[Change]) -> Result<(Vec<u8>, Tail), Fault> {
    let mut items = Vec::new();
    for change in changes {
        let (kind, name) = match change {
            Change::Put(name, _) => (PUT, name),
            Change::Forget(name) => (FORGET, name),
            Change::Remove(name) => (REMOVE, name),
        };
        items.push(kind);
        push(&mut items, name.as_bytes());
        if let Change::Put(_, record) = change {
            record.parts().into_iter().for_each(|part| push(&mut items, part));
        }
    }
    let length = u32::try_from(items.len()).map_err(|_| Fault::TooMany { count: changes.len() })?;
    let closing = seal.close(&[], &[tail.link.as_slice(), &items].concat())?;
    let link = *closing.first_chunk().expect("a seal that encrypts nothing has this length");
    let place = tail.end.max(u64::try_from(HEAD).expect("a length fits in 64 bits"));
    let frame = [mark(&tail.base, place).as_slice(), &length.to_le_bytes(), &closing, &items].concat();
    let end = place + length_of(&frame);
    Ok((frame, Tail { base: tail.base, end, link }))
}

/// The items of the frame at `at`, its seal and its end; `None` unless it is whole and follows `link`.
fn frame_at<'a>(
    seal: &Seal,
    base: &Stamp,
    link: &Link,
    (log, at): (&'a [u8], usize),
) -> Option<(&'a [u8], Link, usize)> {
    let rest = log.get(at..)?;
    let rest = rest.strip_prefix(mark(base, u64::try_from(at).ok()?).as_slice())?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (closing, rest) = rest.split_first_chunk::<OVERHEAD>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let items = rest.get(..length)?;
    seal.open(closing, &[link.as_slice(), items].concat())?;
    Some((items, *closing, at + MARK + 4 + OVERHEAD + length))
}

/// The changes of an authentic frame; `None` for kinds that this build does not know.
fn changes_of(mut items: &[u8]) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    while let Some((kind, rest)) = items.split_first() {
        items = rest;
        let name = String::from_utf8(pop(&mut items)?.to_vec()).ok()?;
        changes.push(match *kind {
            PUT => Change::Put(name, Record::stored(pop(&mut items)?, pop(&mut items)?)?),
            FORGET => Change::Forget(name),
            REMOVE => Change::Remove(name),
            _ => return None,
        });
    }
    Some(changes)
}

/// The changes of a log beside this base; `None` for damage.
pub(crate) fn scan(seal: &Seal, base: Stamp, log: &[u8]) -> Option<Scanned> {
    let mut scanned = Scanned { tail: Tail::of(base), changes: Vec::new(), is_stale: false };
    if base_of(log)? != base.link {
        scanned.is_stale = true;
        return Some(scanned);
    }
    let mut at = HEAD;
    while let Some((items, link, end)) = frame_at(seal, &base, &scanned.tail.link, (log, at)) {
        scanned.changes.extend(changes_of(items)?);
        scanned.tail.link = link;
        at = end;
    }
    scanned.tail.end = u64::try_from(at).expect("a place fits in 64 bits");
    // The mark of the end itself may be there; later ones show that a frame is lost.
    (!is_marked_from(&base, log, at + 1)).then_some(scanned)
}

/// Makes the changes to the records, and returns how many of them left a sealed secret behind that holds no longer.
pub(crate) fn apply(
    seal: &Seal,
    records: &mut Records,
    changes: impl IntoIterator<Item = Change>,
) -> Result<usize, Fault> {
    let mut outdated = 0;
    for change in changes {
        let before = match change {
            Change::Put(name, record) => records.insert(name, record),
            Change::Forget(name) => match records.get_mut(&name) {
                Some(record) if !record.is_emptied() => {
                    Some(std::mem::replace(record, Record::emptied(seal, &name)?))
                }
                Some(_) | None => None,
            },
            Change::Remove(name) => records.remove(&name),
        };
        outdated += usize::from(before.is_some_and(|record| !record.is_emptied()));
    }
    Ok(outdated)
}

/// The whole log, or `None` when there is none. `distrust`: as the disk has it, since the system's cache may show bytes of an
/// earlier change whose write failed, and with durable names, since the next change makes none durable.
pub(crate) fn read(folder: &Folder, distrust: bool) -> Result<Option<Vec<u8>>, Fault> {
    if distrust {
        folder.sync_names().map_err(Fault::io("sync", folder.path()))?;
    }
    let Some(opened) = file::opened(folder, LOG_FILE)? else { return Ok(None) };
    let path = folder.file(LOG_FILE);
    if distrust {
        opened.distrust_cache().map_err(Fault::io("sync", &path))?;
    }
    file::whole(&*opened, &path).map(Some)
}

/// Whether the log still ends where `tail` says, as far as its head and its length show.
pub(crate) fn stands(folder: &Folder, tail: &Tail) -> Result<bool, Fault> {
    let Some(opened) = file::opened(folder, LOG_FILE)? else { return Ok(tail.end == 0) };
    let path = folder.file(LOG_FILE);
    let failed = || Fault::io("read", &path);
    let mut room = [0; HEAD];
    let length = file::fill(&*opened, &mut room, 0).map_err(failed())?;
    let is_own = room.get(..length).and_then(base_of) == Some(tail.base.link);
    if tail.end == 0 || !is_own {
        return Ok(tail.end == 0 && !is_own);
    }
    // A longer one has a change that was made elsewhere.
    let rest = opened.len().map_err(failed())?.checked_sub(tail.end);
    Ok(rest.is_some_and(|rest| rest <= u64::try_from(MARK).expect("a length fits in 64 bits")))
}

/// Appends changes to the log, all of them or none; durable when it returns, if the names of base and log were. Returns the new end.
pub(crate) fn append(folder: &Folder, seal: &Seal, tail: &Tail, changes: &[Change]) -> Result<Tail, Fault> {
    let (frame, next) = frame(seal, tail, changes)?;
    let mark = mark(&next.base, next.end);
    if tail.end == 0 {
        file::replace(folder, LOG_FILE, &[head(&tail.base), frame, mark].concat())?;
        return Ok(next);
    }
    let path = folder.file(LOG_FILE);
    let opened = folder.open(&path, Open::ReadWrite).map_err(Fault::io("open", &path))?;
    cut(&*opened, tail.end).map_err(Fault::io("cut", &path))?;
    opened.write_all_at(&frame, tail.end).map_err(Fault::io("write", &path))?;
    opened.sync_data().map_err(Fault::io("sync", &path))?;
    // The change is durable. Without this mark damage to it would look like an interrupted change.
    let _ = opened.write_all_at(&mark, next.end);
    Ok(next)
}

/// Cuts off the rest of an interrupted change.
fn cut(log: &dyn Handle, end: u64) -> std::io::Result<()> {
    let is_longer = log.len()? > end + u64::try_from(MARK).expect("a length fits in 64 bits");
    if is_longer { log.set_len(end) } else { Ok(()) }
}
