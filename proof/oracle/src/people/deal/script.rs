//! Courses of several commands that chance alone would hardly deal: guesses until codes are locked, and the way back; a flood of failures, of
//! browsers and of mails; a factor that two browsers enrol; a role that is lost between consent and exchange; the end of the implicit flow.

use super::apps::URI;
use super::{ALL, Own, PEERS, People, PeopleDealer, a_user, app_id, login, numbered};
use crate::Dice;
use buttonwood_engine::identity::{
    Enrolment, Exchange as Redeem, Failure, Mailing, NewBrowser, NewCode, Peer, Proof, UsedCode, UserChange,
    UserId,
};
use buttonwood_model::{Role, Roles, Scope, Scopes, SessionId};
use std::collections::VecDeque;
use std::sync::Arc;

/// A command of a course; which one exactly follows from the model by then.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// A right password; whether both factors count as given.
    Open(UserId, bool),
    /// The newest browser but so many enrols a factor.
    Enrol(UserId, usize),
    /// A wrong code from a peer of its own.
    Guess(UserId),
    /// A wrong password, always from the same peer.
    Fail(UserId),
    AskReset(UserId),
    Reset(UserId),
    Recover(UserId),
    Totp(UserId),
    AddPasskey(UserId),
    RemovePasskey(UserId),
    Change(UserId, Option<u64>, Option<Roles>),
    Review(bool),
    Consent(UserId, bool),
    Exchange,
}

/// Scopes that take different roles.
const WIDE: Scopes = Scopes::of(&[Scope::OrdersCreate, Scope::BalancesRead]);

/// A course, by chance.
pub(super) fn course(dice: &mut Dice) -> VecDeque<Part> {
    let user = a_user(dice);
    let trader = UserId(dice.pick(&[0, 1]));
    let many = |part: Part, times: usize| vec![part; times];
    let parts = match dice.below(11) {
        0 | 1 => {
            let way_back = [
                Part::Recover(user),
                Part::AskReset(user),
                Part::Reset(user),
                Part::Open(user, false),
                Part::Totp(user),
                Part::Recover(user),
                Part::Totp(user),
            ];
            let begin = [Part::Open(user, true), Part::Enrol(user, 0)];
            [begin.to_vec(), many(Part::Guess(user), 51), way_back.to_vec()].concat()
        }
        9 => [vec![Part::Open(user, true)], many(Part::AddPasskey(user), 11)].concat().repeat(2),
        10 => {
            let begin = vec![Part::Change(user, Some(0), None), Part::Open(user, true)];
            let end = [Part::Open(user, false), Part::AddPasskey(user), Part::RemovePasskey(user)];
            [begin, many(Part::RemovePasskey(user), 20), end.to_vec()].concat()
        }
        2 => [many(Part::Fail(user), 6), vec![Part::Open(user, false), Part::Totp(user)]].concat(),
        3 => many(Part::Open(user, true), 22),
        4 => many(Part::AskReset(user), 22),
        5 => vec![
            Part::Change(user, Some(0), None),
            Part::Open(user, false),
            Part::Open(user, false),
            Part::Enrol(user, 1),
            Part::Enrol(user, 0),
            Part::Enrol(user, 1),
        ],
        6 | 7 => vec![
            Part::Review(true),
            Part::Change(trader, None, Some(ALL)),
            Part::Open(trader, true),
            Part::Consent(trader, false),
            Part::Change(trader, None, Some(Roles::of(&[Role::FundManager]))),
            Part::Exchange,
            Part::Change(trader, None, Some(ALL)),
        ],
        _ => vec![
            Part::Review(true),
            Part::Open(trader, true),
            Part::Consent(trader, true),
            Part::Consent(trader, true),
            Part::Review(false),
        ],
    };
    parts.into()
}

impl PeopleDealer {
    /// How long it takes until the next guess is taken, if a course guesses codes that are throttled for minutes.
    pub(super) fn pause(&self, people: &People, now: u64) -> Option<u64> {
        let Part::Guess(user) = self.course.front()? else { return None };
        let until = people.throttled_codes(user.index(), false, now);
        until.map(|until| until - now).filter(|pause| *pause <= 5 * super::MINUTE)
    }

    pub(super) fn play(&mut self, dice: &mut Dice, part: Part, people: &People, now: u64) -> Own {
        let session = |user: UserId, back: usize| {
            let own = people.windows.iter().rev().filter(|it| it.person == user.index() && !it.has_ended);
            own.map(|window| window.id).nth(back).unwrap_or_default()
        };
        let step = now / super::SECOND / 30;
        match part {
            Part::Open(user, is_full) => {
                let credential = people.person(user).map_or(0, |person| person.credential);
                let (address, agent) = (String::new(), String::new());
                let (cookie, peer) = (self.fresh(b'k'), PEERS[0]);
                Own::Open(Arc::new(NewBrowser { user, credential, cookie, peer, address, agent, is_full }))
            }
            Part::Enrol(user, back) => {
                let factor = people.person(user).map_or(0, |person| person.factor) + 1;
                let recovery = (0..3).map(|_| self.fresh(b'v')).collect();
                let (session, cookie) = (session(user, back), self.fresh(b'k'));
                let notice = self.fresh(b'n');
                Own::Enrol(Arc::new(Enrolment { session, cookie, factor, step, recovery, notice }))
            }
            Part::Guess(user) => {
                let peer = self.fresh(b'p');
                let peer = Peer(peer[..16].try_into().unwrap());
                Own::Fail(Failure { login: login(user.0), peer, code_of: Some(user) })
            }
            Part::Fail(user) => Own::Fail(Failure { login: login(user.0), peer: PEERS[0], code_of: None }),
            Part::AskReset(user) => {
                let mailing = Mailing { login: login(user.0), peer: PEERS[1], is_limited: true };
                Own::AskReset(mailing, self.fresh(b'l'))
            }
            Part::Reset(user) => {
                let own = people.links.iter().rev().find(|it| it.person == user.index() && !it.has_ended);
                Own::Reset(own.map_or(numbered(b'l', 0), |link| link.token), 3)
            }
            Part::Recover(user) | Part::Totp(user) => {
                let person = people.person(user);
                let proof = if let Part::Totp(_) = part {
                    Proof::Totp {
                        factor: person.map_or(0, |person| person.factor),
                        step: step + dice.below(2),
                    }
                } else {
                    let code = person.and_then(|person| person.recovery.first().copied());
                    Proof::Recovery(code.unwrap_or(numbered(b'v', 0)))
                };
                let (session, cookie) = (session(user, 0), self.fresh(b'k'));
                let notice = self.fresh(b'n');
                Own::UseCode(UsedCode { session, cookie, proof, peer: PEERS[2], notice })
            }
            Part::AddPasskey(user) => self.new_passkey(session(user, 0), now),
            Part::RemovePasskey(user) => Self::remove_passkey(people, user.index(), session(user, 0), false),
            Part::Change(user, factor, roles) => {
                Own::ChangeUser(user, Arc::new(UserChange { factor, roles, ..UserChange::default() }))
            }
            Part::Review(is_on) => Own::ReviewApp(app_id(0), true, is_on),
            Part::Consent(user, is_implicit) => self.consent_of(user, session(user, 0), is_implicit),
            Part::Exchange => self.exchange_newest(people),
        }
    }

    fn consent_of(&mut self, user: UserId, browser: SessionId, is_implicit: bool) -> Own {
        Own::Issue(Arc::new(NewCode {
            browser,
            app: app_id(0),
            account: self.accounts[if user == UserId(1) { 2 } else { 0 }],
            scopes: WIDE,
            redirect_uri: URI.into(),
            challenge: None,
            code: self.fresh(if is_implicit { b'a' } else { b'c' }),
            is_implicit,
        }))
    }

    fn exchange_newest(&mut self, people: &People) -> Own {
        let slip = people.slips.last();
        let (access, refresh) = (self.fresh(b'a'), self.fresh(b'r'));
        Own::Exchange(Arc::new(Redeem {
            app: app_id(0),
            code: slip.map_or(numbered(b'c', 0), |slip| slip.digest),
            redirect_uri: URI.into(),
            verifier: None,
            access,
            refresh,
        }))
    }
}
