//! A message as it is sent: headers, an encoded body, and an envelope.

use crate::mailbox::Message;
use crate::secret::draw;
use lettre::address::Envelope;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message as Mail};
use zeroize::Zeroizing;

/// A message in the bytes that are sent. They hold the token of a link, so they are wiped.
pub(super) struct Written {
    pub(super) envelope: Envelope,
    pub(super) bytes: Zeroizing<Vec<u8>>,
}

/// Writes a message. Control characters of a subject become blanks, so that no text begins another header.
///
/// # Errors
/// What is wrong, without the address.
pub(super) fn write(from: &Mailbox, message: &Message) -> Result<Written, String> {
    let to = message.to.parse().map_err(|_| "the mail's address is none that SMTP knows".to_owned())?;
    let subject = message.subject.replace(char::is_control, " ");
    let id = draw().map_err(|_| "no random number".to_owned())?;
    let automatic =
        HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned());
    let mail = Mail::builder()
        .from(from.clone())
        .to(Mailbox::new(None, to))
        .subject(subject)
        .message_id(Some(format!("<{}@{}>", *id.text, from.email.domain())))
        .date_now()
        .raw_header(automatic)
        .header(ContentType::TEXT_PLAIN)
        .body(message.text.clone())
        .map_err(|error| format!("the mail cannot be written: {error}"))?;
    Ok(Written { envelope: mail.envelope().clone(), bytes: Zeroizing::new(mail.formatted()) })
}
