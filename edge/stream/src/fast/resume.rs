//! Updates of orders that a reader of the newest socket missed.

use super::Shared;
use super::rpc::{self, Fault, Id};
use crate::fast_account;
use crate::frame::{Frame, Waits};
use crate::limits::{MISSED_MAX, Resuming, Whose};
use crate::socket::Out;
use crate::topic::{AccountFeed, Topic};
use buttonwood_views::EventId;
use buttonwood_views::history::Resumed;
use std::sync::Arc;

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
    let resuming = limits.resume(opener.session(), Whose::Account(account), shared.started.app.uptime());
    resuming.map_err(|refusal| Fault::of(&refusal))
}

/// Answers the call that subscribed, and sends the updates after one, before those that wait. Nothing has left the socket since its first
/// frames came.
pub(super) async fn missed(
    shared: &Shared,
    out: &Out,
    (topic, after): (Topic, u64),
    id: &Id,
    resuming: Resuming,
) {
    let found = find(shared, out, (topic, after)).await;
    drop(resuming);
    let answer = rpc::answer(id, |json| json.flag("resumed", found.is_some()));
    let mut first = vec![(Frame::of(answer.json, Waits::Behind), true)];
    let (frames, known) = found.unwrap_or_default();
    first.extend(frames.into_iter().map(|frame| (Frame::counted(frame, &shared.started.budget), true)));
    out.resume(first, known);
}

/// The updates after one, and the newest event among them; none if it is none of the account's newest.
async fn find(shared: &Shared, out: &Out, (topic, after): (Topic, u64)) -> Option<(Vec<Arc<Frame>>, u64)> {
    let Topic::Account(account, AccountFeed::Orders(session)) = topic else { return None };
    if !out.begun(topic).await {
        return None;
    }
    let app = &shared.started.app;
    let missed = app.exchange.order_events_after(account, EventId(after), MISSED_MAX).await;
    let Ok(Resumed::Missed(events)) = missed else { return None };
    let known = events.last().map_or(after, |last| last.id().0);
    let own = events.iter().filter(|event| session.is_none_or(|session| event.session() == session));
    let names = app.current_names();
    Some((own.filter_map(|event| fast_account::order(names, event)).collect(), known))
}
