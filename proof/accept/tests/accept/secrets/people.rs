//! The secrets of people and apps, searched for in every file and log after a run that used all of them.

use super::search::{Search, content};
use crate::oauth::{
    app, base64, code_in, encoded, grant, post, refresh, server, text, token_request, with_client,
};
use buttonwood_accept::{Browser, Exchange, Value, base32, json, totp};

const EMAIL: &str = "ada.lovelace@people.test";
const FIRST: &str = "seven green turtles sing";
const SECOND: &str = "nine amber violins hum";
const WRONG: &str = "eleven copper kettles boil";

/// The secrets of a run, each with its name.
#[derive(Default)]
struct Secrets(Vec<(&'static str, String)>);

impl Secrets {
    fn add(&mut self, name: &'static str, secret: &str) {
        self.0.push((name, secret.to_owned()));
    }

    /// Adds a field of an answer, and returns it.
    #[track_caller]
    fn take(&mut self, name: &'static str, object: &Value, field: &str) -> String {
        let secret = text(object, field);
        self.add(name, &secret);
        secret
    }

    /// Adds what a browser has now: each step of signing in replaces it.
    fn of_browser(&mut self, browser: &Browser<'_>) {
        for name in ["session", "signup"] {
            self.0.extend(browser.cookie(name).map(|value| ("a cookie", value)));
        }
        self.0.extend(browser.csrf().map(|value| ("a CSRF token", value)));
    }

    /// Adds both tokens of a reply, and returns them: the access token first.
    #[track_caller]
    fn tokens(&mut self, reply: &Value) -> [String; 2] {
        ["access_token", "refresh_token"].map(|field| self.take("a token", reply, field))
    }

    /// Adds what a sandbox lists of its users and apps.
    fn listed(&mut self, file: &Value) {
        let rows = |list: &str| file[list].as_array().expect("a list").clone();
        for user in rows("users") {
            self.take("a listed password", &user, "password");
            self.take("a TOTP secret", &user, "totp_secret");
        }
        for app in rows("oauth_clients") {
            if app["public"] == json!(false) {
                self.take("a listed client secret", &app, "client_secret");
            }
        }
    }

    fn search(&self) -> Search {
        let mut search = Search::new();
        for (name, secret) in &self.0 {
            search.add_all(name, secret.as_bytes());
            let bytes = match *name {
                "a TOTP secret" => base32(secret),
                "a recovery code" => {
                    let plain = secret.replace('-', "");
                    search.add_all(name, plain.as_bytes());
                    search.add_all(name, plain.to_lowercase().as_bytes());
                    base32(&plain)
                }
                _ if secret.len() == 43 => base64url(secret),
                _ => continue,
            };
            search.add_all(name, &bytes);
        }
        search
    }
}

fn base64url(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digit = |character| DIGITS.find(character).expect("a digit of Base64");
    let bits: Vec<bool> = text
        .chars()
        .flat_map(|character| (0..6).rev().map(move |bit| digit(character) >> bit & 1 == 1))
        .collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | u8::from(*bit))).collect()
}

/// The token of the newest mail to the address.
#[track_caller]
fn mailed(x: &Exchange, secrets: &mut Secrets) -> String {
    let mails = x.get(&format!("/sandbox/mail?to={EMAIL}")).ok();
    let newest = mails["messages"].as_array().expect("mails").last().expect("a mail").clone();
    secrets.take("a mailed token", &newest, "token")
}

/// A person signs up, enrols, forgets the password, and signs in again with a code of the second factor. Returns the browser.
fn sign_up<'x>(x: &'x Exchange, secrets: &mut Secrets) -> Browser<'x> {
    secrets.add("an address", EMAIL);
    for password in [FIRST, SECOND, WRONG] {
        secrets.add("a password", password);
    }
    let browser = Browser::new(x);
    let step = |path: &str, body: Value, secrets: &mut Secrets| {
        let answer = browser.post(path, &body);
        secrets.of_browser(&browser);
        answer
    };
    step("/site/signup", json!({ "email": EMAIL, "password": FIRST, "name": "Ada" }), secrets);
    step("/site/confirm", json!({ "token": mailed(x, secrets) }), secrets).ok();
    step("/site/signin", json!({ "email": EMAIL, "password": FIRST }), secrets).ok();
    let begun = step("/site/totp/begin", json!({}), secrets).ok();
    let factor = secrets.take("a TOTP secret", &begun, "secret");
    let done = step("/site/totp/confirm", json!({ "code": totp(&factor, x.now_ms()) }), secrets).ok();
    for code in done["recovery_codes"].as_array().expect("recovery codes") {
        secrets.add("a recovery code", code.as_str().expect("a text"));
    }
    step("/site/password/forgot", json!({ "email": EMAIL }), secrets);
    let token = mailed(x, secrets);
    x.get(&format!("/password?token={token}"));
    step("/site/password/reset", json!({ "token": token, "password": SECOND }), secrets).ok();
    step("/site/signin", json!({ "email": EMAIL, "password": WRONG }), secrets)
        .refused(401, "InvalidCredentials");
    step("/site/signin", json!({ "email": EMAIL, "password": SECOND }), secrets).ok();
    x.advance(60);
    let code = json!({ "code": done["recovery_codes"][0] });
    step("/site/signin/code", code.clone(), secrets).ok();
    step("/site/signin/code", code, secrets).refused(401, "InvalidCredentials");
    step("/site/signin/code", json!({ "code": totp(&factor, x.now_ms()) }), secrets).ok();
    browser
}

/// The person registers an app, consents, and the app uses its code and its tokens, rightly and wrongly. Returns the app and the tokens.
fn use_app(x: &Exchange, browser: &Browser<'_>, secrets: &mut Secrets) -> (Value, [String; 2]) {
    let uri = "https://lens.example/cb";
    let new = json!({ "name": "Lens", "scopes": ["balances:read"], "redirect_uris": [uri], "public": false });
    let made = browser.post("/site/apps", &new).ok();
    secrets.take("a client secret", &made, "client_secret");
    let renewed = browser.post("/site/apps/secret", &json!({ "client_id": made["client_id"] })).ok();
    let secret = secrets.take("a client secret", &renewed, "client_secret");
    let app = json!({ "client_id": made["client_id"], "client_secret": secret, "redirect_uris": [uri] });
    let code = code_in(browser, &app, &[], &["balances:read"]);
    secrets.add("a code", &code);
    let redeem = |code: &str| {
        token_request(
            x,
            &app,
            json!({ "grant_type": "authorization_code", "code": code, "redirect_uri": uri }),
        )
    };
    redeem(&format!("{code}x")).json();
    let [access, first] = secrets.tokens(&redeem(&code).ok());
    post(x, &access, "/v1/balances").ok();
    post(x, &format!("{access}x"), "/v1/balances").refused(401, "InvalidAccessToken");
    x.get(&format!("/v1/balances?access_token={access}&refresh_token={first}"));
    let tokens = secrets.tokens(&refresh(x, &app, &first).ok());
    refresh(x, &app, &first).json();
    let pairs = [("grant_type", "refresh_token"), ("refresh_token", tokens[1].as_str()), ("scope", "none")];
    let basic = format!("{}:{secret}", text(&app, "client_id"));
    let basic = format!("Basic {}", base64(basic.as_bytes()));
    for kind in ["application/x-www-form-urlencoded", "application/json", "text/plain"] {
        let headers = [("Content-Type", kind), ("Authorization", basic.as_str())];
        assert_eq!(
            x.anyone().send("POST", "/auth/token", &headers, encoded(&pairs).as_bytes()).status(),
            400
        );
    }
    x.get(&format!("/auth/token?client_secret={secret}&code={code}"));
    (app, tokens)
}

/// Calls of a sandbox's own about people, right ones and ones that are refused.
fn control(x: &Exchange, secrets: &mut Secrets) {
    const PASSWORD: &str = "thirteen quiet lanterns glow";
    const POOR: &str = "lanternlantern";
    secrets.add("a password", PASSWORD);
    secrets.add("a password", POOR);
    let new = |password: &str, group: &str| {
        let body =
            json!({ "email": "bea@people.test", "password": password, "group": group, "roles": ["Trader"] });
        x.control("/sandbox/users", &body)
    };
    secrets.take("a TOTP secret", &new(PASSWORD, "one").ok(), "totp_secret");
    new(POOR, "one").refused(400, "InvalidParameterValue");
    assert_eq!(new(PASSWORD, "none").status(), 400);
    secrets.of_browser(&Browser::of(x, "bea@people.test"));
    secrets.tokens(&grant(x, "app", "bea@people.test", &["balances:read"]));
}

/// No byte that a run wrote gives away a secret of a person or of an app: every file but `credentials.json`, with its snapshots and its
/// vault, standard output, and a log of everything. Passwords, TOTP secrets, recovery codes, cookies, CSRF tokens, mailed tokens, codes,
/// tokens, client secrets, and the address of a person whom no operator named.
#[test]
fn no_file_holds_a_secret_of_people() {
    let flags = [("--snapshot-every", "20"), ("--log-level", "trace")];
    let x = flags.iter().fold(Exchange::builder(), |setup, (name, value)| setup.flag(name, value)).start();
    let mut secrets = Secrets::default();
    secrets.listed(&x.credentials());
    let browser = sign_up(&x, &mut secrets);
    let (app_of_ada, [access, renewing]) = use_app(&x, &browser, &mut secrets);
    control(&x, &mut secrets);
    x.kill9();
    x.restart();
    post(&x, &access, "/v1/balances").ok();
    let [access, renewing] = secrets.tokens(&refresh(&x, &app_of_ada, &renewing).ok());
    for token in [&access, &renewing] {
        server(&x, "/auth/token/revoke", &with_client(&app_of_ada, json!({ "token": token })));
    }
    post(&x, &access, "/v1/balances").refused(401, "InvalidAccessToken");
    browser.post("/site/password", &json!({ "old": SECOND, "new": FIRST })).ok();
    browser.post("/site/signout", &json!({})).ok();
    let admin = x.admin(&["audit"]).list();
    x.stop();

    let search = secrets.search();
    let (token, secret) = (format!("..{access}.."), text(&app(&x, "app"), "client_secret"));
    search.finds(token.as_bytes(), &["a token"]);
    search.finds(&base64url(&access), &["a token"]);
    search.finds(super::base64(format!("id:{secret}").as_bytes()).as_bytes(), &["a listed client secret"]);
    let mut files = 0;
    for (path, bytes) in content(x.data()) {
        let found = search.found_in(&bytes);
        if path.ends_with("credentials.json") {
            assert!(found.contains("a listed password"), "the search finds what is there: {found:?}");
        } else {
            assert!(found.is_empty(), "{found:?} in {}", path.display());
            files += 1;
        }
    }
    assert!(files > 3 && x.data().join("vault").is_file(), "{files} files");
    let log = x.log();
    assert!(log.contains("DEBUG"), "{log}");
    for written in [log, x.later_output().concat(), json!(admin).to_string()] {
        search.finds(written.as_bytes(), &[]);
    }
}
