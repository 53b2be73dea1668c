//! The load's record in a file: every request and its result, line by line, kept when a round fails.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use buttonwood_accept::{Value, json};

/// A file of JSON lines.
#[derive(Debug)]
pub struct Record {
    file: Mutex<BufWriter<File>>,
    began: Instant,
}

impl Record {
    /// Creates a record.
    pub fn create(path: &Path) -> Self {
        let file = File::create(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { file: Mutex::new(BufWriter::new(file)), began: Instant::now() }
    }

    /// Writes one line.
    pub fn note(&self, who: &str, what: &str, detail: &Value) {
        let at = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let line = json!({ "us": at, "who": who, "what": what, "detail": detail });
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(file, "{line}").expect("the record can be written");
    }

    /// Writes the buffered lines to the file.
    pub fn flush(&self) {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).flush().expect("the record can be written");
    }
}
