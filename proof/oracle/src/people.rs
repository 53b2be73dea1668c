//! People and apps, naively: users, browsers, apps, codes and families in plain lists from which nothing is forgotten, judged from the
//! issue's text alone (OAUTH-001 to OAUTH-026, D-124 to D-139, INV-AUTH-1, INV-AUTH-4 to INV-AUTH-6). Random users sign in, consent, refresh in
//! races and trade by tokens and pages, while others replay codes and tokens, guess, and operators change roles, disable and review.
//! After every command the core must let the same tokens, browsers and refresh tokens do the same.

mod acts;
mod agree;
mod apps;
mod counts;
mod deal;
mod grants;
mod keys;
mod mails;
mod passkeys;
mod preferences;
mod sign_in;
mod users;

use crate::{Dice, Exchange, Happening};
use buttonwood_engine::identity::{AppId, Challenge, Command as Own, Digest, Peer, Stage, UserId};
use buttonwood_engine::{Access, Answer, Body, Command, FeeSchedule, Founding, Outcome};
use buttonwood_model::{AccountId, GroupId, Roles, Scopes, SessionId, Time};
use buttonwood_num::Money;
pub use counts::PeopleCounts;
pub use deal::PeopleDealer;

const SECOND: u64 = Time::SECOND;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// The expected fate of a command: done, or refused with a reason that has this text.
pub type Judged = Result<(), String>;

fn no(why: &str) -> Judged {
    Err(why.to_owned())
}

/// A user.
#[derive(Debug)]
struct Person {
    login: Digest,
    group: Option<GroupId>,
    roles: Roles,
    is_operator: bool,
    os_user: String,
    /// The group and the roles of an operator before.
    before: Option<(GroupId, Roles)>,
    is_disabled: bool,
    credential: u64,
    factor: u64,
    /// The last step of the factor that was accepted.
    step: u64,
    recovery: Vec<Digest>,
    /// Failed codes since a reset and a recovery code ended them.
    failures: Vec<u64>,
    reset: Option<u64>,
    passkeys: Vec<Passkey>,
    preferences: String,
    /// When the preferences were changed.
    preferred: Vec<u64>,
}

impl Person {
    fn has_factor(&self) -> bool {
        self.factor != 0 || !self.passkeys.is_empty()
    }
}

/// A passkey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Passkey {
    number: u64,
    credential: Digest,
    counter: u32,
}

/// A browser.
#[derive(Debug)]
struct Window {
    id: SessionId,
    person: usize,
    cookie: Digest,
    stage: Stage,
    opened: u64,
    code_at: u64,
    account: Option<AccountId>,
    peer: Peer,
    has_ended: bool,
}

/// A link that ends all browsers of a person.
#[derive(Debug)]
struct Stopper {
    token: Digest,
    person: usize,
    made: u64,
    /// The recovery codes of its moment.
    recovery: Vec<Digest>,
    is_used: bool,
}

/// An app.
#[derive(Debug)]
struct Program {
    id: AppId,
    owner: usize,
    scopes: Scopes,
    is_public: bool,
    is_reviewed: bool,
    is_implicit: bool,
}

/// A code.
#[derive(Debug)]
struct Slip {
    digest: Digest,
    app: AppId,
    person: usize,
    account: AccountId,
    scopes: Scopes,
    uri: String,
    challenge: Option<Digest>,
    issued: u64,
    /// The family that it gave.
    used: Option<usize>,
    has_ended: bool,
}

/// An access token.
#[derive(Debug)]
struct Pass {
    number: u64,
    digest: Digest,
    scopes: Scopes,
    given: u64,
    has_ended: bool,
}

/// A grant with its tokens.
#[derive(Debug)]
struct Family {
    id: SessionId,
    app: AppId,
    person: usize,
    account: AccountId,
    scopes: Scopes,
    /// The live refresh token; none of the implicit flow.
    refresh: Option<Digest>,
    /// Refresh tokens that were used, and when.
    consumed: Vec<(Digest, u64)>,
    passes: Vec<Pass>,
    has_ended: bool,
}

/// A link that sets another password.
#[derive(Debug)]
struct Link {
    token: Digest,
    person: usize,
    asked: u64,
    has_ended: bool,
}

/// A live order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Order {
    id: u64,
    account: AccountId,
    session: SessionId,
}

/// The naive model.
#[derive(Debug, Default)]
pub struct People {
    persons: Vec<Person>,
    windows: Vec<Window>,
    programs: Vec<Program>,
    slips: Vec<Slip>,
    families: Vec<Family>,
    /// Failed passwords and codes: the address, from where, and when.
    failures: Vec<(Digest, Peer, u64)>,
    /// Mails that were sent to an address.
    mails_to: Vec<(Digest, u64)>,
    /// Mails that a peer requested.
    mails_of: Vec<(Peer, u64)>,
    links: Vec<Link>,
    stops: Vec<Stopper>,
    /// Challenges that passkeys signed.
    challenges: Vec<Challenge>,
    /// Credentials of all passkeys that there were.
    credentials: Vec<Digest>,
    orders: Vec<Order>,
    keys: Vec<keys::Kept>,
    /// Browsers and grants so far.
    sessions: u32,
    counts: PeopleCounts,
}

impl People {
    /// How often each case occurred.
    pub fn counts(&self) -> PeopleCounts {
        self.counts
    }

    /// Judges a command that was applied to the exchange, and notes its effects.
    ///
    /// # Errors
    /// An order that must not be there, or one that is missing.
    pub fn note(&mut self, exchange: &Exchange, command: &Command) -> Result<Judged, String> {
        let now = exchange.stamp.time.0;
        let mut placed = exchange
            .happened
            .iter()
            .filter_map(|happening| if let Happening::Accepted(id) = happening { Some(*id) } else { None });
        if self.keys.is_empty() {
            self.find_keys(exchange.state.access());
        }
        if let Some(caller) = &command.caller {
            let judged = self.call(exchange, caller, &command.body, now);
            let is_order = acts::is_place(&command.body) && judged.is_ok();
            return match (placed.next(), caller.account) {
                (Some(id), Some(account)) if is_order => {
                    self.orders.push(Order { id, account, session: caller.session });
                    Ok(judged)
                }
                (None, _) if !is_order => Ok(judged),
                (got, _) => Err(format!("{judged:?}, and the order is {got:?}")),
            };
        }
        if placed.next().is_some() {
            return Err("an order of no caller".into());
        }
        let Body::Identity(own) = &command.body else { return Ok(Ok(())) };
        Ok(self.own(exchange.state.access(), own, now))
    }

    /// Judges a command of the exchange itself.
    fn own(&mut self, access: &Access, own: &Own, now: u64) -> Judged {
        match own {
            Own::AddUser(new) => self.add_user(access, new),
            Own::ChangeUser(id, change) => self.change_user(access, *id, change),
            Own::AskReset(mailing, token) => self.ask_reset(mailing, token, now),
            Own::Reset(token, credential) => self.reset(token, *credential, now),
            Own::SetPassword(session, credential) => self.set_password(*session, *credential, now),
            Own::Fail(failure) => self.fail(failure, now),
            Own::Open(new) => self.open(access, new, now),
            Own::UseCode(used) => self.use_code(used, now),
            Own::Enrol(enrolment) => self.enrol(enrolment, now),
            Own::Choose(session, account) => self.choose(access, *session, *account, now),
            Own::EndBrowsers(sessions) => {
                sessions.iter().for_each(|session| self.end_window(*session));
                Ok(())
            }
            Own::AddApp(new) => self.add_app(new),
            Own::SetAppSecret(id, _) => self.set_secret(*id),
            Own::DeleteApp(id) => self.delete_app(*id),
            Own::ReviewApp(id, reviewed, implicit) => self.review_app(*id, *reviewed, *implicit),
            Own::Issue(new) => self.issue(access, new, now),
            Own::Exchange(asked) => self.exchange(access, asked, now),
            Own::Refresh(asked) => self.refresh(asked, now),
            Own::Grant(new) => self.grant(access, new, now),
            Own::Revoke(app, token) => self.revoke(*app, token),
            Own::EndGrant(user, session) => self.end_grant(*user, *session),
            Own::AddPasskey(new) => self.add_passkey(new, now),
            Own::UsePasskey(used) => self.use_passkey(access, used, now),
            Own::RemovePasskey(session, number) => self.remove_passkey(*session, *number, now),
            Own::ResetFactors(user) => self.reset_factors(user.index()),
            Own::SetPreferences(session, value) => self.set_preferences(*session, value, now),
            Own::StopSessions(asked) => self.stop(asked, now),
            Own::KeepBrowsers(micros) => {
                let live = self.windows.iter_mut().filter(|window| window.opened + 12 * HOUR > now);
                live.for_each(|window| {
                    window.opened += micros;
                    window.code_at += micros;
                });
                Ok(())
            }
            Own::RevokeByToken => no("Unknown"),
            // An ended record is dead before it is forgotten.
            Own::Forget => Ok(()),
            Own::SignUp(..) | Own::Confirm(_) | Own::Invite(..) => unreachable!("the dealer deals none"),
        }
    }

    fn person(&self, id: UserId) -> Option<&Person> {
        self.persons.get(id.index())
    }

    fn next_session(&mut self) -> SessionId {
        self.sessions += 1;
        SessionId::held(self.sessions - 1)
    }
}

/// An exchange with people, and what it must show.
struct World {
    exchange: Exchange,
    dice: Dice,
    people: People,
    dealer: PeopleDealer,
}

/// Runs `steps` random commands of people and apps.
///
/// # Errors
/// The first difference between the core and the naive model.
pub fn people(dice: Dice, steps: u32) -> Result<PeopleCounts, String> {
    let mut world = World::open(dice)?;
    for step in 0..steps {
        world.step().map_err(|difference| format!("step {step}: {difference}"))?;
    }
    Ok(world.people.counts)
}

/// The accounts, groups and symbol of an exchange that people use: two accounts of a group, one of another, dollars on each, and a key of the
/// first.
pub fn found_people(exchange: &mut Exchange) -> PeopleDealer {
    let usd = exchange.find_currency("USD");
    exchange.find_currency("BTC");
    let symbol = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]);
    let first = exchange.account("first", "");
    let accounts = [first, exchange.account_beside(first, "second", ""), exchange.account("other", "")];
    for account in accounts {
        let million = Money::from_units(1_000_000 * Money::ONE.units());
        exchange.own(Body::credit(account, vec![(usd, million)]));
    }
    let key = exchange.key("first", first, buttonwood_model::Role::Trader);
    PeopleDealer::new(exchange, symbol, accounts, key)
}

impl World {
    fn open(dice: Dice) -> Result<Self, String> {
        let mut exchange = Exchange::open(FeeSchedule::default(), None);
        let dealer = found_people(&mut exchange);
        exchange.submit(1_000 * HOUR, &Command { caller: None, body: Founding::MoveClock.into() });
        let mut world = Self { exchange, dice, people: People::default(), dealer };
        for body in world.dealer.founding() {
            world.submit(1, &Command { caller: None, body: body.into() })?;
        }
        Ok(world)
    }

    fn step(&mut self) -> Result<(), String> {
        let now = self.exchange.stamp.time.0;
        if let Some(wait) = self.dealer.wait(&mut self.dice, &self.people, now) {
            return self.wait(wait);
        }
        let command = self.dealer.deal(&mut self.dice, &self.people, now);
        self.submit(1, &command)
    }

    /// Time passes, and what falls due is forgotten, at once or later; now and then the state goes through a snapshot.
    fn wait(&mut self, wait: u64) -> Result<(), String> {
        self.submit(wait, &Command { caller: None, body: Founding::MoveClock.into() })?;
        if self.dice.once_in(2) {
            while let Some(due) = self.exchange.state.next_due() {
                if due.time > self.exchange.stamp.time {
                    break;
                }
                self.submit(1, &Command { caller: None, body: due.command })?;
            }
        }
        if self.dice.once_in(4) {
            self.exchange.state = self.exchange.stored();
        }
        self.people.agree(&self.exchange)
    }

    fn submit(&mut self, wait: u64, command: &Command) -> Result<(), String> {
        let answer = self.exchange.submit(wait, command);
        let judged = self.people.note(&self.exchange, command);
        let judged = judged.map_err(|why| format!("{command:?}: {why}"))?;
        if !is_as_judged(&answer, &judged) {
            return Err(format!("{command:?}: {answer:?}, expected {judged:?}"));
        }
        if judged.is_err() && !self.exchange.work.out.events.is_empty() {
            return Err(format!("{command:?} is refused and has events"));
        }
        self.people.agree(&self.exchange).map_err(|why| format!("after {command:?}: {why}"))?;
        let broken = self.exchange.state.broken_law();
        broken.map_or(Ok(()), |law| Err(format!("after {command:?}: {law:?}")))
    }
}

fn is_as_judged(answer: &Answer, judged: &Judged) -> bool {
    match (answer, judged) {
        (Outcome::Rejected(reject), Err(why)) => format!("{reject:?}").contains(why),
        (Outcome::Rejected(_), Ok(())) => false,
        (_, judged) => judged.is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The core lets people and apps do what the naive model lets them do, and every case is among the runs.
    #[test]
    fn the_core_admits_like_the_naive_model() {
        let mut counts = PeopleCounts::default();
        for seed in 0..96 {
            let run = people(Dice::seeded(seed), 1_000);
            counts.add(&run.unwrap_or_else(|difference| panic!("seed {seed}: {difference}")));
        }
        assert_eq!(counts.rarer_than(8), Vec::<&str>::new(), "{counts:?}");
    }
}
