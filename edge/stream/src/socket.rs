//! The life of a socket: messages of the client, heartbeats, the end.

use crate::local::{Member, Membership};
use buttonwood_http::{Code, Socket};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// The time between two ticks of a socket, by real time.
const TICK: Duration = Duration::from_secs(1);
/// Ticks between two heartbeats.
const TICKS_OF_HEARTBEAT: u64 = 5;
/// Answers that a socket may owe; further messages wait unread.
const OWED_MAX: usize = 256;

/// The answer to a message.
#[derive(Debug)]
pub(crate) struct Answer {
    /// A JSON object.
    pub(crate) json: Vec<u8>,
    /// Its status.
    pub(crate) status: u16,
    /// The code and the text of its error, if it has one.
    pub(crate) error: Option<(i32, String)>,
}

/// An answer that comes later; none once it was sent, before frames that follow it.
pub(crate) type Later = Pin<Box<dyn Future<Output = Option<Answer>>>>;

/// The parts of a socket that its kind decides.
pub(crate) trait Session {
    /// Acts on a message. A returned answer is sent after those of the messages before.
    fn hear(&mut self, message: String) -> Option<Later>;

    /// Called every five seconds, if the socket has heartbeats.
    fn beat(&mut self) {}

    /// Called every second, if the socket is private: whether its opener may go on.
    fn may_go_on(&mut self) -> bool {
        true
    }

    /// Whether the next message waits unread: a subscription has not begun yet, and the client may count on it.
    fn is_subscribing(&self) -> bool {
        false
    }
}

/// The timers of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timers {
    /// Whether it has heartbeats.
    pub(crate) beats: bool,
    /// Whether its opener is checked.
    pub(crate) checks: bool,
}

/// Serves a socket until its end.
pub(crate) async fn serve(
    mut socket: Socket,
    membership: Membership,
    timers: Timers,
    mut session: impl Session,
) {
    let member = membership.member();
    let link = socket.link();
    let mut owed: VecDeque<Later> = VecDeque::new();
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick comes at once.
    ticks.tick().await;
    let mut ticked: u64 = 0;
    loop {
        let is_reading = owed.len() < OWED_MAX && !session.is_subscribing();
        let is_owing = !owed.is_empty();
        tokio::select! {
            biased;
            // First, so that no client can put it off by sending without a pause.
            _ = ticks.tick(), if timers.beats || timers.checks => {
                ticked += 1;
                if timers.checks && !session.may_go_on() {
                    link.close(Code::Policy);
                }
                if timers.beats && ticked.is_multiple_of(TICKS_OF_HEARTBEAT) {
                    session.beat();
                }
            }
            answer = next_of(&mut owed), if is_owing => if let Some(answer) = answer {
                member.send(answer.json, true);
            },
            message = socket.next(&*member, is_reading) => match message {
                Some(message) => owed.extend(session.hear(message)),
                None => return,
            },
        }
    }
}

/// The first of the answers that are owed.
async fn next_of(owed: &mut VecDeque<Later>) -> Option<Answer> {
    poll_fn(|context| match owed.front_mut() {
        None => Poll::Pending,
        Some(first) => first.as_mut().poll(context).map(|answer| {
            owed.pop_front();
            answer
        }),
    })
    .await
}

/// A socket whose client only listens.
pub(crate) struct Listening<B>(pub(crate) B);

impl<B: FnMut()> Session for Listening<B> {
    fn hear(&mut self, _message: String) -> Option<Later> {
        None
    }

    fn beat(&mut self) {
        (self.0)();
    }
}

/// An answer that is there.
pub(crate) fn ready(answer: Answer) -> Later {
    Box::pin(std::future::ready(Some(answer)))
}

/// The member that a session sends through.
pub(crate) type Out = std::rc::Rc<Member>;
