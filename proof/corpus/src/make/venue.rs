//! A venue, written by the sequencer alone: operators who sign in and propose, a group that waits for them and one that does not any more,
//! passkeys, and keys that users keep by page.

use super::identity::{Writer, digest};
use buttonwood_engine::identity::{
    CHALLENGE_AGE, Challenge, Command as Own, Confirm, ConfirmProof, NewPasskey, NewUser, Passkey, Peer,
    Proof, UsedPasskey, UserChange, UserId,
};
use buttonwood_engine::{
    AccessCommand, Account, AccountKind, Body, Caller, Command, FeeSchedule, GuardedCommand, Mode,
    NewSession, Note, Opening, Operation, OwnKey, Owner,
};
use buttonwood_journal::Options;
use buttonwood_model::{AccountId, GroupId, Nonce, Role, Roles, SessionId, Time};
use buttonwood_sequencer::recover;
use std::path::Path;
use std::sync::Arc;

const TRADER: Roles = Roles::of(&[Role::Trader]);

/// Sign-ups, operators, passkeys and keys by page.
pub(super) fn venue(data: &Path) {
    let recovered = recover(data, Options::default()).expect("an empty directory");
    let now = Time(1_700_000_000 * Time::SECOND);
    let (group, account) = (GroupId::from_index(0), AccountId::from_index(0));
    let mut writer = Writer { recovered, now, group, account, first: 0 };
    let fees = FeeSchedule::default();
    writer.own(Body::open(Opening { mode: Mode::Venue, seed: 7, hash_key: 2, fees }));
    writer.desk();
    writer.operators();
    writer.passkeys();
    writer.kept_keys();
    writer.sign_ups();
}

impl Writer {
    fn own(&mut self, body: impl Into<Body>) {
        self.commit(Command { caller: None, body: body.into() });
    }

    fn desk(&mut self) {
        self.own(Body::add_group("North".into()));
        self.own(Body::open_account(Account {
            group: Some(self.group),
            short_name: "primary".into(),
            counterparty_id: "NORTHAAA".into(),
            jurisdiction: String::new(),
            broker: false,
            opened: self.now,
            kind: AccountKind::Exchange,
            display_name: "Primary".into(),
        }));
        let last = self.recovered.views().state().access().accounts().len() - 1;
        self.account = AccountId::from_index(last);
        self.add_user("ann", 1);
        self.add_user("bob", 0);
    }

    fn operators(&mut self) {
        for (number, os_user) in [(2, Some("eve")), (3, None)] {
            let name = format!("operator {number}");
            self.send(Own::Invite(
                Arc::new(NewUser {
                    login: digest(&name),
                    name,
                    group: None,
                    roles: Roles::NONE,
                    is_operator: true,
                    is_disabled: false,
                    credential: 0,
                    factor: 0,
                }),
                digest(&format!("link {number}")),
            ));
            let os_user = os_user.map(str::to_owned);
            let change = UserChange { is_operator: Some(true), os_user, ..UserChange::default() };
            self.send(Own::ChangeUser(self.user(number), Arc::new(change)));
        }
        // A user who was an operator has the group and the roles of before.
        for is_operator in [true, false] {
            let change = UserChange { is_operator: Some(is_operator), ..UserChange::default() };
            self.send(Own::ChangeUser(self.user(1), Arc::new(change)));
        }
        self.own(Operation::SetApprovals(2));
        self.propose("a");
        self.act("sam", None, None, 1);
        // Waits at the end.
        self.propose("b");
    }

    fn propose(&mut self, arguments: &str) {
        let command = GuardedCommand { name: "app review".into(), arguments: arguments.into() };
        let body = Operation::Propose(Arc::new(command)).into();
        self.act("eve@house.test", Some(self.user(2)), Some(body), 0);
    }

    fn act(&mut self, who: &str, user: Option<UserId>, body: Option<Body>, approves: u64) {
        let note = Note { who: who.into(), what: "app review".into(), why: "a review".into(), user };
        self.own(Body::approving_act(note, body, approves));
    }

    fn passkeys(&mut self) {
        self.open((self.user(1), 1), "b-1", false);
        self.add_passkey("b-1", "b-2", 1);
        self.add_passkey("b-2", "b-3", 2);
        for (counter, cookie, from) in [(7, "b-4", None), (8, "b-5", Some("b-2"))] {
            let session = from.map(|from| self.session(from));
            self.send(Own::UsePasskey(Arc::new(UsedPasskey {
                user: self.user(1),
                number: 1,
                counter,
                challenge: self.challenge(cookie),
                session,
                cookie: digest(cookie),
                peer: Peer([7; 16]),
                address: "198.51.100.7".into(),
                agent: "a browser".into(),
            })));
        }
        self.send(Own::RemovePasskey(self.session("b-5"), 2));
    }

    fn challenge(&self, text: &str) -> Challenge {
        Challenge { digest: digest(&format!("challenge {text}")), ends: self.now.plus(CHALLENGE_AGE) }
    }

    fn add_passkey(&mut self, from: &str, to: &str, number: u64) {
        let passkey = Passkey {
            number,
            credential: digest(&format!("credential {number}")),
            name: "telephone \u{e9}".into(),
            key: [[1; 32], [2; 32]],
            counter: 1,
            may_be_copied: number == 2,
            created: Time(0),
        };
        let (session, challenge) = (self.session(from), self.challenge(to));
        let recovery = vec![digest("one"), digest("two")];
        let cookie = digest(to);
        self.send(Own::AddPasskey(Arc::new(NewPasskey { session, cookie, challenge, passkey, recovery })));
    }

    fn kept_keys(&mut self) {
        self.open((self.user(0), 1), "a-1", false);
        let step = self.step();
        self.prove("a-1", "a-2", Proof::Totp { factor: 1, step });
        let administrator = self.session("a-2");
        for name in ["one", "two", "three", "four", "five"] {
            self.keep(administrator, OwnKey::Make(self.new_key(name)));
        }
        let [one, two, three, four, five] = [0, 1, 2, 3, 4].map(SessionId::from_index);
        let disable = |session| OwnKey::Disable { session, cancel_orders: true };
        for key in [one, two] {
            self.keep(administrator, disable(key));
        }
        self.keep(administrator, OwnKey::Enable(two));
        self.keep(administrator, OwnKey::Rename(two, "second".into()));
        self.keep(administrator, OwnKey::End { session: three, cancel_orders: false });
        let change = UserChange { roles: Some(TRADER), ..UserChange::default() };
        self.send(Own::ChangeUser(self.user(1), Arc::new(change)));
        let user = self.session("b-5");
        for key in [four, five] {
            self.keep(user, disable(key));
        }
        self.own(AccessCommand::DisableSession { session: five, cancel_orders: false });
        self.send(Own::ResetFactors(self.user(0)));
    }

    fn new_key(&self, name: &str) -> NewSession {
        NewSession {
            owner: Owner::Account(self.account),
            roles: TRADER,
            require_heartbeat: false,
            time_based_nonce: false,
            api_key: format!("account-{name}"),
            name: name.to_owned(),
            addresses: Vec::new(),
        }
    }

    fn keep(&mut self, session: SessionId, act: OwnKey) {
        let caller = Caller { session, account: None, nonce: Nonce::default() };
        let body = AccessCommand::KeepKey(Arc::new(act)).into();
        self.commit(Command { caller: Some(caller), body });
    }

    /// Two groups that have signed up, of which operators know one.
    fn sign_ups(&mut self) {
        for name in ["cat", "dan"] {
            self.sign_up(name, name);
            let proof = ConfirmProof::Browser(digest("browser"));
            self.send(Own::Confirm(Arc::new(Confirm { token: digest(name), proof, credit: Vec::new() })));
        }
        self.own(AccessCommand::ApproveGroup(GroupId::from_index(1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::described;

    /// Every command of the recipe is taken, and the text shows what is there at the end.
    #[test]
    fn the_recipe_writes_a_venue() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let data = home.path().join("data");
        venue(&data);
        let text = described(&data);
        let count = |part: &str| text.lines().filter(|line| line.contains(part)).count();
        let parts = [
            "user ",
            " as 'eve'",
            "  passkey ",
            "Disabled by Administrator",
            "Disabled by User",
            " Ended",
            " unapproved",
            "proposal ",
        ];
        assert_eq!(parts.map(count), [9, 2, 1, 1, 1, 1, 1, 1], "{text}");
    }
}
