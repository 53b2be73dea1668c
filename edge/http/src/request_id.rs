//! The id of a request. Its reply carries it as `X-Request-Id`, and so does each line of the log that is written while the
//! request is answered.
//!
//! A client may choose the id, so that its own logs and ours can be joined. Any other id is made of the start of the
//! process, the thread and a number: unique, and no secret.

use crate::connection_state::Connection;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// The field of requests and replies.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Bytes of a client's own id at most.
const LENGTH_MAX: usize = 64;

tokio::task_local! {
    static CURRENT: Current;
}

/// The request that a task answers.
struct Current {
    id: RequestId,
    connection: Rc<Connection>,
}

thread_local! {
    static PREFIX: RefCell<String> = RefCell::new(prefix());
    static LAST: Cell<u64> = const { Cell::new(0) };
}

/// The id of a request.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(HeaderValue);

impl RequestId {
    /// The id that the request carries, if it carries exactly one of 1 to 64 letters, digits, `-`, `_` and `.`; otherwise a new one.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut sent = headers.get_all(REQUEST_ID).iter();
        match (sent.next(), sent.next()) {
            (Some(id), None) if is_sane(id.as_bytes()) => Self(id.clone()),
            _ => Self::fresh(),
        }
    }

    /// A new id.
    pub(crate) fn fresh() -> Self {
        let number = LAST.get() + 1;
        LAST.set(number);
        PREFIX.with_borrow_mut(|text| {
            let length = text.len();
            let _ = write!(text, "{number:x}");
            let id = HeaderValue::from_str(text);
            text.truncate(length);
            Self(id.expect("digits and dashes are the value of a field"))
        })
    }

    /// The value of the field.
    pub(crate) fn into_value(self) -> HeaderValue {
        self.0
    }

    fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// Answers a request: the id is the current one for as long as `answer` runs. Returns the answer and the id.
    pub(crate) async fn scope<T>(
        self,
        connection: Rc<Connection>,
        answer: impl Future<Output = T>,
    ) -> (T, Self) {
        let mut scoped = std::pin::pin!(CURRENT.scope(Current { id: self, connection }, answer));
        let answered = scoped.as_mut().await;
        let id = scoped.take_value().map_or_else(Self::fresh, |current| current.id);
        (answered, id)
    }
}

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Shows the id of the request that the calling task answers, if it answers one.
pub fn with_request_id<T>(show: impl FnOnce(&str) -> T) -> Option<T> {
    CURRENT.try_with(|current| show(current.id.as_str())).ok()
}

/// Waits until the client of the request that the calling task answers has closed its side of the connection. It never ends for a task
/// that answers none, nor for a client that has sent bytes of another request.
///
/// For work that is dear and begins later: a client that has only ended its own side, and would still read, counts as gone.
pub async fn client_left() {
    match CURRENT.try_with(|current| Rc::clone(&current.connection)) {
        Ok(connection) => connection.left().await,
        Err(_) => std::future::pending().await,
    }
}

fn is_sane(id: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    (1..=LENGTH_MAX).contains(&id.len()) && id.iter().all(is_plain)
}

/// The prefix of the ids of a thread.
fn prefix() -> String {
    static STARTED: OnceLock<u128> = OnceLock::new();
    static THREADS: AtomicU64 = AtomicU64::new(0);
    let started = STARTED.get_or_init(|| {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_micros())
    });
    format!("{started:x}-{:x}-", THREADS.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A client's own id is taken if it is plain and short; any other is replaced.
    #[test]
    fn a_plain_id_is_taken() {
        let id = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(REQUEST_ID, HeaderValue::from_str(value).unwrap());
            }
            RequestId::of(&headers).to_string()
        };
        let longest = "x".repeat(LENGTH_MAX);
        for plain in ["a", "7f3a-b_c.D", longest.as_str()] {
            assert_eq!(id(&[plain]), plain);
        }
        let longer = "x".repeat(LENGTH_MAX + 1);
        for other in [&[][..], &[""], &["a b"], &["a\"b"], &["a,b"], &["é"], &[longer.as_str()], &["a", "a"]]
        {
            let made = id(other);
            assert!(!other.contains(&made.as_str()) && is_sane(made.as_bytes()), "{other:?}: {made}");
        }
    }

    /// Ids of several threads differ.
    #[test]
    fn ids_differ() {
        let ids = || (0..100).map(|_| RequestId::fresh().to_string()).collect::<Vec<_>>();
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(ids)).collect();
        let all: BTreeSet<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        assert_eq!(all.len(), 400);
    }

    /// The id is the current one inside its own answer only, across waits too.
    #[tokio::test]
    async fn an_answer_has_its_id() {
        let shown = || with_request_id(str::to_owned);
        let answer = || async {
            let before = shown();
            tokio::task::yield_now().await;
            (before, shown())
        };
        let ids = [RequestId::fresh(), RequestId::fresh()];
        let names = ids.clone().map(|id| Some(id.to_string()));
        let [first, second] = ids;
        let (first, second) =
            tokio::join!(first.scope(Rc::default(), answer()), second.scope(Rc::default(), answer()));
        for ((seen, id), name) in [first, second].into_iter().zip(names) {
            assert_eq!((seen, Some(id.to_string())), ((name.clone(), name.clone()), name));
        }
        assert_eq!(shown(), None);
    }
}
