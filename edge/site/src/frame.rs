//! The frame that all pages have: a head, the links to the other pages, a main part that a module draws, and a block of data for it.

use crate::HTML;
use crate::calls::{BrowserState, Step, find_browser, preferences_of};
use crate::files::File;
use crate::html::fill;
use buttonwood_call::Visit;
use buttonwood_http::Reply;
use buttonwood_identity::Stage;
use buttonwood_people as people;
use buttonwood_wire::html::{LINKS, escaped};
use http::HeaderValue;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The page around a main part.
const FRAME: &str = include_str!("../assets/frame.html");
/// The rights of a page: its own scripts, styles, images and data, and nothing else. `{sockets}` is the address of streams, where
/// that is another.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'{sockets}; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'";
/// The parts of a page that are its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'a> {
    /// Its name, as text.
    pub(crate) title: &'a str,
    /// Its module.
    pub(crate) script: &'a str,
    /// Its style sheets, beside the common one.
    pub(crate) styles: &'a [&'a str],
    /// The class of its body: `wide`, `narrow` or none.
    pub(crate) class: &'a str,
    /// Links to related pages, as HTML.
    pub(crate) subnav: &'a str,
    /// Its main part, as HTML.
    pub(crate) main: &'a str,
    /// Its last lines, as HTML.
    pub(crate) foot: &'a str,
}

/// The browser that sees a page.
#[derive(Debug)]
pub(crate) struct Seen {
    /// How far it has signed in, and the token that its calls show; none without a session.
    pub(crate) browser: Option<(BrowserState, String)>,
    /// The text after `?account=` that names no open account of its group.
    unknown_account: Option<String>,
}

impl Seen {
    /// The browser of a visit.
    pub(crate) fn of(visit: &Visit<'_>) -> Self {
        let cookie = visit.cookie(people::session_cookie(visit.is_https()));
        let found = cookie.and_then(|cookie| Some((find_browser(visit.app, cookie)?, people::csrf(cookie))));
        let Some((browser, csrf)) = found else { return Self { browser: None, unknown_account: None } };
        let (browser, unknown) = browser.on_page(visit);
        Self { browser: Some((browser, csrf)), unknown_account: unknown.map(str::to_owned) }
    }

    /// The browser, if it has given both factors.
    pub(crate) fn signed_in(&self) -> Option<&BrowserState> {
        self.browser.as_ref().map(|(browser, _)| browser).filter(|browser| browser.stage == Stage::Full)
    }

    /// The part of the data that all pages have.
    fn data(&self, visit: &Visit<'_>) -> Value {
        let app = visit.app;
        let step = self.browser.as_ref().map(|(browser, _)| Step::after(browser.stage).0);
        let user = self.signed_in().map(|browser| {
            let views = app.exchange.views();
            let access = views.state().access();
            let account = browser.account.and_then(|account| access.account(account));
            let group = browser.group.into_iter().flat_map(|group| access.accounts_of(group));
            let open = group.filter(|(id, _)| !access.is_closed(*id));
            let numbered = open.map(|(id, account)| {
                json!({ "number": id.0, "name": account.short_name, "kind": account.kind.name() })
            });
            json!({
                "email": app.people.email(browser.user),
                "is_operator": browser.is_operator,
                "account": account.map(|account| account.short_name.as_str()),
                "number": browser.account.map(|account| account.0),
                "numbered": numbered.collect::<Vec<Value>>(),
                "unknown_account": self.unknown_account,
            })
        });
        let kept = self.signed_in().map(|browser| preferences_of(app, browser.user));
        let kept = kept.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        json!({
            "mode": if app.settings().sandbox { "sandbox" } else { "venue" },
            "csrf": self.browser.as_ref().map(|(_, csrf)| csrf),
            "step": step,
            "next": crate::pages::HOME,
            "user": user,
            "streams": app.settings().socket_url,
            "preferences": kept.unwrap_or_else(|| json!({})),
        })
    }

    /// The page with these parts for this browser. `own` are its own data, and may replace the common ones. No cache keeps it.
    pub(crate) fn page(&self, visit: &Visit<'_>, parts: &Parts<'_>, own: Value) -> Reply {
        let mut data = self.data(visit);
        if let (Value::Object(all), Value::Object(own)) = (&mut data, own) {
            all.extend(own);
        }
        let styles = parts.styles.iter().fold(String::new(), |mut out, name| {
            // Writing to a text cannot fail.
            let _ = writeln!(out, "<link rel=\"stylesheet\" href=\"/site/{name}.css\">");
            out
        });
        let page = fill(
            FRAME,
            &[
                ("title", &escaped(parts.title)),
                ("script", parts.script),
                ("preloads", &File::preloads(parts.script)),
                ("styles", &styles),
                ("class", parts.class),
                ("nav", &self.links(visit)),
                ("end", &self.end(visit)),
                ("subnav", parts.subnav),
                ("main", parts.main),
                ("foot", parts.foot),
                // Only this character could end the script element, and it occurs only in strings.
                ("data", &data.to_string().replace('<', "\\u003c")),
            ],
        );
        Reply::page(HTML, page.into_bytes()).with_policy(policy(visit)).uncached()
    }

    /// Links to the pages that this browser may see.
    fn links(&self, visit: &Visit<'_>) -> String {
        let mut shown = LINKS.to_vec();
        if self.signed_in().is_some_and(|browser| browser.is_operator) {
            shown.push(("/operator", "Operator"));
        }
        if visit.app.settings().sandbox {
            shown.push(("/console", "Console"));
        }
        let items = shown.iter().map(|(path, words)| item(path, words, is_at(visit.path(), path)));
        format!("<ul>{}</ul>", items.collect::<String>())
    }

    /// The end of the header: who is signed in, or how to sign in.
    fn end(&self, visit: &Visit<'_>) -> String {
        let Some(browser) = self.signed_in() else {
            return "<a href=\"/signin\">Sign in</a> <a class=\"button\" href=\"/signup\">Sign up</a>"
                .to_owned();
        };
        let email = visit.app.people.email(browser.user).unwrap_or_default();
        format!("<a href=\"/settings/security\" title=\"Settings\">{}</a>", escaped(&email))
    }
}

/// Whether a path is at a page or below it. The front page has nothing below it.
fn is_at(path: &str, start: &str) -> bool {
    path == start || (start != "/" && path.strip_prefix(start).is_some_and(|rest| rest.starts_with('/')))
}

/// An item of a list of links.
pub(crate) fn item(path: &str, words: &str, is_current: bool) -> String {
    let mark = if is_current { " aria-current=\"page\"" } else { "" };
    format!("<li><a href=\"{path}\"{mark}>{words}</a></li>")
}

/// The policy of a page.
fn policy(visit: &Visit<'_>) -> HeaderValue {
    let sockets = visit.app.settings().socket_url.as_ref().map_or_else(String::new, |url| format!(" {url}"));
    HeaderValue::try_from(POLICY.replace("{sockets}", &sockets))
        .unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link is marked on its page and on those below it.
    #[test]
    fn the_current_page_is_marked() {
        for (path, start, is_marked) in [
            ("/", "/", true),
            ("/trade/btcusd", "/", false),
            ("/trade/btcusd", "/trade", true),
            ("/account", "/account", true),
            ("/accounts", "/account", false),
        ] {
            assert_eq!(is_at(path, start), is_marked, "{path} {start}");
        }
    }
}
