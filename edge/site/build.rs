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
        let needs = needed(name, &files);
        let packed = out.join(format!("{at}.gz"));
        fs::write(&packed, compressed(&bytes)).expect("OUT_DIR can be written");
        writeln!(
            table,
            "File {{ path: \"/site/{name}\", kind: {:?}, tag: \"\\\"{tag}\\\"\", needs: &{needs:?}, packed: include_bytes!(\"{}\") }},",
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

/// The paths of all modules that a script imports, and that these import in turn: those that it names itself come first.
fn needed(name: &str, files: &[(PathBuf, String)]) -> Vec<String> {
    let mut found = vec![name.to_owned()];
    let mut at = 0;
    while let Some(module) = found.get(at).cloned() {
        let file = files.iter().find(|(_, served)| *served == module).map(|(file, _)| file);
        let file = file.unwrap_or_else(|| panic!("{module} is imported, and there is no such file"));
        for import in imports(&module, &String::from_utf8_lossy(&served(file))) {
            if !found.contains(&import) {
                found.push(import);
            }
        }
        at += 1;
    }
    found.iter().skip(1).map(|module| format!("/site/{module}")).collect()
}

/// The names of the modules that a script imports at its beginning.
fn imports(name: &str, text: &str) -> Vec<String> {
    let is_script = name.rsplit_once('.').is_some_and(|(_, extension)| extension == "js");
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let quoted = |rest: &str| rest.split('"').next().filter(|path| path.starts_with('.')).map(str::to_owned);
    let starts = ["from \"", "from\"", "import \""];
    let places = starts.iter().flat_map(|start| text.match_indices(start).map(|(at, _)| at + start.len()));
    let mut places: Vec<usize> = places.filter(|_| is_script).collect();
    places.sort_unstable();
    places
        .into_iter()
        .filter_map(|at| text.get(at..).and_then(quoted))
        .map(|path| beside(folder, &path))
        .collect()
}

/// The name of a file at a relative path from a folder.
fn beside(folder: &Path, path: &str) -> String {
    let mut parts: Vec<&str> = folder.iter().filter_map(|part| part.to_str()).collect();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
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
