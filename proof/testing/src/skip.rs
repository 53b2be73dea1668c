//! A test that the machine lacks a tool for says so, and the run that it belongs to counts it.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

/// The variable that names the file to which skipped tests are added (`cargo xtask test` sets it): runners hide the
/// output of a test that passes.
const VARIABLE: &str = "BUTTONWOOD_SKIPPED";

/// Says that a test, or a part of it, does not run here: `SKIPPED what: why`. `what` names the test in words, `why` is what
/// the machine lacks; neither has a line break. The line is printed, and added to the file that `BUTTONWOOD_SKIPPED` names.
///
/// # Panics
/// If that file cannot be written: the count would be wrong.
pub fn skipped(what: &str, why: &str) {
    let line = format!("SKIPPED {what}: {why}\n");
    print!("{line}");
    if let Some(file) = std::env::var_os(VARIABLE) {
        add(Path::new(&file), &line);
    }
}

/// Adds a line in one write, since other tests add theirs at the same time.
fn add(file: &Path, line: &str) {
    let opened = File::options().create(true).append(true).open(file);
    let added = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    assert!(added.is_ok(), "{}: {added:?}", file.display());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added() {
        let file = std::env::temp_dir().join(format!("buttonwood-skipped-{}", std::process::id()));
        for line in ["SKIPPED a: b\n", "SKIPPED c: d\n"] {
            add(&file, line);
        }
        let read = std::fs::read_to_string(&file);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(read.unwrap(), "SKIPPED a: b\nSKIPPED c: d\n");
    }
}
