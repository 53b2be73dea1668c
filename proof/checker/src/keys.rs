//! Keys that an operator disables, enables, ends or gives other roles while they are in use (AUTH-011, AUTH-024): a change
//! counts at once, for every call that is sent after it was acknowledged, and never before it was sent. Judged separately, since
//! a key's call is let in before it takes effect.

use std::collections::BTreeSet;

use crate::nonces;
use crate::operation::{History, KeyChange, Operation, Request};
use crate::reply::Reply;

/// Whether a reply refuses a key that is disabled or has ended.
fn is_disabled(reply: &Reply) -> bool {
    matches!(reply, Reply::Refused(403, reason) if reason == "InvalidApiKey")
}

/// Whether a reply refuses a key for want of a role.
fn lacks_role(reply: &Reply) -> bool {
    matches!(reply, Reply::Refused(403, reason) if reason == "MissingRole")
}

/// Whether a reply refuses the key itself, so that the call has changed nothing and may not have used its nonce.
pub(crate) fn is_refusal(reply: &Reply) -> bool {
    is_disabled(reply) || lacks_role(reply)
}

/// Returns what is wrong with how the keys of a history were let in.
pub(crate) fn judge(history: &History) -> Result<(), String> {
    let changed: BTreeSet<&str> = changes(history).map(|change| change.key).collect();
    for (at, operation) in history.operations.iter().enumerate() {
        let (Some(key), Some((responded, reply))) = (operation.key.as_deref(), &operation.answer) else {
            continue;
        };
        if !changed.contains(key) && !is_refusal(reply) {
            continue;
        }
        let call = (operation.invoked, *responded);
        let is_on = |change: &KeyChange| change.enables();
        let may_trade = |change: &KeyChange| change.trades();
        let was = |wanted: bool, says: &dyn Fn(&KeyChange) -> Option<bool>| {
            possible(history, key, call, says).contains(&wanted)
        };
        let wrong = if is_disabled(reply) {
            (!was(false, &is_on)).then_some("was refused, but its key was enabled all the time")
        } else if !was(true, &is_on) {
            Some("was let in, but its key was disabled all the time")
        } else if lacks_role(reply) {
            let is_due = operation.request.writes() && was(false, &may_trade);
            (!is_due).then_some("was refused for want of a role that its key had all the time")
        } else {
            // A nonce is judged before the roles.
            let is_due = !operation.request.writes() || nonces::is_refusal(reply) || was(true, &may_trade);
            (!is_due).then_some("was let in, but its key lacked the role all the time")
        };
        if let Some(wrong) = wrong {
            let last = changes(history).filter(|change| change.key == key && change.sent < call.1).last();
            let last = last.map(|change| format!("; the last change before is #{}", change.at));
            return Err(format!("#{at} {wrong}{}", last.unwrap_or_default()));
        }
    }
    Ok(())
}

/// A change of a key that may have happened.
struct Change<'h> {
    at: usize,
    key: &'h str,
    what: &'h KeyChange,
    sent: u64,
    /// When it was acknowledged; without an answer, it may never have happened.
    done: Option<u64>,
}

/// All changes of keys, in the order of the history, which is that of the one operator who makes them.
fn changes(history: &History) -> impl Iterator<Item = Change<'_>> {
    history.operations.iter().enumerate().filter_map(|(at, operation)| {
        let Operation { request: Request::Key(key, what), invoked, answer, .. } = operation else {
            return None;
        };
        let done = match answer {
            Some((_, Reply::Refused(..))) => return None,
            Some((responded, _)) => Some(*responded),
            None => None,
        };
        Some(Change { at, key, what, sent: *invoked, done })
    })
}

/// The values that one property of a key may have had at some time of a call; at first it is true.
fn possible(
    history: &History,
    key: &str,
    (invoked, responded): (u64, u64),
    says: &dyn Fn(&KeyChange) -> Option<bool>,
) -> BTreeSet<bool> {
    let mut values = vec![(true, 0, None)];
    values.extend(
        changes(history)
            .filter(|change| change.key == key)
            .filter_map(|change| Some((says(change.what)?, change.sent, change.done))),
    );
    let mut seen = BTreeSet::new();
    for (place, (value, sent, _)) in values.iter().enumerate() {
        // It lasts until a later change was surely made.
        let end = values.iter().skip(place + 1).filter_map(|(_, _, done)| *done).min().unwrap_or(u64::MAX);
        if *sent <= responded && end >= invoked {
            seen.insert(*value);
        }
    }
    seen
}
