//! Passkeys: one is both factors, a challenge works once, and a counter never goes back.

use super::{Judged, MINUTE, Passkey, People, no};
use buttonwood_engine::Access;
use buttonwood_engine::identity::{Challenge, NewPasskey, Stage, UsedPasskey};
use buttonwood_model::SessionId;

impl People {
    /// A challenge lives five minutes and is used once.
    fn check_challenge(&mut self, challenge: &Challenge, now: u64) -> Judged {
        if self.challenges.iter().any(|used| used.digest == challenge.digest) {
            if now < challenge.ends.0 {
                self.counts.note("challenge again");
            }
            return no("WrongCode");
        }
        if now >= challenge.ends.0 || challenge.ends.0 > now + 5 * MINUTE {
            self.counts.note("challenge too old");
            return no("WrongCode");
        }
        Ok(())
    }

    pub(super) fn add_passkey(&mut self, new: &NewPasskey, now: u64) -> Judged {
        let place = self.find(new.session, now)?;
        let (at, stage) = (self.windows[place].person, self.windows[place].stage);
        let has_factor = self.persons[at].has_factor();
        if stage == Stage::Code || stage == Stage::Enrol && has_factor {
            return no("WrongStage");
        }
        if stage == Stage::Full && !self.windows[place].is_fresh(now) {
            return no("CodeRequired");
        }
        self.check_challenge(&new.challenge, now)?;
        let (number, credential) = (new.passkey.number, new.passkey.credential);
        if self.persons[at].passkeys.len() >= 20 {
            self.counts.note("passkeys too many");
            return no("TooManyPasskeys");
        }
        if self.persons.iter().any(|it| it.passkeys.iter().any(|key| key.credential == credential)) {
            self.counts.note("passkey known");
            return no("KnownPasskey");
        }
        if self.persons[at].passkeys.iter().any(|key| key.number == number) || new.recovery.len() > 10 {
            return no("WrongCode");
        }
        let person = &mut self.persons[at];
        if !has_factor {
            person.recovery.clone_from(&new.recovery);
        }
        person.passkeys.push(Passkey { number, credential, counter: new.passkey.counter });
        self.credentials.push(credential);
        self.challenges.push(new.challenge);
        self.counts.note("passkey added");
        if stage == Stage::Enrol {
            self.counts.note("passkey enrolled");
            self.complete(place, new.cookie, now);
        }
        Ok(())
    }

    pub(super) fn use_passkey(&mut self, access: &Access, used: &UsedPasskey, now: u64) -> Judged {
        let at = used.user.index();
        let Some(person) = self.persons.get(at) else { return no("UnknownUser") };
        let (login, is_active) = (person.login, !person.is_disabled && person.credential != 0);
        self.check_peer(&login, used.peer, now)?;
        if !is_active {
            return no("WrongCredential");
        }
        self.check_challenge(&used.challenge, now)?;
        let Some(key) = self.persons[at].passkeys.iter_mut().find(|key| key.number == used.number) else {
            return no("WrongCode");
        };
        let counts_nothing = key.counter == 0 && used.counter == 0;
        if !counts_nothing && used.counter <= key.counter {
            self.counts.note("counter went back");
            return no("WrongCode");
        }
        key.counter = used.counter;
        self.challenges.push(used.challenge);
        let own = self.windows.iter().position(|window| {
            Some(window.id) == used.session && window.person == at && window.is_alive(now)
        });
        match own {
            Some(place) => {
                self.counts.note("passkey renewed");
                self.complete(place, used.cookie, now);
            }
            None => {
                self.counts.note("passkey signed in");
                self.open_window(access, at, (used.cookie, Stage::Full, used.peer), now);
            }
        }
        Ok(())
    }

    pub(super) fn remove_passkey(&mut self, session: SessionId, number: u64, now: u64) -> Judged {
        let place = self.find(session, now)?;
        if !self.windows[place].is_fresh(now) {
            return no("CodeRequired");
        }
        let person = &mut self.persons[self.windows[place].person];
        let Some(key) = person.passkeys.iter().position(|key| key.number == number) else {
            return no("UnknownPasskey");
        };
        if person.factor == 0 && person.passkeys.len() == 1 {
            self.counts.note("last factor kept");
            return no("LastFactor");
        }
        person.passkeys.remove(key);
        self.counts.note("passkey removed");
        Ok(())
    }
}
