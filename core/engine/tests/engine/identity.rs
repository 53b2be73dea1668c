//! People and apps: sign-in, factors, throttles, codes, grants and tokens, and what tokens and browsers may do.
#![expect(clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

mod acts;
mod apps;
mod codes;
mod keys;
mod mails;
mod operators;
mod passkeys;
mod refresh;
mod revoke;
mod rights;
mod sign_in;
mod throttle;

use buttonwood_engine::identity::{
    AppId, Command as Own, Digest, Exchange as Redeem, Failure, Grant, NewApp, NewBrowser, NewCode, NewUser,
    Peer, Proof, Refresh, Reject, Stage as Step, UsedCode, User, UserChange, UserId,
};
use buttonwood_engine::{
    AccessReject, Answer, Body, Caller, Command, FeeSchedule, Founding, Place, Reject as AnyReject,
    TradingCommand,
};
use buttonwood_model::{
    AccountId, GroupId, Nonce, Role, Roles, Scope, Scopes, SessionId, Side, SymbolId, Time,
};
use buttonwood_num::{Decimal, Money};
use buttonwood_oracle::Exchange;
use std::sync::Arc;

pub(crate) const SECOND: u64 = Time::SECOND;
pub(crate) const MINUTE: u64 = 60 * SECOND;
pub(crate) const HOUR: u64 = 60 * MINUTE;
/// The first user of the first group, who has every role but that of an auditor.
pub(crate) const ANN: UserId = UserId(0);
/// A user of the second group.
pub(crate) const BOB: UserId = UserId(1);
pub(crate) const HOME: Peer = Peer([1; 16]);
pub(crate) const AWAY: Peer = Peer([2; 16]);
/// A confidential client that was reviewed, and a public one of Ann that was not.
pub(crate) const APP: AppId = AppId([0xA; 16]);
pub(crate) const OWN: AppId = AppId([0xB; 16]);
const URI: &str = "https://app.example/callback";

pub(crate) const ALL: Roles = Roles::of(&[Role::Administrator, Role::Trader, Role::FundManager]);
pub(crate) const TRADER: Roles = Roles::of(&[Role::Trader]);
pub(crate) const ORDERS: Scopes = Scopes::of(&[Scope::OrdersCreate, Scope::OrdersRead]);

/// An exchange with two groups of people, two accounts of Ann's group and one of Bob's, and two apps.
pub(crate) struct Stage {
    pub(crate) exchange: Exchange,
    pub(crate) symbol: SymbolId,
    /// Two of Ann's group, then that of Bob's.
    pub(crate) accounts: [AccountId; 3],
    pub(crate) groups: [GroupId; 2],
    serial: u64,
}

/// The digest that stands for a secret.
pub(crate) fn digest(text: &str) -> Digest {
    let mut bytes = [0; 32];
    bytes[..text.len()].copy_from_slice(text.as_bytes());
    bytes
}

pub(crate) fn refused(reject: Reject) -> Answer {
    Answer::Rejected(AnyReject::Identity(reject))
}

pub(crate) fn barred(reject: AccessReject) -> Answer {
    Answer::Rejected(AnyReject::Access(reject))
}

pub(crate) fn new_user(name: &str, group: GroupId, roles: Roles) -> NewUser {
    NewUser {
        login: digest(name),
        name: name.into(),
        group: Some(group),
        roles,
        is_operator: false,
        is_disabled: false,
        credential: 1,
        factor: 1,
    }
}

pub(crate) fn new_app(id: AppId, owner: UserId, is_public: bool) -> NewApp {
    NewApp {
        id,
        owner,
        name: "app".into(),
        description: String::new(),
        background: String::new(),
        logo: String::new(),
        scopes: Scopes::ALL,
        redirect_uris: vec![URI.into()],
        is_public,
        secret: (!is_public).then(|| digest("secret")),
    }
}

impl Stage {
    pub(crate) fn new() -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), Some(Vec::new()));
        for code in ["USD", "BTC"] {
            exchange.currency(code);
        }
        let symbol = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]);
        let ann = exchange.account("ann", "");
        let accounts = [ann, exchange.account_beside(ann, "second", ""), exchange.account("bob", "")];
        let usd = exchange.find_currency("USD");
        for account in accounts {
            let thousand = Money::from_units(1_000 * Money::ONE.units());
            assert_eq!(exchange.own(Body::credit(account, vec![(usd, thousand)])), Answer::Done);
        }
        let group = |account| exchange.state.access().account(account).and_then(|it| it.group);
        let groups = [accounts[0], accounts[2]].map(|account| group(account).expect("it has one"));
        let mut stage = Self { exchange, symbol, accounts, groups, serial: 0 };
        stage.jump(1_000 * HOUR);
        assert_eq!(stage.own(Own::AddUser(Arc::new(new_user("ann", groups[0], ALL)))), Answer::Done);
        assert_eq!(stage.own(Own::AddUser(Arc::new(new_user("bob", groups[1], ALL)))), Answer::Done);
        assert_eq!(stage.own(Own::AddApp(Arc::new(new_app(APP, BOB, false)))), Answer::Done);
        assert_eq!(stage.own(Own::AddApp(Arc::new(new_app(OWN, ANN, true)))), Answer::Done);
        assert_eq!(stage.own(Own::ReviewApp(APP, true, false)), Answer::Done);
        stage
    }

    pub(crate) fn own(&mut self, body: impl Into<Body>) -> Answer {
        self.run(1, None, body.into())
    }

    fn run(&mut self, wait: u64, caller: Option<Caller>, body: Body) -> Answer {
        let command = Command { caller, body };
        let answer = self.exchange.submit(wait, &command);
        assert_eq!(self.exchange.state.broken_law(), None, "{command:?}");
        if matches!(answer, Answer::Rejected(_)) {
            let refused = self.exchange.of.refused.len();
            assert_eq!(self.exchange.work.out.events.len(), refused, "{command:?} is refused and has events");
        }
        answer
    }

    pub(crate) fn now(&self) -> Time {
        self.exchange.stamp.time
    }

    /// Lets time pass; nothing that falls due runs.
    pub(crate) fn jump(&mut self, micros: u64) {
        assert_eq!(self.run(micros, None, Founding::MoveClock.into()), Answer::Done);
    }

    /// Lets time pass to one microsecond before a time, so that the next command comes at that time.
    pub(crate) fn jump_to(&mut self, time: Time) {
        self.jump(time.0 - 1 - self.now().0);
    }

    /// Runs what is due now.
    pub(crate) fn catch_up(&mut self) {
        while let Some(due) = self.exchange.state.next_due().filter(|due| due.time <= self.now()) {
            assert_eq!(self.own(due.command), Answer::Done);
        }
    }

    pub(crate) fn identity(&self) -> &buttonwood_engine::Identity {
        self.exchange.state.identity()
    }

    pub(crate) fn user(&self, id: UserId) -> &User {
        self.identity().user(id).expect("known")
    }

    fn fresh(&mut self, kind: &str) -> Digest {
        self.serial += 1;
        digest(&format!("{kind}-{}", self.serial))
    }

    pub(crate) fn change(&mut self, user: UserId, change: UserChange) -> Answer {
        self.own(Own::ChangeUser(user, Arc::new(change)))
    }

    pub(crate) fn set_roles(&mut self, user: UserId, roles: Roles) {
        assert_eq!(
            self.change(user, UserChange { roles: Some(roles), ..UserChange::default() }),
            Answer::Done
        );
    }

    pub(crate) fn disable(&mut self, user: UserId, is_disabled: bool) {
        let is_disabled = Some(is_disabled);
        assert_eq!(self.change(user, UserChange { is_disabled, ..UserChange::default() }), Answer::Done);
    }

    /// A right password.
    pub(crate) fn open(&mut self, user: UserId, peer: Peer, is_full: bool) -> Result<SessionId, AnyReject> {
        let cookie = self.fresh("cookie");
        let credential = self.user(user).credential;
        let (address, agent) = (String::new(), String::new());
        let new = NewBrowser { user, credential, cookie, peer, address, agent, is_full };
        let answer = self.own(Own::Open(Arc::new(new)));
        if let Answer::Rejected(reject) = answer {
            return Err(reject);
        }
        Ok(self.identity().find_browser(&cookie, self.now()).expect("it was opened").0)
    }

    /// A browser that is fully signed in.
    #[track_caller]
    pub(crate) fn browser(&mut self, user: UserId) -> SessionId {
        self.open(user, HOME, true).expect("signed in")
    }

    pub(crate) fn prove(&mut self, session: SessionId, proof: Proof) -> Answer {
        self.prove_from(session, proof, HOME)
    }

    pub(crate) fn prove_from(&mut self, session: SessionId, proof: Proof, peer: Peer) -> Answer {
        let cookie = self.fresh("cookie");
        self.own(Own::UseCode(UsedCode { session, cookie, proof, peer, notice: digest("notice") }))
    }

    /// The code of the step that is so many steps from now.
    pub(crate) fn totp(&self, offset: i64) -> Proof {
        let step = (self.now().seconds() / 30).checked_add_signed(offset).expect("a time");
        Proof::Totp { factor: 1, step }
    }

    pub(crate) fn stage_of(&self, session: SessionId) -> Option<Step> {
        self.identity().browser(session, self.now()).map(|browser| browser.stage)
    }

    pub(crate) fn fail(&mut self, name: &str, peer: Peer, code_of: Option<UserId>) -> Answer {
        self.own(Own::Fail(Failure { login: digest(name), peer, code_of }))
    }

    /// A consent to the scopes for an account, whose code has this text.
    pub(crate) fn consent(&self, browser: SessionId, code: &str) -> NewCode {
        NewCode {
            browser,
            app: APP,
            account: self.accounts[0],
            scopes: ORDERS,
            redirect_uri: URI.into(),
            challenge: None,
            code: digest(code),
            is_implicit: false,
        }
    }

    pub(crate) fn issue(&mut self, new: NewCode) -> Answer {
        self.own(Own::Issue(Arc::new(new)))
    }

    /// The exchange of a code, for tokens of the same text.
    pub(crate) fn redeem(code: &str, tokens: &str) -> Redeem {
        Redeem {
            app: APP,
            code: digest(code),
            redirect_uri: URI.into(),
            verifier: None,
            access: digest(&format!("a-{tokens}")),
            refresh: digest(&format!("r-{tokens}")),
        }
    }

    pub(crate) fn exchange(&mut self, asked: Redeem) -> Answer {
        self.own(Own::Exchange(Arc::new(asked)))
    }

    /// A grant of a user to the app for an account, with tokens of this text.
    #[track_caller]
    pub(crate) fn granted(
        &mut self,
        user: UserId,
        account: usize,
        scopes: Scopes,
        tokens: &str,
    ) -> SessionId {
        let browser = self.browser(user);
        let account = self.accounts[account];
        let new = NewCode { account, scopes, ..self.consent(browser, &format!("c-{tokens}")) };
        assert_eq!(self.issue(new), Answer::Done);
        assert_eq!(self.exchange(Self::redeem(&format!("c-{tokens}"), tokens)), Answer::Done);
        self.token(tokens).expect("it was given").session
    }

    pub(crate) fn refresh(&mut self, from: &str, to: &str) -> Answer {
        self.refresh_for(APP, from, to, None)
    }

    pub(crate) fn refresh_for(&mut self, app: AppId, from: &str, to: &str, scopes: Option<Scopes>) -> Answer {
        let [refresh, next] = [from, to].map(|text| digest(&format!("r-{text}")));
        self.own(Own::Refresh(Refresh { app, refresh, scopes, access: digest(&format!("a-{to}")), next }))
    }

    /// The holder of a live access token.
    pub(crate) fn token(&self, text: &str) -> Option<buttonwood_engine::identity::TokenHolder> {
        self.identity().find_token(&digest(&format!("a-{text}")), self.now())
    }

    pub(crate) fn grant(&self, session: SessionId) -> Option<&Grant> {
        self.identity().grant(session)
    }

    /// Whether a refresh token is the live one of its family.
    pub(crate) fn is_refresh(&self, text: &str) -> bool {
        self.identity().find_refresh(&digest(&format!("r-{text}"))).is_some()
    }

    /// The caller that a live token makes.
    #[track_caller]
    pub(crate) fn bearer(&self, text: &str) -> Caller {
        let holder = self.token(text).expect("it lives");
        Caller { session: holder.session, account: Some(holder.account), nonce: Nonce::number(holder.number) }
    }

    /// The caller that a browser makes.
    pub(crate) fn page(&self, session: SessionId, account: usize) -> Caller {
        Caller { session, account: Some(self.accounts[account]), nonce: Nonce::number(0) }
    }

    pub(crate) fn call(&mut self, caller: Caller, body: impl Into<Body>) -> Answer {
        self.run(1, Some(caller), body.into())
    }

    /// A bid that rests.
    pub(crate) fn bid(&self) -> TradingCommand {
        let grid = &self.exchange.state.symbol(self.symbol).expect("listed").grid;
        let decimal = |text: &str| Decimal::parse(text.as_bytes()).expect("a decimal");
        TradingCommand::Place(Place::limit(
            self.symbol,
            Side::Buy,
            grid.price(decimal("1.00")).expect("on the grid"),
            grid.qty(decimal("1")).expect("on the grid"),
        ))
    }

    /// Places an order; its id.
    #[track_caller]
    pub(crate) fn placed(&mut self, caller: Caller) -> u64 {
        let bid = self.bid();
        let answer = self.call(caller, bid);
        answer.order().unwrap_or_else(|reject| panic!("{reject:?}")).id.0
    }

    pub(crate) fn order(&mut self, caller: Caller) -> Answer {
        let bid = self.bid();
        self.call(caller, bid)
    }

    /// Its journal and its snapshot lead to the same state.
    pub(crate) fn replays(&mut self) {
        let mut again = Exchange::blank();
        for frame in self.exchange.journal.take().expect("it is recorded") {
            again.replay(&frame);
        }
        assert_eq!(again.state, self.exchange.state);
        assert_eq!(again.state.fingerprint(), self.exchange.state.fingerprint());
        assert_eq!(self.exchange.stored(), again.state);
    }

    /// Goes on as after a restart from a snapshot.
    pub(crate) fn restart(&mut self) {
        self.exchange.state = self.exchange.stored();
        assert_eq!(self.exchange.state.broken_law(), None);
    }
}
