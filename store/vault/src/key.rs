//! The key-encryption key: where it comes from, and its form: 32 bytes in Base64 on one line.

use crate::file;
use crate::seal::{KEY, Seal};
use crate::{Fault, Secret};
use buttonwood_disk::{Folder, Open};
use std::fmt;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use zeroize::Zeroizing;

/// The key file that a sandbox makes in its data directory.
pub const KEY_FILE: &str = "vault.key";
/// Bytes that the line of a key may have at most, its end included.
const LINE_MAX: usize = 64;

/// Where the key-encryption key comes from.
#[derive(Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The file that the vault was sealed under last; at first `vault.key` beside the vault, made with it.
    Own,
    /// This file.
    File(PathBuf),
    /// The standard output of this command, which a shell runs.
    Command(String),
}

impl KeySource {
    /// For messages. The text of a command may hold a secret, so it is not shown.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Own => format!("the key in {KEY_FILE}"),
            Self::File(path) => format!("the key in {}", path.display()),
            Self::Command(_) => "the key of the command".to_owned(),
        }
    }
}

impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

/// Reads the key file of a vault in `folder`; `None` when there is none. Earlier builds wrote the 32 bytes themselves
/// into `vault.key`.
pub(crate) fn read(folder: &Folder, path: &Path) -> Result<Option<Secret>, Fault> {
    let opened = match folder.open(path, Open::Read) {
        Ok(opened) => opened,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(path)(error)),
    };
    let mut room = Zeroizing::new([0; LINE_MAX + 1]);
    let length = file::fill(&*opened, room.as_mut_slice(), 0).map_err(unreadable(path))?;
    let text = room.get(..length).unwrap_or_default();
    if text.len() == KEY && path == folder.file(KEY_FILE) {
        return Ok(Some(Secret::new(text.to_vec())));
    }
    parse(text).map(Some).ok_or_else(|| Fault::KeyForm { origin: path.display().to_string() })
}

fn unreadable(path: &Path) -> impl FnOnce(std::io::Error) -> Fault {
    let path = path.to_owned();
    move |source| Fault::KeyUnreadable { path, source }
}

/// Runs the key command. Its standard error is ours, so that it can explain itself.
pub(crate) fn run(command: &str) -> Result<Secret, Fault> {
    let failed = |why: String| Fault::KeyCommand { why };
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(format!("cannot be run: {error}")))?;
    let mut room = Zeroizing::new([0; LINE_MAX + 1]);
    let mut length = 0;
    if let Some(output) = &mut child.stdout {
        while let Some(rest) = room.get_mut(length..).filter(|rest| !rest.is_empty()) {
            match output.read(rest) {
                Ok(0) => break,
                Ok(count) => length += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(format!("cannot be read: {error}"))),
            }
        }
    }
    // Closed, so that a command that prints more does not wait for a reader.
    drop(child.stdout.take());
    let ended = child.wait().map_err(|error| failed(format!("is lost: {error}")))?;
    if length <= LINE_MAX && !ended.success() {
        return Err(failed(format!("failed: {ended}")));
    }
    let text = room.get(..length).unwrap_or_default();
    parse(text).ok_or_else(|| Fault::KeyForm { origin: "the key command".to_owned() })
}

/// The key in the line of a key file.
fn parse(text: &[u8]) -> Option<Secret> {
    let line = text.strip_suffix(b"\n").unwrap_or(text);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let key = Secret::new(base64_simd::STANDARD.decode_to_vec(line).ok()?);
    (key.expose().len() == KEY).then_some(key)
}

/// The line of a key file.
fn line(key: &Secret) -> Zeroizing<Vec<u8>> {
    // Reserved at once: a vector that grows leaves a copy behind.
    let mut line = Zeroizing::new(Vec::with_capacity(LINE_MAX));
    let text = Zeroizing::new(base64_simd::STANDARD.encode_to_string(key.expose()));
    line.extend_from_slice(text.as_bytes());
    line.push(b'\n');
    line
}

/// Draws a key and puts it into `vault.key`.
pub(crate) fn make_own(folder: &Folder) -> Result<Secret, Fault> {
    let key = Seal::fresh_key()?;
    file::replace(folder, KEY_FILE, &line(&key))?;
    Ok(key)
}

/// Draws a key and makes a file for it at `at`, which must not be there yet, not even as a link: durable when it returns. Its path is
/// `path`.
pub(crate) fn make_file(
    folder: &Folder,
    path: &Path,
    at: &Path,
    sealed_under: &str,
) -> Result<Secret, Fault> {
    let key = Seal::fresh_key()?;
    let opened = folder.open(at, Open::New).map_err(|error| {
        if error.kind() == ErrorKind::AlreadyExists {
            return Fault::Exists { path: path.to_owned(), sealed_under: sealed_under.to_owned() };
        }
        Fault::io("create", path)(error)
    })?;
    let parent = at.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = opened
        .write_all_at(&line(&key), 0)
        .and_then(|()| opened.sync_all())
        .and_then(|()| folder.elsewhere(parent).sync_names());
    written.map(|()| key).map_err(|error| {
        // It seals nothing, and a second try would find it in its way.
        let _ = folder.remove(at);
        Fault::io("write", path)(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY_TEXT: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    /// A key is 32 bytes in canonical Base64 on one line; the line's end is free.
    #[test]
    fn a_key_is_one_line() {
        let key: Vec<u8> = (0..32).collect();
        for end in ["", "\n", "\r\n"] {
            assert_eq!(parse(format!("{KEY_TEXT}{end}").as_bytes()).unwrap().expose(), key);
        }
        assert_eq!(line(&Secret::new(key)).as_slice(), format!("{KEY_TEXT}\n").as_bytes());
        let twice = format!("{KEY_TEXT}\n{KEY_TEXT}\n");
        let no_key = ["", "\n", "AAEC", &twice, &format!(" {KEY_TEXT}"), &format!("{KEY_TEXT}\n\n")];
        for text in no_key.into_iter().chain([&KEY_TEXT[1..], &KEY_TEXT[..43], &KEY_TEXT.replace('A', "-")]) {
            assert!(parse(text.as_bytes()).is_none(), "{text:?}");
        }
    }

    /// A command's failure is reported without its text.
    #[test]
    fn a_command_prints_a_key() {
        assert_eq!(run(&format!("echo {KEY_TEXT}")).unwrap().expose().len(), 32);
        for (command, words) in [
            (format!("echo {KEY_TEXT}; exit 3"), "failed: exit status: 3"),
            ("echo hush".to_owned(), "gives no key"),
            ("yes hush".to_owned(), "gives no key"),
            ("kill -9 $$".to_owned(), "failed: signal: 9"),
        ] {
            let line = run(&command).unwrap_err().to_string();
            assert!(line.contains(words) && !line.contains("hush") && !line.contains(KEY_TEXT), "{line}");
        }
        assert!(!format!("{:?}", KeySource::Command("echo hush".to_owned())).contains("hush"));
    }
}
