//! Looking prefetch may be told anything, at any time, and changes nothing.

use buttonwood_engine::{
    AccessInfrequent, Body, Coming, Command, Founding, Infrequent, NewSession, OrderRef, Owner, Prefetch,
    Sketch, State, TradingCommand,
};
use buttonwood_model::{AccountId, Outbox, Role, Roles, Seq, SessionId, Side, Stamp, SymbolId, Time};
use buttonwood_num::Price;
use buttonwood_oracle::{Dealer, MAJORS};

/// Whatever may be asked, of what is there and of what is not.
fn see_all(prefetch: &mut Prefetch, state: &State) {
    let sides = [Side::Buy, Side::Sell];
    for number in [0, 1, 2, 3, u32::MAX] {
        let (session, account) = (SessionId(number), AccountId(number));
        prefetch.see(state, Coming::Cancel(session, buttonwood_model::OrderId(u64::from(number))));
        prefetch.see(state, Coming::Other);
        for (symbol, side) in [0, 1, u32::MAX].into_iter().zip(sides.into_iter().cycle()) {
            for ticks in [0, 1, 6_000_000, u64::MAX] {
                let price = Price::from_ticks(ticks);
                let sketch = Sketch { symbol: SymbolId(symbol), side, price, client_id: b"some" };
                prefetch.see(state, Coming::Place(session, account, sketch));
            }
        }
    }
}

/// Of an exchange without anything, and of one that trades: what is looked at long before it is decided, or never is, and what
/// is gone by the time of the second look.
#[test]
fn anything_may_be_looked_at() {
    let mut prefetch = Prefetch::default();
    see_all(&mut prefetch, &State::new());
    let (mut exchange, mut dealer) = Dealer::found(&MAJORS, 1);
    for number in 0..3_000 {
        let (micros, command) = dealer.deal(&exchange);
        prefetch.see(&exchange.state, Coming::from(&command));
        exchange.submit(micros, &command);
        if number % 500 == 0 {
            see_all(&mut prefetch, &exchange.state);
        }
    }
    assert!(!exchange.state.orders().is_empty());
}

/// A command tells where it will reach, unless that is seldom asked.
#[test]
fn a_command_tells_where_it_will_reach() {
    let (mut exchange, mut dealer) = Dealer::found(&MAJORS, 2);
    let mut told = [0; 3];
    for _ in 0..2_000 {
        let (micros, command) = dealer.deal(&exchange);
        let caller = command.caller.as_ref();
        match (Coming::from(&command), &command.body) {
            (Coming::Cancel(session, id), Body::Trading(TradingCommand::Cancel(OrderRef::Id(of)))) => {
                assert_eq!((id, Some(session)), (*of, caller.map(|caller| caller.session)));
                told[0] += 1;
            }
            (Coming::Place(session, account, sketch), Body::Trading(TradingCommand::Place(place))) => {
                assert_eq!(
                    caller.map(|caller| (caller.session, caller.account)),
                    Some((session, Some(account)))
                );
                assert_eq!(
                    (sketch.symbol, sketch.side, sketch.price),
                    (place.symbol, place.side, place.price)
                );
                let text = place.client_id.map(|text| text.as_bytes().to_vec());
                assert_eq!(sketch.client_id, text.unwrap_or_default());
                told[1] += 1;
            }
            (Coming::Other, Body::Trading(TradingCommand::Place(_))) => {
                assert!(caller.is_none_or(|caller| caller.account.is_none()));
            }
            (Coming::Other, Body::Trading(TradingCommand::Cancel(OrderRef::Id(_)))) => {
                assert!(caller.is_none());
            }
            (Coming::Other, _) => told[2] += 1,
            (coming, body) => panic!("{body:?} is told as {coming:?}"),
        }
        exchange.submit(micros, &command);
    }
    assert!(told.iter().all(|times| *times > 20), "{told:?}");
    let nobodys = Command { caller: None, body: Body::Founding(Founding::MoveClock) };
    assert!(matches!(Coming::from(&nobodys), Coming::Other));
}

/// An exchange is large once it is more than what lies near a processor, here by its sessions.
#[test]
fn a_large_state_is_one_that_does_not_lie_near() {
    let session = NewSession {
        owner: Owner::Account(AccountId(0)),
        roles: Roles::of(&[Role::Trader]),
        require_heartbeat: false,
        time_based_nonce: false,
        api_key: "account-a".to_owned(),
        name: "a".to_owned(),
        addresses: Vec::new(),
    };
    let (mut state, mut out) = (State::new(), Outbox::default());
    Infrequent::Access(AccessInfrequent::SessionAdded(session)).push(&mut out);
    let enough = (2 << 20) / 320;
    for number in 0..=enough {
        assert!(!state.is_large(), "{number} sessions");
        state.apply(Stamp { seq: Seq(number + 1), time: Time(1) }, &out.events, &out.texts);
    }
    assert!(state.is_large());
}
