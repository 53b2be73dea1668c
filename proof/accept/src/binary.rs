//! The binary under test as a process: its path, its arguments, its end.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use buttonwood_testing::comes_within;
use tempfile::TempDir;

/// Time limit for a start, a stop or a `verify` on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// The binary under test: the one that cargo built with the tests, or the one that `BUTTONWOOD_UNDER_TEST` names.
pub fn binary() -> PathBuf {
    for name in ["BUTTONWOOD_UNDER_TEST", "CARGO_BIN_EXE_buttonwood-under-test"] {
        if let Some(path) = std::env::var_os(name) {
            return path.into();
        }
    }
    // target/<profile>/deps/<test>: the binary is one folder up, or next to another binary of ours.
    let own = std::env::current_exe().expect("a program knows where it is");
    let folder = own.parent().expect("a program lies in a folder");
    let folder =
        if folder.ends_with("deps") { folder.parent().expect("deps lies in a profile") } else { folder };
    folder.join("buttonwood-under-test")
}

/// A temporary folder that no other user may write. The binary refuses any other as a data directory, and as the parent of
/// an ephemeral one.
pub fn private_folder() -> TempDir {
    let private = Permissions::from_mode(0o700);
    tempfile::Builder::new().permissions(private).tempdir().expect("a temporary folder")
}

/// The binary with these arguments, and without the tester's own settings.
fn command(arguments: &[String]) -> Command {
    command_through(&[], arguments)
}

/// The same, run by another program whose own arguments come first.
pub(crate) fn command_through(program: &[String], arguments: &[String]) -> Command {
    let mut command = match program {
        [] => Command::new(binary()),
        [program, own @ ..] => {
            let mut command = Command::new(program);
            command.args(own).arg(binary());
            command
        }
    };
    command.args(arguments).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("BUTTONWOOD_") {
            command.env_remove(name);
        }
    }
    command
}

/// Runs the binary until it ends; one that does not end in time is killed, and the test fails.
pub fn run_to_end(arguments: &[&str]) -> Output {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let mut child = command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary under test starts");
    let out = drain(child.stdout.take().expect("stdout is piped"));
    let err = drain(child.stderr.take().expect("stderr is piped"));
    let Some(status) = wait(&mut child, PATIENCE) else {
        child.kill().expect("our own child can be killed");
        child.wait().expect("a killed child ends");
        panic!("did not end by itself: {arguments:?}\nstdout: {:?}\nstderr: {:?}", out.join(), err.join());
    };
    let text = |reader: std::thread::JoinHandle<Vec<u8>>| reader.join().expect("a pipe can be read");
    Output { status, stdout: text(out), stderr: text(err) }
}

fn drain(mut pipe: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

/// The exit status of a process, if it ends within `patience`.
pub(crate) fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let mut ended = None;
    comes_within(patience, || {
        ended = child.try_wait().expect("our own child can be waited for");
        ended.is_some()
    });
    ended
}
