//! E-mail addresses.

use crate::digest;
use buttonwood_engine::identity::Digest;
use buttonwood_gate::Refusal;
use buttonwood_wire::field::bad_value;

/// Bytes of an address at most (RFC 5321).
const MAX: usize = 254;

/// An e-mail address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// In lower case.
    pub(crate) text: String,
    /// The SHA-256 of the text.
    pub(crate) login: Digest,
}

/// Reads an address: one `@` with text before it, and a host of labels after it.
pub(crate) fn read(text: &str) -> Result<Address, Refusal> {
    let is_plain = |c: char| c.is_ascii_graphic() || c.is_alphabetic();
    let is_quoted = |c: char| "()<>[]:;\\,\"".contains(c);
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-') && !label.starts_with('-')
    };
    let parts = text.rsplit_once('@').filter(|(local, host)| {
        let is_local = !local.is_empty() && !local.contains('@');
        is_local && local.chars().all(|c| is_plain(c) && !is_quoted(c)) && host.split('.').all(is_label)
    });
    if parts.is_none() || text.len() > MAX {
        return Err(bad_value("email", "an e-mail address", text));
    }
    let text = text.to_lowercase();
    let login = digest(&text);
    Ok(Address { text, login })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        for text in ["a@b", "Ann.O'Neil+x@Mail.Example", "ü@münchen.example", "a_b@1.example"] {
            assert_eq!(read(text).unwrap().text, text.to_lowercase());
        }
        let long = format!("{}@b.example", "a".repeat(250));
        for text in
            ["", "a", "@b", "a@", "a@@b", "a@b@c", "a b@c", "a@b..c", "a@-b", "a\r\n@b", "<a>@b", &long]
        {
            assert_eq!(read(text).unwrap_err().status, 400, "{text}");
        }
        assert_eq!(read("A@b").unwrap().login, read("a@B").unwrap().login);
    }
}
