//! The pages at fixed paths: their table, who may see each, and where others are sent.
//!
//! A page is a frame with one main part and one module. What the server knows of the browser stands in a block of data: the token that
//! its calls show, the next step of its sign-in, and where that leads.

mod asked;
pub(crate) mod door;
mod next;

use crate::calls::{BrowserState, Step};
use crate::frame::{Parts, Seen, item};
use crate::guard::{self, Closed};
use crate::html::fill;
use crate::market;
use asked::Asked;
use buttonwood_call::Visit;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_identity::Stage;
use buttonwood_model::Scope;
use buttonwood_wire::field::failed;
use door::Door;
use http::HeaderValue;
use serde_json::{Value, json};

/// The part of a page in which a second factor is enrolled.
const ENROL: &str = include_str!("../../assets/person/enrol.html");
/// The form that adds a passkey.
const PASSKEY: &str = include_str!("../../assets/person/passkey.html");
/// The main part of a page that its module draws.
const DRAWN: &str = "<h1>{{title}}</h1>\n<div id=\"app\"></div>\n\
                     <noscript><p class=\"notice\">This page needs JavaScript.</p></noscript>";
/// The main part of a page of people.
const PERSON: &str = include_str!("../../assets/person/frame.html");
/// Where a sign-in leads without a path of its own.
pub(crate) const HOME: &str = "/account";

/// A page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    path: &'static str,
    title: &'static str,
    script: &'static str,
    style: &'static str,
    main: &'static str,
    kind: Kind,
}

/// Who may see a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Anyone.
    Public,
    /// Anyone, with forms of people on it.
    Person,
    /// Anyone who has not signed in, or whose code is due.
    SignIn,
    /// A user who has given both factors.
    Settings,
    /// The same; the page is of an account.
    Account,
    /// An operator who has given both factors.
    Operator,
    /// A user of a sandbox, on its own machine.
    Console,
}

const fn drawn(
    path: &'static str,
    title: &'static str,
    names: (&'static str, &'static str),
    kind: Kind,
) -> Page {
    Page { path, title, script: names.0, style: names.1, main: DRAWN, kind }
}

const fn person(
    path: &'static str,
    title: &'static str,
    script: &'static str,
    main: &'static str,
    kind: Kind,
) -> Page {
    Page { path, title, script, style: "person", main, kind }
}

const PAGES: [Page; 20] = [
    Page { main: "", ..drawn("/", "Markets", ("front", "front"), Kind::Public) },
    Page {
        main: include_str!("../../assets/docs.html"),
        ..drawn("/docs", "The interface", ("docs", "docs"), Kind::Public)
    },
    drawn("/predictions", "Predictions", ("predictions", "predictions"), Kind::Public),
    drawn("/account", "Account", ("account", "account"), Kind::Account),
    drawn("/account/money", "Money", ("money", "account"), Kind::Account),
    drawn("/account/clearing", "Clearing", ("clearing", "account"), Kind::Account),
    drawn("/account/staking", "Staking", ("staking", "account"), Kind::Account),
    drawn("/account/statement", "Statement", ("statement", "account"), Kind::Account),
    drawn("/operator", "Operator", ("operator", "operator"), Kind::Operator),
    drawn("/console", "Console", ("console", "console"), Kind::Console),
    drawn("/console/calls", "Calls", ("calls", "console"), Kind::Console),
    drawn("/console/requests", "Requests", ("requests", "console"), Kind::Console),
    person("/signup", "Sign up", "signup", include_str!("../../assets/person/signup.html"), Kind::Person),
    person("/signin", "Sign in", "signin", include_str!("../../assets/person/signin.html"), Kind::SignIn),
    person(
        "/password",
        "Set another password",
        "password",
        include_str!("../../assets/person/password.html"),
        Kind::Person,
    ),
    person(
        "/end-sessions",
        "End all sessions",
        "end-sessions",
        include_str!("../../assets/person/end-sessions.html"),
        Kind::Person,
    ),
    person(
        "/settings/security",
        "Security",
        "security",
        include_str!("../../assets/person/security.html"),
        Kind::Settings,
    ),
    person("/settings/keys", "Keys", "keys", include_str!("../../assets/person/keys.html"), Kind::Settings),
    person("/settings/apps", "Apps", "apps", include_str!("../../assets/person/apps.html"), Kind::Settings),
    person(
        "/settings/sessions",
        "Sessions",
        "sessions",
        include_str!("../../assets/person/sessions.html"),
        Kind::Settings,
    ),
];

impl Page {
    /// The page at a path.
    pub(crate) fn find(path: &str) -> Option<&'static Self> {
        PAGES.iter().find(|page| page.path == path)
    }

    /// Whether its main part is the front page's, which is made anew each second.
    pub(crate) fn is_front(&self) -> bool {
        self.path == "/"
    }

    /// The page for this browser, or the redirect to where the browser belongs. `front` is the front page's main part. No cache keeps
    /// either.
    pub(crate) fn answer(
        &self,
        visit: &Visit<'_>,
        front: &str,
        door: Option<&Door>,
    ) -> Result<Reply, Refusal> {
        let seen = Seen::of(visit);
        let asked = Asked::of(visit, door);
        let browser = seen.browser.as_ref().map(|(browser, _)| browser);
        match (self.kind, browser, seen.signed_in()) {
            (Kind::Settings | Kind::Account, _, None) => {
                let account = asked.account.as_ref().map(|number| format!("%3Faccount%3D{number}"));
                redirect(&format!("/signin?next={}{}", self.path, account.unwrap_or_default()))
            }
            (Kind::SignIn, Some(browser), _) if browser.stage == Stage::Full && !asked.is_due(browser) => {
                redirect(asked.next.as_deref().unwrap_or(HOME))
            }
            (Kind::Operator, browser, _) => self.guarded(guard::operator(browser), visit, (&seen, &asked)),
            (Kind::Console, ..) => self.guarded(guard::console(visit), visit, (&seen, &asked)),
            _ => Ok(self.page(visit, &seen, &asked, front)),
        }
    }

    /// The page, or the one in its place for a visit that may not see it.
    fn guarded(
        &self,
        may_see: Result<(), Closed>,
        visit: &Visit<'_>,
        (seen, asked): (&Seen, &Asked<'_>),
    ) -> Result<Reply, Refusal> {
        Ok(match may_see {
            Ok(()) => self.page(visit, seen, asked, ""),
            Err(closed) => closed.page(visit),
        })
    }

    fn page(&self, visit: &Visit<'_>, seen: &Seen, asked: &Asked<'_>, front: &str) -> Reply {
        let has_door = asked.door.is_some() && matches!(self.kind, Kind::Person | Kind::SignIn);
        let main = match self.kind {
            Kind::Person | Kind::SignIn | Kind::Settings => {
                let door = asked.door.filter(|_| self.kind == Kind::SignIn);
                let (list, code) = door::offers(door, visit.app, asked.next.as_deref());
                let marks = [
                    ("enrol", ENROL),
                    ("passkey", PASSKEY),
                    ("scopes", &scopes()),
                    ("door", &list),
                    ("door-code", &code),
                ];
                let main = fill(self.main, &marks) + if has_door { door::SCRIPT } else { "" };
                fill(PERSON, &[("title", self.title), ("main", &main)])
            }
            Kind::Public | Kind::Account | Kind::Operator | Kind::Console if self.is_front() => {
                front.to_owned()
            }
            Kind::Public | Kind::Account | Kind::Operator | Kind::Console => {
                fill(self.main, &[("title", self.title)])
            }
        };
        let (alone, with_door) = ([self.style], [self.style, door::STYLE]);
        let parts = Parts {
            title: self.title,
            script: self.script,
            styles: if has_door { &with_door } else { &alone },
            class: match self.kind {
                Kind::Person | Kind::SignIn => "narrow person",
                Kind::Settings => "person",
                Kind::Public | Kind::Account | Kind::Operator | Kind::Console => "",
            },
            subnav: &self.subnav(),
            main: &main,
            foot: "",
        };
        let reply = seen.page(visit, &parts, self.data(visit, seen, asked));
        // Pages of settings ask for codes too, in a dialog.
        let asks_for_codes = matches!(self.kind, Kind::SignIn | Kind::Settings);
        if asked.door.is_some() && asks_for_codes { door::with_cookie(reply, visit) } else { reply }
    }

    /// The page's own part of the data.
    fn data(&self, visit: &Visit<'_>, seen: &Seen, asked: &Asked<'_>) -> Value {
        match (self.kind, &seen.browser) {
            (Kind::Account, Some((browser, _))) => json!({ "page": account(visit, browser) }),
            (Kind::Person | Kind::SignIn | Kind::Settings, browser) => {
                let next = asked.next.as_deref().unwrap_or(HOME);
                let step = browser.as_ref().map(|(browser, _)| {
                    let is_due = browser.stage == Stage::Full && asked.is_due(browser);
                    if is_due { "code" } else { Step::after(browser.stage).0 }
                });
                json!({ "step": step, "next": next, "hint": asked.door.map(|_| door::HINT) })
            }
            (Kind::Console, _) => {
                let views = visit.app.exchange.views();
                json!({ "page": { "decimals": market::decimals(views.state()) } })
            }
            (Kind::Public | Kind::Account | Kind::Operator, _) => json!({}),
        }
    }

    /// The links between this page and those that belong to it.
    fn subnav(&self) -> String {
        let (words, end) = match self.kind {
            Kind::Settings => ("Settings", SIGN_OUT),
            Kind::Account => ("Account", ""),
            Kind::Console => ("Console", ""),
            Kind::Public | Kind::Person | Kind::SignIn | Kind::Operator => return String::new(),
        };
        let related = PAGES.iter().filter(|page| page.kind == self.kind);
        let links: String = related.map(|page| item(page.path, page.title, page.path == self.path)).collect();
        format!("<nav class=\"subnav\" aria-label=\"{words}\"><ul>{links}{end}</ul></nav>")
    }
}

/// The button that ends the session.
const SIGN_OUT: &str = "<li><button type=\"button\" id=\"signout\">Sign out</button></li>";

/// The account that a page shows, with its name in clearing. With the currencies and the networks that
/// each moves on, its home first, which forms offer, and whether the page may end the hold of an approved address (D-298).
fn account(visit: &Visit<'_>, browser: &BrowserState) -> Value {
    let views = visit.app.exchange.views();
    let access = views.state().access();
    let currencies = views.state().currencies().iter();
    let currencies: Vec<Value> = currencies
        .map(
            |currency| json!({ "code": currency.code, "name": currency.name, "networks": currency.networks }),
        )
        .collect();
    let chosen = browser.account.and_then(|account| access.account(account));
    json!({
        "account": chosen.map(|account| account.short_name.as_str()),
        "counterparty_id": chosen.map(|account| account.counterparty_id.as_str()),
        "kind": chosen.map(|account| account.kind.name()),
        "group": browser.group.and_then(|group| access.group(group)).map(|group| group.name.as_str()),
        "ends_holds": visit.app.settings().sandbox && visit.why_off_machine().is_none(),
        "currencies": currencies,
        "decimals": market::decimals(views.state()),
    })
}

/// A box for each scope.
fn scopes() -> String {
    let boxes = Scope::ALL.iter().map(|scope| {
        let name = scope.name();
        let id = name.replace(':', "-");
        format!(
            "<div class=\"box\"><input type=\"checkbox\" id=\"{id}\" name=\"scope\" value=\"{name}\"><label \
             for=\"{id}\">{name}</label></div>"
        )
    });
    boxes.collect()
}

fn redirect(path: &str) -> Result<Reply, Refusal> {
    HeaderValue::try_from(path).map(Reply::redirecting).map_err(|_| failed())
}
