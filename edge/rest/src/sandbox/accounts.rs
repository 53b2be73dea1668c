//! `POST /sandbox/accounts`: opens an empty account in a group.

use super::control::operate;
use crate::account::names::short_name;
use crate::app::App;
use crate::route::Route;
use buttonwood_engine::{AccessReject, Account, AccountKind, Body, Outcome, Reject, State};
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_wire::contract::{InPayload, Needed, Text};
use buttonwood_wire::field::{bad_value, failed, no_space};
use buttonwood_wire::{answer, json, request, words};

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/accounts", |app, _, fields| Box::pin(answer(app, fields)))
        .about("Opens an empty account in a group.")
        .takes::<NewAccount>()
        .gives::<OpenedAccount>();

words! {
    /// The kind of an account.
    pub(crate) struct AccountKindName: "exchange", "custody", "derivatives", "margin"
}

request! {
    /// An account to open.
    pub(crate) struct NewAccount in InPayload {
        /// Its name: 1 to 50 letters, digits, spaces and `-`.
        name: Needed<Text>,
        /// The name of its group.
        group: Needed<Text>,
        /// Its kind.
        kind: Needed<AccountKindName>,
    }
}

answer! {
    /// The account that was opened.
    struct OpenedAccount {
        /// Its short name, by which calls name it.
        account: String,
        /// Its kind.
        kind: AccountKindName,
    }
}

async fn answer(app: &App, fields: &Payload) -> Result<Reply, Refusal> {
    let request = NewAccount::of(fields);
    let name = request.name()?;
    let account = read(app, request, &name)?;
    let (short_name, kind) = (account.short_name.clone(), account.kind);
    match operate(app, Body::open_account(account)).await? {
        Outcome::Done => {}
        Outcome::Rejected(Reject::Access(AccessReject::Taken | AccessReject::NameTaken)) => {
            let refusal = bad_value("name", "one that no account of the group has", &name);
            return Err(refusal.with_reason(Reason::ConflictingAccountName));
        }
        Outcome::Rejected(Reject::NoRoom) => return Err(no_space()),
        Outcome::Rejected(_) | Outcome::Trading(_) => return Err(failed()),
    }
    let opened = OpenedAccount { account: short_name, kind: AccountKindName(kind.name()) };
    Ok(Reply::json(json::body(&opened)))
}

fn read(app: &App, request: NewAccount<'_>, name: &str) -> Result<Account, Refusal> {
    let (group, kind) = (request.group()?, kind(&request.kind()?)?);
    let short_name = short_name(name)?;
    let opened = app.now();
    let views = app.exchange.views();
    let state = views.state();
    let group_id = state.access().find_group(&group);
    Ok(Account {
        group: Some(group_id.ok_or_else(|| bad_value("group", "the name of a group", &group))?),
        counterparty_id: counterparty_id(state, kind, &group, &short_name),
        short_name,
        jurisdiction: String::new(),
        broker: false,
        opened,
        kind,
        display_name: name.to_owned(),
    })
}

fn kind(name: &str) -> Result<AccountKind, Refusal> {
    AccountKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        bad_value("kind", "one of exchange, custody, derivatives, margin", name)
            .with_reason(Reason::BadAccountType)
    })
}

/// A counterparty id that no account has, drawn from the seed and from the account's names, so that a sandbox with the same seed
/// repeats itself. A custody account has none (facts F§11).
fn counterparty_id(state: &State, kind: AccountKind, group: &str, short_name: &str) -> String {
    if kind == AccountKind::Custody {
        return String::new();
    }
    let seed = state.opening().map_or(0, |opening| opening.seed);
    let is_free = |id: &String| state.access().accounts().iter().all(|other| other.counterparty_id != *id);
    let mut ids = (0..=u64::MAX).map(|attempt| drawn(seed.wrapping_add(attempt), group, short_name));
    ids.find(is_free).unwrap_or_default()
}

/// Eight upper-case letters and digits (D-31), from a hash (FNV-1a) of the inputs.
fn drawn(seed: u64, group: &str, short_name: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let seed = seed.to_le_bytes();
    let bytes = seed.iter().chain(group.as_bytes()).chain(b"/").chain(short_name.as_bytes());
    let mut hash = bytes.fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let mut letter = || {
        let place = usize::try_from(hash % 36).unwrap_or(0);
        hash /= 36;
        LETTERS.get(place).copied().map_or('A', char::from)
    };
    (0..8).map(|_| letter()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another name or another seed gives another id.
    #[test]
    fn counterparty_ids_are_spread() {
        let ids: std::collections::HashSet<String> =
            (0..1_000).map(|number| drawn(7, "one", &format!("account-{number}"))).collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.iter().all(|id| id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())));
        assert_ne!(drawn(7, "one", "a"), drawn(8, "one", "a"));
    }
}
