//! Records that end by the clock. A decision compares the time itself, so that a record is dead at once; here it is forgotten.

use crate::throttle::Limited;
use crate::{Digest, Identity, Infrequent, Reject};
use buttonwood_access::Access;
use buttonwood_model::{BytesRef, Outbox, SessionId, Time};
use serde::{Deserialize, Serialize};

/// Records that one command forgets at most.
const AT_ONCE: usize = 100;

/// A record that ends by the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Expiring {
    /// A sign-up whose link was not followed.
    SignUp(Digest),
    /// A link that sets another password.
    Reset(Digest),
    /// A browser that was signed in for as long as it may be.
    Browser(SessionId),
    /// A code that was not used.
    Code(Digest),
    /// An access token of a grant.
    Token(SessionId, u64),
    /// The events that counted against a limit.
    Limit(Limited),
    /// A challenge that a passkey signed.
    Challenge(Digest),
    /// A link that ends all sessions.
    Stop(Digest),
}

/// Forgets what has ended.
pub(crate) fn forget<E: From<BytesRef>>(
    identity: &Identity,
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    if identity.next_expiry().is_none_or(|first| first > now) {
        return Err(Reject::NotDue);
    }
    out.push_named(&Infrequent::Forgotten(now));
    Ok(())
}

impl Identity {
    /// When the next record ends.
    pub(crate) fn next_expiry(&self) -> Option<Time> {
        self.expiries.first().map(|(time, _)| *time)
    }

    /// Forgets some of the records that ended by then, the earliest first.
    pub(crate) fn forget(&mut self, access: &mut Access, until: Time) {
        for _ in 0..AT_ONCE {
            let Some((time, record)) = self.expiries.first().copied().filter(|(time, _)| *time <= until)
            else {
                return;
            };
            self.expiries.remove(&(time, record));
            match record {
                Expiring::SignUp(token) => self.drop_sign_up(&token),
                Expiring::Reset(token) => self.drop_reset(&token),
                Expiring::Browser(session) => self.end_browser(access, session),
                Expiring::Code(digest) => {
                    self.drop_code(&digest);
                }
                Expiring::Token(session, number) => self.end_token(access, session, number),
                Expiring::Limit(limited) => {
                    self.limited.remove(&limited);
                }
                Expiring::Challenge(digest) => {
                    self.challenges.remove(&digest);
                }
                Expiring::Stop(token) => self.drop_stop(&token),
            }
        }
    }

    /// Every record that ends by the clock, found anew.
    pub(crate) fn all_expiries(&self) -> impl Iterator<Item = (Time, Expiring)> {
        let sign_ups = self.sign_ups.iter().map(|(token, it)| (it.ends, Expiring::SignUp(*token)));
        let resets = self.resets.iter().map(|(token, it)| (it.ends, Expiring::Reset(*token)));
        let browsers = self.browsers.iter().map(|(id, it)| (it.ends(), Expiring::Browser(*id)));
        let codes = self.codes.iter().map(|(digest, it)| (it.ends, Expiring::Code(*digest)));
        let tokens = self.grants.iter().flat_map(|(id, grant)| {
            grant.tokens.iter().map(|token| (token.ends, Expiring::Token(*id, token.number)))
        });
        let limits = self.limited.iter().filter_map(|(limited, times)| {
            Self::limit_ends(*limited, times).map(|ends| (ends, Expiring::Limit(*limited)))
        });
        let challenges = self.challenges.iter().map(|(digest, ends)| (*ends, Expiring::Challenge(*digest)));
        let stops = self.stops.iter().map(|(token, it)| (it.ends, Expiring::Stop(*token)));
        let links = sign_ups.chain(resets).chain(stops);
        links.chain(browsers).chain(codes).chain(tokens).chain(limits).chain(challenges)
    }
}
