//! Links by mail: to confirm an address, and to set another password.

use crate::people::{From, People};
use crate::secret::{digest, draw, draw_number};
use crate::vault::Names;
use crate::{Drawn, password, refusal};
use buttonwood_engine::identity::{Command, Confirm, ConfirmProof, Failure, Mailing, Reject, SignUp, UserId};
use buttonwood_gate::{Refusal, Secret};
use buttonwood_model::{SessionId, Time};
use buttonwood_wire::field::bad_value;
use std::net::IpAddr;
use std::sync::Arc;

/// Characters of a name.
const NAME: std::ops::RangeInclusive<usize> = 1..=100;

/// The mail to an address that has an account, after a sign-up with it.
const TAKEN: [&str; 2] =
    ["You have an account", "Someone signed up with your address, which has an account already."];

/// Refuses a name that is empty, too long or has control characters.
pub(crate) fn check_name(name: &str) -> Result<(), Refusal> {
    let is_name = NAME.contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if is_name { Ok(()) } else { Err(bad_value("name", "of 1 to 100 characters", name)) }
}

impl People {
    /// Signs up. The answer is the same for every address: the value of a cookie that binds the link to this browser. A taken address gets a
    /// mail that says so.
    ///
    /// # Errors
    /// 400 by field; 429 for a peer that asks too often; 503 where no mail can be sent.
    pub async fn sign_up(
        &self,
        email: &str,
        password: &str,
        name: &str,
        from: &From,
    ) -> Result<Drawn, Refusal> {
        self.check_mail()?;
        let known = self.read_address(email)?;
        check_name(name)?;
        if self.settings.limits_mail {
            let checked = self.look(|identity| identity.check_mail_of(from.peer(), self.now()));
            checked.map_err(|reject| refusal(reject, self.now()))?;
        }
        if self.settings.limits_mail {
            self.count_sign_up(from)?;
        }
        self.check_password(("password", password), &[&known.text, name], from.peer).await?;
        let (token, browser, credential) = (draw()?, draw()?, draw_number()?);
        let (names, hash) = (Names::of(&known.login), self.hashed(password, from.peer).await?);
        let address = Secret::new(known.text.clone().into_bytes());
        let records = vec![(names.password(credential), hash), (names.address(), address)];
        let (waiting, digest) = (Arc::clone(&self.waiting), token.digest);
        self.vault(move || waiting.put(digest, (known.login, credential), records)).await?;
        let now = self.now();
        let mailing =
            Mailing { login: known.login, peer: from.peer(), is_limited: self.settings.limits_mail };
        let may_mail = self.look(|identity| !mailing.is_limited || identity.may_mail(&known.login, now));
        let new = SignUp {
            login: known.login,
            name: name.to_owned(),
            credential,
            token: token.digest,
            browser: browser.digest,
            ends: Time(0),
        };
        let sent = self.send(Command::SignUp(mailing, Arc::new(new))).await;
        let is_noted =
            sent.is_ok() && self.look(|identity| identity.sign_up(&token.digest, self.now()).is_some());
        if is_noted {
            self.note_address(known.login, &known.text);
        }
        // One that was not noted leaves the vault with the next look.
        let (waiting, digest) = (Arc::clone(&self.waiting), token.digest);
        self.vault(move || {
            waiting.decided(&digest);
            Ok(())
        })
        .await?;
        sent?;
        if is_noted {
            let words =
                ["Confirm your address", "Follow this link to confirm your address. It works for 24 hours."];
            self.mail(&known.text, words, Some(("/signup", &token.text)));
        } else if may_mail {
            self.mail(&known.text, TAKEN, None);
        }
        Ok(browser)
    }

    /// Confirms an address by the token of its link, in the browser that signed up or with the password.
    ///
    /// # Errors
    /// 400 for a link that is unknown, was used or has ended, or for someone else.
    pub async fn confirm(
        &self,
        token: &str,
        browser_cookie: Option<&str>,
        password: Option<&str>,
        from: &From,
    ) -> Result<(), Refusal> {
        let (token, now) = (digest(token), self.now());
        let found = self.look(|identity| identity.sign_up(&token, now).cloned());
        let bad = || refusal(Reject::BadLink, now);
        let found = found.ok_or_else(bad)?;
        let cookie = browser_cookie.map(digest).filter(|cookie| *cookie == found.browser);
        let proof = match (cookie, password) {
            (Some(cookie), _) => ConfirmProof::Browser(cookie),
            (None, Some(password)) => {
                let checked = self.look(|identity| identity.check_sign_in(&found.login, from.peer(), now));
                checked.map_err(|reject| refusal(reject, now))?;
                self.check_peer(from)?;
                if !self.is_right(&found.login, found.credential, password, from).await? {
                    let failure = Failure { login: found.login, peer: from.peer(), code_of: None };
                    self.count_failure(failure.peer);
                    let _ = self.submit(Command::Fail(failure)).await?;
                    return Err(bad());
                }
                ConfirmProof::Password(found.credential)
            }
            (None, None) => return Err(bad()),
        };
        let credit = self.settings.credit.clone();
        self.send(Command::Confirm(Arc::new(Confirm { token, proof, credit }))).await
    }

    /// Mails a link that sets another password. The answer is the same for every address.
    ///
    /// # Errors
    /// As [`People::sign_up`].
    pub async fn forgot(&self, email: &str, from: &From) -> Result<(), Refusal> {
        self.check_mail()?;
        let (known, token) = (self.read_address(email)?, draw()?);
        let mailing =
            Mailing { login: known.login, peer: from.peer(), is_limited: self.settings.limits_mail };
        self.send(Command::AskReset(mailing, token.digest)).await?;
        if self.look(|identity| identity.reset(&token.digest, self.now()).is_some()) {
            let words =
                ["Set another password", "Follow this link to set another password. It works for one hour."];
            self.mail(&known.text, words, Some(("/password", &token.text)));
        }
        Ok(())
    }

    /// Sets another password by the token of a link. A refused password does not use the token up.
    ///
    /// # Errors
    /// 400 for the link or the password.
    pub async fn reset(&self, token: &str, new: &str, from: &From) -> Result<(), Refusal> {
        let (token, now) = (digest(token), self.now());
        let found = self.look(|identity| {
            let user = identity.reset(&token, now)?.user;
            identity.user(user).map(|user| (user.login, user.credential))
        });
        let (login, before) = found.ok_or_else(|| refusal(Reject::BadLink, now))?;
        let address = self.address(&login).unwrap_or_default();
        self.check_password(("password", new), &[&address], from.peer).await?;
        let credential = self.store_password(&login, new, from.peer).await?;
        self.replace(Command::Reset(token, credential), (&login, before, credential)).await?;
        self.notify(&address);
        Ok(())
    }

    /// Sets another password in a session with a fresh code, and ends the user's other sessions.
    ///
    /// # Errors
    /// 401 for a wrong old password; 403 `CodeRequired`; 400 for the new one.
    pub async fn set_password(
        &self,
        session: SessionId,
        old: &str,
        new: &str,
        from: &From,
    ) -> Result<(), Refusal> {
        let now = self.now();
        let found = self.look(|identity| {
            let browser = identity.browser(session, now).ok_or(Reject::UnknownBrowser)?;
            if !browser.is_fresh(now) {
                return Err(Reject::CodeRequired);
            }
            let user = identity.user(browser.user).ok_or(Reject::UnknownBrowser)?;
            identity.check_sign_in(&user.login, from.peer(), now)?;
            Ok((user.login, user.credential))
        });
        let (login, before) = found.map_err(|reject| refusal(reject, now))?;
        self.check_peer(from)?;
        if !self.is_right(&login, before, old, from).await? {
            return self.fail(Failure { login, peer: from.peer(), code_of: None }).await;
        }
        let address = self.address(&login).unwrap_or_default();
        self.check_password(("new", new), &[&address], from.peer).await?;
        let credential = self.store_password(&login, new, from.peer).await?;
        self.replace(Command::SetPassword(session, credential), (&login, before, credential)).await?;
        self.notify(&address);
        Ok(())
    }

    /// Refuses a weak password in a field; the estimate is work for the threads of passwords.
    pub(crate) async fn check_password(
        &self,
        (field, given): (&'static str, &str),
        known: &[&str],
        client: IpAddr,
    ) -> Result<(), Refusal> {
        let given = zeroize::Zeroizing::new(given.to_owned());
        let known: Vec<String> = known.iter().map(|text| (*text).to_owned()).collect();
        let check = move || {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            password::check(field, &given, &known)
        };
        self.hasher.run(client, check).await?
    }

    /// Stores a password under a number of its own.
    pub(crate) async fn store_password(
        &self,
        login: &buttonwood_engine::identity::Digest,
        new: &str,
        client: IpAddr,
    ) -> Result<u64, Refusal> {
        let (credential, hash) = (draw_number()?, self.hashed(new, client).await?);
        self.put(vec![(Names::of(login).password(credential), hash)]).await?;
        Ok(credential)
    }

    /// Puts a password in force, and removes the one that is not.
    async fn replace(
        &self,
        command: Command,
        (login, before, after): (&buttonwood_engine::identity::Digest, u64, u64),
    ) -> Result<(), Refusal> {
        let sent = self.send(command).await;
        let names = Names::of(login);
        let ended = if sent.is_ok() { before } else { after };
        self.remove(vec![names.password(ended), names.listed(ended)]).await;
        sent
    }

    fn notify(&self, address: &str) {
        if self.has_mail() && !address.is_empty() {
            let words = [
                "Your password was changed",
                "Your password was changed. If it was not you, set another one now.",
            ];
            self.mail(address, words, None);
        }
    }

    /// Tells a user that a passkey was added or removed: it signs in alone, so that one which another person has added must not go unseen.
    pub(crate) fn notify_of_passkey(&self, user: UserId, is_added: bool) {
        let words = if is_added {
            ["A passkey was added", "A passkey was added to your sign-in. If it was not you, remove it now."]
        } else {
            [
                "A passkey was removed",
                "A passkey was removed from your sign-in. If it was not you, look at it now.",
            ]
        };
        self.notify_of(user, words);
    }

    /// Mails a notice, its subject and its text, to a user.
    pub(crate) fn notify_of(&self, user: UserId, words: [&str; 2]) {
        if let Some(address) = self.email(user).filter(|_| self.has_mail()) {
            self.mail(&address, words, None);
        }
    }
}
