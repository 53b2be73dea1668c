//! Names of accounts, as clients choose them.

use crate::contract::Label;
use crate::field::bad_value;
use crate::text::{PLAIN, is_plain, visible};
use crate::words;
use buttonwood_engine::AccountKind;
use buttonwood_gate::Refusal;

words! {
    /// The type of an account.
    pub struct AccountTypeName: "exchange", "custody"
}

impl AccountTypeName {
    /// The type that the interface shows for a kind: it has no other two, so the kinds that trade are all `exchange` (facts F§11).
    pub fn of(kind: AccountKind) -> Self {
        Self(if kind.trades() { AccountKind::Exchange.name() } else { AccountKind::Custody.name() })
    }
}

/// Characters of a name at most.
pub const NAME_MAX: usize = 50;

/// A name for people, in the field of this name: repeated as it was sent (TYPE-023).
pub fn display_name(field: &str, name: &str) -> Result<Label, Refusal> {
    if is_plain(name, NAME_MAX) {
        return Ok(Label(name.to_owned()));
    }
    Err(bad_value(field, &format!("1 to {NAME_MAX} {PLAIN}"), &visible(name)))
}

/// The short name that follows from a name for people: in lower case, with `-` for spaces and without symbols (ACCT-008). The
/// symbol `-` stays, since short names have it. `None` if no letter and no digit is left.
pub fn derived_short_name(name: &str) -> Option<String> {
    let plain = name.chars().map(|letter| if letter == ' ' { '-' } else { letter.to_ascii_lowercase() });
    let short: String = plain.filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').collect();
    let short = short.trim_matches('-');
    (!short.is_empty()).then(|| short.to_owned())
}

/// The name by which calls name the account: in lower case, with `-` for spaces (facts F§11).
pub fn short_name(name: &str) -> Result<String, Refusal> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -".contains(&byte);
    let begins_well = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if begins_well && name.len() <= NAME_MAX && name.bytes().all(is_plain) {
        return Ok(name.to_ascii_lowercase().replace(' ', "-"));
    }
    let expected = format!("1 to {NAME_MAX} letters, digits, spaces and '-', the first a letter or a digit");
    Err(bad_value("name", &expected, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_follows_from_a_name() {
        for (name, expected) in [
            ("My Secondary Account", Some("my-secondary-account")),
            ("Alpha (2nd) Fund!", Some("alpha-2nd-fund")),
            ("R&D", Some("rd")),
            ("Cash & Co.", Some("cash--co")),
            ("load-7", Some("load-7")),
            ("\u{c4}rger_1", Some("rger1")),
            ("(a) -", Some("a")),
            ("\u{65e5}\u{672c}", None),
            ("& - !", None),
        ] {
            assert_eq!(derived_short_name(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_short_name_is_lower_case_without_spaces() {
        for (name, expected) in
            [("My Margin 2", "my-margin-2"), ("a", "a"), ("load-000", "load-000"), ("7", "7")]
        {
            assert_eq!(short_name(name).unwrap(), expected);
        }
        let long = "x".repeat(NAME_MAX + 1);
        for name in ["", " a", "-a", "a_b", "a/b", "a\n", "ä", "a\"", &long] {
            let refusal = short_name(name).unwrap_err();
            assert!(
                refusal.message.starts_with("Field 'name' must be 1 to 50 letters"),
                "{}",
                refusal.message
            );
        }
        assert!(short_name(&long[..NAME_MAX]).is_ok());
    }
}
