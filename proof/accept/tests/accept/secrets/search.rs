//! The search for secrets in files and logs: each in every form in which it could leak.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use buttonwood_accept::Exchange;

/// All files below a folder with their bytes.
pub(super) fn content(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push((path.clone(), fs::read(path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// Raw, Base64 and hexadecimal forms of a secret, each with its name.
fn forms(secret: &[u8]) -> Vec<Vec<u8>> {
    let hex = secret.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    let mut forms = vec![secret.to_vec(), hex.to_uppercase().into_bytes(), hex.into_bytes()];
    // Inside a longer text the first bytes may share a group of Base64 with others: the part that does not depend on them.
    for skipped in 0..3 {
        let whole = (secret.len() - skipped) / 3 * 3;
        let text = base64(&secret[skipped..skipped + whole]);
        let for_urls = text.replace('+', "-").replace('/', "_");
        if for_urls != text {
            forms.push(for_urls.into_bytes());
        }
        forms.push(text.into_bytes());
    }
    forms
}

/// Bytes in Base64, without padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letters = bytes.chunks(3).flat_map(|three| {
        let bits = three.iter().fold(0usize, |bits, byte| bits << 8 | usize::from(*byte));
        [18, 12, 6, 0].map(|shift| char::from(LETTERS[bits >> shift & 63]))
    });
    letters.collect()
}

/// The secrets that a text holds in some form, found by the beginnings of their forms.
pub(super) struct Search {
    known: HashMap<[u8; 8], Vec<(String, Vec<u8>)>>,
    /// Whether a form begins with these two bytes.
    begins: Vec<bool>,
}

impl Search {
    /// A search for nothing yet.
    pub(super) fn new() -> Self {
        Self { known: HashMap::new(), begins: vec![false; 1 << 16] }
    }

    /// A search for the secrets of all keys of an exchange.
    pub(super) fn of(x: &Exchange) -> Self {
        let mut search = Self::new();
        for name in x.key_names() {
            search.add_all(&name, x.key(&name).credentials.api_secret.as_bytes());
        }
        search
    }

    /// Adds a secret of nine bytes or more, in each of its forms.
    pub(super) fn add_all(&mut self, name: &str, secret: &[u8]) {
        for form in forms(secret) {
            self.add(name, form);
        }
    }

    /// Adds one form of a secret.
    pub(super) fn add(&mut self, name: &str, form: Vec<u8>) {
        self.begins[two(&form)] = true;
        let start = *form.first_chunk().unwrap();
        self.known.entry(start).or_default().push((name.to_owned(), form));
    }

    /// The names of the secrets in `bytes`. Empty pages are skipped: most of a process's memory is untouched.
    pub(super) fn found_in(&self, bytes: &[u8]) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (number, page) in bytes.chunks(EMPTY.len()).enumerate() {
            if page == &EMPTY[..page.len()] {
                continue;
            }
            for at in number * EMPTY.len()..number * EMPTY.len() + page.len() {
                let rest = &bytes[at..];
                if rest.len() >= 8 && self.begins[two(rest)] {
                    let known = self.known.get(rest.first_chunk::<8>().unwrap()).into_iter().flatten();
                    found.extend(
                        known.filter(|(_, form)| rest.starts_with(form)).map(|(name, _)| name.clone()),
                    );
                }
            }
        }
        found
    }

    /// Checks that exactly the secrets of these names are in `bytes`.
    #[track_caller]
    pub(super) fn finds(&self, bytes: &[u8], names: &[&str]) {
        let found = self.found_in(bytes);
        assert!(found.iter().eq(names), "{found:?}");
    }
}

const EMPTY: [u8; 4096] = [0; 4096];

fn two(bytes: &[u8]) -> usize {
    usize::from(bytes[0]) << 8 | usize::from(bytes[1])
}
