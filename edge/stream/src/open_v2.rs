//! Opening `/v2/marketdata`, and the messages of its clients (EVT-020, EVT-021, facts T§11).

use crate::limits::{Window, levels_of, limited, weight_of};
use crate::local::Member;
use crate::market_v2::SPELLINGS;
use crate::post::First;
use crate::queue::Numbering;
use crate::socket::{Later, Out, Session, Timers, serve};
use crate::topic::{MarketFeed, Topic};
use crate::{Opened, Started};
use buttonwood_call::{MarketDataV2, Opening, StreamKind};
use buttonwood_gate::{Payload, Reason, Refusal, Value, items, quoted};
use buttonwood_http::{Reply, Serve};
use buttonwood_model::Product;
use buttonwood_wire::contract::{Integer, Label};
use buttonwood_wire::{field, frame, json};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Answers a handshake.
///
/// # Errors
/// A parameter that is no `true` or `false`.
pub(crate) fn open(started: &Started, opening: Opening<'_>) -> Result<Reply, Refusal> {
    let is_numbered = MarketDataV2::of(opening.query).sequence()?;
    let numbering = if is_numbered { Numbering::Plain } else { Numbering::Off };
    let seat = started.limits.sit(opening.client, opening.by_address)?;
    let (started, client) = (started.clone(), opening.client);
    let run: Serve = Box::new(move |socket| {
        Box::pin(async move {
            seat.weigh_frames(&socket.link(), &started.app);
            let _seat = seat;
            let membership = started.enter(&socket, Opened::public(StreamKind::MarketDataV2, numbering));
            let out = membership.member();
            let (weight, named) = (Window::default(), BTreeMap::new());
            let session = Subscriber { started, client, out, weight, named, is_changed: false };
            serve(socket, membership, Timers { beats: true, checks: false }, session).await;
        })
    });
    Ok(Reply::switching(opening.accepted, run))
}

/// A socket's session.
struct Subscriber {
    started: Started,
    client: IpAddr,
    out: Out,
    weight: Window,
    /// Its subscriptions, each under the name that was sent last.
    named: BTreeMap<Topic, String>,
    /// Whether the list of sockets shows something else.
    is_changed: bool,
}

impl Session for Subscriber {
    fn hear(&mut self, message: String) -> Option<Later> {
        let acted = self.act(message);
        acted.unwrap_or_else(|refusal| refuse(&self.out, &refusal));
        if std::mem::take(&mut self.is_changed) {
            self.out.show(self.named.values().cloned().collect());
        }
        None
    }

    fn beat(&mut self) {
        let beat = Heartbeat { timestamp: Integer(self.started.app.now().millis()) };
        self.out.send(json::body(&beat), true);
    }
}

frame! {
    /// A heartbeat.
    pub(crate) struct Heartbeat as "type": "heartbeat" {
        /// Milliseconds.
        timestamp: Integer,
    }
}

frame! {
    /// A refused message, or a part of one.
    pub(crate) struct Refused as "result": "error" {
        reason: String,
        message: Label,
    }
}

fn refuse(member: &Member, refusal: &Refusal) {
    let refused =
        Refused { reason: refusal.reason.name().to_owned(), message: Label(refusal.message.clone()) };
    member.send(json::body(&refused), true);
}

impl Subscriber {
    /// Acts on a message. Each fault is answered, and the rest of the message counts (D-154).
    fn act(&mut self, message: String) -> Result<(), Refusal> {
        self.weigh(1)?;
        let message = Payload::read_body(message.into_bytes())?;
        self.check_fields(&message, "", &["type", "subscriptions"])?;
        let kind = message.text("type")?.ok_or_else(|| Refusal::missing_key("type"))?;
        let begins = match &*kind {
            "subscribe" => true,
            "unsubscribe" => false,
            other => {
                let value = Value::Text(other.into());
                return Err(Refusal::bad_field("type", "subscribe or unsubscribe", &value));
            }
        };
        let raw = match message.field("subscriptions") {
            Some(Value::Array(raw)) => raw,
            None => return Err(Refusal::missing_key("subscriptions")),
            Some(other) => return Err(Refusal::bad_field("subscriptions", "an array of objects", &other)),
        };
        let mut done = BTreeSet::new();
        for (at, item) in items(raw).enumerate() {
            let place = format!("subscriptions[{at}].");
            let acted = self.subscription((&place, &item), begins, &mut done);
            acted.unwrap_or_else(|refusal| refuse(&self.out, &refusal));
        }
        Ok(())
    }

    /// Acts on one entry of `subscriptions`. A topic that the message has named already is left out.
    fn subscription(
        &mut self,
        (place, item): (&str, &Value<'_>),
        begins: bool,
        done: &mut BTreeSet<Topic>,
    ) -> Result<(), Refusal> {
        let Value::Object(raw) = item else {
            return Err(Refusal::bad_field("subscriptions", "an array of objects", item));
        };
        let entry = Payload::read_body(raw.as_bytes().to_vec())?;
        self.check_fields(&entry, place, &["name", "symbols"])?;
        let name = entry.text("name")?.ok_or_else(|| Refusal::missing_key("name"))?;
        let feed = feed_of(&name)?;
        let symbols = entry.texts("symbols")?.ok_or_else(|| Refusal::missing_key("symbols"))?;
        for symbol in symbols {
            self.weigh(1)?;
            match topic_of(&self.started, feed, &symbol) {
                Ok(topic) if !done.insert(topic) => {}
                Ok(topic) if begins => self.begin(topic, format!("{name}:{symbol}"))?,
                Ok(topic) => self.end(topic),
                Err(refusal) => refuse(&self.out, &refusal),
            }
        }
        Ok(())
    }

    /// Refuses a field that is not known in the object at a place, in a sandbox that is started with `--strict on` (D-176).
    fn check_fields(&self, object: &Payload, place: &str, known: &[&str]) -> Result<(), Refusal> {
        if !self.started.app.is_strict() {
            return Ok(());
        }
        let unknown = object.names().find(|name| !known.contains(&&**name));
        unknown.map_or(Ok(()), |name| {
            let name = quoted(&name);
            let message = format!("Field '{place}{name}' is not known to /v2/marketdata (--strict on)");
            Err(Refusal::new(Reason::InvalidParameterValue, message))
        })
    }

    fn begin(&mut self, topic: Topic, name: String) -> Result<(), Refusal> {
        if let Topic::Market(symbol, MarketFeed::L2) = topic {
            let levels = levels_of(&self.started.app.exchange.views(), symbol, usize::MAX);
            self.weigh(weight_of(levels))?;
        }
        self.is_changed |= self.named.get(&topic) != Some(&name);
        self.named.insert(topic, name);
        self.out.subscribe(topic, First::Usual);
        Ok(())
    }

    fn end(&mut self, topic: Topic) {
        self.is_changed |= self.named.remove(&topic).is_some();
        self.out.unsubscribe(topic);
    }

    /// Uses weight, as the calls of the newest socket do (D-157).
    fn weigh(&mut self, weight: u32) -> Result<(), Refusal> {
        let Started { limits, app, .. } = &self.started;
        let weighed = limits.weigh(&mut self.weight, self.client, weight, app.uptime());
        weighed.map_err(limited)
    }
}

/// The feed of a name.
fn feed_of(name: &str) -> Result<MarketFeed, Refusal> {
    let candles = || {
        let spelling = name.strip_prefix("candles_")?;
        let place = SPELLINGS.iter().position(|(known, _)| *known == spelling)?;
        u8::try_from(place).ok().map(MarketFeed::Candles)
    };
    match name {
        "l2" => Ok(MarketFeed::L2),
        "mark_price" => Ok(MarketFeed::Mark),
        "funding_amount" => Ok(MarketFeed::Funding),
        _ => candles().ok_or_else(|| {
            let message = format!(
                "Field 'name' must be l2, candles_ with a time frame, mark_price or funding_amount: {}",
                quoted(name)
            );
            Refusal::new(Reason::InvalidParameterValue, message)
        }),
    }
}

/// A feed's topic for a symbol. Contracts of the prediction markets have none.
fn topic_of(started: &Started, feed: MarketFeed, name: &str) -> Result<Topic, Refusal> {
    let (id, symbol) = started.app.find_symbol(name).ok_or_else(|| field::unknown_symbol(name))?;
    let is_of_perpetuals = matches!(feed, MarketFeed::Mark | MarketFeed::Funding);
    if is_of_perpetuals && symbol.product != Product::Swap {
        let message = format!("Symbol '{}' is no perpetual contract", quoted(name));
        return Err(Refusal::new(Reason::InvalidSymbol, message));
    }
    Ok(Topic::Market(id, feed))
}
