//! Two damaged snapshots: the newest unchanged one is loaded, or none.

use crate::damage::{Files, damage};
use crate::memory::Memory;
use buttonwood_journal::{Buffer, Fault, Journal, Mark, Options, snapshot};
use std::cell::RefCell;
use std::convert::Infallible;

const OPTIONS: Options = Options { first_segment_bytes: 0, segment_bytes: 0, ballast_bytes: 0 };
/// The older, the newer, and one that exists only if damage made it.
const NAMES: [&str; 3] = [
    "snapshot-00000000000000000002.snap",
    "snapshot-00000000000000000005.snap",
    "snapshot-00000000000000000009.snap",
];

struct Rig {
    disk: Memory,
    files: Files,
    /// The written snapshots, oldest first.
    written: Vec<(Mark, Vec<u8>)>,
}

thread_local! {
    static RIG: RefCell<Rig> = RefCell::new(Rig::new());
}

/// Damages and loads.
pub fn run(bytes: &[u8]) {
    RIG.with_borrow_mut(|rig| rig.check(bytes));
}

impl Rig {
    fn new() -> Self {
        let disk = Memory::default();
        let mut journal = Journal::open(disk.folder(), OPTIONS).expect("a journal opens");
        journal.replay(None, |_| Ok::<_, Infallible>(())).expect("it is empty");
        let mut writer = journal.into_writer().expect("it can be written to");
        let mut written = Vec::new();
        for (count, payload) in [(2, 300), (3, 900)] {
            let mut batch = Buffer::new();
            for _ in 0..count {
                batch.push(batch.last_seq().max(writer.mark().seq) + 1, |out| out.push(7));
            }
            let mark = writer.append(&mut batch).expect("there is room");
            let payload: Vec<u8> = (0..payload).map(|at: u32| at.to_le_bytes()[0] ^ 0x5A).collect();
            let path = snapshot::write(disk.folder(), &mark, &[&payload]).expect("there is room");
            assert!(NAMES.iter().any(|name| path.ends_with(name)), "{}", path.display());
            written.push((mark, payload));
        }
        Self { files: Files::of(disk.clone(), &NAMES), written, disk }
    }

    fn check(&mut self, steps: &[u8]) {
        let mut image = self.files.original.clone();
        let forged = damage(&mut image, steps);
        self.files.show(&image);
        let mut notes = Vec::new();
        let loaded = snapshot::load_newest(self.disk.folder(), &mut notes);
        assert!(notes.len() <= NAMES.len());
        if forged {
            match loaded {
                Ok(Some((_, payload))) => {
                    let largest = image.iter().flatten().map(Vec::len).max().unwrap_or_default();
                    assert!(payload.len() < largest, "more than the file holds");
                }
                Ok(None) | Err(Fault::Version { .. } | Fault::Foreign { .. }) => {}
                Err(fault) => panic!("the older one was not looked at: {fault}"),
            }
            return;
        }
        let loaded = loaded.expect("damage is passed over");
        let intact = |at: &usize| image[*at] == self.files.original[*at];
        let newest = (0..self.written.len()).rev().find(intact);
        assert_eq!(loaded.as_ref(), newest.map(|at| &self.written[at]), "not the newest that is whole");
        let newer = newest.map_or(0, |at| at + 1);
        assert_eq!(notes.len(), image[newer..].iter().flatten().count(), "each one passed over is told");
    }
}
