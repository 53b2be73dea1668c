//! People and apps, written by the sequencer alone: every event of the room, and users, browsers, links, codes, families and failures that are
//! there at the end.

use super::started;
use buttonwood_engine::identity::{
    AppId, Command as Own, Confirm, ConfirmProof, Digest, Enrolment, Exchange as Redeem, Failure, Mailing,
    NewApp, NewBrowser, NewCode, NewGrant, NewUser, Peer, Proof, Refresh, SignUp, UsedCode, UserChange,
    UserId,
};
use buttonwood_engine::{Body, Caller, Command, TradingCommand};
use buttonwood_journal::Options;
use buttonwood_model::{AccountId, CurrencyId, GroupId, Nonce, Role, Roles, Scope, Scopes, SessionId, Time};
use buttonwood_num::Money;
use buttonwood_sequencer::{Recovered, recover};
use std::path::Path;
use std::sync::Arc;

const SECOND: u64 = Time::SECOND;
const PEER: Peer = Peer([7; 16]);
const URI: &str = "https://app.example/callback";
const SCOPES: Scopes = Scopes::of(&[Scope::OrdersCreate, Scope::OrdersRead, Scope::BalancesRead]);
const ALL: Roles = Roles::of(&[Role::Administrator, Role::Trader, Role::FundManager]);

/// The journal of a stopped exchange, and what its next commands are about.
pub(super) struct Writer {
    pub(super) recovered: Recovered,
    pub(super) now: Time,
    pub(super) group: GroupId,
    pub(super) account: AccountId,
    /// The first user that is made here.
    pub(super) first: u32,
}

/// People who sign up, sign in, fail, enrol and set passwords; apps with codes, families, races and revocations; orders of a token and a
/// page; what ends by the clock.
pub(super) fn identity(data: &Path) {
    started(data).kill9();
    write(data);
}

/// The same on a stopped exchange that is there.
fn write(data: &Path) {
    let mut writer = Writer::of(data);
    writer.people();
    writer.browsers();
    writer.apps();
    writer.grants();
    writer.ends();
}

pub(super) fn digest(text: &str) -> Digest {
    let mut bytes = [0; 32];
    bytes.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
    bytes
}

fn app_id(number: u8) -> AppId {
    AppId::drawn([number; 16])
}

fn mailing(name: &str) -> Mailing {
    Mailing { login: digest(name), peer: PEER, is_limited: true }
}

impl Writer {
    /// That of a stopped exchange.
    pub(super) fn of(data: &Path) -> Self {
        let recovered = recover(data, Options::default()).expect("the directory is read");
        let state = recovered.views().state();
        let (group, _) = state.access().groups().iter().enumerate().next().expect("a group");
        let group = GroupId::from_index(group);
        let (account, _) = state.access().accounts_of(group).next().expect("an account");
        let first = u32::try_from(state.identity().users().len()).expect("a few");
        let now = state.stamp().time;
        Self { recovered, now, group, account, first }
    }

    pub(super) fn send(&mut self, own: Own) {
        self.commit(Command { caller: None, body: own.into() });
    }

    pub(super) fn commit(&mut self, command: Command) {
        self.now = self.now.plus(1_000);
        self.recovered.commit(self.now, vec![command]).expect("the disk takes it");
    }

    pub(super) fn user(&self, number: u32) -> UserId {
        UserId(self.first + number)
    }

    pub(super) fn session(&self, cookie: &str) -> SessionId {
        let state = self.recovered.views().state();
        state.identity().find_browser(&digest(cookie), self.now).expect("it is open").0
    }

    fn token(&self, text: &str) -> Caller {
        let state = self.recovered.views().state();
        let holder = state.identity().find_token(&digest(text), self.now).expect("it lives");
        let nonce = Nonce::number(holder.number);
        Caller { session: holder.session, account: Some(holder.account), nonce }
    }

    pub(super) fn step(&self) -> u64 {
        self.now.seconds() / 30
    }

    pub(super) fn add_user(&mut self, name: &str, factor: u64) {
        let (login, name, group) = (digest(name), name.to_owned(), Some(self.group));
        let (is_operator, is_disabled, credential) = (false, false, 1);
        let new = NewUser { login, name, group, roles: ALL, is_operator, is_disabled, credential, factor };
        self.send(Own::AddUser(Arc::new(new)));
    }

    pub(super) fn sign_up(&mut self, name: &str, token: &str) {
        let (login, token, browser) = (digest(name), digest(token), digest("browser"));
        let new = SignUp { login, name: name.into(), credential: 5, token, browser, ends: Time(0) };
        self.send(Own::SignUp(mailing(name), Arc::new(new)));
    }

    fn people(&mut self) {
        self.add_user("ann", 1);
        self.add_user("bob", 0);
        self.sign_up("cat", "link-1");
        let credit = vec![(CurrencyId(0), Money::ONE)];
        let (token, proof) = (digest("link-1"), ConfirmProof::Browser(digest("browser")));
        self.send(Own::Confirm(Arc::new(Confirm { token, proof, credit })));
        // Waits at the end.
        self.sign_up("dan", "link-2");
        let roles = Some(Roles::of(&[Role::Trader]));
        let ann = self.user(0);
        self.send(Own::ChangeUser(ann, Arc::new(UserChange { roles, ..UserChange::default() })));
        let operator = NewUser {
            login: digest("eve"),
            name: "Eve \u{fc}".into(),
            group: None,
            roles: Roles::NONE,
            is_operator: true,
            is_disabled: true,
            credential: 1,
            factor: 1,
        };
        self.send(Own::AddUser(Arc::new(operator)));
        for code_of in [None, Some(ann)] {
            self.send(Own::Fail(Failure { login: digest("ann"), peer: PEER, code_of }));
        }
        let bob = self.user(1);
        self.send(Own::AskReset(mailing("bob"), digest("reset-1")));
        self.send(Own::Reset(digest("reset-1"), 2));
        self.send(Own::ChangeUser(bob, Arc::new(UserChange { roles, ..UserChange::default() })));
        self.send(Own::AskReset(mailing("ann"), digest("reset-2")));
    }

    pub(super) fn open(&mut self, (user, credential): (UserId, u64), cookie: &str, is_full: bool) {
        let (address, agent) = ("198.51.100.7".to_owned(), "a browser \u{e9}".to_owned());
        let cookie = digest(cookie);
        let new = NewBrowser { user, credential, cookie, peer: PEER, address, agent, is_full };
        self.send(Own::Open(Arc::new(new)));
    }

    pub(super) fn prove(&mut self, from: &str, to: &str, proof: Proof) {
        let session = self.session(from);
        self.send(Own::UseCode(UsedCode {
            session,
            cookie: digest(to),
            proof,
            peer: PEER,
            notice: Digest::default(),
        }));
    }

    fn browsers(&mut self) {
        let (ann, bob) = ((self.user(0), 1), (self.user(1), 2));
        self.open(ann, "a-1", false);
        let step = self.step();
        self.prove("a-1", "a-2", Proof::Totp { factor: 1, step });
        self.open(bob, "b-1", false);
        let (session, step) = (self.session("b-1"), self.step());
        let recovery = ["one", "two", "three"].map(digest).to_vec();
        let notice = Digest::default();
        let enrolment = Enrolment { session, cookie: digest("b-2"), factor: 1, step, recovery, notice };
        self.send(Own::Enrol(Arc::new(enrolment)));
        self.prove("b-2", "b-3", Proof::Recovery(digest("one")));
        self.open(bob, "b-4", true);
        self.prove("b-4", "b-5", Proof::Bypass);
        let session = self.session("b-5");
        self.send(Own::Choose(session, self.account));
        self.send(Own::SetPassword(session, 3));
        self.open(ann, "a-3", false);
        let ended = self.session("a-3");
        self.send(Own::EndBrowsers(Arc::new(vec![ended])));
        // Half signed in at the end.
        self.open(ann, "a-4", false);
    }

    fn apps(&mut self) {
        for (number, is_public) in [(1, false), (2, true), (3, false)] {
            let new = NewApp {
                id: app_id(number),
                owner: self.user(u32::from(number == 2)),
                name: format!("App \"{number}\""),
                description: "An app".into(),
                background: "#123456".into(),
                logo: String::new(),
                scopes: SCOPES,
                redirect_uris: vec![URI.into(), "http://127.0.0.1:8787/callback".into()],
                is_public,
                secret: (!is_public).then(|| digest("secret")),
            };
            self.send(Own::AddApp(Arc::new(new)));
        }
        self.send(Own::SetAppSecret(app_id(1), digest("secret-2")));
        self.send(Own::ReviewApp(app_id(1), true, true));
        self.send(Own::DeleteApp(app_id(3)));
    }

    fn issue(&mut self, code: &str, challenge: Option<Digest>, is_implicit: bool) {
        self.send(Own::Issue(Arc::new(NewCode {
            browser: self.session("b-5"),
            app: app_id(1),
            account: self.account,
            scopes: SCOPES,
            redirect_uri: URI.into(),
            challenge,
            code: digest(code),
            is_implicit,
        })));
    }

    fn exchange(&mut self, code: &str, verifier: Option<Digest>, tokens: &str) {
        let [access, refresh] = ["access", "refresh"].map(|kind| digest(&format!("{kind}-{tokens}")));
        let (app, code, redirect_uri) = (app_id(1), digest(code), URI.into());
        self.send(Own::Exchange(Arc::new(Redeem { app, code, redirect_uri, verifier, access, refresh })));
    }

    fn refresh(&mut self, from: &str, to: &str, scopes: Option<Scopes>) {
        let [refresh, next] = [from, to].map(|tokens| digest(&format!("refresh-{tokens}")));
        let access = digest(&format!("access-{to}"));
        self.send(Own::Refresh(Refresh { app: app_id(1), refresh, scopes, access, next }));
    }

    fn grants(&mut self) {
        let challenge = Some(digest("verifier"));
        self.issue("code-1", challenge, false);
        self.exchange("code-1", challenge, "1");
        self.refresh("1", "2", None);
        self.refresh("2", "3", Some(Scopes::of(&[Scope::OrdersCreate])));
        self.send(Own::Revoke(Some(app_id(1)), digest("access-2")));
        self.issue("access-implicit", None, true);
        // A second use ends its family.
        self.issue("code-2", None, false);
        self.exchange("code-2", None, "4");
        self.exchange("code-2", None, "5");
        let new = |user: UserId, account: AccountId, tokens: &str| NewGrant {
            app: app_id(1),
            user,
            account,
            scopes: Scopes::of(&[Scope::OrdersCreate]),
            code: None,
            access: digest(&format!("access-{tokens}")),
            refresh: Some(digest(&format!("refresh-{tokens}"))),
        };
        let (ann, account) = (self.user(0), self.account);
        self.send(Own::Grant(new(ann, account, "6")));
        let caller = self.token("access-6");
        self.commit(Command { caller: Some(caller), body: TradingCommand::CancelSession.into() });
        let revocation: Body = Own::RevokeByToken.into();
        self.commit(Command { caller: Some(caller), body: revocation });
        self.send(Own::Grant(new(ann, account, "7")));
        let session = self.token("access-7").session;
        self.send(Own::EndGrant(ann, session));
        let page = Caller { session: self.session("b-5"), account: Some(account), nonce: Nonce::number(0) };
        self.commit(Command { caller: Some(page), body: TradingCommand::CancelAll.into() });
    }

    /// Records that have ended an hour later are forgotten, and a code is open at the end.
    fn ends(&mut self) {
        self.issue("code-3", None, false);
        self.now = self.now.plus(3_600 * SECOND);
        self.send(Own::Forget);
        self.issue("code-4", None, false);
        self.send(Own::Fail(Failure { login: digest("nobody"), peer: PEER, code_of: None }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{copy, described, directories};

    /// Every command of the recipe is taken, and the text shows what is there at the end.
    #[test]
    fn the_recipe_writes_people_and_apps() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let data = home.path().join("data");
        copy(&directories().join("format-8-spot"), &data);
        write(&data);
        let text = described(&data);
        let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        let counts = ["user ", "browser ", "app ", "grant ", "  token "].map(count);
        assert_eq!(counts, [4, 3, 2, 2, 3], "{text}");
    }
}
