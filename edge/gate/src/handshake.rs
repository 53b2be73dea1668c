//! The handshake of the newest socket, and the calls over a socket (EVT-024; D-145).
//!
//! A key signs nothing but the time, in whole seconds: who captured a handshake could open the socket again for a minute. So a key
//! and a nonce open one socket. A browser opens one with a ticket, to read alone.

use crate::check::{Gate, unknown_key};
use crate::headers::Handshake;
use crate::held::{dead_token, token_hash};
use crate::{Call, Held, KnownKey, Payload, Reason, Refusal, TicketOf, TokenHash, quoted};
use buttonwood_access::Owner;
use buttonwood_model::{AccountId, Nonce, Roles, Scopes, SessionId, Time};
use http::HeaderMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Who opened a socket.
#[derive(Clone, Debug)]
pub struct Opener {
    who: Who,
    /// The account that it acts on.
    pub account: AccountId,
    /// The nonce of a key's handshake that lies ahead of the clock.
    ahead: Option<Nonce>,
}

#[derive(Clone, Debug)]
enum Who {
    Key(Arc<KnownKey>),
    Token(TokenHash, Box<Held>),
    Browser(Box<Held>, Follows),
}

/// The account of a browser's socket: the chosen one, with whose choice it ends, or one that its page named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    Chosen,
    Named,
}

impl Follows {
    /// The browser as it is now, if the socket of the account goes on.
    fn still(self, account: AccountId, now: Held) -> Option<Held> {
        match self {
            Self::Chosen => (now.chosen == Some(account)).then_some(now),
            Self::Named => Some(Held { chosen: Some(account), ..now }),
        }
    }
}

/// The sign by which the caller of a socket without a key is found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign<'a> {
    /// Its access token.
    Token(&'a TokenHash),
    /// Its browser's session.
    Browser(SessionId),
}

impl Opener {
    /// The session that sends its commands.
    pub fn session(&self) -> SessionId {
        match &self.who {
            Who::Key(known) => known.key.session,
            Who::Token(_, held) | Who::Browser(held, _) => held.session,
        }
    }

    /// The nonce of its commands: none for a key, whose socket stands for one, and for a browser; the number of a token.
    pub fn nonce(&self) -> Nonce {
        match &self.who {
            Who::Key(_) => Nonce::default(),
            Who::Token(_, held) | Who::Browser(held, _) => held.nonce(),
        }
    }

    /// Its key; none of a token or a browser.
    pub fn known(&self) -> Option<&KnownKey> {
        match &self.who {
            Who::Key(known) => Some(known),
            Who::Token(..) | Who::Browser(..) => None,
        }
    }

    /// The nonce of its handshake, if that lies ahead of the clock: it has to be journaled before the socket opens, since the start of the
    /// exchange does not cover it.
    pub fn nonce_ahead(&self) -> Option<Nonce> {
        self.ahead
    }

    /// Whether its key needs a sign of life every 30 s.
    pub fn needs_heartbeat(&self) -> bool {
        match &self.who {
            Who::Key(known) => known.key.require_heartbeat,
            Who::Token(..) | Who::Browser(..) => false,
        }
    }

    /// The roles that it has now.
    pub fn roles(&self) -> Roles {
        match &self.who {
            Who::Key(known) => known.key.roles,
            Who::Token(_, held) | Who::Browser(held, _) => held.roles,
        }
    }

    /// Whether it only reads: a ticket opened it, which whoever sees a page's address could have.
    pub fn only_reads(&self) -> bool {
        matches!(self.who, Who::Browser(..))
    }

    /// The scopes of its token; none of a key or a browser.
    pub fn scopes(&self) -> Option<Scopes> {
        match &self.who {
            Who::Key(_) => None,
            Who::Token(_, held) | Who::Browser(held, _) => held.scopes(),
        }
    }
}

impl Gate {
    /// Checks the credentials of a handshake of the newest socket; none if it brings none. Every fault of credentials is 401.
    ///
    /// # Errors
    /// `InvalidCredentials`, `InvalidAccessToken`.
    pub fn open(
        &self,
        headers: &HeaderMap,
        address: IpAddr,
        time: Time,
        find: impl FnOnce(&TokenHash) -> Option<Held>,
    ) -> Result<Option<Opener>, Refusal> {
        match self.names().read_handshake(headers).map_err(unauthorized)? {
            None => Ok(None),
            Some(Handshake::Bearer(token)) => {
                let hash = token_hash(token).ok_or_else(dead_token)?;
                let held = find(&hash).ok_or_else(dead_token)?;
                let Owner::Account(account) = held.owner else { return Err(dead_token()) };
                Ok(Some(Opener { who: Who::Token(hash, Box::new(held)), account, ahead: None }))
            }
            Some(Handshake::Signed { signed, nonce }) => {
                let (known, tag, decoded) = self.authenticate(address, &signed).map_err(unauthorized)?;
                let (account, ahead) = self.check_opener(&known, nonce, &decoded, time)?;
                if !known.opens(tag, time) {
                    return Err(refused(
                        "the key has opened a socket with this nonce in the last 60 seconds",
                    ));
                }
                Ok(Some(Opener { who: Who::Key(known), account, ahead }))
            }
        }
    }

    /// Keeps a ticket that opens one socket within 30 seconds, by the SHA-256 of its text.
    pub fn keep_ticket(&self, hash: TokenHash, of: TicketOf, now: Time) {
        self.tickets().put(hash, of, now);
    }

    /// Uses the ticket of a handshake of the newest socket. It must bring no other credentials.
    ///
    /// # Errors
    /// `InvalidCredentials`, as [`Gate::open`].
    pub fn open_by_ticket(
        &self,
        headers: &HeaderMap,
        ticket: &str,
        time: Time,
        find: impl FnOnce(SessionId) -> Option<Held>,
    ) -> Result<Opener, Refusal> {
        if self.names().read_handshake(headers).map_err(unauthorized)?.is_some() {
            return Err(refused("a handshake has a ticket or the headers of a key or a token, and not both"));
        }
        let dead = || refused("the ticket is unknown, was used or is older than 30 seconds");
        let hash = token_hash(ticket.as_bytes()).ok_or_else(dead)?;
        let TicketOf { session, account, is_named } = self.tickets().take(&hash, time).ok_or_else(dead)?;
        let follows = if is_named { Follows::Named } else { Follows::Chosen };
        let held = find(session).and_then(|now| follows.still(account, now));
        let held = held.ok_or_else(|| refused("the session of the ticket has ended"))?;
        Ok(Opener { who: Who::Browser(Box::new(held), follows), account, ahead: None })
    }

    /// Checks key and nonce of a signed handshake; returns the key's account, and the nonce if it lies ahead of the clock.
    fn check_opener(
        &self,
        known: &KnownKey,
        nonce: &[u8],
        decoded: &[u8],
        time: Time,
    ) -> Result<(AccountId, Option<Nonce>), Refusal> {
        let Owner::Account(account) = known.key.owner else {
            return Err(refused("a socket needs a key of one account, and this is a master key"));
        };
        if !known.key.time_based_nonce {
            return Err(refused("a socket needs a key with time-based nonces"));
        }
        if nonce != decoded {
            return Err(refused("the payload is not the nonce in Base64"));
        }
        let seconds = seconds_of(nonce, time)?;
        let start = self.start().seconds();
        if seconds < start {
            // A client sends its clock, which has this far to go.
            return Err(early("the nonce lies before the start of the exchange", Some(start - seconds)));
        }
        let sent = Nonce::at(Time(seconds * Time::SECOND));
        let last = known.last_nonce();
        if seconds > start && sent <= last {
            let why = "the nonce is no later than this key's highest before the exchange was started";
            return Err(early(why, seconds_past(last, seconds)));
        }
        Ok((account, (seconds > time.seconds()).then_some(sent)))
    }

    /// The opener of a socket as it is now. That of a browser ends with the session, and when another account is chosen unless its page named
    /// the account.
    ///
    /// # Errors
    /// `InvalidApiKey`, `InvalidAccessToken`, `SignInRequired`, an address that is no longer allowed: its socket has to close.
    pub fn open_still(
        &self,
        opener: &Opener,
        address: IpAddr,
        find: impl FnOnce(Sign<'_>) -> Option<Held>,
    ) -> Result<Opener, Refusal> {
        let who = match &opener.who {
            Who::Key(known) => {
                let api_key = known.key.api_key.as_bytes();
                let now = self.keys().find(api_key).ok_or_else(|| unknown_key(api_key))?;
                now.check_enabled()?;
                now.check_address(address)?;
                Who::Key(now)
            }
            Who::Token(hash, _) => {
                Who::Token(*hash, Box::new(find(Sign::Token(hash)).ok_or_else(dead_token)?))
            }
            Who::Browser(held, follows) => {
                let now = find(Sign::Browser(held.session)).filter(|now| now.group == held.group);
                let now = now.and_then(|now| follows.still(opener.account, now));
                Who::Browser(Box::new(now.ok_or_else(ended)?), *follows)
            }
        };
        Ok(Opener { who, account: opener.account, ahead: None })
    }

    /// A call over a socket with this payload. It uses no nonce and none of the limits of calls with one.
    pub fn call_over(&self, opener: &Opener, payload: Payload, now: Duration) -> Call {
        match &opener.who {
            Who::Key(known) => Call::over(Arc::clone(known), payload),
            Who::Token(hash, held) => {
                Call::held(self.caller((**held).clone(), Some(*hash), now), payload, Duration::ZERO)
            }
            Who::Browser(held, _) => {
                Call::held(self.caller((**held).clone(), None, now), payload, Duration::ZERO)
            }
        }
    }
}

/// Seconds that a nonce may lie from the exchange's time.
const WINDOW_SECONDS: u64 = 30;

fn refused(why: &str) -> Refusal {
    Refusal::new(Reason::InvalidCredentials, format!("InvalidCredentials: {why}"))
}

/// The same of a nonce that is too early after a start: a client that sends its clock is let in after so many seconds (D-285).
fn early(why: &str, wait: Option<u64>) -> Refusal {
    let Some(wait) = wait.and_then(|wait| u32::try_from(wait).ok()) else { return refused(why) };
    let unit = if wait == 1 { "second" } else { "seconds" };
    Refusal {
        retry_after: Some(wait),
        ..refused(&format!("{why}; one that is {wait} {unit} later is taken"))
    }
}

/// The seconds of a handshake's nonce, which must be about the exchange's own time.
fn seconds_of(nonce: &[u8], time: Time) -> Result<u64, Refusal> {
    let text = String::from_utf8_lossy(nonce);
    let unfit = |why: &str| refused(&format!("the nonce {why}: {}", quoted(&text)));
    let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = is_whole.then(|| text.parse::<u64>().ok()).flatten();
    let seconds = seconds.ok_or_else(|| unfit("is not a time in whole seconds"))?;
    if seconds.abs_diff(time.seconds()) > WINDOW_SECONDS {
        return Err(unfit("is not within 30 seconds of server time, in seconds since 1970"));
    }
    Ok(seconds)
}

/// How many seconds after this one the first whole second comes that is a later nonce; none if it is beyond the window.
fn seconds_past(last: Nonce, seconds: u64) -> Option<u64> {
    (1..=2 * WINDOW_SECONDS).find(|wait| Nonce::at(Time((seconds + wait) * Time::SECOND)) > last)
}

fn ended() -> Refusal {
    Refusal::new(Reason::SignInRequired, "The session has ended; sign in again")
}

/// The same refusal as one of credentials.
fn unauthorized(refusal: Refusal) -> Refusal {
    if refusal.status == 401 { refusal } else { Refusal { status: 401, ..refusal } }
}
