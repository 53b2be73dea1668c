//! A venue's mail: by SMTP, off the path of requests, and without secrets in the log.

use std::net::TcpListener;

use buttonwood_accept::{Answer, MailServer, Value, Venue, json, private_folder, run_to_end, wait_until};

const PASSWORD: &str = "seven green turtles sing";
const OTHER: &str = "nine amber violins hum";
const FROM: &str = "exchange@example.com";

#[track_caller]
fn post(venue: &Venue, path: &str, body: &Value) -> Answer {
    venue.anyone().send("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
}

#[track_caller]
fn sign_up(venue: &Venue, email: &str) -> Answer {
    let answer = post(venue, "/site/signup", &json!({ "email": email, "password": PASSWORD, "name": "Ada" }));
    assert_eq!(answer.status(), 202, "{answer}");
    answer
}

fn settings(server: &MailServer, further: &str) -> String {
    format!(
        "smtp = \"smtp://us%40er:pass@{}\"\nmail_from = \"Exchange <{FROM}>\"\n{further}",
        server.address()
    )
}

/// Someone signs up at a venue behind a proxy and later forgets the password; both links come by mail, and lead to the public address. The
/// server takes the first message at the second try alone.
#[test]
fn people_sign_up_by_mail() {
    let server = MailServer::start(1);
    let venue = Venue::with(&settings(&server, "public_url = \"https://exchange.example\"\n"));
    let answer = sign_up(&venue, "Ada@people.test");
    let cookie = answer.reply.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with("__Host-signup="), "{cookie}");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Lax; Path=/; Secure"), "{cookie}");
    let mail = server.next();
    assert_eq!((mail.from.as_str(), mail.to.as_str()), (FROM, "ada@people.test"));
    // In Base64: an empty name, then user and password, each after a zero byte.
    assert_eq!(mail.login.as_deref(), Some("AHVzQGVyAHBhc3M="));
    for line in ["To: ada@people.test", "Subject: Confirm your address", "Auto-Submitted: auto-generated"] {
        assert!(mail.head.lines().any(|known| known == line), "{line}: {}", mail.head);
    }
    assert!(mail.head.contains(&format!("<{FROM}>")), "{}", mail.head);
    let link = mail.link("https://exchange.example/signup?token=");
    let (_, token) = link.split_once("token=").unwrap();
    post(&venue, "/site/confirm", &json!({ "token": token, "password": PASSWORD })).ok();
    let entry = json!({ "email": "ada@people.test", "password": PASSWORD });
    let entered = post(&venue, "/site/signin", &entry);
    assert_eq!(entered.ok()["next"], "enrol");
    let cookie = entered.reply.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with("__Host-session=") && !cookie.contains("Domain"), "{cookie}");

    // An unknown address gets the same answer and no mail: the next one is Ada's.
    for email in ["nobody@people.test", "ada@people.test"] {
        assert_eq!(post(&venue, "/site/password/forgot", &json!({ "email": email })).status(), 202);
    }
    let mail = server.next();
    assert_eq!(mail.to, "ada@people.test");
    let link = mail.link("https://exchange.example/password?token=");
    let (_, reset) = link.split_once("token=").unwrap();
    post(&venue, "/site/password/reset", &json!({ "token": reset, "password": OTHER })).ok();
    assert!(server.next().text.starts_with("Your password was changed"));
    for secret in ["ada@people", "us@er", "us%40er", token, reset, PASSWORD, OTHER, "451 later"] {
        assert!(!venue.log().contains(secret), "{}", venue.log());
    }
    venue.stop_and_verify();
}

/// A venue without a mail server refuses what needs mail; signing in is not refused for it.
#[test]
fn without_a_mail_server_no_one_signs_up() {
    let venue = Venue::start();
    let new = json!({ "email": "ada@people.test", "password": PASSWORD, "name": "Ada" });
    post(&venue, "/site/signup", &new).refused(503, "System");
    for email in ["ada@people.test", "nobody@people.test"] {
        post(&venue, "/site/password/forgot", &json!({ "email": email })).refused(503, "System");
    }
    assert_ne!(post(&venue, "/site/signin", &new).status(), 503);
}

/// A server that never answers holds back no request and no stop, and what waits is counted.
#[test]
fn a_silent_mail_server_delays_nothing() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let venue = Venue::with(&format!(
        "smtp = \"smtp://{}\"\nmail_from = \"{FROM}\"\nmetrics_listen = \"127.0.0.1:0\"\n",
        silent.local_addr().unwrap()
    ));
    for number in 0..6 {
        sign_up(&venue, &format!("ada{number}@people.test"));
    }
    let metrics = venue.metrics();
    assert!(metrics.contains("\nbuttonwood_mail_waiting 6\n"), "{metrics}");
    assert!(metrics.contains("\nbuttonwood_mail_total{result=\"sent\"} 0\n"), "{metrics}");
    let begun = std::time::Instant::now();
    venue.stop_and_verify();
    assert!(
        begun.elapsed() < std::time::Duration::from_secs(45),
        "a try takes a minute, and no stop waits for it"
    );
}

/// An address that the server refuses for good is tried once; the log says the server's code, and not the address.
#[test]
fn a_refused_message_is_counted() {
    let server = MailServer::refusing();
    let venue = Venue::with(&settings(&server, "metrics_listen = \"127.0.0.1:0\"\n"));
    sign_up(&venue, "ada@people.test");
    wait_until("the failure is counted", || {
        venue.metrics().contains("\nbuttonwood_mail_total{result=\"failed\"} 1\n")
    });
    let log = venue.log();
    assert!(log.contains("the mail server answered 550") && !log.contains("ada@"), "{log}");
}

/// Wrong settings of mail are refused before the directory is touched, by their names and without a password.
#[test]
fn settings_of_mail_are_checked() {
    let home = private_folder();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("key"), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n").unwrap();
    std::fs::write(at("empty"), "\n").unwrap();
    let lines =
        format!("data = \"{}\"\nvault_key_file = \"{}\"\nlisten = \"127.0.0.1:0\"\n", at("data"), at("key"));
    std::fs::write(at("venue.toml"), lines).unwrap();
    let (url, file, empty) = ("smtp://user:secret@mail.example", at("absent"), at("empty"));
    for (flags, words) in [
        (vec!["--smtp", url], "--smtp: who sends is missing"),
        (vec!["--mail-from", FROM], "--mail-from: how mail is sent is missing"),
        (vec!["--smtp-password-file", &file], "--smtp-password-file: the server is missing"),
        (vec!["--smtp", "mail.example", "--mail-from", FROM], "--smtp: smtp://HOST:PORT"),
        (vec!["--smtp", "smtp://user:secret@mail.example?tls=off", "--mail-from", FROM], "without TLS"),
        (vec!["--smtp", url, "--mail-from", "exchange"], "--mail-from 'exchange': an address is wanted"),
        (vec!["--smtp", "smtp://user@mail.example", "--mail-from", FROM], "a user needs a password"),
        (vec!["--smtp", url, "--mail-from", FROM, "--smtp-password-file", &file], "absent: No such file"),
        (vec!["--smtp", url, "--mail-from", FROM, "--smtp-password-file", &empty], "a password on one line"),
    ] {
        let config = at("venue.toml");
        let all: Vec<&str> = ["serve", "--config", &config].into_iter().chain(flags).collect();
        let output = run_to_end(&all);
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
        assert!(line.contains(words) && !line.contains("secret"), "{line}");
    }
    assert!(!home.path().join("data").exists());
}
