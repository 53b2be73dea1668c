//! The upgrade that `docs/OPERATING.md` describes, with every directory of the corpus: each was written by an earlier build.

use buttonwood_accept::{binary, private_folder, skipped};
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DOCUMENT: &str = include_str!("../../../../docs/OPERATING.md");

/// The directories of the corpus.
pub(crate) fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/directories");
    let entries =
        fs::read_dir(folder).expect("the corpus can be read").map(|entry| entry.expect("an entry").path());
    let mut directories: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    directories.sort();
    directories
}

/// Copies a directory, for its owner alone.
pub(crate) fn copy(from: &Path, to: &Path) {
    let own = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
    fs::create_dir_all(to).expect("a folder");
    own(to, 0o700);
    for entry in fs::read_dir(from).expect("a folder to copy") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("an entry has a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a copy");
            own(&target, 0o600);
        }
    }
}

/// The commands of the chapter, in the folders of a test.
fn script(home: &Path, url: &str) -> String {
    let chapter = DOCUMENT.split("\n## Upgrade to another release\n").nth(1).expect("the chapter is there");
    let block = chapter.split("\n```bash\n").nth(1).and_then(|block| block.split_once("\n```\n"));
    let mut script = format!("set -eu\n{}\n", block.expect("the chapter has commands").0);
    for folder in ["/root", "/var", "/usr/local", "/etc"] {
        script = script.replace(&format!("={folder}/"), &format!("={}{folder}/", home.display()));
        script = script.replace(&format!(" {folder}/"), &format!(" {}{folder}/", home.display()));
    }
    script.replace("http://127.0.0.1:8080", url)
}

/// A service manager that starts the installed program on the directory, as a sandbox: the directories of the corpus are sandboxes.
fn manager(home: &Path, address: &str) -> String {
    let home = home.display();
    format!(
        "#!/bin/sh
case \"$1\" in
start) {home}/usr/local/bin/buttonwood sandbox --data {home}/var/lib/buttonwood --listen {address} --activity off --clock manual \\
    > {home}/ready 2> {home}/log & echo $! > {home}/pid ;;
stop) if test -f {home}/pid; then kill \"$(cat {home}/pid)\"; while kill -0 \"$(cat {home}/pid)\" 2> /dev/null; do sleep 0.05; done; fi ;;
daemon-reload) ;;
*) exit 1 ;;
esac
"
    )
}

/// A port that is free now.
fn address() -> String {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
        .to_string()
}

fn put(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
    fs::write(path, content).expect("a file");
    fs::set_permissions(path, Permissions::from_mode(0o755)).expect("a mode");
}

fn upgrade(directory: &Path) {
    let name = directory.display();
    let home = private_folder();
    let home = home.path();
    let address = address();
    copy(directory, &home.join("var/lib/buttonwood"));
    // Both releases are this build: what an earlier one wrote is the directory.
    for folder in ["usr/local/bin", "root/buttonwood-new", "var/backups", "etc/systemd/system"] {
        fs::create_dir_all(home.join(folder)).expect("a folder");
    }
    fs::set_permissions(home.join("var/lib"), Permissions::from_mode(0o755)).expect("a mode");
    put(&home.join("root/buttonwood-new/ops/buttonwood.service"), b"[Service]\n");
    symlink(binary(), home.join("root/buttonwood-new/buttonwood")).expect("a link");
    symlink(binary(), home.join("usr/local/bin/buttonwood")).expect("a link");
    put(&home.join("bin/systemctl"), manager(home, &address).as_bytes());
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{0}/bin:{0}/usr/local/bin:{path}", home.display());
    let stop = format!("trap '{}/bin/systemctl stop' EXIT\n", home.display());
    let run = Command::new("bash")
        .args(["-c", &(stop + &script(home, &format!("http://{address}")))])
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    let log = fs::read_to_string(home.join("log")).unwrap_or_default();
    let [out, err] = [run.stdout, run.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(run.status.success(), "{name}: {out}\n{err}\n{log}");
    assert_eq!(out.matches("\nok\n").count(), 2, "{name}: the copy and the directory are proven: {out}");
    assert!(out.contains("live\n") && out.contains("ready\n"), "{name}: {out}");
    assert!(!log.contains("ERROR"), "{name}: {log}");
}

/// Every directory is copied, proven and served by this build with the commands of the document. Those that the sequencer wrote alone have no
/// vault, so no exchange serves them.
#[test]
fn the_upgrade_is_as_described() {
    let missing =
        ["bash", "curl"].into_iter().find(|program| Command::new(program).arg("--version").output().is_err());
    if let Some(program) = missing {
        return skipped("the upgrade of docs/OPERATING.md", &format!("{program} is not installed"));
    }
    let corpus: Vec<_> = corpus().into_iter().filter(|it| it.join("credentials.json").exists()).collect();
    assert!(corpus.len() >= 13, "{corpus:?}");
    for directory in &corpus {
        upgrade(directory);
    }
}
