//! Founding a sandbox: the commands that a new directory begins with.

use crate::cast::{self, Start};
use crate::draw::Draw;
use crate::traders::derivatives;
use buttonwood_engine::{
    Access, AccessCommand, Account, AccountKind, Body, GroupTerms, NewSession, Owner, houses,
};
use buttonwood_model::{AccountId, CurrencyId, GroupId, Role, Roles, Time};
use buttonwood_num::Money;
use buttonwood_vault::{Entry, Secret};

/// The start balances of accounts.
#[derive(Clone, Debug)]
pub struct Funding {
    /// Test balances of every funded account (SBX-002).
    pub accounts: Vec<(CurrencyId, Money)>,
    /// Balances of the simulated traders.
    pub traders: Vec<(CurrencyId, Money)>,
    /// Balances of the derivatives accounts.
    pub perpetuals: Vec<(CurrencyId, Money)>,
    /// Balances of the margin accounts.
    pub margin: Vec<(CurrencyId, Money)>,
}

/// The commands and the secrets that belong to them.
#[derive(Debug)]
pub struct Founded {
    /// Groups, accounts, keys and credits.
    pub commands: Vec<Body>,
    /// A secret for each key; put them into the vault before the commands become durable.
    pub secrets: Vec<Entry>,
}

/// Draws the accounts and keys of the launch contract and of the simulated traders.
pub fn found(draw: &mut Draw, funding: &Funding, opened: Time) -> Founded {
    let mut commands: Vec<Body> =
        cast::GROUPS.iter().map(|group| Body::add_group((*group).to_owned())).collect();
    // Testers need no contract to try custody accounts.
    let terms = GroupTerms { custody: true, ..GroupTerms::default() };
    let groups = (0..cast::GROUPS.len()).map(GroupId::from_index);
    commands.extend(groups.map(|group| AccessCommand::SetGroupTerms(group, terms).into()));
    let accounts = cast::accounts();
    for part in &accounts {
        commands.push(Body::open_account(Account {
            group: group_of(part.group),
            short_name: part.name.clone(),
            counterparty_id: draw.counterparty_id(),
            jurisdiction: part.jurisdiction.to_owned(),
            broker: part.broker,
            opened,
            kind: part.kind,
            display_name: String::new(),
        }));
    }
    let account_of = |group: &str, name: &str| {
        let place = accounts.iter().position(|part| part.group == group && part.name == name);
        // House accounts come first.
        place.map(|place| AccountId::from_index(place + houses().count()))
    };
    let mut secrets = Vec::new();
    for key in cast::keys() {
        let (prefix, owner) = match &key.account {
            Some(name) => ("account", account_of(key.group, name).map(Owner::Account)),
            None => ("master", group_of(key.group).map(Owner::Group)),
        };
        let api_key = format!("{prefix}-{}", draw.key_text());
        secrets.push(Entry { name: api_key.clone(), secret: Secret::new(draw.secret().into_bytes()) });
        commands.push(Body::add_session(NewSession {
            api_key,
            name: key.name,
            owner: owner.expect("the cast names its own groups and accounts"),
            roles: key.roles,
            require_heartbeat: key.require_heartbeat,
            time_based_nonce: key.time_based_nonce,
            addresses: Vec::new(),
        }));
    }
    for (place, part) in accounts.iter().enumerate() {
        let amounts = match part.start {
            Start::Nothing => continue,
            Start::Funded => &funding.accounts,
            Start::Plenty => &funding.traders,
            Start::Perpetuals => &funding.perpetuals,
            Start::Margin => &funding.margin,
        };
        commands.push(Body::credit(AccountId::from_index(place + houses().count()), amounts.clone()));
    }
    Founded { commands, secrets }
}

/// Draws the accounts and keys of the simulated traders of perpetuals, with these funds each. None if the directory has them, or
/// lacks the group of simulated traders.
pub fn found_perpetual_traders(
    access: &Access,
    draw: &mut Draw,
    funds: &[(CurrencyId, Money)],
    opened: Time,
) -> Option<Founded> {
    let group = access.find_group(cast::SIMULATED)?;
    if !derivatives(access).is_empty() {
        return None;
    }
    let accounts = [cast::PERP_QUOTER, cast::PERP_TAKER];
    let account_of = |place| AccountId::from_index(access.accounts().len() + place);
    let open = |name: &str, counterparty_id| {
        Body::open_account(Account {
            group: Some(group),
            short_name: name.to_owned(),
            counterparty_id,
            jurisdiction: String::new(),
            broker: false,
            opened,
            kind: AccountKind::Derivatives,
            display_name: String::new(),
        })
    };
    let mut commands: Vec<Body> = accounts.iter().map(|name| open(name, draw.counterparty_id())).collect();
    let mut secrets = Vec::new();
    for (name, account) in cast::perpetual_keys() {
        let place = accounts.iter().position(|other| *other == account)?;
        let api_key = format!("account-{}", draw.key_text());
        secrets.push(Entry { name: api_key.clone(), secret: Secret::new(draw.secret().into_bytes()) });
        commands.push(Body::add_session(NewSession {
            api_key,
            name,
            owner: Owner::Account(account_of(place)),
            roles: Roles::of(&[Role::Trader]),
            require_heartbeat: false,
            time_based_nonce: false,
            addresses: Vec::new(),
        }));
    }
    commands.extend((0..accounts.len()).map(|place| Body::credit(account_of(place), funds.to_vec())));
    Some(Founded { commands, secrets })
}

/// Draws the accounts with which the users of groups one and two trade perpetuals and on margin, with these balances. One that is there
/// is known by its counterparty id, also after it was renamed; one whose name its group has taken is left out. None if nothing is lacking.
pub fn found_accounts_of_traders(
    access: &Access,
    draw: &mut Draw,
    [perpetuals, margin]: [&Vec<(CurrencyId, Money)>; 2],
    opened: Time,
) -> Option<Founded> {
    let mut commands = Vec::new();
    for part in cast::accounts_of_traders() {
        // Drawn for an account that is there too, so that each has the same in every directory of a seed.
        let counterparty_id = draw.counterparty_id();
        let is_there = access.by_counterparty_id(&counterparty_id).is_some();
        let is_free = |group: &GroupId| {
            let is_taken = access.has_name(*group, &part.name, None)
                || access.find_account(*group, &part.name).is_some();
            !is_there && !is_taken
        };
        let Some(group) = access.find_group(part.group).filter(is_free) else { continue };
        let opened_before = commands.len() / 2;
        let account = AccountId::from_index(access.accounts().len() + opened_before);
        commands.push(Body::open_account(Account {
            group: Some(group),
            short_name: part.name,
            counterparty_id,
            jurisdiction: part.jurisdiction.to_owned(),
            broker: part.broker,
            opened,
            kind: part.kind,
            display_name: String::new(),
        }));
        let start = if part.start == Start::Margin { margin } else { perpetuals };
        commands.push(Body::credit(account, start.clone()));
    }
    (!commands.is_empty()).then(|| Founded { commands, secrets: Vec::new() })
}

/// Draws the keys for sockets that the directory lacks; none if it has them all, or none of their accounts.
pub fn found_socket_keys(access: &Access, draw: &mut Draw) -> Option<Founded> {
    let is_known = |name: &str| access.sessions().iter().any(|session| session.key.name == name);
    let (mut commands, mut secrets) = (Vec::new(), Vec::new());
    for key in cast::socket_keys() {
        // Drawn for a key that is there too, so that each has the same in every directory of a seed.
        let (api_key, secret) = (format!("account-{}", draw.key_text()), draw.secret());
        let account = access
            .find_group(key.group)
            .zip(key.account)
            .and_then(|(group, name)| access.find_account(group, &name));
        let Some(account) = account.filter(|_| !is_known(&key.name)) else { continue };
        secrets.push(Entry { name: api_key.clone(), secret: Secret::new(secret.into_bytes()) });
        commands.push(Body::add_session(NewSession {
            api_key,
            name: key.name,
            owner: Owner::Account(account),
            roles: key.roles,
            require_heartbeat: key.require_heartbeat,
            time_based_nonce: key.time_based_nonce,
            addresses: Vec::new(),
        }));
    }
    (!commands.is_empty()).then_some(Founded { commands, secrets })
}

fn group_of(name: &str) -> Option<GroupId> {
    cast::GROUPS.iter().position(|group| *group == name).map(GroupId::from_index)
}
