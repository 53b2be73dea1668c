//! Keys that were not approved in time: the exchange ends them, and their secrets are removed here.

use crate::Shared;
use buttonwood_engine::Standing;
use buttonwood_model::SessionId;
use std::collections::BTreeSet;
use std::time::Duration;

/// How long a secret outlives its key at most, while the exchange runs.
const PAUSE: Duration = Duration::from_secs(5);

/// Removes the secrets of keys that waited for an approval and have ended. It goes on until it is dropped; what it has missed, the next
/// start removes.
pub(crate) async fn watch(shared: &Shared) {
    let mut waiting = BTreeSet::new();
    loop {
        for api_key in ended(shared, &mut waiting) {
            shared.forget(&api_key).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The keys that waited before, wait no more and have ended.
fn ended(shared: &Shared, waiting: &mut BTreeSet<SessionId>) -> Vec<String> {
    let views = shared.exchange.views();
    let (access, operations) = (views.state().access(), views.state().operations());
    let now: BTreeSet<SessionId> = operations.proposed_keys().collect();
    let gone = waiting.difference(&now).filter_map(|session| access.session(*session));
    let ended = gone.filter(|session| session.standing() == Standing::Ended);
    let ended = ended.map(|session| session.key.api_key.clone()).collect();
    *waiting = now;
    ended
}
