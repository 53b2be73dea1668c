//! Messages as they are written.

use super::writing::write;
use crate::mailbox::Message;
use buttonwood_model::Time;

fn message(to: &str, subject: &str, text: &str) -> Message {
    let (to, subject, text) = (to.to_owned(), subject.to_owned(), text.to_owned());
    Message { to, subject, text, link: None, token: None, sent: Time(0) }
}

fn written(message: &Message) -> String {
    let from = "Exchange <exchange@example.com>".parse().unwrap();
    let written = write(&from, message).unwrap();
    String::from_utf8(written.bytes.to_vec()).unwrap()
}

/// A subject or a text begins no header, and other letters than those of ASCII are encoded.
#[test]
fn no_text_becomes_a_header() {
    let text = written(&message("a@b.example", "Hi\r\nBcc: c@d.example", ".\r\nBcc: c@d.example\r\n.\r\n"));
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let names: Vec<&str> = head
        .lines()
        .filter(|line| !line.starts_with(' '))
        .map(|line| line.split(':').next().unwrap())
        .collect();
    assert!(!names.contains(&"Bcc") && names.contains(&"Auto-Submitted"), "{names:?}");
    assert!(head.contains("\r\nSubject: Hi  Bcc: c@d.example\r\n") && body.contains("Bcc"), "{text}");
    let text = written(&message("a@b.example", "Grüße", "Grüße\n"));
    assert!(text.is_ascii(), "{text}");
}

/// An address that SMTP does not know is refused without being shown.
#[test]
fn an_address_is_checked() {
    let from = "exchange@example.com".parse().unwrap();
    let why = write(&from, &message("no address", "Hi", "text")).err().unwrap();
    assert!(!why.contains("no address"), "{why}");
}
