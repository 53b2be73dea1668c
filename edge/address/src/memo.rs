//! The memos that a network takes.

use crate::Network;

/// The most bytes of a memo: the limit of cosmos.
pub const MEMO_BYTES_MAX: usize = 256;

/// Why a memo is refused. The text completes "the memo is refused: …".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoError {
    /// No character at all; a payment without a memo leaves the field out.
    #[error("it is empty")]
    Empty,
    /// More than [`MEMO_BYTES_MAX`] bytes.
    #[error("it is longer than 256 bytes")]
    TooLong,
    /// A control character, such as a line break.
    #[error("it contains a control character")]
    Control,
    /// The network's payments carry no memo.
    #[error("payments of this network carry none")]
    NoMemos,
    /// On xrpl a memo is a destination tag.
    #[error("it is not a destination tag: a whole number from 0 to 4294967295 without leading zeros")]
    Tag,
}

/// Checks a memo of `network`. On xrpl it is a destination tag, which has one spelling; on cosmos and solana it is text of at most
/// [`MEMO_BYTES_MAX`] bytes without control characters. Payments of other networks carry none (D-172).
///
/// # Errors
///
/// The rule that the memo breaks.
pub fn check_memo(network: Network, memo: &str) -> Result<(), MemoError> {
    if memo.is_empty() {
        return Err(MemoError::Empty);
    }
    if !network.carries_memos() {
        return Err(MemoError::NoMemos);
    }
    if memo.len() > MEMO_BYTES_MAX {
        return Err(MemoError::TooLong);
    }
    if memo.chars().any(char::is_control) {
        return Err(MemoError::Control);
    }
    if network == Network::Xrpl {
        // The round trip refuses a sign and leading zeros.
        let tag = memo.parse::<u32>().ok().filter(|tag| tag.to_string() == memo);
        tag.ok_or(MemoError::Tag)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_tag_has_32_bits_and_one_spelling() {
        for tag in ["0", "1", "4294967295"] {
            assert_eq!(check_memo(Network::Xrpl, tag), Ok(()), "{tag}");
        }
        for text in ["4294967296", "-1", "+1", "01", "1.0", " 1", "1 ", "0x1", "one", "１"] {
            assert_eq!(check_memo(Network::Xrpl, text), Err(MemoError::Tag), "{text}");
        }
    }

    /// Of D-172.
    #[test]
    fn other_networks_carry_no_memos() {
        for network in Network::ALL.into_iter().filter(|network| !network.carries_memos()) {
            assert_eq!(check_memo(network, "5"), Err(MemoError::NoMemos), "{network}");
        }
        assert_eq!(Network::ALL.into_iter().filter(|network| network.carries_memos()).count(), 3);
    }

    #[test]
    fn a_memo_is_short_printable_text() {
        let longest = "m".repeat(MEMO_BYTES_MAX);
        for network in [Network::Cosmos, Network::Solana] {
            assert_eq!(check_memo(network, "acct 17 – ümlaut"), Ok(()));
            assert_eq!(check_memo(network, &longest), Ok(()));
            assert_eq!(check_memo(network, &format!("{longest}m")), Err(MemoError::TooLong));
            assert_eq!(check_memo(network, ""), Err(MemoError::Empty));
            for text in ["a\nb", "a\0", "\u{7f}", "\u{85}"] {
                assert_eq!(check_memo(network, text), Err(MemoError::Control), "{text:?}");
            }
        }
    }
}
