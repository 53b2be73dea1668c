//! Which event is scored next: each one that has a pool and takes orders, once a minute.

use crate::rewards::MINUTE;
use crate::{Event, Infrequent, Predictions, Rewards};
use alloc::collections::BTreeMap;
use buttonwood_model::{EventId, Time};

/// Whether an event of this room may change which events have a pool and take orders.
pub(crate) fn may_change(event: &Infrequent) -> bool {
    !matches!(
        event,
        Infrequent::Scored(_)
            | Infrequent::Rewarded(_)
            | Infrequent::Rebated(_)
            | Infrequent::PayoutBegun(_)
            | Infrequent::RebatesBegun(_)
            | Infrequent::Paid(_)
            | Infrequent::Cleared(..)
            | Infrequent::TermsPublished(_)
            | Infrequent::TermsAccepted(..)
            | Infrequent::StrikeSet(..)
    )
}

/// Finds the events again that have a pool and take orders.
pub(crate) fn update(room: &mut Predictions, now: Time) {
    let is_open = |id: &EventId| room.event(*id).is_some_and(Event::is_open);
    let Rewards { terms, open, .. } = &room.rewards;
    let pools = terms.pools.keys().copied().filter(|id| terms.enabled && is_open(id));
    let since = |id: EventId| (id, open.get(&id).copied().unwrap_or(now));
    let found: BTreeMap<EventId, Time> = pools.map(since).collect();
    let rewards = &mut room.rewards;
    if rewards.open.is_empty() && !found.is_empty() {
        // The next full minute is the first.
        rewards.scored = rewards.scored.max(Time(now.0 - now.0 % MINUTE));
        (rewards.scored_event, rewards.scored_part) = (None, None);
    }
    rewards.open = found;
    schedule(rewards);
}

/// Finds the next event to be scored, and the minute. An event is in the snapshot of a minute if it had its pool, and took orders, by then.
pub(crate) fn schedule(rewards: &mut Rewards) {
    let Rewards { open, scored, scored_event, scored_part, .. } = &*rewards;
    let minute = scored.plus(MINUTE);
    let part = scored_part.map(|(event, _)| event);
    let after = scored_event.or(part);
    let due = |(event, since): (&EventId, &Time)| {
        let is_left = part == Some(*event) || after.is_none_or(|after| *event > after);
        let first = Time(since.0.next_multiple_of(MINUTE));
        (if is_left && first <= minute { minute } else { minute.plus(MINUTE).max(first) }, *event)
    };
    rewards.next_score = open.iter().map(due).min();
}
