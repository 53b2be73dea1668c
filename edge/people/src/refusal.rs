//! The words of what the room of people and apps refuses.

use buttonwood_engine::identity::{PREFERENCES_MAX, Reject};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_model::Time;

/// The refusal for a reject, at this time.
pub fn refusal(reject: Reject, now: Time) -> Refusal {
    let (reason, message) = match reject {
        Reject::Throttled(until) => return throttled(until, now),
        Reject::WrongCredential | Reject::WrongCode => return wrong(),
        Reject::UnknownBrowser => (Reason::SignInRequired, "The session has ended: sign in"),
        Reject::WrongStage => {
            (Reason::SecondFactorRequired, "Your sign-in is not at this step: begin it anew")
        }
        Reject::CodeRequired => {
            (Reason::CodeRequired, "This needs a code that is less than five minutes old: give a new one")
        }
        Reject::ForeignAccount => {
            (Reason::InvalidAccountName, "The account is not an open one of the user's group")
        }
        Reject::BadLink => (Reason::InvalidParameterValue, "Field 'token' is unknown, was used or has ended"),
        Reject::UnknownUser => (Reason::InvalidParameterValue, "Field 'email' names no user who may sign in"),
        Reject::UnknownGroup => (Reason::InvalidParameterValue, "Field 'group' names no group"),
        Reject::BadRoles => (
            Reason::InvalidParameterValue,
            "Field 'roles' must be roles that a user may have: Auditor stands alone, and an operator has none",
        ),
        Reject::Taken => {
            (Reason::InvalidParameterValue, "Field 'email' or 'client_id' is that of another one already")
        }
        Reject::UnknownApp => return not_found("No such app"),
        Reject::UnknownGrant => return not_found("No such grant"),
        Reject::BadApp => (
            Reason::InvalidParameterValue,
            "An app needs scopes, redirect URIs and, unless it is public, a secret",
        ),
        Reject::TooManyApps => (Reason::InvalidParameterValue, "A user has at most 20 apps"),
        Reject::NotReviewed => {
            (Reason::InvalidParameterValue, "The app was not reviewed and acts for its owner alone")
        }
        Reject::WiderScope => (
            Reason::InvalidParameterValue,
            "Field 'scopes' must be scopes that the app is registered for and the user's roles allow",
        ),
        Reject::BadGrant => {
            (Reason::InvalidParameterValue, "The code or the token is unknown, was used or has ended")
        }
        Reject::TooManyPasskeys => (Reason::InvalidParameterValue, "A user has at most 20 passkeys"),
        Reject::KnownPasskey => {
            (Reason::InvalidParameterValue, "Field 'id' is that of a passkey that was added")
        }
        Reject::UnknownPasskey => return not_found("No such passkey"),
        Reject::LastFactor => (
            Reason::InvalidParameterValue,
            "Field 'id' names the only second factor: add another passkey or an authenticator app first",
        ),
        Reject::BadPreferences { bytes } => return too_long(bytes),
        Reject::BadCredit | Reject::NoIds | Reject::NotDue | Reject::Unknown => {
            (Reason::InvalidParameterValue, "The exchange does not take this request")
        }
    };
    Refusal::new(reason, message)
}

/// The refusal of preferences of so many bytes.
fn too_long(bytes: usize) -> Refusal {
    let message = format!("Field 'value' must be at most {PREFERENCES_MAX} bytes as text: it has {bytes}");
    Refusal::new(Reason::InvalidParameterValue, message)
}

/// The refusal of a wrong password or code, alike for known and unknown addresses.
pub(crate) fn wrong() -> Refusal {
    Refusal::new(Reason::InvalidCredentials, "The address, the password or the code is wrong")
}

/// The refusal of a passkey that is unknown or another user's, which are alike.
pub(crate) fn no_passkey(id: &str) -> Refusal {
    not_found(&format!("Field 'id' names no passkey of yours: {}", buttonwood_gate::quoted(id)))
}

/// The refusal of what does not exist, or is not the caller's.
fn not_found(message: &str) -> Refusal {
    Refusal::new(Reason::EndpointNotFound, message)
}

/// The refusal of a try too many.
fn throttled(until: Time, now: Time) -> Refusal {
    let left = until.0.saturating_sub(now.0).div_ceil(Time::SECOND);
    let refusal = Refusal::new(Reason::RateLimit, "Too many tries: wait before the next one");
    Refusal { retry_after: Some(u32::try_from(left).unwrap_or(u32::MAX).max(1)), ..refusal }
}
