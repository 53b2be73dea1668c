//! Thefts: an account tries the token, the refresh token or the code of the other group's app, and what its own token lacks. Whatever a program
//! did before, each is refused and changes nothing (INV-AUTH-1).

use super::world::{Actor, PEOPLE, Scene};
use buttonwood_engine::funds::bank::{Command as Banking, Payment};
use buttonwood_engine::identity::{
    AppId, Command as Identity, Digest, Exchange as Redeem, NewApp, NewBrowser, NewCode, NewGrant, NewUser,
    Peer, Refresh, UserId,
};
use buttonwood_engine::{Body, Caller, Command, FundsCommand, TradingCommand};
use buttonwood_model::{AccountId, Nonce, Role, Roles, Scope, Scopes, SessionId};
use buttonwood_num::Money;
use std::sync::Arc;

/// A way to try what belongs to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theft {
    /// Another's token on the own account.
    Token,
    /// Another's consent, with a token of it that was never given.
    Guess,
    /// The own token for a payment, which it lacks the scope for.
    Scope,
    /// Another's refresh token, by the own app.
    Refresh,
    /// Another's code, by the own app.
    Code,
}

/// All ways, by their words.
pub(super) const THEFTS: [(&str, Theft); 5] = [
    ("token", Theft::Token),
    ("guess", Theft::Guess),
    ("scope", Theft::Scope),
    ("refresh", Theft::Refresh),
    ("code", Theft::Code),
];

/// The redirect URI of both apps.
const URI: &str = "https://app.example/cb";

/// The app of a group, and all that it holds: a token for the orders of the group's first account.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holder {
    app: AppId,
    account: AccountId,
    session: SessionId,
    refresh: Digest,
    code: Digest,
}

/// The place of a person's group, and of the other one.
fn groups_of(who: usize) -> Option<[usize; 2]> {
    PEOPLE.get(who).map(|person| if person.name.starts_with('a') { [0, 1] } else { [1, 0] })
}

/// A digest that stands for a secret of a group.
fn secret(kind: u8, group: usize) -> Digest {
    let mut digest = [0; 32];
    (digest[0], digest[1]) = (kind, u8::try_from(group).unwrap_or_default());
    digest
}

/// The tokens of an app of each group. The first account of a group is its owner's.
pub(super) fn open_apps(scene: &mut Scene) {
    for group in 0..2 {
        let first = (0..PEOPLE.len()).find(|who| groups_of(*who).is_some_and(|it| it[0] == group));
        let first = first.expect("a group has accounts");
        let account = scene.actors.get(first).expect("an account of the table of people").account;
        let holder = open_app(scene, group, account);
        scene.holders.push(holder);
    }
}

fn open_app(scene: &mut Scene, group: usize, account: AccountId) -> Holder {
    let number = u32::try_from(group).expect("one of two");
    let (user, app) = (UserId(number), AppId([0xA0 + u8::try_from(group).expect("one of two"); 16]));
    let scopes = Scopes::of(&[Scope::OrdersCreate]);
    let [access, refresh, code] = [b'a', b'r', b'c'].map(|kind| secret(kind, group));
    scene.own(Body::from(Identity::AddUser(Arc::new(NewUser {
        login: secret(b'u', group),
        name: "an owner".into(),
        group: scene.exchange.state.access().account(account).and_then(|it| it.group),
        roles: Roles::of(&[Role::Administrator, Role::Trader, Role::FundManager]),
        is_operator: false,
        is_disabled: false,
        credential: 1,
        factor: 1,
    }))));
    scene.own(Body::from(Identity::AddApp(Arc::new(NewApp {
        id: app,
        owner: user,
        name: "an app".into(),
        description: String::new(),
        background: String::new(),
        logo: String::new(),
        scopes,
        redirect_uris: vec![URI.into()],
        is_public: false,
        secret: Some(secret(b's', group)),
    }))));
    let refresh_token = Some(refresh);
    let grant = NewGrant { app, user, account, scopes, code: None, access, refresh: refresh_token };
    scene.own(Body::from(Identity::Grant(grant)));
    let cookie = secret(b'k', group);
    scene.own(Body::from(Identity::Open(Arc::new(NewBrowser {
        user,
        credential: 1,
        cookie,
        peer: Peer([1; 16]),
        address: String::new(),
        agent: String::new(),
        is_full: true,
    }))));
    let now = scene.exchange.stamp.time;
    let identity = scene.exchange.state.identity();
    let browser = identity.find_browser(&cookie, now).expect("it was just opened").0;
    let session = identity.find_refresh(&refresh).expect("it was just granted").0;
    let redirect_uri = URI.to_owned();
    let (challenge, is_implicit) = (None, false);
    let new = NewCode { browser, app, account, scopes, redirect_uri, challenge, code, is_implicit };
    scene.own(Body::from(Identity::Issue(Arc::new(new))));
    Holder { app, account, session, refresh, code }
}

/// The command of a theft.
pub(super) fn theft(scene: &Scene, who: usize, thief: Actor, way: Theft) -> Option<Command> {
    let [own, other] = groups_of(who)?.map(|group| scene.holders.get(group));
    let (own, other) = (own?, other?);
    let by = |session, account, nonce: u64, body: Body| {
        let caller = Caller { session, account: Some(account), nonce: Nonce::number(nonce) };
        Command { caller: Some(caller), body }
    };
    let new = [b'n', b'm'].map(|kind| secret(kind, who));
    let nobody = |body: Identity| Command { caller: None, body: body.into() };
    Some(match way {
        Theft::Token => by(other.session, thief.account, 1, TradingCommand::CancelAll.into()),
        Theft::Guess => by(other.session, other.account, 9, TradingCommand::CancelAll.into()),
        Theft::Scope => {
            let payment = Payment { account: own.account, bank: thief.bank, amount: Money::from_units(1) };
            by(own.session, own.account, 1, FundsCommand::from(Banking::Pay(payment)).into())
        }
        Theft::Refresh => {
            let [access, next] = new;
            nobody(Identity::Refresh(Refresh {
                app: own.app,
                refresh: other.refresh,
                scopes: None,
                access,
                next,
            }))
        }
        Theft::Code => {
            let [access, refresh] = new;
            let (redirect_uri, verifier) = (URI.to_owned(), None);
            let redeem = Redeem { app: own.app, code: other.code, redirect_uri, verifier, access, refresh };
            nobody(Identity::Exchange(Arc::new(redeem)))
        }
    })
}
