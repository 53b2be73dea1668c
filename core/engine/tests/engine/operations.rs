//! Halting, resuming, and what needs a second operator.
#![expect(clippy::unwrap_used, reason = "what a test cannot do, fails it")]

use buttonwood_engine::funds::halt::Command as HaltCommand;
use buttonwood_engine::funds::{ApprovalScope, EntryRef, Scope, approval};
use buttonwood_engine::{
    AccessCommand, AccessReject, Answer, ApprovalError, Body, Command, FeeChange, FeeSchedule, FundsCommand,
    FundsReject, GuardedCommand, NewSession, Note, Operation, Outcome, PROPOSAL_AGE, PROPOSALS_MAX, Place,
    Proposed, Reject, Standing, TradingAnswer, TradingCommand,
};
use buttonwood_model::{
    AccountId, CancelReason, Cidr, Due, GroupId, OrderKind, Product, Role, SessionId, Side, SymbolId,
    SymbolStatus,
};
use buttonwood_num::{Bps, Money, Price, Qty};
use buttonwood_oracle::{Exchange, Happening, caller};
use std::sync::Arc;

/// An exchange with one symbol.
fn exchange() -> (Exchange, SymbolId) {
    let mut exchange = Exchange::open(FeeSchedule::default(), Some(Vec::new()));
    let symbol = exchange.symbol(["BTC", "USD"], ["0.0001", "0.0001", "0.01"], &[]);
    (exchange, symbol)
}

fn act(exchange: &mut Exchange, who: &str, body: impl Into<Body>) -> Answer {
    let note = Note { who: who.into(), what: "something".into(), why: "a reason".into(), user: None };
    exchange.own(Body::act(note, Some(body.into())))
}

/// The numbers of the proposals that wait.
fn waiting(exchange: &Exchange) -> Vec<u64> {
    let proposals = exchange.state.operations().proposals(exchange.stamp.time);
    proposals.map(|proposal| proposal.id).collect()
}

fn refused(error: ApprovalError) -> Answer {
    Outcome::Rejected(Reject::Operation(error))
}

/// A halt notes who, why and since when. Repeating it changes nothing.
#[test]
fn a_halt_says_who_and_why() {
    let (mut exchange, _) = exchange();
    assert_eq!(act(&mut exchange, "alice", Operation::Halt), Outcome::Done);
    let halt = exchange.state.operations().halt().cloned().unwrap();
    assert_eq!((halt.since, &*halt.who, &*halt.why), (exchange.stamp.time, "alice", "a reason"));
    act(&mut exchange, "bob", Operation::Halt);
    assert_eq!(exchange.state.operations().halt(), Some(&halt));
    act(&mut exchange, "bob", Operation::Resume);
    assert!(!exchange.state.operations().is_halted());
    assert_eq!(act(&mut exchange, "bob", Operation::Resume), Outcome::Done);
}

/// Without another setting one operator is enough, and nothing waits for a second.
#[test]
fn one_operator_is_enough() {
    let (mut exchange, symbol) = exchange();
    assert_eq!(exchange.state.operations().approvals(), 1);
    act(&mut exchange, "alice", TradingCommand::SetSymbolStatus(symbol, SymbolStatus::PostOnly));
    assert_eq!(exchange.state.symbol(symbol).unwrap().status, SymbolStatus::PostOnly);
    assert_eq!(waiting(&exchange), []);
    assert_eq!(act(&mut exchange, "bob", Operation::Approve(1)), refused(ApprovalError::Unknown));
    for approvals in [0, 3] {
        let answer = exchange.own(Operation::SetApprovals(approvals).into());
        assert_eq!(answer, Outcome::Rejected(Reject::Unknown), "{approvals}");
    }
}

/// Where two are needed, a resumption and a status wait until another user approves them. A halt does not wait.
#[test]
fn a_second_operator_approves() {
    let (mut exchange, symbol) = exchange();
    assert_eq!(exchange.own(Operation::SetApprovals(2).into()), Outcome::Done);
    act(&mut exchange, "alice", Operation::Halt);
    assert!(exchange.state.operations().is_halted());
    act(&mut exchange, "alice", Operation::Resume);
    act(&mut exchange, "carol", Operation::Resume);
    act(&mut exchange, "alice", TradingCommand::SetSymbolStatus(symbol, SymbolStatus::CancelOnly));
    assert_eq!(waiting(&exchange), [1, 2], "a proposal is not made twice");
    assert!(exchange.state.operations().is_halted());
    assert_eq!(exchange.state.symbol(symbol).unwrap().status, SymbolStatus::Open);

    assert_eq!(act(&mut exchange, "alice", Operation::Approve(1)), refused(ApprovalError::OwnProposal));
    assert_eq!(act(&mut exchange, "bob", Operation::Approve(9)), refused(ApprovalError::Unknown));
    assert!(exchange.state.operations().is_halted());
    assert_eq!(act(&mut exchange, "bob", Operation::Approve(1)), Outcome::Done);
    assert!(!exchange.state.operations().is_halted());
    assert_eq!(act(&mut exchange, "bob", Operation::Approve(2)), Outcome::Done);
    assert_eq!(exchange.state.symbol(symbol).unwrap().status, SymbolStatus::CancelOnly);
    assert_eq!(waiting(&exchange), []);
    assert_eq!(act(&mut exchange, "carol", Operation::Approve(2)), refused(ApprovalError::Unknown));
}

/// Resuming withdrawals or an asset needs the second operator too. Halting again withdraws the proposal.
#[test]
fn a_second_operator_resumes_what_money_leaves_by() {
    let (mut exchange, _) = exchange();
    exchange.own(Operation::SetApprovals(2).into());
    let btc = exchange.find_currency("BTC");
    let halt = |scope| FundsCommand::from(HaltCommand::Halt(scope));
    let resume = |scope| FundsCommand::from(HaltCommand::Resume(scope));
    let scopes = [Scope::Withdrawals, Scope::Asset(btc)];
    for scope in scopes {
        act(&mut exchange, "alice", resume(scope));
        assert_eq!(waiting(&exchange), [], "nothing is halted");
        act(&mut exchange, "alice", halt(scope));
        assert!(exchange.state.funds().halts().has(scope), "a halt takes effect at once");
    }
    for (scope, id) in scopes.into_iter().zip(1..) {
        act(&mut exchange, "alice", resume(scope));
        act(&mut exchange, "carol", resume(scope));
        assert!(exchange.state.funds().halts().has(scope));
        assert_eq!(waiting(&exchange), [id]);
        assert_eq!(act(&mut exchange, "alice", Operation::Approve(id)), refused(ApprovalError::OwnProposal));
        if scope == Scope::Withdrawals {
            assert_eq!(act(&mut exchange, "bob", Operation::Approve(id)), Outcome::Done);
            assert!(!exchange.state.funds().halts().has(scope));
        } else {
            act(&mut exchange, "bob", halt(scope));
            assert!(exchange.state.funds().halts().has(scope));
        }
        assert_eq!(waiting(&exchange), []);
        assert_eq!(exchange.stored(), exchange.state);
    }
}

/// A command that would be refused, or would change nothing, is not proposed.
#[test]
fn only_what_can_take_effect_is_proposed() {
    let (mut exchange, symbol) = exchange();
    exchange.own(Operation::SetApprovals(2).into());
    act(&mut exchange, "alice", Operation::Resume);
    act(&mut exchange, "alice", TradingCommand::SetSymbolStatus(symbol, SymbolStatus::Open));
    let unknown = TradingCommand::SetSymbolStatus(SymbolId(9), SymbolStatus::Open);
    assert!(matches!(act(&mut exchange, "alice", unknown), Outcome::Rejected(_)));
    assert_eq!(waiting(&exchange), []);
}

/// A proposal ends with its age, with another one about the same symbol, with a halt, and with the setting.
#[test]
fn a_proposal_ends() {
    let (mut exchange, symbol) = exchange();
    exchange.own(Operation::SetApprovals(2).into());
    let status = |status| TradingCommand::SetSymbolStatus(symbol, status);
    act(&mut exchange, "alice", status(SymbolStatus::PostOnly));
    act(&mut exchange, "alice", status(SymbolStatus::LimitOnly));
    assert_eq!(waiting(&exchange), [1, 2]);
    act(&mut exchange, "bob", Operation::Approve(2));
    assert_eq!(waiting(&exchange), [], "the other one is about the same symbol");

    act(&mut exchange, "alice", Operation::Halt);
    act(&mut exchange, "alice", Operation::Resume);
    assert_eq!(waiting(&exchange), [3]);
    let since = exchange.state.operations().halt().unwrap().since;
    act(&mut exchange, "bob", Operation::Halt);
    assert_eq!(waiting(&exchange), [], "a halt withdraws it");
    assert_eq!(exchange.state.operations().halt().unwrap().since, since);

    act(&mut exchange, "alice", Operation::Resume);
    exchange.stamp.time = exchange.stamp.time.plus(PROPOSAL_AGE - 2);
    assert_eq!(waiting(&exchange), [4]);
    exchange.stamp.time = exchange.stamp.time.plus(1);
    assert_eq!(act(&mut exchange, "bob", Operation::Approve(4)), refused(ApprovalError::Unknown));
    act(&mut exchange, "alice", Operation::Resume);
    assert_eq!(waiting(&exchange), [5], "it can be proposed again");
    exchange.own(Operation::SetApprovals(1).into());
    assert_eq!(waiting(&exchange), []);
    act(&mut exchange, "alice", Operation::Resume);
    assert!(!exchange.state.operations().is_halted());
}

/// An operator's cancel of a symbol's orders takes a stop order too that a trade has reached and that a halt keeps from entering.
#[test]
fn a_stop_order_that_waits_for_the_end_of_a_halt_is_cancelled() {
    let (mut exchange, symbol) = exchange();
    let all: Vec<_> =
        exchange.currencies().map(|currency| (currency, Money::from_units(10_i128.pow(23)))).collect();
    let [seller, buyer] = ["seller", "buyer"].map(|name| {
        let account = exchange.account(name, "");
        assert_eq!(exchange.own(Body::credit(account, all.clone())), Outcome::Done);
        (exchange.key(name, account, Role::Trader), account)
    });
    let order = |side, kind, ticks: u64, stop: u64| Place {
        kind,
        stop: Price::from_ticks(stop),
        ..Place::limit(symbol, side, Price::from_ticks(ticks), Qty::from_hundredths(1_000_000))
    };
    let orders = [
        (seller, order(Side::Sell, OrderKind::Limit, 10_000, 0)),
        (seller, order(Side::Buy, OrderKind::StopLimit, 10_100, 10_000)),
        (buyer, order(Side::Buy, OrderKind::Limit, 10_000, 0)),
    ];
    for (number, ((session, account), place)) in (1..).zip(orders) {
        let body = Body::Trading(TradingCommand::Place(place));
        let answer = exchange.submit(1, &Command { caller: Some(caller(session, account, number)), body });
        assert!(matches!(answer, Outcome::Trading(TradingAnswer::Order(_))), "{answer:?}");
    }
    let stop = exchange.state.floor().stops.due().unwrap();
    exchange.own(Operation::Halt.into());
    exchange.own(Body::Trading(TradingCommand::CancelOrders(None, Some(symbol), None)));
    assert_eq!(exchange.happened, [Happening::Cancelled(stop.0, CancelReason::Requested)]);
    assert!(exchange.state.orders().is_empty() && exchange.state.floor().stops.due().is_none());
    // A symbol that is not listed, an account that does not exist, and neither.
    let (no_symbol, no_account) = (SymbolId::from_index(1), AccountId(1_000));
    for (account, symbol) in [(None, Some(no_symbol)), (Some(no_account), Some(symbol)), (None, None)] {
        let answer = exchange.own(Body::Trading(TradingCommand::CancelOrders(account, symbol, None)));
        assert_eq!(answer, Outcome::Rejected(Reject::Unknown));
    }
}

/// The hold of an approved address ends before its time in a sandbox alone: a venue refuses the command before it looks at the list (D-298).
#[test]
fn a_venue_waives_no_hold() {
    let sandbox = Exchange::open(FeeSchedule::default(), None);
    let not_listed = FundsReject::Approval(approval::Reject::NotListed);
    for (mut exchange, refusal) in
        [(sandbox, Reject::Funds(not_listed)), (Exchange::venue(None), Reject::Unknown)]
    {
        let scope = ApprovalScope::Account(exchange.account("ann", ""));
        let entry = EntryRef { scope, network: "ethereum".into(), canonical: "0xa".into() };
        let waive = approval::Command::WaiveApprovalHold(Box::new(entry));
        assert_eq!(exchange.own(FundsCommand::from(waive).into()), Outcome::Rejected(refusal));
    }
}

/// A snapshot and a replay hold the halt and the proposals.
#[test]
fn a_halt_outlives_snapshots_and_replays() {
    let (mut exchange, symbol) = exchange();
    exchange.own(Operation::SetApprovals(2).into());
    act(&mut exchange, "alice", TradingCommand::SetSymbolStatus(symbol, SymbolStatus::Closed));
    act(&mut exchange, "alice", Operation::Halt);
    let mut replayed = Exchange::blank();
    for frame in exchange.journal.take().unwrap() {
        replayed.replay(&frame);
    }
    let stored = exchange.stored();
    for state in [&stored, &replayed.state] {
        let operations = state.operations();
        assert!(operations.is_halted() && operations.approvals() == 2);
        let proposal = operations.proposals(exchange.stamp.time).next().unwrap();
        assert_eq!(
            (&proposal.what, &*proposal.who, &*proposal.text),
            (&Proposed::Status(symbol, SymbolStatus::Closed), "alice", "something")
        );
    }
    assert_eq!(exchange.difference(&replayed), None);
}

fn carry_out(exchange: &mut Exchange, who: &str, id: u64, body: impl Into<Body>) -> Answer {
    let note = Note { who: who.into(), what: "approve".into(), why: String::new(), user: None };
    exchange.own(Body::approving_act(note, Some(body.into()), id))
}

fn command(arguments: &str) -> Operation {
    let (name, arguments) = ("fees set".into(), arguments.into());
    Operation::Propose(Arc::new(GuardedCommand { name, arguments }))
}

/// A guarded command is carried out by an act that names its proposal, of another user, once, and only if it can be done then.
#[test]
fn a_command_is_carried_out_when_another_operator_approves_it() {
    let (mut exchange, symbol) = exchange();
    let bad = TradingCommand::SetSymbolStatus(SymbolId(9), SymbolStatus::Open);
    let rates = || FeeSchedule { maker: Bps(1), taker: Bps(2), auction: Bps(2) };
    let set = || {
        let schedule = Some(rates());
        TradingCommand::SetFees(FeeChange { product: Product::Spot, account: None, schedule })
    };
    let unknown = refused(ApprovalError::Unknown);
    assert_eq!(
        act(&mut exchange, "alice", command("{}")),
        Outcome::Rejected(Reject::Unknown),
        "one is enough"
    );
    exchange.own(Operation::SetApprovals(2).into());
    assert_eq!(
        exchange.own(command("{}").into()),
        Outcome::Rejected(Reject::Unknown),
        "it needs an operator"
    );
    for who in ["alice", "carol"] {
        assert_eq!(act(&mut exchange, who, command("{}")), Outcome::Done);
    }
    act(&mut exchange, "alice", command("{\"a\":1}"));
    assert_eq!(waiting(&exchange), [1, 2], "a proposal is not made twice");
    let before = exchange.state.fees().clone();
    assert_eq!(carry_out(&mut exchange, "alice", 1, set()), refused(ApprovalError::OwnProposal));
    assert_eq!(carry_out(&mut exchange, "bob", 9, set()), unknown);
    assert_eq!(act(&mut exchange, "bob", Operation::Approve(1)), unknown, "the core does not know it");
    assert!(matches!(carry_out(&mut exchange, "bob", 1, bad), Outcome::Rejected(_)));
    assert_eq!((waiting(&exchange), exchange.state.fees()), (vec![1, 2], &before), "nothing was done");
    assert_eq!(carry_out(&mut exchange, "bob", 1, set()), Outcome::Done);
    assert_ne!(exchange.state.fees(), &before);
    assert_eq!(waiting(&exchange), [2]);
    assert_eq!(carry_out(&mut exchange, "bob", 1, set()), unknown, "once");
    act(&mut exchange, "alice", TradingCommand::SetSymbolStatus(symbol, SymbolStatus::PostOnly));
    assert_eq!(carry_out(&mut exchange, "bob", 3, set()), unknown, "another kind of proposal");
    assert_eq!(exchange.stored(), exchange.state);
    exchange.stamp.time = exchange.stamp.time.plus(PROPOSAL_AGE);
    assert_eq!(carry_out(&mut exchange, "bob", 2, set()), unknown, "too late");
}

/// Only so many wait. A proposal that the core withdraws by itself, such as a resumption, is not counted.
#[test]
fn only_so_many_proposals_wait() {
    let (mut exchange, _) = exchange();
    exchange.own(Operation::SetApprovals(2).into());
    for number in 0..PROPOSALS_MAX {
        assert_eq!(act(&mut exchange, "alice", command(&format!("{{\"a\":{number}}}"))), Outcome::Done);
    }
    assert_eq!(act(&mut exchange, "alice", command("{}")), refused(ApprovalError::TooMany));
    act(&mut exchange, "alice", Operation::Halt);
    assert_eq!(act(&mut exchange, "alice", Operation::Resume), Outcome::Done);
    assert_eq!(waiting(&exchange).len(), PROPOSALS_MAX + 1);
}

/// An exchange that needs two operators, and a key of it to propose.
fn with_key() -> (Exchange, NewSession) {
    let (mut exchange, _) = exchange();
    let account = exchange.account("ann", "");
    let known = exchange.key("ann", account, Role::Trader);
    exchange.own(Operation::SetApprovals(2).into());
    let key = exchange.state.access().session(known).unwrap().key.clone();
    (exchange, NewSession { api_key: "account-new".into(), name: "new".into(), ..key })
}

fn propose_key(exchange: &mut Exchange, who: &str, key: &NewSession) -> SessionId {
    assert_eq!(act(exchange, who, Operation::ProposeKey(Arc::new(key.clone()))), Outcome::Done);
    exchange.state.access().find_session(&key.api_key).unwrap()
}

fn standing(exchange: &Exchange, key: SessionId) -> Standing {
    exchange.state.access().session(key).unwrap().standing()
}

/// A new key is there at once and disabled; another operator's approval enables it.
#[test]
fn a_new_key_waits_for_another_operator() {
    let (mut exchange, key) = with_key();
    let session = propose_key(&mut exchange, "alice", &key);
    assert_eq!((standing(&exchange, session), waiting(&exchange)), (Standing::Disabled, vec![1]));
    let twice = act(&mut exchange, "alice", Operation::ProposeKey(Arc::new(key)));
    assert_eq!(twice, Outcome::Rejected(Reject::Access(AccessReject::Taken)));
    assert_eq!(act(&mut exchange, "alice", Operation::Approve(1)), refused(ApprovalError::OwnProposal));
    assert_eq!(standing(&exchange, session), Standing::Disabled);
    assert_eq!(act(&mut exchange, "bob", Operation::Approve(1)), Outcome::Done);
    assert_eq!((standing(&exchange, session), waiting(&exchange)), (Standing::Enabled, vec![]));
    assert_eq!(exchange.state.operations().proposed_keys().count(), 0, "its time is not watched any more");
}

/// Runs what is due until the expiry of a key is, which is not run.
fn next_expiry(exchange: &mut Exchange) -> Due<Body> {
    loop {
        let due = exchange.state.next_due().unwrap();
        if matches!(due.command, Body::Operation(Operation::ExpireKey(_))) {
            return due;
        }
        exchange.stamp.time = exchange.stamp.time.max(due.time);
        assert_eq!(exchange.own(due.command), Outcome::Done);
    }
}

/// A key that is not approved within 24 hours ends, by a command of the journal.
#[test]
fn a_key_without_approval_ends_after_a_day() {
    let (mut exchange, key) = with_key();
    let session = propose_key(&mut exchange, "alice", &key);
    let due = next_expiry(&mut exchange);
    let made = exchange.state.access().session(session).unwrap().created();
    assert_eq!((due.time, &due.command), (made.plus(PROPOSAL_AGE), &Operation::ExpireKey(1).into()));
    assert_eq!(exchange.own(due.command.clone()), Outcome::Rejected(Reject::NotNow), "too early");
    exchange.stamp.time = due.time;
    assert_eq!(waiting(&exchange), [], "its time has passed");
    act(&mut exchange, "alice", command("{}"));
    assert_eq!(act(&mut exchange, "bob", Operation::Approve(1)), refused(ApprovalError::Unknown));
    assert_eq!(exchange.own(due.command.clone()), Outcome::Done);
    assert_eq!((standing(&exchange, session), waiting(&exchange)), (Standing::Ended, vec![2]));
    assert_eq!(exchange.own(due.command), Outcome::Rejected(Reject::NotNow), "once");
    assert_eq!(exchange.stored(), exchange.state);
}

/// Whoever disables, ends or enables a key that waits decides about it; one operator ends it. With another setting it ends too.
#[test]
fn another_command_decides_about_a_key_that_waits() {
    type Change = fn(SessionId) -> AccessCommand;
    let changes: [(Change, Standing); 3] = [
        (|session| AccessCommand::DisableSession { session, cancel_orders: false }, Standing::Disabled),
        (|session| AccessCommand::EndSession { session, cancel_orders: false }, Standing::Ended),
        (AccessCommand::EnableSession, Standing::Enabled),
    ];
    for (change, expected) in changes {
        let (mut exchange, key) = with_key();
        let session = propose_key(&mut exchange, "alice", &key);
        assert_eq!(act(&mut exchange, "carol", change(session)), Outcome::Done);
        assert_eq!((standing(&exchange, session), waiting(&exchange)), (expected, vec![]));
        assert_eq!(exchange.state.operations().proposed_keys().count(), 0);
    }
    let (mut exchange, key) = with_key();
    let session = propose_key(&mut exchange, "alice", &key);
    exchange.own(Operation::SetApprovals(1).into());
    assert_eq!((standing(&exchange, session), waiting(&exchange)), (Standing::Ended, vec![]));
}

/// A group gets its name, its terms and its addresses in one command, and other terms and addresses in one too.
/// Proves AUTH-013 (part).
#[test]
fn a_group_has_its_terms_and_addresses_at_once() {
    use buttonwood_engine::{ADDRESSES_MAX, GroupChange, GroupTerms, NewGroup};
    let (mut exchange, _) = exchange();
    let terms = GroupTerms { accounts_max: 3, custody: true };
    let some: Vec<Cidr> = vec!["192.0.2.0/24".parse().unwrap()];
    let many = vec![some[0]; ADDRESSES_MAX + 1];
    let new = |name: &str, addresses: &[Cidr]| {
        let addresses = addresses.to_vec();
        AccessCommand::MakeGroup(Arc::new(NewGroup { name: name.into(), terms, addresses }))
    };
    let refused = |reject| Outcome::Rejected(Reject::Access(reject));
    let too_many = act(&mut exchange, "alice", new("south", &many));
    assert_eq!(too_many, refused(AccessReject::TooManyAddresses));
    assert_eq!(exchange.state.access().find_group("south"), None);
    assert_eq!(act(&mut exchange, "alice", new("north", &some)), Outcome::Done);
    assert_eq!(act(&mut exchange, "alice", new("north", &[])), refused(AccessReject::Taken));
    let north = exchange.state.access().find_group("north").unwrap();
    let is = |exchange: &Exchange| {
        let group = exchange.state.access().group(north).unwrap();
        (group.terms, group.addresses.clone())
    };
    assert_eq!(is(&exchange), (terms, some.clone()));
    let mut change = |group, terms, addresses: Option<Vec<Cidr>>| {
        let change = GroupChange { group, terms, addresses };
        act(&mut exchange, "alice", AccessCommand::ChangeGroup(Arc::new(change)))
    };
    let fewer = GroupTerms { accounts_max: 2, custody: false };
    assert_eq!(change(GroupId(99), Some(fewer), Some(Vec::new())), refused(AccessReject::Unknown));
    assert_eq!(change(north, Some(fewer), Some(many)), refused(AccessReject::TooManyAddresses));
    assert_eq!(change(north, Some(fewer), None), Outcome::Done);
    assert_eq!(is(&exchange), (fewer, some));
    let mut change = |terms, addresses| {
        let change = GroupChange { group: north, terms, addresses };
        act(&mut exchange, "alice", AccessCommand::ChangeGroup(Arc::new(change)))
    };
    assert_eq!(change(Some(terms), Some(Vec::new())), Outcome::Done);
    assert_eq!(is(&exchange), (terms, Vec::new()));
}
