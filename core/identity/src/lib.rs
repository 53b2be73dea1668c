//! People and apps: users with their factors and sign-ins, the apps that act for them, codes, grants and tokens.
//!
//! The room knows secrets by their SHA-256 alone; passwords, TOTP secrets and e-mail addresses are in the vault, under names that follow from
//! the numbers that are kept here. A grant or a browser that is fully signed in is a session of its own: it sends commands (D-135), and
//! [`Access`](buttonwood_access::Access) knows its owner and its roles.
//!
//! Clauses: `OAUTH-001` to `OAUTH-026`, `SBX-006`, `SBX-007`. Not here: HTTP, hashing, and whether a password is right.
#![no_std]
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::unwrap_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unreachable
    )
)]
extern crate alloc;

mod admit;
mod app;
mod browser;
mod code;
mod command;
mod expiry;
mod grant;
mod ids;
mod mail;
mod passkey;
mod preferences;
mod room;
mod state;
mod stop;
mod throttle;
mod user;

use browser::RECOVERY_MAX;

pub use admit::{BrowserHolder, TokenHolder};
pub use app::{APPS_MAX, App, NewApp};
pub use browser::{
    BROWSER_AGE, BROWSERS_MAX, Browser, CODE_FRESH, Enrolment, HALVES_MAX, HALVES_OF_PEER, IDLE, NewBrowser,
    Proof, Stage, UsedCode,
};
pub use code::{CODE_AGE, Code, NewCode};
pub use command::{Command, Infrequent, Reject, decide, decide_held, evolve};
pub use grant::{
    ACCESS_AGE, ACCESS_MAX, CONSUMED_MAX, Exchange, GRANTS_MAX, Grant, NewGrant, RACE, Refresh, Token,
};
pub use ids::{AppId, AppIdError, Digest, Peer, UserId};
pub use mail::{CONFIRM_AGE, Confirm, ConfirmProof, Mailing, RESET_AGE, Reset, SignUp};
pub use passkey::{CHALLENGE_AGE, Challenge, NewPasskey, PASSKEYS_MAX, Passkey, UsedPasskey};
pub use preferences::{PREFERENCES_A_DAY, PREFERENCES_APART, PREFERENCES_MAX};
pub use room::Broken;
pub use state::Identity;
pub use stop::{STOP_AGE, STOPS_MAX, Stop, StopSessions};
pub use throttle::{CODES_A_DAY, FAILURES_MAX, Failure, MAILS_OF_ADDRESS, MAILS_OF_PEER, WINDOW};
pub use user::{NewUser, User, UserChange};
