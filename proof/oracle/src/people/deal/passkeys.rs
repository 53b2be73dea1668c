//! Passkeys that are added, used and removed, with challenges and counters that are right, again, too old or too low.

use super::{Own, PEERS, People, PeopleDealer, Window, newest, one};
use crate::Dice;
use buttonwood_engine::identity::{Challenge, Digest, NewPasskey, Passkey, UsedPasskey, UserId};
use buttonwood_model::{SessionId, Time};
use std::sync::Arc;

impl PeopleDealer {
    /// A command of a passkey, by chance.
    pub(super) fn passkey(&mut self, dice: &mut Dice, people: &People, now: u64) -> Own {
        let alive = people.windows.iter().filter(|it| it.is_alive(now) || it.id.0.is_multiple_of(5));
        let Some(&Window { id: session, person, .. }) = newest(dice, alive) else {
            return self.open(dice, people, now);
        };
        match dice.below(10) {
            0..3 => self.add_passkey(dice, people, session, now),
            3 | 4 => Self::remove_passkey(people, person, session, dice.below(4) == 0),
            _ => self.use_passkey(dice, people, session, now),
        }
    }

    /// A challenge that was just begun; at times an old one, and one that was used.
    fn challenge(&mut self, dice: &mut Dice, people: &People, now: u64) -> Challenge {
        let used = newest(dice, people.challenges.iter());
        let age = if dice.once_in(12) { 5 * super::MINUTE } else { dice.below(200) * super::SECOND };
        let new = Challenge { digest: self.fresh(b'w'), ends: Time(now + 5 * super::MINUTE - age) };
        used.copied().filter(|_| dice.once_in(4)).unwrap_or(new)
    }

    pub(super) fn add_passkey(
        &mut self,
        dice: &mut Dice,
        people: &People,
        session: SessionId,
        now: u64,
    ) -> Own {
        let challenge = self.challenge(dice, people, now);
        let known = one(dice, people.credentials.iter()).copied();
        let credential = known.filter(|_| dice.once_in(3)).unwrap_or_else(|| self.fresh(b'q'));
        self.making(session, challenge, credential, u32::try_from(dice.below(2)).unwrap())
    }

    /// A passkey that was never there, with a challenge that was just begun.
    pub(super) fn new_passkey(&mut self, session: SessionId, now: u64) -> Own {
        let challenge = Challenge { digest: self.fresh(b'w'), ends: Time(now + 5 * super::MINUTE) };
        let credential = self.fresh(b'q');
        self.making(session, challenge, credential, 1)
    }

    fn making(&mut self, session: SessionId, challenge: Challenge, credential: Digest, counter: u32) -> Own {
        let passkey = Passkey {
            number: self.serial,
            credential,
            name: "key".into(),
            key: [[1; 32], [2; 32]],
            counter,
            may_be_copied: false,
            created: Time(0),
        };
        let recovery = (0..3).map(|_| self.fresh(b'v')).collect();
        Own::AddPasskey(Arc::new(NewPasskey {
            session,
            cookie: self.fresh(b'k'),
            challenge,
            passkey,
            recovery,
        }))
    }

    /// A use by its own user; at times in a browser that is signed in, with a counter of before, or of a key that was removed.
    pub(super) fn use_passkey(
        &mut self,
        dice: &mut Dice,
        people: &People,
        session: SessionId,
        now: u64,
    ) -> Own {
        let owners = (0..people.persons.len()).filter(|at| !people.persons[*at].passkeys.is_empty());
        let owners: Vec<usize> = owners.collect();
        let Some(at) = one(dice, owners.iter()).copied() else {
            return self.add_passkey(dice, people, session, now);
        };
        let key = one(dice, people.persons[at].passkeys.iter());
        let (number, counter) = key.map_or((0, 0), |key| (key.number, key.counter));
        let counter = match dice.below(6) {
            0 => counter,
            1 => counter.saturating_sub(1),
            _ if counter == 0 => u32::from(dice.once_in(4)),
            _ => counter + 1,
        };
        Own::UsePasskey(Arc::new(UsedPasskey {
            user: UserId::from_index(at),
            number: if dice.once_in(20) { number + 1 } else { number },
            counter,
            challenge: self.challenge(dice, people, now),
            session: dice.once_in(2).then_some(session),
            cookie: self.fresh(b'k'),
            peer: dice.pick(&PEERS),
            address: String::new(),
            agent: String::new(),
        }))
    }

    pub(super) fn remove_passkey(people: &People, at: usize, session: SessionId, is_wrong: bool) -> Own {
        let key = people.persons.get(at).and_then(|person| person.passkeys.first());
        let number = key.filter(|_| !is_wrong).map_or(u64::MAX, |key| key.number);
        Own::RemovePasskey(session, number)
    }
}
