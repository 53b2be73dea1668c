//! Records of sign-ups that end, in a vault in memory.

use super::*;
use crate::{InMemory, digest};
use buttonwood_engine::identity::{Command, Confirm, ConfirmProof, Mailing, Peer, SignUp};
use buttonwood_engine::{Body, Command as Sent, FeeSchedule, Mode, Opening};
use buttonwood_model::Time;
use buttonwood_sequencer::{Clock, Options, recover};

/// An exchange of a sandbox, and what waits there.
#[expect(clippy::default_trait_access, reason = "options of the journal, which no edge names")]
fn with_exchange(act: impl FnOnce(&Exchange, &Arc<InMemory>, &Waiting)) {
    let dir = tempfile::tempdir().unwrap();
    let mut recovered = recover(dir.path(), Default::default()).unwrap();
    let opening = Opening { mode: Mode::Sandbox, seed: 1, hash_key: 2, fees: FeeSchedule::default() };
    recovered.commit(Time(1), vec![Sent { caller: None, body: Body::open(opening) }]).unwrap();
    let running = Exchange::start(recovered, Clock::manual(Time(1)), Options::default()).unwrap();
    let vault = Arc::new(InMemory::default());
    let records: Arc<dyn Vault> = Arc::<InMemory>::clone(&vault);
    let waiting = Waiting::start(running.exchange(), records, HashMap::new());
    act(&running.exchange(), &vault, &waiting.unwrap());
    running.stop().unwrap();
}

fn send(exchange: &Exchange, command: Command) {
    let sent = exchange.submit(Sent { caller: None, body: command.into() }).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(sent).unwrap().done().unwrap();
}

/// Puts the records of a sign-up, as the call of a page does.
fn put(waiting: &Waiting, name: &str, credential: u64) {
    let names = Names::of(&digest(name));
    let secret = || Secret::new(b"hush".to_vec());
    let records = vec![(names.password(credential), secret()), (names.address(), secret())];
    waiting.put(token(name, credential), (digest(name), credential), records).unwrap();
    waiting.addresses.write().insert(digest(name), name.into());
}

fn token(name: &str, credential: u64) -> Digest {
    digest(&format!("{name} {credential}"))
}

fn sign_up(exchange: &Exchange, name: &str, credential: u64) {
    let (login, token) = (digest(name), token(name, credential));
    let mailing = Mailing { login, peer: Peer([1; 16]), is_limited: false };
    let name = name.to_owned();
    let new = SignUp { login, name, credential, token, browser: digest("browser"), ends: Time(0) };
    send(exchange, Command::SignUp(mailing, Arc::new(new)));
}

/// Which of a person's two passwords and the address are in the vault.
fn held(vault: &InMemory, name: &str) -> [bool; 3] {
    let names = Names::of(&digest(name));
    let names = [names.password(1), names.password(2), names.address()];
    let found = vault.get(&names).unwrap();
    [0, 1, 2].map(|at| found[at].is_some())
}

/// The records of a sign-up leave the vault when it ends, and no others; those of a call whose command is not decided yet stay.
#[test]
fn records_leave_when_a_sign_up_ends() {
    with_exchange(|exchange, vault, waiting| {
        for (name, credential) in [("ann", 1), ("ann", 2), ("bob", 1), ("cat", 1)] {
            put(waiting, name, credential);
        }
        for (name, credential) in [("ann", 1), ("ann", 2), ("bob", 1)] {
            sign_up(exchange, name, credential);
            waiting.decided(&token(name, credential));
        }
        waiting.sweep();
        assert_eq!(
            ["ann", "bob", "cat"].map(|name| held(vault, name)),
            [[true, true, true], [true, false, true], [true, false, true]]
        );
        // The command of Cat's was refused.
        waiting.decided(&token("cat", 1));
        let (token, proof) = (token("ann", 1), ConfirmProof::Browser(digest("browser")));
        send(exchange, Command::Confirm(Arc::new(Confirm { token, proof, credit: Vec::new() })));
        waiting.sweep();
        assert_eq!(
            ["ann", "bob", "cat"].map(|name| held(vault, name)),
            [[true, false, true], [true, false, true], [false, false, false]]
        );
        let knows = |name| waiting.addresses.read().contains_key(&digest(name));
        assert_eq!(["ann", "bob", "cat"].map(knows), [true, true, false]);
    });
}

/// An address that an operator uses stays, while the sign-up with it ends.
#[test]
fn an_address_in_use_stays() {
    with_exchange(|_, vault, waiting| {
        put(waiting, "ann", 1);
        waiting.keep_address(&digest("ann"));
        waiting.decided(&token("ann", 1));
        waiting.sweep();
        assert_eq!(held(vault, "ann"), [false, false, true]);
    });
}
