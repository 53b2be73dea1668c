//! `admin user` and `admin app`: users whom operators add, disable and make operators, and apps that they review.

use super::{PASSWORD, code, entry, mail, mails, token, user_in};
use buttonwood_accept::{Browser, Exchange, Value, json};

const EMAIL: &str = "ada@people.test";

/// The row of a list with this value in a field.
#[track_caller]
fn row(rows: &[Value], field: &str, value: &str) -> Value {
    rows.iter().find(|row| row[field] == value).cloned().unwrap_or_else(|| panic!("no {value} in {rows:?}"))
}

fn listed(x: &Exchange, email: &str) -> Value {
    row(&x.admin(&["user", "list"]).list(), "email", email)
}

/// An app of a user who is signed in.
fn app(browser: &Browser<'_>) -> String {
    let app = json!({
        "name": "Lens", "scopes": ["orders:read"], "redirect_uris": ["https://lens.example/cb"],
    });
    browser.post("/site/apps", &app).ok()["client_id"].as_str().expect("an id").to_owned()
}

/// A user who was added sets the password by the link, once, enrols a second factor, and is in the group with the roles.
#[test]
fn a_user_is_added_by_mail() {
    let x = Exchange::start();
    let add =
        ["user", "add", "Ada@People.test", "--group", "one", "--role", "trader", "--role", "Fund-Manager"];
    let shown = x.admin(&[&add[..], &["--dry-run"]].concat()).done();
    assert_eq!(shown["dry_run"], true);
    assert!(mails(&x, EMAIL).is_empty(), "a dry run mails nothing");
    let added = x.admin(&add).done();
    assert_eq!(
        (&added["email"], &added["name"], &added["group"]),
        (&json!(EMAIL), &json!("ada"), &json!("one"))
    );
    assert_eq!(added["roles"], json!(["Trader", "Fund Manager"]));
    assert_eq!(added["link_ends_ms"].as_u64().map(|ends| ends / 1_000), Some(x.now_ms() / 1_000 + 86_400));
    let link = mail(&x, EMAIL)["link"].as_str().expect("a link").to_owned();
    assert!(link.starts_with(&format!("{}/password?token=", x.base_url())), "{link}");
    assert!(!added.to_string().contains(&token(&x, EMAIL)), "the answer has no secret");
    let before = listed(&x, EMAIL);
    assert_eq!(
        (&before["password"], &before["second_factor"], &before["enabled"]),
        (&json!(false), &json!(false), &json!(true))
    );

    x.advance(24 * 3_600 - 1);
    let browser = Browser::new(&x);
    browser.post("/site/signin", &entry(EMAIL)).refused(401, "InvalidCredentials");
    let reset = json!({ "token": token(&x, EMAIL), "password": PASSWORD });
    browser.post("/site/password/reset", &reset).ok();
    browser.post("/site/password/reset", &reset).refused(400, "InvalidParameterValue");
    assert_eq!(browser.post("/site/signin", &entry(EMAIL)).ok()["next"], "enrol");
    let begun = browser.post("/site/totp/begin", &json!({})).ok();
    let secret = begun["secret"].as_str().expect("a text");
    browser.post("/site/totp/confirm", &json!({ "code": code(&x, secret) })).ok();
    let session = browser.get("/site/session").ok();
    assert_eq!((&session["group"], &session["operator"]), (&json!("one"), &json!(false)));
    assert_eq!(session["roles"], json!(["Trader", "Fund Manager"]));
    let after = listed(&x, EMAIL);
    assert_eq!(
        (&after["password"], &after["second_factor"], &after["sessions"]),
        (&json!(true), &json!(true), &json!(1))
    );
    let audited = x.admin(&["audit"]).list();
    let audited =
        audited.iter().find(|act| act["what"].as_str().is_some_and(|what| what.starts_with("user add")));
    assert_eq!(
        audited.expect("it is audited")["what"],
        "user add email=Ada@People.test group=one roles=[\"trader\",\"Fund-Manager\"]"
    );
}

/// Who is made an operator before the first password keeps the link of `user add`; one with a password loses what was open.
#[test]
fn a_new_operator_keeps_the_link() {
    let x = Exchange::start();
    x.admin(&["user", "add", EMAIL, "--group", "one", "--role", "Trader"]).done();
    let link = token(&x, EMAIL);
    x.admin(&["user", "operator", EMAIL, "on"]).done();
    x.restart();
    let reset = json!({ "token": link, "password": PASSWORD });
    Browser::new(&x).post("/site/password/reset", &reset).ok();
    let after = listed(&x, EMAIL);
    assert_eq!((&after["operator"], &after["password"]), (&json!(true), &json!(true)), "{after}");
    Browser::new(&x).post("/site/password/reset", &reset).refused(400, "InvalidParameterValue");
}

/// The link ends after 24 hours.
#[test]
fn the_link_of_a_user_ends() {
    let x = Exchange::start();
    x.admin(&["user", "add", EMAIL, "--group", "one", "--role", "Trader"]).done();
    x.advance(24 * 3_600);
    let reset = json!({ "token": token(&x, EMAIL), "password": PASSWORD });
    Browser::new(&x).post("/site/password/reset", &reset).refused(400, "InvalidParameterValue");
}

/// Wrong arguments are refused by field, and change nothing.
#[test]
fn arguments_are_refused_by_field() {
    let x = Exchange::start();
    let browser = Browser::of(&x, "trader@one.test");
    let id = app(&browser);
    let before = (x.admin(&["user", "list"]).list().len(), x.admin(&["audit"]).list().len());
    let long = "x".repeat(101);
    let cases: &[(&[&str], &str)] = &[
        (
            &["user", "add", "no-address", "--group", "one", "--role", "Trader"],
            "Field 'email' must be an e-mail address",
        ),
        (
            &["user", "add", "trader@one.test", "--group", "one", "--role", "Trader"],
            "Field 'email' must be an address that no user has",
        ),
        (
            &["user", "add", "TRADER@one.test", "--group", "one", "--role", "Trader"],
            "Field 'email' must be an address that no user has",
        ),
        (
            &["user", "add", EMAIL, "--group", "none", "--role", "Trader"],
            "Field 'group' must be the name of a group",
        ),
        (&["user", "add", EMAIL, "--group", "one", "--role", "King"], "Field 'role' must be"),
        (&["user", "add", EMAIL, "--group", "one", "--role", "Trader", "--role", "Auditor"], "'role'"),
        (&["user", "add", EMAIL, "--group", "one", "--role", "Trader", "--name", &long], "Field 'name'"),
        (&["user", "add", EMAIL, "--group", "one", "--role", "Trader", "--name", ""], "Field 'name'"),
        (
            &["user", "disable", "nosuch@one.test"],
            "Field 'email' must be the address of a user: nosuch@one.test",
        ),
        (&["user", "disable", "x"], "Field 'email' must be an e-mail address"),
        (&["user", "enable", "nosuch@one.test"], "Field 'email'"),
        (&["user", "enable", "trader@one.test", "--group", "none"], "Field 'group'"),
        (&["user", "operator", "nosuch@one.test", "on"], "Field 'email'"),
        (&["user", "operator", "trader@one.test", "yes"], "Field 'operator' must be on or off: yes"),
        (
            &["user", "operator", "trader@one.test", "off", "--os-user", "root"],
            "Field 'os_user' must be left out with off",
        ),
        (&["user", "operator", "trader@one.test", "on", "--os-user", ""], "Field 'os_user'"),
        (&["user", "operator", "trader@one.test", "on", "--os-user", " root"], "Field 'os_user'"),
        (&["user", "operator", "trader@one.test", "on", "--os-user", "ann:0"], "Field 'os_user'"),
        (&["user", "operator", "trader@one.test", "on", "--os-user", &long], "Field 'os_user'"),
        (&["app", "review", "nosuch", "on"], "Field 'client_id' names no app: 'nosuch'"),
        (&["app", "review", &id, "maybe"], "Field 'review' must be on or off: maybe"),
        (&["group", "approve", "none"], "Field 'group' must be the name of a group: none"),
    ];
    for (arguments, words) in cases {
        let line = x.admin(arguments).refused();
        assert!(line.contains(words), "{arguments:?}: {line}");
    }
    assert_eq!((x.admin(&["user", "list"]).list().len(), x.admin(&["audit"]).list().len()), before);
}

/// A disabled user's session ends for good; enabled again, the user signs in anew.
#[test]
fn a_disabled_user_loses_all() {
    let x = Exchange::start();
    user_in(&x, EMAIL, "one", &["Trader"]);
    let browser = Browser::of(&x, EMAIL);
    assert_eq!(x.admin(&["user", "disable", EMAIL]).done()["enabled"], false);
    browser.get("/site/session").refused(401, "SignInRequired");
    browser.post("/site/signin", &entry(EMAIL)).refused(401, "InvalidCredentials");
    assert_eq!(listed(&x, EMAIL)["enabled"], false);
    assert_eq!(x.admin(&["user", "enable", EMAIL]).done()["enabled"], true);
    browser.get("/site/session").refused(401, "SignInRequired");
    assert_eq!(browser.post("/site/signin", &entry(EMAIL)).ok()["next"], "second_factor");
    let roles = ["user", "enable", EMAIL, "--group", "two", "--role", "Auditor"];
    x.admin(&roles).done();
    let now = listed(&x, EMAIL);
    assert_eq!((&now["group"], &now["roles"]), (&json!("two"), &json!(["Auditor"])));
}

/// A user who has lost all factors: an operator removes them, and the next sign-in enrols. What was lost works no more.
#[test]
fn lost_factors_are_reset() {
    let x = Exchange::start();
    let secret = user_in(&x, EMAIL, "one", &["Trader"]);
    let browser = Browser::of(&x, EMAIL);
    let reset = ["user", "reset-factors", EMAIL];
    x.admin(&[&reset[..], &["--dry-run"]].concat()).done();
    browser.get("/site/session").ok();
    x.admin(&reset).done();
    assert_eq!(mail(&x, EMAIL)["subject"], "Your second factors were removed");
    browser.get("/site/session").refused(401, "SignInRequired");
    let row = listed(&x, EMAIL);
    assert_eq!((&row["second_factor"], &row["enabled"]), (&json!(false), &json!(true)));
    x.kill9();
    x.restart();
    let browser = Browser::new(&x);
    assert_eq!(browser.post("/site/signin", &entry(EMAIL)).ok()["next"], "enrol");
    let late = browser.post("/site/signin/code", &json!({ "code": code(&x, &secret) }));
    assert!((400..500).contains(&late.status()), "{late}");
    let begun = browser.post("/site/totp/begin", &json!({})).ok();
    let new = begun["secret"].as_str().expect("a secret");
    let confirmed = browser.post("/site/totp/confirm", &json!({ "code": code(&x, new) })).ok();
    assert_eq!(confirmed["recovery_codes"].as_array().map(Vec::len), Some(10));
    let line = x.admin(&["user", "reset-factors", "nosuch@one.test"]).refused();
    assert!(line.contains("Field 'email'"), "{line}");
}

/// An operator has no group; after `off` the group and the roles are those of before.
#[test]
fn an_operator_comes_and_goes() {
    let x = Exchange::start();
    user_in(&x, EMAIL, "one", &["Trader"]);
    let browser = Browser::of(&x, EMAIL);
    browser.get("/site/operator/proposals").refused(403, "MissingRole");
    let on = x.admin(&["user", "operator", EMAIL, "on", "--os-user", "ada"]).done();
    assert_eq!((&on["operator"], &on["os_user"]), (&json!(true), &json!("ada")));
    browser.get("/site/session").refused(401, "SignInRequired");
    let browser = Browser::of(&x, EMAIL);
    let session = browser.get("/site/session").ok();
    assert_eq!(
        (&session["operator"], &session["group"], &session["roles"]),
        (&json!(true), &json!(null), &json!([]))
    );
    assert_eq!(browser.get("/site/operator/proposals").ok(), json!([]));
    assert_eq!(listed(&x, EMAIL)["os_user"], "ada");
    let off = x.admin(&["user", "operator", EMAIL, "off"]).done();
    assert_eq!((&off["operator"], &off["os_user"]), (&json!(false), &json!(null)));
    browser.get("/site/session").refused(401, "SignInRequired");
    let now = listed(&x, EMAIL);
    assert_eq!(
        (&now["group"], &now["roles"], &now["enabled"]),
        (&json!("one"), &json!(["Trader"]), &json!(true))
    );
    // One who never had a group may not sign in any more, until a group is named.
    x.admin(&["user", "operator", "operator@house.test", "off"]).done();
    assert_eq!(listed(&x, "operator@house.test")["enabled"], false);
    let line = x.admin(&["user", "enable", "operator@house.test"]).refused();
    assert!(line.contains("Field 'group'"), "{line}");
    x.admin(&["user", "enable", "operator@house.test", "--group", "one", "--role", "Trader"]).done();
    assert_eq!(listed(&x, "operator@house.test")["group"], "one");
}

/// `app review` and `app list`.
#[test]
fn apps_are_reviewed() {
    let x = Exchange::start();
    let id = app(&Browser::of(&x, "trader@one.test"));
    let app = || row(&x.admin(&["app", "list"]).list(), "client_id", &id);
    assert_eq!(
        (&app()["owner"], &app()["name"], &app()["reviewed"]),
        (&json!("trader@one.test"), &json!("Lens"), &json!(false))
    );
    let on = x.admin(&["app", "review", &id, "on", "--implicit"]).done();
    assert_eq!((&on["app"], &on["reviewed"], &on["implicit"]), (&json!("Lens"), &json!(true), &json!(true)));
    x.admin(&["app", "review", &id, "on"]).done();
    assert_eq!((&app()["reviewed"], &app()["implicit"]), (&json!(true), &json!(false)));
    x.admin(&["app", "review", &id, "off"]).done();
    assert_eq!(app()["reviewed"], false);
}

/// The groups of a sandbox wait for no approval; to approve one again changes nothing.
#[test]
fn a_sandbox_approves_every_group() {
    let x = Exchange::start();
    super::signed_up(&x, EMAIL);
    for group in x.admin(&["group", "list"]).list() {
        assert_eq!(group["approved"], true, "{group}");
    }
    let done = x.admin(&["group", "approve", "one"]).done();
    assert_eq!(done, json!({ "result": "ok", "group": "one", "approved": true }));
}
