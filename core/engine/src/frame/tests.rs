//! The bytes of a frame, and what is refused as none.

use super::*;
use crate::{
    AccessCommand, AccessEvent, Body, Caller, FxPair, FxRate, NewOrder, NewRates, OrderRef, Place,
    RatesInfrequent, TradingCommand, TradingEvent,
};
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use buttonwood_model::{
    AccountId, CancelReason, ClientId, Desk, ExecutionOption, Held, Nonce, OrderClass, OrderId, RatesId,
    SessionId, Side, Slot, SymbolId,
};
use buttonwood_num::{Money, Price, Qty};

#[test]
fn nothing_may_follow_the_command() {
    let command = Command { caller: None, body: Body::Trading(TradingCommand::CancelAll) };
    let mut frame = vec![];
    encode(Time::default(), &command, &[], &[], &mut frame).unwrap();
    let read = |bytes: &[u8]| {
        let mut out = Outbox::default();
        let (_, rest) = decode_events(bytes, &mut out).unwrap();
        decode_command(rest, &out)
    };
    assert_eq!(read(&frame), Ok(command));
    frame.extend([0, 0]);
    assert_eq!(read(&frame), Err(FrameError::Trailing(2)));
}

/// Where each byte lies is part of the format: who changes it changes the version.
#[test]
fn the_bytes_of_this_version() {
    let (session, account) = (SessionId(0x0102), AccountId(0x0304));
    let nonce = Nonce::parse(b"1700000000123").unwrap();
    let caller = Caller { session, account: Some(account), nonce };
    let mut out = Outbox::<Event>::default();
    out.begin();
    out.push(Event::Access(AccessEvent::NonceUsed(session, nonce)));
    let client_id = ClientId::new("ab").unwrap();
    let place = Place {
        option: Some(ExecutionOption::MakerOrCancel),
        client_id: Some(client_id),
        ..Place::limit(SymbolId(5), Side::Sell, Price::from_ticks(6), Qty::from_hundredths(700))
    };
    let order = NewOrder {
        id: OrderId(8),
        price: place.price,
        qty: place.qty,
        account,
        session,
        symbol: place.symbol,
        class: OrderClass::new(place.side, place.claim, Desk::new(3)),
        kind: place.kind,
        option: place.option,
        rates: RatesId(0x1415),
        client_id: out.keep(client_id.as_bytes()),
    };
    out.push(TradingEvent::Rested { order, held: Held(9), amount: Money::from_units(10) });
    let command = Command { caller: Some(caller), body: Body::Trading(TradingCommand::Place(place)) };
    let mut frame = vec![];
    encode(Time(11), &command, &out.events, &out.texts, &mut frame).unwrap();
    let derived: [&[u8]; 10] = [
        b"\x08\x0b\0\0\0\0\0\0\0",
        b"\x02\0\0\0ab\x02\0\0\0",
        b"\x01\x02\x01\0\0\x0d\x01\0\x30\x12\0\0\0\0\x17",
        b"\0\0\x08\0\0\0\0\0\0\0\x06\0\0\0\0\0\0\0",
        b"\xbc\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        b"\x04\x03\0\0\x02\x01\0\0\x05\0\0\0\x0d\0\x01",
        b"\x15\x14\0\0\x02",
        b"\x09\0\0\0",
        b"\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        b"\x01",
    ];
    assert_eq!(frame, derived.concat());
}

/// Parts of a command that follow from the events are not written again; all others are.
#[test]
fn a_command_follows_from_its_events_or_is_whole() {
    let (session, account) = (SessionId(1), AccountId(2));
    let nonce = Nonce::parse(b"3").unwrap();
    let caller = Caller { session, account: Some(account), nonce };
    let used = Event::Access(AccessEvent::NonceUsed(session, nonce));
    let cancelled =
        |reason| Event::Trading(TradingEvent::Cancelled { slot: Slot(4), reason, order: OrderId(5) });
    let requested = [used, cancelled(CancelReason::Requested)];
    let of = |caller: Caller, body| Command { caller: Some(caller), body };
    let by_id = |id| Body::Trading(TradingCommand::Cancel(OrderRef::Id(OrderId(id))));
    let by_text = Body::Trading(TradingCommand::Cancel(OrderRef::ClientId(ClientId::new("ab").unwrap())));
    let derived: [(Command, &[u8]); 2] =
        [(of(caller, by_id(5)), b"\x02\x02\0\0\0"), (of(caller, by_text), b"\x03\x02\0\0\0\x02ab")];
    for (command, bytes) in derived {
        assert_eq!(record_of(&command, &requested), bytes);
    }
    let other = Caller { nonce: Nonce::parse(b"4").unwrap(), ..caller };
    let whole = [
        (of(caller, by_id(6)), requested.as_slice()),
        (of(caller, by_id(5)), &[used, cancelled(CancelReason::MarketClosed)]),
        (of(caller, by_id(5)), &[used]),
        (of(caller, by_id(5)), &[cancelled(CancelReason::Requested)]),
        (of(caller, Body::Trading(TradingCommand::CancelAll)), &requested),
        (of(other, by_id(5)), &requested),
        (of(Caller { session: SessionId(7), ..caller }, by_id(5)), &requested),
        (of(Caller { account: None, ..caller }, by_id(5)), &requested),
        (Command { caller: None, body: by_id(5) }, &requested),
    ];
    for (command, events) in whole {
        assert_eq!(record_of(&command, events).first(), Some(&0), "{command:?} {events:?}");
    }
}

/// The command's part of a frame of these events, once it is read back as the same.
fn record_of(command: &Command, events: &[Event]) -> Vec<u8> {
    let (mut frame, mut out) = (vec![], Outbox::default());
    encode(Time(1), command, events, &[], &mut frame).unwrap();
    let (_, record) = decode_events(&frame, &mut out).unwrap();
    assert_eq!(decode_command(record, &out).as_ref(), Ok(command));
    record.to_vec()
}

/// A build that derived fewer commands wrote this one whole. It is read as the same, and written again in this build's one form.
#[test]
fn a_whole_command_is_read_where_its_events_tell_it() {
    let caller = Caller { session: SessionId(1), account: Some(AccountId(2)), nonce: Nonce::default() };
    let used = Event::Access(AccessEvent::NonceUsed(caller.session, caller.nonce));
    let reason = CancelReason::Requested;
    let cancelled = Event::Trading(TradingEvent::Cancelled { slot: Slot(4), reason, order: OrderId(5) });
    let command = Command {
        caller: Some(caller),
        body: Body::Trading(TradingCommand::Cancel(OrderRef::Id(OrderId(5)))),
    };
    let whole = record_of(&command, &[used]);
    assert_eq!(read_record(&[used], &whole).as_ref(), Ok(&command));
    assert_eq!(read_record(&[used, cancelled], &whole).as_ref(), Ok(&command));
    assert_eq!(record_of(&command, &[used, cancelled]), b"\x02\x02\0\0\0");
}

/// The command of a frame of these events.
fn read_record(events: &[Event], record: &[u8]) -> Result<Command, FrameError> {
    let mut out = Outbox::default();
    out.begin();
    out.events.extend_from_slice(events);
    decode_command(record, &out)
}

/// A frame that says that its events tell its command, and they do not, is refused.
#[test]
fn events_that_derive_nothing_are_refused() {
    let used = Event::Access(AccessEvent::NonceUsed(SessionId(1), Nonce::default()));
    let completed = Event::Trading(TradingEvent::Completed);
    for form in 1..=5 {
        let record = [form, 0, 0, 0, 0, 1, b'a'];
        assert_eq!(read_record(&[], &record), Err(FrameError::CommandMissing), "{form}");
        assert_eq!(read_record(&[used, completed], &record), Err(FrameError::CommandMissing), "{form}");
    }
    assert_eq!(read_record(&[], &[]), Err(FrameError::Truncated));
    let cancelled =
        TradingEvent::Cancelled { slot: Slot(1), reason: CancelReason::Requested, order: OrderId(1) };
    for short in [&[2, 0, 0, 0][..], &[3, 0, 0, 0, 0, 2, b'a']] {
        assert_eq!(
            read_record(&[used, Event::Trading(cancelled)], short),
            Err(FrameError::Truncated),
            "{short:?}"
        );
    }
}

/// A frame that ends anywhere before its end, or holds an event of no kind, is refused.
#[test]
fn what_is_no_frame_is_refused() {
    let command = Command { caller: None, body: Body::Trading(TradingCommand::CancelAll) };
    let mut frame = vec![];
    encode(Time(1), &command, &[Event::Trading(TradingEvent::Completed)], b"ab", &mut frame).unwrap();
    let read = |bytes: &[u8]| decode_events(bytes, &mut Outbox::default()).map(|_| ());
    let kind = 1 + 8 + 4 + 2 + 4;
    for short in 0..kind {
        assert_eq!(read(frame.get(..short).unwrap()), Err(FrameError::Truncated), "{short}");
    }
    for short in [kind, kind + 1] {
        assert_eq!(read(frame.get(..short).unwrap()), Err(FrameError::NoEvent), "{short}");
    }
    assert_eq!(read(&frame), Ok(()));
    for (at, room, kind) in [(kind, "the engine", Event::KINDS), (kind + 1, "trading", TradingEvent::KINDS)] {
        let mut frame = frame.clone();
        *frame.get_mut(at).unwrap() = kind;
        let refusal = read(&frame).unwrap_err();
        assert_eq!(refusal, FrameError::UnknownEvent { room, kind }, "{at}");
        let text = format!("event {kind} of {room} is unknown to this build: a newer one wrote it");
        assert_eq!(refusal.to_string(), text);
    }
}

/// A frame of another version is refused by that version's name, whatever else it holds.
#[test]
fn another_version_is_refused_by_name() {
    let mut bytes = Vec::new();
    let command = Command { caller: None, body: Body::Access(AccessCommand::UseNonce) };
    encode(Time(1), &command, &[], &[], &mut bytes).unwrap();
    assert!(decode_events(&bytes, &mut Outbox::default()).is_ok());
    for version in [FORMAT - 1, FORMAT + 1] {
        *bytes.first_mut().unwrap() = version;
        let refusal = decode_events(&bytes, &mut Outbox::default()).unwrap_err();
        assert_eq!(refusal, FrameError::Version(version));
        let text = alloc::format!("frame of version {version}, this build reads version {FORMAT}");
        assert_eq!(refusal.to_string(), text);
    }
}

/// Rates are written once, in their event. Other rates than the event's are written whole, and without them nothing is read.
#[test]
fn added_rates_follow_from_their_event() {
    let new =
        NewRates { pair: FxPair::EurUsd, provider: "bank".into(), rates: vec![(1, FxRate::from_units(5))] };
    let mut out = Outbox::<Event>::default();
    out.push_named(&RatesInfrequent::RatesAdded(new.clone()));
    let other = NewRates { provider: "other".into(), ..new.clone() };
    for (rates, form) in [(new, 4), (other, 0)] {
        let command = Command { caller: None, body: Body::add_rates(rates) };
        let mut frame = vec![];
        encode(Time(1), &command, &out.events, &out.texts, &mut frame).unwrap();
        let mut read = Outbox::default();
        let (_, record) = decode_events(&frame, &mut read).unwrap();
        assert_eq!((record[0], decode_command(record, &read)), (form, Ok(command)));
    }
    assert_eq!(decode_command(&[4], &Outbox::default()), Err(FrameError::CommandMissing));
    assert_eq!(decode_command(&[4, 4], &out), Err(FrameError::Trailing(1)));
}
