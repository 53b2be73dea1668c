//! Links that set another password, and the limits of mails.

use super::{HOUR, Judged, Link, People, no};
use buttonwood_engine::identity::{Digest, Mailing};
use buttonwood_model::SessionId;

impl People {
    pub(super) fn ask_reset(&mut self, mailing: &Mailing, token: &Digest, now: u64) -> Judged {
        let mut is_sent = true;
        if mailing.is_limited {
            let is_recent = |at: u64| at + HOUR > now;
            let of_peer: Vec<u64> =
                self.mails_of.iter().filter(|it| it.0 == mailing.peer).map(|it| it.1).collect();
            let recent: Vec<u64> = of_peer.into_iter().filter(|at| is_recent(*at)).collect();
            if recent.len() >= 20 {
                self.counts.note("mail too many");
                return Err(format!("Throttled(Time({}))", recent[recent.len() - 20] + HOUR));
            }
            let to = self.mails_to.iter().filter(|it| it.0 == mailing.login && is_recent(it.1));
            is_sent = to.count() < 3;
            self.mails_of.push((mailing.peer, now));
            if is_sent {
                self.mails_to.push((mailing.login, now));
            } else {
                self.counts.note("mail too many");
            }
        }
        let person = self.persons.iter().position(|it| it.login == mailing.login && !it.is_disabled);
        if let Some(person) = person.filter(|_| is_sent) {
            self.links.push(Link { token: *token, person, asked: now, has_ended: false });
        }
        Ok(())
    }

    /// Another password by a link, which lives an hour: it signs the user out everywhere, and ends the user's links. Grants stay.
    pub(super) fn reset(&mut self, token: &Digest, credential: u64, now: u64) -> Judged {
        let link = self.links.iter().find(|it| it.token == *token && !it.has_ended && now < it.asked + HOUR);
        let Some(at) = link.map(|link| link.person) else { return no("BadLink") };
        if self.persons[at].is_disabled || credential == 0 {
            return no("BadLink");
        }
        (self.persons[at].credential, self.persons[at].reset) = (credential, Some(now));
        self.windows.iter_mut().filter(|it| it.person == at).for_each(|it| it.has_ended = true);
        self.end_links(at);
        self.counts.note("password reset");
        Ok(())
    }

    /// Another password in a browser, right after a code: the user's other browsers and links end.
    pub(super) fn set_password(&mut self, session: SessionId, credential: u64, now: u64) -> Judged {
        let Some(window) = self.window(session, now) else { return no("UnknownBrowser") };
        if !window.is_fresh(now) {
            return no("CodeRequired");
        }
        let at = window.person;
        if credential == 0 {
            return no("WrongCredential");
        }
        self.persons[at].credential = credential;
        let others = self.windows.iter_mut().filter(|it| it.person == at && it.id != session);
        others.for_each(|it| it.has_ended = true);
        self.end_links(at);
        self.counts.note("password set");
        Ok(())
    }
}
