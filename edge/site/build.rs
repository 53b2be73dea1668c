//! Packs the files of the pages: every script, style and image in `assets`, compressed, with a tag that changes with its content.
#![expect(clippy::expect_used, reason = "a build that cannot read its own files has to stop")]

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Files of libraries: the path of each in `assets`, and the name under which it is served.
const LIBRARIES: [(&str, &str); 9] = [
    ("htm/htm.mjs", "htm.js"),
    ("htm/LICENSE", "htm/LICENSE"),
    ("lightweight-charts/lightweight-charts.standalone.production.js", "lightweight-charts.js"),
    ("lightweight-charts/LICENSE", "lightweight-charts/LICENSE"),
    ("lightweight-charts/NOTICE", "lightweight-charts/NOTICE"),
    ("preact/hooks.mjs", "hooks.js"),
    ("preact/LICENSE", "preact/LICENSE"),
    ("preact/preact.mjs", "preact.js"),
    ("leaf.svg", "leaf.svg"),
];

fn main() {
    println!("cargo::rerun-if-changed=assets");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let assets = Path::new("assets");
    let mut files: Vec<(PathBuf, String)> =
        LIBRARIES.iter().map(|(file, name)| (assets.join(file), (*name).to_owned())).collect();
    collect(assets, &mut files);
    files.sort_by(|one, other| one.1.cmp(&other.1));
    let mut table = format!("const FILES: [File; {}] = [\n", files.len());
    for (at, (file, name)) in files.iter().enumerate() {
        let bytes = served(file);
        let tag = Sha256::digest(&bytes)
            .iter()
            .take(12)
            .fold(String::new(), |tag, byte| format!("{tag}{byte:02x}"));
        let packed = out.join(format!("{at}.gz"));
        fs::write(&packed, compressed(&bytes)).expect("OUT_DIR can be written");
        writeln!(
            table,
            "File {{ path: \"/site/{name}\", kind: {:?}, tag: \"\\\"{tag}\\\"\", packed: include_bytes!(\"{}\") }},",
            kind(name),
            packed.display()
        )
        .expect("a text takes more");
    }
    table.push_str("];\n");
    fs::write(out.join("files.rs"), table).expect("OUT_DIR can be written");
}

/// Adds every script and style of our own below a directory.
fn collect(directory: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(directory).expect("assets can be read") {
        let path = entry.expect("assets can be read").path();
        if path.is_dir() {
            collect(&path, files);
            continue;
        }
        let is_served = path.extension().is_some_and(|extension| extension == "js" || extension == "css");
        let name = path.strip_prefix("assets").expect("it is below assets").display().to_string();
        if is_served && !LIBRARIES.iter().any(|(file, _)| *file == name) {
            files.push((path, name));
        }
    }
}

/// The bytes of a file as a browser gets it. A library's module names another by its package, which only a bundler could resolve.
fn served(file: &Path) -> Vec<u8> {
    let bytes = fs::read(file).expect("assets can be read");
    if !file.ends_with("preact/hooks.mjs") {
        return bytes;
    }
    let text = String::from_utf8(bytes).expect("a script is UTF-8");
    text.replace("from\"preact\"", "from\"./preact.js\"").into_bytes()
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes more");
    encoder.finish().expect("memory takes more")
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}
