//! One connection of an operator: a request in a line, the objects of the reply, an empty line.

use super::arrivals::Arrival;
use super::places::Places;
use crate::catalogue::Catalogue;
use crate::command::{Command, Lines, Run};
use crate::operator::Operator;
use crate::reason::checked;
use crate::{Shared, guard, what};
use buttonwood_engine::Note;
use buttonwood_gate::{Payload, Reason, Refusal, Value, quoted};
use buttonwood_wire::contract::{Flag, InPayload, Needed, Sent, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::request;
use nix::unistd::{Uid, User};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use zeroize::Zeroizing;

/// Bytes of a request at most.
const REQUEST_MAX: u64 = 64 * 1024;
/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);
/// Lines of a list that wait for their reader.
const LINES: usize = 64;

request! {
    /// A request.
    struct Request in InPayload {
        /// The name of the command.
        command: Needed<Text>,
        /// Its arguments.
        arguments: Sent<Text>,
        /// Why.
        reason: Text,
        /// Whether it is only checked.
        dry_run: Flag<false>,
    }
}

/// Answers one request. An answer that cannot be written is lost with its reader.
pub(super) async fn serve(stream: UnixStream, shared: &Shared, places: &Places, mut arrival: Arrival) {
    let who = match stream.peer_cred() {
        Ok(peer) => user_name(peer.uid()),
        Err(error) => return tracing::warn!(%error, "an operator without a user was not heard"),
    };
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let come = tokio::select! {
        come = tokio::time::timeout(PATIENCE, read_line(&mut read)) => come.ok(),
        () = arrival.ended() => None,
    };
    drop(arrival);
    let answered = match come {
        Some(Ok(line)) => answer(shared, places, who, line, &mut read, &mut write).await,
        Some(Err(error)) => return tracing::debug!(%error, "an operator has gone"),
        None => {
            let expected = "a line that arrives within 10 seconds, or 2 where many connections wait";
            Err(bad_value("command", expected, "late"))
        }
    };
    if let Err(refusal) = answered {
        let _ = print(&mut write, refusal.body()).await;
    }
    let _ = write.write_all(b"\n").await;
    let _ = write.shutdown().await;
}

/// The name of a user, or the number of one without a name.
fn user_name(uid: u32) -> String {
    let user = User::from_uid(Uid::from_raw(uid)).ok().flatten();
    user.map_or_else(|| format!("uid {uid}"), |user| user.name)
}

async fn read_line(read: &mut BufReader<OwnedReadHalf>) -> std::io::Result<Vec<u8>> {
    let mut line = Vec::new();
    read.take(REQUEST_MAX).read_until(b'\n', &mut line).await?;
    Ok(line)
}

/// A request that can be carried out.
struct Order {
    command: &'static Command,
    arguments: Payload,
    note: Note,
    is_dry_run: bool,
}

impl Order {
    fn read(catalogue: &Catalogue, who: String, line: Vec<u8>) -> Result<Self, Refusal> {
        let fields = Payload::read(line)?;
        let request = Request::of(&fields);
        let name = request.command()?;
        let command = catalogue.find(&name).ok_or_else(|| {
            let message = format!("Field 'command' names no command: '{}'", quoted(&name));
            Refusal::new(Reason::InvalidParameterValue, message)
        })?;
        let arguments = match request.arguments() {
            None => Payload::read(b"{}".to_vec())?,
            Some(Value::Object(raw)) => Payload::read(raw.as_bytes().to_vec())?,
            Some(other) => return Err(Refusal::bad_field("arguments", "an object", &other)),
        };
        let note = Note {
            who,
            what: what(command.name, command.fields, &arguments),
            why: reason(command, request)?,
            user: None,
        };
        Ok(Self { command, arguments, note, is_dry_run: request.dry_run()? })
    }
}

/// The reason of a request; a command may need one.
fn reason(command: &Command, request: Request<'_>) -> Result<String, Refusal> {
    match request.reason()? {
        None if command.needs_reason => Err(Refusal::missing_key("reason")),
        None => Ok(String::new()),
        Some(reason) => checked(reason),
    }
}

async fn answer(
    shared: &Shared,
    places: &Places,
    who: String,
    line: Vec<u8>,
    read: &mut BufReader<OwnedReadHalf>,
    write: &mut OwnedWriteHalf,
) -> Result<(), Refusal> {
    let Order { command, arguments, note, is_dry_run } = Order::read(&shared.catalogue, who, line)?;
    let operator = Operator::new(shared, note).dry_run(is_dry_run);
    let _place = places.take(command.lane(&arguments)).await?;
    match command.run {
        Run::Once(run) => {
            let object = guard::run(command, run, &operator, &arguments).await?;
            let _ = print(write, if is_dry_run { marked(&object) } else { object }).await;
            Ok(())
        }
        Run::List(run) => {
            let (sender, lines) = mpsc::channel(LINES);
            let list = async {
                let lines = Lines(sender);
                run(&operator, &arguments, &lines).await
            };
            let print_all = async { tokio::join!(list, print_lines(lines, write)).0 };
            tokio::select! {
                done = print_all => done,
                () = gone(read) => Ok(()),
            }
        }
    }
}

/// The object with a mark that nothing was done.
fn marked(object: &[u8]) -> Vec<u8> {
    let rest = object.strip_prefix(b"{").unwrap_or(object);
    let comma: &[u8] = if rest == b"}" { b"" } else { b"," };
    [br#"{"dry_run":true"#, comma, rest].concat()
}

async fn print_lines(mut lines: mpsc::Receiver<Vec<u8>>, write: &mut OwnedWriteHalf) {
    while let Some(line) = lines.recv().await {
        if print(write, line).await.is_err() {
            return;
        }
    }
}

/// Writes an object and wipes it: it may hold the secret of a new key.
async fn print(write: &mut OwnedWriteHalf, mut object: Vec<u8>) -> std::io::Result<()> {
    object.push(b'\n');
    let object = Zeroizing::new(object);
    write.write_all(&object).await
}

/// Waits until the client has closed its side.
async fn gone(read: &mut BufReader<OwnedReadHalf>) {
    let mut rest = [0; 64];
    while read.read(&mut rest).await.is_ok_and(|count| count > 0) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> String {
        match Order::read(&Catalogue::new([]), "alice".to_owned(), line.as_bytes().to_vec()) {
            Ok(_) => panic!("{line} is read"),
            Err(refusal) => refusal.message,
        }
    }

    /// A request is refused by the field that is wrong.
    #[test]
    fn a_request_is_refused_by_field() {
        for (line, words) in [
            ("", "not a JSON object"),
            ("{}", "'command'"),
            (r#"{"command":"fly"}"#, "names no command: 'fly'"),
            (r#"{"command":"credit","reason":"x","arguments":[]}"#, "Field 'arguments' must be an object"),
            (r#"{"command":"credit","arguments":{}}"#, "'reason'"),
            (r#"{"command":"credit","reason":" "}"#, "Field 'reason' must be 1 to 500 characters"),
            (r#"{"command":"credit","reason":"a\nb"}"#, "Field 'reason' must be"),
            (r#"{"command":"credit","reason":"x","dry_run":1}"#, "'dry_run'"),
        ] {
            assert!(refused(line).contains(words), "{line}: {}", refused(line));
        }
    }

    /// The note has who, what and why; the dry run is marked in the answer.
    #[test]
    fn a_request_says_who_what_and_why() {
        let line = r#"{"command":"fees set","arguments":{"maker_bps":"5","taker_bps":9},"reason":"lower","dry_run":true}"#;
        let order =
            Order::read(&Catalogue::new([]), "alice".to_owned(), line.as_bytes().to_vec()).ok().unwrap();
        let note = Note {
            who: "alice".to_owned(),
            what: "fees set maker_bps=5 taker_bps=9".to_owned(),
            why: "lower".to_owned(),
            user: None,
        };
        assert_eq!((order.note, order.is_dry_run), (note, true));
        assert_eq!(marked(b"{}"), br#"{"dry_run":true}"#);
        assert_eq!(marked(br#"{"a":1}"#), br#"{"dry_run":true,"a":1}"#);
    }
}
