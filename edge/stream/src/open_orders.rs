//! Opening `/v1/order/events` (EVT-001, EVT-012 to EVT-015, facts T§9).

use crate::frame::{Frame, Kinds, Waits};
use crate::limits::{MISSED_MAX, Whose};
use crate::names::{Names as SessionNames, shown_name};
use crate::orders_v1::{self, Placer};
use crate::personal::in_arrays;
use crate::post::First;
use crate::queue::{Filter, Numbering, Queue};
use crate::socket::{Later, Out, Session, Timers, serve};
use crate::topic::{AccountFeed, Topic};
use crate::{Opened, Started};
use buttonwood_call::{App, CountedBy, Opening, OrderEventsOptions, StreamKind, held_by_token};
use buttonwood_gate::{self as gate, Owner, Reason, Refusal};
use buttonwood_http::{Reply, Serve};
use buttonwood_model::{Role, Roles, Scope, Scopes};
use buttonwood_views::history::Resumed;
use buttonwood_views::{AccountEvent, EventId};
use buttonwood_wire::contract::Integer;
use buttonwood_wire::field::{bad_query, unknown_symbol};
use buttonwood_wire::{Json, frame, json};
use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

/// Answers a handshake that the gate has admitted.
///
/// # Errors
/// A parameter that cannot be read, or too many sockets.
pub(crate) fn open(started: &Started, opening: Opening<'_>) -> Result<Reply, Refusal> {
    let Some((call, account)) = opening.caller else {
        return Err(Refusal::new(Reason::MissingSecurityHeaders, "The stream is private"));
    };
    let options = OrderEventsOptions::of(opening.query);
    let (symbols, sessions) = (owned(options.symbols()?), owned(options.sessions()?));
    let kinds = owned(options.kinds()?);
    let filter = Filter {
        kinds: kinds_of(&kinds)?,
        symbols: symbols_of(&started.app, &symbols)?,
        sessions: sessions.clone(),
    };
    let has_heartbeats = options.heartbeat()?;
    let after = options.after()?;
    let whose = match (account, call.owner()) {
        (Some(account), _) | (None, Owner::Account(account)) => Whose::Account(account),
        (None, Owner::Group(group)) => Whose::Group(group),
    };
    let seat = started.limits.sit(opening.client, CountedBy::Key(call.session()))?;
    let resuming = match after {
        Some(_) => Some(started.limits.resume(call.session(), whose, started.app.uptime())?),
        None => None,
    };
    let key = shown_name(&started.app.exchange.views(), call.session());
    let (started, client) = (started.clone(), opening.client);
    let run: Serve = Box::new(move |socket| {
        Box::pin(async move {
            seat.weigh_frames(&socket.link(), &started.app);
            let _seat = seat;
            let queue = Queue::new(Numbering::Socket).filtered(filter);
            let opened = Opened { kind: StreamKind::OrderEvents, key: Some(key), cancels: false, queue };
            let membership = started.enter(&socket, opened);
            let out = membership.member();
            let number = match whose {
                Whose::Account(account) => account.0,
                Whose::Group(group) => group.0,
            };
            let id = format!("ws-order-events-{number}-{}", out.id.0);
            let acknowledge = |resumed| acknowledgement(number, &id, [&symbols, &sessions, &kinds], resumed);
            match after {
                None => {
                    out.send(acknowledge(None), false);
                    out.subscribe(whose.topic(), First::Usual);
                }
                Some(after) => resume(&started, &out, whose, after, acknowledge).await,
            }
            drop(resuming);
            let session = Listener { started, call, client, out, id, beats: 0 };
            let timers = Timers { beats: has_heartbeats, checks: true };
            serve(socket, membership, timers, session).await;
        })
    });
    Ok(Reply::switching(opening.accepted, run))
}

impl Whose {
    fn topic(self) -> Topic {
        match self {
            Self::Account(account) => Topic::Account(account, AccountFeed::Events),
            Self::Group(group) => Topic::Group(group),
        }
    }
}

fn owned(texts: Vec<Cow<'_, str>>) -> Vec<String> {
    texts.into_iter().map(Cow::into_owned).collect()
}

/// The symbols of these names, in lower case. Orders of contracts have no events here, so that a contract is refused as an unknown symbol is.
fn symbols_of(app: &App, names: &[String]) -> Result<Vec<String>, Refusal> {
    let known = |name: &String| match app.find_symbol(name) {
        Some(_) => Ok(name.to_ascii_lowercase()),
        None => Err(unknown_symbol(name)),
    };
    names.iter().map(known).collect()
}

/// The kinds of these names; all where there is none.
fn kinds_of(names: &[String]) -> Result<Kinds, Refusal> {
    let mut kinds = 0;
    for name in names {
        let kind = Kinds::named(name);
        let expected = || format!("one of {}", Kinds::NAMES.join(", "));
        kinds |= kind.ok_or_else(|| bad_query("eventTypeFilter", &expected(), name))?.0;
    }
    Ok(Kinds(if names.is_empty() { u8::MAX } else { kinds }))
}

/// Sends the events after the one that the reader knows, or the live orders where it knows none of the newest ones.
async fn resume(
    started: &Started,
    out: &Out,
    whose: Whose,
    after: u64,
    acknowledge: impl Fn(Option<bool>) -> Vec<u8>,
) {
    let (app, topic) = (&started.app, whose.topic());
    out.hold();
    out.subscribe(topic, First::None);
    out.begun(topic).await;
    let missed = match whose {
        Whose::Account(account) => app.exchange.order_events_after(account, EventId(after), MISSED_MAX).await,
        Whose::Group(group) => {
            app.exchange.order_events_of_group_after(group, EventId(after), MISSED_MAX).await
        }
    };
    let missed = missed.unwrap_or_else(|fault| {
        tracing::error!(%fault, "missed events of orders cannot be read");
        Resumed::Unknown
    });
    if let Resumed::Missed(events) = missed {
        let known = events.last().map_or(after, |last| last.id().0);
        let mut first = vec![(Frame::of(acknowledge(Some(true)), Waits::Behind), false)];
        let frames = missed_frames(app, &events, matches!(whose, Whose::Group(_)))
            .into_iter()
            .map(|frame| Frame::counted(frame, &started.budget));
        first.extend(frames.map(|frame| (frame, true)));
        out.resume(first, known);
    } else {
        // All that came meanwhile is in the live orders, or in the events after them.
        out.unsubscribe(topic);
        out.forget();
        out.resume(vec![(Frame::of(acknowledge(Some(false)), Waits::Behind), false)], 0);
        out.subscribe(topic, First::Usual);
    }
}

/// The frames of the events that a reader missed; `is_named` names the account of each.
pub(crate) fn missed_frames(app: &App, events: &[AccountEvent], is_named: bool) -> Vec<Arc<Frame>> {
    let (listed, mut names) = (app.current_names(), SessionNames::default());
    let of_books = events.iter().filter(|event| !event.symbol().is_contract());
    let texts: Vec<_> = of_books
        .map(|event| {
            let session = names.session(app, event.session());
            let account = is_named.then(|| names.account_name(app, event.account()));
            orders_v1::event(listed, event, Placer { session, account })
        })
        .collect();
    in_arrays(&texts).collect()
}

fn acknowledgement(
    account: u32,
    id: &str,
    [symbols, sessions, kinds]: [&[String]; 3],
    resumed: Option<bool>,
) -> Vec<u8> {
    let list = |json: &mut Json, text: &String| json.text_item(text);
    json::object(256, |json| {
        json.plain("type", "subscription_ack");
        json.number("accountId", account.into());
        json.plain("subscriptionId", id);
        json.array_field("symbolFilter", symbols, list);
        json.array_field("apiSessionFilter", sessions, list);
        json.array_field("eventTypeFilter", kinds, list);
        if let Some(resumed) = resumed {
            json.flag("resumed", resumed);
        }
    })
}

/// A socket's session.
struct Listener {
    started: Started,
    call: gate::Call,
    client: IpAddr,
    out: Out,
    id: String,
    beats: u64,
}

frame! {
    /// A heartbeat.
    pub(crate) struct OrderEventsHeartbeat as "type": "heartbeat" {
        time as "timestampms": Integer,
        /// Heartbeats of this socket before it.
        sequence: Integer,
        trace_id: String,
    }
}

impl Session for Listener {
    fn hear(&mut self, _message: String) -> Option<Later> {
        let app = &self.started.app;
        if let Some(key) = self.call.key().filter(|key| key.require_heartbeat) {
            app.exchange.heard(key.session, app.exchange.steady());
        }
        None
    }

    fn beat(&mut self) {
        let (number, now) = (self.beats, self.started.app.now());
        self.beats += 1;
        let beat = OrderEventsHeartbeat {
            time: Integer(now.millis()),
            sequence: Integer(number),
            trace_id: format!("{}-{number}", self.id),
        };
        self.out.send(json::body(&beat), true);
    }

    /// Whether key or token are alive and have the right to read orders.
    fn may_go_on(&mut self) -> bool {
        let app = &self.started.app;
        let time = app.exchange.now();
        let checked = app.gate.check_again(&mut self.call, |token| held_by_token(app, token, time));
        checked.is_ok()
            && self.call.check_address(self.client).is_ok()
            && self.call.roles().allows(Roles::of(&[Role::Trader, Role::Auditor]))
            && self.call.scopes().is_none_or(|scopes| scopes.allows(Scopes::of(&[Scope::OrdersRead])))
    }
}
