//! The identity of a directory's journal, and the removal of files that interrupted runs left unfinished.

use std::io::ErrorKind;

use buttonwood_disk::{Folder, Open};

use crate::codec::{Put, seal};
use crate::fault::{Fault, Flaw, Note, io};
use crate::files;
use crate::header::{Unreadable, VERSION, opened};
use crate::mark::JournalId;

const MAGIC: [u8; 8] = *b"BWJRNID\n";

/// Magic, version, identity and CRC.
const BYTES: usize = 8 + 4 + 16 + 4;

/// Reads the identity of the journal in `dir`; `None` if there is no journal yet.
pub(crate) fn identity(dir: &Folder) -> Result<Option<JournalId>, Fault> {
    let path = dir.file(files::IDENTITY);
    let Some(bytes) = dir.read(&path).map_err(io("read", &path))? else { return absent(dir) };
    let claimed = bytes.get(12..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
    match opened(&bytes, MAGIC, JournalId(claimed)) {
        Ok(_) => Ok(Some(JournalId(claimed))),
        Err(Unreadable::Newer(found)) => Err(Fault::Version { path, found, supported: VERSION }),
        Err(Unreadable::Blank | Unreadable::Garbled | Unreadable::Foreign(_)) => {
            Err(Fault::Damaged { path, offset: 0, seq: 0, flaw: Flaw::Header })
        }
    }
}

/// Whether `dir` holds any part of a journal. The directory may be absent.
///
/// # Errors
/// When the directory cannot be listed.
pub fn is_begun(dir: &Folder) -> Result<bool, Fault> {
    match dir.names() {
        Err(source) if source.kind() == ErrorKind::NotFound => return Ok(false),
        names => names.map_err(io("list", dir.path()))?,
    };
    let has_identity = files::is_there(dir, &dir.file(files::IDENTITY))?;
    Ok(has_identity || !files::segments(dir)?.is_empty() || !files::snapshots(dir)?.is_empty())
}

/// Without an identity there must be no segments and no snapshots either.
fn absent(dir: &Folder) -> Result<Option<JournalId>, Fault> {
    if files::segments(dir)?.is_empty() && files::snapshots(dir)?.is_empty() {
        return Ok(None);
    }
    Err(Fault::Damaged { path: dir.file(files::IDENTITY), offset: 0, seq: 0, flaw: Flaw::Missing })
}

/// Draws an identity for a new journal and makes it durable before anything refers to it (J5, J9).
pub(crate) fn found(dir: &Folder) -> Result<JournalId, Fault> {
    let path = dir.file(files::IDENTITY);
    let id = JournalId(dir.draw().map_err(io("draw an identity for", &path))?);
    publish(dir, id)?;
    Ok(id)
}

/// Makes an identity durable in a directory that has none.
pub(crate) fn publish(dir: &Folder, id: JournalId) -> Result<(), Fault> {
    let path = dir.file(files::IDENTITY);
    let mut block = [0; BYTES];
    Put::new(&mut block).bytes(&MAGIC).u32(VERSION).bytes(&id.0);
    seal(&mut block);

    let unfinished = path.with_extension("tmp");
    let file = dir.open(&unfinished, Open::Truncate).map_err(io("create", &unfinished))?;
    file.write_all_at(&block, 0).and_then(|()| file.sync_all()).map_err(io("write", &unfinished))?;
    files::publish(&unfinished, &path, dir)
}

/// Removes files that interrupted runs left unfinished. The caller holds the exclusive lock.
pub(crate) fn sweep(dir: &Folder) -> Result<Vec<Note>, Fault> {
    let mut notes = Vec::new();
    for name in files::names(dir)?.iter().filter(|name| name.ends_with(files::UNFINISHED)) {
        let path = dir.file(name);
        files::remove(dir, &path)?;
        notes.push(Note::LeftoverRemoved { path });
    }
    if !notes.is_empty() {
        files::sync_dir(dir)?;
    }
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An absent directory, an empty one and one with only a lock hold no journal. Any other file of a journal counts
    /// as one.
    #[test]
    fn any_part_of_a_journal_is_one() {
        let home = tempfile::tempdir().unwrap();
        let begun = |name: &str| is_begun(&Folder::from(home.path()).folder(name)).unwrap();
        assert!(!begun("nowhere"));
        for (name, is_part) in [
            ("lock", false),
            ("identity.tmp", false),
            ("identity", true),
            ("0000000001.segment", true),
            ("snapshot-00000000000000000001.snap", true),
        ] {
            let dir = home.path().join(name.replace('.', "-"));
            std::fs::create_dir(&dir).unwrap();
            std::fs::write(dir.join(name), "x").unwrap();
            assert_eq!(begun(&name.replace('.', "-")), is_part, "{name}");
        }
        std::fs::write(home.path().join("file"), "x").unwrap();
        assert!(is_begun(&Folder::from(home.path()).folder("file")).is_err());
    }
}
