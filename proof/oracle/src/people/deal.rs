//! Commands of people and apps, dealt from what the naive model knows: mostly such as are right, and the same ones again, too late, by another
//! client, and beyond what was granted.

mod acts;
mod apps;
mod passkeys;
mod script;

use super::{Family, HOUR, MINUTE, People, SECOND, Slip, Window};
use crate::{Dice, Exchange};
use buttonwood_engine::identity::{
    AppId, Command as Own, Digest, Enrolment, Failure, Mailing, NewApp, NewBrowser, NewUser, Peer, Proof,
    Stage, StopSessions, UsedCode, UserChange, UserId,
};
use buttonwood_engine::{Body, Caller, Command};
use buttonwood_model::{AccountId, GroupId, Role, Roles, Scopes, SessionId, SymbolId};
use buttonwood_num::{Grid, Qty};
use script::{Part, course};
use std::collections::VecDeque;
use std::sync::Arc;

const PEERS: [Peer; 3] = [Peer([1; 16]), Peer([2; 16]), Peer([3; 16])];
const ALL: Roles = Roles::of(&[Role::Administrator, Role::Trader, Role::FundManager]);
/// Users who act at random; the first of them own the apps.
const USERS: u32 = 5;
/// The passwords' numbers that are tried.
const FIRST: u64 = 1;

/// The dealer of these commands.
#[derive(Debug)]
pub struct PeopleDealer {
    symbol: SymbolId,
    grid: Grid,
    least: Qty,
    /// Two of the first group, and one of the second.
    accounts: [AccountId; 3],
    groups: [GroupId; 2],
    key: SessionId,
    nonce: u64,
    /// Numbers the secrets, so that none is dealt twice.
    serial: u64,
    /// The rest of a course of commands.
    course: VecDeque<Part>,
}

/// The digest that stands for a secret.
fn numbered(kind: u8, number: u64) -> Digest {
    let mut digest = [0; 32];
    digest[0] = kind;
    digest[8..16].copy_from_slice(&number.to_be_bytes());
    digest
}

/// One of those that pass, by chance.
fn one<'a, T>(dice: &mut Dice, all: impl Iterator<Item = &'a T>) -> Option<&'a T> {
    let all: Vec<&T> = all.collect();
    if all.is_empty() {
        return None;
    }
    let at = dice.below(u64::try_from(all.len()).unwrap());
    Some(all[usize::try_from(at).unwrap()])
}

/// One of the newest of those that pass.
fn newest<'a, T>(dice: &mut Dice, all: impl DoubleEndedIterator<Item = &'a T>) -> Option<&'a T> {
    one(dice, all.rev().take(4))
}

impl PeopleDealer {
    pub(super) fn new(
        exchange: &Exchange,
        symbol: SymbolId,
        accounts: [AccountId; 3],
        key: SessionId,
    ) -> Self {
        let access = exchange.state.access();
        let group = |account| access.account(account).and_then(|it| it.group).unwrap();
        let groups = [group(accounts[0]), group(accounts[2])];
        let listed = exchange.state.symbol(symbol).unwrap();
        let (grid, least) = (listed.grid.clone(), listed.qty_min);
        Self { symbol, grid, least, accounts, groups, key, nonce: 0, serial: 0, course: VecDeque::new() }
    }

    /// The commands that come first: users of both groups, one without a second factor, an operator, and apps.
    pub fn founding(&self) -> Vec<Own> {
        let user = |number: u8, group: Option<GroupId>, factor| NewUser {
            login: login(u32::from(number)),
            name: format!("user {number}"),
            group,
            roles: if group.is_some() { ALL } else { Roles::NONE },
            is_operator: group.is_none(),
            is_disabled: false,
            credential: FIRST,
            factor,
        };
        let [first, second] = self.groups.map(Some);
        let users = [(first, 1), (second, 1), (first, 1), (second, 0), (None, 1)];
        let users = (0..)
            .zip(users)
            .map(|(number, (group, factor))| Own::AddUser(Arc::new(user(number, group, factor))));
        let apps = (0..3).map(|number| Own::AddApp(Arc::new(new_app(number))));
        let reviews = [(0, true, true), (1, true, false)];
        let reviews = reviews.map(|(app, reviewed, on)| Own::ReviewApp(app_id(app), reviewed, on));
        users.chain(apps).chain(reviews).collect()
    }

    /// How long nothing happens, if nothing does: past a race, the life of a code, a window of a throttle, a browser, a token.
    pub fn wait(&mut self, dice: &mut Dice, people: &People, now: u64) -> Option<u64> {
        if let Some(pause) = self.pause(people, now) {
            return Some(pause);
        }
        if !dice.once_in(8) {
            return None;
        }
        let span = dice.pick(&[
            SECOND,
            SECOND,
            5 * SECOND,
            9 * SECOND,
            11 * SECOND,
            30 * SECOND,
            30 * SECOND,
            5 * MINUTE,
            5 * MINUTE,
            11 * MINUTE,
            HOUR,
            5 * HOUR,
            13 * HOUR,
            25 * HOUR,
        ]);
        // A long silence is rare, so that browsers and tokens live at the same time.
        Some(if span >= HOUR && !dice.once_in(4) { 2 * SECOND } else { span })
    }

    /// The next command.
    pub fn deal(&mut self, dice: &mut Dice, people: &People, now: u64) -> Command {
        if self.course.is_empty() && dice.once_in(60) {
            self.course = course(dice);
        }
        if !dice.once_in(5)
            && let Some(part) = self.course.pop_front()
        {
            let own = self.play(dice, part, people, now);
            return Command { caller: None, body: own.into() };
        }
        if dice.below(100) < 22 {
            return self.act(dice, people, now);
        }
        let own = match dice.below(100) {
            0..12 => self.open(dice, people, now),
            12..24 => self.code(dice, people, now),
            24..27 => self.enrol(dice, people, now),
            27..33 => Self::fail(dice),
            33..36 => self.mail(dice, people, now),
            36..38 => self.browser(dice, people, now),
            38..50 => self.consent(dice, people, now),
            50..63 => self.exchange(dice, people, now),
            63..77 => self.refresh(dice, people, now),
            77..83 => self.passkey(dice, people, now),
            83..88 => self.revoke(dice, people, now),
            88..92 => self.app(dice),
            92 => self.grant(dice),
            93 | 94 => self.preferences(dice, people, now),
            _ => self.user(dice),
        };
        Command { caller: None, body: own.into() }
    }

    fn fresh(&mut self, kind: u8) -> Digest {
        self.serial += 1;
        numbered(kind, self.serial)
    }

    fn open(&mut self, dice: &mut Dice, people: &People, _now: u64) -> Own {
        let user = a_user(dice);
        let credential = people.person(user).map_or(0, |person| person.credential);
        let credential = if dice.once_in(12) { credential + 1 } else { credential };
        let (address, agent) = (String::new(), String::new());
        let (cookie, peer) = (self.fresh(b'k'), dice.pick(&PEERS));
        let is_full = dice.once_in(2);
        Own::Open(Arc::new(NewBrowser { user, credential, cookie, peer, address, agent, is_full }))
    }

    /// A code of a browser: near steps, the step that was used, far ones, recovery codes, used ones too.
    fn code(&mut self, dice: &mut Dice, people: &People, now: u64) -> Own {
        let windows = people.windows.iter().filter(|it| !it.has_ended || it.id.0.is_multiple_of(5));
        let window = newest(dice, windows.filter(|it| it.is_alive(now) || it.id.0.is_multiple_of(3)));
        let Some(&Window { id: session, person, .. }) = window else { return self.open(dice, people, now) };
        let person = &people.persons[person];
        let current = now / SECOND / 30;
        let recovery = person.recovery.first().copied();
        let proof = match dice.below(10) {
            0..5 => Proof::Totp { factor: person.factor, step: current + dice.below(3) - 1 },
            5 => Proof::Totp { factor: person.factor, step: current + dice.below(5) - 2 },
            6 => Proof::Totp { factor: person.factor + 1, step: current },
            7 | 8 => Proof::Recovery(recovery.filter(|_| !dice.once_in(4)).unwrap_or(numbered(b'v', 0))),
            _ => Proof::Bypass,
        };
        let (cookie, notice) = (self.fresh(b'k'), self.fresh(b'n'));
        Own::UseCode(UsedCode { session, cookie, proof, peer: dice.pick(&PEERS), notice })
    }

    fn enrol(&mut self, dice: &mut Dice, people: &People, now: u64) -> Own {
        let of_new = people.windows.iter().filter(|it| it.person == 3 && !it.has_ended);
        let window = if dice.once_in(2) { newest(dice, of_new) } else { newest(dice, people.windows.iter()) };
        let Some(&Window { id: session, person, .. }) = window else { return self.open(dice, people, now) };
        let factor = people.persons[person].factor + 1;
        let recovery = (0..3).map(|_| self.fresh(b'v')).collect();
        let step = now / SECOND / 30 + if dice.once_in(10) { 5 } else { 0 };
        let (cookie, notice) = (self.fresh(b'k'), self.fresh(b'n'));
        Own::Enrol(Arc::new(Enrolment { session, cookie, factor, step, recovery, notice }))
    }

    /// A wrong password of an address, known or not, or a wrong code of a user.
    fn fail(dice: &mut Dice) -> Own {
        let number = u32::try_from(dice.below(3)).unwrap() * 4;
        let code_of = (number < USERS && dice.once_in(3)).then_some(UserId(number));
        Own::Fail(Failure { login: login(number), peer: PEERS[0], code_of })
    }

    fn mail(&mut self, dice: &mut Dice, people: &People, now: u64) -> Own {
        let link = newest(dice, people.links.iter().filter(|link| !link.has_ended));
        if let Some(link) = link.filter(|_| dice.once_in(2)) {
            return Own::Reset(link.token, people.persons[link.person].credential + 1);
        }
        let session = newest(dice, people.windows.iter().filter(|it| it.is_alive(now))).map(|it| it.id);
        if let Some(session) = session.filter(|_| dice.once_in(4)) {
            self.serial += 1;
            return Own::SetPassword(session, 100 + self.serial);
        }
        let user = dice.pick(&[2, 2, 0, 77]);
        let mailing =
            Mailing { login: login(user), peer: dice.pick(&PEERS[..2]), is_limited: !dice.once_in(4) };
        Own::AskReset(mailing, self.fresh(b'l'))
    }

    /// A link that ends all sessions of a user; at times one that was used or has ended, with a wrong password or a code of another time.
    fn stop(&mut self, dice: &mut Dice, people: &People, now: u64) -> Option<Own> {
        let alive = people.stops.iter().filter(|it| it.is_alive(now) || dice.once_in(8));
        let alive: Vec<_> = alive.collect();
        let link = newest(dice, alive.into_iter())?;
        let credential = people.persons[link.person].credential + u64::from(dice.once_in(8));
        let code = one(dice, link.recovery.iter().chain(&people.persons[link.person].recovery)).copied();
        let recovery = code.filter(|_| !dice.once_in(6)).unwrap_or_else(|| self.fresh(b'v'));
        let token = link.token;
        Some(Own::StopSessions(StopSessions { token, credential, recovery, peer: dice.pick(&PEERS) }))
    }

    fn browser(&mut self, dice: &mut Dice, people: &People, now: u64) -> Own {
        if dice.once_in(4)
            && let Some(stop) = self.stop(dice, people, now)
        {
            return stop;
        }
        let Some(window) = one(dice, people.windows.iter()) else { return self.open(dice, people, now) };
        if dice.once_in(2) {
            Own::EndBrowsers(Arc::new(vec![window.id]))
        } else {
            Own::Choose(window.id, dice.pick(&self.accounts))
        }
    }

    /// Preferences of a browser, most often one that is signed in; now and then they are too long.
    fn preferences(&mut self, dice: &mut Dice, people: &People, now: u64) -> Own {
        let is_full = |it: &&Window| it.is_alive(now) && it.stage == Stage::Full;
        let full = newest(dice, people.windows.iter().filter(is_full));
        let window = if dice.once_in(8) { newest(dice, people.windows.iter()) } else { full };
        let Some(session) = window.map(|it| it.id) else { return self.open(dice, people, now) };
        self.serial += 1;
        let value = if dice.once_in(8) { "x".repeat(8_193) } else { format!("{{\"n\":{}}}", self.serial) };
        Own::SetPreferences(session, Arc::new(value))
    }

    /// Another role, and at times all else of a user.
    fn user(&mut self, dice: &mut Dice) -> Own {
        let user = a_user(dice);
        let roles = dice.pick(&[
            ALL,
            ALL,
            Roles::of(&[Role::Trader]),
            Roles::of(&[Role::FundManager]),
            Roles::of(&[Role::Auditor]),
            Roles::NONE,
        ]);
        let mut change = UserChange { roles: Some(roles), ..UserChange::default() };
        match dice.below(8) {
            0 => change = UserChange { is_disabled: Some(true), ..UserChange::default() },
            1 | 2 => change.is_disabled = Some(false),
            3 => (change.is_operator, change.group) = (Some(false), Some(dice.pick(&self.groups))),
            4 if dice.once_in(3) => change.is_operator = Some(true),
            5 if dice.once_in(3) => change.group = Some(dice.pick(&self.groups)),
            6 if dice.once_in(4) => change.factor = Some(1),
            7 if dice.once_in(8) => return Own::ResetFactors(user),
            _ => {}
        }
        Own::ChangeUser(user, Arc::new(change))
    }
}

fn a_user(dice: &mut Dice) -> UserId {
    UserId(u32::try_from(dice.below(u64::from(USERS))).unwrap())
}

/// The digest of a user's address.
fn login(number: u32) -> Digest {
    numbered(b'u', u64::from(number))
}

fn app_id(number: u8) -> AppId {
    AppId([0xA0 + number; 16])
}

/// A confidential app with an implicit flow, one of the second user, and a public one without a review.
fn new_app(number: u8) -> NewApp {
    let is_public = number == 2;
    NewApp {
        id: app_id(number),
        owner: UserId(u32::from(number.min(1))),
        name: format!("app {number}"),
        description: String::new(),
        background: String::new(),
        logo: String::new(),
        scopes: if number == 1 { acts::NARROW } else { Scopes::ALL },
        redirect_uris: vec![apps::URI.into()],
        is_public,
        secret: (!is_public).then(|| numbered(b's', 0)),
    }
}
