//! Users whom an operator adds: a mail brings the link that sets the password.

use crate::links::check_name;
use crate::people::People;
use crate::vault::Names;
use crate::{Drawn, address, draw};
use buttonwood_engine::identity::Digest;
use buttonwood_gate::{Refusal, Secret};
use std::sync::Arc;

/// A user who is to be added.
#[derive(Debug)]
pub struct Invitation {
    address: address::Address,
    name: String,
    token: Drawn,
}

impl Invitation {
    /// The SHA-256 of the address.
    pub fn login(&self) -> Digest {
        self.address.login
    }

    /// The address, in lower case.
    pub fn email(&self) -> &str {
        &self.address.text
    }

    /// The name for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The SHA-256 of the token in the link.
    pub fn token(&self) -> Digest {
        self.token.digest
    }
}

impl People {
    /// Draws the link of a user who is to be added. Without a name it is the part of the address before `@`.
    ///
    /// # Errors
    /// 400 by field; 503 where no mail can be sent.
    pub fn invite(&self, email: &str, name: Option<&str>) -> Result<Invitation, Refusal> {
        let address = self.read_address(email)?;
        let local = address.text.split_once('@').map_or("", |(local, _)| local);
        let name = name.map_or_else(|| local.chars().take(100).collect(), str::to_owned);
        check_name(&name)?;
        self.check_mail()?;
        Ok(Invitation { address, name, token: draw()? })
    }

    /// Keeps an address in the vault although a sign-up under it may end. Not on a thread that serves, since sign-ups that end hold the lock
    /// while the disk writes.
    pub(crate) async fn keep_login(&self, login: Digest) -> Result<(), Refusal> {
        let waiting = Arc::clone(&self.waiting);
        self.vault(move || {
            waiting.keep_address(&login);
            Ok(())
        })
        .await
    }

    /// Stores the address of a user who is to be added; durable when it returns.
    ///
    /// # Errors
    /// The refusal of a vault that fails.
    pub async fn keep_address(&self, invitation: &Invitation) -> Result<(), Refusal> {
        let address = &invitation.address;
        self.keep_login(address.login).await?;
        let record = Secret::new(address.text.clone().into_bytes());
        self.put(vec![(Names::of(&address.login).address(), record)]).await?;
        self.note_address(address.login, &address.text);
        Ok(())
    }

    /// Mails the link to the user who was added.
    pub fn mail_invitation(&self, invitation: &Invitation) {
        let words = [
            "Set your password",
            "An operator has added you. Follow this link to set your password. It works for 24 hours.",
        ];
        self.mail(&invitation.address.text, words, Some(("/password", &invitation.token.text)));
    }
}
