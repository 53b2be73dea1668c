//! E-mail addresses.

use crate::people::People;
use crate::{digest, typed};
use buttonwood_engine::identity::Digest;
use buttonwood_gate::Refusal;
use buttonwood_wire::field::bad_value;
use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of an address at most (RFC 5321).
const MAX: usize = 254;

/// An e-mail address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// The form that is compared, and to which mail goes: the part before `@` in lower case and NFC, the domain in ASCII (D-296).
    pub(crate) text: String,
    /// The SHA-256 of the text.
    pub(crate) login: Digest,
}

/// Reads an address: one `@` with text before it, and a host of labels after it.
pub(crate) fn read(text: &str) -> Result<Address, Refusal> {
    let form = text.rsplit_once('@').and_then(|(local, host)| {
        let (local, host) = (local_form(local)?, host_form(host)?);
        Some(format!("{local}@{host}"))
    });
    match form {
        Some(form) if form.len().max(text.len()) <= MAX => Ok(Address::of(form)),
        _ => Err(bad_value("email", "an e-mail address", text)),
    }
}

/// The part before `@`; none for one with a character that addresses do not have.
fn local_form(local: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_graphic() || c.is_alphabetic();
    let is_quoted = |c: char| "()<>[]:;\\,\"@".contains(c);
    let form = typed::composed(&local.to_lowercase()).into_owned();
    let is_local = !form.is_empty() && form.chars().all(|c| is_plain(c) && !is_quoted(c));
    is_local.then_some(form)
}

/// A domain in ASCII (UTS 46 without transitional mappings); none for a text that is no host of labels, or longer than the domain name
/// system allows: 63 bytes a label, 253 in all.
fn host_form(host: &str) -> Option<String> {
    let ascii =
        Uts46::new().to_ascii(host.as_bytes(), AsciiDenyList::STD3, Hyphens::Allow, DnsLength::Verify);
    let ascii = ascii.ok()?;
    let is_label = |label: &str| !label.is_empty() && !label.starts_with('-');
    ascii.split('.').all(is_label).then(|| ascii.into_owned())
}

impl Address {
    /// An address in the form that is compared.
    fn of(text: String) -> Self {
        let login = digest(&text);
        Self { text, login }
    }
}

/// The addresses of a directory at its start.
#[derive(Default)]
pub(crate) struct Stored {
    /// By their SHA-256.
    pub(crate) addresses: HashMap<Digest, Arc<str>>,
    /// Addresses that an earlier build stored in another form, by the SHA-256 of the form that is compared by now.
    pub(crate) older: HashMap<Digest, Vec<Digest>>,
}

impl Stored {
    /// Adds the text of a record.
    pub(crate) fn add(&mut self, text: &str) {
        let login = digest(text);
        if let Some(form) = read(text).ok().map(|form| form.login).filter(|form| *form != login) {
            self.older.entry(form).or_default().push(login);
        }
        self.addresses.insert(login, Arc::from(text));
    }
}

impl People {
    /// Reads an address that a person typed. Where an earlier build stored it in another form, it is the stored one: that of the same
    /// spelling, or else that of the first user with this form.
    ///
    /// # Errors
    /// 400 for a text that is no address.
    pub(crate) fn read_address(&self, text: &str) -> Result<Address, Refusal> {
        let user =
            |login: &Digest| self.look(|identity| identity.find_user(login)).map(|user| (user, *login));
        // Before anything is asked of it: an earlier build took some letters that are refused by now.
        let spelled =
            user(&digest(&text.to_lowercase())).and_then(|(_, login)| Some((self.address(&login)?, login)));
        if let Some((text, login)) = spelled {
            return Ok(Address { text, login });
        }
        let address = read(text)?;
        let first = || self.older.get(&address.login)?.iter().filter_map(user).min();
        let stored = user(&address.login).or_else(first).map(|(_, login)| login);
        let stored = stored.filter(|login| *login != address.login);
        let text = stored.and_then(|login| Some((self.address(&login)?, login)));
        Ok(text.map_or(address, |(text, login)| Address { text, login }))
    }
}

#[cfg(test)]
mod tests;
