//! Which passwords are taken, and their hashes.

use crate::typed;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use buttonwood_gate::{Reason, Refusal};
use zeroize::Zeroizing;
use zxcvbn::{Score, zxcvbn};

/// Characters of a password.
const LENGTH: std::ops::RangeInclusive<usize> = 12..=256;
/// Characters by which its strength is estimated.
const JUDGED: usize = 40;

/// The hash of no password: verified where there is none, so that an unknown address takes as much work as a known one.
const OF_NONE: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm8gb25lJ3Mgc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Refuses a password in this field that is too short, too long or easy to guess by someone who knows the address and the name.
pub(crate) fn check(field: &str, password: &str, known: &[&str]) -> Result<(), Refusal> {
    let password = &*typed::composed(password);
    let refuse = |why: &str| {
        Err(Refusal::new(Reason::InvalidParameterValue, format!("Field '{field}' must be {why}")))
    };
    if !LENGTH.contains(&password.chars().count()) {
        return refuse("of 12 to 256 characters");
    }
    // Longer ones are judged by their beginning: the estimate's work grows faster than the square of the length.
    let judged: String = password.chars().take(JUDGED).collect();
    if zxcvbn(&judged, known).score() < Score::Three {
        return refuse("harder to guess: use several unrelated words");
    }
    Ok(())
}

/// Argon2id with 19 MiB, two passes, one lane.
fn argon2() -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(19 * 1024, 2, 1, None).unwrap_or_default())
}

/// The hash of a password in the PHC form; none when the system gives no salt.
pub(crate) fn hash(password: &str) -> Option<Zeroizing<String>> {
    let hash = argon2().hash_password(password.as_bytes()).ok()?;
    Some(Zeroizing::new(hash.to_string()))
}

/// Whether a password has this hash. Without a hash, the same work is done in vain.
pub(crate) fn is_right(password: &str, hash: Option<&str>) -> bool {
    let stored = hash.unwrap_or(OF_NONE);
    let fits = argon2::PasswordHash::new(stored)
        .is_ok_and(|stored| argon2().verify_password(password.as_bytes(), &stored).is_ok());
    fits && hash.is_some()
}

/// Whether a password as a person typed it has this hash, in the form that is compared or, for a hash of an earlier build, as it is.
pub(crate) fn is_right_typed(typed: &str, hash: Option<&str>) -> bool {
    let form = typed::composed(typed);
    // Both are tried for every user, so that the work tells nothing.
    let as_typed = form != typed && is_right(typed, hash);
    is_right(&form, hash) || as_typed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Length counts characters, and the address is no help.
    #[test]
    fn weak_passwords_are_refused() {
        for weak in ["short", "password1234", "aaaaaaaaaaaaaaaa", "ann@mail.example", &"ü".repeat(11)] {
            let refusal = check("new", weak, &["ann@mail.example"]).unwrap_err();
            assert_eq!(refusal.status, 400);
            assert!(refusal.message.contains("'new'") && !refusal.message.contains(weak), "{weak}");
        }
        assert_eq!(check("password", &"xk".repeat(129), &[]).unwrap_err().status, 400);
        assert_eq!(check("password", "vexing ümlaut carousel", &["ann@mail.example"]), Ok(()));
        // The estimate of 100 such characters takes seconds; it sees the first 40, which are easy to guess.
        let late = format!("{}vexing ümlaut carousel", "a".repeat(JUDGED));
        assert_eq!(check("password", &late, &[]).unwrap_err().status, 400);
    }

    /// Only the password itself fits its hash.
    #[test]
    fn hashes_are_of_one_password() {
        let stored = hash("vexing carousel").unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(is_right("vexing carousel", Some(&stored)));
        assert!(!is_right("vexing carousel ", Some(&stored)));
        assert!(argon2::PasswordHash::new(OF_NONE).is_ok() && !is_right("", None));
        assert!(!is_right("", Some("no hash")));
    }

    /// The same letters fit, typed as one character or as two; and the hash of what an earlier build took as it was typed.
    #[test]
    fn letters_with_accents_fit_however_they_are_typed() {
        let (one, two) = ("vexing \u{fc}mlaut", "vexing u\u{308}mlaut");
        let stored = hash(&typed::composed(two)).unwrap();
        assert!(is_right_typed(one, Some(&stored)) && is_right_typed(two, Some(&stored)));
        let older = hash(two).unwrap();
        assert!(is_right_typed(two, Some(&older)) && !is_right_typed(one, Some(&older)));
        assert!(!is_right_typed("vexing umlaut", Some(&stored)) && !is_right_typed(two, None));
    }
}
