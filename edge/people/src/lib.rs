//! People: passwords, second factors, mail, and the secrets of sign-ins and apps.
//!
//! [`People`] checks what only the vault can tell, and sends the commands that follow from it; the room of people and apps decides them
//! . Passwords are hashed on threads of their own.
//!
//! Clauses: `SBX-005` to `SBX-007`. Not here: HTTP (`site`, `oauth`), who may do what (`core/identity`).

mod address;
mod failures;
mod hasher;
mod invite;
mod links;
mod mail;
mod mailbox;
mod passkey;
mod password;
mod people;
pub mod redirect_uri;
mod refusal;
mod second_factor;
mod secret;
mod sign_in;
mod stop;
mod totp;
mod typed;
mod users;
mod vault;
mod waiting;

pub use invite::Invitation;
pub use mail::{MailServer, Outgoing};
pub use mailbox::{Mailbox, Message};
pub use passkey::{MadePasskey, PasskeyAdded, PasskeyBegun, Shown, SignedPasskey};
pub use people::{Entered, From, People, Settings, peer, session_cookie, set_cookie};
pub use refusal::refusal;
pub use second_factor::TotpBegun;
pub use secret::{Drawn, csrf, digest, draw, draw_app_id};
pub use totp::{base32, code_at};
pub use users::{FactorRecords, MadeUser, NewPerson};
pub use vault::{InMemory, Names, Vault, VaultFault, is_of_person};
