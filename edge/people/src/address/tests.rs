//! Addresses in one form, and those that an earlier build stored in another.

use super::*;
use crate::people::Settings;
use crate::vault::{InMemory, Names, Vault};
use buttonwood_engine::identity::{Command, NewUser, UserId};
use buttonwood_engine::{Body, Command as Sent, FeeSchedule, Mode, Opening};
use buttonwood_gate::Secret;
use buttonwood_model::{Roles, Time};
use buttonwood_sequencer::{Clock, Exchange, Options, recover};

#[test]
fn addresses_are_checked() {
    for (text, form) in [
        ("a@b", "a@b"),
        ("Ann.O'Neil+x@Mail.Example", "ann.o'neil+x@mail.example"),
        ("a-b@1.example", "a-b@1.example"),
        ("\u{fc}@m\u{fc}nchen.example", "\u{fc}@xn--mnchen-3ya.example"),
        ("u\u{308}@mu\u{308}nchen\u{3002}example", "\u{fc}@xn--mnchen-3ya.example"),
        ("a@XN--mnchen-3ya.example", "a@xn--mnchen-3ya.example"),
        ("a@stra\u{df}e.example", "a@xn--strae-oqa.example"),
        ("a@strasse.example", "a@strasse.example"),
    ] {
        assert_eq!(read(text).unwrap().text, form, "{text}");
    }
    let long = format!("{}@b.example", "a".repeat(250));
    let wide = format!("a@{}.example", "\u{fc}.".repeat(100));
    let label = format!("a@{}.example", "b".repeat(64));
    let wide_label = format!("a@{}.example", "\u{fc}".repeat(63));
    for text in [
        "",
        "a",
        "@b",
        "a@",
        "a@@b",
        "a@b@c",
        "a b@c",
        "a@b..c",
        "a@-b",
        "a\r\n@b",
        "<a>@b",
        "a@b_c",
        "a@b c",
        "a@xn--\u{fc}",
        &long,
        &wide,
        &label,
        &wide_label,
    ] {
        assert_eq!(read(text).unwrap_err().status, 400, "{text}");
    }
    let longest = format!("a@{}", [&*"b".repeat(63), &*"c".repeat(63), &*"d".repeat(63)].join("."));
    assert_eq!(read(&longest).unwrap().text, longest);
    assert_eq!(read("A@b").unwrap().login, read("a@B").unwrap().login);
}

/// An address that is stored in another form keeps its own digest, and is found by the form.
#[test]
fn older_forms_are_noted() {
    let mut stored = Stored::default();
    stored.add("a@m\u{fc}nchen.example");
    stored.add("b@mail.example");
    let form = read("a@m\u{fc}nchen.example").unwrap().login;
    assert_eq!(stored.older.get(&form), Some(&vec![digest("a@m\u{fc}nchen.example")]));
    assert_eq!((stored.older.len(), stored.addresses.len()), (1, 2));
}

/// A dotted capital i in lower case, as an earlier build stored it.
const REFUSED: &str = "i\u{307}smail@mail.example";

/// A label of 64 bytes, as an earlier build stored it.
const TOO_LONG: &str = "ann@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.example";

/// Makes the user of an address as it is spelled, as an earlier build did.
fn add_older(exchange: &Exchange, vault: &InMemory, spelled: &str) {
    let login = digest(spelled);
    vault.put(vec![(Names::of(&login).address(), Secret::new(spelled.as_bytes().to_vec()))]).unwrap();
    let new = NewUser {
        login,
        name: "Ann".to_owned(),
        group: None,
        roles: Roles::NONE,
        is_operator: true,
        is_disabled: false,
        credential: 1,
        factor: 2,
    };
    let sent = exchange.submit(Sent { caller: None, body: Command::AddUser(Arc::new(new)).into() }).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(sent).unwrap().done().unwrap();
}

/// Two older users of one form keep the spelling that was stored: each is found by it, and the first by any other spelling of the form.
#[test]
#[expect(clippy::default_trait_access, reason = "options of the journal, which no edge names")]
fn older_spellings_find_their_users() {
    let dir = tempfile::tempdir().unwrap();
    let mut recovered = recover(dir.path(), Default::default()).unwrap();
    let opening = Opening { mode: Mode::Sandbox, seed: 1, hash_key: 2, fees: FeeSchedule::default() };
    recovered.commit(Time(1), vec![Sent { caller: None, body: Body::open(opening) }]).unwrap();
    let running = Exchange::start(recovered, Clock::manual(Time(1)), Options::default()).unwrap();
    let (exchange, vault) = (running.exchange(), Arc::new(InMemory::default()));
    let spellings = ["ann@m\u{fc}nchen.example", "ann@mu\u{308}nchen.example"];
    for spelled in spellings.into_iter().chain([REFUSED, TOO_LONG]) {
        add_older(&exchange, &vault, spelled);
    }
    assert!(read(REFUSED).is_err() && read(TOO_LONG).is_err());
    let settings = Settings { vault: Arc::<InMemory>::clone(&vault), ..People::settings_in_memory() };
    let records =
        spellings.into_iter().chain([REFUSED, TOO_LONG]).map(|spelled| Names::of(&digest(spelled)).address());
    let people = People::start(exchange, settings, records).unwrap();
    for (place, spelled) in spellings.into_iter().enumerate() {
        let found = people.find(spelled).unwrap();
        assert_eq!(found, Some(UserId::from_index(place)), "{spelled}");
        assert_eq!(people.read_address(spelled).unwrap().text, spelled, "mail goes to what was stored");
    }
    assert_eq!(people.find(REFUSED).unwrap(), Some(UserId(2)), "a letter that is refused by now");
    assert_eq!(people.find(TOO_LONG).unwrap(), Some(UserId(3)), "a label that is too long by now");
    for other in ["ANN@M\u{fc}nchen.example", "ann@xn--mnchen-3ya.example"] {
        assert_eq!(people.find(other).unwrap(), Some(UserId(0)), "{other}");
    }
    assert_eq!(people.find("anna@m\u{fc}nchen.example").unwrap(), None);
    drop(people);
    running.stop().unwrap();
}
