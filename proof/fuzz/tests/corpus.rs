//! Runs every input of the repository through its target: the corpus, and all inputs that ever broke a promise.

use buttonwood_fuzz::TARGETS;
use std::fs;
use std::path::{Path, PathBuf};

/// Most files and bytes of a target's corpus: every build reads all of it.
const FILES_MAX: usize = 240;
const BYTES_MAX: u64 = 200 * 1024;

fn folder(of: &str, target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(of).join(target);
    let Ok(entries) = fs::read_dir(&folder) else { return Vec::new() };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn replay(name: &str) {
    let (_, target) = TARGETS.iter().find(|(target, _)| *target == name).unwrap();
    let corpus = folder("corpus", name);
    assert!(!corpus.is_empty(), "the corpus of {name} is gone");
    for path in corpus.iter().chain(&folder("regressions", name)) {
        println!("{}", path.display());
        target(&fs::read(path).unwrap());
    }
    let bytes: u64 = corpus.iter().map(|path| path.metadata().unwrap().len()).sum();
    assert!(corpus.len() <= FILES_MAX && bytes <= BYTES_MAX, "{name}: {} files, {bytes} bytes", corpus.len());
}

macro_rules! replay {
    ($($target:ident)*) => {
        $(#[test]
        fn $target() {
            replay(stringify!($target));
        })*

        /// Every target is listed here and has an engine.
        #[test]
        fn every_target_is_here() {
            let names: Vec<_> = TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, [$(stringify!($target)),*]);
            let engine = folder("engine", "");
            let stems: Vec<_> = engine.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
            assert_eq!(names, stems);
        }
    };
}

replay!(decimal frame framing journal oauth payload products sequence snapshot websocket);

/// At least nine of ten frames in the corpus can be decoded: with an older format, the fuzzer would start from
/// nothing.
#[test]
fn frames_are_of_this_format() {
    let corpus = folder("corpus", "frame");
    let is_read = |path: &&PathBuf| {
        let mut out = buttonwood_model::Outbox::<buttonwood_engine::Event>::default();
        buttonwood_engine::decode_events(&fs::read(path).unwrap(), &mut out).is_ok()
    };
    let read = corpus.iter().filter(is_read).count();
    assert!(read * 10 >= corpus.len() * 9, "{read} of {}", corpus.len());
}
