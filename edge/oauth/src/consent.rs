//! The consent page and the pages of errors: HTML without script.

use crate::authorization_request::AuthorizationRequest;
use crate::frame::{Look, page};
use crate::html::breaking;
use crate::scope::in_words;
use buttonwood_http::Reply;
use buttonwood_model::{Scope, Scopes};
use buttonwood_wire::html::escaped;
use http::StatusCode;
use std::fmt::Write as _;

/// The content of the consent page.
#[derive(Debug)]
pub(crate) struct Consent<'a> {
    pub(crate) app: &'a str,
    pub(crate) user: &'a str,
    pub(crate) look: &'a Look,
    pub(crate) request: &'a AuthorizationRequest,
    /// The scopes that the user's roles let them give.
    pub(crate) grantable: Scopes,
    /// The names of the user's accounts, and which one is chosen.
    pub(crate) accounts: &'a [(String, bool)],
    pub(crate) seal: &'a str,
    /// Where a user whose last code is too old gives another one; none for a fresh one.
    pub(crate) renewal: Option<&'a str>,
}

impl Consent<'_> {
    /// The page.
    pub(crate) fn page(&self) -> Reply {
        let app = breaking(self.app);
        let title = format!("Allow {}?", escaped(self.app));
        let main = format!(
            "<h1>Allow {app} to act for you?</h1>\n{renewal}<form class=\"panel padded form\" method=\"post\" action=\"/auth\">\n\
             <input type=\"hidden\" name=\"request\" value=\"{request}\">\n\
             <input type=\"hidden\" name=\"consent\" value=\"{seal}\">\n\
             <p>You are signed in as <strong>{user}</strong>. The answer goes to <code>{place}</code>.</p>\n\
             <div class=\"field\"><label for=\"account\">Account</label>\n\
             <select id=\"account\" name=\"account\">\n{accounts}</select></div>\n\
             {scopes}<div class=\"buttons\"><button class=\"main\" name=\"decision\" value=\"allow\">Allow</button>\n\
             <button name=\"decision\" value=\"deny\">Deny</button></div>\n</form>\n",
            renewal = self.renewal(),
            request = escaped(&self.request.query),
            seal = escaped(self.seal),
            user = breaking(self.user),
            place = breaking(self.request.target.place()),
            accounts = self.options(),
            scopes = self.boxes(),
        );
        // Without the app's address here, Chromium does not follow the redirect that answers the form.
        let forms = format!("'self' {}", self.request.target.source());
        page((StatusCode::OK, self.look), &title, &main, &forms)
    }

    /// The page for a user with an old code who is asked for some scopes.
    fn renewal(&self) -> String {
        let needs = self.request.scopes.and(self.grantable).iter().any(Scope::needs_code);
        let Some(place) = self.renewal.filter(|_| needs) else { return String::new() };
        format!(
            "<p class=\"notice\">Some of these rights need a code that is less than five minutes old: \
             <a href=\"{}\">give a code</a> first, or leave them out.</p>\n",
            escaped(place)
        )
    }

    fn options(&self) -> String {
        self.accounts.iter().fold(String::new(), |mut out, (name, is_chosen)| {
            let (name, chosen) = (escaped(name), if *is_chosen { " selected" } else { "" });
            // A string takes any text.
            let _ = writeln!(out, "<option value=\"{name}\"{chosen}>{name}</option>");
            out
        })
    }

    /// A box for each scope, and the scopes that the user cannot give.
    fn boxes(&self) -> String {
        let mut out = String::from("<fieldset>\n<legend>It may</legend>\n");
        for scope in self.request.scopes.and(self.grantable).iter() {
            let (name, words) = (scope.name(), in_words(scope));
            let _ = writeln!(
                out,
                "<div class=\"box\"><input type=\"checkbox\" id=\"{name}\" name=\"scope\" value=\"{name}\" checked>\n\
                 <label for=\"{name}\">{words} (<code>{name}</code>)</label></div>"
            );
        }
        out.push_str("</fieldset>\n");
        let others = self.request.scopes.iter().filter(|scope| !self.grantable.has(*scope)).map(Scope::name);
        let others = others.collect::<Vec<_>>().join(", ");
        if !others.is_empty() {
            let _ = writeln!(
                out,
                "<p class=\"soft\">It also wants what your roles do not let you give: {others}.</p>"
            );
        }
        out
    }
}

/// A page that says why nothing happens, with a way on if there is one: an address of this site and its text.
pub(crate) fn error_page(status: StatusCode, message: &str, way_on: Option<(&str, &str)>) -> Reply {
    let link = way_on.map_or_else(String::new, |(place, text)| {
        format!("<a class=\"button main\" href=\"{}\">{}</a>\n", escaped(place), escaped(text))
    });
    let main = format!(
        "<h1>This did not work</h1>\n<section class=\"panel padded form\">\n<p>{}</p>\n{link}</section>\n",
        breaking(message)
    );
    page((status, &Look::default()), "This did not work", &main, "'none'")
}
