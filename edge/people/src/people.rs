//! People as the edge knows them.

use crate::failures::Failures;
use crate::hasher::Hasher;
use crate::mail::{self, Outgoing};
use crate::mailbox::{Mailbox, Message};
use crate::vault::{Names, Vault, is_of_person, needed};
use crate::waiting::Waiting;
use crate::{Drawn, address, password, typed};
use buttonwood_engine::identity::{Command, Digest, Failure, Identity, Peer, Reject, Stage, User, UserId};
use buttonwood_engine::{Command as Sent, Reject as EngineReject};
use buttonwood_gate::{Admit, Clients, Limit, Reason, Refusal, Secret, client_of};
use buttonwood_metrics::Page;
use buttonwood_model::{CurrencyId, SessionId, Time};
use buttonwood_num::Money;
use buttonwood_sequencer::Exchange;
use buttonwood_wire::field::{busy, failed, no_space};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Sessions whose last use is remembered before the first search for those that have ended.
const USES_FEW: usize = 10_000;
/// Sign-ups of one client address that cost an estimate of a password, taken and refused ones: twenty at once, and twenty an hour.
const SIGN_UPS: Limit = Limit { every: Duration::from_mins(3), burst: 20, queue: 0 };

/// The last use of each session since the start.
struct Uses {
    times: HashMap<SessionId, Time>,
    /// The number of sessions that starts the next search: twice what the last one left.
    search_at: usize,
}

/// The settings that people need.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Settings {
    /// The vault.
    pub vault: Arc<dyn Vault>,
    /// The exchange's name, in second factors.
    pub service: String,
    /// The address of its pages, for links: scheme, host and port.
    pub auth_url: String,
    /// Whether that address was named by `--public-url`; otherwise it is that of the listener, which browsers on this machine reach.
    pub has_public_url: bool,
    /// Whether the directory is a sandbox's: mail is kept and not sent, and one code passes everywhere.
    pub is_sandbox: bool,
    /// The way of a venue's mail; without one it sends none.
    pub outgoing: Option<Outgoing>,
    /// The test balances of someone who signs up.
    pub credit: Vec<(CurrencyId, Money)>,
    /// Whether sign-ups and forgotten passwords are limited by the hour.
    pub limits_mail: bool,
    /// Whether an open page that its user sees is use of the session, up to the session's 12 hours (D-293).
    pub watching_is_use: bool,
}

/// Who makes a call.
#[derive(Clone, Debug)]
pub struct From {
    /// The client's address.
    pub peer: IpAddr,
    /// The browser's name for itself.
    pub agent: String,
}

impl From {
    pub(crate) fn peer(&self) -> Peer {
        peer(self.peer)
    }

    /// The browser's name, cut to what a list shows.
    pub(crate) fn agent(&self) -> String {
        self.agent.chars().filter(|c| !c.is_control()).take(200).collect()
    }
}

/// The part of an address that tells people apart.
pub fn peer(address: IpAddr) -> Peer {
    let mut bytes = match address.to_canonical() {
        IpAddr::V4(address) => return Peer(address.to_ipv6_mapped().octets()),
        IpAddr::V6(address) => address.octets(),
    };
    let (_, host) = bytes.split_at_mut(8);
    host.fill(0);
    Peer(bytes)
}

/// The name of the cookie of a session. Browsers take the one of https from this host alone (D-141).
pub const fn session_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-session" } else { "session" }
}

/// The value of `Set-Cookie` for a cookie that scripts cannot read and other sites cannot send along with a POST (D-141).
pub fn set_cookie(name: &str, value: &str, is_https: bool) -> String {
    let secure = if is_https { "; Secure" } else { "" };
    format!("{name}={value}; HttpOnly; SameSite=Lax; Path=/{secure}")
}

/// A step of a sign-in that was taken.
#[derive(Debug)]
pub struct Entered {
    /// The cookie's next value; the one before is dead.
    pub cookie: Drawn,
    /// The browser's session.
    pub session: SessionId,
    /// How far the sign-in has come.
    pub stage: Stage,
}

/// A second factor that waits for its first code.
pub(crate) struct Pending {
    pub(crate) factor: u64,
    pub(crate) secret: Zeroizing<Vec<u8>>,
    pub(crate) begun: Time,
}

/// People: their addresses, and the way to their secrets.
pub struct People {
    pub(crate) exchange: Exchange,
    pub(crate) settings: Settings,
    pub(crate) hasher: Hasher,
    /// Sign-ups by client address.
    sign_ups: Clients<IpAddr>,
    mailbox: Mailbox,
    /// Addresses, and sign-ups that wait for theirs to be confirmed.
    pub(crate) waiting: Arc<Waiting>,
    /// Addresses that an earlier build stored in another form, by the SHA-256 of today's.
    pub(crate) older: HashMap<Digest, Vec<Digest>>,
    /// Second factors that are being enrolled.
    pub(crate) pending: Mutex<BTreeMap<SessionId, Pending>>,
    uses: Mutex<Uses>,
    failures: Arc<Failures>,
    pub(crate) passkeys: crate::passkey::Key,
}

impl std::fmt::Debug for People {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("People(hidden)")
    }
}

impl People {
    /// The people of a running exchange. `records` are the names of the vault's records; those of no one are removed, and of the others the
    /// addresses are read.
    ///
    /// # Errors
    /// The system's refusal of a thread, or the vault's fault.
    pub fn start(
        exchange: Exchange,
        settings: Settings,
        records: impl IntoIterator<Item = String>,
    ) -> std::io::Result<Self> {
        let mut stored = address::Stored::default();
        let needed: std::collections::BTreeSet<String> =
            needed(exchange.views().state().identity()).into_iter().collect();
        let of_people = records.into_iter().filter(|name| is_of_person(name));
        let (kept, orphans): (Vec<_>, Vec<_>) = of_people.partition(|name| needed.contains(name));
        let fault = |fault: crate::VaultFault| std::io::Error::other(fault.to_string());
        if !orphans.is_empty() {
            settings.vault.remove(orphans).map_err(fault)?;
        }
        let of_addresses: Vec<String> = kept.into_iter().filter(|name| name.ends_with("-address")).collect();
        if !of_addresses.is_empty() {
            let read = settings.vault.get(&of_addresses).map_err(fault)?;
            read.into_iter().flatten().for_each(|text| stored.add(text.text()));
        }
        let hasher = Hasher::start()?;
        let passkeys = crate::passkey::Key::of(settings.vault.as_ref())?;
        let waiting = Waiting::start(exchange.clone(), Arc::clone(&settings.vault), stored.addresses)?;
        Ok(Self {
            exchange,
            settings,
            hasher,
            sign_ups: Clients::new(SIGN_UPS),
            mailbox: Mailbox::default(),
            waiting,
            older: stored.older,
            pending: Mutex::default(),
            uses: Mutex::new(Uses { times: HashMap::new(), search_at: USES_FEW }),
            failures: Arc::default(),
            passkeys,
        })
    }

    /// People with a vault in memory, of a sandbox: for tests of the rooms above.
    ///
    /// # Errors
    /// As [`People::start`].
    pub fn in_memory(exchange: Exchange) -> std::io::Result<Self> {
        Self::start(exchange, Self::settings_in_memory(), [])
    }

    /// The settings of a sandbox with a vault in memory.
    pub(crate) fn settings_in_memory() -> Settings {
        Settings {
            vault: Arc::new(crate::InMemory::default()),
            service: "svc".to_owned(),
            auth_url: "http://127.0.0.1".to_owned(),
            has_public_url: false,
            is_sandbox: true,
            outgoing: None,
            credit: Vec::new(),
            limits_mail: true,
            watching_is_use: true,
        }
    }

    /// Sends a command, and waits until it is durable.
    ///
    /// # Errors
    /// A refusal when the exchange takes no command; the inner error is the room's.
    pub async fn submit(&self, command: Command) -> Result<Result<(), Reject>, Refusal> {
        let sent = Sent { caller: None, body: command.into() };
        let pending = self.exchange.submit(sent).map_err(|_| busy("The exchange is busy"))?;
        let receipt = pending.await.map_err(|_| busy("The exchange is stopping"))?;
        match receipt.done() {
            Ok(()) => Ok(Ok(())),
            Err(EngineReject::Identity(reject)) => Ok(Err(reject)),
            Err(EngineReject::NoRoom) => Err(no_space()),
            Err(reject) => {
                tracing::error!(?reject, "a command of people was refused");
                Err(failed())
            }
        }
    }

    /// Sends a command, and words its refusal.
    pub(crate) async fn send(&self, command: Command) -> Result<(), Refusal> {
        self.submit(command).await?.map_err(|reject| crate::refusal(reject, self.now()))
    }

    /// The exchange's time.
    pub(crate) fn now(&self) -> Time {
        self.exchange.now()
    }

    /// Reads the published state.
    pub(crate) fn look<T>(&self, at: impl FnOnce(&Identity) -> T) -> T {
        at(self.exchange.views().state().identity())
    }

    /// The address of a user, in the form to which mail goes.
    pub fn email(&self, user: UserId) -> Option<String> {
        let login = self.look(|identity| identity.user(user).map(|user| user.login))?;
        self.address(&login)
    }

    /// The address of a user of a state that the caller has locked.
    pub fn address_of(&self, user: &User) -> Option<String> {
        self.address(&user.login)
    }

    /// The user with an address; none for an unknown one.
    ///
    /// # Errors
    /// A text that is no address.
    pub fn find(&self, email: &str) -> Result<Option<UserId>, Refusal> {
        let login = self.read_address(email)?.login;
        Ok(self.look(|identity| identity.find_user(&login)))
    }

    pub(crate) fn address(&self, login: &Digest) -> Option<String> {
        self.waiting.addresses.read().get(login).map(ToString::to_string)
    }

    pub(crate) fn note_address(&self, login: Digest, text: &str) {
        self.waiting.addresses.write().insert(login, text.into());
    }

    /// The mail of a sandbox.
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Whether the directory is a sandbox's.
    pub(crate) fn is_sandbox(&self) -> bool {
        self.settings.is_sandbox
    }

    /// Counts a sign-up of a client, whatever comes of it: a refused one costs the threads of passwords as much.
    ///
    /// # Errors
    /// 429 for one too many.
    pub(crate) fn count_sign_up(&self, from: &From) -> Result<(), Refusal> {
        let now = Duration::from_micros(self.now().0);
        match self.sign_ups.take(client_of(from.peer), now) {
            Admit::Now | Admit::Wait(_) => Ok(()),
            Admit::Refuse { retry_after } => {
                let refusal = Refusal::new(Reason::RateLimit, "Too many tries: wait before the next one");
                Err(Refusal { retry_after: Some(retry_after), ..refusal })
            }
        }
    }

    /// Counts a failure whose call has ended, when it is called: its client left while the password or the signature was checked. The peer
    /// counts at once, as for a client that stayed.
    pub(crate) fn late_failure(&self, failure: Failure) -> impl FnOnce() + Send + use<> {
        let (exchange, failures) = (self.exchange.clone(), Arc::clone(&self.failures));
        move || {
            failures.count(failure.peer, exchange.now());
            let sent = Sent { caller: None, body: Command::Fail(failure).into() };
            if exchange.submit(sent).is_err() {
                tracing::debug!("a failed sign-in was not counted for its user: the exchange is busy");
            }
        }
    }

    /// Whether mail can be sent, or is kept.
    pub(crate) fn has_mail(&self) -> bool {
        self.is_sandbox() || self.settings.outgoing.is_some()
    }

    /// Refuses what needs mail where none can be sent.
    ///
    /// # Errors
    /// 503 `System` in a venue without a mail server.
    pub fn check_mail(&self) -> Result<(), Refusal> {
        if self.has_mail() { Ok(()) } else { Err(busy("This exchange sends no mail")) }
    }

    /// Sends a message, without waiting for anything. `page` is the page that a link leads to, with the token. Where no mail can be sent,
    /// this does nothing: see [`People::check_mail`].
    pub fn mail(&self, to: &str, [subject, text]: [&str; 2], page: Option<(&str, &str)>) {
        let link = page.map(|(page, token)| format!("{}{page}?token={token}", self.settings.auth_url));
        let text = match &link {
            Some(link) => format!("{text}\n\n{link}\n"),
            None => format!("{text}\n"),
        };
        let message = Message {
            to: to.to_owned(),
            subject: subject.to_owned(),
            text,
            link,
            token: page.map(|(_, token)| token.to_owned()),
            sent: self.now(),
        };
        match &self.settings.outgoing {
            Some(outgoing) => outgoing.put(message),
            None if self.is_sandbox() => self.mailbox.put(message),
            None => {}
        }
    }

    /// Stops the mail: messages that are being sent have three seconds.
    pub fn stop_mail(&self) {
        if let Some(outgoing) = &self.settings.outgoing {
            outgoing.stop();
        }
    }

    /// Writes the figures of mail that is sent by SMTP.
    pub fn write_metrics(&self, page: &mut Page) {
        mail::write_metrics(self.settings.outgoing.as_ref(), page);
    }

    /// Notes that a session's cookie was used: a sign of life.
    pub fn note_use(&self, session: SessionId) {
        self.exchange.heard(session, self.exchange.steady());
        let now = self.now();
        let mut uses = self.uses.lock();
        if uses.times.len() >= uses.search_at {
            self.look(|identity| uses.times.retain(|session, _| identity.browser(*session, now).is_some()));
            uses.search_at = (uses.times.len() * 2).max(USES_FEW);
        }
        uses.times.insert(session, now);
    }

    /// Whether an open page that its user sees is use of the session.
    pub fn is_watching_use(&self) -> bool {
        self.settings.watching_is_use
    }

    /// When a session's cookie was last used since the start.
    pub fn last_use(&self, session: SessionId) -> Option<Time> {
        self.uses.lock().times.get(&session).copied()
    }

    /// Refuses a try of a peer that failed too often, before any work is done for it.
    pub(crate) fn check_peer(&self, from: &From) -> Result<(), Refusal> {
        let now = self.now();
        self.failures.check(from.peer(), now).map_err(|reject| crate::refusal(reject, now))
    }

    /// Counts a failure of a peer.
    pub(crate) fn count_failure(&self, peer: Peer) {
        self.failures.count(peer, self.now());
    }

    /// Puts records into the vault; durable when it returns.
    pub(crate) async fn put(&self, records: Vec<(String, Secret)>) -> Result<(), Refusal> {
        let vault = Arc::clone(&self.settings.vault);
        self.vault(move || vault.put(records)).await
    }

    /// Records of the vault, in the order of their names.
    pub(crate) async fn records(&self, names: Vec<String>) -> Result<Vec<Option<Secret>>, Refusal> {
        let vault = Arc::clone(&self.settings.vault);
        self.vault(move || vault.get(&names)).await
    }

    /// A record of the vault.
    pub(crate) async fn record(&self, name: String) -> Result<Option<Secret>, Refusal> {
        Ok(self.records(vec![name]).await?.pop().flatten())
    }

    /// Removes records that are not in force any more. A failure is logged: the next start removes them.
    pub(crate) async fn remove(&self, names: Vec<String>) {
        let vault = Arc::clone(&self.settings.vault);
        let _ = self.vault(move || vault.remove(names)).await;
    }

    pub(crate) async fn vault<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, crate::VaultFault> + Send + 'static,
    ) -> Result<T, Refusal> {
        match tokio::task::spawn_blocking(work).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(fault)) => {
                tracing::error!(%fault, "the vault failed for people");
                Err(failed())
            }
            Err(_) => Err(failed()),
        }
    }

    /// Whether a password is that of a number of an address. For 0 the same work is done in vain. A wrong one counts as a failure of the
    /// caller's address even if the caller leaves meanwhile; for one that stays, the caller of this function counts it.
    pub(crate) async fn is_right(
        &self,
        login: &Digest,
        credential: u64,
        given: &str,
        from: &From,
    ) -> Result<bool, Refusal> {
        let names = Names::of(login);
        let mut read = self.records(vec![names.password(credential), names.listed(credential)]).await?;
        let (listed, stored) = (read.pop().flatten(), read.pop().flatten());
        let given = Zeroizing::new(given.to_owned());
        let verify = move || {
            let is_hashed = password::is_right_typed(&given, stored.as_ref().map(Secret::text));
            let is_listed = listed.is_some_and(|listed| listed.expose().ct_eq(given.as_bytes()).into());
            is_hashed || is_listed
        };
        let failure = Failure { login: *login, peer: from.peer(), code_of: None };
        let fail = self.late_failure(failure);
        let note = move |is_right: bool| {
            if !is_right {
                fail();
            }
        };
        self.hasher.run_and_note(from.peer, verify, note).await
    }

    /// The record of a password that was checked.
    pub(crate) async fn hashed(&self, given: &str, client: IpAddr) -> Result<Secret, Refusal> {
        let given = Zeroizing::new(typed::composed(given).into_owned());
        let hash = self.hasher.run(client, move || password::hash(&given)).await?;
        hash.map(|hash| Secret::new(hash.as_bytes().to_vec())).ok_or_else(failed)
    }
}
