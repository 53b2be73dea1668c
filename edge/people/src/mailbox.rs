//! Mail of a sandbox: it is sent to no one, and a control call reads it (SBX-005, D-138).

use buttonwood_model::Time;
use parking_lot::Mutex;
use std::collections::VecDeque;

/// Messages that are kept.
const KEPT: usize = 10_000;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
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
