//! Users that an operator or a sandbox makes.

use crate::links::check_name;
use crate::people::People;
use crate::secret::draw_number;
use crate::vault::Names;
use crate::{refusal, totp};
use buttonwood_engine::identity::{Command, NewUser, UserChange, UserId};
use buttonwood_gate::{Refusal, Secret};
use buttonwood_model::{GroupId, Roles};
use buttonwood_wire::field::failed;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Users are made by calls from this machine.
const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A user to make, or to change.
#[derive(Debug)]
pub struct NewPerson<'a> {
    /// The address.
    pub email: &'a str,
    /// The name for people.
    pub name: &'a str,
    /// The password.
    pub password: &'a str,
    /// The group; an operator has none.
    pub group: Option<GroupId>,
    /// The rights.
    pub roles: Roles,
    /// Whether an operator.
    pub is_operator: bool,
    /// Whether the user may not sign in.
    pub is_disabled: bool,
}

/// A user that was made or changed.
#[derive(Debug)]
pub struct MadeUser {
    /// The user.
    pub id: UserId,
    /// The TOTP secret in base32.
    pub totp_secret: Zeroizing<String>,
}

/// The records of a user's second factors in the vault.
#[derive(Debug)]
pub struct FactorRecords(Vec<String>);

impl People {
    /// The records of a user's second factors, before they are removed.
    pub fn factors_of(&self, user: UserId) -> FactorRecords {
        let records = self.look(|identity| {
            let user = identity.user(user)?;
            let names = Names::of(&user.login);
            let passkeys = user.passkeys().iter().map(|passkey| names.passkey(passkey.number));
            Some(passkeys.chain([names.totp(user.factor)]).collect())
        });
        FactorRecords(records.unwrap_or_default())
    }

    /// Removes what was recorded of a user's second factors, and tells the user.
    pub async fn forget_factors(&self, user: UserId, records: FactorRecords) {
        self.remove(records.0).await;
        let words = [
            "Your second factors were removed",
            "An operator removed your authenticator app, your passkeys and your recovery codes. Your next sign-in asks \
             for a new factor.",
        ];
        self.notify_of(user, words);
    }

    /// Makes a confirmed user with a second factor, or changes the one with this address, whose second factor stays.
    ///
    /// # Errors
    /// 400 by field.
    pub async fn make_user(&self, new: &NewPerson<'_>) -> Result<MadeUser, Refusal> {
        let known = self.read_address(new.email)?;
        check_name(new.name)?;
        self.check_password(("password", new.password), &[&known.text, new.name], LOCAL).await?;
        self.keep_login(known.login).await?;
        let names = Names::of(&known.login);
        let before = self.look(|identity| {
            let id = identity.find_user(&known.login)?;
            identity.user(id).map(|user| (id, user.credential, user.factor))
        });
        let factor = before.map(|(_, _, factor)| factor).filter(|factor| *factor != 0);
        let (factor, secret) = match factor {
            Some(factor) => {
                let secret = self.record(names.totp(factor)).await?.ok_or_else(failed)?;
                (factor, Zeroizing::new(secret.expose().to_vec()))
            }
            None => (draw_number()?, totp::draw()?),
        };
        let credential = self.store_password(&known.login, new.password, LOCAL).await?;
        let records =
            [(names.totp(factor), secret.to_vec()), (names.address(), known.text.clone().into_bytes())];
        self.put(records.map(|(name, bytes)| (name, Secret::new(bytes))).to_vec()).await?;
        let command = match before {
            None => Command::AddUser(Arc::new(NewUser {
                login: known.login,
                name: new.name.to_owned(),
                group: new.group,
                roles: new.roles,
                is_operator: new.is_operator,
                is_disabled: new.is_disabled,
                credential,
                factor,
            })),
            Some((id, _, had)) => Command::ChangeUser(
                id,
                Arc::new(UserChange {
                    group: new.group,
                    roles: Some(new.roles),
                    is_disabled: Some(new.is_disabled),
                    is_operator: Some(new.is_operator),
                    credential: Some(credential),
                    factor: (had == 0).then_some(factor),
                    os_user: None,
                }),
            ),
        };
        if let Err(reject) = self.submit(command).await? {
            let mut unused = vec![names.password(credential)];
            unused.extend(before.is_none().then(|| names.totp(factor)));
            self.remove(unused).await;
            return Err(refusal(reject, self.now()));
        }
        self.note_address(known.login, &known.text);
        if let Some((_, credential, _)) = before {
            self.remove(vec![names.password(credential), names.listed(credential)]).await;
        }
        let id = self.look(|identity| identity.find_user(&known.login)).ok_or_else(failed)?;
        Ok(MadeUser { id, totp_secret: totp::base32(&secret) })
    }
}
