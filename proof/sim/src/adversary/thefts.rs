//! Thefts: an account tries the token, the refresh token or the code of the other group's app, and what its own token lacks; its app takes the
//! money of the user whose token it holds; one operator, alone or by a second name, approves the gift that the same one has proposed.
//! Whatever a program did before, each is refused and changes nothing (INV-AUTH-1).

use super::player::{price_of, qty_of};
use super::world::{Actor, ONE, PEOPLE, Scene, network_of, outside};
use buttonwood_engine::clearing::{HOURS, New, Parties, Terms};
use buttonwood_engine::funds::bank::{Command as Banking, Payment};
use buttonwood_engine::funds::withdrawal::{Command as Withdrawing, Withdraw};
use buttonwood_engine::identity::{
    AppId, Command as Identity, Digest, Exchange as Redeem, NewApp, NewBrowser, NewCode, NewGrant, NewUser,
    Peer, Refresh, UserChange, UserId,
};
use buttonwood_engine::{
    Body, Caller, ClearingCommand, Command, FundsCommand, GuardedCommand, Note, Operation, TradingCommand,
};
use buttonwood_model::{AccountId, Nonce, Role, Roles, Scope, Scopes, SessionId, Side};
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
    /// A withdrawal by the own app's token.
    Withdraw,
    /// An offer off the book to anyone by the own app's token.
    Deal,
    /// A gift that one operator proposed, carried out by the same operator.
    Operator,
    /// The same by the operator's second name, that of a sign-in.
    SecondName,
}

/// All ways, by their words.
pub(super) const THEFTS: [(&str, Theft); 9] = [
    ("token", Theft::Token),
    ("guess", Theft::Guess),
    ("scope", Theft::Scope),
    ("refresh", Theft::Refresh),
    ("code", Theft::Code),
    ("withdraw", Theft::Withdraw),
    ("deal", Theft::Deal),
    ("operator", Theft::Operator),
    ("second-name", Theft::SecondName),
];

/// The operator who wishes ill, as a user of the machine, and the place of the one who signs in and is tied to that user.
const OPERATOR: &str = "one";
const SIGNED_IN: UserId = UserId(2);

/// The number of the operator's proposal.
const PROPOSAL: u64 = 1;

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

/// Two operators are needed from now on, and one of them proposes a gift.
pub(super) fn open_operators(scene: &mut Scene) {
    scene.own(Body::from(Operation::SetApprovals(2)));
    scene.own(Body::from(Identity::AddUser(Arc::new(NewUser {
        login: secret(b'o', 0),
        name: "an operator".into(),
        group: None,
        roles: Roles::NONE,
        is_operator: true,
        is_disabled: false,
        credential: 1,
        factor: 1,
    }))));
    let change = UserChange { os_user: Some(OPERATOR.to_owned()), ..UserChange::default() };
    scene.own(Body::from(Identity::ChangeUser(SIGNED_IN, Arc::new(change))));
    let (name, arguments) = ("credit".to_owned(), "{}".to_owned());
    let propose = Operation::Propose(Arc::new(GuardedCommand { name, arguments }));
    scene.own(Body::act(note(OPERATOR, None), Some(propose.into())));
    let proposals = scene.exchange.state.operations().proposals(scene.exchange.stamp.time);
    assert_eq!(proposals.map(|it| it.id).collect::<Vec<_>>(), [PROPOSAL], "the gift is proposed");
    let operator = scene.exchange.state.identity().operator(SIGNED_IN).expect("the third user");
    assert_eq!(operator.os_user, OPERATOR, "the second name is of the same operator");
}

/// The note of an operator's command.
fn note(who: &str, user: Option<UserId>) -> Note {
    Note { who: who.to_owned(), what: "credit".to_owned(), why: String::new(), user }
}

/// The gift to an account, carried out by an operator who approves the proposal.
fn gift(scene: &Scene, to: AccountId, (who, user): (&str, Option<UserId>)) -> Command {
    let gift = Body::credit(to, vec![(scene.currency(0), Money::from_units(1_000_000 * ONE))]);
    Command { caller: None, body: Body::approving_act(note(who, user), Some(gift), PROPOSAL) }
}

/// An offer of a coin to anyone, for next to nothing.
fn offer(scene: &Scene) -> Option<ClearingCommand> {
    let listed = scene.markets.first()?;
    let (price, qty) = (price_of(listed, ONE), qty_of(listed, ONE));
    let (symbol, side, parties) = (listed.symbol, Side::Sell, Parties::Open);
    let terms = Terms { symbol, side, price, qty, hours: HOURS, parties };
    Some(ClearingCommand::New(Arc::new(New { terms, client_id: String::new() })))
}

/// A withdrawal of a coin to the approved address.
fn withdrawal(scene: &Scene, account: AccountId) -> Option<FundsCommand> {
    let coin = 2;
    Some(FundsCommand::from(Withdrawing::Withdraw(Arc::new(Withdraw {
        account,
        network: network_of(coin)?.to_owned(),
        currency: scene.currency(coin),
        wraps: None,
        address: outside(),
        canonical: outside(),
        memo: String::new(),
        amount: Money::from_units(ONE),
        client_id: String::new(),
    }))))
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
        Theft::Withdraw => by(own.session, own.account, 1, withdrawal(scene, own.account)?.into()),
        Theft::Deal => by(own.session, own.account, 1, offer(scene)?.into()),
        Theft::Operator => gift(scene, thief.account, (OPERATOR, None)),
        Theft::SecondName => gift(scene, thief.account, ("one@example.com", Some(SIGNED_IN))),
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
