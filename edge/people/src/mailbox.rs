//! Mail of a sandbox: it is sent to no one, and a control call reads it (SBX-005, D-138).

use buttonwood_model::Time;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::fmt;

/// Messages that are kept.
const KEPT: usize = 10_000;

/// A message.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// The address.
    pub to: String,
    /// The subject.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The link in the text; none where there is none.
    pub link: Option<String>,
    /// The token in the link.
    pub token: Option<String>,
    /// When it was sent.
    pub sent: Time,
}

impl fmt::Debug for Message {
    /// Shows neither text nor link: who has the token may set a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { to, subject, sent, .. } = self;
        f.debug_struct("Message")
            .field("to", to)
            .field("subject", subject)
            .field("sent", sent)
            .finish_non_exhaustive()
    }
}

/// The newest messages, in memory alone.
#[derive(Debug, Default)]
pub struct Mailbox {
    messages: Mutex<VecDeque<Message>>,
}

impl Mailbox {
    /// Keeps a message; the oldest beyond the most is forgotten.
    pub(crate) fn put(&self, message: Message) {
        let mut messages = self.messages.lock();
        if messages.len() >= KEPT {
            messages.pop_front();
        }
        messages.push_back(message);
    }

    /// The messages to an address in any letter case, or all, the oldest first.
    pub fn read(&self, to: Option<&str>) -> Vec<Message> {
        let to = to.map(str::to_lowercase);
        let messages = self.messages.lock();
        messages.iter().filter(|message| to.as_ref().is_none_or(|to| message.to == *to)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message that is logged by mistake gives no one its token.
    #[test]
    fn debug_shows_no_token() {
        let message = Message {
            to: "ann@north.example".to_owned(),
            subject: "Set a new password".to_owned(),
            text: "open https://exchange.example/password?token=t0ken".to_owned(),
            link: Some("https://exchange.example/password?token=t0ken".to_owned()),
            token: Some("t0ken".to_owned()),
            sent: Time(1),
        };
        let shown = format!("{message:?}");
        assert!(shown.contains("ann@north.example") && !shown.contains("t0ken"), "{shown}");
    }
}
