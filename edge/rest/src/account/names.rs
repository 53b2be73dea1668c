//! Names of accounts, as clients choose them.

use buttonwood_gate::Refusal;
use buttonwood_wire::field::bad_value;

/// Characters of a name at most.
pub(crate) const NAME_MAX: usize = 50;

/// The name by which calls name the account: in lower case, with `-` for spaces (facts F§11).
pub(crate) fn short_name(name: &str) -> Result<String, Refusal> {
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
