//! The mail server: its address, how it is spoken to, and who sends.

use super::Transport;
use lettre::Tokio1Executor;
use lettre::message::Mailbox;
use lettre::transport::smtp::PoolConfig;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use percent_encoding::percent_decode_str;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;
use zeroize::Zeroizing;

/// How the connection is secured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Security {
    /// TLS from the first byte (RFC 8314).
    Wrapped,
    /// TLS after STARTTLS, without which nothing is sent.
    StartTls,
    /// None.
    Plain,
}

impl Security {
    fn port(self) -> u16 {
        match self {
            Self::Wrapped => 465,
            Self::StartTls => 587,
            Self::Plain => 25,
        }
    }
}

/// A mail server and the address of the sender.
pub struct MailServer {
    host: String,
    port: u16,
    security: Security,
    user: Option<String>,
    password: Option<Zeroizing<String>>,
    pub(super) from: Mailbox,
}

impl fmt::Debug for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MailServer({}:{} {:?})", self.host, self.port, self.security)
    }
}

impl MailServer {
    /// Reads `smtp://[USER[:PASSWORD]@]HOST[:PORT][?tls=off]` or `smtps://…`. User and password are percent-encoded. `smtp` means
    /// STARTTLS, and nothing is sent without it; this machine needs none, and `?tls=off` waives it where there is no password. `password`
    /// is the one of a file, and `from` the sender's address, alone or as `Name <address>`.
    ///
    /// # Errors
    /// What is wrong, beginning with the flag, without user and password.
    pub fn read(url: &str, password: Option<Zeroizing<String>>, from: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("--smtp: {why}");
        let shape = || {
            wrong(
                "smtp://HOST:PORT or smtps://HOST:PORT is wanted, with USER:PASSWORD@ before the host if the server needs them",
            )
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(shape)?;
        let is_wrapped = match scheme {
            "smtp" => false,
            "smtps" => true,
            _ => return Err(shape()),
        };
        let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (login, place) =
            rest.rsplit_once('@').map_or((None, rest), |(login, place)| (Some(login), place));
        let (host, port) = host_and_port(place).ok_or_else(shape)?;
        let (user, of_url) =
            read_login(login).ok_or_else(|| wrong("user and password must be percent-encoded text"))?;
        if password.is_some() && of_url.is_some() {
            return Err("--smtp-password-file: --smtp has a password too; give one of them".to_owned());
        }
        let password = password.or(of_url);
        if password.is_some() && user.is_none() {
            return Err(wrong("a password needs a user: smtp://USER@HOST:PORT"));
        }
        if user.is_some() && password.is_none() {
            return Err(wrong(
                "a user needs a password: --smtp-password-file FILE, or smtp://USER:PASSWORD@HOST:PORT",
            ));
        }
        let security = match query {
            None if is_wrapped => Security::Wrapped,
            None if is_this_machine(&host) => Security::Plain,
            None => Security::StartTls,
            Some("tls=off") if is_wrapped => return Err(wrong("smtps:// is TLS; ?tls=off contradicts it")),
            Some("tls=off") if user.is_some() && !is_this_machine(&host) => {
                return Err(wrong("a password never leaves this machine without TLS; leave out ?tls=off"));
            }
            Some("tls=off") => Security::Plain,
            Some(_) => return Err(wrong("the only parameter is ?tls=off")),
        };
        let from = read_from(from)?;
        Ok(Self { host, port: port.unwrap_or(security.port()), security, user, password, from })
    }

    /// The transport that sends to it.
    pub(super) fn transport(&self, connections: usize, patience: Duration) -> Result<Transport, String> {
        let parameters = || {
            let built = TlsParameters::new(self.host.trim_matches(['[', ']']).to_owned());
            built.map_err(|error| format!("TLS to the mail server: {error}"))
        };
        let tls = match self.security {
            Security::Wrapped => Tls::Wrapper(parameters()?),
            Security::StartTls => Tls::Required(parameters()?),
            Security::Plain => Tls::None,
        };
        let pool = PoolConfig::new().max_size(u32::try_from(connections).unwrap_or(u32::MAX));
        let hello = ClientId::Domain(self.from.email.domain().to_owned());
        let mut builder = Transport::builder_dangerous(self.host.trim_matches(['[', ']']))
            .port(self.port)
            .tls(tls)
            .timeout(Some(patience))
            .hello_name(hello)
            .pool_config(pool);
        if let (Some(user), Some(password)) = (&self.user, &self.password) {
            builder = builder.credentials(Credentials::new(user.clone(), password.as_str().to_owned()));
        }
        Ok(builder.build::<Tokio1Executor>())
    }
}

/// The sender's address.
fn read_from(text: &str) -> Result<Mailbox, String> {
    let wanted = || {
        format!(
            "--mail-from '{}': an address is wanted, such as exchange@example.com or 'Exchange <exchange@example.com>'",
            text.escape_debug()
        )
    };
    if text.chars().any(char::is_control) {
        return Err(wanted());
    }
    text.trim().parse().map_err(|_| wanted())
}

/// Host and port; none if they are not such.
fn host_and_port(place: &str) -> Option<(String, Option<u16>)> {
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !place.ends_with(']') => {
            (host, Some(port.parse().ok().filter(|port: &u16| *port > 0)?))
        }
        Some(_) | None => (place, None),
    };
    let is_ipv6 = || {
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        bare.is_some_and(|bare| bare.parse::<Ipv6Addr>().is_ok())
    };
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    (is_ipv6() || host.split('.').all(is_label)).then(|| (host.to_owned(), port))
}

/// User and password of a URL; none if they are not UTF-8.
fn read_login(login: Option<&str>) -> Option<(Option<String>, Option<Zeroizing<String>>)> {
    let Some(login) = login else { return Some((None, None)) };
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned);
    let (user, password) = login.split_once(':').map_or((login, None), |(user, word)| (user, Some(word)));
    let user = decoded(user)?;
    let password = match password {
        Some(word) => Some(Zeroizing::new(decoded(word)?)),
        None => None,
    };
    Some(((!user.is_empty()).then_some(user), password.filter(|word| !word.is_empty())))
}

fn is_this_machine(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: &str = "exchange@example.com";

    fn read(url: &str) -> Result<String, String> {
        MailServer::read(url, None, FROM).map(|server| format!("{server:?}"))
    }

    /// TLS is the default, but for this machine.
    #[test]
    fn servers_are_read() {
        for (url, shown) in [
            ("smtp://mail.example", "MailServer(mail.example:587 StartTls)"),
            ("smtp://mail.example:2525/", "MailServer(mail.example:2525 StartTls)"),
            ("smtp://user:word@mail.example", "MailServer(mail.example:587 StartTls)"),
            ("smtps://us%40er:w%3Ard@mail.example", "MailServer(mail.example:465 Wrapped)"),
            ("smtp://mail.example?tls=off", "MailServer(mail.example:25 Plain)"),
            ("smtp://127.0.0.1:1025", "MailServer(127.0.0.1:1025 Plain)"),
            ("smtp://[::1]", "MailServer([::1]:25 Plain)"),
            ("smtp://user:word@localhost:1025", "MailServer(localhost:1025 Plain)"),
        ] {
            assert_eq!(read(url).as_deref(), Ok(shown), "{url}");
        }
    }

    /// A refusal names the flag, and neither user nor password.
    #[test]
    fn other_texts_are_refused() {
        for url in [
            "",
            "mail.example",
            "http://secret:word@mail.example",
            "smtp://",
            "smtp://secret:word@",
            "smtp://mail.example:0",
            "smtp://mail.example:smtp",
            "smtp://mail.example/inbox",
            "smtp://[::1",
            "smtp://secret:%FF@mail.example",
            "smtp://secret@mail.example",
            "smtp://:secret@mail.example",
            "smtp://secret:word@mail.example?tls=off",
            "smtps://mail.example?tls=off",
            "smtp://mail.example?tls=none",
        ] {
            let why = read(url).unwrap_err();
            assert!(
                why.starts_with("--smtp: ") && !why.contains("secret") && !why.contains("word@"),
                "{url}: {why}"
            );
        }
        let twice = MailServer::read("smtp://a:b@c.example", Some(Zeroizing::new("d".to_owned())), FROM);
        assert!(twice.unwrap_err().starts_with("--smtp-password-file: "));
    }

    /// The sender is an address, alone or with a name.
    #[test]
    fn senders_are_read() {
        for from in [FROM, "Exchange <exchange@example.com>", "\"The, Exchange\" <exchange@example.com>"] {
            assert!(read_from(from).is_ok(), "{from}");
        }
        for from in ["", "exchange", "a@b.example, c@d.example", "a@b.example\r\nBcc: c@d.example", "<>"] {
            assert!(read_from(from).unwrap_err().starts_with("--mail-from '"), "{from}");
        }
    }
}
