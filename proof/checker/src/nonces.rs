//! Nonces, one register per key (SES-002, SES-007, D-08): an accepted nonce is higher than every one accepted before,
//! and a refused one is not. They are judged separately, since a nonce is used before its call takes effect.

use std::collections::BTreeMap;

use crate::keys;
use crate::operation::History;
use crate::reply::Reply;

/// Whether a reply refuses a nonce that is not higher.
pub(crate) fn is_refusal(reply: &Reply) -> bool {
    matches!(reply, Reply::Refused(400, reason) if reason == "InvalidNonce")
}

/// The nonce of one signed call.
#[derive(Clone, Copy)]
struct Use {
    at: usize,
    nonce: u64,
    invoked: u64,
    responded: u64,
    /// The number of crashes before it.
    life: usize,
}

/// Returns what is wrong with the nonces of a history.
pub(crate) fn judge(history: &History) -> Result<(), String> {
    let mut keys: BTreeMap<&str, Key> = BTreeMap::new();
    for (at, operation) in history.operations.iter().enumerate() {
        let Some(key) = &operation.key else { continue };
        let key = keys.entry(key).or_default();
        let responded = operation.answer.as_ref().map_or(u64::MAX, |(responded, _)| *responded);
        let life = history.deaths.iter().filter(|death| **death < operation.invoked).count();
        let call = Use { at, nonce: operation.nonce, invoked: operation.invoked, responded, life };
        match &operation.answer {
            Some((_, reply)) if is_refusal(reply) => key.refused.push(call),
            Some((_, reply)) if keys::is_refusal(reply) => key.unsure.push(call),
            Some(_) => {
                key.taken.push(call);
                if operation.request.writes() {
                    key.kept.push(call);
                }
            }
            None => key.unsure.push(call),
        }
    }
    keys.values_mut().try_for_each(Key::judge)
}

/// All calls of a key.
#[derive(Default)]
struct Key {
    taken: Vec<Use>,
    /// Nonces used by calls that change something: a crash must not lose them.
    kept: Vec<Use>,
    refused: Vec<Use>,
    unsure: Vec<Use>,
}

impl Key {
    fn judge(&mut self) -> Result<(), String> {
        self.taken.sort_by_key(|call| (call.life, call.nonce, call.at));
        // The earliest time at which each can have been used, in the order of nonces, which is the only possible
        // order.
        let mut points: Vec<(Use, u64)> = Vec::new();
        for call in &self.taken {
            let before = points.last().filter(|(before, _)| before.life == call.life);
            if let Some((before, _)) = before.filter(|(before, _)| before.nonce == call.nonce) {
                return Err(twice(before, call));
            }
            if let Some(kept) =
                self.kept.iter().find(|kept| kept.life < call.life && kept.nonce >= call.nonce)
            {
                return Err(twice(kept, call));
            }
            let point = before.map_or(call.invoked, |(_, point)| call.invoked.max(*point));
            if let Some((before, point)) = before.filter(|_| point > call.responded) {
                return Err(format!(
                    "nonce {} of #{} was taken although #{}, sent at {point} or later, had taken {} before",
                    call.nonce, call.at, before.at, before.nonce
                ));
            }
            points.push((*call, point));
        }
        let is_explained = |refused: &Use| {
            points.iter().any(|(call, point)| call.nonce >= refused.nonce && *point < refused.responded)
                || self.unsure.iter().any(|call| {
                    call.nonce >= refused.nonce && call.invoked < refused.responded && call.at != refused.at
                })
        };
        match self.refused.iter().find(|refused| !is_explained(refused)) {
            None => Ok(()),
            Some(refused) => Err(format!(
                "nonce {} of #{} was refused, but none as high had been taken",
                refused.nonce, refused.at
            )),
        }
    }
}

fn twice(first: &Use, second: &Use) -> String {
    format!(
        "two calls of one key were taken with nonces that do not increase: #{} with {} before, #{} with {} after",
        first.at, first.nonce, second.at, second.nonce
    )
}
