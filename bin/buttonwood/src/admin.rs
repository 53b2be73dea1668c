//! `buttonwood admin`: one request to the process that runs on a data directory, and its answer on standard output.

mod arguments;
mod audit;
mod keys;
mod vault;

pub(crate) use arguments::Admin;

use crate::trouble::Trouble;
use buttonwood_gate::{Payload, escaped};
use buttonwood_operate::Socket;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::Path;
use zeroize::Zeroizing;

/// How a refusal begins.
const REFUSED: &str = r#"{"result":"error""#;

/// Sends the request and prints the objects of the answer, one a line.
pub(crate) fn run(flags: &Admin) -> Result<(), Trouble> {
    let mut stream = match Socket::connect(&flags.data) {
        Ok(stream) => stream,
        Err(error) if is_stopped(&flags.data, &error) => return stopped(flags),
        Err(error) => return Err(unreached(&flags.data, &error)),
    };
    let lost = |error| Trouble::Refused(format!("the exchange is not heard any more: {error}"));
    stream.write_all(flags.request().as_bytes()).map_err(lost)?;
    for line in BufReader::new(stream).lines() {
        // The answer to `key add` holds a secret.
        let line = Zeroizing::new(line.map_err(lost)?);
        if line.is_empty() {
            return Ok(());
        }
        if line.starts_with(REFUSED) {
            return Err(Trouble::Refused(message(&line)));
        }
        let mut out = io::stdout();
        match writeln!(out, "{}", line.as_str()).and_then(|()| out.flush()) {
            // The reader has what it wanted.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            printed => printed.map_err(|error| Trouble::System(format!("cannot write: {error}")))?,
        }
    }
    Err(Trouble::Refused(
        "the exchange ended before its whole answer; 'admin audit' has what was done".to_owned(),
    ))
}

/// Whether no process serves the socket of a directory that is there.
fn is_stopped(data: &Path, error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) && data.is_dir()
}

/// The effect of a command without a running exchange: some read the directory, the others are refused.
fn stopped(flags: &Admin) -> Result<(), Trouble> {
    match flags.name() {
        "audit" => audit::run(flags),
        "key list" => keys::run(flags),
        "vault rotate" => vault::rotate(flags),
        _ => Err(Trouble::Refused(format!("no exchange is running on {}", flags.data.display()))),
    }
}

fn unreached(data: &Path, error: &io::Error) -> Trouble {
    let shown = data.display();
    Trouble::Refused(if error.kind() == ErrorKind::PermissionDenied {
        format!("this user may not operate the exchange on {shown}: its owner and its admin_group may")
    } else {
        format!("--data {shown}: {error}")
    })
}

/// The message of a refusal, in one line.
fn message(line: &str) -> String {
    let fields = Payload::read(line.as_bytes().to_vec()).ok();
    let message = fields.and_then(|fields| Some(fields.text("message").ok()??.into_owned()));
    let message = message.unwrap_or_else(|| line.to_owned());
    message.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Appends a JSON string.
fn push_text(out: &mut String, text: &str) {
    // A string takes any text.
    let _ = write!(out, "\"{}\"", escaped(text));
}
