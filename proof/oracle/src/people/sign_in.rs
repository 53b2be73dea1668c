//! Steps of a sign-in, browsers, and the throttle.

use super::{HOUR, Judged, MINUTE, People, SECOND, Stopper, Window, no};
use buttonwood_engine::Access;
use buttonwood_engine::identity::{
    Digest, Enrolment, Failure, NewBrowser, Peer, Proof, Stage, StopSessions, UsedCode,
};
use buttonwood_model::{AccountId, SessionId};

/// The end of the throttle that events at these times cause: `most` of them within `window`.
fn throttle(times: impl Iterator<Item = u64>, most: usize, window: u64, now: u64) -> Option<u64> {
    let counted: Vec<u64> = times.filter(|time| time + window > now).collect();
    (counted.len() >= most).then(|| counted[counted.len() - most] + window)
}

impl Stopper {
    pub(super) fn is_alive(&self, now: u64) -> bool {
        !self.is_used && now < self.made + 24 * HOUR
    }
}

impl Window {
    pub(super) fn is_alive(&self, now: u64) -> bool {
        !self.has_ended && now < self.opened + 12 * HOUR
    }

    pub(super) fn is_fresh(&self, now: u64) -> bool {
        self.stage == Stage::Full && now < self.code_at + 5 * MINUTE
    }
}

impl People {
    pub(super) fn window(&self, session: SessionId, now: u64) -> Option<&Window> {
        self.windows.iter().find(|window| window.id == session && window.is_alive(now))
    }

    /// When an address may try again from a peer, if it failed too often.
    pub(super) fn throttled(&self, login: &Digest, peer: Peer, now: u64) -> Option<u64> {
        let times = self.failures.iter().filter(|it| it.0 == *login && it.1 == peer).map(|it| it.2);
        throttle(times, 5, 5 * MINUTE, now)
    }

    /// When a user may give a code again, if too many failed. After a reset, with fewer than five failures since, a recovery code is taken.
    pub(super) fn throttled_codes(&self, at: usize, is_recovery: bool, now: u64) -> Option<u64> {
        let times = || self.persons[at].failures.iter().copied();
        let of_day = throttle(times(), 50, 24 * HOUR, now).filter(|_| !is_recovery || !self.was_reset(at));
        throttle(times(), 5, 5 * MINUTE, now).max(of_day)
    }

    fn was_reset(&self, at: usize) -> bool {
        let person = &self.persons[at];
        person.reset.is_some_and(|reset| person.failures.iter().filter(|time| **time >= reset).count() < 5)
    }

    pub(super) fn check_peer(&mut self, login: &Digest, peer: Peer, now: u64) -> Judged {
        let Some(until) = self.throttled(login, peer, now) else { return Ok(()) };
        self.counts.note("throttled by peer");
        Err(format!("Throttled(Time({until}))"))
    }

    fn check_codes(&mut self, at: usize, is_recovery: bool, now: u64) -> Judged {
        let Some(until) = self.throttled_codes(at, is_recovery, now) else { return Ok(()) };
        let is_long = until > now + 5 * MINUTE;
        self.counts.note(if is_long { "codes locked for a day" } else { "throttled codes" });
        Err(format!("Throttled(Time({until}))"))
    }

    pub(super) fn fail(&mut self, failure: &Failure, now: u64) -> Judged {
        self.check_peer(&failure.login, failure.peer, now)?;
        if let Some(user) = failure.code_of {
            if self.person(user).is_none() {
                return no("UnknownUser");
            }
            self.check_codes(user.index(), true, now)?;
            self.persons[user.index()].failures.push(now);
        }
        self.failures.push((failure.login, failure.peer, now));
        Ok(())
    }

    pub(super) fn open(&mut self, access: &Access, new: &NewBrowser, now: u64) -> Judged {
        let Some(person) = self.person(new.user) else { return no("UnknownUser") };
        let (login, has_factor) = (person.login, person.has_factor());
        let is_right = !person.is_disabled && person.credential != 0 && person.credential == new.credential;
        self.check_peer(&login, new.peer, now)?;
        if !is_right {
            return no("WrongCredential");
        }
        if new.is_full && !has_factor {
            return no("WrongStage");
        }
        let stage = match (new.is_full, has_factor) {
            (true, _) => Stage::Full,
            (false, false) => Stage::Enrol,
            (false, true) => Stage::Code,
        };
        self.open_window(access, new.user.index(), (new.cookie, stage, new.peer), now);
        Ok(())
    }

    /// The windows of a person that are alive, full or half, the oldest first.
    fn alive(&self, at: usize, is_full: bool, now: u64) -> Vec<usize> {
        let is_one =
            |it: &Window| it.person == at && (it.stage == Stage::Full) == is_full && it.is_alive(now);
        (0..self.windows.len()).filter(|it| is_one(&self.windows[*it])).collect()
    }

    /// The oldest full window ends, if there are twenty.
    fn end_oldest(&mut self, at: usize, now: u64) {
        let full = self.alive(at, true, now);
        if full.len() >= 20 {
            self.windows[full[0]].has_ended = true;
            self.counts.note("oldest browser ended");
        }
    }

    /// The oldest half window of the peer ends, if it has three.
    fn end_oldest_half(&mut self, at: usize, peer: Peer, now: u64) {
        let halves = self.alive(at, false, now);
        let of_peer: Vec<usize> = halves.into_iter().filter(|it| self.windows[*it].peer == peer).collect();
        if of_peer.len() >= 3 {
            self.windows[of_peer[0]].has_ended = true;
            self.counts.note("oldest half browser ended");
        }
    }

    /// All windows of a person end but one.
    fn end_others(&mut self, at: usize, place: usize) {
        let id = self.windows[place].id;
        let others = self.windows.iter_mut().filter(|it| it.person == at && it.id != id);
        others.for_each(|it| it.has_ended = true);
    }

    /// Keeps the link of a mail, unless the person has ten.
    fn keep_stop(&mut self, at: usize, token: Digest, now: u64) {
        let own = self.stops.iter().filter(|it| it.person == at && it.is_alive(now));
        if own.count() < 10 {
            let recovery = self.persons[at].recovery.clone();
            self.stops.push(Stopper { token, person: at, made: now, recovery, is_used: false });
        }
    }

    /// A mailed link ends all windows of its person, for the password and a recovery code of its moment or of now.
    pub(super) fn stop(&mut self, asked: &StopSessions, now: u64) -> Judged {
        let place = self.stops.iter().position(|it| it.token == asked.token && it.is_alive(now));
        let Some(place) = place else { return no("BadLink") };
        let at = self.stops[place].person;
        let person = &self.persons[at];
        if person.is_disabled || person.credential == 0 {
            return no("BadLink");
        }
        let (login, credential) = (person.login, person.credential);
        self.check_peer(&login, asked.peer, now)?;
        self.check_codes(at, true, now)?;
        if credential != asked.credential {
            return no("WrongCredential");
        }
        let mut codes = self.stops[place].recovery.iter().chain(&self.persons[at].recovery);
        if !codes.any(|code| *code == asked.recovery) {
            return no("WrongCode");
        }
        self.stops[place].is_used = true;
        self.persons[at].recovery.retain(|code| *code != asked.recovery);
        for link in self.stops.iter_mut().filter(|it| it.person == at) {
            link.recovery.retain(|code| *code != asked.recovery);
        }
        self.windows.iter_mut().filter(|it| it.person == at).for_each(|it| it.has_ended = true);
        self.counts.note("stopped by a link");
        Ok(())
    }

    /// Opens a browser; the oldest of too many of its kind ends.
    pub(super) fn open_window(
        &mut self,
        access: &Access,
        at: usize,
        (cookie, stage, peer): (Digest, Stage, Peer),
        now: u64,
    ) {
        if stage == Stage::Full {
            self.end_oldest(at, now);
        } else {
            self.end_oldest_half(at, peer, now);
        }
        let group = self.persons[at].group;
        let account = group.and_then(|group| Some(access.accounts_of(group).next()?.0));
        let id = self.next_session();
        self.windows.push(Window {
            id,
            person: at,
            cookie,
            stage,
            opened: now,
            code_at: now,
            account,
            peer,
            has_ended: false,
        });
    }

    /// The browser that is alive, and its user; counts one that is too old.
    pub(super) fn find(&mut self, session: SessionId, now: u64) -> Result<usize, String> {
        let place = self.windows.iter().position(|it| it.id == session && !it.has_ended);
        let place = place.ok_or("UnknownBrowser")?;
        if self.windows[place].is_alive(now) {
            return Ok(place);
        }
        self.counts.note("browser too old");
        Err("UnknownBrowser".into())
    }

    pub(super) fn use_code(&mut self, used: &UsedCode, now: u64) -> Judged {
        let place = self.find(used.session, now)?;
        let place_of_window = place;
        let at = self.windows[place].person;
        if self.windows[place].stage == Stage::Enrol {
            return no("WrongStage");
        }
        let login = self.persons[at].login;
        self.check_peer(&login, used.peer, now)?;
        let is_recovery = matches!(used.proof, Proof::Recovery(_));
        self.check_codes(at, is_recovery, now)?;
        let was_locked = self.throttled_codes(at, false, now).is_some();
        let was_reset = self.was_reset(at);
        let person = &mut self.persons[at];
        match used.proof {
            Proof::Totp { factor, step } => {
                let current = now / SECOND / 30;
                if factor == 0 || factor != person.factor {
                    return no("WrongCode");
                }
                if step + 1 < current || step > current + 1 {
                    self.counts.note("step too far");
                    return no("WrongCode");
                }
                if step <= person.step {
                    self.counts.note("step used again");
                    return no("WrongCode");
                }
                person.step = step;
            }
            Proof::Recovery(code) => {
                let Some(place) = person.recovery.iter().position(|it| *it == code) else {
                    self.counts.note("recovery code again");
                    return no("WrongCode");
                };
                person.recovery.remove(place);
                if was_reset {
                    person.failures.clear();
                }
                self.counts.note("recovery code");
                self.end_others(at, place_of_window);
                self.keep_stop(at, used.notice, now);
                if was_locked {
                    self.counts.note("unlocked by reset and recovery");
                }
            }
            Proof::Bypass => {}
        }
        self.complete(place, used.cookie, now);
        Ok(())
    }

    /// Both factors were given; a window that becomes full ends the oldest of too many.
    pub(super) fn complete(&mut self, place: usize, cookie: Digest, now: u64) {
        if self.windows[place].stage != Stage::Full {
            self.end_oldest(self.windows[place].person, now);
        }
        let window = &mut self.windows[place];
        (window.stage, window.cookie, window.code_at) = (Stage::Full, cookie, now);
        self.counts.note("signed in");
    }

    pub(super) fn enrol(&mut self, enrolment: &Enrolment, now: u64) -> Judged {
        let place = self.find(enrolment.session, now)?;
        let window = &self.windows[place];
        let at = window.person;
        match window.stage {
            Stage::Code => return no("WrongStage"),
            Stage::Enrol if self.persons[at].has_factor() => {
                self.counts.note("enrolled twice");
                return no("WrongStage");
            }
            Stage::Full if !window.is_fresh(now) => return no("CodeRequired"),
            Stage::Enrol | Stage::Full => {}
        }
        let current = now / SECOND / 30;
        let is_near = enrolment.step + 1 >= current && enrolment.step <= current + 1;
        if !is_near || enrolment.factor == 0 || enrolment.recovery.len() > 10 {
            return no("WrongCode");
        }
        if self.windows[place].stage == Stage::Full {
            self.end_others(at, place);
            self.keep_stop(at, enrolment.notice, now);
            self.counts.note("enrolled anew");
        }
        let person = &mut self.persons[at];
        (person.factor, person.step) = (enrolment.factor, enrolment.step);
        person.recovery.clone_from(&enrolment.recovery);
        self.counts.note("enrolled");
        self.complete(place, enrolment.cookie, now);
        Ok(())
    }

    pub(super) fn choose(
        &mut self,
        access: &Access,
        session: SessionId,
        account: AccountId,
        now: u64,
    ) -> Judged {
        let place = self.find(session, now)?;
        let group = self.persons[self.windows[place].person].group;
        if group.is_none() || access.account(account).is_none_or(|it| it.group != group) {
            return no("ForeignAccount");
        }
        self.windows[place].account = Some(account);
        Ok(())
    }

    pub(super) fn end_window(&mut self, session: SessionId) {
        self.windows.iter_mut().filter(|it| it.id == session).for_each(|it| it.has_ended = true);
    }
}
