//! `GET /sandbox/streams` and `POST /sandbox/streams/fault`: the open sockets, and faults on the way to their clients.

use buttonwood_call::{App, ControlCall, OpenSocket, Route, SocketFault, SocketTarget};
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_wire::contract::{Done, Flag, InPayload, Label, Needed, Nullable, Text, Whole};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request, words};

/// Frames that a fault may count at most.
const FRAMES_MAX: u64 = 1_000_000;

/// This machine only.
pub(crate) const LIST: Route = Route::control_reading("/sandbox/streams", list)
    .about("Lists the open sockets, the oldest first.")
    .gives::<OpenSockets>();

/// This machine only.
pub(crate) const FAULT: Route =
    Route::control("/sandbox/streams/fault", |call, _, fields| Box::pin(fault(call, fields)))
        .about("Puts a fault on the way to the clients of sockets: of one, of all of a key, or of all.")
        .notes(&["`drop` cuts the connection without a close frame. `stall` stops writing, and `resume` goes on. With `skip` the next \
             frames take their numbers and are not sent, with `duplicate` each of them is sent twice."])
        .takes::<Fault>()
        .gives::<Faulty>()
        .refuses(&[404]);

words! {
    /// The kind of a socket.
    struct KindName: "order-events", "market-data-v1", "multi-market-data", "market-data-v2", "fast"
}

answer! {
    /// Open sockets.
    struct OpenSockets {
        /// The sockets, the oldest first.
        streams: Vec<Shown>,
    }
}

answer! {
    /// An open socket.
    struct Shown {
        /// Its number.
        connection: u64,
        /// Its kind.
        kind: KindName,
        /// The name of the key that opened it, or the `client_id` of an app; null of a public socket.
        key: Nullable<Label>,
        /// The streams that it reads, by the names that its client sent.
        subscriptions: Vec<Label>,
        /// Frames sent so far.
        sent: u64,
        /// Bytes that wait for its client.
        queued_bytes: u64,
        /// Whether its orders are cancelled when it ends.
        cancel_on_disconnect: bool,
    }
}

request! {
    /// A fault, and the sockets that have it: one of `connection`, `key` and `all`.
    pub(crate) struct Fault in InPayload {
        /// The fault: `drop`, `stall`, `resume`, `skip` or `duplicate`.
        fault: Needed<Text>,
        /// The number of a socket.
        connection: Whole,
        /// The name of a key, or the `client_id` of an app.
        key: Text,
        /// Whether all sockets have it.
        all: Flag<false>,
        /// How many frames are skipped or sent twice, at least 1.
        frames: Whole,
    }
}

answer! {
    /// The sockets that have a fault now.
    struct Faulty {
        /// Always `ok`.
        result: Done,
        /// How many.
        connections: u64,
    }
}

fn list(app: &App) -> Reply {
    let open = app.settings().streams.as_ref().map(|streams| streams.list()).unwrap_or_default();
    let streams = open.into_iter().map(shown).collect();
    Reply::json(json::body(&OpenSockets { streams }))
}

fn shown(socket: OpenSocket) -> Shown {
    Shown {
        connection: socket.connection,
        kind: KindName(socket.kind.name()),
        key: Nullable(socket.key.map(Label)),
        subscriptions: socket.subscriptions.into_iter().map(Label).collect(),
        sent: socket.sent,
        queued_bytes: socket.queued_bytes,
        cancel_on_disconnect: socket.cancels,
    }
}

async fn fault(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let sent = Fault::of(fields);
    let name = sent.fault()?;
    let frames = || {
        let frames = sent.frames()?.ok_or_else(|| Refusal::missing_key("frames"))?;
        let is_good = (1..=FRAMES_MAX).contains(&frames);
        if is_good { Ok(frames) } else { Err(bad_value("frames", "from 1 to 1000000", &frames.to_string())) }
    };
    let fault = match &*name {
        "drop" => SocketFault::Drop,
        "stall" => SocketFault::Stall,
        "resume" => SocketFault::Resume,
        "skip" => SocketFault::Skip(frames()?),
        "duplicate" => SocketFault::Duplicate(frames()?),
        other => return Err(bad_value("fault", "drop, stall, resume, skip or duplicate", other)),
    };
    let target = match (sent.connection()?, sent.key()?, sent.all()?) {
        (Some(connection), None, false) => SocketTarget::One(connection),
        (None, Some(key), false) => SocketTarget::Key(key.into_owned()),
        (None, None, true) => SocketTarget::All,
        _ => {
            let message = "The call needs one target: 'connection', 'key' or 'all': true";
            return Err(Refusal::new(Reason::InvalidParameterValue, message));
        }
    };
    call.operator().note().await?;
    let connections = call.settings().streams.as_ref().map_or(0, |streams| streams.fault(&target, fault));
    if let (SocketTarget::One(connection), 0) = (&target, connections) {
        let message = format!("Field 'connection' names no open socket: {connection}");
        return Err(Refusal::new(Reason::EndpointNotFound, message));
    }
    let connections = u64::try_from(connections).unwrap_or(u64::MAX);
    Ok(Reply::json(json::body(&Faulty { result: Done, connections })))
}
