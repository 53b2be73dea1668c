//! Updates of orders that a reader of the newest socket missed.

use super::Shared;
use super::rpc::{self, Fault, Id};
use crate::fast_account;
use crate::frame::Frame;
use crate::limits::Resuming;
use crate::socket::{Later, Out};
use crate::topic::{AccountFeed, Topic};
use buttonwood_views::EventId;
use buttonwood_views::history::Resumed;
use std::rc::Rc;

/// Events that a reader may have missed.
const MISSED_MAX: usize = 10_000;

/// Whether missed updates may be read now.
///
/// # Errors
/// The fault of one reading too many.
pub(super) fn check(shared: &Shared, topic: Topic) -> Result<Resuming, Fault> {
    let opener = shared.opener.borrow();
    let (Topic::Account(account, _), Some(opener)) = (topic, opener.as_ref()) else {
        return Err(Fault::unauthorized());
    };
    let limits = &shared.started.limits;
    let resuming = limits.resume(opener.session(), account, shared.started.app.uptime());
    resuming.map_err(|refusal| Fault::of(&refusal))
}

/// Sends the updates after one, before those that wait, and answers the call that subscribed. Nothing has left the socket since then.
pub(super) fn missed(
    shared: Rc<Shared>,
    out: Out,
    (topic, after): (Topic, u64),
    id: Id,
    resuming: Resuming,
) -> Later {
    Box::pin(async move {
        let Topic::Account(account, AccountFeed::Orders(session)) = topic else {
            return rpc::refusal(&id, &Fault::unauthorized());
        };
        if !out.begun(topic).await {
            out.resume(Vec::new(), 0);
            return rpc::answer(&id, |json| json.flag("resumed", false));
        }
        let app = &shared.started.app;
        let missed = app.exchange.order_events_after(account, EventId(after), MISSED_MAX).await;
        drop(resuming);
        let Ok(Resumed::Missed(events)) = missed else {
            out.resume(Vec::new(), 0);
            return rpc::answer(&id, |json| json.flag("resumed", false));
        };
        let known = events.last().map_or(after, |last| last.id().0);
        let own = events.iter().filter(|event| session.is_none_or(|session| event.session() == session));
        let names = app.current_names();
        let frames = own.filter_map(|event| fast_account::order(names, event));
        let first = frames.map(|frame| (Frame::counted(frame, &shared.started.budget), true));
        out.resume(first.collect(), known);
        rpc::answer(&id, |json| json.flag("resumed", true))
    })
}
