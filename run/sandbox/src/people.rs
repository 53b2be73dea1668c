//! The users and apps that a sandbox is founded with, from the launch contract's table.

use crate::draw::Draw;
use crate::found::Founded;
use buttonwood_engine::State;
use buttonwood_engine::identity::{App, AppId, Command, NewApp, NewUser, UserId};
use buttonwood_model::{Role, Roles, Scope, Scopes};
use buttonwood_people::{Names, digest};
use buttonwood_vault::{Entry, Secret};
use std::sync::Arc;

/// A user of every sandbox.
pub(crate) struct UserPart {
    pub(crate) email: &'static str,
    name: &'static str,
    /// None for an operator.
    group: Option<&'static str>,
    roles: Roles,
}

/// The rights of an owner: all but that of an auditor.
const OWNER: Roles = Roles::of(&[Role::Administrator, Role::Trader, Role::FundManager]);

/// The users, in the order they are made.
pub(crate) const USERS: [UserPart; 5] = [
    UserPart { email: "owner@one.test", name: "Olivia Owner", group: Some("one"), roles: OWNER },
    UserPart {
        email: "trader@one.test",
        name: "Tom Trader",
        group: Some("one"),
        roles: Roles::of(&[Role::Trader]),
    },
    UserPart {
        email: "auditor@one.test",
        name: "Ada Auditor",
        group: Some("one"),
        roles: Roles::of(&[Role::Auditor]),
    },
    UserPart { email: "owner@two.test", name: "Otto Owner", group: Some("two"), roles: OWNER },
    UserPart { email: "operator@house.test", name: "Hope Operator", group: None, roles: Roles::NONE },
];

/// The addresses of the users that every sandbox is founded with.
pub fn test_users() -> impl Iterator<Item = &'static str> {
    USERS.iter().map(|part| part.email)
}

/// An app of every sandbox.
struct AppPart {
    name: &'static str,
    description: &'static str,
    redirect_uris: &'static [&'static str],
    scopes: Scopes,
    is_public: bool,
    is_implicit: bool,
}

const APPS: [AppPart; 4] = [
    AppPart {
        name: "app",
        description: "A confidential client with every scope.",
        redirect_uris: &["https://app.example/callback", "http://127.0.0.1:8787/callback"],
        scopes: Scopes::ALL,
        is_public: false,
        is_implicit: false,
    },
    AppPart {
        name: "native",
        description: "A public client with every scope.",
        redirect_uris: &["http://127.0.0.1:8787/native"],
        scopes: Scopes::ALL,
        is_public: true,
        is_implicit: false,
    },
    AppPart {
        name: "implicit",
        description: "A client for which the implicit flow is switched on.",
        redirect_uris: &["https://app.example/implicit"],
        scopes: Scopes::ALL,
        is_public: false,
        is_implicit: true,
    },
    AppPart {
        name: "narrow",
        description: "A client that reads balances alone.",
        redirect_uris: &["https://app.example/narrow"],
        scopes: Scopes::of(&[Scope::BalancesRead]),
        is_public: false,
        is_implicit: false,
    },
];

/// The name of the record of an app's secret in the vault.
pub(crate) fn app_record(id: AppId) -> String {
    format!("app-{id}")
}

/// Draws the users and apps. None for a directory that has users, or lacks one of their groups.
pub fn found_people(state: &State, draw: &mut Draw) -> Option<Founded> {
    if !state.identity().users().is_empty() {
        return None;
    }
    let (mut commands, mut secrets) = (Vec::new(), Vec::new());
    for part in &USERS {
        let group = match part.group {
            Some(group) => Some(state.access().find_group(group)?),
            None => None,
        };
        let login = digest(part.email);
        let (credential, factor) = (draw.number(), draw.number());
        let names = Names::of(&login);
        secrets.extend([
            (names.address(), part.email.as_bytes().to_vec()),
            (names.listed(credential), draw.secret().into_bytes()),
            (names.totp(factor), draw.totp_secret().to_vec()),
        ]);
        let new = NewUser {
            login,
            name: part.name.to_owned(),
            group,
            roles: part.roles,
            is_operator: part.group.is_none(),
            is_disabled: false,
            credential,
            factor,
        };
        commands.push(Command::AddUser(Arc::new(new)).into());
    }
    for part in &APPS {
        let id = AppId::drawn(draw.id());
        let secret = (!part.is_public).then(|| draw.token());
        let new = NewApp {
            id,
            owner: UserId(0),
            name: part.name.to_owned(),
            description: part.description.to_owned(),
            background: "#ffffff".to_owned(),
            logo: String::new(),
            scopes: part.scopes,
            redirect_uris: part.redirect_uris.iter().map(|uri| (*uri).to_owned()).collect(),
            is_public: part.is_public,
            secret: secret.as_deref().map(digest),
        };
        secrets.extend(secret.map(|secret| (app_record(id), secret.into_bytes())));
        commands.push(Command::AddApp(Arc::new(new)).into());
        commands.push(Command::ReviewApp(id, true, part.is_implicit).into());
    }
    let secrets =
        secrets.into_iter().map(|(name, bytes)| Entry { name, secret: Secret::new(bytes) }).collect();
    Some(Founded { commands, secrets })
}

/// The place of an app in the table; beyond it for any other app.
pub(crate) fn place(app: &App) -> usize {
    let is_it = |part: &AppPart| part.name == app.new.name && part.redirect_uris == app.new.redirect_uris;
    APPS.iter().position(is_it).unwrap_or(APPS.len())
}

/// Whether an app is one of the table.
pub(crate) fn is_founded(app: &App) -> bool {
    place(app) < APPS.len()
}
