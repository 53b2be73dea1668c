//! Codes of accounts that people pass on: counterparty ids and memo codes. They follow from the seed, so that an exchange with
//! the same seed repeats itself.

use crate::{Access, AccountKind};
use alloc::string::String;
use buttonwood_model::AccountId;

impl Access {
    /// A counterparty id that no account has, drawn from the seed and from the account's names: 8 upper-case letters and digits
    /// (D-31). It is empty for a custody account, which has none (facts F§11).
    pub fn free_counterparty_id(
        &self,
        kind: AccountKind,
        seed: u64,
        group: &str,
        short_name: &str,
    ) -> String {
        if kind == AccountKind::Custody {
            return String::new();
        }
        let is_free = |id: &String| self.by_counterparty_id(id).is_none();
        let mut ids = (0..=u64::MAX).map(|attempt| drawn(seed.wrapping_add(attempt), group, short_name));
        ids.find(is_free).unwrap_or_default()
    }
}

/// Eight upper-case letters and digits from a hash (FNV-1a) of the inputs.
fn drawn(seed: u64, group: &str, short_name: &str) -> String {
    const LETTERS: &[u8; 36] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let seed = seed.to_le_bytes();
    let bytes = seed.iter().chain(group.as_bytes()).chain(b"/").chain(short_name.as_bytes());
    let hash = bytes.fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    });
    letters(hash, LETTERS, 8)
}

/// The code that a wire names in its memo, so that the exchange knows which account it is for (ACCT-003): `BTW` and six letters.
/// No two of the first 308,915,776 accounts have the same.
pub fn memo_code(seed: u64, account: AccountId) -> String {
    const LETTERS: &[u8; 26] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const CODES: u64 = 26_u64.pow(6);
    // Odd and no multiple of 13, so that different accounts have different codes; large, so that neighbours look different.
    const STEP: u64 = 190_942_837;
    let code = (u64::from(account.0) % CODES * STEP + seed % CODES) % CODES;
    let mut memo = String::from("BTW");
    memo.push_str(&letters(code, LETTERS, 6));
    memo
}

/// The lowest `count` digits of a number, the lowest first, in a base of as many letters as there are.
fn letters<const BASE: usize>(number: u64, letters: &[u8; BASE], count: usize) -> String {
    let base = u64::try_from(BASE).unwrap_or(u64::MAX);
    let rests = core::iter::successors(Some(number), |rest| Some(rest / base));
    let places = rests.map(|rest| usize::try_from(rest % base).unwrap_or(0));
    places.take(count).filter_map(|place| letters.get(place).copied().map(char::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::format;

    /// Another name or another seed gives another id; the same inputs give the same id in every build.
    #[test]
    fn counterparty_ids_are_spread() {
        let ids: BTreeSet<String> =
            (0..1_000).map(|number| drawn(7, "one", &format!("account-{number}"))).collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.iter().all(|id| id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())));
        assert_ne!(drawn(7, "one", "a"), drawn(8, "one", "a"));
    }

    /// A memo stays an account's own, also in later builds: wires may name it for years.
    #[test]
    fn memo_codes_never_repeat_and_never_change() {
        let codes: BTreeSet<String> = (0..5_000).map(|account| memo_code(7, AccountId(account))).collect();
        assert_eq!(codes.len(), 5_000);
        let is_code = |code: &String| {
            code.strip_prefix("BTW").is_some_and(|letters| {
                letters.len() == 6 && letters.bytes().all(|letter| letter.is_ascii_uppercase())
            })
        };
        assert!(codes.iter().all(is_code));
        assert_eq!([memo_code(7, AccountId(0)), memo_code(7, AccountId(1))], ["BTWHAAAAA", "BTWOVVVBQ"]);
        memo_code(u64::MAX, AccountId(u32::MAX));
    }
}
