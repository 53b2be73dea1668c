//! People and apps while the exchange is struck within a sign-in, a code, a refresh, a revocation and a new password.
//!
//! A new password is two writes: its hash goes into the vault, then the change into the journal. Each strike kills the exchange at a call
//! of either, or makes the call fail. After each restart all that was acknowledged stands: a used code and a consumed refresh token work no
//! more, a revoked token is refused, other tokens work, and of an old and a new password exactly one signs in.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use buttonwood_accept::{Answer, Browser, Exchange, Value, encoded, hidden, json, redirected};
use rustix::process::Signal;

use crate::round::{Round, verified};
use crate::sweep::Next;
use crate::trace::{Harm, Strike, thread_named};

/// The act during which a call is struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    SignIn,
    Exchange,
    Refresh,
    Revoke,
    Password,
}

/// Which calls are struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Those on the vault.
    Vault,
    /// Those of the journal's thread.
    Journal,
}

const JOURNAL: &[&str] = &["pwrite64", "fdatasync"];

/// Each act with the places that it writes to, in its order.
const POINTS: [(Act, Place, &[&str]); 6] = [
    (Act::Password, Place::Vault, &["openat", "pwrite64", "ftruncate", "fdatasync", "fsync", "rename"]),
    (Act::Password, Place::Journal, JOURNAL),
    (Act::SignIn, Place::Journal, JOURNAL),
    (Act::Exchange, Place::Journal, JOURNAL),
    (Act::Refresh, Place::Journal, JOURNAL),
    (Act::Revoke, Place::Journal, JOURNAL),
];

const HARMS: [Harm; 2] = [Harm::Kill, Harm::Error("EIO")];

/// Percentage of points that a quick round strikes.
const QUICK_SHARE: u64 = 25;

/// Time limit for a struck process to end.
const PATIENCE: Duration = Duration::from_secs(30);

const OLD: &str = "seven green turtles sing";
const NEW: &str = "nine amber violins hum";
const REDIRECT: &str = "https://app.example/callback";

/// Strikes the Nth call of every kind within each act, N being the round's number.
pub fn strikes(round: &mut Round) -> Next {
    let mut house = House::new(round);
    let mut hits = 0;
    for (act, place, calls) in POINTS {
        for call in calls {
            for harm in HARMS {
                let is_left_out = round.quick && !round.draw.chance(QUICK_SHARE);
                if !is_left_out && !round.is_told_to_stop() && house.strike(round, act, place, call, harm) {
                    round.count(&format!("{act:?} struck at {place:?}"), 1);
                    hits += 1;
                }
            }
        }
    }
    house.x.stop();
    verified(&house.data);
    assert!(hits > 0 || round.number > 1 || round.quick, "no call was struck");
    if hits == 0 && !round.quick { Next::Done } else { Next::More }
}

/// How an act ended.
#[derive(Debug)]
enum Ended {
    /// It was acknowledged.
    Done(Box<Answer>),
    /// It was refused, and has changed nothing.
    Refused,
    /// No answer came.
    Gone,
}

/// A user before an act, with all that the acts need.
struct Person {
    email: String,
    cookie: String,
    csrf: String,
    code: String,
    access: String,
    refresh: String,
}

/// A running exchange, and the tokens of which it is known whether they work.
struct House {
    x: Exchange,
    data: PathBuf,
    client_id: String,
    client_secret: String,
    people: u64,
    alive: Vec<String>,
    dead: Vec<String>,
}

/// A text field.
#[track_caller]
fn text(object: &Value, name: &str) -> String {
    object[name].as_str().unwrap_or_else(|| panic!("no {name} in {object}")).to_owned()
}

impl House {
    fn new(round: &mut Round) -> Self {
        let data = round.data();
        let x = round.start(&data);
        let apps = x.credentials()["oauth_clients"].clone();
        let app =
            apps.as_array().expect("apps").iter().find(|app| app["name"] == "app").expect("an app").clone();
        let (client_id, client_secret) = (text(&app, "client_id"), text(&app, "client_secret"));
        Self { x, data, client_id, client_secret, people: 0, alive: Vec::new(), dead: Vec::new() }
    }

    /// Makes a user who is signed in, and has granted the app tokens and a code.
    fn person(&mut self) -> Person {
        self.people += 1;
        let email = format!("person-{}@one.test", self.people);
        let user = json!({ "email": email, "password": OLD, "group": "one", "roles": ["Trader"] });
        self.x.control("/sandbox/users", &user).ok();
        let session = self.x.control("/sandbox/sessions", &json!({ "email": email })).ok();
        let tokens = json!({ "client_id": self.client_id, "email": email, "account": "primary",
            "scopes": ["balances:read"] });
        let tokens = self.x.control("/sandbox/oauth/grants", &tokens).ok();
        let code = self.consent(&email);
        let [cookie, csrf] = ["cookie", "csrf"].map(|name| text(&session, name));
        let [access, refresh] = ["access_token", "refresh_token"].map(|name| text(&tokens, name));
        Person { email, cookie, csrf, code, access, refresh }
    }

    /// A code that the user gives the app.
    fn consent(&self, email: &str) -> String {
        let browser = Browser::of(&self.x, email);
        let query = encoded(&[
            ("client_id", &self.client_id),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("scope", "balances:read"),
            ("state", "s"),
        ]);
        let page = browser.get(&format!("/auth?{query}")).reply.text().clone();
        let hidden = hidden(&page);
        let mut form: Vec<(&str, &str)> =
            hidden.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        form.extend([("account", "primary"), ("decision", "allow"), ("scope", "balances:read")]);
        let kind = [("Content-Type", "application/x-www-form-urlencoded")];
        let answer = browser.send("POST", "/auth", &kind, encoded(&form).as_bytes());
        redirected(&answer, "code").unwrap_or_else(|| panic!("no code: {answer}"))
    }

    /// Does one act.
    fn act(&self, act: Act, person: &Person) -> Ended {
        match act {
            Act::SignIn => self.post("/site/signin", &[], &json!({ "email": person.email, "password": OLD })),
            Act::Exchange => self.exchange(&person.code),
            Act::Refresh => self.refresh(&person.refresh),
            Act::Revoke => self.server("/auth/token/revoke", json!({ "token": person.access })),
            Act::Password => {
                let headers = [("Cookie", person.cookie.as_str()), ("X-CSRF-Token", &person.csrf)];
                self.post("/site/password", &headers, &json!({ "old": OLD, "new": NEW }))
            }
        }
    }

    fn exchange(&self, code: &str) -> Ended {
        let fields = json!({ "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT });
        self.server("/auth/token", fields)
    }

    fn refresh(&self, token: &str) -> Ended {
        self.server("/auth/token", json!({ "grant_type": "refresh_token", "refresh_token": token }))
    }

    fn server(&self, path: &str, mut fields: Value) -> Ended {
        fields["client_id"] = json!(self.client_id);
        fields["client_secret"] = json!(self.client_secret);
        self.post(path, &[], &fields)
    }

    fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Ended {
        let mut all = vec![("Content-Type", "application/json")];
        all.extend(headers);
        match self.x.anyone().try_send("POST", path, &all, body.to_string().as_bytes()) {
            Ok(answer) if answer.status() >= 500 => Ended::Refused,
            Ok(answer) => Ended::Done(Box::new(answer)),
            Err(_) => Ended::Gone,
        }
    }

    /// Strikes one call within one act; returns whether there was such a call.
    fn strike(&mut self, round: &mut Round, act: Act, place: Place, call: &'static str, harm: Harm) -> bool {
        let person = self.person();
        let log = round.dir.join("strace.log");
        let _ = fs::remove_file(&log);
        let note = format!("{act:?} at {place:?}, {call} number {}, {harm:?}", round.number);
        fs::write(round.dir.join("strike.txt"), &note).expect("a note can be written");
        let within = ["vault", "vault.tmp", "vault.log", "vault.log.tmp"].map(|name| self.data.join(name));
        let (thread, all, within) = match place {
            Place::Journal => (thread_named(self.x.pid(), "journal"), false, Vec::new()),
            Place::Vault => (self.x.pid(), true, within.to_vec()),
        };
        let strike = Strike { call, harm, when: round.number, log, within };
        let tracer = strike.attach(thread, all);
        let mut ended = self.act(act, &person);
        let is_gone = matches!(ended, Ended::Gone);
        if is_gone {
            let status = self.x.wait_for_end(PATIENCE).expect("what no longer answers has ended");
            let expected = if harm == Harm::Kill { Signal::KILL } else { Signal::ABORT };
            let signal = std::os::unix::process::ExitStatusExt::signal(&status);
            assert_eq!(signal, Some(expected.as_raw()), "{note}");
        }
        let is_hit = is_gone || tracer.has_struck();
        drop(tracer);
        if matches!(ended, Ended::Refused) {
            assert!(is_hit && harm != Harm::Kill, "{note}: refused without a reason");
            ended = self.act(act, &person);
            assert!(matches!(ended, Ended::Done(_)), "{note}: the next try: {ended:?}");
        }
        if is_hit {
            self.x.kill9();
            verified(&self.data);
            self.x = round.start(&self.data);
        }
        self.check_tokens(&note);
        self.check(act, &person, &ended, &note);
        is_hit
    }

    /// All tokens work or are refused as they did before.
    fn check_tokens(&self, note: &str) {
        for (tokens, status) in [(&self.alive, 200), (&self.dead, 401)] {
            assert!(tokens.iter().all(|token| self.call(token) == status), "{note}: {status} was known");
        }
    }

    /// The status of a call with a token.
    fn call(&self, token: &str) -> u16 {
        let bearer = format!("Bearer {token}");
        // {"request":"/v1/balances"}
        let headers =
            [("Authorization", bearer.as_str()), ("X-SVC-PAYLOAD", "eyJyZXF1ZXN0IjoiL3YxL2JhbGFuY2VzIn0=")];
        self.x.anyone().send("POST", "/v1/balances", &headers, b"").status()
    }

    /// An acknowledged change stands; one without an answer is done or not done.
    fn check(&mut self, act: Act, person: &Person, ended: &Ended, note: &str) {
        let done = if let Ended::Done(answer) = ended { Some(answer) } else { None };
        if let Some(answer) = done {
            assert_eq!(answer.status(), 200, "{note}: {answer}");
        }
        assert!(act == Act::Revoke || self.call(&person.access) == 200, "{note}: a token was lost");
        match act {
            Act::SignIn => self.check_session(done.map(|answer| &**answer), person, note),
            Act::Exchange => {
                self.check_once(done.map(|answer| answer.ok()), |house| house.exchange(&person.code), note);
            }
            Act::Refresh => {
                self.check_once(done.map(|answer| answer.ok()), |house| house.refresh(&person.refresh), note);
            }
            Act::Revoke => {
                let status = self.call(&person.access);
                assert!(status == 401 || done.is_none() && status == 200, "{note}: {status}");
                let known = if status == 200 { &mut self.alive } else { &mut self.dead };
                known.push(person.access.clone());
                assert_eq!(status_of(&self.refresh(&person.refresh)), 200, "{note}: the family lives");
            }
            Act::Password => {
                let signs_in = |password| {
                    let fields = json!({ "email": person.email, "password": password });
                    status_of(&self.post("/site/signin", &[], &fields)) == 200
                };
                let (old, new) = (signs_in(OLD), signs_in(NEW));
                assert!(old != new && (new || done.is_none()), "{note}: old {old}, new {new}");
            }
        }
    }

    /// An acknowledged sign-in waits for its code, and another one succeeds.
    fn check_session(&self, done: Option<&Answer>, person: &Person, note: &str) {
        if let Some(answer) = done {
            let field = answer.reply.header("set-cookie").expect("a sign-in gives a cookie").to_string();
            let cookie = field.split(';').next().unwrap_or_default().to_owned();
            let seen = self.x.anyone().send("GET", "/site/session", &[("Cookie", &cookie)], b"");
            assert_eq!(seen.status(), 403, "{note}: {seen}");
        }
        assert_eq!(status_of(&self.act(Act::SignIn, person)), 200, "{note}");
    }

    /// A code or refresh token gives tokens once: those that were acknowledged work, and a second try is refused. Without an acknowledgement it has
    /// worked or works now.
    fn check_once(&mut self, done: Option<Value>, again: impl Fn(&Self) -> Ended, note: &str) {
        if let Some(tokens) = &done {
            assert_eq!(self.call(&text(tokens, "access_token")), 200, "{note}: a token was lost");
        }
        match again(self) {
            Ended::Done(answer) if answer.status() == 200 => {
                assert!(done.is_none(), "{note}: it worked twice");
                self.alive.push(text(&answer.ok(), "access_token"));
            }
            Ended::Done(answer) => assert_eq!(answer.status(), 400, "{note}: {answer}"),
            other => panic!("{note}: {other:?}"),
        }
    }
}

/// The status of an answer; 0 without one.
fn status_of(ended: &Ended) -> u16 {
    if let Ended::Done(answer) = ended { answer.status() } else { 0 }
}
