//! Users of a venue, and operators who sign in with an e-mail address: one operator may have two names, and is one operator.

use super::{NOBODY, Venue, lines, object, refusal};
use buttonwood_accept::{Answer, Client, MailServer, Value, json, totp};
use std::cell::RefCell;
use std::time::{SystemTime, UNIX_EPOCH};

const PASSWORD: &str = "seven green turtles sing";
const ANN: &str = "ann@house.test";
const BOB: &str = "bob@house.test";

/// The browser of a user.
struct Page {
    client: buttonwood_accept::Actor,
    cookie: RefCell<String>,
    csrf: RefCell<String>,
}

impl Page {
    fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        let (cookie, csrf) = (self.cookie.borrow().clone(), self.csrf.borrow().clone());
        let all = [("Content-Type", "application/json"), ("Cookie", &*cookie), ("X-CSRF-Token", &*csrf)];
        // An empty value is no header.
        let headers: Vec<_> = all.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let answer = self.client.send(method, path, &headers, body.as_bytes());
        if let Some(set) = answer.reply.header("set-cookie").filter(|set| set.starts_with("session=")) {
            set.split(';').next().unwrap_or_default().clone_into(&mut self.cookie.borrow_mut());
        }
        let csrf = serde_json::from_slice::<Value>(&answer.reply.body).ok();
        if let Some(csrf) = csrf.as_ref().and_then(|body| body["csrf"].as_str()) {
            csrf.clone_into(&mut self.csrf.borrow_mut());
        }
        answer
    }

    fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "")
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &body.to_string())
    }

    fn review(&self, id: &str, approved: bool) -> Answer {
        self.post("/site/operator/apps/review", &json!({ "client_id": id, "approved": approved }))
    }

    fn approve(&self, proposal: &str) -> Answer {
        let proposal: u64 = proposal.parse().unwrap();
        self.post("/site/operator/approve", &json!({ "proposal": proposal }))
    }
}

/// The number of the proposal that an answer names.
#[track_caller]
fn number(answer: &Value) -> String {
    answer["proposal"].as_u64().unwrap_or_else(|| panic!("it is done: {answer}")).to_string()
}

impl Venue {
    /// A venue that sends mail.
    fn with_mail(server: &MailServer) -> Option<Self> {
        let venue = Self::with(&format!(
            "smtp = \"smtp://{}\"\nmail_from = \"house@example.com\"\n",
            server.address()
        ))?;
        venue.customer();
        Some(venue)
    }

    fn page(&self) -> Page {
        let client = buttonwood_accept::Actor::new("a browser", Client::new(&self.url).unwrap());
        Page { client, cookie: RefCell::default(), csrf: RefCell::default() }
    }

    /// An act of two operators of the machine.
    #[track_caller]
    fn by_two(&self, arguments: &[&str]) {
        let proposal = self.proposed(arguments);
        assert_eq!(self.approved(&proposal)["result"], "ok");
    }

    /// A user of the group, whose password is set.
    #[track_caller]
    fn user(&self, server: &MailServer, email: &str) {
        self.by_two(&["user", "add", email, "--group", "North", "--role", "Trader"]);
        let mail = server.next();
        assert_eq!(mail.to, email);
        let link = mail.link(&format!("{}/password?token=", self.url));
        let (_, token) = link.split_once("token=").unwrap();
        self.page().post("/site/password/reset", &json!({ "token": token, "password": PASSWORD })).ok();
        assert!(server.next().text.starts_with("Your password was changed"));
    }

    /// The browser of a user who enrols a second factor, and is signed in with a code that was just given.
    #[track_caller]
    fn enrolled(&self, email: &str) -> Page {
        let page = self.page();
        let entered = page.post("/site/signin", &json!({ "email": email, "password": PASSWORD })).ok();
        assert_eq!(entered["next"], "enrol");
        let begun = page.post("/site/totp/begin", &json!({})).ok();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        let code = totp(begun["secret"].as_str().unwrap(), u64::try_from(now).unwrap());
        page.post("/site/totp/confirm", &json!({ "code": code })).ok();
        page
    }

    /// Ann, who is the user that runs the tests, and Bob, who is no user of the machine yet.
    #[track_caller]
    fn operators(&self, server: &MailServer) -> [Page; 2] {
        for email in [ANN, BOB] {
            self.user(server, email);
        }
        self.by_two(&["user", "operator", ANN, "on", "--os-user", "root"]);
        self.by_two(&["user", "operator", BOB, "on"]);
        [ANN, BOB].map(|email| self.enrolled(email))
    }

    fn reviewed(&self) -> bool {
        lines(&self.run(None, &["app", "list"]))[0]["reviewed"] == true
    }
}

fn register(page: &Page) -> String {
    let app = json!({
        "name": "Lens", "scopes": ["orders:read"], "redirect_uris": ["https://lens.example/cb"],
    });
    page.post("/site/apps", &app).ok()["client_id"].as_str().unwrap().to_owned()
}

/// A user is added, enabled and made an operator by two; no mail goes out before. What disables or ends takes one.
#[test]
fn users_take_two_operators() {
    let server = MailServer::start(0);
    let Some(venue) = Venue::with_mail(&server) else { return };
    let first = venue.proposed(&["user", "add", ANN, "--group", "North", "--role", "Trader"]);
    assert!(lines(&venue.run(None, &["user", "list"])).is_empty());
    let line = venue.refused(&["approve", &first]);
    assert!(line.contains("'proposal' must be one that another user made"), "{line}");
    let answer = venue.approved(&first);
    assert_eq!((&answer["answer"]["email"], &answer["answer"]["group"]), (&json!(ANN), &json!("North")));
    assert_eq!(server.next().to, ANN);
    let again = venue.refused(&["user", "add", ANN, "--group", "North", "--role", "Trader"]);
    assert!(again.contains("'email' must be an address that no user has"), "{again}");
    let enabled = || lines(&venue.run(None, &["user", "list"]))[0]["enabled"].clone();
    assert_eq!(venue.done(&["user", "disable", ANN])["enabled"], false);
    let enable = venue.proposed(&["user", "enable", ANN]);
    assert_eq!(enabled(), false);
    venue.approved(&enable);
    assert_eq!(enabled(), true);
    venue.by_two(&["user", "operator", ANN, "on", "--os-user", "root"]);
    assert_eq!(venue.done(&["user", "operator", ANN, "off"])["operator"], false);
    assert!(venue.waiting().is_empty());
}

/// Who proposed under the e-mail address approves under no name, nor the other way round; another operator approves under either.
#[test]
fn two_names_are_one_operator() {
    let server = MailServer::start(0);
    let Some(venue) = Venue::with_mail(&server) else { return };
    let [ann, bob] = venue.operators(&server);
    let id = register(&ann);
    // Bob is no user of the machine.
    bob.review(&id, true).refused(403, "MissingRole");
    let proposal = number(&ann.review(&id, true).ok());
    bob.approve(&proposal).refused(403, "MissingRole");
    venue.by_two(&["user", "operator", BOB, "on", "--os-user", "nobody"]);

    assert!(!venue.reviewed());
    let listed = bob.get("/site/operator/proposals").ok();
    assert_eq!(
        (&listed[0]["who"], &listed[0]["proposal"]),
        (&json!(ANN), &json!(proposal.parse::<u64>().unwrap()))
    );
    let own = |answer: &Answer| {
        answer.refused(400, "InvalidParameterValue");
        assert!(answer.to_string().contains("one that another user made"), "{answer}");
    };
    own(&ann.approve(&proposal));
    assert!(venue.refused(&["approve", &proposal]).contains("one that another user made"));
    assert_eq!(bob.approve(&proposal).ok()["answer"]["reviewed"], true);
    assert!(venue.reviewed());
    bob.approve(&proposal).refused(404, "EndpointNotFound");

    let implicit = venue.proposed(&["app", "review", &id, "on", "--implicit"]);
    own(&ann.approve(&implicit));
    assert_eq!(object(&venue.run(Some(NOBODY), &["approve", &implicit]))["answer"]["implicit"], true);
    // To withdraw a review takes one.
    assert_eq!(bob.review(&id, false).ok()["reviewed"], false);
    assert!(!venue.reviewed());
    let by_bob = number(&bob.review(&id, true).ok());
    assert!(refusal(&venue.run(Some(NOBODY), &["approve", &by_bob])).contains("one that another user made"));
    assert_eq!(ann.approve(&by_bob).ok()["answer"]["reviewed"], true);
    let audit = lines(&venue.run(None, &["audit"]));
    assert_eq!(audit[0]["who"], ANN);
    let what = audit[0]["what"].as_str().unwrap();
    assert!(what.contains("proposer=bob@house.test") && what.contains("app review"), "{what}");
    // To review takes two also where it changes nothing now: the `off` of another operator may be on its way.
    number(&bob.review(&id, true).ok());
}

/// A halt takes one operator who signed in; to resume and to set a status take two, and the audit names the addresses of both.
#[test]
fn what_opens_takes_two() {
    let server = MailServer::start(0);
    let Some(venue) = Venue::with_mail(&server) else { return };
    let [ann, bob] = venue.operators(&server);
    venue.by_two(&["user", "operator", BOB, "on", "--os-user", "nobody"]);
    let health = || ann.get("/site/operator/health").ok();
    assert_eq!((&health()["mode"], &health()["approvals"]), (&json!("venue"), &json!(2)));

    let why = json!({ "reason": "prices look wrong" });
    assert_eq!(bob.post("/site/operator/halt", &why).ok(), json!({ "result": "ok", "halted": true }));
    let waits = bob.post("/site/operator/resume", &json!({ "reason": "they are right" })).ok();
    assert_eq!((&waits["halted"], &health()["halted"]), (&json!(true), &json!(true)), "{waits}");
    assert_eq!(health()["proposals"][0]["proposal"], waits["proposal"]);
    bob.approve(&number(&waits)).refused(400, "InvalidParameterValue");
    ann.approve(&number(&waits)).ok();
    assert_eq!(health()["halted"], false);

    let symbol = health()["symbols"][0].clone();
    let fields = json!({ "symbol": symbol["symbol"], "status": "post_only", "reason": "thin book" });
    let waits = ann.post("/site/operator/symbols/status", &fields).ok();
    assert_eq!((&waits["status"], &health()["symbols"][0]), (&symbol["status"], &symbol), "{waits}");
    bob.approve(&number(&waits)).ok();
    assert_eq!(health()["symbols"][0]["status"], "post_only");
    let audit = ann.get("/site/operator/audit?limit=5").ok();
    let who: Vec<_> = audit.as_array().unwrap().iter().map(|row| row["who"].as_str().unwrap()).collect();
    assert_eq!(who, [BOB, ANN, ANN, BOB, BOB], "{audit}");
}

/// The proposals of an operator who is disabled, or is none any more, are withdrawn, and the pages are closed at once.
#[test]
fn a_former_operator_decides_nothing() {
    let server = MailServer::start(0);
    let Some(venue) = Venue::with_mail(&server) else { return };
    let [ann, bob] = venue.operators(&server);
    venue.by_two(&["user", "operator", BOB, "on", "--os-user", "nobody"]);
    let id = register(&ann);
    for (page, email, end) in
        [(&ann, ANN, ["user", "disable", ANN].as_slice()), (&bob, BOB, &["user", "operator", BOB, "off"])]
    {
        let proposal = number(&page.review(&id, true).ok());
        assert_eq!(venue.waiting().len(), 1, "{email}");
        venue.done(end);
        assert!(venue.waiting().is_empty(), "{email}");
        assert!(venue.not_approved(&proposal).contains("the number of one that waits"));
        page.get("/site/operator/proposals").refused(401, "SignInRequired");
    }
    let users = lines(&venue.run(None, &["user", "list"]));
    assert_eq!(
        (&users[1]["group"], &users[1]["operator"], &users[1]["os_user"]),
        (&json!("North"), &json!(false), &json!(null))
    );
}

/// The group of someone who signs up waits for two operators; groups that operators make do not.
#[test]
fn a_sign_up_waits_for_two_operators() {
    let server = MailServer::start(0);
    let Some(venue) = Venue::with_mail(&server) else { return };
    let page = venue.page();
    let new = json!({ "email": ANN, "password": PASSWORD, "name": "Ann" });
    assert_eq!(page.post("/site/signup", &new).status(), 202);
    let link = server.next().link(&format!("{}/signup?token=", venue.url));
    let (_, token) = link.split_once("token=").unwrap();
    page.post("/site/confirm", &json!({ "token": token, "password": PASSWORD })).ok();
    let groups = || lines(&venue.run(None, &["group", "list"]));
    let approved = || -> Vec<Value> { groups().iter().map(|group| group["approved"].clone()).collect() };
    assert_eq!(approved(), [json!(true), json!(false)]);
    let name = groups()[1]["group"].as_str().unwrap().to_owned();
    let proposal = venue.proposed(&["group", "approve", &name]);
    assert_eq!(approved(), [json!(true), json!(false)]);
    assert_eq!(
        venue.approved(&proposal)["answer"],
        json!({ "result": "ok", "group": name, "approved": true })
    );
    assert_eq!(approved(), [json!(true), json!(true)]);
    // To repeat it changes nothing, and takes one.
    assert_eq!(venue.done(&["group", "approve", &name])["approved"], true);
}
