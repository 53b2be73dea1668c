//! The pages of people: signing up and in, a forgotten password, and settings.
//!
//! A page is a frame with one main part and one module. What the server knows of the browser stands in a block of data: the token that
//! its calls show, the next step of its sign-in, and where that leads.

mod next;

use crate::calls::{BrowserState, Step, find_browser};
use crate::html::fill;
use crate::own::Own;
use crate::{HTML, SCRIPT, STYLE};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_identity::Stage;
use buttonwood_model::Scope;
use buttonwood_people as people;
use buttonwood_rest::Visit;
use buttonwood_wire::field::failed;
use http::HeaderValue;
use serde_json::json;

/// The frame of all these pages.
const FRAME: &str = include_str!("../../assets/person/frame.html");
/// The part of a page in which a second factor is enrolled.
const ENROL: &str = include_str!("../../assets/person/enrol.html");
/// The form that adds a passkey.
const PASSKEY: &str = include_str!("../../assets/person/passkey.html");
/// Where a sign-in leads without a path of its own.
const HOME: &str = "/settings/security";

/// A page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    path: &'static str,
    title: &'static str,
    script: &'static str,
    main: &'static str,
    kind: Kind,
}

/// Who may see a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Anyone.
    Public,
    /// Anyone who has not signed in, or whose code is due.
    SignIn,
    /// A user who has given both factors.
    Settings,
}

/// The files of these pages, beside those of the other pages.
pub(crate) const FILES: [(&str, &str, &[u8]); 11] = [
    ("/site/person.css", STYLE, include_bytes!("../../assets/person.css")),
    ("/site/post.js", SCRIPT, include_bytes!("../../assets/post.js")),
    ("/site/passkey.js", SCRIPT, include_bytes!("../../assets/passkey.js")),
    ("/site/enrol.js", SCRIPT, include_bytes!("../../assets/enrol.js")),
    ("/site/signup.js", SCRIPT, include_bytes!("../../assets/signup.js")),
    ("/site/signin.js", SCRIPT, include_bytes!("../../assets/signin.js")),
    ("/site/password.js", SCRIPT, include_bytes!("../../assets/password.js")),
    ("/site/security.js", SCRIPT, include_bytes!("../../assets/security.js")),
    ("/site/keys.js", SCRIPT, include_bytes!("../../assets/keys.js")),
    ("/site/apps.js", SCRIPT, include_bytes!("../../assets/apps.js")),
    ("/site/sessions.js", SCRIPT, include_bytes!("../../assets/sessions.js")),
];

const PAGES: [Page; 7] = [
    Page {
        path: "/signup",
        title: "Sign up",
        script: "signup",
        main: include_str!("../../assets/person/signup.html"),
        kind: Kind::Public,
    },
    Page {
        path: "/signin",
        title: "Sign in",
        script: "signin",
        main: include_str!("../../assets/person/signin.html"),
        kind: Kind::SignIn,
    },
    Page {
        path: "/password",
        title: "Set another password",
        script: "password",
        main: include_str!("../../assets/person/password.html"),
        kind: Kind::Public,
    },
    Page {
        path: "/settings/security",
        title: "Security",
        script: "security",
        main: include_str!("../../assets/person/security.html"),
        kind: Kind::Settings,
    },
    Page {
        path: "/settings/keys",
        title: "Keys",
        script: "keys",
        main: include_str!("../../assets/person/keys.html"),
        kind: Kind::Settings,
    },
    Page {
        path: "/settings/apps",
        title: "Apps",
        script: "apps",
        main: include_str!("../../assets/person/apps.html"),
        kind: Kind::Settings,
    },
    Page {
        path: "/settings/sessions",
        title: "Sessions",
        script: "sessions",
        main: include_str!("../../assets/person/sessions.html"),
        kind: Kind::Settings,
    },
];

impl Page {
    /// The page at a path.
    pub(crate) fn find(path: &str) -> Option<&'static Self> {
        PAGES.iter().find(|page| page.path == path)
    }

    /// The page for this browser, or the redirect to where the browser belongs. No cache keeps either.
    pub(crate) fn answer(&self, visit: &Visit<'_>) -> Result<Reply, Refusal> {
        let cookie = visit.cookie(people::session_cookie(Own::of(visit).is_https));
        let browser =
            cookie.and_then(|cookie| Some((find_browser(visit.app, cookie)?, people::csrf(cookie))));
        let asked = Asked::of(visit);
        match (self.kind, browser) {
            (Kind::Settings, browser)
                if browser.as_ref().is_none_or(|(browser, _)| browser.stage != Stage::Full) =>
            {
                redirect(&format!("/signin?next={}", self.path))
            }
            (Kind::SignIn, Some((browser, _))) if browser.stage == Stage::Full && !asked.is_due(&browser) => {
                redirect(asked.next.as_deref().unwrap_or(HOME))
            }
            (Kind::Public | Kind::SignIn | Kind::Settings, browser) => Ok(self.page(browser, &asked)),
        }
    }

    fn page(&self, browser: Option<(BrowserState, String)>, asked: &Asked) -> Reply {
        let (step, csrf) = match browser {
            Some((browser, csrf)) if browser.stage == Stage::Full && asked.is_due(&browser) => {
                (Some("code"), Some(csrf))
            }
            Some((browser, csrf)) => (Some(Step::after(browser.stage).0), Some(csrf)),
            None => (None, None),
        };
        let next = asked.next.as_deref().unwrap_or(HOME);
        let data = json!({ "step": step, "csrf": csrf, "next": next }).to_string();
        let nav = if self.kind == Kind::Settings { nav(self.path) } else { String::new() };
        let main = fill(self.main, &[("enrol", ENROL), ("passkey", PASSKEY), ("scopes", &scopes())]);
        let page = fill(
            FRAME,
            &[
                ("title", self.title),
                ("script", self.script),
                ("main", &main),
                ("nav", &nav),
                // Only this character could end the script element, and it occurs only in strings.
                ("data", &data.replace('<', "\\u003c")),
            ],
        );
        Reply::page(HTML, page.into_bytes()).with_forms().uncached()
    }
}

/// The query of a sign-in page.
#[derive(Debug, Default)]
struct Asked {
    /// Where the sign-in leads.
    next: Option<String>,
    /// Whether a code is due that is five minutes old.
    wants_code: bool,
}

impl Asked {
    /// A query that cannot be read has nothing, and a name that was sent twice counts as absent.
    fn of(visit: &Visit<'_>) -> Self {
        let pairs = visit.query().unwrap_or_default();
        let once = |name: &str| {
            let mut values = pairs.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_ref());
            values.next().filter(|_| values.next().is_none())
        };
        let next = once("next").and_then(next::of_this_site).map(str::to_owned);
        Self { next, wants_code: once("step") == Some("code") }
    }

    /// Whether a browser that is signed in must give another code.
    fn is_due(&self, browser: &BrowserState) -> bool {
        self.wants_code && !browser.is_fresh
    }
}

/// The links between the pages of settings.
fn nav(current: &str) -> String {
    let links = PAGES.iter().filter(|page| page.kind == Kind::Settings).map(|page| {
        let mark = if page.path == current { " aria-current=\"page\"" } else { "" };
        format!("<li><a href=\"{}\"{mark}>{}</a></li>", page.path, page.title)
    });
    let links: String = links.collect();
    format!(
        "<nav aria-label=\"Settings\"><ul>{links}<li><button type=\"button\" id=\"signout\">Sign out</button></li></ul></nav>"
    )
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
