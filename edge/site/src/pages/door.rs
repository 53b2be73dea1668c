//! The door of a sandbox: on its page of signing in a button for each test user, and the code that passes everywhere (D-297).
//!
//! None of it exists at a venue (SBX-007), and in a sandbox it is for those whose control calls are taken (`guard`).

use buttonwood_call::{App, Visit};
use buttonwood_http::Reply;
use buttonwood_identity::{User, UserId};
use buttonwood_model::Role;
use buttonwood_people as people;
use buttonwood_wire::html::escaped;
use http::HeaderValue;
use std::path::PathBuf;

/// The path of the call that signs a test user in.
pub(crate) const ENTER: &str = "/site/signin/sandbox";
/// The paths that only a sandbox has.
const PATHS: [&str; 3] = ["/site/door.css", "/site/door.js", ENTER];

/// The style sheet of the door, and the element that loads its module.
pub(crate) const STYLE: &str = "door";
pub(crate) const SCRIPT: &str = "<script type=\"module\" src=\"/site/door.js\"></script>\n";
/// The cookie without which the code is refused (SBX-006).
pub(crate) const COOKIE: &str = "SVC-SANDBOX-2FA";
/// The words beside the field of a code.
pub(crate) const HINT: &str = "In this sandbox the code 9999999 passes for everyone.";

/// The test users whom a sandbox lets in by a button.
#[derive(Clone, Debug)]
pub struct Door {
    /// Their addresses.
    pub users: Vec<&'static str>,
    /// The file with their passwords.
    pub credentials: PathBuf,
}

impl Door {
    /// Whether a path exists only where there is a door.
    pub(crate) fn has(path: &str) -> bool {
        PATHS.contains(&path)
    }

    /// The test user with an address.
    pub(crate) fn find(&self, app: &App, email: &str) -> Option<UserId> {
        let known = self.users.iter().find(|known| known.eq_ignore_ascii_case(email.trim()))?;
        app.people.find(known).ok().flatten()
    }

    /// The list of the users who may sign in, as HTML. A button leads to `next`, or to the user's own first page.
    fn list(&self, app: &App, next: Option<&str>) -> String {
        // Before the state is locked: to find a user locks it too.
        let known: Vec<(&str, UserId)> =
            self.users.iter().filter_map(|email| Some((*email, self.find(app, email)?))).collect();
        let views = app.exchange.views();
        let identity = views.state().identity();
        let rows = known.into_iter().filter_map(|(email, id)| {
            let user = identity.user(id).filter(|user| user.is_active())?;
            Some(row(email, user, next))
        });
        let rows: Vec<String> = rows.collect();
        format!(
            "<section id=\"door\" class=\"panel\" aria-labelledby=\"door-title\">\n\
             <header class=\"panel-head\"><h2 id=\"door-title\">Test users of this sandbox</h2></header>\n\
             <ul class=\"cards\" data-list=\"test-users\" data-shown=\"{count}\" data-total=\"{count}\">\n{}</ul>\n\
             <p class=\"note padded\">A button signs in as after password and code. The passwords are in \
             <code>{}</code>.</p>\n</section>\n",
            rows.concat(),
            escaped(&self.credentials.display().to_string()),
            count = rows.len()
        )
    }
}

/// The offers of a page of signing in, as HTML: the test users, and the words beside the field of a code. A venue's page has neither.
pub(super) fn offers(door: Option<&Door>, app: &App, next: Option<&str>) -> (String, String) {
    let Some(door) = door else { return (String::new(), String::new()) };
    (door.list(app, next), format!("<p class=\"note\" id=\"door-code\">{HINT}</p>\n"))
}

/// The page with the cookie that lets its code pass.
pub(super) fn with_cookie(reply: Reply, visit: &Visit<'_>) -> Reply {
    match HeaderValue::try_from(people::set_cookie(COOKIE, "1", visit.is_https())) {
        Ok(cookie) => reply.with_cookie(cookie),
        // It has only characters of a header.
        Err(_) => reply,
    }
}

fn row(email: &str, user: &User, next: Option<&str>) -> String {
    let roles = if user.is_operator {
        "Operator".to_owned()
    } else {
        user.roles.iter().map(Role::name).collect::<Vec<_>>().join(", ")
    };
    let next = next.unwrap_or(if user.is_operator { "/operator" } else { super::HOME });
    let (name, email, next) = (escaped(&user.name), escaped(email), escaped(next));
    format!(
        "<li><h3>{name}</h3><p>{email}</p><p>{roles}</p><button type=\"button\" class=\"small\" data-user=\"{email}\" \
         data-next=\"{next}\">Sign in<span class=\"unseen\"> as {name}</span></button></li>\n"
    )
}
