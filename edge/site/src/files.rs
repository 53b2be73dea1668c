//! The files of the pages: scripts, styles, images, and the licences of libraries. `build.rs` packs them.

use buttonwood_call::Visit;
use buttonwood_http::{Reply, takes_gzip};
use flate2::read::GzDecoder;
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderValue, StatusCode};
use std::fmt::Write as _;
use std::io::Read as _;

/// A file.
#[derive(Debug)]
pub(crate) struct File {
    /// Its path.
    path: &'static str,
    /// Its media type.
    kind: &'static str,
    /// Its entity tag (RFC 9110, 8.8.3), which changes with its content.
    tag: &'static str,
    /// The paths of the modules that it imports, and that these import.
    needs: &'static [&'static str],
    /// Its bytes, compressed with gzip.
    packed: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The path under which browsers look for an icon without being told.
const ICON: &str = "/favicon.ico";

impl File {
    /// The file at a path.
    pub(crate) fn find(path: &str) -> Option<&'static Self> {
        let path = if path == ICON { "/site/leaf.svg" } else { path };
        let at = FILES.binary_search_by(|file| file.path.cmp(path)).ok()?;
        FILES.get(at)
    }

    /// The elements by which a browser loads the modules of a page at once: by itself it would learn of each from the one before.
    pub(crate) fn preloads(script: &str) -> String {
        let needs = Self::find(&format!("/site/{script}.js")).into_iter().flat_map(|file| file.needs);
        needs.fold(String::new(), |mut out, path| {
            // Writing to a text cannot fail.
            let _ = writeln!(out, "<link rel=\"modulepreload\" href=\"{path}\">");
            out
        })
    }

    /// The file, or 304 for a browser that holds it. A browser asks each time, so that a new build shows at once.
    pub(crate) fn answer(&self, visit: &Visit<'_>) -> Reply {
        let tags = visit.header(&IF_NONE_MATCH).unwrap_or_default();
        let reply = if is_among(self.tag, tags) {
            Reply::page(self.kind, Vec::new()).with_status(StatusCode::NOT_MODIFIED)
        } else if takes_gzip(visit.header(&ACCEPT_ENCODING).unwrap_or_default()) {
            Reply::page(self.kind, Vec::new()).with_packed(self.packed)
        } else {
            Reply::page(self.kind, self.bytes())
        };
        reply
            .with_header(ETAG, HeaderValue::from_static(self.tag))
            .with_header(CACHE_CONTROL, HeaderValue::from_static("no-cache"))
            .with_header(VARY, HeaderValue::from_static("Accept-Encoding"))
    }

    /// Its bytes as they were before they were packed.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // A test reads every file that the build packed.
        let read = GzDecoder::new(self.packed).read_to_end(&mut bytes);
        if let Err(error) = read {
            tracing::error!(path = self.path, %error, "a packed file cannot be read");
        }
        bytes
    }
}

/// Whether a list of entity tags has this one, weak or strong, or is `*`.
fn is_among(tag: &str, tags: &str) -> bool {
    tags.split(',').map(str::trim).any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest as _, Sha256};

    fn digest(bytes: &[u8]) -> String {
        Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
    }

    /// The files are in the order in which they are searched, and each can be unpacked.
    #[test]
    fn every_file_is_found_and_unpacked() {
        for file in &FILES {
            assert_eq!(File::find(file.path).map(|found| found.tag), Some(file.tag), "{}", file.path);
            assert!(digest(&file.bytes()).starts_with(file.tag.trim_matches('"')), "{}", file.path);
        }
        assert_eq!(File::find(ICON).map(|file| file.path), Some("/site/leaf.svg"));
        assert!(File::find("/site/person/signin.html").is_none() && File::find("/site/").is_none());
    }

    /// Scripts make public calls through the site (`getPublic` of `call.js`): those of the interface would
    /// take from the public limit of the visitor's address, and are not at the listener of pages.
    #[test]
    fn no_script_makes_a_public_call_of_the_interface() {
        for file in FILES.iter().filter(|file| file.kind.starts_with("text/javascript")) {
            let script = String::from_utf8(file.bytes()).unwrap();
            for call in ["get", "text", "fetch", "url", "usePolled"] {
                for start in ["(\"/v", "(`/v"] {
                    assert!(!script.contains(&format!("{call}{start}")), "{}: {call}", file.path);
                }
            }
        }
    }

    /// A page names every module that its script needs, however far down, and nothing that is not there.
    #[test]
    fn all_modules_of_a_page_are_loaded_at_once() {
        for file in &FILES {
            for path in file.needs {
                let needed = File::find(path).unwrap_or_else(|| panic!("{} needs {path}", file.path));
                assert!(
                    needed.needs.iter().all(|deeper| file.needs.contains(deeper) || *deeper == file.path)
                );
            }
        }
        let named = File::preloads("trade");
        for path in ["/site/call.js", "/site/preact.js", "/site/trade/feed.js"] {
            let element = format!("<link rel=\"modulepreload\" href=\"{path}\">");
            assert_eq!(named.matches(&element).count(), 1, "{path}: {named}");
        }
        assert_eq!((File::preloads("look").as_str(), File::preloads("nosuch").as_str()), ("", ""));
    }

    #[test]
    fn tags_are_read() {
        for (sent, is_held) in
            [("\"a\"", true), ("\"b\", W/\"a\"", true), ("*", true), ("\"b\"", false), ("a", false)]
        {
            assert_eq!(is_among("\"a\"", sent), is_held, "{sent}");
        }
    }

    /// The pages without scripts have the dark colours of the others.
    #[test]
    fn dark_is_alike_with_and_without_scripts() {
        let text = |path: &str| String::from_utf8(File::find(path).unwrap().bytes()).unwrap();
        let (base, auth) = (text("/site/base.css"), text("/site/auth.css"));
        for rest in ["] {", "][data-palette=\"blind\"] {"] {
            let block = |sheet: &str, theme: &str| -> Vec<String> {
                let start = format!(":root[data-theme=\"{theme}\"{rest}");
                let (_, after) = sheet.split_once(&start).unwrap_or_else(|| panic!("{start}"));
                after.split_once('}').unwrap().0.split_whitespace().map(str::to_owned).collect()
            };
            assert_eq!(block(&base, "dark"), block(&auth, "system"), "{rest}");
        }
    }

    /// The embedded libraries are those whose version, source and licence their notes name.
    #[test]
    fn the_libraries_are_the_documented_ones() {
        let library = |notes: &str, files: &[(&str, &[u8])]| {
            for (name, bytes) in files {
                let line = format!("| SHA-256 of `{name}` | `{}` |", digest(bytes));
                assert!(notes.contains(&line), "{line}");
            }
        };
        library(
            include_str!("../assets/lightweight-charts/README.md"),
            &[
                (
                    "lightweight-charts.standalone.production.js",
                    include_bytes!(
                        "../assets/lightweight-charts/lightweight-charts.standalone.production.js"
                    ),
                ),
                ("LICENSE", include_bytes!("../assets/lightweight-charts/LICENSE")),
            ],
        );
        library(
            include_str!("../assets/preact/README.md"),
            &[
                ("preact.mjs", include_bytes!("../assets/preact/preact.mjs")),
                ("hooks.mjs", include_bytes!("../assets/preact/hooks.mjs")),
                ("LICENSE", include_bytes!("../assets/preact/LICENSE")),
            ],
        );
        library(
            include_str!("../assets/htm/README.md"),
            &[
                ("htm.mjs", include_bytes!("../assets/htm/htm.mjs")),
                ("LICENSE", include_bytes!("../assets/htm/LICENSE")),
            ],
        );
    }
}
