//! Opening `/v1/marketdata/{symbol}` and `/v1/multimarketdata`.

use crate::post::First;
use crate::queue::Numbering;
use crate::socket::{Listening, Timers, serve};
use crate::topic::{MarketFeed, Topic, V1Options};
use crate::{Opened, Started};
use buttonwood_call::{MarketData, MultiMarketData, Opening, StreamKind};
use buttonwood_gate::Refusal;
use buttonwood_http::{Reply, Serve};
use buttonwood_model::SymbolId;
use buttonwood_wire::{field, frame, json, words};
use std::collections::BTreeSet;

/// Answers a handshake (EVT-016, EVT-019).
///
/// # Errors
/// An unknown symbol of `/v1/marketdata/{symbol}`, or a parameter that is no `true` or `false`.
pub(crate) fn open(started: &Started, opening: Opening<'_>) -> Result<Reply, Refusal> {
    let request = MarketData::of(opening.query);
    let is_multi = opening.kind == StreamKind::MultiMarketDataV1;
    let options = options(request)?.set(V1Options::NAMED, is_multi);
    let has_heartbeats = request.heartbeat()?;
    let symbols = if is_multi {
        listed(started, MultiMarketData::of(opening.query).symbols()?.as_deref())
    } else {
        BTreeSet::from([one(started, opening.parameter)?])
    };
    let (started, kind) = (started.clone(), opening.kind);
    let shown: Vec<String> =
        symbols.iter().map(|id| started.app.names.symbol(*id).name.to_ascii_uppercase()).collect();
    let seat = started.limits.sit(opening.client, opening.by_address)?;
    let run: Serve = Box::new(move |socket| {
        Box::pin(async move {
            seat.weigh_frames(&socket.link(), &started.app);
            let _seat = seat;
            let membership = started.enter(&socket, Opened::public(kind, Numbering::Socket));
            let member = membership.member();
            member.show(shown);
            if symbols.is_empty() {
                member.send(no_pairs(), false);
            }
            for symbol in symbols {
                member.subscribe(Topic::Market(symbol, MarketFeed::V1(options)), First::Usual);
            }
            let timers = Timers { beats: has_heartbeats, checks: false };
            serve(
                socket,
                membership,
                timers,
                Listening(|| member.send(json::body(&MarketHeartbeat {}), true)),
            )
            .await;
        })
    });
    Ok(Reply::switching(opening.accepted, run))
}

/// Each kind of event is left out only if its flag is false.
fn options(request: MarketData<'_>) -> Result<V1Options, Refusal> {
    Ok(V1Options::ALL
        .set(V1Options::TOP_OF_BOOK, request.top_of_book()?)
        .set(V1Options::BIDS, request.bids()?)
        .set(V1Options::OFFERS, request.offers()?)
        .set(V1Options::TRADES, request.trades()?)
        .set(V1Options::AUCTIONS, request.auctions()?))
}

fn one(started: &Started, name: &str) -> Result<SymbolId, Refusal> {
    let found = started.app.find_any(name);
    found.map(|(id, _)| id).ok_or_else(|| field::unknown_symbol(name))
}

/// The known ones of a list of symbols, each once, by their numbers: the event ids of their first frames rise with these.
fn listed(started: &Started, names: Option<&str>) -> BTreeSet<SymbolId> {
    let names = names.unwrap_or_default().split([',', ' ']);
    names.filter_map(|name| started.app.find_any(name)).map(|(id, _)| id).collect()
}

words! {
    /// The result of a socket that cannot be used.
    struct ErrorResult: "error"
}

frame! {
    /// No symbol of a socket is known.
    pub(crate) struct NoValidTradingPairs as "reason": "NoValidTradingPairs" {
        result: ErrorResult,
        message: String,
    }
}

frame! {
    /// A heartbeat.
    pub(crate) struct MarketHeartbeat as "type": "heartbeat" {}
}

fn no_pairs() -> Vec<u8> {
    let message = "Query parameter 'symbols' names no symbol that is listed".to_owned();
    json::body(&NoValidTradingPairs { result: ErrorResult("error"), message })
}
