//! Which keys can be made: whom one acts for, what it may do and what is asked of it have to fit together.

use buttonwood_engine::{
    ADDRESSES_MAX, AccessCommand, AccessReject, Account, AccountKind, AccountNames, Answer, Body, Command,
    Event, FEES, FeeChange, FeeSchedule, Founded, Founding, LedgerInfrequent, LedgerReject, Mode, NewAccount,
    NewSession, Opening, Owner, Place, Reject, Seen, Standing, TradingAnswer, TradingCommand,
};
use buttonwood_model::{
    AccountId, Cidr, GroupId, Outbox, Product, Role, Roles, Seq, SessionId, Side, Stamp, SymbolId, Time,
};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_oracle::{Exchange, caller, fees_account};
use std::sync::Arc;

/// Every kind of key, and what none can be: of another kind's prefix, without a role, an Auditor and more, a master key
/// that must be heard of, a key of nobody or of the house, a text twice. Proves AUTH-015, AUTH-024, SES-016.
#[test]
fn a_key_is_of_one_piece() {
    let mut exchange = Exchange::open(FeeSchedule::default(), None);
    let account = exchange.account("ann", "");
    let group = exchange.state.access().account(account).unwrap().group.unwrap();
    let (one, all) = (Owner::Account(account), Owner::Group(group));
    let key = |api_key: &str, owner, roles: &[Role], require_heartbeat| NewSession {
        api_key: api_key.to_owned(),
        name: api_key.to_owned(),
        owner,
        roles: Roles::of(roles),
        require_heartbeat,
        time_based_nonce: !require_heartbeat,
        addresses: Vec::new(),
    };
    let (t, f, a) = (Role::Trader, Role::FundManager, Role::Auditor);
    let mut made = 0;
    let mut expect = |key: NewSession, expected: Answer| {
        made += usize::from(expected == Answer::Done);
        assert_eq!(exchange.own(Body::add_session(key.clone())), expected, "{key:?}");
        let sessions = exchange.state.access().sessions();
        assert_eq!(sessions.len(), made, "{key:?}");
        assert!(
            expected != Answer::Done || sessions.last().is_some_and(|newest| newest.key == key),
            "{key:?}"
        );
    };
    expect(key("account-a", one, &[t, f], true), Answer::Done);
    expect(key("master-a", all, &[Role::Administrator, t, f], false), Answer::Done);
    expect(key("account-b", one, &[a], false), Answer::Done);
    let nobody = [
        key("master-b", one, &[t], false),
        key("account-c", all, &[t], false),
        key("a", one, &[t], false),
        key("master-b", all, &[t], true),
        key("account-c", Owner::Account(AccountId(99)), &[t], false),
        key("account-c", Owner::Account(fees_account()), &[t], false),
        key("master-b", Owner::Group(GroupId(99)), &[t], false),
    ];
    for key in nobody {
        expect(key, Answer::Rejected(Reject::Access(AccessReject::Unknown)));
    }
    let wrong_roles = [
        key("account-c", one, &[], false),
        key("account-c", one, &[a, t], false),
        key("master-b", all, &[a, Role::Administrator], false),
    ];
    for key in wrong_roles {
        expect(key, Answer::Rejected(Reject::Access(AccessReject::BadRoles)));
    }
    expect(key("account-a", one, &[t], false), Answer::Rejected(Reject::Access(AccessReject::Taken)));
    expect(key("master-b", all, &[t], false), Answer::Done);
}

/// A command of the exchange or of an operator is refused to a key with every role, and uses its nonce.
#[test]
fn what_no_key_may_send_is_refused_for_its_roles() {
    let mut exchange = Exchange::open(FeeSchedule::default(), None);
    let account = exchange.account("ann", "");
    let session = exchange.key("ann", account, Role::Trader);
    let key = NewSession {
        api_key: "master-ann".into(),
        owner: Owner::Group(exchange.state.access().account(account).unwrap().group.unwrap()),
        roles: Roles::of(&[Role::Administrator, Role::Trader, Role::FundManager]),
        ..exchange.state.access().session(session).unwrap().key.clone()
    };
    assert_eq!(exchange.own(Body::add_session(key)), Answer::Done);
    let master = SessionId(session.0 + 1);
    let before = exchange.state.access().groups().len();
    let fees = FeeChange { product: Product::Spot, account: Some(account), schedule: None };
    let refused = [
        Body::add_group("two".into()),
        Body::from(AccessCommand::ResetNonces(session)),
        Body::from(AccessCommand::NoncesSeen(Seen::new())),
        Body::credit(account, Vec::new()),
        Body::open_house(FEES),
        Body::from(Founding::MoveClock),
        Body::from(TradingCommand::ExpireSession(session)),
        Body::from(TradingCommand::Auction(SymbolId(0))),
        Body::from(TradingCommand::SetFees(fees)),
    ];
    for (number, body) in (1..).zip(refused) {
        for session in [session, master] {
            let command = Command { caller: Some(caller(session, account, number)), body: body.clone() };
            let [first, again] = [(); 2].map(|()| exchange.submit(1, &command));
            let rejected = |reject| Answer::Rejected(Reject::Access(reject));
            let roles = exchange.state.access().session(session).unwrap().key.roles;
            assert_eq!(first, rejected(AccessReject::MissingRole(roles)), "{body:?}");
            assert_eq!(again, rejected(AccessReject::NonceUsed), "{body:?}");
        }
    }
    assert_eq!(exchange.state.access().groups().len(), before);
    let caller = Some(caller(session, account, 100));
    let own = Command { caller, body: Body::from(AccessCommand::UseNonce) };
    assert_eq!(exchange.submit(1, &own), Answer::Done);
}

/// A custody account holds funds and places no orders, whoever asks: no trader's key is made for it, and a master key that
/// names it is refused.
#[test]
fn a_custody_account_places_no_orders() {
    let mut exchange = Exchange::open(FeeSchedule::default(), None);
    let symbol = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]);
    let ann = exchange.account("ann", "");
    let [as_account, as_master] =
        [exchange.key("ann", ann, Role::Trader), exchange.master_key("all", ann, Role::Trader)];
    let like = exchange.state.access().account(ann).unwrap().clone();
    let custody = Account { short_name: "safe".into(), kind: AccountKind::Custody, ..like };
    assert_eq!(exchange.own(Body::open_account(custody)), Answer::Done);
    let safe = AccountId(ann.0 + 1);
    let usd = exchange.find_currency("USD");
    for account in [ann, safe] {
        let much = vec![(usd, Money::from_units(1 << 90))];
        assert_eq!(exchange.own(Body::credit(account, much)), Answer::Done);
    }
    let place = Place::limit(symbol, Side::Buy, Price::from_ticks(100), Qty::from_hundredths(100_000));
    let mut submit = |session, account, number, body| {
        let command = Command { caller: Some(caller(session, account, number)), body };
        exchange.submit(1, &command)
    };
    let body = || Body::from(TradingCommand::Place(place));
    let is_placed = |answer| matches!(answer, Answer::Trading(TradingAnswer::Order(_)));
    assert!(is_placed(submit(as_account, ann, 1, body())) && is_placed(submit(as_master, ann, 1, body())));
    let wrong = Answer::Rejected(Reject::Access(AccessReject::WrongKind));
    assert_eq!(submit(as_master, safe, 2, body()), wrong);
    let repeated = Answer::Rejected(Reject::Access(AccessReject::NonceUsed));
    assert_eq!(submit(as_master, safe, 2, body()), repeated);
    assert_eq!(submit(as_master, safe, 3, Body::from(TradingCommand::CancelAll)), Answer::Done);
    assert_eq!(exchange.orders_of(safe).count(), 0);
    let key = exchange.state.access().session(as_account).unwrap().key.clone();
    let key = NewSession { api_key: "account-safe".into(), owner: Owner::Account(safe), ..key };
    let auditor = NewSession { roles: Roles::of(&[Role::Auditor]), ..key.clone() };
    let bad_roles = Answer::Rejected(Reject::Access(AccessReject::BadRoles));
    assert_eq!(exchange.own(Body::add_session(key)), bad_roles);
    assert_eq!(exchange.own(Body::add_session(auditor)), Answer::Done);
    let auditor = SessionId::from_index(exchange.state.access().sessions().len() - 1);
    for (roles, expected) in [(Role::Trader, bad_roles), (Role::FundManager, Answer::Done)] {
        let roles = AccessCommand::SetSessionRoles(auditor, Roles::of(&[roles]));
        assert_eq!(exchange.own(roles.into()), expected);
    }
}

/// An order of one lot, far below the market.
fn some_order(symbol: SymbolId) -> Body {
    Body::from(TradingCommand::Place(Place::limit(
        symbol,
        Side::Buy,
        Price::from_ticks(100),
        Qty::from_hundredths(100_000),
    )))
}

/// A key that is disabled, re-roled or ended is so from the next command on; the refusal of a disabled one uses no nonce, and
/// everything is the same after a replay and a snapshot. Repeating a change changes nothing. Proves INV-AUTH-4 (part),
/// AUTH-011 (part).
#[test]
fn a_session_changes_between_two_commands() {
    let mut exchange = Exchange::open(FeeSchedule::default(), Some(Vec::new()));
    let symbol = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]);
    let ann = exchange.account("ann", "");
    let beside = exchange.account_beside(ann, "bea", "");
    let [key, master] =
        [exchange.key("ann", ann, Role::Trader), exchange.master_key("all", ann, Role::Trader)];
    let usd = exchange.find_currency("USD");
    for account in [ann, beside] {
        assert_eq!(
            exchange.own(Body::credit(account, vec![(usd, Money::from_units(1 << 90))])),
            Answer::Done
        );
    }
    let mut nonce = 0;
    let mut place = |exchange: &mut Exchange, session, account| {
        nonce += 1;
        let command = Command { caller: Some(caller(session, account, nonce)), body: some_order(symbol) };
        exchange.submit(Time::SECOND, &command)
    };
    let is_placed = |answer| matches!(answer, Answer::Trading(TradingAnswer::Order(_)));
    let rejected = |reject| Answer::Rejected(Reject::Access(reject));
    for (session, account) in [(key, ann), (master, ann), (master, beside)] {
        assert!(is_placed(place(&mut exchange, session, account)));
    }
    let disable = |cancel_orders| AccessCommand::DisableSession { session: master, cancel_orders };
    let highest = exchange.state.access().session(master).unwrap().highest_nonce();
    for _ in 0..2 {
        assert_eq!(exchange.own(disable(false).into()), Answer::Done);
        assert_eq!(place(&mut exchange, master, ann), rejected(AccessReject::Disabled));
        assert_eq!(exchange.state.access().session(master).unwrap().standing(), Standing::Disabled);
    }
    assert_eq!(exchange.state.access().session(master).unwrap().highest_nonce(), highest);
    assert_eq!((exchange.orders_of(ann).count(), exchange.orders_of(beside).count()), (2, 1), "orders stay");
    assert_eq!(exchange.own(disable(true).into()), Answer::Done);
    assert_eq!((exchange.orders_of(ann).count(), exchange.orders_of(beside).count()), (1, 0), "its own only");
    assert_eq!(exchange.own(AccessCommand::EnableSession(master).into()), Answer::Done);
    assert!(is_placed(place(&mut exchange, master, beside)));

    let roles = |role| AccessCommand::SetSessionRoles(key, Roles::of(&[role]));
    assert_eq!(exchange.own(roles(Role::Auditor).into()), Answer::Done);
    assert_eq!(
        place(&mut exchange, key, ann),
        rejected(AccessReject::MissingRole(Roles::of(&[Role::Auditor])))
    );
    assert_eq!(exchange.own(roles(Role::Trader).into()), Answer::Done);
    assert!(is_placed(place(&mut exchange, key, ann)));

    let range = "192.0.2.0/24".parse::<Cidr>().unwrap();
    let name: Arc<String> = Arc::new("other".into());
    let group = exchange.state.access().account(ann).unwrap().group.unwrap();
    let change = [
        AccessCommand::RenameSession(key, Arc::clone(&name)),
        AccessCommand::RestrictSession(key, Arc::new(vec![range])),
        AccessCommand::RestrictGroup(group, Arc::new(vec![range])),
        AccessCommand::EndSession { session: master, cancel_orders: true },
    ];
    for command in &change {
        for _ in 0..2 {
            assert_eq!(exchange.own(command.clone().into()), Answer::Done);
        }
    }
    assert_eq!(exchange.orders_of(beside).count(), 0);
    let access = exchange.state.access();
    assert_eq!(access.session(key).unwrap().key.name, *name);
    assert_eq!(access.session(key).unwrap().key.addresses, [range]);
    assert_eq!(access.group(group).unwrap().addresses, [range]);
    for command in [
        AccessCommand::EnableSession(master),
        AccessCommand::SetSessionRoles(master, Roles::of(&[Role::Trader])),
        AccessCommand::RenameSession(master, Arc::clone(&name)),
        AccessCommand::RestrictSession(master, Arc::default()),
    ] {
        assert_eq!(exchange.own(command.into()), rejected(AccessReject::Ended));
    }
    assert_eq!(exchange.own(disable(false).into()), Answer::Done, "it is out of use already");
    let many = AccessCommand::RestrictSession(key, Arc::new(vec![range; ADDRESSES_MAX + 1]));
    assert_eq!(exchange.own(many.into()), rejected(AccessReject::TooManyAddresses));
    let nobody = SessionId(99);
    for command in [
        AccessCommand::DisableSession { session: nobody, cancel_orders: true },
        AccessCommand::EnableSession(nobody),
        AccessCommand::EndSession { session: nobody, cancel_orders: true },
        AccessCommand::RenameSession(nobody, name),
        AccessCommand::RestrictGroup(GroupId(99), Arc::default()),
    ] {
        assert_eq!(exchange.own(command.into()), rejected(AccessReject::Unknown));
    }
    let session = exchange.state.access().session(key).unwrap();
    assert!(session.last_used().is_some_and(|used| session.created() < used && used <= exchange.stamp.time));
    assert_eq!(exchange.stored(), exchange.state, "a snapshot holds it all");
}

/// A created account is where its group's first account is, so that it opens no symbol to the group (D-16); it is opened at its
/// command's time, and its counterparty id is its own. A name that was given up leads to another id.
#[test]
fn a_created_account_is_of_its_group() {
    let mut exchange = Exchange::open(FeeSchedule::default(), None);
    let first = exchange.account("ann", "US-NY");
    let master = exchange.master_key("ann", first, Role::Administrator);
    let mut create = |number, name: &str, custody| {
        let new = NewAccount { display_name: name.into(), short_name: name.into(), custody };
        let body = AccessCommand::CreateAccount(Arc::new(new)).into();
        let command = Command { caller: Some(caller(master, first, number)), body };
        assert_eq!(exchange.submit(7, &command), Answer::Done);
        let account = exchange.state.access().accounts().last().unwrap().clone();
        assert_eq!((&*account.jurisdiction, account.opened), ("US-NY", exchange.stamp.time));
        assert!(!account.broker && account.kind == AccountKind::Exchange);
        let id = AccountId::from_index(exchange.state.access().accounts().len() - 1);
        assert_eq!(exchange.state.ledger().next_account(), AccountId(id.0 + 1));
        let names =
            AccountNames { display_name: Some(format!("{number}")), short_name: Some(format!("{number}")) };
        let body = AccessCommand::RenameAccount(Arc::new(names)).into();
        let command = Command { caller: Some(caller(master, id, number + 1)), body };
        assert_eq!(exchange.submit(1, &command), Answer::Done);
        account.counterparty_id
    };
    let ids = [create(1, "bob", false), create(3, "bob", false), create(5, "cat", false)];
    assert!(ids.iter().all(|id| id.len() == 8) && ids[0] != ids[1] && ids[1] != ids[2], "{ids:?}");
}

/// A directory that an earlier build made may lack accounts of the house: they are opened by name, at the next free places.
#[test]
fn missing_accounts_of_the_house_are_opened() {
    let mut exchange = Exchange::blank();
    assert_eq!(exchange.state.missing_houses().count(), 0, "nothing is missing before the directory is made");
    let mut out = Outbox::<Event>::default();
    out.begin();
    let opening = Opening { mode: Mode::Venue, seed: 1, hash_key: 2, fees: FeeSchedule::default() };
    out.push_named(&Founded::Opened(opening));
    out.push_named(&LedgerInfrequent::HouseOpened("source".into(), true));
    exchange.state.apply(Stamp { seq: Seq(1), time: Time(1) }, &out.events, &out.texts);
    exchange.stamp = exchange.state.stamp();
    for body in exchange.state.missing_houses().collect::<Vec<_>>() {
        assert_eq!(exchange.own(body), Answer::Done);
    }
    let state = &exchange.state;
    let houses: Vec<_> =
        state.ledger().houses().iter().map(|house| (house.name.as_str(), house.may_be_negative)).collect();
    assert_eq!(
        houses,
        [
            ("source", true),
            ("fees", false),
            ("rounding", false),
            ("insurance", false),
            ("clearing", true),
            ("issuer", true),
            ("instant", true),
            ("unclaimed", false),
            ("lending", true),
            ("staking_pool", false),
            ("staking_rewards", false),
            ("promo", false),
        ]
    );
    assert_eq!((state.missing_houses().count(), state.access().accounts().len()), (0, 12));
    let again = exchange.own(Body::open_house(FEES));
    assert_eq!(again, Answer::Rejected(Reject::Ledger(LedgerReject::Taken)));
}
