//! Benchmark 19: what people and their apps cost: the memory of a live grant. The other figures are measured over HTTP (`http::people`).

use std::sync::Arc;

use buttonwood_engine::identity::{AppId, Command as Own, Digest, NewApp, NewGrant, NewUser, UserId};
use buttonwood_engine::{Command, Outcome};
use buttonwood_model::{GroupId, Role, Roles, Scope, Scopes};

use crate::exchange::{Exchange, customer};
use crate::figures::Spread;
use crate::report::{Goal, Report, Row};
use crate::{Settings, memory};

/// Grants of one user: as many as one may have.
const GRANTS_OF_USER: u32 = 100;
const SCOPES: Scopes = Scopes::of(&[Scope::BalancesRead]);

/// Live bytes of the state for each grant with one access token and its refresh token.
pub(crate) fn remembered(settings: &Settings, goal: Goal, report: &mut Report) {
    let users: u32 = if settings.quick { 10 } else { 1_000 };
    memory::count();
    let mut exchange = Exchange::new(1);
    (0..users).for_each(|number| take(&mut exchange, user(number)));
    let app = AppId::drawn([1; 16]);
    take(&mut exchange, Own::AddApp(Arc::new(registration(app))));
    take(&mut exchange, Own::ReviewApp(app, true, false));
    let before = memory::live();
    for number in 0..users * GRANTS_OF_USER {
        let grant = NewGrant {
            app,
            user: UserId(number / GRANTS_OF_USER),
            account: customer(0),
            scopes: SCOPES,
            code: None,
            access: digest(1, number),
            refresh: Some(digest(2, number)),
        };
        take(&mut exchange, Own::Grant(grant));
    }
    let count = users * GRANTS_OF_USER;
    let bytes = (memory::live() - before) as f64 / f64::from(count);
    let detail = format!("{bytes:.0} bytes of the state for each of {count} grants of {users} users");
    report.add(Row { number: 19, what: goal.what, goal, spread: Spread::of(vec![bytes]), detail });
}

fn take(exchange: &mut Exchange, command: Own) {
    let outcome = exchange.run(&Command { caller: None, body: command.into() });
    assert_eq!(outcome, Outcome::Done);
}

fn digest(kind: u8, number: u32) -> Digest {
    let mut bytes = [kind; 32];
    // In front, so that trees are not filled in order.
    bytes[..4].copy_from_slice(&number.wrapping_mul(0x9E37_79B1).to_le_bytes());
    bytes
}

fn user(number: u32) -> Own {
    Own::AddUser(Arc::new(NewUser {
        login: digest(0, number),
        name: format!("User {number}"),
        group: Some(GroupId(0)),
        roles: Roles::of(&[Role::Trader]),
        is_operator: false,
        is_disabled: false,
        credential: 1,
        factor: 1,
    }))
}

fn registration(id: AppId) -> NewApp {
    NewApp {
        id,
        owner: UserId(0),
        name: "The app".to_owned(),
        description: String::new(),
        background: String::new(),
        logo: String::new(),
        scopes: SCOPES,
        redirect_uris: vec!["https://app.example/callback".to_owned()],
        is_public: false,
        secret: Some(digest(3, 0)),
    }
}
