//! A stopped directory is damaged. It starts with everything that was acknowledged, or it is refused in a line that
//! names the fault, and then nothing in it has changed. It never panics, and never serves less.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use buttonwood_accept::{Ended, Exchange, run_to_end};

use crate::base::{Base, contents, differ, files, held};
use crate::calls::one_line;
use crate::draw::Draw;
use crate::oracle::Scope;
use crate::round::Round;
use crate::sweep::Next;

/// A damage to one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Damage {
    /// One bit is flipped at this byte.
    Flip(usize, u8),
    /// The file ends here.
    Cut(usize),
    /// A sector of zeros begins here.
    Zeros(usize),
    /// The file claims a later format version.
    Future,
    /// Replaced by the file of the same name of another exchange.
    Swapped,
    /// Replaced by an old copy.
    Old,
    /// The file is removed.
    Gone,
    /// The file exists twice, also as the next of its kind.
    Twice,
    /// The file is renamed to the next of its kind.
    Renamed,
}

impl Damage {
    /// Whether it changes content of the file.
    fn wounds(self) -> bool {
        matches!(self, Self::Flip(..) | Self::Cut(_) | Self::Zeros(_))
    }
}

/// All kinds of damage to a file, at random places.
fn damages(name: &str, held: usize, draw: &mut Draw) -> Vec<Damage> {
    let mut at = |low: usize, high: usize| {
        usize::try_from(draw.between(low as u64, high.max(low) as u64)).expect("a place is a number")
    };
    let last = held.saturating_sub(1);
    let mut all = vec![
        Damage::Flip(at(0, last.min(63)), 1 << at(0, 7)),
        Damage::Flip(at(0, last), 1 << at(0, 7)),
        Damage::Flip(at(last.saturating_sub(63), last), 1 << at(0, 7)),
        Damage::Cut(0),
        Damage::Cut(at(0, last)),
        Damage::Cut(last),
        Damage::Zeros(at(0, last) / 512 * 512),
        Damage::Future,
        Damage::Swapped,
        Damage::Old,
        Damage::Gone,
    ];
    if name.ends_with(".segment") {
        all.extend([Damage::Twice, Damage::Renamed]);
    }
    all
}

/// Applies the damage to a file; false if that changes nothing here.
fn apply(damage: Damage, base: &Base, copied: &Path, file: &Path) -> bool {
    let path = copied.join(file);
    let before = fs::read(&path).expect("a file can be read");
    let mut bytes = before.clone();
    match damage {
        Damage::Flip(at, bit) => {
            let Some(byte) = bytes.get_mut(at) else { return false };
            *byte ^= bit;
        }
        Damage::Cut(len) => bytes.truncate(len),
        Damage::Zeros(at) => {
            let end = bytes.len().min(at + 512);
            bytes[at..end].fill(0);
        }
        Damage::Future => {
            if !raise_version(file, &mut bytes) {
                return false;
            }
        }
        Damage::Swapped | Damage::Old => {
            let from = if damage == Damage::Old { &base.old } else { &base.other };
            let Ok(other) = fs::read(from.join(file)) else { return false };
            bytes = other;
        }
        Damage::Gone => {
            fs::remove_file(&path).expect("a file can be removed");
            return true;
        }
        Damage::Twice | Damage::Renamed => {
            let next = path.with_file_name(format!("{:010}.segment", segments(copied) + 1));
            fs::copy(&path, next).expect("a file can be copied");
            if damage == Damage::Renamed {
                fs::remove_file(&path).expect("a file can be removed");
            }
            return true;
        }
    }
    // Written in place, so that the mode stays.
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .expect("a mode can be set");
    fs::write(&path, &bytes).expect("a file can be written");
    bytes != before
}

fn segments(data: &Path) -> usize {
    let names = files(&data.join("journal"));
    names.iter().filter(|name| name.extension().is_some_and(|kind| kind == "segment")).count()
}

/// Makes a file of the journal or the history claim a later format, otherwise intact. False for files without a
/// format.
fn raise_version(file: &Path, bytes: &mut [u8]) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let sealed = match (name, ending) {
        ("identity", _) => 32,
        ("watermark", _) => 40,
        (_, "segment" | "snap") => 4096,
        (_, "log") => {
            // The version is the last byte of their eight-byte magic.
            bytes[7] = b'9';
            return true;
        }
        _ => return false,
    };
    let (covered, crc) = bytes[..sealed].split_at_mut(sealed - 4);
    covered[8..12].copy_from_slice(&99_u32.to_le_bytes());
    crc.copy_from_slice(&crc32c::crc32c(covered).to_le_bytes());
    true
}

/// Cases of a quick round.
const QUICK: usize = 14;

/// All kinds of damage to all files, each on its own copy.
pub fn round(round: &mut Round) -> Next {
    let base = Base::make(round);
    let mut cases = Vec::new();
    for file in files(&base.data) {
        let held = held(&base.data.join(&file));
        let name = file.display().to_string();
        cases.extend(damages(&name, held, &mut round.draw).into_iter().map(|damage| (file.clone(), damage)));
    }
    while round.quick && cases.len() > QUICK {
        let one = round.draw.between(0, cases.len() as u64 - 1);
        cases.swap_remove(usize::try_from(one).expect("an index is a number"));
    }
    for (file, damage) in cases {
        if round.is_told_to_stop() {
            break;
        }
        let copied = base.copy(round);
        let case = format!("{damage:?} of {}", file.display());
        fs::write(round.dir.join("case.txt"), &case).expect("a note can be written");
        if !apply(damage, &base, &copied, &file) {
            continue;
        }
        round.count("damages", 1);
        let is_sealed =
            file.extension().is_some_and(|kind| kind == "segment") && !is_newest(&base.data, &file);
        if is_sealed && damage.wounds() {
            let output = run_to_end(&["verify", "--data", &copied.display().to_string()]);
            assert!(!output.status.success(), "{case}: verify must notice");
            one_line(&String::from_utf8_lossy(&output.stderr));
        }
        judge(round, &base, &copied, &file, &case);
    }
    Next::More
}

/// Whether it is the newest segment with batches, whose last one may never have been acknowledged, or a later
/// segment.
fn is_newest(data: &Path, segment: &Path) -> bool {
    let with_batches: Vec<PathBuf> = files(data)
        .into_iter()
        .filter(|file| file.extension().is_some_and(|kind| kind == "segment"))
        .filter(|file| held(&data.join(file)) > 4096)
        .collect();
    with_batches.last().is_none_or(|newest| segment >= newest.as_path())
}

/// Starts the damaged copy: everything is there, or a line says what is wrong.
fn judge(round: &mut Round, base: &Base, copied: &Path, file: &Path, case: &str) {
    let before = contents(copied);
    match round.setup().try_start_in(copied) {
        Ok(x) => {
            if healed(&x, base, case) {
                assert!(file.starts_with("history"), "{case}: history is not what was damaged");
                round.count("refused when it was read, and mended", 1);
            }
            let mut load = base.load.clone();
            round.compare(&mut load, &x, Scope::All);
            round.count("served whole", 1);
            load.run_out(&x, 1);
            x.kill9();
        }
        Err(ended) => {
            refused(&ended, copied, case);
            let after = contents(copied);
            assert!(
                before == after,
                "{case}: a refused start changed the directory: {:?}",
                differ(&before, &after)
            );
            round.count("refused by name", 1);
        }
    }
}

/// How long a damaged history may take to be built again.
const PATIENCE: Duration = Duration::from_mins(1);

/// Reading a damaged row of the history gives 503 and a line in the log, until the row is mended. Whether there was one.
fn healed(x: &Exchange, base: &Base, case: &str) -> bool {
    let began = Instant::now();
    let mut was_damaged = false;
    loop {
        let statuses = base.load.reads(x);
        assert!(!statuses.contains(&500), "{case}: 500 instead of 503: {}", x.log());
        if !statuses.contains(&503) {
            return was_damaged;
        }
        was_damaged = true;
        assert!(x.log().contains("history cannot be read"), "{case}: 503 without a line: {}", x.log());
        assert!(began.elapsed() < PATIENCE, "{case}: the history is not mended: {}", x.log());
    }
}

/// A refused start: an exit code, one line, and the file named in it.
pub fn refused(ended: &Ended, data: &Path, case: &str) {
    let status = ended.status.unwrap_or_else(|| panic!("{case}: it hangs: {}", ended.stderr));
    let code = status.code().unwrap_or_else(|| panic!("{case}: {status}: {}", ended.stderr));
    let line = one_line(&ended.stderr);
    assert!(code == 1 || code == 2, "{case}: exit {code}: {line}");
    assert!(
        line.contains(&data.display().to_string()) || line.contains("'vault'"),
        "{case}: names no file: {line}"
    );
    if line.contains("corrupt journal") {
        assert!(
            code == 2 && line.contains(" seq ") && line.contains(" offset "),
            "{case}: exit {code}: {line}"
        );
    }
}
