//! The random parts of a new key: its public text and its secret, from the system's randomness.

use buttonwood_gate::{Refusal, Secret};
use buttonwood_wire::field::failed;

const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// Letters of a public text after its prefix.
const TEXT: usize = 20;
/// Letters of a secret: about 190 bits.
const SECRET: usize = 32;

/// The public text of a key of an account, or of a master key.
pub(super) fn api_key(is_account: bool) -> Result<String, Refusal> {
    Ok(format!("{}-{}", if is_account { "account" } else { "master" }, text()?))
}

/// The public text of a key, after its prefix.
fn text() -> Result<String, Refusal> {
    Ok(letters(TEXT)?.into_iter().map(char::from).collect())
}

/// A secret.
pub(super) fn secret() -> Result<Secret, Refusal> {
    letters(SECRET).map(Secret::new)
}

fn letters(count: usize) -> Result<Vec<u8>, Refusal> {
    let mut out = Vec::with_capacity(count);
    let mut bytes = [0; 64];
    while out.len() < count {
        getrandom::fill(&mut bytes).map_err(|error| {
            tracing::error!(%error, "the system gives no random bytes");
            failed()
        })?;
        // Six bits choose a letter; the two numbers beyond the letters are drawn again, so that all are equally likely.
        let drawn = bytes.iter().filter_map(|byte| LETTERS.get(usize::from(byte >> 2)).copied());
        out.extend(drawn.take(count - out.len()));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every letter occurs, and no two texts are alike.
    #[test]
    fn texts_differ_and_use_all_letters() {
        let texts: BTreeSet<String> = (0..1_000).map(|_| text().unwrap()).collect();
        assert_eq!(texts.len(), 1_000);
        assert!(texts.iter().all(|text| text.len() == TEXT));
        let used: BTreeSet<char> = texts.iter().flat_map(|text| text.chars()).collect();
        assert_eq!(used.len(), LETTERS.len());
        assert_eq!(secret().unwrap().expose().len(), SECRET);
    }
}
