//! Connections that close, and why.

use super::*;

fn signals(connections: &[&Connection]) -> Vec<Signal> {
    connections.iter().map(|connection| connection.signal.get()).collect()
}

/// A connection closes when its client sends no request and takes no answer, unless the client waits for an answer.
#[test]
fn silent_connections_close() {
    let connections = Connections::default();
    let [silent, waiting, slow] = [(); 3].map(|()| connections.enter().1);
    connections.begin(&waiting, true);
    connections.begin(&slow, true);
    connections.end(&slow, 0);
    for _ in 0..SILENT_CHECKS {
        connections.took(&slow, 1);
        connections.check();
    }
    assert_eq!(signals(&[&silent, &waiting, &slow]), [Signal::Continue; 3]);
    connections.took(&slow, 1);
    connections.check();
    assert_eq!(signals(&[&silent, &waiting, &slow]), [Signal::Close, Signal::Continue, Signal::Continue]);
    connections.end(&waiting, 0);
    for _ in 0..=SILENT_CHECKS {
        connections.check();
    }
    assert_eq!(signals(&[&waiting, &slow]), [Signal::Close, Signal::Close]);
}

/// Unread answers are kept up to a limit. Then the connection that left one for longest closes; one that reads stays.
#[test]
fn a_client_that_leaves_too_much_unread_is_closed() {
    const LARGE: usize = KEPT_MAX / 4;
    let connections = Connections::default();
    let [taking, first, second, third] = [(); 4].map(|()| connections.enter().1);
    let all = || signals(&[&taking, &first, &second, &third]);
    for _ in 0..100 {
        connections.end(&taking, LARGE);
        taking.took(LARGE);
    }
    connections.end(&taking, 1);
    for connection in [&first, &second, &third] {
        connections.end(connection, LARGE);
    }
    assert_eq!(all(), [Signal::Continue; 4]);
    connections.end(&second, LARGE);
    assert_eq!(all(), [Signal::Close, Signal::Continue, Signal::Continue, Signal::Continue]);
    connections.end(&third, 2 * LARGE);
    assert_eq!(all(), [Signal::Close, Signal::Close, Signal::Close, Signal::Continue]);
    connections.end(&third, 100 * LARGE);
    assert_eq!(
        third.signal.get(),
        Signal::Continue,
        "an answer that alone is too large is sent all the same"
    );
}

/// An answer stays in memory whole until its last byte is taken, and counts in full until then. A later answer adds to
/// the bytes that are left.
#[test]
fn an_answer_counts_whole_until_its_end_is_taken() {
    const LARGE: usize = KEPT_MAX / 4;
    let connections = Connections::default();
    let crowd = [(); 6].map(|()| connections.enter().1);
    for connection in &crowd {
        connections.end(connection, LARGE);
        connection.took(LARGE - 1);
    }
    let all = || signals(&crowd.each_ref().map(|connection| &**connection));
    assert_eq!(
        all(),
        [
            Signal::Close,
            Signal::Close,
            Signal::Continue,
            Signal::Continue,
            Signal::Continue,
            Signal::Continue
        ]
    );
    let asking = connections.enter().1;
    connections.end(&asking, 1);
    for _ in 0..100 {
        asking.end(LARGE);
        asking.took(LARGE);
    }
    assert_eq!((asking.untaken.get(), asking.kept.get()), (1, LARGE + 1));
    asking.took(1);
    assert_eq!(asking.kept.get(), 0);
}

/// Unfinished requests take memory up to a limit. Then the oldest close; requests that end make room.
#[test]
fn the_oldest_unfinished_requests_close() {
    const PART: usize = UNFINISHED_MAX / 4;
    let connections = Connections::default();
    let [whole, first, second, third] = [(); 4].map(|()| connections.enter().1);
    let all = || signals(&[&whole, &first, &second, &third]);
    for _ in 0..100 {
        connections.receive(&whole, PART);
        connections.begin(&whole, true);
        connections.hold(&whole, PART);
        connections.end(&whole, 0);
    }
    for _ in 0..2 {
        connections.receive(&first, PART / 2);
    }
    connections.receive(&second, PART);
    connections.begin(&third, true);
    connections.receive(&third, UNFINISHED_MAX);
    connections.hold(&third, 2 * PART);
    assert_eq!(all(), [Signal::Continue; 4], "a body that is not kept takes nothing");
    connections.receive(&whole, PART);
    assert_eq!(all(), [Signal::Continue, Signal::Close, Signal::Close, Signal::Continue]);
}

/// The part of the next head that came with a request counts from the end of the request on.
#[test]
fn the_next_head_counts_after_the_answer() {
    let connections = Connections::default();
    let (number, connection) = connections.enter();
    for _ in 0..2 {
        connection.next_head.set(100);
        connections.receive(&connection, 150);
        connections.begin(&connection, true);
        connections.end(&connection, 0);
        assert_eq!(connections.unfinished.get(), 100);
    }
    connections.leave(number);
    assert_eq!(connections.unfinished.get(), 0);
}

/// A connection that ends gives its memory back.
#[test]
fn the_end_of_a_connection_makes_room() {
    let connections = Connections::default();
    for _ in 0..100 {
        let (number, connection) = connections.enter();
        connections.receive(&connection, UNFINISHED_MAX / 2);
        connections.leave(number);
    }
    assert_eq!(connections.unfinished.get(), 0);
}

/// A new connection takes the place of the one that has been idle longest: no request began, no answer was taken. A
/// connection whose client waits for an answer stays; one whose client still has to send a body does not.
#[test]
fn the_longest_idle_makes_place() {
    let connections = Connections::default();
    let [asking, taking, idle, waiting, sending] = [(); 5].map(|()| {
        assert!(connections.make_place(6), "a place is free");
        connections.enter().1
    });
    let all = || signals(&[&asking, &taking, &idle, &waiting, &sending]);
    connections.begin(&waiting, true);
    connections.begin(&sending, true);
    sending.is_reading.set(true);
    connections.begin(&asking, true);
    connections.end(&asking, 10);
    connections.took(&taking, 10);
    let mut closed = [Signal::Continue; 5];
    for next in [2, 4, 0, 1] {
        assert!(connections.make_place(6));
        connections.enter();
        closed[next] = Signal::Close;
        assert_eq!(all(), closed);
    }
}

/// Connections that have ended leave no entry in the idle order.
#[test]
fn the_idle_order_forgets_what_has_ended() {
    let connections = Connections::default();
    for round in 0..100 {
        let (number, connection) = connections.enter();
        if round % 2 == 0 {
            connections.note_signed(&connection);
        }
        if round % 3 == 0 {
            assert!(connections.make_place(1));
        }
        connections.leave(number);
    }
    assert!(connections.idle_order.borrow().is_empty());
    assert_eq!((connections.live.get(), connections.live_signed.get()), (0, 0));
}

/// While all clients wait for answers, no place is made.
#[test]
fn no_place_is_made_of_waiting_connections() {
    let connections = Connections::default();
    let crowd = [(); 4].map(|()| connections.enter().1);
    for connection in &crowd {
        connections.begin(connection, true);
    }
    assert!(!connections.make_place(4));
    connections.end(&crowd[2], 0);
    // A waiting connection counts as active for some time.
    for connection in &crowd {
        connections.took(connection, 1);
    }
    assert!(connections.make_place(4));
    assert_eq!(crowd[2].signal.get(), Signal::Close);
    assert!(!connections.make_place(4));
}

/// A flood of connections without a signed request closes none with one.
#[test]
fn a_crowd_leaves_signed_connections_alone() {
    let connections = Connections::default();
    let signed = [(); 5].map(|()| {
        let signed = connections.enter().1;
        connections.note_signed(&signed);
        signed
    });
    for _ in 0..100 {
        assert!(connections.make_place(20));
        connections.enter();
    }
    let kept = signed.iter().filter(|connection| connection.signal.get() == Signal::Continue).count();
    assert_eq!((kept, connections.live.get(), connections.live_signed.get()), (5, 20, 5));
}

/// Where all others wait for answers, the longest idle signed connection closes.
#[test]
fn a_signed_connection_closes_last() {
    let connections = Connections::default();
    let [first, other, second] = [(); 3].map(|()| connections.enter().1);
    for signed in [&first, &second] {
        connections.note_signed(signed);
    }
    assert!(connections.make_place(3));
    assert_eq!(signals(&[&first, &other, &second]), [Signal::Continue, Signal::Close, Signal::Continue]);
    let waiting = connections.enter().1;
    connections.begin(&waiting, true);
    assert!(connections.make_place(3));
    assert_eq!(signals(&[&first, &second, &waiting]), [Signal::Close, Signal::Continue, Signal::Continue]);
}

/// The end of the server reaches open connections and later ones, and replaces no stronger signal.
#[test]
fn the_end_reaches_all() {
    let connections = Connections::default();
    let (number, open) = connections.enter();
    let (_, cut) = connections.enter();
    connections.close(&cut);
    connections.finish();
    let (_, late) = connections.enter();
    assert_eq!(signals(&[&open, &cut, &late]), [Signal::Finish, Signal::Close, Signal::Finish]);
    connections.leave(number);
    assert_eq!(connections.open(), 2);
}

/// A signal wakes the task that waits for it.
#[tokio::test]
async fn a_signal_wakes() {
    let connections = Connections::default();
    let (_, connection) = connections.enter();
    let next = connection.signal_after(Signal::Continue);
    let finish = async {
        tokio::task::yield_now().await;
        connections.finish();
    };
    let (signal, ()) = tokio::join!(next, finish);
    assert_eq!(signal, Signal::Finish);
}

/// A whole head whose body has not arrived stays in memory with its read buffer, so both count until the answer. The oldest close
/// that wait for their client; a request whose body has arrived is answered.
#[test]
fn a_head_counts_until_its_body_has_arrived() {
    const HEAD: usize = UNFINISHED_MAX / 8;
    let connections = Connections::default();
    let [answering, first, second, third, fourth] = [(); 5].map(|()| connections.enter().1);
    let begin = |connection: &Connection| {
        connection.read_buffer.set(HEAD);
        connections.receive(connection, HEAD);
        connections.begin(connection, false);
        connection.is_reading.set(true);
    };
    begin(&answering);
    connections.end_of_body(&answering);
    for connection in [&first, &second, &third] {
        begin(connection);
    }
    let all = || signals(&[&answering, &first, &second, &third, &fourth]);
    assert_eq!((all(), connections.unfinished.get()), (vec![Signal::Continue; 5], UNFINISHED_MAX));
    begin(&fourth);
    let [stay, close] = [Signal::Continue, Signal::Close];
    assert_eq!(all(), [stay, close, stay, stay, stay], "an eighth of the limit is free again");
    for connection in [&answering, &second, &third, &fourth] {
        connections.end(connection, 0);
    }
    assert_eq!(connections.unfinished.get(), 0);
    for _ in 0..100 {
        connections.receive(&answering, HEAD);
        connections.begin(&answering, true);
    }
    assert_eq!(connections.unfinished.get(), 0, "a whole request is answered soon");
}

/// The unfinished messages of sockets share the bound of unfinished requests: the oldest go. One that ends, or shrinks, counts no more.
#[test]
fn unfinished_messages_share_the_bound() {
    const PART: usize = UNFINISHED_MAX / 4;
    let connections = Connections::default();
    let all = [(); 5].map(|()| connections.enter().1);
    let [ended, first, second, third, fourth] = &all;
    for connection in &all {
        connection.be_socket(Rc::default());
    }
    connections.hold_exactly(ended, PART);
    connections.hold_exactly(ended, 0);
    for connection in [first, second, third, fourth] {
        connections.hold_exactly(connection, PART / 2);
        connections.hold_exactly(connection, PART);
    }
    assert_eq!(signals(&[ended, first, second, third, fourth]), [Signal::Continue; 5], "the bound itself");
    connections.hold_exactly(fourth, PART + 1);
    assert_eq!(signals(&[ended, first, second]), [Signal::Continue, Signal::Close, Signal::Continue]);
    assert_eq!(connections.unfinished.get(), 3 * PART + 1);
}

/// Connections that leave too much unread in the kernel are reset, and no other.
#[test]
fn connections_of_some_ends_are_reset() {
    let connections = Connections::default();
    let [slow, other, unknown] = [(); 3].map(|()| connections.enter().1);
    let end = |port| SocketAddr::from(([127, 0, 0, 1], port));
    slow.peer.set(Some(end(1)));
    other.peer.set(Some(end(2)));
    connections.reset(&HashSet::from([end(1), end(3)]));
    assert_eq!(signals(&[&slow, &other, &unknown]), [Signal::Close, Signal::Continue, Signal::Continue]);
    assert!(slow.resets.get() && !other.resets.get());
}
