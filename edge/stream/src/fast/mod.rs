//! The newest socket: streams and calls over one connection (EVT-022 to EVT-026, facts T§12).

mod calls;
mod kept;
mod names;
mod orders;
mod resume;
mod rpc;

use crate::frame::{Frame, Waits};
use crate::limits::{Resuming, Window, levels_of, weight_of};
use crate::names::shown_name;
use crate::post::First;
use crate::queue::{Numbering, Queue};
use crate::socket::{self, Later, Out, Session, Timers, ready, serve};
use crate::topic::{AccountFeed, MarketFeed, Topic};
use crate::{Opened, Started};
use buttonwood_call::{
    App, CountedBy, FastOptions, Opening, SocketCall, StreamKind, held_by, held_by_browser, held_by_token,
};
use buttonwood_engine::{AccessCommand, Answer, Caller, Command, TradingAnswer, TradingCommand};
use buttonwood_gate::{Opener, Refusal};
use buttonwood_http::{Code, Reply, Serve};
use buttonwood_model::{ClientId, ConnectionId};
use buttonwood_wire::field::{bad_query, busy};
pub(crate) use names::find_report;
#[cfg(test)]
pub(crate) use rpc::known_parameters;
use rpc::{Fault, Id, Request};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;

/// Streams of one socket at most.
const STREAMS_MAX: usize = 4_096;

/// Answers a handshake.
///
/// # Errors
/// 401 for credentials that do not open a socket, 400 for a parameter that cannot be read, 429 for one attempt too many.
pub(crate) async fn open(started: &Started, opening: Opening<'_>) -> Result<Reply, Refusal> {
    let seen = started.app.gate.keys().version();
    let read = Asked::read(started, &opening);
    let by = match &read {
        Ok(Asked { opener: Some(opener), .. }) => CountedBy::Key(opener.session()),
        Ok(Asked { opener: None, .. }) | Err(_) => opening.by_address,
    };
    started.limits.attempt(opening.client, by, started.app.uptime())?;
    let Asked { snapshot, cancels, after, opener } = read?;
    let seat = started.limits.sit(opening.client, by)?;
    if let Some(opener) = &opener {
        keep_nonce(&started.app, opener).await?;
    }
    let app = &started.app;
    let key = opener.as_ref().map(|opener| shown_name(&app.exchange.views(), opener.session()));
    let (streams, client) = (started.clone(), opening.client);
    let run: Serve = Box::new(move |socket| {
        Box::pin(async move {
            let _seat = seat;
            let queue = Queue::new(Numbering::Off);
            let membership = streams.enter(&socket, Opened { kind: StreamKind::Fast, key, cancels, queue });
            let checks = opener.is_some();
            let tie = match opener.as_ref().filter(|opener| cancels && calls::has(opener, &calls::TRADE)) {
                None => None,
                Some(opener) => match Tie::open(&streams.app, opener).await {
                    Some(tie) => Some(tie),
                    // Its orders could outlive it.
                    None => {
                        socket.link().close(Code::TryAgain);
                        None
                    }
                },
            };
            let shared = Rc::new(Shared {
                started: streams,
                client,
                by,
                opener: RefCell::new(opener),
                seen: Cell::new(seen),
                cancels,
                tie,
                in_flight: RefCell::default(),
                weight: RefCell::default(),
            });
            let scale = Rc::clone(&shared);
            socket.link().weigh_by(move |frames| scale.weigh(frames).is_ok());
            let session = Fast {
                shared,
                out: membership.member(),
                snapshot,
                after,
                named: BTreeMap::new(),
                is_subscribing: Rc::default(),
            };
            serve(socket, membership, Timers { beats: false, checks }, session).await;
        })
    });
    Ok(Reply::switching(opening.accepted, run))
}

/// The parameters and the opener of a handshake.
struct Asked {
    snapshot: First,
    cancels: bool,
    after: Option<u64>,
    opener: Option<Opener>,
}

impl Asked {
    fn read(started: &Started, opening: &Opening<'_>) -> Result<Self, Refusal> {
        let options = FastOptions::of(opening.query);
        let snapshot = snapshot(options.snapshot())?;
        let (cancels, after) = (options.cancel_on_disconnect()?, options.orders_after()?);
        let app = &started.app;
        let (now, headers) = (app.exchange.now(), &opening.head.headers);
        let opener = match options.ticket() {
            None => app.gate.open(headers, opening.client, now, |token| held_by_token(app, token, now))?,
            Some(ticket) => {
                let find = |session| held_by_browser(app, session, now);
                Some(app.gate.open_by_ticket(headers, ticket, now, find)?)
            }
        };
        Ok(Self { snapshot, cancels, after, opener })
    }
}

/// Journals the nonce of a handshake that lies ahead of the clock: after a crash the handshake must open nothing again, and the start of
/// the exchange covers only nonces before it.
async fn keep_nonce(app: &App, opener: &Opener) -> Result<(), Refusal> {
    let Some(nonce) = opener.nonce_ahead() else { return Ok(()) };
    let caller = Caller { session: opener.session(), account: Some(opener.account), nonce };
    let sent = app.exchange.submit(Command { caller: Some(caller), body: AccessCommand::UseNonce.into() });
    let pending = sent.map_err(|_| busy("The exchange is busy"))?;
    let receipt = pending.await.map_err(|_| busy("The exchange is stopping"))?;
    receipt.done().map_err(|_| busy("The exchange cannot keep the nonce of the handshake"))
}

/// The levels of first frames of `@depth`: none for 0, all for a negative number (EVT-023).
fn snapshot(sent: Option<&str>) -> Result<First, Refusal> {
    let Some(text) = sent else { return Ok(First::None) };
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number =
        !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse::<i64>().ok().filter(|_| is_number);
    match number
        .ok_or_else(|| bad_query("snapshot", "a whole number: -1 for all levels, 0 for none", text))?
    {
        0 => Ok(First::None),
        ..0 => Ok(First::Levels(usize::MAX)),
        levels => Ok(First::Levels(usize::try_from(levels).unwrap_or(usize::MAX))),
    }
}

/// The parts of a socket that its calls share.
pub(crate) struct Shared {
    started: Started,
    client: IpAddr,
    /// By what its attempt was counted.
    by: CountedBy,
    /// The version of the table of keys when its opener was last looked up.
    seen: Cell<u64>,
    /// Who opened it, as last seen; none of a public socket.
    opener: RefCell<Option<Opener>>,
    /// Whether its orders are cancelled when it ends.
    cancels: bool,
    /// The connection that ties them to it; none if its opener could place none when it was opened.
    tie: Option<Tie>,
    /// Client ids of orders without an answer yet.
    in_flight: RefCell<Vec<ClientId>>,
    weight: RefCell<Window>,
}

/// A connection that cancels on disconnect, from its opening to the end of its socket (EVT-022).
struct Tie {
    app: Arc<App>,
    connection: ConnectionId,
}

impl Tie {
    /// Opens one; none if the exchange does not take it.
    async fn open(app: &Arc<App>, opener: &Opener) -> Option<Self> {
        let pending = orders::send(app, opener, TradingCommand::OpenConnection.into()).ok()?;
        let receipt = pending.await.ok()?;
        let Answer::Trading(TradingAnswer::Connection(connection)) = receipt.outcome else { return None };
        Some(Self { app: Arc::clone(app), connection })
    }
}

impl Drop for Tie {
    fn drop(&mut self) {
        self.app.exchange.lose(self.connection);
    }
}

impl Shared {
    /// The connection that a new order belongs to; none if it outlives the socket.
    ///
    /// # Errors
    /// The fault of a socket that should cancel its orders and cannot.
    fn tie(&self) -> Result<Option<ConnectionId>, Fault> {
        match &self.tie {
            Some(tie) => Ok(Some(tie.connection)),
            None if self.cancels => Err(Fault::invalid(
                "The socket cannot cancel on disconnect: its key could place no orders when it was opened",
            )),
            None => Ok(None),
        }
    }

    /// Looks up the opener if the table of keys has changed since it was last seen, so that the next order of a key obeys its new address
    /// list, and that of its group.
    ///
    /// # Errors
    /// The refusal of a key that may not go on.
    fn be_current(&self) -> Result<(), Fault> {
        if self.started.app.gate.keys().version() == self.seen.get() {
            return Ok(());
        }
        self.look_again().map_err(|refusal| Fault::of(&refusal))
    }

    /// Looks up the opener as it is now.
    ///
    /// # Errors
    /// The refusal of one that may not go on.
    #[cold]
    fn look_again(&self) -> Result<(), Refusal> {
        let app = &self.started.app;
        let version = app.gate.keys().version();
        let mut opener = self.opener.borrow_mut();
        if let Some(known) = opener.as_mut() {
            let time = app.exchange.now();
            *known = app.gate.open_still(known, self.client, |sign| held_by(app, sign, time))?;
        }
        self.seen.set(version);
        Ok(())
    }

    /// Gives back weight that a call has used.
    pub(crate) fn pardon(&self, weight: u32) {
        self.started.limits.pardon(&mut self.weight.borrow_mut(), self.client, weight);
    }

    /// Uses weight.
    ///
    /// # Errors
    /// The fault of a call over the limit.
    pub(crate) fn weigh(&self, weight: u32) -> Result<(), Fault> {
        let weighed = self.started.limits.weigh(
            &mut self.weight.borrow_mut(),
            self.client,
            weight,
            self.started.app.uptime(),
        );
        weighed.map_err(|wait| Fault::limited(wait.as_secs() + 1))
    }
}

/// Begins to read topics, and waits for their first frames, from where on none is missed. Frames from here on wait until
/// [`Member::resume`](crate::local::Member::resume), so that the answer comes before it.
async fn begin(out: &Out, topics: &[Topic], snapshot: First) {
    out.hold();
    for topic in topics {
        let is_depth = matches!(topic, Topic::Market(_, MarketFeed::Depth(_)));
        out.subscribe(*topic, if is_depth { snapshot } else { First::Usual });
    }
    for topic in topics {
        out.begun(*topic).await;
    }
}

/// A socket's session.
struct Fast {
    shared: Rc<Shared>,
    out: Out,
    snapshot: First,
    /// The last update of an order that the reader knows, until it subscribes to orders.
    after: Option<u64>,
    /// Its subscriptions, each under the name that was sent last.
    named: BTreeMap<Topic, String>,
    /// Whether a subscription to new topics has no answer yet. The calls after it wait unread: an order that was placed before the hub knows
    /// the reader would have no updates.
    is_subscribing: Rc<Cell<bool>>,
}

impl Session for Fast {
    fn hear(&mut self, message: String) -> Option<Later> {
        self.note_life();
        let request = match rpc::read(message) {
            Ok(request) => request,
            Err((id, fault)) => {
                let fault = self.shared.weigh(1).err().unwrap_or(fault);
                let kept = kept::begun(&self.shared, None);
                return Some(self.keeping(kept, ready(rpc::refusal(&id, fault))));
            }
        };
        let (id, kept) = (request.id.clone(), kept::begun(&self.shared, Some(&request)));
        let answer = self.call(request).unwrap_or_else(|fault| ready(rpc::refusal(&id, fault)));
        Some(self.keeping(kept, answer))
    }

    fn may_go_on(&mut self) -> bool {
        if self.shared.look_again().is_err() {
            return false;
        }
        let opener = self.shared.opener.borrow();
        let Some(now) = opener.as_ref() else { return true };
        let table = self.shared.started.app.table();
        let mut rights = self.named.keys().filter_map(|topic| calls::right_to_read(table, topic));
        rights.all(|right| calls::has(now, right))
    }

    fn is_subscribing(&self) -> bool {
        self.is_subscribing.get()
    }
}

impl Fast {
    /// The same answer, which is kept with its call.
    fn keeping(&self, call: Option<SocketCall>, answer: Later) -> Later {
        let Some(call) = call else { return answer };
        let shared = Rc::clone(&self.shared);
        Box::pin(async move {
            let answer = answer.await;
            kept::answered(&shared, call, answer.as_ref());
            answer
        })
    }

    /// Notes that the client lives (SES-012): any message is a sign of it.
    fn note_life(&self) {
        let app = &self.shared.started.app;
        if let Some(opener) = self.shared.opener.borrow().as_ref().filter(|opener| opener.needs_heartbeat()) {
            app.exchange.heard(opener.session(), app.exchange.steady());
        }
    }

    /// Acts on a request. A cancel that cancels something weighs nothing in the end.
    fn call(&mut self, request: Request) -> Result<Later, Fault> {
        let shared = &self.shared;
        let app = &shared.started.app;
        let id = request.id.clone();
        shared.weigh(1)?;
        if app.is_strict() {
            request.check_fields()?;
        }
        match &*request.method {
            "ping" => Ok(ready(rpc::answer(&request.id, |_| {}))),
            "time" => Ok(ready(calls::time(app, &request.id))),
            "conninfo" => Ok(ready(calls::conninfo(shared, &request.id))),
            "subscribe" => self.subscribe(&request),
            "unsubscribe" => self.unsubscribe(&request),
            "list_subscriptions" => Ok(ready(self.list(&request.id))),
            "depth" => {
                // Worded when its turn comes: many answers that wait would hold many books.
                let shared = Rc::clone(shared);
                let worded = move || calls::depth(&shared, request);
                Ok(Box::pin(async move { Some(worded().unwrap_or_else(|fault| rpc::refusal(&id, fault))) }))
            }
            "order.place" => orders::place(shared, request),
            "order.cancel" => orders::cancel(shared, request),
            "order.cancel_all" => orders::cancel_many(shared, request, false),
            "order.cancel_session" => orders::cancel_many(shared, request, true),
            other => Err(Fault::unsupported(other)),
        }
    }

    /// Subscribes to all names, or to none if one is bad.
    fn subscribe(&mut self, request: &Request) -> Result<Later, Fault> {
        let names = calls::names(request)?;
        self.weigh_names(&names)?;
        let mut found = BTreeMap::new();
        for name in names {
            found.insert(calls::topic(&self.shared, &name)?, name);
        }
        let new: Vec<Topic> = found.keys().copied().filter(|topic| !self.named.contains_key(topic)).collect();
        if self.named.len() + new.len() > STREAMS_MAX {
            return Err(Fault::invalid(format!("A socket has at most {STREAMS_MAX} streams")));
        }
        self.weigh_first(&new)?;
        let resumed = match new
            .iter()
            .copied()
            .filter(|topic| matches!(topic, Topic::Account(_, AccountFeed::Orders(_))))
            .min()
            .zip(self.after)
        {
            Some((topic, after)) => Some((topic, after, resume::check(&self.shared, topic)?)),
            None => None,
        };
        if resumed.is_some() {
            self.after = None;
        }
        self.named.extend(found);
        self.show();
        if new.is_empty() {
            return Ok(ready(rpc::answer(&request.id, |_| {})));
        }
        Ok(self.beginning(request.id.clone(), new, resumed))
    }

    /// Begins to read new topics, with the updates after one that the reader missed. When its turn comes, the answers to the calls before it
    /// have been sent: its answer and its first frames follow them (D-284).
    fn beginning(&self, id: Id, new: Vec<Topic>, resumed: Option<(Topic, u64, Resuming)>) -> Later {
        let (shared, out, snapshot) = (Rc::clone(&self.shared), Rc::clone(&self.out), self.snapshot);
        let is_subscribing = Rc::clone(&self.is_subscribing);
        is_subscribing.set(true);
        Box::pin(async move {
            begin(&out, &new, snapshot).await;
            match resumed {
                None => out.resume(vec![(Frame::of(rpc::answer(&id, |_| {}).json, Waits::Behind), true)], 0),
                Some((topic, after, resuming)) => {
                    resume::missed(&shared, &out, (topic, after), &id, resuming).await;
                }
            }
            is_subscribing.set(false);
            None
        })
    }

    /// Weighs names besides the call: each 1, also one that changes nothing, since it is looked up all the same (D-285).
    fn weigh_names(&self, names: &[String]) -> Result<(), Fault> {
        let weight = u32::try_from(names.len()).unwrap_or(u32::MAX).saturating_sub(1);
        self.shared.weigh(weight)
    }

    /// Weighs the levels of first frames of `@depth` besides: 1 for each 100 beyond the first.
    fn weigh_first(&self, topics: &[Topic]) -> Result<(), Fault> {
        let views = self.shared.started.app.exchange.views();
        let levels = |topic: &Topic| match (topic, self.snapshot) {
            (Topic::Market(symbol, MarketFeed::Depth(_)), First::Levels(most)) => {
                levels_of(&views, *symbol, most)
            }
            _ => 0,
        };
        let weight: u32 = topics.iter().map(|topic| weight_of(levels(topic))).sum();
        drop(views);
        self.shared.weigh(weight)
    }

    fn unsubscribe(&mut self, request: &Request) -> Result<Later, Fault> {
        let names = calls::names(request)?;
        self.weigh_names(&names)?;
        let mut found = Vec::new();
        for name in names {
            found.push(calls::topic(&self.shared, &name)?);
        }
        for topic in &found {
            self.named.remove(topic);
        }
        self.show();
        let (id, out) = (request.id.clone(), Rc::clone(&self.out));
        // Not before its turn: a call before it may yet subscribe.
        Ok(Box::pin(async move {
            for topic in found {
                out.unsubscribe(topic);
            }
            Some(rpc::answer(&id, |_| {}))
        }))
    }

    fn show(&self) {
        self.out.show(self.named.values().cloned().collect());
    }

    fn list(&self, id: &Id) -> socket::Answer {
        rpc::answer(id, |json| {
            json.array_field("result", self.named.values(), |json, name| json.text_item(name));
        })
    }
}
