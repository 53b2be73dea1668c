//! A mail server of a test: it speaks SMTP (RFC 5321) and keeps what it takes.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// The longest wait for a message, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A message as the server took it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The sender of the envelope.
    pub from: String,
    /// The recipient of the envelope.
    pub to: String,
    /// User and password, as `AUTH PLAIN` sent them in Base64.
    pub login: Option<String>,
    /// The headers, in lines.
    pub head: String,
    /// The text, decoded.
    pub text: String,
}

impl Mail {
    /// The address that begins with this text, up to its line's end.
    ///
    /// # Panics
    /// If there is none.
    pub fn link(&self, url: &str) -> String {
        let line = self.text.lines().find(|line| line.starts_with(url));
        line.unwrap_or_else(|| panic!("no link to {url} in {}", self.text)).to_owned()
    }
}

/// The way in which a server treats recipients.
#[derive(Debug)]
struct Policy {
    /// How many it still refuses for the time being.
    later: AtomicU32,
    /// Whether it refuses all for good.
    never: bool,
}

impl Policy {
    fn is_later(&self) -> bool {
        self.later.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
    }
}

/// A running mail server. Its threads end with the test.
#[derive(Debug)]
pub struct MailServer {
    address: SocketAddr,
    mails: mpsc::Receiver<Mail>,
}

impl MailServer {
    /// Starts a server that refuses this many recipients for the time being before it takes one.
    ///
    /// # Panics
    /// If it cannot listen.
    pub fn start(refusals: u32) -> Self {
        Self::with(Policy { later: AtomicU32::new(refusals), never: false })
    }

    /// Starts a server that refuses every recipient for good, and repeats the address in its answer.
    ///
    /// # Panics
    /// If it cannot listen.
    pub fn refusing() -> Self {
        Self::with(Policy { later: AtomicU32::new(0), never: true })
    }

    fn with(policy: Policy) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (sender, mails) = mpsc::channel();
        let policy = Arc::new(policy);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (sender, policy) = (sender.clone(), Arc::clone(&policy));
                // A client that goes away in the middle ends its thread alone.
                std::thread::spawn(move || speak(&stream, &policy, &sender));
            }
        });
        Self { address, mails }
    }

    /// Its host and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next message.
    ///
    /// # Panics
    /// If none comes.
    #[track_caller]
    pub fn next(&self) -> Mail {
        self.mails.recv_timeout(PATIENCE).expect("a message")
    }
}

fn speak(stream: &TcpStream, policy: &Policy, sender: &mpsc::Sender<Mail>) -> Option<()> {
    let (mut lines, mut out) = (BufReader::new(stream).lines(), stream);
    let mut answer = |text: &str| out.write_all(format!("{text}\r\n").as_bytes()).ok();
    let (mut login, mut from, mut to) = (None, String::new(), String::new());
    answer("220 mail.test")?;
    while let Some(Ok(line)) = lines.next() {
        let text = match line.split([' ', ':']).next().unwrap_or_default() {
            "EHLO" => "250-mail.test\r\n250 AUTH PLAIN",
            "AUTH" => {
                login = line.strip_prefix("AUTH PLAIN ").map(str::to_owned);
                "235 welcome"
            }
            "MAIL" => {
                from = address_in(&line);
                "250 ok"
            }
            "RCPT" => {
                to = address_in(&line);
                if policy.never {
                    &format!("550 <{to}>: there is no such user")
                } else if policy.is_later() {
                    "451 later"
                } else {
                    "250 ok"
                }
            }
            "DATA" => {
                answer("354 go on")?;
                let data: Vec<String> =
                    lines.by_ref().map_while(Result::ok).take_while(|line| line != ".").collect();
                let data = data.join("\n");
                let (head, body) = data.split_once("\n\n").unwrap_or((&data, ""));
                let (from, to, login) = (from.clone(), to.clone(), login.clone());
                sender.send(Mail { from, to, login, head: head.to_owned(), text: decoded(body) }).ok()?;
                "250 taken"
            }
            "QUIT" => "221 bye",
            _ => "250 ok",
        };
        answer(text)?;
    }
    Some(())
}

fn address_in(line: &str) -> String {
    let address = line.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    address.map(|(address, _)| address.to_owned()).unwrap_or_default()
}

/// Quoted-printable text of ASCII letters, decoded (RFC 2045); plain text stays as it is.
fn decoded(body: &str) -> String {
    body.replace("=\n", "").replace("=3D", "=")
}
